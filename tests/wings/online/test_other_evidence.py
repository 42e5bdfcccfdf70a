"""Counterfactual estimates, interleaving, positions, and offline against online."""

from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.wings.online.test_experiment import simulated

import rankmeter as rm
from rankmeter.errors import InputError, NotFoundError


def bandit(n, seed, target):
    """A log of a policy that knows its probabilities, three actions, two kinds of context."""
    random = np.random.default_rng(seed)
    kind = random.integers(0, 2, n)
    logging = np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]])[kind]
    worth = np.array([[0.1, 0.3, 0.6], [0.5, 0.2, 0.1]])[kind]
    action = (random.random(n)[:, None] > logging.cumsum(axis=1)).sum(axis=1)
    rows = np.arange(n)
    reward = random.random(n) < worth[rows, action]
    pi = np.array(target)[kind]
    return reward, logging[rows, action], pi[rows, action], worth[rows, action], (pi * worth).sum(axis=1)


def test_the_value_of_another_policy_is_found():
    target = [[0.1, 0.1, 0.8], [0.8, 0.1, 0.1]]
    true = 0.5 * (0.01 + 0.03 + 0.48) + 0.5 * (0.4 + 0.02 + 0.01)
    reward, logged, wanted, predicted, expected = bandit(20_000, 3, target)
    found = rm.online.off_policy(reward, logged, wanted, predicted=predicted, expected=expected)
    for name, one in found.estimates.items():
        assert one.value == pytest.approx(true, abs=0.03), name
    assert found.estimates["IPS"].low < true < found.estimates["IPS"].high
    assert found.verdict == "better"
    assert found.weights.mean == pytest.approx(1, abs=0.05)


def test_intervals_cover_as_often_as_they_say():
    target, covered = [[0.2, 0.2, 0.6], [0.6, 0.2, 0.2]], 0
    true = 0.5 * (0.02 + 0.06 + 0.36) + 0.5 * (0.3 + 0.04 + 0.02)
    for seed in range(200):
        reward, logged, wanted, _, _ = bandit(400, seed, target)
        one = rm.online.off_policy(reward, logged, wanted).estimates["SNIPS"]
        covered += one.low < true < one.high
    assert 0.9 <= covered / 200 <= 0.99


def test_no_winner_is_named_where_a_handful_of_rows_carries_the_weight():
    logged = np.full(10_000, 0.5)
    logged[:2] = 1e-4
    found = rm.online.off_policy(np.ones(10_000), logged, np.full(10_000, 0.5))
    assert found.weights.effective < 10
    assert found.verdict.startswith("cannot tell")
    assert json.loads(found.to_json())["verdict"] == found.verdict


def test_rows_of_one_user_are_not_independent():
    reward, logged, wanted, _, _ = bandit(200, 0, [[1 / 3] * 3] * 2)
    single = rm.online.off_policy(reward, logged, wanted).estimates["IPS"]
    repeated = rm.online.off_policy(
        np.repeat(reward, 5), np.repeat(logged, 5), np.repeat(wanted, 5), users=np.repeat(np.arange(200), 5)
    ).estimates["IPS"]
    assert repeated.high - repeated.low == pytest.approx(single.high - single.low)


