"""Which unjudged items are most worth judging: those that could change the numbers most."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from rankmeter.errors import InputError, RankmeterError, check_choice, check_whole, examples
from rankmeter.inputs.accepting import check_columns_of, into_judgments, into_run
from rankmeter.inputs.tables import Run
from rankmeter.late import pl

Priority = Literal["difference", "weight"]
PRIORITIES = ("difference", "weight")


def pool(
    judgments: object,
    runs: Mapping[str, object],
    *,
    depth: int = 10,
    budget: int | None = None,
    by: Priority | None = None,
    columns: Mapping[str, str] | None = None,
) -> pl.DataFrame:
    """List the unjudged items within ``depth``, most worth judging first.

    An item at rank i weighs 1 / log2(i + 1), as in DCG, and nothing where it was not returned within ``depth``.

    Parameters
    ----------
    judgments, runs
        As for :func:`rankmeter.compare`. A grade below 0 means "in the pool but not judged" and is listed too.
    depth
        How far down each list is looked at.
    budget
        How many items can be judged; None for all.
    by
        ``difference``: by how much judging the item could move two systems apart, the largest weight less the smallest
        (the default for several runs). ``weight``: by how much it could move all of them, the sum of the weights.
    columns
        Columns of unusual names, as for :func:`rankmeter.evaluate`.

    Returns
    -------
    polars.DataFrame
        ``query``, ``item``, ``priority``, ``best_rank``, ``systems`` (how many returned it).

    Examples
    --------
    >>> from rankmeter import pool
    >>> pool({"q": {"a": 1}}, {"one": {"q": ["x", "a", "y"]}, "two": {"q": ["x", "y", "a"]}}).rows()
    [('q', 'y', 0.1309..., 2, 2), ('q', 'x', 0.0, 1, 2)]
    """
    check_whole("depth", depth, 1)
    if budget is not None:
        check_whole("budget", budget, 1)
    if not isinstance(runs, Mapping):
        raise InputError.of("comparing.runs_by_name")
    if not runs:
        raise InputError.of("comparing.no_run")
    check_choice("by", by, (None, *PRIORITIES))
    if by == "difference" and len(runs) < 2:
        raise InputError.of("comparing.one_differs_from_nothing")
    check_columns_of(columns, judgments, *runs.values())
    truth = into_judgments(judgments, columns=columns).judgment_table()
    judged = pl.DataFrame({"query": _text(truth.query), "item": _text(truth.item), "grade": truth.grade})
    asked = judged.select("query").unique(maintain_order=True).with_row_index("order")
    parts = []
    for name, run in runs.items():
        try:
            parts.append(ranked_top(into_run(run, columns=columns), asked, depth))
        except RankmeterError as error:
            raise type(error).of("comparing.of_system", name=name, problem=error.problem) from error
    strangers = [name for name, part in zip(runs, parts, strict=True) if part.is_empty()]
    if strangers:
        raise InputError.of("comparing.strangers", names=examples(strangers))
    return _prioritised(
        pl.concat(parts), judged, asked, len(parts), by or ("difference" if len(parts) > 1 else "weight"), budget
    )


def _text(ids: pl.Series) -> pl.Series:
    # Ids of different types on the two sides are compared as text, as everywhere.
    return ids.cast(pl.String)


def ranked_top(run: Run, asked: pl.DataFrame, depth: int) -> pl.DataFrame:
    """The first items of each judged query, with their ranks and weights; ties by higher id, as by default."""
    table = run.run_table()
    frame = pl.DataFrame({"query": _text(table.query), "item": _text(table.item), "score": table.score})
    ranked = (
        frame.join(asked.select("query"), on="query", how="semi")
        .sort("query", "score", "item", descending=[False, True, True])
        .unique(["query", "item"], keep="first", maintain_order=True)
        .with_columns(rank=pl.int_range(1, pl.len() + 1).over("query"))
        .filter(pl.col("rank") <= min(depth, len(frame)))
    )
    return ranked.select("query", "item", "rank", weight=1.0 / (pl.col("rank") + 1.0).log(2.0))


def _prioritised(
    returned: pl.DataFrame, judged: pl.DataFrame, asked: pl.DataFrame, systems: int, by: Priority, budget: int | None
) -> pl.DataFrame:
    spread = pl.col("weight").max() - pl.when(pl.len() < systems).then(0.0).otherwise(pl.col("weight").min())
    listed = (
        returned.join(judged.filter(pl.col("grade") >= 0), on=["query", "item"], how="anti")
        .group_by("query", "item")
        .agg(
            priority=spread if by == "difference" else pl.col("weight").sum(),
            weight=pl.col("weight").sum(),
            best_rank=pl.col("rank").min(),
            systems=pl.len().cast(pl.Int64),
        )
        .join(asked, on="query")
        # Equal priorities go by weight, then by the order of the judgments, so that the list is always the same.
        .sort("priority", "weight", "order", "item", descending=[True, True, False, False])
        .select("query", "item", "priority", "best_rank", "systems")
    )
    return listed if budget is None else listed.head(min(budget, len(listed)))
