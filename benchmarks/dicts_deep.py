"""Whether dict runs with deep pools and many measures are cheaper than with pytrec_eval.

250 queries x 1,000 items with 1,500 graded judgments each, half of the run judged; 15 measures. With --ties the scores
are small whole numbers, so that most items stand in a tie.
"""

from __future__ import annotations

from pathlib import Path

import harness
import numpy as np
from data import distinct, load, save

MEASURES = [
    "map", "ndcg", "ndcg_cut_5", "ndcg_cut_10", "ndcg_cut_20", "ndcg_cut_100", "P_5", "P_10", "P_20",
    "recall_10", "recall_100", "recall_1000", "recip_rank", "bpref", "Rprec",
]  # fmt: skip
PEER_MEASURES = {
    "map", "ndcg", "ndcg_cut.5,10,20,100", "P.5,10,20", "recall.10,100,1000", "recip_rank", "bpref", "Rprec",
}  # fmt: skip


def make(folder: Path, options: harness.Options) -> None:
    rng = np.random.default_rng(30)
    queries = 250
    # Of 2,000 items the first 1,000 are returned and those from 500 on are judged.
    item = distinct(rng, queries, 2000, 8_000_000) + 1_000_000
    grade = rng.choice(4, (queries, 1500), p=[0.7, 0.15, 0.1, 0.05])
    score = rng.gamma(3, 4, (queries, 1000))
    score[:, 500:] += grade[:, :500] * 1.5
    # Four decimals: also different as float32, which pytrec_eval compares.
    score = np.round(score, 0 if options["ties"] else 4)
    by_score = np.argsort(-score, axis=1, kind="stable")
    returned = np.take_along_axis(item[:, :1000], by_score, axis=1)
    # Judgments come in no particular order, as pools do.
    pool = rng.permuted(np.tile(np.arange(1500), (queries, 1)), axis=1)
    save(
        folder,
        returned=returned,
        score=np.take_along_axis(score, by_score, axis=1),
        judged=np.take_along_axis(item[:, 500:], pool, axis=1),
        grade=np.take_along_axis(grade, pool, axis=1),
    )


def dicts(folder: Path) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    returned, score, judged, grade = load(folder, "returned", "score", "judged", "grade")
    judgments, run = (
        {
            str(1000 + query): {f"{one:07d}": number for one, number in zip(*row, strict=True)}
            for query, row in enumerate(zip(ids.tolist(), numbers.tolist(), strict=True))
        }
        for ids, numbers in ((judged, grade), (returned, score))
    )
    return judgments, run


def rankmeter(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    import rankmeter as rm

    judgments, run = dicts(folder)
    rm.evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}, MEASURES)  # loads what is loaded lazily
    return (
        lambda: rm.evaluate(judgments, run, MEASURES),
        lambda ev: {name: ev.per_query[str(ev.find(name))].to_list() for name in MEASURES},
    )


def pytrec_eval(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    import pytrec_eval as peer

    judgments, run = dicts(folder)
    return (
        lambda: peer.RelevanceEvaluator(judgments, PEER_MEASURES).evaluate(run),
        lambda found: {name: [found[query][name] for query in judgments] for name in MEASURES},
    )


def main() -> None:
    parser = harness.parser(__doc__)
    parser.add_argument("--ties", action="store_true", help="heavily tied whole scores")
    args = parser.parse_args()
    target = 1.5 if args.ties else 2
    pair = harness.Pair(harness.Entrant("rankmeter"), harness.Entrant("pytrec_eval", "pytrec_eval"), target)
    label = f"deep dicts: 250 queries x 1,000 items, 1,500 judged{', tied scores' if args.ties else ''}, 15 measures"
    harness.run(__file__, args, [harness.Case(label, {"ties": args.ties}, [pair])])


if __name__ == "__main__":
    main()
