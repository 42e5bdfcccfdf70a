"""Popularity from the catalogue or from the past; slices of no, one and two queries; gaps; bad options among good."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy import stats

import rankmeter as rm
from rankmeter.errors import InputError
from rankmeter.lists.slice_intervals import drawn_again, middle_of

ITEMS = list("abcdef")
TAKEN = {"a": 6, "b": 3, "c": 3, "d": 1, "e": 0, "f": 0}
LISTS = {"u1": ["a", "d", "e"], "u2": ["e", "f", "b"], "u3": ["c"], "u4": ["f", "e"]}
HISTORY = {f"p{user}": [item for item in ITEMS if TAKEN[item] > user] for user in range(6)}


@pytest.mark.parametrize("zeros", [True, False])
@pytest.mark.parametrize("border", ["first", "last"])
@pytest.mark.parametrize("among", ["catalogue", "history"])
@pytest.mark.parametrize("tail", ["items", "interactions"])
@pytest.mark.parametrize("share", [0.2, 0.5])
@pytest.mark.parametrize("name", ["TailShare", "APLT", "ACLT"])
def test_stated_popularity_and_that_of_the_past_give_one_tail(name, share, tail, among, border, zeros):
    """An item of popularity 0 is one that nobody took; whether it is in the tail depends on ``among`` alone."""
    items = ITEMS if zeros else ITEMS[:4]
    lists = LISTS if zeros else {user: [item for item in row if item in items] for user, row in LISTS.items()}
    measure = f"{name}(share={share},tail={tail},among={among},border={border})@3"
    stated = rm.Catalogue(items=items, popularity=[TAKEN[item] for item in items])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmeterWarning)
        one = rm.evaluate(None, lists, measure, catalogue=stated)
        other = rm.evaluate(None, lists, measure, catalogue=rm.Catalogue(items=items), history=HISTORY)
    assert one.per_query.equals(other.per_query)
    assert one.means == other.means or math.isnan(other[measure])


def sliced(sizes: dict[str, int], seed: int = 0) -> tuple[rm.Evaluation, dict[str, list[float]]]:
    """One evaluation with slices of so many queries, and the values of their queries."""
    random = np.random.default_rng(seed)
    names = [name for name, size in sizes.items() for _ in range(size)]
    ranks = random.integers(1, 5, len(names)).tolist()
    run = {f"q{at}": [*"wxyz"[: rank - 1], "hit"] for at, rank in enumerate(ranks)}
    by = {f"q{at}": name for at, name in enumerate(names)}
    values: dict[str, list[float]] = {}
    for name, rank in zip(names, ranks, strict=True):
        values.setdefault(name, []).append(1 / rank)
    return rm.evaluate({query: {"hit"} for query in run}, run, ["RR"], by={"part": by}), values


@pytest.mark.parametrize("sizes", [(1, 1), (1, 2), (2, 1), (2, 2), (1, 6), (6, 1), (5, 7), (1, 1, 1), (2, 1, 5)])
def test_a_slice_has_the_interval_of_its_queries_and_one_of_one_query_has_none(sizes):
    ev, values = sliced(dict(zip("abc", sizes, strict=False)))
    [spreads] = ev.slices["part"].intervals().values()
    for label, spread in zip(ev.slices["part"].labels, spreads, strict=True):
        own = values[label]
        rest = [value for name, row in values.items() if name != label for value in row]
        assert math.isnan(spread.low) == math.isnan(spread.high) == (len(own) < 2 or len(set(own)) == 1)
        if not math.isnan(spread.low):
            low, high = stats.t.interval(0.95, len(own) - 1, np.mean(own), stats.sem(own))
            assert (spread.low, spread.high) == pytest.approx((max(low, 0), min(high, 1)))
        assert spread.rest.value == pytest.approx(np.mean(own) - np.mean(rest))
        known = min(len(own), len(rest)) > 1 and (len(set(own)) > 1 or len(set(rest)) > 1)
        assert math.isnan(spread.rest.low) == math.isnan(spread.rest.high) == (not known)
        if known:
            welch = stats.ttest_ind(own, rest, equal_var=False).confidence_interval(0.95)
            assert (spread.rest.low, spread.rest.high) == pytest.approx(tuple(welch))


@pytest.mark.parametrize("sizes", [(1, 1), (1, 4), (4, 1), (2, 2), (4, 5)])
def test_a_measure_of_all_lists_has_no_interval_in_a_slice_of_one_query(sizes):
    random = np.random.default_rng(5)
    names = [name for name, size in zip("ab", sizes, strict=True) for _ in range(size)]
    lists = {f"q{at}": random.permutation(ITEMS)[:3].tolist() for at in range(len(names))}
    items = rm.Catalogue(items=ITEMS, groups=list("gghhgh"))
    by = {"part": {f"q{at}": name for at, name in enumerate(names)}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmeterWarning)
        ev = rm.evaluate(None, lists, ["Disparity@3"], catalogue=items, by=by)
    cut = ev.slices["part"]
    [spreads] = cut.intervals(resamples=200).values()
    for size, spread in zip(sizes, spreads, strict=True):
        assert math.isnan(spread.low) == math.isnan(spread.high) == (size < 2)
        assert math.isnan(spread.rest.low) == (min(sizes) < 2)
    found = cut.difference("Disparity@3", "a", "b", resamples=200)
    assert math.isnan(found.low) == (min(sizes) < 2)


def test_a_gap_needs_two_slices_and_chance_is_counted_with_what_was_seen():
    ev, _ = sliced({"a": 6})
    with pytest.raises(InputError) as told:
        ev.slices["part"].gap("RR", resamples=100)
    assert told.value.problem.kind == "stats.gap_of_one"
    ev, values = sliced({"a": 6, "b": 1, "c": 3})
    means = [np.mean(row) for row in values.values()]
    for gap, expected in (
        ("range", max(means) - min(means)),
        ("mad", np.mean([abs(x - y) for at, x in enumerate(means) for y in means[:at]])),
    ):
        found = ev.slices["part"].gap("RR", gap=gap, resamples=199)
        assert found.value == pytest.approx(expected)
        assert (found.p_value * 200) == pytest.approx(round(found.p_value * 200))
        assert 1 / 200 <= found.p_value <= 1
        assert math.isnan(found.low)  # b is a single query


@pytest.mark.parametrize("option", ["level", "resamples"])
@pytest.mark.parametrize("bad", [0, 1, -1, math.nan, math.inf, True, "x"])
@pytest.mark.parametrize("call", ["intervals", "difference", "gap"])
def test_a_bad_option_is_refused_wherever_slices_are_compared(call, bad, option):
    ev, _ = sliced({"a": 3, "b": 3})
    cut = ev.slices["part"]
    given = {"intervals": (), "difference": ("RR", "a", "b"), "gap": ("RR",)}[call]
    with pytest.raises(InputError) as told:
        getattr(cut, call)(*given, **{option: bad})
    assert told.value.problem.kind in ("general.not_a_share", "general.not_whole", "stats.few_resamples")


@pytest.mark.parametrize("bad", [math.nan, 0.5])
def test_the_middle_of_what_was_drawn_leaves_undefined_values_out(bad):
    values = np.append(np.linspace(0, 1, 101), bad)
    assert middle_of(values, 0.9) == pytest.approx((0.05, 0.95), abs=1e-3)


@pytest.mark.parametrize(("resamples", "drawn"), [(99, 100), (100, 100), (101, 101), (1999, 1999)])
def test_few_queries_are_drawn_as_often_as_asked(resamples, drawn):
    assert len(drawn_again(np.ones((3, 2)), resamples, 0)) == drawn
