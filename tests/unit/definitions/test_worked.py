from __future__ import annotations

import random

import pytest
from tests.properties.strategies import PLAIN, usual

import rankmeter as rm

JUDGED = {"a": 3, "b": 1, "c": 0, "d": 2, "e": -1, "f": 1}
LIST = {"x": 5.0, "b": 4.0, "a": 4.0, "y": 4.0, "c": 3.0, "d": 3.0, "e": 1.0}
EVERY = [usual(name)(ties=ties) for name in PLAIN for ties in usual(name).tie_rules] + [
    rm.parse(text)
    for text in (
        "nDCG@3",
        "nDCG(gain={1:3,2:9},ties=best)@4",
        "nDCG(ideal=list)@5",
        "nDCG(ideal=top)@3",
        "nDCG(gain=binary,ideal=full)@5",
        "nDCG(candidates=list)@5",
        "nDCG(candidates=appended,ties=mean)",
        "nDCG(unjudged=removed)@4",
        "AP(unjudged=removed)",
        "AP(candidates=appended)",
        "DCG(sign=positive)",
        "RBP(gain=exp2,max_grade=3)",
        "P@5",
        "R@3",
    )
]


@pytest.mark.parametrize("measure", EVERY, ids=str)
def test_the_rows_end_in_the_value(measure):
    worked = rm.explain(measure, {"q": JUDGED}, {"q": LIST}, query="q")
    expected = rm.evaluate({"q": JUDGED}, {"q": LIST}, [measure])
    values = next(iter(expected.values.values()))
    assert worked.value == (values.value[0] if values.counted[0] else None)
    if worked.adds_up:
        assert worked.rows[-1].total == pytest.approx(worked.numerator, abs=1e-12)
        assert sum(row.contribution for row in worked.rows) == pytest.approx(worked.numerator, abs=1e-12)
    elif worked.value is not None:
        assert worked.rows[-1].total == pytest.approx(worked.value, abs=1e-12)
    if worked.ideal:
        assert worked.ideal[-1].total == pytest.approx(worked.denominator, abs=1e-12)


def test_rows_of_a_random_list_end_in_the_value():
    draw = random.Random(5)
    for _ in range(40):
        items = [str(number) for number in range(30)]
        judged = {item: draw.choice([0, 0, 1, 2, 3]) for item in draw.sample(items, 12)} | {"99": 1}
        listed = {item: draw.choice([1.0, 2.0, 3.0, 4.5]) for item in draw.sample(items, 20)}
        measure = draw.choice(EVERY)
        worked = rm.explain(measure, {"q": judged}, {"q": listed}, query="q")
        end = worked.numerator if worked.adds_up else worked.value
        if end is not None:
            assert worked.rows[-1].total == pytest.approx(end, abs=1e-9), measure


def test_ties_left_open_show_their_places():
    worked = rm.explain("nDCG(ties=mean)", {"q": JUDGED}, {"q": LIST}, query="q")
    assert [row.rank for row in worked.rows][:4] == ["1", "2-4", "2-4", "2-4"]


def test_an_unknown_query_is_refused():
    with pytest.raises(rm.NotFoundError, match="no query 'q7' in judgments or run"):
        rm.explain("RR", {"q1": {"a": 1}}, {"q1": ["a"]}, query="q7")
