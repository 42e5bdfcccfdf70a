"""Which events are the same, and their order: against plain sorting, also where hashes of 16 and of 32 bits meet."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankmeter.wings.online.alike_events import by_user_and_time, companions, numbered, seen_before

CODES = st.sampled_from([0, 1, 2, 2**63, 2**64 - 1])


@st.composite
def tables(draw: st.DrawFn) -> list[np.ndarray]:
    rows, columns = draw(st.integers(0, 30)), draw(st.integers(1, 3))
    return [draw(arrays(np.uint64, rows, elements=CODES)) for _ in range(columns)]


def many(kinds: int, rows: int = 150_000) -> list[np.ndarray]:
    """So many that different rows have the same hash of 16 bits, and with most kinds of 32 bits too."""
    random = np.random.default_rng(kinds)
    first = random.integers(0, kinds, rows).astype(np.uint64)
    return [first, first >> np.uint64(1), random.integers(0, 2, rows).astype(np.uint64)]


def check_told(columns: list[np.ndarray]) -> None:
    """All three ways in one: the kind of each row, the rows with companions, the rows that were there before."""
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    first: dict[tuple[int, ...], int] = {}
    before = [first.setdefault(row, place) != place for place, row in enumerate(rows)]
    number, kinds = numbered(columns)
    assert kinds == len(first)
    assert len(set(zip(rows, number.tolist(), strict=True))) == len(first) == len(set(number.tolist()))
    assert sorted(set(number.tolist())) == list(range(kinds))
    places = np.arange(len(rows))
    assert sorted(seen_before(places, columns).tolist()) == np.flatnonzero(before).tolist()
    kept, group, groups = companions(places, columns)
    assert kept.tolist() == sorted(set(kept.tolist()))
    assert {rows[place] for place, again in enumerate(before) if again} <= {rows[place] for place in kept.tolist()}
    assert sum(row in {rows[place] for place in kept.tolist()} for row in rows) == len(kept)
    assert len({(rows[place], n) for place, n in zip(kept.tolist(), group.tolist(), strict=True)}) == groups


@given(tables())
def test_equal_rows_are_found_in_small_tables(columns):
    check_told(columns)


@pytest.mark.parametrize("kinds", [1, 3_000, 60_000, 150_000])
def test_equal_rows_are_found_where_hashes_meet(kinds):
    columns = many(kinds)
    table = np.column_stack(columns)
    order = np.lexsort(table.T[::-1])
    begins = np.ones(len(order), np.bool_)
    begins[1:] = (table[order][1:] != table[order][:-1]).any(axis=1)
    again = np.sort(order[~begins])  # sorting is stable: the first of each kind is not among them
    assert np.array_equal(np.sort(seen_before(np.arange(len(table)), columns)), again)
    number, groups = numbered(columns)
    assert groups == int(begins.sum())
    told = np.empty(groups, np.int64)
    told[number[order]] = np.cumsum(begins) - 1
    assert np.array_equal(told[number[order]], np.cumsum(begins) - 1)
    kept, group, _ = companions(np.arange(len(table)), columns)
    assert np.isin(again, kept).all()
    assert np.array_equal(np.unique(number[kept], return_inverse=True)[1][np.argsort(kept)],
                          np.unique(number[kept], return_inverse=True)[1])  # fmt: skip
    assert len(set(zip(number[kept].tolist(), group.tolist(), strict=True))) == len(set(group.tolist()))


@given(st.lists(st.tuples(CODES, st.integers(-3, 3)), max_size=40))
def test_events_stand_by_user_and_time_and_at_one_moment_as_they_came(events):
    user = np.array([user for user, _ in events], np.uint64)
    time = np.array([time for _, time in events], np.int64)
    order, begins = by_user_and_time(user, time)
    assert sorted(order.tolist()) == list(range(len(events)))
    stretches = [part.tolist() for part in np.split(order, np.flatnonzero(begins)[1:])] if len(events) else []
    assert len(stretches) == len(set(user.tolist()))
    for stretch in stretches:
        assert len({int(user[place]) for place in stretch}) == 1
        assert stretch == sorted(stretch, key=lambda place: (time[place], place))