@settings(max_examples=40)
@given(st.integers(1, 4), st.integers(2, 6), st.integers(0, 10_000))
def test_slate_estimates_are_their_sums(positions, slates, seed):
    random = np.random.default_rng(seed)
    r, q, v = random.random((3, slates, positions))
    p, pi = random.uniform(0.1, 1, (2, slates, positions))
    for model in ("item-position", "cascade", "standard"):
        ips = dr = 0.0
        for s in range(slates):
            for k in range(positions):
                own, above = pi[s, k] / p[s, k], 1.0
                if model == "cascade":
                    above = math.prod(pi[s, :k] / p[s, :k])
                    own = above * pi[s, k] / p[s, k]
                elif model == "standard":
                    own = math.prod(pi[s] / p[s])
                ips += own * r[s, k] / slates
                dr += (above * v[s, k] + own * (r[s, k] - q[s, k])) / slates
        more = {} if model == "standard" else {"predicted": q, "expected": v}
        found = rm.online.off_policy_slates(r, p, pi, model=model, **more)
        assert found["IPS"] == pytest.approx(ips)
        if more:
            assert found["DR"] == pytest.approx(dr)


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (([1], [0.0], [0.5]), {}, "not a valid probability"),
        (([1], [0.5], [1.5]), {}, "not a valid probability"),
        (([1, 2], [0.5], [0.5]), {}, "the same"),
        (([math.nan], [0.5], [0.5]), {}, "finite"),
        (([1], [0.5], [0.5]), {"clip": 0}, "clip=0"),
        (([1], [0.5], [0.5]), {"users": [1, 2]}, r"users has shape \(2,\)"),
        (([[1]], [0.5], [0.5]), {}, "shape"),
    ],
)
def test_logs_that_cannot_be_weighed_are_refused(arguments, options, words):
    with pytest.raises(InputError, match=words):
        rm.online.off_policy(*arguments, **options)


@given(st.permutations(range(6)), st.permutations(range(6)), st.integers(1, 6), st.integers(0, 100))
def test_an_interleaved_list_takes_each_item_once_and_the_teams_are_fair(a, b, length, seed):
    shown = rm.online.team_draft(a, b, length=length, seed=seed)
    assert len(shown.items) == len(set(shown.items)) == length
    assert abs(shown.teams.count("A") - shown.teams.count("B")) <= 1
    for place, (item, team) in enumerate(zip(shown.items, shown.teams, strict=True)):
        left = [one for one in (a if team == "A" else b) if one not in shown.items[:place]]
        assert item == left[0]


def test_interleaving_counts_users_not_lists():
    rows = [{"user": "heavy", "request": f"h{n}", "team": "B"} for n in range(50)]
    rows += [{"user": n, "request": f"{n}", "team": "A"} for n in map(str, range(8))]
    rows += [{"user": "none", "request": "n", "team": None}]
    found = rm.online.score_interleaving(rows)
    assert (found.users_a, found.users_b, found.ties) == (8, 1, 1)
    assert (found.lists_a, found.lists_b, found.tied_lists) == (8, 50, 1)
    assert found.verdict == "A"
    assert rm.online.sign_test(5, 5) == 1.0
    with pytest.raises(InputError, match="no team column"):
        rm.online.score_interleaving([{"user": 1, "request": 1}])
    with pytest.raises(InputError, match="A or B, not C"):
        rm.online.score_interleaving([{"user": 1, "request": 1, "team": "C"}])
    nobody = rm.online.score_interleaving([{"user": 1, "request": 1, "team": None}])
    assert nobody.verdict == "no data: no user's clicks favour either ranking"
    assert "nan" not in repr(nobody)
    with pytest.raises(InputError, match="log is empty"):
        rm.online.score_interleaving(pl.DataFrame({"user": [], "request": [], "team": []}))
    with pytest.raises(InputError, match="has no value in 1 row"):
        rm.online.score_interleaving([{"user": None, "request": 1, "team": "A"}])
    with pytest.raises(InputError, match="more than once"):
        rm.online.team_draft([1, 1], [2])


