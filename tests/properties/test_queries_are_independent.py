"""The value of a query is the same, bit for bit, alone and among others: for every measure that has one per query."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest

import rankmeter as rm
from rankmeter.errors import RankmeterWarning
from rankmeter.measures import REGISTRY, Measure, RankedMeasure
from rankmeter.measures.families import FAMILIES

QUERIES = 23
NEEDS: dict[str, dict[str, Any]] = {
    "AUC": {"ties": "item"},
    "GAUC": {"ties": "item"},
    "PairAccuracy": {"ties": "item"},
    **{name: {"max_grade": 3} for name in FAMILIES["users"].split()},
}
"""What a measure must be told to have a value at every cutoff on this data."""


def ranked() -> list[Measure]:
    """Every measure of a ranking that comes with rankmeter, over whole lists and over the first five places."""
    found: dict[Measure, None] = {}
    for name in REGISTRY:
        measure = REGISTRY[name]
        if isinstance(measure, RankedMeasure) and not measure.custom:
            needed = measure(**NEEDS.get(name, {}))
            found |= {needed: None, **({needed(cutoff=5): None} if measure.at == "cutoff" else {})}
    return list(found)


MEASURES = ranked()


def made(seed: int) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Judgments, the same with subtopics, and a run: lists of many lengths, with ties, unjudged and missing items."""
    draw = random.Random(seed)
    graded, diverse, run = {}, {}, {}
    for number in range(QUERIES):
        query, items = f"q{number}", [f"d{place}" for place in range(draw.choice([5, 40, 300]))]
        judged = draw.sample(items, draw.randint(1, len(items)))
        graded[query] = {item: draw.choice([-1, 0, 0, 1, 1, 2, 3]) for item in judged}
        diverse[query] = {item: {draw.choice("abc"): draw.choice([0, 1, 2])} for item in judged}
        returned = draw.sample(items, draw.randint(1, len(items)))
        run[query] = {item: draw.choice([draw.random(), draw.randrange(9) / 7]) for item in returned}
    return graded, diverse, run


@pytest.fixture(scope="module", params=[1, 2])
def data(request: pytest.FixtureRequest) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    return made(request.param)


@pytest.mark.parametrize("subtopics", [False, True])
def test_a_query_alone_has_the_value_it_has_among_others(
    data: tuple[dict[str, Any], dict[str, Any], dict[str, Any]], subtopics: bool
) -> None:
    graded, diverse, run = data
    asked = [measure for measure in MEASURES if measure.subtopics is subtopics]
    judgments = diverse if subtopics else graded
    assert len(asked) > 8
    together = _values(judgments, run, asked)
    for place, query in enumerate(judgments):
        alone = _values({query: judgments[query]}, {query: run[query]}, asked)
        differing = [
            f"{measure} of {query}: {alone[measure][0]!r} alone, {together[measure][place]!r} among others"
            for measure in asked
            if not np.array_equal(alone[measure][:1], together[measure][place : place + 1], equal_nan=True)
        ]
        assert not differing


def _values(judgments: Any, run: Any, asked: list[Measure]) -> dict[Measure, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankmeterWarning)  # a query alone may hold no relevant item
        result = rm.evaluate(judgments, run, asked)
    return {measure: result.values[result.find(measure)].value for measure in asked}
