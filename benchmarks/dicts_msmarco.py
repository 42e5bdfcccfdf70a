"""Whether long dict runs with few judgments are cheaper than with pytrec_eval.

As on MS MARCO's dev queries: 6,980 queries x 1,000 items, one or two judged each; AP RR nDCG@10 R@100.
"""

from __future__ import annotations

from pathlib import Path

import harness
from data import make_search, search_dicts

MEASURES = {"AP": "map", "RR": "recip_rank", "nDCG@10": "ndcg_cut_10", "R@100": "recall_100"}


def make(folder: Path, options: harness.Options) -> None:
    make_search(folder, options["queries"])


def rankmeter(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    import rankmeter as rm

    judgments, run = search_dicts(folder)
    rm.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 0.5}}, list(MEASURES))  # loads what is loaded lazily
    return (
        lambda: rm.evaluate(judgments, run, list(MEASURES)),
        lambda ev: {name: ev.per_query[name].to_list() for name in MEASURES},
    )


def pytrec_eval(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    import pytrec_eval as peer

    asked = {"map", "recip_rank", "ndcg_cut.10", "recall.100"}
    judgments, run = search_dicts(folder)
    return (
        lambda: peer.RelevanceEvaluator(judgments, asked).evaluate(run),
        lambda found: {
            ours: [found[query][theirs] for query in judgments] for ours, theirs in MEASURES.items()
        },
    )  # fmt: skip


def main() -> None:
    parser = harness.parser(__doc__)
    parser.add_argument("--queries", type=int, default=6980)
    args = parser.parse_args()
    pair = harness.Pair(harness.Entrant("rankmeter"), harness.Entrant("pytrec_eval", "pytrec_eval"), target=8)
    label = f"dicts: {args.queries:,} queries x 1,000 items, 1 or 2 judged, 4 measures"
    harness.run(__file__, args, [harness.Case(label, {"queries": args.queries}, [pair])])


if __name__ == "__main__":
    main()
