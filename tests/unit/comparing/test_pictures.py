"""What pictures show is what the measures say: precision over recall, first hits, scores by grade, sums by row."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest

import rankmeter as rm
from rankmeter.comparing import pictures as shown
from rankmeter.comparing.digest import digest
from rankmeter.inputs.titles import Titles

FEW = {"permutations": 100, "resamples": 100}


def compared(seed: int, measures: list[str], *, scored: bool = True):
    draw = random.Random(seed)
    items = [f"d{number}" for number in range(70)]
    truth = {f"q{n}": {item: draw.choice([0, 0, 1, 2, 3]) for item in draw.sample(items, 20)} for n in range(12)}
    truth["q0"] = dict.fromkeys(truth["q0"], 0)  # nothing is relevant
    runs = {}
    for name in "abc":
        lists = {query: draw.sample(items, draw.choice([1, 8, 60])) for query in truth}
        lists["q1"] = [item for item in items if truth["q1"].get(item, 0) == 0][:5]  # no hit
        runs[name] = {q: {item: draw.choice([1.0, 2.0, 3.5]) for item in several} for q, several in lists.items()}
        runs[name] = runs[name] if scored else lists
    return truth, runs, rm.compare(truth, runs, measures, **FEW)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("measures", [["nDCG@10"], ["AP(rel=2,ties=input)", "nDCG"]])
def test_curves_and_first_hits_are_those_of_the_measures(seed: int, measures: list[str]) -> None:
    truth, runs, cmp = compared(seed, measures)
    told = digest(cmp, Titles(), lists=3)["pictures"]
    options = "rel=2,ties=input," if "rel=2" in measures[0] else ""
    for place, run in enumerate(runs.values()):
        points = [f"IPrec({options}empty=skip)@{point}" for point in shown.RECALL]
        assert told["recall"][place] == pytest.approx([*rm.evaluate(truth, run, points).mean.values()], abs=1e-4)
        assert told["recall"][place] == sorted(told["recall"][place], reverse=True)
        values = rm.evaluate(truth, run, [f"RR({options}empty=skip)"]).per_query.to_series(1).drop_nulls().drop_nans()
        ranks = [round(1 / value) for value in values if value]
        ends = [0, *shown.FIRSTS, 10**9]
        expected = [sum(low < rank <= high for rank in ranks) for low, high in pairwise(ends)]
        expected.append(len(values) - len(ranks))
        assert told["firsts"][place] == pytest.approx(np.array(expected) / len(values), abs=1e-4)
        assert len(told["ranks"]) + 1 == len(told["firsts"][place])


@pytest.mark.parametrize("seed", range(4))
def test_scores_by_grade_are_those_of_returned_judged_items(seed: int) -> None:
    truth, runs, cmp = compared(seed, ["nDCG@10"])
    for scores, run in zip(digest(cmp, Titles(), lists=0)["pictures"]["scores"], runs.values(), strict=True):
        pairs = [(run[q][item], grade) for q in truth for item, grade in truth[q].items() if item in run[q]]
        for grade, count, *quantiles in scores["boxes"]:
            alike = [score for score, judged in pairs if judged == grade]
            assert count == len(alike)
            assert quantiles == pytest.approx(np.quantile(alike, shown.QUANTILES).tolist())
        won = [(a > b) + (a == b) / 2 for a, high in pairs if high >= 1 for b, low in pairs if low < 1]
        assert scores["above"] == pytest.approx(sum(won) / len(won))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scored", [True, False])
def test_sums_by_row_end_in_the_values_of_the_query(seed: int, scored: bool) -> None:
    measures = ["nDCG@10", "AP", "RBP(p=0.8)", "ERR(max_grade=3)@5", "RR"]
    _, _, cmp = compared(seed, measures, scored=scored)
    data = digest(cmp, Titles(), lists=20)
    seen = 0
    for number, told in data["lists"]["queries"].items():
        for place, sums in enumerate(told["sums"]):
            if measures[place] == "RR":
                assert sums == [None, None, None]  # no sum over rows
                continue
            for system, one in enumerate(sums):
                value = data["values"][number][place][system]
                assert one["value"] == pytest.approx(value, abs=1e-4)
                assert sum(row[-1] for row in one["rows"]) + one["rest"] == pytest.approx(
                    one["above"], rel=1e-4, abs=1e-5
                )
                if one["below"]:
                    assert one["above"] / one["below"] == pytest.approx(value, abs=1e-4)
                seen += 1
    assert seen >= 12 * 3 * 4


def test_without_scores_grades_or_judgments_there_is_no_such_picture() -> None:
    _, _, unscored = compared(1, ["AP"], scored=False)
    assert digest(unscored, Titles(), lists=0)["pictures"]["scores"] == [None] * 3
    alone = rm.compare(None, {"a": {"u": ["x"]}, "b": {"u": ["y"]}}, ["Coverage@1"], catalogue=["x", "y"], **FEW)
    assert digest(alone, Titles(), lists=1)["pictures"] == {}
    many = np.arange(shown.MOST_GRADES + 1.0)
    assert shown.scores_by_grade(many, many, 1) is None
    assert shown.scores_by_grade(many[1:], many[1:], 1)["above"] is None  # all are relevant


def test_many_systems_have_sums_for_fewer_queries() -> None:
    truth = {f"q{n}": {"a": 1} for n in range(40)}
    runs = {f"s{n}": {q: {"a": 1.0, "b": 2.0 if (n + int(q[1:])) % 3 else 0.5} for q in truth} for n in range(20)}
    cmp = rm.compare(truth, runs, ["nDCG@2", "RR"], **FEW)
    told = shown.row_sums(cmp.measures, cmp.inputs, list(truth))
    assert len(told) == shown.MOST_SUMS // 20
    seeds = {name: rm.seeds(run, run) for name, run in list(runs.items())[:2]}
    repeated = rm.compare(truth, seeds, ["nDCG@2"], **FEW)
    assert shown.row_sums(repeated.measures, repeated.inputs, ["q0"]) == {"q0": [[None, None]]}
