"""Placing from mappings: grades of every size, mappings of every kind."""

from __future__ import annotations

import tracemalloc
from collections import Counter, OrderedDict, UserDict
from decimal import Decimal
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeter as rm
from rankmeter.errors import InputError
from rankmeter.placing import mapping
from rankmeter.placing.placements import ROW_FIELDS, Plan


def test_few_high_grades_take_no_more_memory_than_low_ones():
    def peak(top: int) -> int:
        judgments = {query: {0: top, 1: 1} for query in range(5000)}
        run = {query: {1: 2.0, 0: 1.0} for query in range(5000)}
        tracemalloc.start()
        rm.evaluate(judgments, run, "nDCG@10")
        try:
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(2)  # what is loaded once
    assert peak(254) < 2 * peak(2)


def test_mappings_that_cannot_be_read_backwards_are_mappings():
    judgments, run = UserDict(q=UserDict(a=1, b=2)), UserDict(q=UserDict(a=2.0, c=1.5, b=1.0))
    assert rm.evaluate(judgments, run, "AP")["AP"] == pytest.approx((1 + 2 / 3) / 2)


@pytest.mark.parametrize(
    ("what", "grade", "score"), [("grade", 10**400, 1), ("score", 1, 10**400)], ids=["grade", "score"]
)
def test_a_whole_number_too_large_for_a_float_is_refused(what, grade, score):
    with pytest.raises(rm.InputError, match=f"a {what} is not a number: 1000"):
        rm.evaluate({"q": {"a": grade}}, {"q": {"a": score}}, "AP")


graded = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-1, 3), min_size=1, max_size=8)
scored = st.dictionaries(st.sampled_from("abcdefghij"), st.sampled_from([0.0, 1.0, 1.5, 2.0]), max_size=10)


@given(st.dictionaries(st.sampled_from("pqrs"), graded, min_size=1), st.dictionaries(st.sampled_from("pqrt"), scored))
def test_long_and_short_lists_are_read_alike(judgments, run):
    expected, *others = (_placed_with(judgments, run, long, deep) for long in (0, 1000) for deep in (0, 1000))
    for found in others:
        for name in ("query", "grade", "above", "tied", "higher_id", "earlier", "score", "best", "returned", "in_run"):
            assert _rows(found, name) == _rows(expected, name), name


