"""Pairs of query and item, as every kind of table, array and mapping, at every door that takes them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import rankmeter as rm

USERS, ITEMS = np.eye(2, 4), np.eye(4)
COLUMNS = {"query": [0, 1], "item": [0, 1]}
PAIRS = [(0, 0), (1, 1)]
GRADES = {"grade": [1, 1]}


def tables():
    """Tables of the two pairs, with and without a third column, of every library that is there."""
    yield "polars", pl.DataFrame(COLUMNS)
    yield "polars graded", pl.DataFrame(COLUMNS | GRADES)
    yield "polars lazy", pl.LazyFrame(COLUMNS)
    yield "columns", COLUMNS
    yield "structured", np.array(PAIRS, [("query", int), ("item", int)])
    try:
        import pandas as pd
    except ImportError:
        return
    yield "pandas", pd.DataFrame(COLUMNS)
    yield "pandas graded", pd.DataFrame(COLUMNS | GRADES)
    yield "pandas text", pd.DataFrame({"query": ["0", "1"], "item": ["0", "1"]} | GRADES)
    yield "pandas with time", pd.DataFrame(COLUMNS | {"timestamp": [5, 6]})
    yield "pandas index", pd.DataFrame(COLUMNS | GRADES).set_index(["query", "item"])
    yield "pandas categories", pd.DataFrame(COLUMNS).astype("category")
    yield "pandas series", pd.DataFrame(COLUMNS | GRADES).set_index(["query", "item"])["grade"]


def columns_of_pairs():
    """What ``rank_catalogue`` takes as pairs beside tables."""
    query, item = np.array([0, 1]), np.array([0, 1])
    yield "arrays", (query, item)
    yield "arrays of text", (query.astype(str), item.astype(str))
    yield "arrays of objects", (query.astype(object), item.astype(str).astype(object))
    yield "Polars series", (pl.Series(query), pl.Series(item))
    yield "matrix", np.array(PAIRS)
    yield "matrix of objects", np.array(PAIRS, object)
    yield "matrix of text", np.array(PAIRS).astype(str)
    try:
        import pandas as pd
    except ImportError:
        return
    yield "pandas series", (pd.Series(query, index=[7, 3]), pd.Series(item, index=[1, 9]))


KINDS = dict(tables())


@pytest.mark.filterwarnings("ignore::rankmeter.RankmeterWarning")
@pytest.mark.parametrize("kind", KINDS)
class TestTables:
    def test_as_judgments_of_a_catalogue(self, kind):
        assert rm.evaluate(rm.rank_catalogue(KINDS[kind], USERS, ITEMS), measures=["RR"])["RR"] == 1.0

    def test_as_exclusions_of_a_catalogue(self, kind):
        ranked = rm.rank_catalogue({0: [2], 1: [3]}, USERS, ITEMS, exclude=KINDS[kind])
        assert ranked.placed.placements.returned.tolist() == [3, 3]

    def test_as_history(self, kind):
        ev = rm.evaluate({0: [0], 1: [1]}, {0: [0, 2], 1: [1]}, ["SeenItems@2"], history=KINDS[kind])
        assert ev["SeenItems@2"] == 0.75

    def test_as_judgments(self, kind):
        assert rm.evaluate(KINDS[kind], {0: [2, 0], 1: [1]}, ["RR"])["RR"] == 0.75


@pytest.mark.parametrize(("kind", "pairs"), [*columns_of_pairs()])
def test_columns_of_pairs(kind, pairs):
    assert rm.evaluate(rm.rank_catalogue(pairs, USERS, ITEMS), measures=["RR"])["RR"] == 1.0, kind
    ranked = rm.rank_catalogue({0: [2], 1: [3]}, USERS, ITEMS, exclude=pairs)
    assert ranked.placed.placements.returned.tolist() == [3, 3], kind


def test_every_row_of_exclusions_counts_whatever_it_holds():
    """A history with ratings or scores of 0 was seen all the same, as in ``history=``."""
    for column in ("rating", "score", "grade"):
        seen = pl.DataFrame(COLUMNS | {column: [0.0, 0.0]})
        ranked = rm.rank_catalogue({0: [2], 1: [3]}, USERS, ITEMS, exclude=seen)
        assert ranked.placed.placements.returned.tolist() == [3, 3], column


@pytest.mark.parametrize(
    "pairs",
    [
        (np.array([0.0, 1.0]), np.array([0, 1])),
        (np.array([True, False]), np.array([0, 1])),
        (np.array([0, 1], "M8[s]"), np.array([0, 1])),
        (np.array([0, None], object), np.array([0, 1])),
        (np.array([0, 1]), np.array([0, 1]), np.array(["x", "y"])),
        (np.array([0, 1]), np.array([0, 1, 1])),
        (np.array([[0, 1]]), np.array([[0, 1]])),
        np.array(PAIRS, float),
        np.ones((2, 2, 2)),
        np.array(1),
    ],
    ids=lambda pairs: type(pairs).__name__,
)
def test_what_is_no_pair_is_refused(pairs):
    with pytest.raises(rm.RankmeterError):
        rm.rank_catalogue(pairs, USERS, ITEMS)
    with pytest.raises(rm.RankmeterError):
        rm.rank_catalogue({0: [0]}, USERS, ITEMS, exclude=pairs)


@pytest.mark.parametrize("data", [PAIRS, [("0", "0", 1), ("1", "1", 1)], (np.array([0, 1]), np.array([0, 1]))])
def test_pairs_are_not_read_as_lists_by_place(data):
    """``[(user, item), ...]`` would be the items of users 0, 1, ... without a word."""
    doors = [
        lambda: rm.evaluate(data, {0: [0], 1: [1]}, ["RR"]),
        lambda: rm.evaluate({0: [0], 1: [1]}, data, ["RR"]),
        lambda: rm.evaluate({0: [0], 1: [1]}, {0: [0], 1: [1]}, ["SeenItems@2"], history=data),
    ]
    for door in doors:
        with pytest.raises(rm.InputError, match=r"items of (query|user) 0, 1, 2"):
            door()


def test_lists_by_place_stay():
    assert rm.evaluate([[0], [1]], [[0, 5], [6, 1]], ["RR"])["RR"] == 0.75
    assert rm.evaluate(((0,), (1,)), ((0, 5), (6, 1)), ["RR"])["RR"] == 0.75
