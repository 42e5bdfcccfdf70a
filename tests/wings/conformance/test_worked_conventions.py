"""Values worked out row by row under every convention that a reconciliation tries."""

from __future__ import annotations

import math
import random

import pytest
from tests.properties.strategies import usual

import rankmeter as rm
from rankmeter.measures import REGISTRY, RankedMeasure
from rankmeter.wings.conformance.space import Change, SearchedData, axes_of, with_changes


def options_of(draw: random.Random, measure: rm.Measure) -> rm.Measure:
    """The measure with a few of its conventions changed at random."""
    axes = axes_of(measure, SearchedData((1.0, 2.0, 3.0), 8, scored=True))
    chosen = draw.sample(list(axes), draw.randint(0, 3))
    changed = with_changes(measure, tuple(Change(axis, draw.choice(axes[axis])) for axis in chosen)) or measure
    try:  # where what nobody judged can have a grade, it has one half of the time
        return (
            changed
            if draw.random() < 0.5
            else changed(unjudged=draw.choice([0.5, 1]), ties=draw.choice(["worst", "best", changed.ties]))
        )
    except rm.MeasureError:
        return changed


def cut_at(measure: rm.Measure, k: int) -> rm.Measure:
    """The measure at a cutoff, where it takes one under its usual conventions."""
    try:
        return measure if measure.at != "cutoff" else measure @ k
    except rm.MeasureError:
        return measure


def by_subtopics(draw: random.Random, grades: dict[str, float]) -> dict[str, dict[str, int]]:
    return {item: {f"s{draw.randrange(3)}": int(max(grade, 0))} for item, grade in grades.items()}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::rankmeter.RankmeterWarning")
def test_under_every_convention_the_rows_end_in_the_value_that_evaluate_gives() -> None:
    """Every measure, subtopics too; queries without judgments, without a list, without anything relevant."""
    draw = random.Random(17)
    items = ["q", *(f"d{number}" for number in range(11))]
    for name in sorted(name for name, one in REGISTRY.items() if isinstance(one, RankedMeasure) and not one.custom):
        for number in range(6):
            measure = options_of(draw, usual(name) if number < 3 else cut_at(usual(name), draw.choice([1, 2, 5])))
            grades = {item: draw.choice(draw.choice([[0, 1], [-1, 0, 1, 3], [0.5]])) for item in draw.sample(items, 5)}
            returned = draw.sample(items, draw.choice([0, 3, 8]))
            judgments = {"q": grades, "other": {"d1": 3}}
            if measure.subtopics:
                judgments = {query: by_subtopics(draw, one) for query, one in judgments.items()}
            run = {"q": {item: draw.choice([1.0, 2.0, -1.0]) for item in returned}, "other": {"d1": 1.0}}
            if draw.random() < 0.2:
                del draw.choice([judgments, run])["q"]
            evaluated = rm.evaluate(judgments, run, [measure])
            values = next(iter(evaluated.values.values()))
            at = evaluated.queries.to_list().index("q") if "q" in evaluated.queries else None
            expected = None if at is None or not values.counted[at] else values.value[at]
            worked = rm.explain(measure, judgments, run, query="q")
            assert worked.value == pytest.approx(expected, nan_ok=True), measure
            if worked.value is None or worked.policy or not worked.rows:
                continue
            end = worked.numerator if worked.adds_up else worked.value
            assert worked.rows[-1].total == pytest.approx(end, abs=1e-12, nan_ok=True), measure
            assert math.fsum(row.contribution for row in worked.rows) == pytest.approx(end, abs=1e-12), measure
            assert not worked.ideal or worked.ideal[-1].total == pytest.approx(worked.denominator, abs=1e-12), measure
