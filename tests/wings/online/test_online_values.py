"""Numbers of other tools and papers, reproduced to the digits in which they were given.

``online_values.json`` holds every value with its source; each has one entry in ``FOUND`` that computes it here.
"""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.special import ndtr, stdtr
from tests.other_scipy import T_QUANTILES

import rankmeter as rm
from rankmeter.measures import CTR, Conversions
from rankmeter.stats import power as proportions
from rankmeter.stats.corrections import corrected
from rankmeter.stats.student import t_quantile
from rankmeter.wings.online.contrasts import cuped, difference, ratio, units_needed
from rankmeter.wings.online.estimates import Estimate
from rankmeter.wings.online.looks import Look
from rankmeter.wings.online.sums import Sums

HERE = Path(__file__).parent
RECORDED = json.loads((HERE / "online_values.json").read_text())
SHOWN = {"A": [10, 4, 20, 1, 8, 5, 12, 2], "B": [9, 6, 15, 3, 7, 2, 14, 4]}
CLICKED = {"A": [1, 1, 3, 0, 2, 0, 1, 1], "B": [2, 1, 3, 1, 2, 0, 3, 1]}
P_VALUES = np.array([0.01, 0.04, 0.03, 0.005, 0.5])


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


@cache
def sixteen():
    return rm.online.experiment(log(), ["CTR", "CTR(per=user)", "CTR(per=reach)"])


def both(measure):
    effect = sixteen().effect(measure)
    return [effect.control_value.value, effect.value.value]


def difference_and_z():
    one = sixteen().effect("CTR").difference
    return [one.value, math.sqrt(one.variance), one.value / math.sqrt(one.variance)]


def relative_p(found):
    """The p-value of no relative difference, from the variance of the relative difference."""
    return 2 * stdtr(found.freedom, -abs(found.relative.value) / math.sqrt(found.relative.variance))


def plain_scale(found):
    """The interval of a relative difference on the plain scale, as some tools give it; here it is Fieller's."""
    half = t_quantile(0.95, found.freedom) * math.sqrt(found.relative.variance)
    return [found.relative.value, found.relative.value - half, found.relative.value + half]


def always_valid(one):
    half = Look(rule="always-valid").quantile(math.inf, one.units) * math.sqrt(one.variance)
    return [one.value, one.value - half, one.value + half]


def mean_sums(n, total, squares):
    return Sums.of_totals(["Conversions x", "Conversions y"], n, [total, n], [[squares, total], [total, n]])


def log_scale():
    """The interval of the ratio of two estimates on the log scale, less 1."""
    (a, var_a), (b, var_b) = (ratio(sixteen().sums[v], CTR) for v in "AB")
    parts = var_a / a**2, var_b / b**2
    freedom = sum(parts) ** 2 / sum(part**2 / 7 for part in parts)
    half = t_quantile(0.95, freedom) * math.sqrt(sum(parts))
    return [b / a * math.exp(-half) - 1, b / a * math.exp(half) - 1]


def means():
    return difference(mean_sums(3407, 1396.87, 52377.9767), mean_sums(3461, 2422.7, 134698.29), Conversions)


def proportion_relative(count, n, other_count, other_n):
    """gbstats takes p(1-p) as the variance of a proportion, without n/(n-1): the same sums, scaled."""
    base, other = count / n, other_count / other_n
    variance = other * (1 - other) / other_n / base**2 + base * (1 - base) / n * other**2 / base**4
    return Estimate(other / base - 1, 0, 0, 0.95, "", n + other_n, variance)


def proportion_p():
    relative = proportion_relative(14, 28, 16, 30)
    parts = [p * (1 - p) / n for p, n in ((14 / 28, 28), (16 / 30, 30))]
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / 27 + parts[1] ** 2 / 29)
    return [2 * stdtr(freedom, -abs(relative.value) / math.sqrt(relative.variance))]


def ratio_sums(n, x, xx, y, yy, xy):
    return Sums.of_totals(["CTR x", "CTR y"], n, [x, y], [[xx, xy], [xy, yy]])


def ratio_of_sums():
    found = difference(ratio_sums(100, 270, 848.79, 510, 810, -900), ratio_sums(120, 300, 869, 500, 800, -905), CTR)
    return [found.relative.value, relative_p(found)]


def before_sums(name, n, totals, upper):
    """Sums of x, y and both before, from the upper triangle of their products."""
    products = np.zeros((4, 4))
    products[np.triu_indices(4)] = upper
    products = products + np.triu(products, 1).T
    return Sums.of_totals([f"{name} {side}" for side in ("x", "y", "x before", "y before")], n, totals, products)


