"""Bounds for heavy weights: they are what betting says, and they hold."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankmeter.online import off_policy, off_policy_slates
from rankmeter.wings.online.weight_bounds import STAKES, lower_bound


def slow_bound(values, error):
    """The largest mean, on a fine grid, at which the bets won 1 / error, one value after the other."""
    mean = sum(values) / len(values)
    best = 0.0
    for step in range(1, 4001):
        tried, stakes = mean * step / 4000, [1.0] * len(STAKES)
        for value in values:
            stakes = [owned * (1 + share * (value / tried - 1)) for owned, share in zip(stakes, STAKES, strict=True)]
        if sum(stakes) / len(stakes) > 1 / error:
            best = tried
    return best


@pytest.mark.parametrize("seed", range(4))
def test_a_bound_is_that_of_a_slow_second_implementation(seed):
    random = np.random.default_rng(seed)
    values = np.where(random.random(60) < 0.5, 0.0, random.exponential(2.0, 60).round(1))
    assert lower_bound(values, 0.025) == pytest.approx(slow_bound(values.tolist(), 0.025), abs=values.mean() / 2000)
    assert lower_bound(np.zeros(5), 0.025) == 0
    assert lower_bound(values * 7, 0.025) == pytest.approx(7 * lower_bound(values, 0.025), rel=1e-6)


def rarely_logged(random, rows, slots=1):
    """One context of twenty, worth more, in which what the new policy does was logged once in a hundred times."""
    rare = random.random((rows, slots)) < 0.05
    logged = np.where(rare, 0.01, 0.5)
    taken = random.random((rows, slots)) < logged
    rate = np.where(taken, np.where(rare, 0.6, 0.2), 0.25)
    return (random.random((rows, slots)) < rate).astype(float), logged, taken.astype(float)


TRUTH = 0.05 * 0.6 + 0.95 * 0.2


@pytest.mark.parametrize("users", [1, 4])
def test_intervals_hold_where_large_weights_have_hardly_come_up(users):
    random, held, normal, worse, trials = np.random.default_rng(1), 0, 0, 0, 120
    for _ in range(trials):
        earned, logged, target = (part[:, 0] for part in rarely_logged(random, 2000))
        owner = np.arange(2000) // users
        found = off_policy(earned, np.where(target > 0, logged, 0.5), target, users=owner if users > 1 else None)
        low, high = found.estimates["SNIPS"].low, found.estimates["SNIPS"].high
        held += low <= TRUTH <= high
        weights = target / logged
        error = (weights * earned).std() / math.sqrt(2000)
        normal += abs(found["IPS"] - TRUTH) <= 1.96 * error
        worse += found.verdict.kind == "policy_worse" and found.logged.value < TRUTH
    assert held / trials > 0.91
    assert normal / trials < 0.85
    assert worse / trials < 0.05


def test_heavy_weights_are_said_and_rewards_without_bound_have_no_interval():
    random = np.random.default_rng(2)
    earned, logged, target = (part[:, 0] for part in rarely_logged(random, 4000))
    weights = target / np.where(target > 0, logged, 0.5)
    found = off_policy(earned, np.where(target > 0, logged, 0.5), target)
    assert found.weights.is_heavy
    assert found.weights.share == pytest.approx(weights.max() / weights.sum())
    kinds = [sentence.kind for sentence in found.sentences()]
    assert "weights_heavy" in kinds
    for name in ("IPS", "SNIPS"):
        one = found.estimates[name]
        assert one.method.kind == "method_bound"
        assert 0 <= one.low <= one.value <= one.high
    assert found.gain.method.kind == "method_bound"
    paid = off_policy(earned * 20, np.where(target > 0, logged, 0.5), target)
    assert math.isnan(paid.estimates["IPS"].low)
    assert paid.verdict.kind == "policy_no_data"
    light = off_policy(earned, np.full(4000, 0.5), np.where(random.random(4000) < 0.5, 0.4, 0.6))
    assert "weights_heavy" not in [sentence.kind for sentence in light.sentences()]


@pytest.mark.parametrize("model", ["item-position", "cascade", "standard"])
def test_slates_have_bounds_too(model):
    random, held, trials = np.random.default_rng(3), 0, 40
    for _ in range(trials):
        earned, logged, target = rarely_logged(random, 1500, slots=2)
        found = off_policy_slates(earned, np.where(target > 0, logged, 0.5), target, model=model)
        if not found.weights.is_heavy or math.isnan(found.estimates["IPS"].low):
            held += 1
            continue
        # Slots are independent of each other here, so that every way of reading them has the same value.
        held += found.estimates["IPS"].low <= 2 * TRUTH <= found.estimates["IPS"].high
    assert held / trials > 0.85