def test_examination_is_told_apart_from_relevance():
    random = np.random.default_rng(0)
    look = np.array([1.0, 0.6, 0.3])
    worth = random.uniform(0.1, 0.9, 30)
    rows = []
    for request in range(4000):
        # Good items tend to stand on top, but not always: several rankers took part.
        chosen = random.choice(30, 3, replace=False)
        chosen = chosen[np.argsort(-worth[chosen] + random.normal(0, 0.4, 3))]
        for place, item in enumerate(chosen.tolist()):
            row = {"user": request, "request": request, "item": item, "position": place + 1,
                   "variant": "A" if request % 2 else "B"}  # fmt: skip
            rows.append({**row, "time": request, "type": "impression"})
            if random.random() < look[place] * worth[item]:
                rows.append({**row, "time": request + 1, "type": "click"})
    found = rm.online.position_bias(rows, positions=3)
    for one, true in zip(found.positions, look.tolist(), strict=True):
        assert one.examination == pytest.approx(true, abs=0.05)
    assert found.positions[2].rate / found.positions[0].rate < 0.3
    assert found.clicks_over_expected == pytest.approx({"A": 1.0, "B": 1.0}, abs=0.06)
    assert found.to_polars().height == 3
    with pytest.raises(InputError, match="no position column"):
        rm.online.position_bias([{"time": 1, "user": 1, "item": 1, "type": "click"}])


def evaluation(hit, queries=60, name="run"):
    truth = {f"q{n}": {"a"} for n in range(queries)}
    run = {f"q{n}": ["a", "b"] if n % 10 < hit else ["b", "a"] for n in range(queries)}
    return rm.evaluate(truth, run, ["RR", "P@1"], name=name)


@pytest.mark.parametrize(
    ("offline", "lift", "verdict"),
    [((2, 8), 0.3, "agree"), ((8, 2), 0.3, "disagree"), ((5, 5), 0.3, "cannot tell"), ((2, 8), 0.0, "cannot tell")],
)
def test_offline_and_online_agree_or_not(offline, lift, verdict):
    trial = rm.online.experiment(simulated(lift=lift), ["CTR"])
    evaluations = dict(zip("AB", map(evaluation, offline), strict=True))
    found = rm.online.agreement(evaluations, trial, offline_measures="RR")
    assert [one.verdict for one in found.pairings] == [verdict]
    assert found.to_polars()["offline"].to_list() == ["RR"]
    with pytest.raises(NotFoundError, match="no offline evaluation was given for B"):
        rm.online.agreement({"A": evaluations["A"]}, trial)


def past(n, seed=0):
    random = np.random.default_rng(seed)
    online = random.normal(0, 1, n)
    return pl.DataFrame({"online": online, "good": online + random.normal(0, 0.3, n), "noise": random.normal(0, 1, n),
                         "inverse": -online})  # fmt: skip


def test_the_measure_that_foretells_is_found_among_those_declared():
    found = rm.online.predictors(past(30), ["noise", "good", "inverse"])
    assert found.predictors[0].measure == "good"
    assert found.verdict.startswith("good predicts online best")
    assert found.held_out_agreement > 0.8
    assert found.held_out_choices["good"] == 30
    inverse = next(one for one in found.predictors if one.measure == "inverse")
    assert (inverse.correlation, inverse.same_sign) == (-1.0, 0)


def test_few_experiments_are_no_proof():
    assert "no correlation can be distinguished from chance" in rm.online.predictors(past(4), ["good", "noise"]).verdict
    six = rm.online.predictors(past(6, seed=4), ["inverse"])
    assert six.verdict.startswith("cannot tell")
    with pytest.raises(InputError, match="too few"):
        rm.online.predictors(past(2), ["good"])
    with pytest.raises(InputError, match="no nDCG column"):
        rm.online.predictors(past(5), ["nDCG"])


def test_undecided_experiments_have_no_sign():
    table = past(12).with_columns(online_low=pl.col("online") - 0.5, online_high=pl.col("online") + 0.5)
    found = rm.online.predictors(table, ["good"])
    assert found.predictors[0].decided == int((table["online"].abs() > 0.5).sum())


def test_the_rank_correlation_is_that_of_scipy():
    from scipy.stats import spearmanr

    table = past(9)
    expected = spearmanr(table["good"], table["online"])
    found = rm.online.predictors(table, ["good"]).predictors[0]
    assert found.correlation == pytest.approx(expected.statistic)
    assert found.p == pytest.approx(expected.pvalue, abs=0.02)