def cuped_ratio():
    control = before_sums(
        "CTR", 100, [485.112236689623, 679.9093275844917, 192.59138069991536, 290.1398399750233],
        [2715.484666118136, 3602.146836776702, 1113.6215759318352, 1559.2878434944676, 4939.424001640236,
         1460.3181079276983, 2130.9404074446747, 460.076026390857, 634.239482353647, 920.9461385038898],
    )  # fmt: skip
    treatment = before_sums(
        "CTR", 100, [514.7757826608777, 705.4090874383759, 206.94157227402536, 302.54389139107326],
        [2994.897482705013, 3918.1561431600717, 1237.0953021125997, 1701.0287270040265, 5291.36604146392,
         1604.075950326651, 2292.081739775257, 514.2903702246757, 698.4173425817913, 994.4506208125663],
    )  # fmt: skip
    found = cuped(control, treatment, CTR, pooled="within").difference
    return [found.relative.value, relative_p(found)]


def cuped_mean():
    def sums(n, x, xx, p, pp, xp):
        return before_sums("Conversions", n, [x, n, p, n], [xx, x, xp, x, n, p, n, pp, p, n])

    control, treatment = sums(3001, 300, 600, 210, 415, -20), sums(3000, 222, 555, 120, 405, -10)
    found = cuped(control, treatment, Conversions).difference
    # gbstats takes the plain difference, not the adjusted one, for how much the control's error moves a relative one.
    moved = difference(control, treatment, Conversions).absolute.value
    variance = found.absolute.variance / found.base**2 + moved**2 * found.base_variance / found.base**4
    variance -= 2 * moved * found.shared / found.base**3
    return [found.relative.value, 2 * stdtr(found.freedom, -abs(found.relative.value) / math.sqrt(variance))]


def running_power():
    """How often a relative effect of 0.05 is found after so many times more units, from the variance so far."""
    variance, units = 0.008426853707414856, 1000

    def power(factor, always):
        grown = Estimate(0.05, 0, 0, 0.95, "", round(units * (1 + factor)), variance / (1 + factor))
        error = math.sqrt(grown.variance)
        half = 0.05 - always_valid(grown)[1] if always else t_quantile(0.95, 10**9) * error
        return ndtr((0.05 - half) / error)

    return [power(25.45703125, always=False), power(55.66796875, always=True)]


def units_for_orders():
    """Its users' spread is not published, but the effect that 10,000 of them find is: so many deviations make 0.05."""
    low, high = 0.01, 1.0  # the effect in deviations that 5,000 in each group find
    while high - low > 1e-13:
        middle = (low + high) / 2
        low, high = (low, middle) if rm.online.units_for_effect(middle) < 5000 else (middle, high)
    deviation = 0.04537464375458489 / high
    return [2 * math.ceil(rm.online.units_for_effect(0.05 / deviation))]


def four_choices(*propensities):
    """Four users; the item that the new policy chooses was shown to three of them, and one of those clicked."""
    predicted = [0.8, 0.7, 0.8, 0.7]
    return rm.online.off_policy([0, 1, 0, 0], propensities, [1, 1, 0, 1], predicted=predicted, expected=predicted)


def hundred(above, below):
    names = ("Conversions x", "Conversions y")
    users = RECORDED["tea_tasting_users"]
    columns = [[u[above], u[below] if below else [1] * len(u[above])] for u in users.values()]
    return [Sums.of_rows(names, np.array(pair, float).T) for pair in columns]


def orders_per_user():
    control, treatment = hundred("orders", None)
    found = difference(control, treatment, Conversions)
    return [ratio(control, Conversions)[0], ratio(treatment, Conversions)[0], found.p]


def orders_per_session():
    groups = hundred("orders", "sessions")
    (a, var_a), (b, var_b) = (ratio(one, Conversions) for one in groups)
    n, m = (one.n for one in groups)
    pooled = (var_a * n * (n - 1) + var_b * m * (m - 1)) / (n + m - 2)
    return [1 - stdtr(n + m - 2, (b - a) / math.sqrt(pooled * (1 / n + 1 / m)))]


A, R, P_LOG = [0, 1, 2, 1, 0], [1, 0, 1, 1, 0], [0.5, 0.25, 0.25, 0.2, 0.5]
PI = np.array([[0.2, 0.5, 0.3], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4], [0.25, 0.5, 0.25], [0.6, 0.2, 0.2]])
Q = np.array([[0.4, 0.3, 0.2], [0.1, 0.5, 0.3], [0.2, 0.2, 0.6], [0.3, 0.5, 0.1], [0.5, 0.2, 0.2]])


