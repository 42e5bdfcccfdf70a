"""Few human and many machine values: worked values, ppi_py's recorded ones, and how often intervals hold."""

from __future__ import annotations

import json
import math
import random
import statistics
from pathlib import Path

import numpy as np
import pytest
from judging_simulation import (
    cross_fitted,
    fixed,
    items_per_query,
    published,
    simulate,
    simulate_items,
    simulate_traps,
)

from rankmeter.wings.judging.estimators import (
    best_chances,
    judgments_needed,
    people_needed,
    people_only,
    tuned,
    unequal,
    weighted_mean,
    where_lists_differ,
)

ROOT = Path(__file__).parents[3]
RECORDED = json.loads((Path(__file__).parent / "judging.json").read_text("utf-8"))["predictions"]
Y = np.array([0.9, 0.4, 0.6, 0.2, 0.7, 0.5])
F = np.array([0.8, 0.5, 0.7, 0.4, 0.9, 0.5])
REST = np.array([0.6, 0.3, 0.9, 0.7, 0.5, 0.8, 0.4, 1.0, 0.6, 0.7, 0.5, 0.9, 0.2, 0.6])
ALL = np.concatenate([F, REST])
CHANCES = np.array([0.5, 0.2, 0.25, 0.4, 0.5, 0.2])


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (people_only(Y), (0.550000, 0.295093, 0.804907, 0.099163, 0)),
        (people_only(Y, 20, target="queries"), (0.550000, 0.336729, 0.763271, 0.082966, 0)),
        (fixed(Y, F, ALL), (0.541667, 0.368377, 0.714956, 0.067412, 1)),
        (fixed(Y, F, ALL, target="queries"), (0.541667, 0.439022, 0.644311, 0.039930, 1)),
        (tuned(Y, F, ALL), (0.540948, 0.346455, 0.735441, 0.070051, 1.086207)),
        (tuned(Y, F, ALL, target="queries"), (0.540948, 0.418119, 0.663778, 0.044240, 1.086207)),
        (cross_fitted(Y, F, ALL), (0.521841, 0.320313, 0.723369, 0.078398, 1.100260)),
        (published(Y, F, REST), (0.543825, 0.411565, 0.676086, 0.067481, 0.518663)),
        (unequal(Y, F, CHANCES, ALL), (0.545000, 0.400627, 0.689373, 0.056163, 1)),
        (unequal(Y, F, CHANCES, ALL, target="queries"), (0.545000, 0.447963, 0.642037, 0.037749, 1)),
        (where_lists_differ(Y - 0.5, F - 0.6, ALL - 0.6, 50), (0.016379, -0.061816, 0.094574, 0.028164, 1.086207)),
    ],
)  # fmt: skip
def test_worked_values(made, expected):
    got = [float(part) for part in (made.value, made.low, made.high, made.error, made.weight)]
    assert got == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize("place", range(len(RECORDED)))
def test_published_equals_ppi_py(place):
    one = RECORDED[place]
    y, f, rest = (np.array(one[name]) for name in ("y", "f", "rest"))
    made = published(y, f, rest, weight=one["lam"])
    assert (made.value, made.low, made.high) == pytest.approx((one["value"], one["low"], one["high"]), abs=1e-9)


@pytest.mark.parametrize("place", range(0, len(RECORDED), 2))
def test_a_weight_of_one_on_the_unjudged_is_a_larger_one_on_all(place):
    one = RECORDED[place]
    y, f, rest = (np.array(one[name]) for name in ("y", "f", "rest"))
    everything = np.concatenate([f, rest])
    weight = len(everything) / len(rest)
    assert fixed(y, f, everything, weight=weight).value == pytest.approx(one["value"], abs=1e-12)


def test_a_reversed_or_constant_machine_leaves_people_alone():
    for machine in (1 - Y, np.full(6, 0.3)):
        everything = np.concatenate([machine, REST])
        made, alone = tuned(Y, machine, everything), people_only(Y)
        assert (made.value, made.low, made.high) == pytest.approx((alone.value, alone.low, alone.high), abs=1e-12)
        assert made.weight == 0


def test_a_machine_that_is_right_leaves_only_the_queries_to_chance():
    everything = np.concatenate([Y, REST])
    made = tuned(Y, Y, everything)
    assert made.value == pytest.approx(everything.mean())
    # None of its errors was seen: one as large as one can be is reckoned with, beside the choice of the queries.
    leverage = (everything.mean() - Y.mean()) ** 2 / ((Y - Y.mean()) ** 2).sum()
    more = np.ptp(everything) ** 2 / 4 * (1 / 6 - 1 / 20 + leverage)
    assert made.error == pytest.approx(math.sqrt(Y.var(ddof=1) / 20 + more))
    assert tuned(Y, Y, everything, target="queries").error == pytest.approx(math.sqrt(more))


