"""The same data gives the same numbers as tea-tasting, gbstats and scipy give: recorded, or computed here."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import rankmeter as rm
from rankmeter.measures import parse

RECORDED = json.loads((Path(__file__).parent / "online_tools.json").read_text())
ORDERS, PER_SESSION = parse("Conversions"), parse("Conversions(per=session)")


def log():
    """The recorded users as events; a user who was not there before has none of then."""
    rows = []
    data = RECORDED["users"]
    for user, variant in enumerate(data["variant"]):
        for moment, suffix in ((0, "_before"), (10_000_000, "")):
            orders, sessions = data[f"orders{suffix}"][user], data[f"sessions{suffix}"][user]
            row = {"user": user, "variant": "AB"[variant]}
            rows += [{**row, "time": moment + 7200 * place, "type": "ping"} for place in range(sessions)]
            rows += [{**row, "time": moment + place, "type": "purchase"} for place in range(orders)]
    return rows


@pytest.fixture(scope="module")
def trials():
    options = {"control": "A", "correction": "none"}
    measures = [ORDERS, PER_SESSION]
    return {
        "plain": rm.online.experiment([row for row in log() if row["time"] >= 10_000_000], measures, **options),
        "adjusted": rm.online.experiment(log(), measures, start=10_000_000, **options),
    }


OFFERED = [
    (tool, *estimator)
    for tool in ("tea-tasting 1.14.0", "gbstats 0.8.0")
    for estimator in [("mean", "plain", ORDERS), ("cuped", "adjusted", ORDERS), ("ratio", "plain", PER_SESSION),
                      ("ratio_cuped", "adjusted", PER_SESSION)]
    if (tool, estimator[0]) != ("gbstats 0.8.0", "ratio_cuped")  # which that version does not have
]  # fmt: skip


@pytest.mark.parametrize(("tool", "name", "trial", "measure"), OFFERED)
def test_differences_intervals_and_p_values_are_those_of_other_tools(trials, tool, name, trial, measure):
    effect = trials[trial].effect(measure)
    told = [effect.difference.value, effect.difference.low, effect.difference.high, effect.p]
    assert told == pytest.approx(RECORDED[tool][name], rel=1e-6)


def test_the_coefficient_is_that_of_gbstats(trials):
    coefficients = trials["adjusted"].effect(ORDERS).adjusted.coefficients
    assert coefficients["before"] == pytest.approx(RECORDED["gbstats 0.8.0"]["theta"], rel=1e-9)


def test_the_difference_of_means_is_that_of_scipy(trials):
    from scipy import stats

    data = {name: np.array(values) for name, values in RECORDED["users"].items()}
    sides = [data["orders"][data["variant"] == side] for side in (1, 0)]
    expected = stats.ttest_ind(*sides, equal_var=False)
    effect = trials["plain"].effect(ORDERS)
    assert effect.p == pytest.approx(expected.pvalue, rel=1e-9)
    assert (effect.difference.low, effect.difference.high) == pytest.approx(expected.confidence_interval(), rel=1e-9)
