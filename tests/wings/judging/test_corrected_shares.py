"""Shares corrected by the errors of a machine: the formula, what it recovers, what is refused."""

from __future__ import annotations

import random
from statistics import fmean, variance

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmeter as rm
from rankmeter.errors import InputError

BITS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=6, max_size=6)


def solved(people, machine, shares):
    """Rogan and Gladen in plain Python: p = Se x + (1 - Sp) (1 - x), solved for x; variance by the delta method."""
    pairs = [(people[q][d], machine[q][d]) for q in people for d in people[q]]
    found = [guess for truth, guess in pairs if truth]
    left = [1 - guess for truth, guess in pairs if not truth]
    if not found or not left or fmean(found) + fmean(left) <= 1:
        return None
    se, sp, p = fmean(found), fmean(left), fmean(shares)
    x = (p - (1 - sp)) / (se - (1 - sp))
    at = min(max(x, 0), 1)
    of_p = variance(shares) / len(shares)
    spread = of_p + at**2 * se * (1 - se) / len(found) + (1 - at) ** 2 * sp * (1 - sp) / len(left)
    return p, se, sp, x, 1.959963984540054 * spread**0.5 / (se + sp - 1)


@settings(max_examples=60, deadline=None)
@given(queries=st.lists(BITS, min_size=2, max_size=5), k=st.sampled_from([None, 1, 3, 9]), looked=st.integers(2, 6))
def test_it_is_the_formula(queries, k, looked):
    machine = {f"q{n}": {f"d{i}": int(b) for i, (_, b) in enumerate(rows)} for n, rows in enumerate(queries)}
    people = {f"q{n}": {f"d{i}": int(a) for i, (a, _) in enumerate(rows[:looked])} for n, rows in enumerate(queries)}
    run = {query: list(items)[::-1] for query, items in machine.items()}
    shares = [fmean(machine[q].values()) if k is None else sum(machine[q][d] for d in run[q][:k]) / k for q in machine]
    expected = solved(people, machine, shares)
    if expected is None:
        with pytest.raises(InputError):
            rm.rogan_gladen(people, machine, None if k is None else run, k=k)
        return
    got = rm.rogan_gladen(people, machine, None if k is None else run, k=k)
    p, se, sp, x, reach = expected
    assert (got.apparent, got.sensitivity, got.specificity) == pytest.approx((p, se, sp))
    assert got.value == pytest.approx(min(max(x, 0), 1))
    assert (got.low, got.high) == pytest.approx((min(max(x - reach, 0), 1), min(max(x + reach, 0), 1)))
    assert (len(got.notes) == 2) is not (0 <= round(x, 12) <= 1)


@pytest.mark.parametrize("seed", range(3))
def test_where_people_judged_everything_their_own_share_comes_back(seed):
    draw = random.Random(seed)
    people = {f"q{n}": {f"d{i}": int(draw.random() < 0.4) for i in range(10)} for n in range(20)}
    machine = {q: {d: y if draw.random() < 0.85 else 1 - y for d, y in items.items()} for q, items in people.items()}
    share = rm.rogan_gladen(people, machine)
    truth = fmean(y for items in people.values() for y in items.values())
    assert share.value == pytest.approx(truth)
    assert share.low < truth < share.high
    assert abs(share.apparent - truth) > 0.005


def test_what_it_says_in_both_languages():
    machine = {"q": {f"d{place}": int(place < 6) for place in range(10)}}
    share = rm.rogan_gladen({"q": {"d0": 1, "d2": 0, "d9": 0}}, machine)
    assert "Rogan-Gladen" in share.to_text()
    assert "灵敏度" in share.to_text("zh")
    assert share.to_dict()["value"] == share.value
    assert share.to_polars()["sensitivity"].to_list() == [1.0]


@pytest.mark.parametrize(
    ("people", "options", "says"),
    [
        ({"q": {"a": 1}}, {}, "all of them relevant or none"),
        ({"q": {"a": 0, "b": 1}}, {}, "no better than chance"),
        ({"q": {"a": 1, "z": 0}}, {}, "lacks 1 of the 2"),
        ({"q": {"a": 1, "b": 0}}, {"k": 3}, "run and k belong together"),
        ({"q": {"a": 1, "b": 0}}, {"run": {"q": ["a", "y"]}, "k": 2}, "did not judge 1 item"),
    ],
)
def test_what_cannot_be_corrected_is_one_sentence(people, options, says):
    with pytest.raises(InputError, match=says):
        rm.rogan_gladen(people, {"q": {"a": 1, "b": 0, "c": 1}}, **options)
