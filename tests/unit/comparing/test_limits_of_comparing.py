"""Each part of the conditions that decide a comparison, alone and together; limits met exactly; bad among good."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import rankmeter as rm
from rankmeter.comparing.gate import check_evaluations, meets, parse_gate
from rankmeter.comparing.notes import POORLY_JUDGED, UNEVEN, smallest_p
from rankmeter.comparing.records import INTERVALS
from rankmeter.comparing.requirements import check_requirements
from rankmeter.comparing.unjudged import UnjudgedBounds, _reason_against
from rankmeter.errors import InputError
from rankmeter.stats.paired import directions
from rankmeter.stats.resampling import Groups
from rankmeter.wording import Said

FEW = {"permutations": 200, "resamples": 100}
QUERIES = [f"q{number}" for number in range(12)]
TRUTH = {query: {"a": 1} for query in QUERIES}


def at(ranks: list[int]) -> dict[str, list[str]]:
    """A run in which the relevant item stands at these ranks."""
    return {query: [*"wxyz"[: rank - 1], "a"] for query, rank in zip(QUERIES, ranks, strict=False)}


GOOD, POOR = at([1, 2] * 6), at([2, 3, 4] * 4)


def refused(call, *values, **options) -> str:
    with pytest.raises(InputError) as told:
        call(*values, **options)
    return told.value.problem.kind


def kinds(notes) -> set[str]:
    return {note.kind for note in notes if isinstance(note, Said)}


@pytest.mark.parametrize("place", [0, 6, 11])
@pytest.mark.parametrize("blank", [None, "", math.nan])
@pytest.mark.parametrize("good", ["u{}", 0.5, 7])
def test_one_query_whose_unit_is_blank_is_named(good, blank, place):
    units = {query: good.format(number // 2) if isinstance(good, str) else good + number // 2
             for number, query in enumerate(QUERIES)}  # fmt: skip
    systems = {"good": GOOD, "poor": POOR}
    assert rm.compare(TRUTH, systems, ["RR"], unit=units, unit_name="user", **FEW).differences[0].units == 6
    units[QUERIES[place]] = blank
    with pytest.raises(InputError) as told:
        rm.compare(TRUTH, systems, ["RR"], unit=units, unit_name="user", **FEW)
    assert told.value.problem.kind == "comparing.unit_blank"
    assert QUERIES[place] in str(told.value)
    del units[QUERIES[place]]
    assert refused(rm.compare, TRUTH, systems, ["RR"], unit=units, unit_name="user", **FEW) == "comparing.unit_blank"


@pytest.mark.parametrize(
    ("systems", "kind"),
    [
        ({}, "comparing.systems_by_name"),
        ([], "comparing.systems_by_name"),
        (None, "comparing.systems_by_name"),
        ("ab", "comparing.systems_by_name"),
        (b"ab", "comparing.systems_by_name"),
        (5, "comparing.systems_by_name"),
        (np.array(5), "comparing.systems_by_name"),
        ([("good", GOOD), ("poor", POOR, 1)], "comparing.systems_by_name"),
        ([("good", GOOD), ["poor", POOR]], "comparing.systems_by_name"),
        ([("good", GOOD), POOR], "comparing.systems_by_name"),
        ({"good": GOOD}, "comparing.one_system"),
        ([("good", GOOD), ("good", POOR)], "comparing.same_name"),
        ([(1, GOOD), ("1", POOR)], "comparing.same_name"),
        ({"q1": {"a": 1.0}, "q2": {"b": 2.0}}, "comparing.one_run_by_query"),
        ({"good": GOOD, "poor": POOR}, ""),
        ([("good", GOOD), ("poor", POOR)], ""),
    ],
)
def test_systems_are_at_least_two_runs_with_names(systems, kind):
    if kind:
        assert refused(rm.compare, TRUTH, systems, ["RR"], **FEW) == kind
    else:
        assert list(rm.compare(TRUTH, systems, ["RR"], **FEW).systems) == ["good", "poor"]


@pytest.mark.parametrize("runs", [0, 1, 2])
@pytest.mark.parametrize("by", [None, "difference", "weight"])
def test_a_pool_by_differences_needs_two_runs_and_others_one(by, runs):
    given = dict(list({"one": {"q": ["x", "a"]}, "two": {"q": ["y", "a"]}}.items())[:runs])
    kind = "comparing.no_run" if not runs else "comparing.one_differs_from_nothing" * (by == "difference" and runs == 1)
    if kind:
        assert refused(rm.pool, {"q": {"a": 1}}, given, by=by) == kind
    else:
        assert set(rm.pool({"q": {"a": 1}}, given, by=by)["item"]) == set("xy"[:runs])


@rm.measure
def FirstGrade(grades):
    return sum(grades[:1])


@pytest.mark.parametrize(
    ("measure", "reason"),
    [
        ("nDCG@3", None),
        ("P@3", None),
        ("nDCG(ties=mean)@3", None),
        ("FirstGrade", "not_ranked"),
        ("ItemCoverage@3", "not_ranked"),
        ("alpha_nDCG@3", "subtopics_unknown"),
        ("NumRet", "ignores_relevance"),
        ("nDCG(unjudged=removed)@3", "unjudged_removed"),
        ("AP(candidates=appended)", "items_appended"),
        ("RR(ties=shared)", "tie_unknown"),
        ("RR(ties=middle)", "tie_unknown"),
        ("RR(sign=positive)", "scores_unknown"),
    ],
)
def test_what_unjudged_items_could_do_is_bounded_or_it_is_said_why_not(measure, reason):
    said = _reason_against(rm.parse(measure))
    assert (said and said.kind) == reason
    if measure in ("nDCG@3", "P@3", "FirstGrade", "NumRet", "RR(ties=shared)"):
        truth = {query: {"a": 1, "w": 0} for query in QUERIES}
        cmp = rm.compare(truth, {"good": GOOD, "poor": POOR}, [measure], **FEW)
        score = cmp.score(measure, "good")
        assert isinstance(score.unjudged, UnjudgedBounds) == (reason is None)
        assert getattr(score.unjudged_reason, "kind", None) == reason


@pytest.mark.parametrize("judged_alike", [True, False])
@pytest.mark.parametrize("share", [POORLY_JUDGED - 0.1, POORLY_JUDGED, POORLY_JUDGED + 0.1])
def test_poorly_and_unevenly_judged_runs_are_said_at_their_limits(share, judged_alike):
    """Of ten items of one system a share is judged; of the other as many, or exactly so much more that it is told."""
    count, more = round(share * 10), 0 if judged_alike else round(UNEVEN * 10)
    items = [f"d{number}" for number in range(10)]
    others = [f"e{number}" for number in range(10)]
    for beyond in (0, 1):
        judged_too = min(count + more + (beyond if more else 0), 10)
        truth = {q: dict.fromkeys([*items[:count], *others[:judged_too]], 1) for q in QUERIES}
        runs = {"one": dict.fromkeys(QUERIES, items), "two": dict.fromkeys(QUERIES, others)}
        found = kinds(rm.compare(truth, runs, ["P@10"], **FEW).notes)
        low, gap = count / 10, judged_too / 10 - count / 10
        assert ("poorly_judged" in found) == (low < POORLY_JUDGED)
        assert ("unevenly_judged" in found) == (low >= POORLY_JUDGED and gap > UNEVEN)


@pytest.mark.parametrize("purpose", [None, "recommendation"])
@pytest.mark.parametrize("has_nonrelevant", [True, False])
@pytest.mark.parametrize("has_runs", [True, False])
@pytest.mark.parametrize("judged_share", [0.7, 0.8, 1.0])
def test_advice_says_what_is_not_judged_where_that_is_a_fault(purpose, has_nonrelevant, has_runs, judged_share):
    items = [f"d{number}" for number in range(10)]
    judged = items[: round(judged_share * 10)]
    truth = {q: dict.fromkeys(judged, 1) | ({judged[0]: 0} if has_nonrelevant else {}) for q in QUERIES}
    runs = {"one": dict.fromkeys(QUERIES, items), "two": dict.fromkeys(QUERIES, items)} if has_runs else None
    advice = rm.advise(truth, runs, purpose=purpose, k=10)
    searches = purpose is None
    assert ("only_relevant_judged" in kinds(advice.notes)) == (searches and not has_nonrelevant)
    assert ("few_items_judged" in kinds(advice.notes)) == (
        searches and has_nonrelevant and has_runs and judged_share < 0.8
    )
    facts = advice._facts()
    assert [fact.kind for fact in facts[2:]] == ([] if not has_runs else ["facts_runs" if searches else "facts_lists"])


@pytest.mark.parametrize(("one", "fits_one"), [(8, False), (9, True), (10, True)])
def test_measures_of_one_answer_are_recommended_from_nine_queries_of_ten(one, fits_one):
    truth = {f"q{number}": {"a": 1, "b": 0, **({} if number < one else {"c": 1})} for number in range(10)}
    names = [advised.measure for advised in rm.advise(truth, k=10).recommended]
    assert ("Success@10" in names) == fits_one


@pytest.mark.parametrize("highest", [0.5, 1, 2, 8, 9, 2.5])
def test_a_cascade_is_recommended_for_whole_grades_up_to_8(highest):
    truth = {f"q{number}": {"a": highest, "b": highest / 2, "c": 0, "d": highest} for number in range(10)}
    names = [advised.measure for advised in rm.advise(truth, k=10).recommended]
    assert any(name.startswith("ERR") for name in names) == (float(highest).is_integer() and highest <= 8)
    assert any("rel=" in name for name in names) == (highest < 1)


LIMIT = 0.7


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">="])
@pytest.mark.parametrize("gap", [-1e-3, -1e-13, 0.0, 1e-13, 1e-3])
def test_a_value_that_is_its_limit_but_for_rounding_is_its_limit(operator, gap):
    compared = 0 if abs(gap) < 1e-12 else math.copysign(1, gap)
    expected = {"<": compared < 0, "<=": compared <= 0, ">": compared > 0, ">=": compared >= 0}[operator]
    assert meets(LIMIT + gap, operator, LIMIT) == expected


@pytest.mark.parametrize("certain", [None, True, False])
@pytest.mark.parametrize("word", ["", " significantly"])
@pytest.mark.parametrize("negated", [False, True])
@pytest.mark.parametrize("baseline", [None, GOOD])
@pytest.mark.parametrize("limit", ["0.7", "baseline - 0.01"])
def test_a_requirement_asks_for_proof_where_it_says_so_or_is_told_to(limit, baseline, negated, word, certain):
    text = f"not RR < {limit}{word}" if negated else f"RR >= {limit}{word}"
    proof = bool(word) if certain is None else certain
    run = at([1, 2] * 5 + [1, 3])  # one query lost a sixth: less than 0.01 + chance
    kind = ""
    if word and not negated:
        kind = "comparing.not_a_requirement"
    elif baseline is None:
        kind = "comparing.gate_proves_alone" if proof else ""
        kind = kind or ("comparing.requirement_without_baseline" if "baseline" in limit else "")
    if kind:
        assert refused(check_requirements, TRUTH, run, [text], baseline=baseline, certain=certain) == kind
        return
    options = {} if baseline is None else FEW
    [found] = check_requirements(TRUTH, run, [text], baseline=baseline, certain=certain, **options)
    holds = found.value >= 0.7 if limit == "0.7" else found.value >= 0.75 - 0.01
    assert found.is_met == (holds or proof)


def test_requirements_are_some_and_an_undefined_value_meets_none():
    assert refused(check_requirements, TRUTH, GOOD, []) == "comparing.no_requirement"
    nothing = {query: ["x"] for query in QUERIES}
    truth = {**TRUTH, "q0": {"x": 1}}
    undefined = "RR(empty=skip,miss=skip)"
    for run, value in ((GOOD, 0.7727), (nothing, None)):
        given = TRUTH if value is None else truth
        [found] = check_requirements(given, run, [f"{undefined} >= 0.1"])
        assert found.why.kind in ("requirement_undefined", "requirement_value", "gate_without_ids")
        assert found.is_met == (value is not None)


@pytest.mark.parametrize(("system", "known"), [(None, True), ("good", True), ("poor", True), ("goed", False)])
def test_a_gate_alone_concerns_all_runs_or_the_one_it_names(system, known):
    runs = [rm.evaluate(TRUTH, run, ["RR"], name=name) for name, run in (("good", GOOD), ("poor", POOR))]
    gate = parse_gate(f"RR{'' if system is None else f' of {system}'} < 0.5")
    if not known:
        with pytest.raises(rm.NotFoundError):
            check_evaluations(runs, [gate])
        return
    found = {verdict.system: verdict.failed for verdict in check_evaluations(runs, [gate])}
    assert found == {name: failed for name, failed in (("good", False), ("poor", True)) if system in (None, name)}


@pytest.mark.parametrize(
    ("test", "correction", "interval"), list(product(["randomisation", "t"], ["holm", "none"], ["t", "percentile"]))
)
def test_how_numbers_were_made_is_said_of_what_there_is(test, correction, interval):
    cmp = rm.compare(TRUTH, {"good": GOOD, "poor": POOR}, ["RR"], test=test, correction=correction,
                     interval=interval, **FEW)  # fmt: skip
    told = {sentence.kind: sentence for sentence in cmp.how_made()}
    assert {"tested", "intervals_by", "made_by"} <= set(told)
    assert told["tested"].values["drawn"].kind == ("permutations" if test == "randomisation" else "nothing")
    assert told["intervals_by"].values["drawn"].kind == ("resamples" if interval == "percentile" else "nothing")
    assert told["intervals_by"].values["method"].kind == INTERVALS[interval]


@pytest.mark.parametrize("low", [None, 1])
@pytest.mark.parametrize("rank", [None, 2])
def test_a_rank_is_told_where_it_has_an_interval(rank, low):
    cmp = rm.compare(TRUTH, {"good": GOOD, "poor": POOR}, ["RR"], **FEW)
    score = replace(cmp.score("RR", "poor"), rank=rank, rank_low=low, rank_high=low and 2)
    told = [block.text.kind for block in score.told() if isinstance(getattr(block, "text", None), Said)]
    assert ("rank_said" in told) == (rank is not None and low is not None)
    assert "score_said" in told


@pytest.mark.parametrize("correction", ["bonferroni", "holm"])
@pytest.mark.parametrize("pairs", [0, 1, 2, 3])
def test_the_smallest_p_value_is_that_of_a_family_of_so_many_tests(pairs, correction):
    cmp = rm.compare(TRUTH, {"good": GOOD, "poor": POOR}, ["RR"], test="sign", **FEW)
    settings = replace(cmp.settings, pairs=pairs, correction=correction)
    smallest, drawn = smallest_p(Sampled(0.01), settings)
    assert smallest == pytest.approx(0.01 * max(pairs, 1))
    assert not drawn


class Sampled:
    """What a sample says of itself to the notes."""

    def __init__(self, smallest_p: float) -> None:
        self.smallest_p = smallest_p


@pytest.mark.parametrize("test", ["sign", "wilcoxon"])
@pytest.mark.parametrize(("one", "other", "way"), [
    ([0.5], [0.2], 1), ([0.2], [0.5], -1), ([0.5], [0.5], 0), ([0.1, 0.9], [0.5], 0), ([0.6, 0.9], [0.5], 1),
    ([0.5], [0.6, 0.9], -1), ([0.4], [0.2, 0.3, 0.45], 1),
])  # fmt: skip
def test_a_group_points_to_the_larger_values_of_one_run_and_of_many(one, other, way, test):
    samples = [Groups((np.array(one), np.array(other)))]
    assert directions(samples, [(0, 1)], test).tolist() == [[way]]
