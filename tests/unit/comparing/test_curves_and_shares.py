"""Curves over cutoffs against each cutoff measured alone; tests against a share of another system's value."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import rankmeter as rm
from rankmeter.comparing.ranked_lists import CUTOFFS, MOST_FAMILIES, curves

FEW = {"permutations": 200, "resamples": 100}


def runs(queries: int):
    random = np.random.default_rng(queries)
    items = [f"d{number}" for number in range(6)]
    truth = {f"q{number}": dict.fromkeys(items[: 1 + number % 3], 1) for number in range(queries)}
    return truth, {name: {query: random.permutation(items).tolist() for query in truth} for name in ("one", "other")}


@pytest.mark.parametrize("queries", [1, 2, 3, 12])
@pytest.mark.parametrize("deepest", [None, 0, 1, 4, 5, 6])
def test_a_curve_is_each_cutoff_measured_alone_with_its_standard_error(queries, deepest):
    truth, systems = runs(queries)
    measures = ["P@2", "nDCG@3", "nDCG@5", "AP", "NumRel"]
    cmp = rm.compare(truth, systems, measures, **FEW)
    found = curves(cmp.measures, cmp.inputs, z=1.5, deepest=deepest)
    assert list(found) == ["P", "nDCG", "AP"]
    cutoffs = [k for k in CUTOFFS if deepest is None or k <= deepest] or [CUTOFFS[0]]
    for family, curve in found.items():
        assert curve["k"] == cutoffs
        for place, run in enumerate(systems.values()):
            for at, cutoff in enumerate(cutoffs):
                values = rm.evaluate(truth, run, [f"{family}@{cutoff}"]).per_query[f"{family}@{cutoff}"].to_numpy()
                error = stats.sem(values) if queries > 1 else 0.0
                expected = values.mean(), max(values.mean() - 1.5 * error, 0), min(values.mean() + 1.5 * error, 1)
                got = [curve[end][place][at] for end in ("value", "low", "high")]
                assert got == pytest.approx(expected)


def test_as_many_families_have_a_curve_as_are_shown():
    truth, systems = runs(3)
    measures = [f"RBP(p=0.{digit})@3" for digit in range(1, 10)]
    cmp = rm.compare(truth, systems, measures, **FEW)
    for asked in (MOST_FAMILIES - 1, MOST_FAMILIES, MOST_FAMILIES + 1):
        assert len(curves(cmp.measures[:asked], cmp.inputs, z=1.0)) == min(asked, MOST_FAMILIES)
    whole = rm.compare(truth, systems, ["NumRel", "AP(aggregate=geometric)"], **FEW)
    assert curves(whole.measures, whole.inputs, z=1.0) == {}


@pytest.mark.parametrize("alternative", ["less", "greater"])
@pytest.mark.parametrize("factor", [0.5, 0.9, 1.0, 1.1, 2.0])
@pytest.mark.parametrize("shift", [0.0, 0.02, -0.02])
def test_a_share_of_another_value_is_tested_unit_by_unit(factor, shift, alternative):
    truth, systems = runs(12)
    cmp = rm.compare(truth, systems, ["nDCG@3"], test="t", **FEW)
    measure = cmp.find("nDCG@3")
    one, other = (rm.evaluate(truth, systems[name], ["nDCG@3"]).per_query["nDCG@3"].to_numpy() for name in systems)
    found = cmp.p_shifted(measure, "one", "other", shift, alternative, factor=factor)
    gaps = {sign: one - factor * other + sign * shift for sign in (1, -1)}
    expected = [stats.ttest_1samp(row, 0, alternative=alternative).pvalue for row in gaps.values()]
    assert found == pytest.approx(expected[1])  # the shift is that of the limit: one against other + shift
    assert math.isfinite(found)


@pytest.mark.parametrize("bad", ["x", None, {"c": 1.0}])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_the_lists_of_single_queries_are_told_from_runs_by_all_of_their_values(bad, place):
    truth, _ = runs(3)
    scores = {f"d{number}": bad if number == place else 1.0 for number in range(3)}
    with pytest.raises((rm.InputError, rm.RankmeterError)) as told:
        rm.compare(truth, {"q0": scores, "q1": scores}, ["P@2"], **FEW)
    assert told.value.problem.kind != "comparing.one_run_by_query"
    plain = dict.fromkeys(scores, 1.0)
    with pytest.raises(rm.InputError) as told:
        rm.compare(truth, {"q0": plain, "q1": plain}, ["P@2"], **FEW)
    assert told.value.problem.kind == "comparing.one_run_by_query"