def off_policy():
    rows = np.arange(5)
    found = rm.online.off_policy(R, P_LOG, PI[rows, A], predicted=Q[rows, A], expected=(PI * Q).sum(axis=1), clip=2,
                                 switch=1.5, shrink=1.5)  # fmt: skip
    return {name: one.value for name, one in found.estimates.items()}


def slates(model):
    r = [[1, 0, 1], [0, 1, 0], [1, 1, 0]]
    logged = [[0.5, 0.4, 0.25], [0.2, 0.5, 0.5], [0.5, 0.25, 0.4]]
    target = [[0.8, 0.2, 0.5], [0.4, 0.5, 0.25], [0.25, 0.5, 0.4]]
    found = rm.online.off_policy_slates(r, logged, target, model=model)
    return [found["IPS"], found["SNIPS"]]


def one_slot(*names):
    found = rm.online.off_policy_slates([[1.0]] * 2, [[0.3]] * 2, [[0.6]] * 2, model="standard")
    return [found[name] for name in names]


def spark(events):
    times = [f"2021-01-01 00:{time}" for _, time in events]
    return pl.DataFrame({"user": [user for user, _ in events], "time": times, "type": ["view"] * len(events)})


SPARK = [("A1", "00:00"), ("A1", "04:30"), ("A1", "10:00"), ("A2", "01:00")]


def session_table(events):
    from rankmeter.wings.online.log import sessions_of

    rows = sorted((user, int(time[:2]) * 60 + int(time[3:])) for user, time in events)
    user = np.array([["A1", "A2"].index(one) for one, _ in rows])
    time = np.array([seconds for _, seconds in rows]) * 1_000_000
    return sessions_of(user, time, None, gap=300_000_000, max_length=None)


def funnel():
    rows = []
    for user in range(1000):
        steps = [("impression", 1000), ("click", 400), ("cart", 120), ("purchase", 60)]
        rows += [{"user": user, "time": 0, "item": 1, "type": kind} for kind, n in steps if user < n]
    found = rm.online.evaluate(rows, ["CTR(per=reach)", "CVR(per=user)"])
    carts = rm.online.evaluate(rows, "CVR(per=user)", types={"conversion": "cart", "other": "purchase"})
    return [found["CTR(per=reach)"], carts["CVR(per=user)"], found["CVR(per=user)"]]


def three_lists():
    made = {rm.online.team_draft([1, 2, 3], [2, 3, 1], seed=seed) for seed in range(500)}
    return [len({(one.items, one.teams) for one in made})]


def estimate_ends(one):
    return [one.value, one.low, one.high]


