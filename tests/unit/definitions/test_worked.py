from __future__ import annotations

import json
import random
from itertools import product

import pytest
from tests.properties.strategies import PLAIN, usual

import rankmeter as rm
from rankmeter.measures import REGISTRY
from rankmeter.measures.base import own_options, rule_of

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


TOGETHER = ({}, {"cutoff": 3}, {"cutoff": 9, "gain": "binary", "rel": 2}, {"gain": "binary"}, {"max_grade": 4})


@pytest.mark.parametrize("name", [name for name in PLAIN if usual(name).worked != "growing"])
def test_rows_add_up_under_every_choice_of_an_option(name):
    for option in own_options(type(REGISTRY[name])):
        for choice, others in product(rule_of(option).choices, TOGETHER):
            try:
                measure = REGISTRY[name](**{**others, option.name: choice})
                worked = rm.explain(measure, {"q": JUDGED}, {"q": LIST}, query="q")
            except rm.MeasureError:
                continue  # not possible together
            if not worked.policy:
                assert worked.rows[-1].total == pytest.approx(worked.numerator, abs=1e-12), measure
                if worked.ideal:
                    assert worked.ideal[-1].total == pytest.approx(worked.denominator, abs=1e-12), measure


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


def test_average_precision_shows_the_precisions_that_it_adds_up() -> None:
    graded = dict(zip("abcde", (1, 0, 1, 1, 1), strict=True))
    worked = rm.explain("AP", {"q": graded}, {"q": list("abcde")}, query="q")
    assert [row.precision for row in worked.rows] == pytest.approx([1, 1 / 2, 2 / 3, 3 / 4, 4 / 5])
    assert [row.contribution for row in worked.rows] == pytest.approx([1, 0, 2 / 3, 3 / 4, 4 / 5])
    assert "AP = 3.21667 / 4 = 0.80416" in worked.to_text()
    assert "precision" in worked.to_text().splitlines()[1]
    assert "精确率" in worked.to_text("zh").splitlines()[1]


def test_an_unknown_query_is_refused():
    with pytest.raises(rm.NotFoundError, match="query 'q7' is neither in judgments nor in run"):
        rm.explain("RR", {"q1": {"a": 1}}, {"q1": ["a"]}, query="q7")


@pytest.mark.parametrize("measure", ["nDCG@3", "AP", "RR", "P@2", "RBP(norm=list)", "ERR(max_grade=3)", "MaxGrade"])
def test_an_item_named_like_its_query_is_in_no_row_where_it_is_removed(measure) -> None:
    truth, returned = {"2": {"2": 3, "1": 1, "3": 2}}, {"2": {"2": 4.0, "x": 3.0, "1": 2.0, "3": 1.0}}
    removed = rm.parse(measure)(itself="removed")
    worked = rm.explain(removed, truth, returned, query="2")
    assert worked.measure == str(removed)
    assert worked.value == rm.evaluate(truth, returned, removed)[str(removed)]
    del returned["2"]["2"]
    without = rm.explain(measure, truth, returned, query="2")
    assert (worked.rows, worked.ideal, worked.facts) == (without.rows, without.ideal, without.facts)


def test_each_item_of_a_tie_has_its_own_gain() -> None:
    """Whatever order the tied items stand in."""
    for ties in ("mean", "shared", "middle"):
        worked = rm.explain(f"nDCG(ties={ties})", {"q": {"a": 1, "b": 3}}, {"q": {"a": 1.0, "b": 1.0}}, query="q")
        assert {row.item: row.gain for row in worked.rows} == {"a": 1.0, "b": 3.0}
    assert [row.rank for row in worked.rows] == ["1", "1"]


def test_measures_of_diversity_show_the_subtopics() -> None:
    judgments = {"q": {"a": {"s1": 1, "s2": 1}, "b": {"s2": 2, "s3": 0}}}
    worked = rm.explain("alpha_nDCG@3", judgments, {"q": ["a", "x", "b"]}, query="q")
    assert [row.topics for row in worked.rows] == ["s1, s2", "", "s2"]
    assert "s1, s2" in worked.to_text()
    assert "子主题" in worked.to_markdown("zh")
    # Other measures see the highest grade of an item, as evaluate does.
    assert [row.grade for row in rm.explain("nDCG", judgments, {"q": ["a", "b"]}, query="q").rows] == [1, 2]
    with pytest.raises(rm.MeasureError, match="need subtopics"):
        rm.explain("alpha_nDCG@3", {"q": {"a": 1}}, {"q": ["a"]}, query="q")


@pytest.mark.parametrize("name", ["P", "DCG", "AP"])
def test_what_very_long_lists_hide_is_said(name: str) -> None:
    run = {"q": [f"d{number}" for number in range(1500)]}
    judgments = {"q": {"d3": 1, "d1200": 1}}
    worked = rm.explain(name, judgments, run, query="q")
    assert worked.hidden == 500
    end = worked.numerator if worked.adds_up else worked.value
    assert worked.rows[-1].total + worked.hidden_adds == pytest.approx(end, abs=1e-12)
    assert "500 more places add " in worked.to_text()
    assert "add nothing" not in worked.to_text()


def test_a_policy_that_decides_the_value_is_named() -> None:
    worked = rm.explain("DCG(empty=one)", {"q": {"a": 0}, "r": {"a": 1}}, {"q": ["a"], "r": ["a"]}, query="q")
    assert worked.value == 1.0
    assert worked.rows[-1].total == 0.0
    assert "empty=one" in worked.to_text().splitlines()[-2]
    unknown = rm.explain("RR(empty=nan)", {"q": {"a": 0}, "r": {"a": 1}}, {"q": ["a"], "r": ["a"]}, query="q")
    assert json.loads(unknown.to_json(), parse_constant=pytest.fail)["value"] is None


@pytest.mark.parametrize(
    ("measure", "relevant"), [("AP", 2), ("AP(candidates=list)", 1), ("nDCG", 3), ("nDCG(gain=binary)", 2)]
)
def test_the_number_of_relevant_items_is_that_of_the_definition(measure: str, relevant: int) -> None:
    worked = rm.explain(measure, {"q": {"a": 1, "b": 2, "c": 0.5, "d": 0}}, {"q": ["a", "c"]}, query="q")
    assert worked.facts["R"] == relevant


def test_a_metric_of_another_tool_is_worked_out_as_the_tool_means_it():
    worked = rm.explain("NDCG@5", {"q": JUDGED}, {"q": LIST}, query="q", dialect="recbole")
    expected = rm.evaluate({"q": JUDGED}, {"q": LIST}, ["NDCG@5"], dialect="recbole")
    assert worked.measure == "nDCG(gain=binary,ties=input)@5"
    assert worked.value == next(iter(expected.means.values()))
    with pytest.raises(rm.MeasureError, match="did you mean 'NDCG'"):
        rm.explain("NDCX@5", {"q": JUDGED}, {"q": LIST}, query="q", dialect="recbole")
