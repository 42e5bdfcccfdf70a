"""Slices of items: what the judgments of one slice alone would give, whatever the measure looks at."""

from __future__ import annotations

import random
import warnings

import polars as pl
import pytest

import rankmeter as rm

MEASURES = [
    "nDCG@5", "nDCG(gain=exp2)", "AP", "AP(rel=2)@5", "RR", "RR(ties=best)", "RR(ties=input)", "P@3",
    "R(ties=item-ascending)@3", "Success@2", "Bpref", "ERR(max_grade=3)@5", "RBP", "Judged@5", "AP(unjudged=removed)",
    "nDCG(candidates=appended)@20", "RR(candidates=appended)", "AP(scores=float32)", "RR(queries=run)",
    "RR(queries=common)", "AP(empty=skip,miss=skip)", "P(aggregate=pooled)@5", "AUC",
]  # fmt: skip
KIND = {f"d{number}": ("even", "odd", "third")[number % 2 if number % 3 else 2] for number in range(24)}


def made(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Graded judgments and a run with ties, unjudged items, a list without rows and queries of one side alone."""
    rng = random.Random(seed)
    items = list(KIND)
    judgments = {
        f"q{q}": {item: rng.choice([-1, 0, 0, 1, 2, 3]) for item in rng.sample(items, rng.randint(1, 9))}
        for q in range(12)
    }
    run = {
        f"q{q}": {item: rng.choice([3.0, 2.0, 2.0 + 1e-9, 1.0, -1.0]) for item in rng.sample(items, rng.randint(1, 15))}
        for q in range(2, 14)
    }
    return judgments, run | {"q1": {}}


def rows(mapping: dict[str, dict[str, float]], value: str) -> pl.DataFrame:
    return pl.DataFrame(
        [{"query": q, "item": i, value: float(v)} for q, one in mapping.items() for i, v in one.items()]
    )


@pytest.mark.filterwarnings("ignore::rankmeter.RankmeterWarning")
@pytest.mark.parametrize("frames", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_a_slice_is_worth_what_its_judgments_alone_give(seed: int, frames: bool) -> None:
    judgments, run = made(seed)
    catalogue = pl.DataFrame({"item": list(KIND), "kind": list(KIND.values())})
    sides = (rows(judgments, "grade"), rows(run, "score")) if frames else (judgments, run)
    slices = rm.evaluate(*sides, MEASURES, catalogue=catalogue, by="kind").slices["kind"]
    for label in slices.labels:
        alone = {
            query: part
            for query, one in judgments.items()
            if (part := {item: grade for item, grade in one.items() if KIND[item] == label})
        }
        expected = rm.evaluate(rows(alone, "grade") if frames else alone, sides[1], MEASURES)
        for measure in MEASURES:
            got = slices[measure][label]
            assert got == pytest.approx(expected[measure], abs=0, nan_ok=True), (measure, label)


def test_a_slice_without_anything_relevant_has_no_value() -> None:
    catalogue = pl.DataFrame({"item": ["a", "b"], "kind": ["x", "y"]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmeterWarning)
        found = rm.evaluate({1: {"a": 1, "b": 0}}, {1: ["b", "a"]}, "RR", catalogue=catalogue, by="kind").slices["kind"]
    assert found["RR"] == {"x": 0.5, "y": pytest.approx(float("nan"), nan_ok=True)}