FOUND = {
    **{f"Wilson {c}/{n}": lambda c=c, n=n: proportions.wilson(c, n)
       for c, n in ((81, 263), (15, 148), (0, 20), (1, 29))},
    "Holm": lambda: corrected(P_VALUES, "holm"),
    "Hochberg": lambda: corrected(P_VALUES, "hochberg"),
    "Benjamini-Hochberg": lambda: corrected(P_VALUES, "bh"),
    "Benjamini-Yekutieli": lambda: corrected(P_VALUES, "by"),
    "units for .10 against .12, arcsine": lambda: [rm.online.units_for_rates(0.1, 0.12, approximation="arcsine")],
    "units for .10 against .12, normal": lambda: [rm.online.units_for_rates(0.1, 0.12)],
    "units for half a standard deviation": lambda: [rm.online.units_for_effect(0.5)],
    "sample ratio 5100/4900": lambda: [rm.online.sample_ratio([5100, 4900])],
    "sample ratio 821588/815482": lambda: [rm.online.sample_ratio([821588, 815482])],
    "sample ratio 310/98/95 at .6/.2/.2": lambda: [rm.online.sample_ratio([310, 98, 95], [0.6, 0.2, 0.2])],
    "sample ratio 1000/1200": lambda: [rm.online.sample_ratio([1000, 1200])],
    "sample ratio 2023/1977, plain": lambda: [rm.online.sample_ratio([2023, 1977])],
    "sample ratio 2023/1977, with continuity": lambda: [rm.online.sample_ratio([2023, 1977], continuity="yates")],
    "sixteen users, CTR": lambda: both("CTR"),
    "sixteen users, mean of ratios": lambda: both("CTR(per=user)"),
    "sixteen users, reach": lambda: both("CTR(per=reach)"),
    "sixteen users, variances": lambda: [sixteen().values[v][CTR].variance for v in "AB"],
    "sixteen users, difference, its error and z": difference_and_z,
    "sixteen users, normal p": lambda: [2 * ndtr(-difference_and_z()[2])],
    "sixteen users, Welch's p and interval": lambda: [
        sixteen().effect("CTR").p, *estimate_ends(sixteen().effect("CTR").difference)[1:]
    ],
    "sixteen users, cluster-robust error": lambda: [
        math.sqrt(sum(sixteen().values[v][CTR].variance * 7 / 8 for v in "AB"))
    ],
    "sixteen users, relative interval and p on the plain scale": lambda: [
        *plain_scale(sixteen().effect("CTR").test)[1:], relative_p(sixteen().effect("CTR").test)
    ],
    "sixteen users, relative interval on the log scale": log_scale,
    "means, absolute": lambda: [*estimate_ends(means().absolute), means().p],
    "means, relative": lambda: [*plain_scale(means()), relative_p(means())],
    "14/28 against 16/30, relative p": proportion_p,
    "always-valid relative interval": lambda: always_valid(proportion_relative(1396, 3000, 2422, 3461)),
    "ratio of sums, relative lift and p": ratio_of_sums,
    "CUPED of a ratio, relative lift and p": cuped_ratio,
    "CUPED of a mean, relative lift and p with gbstats' coefficient and slope": cuped_mean,
    "power of a running experiment with 25.45703125 and, always valid, 55.66796875 times more units": running_power,
    "units for an effect of 0.05 orders, where 10,000 find 0.04537464375458489": units_for_orders,
    "four choices, all propensities 1/4: matching CTR, IPS and DR": lambda: [
        four_choices(*[0.25] * 4)[name] for name in ("SNIPS", "IPS", "DR")
    ],
    "four choices, propensities .1, .6, .2, .1: IPS and DR": lambda: [
        four_choices(0.1, 0.6, 0.2, 0.1)[name] for name in ("IPS", "DR")
    ],
    "a hundred users, orders per user and p": orders_per_user,
    "a hundred users, orders per session, one-sided p with equal variances": orders_per_session,
    "off-policy": off_policy,
    **{f"slates, {model}": lambda model=model: slates(model) for model in ("standard", "item-position", "cascade")},
    "one slot": lambda: one_slot("IPS", "SNIPS"),
    "one slot, pseudo-inverse": lambda: one_slot("pseudo-inverse"),
    "sessions, events in each": lambda: sorted(session_table(SPARK).events.tolist()),
    "sessions, seconds": lambda: sorted(session_table([*SPARK, ("A2", "04:30")]).seconds.tolist()),
    "team draft, lists of [1,2] and [2,3]": lambda: np.array(
        sorted({rm.online.team_draft([1, 2], [2, 3], length=2, seed=seed).items for seed in range(200)})
    ),
    "team draft, lists and teams of [1,2,3] and [2,3,1]": three_lists,
    "optimised lists of [1,2] and [2,3]": lambda: [
        one.probability for one in rm.online.optimised_lists([1, 2], [2, 3])
    ],
    "funnel of 1000": funnel,
}  # fmt: skip


@pytest.mark.parametrize("value", RECORDED["values"], ids=lambda value: value["name"])
def test_the_recorded_value_is_reproduced(value):
    found = FOUND[value["name"]]()
    same = max(value["rel"], 10 * T_QUANTILES) if "rel" in value else 0.0
    if isinstance(value["expected"], dict):
        assert found == pytest.approx(value["expected"], rel=same)
    elif "digits" in value:
        assert [round(float(one), value["digits"]) for one in found] == value["expected"]
    else:
        assert np.asarray(found, float) == pytest.approx(np.array(value["expected"]), rel=same)


def test_every_recorded_value_is_computed_and_nothing_else():
    assert sorted(FOUND) == sorted(value["name"] for value in RECORDED["values"])


def test_how_many_units_are_needed():
    # With the variance of both arms taken from the control:
    # n = (1.959964 + 0.841621)^2 * 2 * 0.1 * 0.9 / 0.02^2 = 3532.
    n = 1_000_000
    sums = mean_sums(n, 0.1 * n, 0.1 * n)
    assert units_needed(sums, Conversions, relative=0.2) == math.ceil((1.959963985 + 0.841621234) ** 2 * 0.18 / 0.0004)


def test_the_sessions_of_spark():
    found = rm.online.evaluate(spark(SPARK), "SessionDuration(gap=5)")
    assert found.counts["sessions"] == 3
    assert found["SessionDuration(gap=5)"] == pytest.approx(270 / 3)
    asked = ["SessionDuration(gap=5)", "SessionDuration(gap=5,zeros=drop)"]
    found = rm.online.evaluate(spark([*SPARK, ("A2", "04:30")]), asked)
    assert found["SessionDuration(gap=5)"] == pytest.approx((270 + 0 + 210) / 3)
    assert found["SessionDuration(gap=5,zeros=drop)"] == pytest.approx(240)
    assert found.zero_share == pytest.approx(1 / 3)


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