def test_estimates_without_data_say_why():
    unused = rm.online.off_policy([1.0, 0.0], [0.5, 0.5], [0.0, 0.0])
    one_user = rm.online.off_policy([1.0, 0.0] * 100, [0.5] * 200, [0.5] * 200, users=["u"] * 200)
    assert "none of the logged choices" in " ".join(unused.reasons)
    assert one_user.verdict.startswith("no data: there is only one unit")
    for found in (unused, one_user):
        assert "nan" not in repr(found) + found._repr_html_()
        assert "no data" in repr(found)


def test_an_experiment_with_a_missing_number_is_left_out_and_counted():
    past = [{"online": x, "m": x, "n": -x} for x in (-3.0, -1.0, 1.0, 2.0, 4.0)]
    complete = rm.online.predictors(past, ["m", "n"])
    holes = [{"online": math.nan, "m": 1.0, "n": 2.0}, {"online": 1.0, "m": math.inf, "n": 2.0}]
    found = rm.online.predictors([*past, *holes], ["m", "n"])
    assert found.predictors == complete.predictors
    assert (complete.incomplete, found.incomplete) == (0, 2)
    assert "2 experiments lack a number and were left out" in repr(found)
    with pytest.raises(InputError, match="too few"):
        rm.online.predictors([{"online": math.nan, "m": 1.0}] * 5, ["m"])
    bounds = [{**one, "online_low": math.nan, "online_high": math.nan} for one in past]
    assert rm.online.predictors(bounds, ["m"]).predictors[0].decided == 0


def test_a_measure_that_never_varies_foretells_nothing():
    found = rm.online.predictors([{"online": x, "m": 0.0} for x in (1.0, 2.0, 3.0, 4.0)], ["m"])
    assert found.verdict.startswith("no data")
    assert "nan" not in repr(found)


def test_a_difference_without_an_interval_is_no_agreement():
    log = [
        {"time": 0, "user": u, "item": 1, "type": "impression", "variant": v}
        for u, v in zip("abcd", "AABB", strict=True)
    ]
    log += [{"time": 1, "user": u, "item": 1, "type": "click", "variant": "B"} for u in "cd"]
    trial = rm.online.experiment(log, "CTR", control="A")
    assert math.isnan(trial.effect("CTR").least)
    truth = {f"q{n}": {"a"} for n in range(9)}
    old, new = (rm.evaluate(truth, {f"q{n}": order[n % 2] for n in range(9)}, ["RR"])
                for order in ((["b", "a"], ["a", "b"]), (["a", "b"], ["a", "b"])))  # fmt: skip
    told = rm.online.agreement({"A": old, "B": new}, trial)
    assert told.pairings[0].why == "no data: the online difference has no interval"
    assert "nan" not in repr(told)


@pytest.mark.parametrize(("offline", "online"), [({}, {}), ([], []), (None, None)])
def test_agreement_of_nothing_is_a_sentence(offline, online):
    with pytest.raises(InputError, match=r"expected the result of an experiment.*Hint"):
        rm.online.agreement(offline, online)


def test_agreement_needs_evaluations_by_name():
    log = [{"time": 0, "user": n, "type": "click", "variant": "AB"[n % 2]} for n in range(8)]
    trial = rm.online.experiment(log, "Conversions")
    with pytest.raises(InputError, match=r"by its name.*Hint"):
        rm.online.agreement([], trial)
    with pytest.raises(rm.NotFoundError, match=r"no offline evaluation was given for A, B \(given: none\)"):
        rm.online.agreement({}, trial)


def test_groups_without_spread_have_no_smallest_difference():
    sums = rm.online.Sums.of_totals(["Conversions x", "Conversions y"], 4, [4.0, 4.0], [[4.0, 4.0], [4.0, 4.0]])
    assert math.isnan(rm.online.minimum_detectable(sums, rm.Conversions, units=4, other_units=4))
    with pytest.raises(InputError, match="no spread"):
        rm.online.units_needed(sums, rm.Conversions, relative=0.1)


