"""Arrays against the few lines of NumPy or torch that somebody would write, and a comparison against its evaluations.

``dense``: 8,000 x 500 grades and scores without ties, nDCG@10; the floor is one partition of the scores. ``catalogue``:
the ranks of one judged item for each of 2,000 queries among 100,000 items of width 64; by hand a product and the 100
best, in which an item further down has no rank; the floor is the product. ``compare``: 50 systems, 43 queries, three
measures, every pair tested; the floor is evaluating the 50 runs one after the other.
"""

from __future__ import annotations

from pathlib import Path

import harness
import many_systems
import numpy as np
from data import load, save

DENSE, QUERIES, ITEMS, WIDTH, BEST = (8_000, 500), 2_000, 100_000, 64, 100
many_systems.SYSTEMS = 50


def make(folder: Path, options: harness.Options) -> None:
    """The data of one kind; ``times`` as many rows."""
    random, times = np.random.default_rng(9), options["times"]
    if options["kind"] == "dense":
        shape = (DENSE[0] * times, DENSE[1])
        save(folder, grade=random.integers(0, 5, shape), score=random.random(shape))
    elif options["kind"] == "catalogue":
        sides = (random.standard_normal((rows, WIDTH), np.float32) for rows in (QUERIES * times, ITEMS))
        query, item = sides
        # Near its query, so that most judged items are among the best ones, as they are in practice.
        judged = random.integers(0, ITEMS, len(query))
        save(folder, query=query + item[judged] / 2, item=item, judged=judged)
    else:
        many_systems.make(folder, options)


def dense_rankmeter(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001 (the harness's signature)
    import rankmeter as rm

    grade, score = load(folder, "grade", "score")

    def work(rows: slice = slice(None)) -> object:
        return rm.evaluate(rm.arrays(grade[rows]), rm.arrays(score[rows]), ["nDCG@10"])

    work(slice(5))
    return work, lambda ev: ev.mean


def dense_by_hand(folder: Path, options: harness.Options, k: int = 10) -> harness.Work:  # noqa: ARG001
    grade, score = load(folder, "grade", "score")

    def work() -> float:
        discount = 1 / np.log2(np.arange(2, k + 2))
        top = np.argpartition(-score, k, axis=1)[:, :k]
        top = np.take_along_axis(top, np.argsort(-np.take_along_axis(score, top, 1), axis=1), 1)
        gained = np.take_along_axis(grade, top, 1) @ discount
        ideal = np.sort(np.partition(grade, -k, axis=1)[:, -k:], axis=1)[:, ::-1] @ discount
        return float(np.divide(gained, ideal, out=np.zeros(len(ideal)), where=ideal > 0).mean())

    return work, lambda value: {"nDCG@10": value}


def dense_floor(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    (score,) = load(folder, "score")
    return lambda: np.partition(score, score.shape[1] - 10, axis=1), lambda _: {}


def catalogue_rankmeter(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    import rankmeter as rm

    query, item, judged = load(folder, "query", "item", "judged")
    pairs = np.arange(len(query)), judged
    rm.rank_catalogue({0: [1]}, query[:2], item[:10])

    def values(ranked: object) -> harness.Values:
        return rm.evaluate(ranked, measures=["Success@100", "RR@100"]).mean

    return lambda: rm.rank_catalogue(pairs, query, item), values


def catalogue_by_hand(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    import torch

    query, item, judged = (torch.from_numpy(side) for side in load(folder, "query", "item", "judged"))

    def work() -> torch.Tensor:
        parts = (query[first : first + 500] @ item.T for first in range(0, len(query), 500))
        return torch.cat([part.topk(BEST).indices for part in parts])

    def values(best: torch.Tensor) -> harness.Values:
        hit = best == judged[:, None]
        found = hit.any(1)
        reciprocal = torch.where(found, 1.0 / (hit.double().argmax(1) + 1), 0.0)
        return {"Success@100": float(found.double().mean()), "RR@100": float(reciprocal.mean())}

    return work, values


def catalogue_floor(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    query, item = load(folder, "query", "item")

    def work() -> None:
        for first in range(0, len(query), 500):
            query[first : first + 500] @ item.T

    return work, lambda _: {}


def compare_rankmeter(folder: Path, options: harness.Options) -> harness.Work:
    work, _ = many_systems.default(folder, options)
    return work, lambda _: {}


def compare_floor(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    import pickle

    import rankmeter as rm

    truth, runs = pickle.loads((folder / "data.pickle").read_bytes())
    rm.evaluate(truth, runs["s0"], many_systems.MEASURES)
    return lambda: [rm.evaluate(truth, run, many_systems.MEASURES).mean for run in runs.values()], lambda _: {}


def main() -> None:
    parser = harness.parser(__doc__)
    parser.add_argument("--times", type=int, default=1, help="so many times as many queries (dense and catalogue)")
    parser.add_argument("--only", choices=("dense", "catalogue", "compare"))
    args = parser.parse_args()
    cases = []
    for kind, peer, target, most in (("dense", "numpy", 1.0, 1.5), ("catalogue", "torch", 1.0, None),
                                     ("compare", None, None, 2.5)):  # fmt: skip
        ours = harness.Entrant(f"{kind}_rankmeter")
        pairs = [harness.Pair(ours, harness.Entrant(f"{kind}_by_hand", peer), target)] if peer else []
        # The floor's time over ours: what it says is at least one over the times that are allowed.
        pairs.append(harness.Pair(ours, harness.Entrant(f"{kind}_floor"), most and 1 / most))
        label = f"arrays by hand: {kind}" + (f", {args.times} times the queries" if args.times > 1 else "")
        cases.append(harness.Case(label, {"kind": kind, "times": args.times}, pairs))
    harness.run(__file__, args, [case for case in cases if args.only in (None, case.options["kind"])])


if __name__ == "__main__":
    main()