@pytest.mark.parametrize("target", ["population", "queries"])
@pytest.mark.parametrize(("judged", "wrong"), [(20, 0.02), (20, 0.1), (100, 0.05), (100, 0.15)])
def test_intervals_hold_where_the_machine_is_almost_always_right(target, judged, wrong):
    """Errors on one side, of which few judged queries show any; plain t held 0.3 to 0.9 of the time."""
    random, trials = np.random.default_rng(3), 400
    y = np.clip(random.normal(0.45, 0.3, (trials, 2000)), 0, 1)
    f = np.where(random.random(y.shape) < wrong, 1.0, y)
    made = tuned(y[:, :judged], f[:, :judged], f, target=target)
    truth = y.mean(axis=1) if target == "queries" else np.full(trials, y.mean())
    assert ((made.low <= truth) & (truth <= made.high)).mean() > 0.95 - 3 * math.sqrt(0.05 * 0.95 / trials)
    people = people_only(y[:, :judged], 2000, target=target)
    assert ((made.high - made.low) / (people.high - people.low)).mean() < (1.15 if judged == 20 else 0.8)


@pytest.mark.parametrize("seed", range(6))
def test_a_slow_second_implementation_of_tuned_says_the_same(seed):
    from scipy.stats import t

    draw = random.Random(seed)
    n, total = draw.randint(4, 12), draw.randint(13, 40)
    f = [draw.random() for _ in range(total)]
    y = [0.3 + 0.5 * one + 0.2 * draw.random() for one in f[:n]]
    mean_y, mean_f, mean_all = sum(y) / n, sum(f[:n]) / n, sum(f) / total
    s_ff = sum((one - mean_f) ** 2 for one in f[:n])
    slope = sum((a - mean_y) * (b - mean_f) for a, b in zip(y, f, strict=False)) / s_ff
    rest = sum((a - mean_y - slope * (b - mean_f)) ** 2 for a, b in zip(y, f, strict=False)) / (n - 2)
    variance = rest * (1 / n - 1 / total + (mean_all - mean_f) ** 2 / s_ff)
    variance += sum((one - mean_y) ** 2 for one in y) / (n - 1) / total
    value = mean_y + slope * (mean_all - mean_f)
    wrong = []
    for errors in ([a - b for a, b in zip(y, f, strict=False)], [a - slope * b for a, b in zip(y, f, strict=False)]):
        usual = statistics.median(errors)
        gaps = [abs(error - usual) for error in errors]
        wrong.append(sum(gap > max(gaps) / 50 for gap in gaps))
    if min(wrong) < n / 2:
        largest = max(max(y) - min(y), max(f) - min(f), *(abs(a - b) for a, b in zip(y, f, strict=False)))
        variance += largest**2 / (n - 2) * (1 / n - 1 / total + (mean_all - mean_f) ** 2 / s_ff)
    made = tuned(np.array(y), np.array(f[:n]), np.array(f))
    assert slope > 0
    assert made.value == pytest.approx(value, abs=1e-12)
    assert made.high == pytest.approx(value + t.ppf(0.975, n - 2) * math.sqrt(variance), abs=1e-10)


def test_items_that_were_drawn_correct_the_machine():
    # DCG@3: gains by the machine 3 1 2 2, people 3 . 1 . on the first and third, chances .5 .5 .25 .25.
    weight = np.array([[1, 1 / math.log2(3), 0.5, 0.0]])
    machine, human = np.array([[3.0, 1, 2, 2]]), np.array([[3.0, 0, 1, 0]])
    drawn = np.array([[True, False, True, False]])
    made = items_per_query(weight, machine, human, drawn, np.array([[0.5, 0.5, 0.25, 0.25]]))
    assert made.tolist() == pytest.approx([2.630930], abs=5e-7)


def test_best_chances_follow_weight_and_error():
    weight = np.array([[1, 0.6309, 0.5, 0], [0, 0.4307, 0.3869, 0.3562]])
    error = np.array([[0.5, 0.9, 0.9, 0.9], [0.5, 0.5, 0.9, 0.2]])
    expected = [[0.696828, 0.791332, 0.627146, 0], [0, 0.300124, 0.485285, 0.099284]]
    made = best_chances(weight * error, 3)
    assert made == pytest.approx(np.array(expected), abs=1e-6)
    assert made.sum() == pytest.approx(3)


@pytest.mark.parametrize("budget", [1, 2.5, 7, 40])
def test_chances_are_chances_and_nothing_that_counts_has_none(budget):
    size = np.random.default_rng(1).exponential(size=30) * (np.arange(30) % 5 > 0)
    made = best_chances(size, budget)
    assert ((made > 0) == (size > 0)).all()
    assert (made <= 1).all()
    assert made.sum() == pytest.approx(min(budget, (size > 0).sum()))


@pytest.mark.parametrize(
    ("total", "half", "population", "queries"),
    [
        (500, 0.05, [123, 100, 56, 20], [100, 80, 44, 15]),
        (500, 0.03, [338, 305, 216, 90], [202, 170, 100, 34]),
        (500, 0.02, [None] * 4, [302, 267, 178, 68]),
        (2000, 0.02, [756, 627, 362, 116], [549, 444, 242, 75]),
    ],
)
def test_judgments_needed(total, half, population, queries):
    for target, expected in (("population", population), ("queries", queries)):
        made = [judgments_needed(0.28, rho, total, half, target=target) for rho in (0.0, 0.5, 0.8, 0.95)]
        assert made == expected