@pytest.mark.parametrize("bound", ["clip", "switch", "shrink"])
def test_a_bound_of_weights_is_above_zero(bound):
    with pytest.raises(InputError, match=f"{bound}=-1.0 is not possible: expected a number above 0. Hint: {bound}=10"):
        rm.online.off_policy([1.0, 0.0], [0.5, 0.5], [0.5, 0.5], **{bound: -1.0})


def test_sums_name_a_measure_however_it_was_written():
    row = {"variant": "A", "measure": "CTR(per=impression)", "n": 2, "x": 2, "y": 14, "xx": 2, "yy": 116, "xy": 14}
    sums = rm.online.sums_from_table([row, {**row, "variant": "B", "measure": "CTR"}])
    assert rm.online.experiment(sums, "CTR").effect("CTR").difference.value == 0.0
    other = rm.online.sums_from_table([row, {**row, "variant": "B", "measure": "CVR"}])
    with pytest.raises(InputError, match="variant B do not hold CTR; they hold CVR"):
        rm.online.experiment(other)


def test_by_is_one_column():
    with pytest.raises(InputError, match=r"expected the name of one column.*Hint: by='variant'"):
        rm.online.evaluate([{"time": 0, "user": 1, "type": "click", "variant": "A"}], "Conversions", by=["variant"])


LOG = [{"time": n, "user": n % 4, "type": "click", "item": n, "variant": "AB"[n % 2]} for n in range(8)]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: rm.online.evaluate(LOG, "Conversions", level="x"), "level='x' is not possible"),
        (lambda: rm.online.evaluate(LOG, "Conversions", resamples=-1), "resamples=-1 is not possible"),
        (lambda: rm.online.evaluate(LOG, "Conversions", resamples=2.5), "resamples=2.5 is not possible"),
        (lambda: rm.online.evaluate(LOG, "Conversions", bots="dropp"), "did you mean 'drop'"),
        (lambda: rm.online.evaluate(LOG, "Conversions", columns=["user"]), "columns= is of type list"),
        (lambda: rm.online.evaluate(LOG, "Conversions", columns={"user": 5}), "expected names as text"),
        (lambda: rm.online.evaluate(LOG, "Conversions", types={"click": [5]}), "expected names as text"),
        (lambda: rm.online.evaluate(LOG, "Conversions", days=True), "unknown setting 'days'"),
        (lambda: rm.online.experiment(LOG, "Conversions", primry="CTR"), "did you mean 'primary'"),
        (lambda: rm.online.experiment(LOG, "Conversions", correction=None), "correction=None is not possible"),
        (lambda: rm.online.experiment(LOG, "Conversions", segments=["item"]), "the name of one column"),
        (lambda: rm.online.experiment(LOG, "Conversions", ratios=[1, 2]), "ratios= is of type list"),
        (lambda: rm.online.experiment(LOG, "Conversions", ratios={"A": "x", "B": 1}), "the ratio of A is 'x'"),
        (lambda: rm.online.experiment(LOG, "Conversions", start=[1]), "start is"),
        (
            lambda: rm.online.agreement({"A": 1, "B": 2}, rm.online.experiment(LOG, "Conversions")),
            "an evaluation for A",
        ),
        (lambda: rm.online.predictors([{"online": 1, "a": 2}] * 4, None), "no offline measure"),
        (lambda: rm.online.off_policy(["a"], [1], [1]), "must hold numbers"),
        (lambda: rm.online.off_policy_slates([[1], [1, 2]], [[1]], [[1]]), "must hold numbers"),
        (lambda: rm.online.team_draft(None, [1]), "not a list of ids"),
        (lambda: rm.online.score_interleaving([{"user": 1, "request": 1, "credit": "x"}]), "is not a number in 1 row"),
        (lambda: rm.online.position_bias(LOG, positions="a"), "positions='a' is not possible"),
        (lambda: rm.online.sums_from_table([5]), "a list of records"),
        (lambda: rm.online.sample_ratio([math.nan, 5]), "counts of 0 or more"),
        (lambda: rm.online.units_for_effect(math.nan), "not a number"),
    ],
)
def test_settings_that_make_no_sense_are_refused_in_a_sentence(call, said):
    with pytest.raises(rm.RankmeterError) as refused:
        call()
    assert said in str(refused.value)


