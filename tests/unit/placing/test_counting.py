"""Where judged items stand among all scores, ties included."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmeter.placing import segments
from rankmeter.placing.placements import Plan
from rankmeter.placing.segments import Places, offsets_of, place

LISTS = st.lists(st.lists(st.sampled_from([-np.inf, -1.0, -0.0, 0.0, 1.0, 2.0, np.inf]), max_size=12), min_size=1)


def places_of(lists: list[list[float]], rows: list[int], ids: list[int], *, found_late: bool = False) -> Places:
    offsets = offsets_of(np.array([len(one) for one in lists], np.int64))
    scores = np.array([score for one in lists for score in one])
    judged, keys = np.array(rows, np.int64), np.array(ids, np.uint64)
    segment = np.searchsorted(offsets, judged, side="right") - 1
    return place(
        scores,
        offsets,
        segment,
        scores[judged],
        Plan(),
        rows=(lambda some: judged[some]) if found_late else judged,
        ids_of=lambda positions: keys[positions],
    )


@given(LISTS, st.data())
def test_places_are_counts_over_the_list(lists: list[list[float]], data: st.DataObject) -> None:
    total = sum(map(len, lists))
    rows = sorted(data.draw(st.sets(st.integers(0, total - 1)))) if total else []
    ids = data.draw(st.permutations(range(total)))
    if data.draw(st.booleans()):
        lists = [sorted(one, reverse=True) for one in lists]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "TIED_AT_ONCE", data.draw(st.sampled_from([2, segments.TIED_AT_ONCE])))
        patch.setattr(segments, "SORTING", data.draw(st.sampled_from([segments.SORTING, 1e9])))
        found = places_of(lists, rows, ids, found_late=data.draw(st.booleans()))
    owner = [number for number, one in enumerate(lists) for _ in one]
    flat = [score for one in lists for score in one]
    for at, row in enumerate(rows):
        others = [other for other in range(total) if owner[other] == owner[row]]
        beside = [other for other in others if flat[other] == flat[row]]
        assert found.above[at] == sum(flat[other] > flat[row] for other in others)
        assert found.tied[at] == len(beside)
        assert found.earlier[at] == sum(other < row for other in beside)
        assert found.higher_id[at] == sum(ids[other] > ids[row] for other in beside)


def test_many_ties_in_a_long_unsorted_list_take_no_more_room_than_the_list() -> None:
    draw = np.random.default_rng(1)
    scores = draw.permutation(np.repeat(np.arange(2_000.0), 5)).tolist()
    tracemalloc.start()
    try:
        found = places_of([scores], list(range(0, 10_000, 2)), list(range(10_000)))
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
    assert set(found.tied.tolist()) == {5}
