"""Judgments without the surplus of popular items: RecTools' debiased metrics, as a step before any measure.

An item that more queries took than the border is kept for as many of them as the border says, drawn at random. The
border is Q3 + iqr (Q3 - Q1), rounded down, of the numbers of queries that took each item. Rows are drawn as pandas
draws them, so that a seed gives the rows of RecTools' ``DebiasConfig(iqr_coef=iqr, random_state=seed)``.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rankmeter.errors import check_number, check_whole
from rankmeter.inputs.accepting import into_judgments
from rankmeter.late import pl


def debias(
    judgments: object, *, iqr: float = 1.5, seed: int = 0, rel: float = 1, columns: Mapping[str, str] | None = None
) -> pl.DataFrame:
    """Thin out the judgments of popular items, so that finding what everybody takes counts less.

    Parameters
    ----------
    judgments
        As for :func:`rankmeter.evaluate`; the order of the rows matters to what is drawn.
    iqr
        How many interquartile ranges above the third quartile the border is.
    seed
        Of the draw.
    rel
        The lowest grade that is relevant; rows below it are kept as they are.
    columns
        Columns of unusual names, as for :func:`rankmeter.evaluate`.

    Returns
    -------
    polars.DataFrame
        ``query``, ``item`` and ``grade`` of the rows that are kept, in their order. A query that loses all its rows is
        no longer judged.

    Examples
    --------
    Item a was taken by five users, b and c by one: the border is 3 + 0 (3 - 1), so a is kept for three of them.

    >>> import rankmeter as rm
    >>> taken = {"u1": ["a", "b"], "u2": ["a", "c"], "u3": ["a"], "u4": ["a"], "u5": ["a"]}
    >>> rm.debias(taken, iqr=0)["item"].value_counts(sort=True).rows()[0]
    ('a', 3)
    """
    check_number("iqr", iqr)
    check_whole("seed", seed)
    table = into_judgments(judgments, columns=columns).judgment_table()
    rows = pl.DataFrame({"query": table.query, "item": table.item, "grade": table.grade})
    relevant = rows.with_row_index("row").filter(pl.col("grade") >= rel)
    if relevant.is_empty():
        return rows
    takers = relevant.group_by("item", maintain_order=True).agg(pl.col("query").n_unique().alias("takers"))
    low, high = np.quantile(takers["takers"].to_numpy(), [0.25, 0.75])
    border = int(high + iqr * (high - low))
    popular = relevant.join(takers.filter(pl.col("takers") > border), on="item", how="semi", maintain_order="left")
    # The generator of old that pandas takes for a whole number: its draws never change.
    drawn = np.random.RandomState(seed).choice(len(popular), size=len(popular), replace=False)
    kept = popular[drawn.tolist()].group_by("item", maintain_order=True).head(max(border, 0))["row"]
    gone = np.setdiff1d(popular["row"].to_numpy(), kept.to_numpy())
    stays = np.ones(len(rows), np.bool_)
    stays[gone] = False
    return rows.filter(pl.Series(stays))
