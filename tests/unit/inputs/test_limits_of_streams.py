"""Blocks are held in memory up to the limit, and spilled beyond it; the rows are the same."""

from __future__ import annotations

import polars as pl
import pytest

from rankmeter.inputs.streaming import _bytes_held, regrouped
from rankmeter.inputs.tables import RunTable


def blocks() -> list[RunTable]:
    rows = [(f"q{at % 4}", f"d{at}", float(at)) for at in range(24)]
    return [
        RunTable(*(pl.Series([row[side] for row in rows[first : first + 6]]) for side in range(3)), "run")
        for first in range(0, 24, 6)
    ]


HELD = sum(map(_bytes_held, blocks()))


@pytest.mark.parametrize(("limit", "spilled"), [(HELD - 1, True), (HELD, False), (HELD + 1, False), (1, True)])
def test_a_run_of_exactly_the_limit_stays_in_memory(limit, spilled) -> None:
    with regrouped(blocks(), in_memory_bytes=limit) as made:
        tables = list(made)
        assert (len(tables) > 1) == spilled
        rows = [row for one in tables for row in zip(one.query, one.item, one.score, strict=True)]
    assert sorted(rows) == sorted(row for one in blocks() for row in zip(one.query, one.item, one.score, strict=True))
    by_table = [set(one.query.to_list()) for one in tables]
    assert sum(map(len, by_table)) == 4
