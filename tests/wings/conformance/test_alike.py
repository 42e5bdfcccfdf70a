"""Queries alike: one of each kind, whatever the ids are and in whatever order the judgments came."""

from __future__ import annotations

import numpy as np
import pytest

from rankmeter.inputs.mappings import GradedMapping, ScoredMapping
from rankmeter.placing.pairs import place_run
from rankmeter.placing.placements import Plan
from rankmeter.wings.conformance.alike import one_of_each

RUN = {"a": 3.0, "b": 2.0, "c": 1.0}


def placed(judgments, run):
    return place_run(GradedMapping(judgments), ScoredMapping(run), Plan()).placements


def test_neither_ids_nor_the_order_of_judgments_tell_queries_apart():
    judgments = {1: {"a": 2, "c": 1}, 2: {"z": 1, "x": 2}, 3: {"a": 1, "c": 2}}
    kinds, times, _ = one_of_each(placed(judgments, {1: RUN, 2: {"x": 9.0, "y": 8.0, "z": 7.0}, 3: RUN}))
    assert times.tolist() == [2, 1]
    assert len(kinds) == 2
    assert kinds.returned.tolist() == [3, 3]


@pytest.mark.parametrize(
    ("judgments", "run"),
    [
        ({"a": 1}, RUN),
        ({"a": 2, "x": 1}, RUN),
        ({"b": 2}, RUN),
        ({"a": 2}, {**RUN, "d": 0.5}),
        ({"a": 2}, {**RUN, "b": 3.0}),
        ({"a": 2}, {"a": -1.0, "b": -2.0, "c": -3.0}),
        ({"a": 2}, {}),
    ],
)
def test_whatever_a_measure_looks_at_tells_queries_apart(judgments, run):
    kinds, times, _ = one_of_each(placed({1: {"a": 2}, 2: judgments, 3: {"a": 2}}, {1: RUN, 2: run, 3: RUN}))
    assert times.tolist() == [2, 1]
    assert len(kinds) == 2


def test_queries_of_different_kinds_stay():
    given = placed({n: {"a": n} for n in range(5)}, dict.fromkeys(range(5), RUN))
    kinds, times, _ = one_of_each(given)
    assert kinds is given
    assert np.array_equal(times, np.ones(5))


def test_the_number_of_items_judged_0_tells_queries_apart():
    judgments = {1: {"x": 0}, 2: {"x": 0, "y": 0}, 3: {"z": 0}}
    kinds, times, chosen = one_of_each(placed(judgments, dict.fromkeys(judgments, RUN)))
    assert times.tolist() == [2, 1]
    assert chosen.tolist() == [True, True, False]
    assert np.diff(kinds.best_offsets).tolist() == [1, 2]


def test_what_does_not_matter_or_what_matters_besides_can_be_said():
    given = placed({n: {"a": 1, "b": 1} for n in range(3)}, {0: RUN, 1: RUN, 2: {**RUN, "b": 3.0}})
    times, also = np.array([10, 1, 2]), np.array([True, False, False])
    assert one_of_each(given, times)[1].tolist() == [11, 2]
    assert one_of_each(given, times, ("grade",))[1].tolist() == [13]
    assert one_of_each(given, times, also=also)[1].tolist() == [10, 1, 2]
