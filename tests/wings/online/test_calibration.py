"""Tests and intervals do what they say, in the situations that once deceived them: small simulations with seeds.

``benchmarks/online_simulation.py`` measures the same with more draws and prints the table of docs/online.md.
"""

from __future__ import annotations

import math
import time

import numpy as np
import polars as pl
import pytest
from scipy import stats

import rankmeter as rm
from rankmeter.errors import InputError, MeasureError
from rankmeter.measures import parse
from rankmeter.wings.online import estimates as locations
from rankmeter.wings.online import heavy_units
from rankmeter.wings.online.contrasts import cuped, difference, ratio, stratified
from rankmeter.wings.online.estimates import Estimate, heterogeneity
from rankmeter.wings.online.heavy_units import Heaviest, Redrawn
from rankmeter.wings.online.looks import Look, boundaries
from rankmeter.wings.online.sums import Sums

CTR, SALES = parse("CTR"), parse("Conversions")
NAMES = ("Conversions x", "Conversions y")


def means(rows, before=None):
    """The sums of users whose conversions are given."""
    columns = [rows, np.ones(len(rows))]
    if before is not None:
        columns += [before, np.ones(len(rows))]
    names = NAMES if before is None else (*NAMES, *(f"{name} before" for name in NAMES))
    return Sums.of_rows(names, np.column_stack(columns).astype(float))


def share(found, total, wanted, deviations=3.5):
    """Whether so many of so many are what is wanted, give or take the error of the simulation."""
    return abs(found / total - wanted) < deviations * math.sqrt(max(wanted * (1 - wanted), 0.01) / total)


# Interleaving ---------------------------------------------------------------------------------------------------------


def test_users_who_click_position_one_favour_neither_side_of_optimised_lists():
    lists = rm.online.optimised_lists([1, 2], [2, 3])
    random = np.random.default_rng(0)
    alarms = 0
    for _ in range(150):
        drawn = random.choice(len(lists), 300, p=[one.probability for one in lists])
        rows = [{"user": u, "request": u, "credit": lists[which].credits[0]} for u, which in enumerate(drawn)]
        alarms += rm.online.score_interleaving(pl.DataFrame(rows)).p < 0.05
    assert share(alarms, 150, 0.05)


def test_a_ranking_whose_items_are_clicked_wins_by_optimised_lists():
    lists = rm.online.optimised_lists([1, 2, 3], [4, 5, 6])
    random = np.random.default_rng(0)
    rows = []
    for user, which in enumerate(random.choice(len(lists), 300, p=[one.probability for one in lists])):
        for item, credit in zip(lists[which].items, lists[which].credits, strict=True):
            rows += [{"user": user, "request": user, "credit": credit}] if item >= 4 else []
    found = rm.online.score_interleaving(rows)
    assert found.verdict == "B"
    assert found.credit.low > 0


@pytest.mark.parametrize(
    ("a", "b"),
    [(range(10), range(3)), (range(10), range(20, 23)), ([1], [1]), ([1], [1, 2]), ([1, 2], [2]), ([], [1, 2]),
     ([1, 2, 3], [3, 4]), (range(5), range(5))],
)  # fmt: skip
@pytest.mark.parametrize("length", [None, 1, 2, 3, 12])
def test_no_position_is_of_one_team_more_often(a, b, length):
    a, b = list(a), list(b)
    if not a and length is None:
        length = 2
    made = [rm.online.team_draft(a, b, length=length, seed=seed) for seed in range(400)]
    for place in range(max(len(one.teams) for one in made)):
        teams = [one.teams[place] for one in made if len(one.teams) > place]
        assert abs(teams.count("A") - teams.count("B")) < 4 * math.sqrt(400)
    wanted = max(len(a), len(b)) if length is None else length
    assert {len(one.items) for one in made} == {min(wanted, len({*a, *b}))}


def query_lists(random, queries=30, users=400, versions=1):
    """Zipf traffic to lists with one coin a query (or one a request), and users who click the first position."""
    traffic = 1 / np.arange(1, queries + 1)
    asked = random.choice(queries, users, p=traffic / traffic.sum())
    coins = random.integers(2, size=queries)[asked] if versions == 1 else random.integers(2, size=users)
    return pl.DataFrame({"user": np.arange(users), "request": np.arange(users), "query": asked,
                         "team": np.where(coins == 0, "A", "B")})  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("versions", "unit"), [(1, "query"), (2, "user")])
def test_coins_of_queries_are_scored_by_query_and_those_of_requests_by_user(versions, unit):
    random = np.random.default_rng(1)
    logs = [query_lists(random, versions=versions) for _ in range(200)]
    logs = [log if versions == 1 else log.with_columns(version=1) for log in logs]
    found = [rm.online.score_interleaving(log) for log in logs]
    assert {one.unit for one in found} == {unit}
    assert sum(one.p < 0.05 for one in found) / 200 < 0.09
    if versions == 1:  # what one vote a user would do to it
        assert sum(rm.online.score_interleaving(log, unit="user").p < 0.05 for log in logs) / 200 > 0.3


# Position bias --------------------------------------------------------------------------------------------------------


