"""Whether ranking measures of tensors are cheaper than torchmetrics' retrieval metrics, with the same values.

20,000 queries x 100 items, six measures at 10. torchmetrics keeps every prediction, counts scores of 0 or below as not
retrieved and divides average precision by the hits it found; scores here are positive and the measures state the
divisor, so that both compute the same numbers. ``--device cuda`` measures wall time on a GPU, in this process.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from importlib.util import find_spec

if missing := [library for library in ("torch", "torchmetrics") if find_spec(library) is None]:
    print(f"skipped: {' and '.join(missing)} not installed")
    sys.exit(0)

import torch

MEASURES = ["nDCG(ties=mean)@10", "AP(norm=hits)@10", "RR@10", "P@10", "R@10", "Success@10"]
TARGET = 50


def make(queries: int, items: int, device: str, kind: str) -> tuple[torch.Tensor, torch.Tensor]:
    draw = torch.Generator().manual_seed(7)
    scores = torch.rand(queries, items, generator=draw)
    labels = (torch.rand(queries, items, generator=draw) < 0.05).long()
    return scores.to(device), labels.to(device, getattr(torch, kind))


def ours(scores: torch.Tensor, labels: torch.Tensor) -> dict[str, float]:
    import rankmeter as rm

    return rm.evaluate(rm.tensors(scores, labels), measures=MEASURES).mean


def accumulated(scores: torch.Tensor, labels: torch.Tensor) -> dict[str, float]:
    """In batches of 1,000 queries, as in a validation loop."""
    from rankmeter.torch import RankingMetric

    metric = RankingMetric(MEASURES)
    for first in range(0, len(scores), 1000):
        metric.update(scores[first : first + 1000], labels[first : first + 1000])
    return metric.compute()


def peer(scores: torch.Tensor, labels: torch.Tensor) -> dict[str, float]:
    from torchmetrics import retrieval

    kinds = (
        retrieval.RetrievalNormalizedDCG, retrieval.RetrievalMAP, retrieval.RetrievalMRR,
        retrieval.RetrievalPrecision, retrieval.RetrievalRecall, retrieval.RetrievalHitRate,
    )  # fmt: skip
    indexes = torch.arange(len(scores), device=scores.device).repeat_interleave(scores.shape[1])
    found = {}
    for name, kind in zip(MEASURES, kinds, strict=True):
        metric = kind(top_k=10).to(scores.device)
        metric.update(scores.reshape(-1), labels.reshape(-1), indexes)
        found[name] = float(metric.compute())
    return found


def clocks(device: str) -> tuple[float, float]:
    if device != "cpu":
        torch.cuda.synchronize()
    return time.perf_counter(), time.process_time()


def spent(work, data, device: str, repeat: int) -> tuple[float, float, dict[str, float]]:
    """The least wall and CPU seconds, and the values."""
    wall, cpu, values = [], [], {}
    for _ in range(repeat):
        before = clocks(device)
        values = work(*data)
        after = clocks(device)
        wall.append(after[0] - before[0])
        cpu.append(after[1] - before[1])
    return min(wall), min(cpu), values


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--device", default="cpu", help="cpu (default) or cuda")
    parser.add_argument("--labels", default="int64", help="the type of the labels: int64 (default), float32 ...")
    parser.add_argument("--queries", type=int, default=20_000)
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=5, help="runs of ours; the best counts (torchmetrics runs once)")
    args = parser.parse_args()
    # A first metric of torchmetrics warns about the memory that its predictions will take.
    warnings.simplefilter("ignore")
    data = make(args.queries, args.items, args.device, args.labels)
    few = tuple(one[:50] for one in data)
    for work in (ours, accumulated, peer):
        work(*few)
    results = {work.__name__: spent(work, data, args.device, args.repeat) for work in (ours, accumulated)}
    results["torchmetrics"] = spent(peer, data, args.device, 1)
    device = torch.cuda.get_device_name() if args.device.startswith("cuda") else "CPU"
    shape = f"{args.queries:,} x {args.items:,}, {len(MEASURES)} measures, {args.labels} labels"
    print(f"tensors: {shape}, {device}, torch {torch.__version__}")
    print(f"  {'':<14} {'wall s':>9} {'CPU s':>9}")
    for name, (wall, cpu, _) in results.items():
        print(f"  {name:<14} {wall:>9.4f} {cpu:>9.4f}")
    wall, cpu, values = results["torchmetrics"]
    for name in ("ours", "accumulated"):
        apart = max(abs(results[name][2][measure] - values[measure]) for measure in MEASURES)
        ratio = wall / results[name][0]
        print(
            f"  {name}: {ratio:.0f} times less wall time, {cpu / results[name][1]:.0f} times less CPU "
            f"(wanted {TARGET}): {'met' if ratio >= TARGET else 'MISSED'}; "
            f"values at most {apart:.0e} apart{'' if apart < 1e-5 else ': VALUES DIFFER'}"
        )


if __name__ == "__main__":
    main()
