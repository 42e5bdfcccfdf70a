"""Whether recommendations in frames are cheaper than with RecTools and Recommenders.

100,000 users x 10 recommendations, 10 relevant each, rows grouped by user (--shuffled: in random order). RecTools gives
six measures for each user (and, told beside it, its means over one shared merge), Recommenders the means of four.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import harness
from data import load, make_users

SIX = ["P@10", "R@10", "Success@10", "RR@10", "AP@10", "nDCG@10"]
FOUR = ["AP@10", "nDCG@10", "P@10", "R@10"]


def make(folder: Path, options: harness.Options) -> None:
    make_users(folder, options["users"], shuffled=options["shuffled"])


def columns(folder: Path, options: harness.Options) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgments and run; text ids are made for each side anew."""
    user, item, rank, judged_user, relevant = load(folder, "user", "item", "rank", "judged_user", "relevant")
    judgments, run = {"user_id": judged_user, "item_id": relevant}, {"user_id": user, "item_id": item}
    if options["text"]:
        judgments, run = (
            {
                "user_id": [f"user-{one:06d}" for one in side["user_id"].tolist()],
                "item_id": [f"item-{one:06d}" for one in side["item_id"].tolist()],
            }
            for side in (judgments, run)
        )
    return judgments, {**run, "rank": rank}


def _ours(library: Any, folder: Path, options: harness.Options, asked: list[str]) -> harness.Work:
    import rankmeter as rm

    judgments, run = (library.DataFrame(side) for side in columns(folder, options))
    rm.evaluate(run.head(1)[["user_id", "item_id"]], run.head(1), asked)  # loads what is loaded lazily
    if asked == FOUR:
        return lambda: rm.evaluate(judgments, run, asked).mean, lambda mean: mean

    def values(table: Any) -> harness.Values:
        table = table.sort("query")
        return {name: table[name].to_list() for name in asked}

    return lambda: rm.evaluate(judgments, run, asked).per_query, values


def pandas_six(folder: Path, options: harness.Options) -> harness.Work:
    import pandas as pd

    return _ours(pd, folder, options, SIX)


def polars_six(folder: Path, options: harness.Options) -> harness.Work:
    import polars as pl

    return _ours(pl, folder, options, SIX)


def pandas_four(folder: Path, options: harness.Options) -> harness.Work:
    import pandas as pd

    return _ours(pd, folder, options, FOUR)


def _rectools_metrics() -> dict[str, Any]:
    from rectools import metrics

    made = (
        metrics.Precision(k=10), metrics.Recall(k=10), metrics.HitRate(k=10), metrics.MRR(k=10), metrics.MAP(k=10),
        metrics.NDCG(k=10, divide_by_achievable=True),
    )  # fmt: skip
    return dict(zip(SIX, made, strict=True))


def rectools(folder: Path, options: harness.Options) -> harness.Work:
    import pandas as pd

    asked = _rectools_metrics()
    judgments, run = (pd.DataFrame(side) for side in columns(folder, options))
    for metric in asked.values():
        metric.calc_per_user(run.head(1), judgments.head(1))
    return (
        lambda: {name: metric.calc_per_user(run, judgments) for name, metric in asked.items()},
        lambda found: {name: values.sort_index().tolist() for name, values in found.items()},
    )


def rectools_means(folder: Path, options: harness.Options) -> harness.Work:
    import pandas as pd
    from rectools.metrics import calc_metrics

    asked = _rectools_metrics()
    judgments, run = (pd.DataFrame(side) for side in columns(folder, options))
    calc_metrics(asked, run.head(1), judgments.head(1))
    return lambda: calc_metrics(asked, run, judgments), lambda found: {name: float(v) for name, v in found.items()}


def recommenders(folder: Path, options: harness.Options) -> harness.Work:
    import pandas as pd
    from recommenders.evaluation import python_evaluation as peer

    judgments, run = (pd.DataFrame(side) for side in columns(folder, options))
    judgments["rating"] = 1
    run["prediction"] = -run.pop("rank")
    functions = (peer.map_at_k, peer.ndcg_at_k, peer.precision_at_k, peer.recall_at_k)
    names = {"col_user": "user_id", "col_item": "item_id", "col_prediction": "prediction"}

    def work(rows: int | None = None) -> list[float]:
        left, right = judgments.head(rows) if rows else judgments, run.head(rows) if rows else run
        return [one(left, right, **names, k=10, **({"col_rating": "rating"} if "ndcg" in one.__name__ else {}))
                for one in functions]  # fmt: skip

    work(1000)
    return work, lambda found: dict(zip(FOUR, map(float, found), strict=True))


def main() -> None:
    parser = harness.parser(__doc__)
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--shuffled", action="store_true", help="rows in random order")
    parser.add_argument("--text", action="store_true", help="ids are text")
    parser.add_argument("--without-recommenders", action="store_true", help="leave out the peer that takes minutes")
    args = parser.parse_args()
    per_user, means = (5.0, 20.0) if args.shuffled else (20.0, 50.0)
    pandas, polars, four = (harness.Entrant(name) for name in ("pandas_six", "polars_six", "pandas_four"))
    rectools_ = harness.Entrant("rectools", "rectools")
    pairs = [
        harness.Pair(pandas, rectools_, None if args.text else per_user),
        harness.Pair(polars, rectools_, None if args.text else per_user),
        harness.Pair(four, harness.Entrant("rectools_means", "rectools"), None),
    ]
    if not args.text and not args.without_recommenders:  # it takes 16 s each time, and says nothing new with text
        pairs.append(harness.Pair(four, harness.Entrant("recommenders", "recommenders"), means))
    options = {"users": args.users, "shuffled": args.shuffled, "text": args.text}
    how = f"{'shuffled' if args.shuffled else 'grouped'} rows, {'text' if args.text else 'int'} ids"
    harness.run(__file__, args, [harness.Case(f"frames: {args.users:,} users x 10, {how}", options, pairs)])


if __name__ == "__main__":
    main()
