"""Judged items that were not returned, placed behind the list and tied with each other (``candidates="appended"``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankmeter.late import pl
from rankmeter.placing.counting import Keys, count_higher
from rankmeter.placing.placements import Floats, Ints
from rankmeter.placing.segments import group_rows


def with_unreturned(
    columns: dict[str, Any], returned: Ints, *, query: Ints, grade: Floats, items: pl.Series | Keys
) -> dict[str, Any]:
    """Add rows for the items of ``query``, ``grade``, ``items`` (rising queries, given order) to the row arrays.

    Such a row has ``above`` equal to the length of its list, which no returned item has.
    """
    if not len(query):
        return columns
    tied = np.bincount(query, minlength=len(returned))
    added = {
        "query": query,
        "grade": grade,
        "above": returned[query],
        "tied": tied[query],
        "higher_id": count_higher(query, items),
        "earlier": np.arange(len(query)) - np.searchsorted(query, query),
        "score": np.full(len(query), -np.inf),
    }
    joined = {name: np.concatenate([column, added[name]]) for name, column in columns.items()}
    order = group_rows(joined["query"], len(returned))
    return {name: column[order] for name, column in joined.items()}
