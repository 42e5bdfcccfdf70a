"""What is said about unjudged items equals what evaluating completed judgments gives, and bounds bound everything."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmeter as rm
from rankmeter.comparing.systems import measure_system, seeds
from rankmeter.comparing.unjudged import UnjudgedBounds
from rankmeter.evaluating.asking import ask
from rankmeter.evaluating.evaluation import About
from rankmeter.inputs.accepting import into_judgments
from rankmeter.measures import parse
from rankmeter.measures.base import SHARED_RANKS

ITEMS = list("abcdefgh")
MEASURES = [
    "P@3", "P(norm=list)@3", "RR@3", "RR", "Success@2", "RBP(p=0.6)", "RBP(gain=exp2,max_grade=3,p=0.6)@4",
    "ERR(max_grade=3)@3", "DCG@3", "DCG(gain=exp2)", "CG@4", "P(ties=item-ascending)@3", "DCG(ties=input)@3",
    "RR(ties=reversed)@3", "ERR(max_grade=3,ties=input)@4", "P(negative=nonrelevant)@3", "SetP", "NumRelRet@3",
    "nDCG@3", "nDCG", "AP@3", "AP", "R@3", "nDCG(gain=exp2,ties=item-ascending)@3", "Rprec", "F@3", "P(norm=capped)@3",
]  # fmt: skip


@st.composite
def cases(draw: st.DrawFn):
    judgments, run = {}, {}
    for query in ["q1", "q2", "q3"][: draw(st.integers(1, 3))]:
        graded = draw(st.lists(st.sampled_from(ITEMS), unique=True, max_size=4))
        judgments[query] = {item: draw(st.sampled_from([-1, 0, 0, 1, 3])) for item in graded} or {"z": 3}
        listed = draw(st.lists(st.sampled_from(ITEMS), unique=True, min_size=1))
        run[query] = {item: draw(st.sampled_from([1.0, 2.0, 3.0])) for item in listed}
    judgments["q0"] = {"y": 3}  # the top of the scale is always judged
    run.setdefault("q0", {"x": 1.0})
    return judgments, run


def ranked(scores: dict, ties: str) -> list[str]:
    items = list(scores)
    if ties in ("item", "item-ascending"):
        items.sort(reverse=ties == "item")
    elif ties == "reversed":
        items.reverse()
    return sorted(items, key=lambda item: -scores[item])


def unjudged(judgments: dict, run: dict, measure) -> list[tuple[str, str]]:
    """The (query, item) within the cutoff that carry no judgment."""
    return [
        (query, item)
        for query, scores in run.items()
        for item in ranked(scores, measure.ties)[: measure.cutoff]
        if item not in judgments[query] or (judgments[query][item] < 0 and measure.negative == "unjudged")
    ]


def completed(judgments: dict, cells: list[tuple[str, str]], grades) -> dict:
    result = {query: dict(graded) for query, graded in judgments.items()}
    for (query, item), grade in zip(cells, grades, strict=True):
        result[query][item] = grade
    return result


def all_bounds(judgments: dict, run: dict, texts: list[str]) -> dict:
    found = measure_system("mine", seeds(run), into_judgments(judgments), ask(texts), None, About()).unjudged
    assert all(isinstance(one, UnjudgedBounds) for one in found.values())
    return found


def bounds_of(judgments: dict, run: dict, text: str) -> UnjudgedBounds:
    return all_bounds(judgments, run, [text])[parse(text)]


@settings(max_examples=25)
@given(case=cases())
def test_extremes_equal_the_evaluation_of_completed_judgments(case) -> None:
    judgments, run = case
    for measure, bounds in all_bounds(judgments, run, MEASURES).items():
        cells = unjudged(judgments, run, measure)
        for end, grade in ((bounds.none_relevant, 0), (bounds.all_relevant, 3)):
            known = completed(judgments, cells, [grade] * len(cells))
            assert end == pytest.approx(rm.evaluate(known, run, [measure])[measure], abs=1e-12), (str(measure), grade)


@settings(max_examples=20)
@given(case=cases(), data=st.data())
def test_bounds_hold_whatever_the_unjudged_items_are(case, data) -> None:
    judgments, run = case
    found = all_bounds(judgments, run, [text for text in MEASURES if parse(text).is_bounded_by_unjudged])
    for measure, bounds in found.items():
        cells = unjudged(judgments, run, measure)
        grades = data.draw(st.lists(st.sampled_from([0, 1, 3]), min_size=len(cells), max_size=len(cells)))
        value = rm.evaluate(completed(judgments, cells, grades), run, [measure])[measure]
        assert bounds.none_relevant - 1e-12 <= value <= bounds.all_relevant + 1e-12, str(measure)


@settings(max_examples=25)
@given(case=cases())
def test_a_tie_in_expectation_is_filled_with_relevant_items(case) -> None:
    judgments, run = case
    measure = parse("P(ties=mean)")
    cells = unjudged(judgments, run, measure)
    known = completed(judgments, cells, [3] * len(cells))
    assert bounds_of(judgments, run, "P(ties=mean)").all_relevant == pytest.approx(
        rm.evaluate(known, run, [measure])[measure]
    )


@pytest.mark.parametrize("ties", SHARED_RANKS)
def test_where_a_tie_shares_a_rank_what_unjudged_items_could_do_is_not_known(ties) -> None:
    judgments, run = {"q": {"a": 1}}, {"q": {"x": 2.0, "y": 2.0, "a": 1.0}}
    asked = ask([f"DCG(ties={ties})"])
    (reason,) = measure_system("mine", seeds(run), into_judgments(judgments), asked, None, About()).unjudged.values()
    assert not isinstance(reason, UnjudgedBounds)
    assert f"ties={ties}" in str(reason)


def test_recall_and_ndcg_are_called_scenarios_and_precision_bounds() -> None:
    judgments, run = {"q": {"a": 1}}, {"q": ["x", "a"]}
    assert {text: bounds_of(judgments, run, text).kind for text in ("P@2", "R@2", "nDCG@2", "AP", "RR")} == {
        "P@2": "bounds", "R@2": "scenarios", "nDCG@2": "scenarios", "AP": "scenarios", "RR": "bounds",
    }  # fmt: skip


def test_a_mean_that_leaves_out_queries_by_what_was_found_has_no_bounds() -> None:
    assert not parse("RR(miss=skip)@10").is_bounded_by_unjudged
    assert not parse("P(empty=one)@10").is_bounded_by_unjudged
    assert not parse("P(norm=capped)@10").is_bounded_by_unjudged
