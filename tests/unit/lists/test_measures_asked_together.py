"""What else is asked changes neither the value of a measure in a slice nor the number of queries it is about."""

from __future__ import annotations

import csv
import io
from itertools import combinations

import numpy as np
import pytest

import rankmeter as rm
from rankmeter.report.evaluations import ShownEvaluations, table_of_slices

pytestmark = [pytest.mark.filterwarnings("ignore:.* have no list"), pytest.mark.filterwarnings("ignore:.*leakage")]

MEASURES = ["nDCG@3", "RR(empty=skip,miss=skip)@2", "Novelty@3", "Coverage", "Serendipity@5", "Success@1"]
ITEMS = [f"i{number}" for number in range(25)]


@pytest.fixture(scope="module")
def data():
    draw = np.random.default_rng(7)
    weight = 1 / np.arange(1, 26)
    taken: dict = {"query": [], "item": []}
    truth: dict = {}
    run: dict = {}
    for user in range(40):
        for item in draw.choice(ITEMS[:18], draw.integers(0, 6), replace=False):
            taken["query"].append(f"u{user}")
            taken["item"].append(str(item))
        if user % 7:
            relevant = draw.choice(ITEMS[:20], draw.integers(1, 4), replace=False, p=weight[:20] / weight[:20].sum())
            truth[f"u{user}"] = {str(item): 1 for item in relevant}
        if user % 5:
            run[f"u{user}"] = [str(item) for item in draw.permutation(ITEMS)[:6]]
    segments = {f"u{user}": "abc"[user % 3] for user in range(40)}
    return {"judgments": truth, "run": run, "history": taken, "by": [segments, "popularity", "cold-items", "activity"]}


def measured(data, measures):
    catalogue = {"item": ITEMS[:22]}
    return rm.evaluate(
        data["judgments"], data["run"], list(measures), history=data["history"], by=data["by"], catalogue=catalogue
    )


def test_every_measure_has_its_values_and_its_counts_whatever_else_is_asked(data):
    alone = {measure: measured(data, [measure]) for measure in MEASURES}
    for names in [*combinations(MEASURES, 2), MEASURES]:
        together = measured(data, names)
        for name in names:
            meant = rm.parse(name)
            for way, cut in together.slices.items():
                by_itself = alone[name].slices[way]
                assert cut.labels == by_itself.labels
                assert (meant in cut.values) == (meant in by_itself.values)
                if meant in cut.values:
                    np.testing.assert_array_equal(cut.values[meant], by_itself.values[meant])
                    assert cut.counts[meant] == by_itself.counts[meant]


@pytest.mark.parametrize("intervals", [False, True])
def test_a_table_of_slices_shows_the_count_of_each_measure(data, intervals):
    measures = ["nDCG@3", "Success@1", "Novelty@3"]
    ev = measured(data, measures)
    shown = ShownEvaluations([ev], intervals=intervals)
    table = shown.table()
    heads = [column.head for column in table.columns]
    at = {name: place for place, name in enumerate(heads)}
    first, last = at["users (nDCG@3, Success@1)"], at["users (Novelty@3)"]
    for row in table.rows:
        way, label = row[1].value, row[2].value
        cut = ev.slices.get(str(way))
        for place, name in ((first, "nDCG@3"), (last, "Novelty@3")):
            counts = None if cut is None else cut.counts.get(rm.parse(name))
            expected = ev.counted(name) if cut is None else counts and counts[cut.labels.index(str(label))]
            assert row[place].value == expected
    rows = list(csv.DictReader(io.StringIO(shown.to_csv())))
    assert [rows[0]["nDCG@3 queries"], rows[0]["Novelty@3 queries"]] == [
        str(ev.counted(name)) for name in measures[::2]
    ]


def test_one_count_stands_for_all_measures_that_share_it(data):
    shown = ShownEvaluations([measured(data, ["nDCG@3", "Success@1"])])
    assert [column.head for column in shown.table().columns].count("users") == 1
    assert shown.to_csv().splitlines()[0] == "run,by,slice,queries,nDCG@3,Success@1"


def test_the_slices_of_an_evaluation_show_the_counts_too(data):
    cut = measured(data, ["nDCG@3", "Novelty@3"]).slices["segment"]
    heads = [column.head for column in table_of_slices(cut).columns]
    assert heads == ["slice", "queries (nDCG@3)", "nDCG@3", "queries (Novelty@3)", "Novelty@3"]
