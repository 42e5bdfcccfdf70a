"""Fusion and tuning against ranx: 6,980 queries, three runs of 1,000 items each.

    python benchmarks/fusion.py --peer-python PATH [--queries 6980] [--tuned-queries 1000]

``cold`` counts the first call in a process, which for ranx compiles; ``warm`` the second one on the same runs. Both
start from what the tool keeps of a run (ranx: `Run`, ours: a table).

The fused scores are the same to the last digit, and so is the order of unequal ones. Equal sums, which reciprocal ranks
make for almost every item, ranx sorts by an unstable sort: how many of its equal neighbours stand in the order in which
the runs name them is printed (by chance half of them). So what is compared are the scores of the first ten places, and
nDCG@10 with the equal sums of both in one order, that of their ids. Tuning tries the same weights (steps of a tenth,
norm min-max, nDCG@10): ours 66, ranx the 62 of them that its sums of floats leave, and ours makes five folds and tests
beside it. PATH is a Python with ranx; without it ranx is left out, as is said.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from harness import Case, Entrant, Options, Pair, Work, parser, run

RUNS = ("bm25", "dense", "sparse")
COLD, WARM = Entrant("ours_cold"), Entrant("ours_warm")
RANX_COLD, RANX_WARM = Entrant("ranx_cold", "ranx"), Entrant("ranx_warm", "ranx")
TUNE, RANX_TUNE = Entrant("ours_tune"), Entrant("ranx_tune", "ranx")


def main() -> None:
    """Fuse by RRF and by a weighted sum, then tune."""
    options = parser(__doc__)
    options.add_argument("--queries", type=int, default=6980)
    options.add_argument("--items", type=int, default=1000)
    options.add_argument("--tuned-queries", type=int, default=1000)
    options.add_argument("--without-cold", action="store_true")
    args = options.parse_args()
    cases = []
    for how in ("rrf", "wsum"):
        size: Options = {"queries": args.queries, "items": args.items, "how": how}
        label = f"fuse: {args.queries:,} queries x 3 x {args.items:,}, {how}, equal sums by id"
        pairs = [Pair(COLD, RANX_COLD, 1)] * (not args.without_cold) + [Pair(WARM, RANX_WARM, 1)]
        cases.append(Case(label, size, pairs))
    size = {"queries": args.tuned_queries, "items": args.items, "how": "wsum"}
    label = f"tune: {args.tuned_queries:,} queries x 3 x {args.items:,}, weights in tenths, nDCG@10, warm"
    cases.append(Case(label, size, [Pair(TUNE, RANX_TUNE, 20)]))
    run(__file__, args, cases)


def make(folder: Path, options: Options) -> None:
    """Judgments with one or two relevant items, and runs that share half of their items."""
    import numpy as np

    random = np.random.default_rng(0)
    judgments: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, dict[str, float]]] = {name: {} for name in RUNS}
    for number in range(options["queries"]):
        items = random.choice(8_800_000, 2 * options["items"], replace=False)
        relevant = items[: 1 + int(random.random() < 0.1)]
        judgments[f"q{number}"] = {f"d{item}": 1 for item in relevant.tolist()}
        for name in RUNS:
            held = random.permutation(items)[: options["items"]]
            score = random.gamma(2.0, 3.0, len(held)) + 12.0 * np.isin(held, relevant)
            order = np.argsort(-score)
            texts = [f"d{item}" for item in held[order].tolist()]
            runs[name][f"q{number}"] = dict(zip(texts, score[order].tolist(), strict=True))
    (folder / "data.pickle").write_bytes(pickle.dumps((judgments, runs)))


def data(folder: Path) -> tuple[Any, Any]:
    """What `make` left."""
    return pickle.loads((folder / "data.pickle").read_bytes())


def compared(lists: Iterator[tuple[str, dict[str, float]]], judgments: Any) -> dict[str, Any]:
    """The scores of the first ten places of each query, and nDCG@10 with equal sums in the order of their ids."""
    import numpy as np

    discount = 1 / np.log2(np.arange(2, 12))
    scores, values = {}, {}
    for query, held in lists:
        first = sorted(held, key=lambda item: (held[item], item), reverse=True)[:10]
        scores[query] = [held[item] for item in first]
        gains = np.array([judgments[query].get(item, 0) for item in first])
        ideal = sorted(judgments[query].values(), reverse=True)[:10]
        values[query] = float(gains @ discount[: len(gains)]) / float(np.array(ideal) @ discount[: len(ideal)])
    ordered = [score for query in sorted(scores) for score in scores[query]]
    return {"scores of the first ten": ordered, "nDCG@10": sum(values.values()) / len(values)}


def in_order(fused: dict[str, dict[str, float]], runs: Any) -> float:
    """Of equal neighbours, the share that stand in the order in which the runs name them."""
    same = kept = 0
    for query, held in fused.items():
        named = dict.fromkeys(item for run in runs.values() for item in run[query])
        place = {item: at for at, item in enumerate(named)}
        for (one, score), (other, next_score) in pairwise(held.items()):
            same += score == next_score
            kept += score == next_score and place[one] < place[other]
    return kept / max(same, 1)


def ours(folder: Path, options: Options, *, warm: bool) -> Work:
    """Fuse by rankmeter."""
    import rankmeter as rm
    from rankmeter.inputs.accepting import into_run

    judgments, runs = data(folder)
    read = {name: into_run(run).run_table() for name, run in runs.items()}
    how = {"rrf": "rrf", "wsum": "wsum(flat=0,weights=0.2:0.3:0.5)"}[options["how"]]

    def work() -> Any:
        return rm.fuse(read, how)

    if warm:
        work()
    return work, lambda fused: compared(iter(fused.to_dict().items()), judgments)


def ours_cold(folder: Path, options: Options) -> Work:
    """The first call."""
    return ours(folder, options, warm=False)


def ours_warm(folder: Path, options: Options) -> Work:
    """The second call."""
    return ours(folder, options, warm=True)


def ranx(folder: Path, options: Options, *, warm: bool) -> Work:
    """Fuse by ranx, which compiles in the first call."""
    from ranx import Qrels, Run, evaluate, fuse

    judgments, runs = data(folder)
    kept = [Run(run, name=name) for name, run in runs.items()]
    stated: Any = {"method": "rrf"} if options["how"] == "rrf" else {
        "norm": "min-max", "method": "wsum", "params": {"weights": (0.2, 0.3, 0.5)}}  # fmt: skip

    def work() -> Any:
        return fuse(kept, **stated)

    if warm:
        work()

    def values(fused: Any) -> dict[str, Any]:
        few = {query: dict(fused.run[query]) for query in list(judgments)[:50]}
        return {
            **compared(((query, dict(fused.run[query])) for query in judgments), judgments),
            "nDCG@10, its own order": float(evaluate(Qrels(judgments), fused, "ndcg@10")),
            "equal neighbours in the order of the runs, of 50 queries": in_order(few, runs),
        }

    return work, values


def ranx_cold(folder: Path, options: Options) -> Work:
    """The first call."""
    return ranx(folder, options, warm=False)


def ranx_warm(folder: Path, options: Options) -> Work:
    """The second call."""
    return ranx(folder, options, warm=True)


def ours_tune(folder: Path, _: Options) -> Work:
    """Tune the weights of a weighted sum, once before it is measured."""
    import rankmeter as rm
    from rankmeter.inputs.accepting import into_judgments, into_run

    judgments, runs = data(folder)
    read = {name: into_run(run).run_table() for name, run in runs.items()}
    truth = into_judgments(judgments)
    grid = {"how": "wsum", "norm": "min-max", "weights": 10}

    def work() -> Any:
        return rm.tune(truth, read, "nDCG@10", grid=grid, flat=0)

    work()
    return work, lambda tuned: {"best nDCG@10": tuned.training}


def ranx_tune(folder: Path, _: Options) -> Work:
    """The same weights by ranx, in sample."""
    from ranx import Qrels, Run, evaluate, fuse, optimize_fusion

    judgments, runs = data(folder)
    few = list(judgments)[:3]
    qrels = Qrels(judgments)

    def tuned(qrels: Any, kept: Any) -> Any:
        return optimize_fusion(qrels=qrels, runs=kept, norm="min-max", method="wsum", metric="ndcg@10",
                               show_progress=False)  # fmt: skip

    tuned(
        Qrels({query: judgments[query] for query in few}),
        [Run({query: run[query] for query in few}, name=name) for name, run in runs.items()],
    )  # compiles
    kept = [Run(run, name=name) for name, run in runs.items()]

    def value(best: Any) -> dict[str, float]:
        return {
            "best nDCG@10": float(evaluate(qrels, fuse(kept, norm="min-max", method="wsum", params=best), "ndcg@10"))
        }

    return lambda: tuned(qrels, kept), value


if __name__ == "__main__":
    main()
