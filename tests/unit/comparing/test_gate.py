from __future__ import annotations

import math
import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from scipy import stats

import rankmeter as rm
from rankmeter.comparing.gate import check_gate, check_gates, parse_gate
from rankmeter.report.pipelines import to_junit, to_summary
from rankmeter.stats.paired import p_value
from rankmeter.stats.resampling import Sample

TRUTH = {f"q{i}": {"a"} for i in range(20)}
OLD = {query: ["a", "x"] for query in TRUTH}
NEW = {query: ["a", "x"] if i >= 5 else ["x", "a"] for i, query in enumerate(TRUTH)}  # RR 0.875
WORSE = {query: ["x", "a"] for query in TRUTH}  # RR 0.5


@pytest.fixture(scope="module")
def cmp() -> rm.Comparison:
    systems = {"old": OLD, "new": NEW, "worse": WORSE}
    return rm.compare(TRUTH, systems, ["RR", "MeanRank"], baseline="old", permutations=2000, resamples=200)


def verdicts(cmp, text: str) -> dict[str, bool]:
    return {one.system: one.failed for one in check_gate(cmp, parse_gate(text))}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RR < baseline", {"new": True, "worse": True}),
        ("RR < baseline - 0.125", {"new": False, "worse": True}),  # exactly 0.125 below is not below that
        ("RR <= baseline - 0.125", {"new": True, "worse": True}),
        ("RR < baseline - 20%", {"new": False, "worse": True}),
        ("RR < 0.6", {"old": False, "new": False, "worse": True}),
        ("RR of new < worse + 0.1", {"new": False}),
        ("MeanRank > baseline + 0.5", {"new": False, "worse": True}),
        ("MRR < 'old' - .3", {"new": False, "worse": True}),
    ],
)
def test_gates_say_what_is_below_the_limit(cmp, text, expected) -> None:
    assert verdicts(cmp, text) == expected


def test_significance_is_one_sided_and_corrected_for_the_systems_of_the_gate(cmp) -> None:
    found = {one.system: one for one in check_gate(cmp, parse_gate("RR < baseline significantly"))}
    # Five equal losses: one pattern of 32 is as extreme; Holm leaves the larger of two p-values as it is.
    assert found["new"].p == pytest.approx(1 / 32, abs=0.01)
    assert found["worse"].p < 0.01


def test_a_gate_with_significance_needs_proof(cmp) -> None:
    found = {one.system: one for one in check_gate(cmp, parse_gate("RR < baseline - 0.1 significantly"))}
    assert not found["new"].failed
    assert "may be chance" in found["new"].why
    assert found["worse"].failed


@pytest.mark.parametrize("offset", [-0.2, 0.1])
@pytest.mark.parametrize("rule", ["mean", "geometric"])
def test_a_share_of_the_baseline_is_tested_as_a_share_of_an_estimate(offset, rule) -> None:
    """The limit varies with the queries as the baseline does: scipy's t of new - (1 + offset) baseline."""
    random = np.random.default_rng(4)
    ranks = {name: random.integers(1, 8, 40) for name in ("new", "baseline")}
    judgments = {f"q{query}": {"hit": 1} for query in range(40)}
    runs = {
        name: {f"q{query}": [f"d{place}" for place in range(rank - 1)] + ["hit"] for query, rank in enumerate(places)}
        for name, places in ranks.items()
    }
    measure = "RR" if rule == "mean" else "RR(aggregate=geometric)"
    cmp = rm.compare(judgments, runs, [measure], baseline="baseline")
    sign = "-" if offset < 0 else "+"
    (verdict,) = check_gate(cmp, parse_gate(f"{measure} < baseline {sign} {abs(offset):.0%} significantly"))
    new, old = (1 / ranks[name] for name in ("new", "baseline"))
    if rule == "mean":
        wanted = stats.ttest_1samp(new - (1 + offset) * old, 0, alternative="less").pvalue
    else:
        wanted = stats.ttest_1samp(np.log(new) - np.log(old) - math.log(1 + offset), 0, alternative="less").pvalue
    assert verdict.p == pytest.approx(wanted, rel=1e-6)


@pytest.mark.slow
def test_a_relative_gate_at_its_limit_fails_as_often_as_it_may() -> None:
    random, hits, trials = np.random.default_rng(6), 0, 2000
    for _ in range(trials):
        base = np.clip(random.normal(0.5, 0.28, 40), 0, 1)
        sample = Sample.of_values(np.array([0.8 * base + random.normal(0, 0.1, 40), base]))
        hits += p_value(sample.shifted(0, 1, 0.0, 0.8), "t", alternative="less", permutations=100, seed=0) < 0.05
    assert hits / trials == pytest.approx(0.05, abs=0.015)


@pytest.mark.parametrize("text", ["", "RR", "RR = 3", "RR < baseline * 2", "RR < ", "< 3", "RR < 1 < 2"])
def test_what_is_no_gate_is_refused_with_an_example(text) -> None:
    with pytest.raises(rm.RankmeterError, match=r"Hint: a gate looks like|is not a measure|not a gate"):
        parse_gate(text)


