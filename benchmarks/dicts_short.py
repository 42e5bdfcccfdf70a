"""Whether short dict runs are cheaper than with pytrec_eval, and how far they stand above walking through the data.

Lists of 5 or 10 items, as recommenders and re-rankers return them; half of the judged items are returned. The floor is
one pass over both sides that reads every score and every grade and looks up every returned item, with no check and no
measure: nothing that is written in Python takes less. ``--grow`` tells how cost grows to 10 and 100 times the queries.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import harness

MEASURES = {"nDCG@10": "ndcg_cut_10", "AP": "map", "RR": "recip_rank"}
CASES = {
    # queries, items of a list, judged: calls, times less CPU than pytrec_eval
    (50_000, 5, 2): (1, 1.2),
    (20_000, 10, 5): (1, 1.5),
    (300, 10, 5): (50, 1.5),
}
GROWTH = [(3_000, 10, 5), (30_000, 10, 5), (300_000, 10, 5)]


def make(folder: Path, options: harness.Options) -> None:
    """Every entrant makes the dictionaries for itself; judgments and run share no string."""


def dicts(options: harness.Options) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    import numpy as np

    queries, items, judged = options["size"]
    rng = np.random.default_rng(36)
    # Items come in no order of their ids; the first of each row are judged and half of those are returned.
    item = rng.permuted(np.tile(np.arange(items + judged), (queries, 1)), axis=1) * 7919 + 100_000
    # Six decimals: also different as float32, which pytrec_eval compares.
    score = np.round(np.argsort(rng.random((queries, items)), axis=1) + rng.random((queries, items)) / 2, 5)
    grade = rng.integers(0, 3, (queries, judged))
    grade[:, 0] = 1
    found = judged - judged // 2
    judgments = {
        f"q{query}": {f"d{one}": number for one, number in zip(ids, numbers, strict=True)}
        for query, (ids, numbers) in enumerate(zip(item[:, :judged].tolist(), grade.tolist(), strict=True))
    }
    run = {
        f"q{query}": {f"d{one}": number for one, number in zip(ids, numbers, strict=True)}
        for query, (ids, numbers) in enumerate(
            zip(item[:, judged - found : judged - found + items].tolist(), score.tolist(), strict=True)
        )
    }
    return judgments, run


def repeated(call: Callable[[], Any], options: harness.Options) -> Callable[[], Any]:
    """The work: a call, so many times."""

    def work() -> Any:
        for _ in range(options["calls"] - 1):
            call()
        return call()

    return work


def rankmeter(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    import rankmeter as rm

    judgments, run = dicts(options)
    many = {f"q{n}": {f"d{n}": 1} for n in range(2100)}  # more than is measured in plain Python
    rm.evaluate(many, many, list(MEASURES))  # loads what is loaded lazily
    return (
        repeated(lambda: rm.evaluate(judgments, run, list(MEASURES)), options),
        lambda ev: {name: ev[name] for name in MEASURES},
    )


def pytrec_eval(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    import pytrec_eval as peer

    judgments, run = dicts(options)
    return (
        repeated(lambda: peer.RelevanceEvaluator(judgments, set(MEASURES.values())).evaluate(run), options),
        lambda found: {
            ours: sum(found[query][theirs] for query in judgments) / len(found) for ours, theirs in MEASURES.items()
        },
    )


def floor(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    judgments, run = dicts(options)

    def walk() -> float:
        total = 0.0
        for query, graded in judgments.items():
            listed = run[query]
            total += sum(listed.values()) + sum(graded.values()) + sum(map(graded.__contains__, listed))
        return total

    return repeated(walk, options), lambda _: {}


def main() -> None:
    parser = harness.parser(__doc__)
    parser.add_argument("--grow", action="store_true", help="30,000, 300,000 and 3 million rows instead")
    args = parser.parse_args()
    ours, peer, least = (
        harness.Entrant("rankmeter"),
        harness.Entrant("pytrec_eval", "pytrec_eval"),
        harness.Entrant("floor"),
    )
    chosen = dict.fromkeys(GROWTH, (1, None)) if args.grow else CASES
    cases = []
    for size, (calls, target) in chosen.items():
        queries, items, judged = size
        label = f"{calls} x short dicts: " if calls > 1 else "short dicts: "
        pairs = [harness.Pair(ours, peer, target), harness.Pair(ours, least, None)]
        label += f"{queries:,} queries x {items} items, {judged} judged, {len(MEASURES)} measures"
        cases.append(harness.Case(label, {"size": size, "calls": calls}, pairs))
    harness.run(__file__, args, cases)


if __name__ == "__main__":
    main()
