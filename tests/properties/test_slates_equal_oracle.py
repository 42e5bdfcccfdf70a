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

import rankmeter as rm
from rankmeter.errors import MeasureError
from rankmeter.measures import REGISTRY, Measure
from rankmeter.measures.base import rule_of
from rankmeter.measures.slates import SlateMeasure
from tests.slate_oracle import World, oracle

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
}


@st.composite
def worlds(draw: st.DrawFn) -> World:
    items = draw(st.permutations(ITEMS))[: draw(st.integers(2, 6))]
    anything = st.sampled_from([*ITEMS, *OUTSIDE])
    user = st.sampled_from(USERS)
    lists = draw(st.dictionaries(user, st.lists(anything, max_size=6, unique=True), min_size=1))
    judged = draw(st.dictionaries(user, st.dictionaries(anything, st.sampled_from([0, 1, 2, 3]), min_size=1), min_size=1))
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
    except MeasureError:
        changes.pop("metric")
        return measure(**changes)


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


def shares_a_user(world: World) -> bool:
    return bool(world.judged.keys() & world.lists.keys())


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


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25)
@given(st.data())
def test_the_value_is_that_of_the_formula(name, draws):
    assert_equal(draws.draw(worlds()), draws.draw(slate_measures(name)))


@settings(max_examples=20)
@given(worlds(), st.data())
def test_measures_asked_together_have_the_values_that_they_have_alone(world, draws):
    several = {draws.draw(slate_measures(draws.draw(st.sampled_from(NAMES)))) for _ in range(5)}
    assert_equal(world, *several)


@settings(max_examples=20)
@given(worlds(), st.sampled_from(["ILD", "ILD(metric=jaccard)", "ILD(metric=hamming)", "Unexpectedness"]))
def test_sparse_features_have_the_values_of_dense_ones(world, text):
    assert_equal(world, rm.parse(text), sparse=True)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=6)
@given(st.data())
def test_values_stay_within_their_bounds(name, draws):
    world, measure = draws.draw(worlds()), draws.draw(slate_measures(name))
    low, high = measure.bounds
    if {"outside", "unit", "norm", "divisor"} & {option.name for option in fields(measure)}:
        measure = REGISTRY[name](group="x") if name == "GroupExposure" else REGISTRY[name]
    ev = evaluated(world, measure)
    values = [] if measure.aggregate == "whole" else [v for v in ev.per_query[str(measure)].to_list() if v is not None]
    assert all(low - 1e-9 <= value <= high + 1e-9 for value in [*values, ev[measure]] if not math.isnan(value))


@settings(max_examples=20)
@given(worlds(), st.sampled_from(NAMES), st.randoms(use_true_random=False))
def test_the_order_of_users_changes_nothing(world, name, shuffler):
    measure = REGISTRY[name](group="x") if name == "GroupExposure" else REGISTRY[name]
    before = evaluated(world, measure)[measure]
    users = shuffler.sample(list(world.lists), len(world.lists))
    world.lists = {u: world.lists[u] for u in users}
    assert evaluated(world, measure)[measure] == pytest.approx(before, rel=1e-12, abs=1e-12, nan_ok=True)


@settings(max_examples=20)
@given(worlds(), st.sampled_from([name for name in NAMES if REGISTRY[name].aggregate == "mean"]))
def test_another_user_leaves_the_values_of_the_others_alone(world, name):
    if name in ("UserCoverage", "ShortLists"):
        measure = REGISTRY[name] @ 3
    else:
        measure = REGISTRY[name]
    before = evaluated(world, measure).per_query
    world.lists["another"] = ["a"]
    world.judged["another"] = {"a": 1}
    after = evaluated(world, measure).per_query
    for user, value in before.iter_rows():
        assert after.row(after["query"].to_list().index(user))[1] == value