def test_unknown_measures_and_systems_are_refused(cmp) -> None:
    with pytest.raises(rm.MeasureError, match="unknown measure 'nDGC'"):
        parse_gate("nDGC@10 < 3")
    with pytest.raises(rm.NotFoundError, match=r"unknown system 'odl'. Hint: did you mean 'old'"):
        check_gate(cmp, parse_gate("RR < odl"))
    with pytest.raises(rm.NotFoundError, match="has no 'AP'"):
        check_gate(cmp, parse_gate("AP < 0.3"))


def test_baseline_needs_one() -> None:
    without = rm.compare(TRUTH, {"a": OLD, "b": NEW}, ["RR"], permutations=100, resamples=100)
    with pytest.raises(rm.InputError, match="needs a baseline"):
        check_gate(without, parse_gate("RR < baseline"))


def test_a_value_that_is_not_defined_fails_the_gate() -> None:
    nothing = {query: ["x", "y", "z", "a"] for query in TRUTH}
    cmp = rm.compare(TRUTH, {"a": OLD, "b": nothing}, ["RR(miss=skip)@3"], permutations=100, resamples=100)
    found = {one.system: one for one in check_gate(cmp, parse_gate("RR(miss=skip)@3 < 0.1"))}
    assert found["b"].failed
    assert "not defined" in found["b"].why
    assert not found["a"].failed


def test_junit_counts_failures_and_survives_any_name(cmp) -> None:
    found = check_gates(cmp, [parse_gate("RR < baseline - 0.2"), parse_gate("RR < 0.1")])
    root = ET.fromstring(to_junit(found, suite='a < b & "c"'))
    assert root.get("tests") == "5"
    assert root.get("failures") == "1"
    failure = root.find(".//failure")
    assert "worse is 0.5, below 0.8 (old - 0.2)" in failure.get("message")


def test_names_with_control_characters_make_readable_xml() -> None:
    cmp = rm.compare(TRUTH, {"a\x07<b>": OLD, "c": NEW}, ["RR"], permutations=100, resamples=100)
    assert ET.fromstring(to_junit(check_gate(cmp, parse_gate("RR < 2")))).get("failures") == "2"


def test_the_step_summary_begins_with_the_verdicts(cmp) -> None:
    text = to_summary(cmp, check_gates(cmp, [parse_gate("RR < baseline - 0.2")]))
    assert text.index("1 of 2 checks failed") < text.index("| no. | system |")


def test_a_gate_that_asks_for_proof_that_there_cannot_be_is_refused() -> None:
    truth = {i: {0} for i in range(30)}
    runs = {"old": {i: [0, 1] for i in range(30)}, "new": {i: [1, 0] for i in range(30)}}
    cmp = rm.compare(truth, runs, ["RR(aggregate=median)"], baseline="old", permutations=200, resamples=200)
    gate = "RR(aggregate=median) < baseline"
    assert check_gates(cmp, [parse_gate(gate)])[0].failed
    with pytest.raises(rm.InputError, match="cannot be checked: a median is not a mean over queries"):
        check_gates(cmp, [parse_gate(f"{gate} significantly")])


def test_the_baseline_needs_no_spaces_and_names_with_a_minus_stay_names() -> None:
    gate = parse_gate("RR < baseline-0.01")
    assert (gate.reference, gate.offset, gate.relative) == ("baseline", -0.01, False)
    assert parse_gate("RR < baseline+2%").offset == 0.02
    assert parse_gate("RR < bm25-0.01").reference == "bm25-0.01"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("RR < 1e400", "the limit 1e400 is too large"),
        ("RR < baseline - 1e999", "the limit -1e999 is too large"),
        ("RR < ０.５", "did you mean 'RR < 0.5'?"),
        ("RR < ٠.٥", "did you mean 'RR < 0.5'?"),
        ("RR ＜ 0.5", "did you mean 'RR < 0.5'?"),
        ("RR < baseline - ０.０１", "did you mean 'RR < baseline - 0.01'?"),
    ],
)
def test_numbers_that_are_none_are_refused_with_what_was_meant(text: str, said: str) -> None:
    with pytest.raises(rm.InputError, match=re.escape(said)):
        parse_gate(text)


def test_a_limit_without_spaces_says_how_it_is_written() -> None:
    cmp = rm.compare({"q": {"a"}}, {"bm25": {"q": ["a"]}, "dense": {"q": ["b"]}}, ["RR"], permutations=100)
    with pytest.raises(rm.InputError, match=r"put spaces around the sign: 'bm25 - 0\.01'"):
        check_gate(cmp, parse_gate("RR < bm25-0.01"))


def test_a_geometric_mean_is_held_against_a_number_on_its_own_scale() -> None:
    truth = {i: {0} for i in range(30)}
    runs = {name: {i: [1, 0] if i % n else [0, 1] for i in range(30)} for n, name in enumerate("ab", 2)}
    cmp = rm.compare(truth, runs, ["RR(aggregate=geometric)"], permutations=500, resamples=200)
    value = cmp.score("RR(aggregate=geometric)", "a").value
    near = check_gate(cmp, parse_gate(f"RR(aggregate=geometric) of a < {value + 0.01} significantly"))[0]
    far = check_gate(cmp, parse_gate("RR(aggregate=geometric) of a < 0.99 significantly"))[0]
    assert near.p > 0.2
    assert not near.failed
    assert far.failed
