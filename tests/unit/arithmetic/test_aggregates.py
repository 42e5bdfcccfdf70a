"""Sums that merge: no partitioning of the queries changes a digit."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmeter.arithmetic import AGGREGATES, Tally, Values, aggregated
from rankmeter.arithmetic.exact_sums import GRID, Pieces, expansion, rounded, summed, whole_number

NUMBERS = st.floats(-1e300, 1e300, allow_nan=False)


@given(st.lists(NUMBERS, max_size=40))
def test_an_exact_sum_is_exact(numbers):
    parts = expansion(np.array(numbers, np.float64))
    assert math.fsum([*numbers, *(-part for part in parts)]) == 0.0
    assert len(parts) <= 40


ANY = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(ANY, max_size=80), st.integers(1, 2))
def test_a_sum_on_the_grid_is_exact_and_rounded_once(numbers, repeats):
    values = np.array(numbers * repeats, np.float64)
    exact = sum(map(Fraction, values.tolist()), Fraction(0))
    assert Fraction(whole_number(values), 1 << GRID) == exact
    if abs(exact) < 2**1023:
        assert rounded(np.array([whole_number(values)], object)).tolist() == [float(exact)]


@given(st.lists(st.tuples(ANY, ANY), min_size=1, max_size=20))
def test_pieces_are_small_whole_numbers_that_add_up_to_the_table(rows):
    table = np.array(rows)
    pieces = Pieces.of(table)
    assert np.abs(pieces.table).max(initial=0.0) < 2**16
    for column, numbers in enumerate(table.T):
        places = [at for at, its in enumerate(pieces.column) if its == column]
        found = [sum(int(row[at]) << pieces.shift[at] for at in places) for row in pieces.table]
        assert found == [whole_number(np.array([number])) for number in numbers]


@given(st.lists(st.tuples(NUMBERS, st.integers(1, 9)), max_size=40))
def test_a_value_that_counts_several_times_is_added_as_often(pairs):
    values, times = np.array([value for value, _ in pairs], np.float64), np.array([n for _, n in pairs], np.int64)
    assert summed(values / 16, times) == math.fsum(np.repeat(values / 16, times).tolist())


@given(
    st.lists(
        st.tuples(st.floats(0, 1e6), st.sampled_from([0.0, 0.1, 3.0, 7e5]), st.booleans()), min_size=1, max_size=40
    ),
    st.lists(st.integers(0, 40), max_size=6),
    st.sampled_from(sorted(AGGREGATES)),
)
def test_any_partitioning_gives_the_value_of_all_queries_at_once(rows, cuts, aggregate):
    above, below, counted = (np.array(column) for column in zip(*rows, strict=True))
    value = np.divide(above, below, out=np.zeros(len(rows)), where=below > 0)
    edges = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    parts = [
        Tally.of(Values(value[a:b], counted[a:b], above[a:b], below[a:b]), aggregate)
        for a, b in itertools.pairwise(edges)
    ]
    expected = aggregated(Values(value, counted, above, below), aggregate)
    for order in (parts, parts[::-1]):
        assert Tally.merged(order).value(aggregate) == pytest.approx(expected, abs=0, rel=0, nan_ok=True)


def test_a_value_that_is_not_a_number_stays_one():
    values = Values(np.array([1.0, math.nan]), np.array([True, True]), np.zeros(2), np.ones(2))
    merged = Tally.merged([Tally.of(values, "mean"), Tally.of(values, "mean")])
    assert math.isnan(merged.value("mean"))
