"""Exact full-catalogue ranking on a CUDA device against the usual way: a float32 product and topk(100).

Run it on a machine with a CUDA device and torch: ``python benchmarks/catalogue_gpu.py``. It prints the device, the
rate of a large bfloat16 product, the time of each way, the ratios, and checks ranks against float64 for some queries.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable

import numpy as np
import torch

from rankmeter.placing.vectors import TorchVectors

CHECKED = 32


def seconds(work: Callable[[], object], repeats: int = 5) -> float:
    """The median time on the device, after one run to warm up."""
    work()
    times = []
    for _ in range(repeats):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        work()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) / 1000)
    return statistics.median(times)


def product_rate() -> float:
    """Operations a second of an 8192 x 8192 x 8192 bfloat16 product on random data."""
    left, right = (torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    return 2 * 8192**3 / seconds(lambda: left @ right, 20)


def product_and_topk(queries: torch.Tensor, items: torch.Tensor, batch: int = 4096) -> float:
    """The time of a product and topk(100), measured on two batches of queries and scaled to all."""

    def work() -> None:
        for first in range(0, 2 * batch, batch):
            torch.topk(queries[first : first + batch] @ items.T, 100, dim=1)

    return seconds(work, 3) * len(queries) / (2 * batch)


def exact_above(queries: torch.Tensor, items: torch.Tensor, query: int, item: int) -> int:
    """How many items score higher by the definition of a score."""
    scores = torch.zeros(len(items), dtype=torch.float64, device="cuda")
    for column in range(queries.shape[1]):
        scores += queries[query, column].double() * items[:, column].double()
    return int((scores > scores[item]).sum())


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=65_536)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--width", type=int, default=128)
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = False
    queries = torch.randn(options.queries, options.width, device="cuda")
    items = torch.randn(options.items, options.width, device="cuda")
    owner = np.arange(options.queries)
    wanted = np.random.default_rng(1).integers(0, options.items, options.queries)
    vectors = TorchVectors(queries, items, "cuda")
    rate = product_rate()
    work = 2 * options.queries * options.items * options.width
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}; bf16 product {rate / 1e12:.0f} TFLOP/s")
    print(f"{options.queries:,} queries x {options.items:,} items x {options.width}, one judged item each")
    usual = product_and_topk(queries, items)
    print(f"float32 product + topk(100)   {usual:.4f} s")
    for precision in ("exact", "fast"):
        taken = seconds(lambda chosen=precision: vectors.resolve(owner, wanted, chosen))
        found = vectors.resolve(owner, wanted, precision)
        print(
            f"rankmeter, precision={precision:<6}   {taken:.4f} s   {usual / taken:.1f} times less; "
            f"{work / taken / 1e12:.0f} TFLOP/s of useful products, {work / taken / rate:.0%} of the bf16 rate; "
            f"{found.recomputed:,} scores recomputed, {found.uncertain:,} ranks in doubt"
        )
        if precision == "exact":
            exact = found.above
    some = np.linspace(0, options.queries - 1, CHECKED).astype(int)
    right = sum(exact_above(queries, items, int(q), int(wanted[q])) == exact[q] for q in some)
    print(f"ranks equal to float64 by definition: {right} of {CHECKED} checked")
    print(f"ranks changed by precision=fast: {int((found.above != exact).sum()):,} of {options.queries:,}; "
          f"median change {int(np.median(np.abs(found.above - exact)))}")  # fmt: skip


if __name__ == "__main__":
    main()
