"""What a measure's class states about it is true; what it does not state is taken for unknown."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from tests.properties.strategies import PLAIN, usual

import rankmeter as rm
from rankmeter.arithmetic.parts import formula_of, function_named
from rankmeter.measures import REGISTRY, RankedMeasure
from rankmeter.measures.base import Measure, RelevanceMeasure, register
from rankmeter.measures.slate_base import SlateMeasure

EVERY = sorted(name for name, measure in REGISTRY.items() if not measure.custom)
CUT = [name for name in PLAIN if usual(name).at == "cutoff"]


@pytest.mark.parametrize("name", [name for name in EVERY if REGISTRY[name].about not in ("events", "searches")])
def test_the_formula_that_a_class_names_exists(name):
    measure = REGISTRY[name]
    if measure.compares_slices:
        assert not measure.formula
        return
    assert callable(formula_of(measure))
    if isinstance(measure, SlateMeasure) and measure.of_sums:
        assert callable(function_named(measure.of_sums))


def test_what_is_not_stated_is_not_known():
    bare = RankedMeasure()
    assert bare.ties_unknown()
    assert bare.last_rank is None
    assert (bare @ 3).last_rank is None
    assert bare.needs_total
    assert not bare.is_bounded_by_unjudged
    assert not Measure().formula


def test_a_measure_without_a_formula_is_refused_when_its_class_is_made():
    class Formless(RankedMeasure):
        name = "Formless"

    with pytest.raises(rm.MeasureError, match="Formless does not state its formula"):
        register(Formless)
    assert "Formless" not in REGISTRY


def test_a_forgotten_fact_is_reported_with_the_number():
    class Bare(RelevanceMeasure):
        """Reciprocal rank, whose author has said nothing of it."""

        name = "Bare"
        formula = "relevance.reciprocal_rank"
        hits = "first"

    bare: Any = register(Bare)()
    try:
        ev = rm.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0, "c": 0.5}}, [bare @ 2, "RR@2"])
    finally:
        REGISTRY.kinds.pop("Bare")
    assert ev[bare @ 2] == ev["RR@2"]
    assert [str(measure) for measure in ev.tie_bounds] == ["RR@2"]
    (note,) = ev.facts.notes
    why = "ordering ties by grade need not give its extremes"
    assert note == f"ties may move Bare@2 between values that are not known ({why})"
    assert not any("a" <= letter <= "z" for letter in note.text("zh").replace("Bare@2", ""))


def cases(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, list[str]]]:
    """Graded judgments and ranked lists of three queries."""
    draw = random.Random(seed)
    items = [f"d{number}" for number in range(9)]
    judgments = {query: {item: draw.randint(-1, 3) for item in draw.sample(items, 6)} | {"z": 3} for query in "pqr"}
    return judgments, {query: draw.sample(items, 7) for query in "pqr"}


@pytest.mark.parametrize("name", CUT)
@pytest.mark.parametrize("seed", range(4))
def test_nothing_behind_the_last_rank_changes_the_value(name, seed):
    judgments, run = cases(seed)
    for cutoff in (1, 2, 4):
        measure: Any = usual(name) @ cutoff if usual(name).ties != "mean" else usual(name)(ties="item", cutoff=cutoff)
        assert measure.last_rank == cutoff, "every measure of rankmeter states it"
        cut = {query: items[:cutoff] for query, items in run.items()}
        assert rm.evaluate(judgments, cut, [measure]).means == rm.evaluate(judgments, run, [measure]).means


@pytest.mark.parametrize("name", CUT)
def test_a_measure_placed_alone_has_the_value_that_it_has_among_others(name):
    # What is placed is the least that the measures asked for say they need.
    draw = np.random.default_rng(7)
    grades, scores = draw.integers(0, 4, (4, 12)), draw.permutation(48).reshape(4, 12)
    for cutoff in (1, 2, 5):
        measure: Any = usual(name) @ cutoff if usual(name).ties != "mean" else usual(name)(ties="item", cutoff=cutoff)
        alone = rm.evaluate(rm.arrays(grades), rm.arrays(scores), [measure])
        others = rm.evaluate(rm.arrays(grades), rm.arrays(scores), [measure, "AP", "Bpref", "nDCG(ideal=list)"])
        assert alone[measure] == others[measure]


@pytest.mark.parametrize("name", EVERY)
def test_a_fact_is_stated_on_the_class_and_not_guessed(name):
    measure = REGISTRY[name]
    assert measure.bounds[0] < measure.bounds[1]
    assert set(type(measure).aggregates) >= {measure.aggregate}
    if isinstance(measure, RankedMeasure):
        assert not (measure.only_rises and not measure.looks_at_relevance)
