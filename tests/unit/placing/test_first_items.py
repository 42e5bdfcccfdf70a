"""The first items of every query equal a sort in plain Python, however the rows stand and whatever the ids are."""

from __future__ import annotations

import pickle

import numpy as np
import polars as pl
import pytest

from rankmeter.errors import RepeatedItemError
from rankmeter.inputs.tables import Ranks, RunTable
from rankmeter.placing.numbering import encode, grouped, numbers_among
from rankmeter.placing.slates import FirstItems, Lists


def a_table(seed: int, *, text: bool, scores: str, grouped: bool, rows: int = 60) -> RunTable:
    """Pairs that stand once, in no order or grouped by query."""
    random = np.random.default_rng(seed)
    pairs = random.choice(8 * 20, rows, replace=False)
    query, item = pairs // 20, pairs % 20
    if grouped:
        order = np.argsort(query, kind="stable")
        query, item = query[order], item[order]
    score = {"few": random.integers(0, 3, rows) / 2, "many": random.normal(size=rows), "ranks": np.empty(rows)}[scores]
    if scores == "ranks":
        for one in range(8):
            inside = np.flatnonzero(query == one)
            score[inside] = -1.0 - random.permutation(len(inside))
    ids = [f"i{one}" for one in item] if text else (item * 2**40).tolist()
    users = [f"q{one}" for one in query] if text else (query * 7).tolist()
    return RunTable(pl.Series(users), pl.Series(ids), pl.Series(score, dtype=pl.Float64), scored=scores != "ranks")


VOCABULARY = [*(f"i{one}" for one in range(20)), *(one * 2**40 for one in range(20)), *"abc"]


def in_vocabulary(ids: pl.Series) -> np.ndarray:
    return np.array([VOCABULARY.index(one) for one in ids])


def items_of(lists: Lists) -> list[list[int]]:
    rows = lists.stairs.rows(lists.stairs.item, len(lists.queries), len(lists.stairs.reach), -1)
    return [[item for item in row if item >= 0] for row in rows.tolist()]


def sorted_by_hand(run: RunTable, ties: str) -> dict[object, list[object]]:
    made: dict[object, list[tuple]] = {}
    for row, (query, item, score) in enumerate(zip(run.query, run.item, run.score, strict=True)):
        made.setdefault(query, []).append((score, str(item), row, item))
    keys = {
        "item": lambda one: (one[0], one[1]),
        "item-ascending": lambda one: (-one[0], one[1]),
        "input": lambda one: (-one[0], one[2]),
        "reversed": lambda one: (one[0], one[2]),
    }
    down = ties in ("item", "reversed")
    return {query: [one[3] for one in sorted(rows, key=keys[ties], reverse=down)] for query, rows in made.items()}


@pytest.mark.parametrize("ties", ["item", "item-ascending", "input", "reversed"])
@pytest.mark.parametrize("scores", ["few", "many", "ranks"])
@pytest.mark.parametrize("text", [True, False])
@pytest.mark.parametrize("grouped", [True, False])
@pytest.mark.parametrize("k", [4, None])
def test_lists_are_those_of_a_sort(ties, scores, text, grouped, k):
    for seed in range(3):
        run = a_table(seed, text=text, scores=scores, grouped=grouped)
        lists = FirstItems.of(run, k=k, ties=ties, duplicates="error").lists(in_vocabulary)
        expected = sorted_by_hand(run, ties)
        assert lists.queries.to_list() == list(expected)
        assert items_of(lists) == [[VOCABULARY.index(item) for item in items[:k]] for items in expected.values()]


RANKS = [
    [1, 2, 2, 1, 3],
    [1, 3, 1, 2, 2],
    [1, 2, 4, 1, 2],
    [1, 2, 3, 0, 1],
    [0, 1, 2, 1, 0],
    [1, 2, 9, 1, 2],
    [2, 1, 3, 2, 1],
]
HUGE = [[1, 2**60, 2, 2**62, 1], [2**63, 2, 1, 2, 3]]


@pytest.mark.parametrize("rows", [[0, 1, 2, 3, 4], [3, 0, 4, 1, 2]])
@pytest.mark.parametrize("dtype", [pl.Int8, pl.UInt8, pl.Int64, pl.UInt64, pl.Float64])
@pytest.mark.parametrize("ranks", [*RANKS, *HUGE])
def test_ranks_order_lists_whatever_their_type_and_whether_they_count_through(ranks, dtype, rows):
    if max(ranks) > 100 and dtype not in (pl.UInt64, pl.Float64):
        ranks = [min(rank, 100) for rank in ranks]
    columns = (pl.Series(one, dtype=kind).gather(pl.Series(rows)) for one, kind in
               (([7, 7, 8, 8, 8], pl.Int64), ([1, 2, 3, 4, 5], pl.Int64), (ranks, dtype)))  # fmt: skip
    query, item, rank = columns
    given = -rank if dtype == pl.Float64 else Ranks(rank)
    for run in (one := RunTable(query, item, given, scored=False), pickle.loads(pickle.dumps(one))):
        lists = FirstItems.of(run, k=None, ties="item", duplicates="error").lists(pl.Series.to_numpy)
        expected = sorted_by_hand(run, "item")
        assert items_of(lists) == [expected[query] for query in lists.queries]


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("sizes", [(3, 3), (3, 2)])
def test_an_item_is_repeated_within_a_list_only(sizes, k):
    users = pl.Series(np.repeat(["u", "v"], sizes))
    fine = RunTable(users, pl.Series(["a", "b", "c", "c", "a", "b"][: sum(sizes)]), pl.Series(np.zeros(sum(sizes))))
    assert len(FirstItems.of(fine, k=3, ties="input", duplicates="error").lists(in_vocabulary).stairs.item) == sum(
        sizes
    )
    wrong = RunTable(users, pl.Series(["a", "b", "c", "c", "c", "b"][: sum(sizes)]), pl.Series(np.zeros(sum(sizes))))
    with pytest.raises(RepeatedItemError, match="item c in query v"):
        FirstItems.of(wrong, k=k, ties="input", duplicates="error").lists(in_vocabulary)


def test_ids_are_numbered_as_a_dictionary_would_number_them():
    random = np.random.default_rng(3)
    close = random.integers(-40, 900, 12_000)
    in_stretches = np.repeat(close[:2_000], random.integers(1, 12, 2_000))
    very_large = np.uint64(2**63) + (close + 40).astype(np.uint64)
    for ids in (
        close * 2**45,
        very_large,
        close,
        close + 40,
        (close + 40).astype(np.uint64),
        in_stretches,
        in_stretches * 2**45,
        np.sort(close),
        [f"x{one}" for one in close],
    ):
        values = pl.Series(ids)
        different, number = encode(values)
        assert different.to_list() == list(dict.fromkeys(values.to_list()))
        assert different.gather(pl.Series(number)).equals(values)
        groups = grouped(values)
        assert groups.values.equals(different)
        assert groups.sizes.tolist() == np.bincount(number).tolist()
        assert (groups.code == number).all()
        assert (groups.mark is None) == (np.diff(number) >= 0).all()
        strangers = numbers_among(different.head(10), values)
        assert ((strangers >= 0) == (number < 10)).all()
        assert (strangers[strangers >= 0] == number[number < 10]).all()
