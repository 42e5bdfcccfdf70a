"""Rows in no order give what the same rows give list by list: numbers, what ties can do to them, and refusals."""

from __future__ import annotations

import warnings
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeter as rm
from rankmeter.errors import RepeatedItemError
from rankmeter.placing import scattered_rows, threads

IDS = {
    "small": lambda number: number,
    "huge": lambda number: 2**62 + 7 * number,
    "below zero": lambda number: number - 3,
    "text": lambda number: f"d{number}",
    "digits": str,
    "uuid": lambda number: f"{number:08x}-0000-4000-8000-00000000000{number % 10}",
}
MEASURES = [
    "nDCG@3", "RR", "AP", "R@2", "Bpref", "RR(queries=run)", "RR(queries=common)@2", "nDCG(ties=mean)@2",
    "RR(ties=input)", "AP(ties=worst)", "RR(ties=item-ascending)", "nDCG(scores=float32)@2",
    "R(candidates=appended)@2",
]  # fmt: skip
SMALL = {scattered_rows: {"ROWS_AT_ONCE": 3}, threads: {"PART_ROWS": 2}}
"""Blocks and threads, as many rows have them."""
ORDERS: dict[str, Any] = {
    "1 to n": lambda place: place + 1,
    "gaps": lambda place: 3 * place + 2,
    "ties": lambda place: place // 2 + 1,
    "all equal": lambda _: 1,
    "from 0": lambda place: place,
    "large": lambda place: 2**40 + place,
}


@st.composite
def tables(draw: st.DrawFn) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Judgments and a run with a rank, a score or their order alone; some rows stand twice, some contradict others."""
    queries, items = (IDS[draw(st.sampled_from(sorted(IDS)))] for _ in range(2))
    lists = st.lists(st.integers(0, 8), min_size=1, max_size=9, unique=True)
    judged, run = (draw(st.dictionaries(st.integers(0, 5), lists, min_size=1, max_size=6)) for _ in range(2))
    grades = st.sampled_from([1, 1, 1, 2, 0, -1])
    truth = [(queries(query), items(item), draw(grades)) for query, some in judged.items() for item in some]
    rows = []
    for query, some in run.items():
        order = ORDERS[draw(st.sampled_from(sorted(ORDERS)))]
        rows += [(queries(query), items(item), order(place)) for place, item in enumerate(some)]
    for kind in draw(st.sampled_from([(), (), (), ("again",), ("other rank",)])):
        query, item, rank = draw(st.sampled_from(rows))
        rows.append((query, item, rank + (kind == "other rank")))
    frame = pl.DataFrame(draw(st.permutations(rows)), schema=["query", "item", "rank"], orient="row")
    how = draw(st.sampled_from(["rank", "score", "rows", "whole score"]))
    if how == "rows":
        frame = frame.drop("rank")
    elif how != "rank":
        frame = frame.select("query", "item", score=-pl.col("rank") / (8 if how == "score" else 1))
    return pl.DataFrame(draw(st.permutations(truth)), schema=["query", "item", "grade"], orient="row"), frame


def outcome(truth: pl.DataFrame, run: pl.DataFrame, **options: Any) -> Any:
    """The values of each query and what ties can do, or the kind of refusal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ev = rm.evaluate(truth, run, MEASURES, **options)
            bounds = {str(measure): both for measure, both in ev.tie_bounds.items()}
        except rm.RankmeterError as error:
            return error.problem.kind
    return ev.per_query.sort("query").rows(), ev.mean, bounds


@pytest.mark.parametrize("small", [False, True])
@given(data=tables(), duplicates=st.sampled_from([None, None, "first", "best", "counted"]))
def test_rows_in_no_order_give_what_lists_give(
    small: bool, data: tuple[pl.DataFrame, pl.DataFrame], duplicates: str | None
) -> None:
    truth, run = data
    grouped = outcome(truth, run.sort("query", maintain_order=True), duplicates=duplicates)
    with pytest.MonkeyPatch.context() as patch:
        for module, values in SMALL.items() if small else ():
            for name, value in values.items():
                patch.setattr(module, name, value)
        assert outcome(truth, run, duplicates=duplicates) == grouped


def test_an_item_that_stands_many_times_is_refused() -> None:
    """Rows of one hash are counted in bytes, which begin again after 255."""
    for times in (2, 255, 256, 257, 512):
        run = pl.DataFrame({"query": [1, 2] * times, "item": [5] * 2 * times, "rank": range(2 * times)})
        with pytest.raises(RepeatedItemError):
            rm.evaluate(pl.DataFrame({"query": [1, 2], "item": [5, 6]}), run, "RR")


def test_rows_that_share_half_of_their_hash_are_compared_in_full() -> None:
    """Among so many rows of so many queries some share a hash of 32 bits; none of them is repeated."""
    count = 300_000
    item = pl.int_range(count, eager=True)
    run = pl.DataFrame({"query": item % 5, "item": item, "rank": item // 5 + 1})
    truth = pl.DataFrame({"query": range(5), "item": [100 * query + query for query in range(5)]})
    rank = (truth["item"] // 5 + 1).to_list()
    assert rm.evaluate(truth, run, "RR").per_query["RR"].to_list() == [1 / place for place in rank]
