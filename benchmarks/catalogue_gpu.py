"""Exact full-catalogue ranking on a CUDA device: right for every matrix, fast for every width, fast end to end.

``python benchmarks/catalogue_gpu.py`` prints every figure with its target. Widths: the time of both ways against a
product and ``topk(100)`` in float32, TF32 and bfloat16, and what share of a large bfloat16 product's rate they reach.
Cases: ranks of matrices that are hard to rank against the definition of a score. Calls: ``rank_catalogue`` and
``evaluate`` together, and their values on the device against those in main memory. Corpus: as many passages as
MS MARCO has, in half precision, ranked and searched in blocks that fit the device.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import polars as pl
import torch

import rankmeter as rm
from rankmeter.compat.sentence_transformers import InformationRetrievalEvaluator
from rankmeter.wings.catalogue import cuda_tiles, cuda_vectors
from rankmeter.wings.catalogue.devices import into_vectors
from rankmeter.wings.catalogue.pair_counts import AskedPairs, Excluded

ITEMS = 1_000_000
QUERIES = {64: 65_536, 128: 65_536, 256: 32_768, 384: 16_384, 768: 16_384, 1024: 16_384, 1536: 8_192}
FAST = {128: 0.60, 256: 0.50, 384: 0.50, 768: 0.60, 1024: 0.60, 1536: 0.60}
EXACT = 0.20
CHECKED = 48
CARD = 24e9
"""What a corpus may take of the device: the memory of a common card."""


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """The median wall time with the device synchronised, after one run to warm up."""
    times = []
    for _ in range(repeats + 1):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def product_rate() -> float:
    """Operations a second of an 8192 x 8192 x 8192 bfloat16 product on random data."""
    left, right = (torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    return 2 * 8192**3 / (seconds(lambda: [left @ right for _ in range(10)], 5) / 10)


def product_and_topk(queries: torch.Tensor, items: torch.Tensor, batch: int = 4096) -> float:
    """The time of a product and topk(100), measured on one batch of queries and scaled to all."""
    return seconds(lambda: torch.topk(queries[:batch] @ items.T, 100, dim=1), 2) * len(queries) / batch


def verdict(value: float, target: float, *, least: bool) -> str:
    """Whether a target is met."""
    return "met" if (value >= target if least else value <= target) else "MISSED"


def asked(queries: int, items: int, seed: int = 1) -> AskedPairs:
    """One judged item for each query."""
    own = np.random.default_rng(seed).integers(0, items, queries)
    nothing = Excluded(np.empty(0, np.int64), items)
    return AskedPairs(np.arange(queries), own, lambda: np.arange(items), nothing, lambda _: None)


def widths() -> None:
    """Both ways at every width."""
    rate = product_rate()
    print(f"large bf16 product {rate / 1e12:.0f} TFLOP/s; {ITEMS:,} items, one judged item a query")
    print("  width queries   fp32+topk  TF32+topk  bf16+topk      exact  of rate            fast  of rate")
    for width, count in QUERIES.items():
        torch.manual_seed(width)
        queries, items = (torch.randn(rows, width, device="cuda") for rows in (count, ITEMS))
        usual = []
        for allowed in (False, True):
            torch.backends.cuda.matmul.allow_tf32 = allowed
            usual.append(product_and_topk(queries, items))
        torch.backends.cuda.matmul.allow_tf32 = False
        usual.append(product_and_topk(queries.bfloat16(), items.bfloat16()))
        place, case, said = (
            into_vectors(queries, items, bias=None, similarity="dot", device=None),
            asked(count, ITEMS),
            "",
        )
        for precision in ("exact", "fast"):
            taken = seconds(lambda: place.count(case, precision))  # noqa: B023 (called at once)
            share = 2 * count * ITEMS * width / taken / rate
            target = {"exact": EXACT if width > 64 else 0.0, "fast": FAST.get(width, 0.0)}[precision]
            said += f" {taken:9.4f} s {share:5.0%} {verdict(share, target, least=True):6}"
            if precision == "exact":
                said += f"({verdict(taken, usual[1], least=False)} against TF32)"
        print(f"  {width:5} {count:7} " + "".join(f" {value:8.4f} s" for value in usual) + said, flush=True)
        counted = place.count(case, "exact")
        print(f"        {counted.recomputed / count:,.0f} of {ITEMS:,} scores a query recomputed", flush=True)


def matrices(queries: int, items: int, width: int) -> Iterator[tuple[str, torch.Tensor, torch.Tensor]]:
    """Matrices that are hard to rank."""
    draw = torch.Generator(device="cuda").manual_seed(7)

    def normal(rows: int) -> torch.Tensor:
        return torch.randn(rows, width, device="cuda", generator=draw)

    q, v = normal(queries), normal(items)
    yield "gaussian", q, v
    yield "unit length", q / q.norm(dim=1, keepdim=True), v / v.norm(dim=1, keepdim=True)
    yield "whole numbers, ties", q.round().clamp(-1, 1), v.round().clamp(-1, 1)
    copies = v[: items // 4].repeat_interleave(4, dim=0)
    yield "near duplicates", q, torch.where(v > 0.5, copies * (1 + 2.0**-23), copies)
    for scale in (1e-30, 1e18, 1e37):
        yield f"times {scale:g}", q * scale, v * scale
    giant = v.clone()
    giant[:, 0] *= 1e9
    yield "one giant column", q, giant
    for powers in (30, 40, 200):
        spread = torch.exp2(-torch.linspace(0, powers, items, device="cuda", dtype=torch.float64))[:, None]
        yield f"items over 2^-{powers}, sorted", q, (v * spread).float()
        order = torch.randperm(items, device="cuda", generator=draw)
        yield f"items over 2^-{powers}, mixed", q, (v * spread[order]).float()
    spread = torch.exp2(-torch.linspace(0, 40, queries, device="cuda"))[:, None]
    yield "queries over 2^-40", q * spread, v
    one = v * 1e-6
    one[items // 3] *= 1e12
    yield "one giant item", q, one
    yield "denormal", q * 1e-20, v * 2.0**-140
    zeros = v.clone()
    zeros[::4] = 0
    empty = q.clone()
    empty[::64] = 0
    yield "zeros", empty, zeros
    huge = v * 1e-3
    huge[5, 0] = 3e38
    yield "one huge element", q, huge
    half = width // 2
    left, right = q.clone(), v.clone()
    left[:, half : 2 * half] = left[:, :half]
    right[:, half : 2 * half] = -right[:, :half] * (1 + 1e-6 * v[:, half : 2 * half])
    yield "cancellation", left, right


def cases() -> None:
    """Ranks against the definition, of queries chosen at random."""
    queries, items = 2_048, 200_000
    print(f"ranks against float64 sums in index order: {CHECKED} queries of each case, {queries:,} x {items:,}")
    wrong_cases = 0
    for width in (1, 100, 128, 256, 768, 1000):
        for name, q, v in matrices(queries, items, width):
            if width == 1 and name == "unit length":
                continue
            case = asked(queries, items, seed=width)
            counted = into_vectors(q, v, bias=None, similarity="dot", device=None).count(case, "exact")
            wrong = 0
            for row in np.linspace(0, queries - 1, CHECKED).astype(int):
                every = torch.arange(items, device="cuda")
                scores = cuda_tiles.pair_scores(q, v, torch.full_like(every, int(row)), every)
                own = scores[case.item[row]]
                right = (int((scores > own).sum()), int((scores == own).sum()))
                wrong += right != (counted.above[row], counted.tied[row])
            wrong_cases += wrong > 0
            share = counted.recomputed / queries / items
            if wrong or width == 128:
                print(f"  width {width:4} {name:30} wrong {wrong:2} of {CHECKED}; recomputed {share:8.4%}", flush=True)
    print(f"  cases with a wrong rank: {wrong_cases} (wanted 0: {verdict(wrong_cases, 0, least=False)})")


def calls() -> None:
    """rank_catalogue and evaluate together, from tensors on the device."""
    queries, items, width = 65_536, ITEMS, 128
    torch.manual_seed(1)
    q, v = (torch.randn(rows, width, device="cuda") for rows in (queries, items))
    draw = np.random.default_rng(1)
    user = torch.arange(queries, device="cuda")
    judgments = (user, torch.randint(0, items, (queries,), device="cuda"))
    place, case = into_vectors(q, v, bias=None, similarity="dot", device=None), asked(queries, items)
    kernel = seconds(lambda: place.count(case, "exact"))
    pairs = np.repeat(np.arange(queries), 50), draw.integers(0, items, 50 * queries)
    frame = pl.DataFrame({"user_id": pairs[0], "item_id": pairs[1]})
    tensors = tuple(torch.from_numpy(side).cuda() for side in pairs)

    def ranked(**options: object) -> object:
        return rm.evaluate(rm.rank_catalogue(judgments, q, v, **options), measures=["nDCG@10", "RR", "R@10"])

    print(f"rank_catalogue + evaluate, {queries:,} x {items:,} x {width}; counting alone {kernel:.3f} s")
    for name, options, target in (
        ("no exclusions", {}, max(2 * kernel, 0.24)),
        ("50 seen items a user, a frame", {"exclude": frame}, 0.5),
        ("50 seen items a user, tensors", {"exclude": tensors}, 0.5),
        ("top=10", {"top": 10}, 1.0),
        ("top=100", {"top": 100}, float("inf")),
        ("frame and top=10", {"exclude": frame, "top": 10}, 1.0),
    ):
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        taken = seconds(lambda options=options: ranked(**options))
        peak = (torch.cuda.max_memory_allocated() - before) / 1e9
        print(f"  {name:32} {taken:.3f} s (wanted {target:.2f}: {verdict(taken, target, least=False)}); "
              f"{peak:.1f} GB beside the vectors", flush=True)  # fmt: skip
    stated = place.memory("exact") / 1e9
    print(f"  memory stated beforehand {stated:.1f} GB")
    in_blocks()


def in_blocks() -> None:
    """Values on the device, whole and in blocks, against those in main memory."""
    draw = np.random.default_rng(3)
    same = 0
    kinds = {
        "plain": draw.normal(size=(5_000, 48)), "tied": np.repeat(draw.integers(-1, 2, (1_250, 48)), 4, axis=0),
        "lengths": draw.normal(size=(5_000, 48)) * 2.0 ** -draw.uniform(0, 40, (5_000, 1)),
    }  # fmt: skip
    measures = ["nDCG@10", "AP", "RR", "MeanRank", "AUC", "RR(ties=item-ascending)", "RR(ties=input)", "AP(ties=mean)"]
    for name, items in kinds.items():
        queries = draw.integers(-1, 2, (300, 48)) if name == "tied" else draw.normal(size=(300, 48))
        judgments = {u: {int(i): int(draw.integers(0, 3)) for i in draw.integers(0, 5_000, 20)} for u in range(300)}
        options = {"exclude": {u: draw.integers(0, 5_000, 50).tolist() for u in range(300)}, "top": 50}
        options |= {"similarity": "cosine"} if name == "plain" else {"bias": draw.integers(0, 2, 5_000)}
        expected = rm.rank_catalogue(judgments, queries, items, **options)
        values = rm.evaluate(judgments, expected, measures).per_query
        for block in (None, 1_500):
            whole = cuda_vectors.cuda_vectors
            if block:

                def fewer(*given: object, whole: Callable = whole, **more: object) -> object:
                    made = whole(*given, **more)
                    lengths = None if made.lengths is None else made.lengths.cpu()
                    return replace(made, right=made.right.cpu(), block=block, lengths=lengths)  # noqa: B023

                cuda_vectors.cuda_vectors = fewer
            found = rm.rank_catalogue(judgments, queries, items, device="cuda", **options)
            cuda_vectors.cuda_vectors = whole
            alike = rm.evaluate(judgments, found, measures).per_query.equals(values)
            same += alike and found.top_lists() == expected.top_lists()
    print(
        f"  values per query and best items as in main memory: {same} of 6 (wanted 6: {verdict(same, 6, least=True)})"
    )


def corpus(passages: int = 8_841_823, queries: int = 6_980, width: int = 768) -> None:
    """All passages of a corpus for each query, by ``rank_catalogue`` and by the evaluator of a bi-encoder."""
    torch.manual_seed(5)
    items = torch.empty((passages, width), dtype=torch.float16, device="cuda")
    for first in range(0, passages, 1 << 20):
        items[first : first + (1 << 20)].normal_()
    own = torch.randint(0, passages, (queries,), device="cuda")
    q = (items[own].float() + 5 * torch.randn(queries, width, device="cuda")).half()
    judgments = (torch.arange(queries, device="cuda"), own)
    print(f"{queries:,} queries x {passages:,} passages x {width}, float16; a card of {CARD / 1e9:.0f} GB")
    torch.cuda.empty_cache()
    torch.cuda.set_per_process_memory_fraction(CARD / torch.cuda.get_device_properties(0).total_memory)
    for precision in ("exact", "fast"):
        torch.cuda.reset_peak_memory_stats()
        start = time.perf_counter()
        ranked = rm.rank_catalogue(judgments, q, items, similarity="cosine", precision=precision)
        value = rm.evaluate(ranked, measures=["RR@10", "R@100"])
        print(f"  rank_catalogue, {precision}: {time.perf_counter() - start:.1f} s, RR@10 {value['RR@10']:.4f}, "
              f"peak {torch.cuda.max_memory_allocated() / 1e9:.0f} GB", flush=True)  # fmt: skip
    every, texts = range(passages), dict.fromkeys(range(queries), "")
    relevant = {number: {passage} for number, passage in enumerate(own.tolist())}
    evaluator = InformationRetrievalEvaluator(texts, dict.fromkeys(every, ""), relevant)
    torch.cuda.reset_peak_memory_stats()
    start = time.perf_counter()
    metrics = evaluator.measure_embeddings(q, items)
    print(f"  InformationRetrievalEvaluator, 100 best: {time.perf_counter() - start:.1f} s, "
          f"MRR@10 {metrics['cosine_mrr@10']:.4f}, peak {torch.cuda.max_memory_allocated() / 1e9:.0f} GB")  # fmt: skip


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--only", choices=["widths", "cases", "calls", "corpus"], help="one part instead of all")
    options = parser.parse_args()
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    for part in (widths, cases, calls, corpus):
        if options.only in (None, part.__name__):
            part()


if __name__ == "__main__":
    main()
