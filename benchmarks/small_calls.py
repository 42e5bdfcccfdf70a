"""Whether calls on little data are cheap: a loop over lists or queries is what people write.

A thousand calls each: one list of grades; one query with ten items and three measures; a single query through the door
of pytrec_eval, with three measures and with all of trec_eval's. And a hundred calls on 100 queries x 100 items.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import harness

MEASURES = ("nDCG@10", "AP", "RR")
THEIRS = ("ndcg_cut_10", "map", "recip_rank")
CASES = {
    # name: calls, milliseconds that one may take, peer, times less CPU than the peer
    "one list of grades": (1_000, 0.1, "sklearn", 4),
    "one query, three measures": (1_000, 0.15, None, None),
    "100 queries x 100, 20 judged, three measures": (100, None, "pytrec_eval", 2),
    "a kept evaluator, one query x 10": (1_000, None, "pytrec_eval", 1),
    "a kept evaluator, one query x 100": (1_000, None, "pytrec_eval", 1),
    "a kept evaluator, one query x 1000": (1_000, None, "pytrec_eval", 1),
    "pytrec_eval's door, one query": (1_000, 0.15, None, None),
    "pytrec_eval's door, one query, all_trec": (200, 1.0, None, None),
}


def make(folder: Path, options: harness.Options) -> None:
    """Every entrant makes the same few lists for itself."""


def data(queries: int, depth: int, judged: int) -> tuple[dict[str, Any], dict[str, Any]]:
    rng = random.Random(50)
    items = range(3 * depth)
    truth = {f"q{q}": {f"d{i}": rng.randrange(3) for i in rng.sample(items, judged)} for q in range(queries)}
    run = {f"q{q}": {f"d{i}": rng.random() for i in rng.sample(items, depth)} for q in range(queries)}
    return truth, run


def repeated(call: Any, times: int) -> Any:
    """The work: a call, so many times; the first two load what is loaded late."""
    call(), call()

    def work() -> Any:
        for _ in range(times - 1):
            call()
        return call()

    return work


def rankmeter(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    import rankmeter as rm
    from rankmeter.compat import pytrec_eval as door

    case, calls = options["case"], options["calls"]
    if case == "one list of grades":
        return repeated(lambda: rm.value("nDCG@5", grades=[3, 2, 3, 0, 1]), calls), lambda value: {"nDCG@5": value}
    if "door" in case or "kept" in case:
        truth, run = data(1, int(case.rpartition("x ")[2]) if "kept" in case else 10, 10)
        evaluator = door.RelevanceEvaluator(truth, {"all_trec"} if "all_trec" in case else set(THEIRS))
        return repeated(lambda: evaluator.evaluate(run), calls), lambda found: {"map": found["q0"]["map"]}
    truth, run = data(*((100, 100, 20) if "100" in case else (1, 10, 10)))
    work = repeated(lambda: rm.evaluate(truth, run, MEASURES), calls)
    return work, lambda ev: {measure: ev[measure] for measure in MEASURES}


def sklearn(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    import numpy as np
    from sklearn.metrics import ndcg_score

    grades, scores = np.array([[3, 2, 3, 0, 1]]), np.array([[5, 4, 3, 2, 1]])
    call = repeated(lambda: ndcg_score(grades, scores, k=5), options["calls"])
    return call, lambda value: {"nDCG@5": float(value)}


def pytrec_eval(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    import pytrec_eval as theirs

    case = options["case"]
    truth, run = data(1, int(case.rpartition("x ")[2]), 10) if "kept" in case else data(100, 100, 20)
    evaluator = theirs.RelevanceEvaluator(truth, set(THEIRS))

    if "kept" in case:
        return repeated(lambda: evaluator.evaluate(run), options["calls"]), lambda found: {"map": found["q0"]["map"]}

    def values(found: Any) -> harness.Values:
        return {
            ours: sum(values[name] for values in found.values()) / len(found)
            for ours, name in zip(MEASURES, THEIRS, strict=True)
        }

    return repeated(lambda: evaluator.evaluate(run), options["calls"]), values


def main() -> None:
    args = harness.parser(__doc__).parse_args()
    ours, cases = harness.Entrant("rankmeter"), []
    for name, (calls, most, peer, target) in CASES.items():
        pairs = [] if peer is None else [harness.Pair(ours, harness.Entrant(peer, peer), target)]
        seconds = None if most is None else most * calls / 1000
        label, options = f"{calls:,} calls: {name}", {"case": name, "calls": calls}
        if pairs:
            cases.append(harness.Case(label, options, pairs))
        if seconds is not None:
            cases.append(harness.Case(f"{label}, {most} ms each", options, alone=[ours], seconds=seconds))
    harness.run(__file__, args, cases)


if __name__ == "__main__":
    main()