def test_people_needed_is_the_least_that_is_enough():
    count = people_needed(0.28, 0.05)
    values = np.random.default_rng(0).normal(size=count)
    values = (values - values.mean()) / values.std(ddof=1) * 0.28
    assert people_only(values).high - people_only(values).value <= 0.05
    fewer = values[:-1] - values[:-1].mean()
    fewer *= 0.28 / fewer.std(ddof=1)
    assert people_only(fewer).high - people_only(fewer).value > 0.05
    assert people_needed(0.28, 1e-9) is None
    assert people_needed(0.0, 0.1) is None


@pytest.mark.slow
def test_intervals_of_single_items_hold_and_those_of_the_machine_do_not():
    trials = 150
    slack = 4 * math.sqrt(0.95 * 0.05 / trials)
    table = simulate_items(trials)
    for (measure, what, name), (held, width, _) in table.items():
        if name.startswith(("items", "pools")):
            assert held == pytest.approx(0.95, abs=slack), (measure, what, name)
        if name == "items, best chances":  # chances that follow the weights pay, for differences too
            assert width < table[measure, what, "pools, people only"][1]
    for measure in ("P@10", "DCG@10", "nDCG@10"):
        assert table[measure, "A", "machine only"][0] < 0.3
        assert table[measure, "A", "machine patched"][0] < 0.4


def test_what_was_not_drawn_at_random_has_no_interval_that_holds():
    table = simulate_traps(300)
    for judged in (20, 50):
        assert table["judged first: what is bad", judged][1] < 0.2
        assert table["lists differ on a fifth, those judged", judged][1] == pytest.approx(0.95, abs=0.05)


def test_intervals_hold_for_every_kind_of_judge():
    trials = 400
    table = simulate(trials, seed=3)
    slack = 4 * math.sqrt(0.95 * 0.05 / trials)
    for (judge, what, judged, name), (held, width) in table.items():
        if name in ("people", "tuned", "fixed", "cross-fitted", "people, these", "tuned, these"):
            assert held == pytest.approx(0.95, abs=slack), (judge, what, judged, name)
        if name == "machine" and judge not in ("good", "mediocre"):
            assert held < 0.05, (judge, what)
        if name == "tuned":
            share = width / table[judge, what, judged, "people"][1]
            expected = {"good": 0.68, "biased": 0.68, "mediocre": 0.9}.get(judge, 1.0)
            assert share == pytest.approx(expected, abs=0.05), (judge, what, judged)


@pytest.mark.parametrize("seed", range(5))
def test_a_weighted_mean_is_the_jackknife_of_the_ratio(seed):
    draw = np.random.default_rng(seed)
    y, chance = draw.random(7), draw.uniform(0.1, 0.9, 7)
    made = weighted_mean(y, chance, 30, target="queries")
    share = 1 / chance
    without = [np.average(np.delete(y, at), weights=np.delete(share, at)) for at in range(7)]
    assert made.value == pytest.approx(np.average(y, weights=share))
    assert made.error**2 == pytest.approx(((1 - chance) * (np.array(without) - made.value) ** 2).sum())
    assert y.min() <= made.value <= y.max()


@pytest.mark.parametrize("target", ["population", "queries"])
def test_a_weighted_mean_of_equal_chances_is_the_mean_with_nearly_the_interval_of_students_t(target):
    made, alone = weighted_mean(Y, np.full(6, 0.3), 20, target=target), people_only(Y, 20, target=target)
    assert made.value == pytest.approx(alone.value)
    assert made.error == pytest.approx(alone.error, rel=0.1)


@pytest.mark.parametrize(("kind", "least"), [("spread", 0.93), ("chances follow values", 0.93), ("near 1", 0.88)])
def test_a_weighted_mean_is_unbiased_and_its_interval_holds(kind, least):
    """Of 300 queries about 40 are drawn; where values crowd at 1, as much as Student's t holds with them."""
    random = np.random.default_rng(7)
    trials, misses, holds = 3000, [], 0
    for _ in range(trials):
        y = np.clip(1 - random.exponential(0.08, 300), 0, 1) if kind == "near 1" else random.beta(2, 1.2, 300)
        unsure = np.exp(random.normal(0, 0.7, 300) + (1.5 * y if kind == "chances follow values" else 0))
        chance = best_chances(0.5 * unsure / unsure.mean() + 0.5, 40.0)
        drawn = random.random(300) < chance
        made = weighted_mean(y[drawn], chance[drawn], 300, target="queries")
        misses.append(made.value - y.mean())
        holds += made.low <= y.mean() <= made.high
    assert abs(np.mean(misses)) < 4 * np.std(misses) / math.sqrt(trials) + 0.001
    assert holds / trials > least
