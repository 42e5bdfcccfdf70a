"""Sums of trec_eval's rarer measures: added in its order, the same on every Python."""

from __future__ import annotations

import random
from functools import reduce
from operator import add

import pytest
from tests.adding import found_however_python_adds

from rankmeter.wings.doors.trec_measures import ProgramCall, wanted
from rankmeter.wings.doors.trec_unusual import SeenQuery, unusual_formula

LISTS = 40
MEASURES = ("map", "gm_map", "binG", "map_cut.90", "yaap", "11pt_avg..9,.1,.3,.2,1.5,.4,.5,.6,.7")


def _trec_eval(measure: str) -> list[float]:
    return [_trec_eval_of(seen, measure) for seen in _lists()]


def _trec_eval_of(seen: SeenQuery, measure: str) -> float:
    (asked,) = wanted([measure], 10)
    number = asked.numbers[0] if measure.startswith("map_cut") else None
    formula = unusual_formula(asked, number, ProgramCall("", "", level=seen.level), is_little=True)
    assert formula is not None
    return formula(seen)


def _lists() -> list[SeenQuery]:
    draw = random.Random(4)
    grades = [draw.choices([-2, -2, -1, 0, 1], k=draw.randrange(5, 90)) for _ in range(LISTS)]
    return [SeenQuery(grades=row, at_level=[row.count(0), row.count(1)], level=-1) for row in grades]


@pytest.mark.parametrize("measure", MEASURES)
def test_no_number_of_trec_eval_depends_on_how_python_adds(measure: str) -> None:
    older, newer = found_however_python_adds(lambda: _trec_eval(measure))
    assert older == newer


def test_unusual_numbers_of_trec_eval_are_added_as_it_adds() -> None:
    for seen, average in zip(_lists(), _trec_eval("map"), strict=True):
        total, found = 0.0, 0
        for rank, grade in enumerate(seen.grades, 1):  # te_calc_map in m_map.c
            if grade >= seen.level:
                found += 1
                total += found / rank
        assert average == total / seen.relevant


def test_recall_points_are_added_from_the_last_to_the_first() -> None:
    """As te_calc_11ptavg does in m_11pt_avg.c."""
    points = [0.2, 0.5, 0.7, 1.0]
    from_the_end, forwards = [], []
    for seen in _lists():
        values = [_trec_eval_of(seen, f"11pt_avg.{point}") for point in points]
        from_the_end.append(reduce(add, reversed(values)) / len(points))
        forwards.append(reduce(add, values) / len(points))
    assert _trec_eval("11pt_avg.0.2,0.5,0.7,1.0") == from_the_end != forwards
