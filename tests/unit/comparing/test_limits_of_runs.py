"""Repeated runs, names in gates, fronts and noise: the conditions around a comparison, part by part."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import rankmeter as rm
from rankmeter.comparing.digest import pareto, short
from rankmeter.comparing.gate import RARELY, check_gates, noise_of, parse_gate
from rankmeter.comparing.standing import Standing, first_of, verdicts, winners_of
from rankmeter.errors import InputError
from rankmeter.stats.resampling import is_exact

FEW = {"permutations": 200, "resamples": 100}
QUERIES = [f"q{number}" for number in range(12)]
TRUTH = {query: {"a": 1} for query in QUERIES}


def at(ranks, queries=QUERIES):
    return {query: [*"wxyz"[: rank - 1], "a"] for query, rank in zip(queries, ranks, strict=True)}


GOOD, POOR = at([1, 2] * 6), at([2, 3, 4] * 4)


def refused(call, *values, **options) -> str:
    with pytest.raises(InputError) as told:
        call(*values, **options)
    return told.value.problem.kind


@pytest.mark.parametrize("repeat", [rm.seeds, rm.folds])
@pytest.mark.parametrize("nothing", [(), ([],), ((),)])
def test_no_run_is_refused_where_runs_are_repeated(repeat, nothing):
    assert refused(repeat, *nothing) == "comparing.repeats_without_run"


@pytest.mark.parametrize("repeat", [rm.seeds, rm.folds])
@pytest.mark.parametrize("runs", [(GOOD,), (GOOD, POOR), ([["a"]], [["b"]])])
def test_runs_are_given_one_by_one_or_in_a_list(repeat, runs):
    assert repeat(*runs).runs == runs
    assert repeat(list(runs)).runs == runs
    assert repeat(tuple(runs)).runs == runs


@pytest.mark.parametrize("shared", [0, 1])
def test_folds_are_one_run_of_all_their_queries_and_share_none(shared):
    first, second = at([1, 2] * 3, QUERIES[:6]), at([1, 2] * 3 + [1] * shared, QUERIES[6 - shared :])
    systems = {"folds": rm.folds(first, second), "whole": GOOD}
    if shared:
        assert refused(rm.compare, TRUTH, systems, ["RR"], **FEW) in ("comparing.folds_share", "comparing.of_system")
    else:
        cmp = rm.compare(TRUTH, systems, ["RR"], **FEW)
        assert cmp.score("RR", "folds").value == cmp.score("RR", "whole").value
        assert cmp.differences[0].p == 1


@pytest.mark.parametrize("one", [None, ("s1", "s2", "s3"), ("s3", "s1", "s2"), ("s1", "s2", "s4")])
@pytest.mark.parametrize("other", [None, ("s1", "s2", "s3")])
def test_runs_are_paired_by_seeds_of_the_same_names(one, other):
    runs = [at(np.roll([1, 2, 2] * 4, turn).tolist()) for turn in range(3)]
    poor = [at([2 + (number + turn) % 3 for number in range(12)]) for turn in range(3)]

    def repeated(names, of):
        return rm.seeds(*of) if names is None else rm.seeds(named=dict(zip(names, of, strict=True)))

    systems = {"one": repeated(one, runs), "other": repeated(other, poor)}
    different = one is not None and other is not None and set(one) != set(other)
    try:
        cmp = rm.compare(TRUTH, systems, ["RR"], unit="run", **FEW)
    except InputError:
        assert different
        return
    assert cmp.settings.paired == (one is not None and other is not None and not different)


@pytest.mark.parametrize("missing", [0, 3])
def test_values_are_over_the_queries_that_count_for_all(missing):
    """MeanRank counts queries where something was found: of the first system not the last ones."""
    one = {query: ["x"] if place >= 12 - missing else row for place, (query, row) in enumerate(GOOD.items())}
    cmp = rm.compare(TRUTH, {"one": one, "other": POOR}, ["MeanRank(miss=skip)", "RR"], **FEW)
    kept = slice(0, 12 - missing)
    expected = {"one": np.mean(([1, 2] * 6)[kept]), "other": np.mean(([2, 3, 4] * 4)[kept])}
    for name, value in expected.items():
        score = cmp.score("MeanRank(miss=skip)", name)
        assert score.value == pytest.approx(value)
    assert cmp.score("RR", "other").value == pytest.approx(np.mean([1 / 2, 1 / 3, 1 / 4]))


@pytest.mark.parametrize(
    ("text", "system"),
    [("new", "new"), ("'new'", "new"), ('"new"', "new"), ("'new", "'new"), ("new'", "new'"), ("'new\"", "'new\""),
     ("'", "'"), ("''", ""), ("xnewx", "xnewx"), ("'a b'", "a b")],
)  # fmt: skip
def test_quotes_around_a_name_are_left_out_where_they_match(text, system):
    assert parse_gate(f"RR of {text} < 0.5").system == system
    if system:
        assert parse_gate(f"RR < {text}").reference == system


@pytest.mark.parametrize("worse", [0, 1, 4])
@pytest.mark.parametrize("offset", ["", " - 0.02", " - 2%", " - 50%"])
def test_a_gate_flaps_where_noise_alone_would_fail_it_too_often(worse, offset):
    new = at([3 if place < worse else rank for place, rank in enumerate([1, 2] * 6)])
    cmp = rm.compare(TRUTH, {"old": GOOD, "new": new}, ["RR"], baseline="old", **FEW)
    [verdict] = check_gates(cmp, [parse_gate(f"RR < baseline{offset}")])
    gaps = np.array([1 / (3 if place < worse else rank) - 1 / rank for place, rank in enumerate([1, 2] * 6)])
    error = gaps.std(ddof=1) / math.sqrt(12)
    if error == 0:
        assert verdict.flaps is None
        assert noise_of([verdict]) == []
        return
    allowed = {"": 0.0, " - 0.02": 0.02, " - 2%": 0.015, " - 50%": 0.375}[offset]
    expected = 0.5 * math.erfc(allowed / error / math.sqrt(2))
    assert verdict.flaps == pytest.approx(expected)
    assert bool(noise_of([verdict])) == (expected > RARELY)


@pytest.mark.parametrize("units", [1, 2, 9, 10, 11, 62, 63, 64])
@pytest.mark.parametrize("permutations", [1023, 1024, 2**64])
def test_all_patterns_are_tried_where_they_are_no_more_than_asked(units, permutations):
    assert is_exact(units, permutations) == (units < 63 and 2**units <= permutations)
    assert is_exact(10, 1024)
    assert not is_exact(10, 1023)
    assert not is_exact(63, 2**64)


def test_a_front_holds_what_no_other_is_at_least_as_good_as_in_both():
    random = np.random.default_rng(0)
    for _ in range(60):
        points = [tuple(map(float, point)) for point in random.integers(0, 4, (6, 2))]
        points[random.integers(6)] = None
        known = [point for point in points if point is not None]
        expected = [
            place
            for place, point in enumerate(points)
            if point is not None and not any(o[0] >= point[0] and o[1] >= point[1] and o != point for o in known)
        ]
        assert pareto(points) == expected
    assert [short(value) for value in (None, math.nan, 0.12344, 0.12346, 0.0)] == [None, None, 0.1234, 0.1235, 0.0]


@pytest.mark.parametrize("sign", [1, -1])
def test_standing_follows_from_the_verdicts(sign):
    for values in itertools.product([0.0, 0.5, math.nan], repeat=3):
        known = [value * sign for value in values if not math.isnan(value)]
        first = first_of(values, sign)
        if known:
            assert values[first] * sign == max(known)
            assert first == next(place for place, value in enumerate(values) if value * sign == max(known))
    pairs = [(0, 1), (0, 2), (1, 2)]
    for p in itertools.product([0.04, 0.05, 0.06], repeat=3):
        winners = winners_of(np.array(p), np.array([1, -1, 0]), 0.05, sign)
        assert winners.tolist() == [sign * point * (chance < 0.05) for point, chance in zip((1, -1, 0), p, strict=True)]
        better = verdicts(3, pairs, winners)
        for (left, right), winner in zip(pairs, winners.tolist(), strict=True):
            assert (better[left, right], better[right, left]) == (winner > 0, winner < 0)
        standing = Standing.of([0.5, 0.5, 0.7], sign, better)
        assert standing.rank.tolist() == ([2, 2, 1] if sign > 0 else [1, 1, 3])
        assert standing.low.tolist() == [1 + int(better[:, place].sum()) for place in range(3)]
        assert standing.high.tolist() == [3 - int(better[place].sum()) for place in range(3)]
