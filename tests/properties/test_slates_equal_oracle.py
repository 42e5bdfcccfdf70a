"""Every measure of lists equals its formula in plain Python, under every option, on small odd data."""

from __future__ import annotations

import math
import warnings
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.slate_oracle import World, oracle

import rankmeter as rm
from rankmeter.errors import MeasureError
from rankmeter.measures import REGISTRY, Measure
from rankmeter.measures.base import rule_of
from rankmeter.measures.slate_base import SlateMeasure

NAMES = sorted(name for name, m in REGISTRY.items() if isinstance(m, SlateMeasure) and name != "SegmentGap")
ITEMS = ["a", "b", "c", "d", "e", "f"]
OUTSIDE = ["y", "z"]
USERS = ["u1", "u2", "u3", "u4", "u5"]
NUMBERS: dict[str, list[Any]] = {
    "cutoff": [1, 2, 3, 9],
    "base": [2, 10, 3.5],
    "p": [0.5, 0.9],
    "share": [0.1, 0.34, 0.5, 0.8],
    "rel": [1, 2, 0.5],
    "alpha": [0.1, 0.5],
    "group": ["x", "y"],
    "padding": [1, 3],
}


@st.composite
def worlds(draw: st.DrawFn) -> World:
    items = draw(st.permutations(ITEMS))[: draw(st.integers(2, 6))]
    anything = st.sampled_from([*ITEMS, *OUTSIDE])
    user = st.sampled_from(USERS)
    lists = draw(st.dictionaries(user, st.lists(anything, max_size=6, unique=True), min_size=1))
    judged = draw(
        st.dictionaries(user, st.dictionaries(anything, st.sampled_from([0, 1, 2, 3]), min_size=1), min_size=1)
    )
    history = draw(st.dictionaries(user, st.lists(anything, min_size=1, max_size=6), min_size=1))
    first = next(iter(lists))
    judged.setdefault(first, {})["a"] = 3
    number = st.sampled_from([0.0, 1.0, -1.0, 0.5, 2.0])
    labels = st.lists(st.sampled_from(["p", "q", "r", "s"]), max_size=3, unique=True)
    categories = {item: sorted(draw(labels)) for item in items}
    categories[items[0]] = ["p"]
    groups = {item: draw(st.sampled_from(["x", "y"])) for item in items}
    groups[items[0]], groups[items[1]] = "x", "y"
    return World(
        lists,
        judged,
        history,
        items,
        features={item: draw(st.lists(number, min_size=3, max_size=3)) for item in items},
        categories=categories,
        values={item: draw(st.sampled_from([0.0, 1.0, 2.5, 10.0])) for item in items},
        margins={item: draw(st.sampled_from([-1.0, 0.0, 4.0])) for item in items},
        groups=groups,
    )


@st.composite
def slate_measures(draw: st.DrawFn, name: str) -> Measure:
    measure = REGISTRY[name]
    changes: dict[str, Any] = {}
    for option in fields(measure):
        if option.name in ("ties", "duplicates"):
            continue
        values = [*rule_of(option).choices, *NUMBERS.get(option.name, [])]
        if option.name == "aggregate":
            values = list(measure.aggregates)
        if option.name == "metric":
            values = [value for value in values if value != "given"]
        if values and draw(st.booleans()):
            changes[option.name] = draw(st.sampled_from(values))
    if name == "GroupExposure":
        changes.setdefault("group", "x")
    try:
        return measure(**changes)
    except MeasureError:  # some options of ILD exclude each other
        return measure(**{option: value for option, value in changes.items() if option not in ("metric", "scale")})


def catalogue_of(world: World, *, sparse: bool = False) -> rm.Catalogue:
    features: Any = np.array([world.features[item] for item in world.items])
    if sparse:
        features = pytest.importorskip("scipy.sparse").csr_matrix(features)
    return rm.Catalogue(
        items=world.items,
        features=features,
        categories=[world.categories[item] for item in world.items],
        values=world.values,
        margins=world.margins,
        groups=world.groups,
    )


def evaluated(world: World, *measures: Measure, sparse: bool = False) -> rm.Evaluation:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmeterWarning)  # odd data leaks and misses users on purpose
        return rm.evaluate(
            world.judged, world.lists, measures, catalogue=catalogue_of(world, sparse=sparse), history=world.history
        )


def assert_equal(world: World, *measures: Measure, sparse: bool = False) -> None:
    ev = evaluated(world, *measures, sparse=sparse)
    for measure in measures:
        value, each = oracle(measure, world)
        assert ev[measure] == pytest.approx(value, rel=1e-9, abs=1e-9, nan_ok=True), measure
        if measure.aggregate == "whole":
            assert str(measure) not in ev.per_query.columns
            continue
        rows = ev.per_query
        column = rows[str(measure)].to_list()
        found = {u: v for u, v in zip(rows["query"].to_list(), column, strict=True) if v is not None}
        assert found == pytest.approx(each, rel=1e-9, abs=1e-9), measure
        assert ev.counted(measure) == len(each)


def one_of_each(draws: Any) -> list[Measure]:
    return [draws.draw(slate_measures(name)) for name in NAMES]


@settings(max_examples=40)
@given(worlds(), st.data())
def test_every_measure_has_the_value_of_its_formula(world, draws):
    assert_equal(world, *dict.fromkeys(one_of_each(draws)))


@settings(max_examples=12)
@given(worlds(), st.data())
def test_a_measure_asked_alone_has_the_value_that_it_has_among_others(world, draws):
    assert_equal(world, draws.draw(slate_measures(draws.draw(st.sampled_from(NAMES)))))


@settings(max_examples=12)
@given(worlds())
def test_sparse_features_have_the_values_of_dense_ones(world):
    texts = ("ILD", "ILD(metric=jaccard)", "ILD(metric=hamming)", "Unexpectedness", "Serendipity(surprise=history)")
    assert_equal(world, *map(rm.parse, texts), sparse=True)


def with_defaults() -> list[Measure]:
    return [REGISTRY[name](group="x") if name == "GroupExposure" else REGISTRY[name] for name in NAMES]


@settings(max_examples=15)
@given(worlds())
def test_values_stay_within_their_bounds(world):
    ev = evaluated(world, *with_defaults())
    per_query = ev.per_query
    for measure in with_defaults():
        low, high = measure.bounds
        alone = [] if measure.aggregate == "whole" else per_query[str(measure)].drop_nulls().to_list()
        assert all(low - 1e-9 <= v <= high + 1e-9 for v in [*alone, ev[measure]] if not math.isnan(v)), measure


@settings(max_examples=15)
@given(worlds(), st.randoms(use_true_random=False))
def test_the_order_of_users_changes_nothing(world, shuffler):
    before = evaluated(world, *with_defaults()).mean
    world.lists = {u: world.lists[u] for u in shuffler.sample(list(world.lists), len(world.lists))}
    assert evaluated(world, *with_defaults()).mean == pytest.approx(before, rel=1e-12, abs=1e-12, nan_ok=True)


@settings(max_examples=15)
@given(worlds())
def test_another_user_leaves_the_values_of_the_others_alone(world):
    asked = [m @ 3 for m in with_defaults() if m.aggregate != "whole"]
    before = evaluated(world, *asked).per_query
    world.lists["another"], world.judged["another"] = ["a"], {"a": 1}
    after = evaluated(world, *asked).per_query
    kept = {row[0]: row[1:] for row in after.iter_rows()}
    assert all(kept[row[0]] == pytest.approx(row[1:], rel=1e-12) for row in before.iter_rows() if None not in row)