def search_log(random, queries=150, requests=8000, depth=5, query_role=True):
    """Every query has its own order of goodness; a ranker swaps neighbours now and then; people look down less."""
    looked = np.array([1.0, 0.7, 0.5, 0.35, 0.25])[:depth]
    good = np.sort(random.beta(1, 2, (queries, depth)), axis=1)[:, ::-1]
    items = np.argsort(random.random((queries, 40)), axis=1)[
        :, :depth
    ]  # one item is good for one query, bad for another
    asked = random.integers(0, queries, requests)
    order = np.tile(np.arange(depth), (requests, 1))
    for place in range(depth - 1):
        swap = random.random(requests) < 0.3
        order[swap, place], order[swap, place + 1] = order[swap, place + 1], order[swap, place].copy()
    clicked = random.random((requests, depth)) < looked * np.take_along_axis(good[asked], order, axis=1)
    shown = pl.DataFrame(
        {
            "time": 0, "user": np.repeat(np.arange(requests), depth), "request": np.repeat(np.arange(requests), depth),
            "query": np.repeat(asked, depth), "item": np.take_along_axis(items[asked], order, axis=1).ravel(),
            "position": np.tile(np.arange(1, depth + 1), requests), "clicked": clicked.ravel(),
        }
    )  # fmt: skip
    log = pl.concat([shown.with_columns(type=pl.lit("impression")),
                     shown.filter("clicked").with_columns(type=pl.lit("click"), time=1)])  # fmt: skip
    return (log if query_role else log.drop("query")), looked


def test_the_curve_of_a_search_log_is_found_where_its_queries_are_known():
    log, looked = search_log(np.random.default_rng(0))
    found = rm.online.position_bias(log, positions=5)
    assert found.by_query
    for one, truth in zip(found.positions, looked, strict=True):
        assert one.examination == pytest.approx(truth, abs=0.06)
        assert one.low <= truth <= one.high
    assert "same query" in found.assumption
    blind = rm.online.position_bias(log.drop("query"), positions=5)
    assert "WARNING" in blind.assumption
    assert blind.positions[-1].examination < looked[-1] / 1.3


# Experiments ----------------------------------------------------------------------------------------------------------


def test_the_relative_interval_holds_zero_where_the_absolute_one_does():
    random = np.random.default_rng(3)
    for _ in range(200):
        a, b = (means(random.exponential(1.0, 30) + random.normal(0, 1)) for _ in range(2))
        found = difference(a, b, SALES)
        if not math.isnan(found.relative.low):
            assert found.relative.excludes_zero == found.absolute.excludes_zero
        else:
            assert found.relative.method == "no interval: the control may be 0"


@pytest.mark.slow
def test_the_relative_interval_covers_on_both_sides():
    random = np.random.default_rng(4)
    low = high = 0
    for _ in range(2000):
        a, b = means(random.exponential(1.0, 40)), means(1.5 * random.exponential(1.0, 40))
        told = difference(a, b, SALES).relative
        low, high = low + (told.low > 0.5), high + (told.high < 0.5)
    assert low + high < 2000 * 0.08
    assert min(low, high) > 2000 * 0.008  # the plain scale misses on one side only


@pytest.mark.slow
def test_what_is_least_detectable_is_found_with_its_power_after_correction_and_adjustment():
    random = np.random.default_rng(5)
    found, n = 0, 400
    for _ in range(300):
        habit = [random.normal(0, 1, n) for _ in range(2)]
        base = [5 + one + random.normal(0, 0.7, n) for one in habit]
        others = random.normal(5, 1, (2, n, 2))
        sums = {}
        measures = ["Conversions", "Value", "CTR(per=user)"]
        for side, variant in enumerate("AB"):
            columns, names = [], []
            for place, name in enumerate(measures):
                now = base[side] if place == 0 else others[side, :, place - 1]
                columns += [now, np.ones(n)]
                names += [f"{name} x", f"{name} y"]
            columns += [habit[side] + 5, np.ones(n)]
            names += ["Conversions x before", "Conversions y before"]
            sums[variant] = Sums.of_rows(tuple(names), np.column_stack(columns))
        trial = rm.online.experiment(sums, ["Conversions", "Value", "CTR(per=user)"])
        least = trial.effect("Conversions").least
        lifted = sums["B"]
        means_ = lifted.means.copy()
        means_[0] += least
        again = rm.online.experiment(
            {"A": sums["A"], "B": Sums(lifted.names, lifted.n, means_, lifted.products)},
            ["Conversions", "Value", "CTR(per=user)"],
        )
        found += again.effect("Conversions").verdict == "better"
    assert 0.70 < found / 300 < 0.90


def test_users_absent_before_did_nothing_then():
    random = np.random.default_rng(6)
    n = 300
    rate = random.gamma(0.7, 1.5, n)
    there = random.random(n) < 0.6
    before, after = random.poisson(rate) * there, random.poisson(rate)
    rows = [
        {"time": moment + k, "user": u, "variant": "AB"[u % 2], "type": "purchase" if k else "click", "value": 1.0}
        for counts, moment in ((np.where(there, before, -1), 0), (after, 1_000_000))
        for u in range(n)
        for k in range(counts[u] + 1)
    ]
    effect = rm.online.experiment(rows, ["Conversions"], start=1_000_000).effect("Conversions")
    sides = [means(after[v::2], before[v::2]) for v in (0, 1)]
    assert effect.adjusted.variance_kept == pytest.approx(cuped(*sides, SALES).variance_kept)


