"""Lists place by place say the same as lists one after another."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmeter.placing.segments import offsets_of
from rankmeter.placing.staircase import COMPARED_AT_ONCE, Staircase

LISTS = st.lists(st.lists(st.integers(0, 30), max_size=7), max_size=9)


def stairs_of(lists: list[list[int]]) -> Staircase:
    return Staircase.of(
        np.array([item for one in lists for item in one], np.int64),
        offsets_of(np.array(list(map(len, lists)), np.int64)),
    )


def lists_of(stairs: Staircase, count: int) -> list[list[int]]:
    lists: list[list[int]] = [[] for _ in range(count)]
    for number, item in zip(stairs.each(stairs.lists).tolist(), stairs.item.tolist(), strict=True):
        lists[number].append(item)
    return lists


@given(LISTS)
def test_a_staircase_holds_the_lists_it_was_made_of(lists):
    stairs = stairs_of(lists)
    assert lists_of(stairs, len(lists)) == lists
    assert stairs.lengths.tolist() == sorted(filter(None, map(len, lists)), reverse=True)
    width = max(map(len, lists), default=0)
    columns = np.array([one + [-1] * (width - len(one)) for one in lists], np.int64).reshape(len(lists), width).T
    same = Staircase.of_columns(np.ascontiguousarray(columns), np.array(list(map(len, lists)), np.int64))
    assert lists_of(same, len(lists)) == lists
    rows = stairs.rows(stairs.item, len(lists), width, -1)
    assert rows.tolist() == columns.T.tolist()


@given(LISTS, st.integers(1, 8), st.randoms(use_true_random=False))
def test_a_staircase_is_cut_and_picked_as_lists_are(lists, places, draw):
    stairs = stairs_of(lists)
    assert lists_of(stairs.cut(places), len(lists)) == [one[:places] for one in lists]
    chosen = np.array([draw.random() < 0.5 for _ in lists], np.bool_)
    picked, kept = stairs.pick(chosen)
    assert lists_of(picked, int(chosen.sum())) == [one for one, stays in zip(lists, chosen, strict=True) if stays]
    assert stairs.item[kept].tolist() == picked.item.tolist()


@given(LISTS)
def test_values_are_added_place_after_place(lists):
    values = np.random.default_rng(1).normal(size=31)
    stairs, expected = stairs_of(lists), np.zeros(len(lists))
    for number, one in enumerate(lists):
        for item in one:
            expected[number] += values[item]
    totals = np.zeros(len(lists))
    totals[stairs.lists] = stairs.totals(values)
    assert totals.tolist() == expected.tolist()


@given(LISTS)
def test_lists_that_may_hold_an_item_twice_are_those_that_do(lists):
    assert stairs_of(lists).may_repeat() == any(len(set(one)) < len(one) for one in lists)


@pytest.mark.parametrize("where", [0, COMPARED_AT_ONCE, 2 * COMPARED_AT_ONCE])
@pytest.mark.parametrize("shorter", [True, False])
def test_one_repeated_item_among_many_lists_is_found(where, shorter):
    lists = [[place + number for place in range(4 - (shorter and number % 3))] for number in range(where + 10)]
    assert not stairs_of(lists).may_repeat()
    lists[where][-1] = lists[where][0]
    assert stairs_of(lists).may_repeat()
