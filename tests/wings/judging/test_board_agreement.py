"""Two orders of the same systems: published values, ircor's, and slow second implementations."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import rankmeter as rm
from rankmeter.stats.rank_agreement import tau
from rankmeter.wings.judging.board_agreement import (
    first_again,
    largest_drop,
    overlap,
    places_of_systems,
    regret,
    tau_ap,
    tau_ap_b,
    tau_h,
)

PEOPLE = np.array([0.412, 0.405, 0.398, 0.371, 0.352, 0.340, 0.301, 0.255])
MACHINE = np.array([0.601, 0.622, 0.598, 0.560, 0.571, 0.530, 0.470, 0.500])
X = np.array([0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38])
Y = np.array([0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644])


def test_worked_leaderboard():
    assert tau(PEOPLE, MACHINE) == pytest.approx(0.785714, abs=5e-7)
    assert tau_ap(PEOPLE, MACHINE) == pytest.approx(0.602041, abs=5e-7)
    assert tau_h(PEOPLE, MACHINE) == pytest.approx(0.766848, abs=5e-7)
    assert overlap(PEOPLE, MACHINE, p=0.9) == pytest.approx(0.874183, abs=5e-7)
    assert overlap(PEOPLE, MACHINE, p=0.8) == pytest.approx(0.766910, abs=5e-7)
    assert overlap(PEOPLE, MACHINE, p=0.8, depth=5) == pytest.approx(0.664446, abs=5e-7)
    assert largest_drop(PEOPLE, MACHINE) == 1
    assert regret(PEOPLE, MACHINE) == pytest.approx(0.007)
    assert np.corrcoef(places_of_systems(PEOPLE), places_of_systems(MACHINE))[0, 1] == pytest.approx(0.928571, abs=5e-7)


@pytest.mark.parametrize(
    ("swapped", "expected"), [((0, 1), (0.9286, 0.7143, 0.8423, 0.8000)), ((6, 7), (0.9286, 0.9592, 0.9718, 0.9925))]
)
def test_a_swap_at_the_top_counts_more_than_one_at_the_bottom(swapped, expected):
    other = PEOPLE.copy()
    other[list(swapped)] = other[list(swapped)[::-1]]
    made = float(tau(PEOPLE, other)), tau_ap(PEOPLE, other), tau_h(PEOPLE, other), overlap(PEOPLE, other)
    assert made == pytest.approx(expected, abs=5e-5)


def test_equal_systems_share_the_better_place_as_in_a_comparison():
    """Whatever the order in which systems are given, and whether the values differ by rounding only."""
    values = np.array([0.5, 0.1 + 0.2, 0.3, 0.9, 0.3, 0.1])
    for order in itertools.islice(itertools.permutations(range(6)), 0, 720, 37):
        assert places_of_systems(values[list(order)]).tolist() == [[2, 3, 3, 1, 3, 6][at] for at in order]
    truth = {q: {f"i{at}" for at in range(5) if (q * 7 + at * 3) % 5 < 2} | {"i0"} for q in range(12)}
    runs = {f"s{n}": {q: [f"i{(q * n + at) % 5}" for at in range(5)] for q in truth} for n in (1, 2, 2 + 5, 3, 3 + 5)}
    cmp = rm.compare(truth, runs, ["nDCG@3"], permutations=100, resamples=100)
    board = rm.leaderboards(truth, truth, runs, "nDCG@3", resamples=100)["nDCG@3"]
    places = {row.system: (row.people_place, row.machine_place) for row in board.rows}
    ranks = {name: cmp.score("nDCG@3", name).rank for name in runs}
    assert places == {name: (rank, rank) for name, rank in ranks.items()}
    assert len(set(ranks.values())) < len(ranks)


@pytest.mark.parametrize("queries", [1, 5, 40])
@pytest.mark.parametrize("gap", [0.0, 0.05, 1.0])
def test_how_often_the_first_is_first_again_is_what_plain_draws_say(queries, gap):
    rng = np.random.default_rng(queries)
    values = rng.random((3, queries))
    values[0] += gap + max(values.mean(1)) - values[0].mean()
    draw, times = random.Random(1), 4000
    hits = 0
    for _ in range(times):
        drawn = [draw.randrange(queries) for _ in range(queries)]
        means = [sum(row[at] for at in drawn) / queries for row in values.tolist()]
        hits += means[0] >= max(means) - 1e-12
    assert first_again(values, 4000, 0) == pytest.approx(hits / times, abs=4 * (0.5 / times) ** 0.5)
    assert first_again(np.vstack([values[:1], values[:1]]), 100, 0) == 1.0


def test_values_of_ircor():
    assert tau(X, Y) == pytest.approx(0.2889, abs=5e-5)
    assert tau_ap(X, Y) == pytest.approx(0.2504, abs=5e-5)
    assert (tau_ap(X, Y) + tau_ap(Y, X)) / 2 == pytest.approx(0.2880, abs=5e-5)
    assert tau(X.round(1), Y.round(1)) == pytest.approx(0.3765, abs=5e-5)
    assert tau_ap_b(X.round(1), Y.round(1)) == pytest.approx(0.2970, abs=5e-5)
    assert tau_ap(X, Y.round(1)) == pytest.approx(0.2692, abs=5e-5)


def test_the_extrapolated_overlap_of_the_same_systems_has_a_floor():
    assert overlap(PEOPLE, -PEOPLE, p=0.9) == pytest.approx(0.5895, abs=5e-5)
    assert overlap(PEOPLE, PEOPLE) == pytest.approx(1)
    assert overlap(PEOPLE, -PEOPLE, depth=3) == 0


@pytest.mark.parametrize("seed", range(6))
def test_ties_of_the_machine_are_taken_in_every_order(seed):
    draw = random.Random(seed)
    truth = np.array(draw.sample(range(20), 6), float)
    other = np.array([draw.randrange(3) for _ in range(6)], float)
    values = []
    for order in itertools.permutations(range(6)):
        if all(other[a] >= other[b] for a, b in itertools.pairwise(order)):
            shares = [sum(truth[j] > truth[order[i]] for j in order[:i]) / i for i in range(1, 6)]
            values.append(2 * sum(shares) / 5 - 1)
    assert tau_ap(truth, other) == pytest.approx(np.mean(values), abs=1e-12)