@pytest.mark.parametrize("unit", ["request", "session"])
def test_units_smaller_than_what_was_assigned_are_noticed(unit):
    random = np.random.default_rng(7)

    def log(by_user):
        rows = []
        for user in range(120):
            taste = random.beta(1, 3)
            variant = "AB"[user % 2]
            for request in range(6):
                variant = variant if by_user else "AB"[int(random.integers(2))]
                row = {"user": user, "request": f"{user}-{request}", "session": f"{user}-{request}", "variant": variant}
                for item in range(3):
                    shown = {**row, "item": item, "time": request * 10_000 + item}
                    rows.append({**shown, "type": "impression"})
                    rows += [{**shown, "type": "click"}] if random.random() < taste else []
        return pl.DataFrame(rows)

    trial = rm.online.experiment(log(by_user=True), ["CTR"], unit=unit)
    assert trial.unit == "user"
    assert any("users were assigned" in note for note in trial.notes)
    assert trial.effect("CTR").difference.units == 120
    trial = rm.online.experiment(log(by_user=False), ["CTR"], unit=unit)
    assert trial.unit == unit
    assert trial.effect("CTR").difference.units == 720


def test_estimators_that_are_biased_by_design_have_no_interval():
    random = np.random.default_rng(8)
    p = random.choice([0.2, 0.5], 500)
    found = rm.online.off_policy(
        random.integers(0, 2, 500), p, p, predicted=p, expected=p, clip=1.5, switch=2, shrink=1
    )
    for name in ("DM", "clipped IPS", "switch DR", "shrunk DR"):
        assert math.isnan(found.estimates[name].low), name
    for name in ("IPS", "SNIPS", "DR", "SNDR"):
        assert not math.isnan(found.estimates[name].low), name
    assert any("biased by design" in reason for reason in found.reasons)


def test_a_mean_weight_that_is_not_one_is_said_and_names_no_winner():
    random = np.random.default_rng(9)
    found = rm.online.off_policy(random.integers(0, 2, 500), np.full(500, 0.1), random.uniform(0.2, 0.4, 500))
    assert found.verdict.startswith("cannot tell: the mean weight")
    assert any("mean weight" in reason for reason in found.reasons)
    sound = rm.online.off_policy(random.integers(0, 2, 500), np.full(500, 0.5), random.choice([0.2, 0.8], 500))
    assert not sound.weights.is_wrong


def test_agreement_follows_the_corrected_verdict():
    random = np.random.default_rng(10)
    measures = ["Conversions", "Value", "CTR(per=user)", "EngagedSessions"]
    names = tuple(f"{name} {side}" for name in measures for side in "xy")
    sums = {}
    for variant, lift in (("A", 0.0), ("B", 0.2)):
        rows = random.normal(5, 1, (250, 8))
        rows[:, 1::2] = 1.0
        rows[:, 0] += lift - rows[:, 0].mean() + 5
        sums[variant] = Sums.of_rows(names, rows)
    trial = rm.online.experiment(sums, correction="bonferroni")
    effect = trial.effect("Conversions")
    assert effect.p < 0.05 < effect.p_corrected * 4  # the plain interval excludes 0
    truth = {f"q{n}": {"a"} for n in range(60)}
    evaluations = {
        name: rm.evaluate(truth, {f"q{n}": ["a", "b"] if n % 10 < hits else ["b", "a"] for n in range(60)}, ["RR"])
        for name, hits in (("A", 2), ("B", 8))
    }
    found = rm.online.agreement(evaluations, trial, online_measures="Conversions").pairings[0]
    assert (found.verdict == "agree") == (effect.verdict == "better")


def test_few_units_are_said():
    rows = [{"time": 0, "user": u, "type": t, "variant": "AB"[u % 2]} for u in range(30) for t in ("click", "purchase")]
    assert any("15 units" in note for note in rm.online.experiment(rows, ["Conversions"]).notes)


# Decisions ------------------------------------------------------------------------------------------------------------


def two_measures(random, lift=0.0, harm=0.0, n=800):
    sums = {}
    for variant, (gain, loss) in {"A": (0, 0), "B": (lift, harm)}.items():
        rows = np.column_stack([random.normal(5 + gain, 1, n), np.ones(n), random.normal(10 - loss, 1, n), np.ones(n)])
        sums[variant] = Sums.of_rows((*NAMES, "Value x", "Value y"), rows)
    return sums


@pytest.mark.parametrize(
    ("lift", "harm", "verdict"),
    [(0.3, 0.0, "ship"), (0.3, 0.6, "do not ship"), (-0.3, 0.0, "do not ship"), (0.3, 0.2, "cannot tell"),
     (0.0, 0.0, "cannot tell")],
)  # fmt: skip
def test_one_verdict_from_what_decides_and_what_must_not_get_worse(lift, harm, verdict):
    sums = two_measures(np.random.default_rng(11), lift, harm)
    trial = rm.online.experiment(sums, primary="Conversions", guardrails={"Value": 0.02})
    assert [one.verdict for one in trial.decisions] == [verdict]
    guard = trial.effect("Value")
    assert (guard.guard == "passes") == (guard.relative.low > -0.02)
    assert (guard.guard == "fails") == (guard.relative.high < -0.02)
    assert {one.role for one in trial.effects} == {"primary", "guardrail"}


