"""Numbers of other tools and papers, reproduced to the digits in which they were given.

Ratio metric: tea-tasting and gbstats agree with each other to 1e-15. Sums and the sequential interval: the unit tests
of gbstats 0.8. Proportions: Newcombe (1998), R's prop.test, statsmodels 0.15. Off-policy: Open Bandit Pipeline 0.5.7.
Sessions: the example of Spark's ``session_window``. Interleaving: the tests of mpkato/interleaving.
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import rankmeter as rm
from rankmeter.measures import CTR, Conversions
from rankmeter.online import proportions
from rankmeter.online.inference import always_valid, difference, ratio, units_needed
from rankmeter.online.sums import Sums

SHOWN = {"A": [10, 4, 20, 1, 8, 5, 12, 2], "B": [9, 6, 15, 3, 7, 2, 14, 4]}
CLICKED = {"A": [1, 1, 3, 0, 2, 0, 1, 1], "B": [2, 1, 3, 1, 2, 0, 3, 1]}


def log():
    """The sixteen users as events."""
    rows = []
    for variant in "AB":
        for user, (shown, clicked) in enumerate(zip(SHOWN[variant], CLICKED[variant], strict=True)):
            for item in range(shown):
                row = {"user": f"{variant}{user}", "request": f"{variant}{user}", "item": item, "variant": variant}
                rows.append({**row, "time": 0, "type": "impression"})
                if item < clicked:
                    rows.append({**row, "time": 9, "type": "click"})
    return rows


def test_the_ratio_metric_of_sixteen_users():
    found = rm.online.experiment(log(), ["CTR", "CTR(per=user)", "CTR(per=reach)"])
    close = {"rel": 1e-12, "abs": 1e-12}
    assert found.values["A"][CTR].value == pytest.approx(0.14516129032258066, **close)
    assert found.values["B"][CTR].value == pytest.approx(0.21666666666666667, **close)
    assert found.values["A"][CTR].variance == pytest.approx(0.000801126496156712, **close)
    assert found.values["B"][CTR].variance == pytest.approx(0.00022786596119929442, **close)
    per_user = found.effect("CTR(per=user)")
    assert per_user.control_value.value == pytest.approx(0.16666666666666669, **close)
    assert per_user.value.value == pytest.approx(0.20902777777777776, **close)
    reach = found.effect("CTR(per=reach)")
    assert (reach.control_value.value, reach.value.value) == (0.75, 0.875)
    effect = found.effect("CTR")
    assert effect.difference.value == pytest.approx(0.07150537634408602, **close)
    assert math.sqrt(effect.difference.variance) == pytest.approx(0.032077912297342644, **close)
    assert effect.p == pytest.approx(0.0482834494540907, **close)
    assert effect.difference.low == pytest.approx(0.00064675820437647, **close)
    assert effect.difference.high == pytest.approx(0.14236399448379555, **close)
    # The relative interval on the plain scale, as gbstats has it.
    assert (round(effect.relative.low, 4), round(effect.relative.high, 4)) == (-0.1901, 1.1753)


def mean_sums(n, total, squares):
    return Sums.of_totals(["Conversions x", "Conversions y"], n, [total, n], [[squares, total], [total, n]])


def test_the_difference_of_means_of_gbstats():
    found = difference(mean_sums(3407, 1396.87, 52377.9767), mean_sums(3461, 2422.7, 134698.29), Conversions)
    assert [round(v, 5) for v in (found.absolute.value, found.absolute.low, found.absolute.high, found.p)] == [
        0.29, 0.04538, 0.53462, 0.02016]  # fmt: skip
    assert [round(v, 5) for v in (found.relative.value, found.relative.low, found.relative.high)] == [
        0.70732, -0.03526, 1.44989]  # fmt: skip


def test_the_sequential_interval_of_gbstats():
    # gbstats takes p(1-p) as the variance of a proportion, without n/(n-1).
    found = difference(mean_sums(3000, 1396, 1396), mean_sums(3461, 2422, 2422), Conversions).relative
    base, other = 1396 / 3000, 2422 / 3461
    variance = other * (1 - other) / 3461 / base**2 + base * (1 - base) / 3000 * other**2 / base**4
    exact = always_valid(type(found)(found.value, 0, 0, 0.95, "", 6461, variance), 0.95)
    assert [round(v, 5) for v in (exact.value, exact.low, exact.high)] == [0.50386, 0.40098, 0.60675]


WILSON = {(81, 263): (0.2553, 0.3662), (15, 148): (0.0624, 0.1605), (0, 20): (0, 0.1611), (1, 29): (0.0061, 0.1718)}
EXACT = {(81, 263): (0.2527, 0.3676), (15, 148): (0.0578, 0.1617), (0, 20): (0, 0.1684), (1, 29): (0.0009, 0.1776)}


@pytest.mark.parametrize("case", WILSON)
def test_intervals_of_proportions(case):
    assert [round(end, 4) for end in proportions.wilson(*case)] == list(WILSON[case])
    assert [round(end, 4) for end in proportions.exact(*case)] == list(EXACT[case])


def test_two_proportions():
    case = (56, 70, 48, 80)
    assert proportions.z_test(*case) == pytest.approx((2.6501719512585336, 0.00804508136819656), rel=1e-12)
    assert proportions.z_test(*case, pooled=False)[1] == pytest.approx(0.005942793304202759, rel=1e-12)
    assert [round(end, 4) for end in proportions.newcombe(*case)] == [0.0524, 0.3339]
    assert [round(end, 4) for end in proportions.wald(*case)] == [0.0575, 0.3425]
    assert [round(end, 4) for end in proportions.ratio_interval(*case)] == [1.0766, 1.6512]


def test_several_proportions_as_in_r():
    found = proportions.equal_proportions([83, 90, 129, 70], [86, 93, 136, 82])
    assert found == pytest.approx((12.600411297127634, 0.005585476661627036), rel=1e-12)


@pytest.mark.parametrize(
    ("counts", "ratios", "p"),
    [
        ([5100, 4900], None, 0.04550026389635857),
        ([821588, 815482], None, 1.8217928726191858e-06),
        ([310, 98, 95], [0.6, 0.2, 0.2], 0.7401802823335255),
        ([1000, 1200], None, 2.007865612426481e-05),
        ([2023, 1977], None, 0.46703),
    ],
)
def test_sample_ratios(counts, ratios, p):
    assert proportions.sample_ratio(counts, ratios) == pytest.approx(p, rel=1e-5 if p == 0.46703 else 1e-9)


def test_how_many_units_are_needed():
    # statsmodels' normal approximation with the variance of both arms taken from the control, by hand:
    # n = (1.959964 + 0.841621)^2 * 2 * 0.1 * 0.9 / 0.02^2 = 3532.
    n = 1_000_000
    sums = mean_sums(n, 0.1 * n, 0.1 * n)
    assert units_needed(sums, Conversions, relative=0.2) == math.ceil((1.959963985 + 0.841621234) ** 2 * 0.18 / 0.0004)


A, R, P_LOG = [0, 1, 2, 1, 0], [1, 0, 1, 1, 0], [0.5, 0.25, 0.25, 0.2, 0.5]
PI = np.array([[0.2, 0.5, 0.3], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4], [0.25, 0.5, 0.25], [0.6, 0.2, 0.2]])
Q = np.array([[0.4, 0.3, 0.2], [0.1, 0.5, 0.3], [0.2, 0.2, 0.6], [0.3, 0.5, 0.1], [0.5, 0.2, 0.2]])


def test_off_policy_estimates():
    rows = np.arange(5)
    found = rm.online.off_policy(
        R, P_LOG, PI[rows, A], predicted=Q[rows, A], expected=(PI * Q).sum(axis=1), clip=2
    )  # fmt: skip
    expected = {"IPS": 0.9, "clipped IPS": 0.8, "SNIPS": 0.5056179775280899, "DM": 0.364, "DR": 0.35}
    assert {name: found[name] for name in expected} == pytest.approx(expected, rel=1e-12)
    assert found.verdict.startswith("cannot tell")


def test_off_policy_estimates_of_slates():
    r = [[1, 0, 1], [0, 1, 0], [1, 1, 0]]
    logged = [[0.5, 0.4, 0.25], [0.2, 0.5, 0.5], [0.5, 0.25, 0.4]]
    target = [[0.8, 0.2, 0.5], [0.4, 0.5, 0.25], [0.25, 0.5, 0.4]]
    expected = {
        "standard": (2.0666667, 1.7222222),
        "item-position": (2.3666667, 1.9407665505),
        "cascade": (2.2333333, 1.7461132506),
    }
    for model, (ips, snips) in expected.items():
        found = rm.online.off_policy_slates(r, logged, target, model=model)
        assert (found["IPS"], found["SNIPS"]) == pytest.approx((ips, snips), abs=5e-8)


def test_one_slot_is_plain_ips_as_in_vowpal_wabbit():
    found = rm.online.off_policy_slates([[1.0], [1.0]], [[0.3], [0.3]], [[0.6], [0.6]])
    assert (found["IPS"], found["SNIPS"]) == pytest.approx((2.0, 1.0))


def spark(events):
    times = [f"2021-01-01 00:{time}" for _, time in events]
    return pl.DataFrame({"user": [user for user, _ in events], "time": times, "type": ["view"] * len(events)})


def test_the_sessions_of_spark():
    events = [("A1", "00:00"), ("A1", "04:30"), ("A1", "10:00"), ("A2", "01:00")]
    found = rm.online.evaluate(spark(events), "SessionDuration(gap=5)")
    assert found.counts["sessions"] == 3
    assert found["SessionDuration(gap=5)"] == pytest.approx(270 / 3)
    events.append(("A2", "04:30"))
    found = rm.online.evaluate(spark(events), ["SessionDuration(gap=5)", "SessionDuration(gap=5,zeros=drop)"])
    assert found["SessionDuration(gap=5)"] == pytest.approx((270 + 0 + 210) / 3)
    assert found["SessionDuration(gap=5,zeros=drop)"] == pytest.approx(240)
    assert found.zero_share == pytest.approx(1 / 3)


def test_the_lists_of_team_draft():
    two = {rm.online.team_draft([1, 2], [2, 3], length=2, seed=seed).items for seed in range(200)}
    assert two == {(1, 2), (2, 1)}
    three = {rm.online.team_draft([1, 2, 3], [2, 3, 1], seed=seed) for seed in range(500)}
    assert len({(one.items, one.teams) for one in three}) == 4


def test_the_funnel_in_which_the_conversion_rate_falls_and_sales_rise():
    rows = []
    for variant, clicks, sales in (("control", 200, 100), ("treatment", 400, 140)):
        for user in range(1000):
            row = {"user": f"{variant}{user}", "item": "a", "variant": variant}
            rows.append({**row, "time": 0, "type": "impression"})
            rows += [{**row, "time": 1, "type": "click"}] if user < clicks else []
            rows += [{**row, "time": 2, "type": "purchase"}] if user < sales else []
    found = rm.online.experiment(rows, ["CVR"])
    rate, sold = found.effect("CVR"), found.effect("Conversions")
    assert (rate.control_value.value, rate.value.value) == pytest.approx((0.5, 0.35))
    assert (sold.control_value.value, sold.value.value) == pytest.approx((0.1, 0.14))
    assert (rate.verdict, sold.verdict) == ("worse", "better")
    assert any("opposite directions" in note for note in found.notes)


def test_cluster_robust_regression_is_the_delta_method_with_ddof_0():
    names = ("CTR x", "CTR y")
    groups = [
        Sums.of_rows(names, np.column_stack([CLICKED[v], SHOWN[v]]).astype(float)) for v in "AB"
    ]  # fmt: skip
    spread = sum(ratio(one, CTR)[1] * 7 / 8 for one in groups)
    assert math.sqrt(spread) == pytest.approx(0.0300061393749096, rel=1e-12)
