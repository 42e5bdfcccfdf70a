"""Where ties decide what a measure of lists sees, it is said, on every way."""

from __future__ import annotations

import random

import polars as pl
import pytest
from tests.conformance.list_cases import BESIDE, ITEMS, LISTS

import rankmeter as rm

DRAW = random.Random(3)
RUN = {f"q{q}": {item: 9.0 - n // 3 for n, item in enumerate(DRAW.sample(ITEMS[:-1], 9))} for q in range(10)}
"""Ties of three items each: none across places 3 and 6."""
JUDGED = {query: {item: DRAW.choice([0, 1, 2]) for item in DRAW.sample(ITEMS[:-1], 8)} for query in RUN}
MEASURES = list(dict.fromkeys(measure(ties="item", cutoff=None) for measure in LISTS if measure.about == "lists"))


def notes(ev):
    return [note for note in ev.facts.notes if "ties=, not the run, decides" in note]


@pytest.mark.filterwarnings("ignore::rankmeter.RankmeterWarning")
@pytest.mark.parametrize("k", [2, 3, 4, None])
@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_a_measure_that_ties_move_says_so(measure, k):
    asked = measure(cutoff=k)
    ev, other = (rm.evaluate(JUDGED, RUN, [asked(ties=ties)], **BESIDE) for ties in ("item", "item-ascending"))
    if next(iter(ev.means.values())) != pytest.approx(next(iter(other.means.values())), abs=1e-12):
        assert notes(ev)
        assert notes(other)


@pytest.mark.filterwarnings("ignore::rankmeter.RankmeterWarning")
@pytest.mark.parametrize(("measure", "expected"), [
    ("ILD@2", ["in 10 lists items with the same score stand on both sides of place 2"]), ("ILD@3", []),
    ("Coverage@4", ["in 10 lists items with the same score stand on both sides of place 4"]), ("Coverage", []),
    ("EPC@3", ["in 10 lists items down to place 3 have the same score as others"]),
    ("EPC", ["in 10 lists items have the same score"]),
])  # fmt: skip
@pytest.mark.parametrize("way", ["mapping", "frame", "file", "streamed"])
def test_every_way_says_the_same(way, measure, expected, tmp_path):
    rows = [(query, item, score) for query, items in RUN.items() for item, score in items.items()]
    frame = pl.DataFrame(rows, schema=["query", "item", "score"], orient="row")
    run, more = RUN, {}
    if way == "frame":
        run = frame
    elif way != "mapping":
        frame.write_csv(tmp_path / "run.csv")
        run, more = tmp_path / "run.csv", {"per_query_to": tmp_path / "values"} if way == "streamed" else {}
    said = notes(rm.evaluate(JUDGED, run, [measure], **BESIDE, **more))
    assert [note.partition(":")[0] for note in said] == expected


@pytest.mark.filterwarnings("ignore::rankmeter.RankmeterWarning")
@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_nothing_is_said_without_ties(measure):
    run = {query: {item: -float(n) for n, item in enumerate(items)} for query, items in RUN.items()}
    assert not notes(rm.evaluate(JUDGED, run, [measure(cutoff=3)], **BESIDE))
