"""What must not change a number does not, and what bounds it holds."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.oracle import oracle
from tests.properties.strategies import GRADES, INT_IDS, PLAIN, TEXT_IDS, Data, data, measures, tie_rules

import rankmeter as rm
from rankmeter.measures import REGISTRY

ORDER_FREE = ["item", "item-ascending", "mean", "shared", "worst", "best"]
"""The tie rules that do not look at the order in which a run is given."""
MONOTONE = ["P@3", "R@3", "AP", "AP@3", "nDCG", "nDCG@3", "RR", "RR@2", "Success@2", "DCG@3", "CG@3", "RBP", "RBP@3"]
"""Measures that cannot fall when a better item takes a higher place."""


def values(case: Data, *asked: rm.Measure | str) -> list[dict[object, float | None]]:
    """For each measure its value for every query, and its aggregate under the key None."""
    result = rm.evaluate(case.judgments, case.run, asked)
    rows = result.per_query
    names = rows["query"].to_list()
    return [
        {None: result[one], **dict(zip(names, rows[str(result.find(one))].to_list(), strict=True))} for one in asked
    ]


def counted(found: dict[object, float | None]) -> dict[object, float]:
    """The queries that count."""
    return {query: value for query, value in found.items() if value is not None}


def assert_same(case: Data, other: Data, *asked: rm.Measure) -> None:
    for measure, before, after in zip(asked, values(case, *asked), values(other, *asked), strict=True):
        assert after == pytest.approx(before, rel=1e-12, abs=1e-12, nan_ok=True), measure


@st.composite
def order_free_measures(draw: st.DrawFn) -> rm.Measure:
    measure = draw(measures())
    return measure(ties=draw(st.sampled_from([rule for rule in tie_rules(measure) if rule in ORDER_FREE])))


@given(measures())
def test_the_description_of_a_measure_makes_the_measure_again(measure):
    options = {name: value for name, value in measure.describe().items() if name != "measure"}
    assert measure(**options).describe() == measure.describe()


@settings(max_examples=35)
@given(data(), order_free_measures(), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(case, measure, shuffler):
    def shuffled(table: dict) -> dict:
        queries = shuffler.sample(list(table), len(table))
        return {query: dict(shuffler.sample(list(table[query].items()), len(table[query]))) for query in queries}

    assert_same(case, Data(shuffled(case.judgments), shuffled(case.run)), measure)


@settings(max_examples=35)
@given(data(), measures(fixed=("scores", "sign")), st.sampled_from(["half", "double", "dense rank", "negative"]))
def test_increasing_maps_of_the_scores_change_nothing(case, measure, how):
    def mapped(scores: dict) -> dict:
        ranks = {score: rank for rank, score in enumerate(sorted(set(scores.values())))}
        change = {
            "half": lambda score: score / 2,
            "double": lambda score: score * 2,
            "dense rank": lambda score: ranks[score],
            "negative": lambda score: ranks[score] - 100.0,
        }[how]
        return {item: change(score) for item, score in scores.items()}

    assert_same(case, Data(case.judgments, {query: mapped(scores) for query, scores in case.run.items()}), measure)


@pytest.mark.parametrize("unjudged", [1, "removed", "nonrelevant"])
@pytest.mark.parametrize("depth", [None, 2])
def test_tie_rules_asked_for_together_are_those_asked_for_alone(unjudged, depth):
    case = Data({"q": {"9": 3}}, {"q": {"9": 1.0, "10": 1.0, "a": 1.0}})
    rules = ["item", "input", "reversed", "best", *(["mean"] if depth is None else [])]
    asked = [rm.nDCG(ties=rule, unjudged=unjudged, depth=depth) for rule in rules]
    alone = [values(case, measure)[0] for measure in asked]
    assert values(case, *asked) == alone
    assert values(case, *asked[::-1]) == alone[::-1]


@pytest.mark.parametrize("name", PLAIN)
@settings(max_examples=10)
@given(data(), st.data())
def test_what_else_is_asked_for_changes_no_number(name, case, draws):
    """Neither another measure nor the same one under another option, before it or behind it."""
    one = draws.draw(measures(name))
    option = draws.draw(st.sampled_from(["ties", "unjudged", "candidates", "depth", "negative", "other"]))
    other = draws.draw(measures(None if option == "other" else name))
    if option != "other" and hasattr(one, option):
        try:
            other = one(**{option: getattr(other, option)})
        except rm.MeasureError:  # not both options at once
            assume(False)
    alone = {measure: counted(*values(case, measure)) for measure in (one, other)}
    for asked in ((one, other), (other, one)):
        for measure, together in zip(asked, values(case, *asked), strict=True):
            assert counted(together) == pytest.approx(alone[measure], rel=1e-12, abs=1e-12, nan_ok=True), asked


@settings(max_examples=35)
@given(data(), measures(fixed=("itself",)), st.sampled_from(["prefix", "place"]))
def test_renaming_ids_in_their_order_changes_nothing(case, measure, how):
    # A query named like an item would lose its namesake: itself=kept.
    ids = {item for table in (case.judgments, case.run) for items in table.values() for item in items}
    ordered = sorted(ids, key=lambda item: str(item).encode())
    new = {item: f"x{item}" if how == "prefix" else f"{place:03}" for place, item in enumerate(ordered)}

    def renamed(table: dict) -> dict:
        return {query: {new[item]: number for item, number in items.items()} for query, items in table.items()}

    assert_same(case, Data(renamed(case.judgments), renamed(case.run)), measure)


@settings(max_examples=35)
@given(data(ids=INT_IDS), measures())
def test_whole_number_ids_and_their_texts_are_the_same_ids(case, measure):
    def as_text(table: dict) -> dict:
        return {query: {str(item): number for item, number in items.items()} for query, items in table.items()}

    assert_same(case, Data(as_text(case.judgments), as_text(case.run)), measure)


@settings(max_examples=35)
@given(data(), measures(fixed=("aggregate", "queries")), st.data())
def test_adding_a_query_leaves_the_others_alone(case, measure, draws):
    more = draws.draw(data(ids=TEXT_IDS if isinstance(_any_id(case), str) else INT_IDS))
    judgments = {**case.judgments, "new": next(iter(more.judgments.values()))}
    run = {**case.run, "new": next(iter(more.run.values()))}
    (before,) = values(case, measure)
    (after,) = values(Data(judgments, run), measure)
    for query in before.keys() - {None}:
        assert after[query] == pytest.approx(before[query], rel=1e-12, nan_ok=True), query


def _any_id(case: Data) -> object:
    return next(item for items in case.judgments.values() for item in items)


@settings(max_examples=100)
@given(data(), measures(fixed=("aggregate",)))
def test_values_lie_within_the_bounds_of_the_measure(case, measure):
    low, high = measure.bounds
    (found,) = values(case, measure)
    for value in found.values():
        assert value is None or math.isnan(value) or low <= value <= high + 1e-12


@pytest.mark.parametrize(
    "text",
    ["P(norm=capped)@3", "R", "R(norm=capped)@2", "AP", "AP(norm=capped)@2", "nDCG", "nDCG@3", "nDCG(gain=exp2)@2",
     "RR", "Success@1", "Rprec", "Bpref", "AUC", "IPrec@0", "IPrec@1", "SetR", "nDCG(discount=jk)",
     "nDCG(ideal=list)@2"],
)  # fmt: skip
@settings(max_examples=10)
@given(st.lists(st.sampled_from(GRADES), min_size=1, max_size=7))
def test_the_ideal_order_has_the_value_one(text, grades):
    assume(max(grades) >= 1)
    judged = {f"d{place}": grade for place, grade in enumerate(sorted(grades, reverse=True))}
    assert rm.evaluate({"q": judged}, {"q": list(judged)}, [text])[text] == pytest.approx(1, abs=1e-12)


@given(st.lists(st.sampled_from(GRADES), min_size=1, max_size=7), st.randoms(use_true_random=False))
def test_no_order_beats_the_ideal_one(grades, shuffler):
    assume(max(grades) >= 1)
    judged = {f"d{place}": grade for place, grade in enumerate(sorted(grades, reverse=True))}
    other = shuffler.sample(list(judged), len(judged))
    asked = [*MONOTONE, "Rprec", "F@3", "ERR@3", "Bpref", "AUC", "IPrec@0.5", "NumRelRet@3"]
    ideal = rm.evaluate({"q": judged}, {"q": list(judged)}, asked)
    found = rm.evaluate({"q": judged}, {"q": other}, asked)
    for measure in asked:
        assert found[measure] <= ideal[measure] + 1e-12


@settings(max_examples=35)
@given(data(), st.sampled_from(MONOTONE), st.sampled_from(["exp2", "binary", "linear"]))
def test_every_tie_rule_lies_between_worst_and_best(case, text, gain):
    measure = rm.parse(text)
    if measure.name in ("nDCG", "DCG", "CG"):
        measure = measure(gain=gain)
    # Several items at one place are no order at all, and can even exceed 1.
    rules = [rule for rule in tie_rules(measure) if rule not in ("shared", "middle")]
    found = dict(zip(rules, values(case, *(measure(ties=rule) for rule in rules)), strict=True))
    for rule in rules:
        for query, value in found[rule].items():
            assert found["worst"][query] - 1e-12 <= value <= found["best"][query] + 1e-12, (rule, query)


SETTLED = ("aggregate", "blank", "empty", "ideal", "miss", "norm", "queries", "ranks", "scores", "sign")


@settings(max_examples=35)
@given(
    data(),
    st.sampled_from(sorted({rm.parse(text).name for text in MONOTONE})).flatmap(
        lambda name: measures(name, fixed=(*SETTLED, "hits"))
    ),
    st.randoms(use_true_random=False),
)
def test_breaking_ties_at_random_stays_between_worst_and_best(case, measure, shuffler):
    assume({"worst", "best"} <= set(tie_rules(measure)))
    broken = Data(case.judgments, {query: _broken(scores, shuffler) for query, scores in case.run.items()})
    low, high = values(case, measure(ties="worst"), measure(ties="best"))
    (found,) = values(broken, measure(ties="item"))
    for query, value in found.items():
        unknown = [math.isnan(one) for one in (value, low[query], high[query])]
        if any(unknown):  # an item not judged may stand within the depth, or before what decides, or behind it
            assert measure.unjudged in ("nan", "undecided")
            assert unknown[1] or unknown[2]
            assert not low[query] - 1e-12 > value
            assert not value > high[query] + 1e-12
        else:
            assert low[query] - 1e-12 <= value <= high[query] + 1e-12


def _broken(scores: dict, shuffler: random.Random) -> dict:
    """Scores in the same order with every tie broken."""
    items = shuffler.sample(list(scores), len(scores))
    order = sorted(items, key=lambda item: scores[item])
    return {item: float(place) for place, item in enumerate(order)}


@given(
    st.lists(st.sampled_from([0, 1, 2, 3]), min_size=1, max_size=8), st.sampled_from([*MONOTONE, "ERR", "Bpref", "AUC"])
)
def test_the_value_of_a_list_of_grades_is_that_of_the_list(grades, text):
    assume(max(grades) >= 1)
    judged = {f"d{place}": grade for place, grade in enumerate(grades)}
    expected, _ = oracle(rm.parse(text), {"q": judged}, {"q": list(judged)})
    assert rm.value(text, grades=grades) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", [name for name in PLAIN if "pooled" in REGISTRY[name].aggregates])
def test_pooling_one_query_gives_its_value(name):
    judgments, run = {"q": {"a": 2, "b": 1, "c": 0, "d": 1}}, {"q": {"c": 3.0, "a": 2.0, "x": 2.0, "b": 1.0}}
    mean, pooled = values(Data(judgments, run), REGISTRY[name], REGISTRY[name](aggregate="pooled"))
    assert pooled[None] == pytest.approx(mean[None])