def test_the_same_clicks_give_the_same_digits():
    clicks = [{"user": n % 9, "request": n, "credit": (n % 3 - 1) * 0.3 + 0.01 * n} for n in range(600)]
    assert len({rm.online.score_interleaving(clicks).credit.variance for _ in range(20)}) == 1


def test_half_a_model_of_rewards_is_refused():
    with pytest.raises(InputError, match="expected="):
        rm.online.off_policy([1, 0], [0.5, 0.5], [0.5, 0.5], predicted=[0.5, 0.5])
    with pytest.raises(InputError, match="expected="):
        rm.online.off_policy_slates([[1], [0]], [[0.5]] * 2, [[0.5]] * 2, predicted=[[0.5]] * 2)


def test_the_outcome_does_not_foretell_itself():
    past = [{"online": x, "RR": x} for x in (1, 2, 3)]
    with pytest.raises(InputError, match="the online outcome itself"):
        rm.online.predictors(past, ["RR", "online"])


def test_users_of_several_kinds_and_unknown_estimates_are_refused():
    with pytest.raises(InputError, match="several kinds"):
        rm.online.off_policy([1, 0], [0.5, 0.5], [0.5, 0.5], users=np.array(["a", None], object))
    found = rm.online.off_policy([1, 0], [0.5, 0.5], [0.5, 0.5])
    with pytest.raises(NotFoundError, match="available: IPS, SNIPS"):
        found["DR"]


def test_optimised_lists_are_no_longer_than_there_are_items():
    assert [one.items for one in rm.online.optimised_lists([1, 2], [2, 1], length=5)] == [(1, 2), (2, 1)]
    with pytest.raises(InputError, match="length='2' is not possible"):
        rm.online.optimised_lists([1, 2], [2, 1], length="2")


@pytest.mark.parametrize("seed", [-1, "x", (1, -1)])
def test_a_coin_needs_a_whole_number(seed):
    with pytest.raises(InputError, match="seed="):
        rm.online.team_draft([1], [2], seed=seed)


def test_too_few_resamples_of_items_make_no_curve():
    log = [{"time": 1, "user": "u", "item": "a", "position": 1, "type": "impression"}]
    with pytest.raises(InputError, match="resamples=3 are too few"):
        rm.online.position_bias(log, resamples=3)


def test_two_columns_that_could_be_the_same_are_refused():
    rows = [{"reward": 1, "pscore": 0.5, "propensity": 0.4, "target": 0.5}] * 3
    with pytest.raises(InputError, match=r'could be the logged: .*Hint: say which: columns={"logged": "pscore"}'):
        rm.online.off_policy_log(rows)
    both = rm.online.off_policy_log(rows, columns={"logged": "propensity"})
    assert both["IPS"] == pytest.approx(1.25)


def test_a_click_without_a_query_has_that_of_its_impression():
    log = [
        {"time": t, "user": t, "request": t, "query": f"q{t % 5}", "item": item, "position": place, "type": kind}
        for t in range(200)
        for place, item in enumerate("ab" if t % 2 else "ba", 1)
        for kind in (["impression", "click"] if t % (3 * place) == 0 else ["impression"])
    ]
    without = [row if row["type"] == "impression" else {**row, "query": None} for row in log]
    full, told = (rm.online.position_bias(rows, positions=2) for rows in (log, without))
    assert told.positions == full.positions
    assert full.positions[1].clicks > 0
