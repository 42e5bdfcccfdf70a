from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmeter.placing.matching import KeyTable, repeated
from rankmeter.placing.numbering import numbers_among
from rankmeter.placing.segments import (
    bisect,
    highest_from,
    offsets_of,
    running_sums,
    sort_descending,
    unsorted_segments,
)
from rankmeter.placing.staircase import may_repeat

KEYS = st.lists(st.integers(0, 40), max_size=60)
MIX = np.uint64(0x9E3779B97F4A7C15)


@given(KEYS, st.sampled_from([np.uint64(1), np.uint64(1 << 40), MIX]))
def test_repeated_finds_every_later_row(keys, step):
    rows = np.array(keys, np.uint64) * step
    expected = [row for row, key in enumerate(keys) if key in keys[:row]]
    assert repeated(rows).tolist() == expected
    assert KeyTable.of(rows).repeats == bool(expected)


@given(st.lists(st.lists(st.integers(0, 9), max_size=8), max_size=8))
def test_lists_that_may_hold_an_item_twice_are_those_that_do(lists):
    keys = np.array([item for one in lists for item in one], np.int64)
    sizes = np.array([len(one) for one in lists], np.int64)
    assert may_repeat(keys, offsets_of(sizes)) == any(len(set(one)) < len(one) for one in lists)


@given(st.sets(st.integers(0, 300), max_size=80), KEYS)
def test_a_table_finds_exactly_the_known_keys(known, probes):
    keys = np.array(sorted(known), np.uint64) * MIX
    numbers = KeyTable.of(keys).numbers(np.array(probes, np.uint64) * MIX)
    place = {key: number for number, key in enumerate(sorted(known))}
    assert numbers.tolist() == [place.get(key, -1) for key in probes]


@given(st.lists(st.lists(st.floats(allow_nan=False), max_size=12), max_size=8))
def test_segments_are_sorted_and_searched_each_for_itself(lists):
    sizes = np.array([len(one) for one in lists], np.int64)
    offsets = offsets_of(sizes)
    values = np.array([value for one in lists for value in one], float)
    falling = sort_descending(values, offsets)
    assert falling.tolist() == [value for one in lists for value in sorted(one, reverse=True)]
    owner = np.repeat(np.arange(len(lists)), sizes)
    above = bisect(falling, offsets[owner], offsets[owner + 1], values, past_equal=False)
    assert above.tolist() == [sum(other > value for other in one) for one in lists for value in one]


@given(st.lists(st.lists(st.integers(-3, 3).map(float), max_size=9), max_size=8))
def test_segments_are_looked_at_each_for_itself(lists):
    values = np.array([value for one in lists for value in one], np.float64)
    offsets = offsets_of(np.array([len(one) for one in lists], np.int64))
    wrong = [number for number, one in enumerate(lists) if one != sorted(one, reverse=True)]
    assert unsorted_segments(values, offsets).tolist() == wrong
    best = [max(one[place:]) for one in lists for place in range(len(one))]
    assert highest_from(values, offsets).tolist() == best
    sums = [sum(one[: place + 1]) for one in lists for place in range(len(one))]
    assert running_sums(values, offsets).tolist() == sums


@pytest.mark.parametrize("dtype", [pl.String, pl.Int64])
@given(known=st.sets(st.integers(0, 20)), asked=st.lists(st.integers(0, 20)))
def test_ids_are_numbered_among_those_known_however_few(dtype, known, asked):
    series = pl.Series(list(known), dtype=pl.Int64).cast(dtype), pl.Series(asked, dtype=pl.Int64).cast(dtype)
    places = {id_: number for number, id_ in enumerate(known)}
    assert numbers_among(*series).tolist() == [places.get(id_, -1) for id_ in asked]