@pytest.mark.slow
def test_a_harmful_change_is_shipped_no_more_often_than_the_level_allows():
    random = np.random.default_rng(12)
    shipped = sum(
        rm.online.experiment(two_measures(random, 0.3, 0.2, 200), primary="Conversions", guardrails={"Value": 0.02})
        .decisions[0].verdict == "ship"
        for _ in range(400)
    )  # fmt: skip
    assert shipped / 400 < 0.05


def test_boundaries_are_those_of_the_literature():
    # Lan and DeMets' spending functions with five equal looks at 5%, two-sided.
    fifths = (0.2, 0.4, 0.6, 0.8, 1.0)
    assert boundaries(fifths, 0.05, "obrien-fleming") == pytest.approx([4.877, 3.357, 2.680, 2.290, 2.031], abs=2e-3)
    assert boundaries(fifths, 0.05, "pocock") == pytest.approx([2.438, 2.427, 2.410, 2.397, 2.386], abs=2e-3)
    assert boundaries((1.0,), 0.05, "pocock") == pytest.approx([stats.norm.ppf(0.975)])


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["always-valid", "obrien-fleming", "pocock"])
def test_twenty_looks_err_no_more_often_than_the_level_allows(rule):
    random = np.random.default_rng(13)
    looks, experiments, step = 20, 300, 100
    gaps = random.normal(0, math.sqrt(2 * step), (experiments, looks)).cumsum(axis=1)
    units = step * np.arange(1, looks + 1)
    z = gaps / np.sqrt(2 * units)
    if rule == "always-valid":
        bound = [Look(rule=rule).quantile(1e9, 2 * n) for n in units]
    else:
        bound = boundaries(tuple((np.arange(1, looks + 1) / looks).tolist()), 0.05, rule)
    assert (np.abs(z) > bound).any(axis=1).mean() < 0.085
    assert (np.abs(z) > 1.96).any(axis=1).mean() > 0.15


@pytest.mark.parametrize("rule", ["once", "always-valid", "obrien-fleming", "pocock"])
@pytest.mark.parametrize("statistic", [0.5, 1.9, 2.5, 3.5, 5.0])
def test_the_interval_and_the_p_value_of_a_look_agree(rule, statistic):
    look = Look(0.95, rule, (0.3, 0.6))
    assert (look.p(statistic, 5000, 10_000) < 0.05) == (look.quantile(5000, 10_000) < statistic)


def test_a_sequential_experiment_is_decided_by_its_rule():
    sums = two_measures(np.random.default_rng(14), 0.11)
    plain, always = (rm.online.experiment(sums, ["Conversions"], sequential=rule).effect("Conversions")
                     for rule in ("once", "always-valid"))  # fmt: skip
    assert always.p == plain.test.always_valid_p > plain.p
    assert (always.difference.low, always.difference.high) == (plain.always_valid.low, plain.always_valid.high)
    early = rm.online.experiment(sums, ["Conversions"], sequential="obrien-fleming", looks=[0.5]).effect("Conversions")
    assert early.p > plain.p
    with pytest.raises(InputError, match="the planned looks so far"):
        rm.online.experiment(sums, sequential="pocock")
    with pytest.raises(InputError, match="increasing, above 0"):
        rm.online.experiment(sums, sequential="pocock", looks=[0.5, 0.4])


# Heavy tails ----------------------------------------------------------------------------------------------------------


def test_a_cap_per_user_is_the_stated_quantile_and_travels_with_the_number():
    random = np.random.default_rng(15)
    spent = random.lognormal(2, 1.5, 400)
    rows = [{"time": 0, "user": u, "type": "purchase", "value": v, "variant": "AB"[u % 2]} for u, v in enumerate(spent)]
    cap = np.quantile(spent, 0.95)
    found = rm.online.evaluate(rows, ["Value(winsor=0.95)", "Value"])
    assert found["Value(winsor=0.95)"] == pytest.approx(np.minimum(spent, cap).mean())
    assert found["Value"] == pytest.approx(spent.mean())
    assert any(f"above {cap:.6g}" in note for note in found.notes)
    effect = rm.online.experiment(rows, ["Value(winsor=0.95)"]).effect("Value(winsor=0.95)")
    sides = [np.minimum(spent[v::2], cap) for v in (0, 1)]
    assert effect.p == pytest.approx(stats.ttest_ind(*sides, equal_var=False).pvalue)


def test_trimmed_means_are_those_of_yuen():
    random = np.random.default_rng(16)
    spent = random.lognormal(2, 1.5, 300)
    rows = [
        {"time": 0, "user": u, "type": "purchase", "value": v, "variant": "AB"[u % 3 > 0]} for u, v in enumerate(spent)
    ]
    effect = rm.online.experiment(rows, ["Value(trim=0.1)"], ratios={"A": 1, "B": 2}).effect("Value(trim=0.1)")
    a, b = spent[::3], np.delete(spent, np.arange(0, 300, 3))
    assert effect.value.value == pytest.approx(stats.trim_mean(b, 0.1))
    assert effect.p == pytest.approx(stats.ttest_ind(a, b, equal_var=False, trim=0.1).pvalue)


