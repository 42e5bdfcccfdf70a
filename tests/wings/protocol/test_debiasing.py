"""Judgments thinned as RecTools thins them, and what its overlaps of two lists and RePlay's are here: recorded."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from statistics import fmean

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmeter as rm

CASES = json.loads((Path(__file__).parent / "rectools_debias.json").read_text())
"""What RecTools 0.19.0 kept and measured, and the overlaps of RecTools and RePlay 0.22.0 on the same lists."""


def frame(case):
    return pl.DataFrame([(*row, 1) for row in case["interactions"]], schema=["query", "item", "grade"], orient="row")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"iqr_coef={case['iqr_coef']}")
def test_the_rows_and_values_of_rectools(case):
    kept = rm.debias(frame(case), iqr=case["iqr_coef"], seed=case["random_state"])
    assert sorted([row[0], row[1]] for row in kept.rows()) == case["kept"]
    assert len(kept) < len(case["interactions"])
    values = rm.evaluate(kept, case["recs"], list(case["values"]), dialect="rectools")
    assert {name: values[name] for name in case["values"]} == pytest.approx(case["values"])


def quartile(numbers, share):
    at = share * (len(numbers) - 1)
    low = sorted(numbers)[int(at)]
    return low + (sorted(numbers)[min(int(at) + 1, len(numbers) - 1)] - low) * (at - int(at))


@settings(max_examples=50, deadline=None)
@given(
    st.dictionaries(st.integers(0, 12), st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 2), min_size=1),
                    min_size=1),
    st.sampled_from([0, 0.5, 1.5]), st.integers(0, 5),
)  # fmt: skip
def test_no_item_stays_above_the_border_and_no_other_row_goes(judgments, iqr, seed):
    judged = {f"u{user}": items for user, items in judgments.items()}
    kept = rm.debias(judged, iqr=iqr, seed=seed)
    takers = Counter(item for items in judged.values() for item, grade in items.items() if grade >= 1)
    border = (
        int(quartile(takers.values(), 0.75) + iqr * (quartile(takers.values(), 0.75) - quartile(takers.values(), 0.25)))
        if takers
        else 0
    )
    after = Counter(item for _, item, grade in kept.rows() if grade >= 1)
    assert after == Counter({item: min(count, border) if count > border else count for item, count in takers.items()})
    below = [(user, item) for user, items in judged.items() for item, grade in items.items() if grade < 1]
    assert sorted((row[0], row[1]) for row in kept.rows() if row[2] < 1) == sorted(below)
    assert {(row[0], row[1]) for row in kept.rows()} <= {(user, item) for user, of in judged.items() for item in of}


def test_a_seed_draws_other_rows():
    draw = random.Random(3)
    judged = {f"u{user}": {"a": 1, draw.choice("bcdef"): 1} for user in range(40)}
    first, second = (rm.debias(judged, seed=seed) for seed in (1, 2))
    assert first.rows() == rm.debias(judged, seed=1).rows()
    assert first.rows() != second.rows()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"iqr_coef={case['iqr_coef']}")
def test_an_intersection_is_recall_of_one_list_in_the_other(case):
    for text, value in case["intersection"].items():
        k, ref_k = (int(part.partition("=")[2]) for part in text.split(","))
        first = {user: items[:k] for user, items in case["recs"].items()}
        assert rm.evaluate(first, case["reference"], f"R@{ref_k}")[f"R@{ref_k}"] == pytest.approx(value)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"iqr_coef={case['iqr_coef']}")
def test_unexpectedness_against_a_base_is_what_precision_leaves(case):
    for k, values in case["unexpectedness"].items():
        base = {user: items[: int(k)] for user, items in case["reference"].items() if user != "u3"}
        ev = rm.evaluate(base, {user: items for user, items in case["recs"].items() if user != "u3"}, f"P@{k}")
        ours = dict(zip(ev.queries.to_list(), (1 - ev.values[ev.find(f"P@{k}")].value).tolist(), strict=True))
        assert values.pop("u3") == 0  # the base has no list for this user
        assert ours == pytest.approx(values)
        assert fmean(values.values()) == pytest.approx(1 - ev[f"P@{k}"])