def _placed_with(judgments, run, long, deep):
    """Where items stand when lists count as long from so many items on, and as deep from so many for a judgment on."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mapping, "LONG", long)
        patch.setattr(mapping, "DEEP", deep)
        return mapping.place_mappings(judgments, run, Plan()).placements


def _rows(placements, name):
    """One column; rows of a query in the order of their places, which is not stated."""
    column = getattr(placements, name)
    if name not in ROW_FIELDS:
        return column.tolist()
    return column[np.lexsort((placements.earlier, placements.above, placements.query))].tolist()


@pytest.mark.parametrize("score", ["high", None, float("nan"), 10**400])
def test_a_score_that_is_no_number_is_named_in_a_long_list_too(score):
    run = {"q": {f"d{number}": float(number) for number in range(300)} | {"d7": score}}
    with pytest.raises(InputError, match=r"a score is not a number: .* \(query q, item d7\)"):
        rm.evaluate({"q": {"d1": 1}}, run, ["AP"])


def test_judgments_of_some_queries_are_those_read_of_them_alone():
    every = [{"a": 1, "b": 0}, {"c": 3}, {"d": 0, "e": 2, "f": 1}]
    some = mapping.index_of(["x", "y", "z"], every, 1.0).some([2, 0])
    alone = mapping.index_of(["z", "x"], [every[2], every[0]], 1.0)
    for name in ("grade", "offsets", "best", "best_offsets"):
        assert getattr(some, name).tolist() == getattr(alone, name).tolist(), name
    assert some.graded == alone.graded


@pytest.mark.parametrize(
    "ids", [["b", "a", "ab"], ["ä", "z", "aé", "a"], ["x" * 100, "x" * 99, "y"], ["a\0", "a"], [9, 10, 1]]
)
def test_ids_inside_a_tie_are_compared_as_text_whatever_their_length(ids):
    placed = mapping.place_mappings({"q": dict.fromkeys(ids, 1)}, {"q": dict.fromkeys(ids, 0.5)}, Plan())
    falling = sorted(map(str, ids), key=str.encode, reverse=True)
    assert placed.placements.higher_id.tolist() == [falling.index(str(id_)) for id_ in ids]


def plain_and_other(random, depth, of_other):
    """Judgments and a run of short and long lists in plain dictionaries, and the same in other mappings."""
    judgments = {
        f"q{q}": {f"d{i}": int(random.integers(0, 3)) for i in random.permutation(depth + 4)[: depth // 2 + 1].tolist()}
        for q in range(20)
    }
    run = {
        f"q{q}": {f"d{i}": float(random.integers(0, depth)) for i in random.permutation(depth + 4)[:depth].tolist()}
        for q in random.permutation(np.arange(2, 23)).tolist()
    }
    return (judgments, run), tuple({q: of_other(items) for q, items in side.items()} for side in (judgments, run))


class Backwards(dict):
    """A dictionary with an order of its own, as `OrderedDict` has."""

    def __iter__(self):
        return reversed(list(super().__iter__()))

    def keys(self):
        return list(self)

    def values(self):
        return [self[key] for key in self]

    def items(self):
        return [(key, self[key]) for key in self]


@pytest.mark.parametrize("depth", [3, mapping.LONG + 5])
@pytest.mark.parametrize("of_other", [OrderedDict, Counter, UserDict, MappingProxyType, Backwards])
def test_short_and_long_lists_in_other_mappings_have_the_same_placements(depth, of_other):
    for seed in range(5):
        plain, other = plain_and_other(np.random.default_rng(seed), depth, of_other)
        placed = [mapping.place_mappings(*sides, Plan()).placements for sides in (plain, other)]
        for name in ("query", "grade", "above", "tied", "higher_id", "score"):
            ordered = [np.lexsort((p.higher_id, p.above, p.query)) for p in placed]
            both = [getattr(p, name)[order] for p, order in zip(placed, ordered, strict=True)]
            assert np.array_equal(*both), name
        assert np.array_equal(placed[0].best, placed[1].best)


@pytest.mark.parametrize("queries", [1, 3000])
@pytest.mark.parametrize("value", [True, np.True_])
def test_a_truth_value_among_short_lists_of_scores_is_refused_wherever_it_stands(queries, value):
    run = {f"q{n}": {"a": 0.5, "b": 0.25} for n in range(queries)}
    run[f"q{queries - 1}"]["b"] = value
    with pytest.raises(InputError, match=f"q{queries - 1}"):
        rm.evaluate({f"q{n}": {"a": 1} for n in range(queries)}, run, "RR")


@pytest.mark.parametrize("queries", [1, 3000])
def test_decimals_that_become_one_score_are_refused_behind_floats_too(queries):
    run = {f"q{n}": {"a": 0.5, "b": 0.25} for n in range(queries)}
    run[f"q{queries - 1}"] |= {"c": Decimal("0.1"), "d": Decimal("0.1") + Decimal("1e-25")}
    with pytest.raises(InputError, match=r"0\.1"):
        rm.evaluate({f"q{n}": {"a": 1} for n in range(queries)}, run, "RR")


def test_a_fingerprint_is_that_of_the_judgments_as_they_were():
    def judgments():
        return {f"q{n}": {f"d{i}": i % 3 for i in range(3)} for n in range(900)}

    given, run = judgments(), {f"q{n}": {"d1": 2.0, "d2": 1.0} for n in range(900)}
    before, again = (rm.evaluate(given, run, "RR") for _ in range(2))
    given["q7"]["d1"] = 9
    given["q8"]["new"] = 1
    del given["q9"]
    assert before.judged_by.value == again.judged_by.value == rm.evaluate(judgments(), run, "RR").judged_by.value
    assert rm.evaluate(given, run, "RR").judged_by.value.rows == 2700 + 1 - 3