def test_quantiles_of_clustered_values_have_intervals_by_user():
    random = np.random.default_rng(17)
    missed = naive = 0
    for _ in range(200):
        pace = random.normal(3, 1, 150)
        unit = np.repeat(np.arange(150), 10)
        values = np.exp(random.normal(pace[unit], 0.5))
        truth = math.exp(3)
        for clusters, name in ((unit, "by user"), (np.arange(1500), "naive")):
            side = locations.quantile_of_group(values, clusters, 0.5)
            half = 1.96 * math.sqrt(side.variance)
            wrong = abs(side.value - truth) > half
            missed, naive = missed + (wrong and name == "by user"), naive + (wrong and name == "naive")
    assert missed / 200 < 0.11
    assert naive / 200 > 0.25


def test_heavy_tailed_options_exclude_each_other():
    for text in ("Value(trim=0.1,winsor=0.9)", "SessionDuration(trim=0.1)", "Value(per=session,quantile=0.5)"):
        with pytest.raises(MeasureError, match="Hint"):
            parse(text)


# Who is different, over time ------------------------------------------------------------------------------------------


def test_segments_differ_only_where_an_interaction_says_so():
    random = np.random.default_rng(18)
    alarms = 0
    for _ in range(300):
        effects = [Estimate(random.normal(0.1, s), 0, 0, 0.95, "", 100, s**2) for s in (0.1, 0.2, 0.3, 0.4)]
        alarms += heterogeneity(effects) < 0.05
    assert share(alarms, 300, 0.05)
    rows = []
    for user in range(1200):
        variant, place = "AB"[user % 2], ("north", "south")[user // 2 % 2]
        chance = 0.3 + (0.3 if variant == "B" and place == "south" else 0.0)
        rows.append({"time": 0, "user": user, "variant": variant, "place": place, "type": "click"})
        rows += [{**rows[-1], "time": 1, "type": "purchase"}] if random.random() < chance else []
    trial = rm.online.experiment(rows, ["Conversions"], segments="place")
    assert trial.interactions[0].p_corrected < 0.01
    assert any("differs between the 2 segments" in sentence for sentence in trial.conclusions())
    assert all(one.least > 0 for one in trial.segments)


def test_covariates_take_out_what_they_explain_as_least_squares_does():
    random = np.random.default_rng(19)
    n = 500
    age, visits = random.normal(40, 10, n), random.poisson(3, n).astype(float)
    sales = np.maximum(0, np.round(0.05 * age + 0.5 * visits + random.normal(0, 1, n))).astype(int)
    rows = [
        {"time": k, "user": u, "variant": "AB"[u % 2], "age": age[u], "visits": visits[u], "value": float(k),
         "type": "purchase" if k else "click"}
        for u in range(n) for k in range(sales[u] + 1)
    ]  # fmt: skip
    effect = rm.online.experiment(rows, ["Conversions"], covariates=["age", "visits"]).effect("Conversions")
    known = np.column_stack([np.ones(n), age, visits])
    slopes = np.linalg.lstsq(known, sales, rcond=None)[0][1:]
    assert [effect.adjusted.coefficients[name] for name in ("age", "visits")] == pytest.approx(slopes)
    left = sales - np.column_stack([age, visits]) @ slopes
    expected = stats.ttest_ind(left[1::2], left[::2], equal_var=False)
    assert effect.p == pytest.approx(expected.pvalue)
    assert effect.adjusted.variance_kept < 0.8


def test_strata_are_weighted_by_their_share():
    random = np.random.default_rng(20)
    strata, values = random.integers(0, 3, 600), random.normal(0, 1, 600)
    values += 3 * strata
    side = random.integers(0, 2, 600)
    pairs = [tuple(means(values[(strata == s) & (side == v)]) for v in (0, 1)) for s in range(3)]
    found = stratified(pairs, SALES)
    weights = np.bincount(strata) / 600
    gaps = [b.mean(NAMES[0]) - a.mean(NAMES[0]) for a, b in pairs]
    assert found.difference.absolute.value == pytest.approx(float(weights @ gaps))
    assert found.variance_kept < 0.3


def daily_log(random, users=300, days=6, lifts=(0.25, 0.25)):
    rows = []
    for user in range(users):
        variant = "AB"[user % 2]
        for day in range(days):
            lift = lifts[day >= days / 2] if variant == "B" else 0.0
            for item in range(2):
                row = {"time": day * 86_400 + user, "user": user, "request": f"{user}-{day}", "item": item,
                       "variant": variant}  # fmt: skip
                rows.append({**row, "type": "impression"})
                rows += [{**row, "type": "click"}] if random.random() < 0.2 + lift else []
    return pl.DataFrame(rows)


def test_days_and_what_was_up_to_their_end():
    log = daily_log(np.random.default_rng(21))
    trial = rm.online.experiment(log, ["CTR"], days=True)
    assert [one.day for one in trial.days] == [f"1970-01-0{day}" for day in range(1, 7)]
    assert trial.days[-1].cumulative.value == pytest.approx(trial.effect("CTR").difference.value)
    first = rm.online.experiment(log.filter(pl.col("time") < 86_400), ["CTR"]).effect("CTR")
    assert trial.days[0].daily.value == trial.days[0].cumulative.value == pytest.approx(first.difference.value)
    assert trial.days[0].cumulative.low == pytest.approx(first.always_valid.low)


@pytest.mark.parametrize(("lifts", "changes"), [((0.3, 0.3), False), ((0.4, 0.0), True)])
def test_an_effect_that_wears_off_is_noticed(lifts, changes):
    trial = rm.online.experiment(daily_log(np.random.default_rng(22), lifts=lifts), ["CTR"], days=True)
    assert (trial.novelty[0].p_corrected < 0.05) == changes
    if changes:
        assert trial.novelty[0].change.value == pytest.approx(-0.4, abs=0.15)


def test_a_switchback_experiment_has_units_of_time():
    random = np.random.default_rng(23)
    rows = []
    for hour in range(60):
        variant, mood = "AB"[int(random.integers(2))], random.normal(0, 0.1)
        for user in range(20):
            row = {
                "time": hour * 3600 + user,
                "user": user,
                "item": hour,
                "request": f"{hour}-{user}",
                "variant": variant,
            }
            rows.append({**row, "type": "impression"})
            rows += [{**row, "type": "click"}] if random.random() < 0.4 + mood else []
    log = pl.DataFrame(rows)
    trial = rm.online.experiment(log, ["CTR"], unit="hour", control="A")
    assert (trial.unit, sum(sums.n for sums in trial.sums.values())) == ("hour", 60)
    shown = log.filter(type="impression").group_by("variant").len().sort("variant")["len"].to_list()
    assert [sums.total("CTR y") for sums in trial.sums.values()] == shown
    assert trial.effect("CTR").verdict == "cannot tell"


def test_windows_are_the_same_however_the_log_is_partitioned(monkeypatch):
    log = daily_log(np.random.default_rng(24)).with_columns(variant=pl.lit("A"))
    whole = rm.online.evaluate(log, ["CTR"], unit="day").estimate("CTR")
    from rankmeter.wings.online import partitions, questions, tallies

    monkeypatch.setattr(partitions, "ROWS_PER_PARTITION", 50)
    parts = tallies.count(rm.online.read_events(log), questions.Question((CTR,), unit="day"))
    assert parts.groups["",].n == whole.units == 6
    assert parts.groups["",].total("CTR x") / parts.groups["",].total("CTR y") == pytest.approx(whole.value)


def test_the_chance_to_win_and_what_is_lost_by_choosing():
    sums = two_measures(np.random.default_rng(25), 0.1)
    effect = rm.online.experiment(sums, ["Conversions"], prior=math.inf).effect("Conversions")
    gap, error = effect.difference.value, math.sqrt(effect.difference.variance)
    assert effect.chance == pytest.approx(stats.norm.cdf(gap / error))
    draws = np.random.default_rng(0).normal(gap, error, 200_000)
    assert effect.loss == pytest.approx(np.maximum(-draws, 0).mean() / effect.test.base, rel=0.1)
    doubtful = rm.online.experiment(sums, ["Conversions"], prior=0.001).effect("Conversions")
    assert 0.5 < doubtful.chance < effect.chance
    assert any("standard deviation of 0.001" in n
               for n in rm.online.experiment(sums, ["Conversions"], prior=0.001).notes)  # fmt: skip


RULES_OF_LOOKING: dict[str, int] = {"once": 0, "always-valid": 0, "obrien-fleming": 5, "pocock": 5}


@pytest.mark.parametrize("rule", RULES_OF_LOOKING)
@pytest.mark.parametrize("lost", [0.0, 0.3, 0.6])
def test_a_guardrail_passes_or_fails_exactly_where_the_interval_of_its_rule_does(rule, lost):
    """The margin in the middle: a guardrail says what the interval says, whatever looks were paid for."""
    looks = [0.4, 0.5] if RULES_OF_LOOKING[rule] else []
    random = np.random.default_rng(3)
    for size in (60, 300, 3000):
        sums = {}
        for variant, mean in (("A", 10.0), ("B", 10.0 - lost)):
            rows = np.column_stack([random.normal(mean, 1, size), np.ones(size)])
            sums[variant] = Sums.of_rows(("Value x", "Value y"), rows)
        trial = rm.online.experiment(sums, guardrails={"Value": 0.03}, sequential=rule, looks=looks)
        effect, look = trial.effect("Value"), trial.plan.look()
        base, lift = effect.control_value, effect.test
        shifted = lift.absolute.value + 0.03 * base.value  # the loss beyond the margin, with its own error
        error = math.sqrt(lift.absolute.variance - 2 * 0.03 * base.variance + 0.03**2 * base.variance)
        reach = look.quantile(lift.freedom, lift.absolute.units) * error
        wanted = "passes" if shifted > reach else "fails" if shifted < -reach else "cannot tell"
        assert effect.guard == wanted, (rule, size)
        for group in ("A", "B"):
            one = trial.values[group][effect.measure]
            half = look.quantile(size - 1, size) * math.sqrt(one.variance)
            assert (one.low, one.high) == pytest.approx((one.value - half, one.value + half))
        reach = look.quantile(math.inf, effect.difference.units) * math.sqrt(effect.difference.variance)
        assert effect.least > reach  # what can be found is more than half of the interval


def test_a_guardrail_of_one_of_many_variants_does_not_fail_by_being_one_of_many():
    random = np.random.default_rng(5)
    sums = {
        name: Sums.of_rows(("Value x", "Value y"), np.column_stack([random.normal(10, 3, 200), np.ones(200)]))
        for name in "ABCDEFGH"
    }
    trial = rm.online.experiment(sums, guardrails={"Value": 0.01})
    assert {effect.guard for effect in trial.effects} == {"cannot tell"}


def test_the_always_valid_sample_ratio_is_the_evidence_of_its_prior():
    """One over the ratio of likelihoods, the other one averaged over draws from the Dirichlet prior."""
    counts, shares = [520, 480, 1100], [0.25, 0.25, 0.5]
    drawn = np.random.default_rng(0).dirichlet(np.array(shares) * 10_000, 20_000)
    log = (np.array(counts) * (np.log(drawn) - np.log(shares))).sum(axis=1)
    assert Look(rule="always-valid").sample_ratio(counts, shares) == pytest.approx(
        min(1, 1 / np.exp(log).mean()), rel=0.02
    )
    assert Look(rule="always-valid").sample_ratio([5000, 5600], [1, 1]) < 0.001
    assert Look(rule="always-valid").sample_ratio([5000, 5000], [1, 1]) == 1


@pytest.mark.parametrize("freedom", [1, 2, 5])
def test_a_sum_of_squares_follows_the_rule_of_looking(freedom):
    for rule, looks in RULES_OF_LOOKING.items():
        look = Look(0.95, rule, tuple(place / looks for place in range(1, looks + 1)) if looks else (1.0,))
        told = [look.several(statistic, freedom, 5000) for statistic in (0.5, 4.0, 12.0, 60.0)]
        assert told == sorted(told, reverse=True)
        if freedom == 1:
            assert look.several(6.25, 1, 5000) == pytest.approx(look.p(2.5, math.inf, 5000), rel=1e-5)
        assert told[2] >= stats.chi2.sf(12.0, freedom) * (1 - 1e-6)


@pytest.mark.parametrize("rule", ["obrien-fleming", "pocock"])
def test_planned_looks_are_quick_and_their_p_value_is_where_the_bound_is(rule):
    shares = tuple(place / 20 for place in range(1, 21))
    look = Look(0.95, rule, shares)
    for statistic in (1.0, 2.5, 4.0):
        p = look.p(statistic, math.inf, 1)
        assert boundaries(shares, p, rule)[-1] == pytest.approx(statistic, abs=1e-5)
    boundaries.cache_clear()
    began = time.process_time()
    look.p(2.2, math.inf, 1)
    assert time.process_time() - began < 0.1  # some ms; it was more than a second


def heavy_log(random, *, giant=400, users=120):
    """Users of a few impressions each, of whom one has a large share of all."""
    rows = []
    for number in range(2 * users):
        shown = giant if number == 1 else 3
        rate = random.beta(1, 3)
        clicked = random.random(shown) < rate
        request = [f"{number}-{place}" for place in range(shown)]
        one = pl.DataFrame({"time": range(shown), "user": f"u{number}", "request": request, "item": 0,
                            "variant": "AB"[number % 2], "segment": "xy"[number // 2 % 2]})  # fmt: skip
        rows += [one.with_columns(type=pl.lit("impression")), one.filter(pl.Series(clicked)).with_columns(
            type=pl.lit("click"), time=pl.col("time") + 1)]  # fmt: skip
    return pl.concat(rows)


def randomised(heavy, light, draws, seed):
    """The p-value of a randomisation test in plain Python: every unit is assigned again, one by one."""
    random, rows = np.random.default_rng(seed), [*heavy, *light]
    gap = [sum(x for x, _ in side) / sum(y for _, y in side) for side in (light, heavy)]
    hit = 0
    for _ in range(draws):
        sides = ([0.0, 0.0], [0.0, 0.0])
        for (x, y), treated in zip(rows, random.random(len(rows)) < len(heavy) / len(rows), strict=True):
            sides[int(treated)][0] += x
            sides[int(treated)][1] += y
        drawn = sides[1][0] / sides[1][1] - sides[0][0] / sides[0][1]
        hit += abs(drawn) >= abs(gap[1] - gap[0])
    return (1 + hit) / (1 + draws)


def test_a_quotient_that_rests_on_one_user_is_tested_by_drawing_again():
    log = heavy_log(np.random.default_rng(1))
    trial = rm.online.experiment(log, ["CTR", "CTR(per=user)"], guardrails={"CTR": 0.02}, segments="segment")
    heavy, even = trial.effect("CTR"), trial.effect("CTR(per=user)")
    assert (heavy.test.rests_on_few, even.test.rests_on_few) == (True, False)
    assert heavy.adjusted is None
    assert (heavy.p < 0.05) == heavy.difference.excludes_zero
    assert math.isnan(heavy.value.low)  # the value of the side of the giant has no interval either
    assert not math.isnan(heavy.control_value.low)
    rows = {
        side: np.array(
            log.filter(pl.col("variant") == side)
            .group_by("user")
            .agg((pl.col("type") == "click").sum().alias("x"), (pl.col("type") == "impression").sum().alias("y"))
            .select("x", "y").rows(), float)
        for side in "AB"
    }  # fmt: skip
    assert heavy.p == pytest.approx(randomised(rows["B"].tolist(), rows["A"].tolist(), 1500, 0), abs=0.05)
    (note,) = [note for note in trial.notes if note.kind == "rests_on_few_tested"]
    largest = rows["B"][:, 1].max() / rows["B"][:, 1].sum()
    assert note.values["share"] == pytest.approx(largest)
    assert note.values["effective"] == pytest.approx(rows["B"][:, 1].sum() ** 2 / (rows["B"][:, 1] ** 2).sum())
    for interaction in trial.interactions:
        assert math.isnan(interaction.p) == (interaction.measure == CTR)  # one segment is left: nothing to compare
    always = rm.online.experiment(log, ["CTR"], sequential="always-valid").effect("CTR")
    of_sums = rm.online.experiment(trial.sums, ["CTR"]).effect("CTR")
    for one in (always, of_sums):
        assert math.isnan(one.p)
        assert math.isnan(one.difference.low)
        assert one.verdict == "cannot tell"
    drawn = rm.online.experiment(log, ["CTR"], resamples=99).effect("CTR")
    assert (drawn.p, drawn.difference.low) == pytest.approx((heavy.p, heavy.difference.low))


@pytest.mark.slow
def test_experiments_with_one_heavy_user_err_no_more_often_than_they_may():
    random, alarms, passed, plain = np.random.default_rng(2), 0, 0, 0
    names = ("CTR x", "CTR y")
    for seed in range(300):
        sums, heaviest = [], []
        for side in range(2):
            shown = np.where(np.arange(100) < side, 700, 3)
            rows = np.column_stack([random.binomial(shown, random.beta(1, 4, 100)), shown]).astype(float)
            rows[:, 0] *= 0.9 if side else 1.0  # a true loss of a tenth
            heaviest.append(Heaviest.of_rows(rows, [CTR]))
            sums.append(Sums.of_rows(names, rows))
        lift = difference(*sums, CTR, heaviest=heaviest, seed=seed)
        passed += lift.within_margin_p(0.1, 1) < 0.025
        raised = Redrawn.of(sums, [one.of_measure[CTR] for one in heaviest], CTR, seed=seed, draws=999)
        alarms += raised.within_margin_p(0.1, 1) > 0.975
        variance = sum(ratio(one, CTR)[1] for one in sums)
        plain += abs(lift.absolute.value + 0.1 * lift.base) > 1.96 * math.sqrt(variance)
    assert passed / 300 < 0.055
    assert alarms / 300 < 0.055
    assert plain / 300 > 0.3  # what the delta method would say


@pytest.mark.parametrize("kept", [3, 100])
def test_the_heaviest_units_are_those_of_all_parts_together(kept, monkeypatch):
    monkeypatch.setattr(heavy_units, "KEPT", kept)
    rows = np.random.default_rng(3).integers(0, 6, (50, 2)).astype(float)
    whole = Heaviest.of_rows(rows, [CTR]).of_measure[CTR]
    parts = [Heaviest.of_rows(rows[start::3], [CTR]) for start in (2, 0, 1)]
    assert (parts[0] + parts[1] + parts[2]).of_measure[CTR].tolist() == whole.tolist()
    wanted = sorted(rows.tolist(), key=lambda row: (-row[1], -row[0]))[:kept]
    assert whole.tolist() == wanted
    once = Heaviest.of_rows((rows > 2).astype(float), [CTR]).of_measure[CTR]
    assert len(once) == 0  # units that count once are never heavy


@pytest.mark.parametrize("units", [2, 3, 20, 60, 400])
@pytest.mark.parametrize("rule", ["once", "always-valid"])
def test_a_share_of_units_has_ends_that_reach_as_far_as_the_look_however_few_units(rule, units):
    """The ends are the shares that lie as many of their own standard errors away as the look says."""
    rows = [
        {"user": f"u{n}", "request": f"r{n}", "item": "i", "position": 1, "time": time, "type": kind,
         "variant": "AB"[n % 2]}
        for n in range(2 * units) for time, kind in enumerate(("impression", "click")) if time == 0 or n % 6 < 2
    ]  # fmt: skip
    effect = rm.online.experiment(pl.DataFrame(rows), ["CTR(per=reach)"], sequential=rule).effect("CTR(per=reach)")
    for group in (effect.control_value, effect.value):
        z, share = Look(rule=rule).quantile(math.inf, units), group.value
        assert 0 <= group.low <= share <= group.high <= 1
        for end in (group.low, group.high):
            if 0 < end < 1:
                assert abs(share - end) == pytest.approx(z * math.sqrt(end * (1 - end) / units), rel=1e-6)
