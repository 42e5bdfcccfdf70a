"""What the pictures of a report need besides values: recall and precision, first hits, scores by grade, sums by row."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmeter.arithmetic import aggregated
from rankmeter.comparing.ranked_lists import judgments_of, rows_of_queries, values_of_run
from rankmeter.definitions.one_query import OneQuery
from rankmeter.definitions.worked import Worked, adds_up_by_rows, work_out
from rankmeter.errors import MeasureError
from rankmeter.evaluating.measuring import groups_of
from rankmeter.evaluating.pairing import into_pair
from rankmeter.measures import Measure, RankedMeasure, parse
from rankmeter.measures.base import SINGLE_ORDER_TIES
from rankmeter.placing.placements import Plan

if TYPE_CHECKING:
    from rankmeter.comparing.records import Inputs
    from rankmeter.inputs.tables import Run
    from rankmeter.placing.placements import Floats

RECALL = tuple(round(point / 10, 1) for point in range(11))
"""The recall points of trec_eval's curve."""
FIRSTS = (1, 2, 3, 5, 10, 20, 50)
"""The last rank of each bar of the first hits; later ones and lists without any follow."""
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
MOST_GRADES = 8
"""With more grades than this, scores are not shown by grade."""
MOST_SUMS = 300
"""How many values are worked out row by row: queries x systems x measures."""


def pictures(measures: Sequence[Measure], inputs: Inputs) -> dict[str, Any]:
    """For each system precision over recall, the shares of queries by first hit, and its scores by grade.

    ``rel`` and ``ties`` are those of the first measure that has them. Only queries with a relevant item count; the
    first run of a system with several stands for all. Empty where these measures cannot answer.
    """
    ranked = [measure for measure in measures if isinstance(measure, RankedMeasure)]
    shared: dict[str, Any] = {
        "ties": next((measure.ties for measure in ranked if measure.ties in SINGLE_ORDER_TIES), "item"),
        "duplicates": next((measure.duplicates for measure in ranked), "error"),
        "rel": next((rel for measure in ranked if isinstance(rel := getattr(measure, "rel", None), (int, float))), 1),
    }
    try:
        first, *points = (parse(name)(**shared, empty="skip") for name in ("RR", *(f"IPrec@{at}" for at in RECALL)))
    except MeasureError:
        return {}
    groups = groups_of([first, *points])
    told: dict[str, Any] = {"rel": shared["rel"], "ties": shared["ties"], "points": list(RECALL)}
    told |= {"ranks": rank_names(), "recall": [], "firsts": [], "scores": []}
    for run, *_ in inputs.runs.values():
        values = values_of_run(inputs.judgments, run, groups)
        told["recall"].append([aggregated(values[point], "mean") for point in points])
        told["firsts"].append(first_hits(values[first].value[values[first].counted]))
        placed = into_pair(inputs.judgments, run).place(Plan(duplicates=shared["duplicates"]))
        told["scores"].append(scores_by_grade(placed.placements.score, placed.placements.grade, shared["rel"]))
    return told


def rank_names() -> list[str]:
    """What the bars of first hits are called, except the last, of lists without any.

    >>> rank_names()
    ['1', '2', '3', '4-5', '6-10', '11-20', '21-50', '>50']
    """
    between = [f"{before + 1}-{end}" if end > before + 1 else str(end) for before, end in pairwise((0, *FIRSTS))]
    return [*between, f">{FIRSTS[-1]}"]


def first_hits(reciprocal: Floats) -> list[float]:
    """The share of the queries whose first hit stands up to each of ``FIRSTS``, later, and nowhere."""
    found = reciprocal > 0
    ranks = np.rint(1 / reciprocal[found])
    counts = np.bincount(np.searchsorted(FIRSTS, ranks), minlength=len(FIRSTS) + 1)
    shares: list[float] = (np.append(counts, (~found).sum()) / max(len(reciprocal), 1)).tolist()
    return shares


def scores_by_grade(score: Floats, grade: Floats, rel: float) -> dict[str, Any] | None:
    """Quantiles of the scores that judged items of each grade got, and the chance that a relevant one has the higher.

    ``above`` is over all pairs of a relevant and another judged item, of the same query or not; a tie counts half. None
    where a run has no scores, or where there are too many grades.
    """
    known = ~np.isnan(score)
    score, grade = score[known], grade[known]
    grades = np.unique(grade)
    if not 0 < len(grades) <= MOST_GRADES:
        return None
    relevant, others = score[grade >= rel], np.sort(score[grade < rel])
    below = np.searchsorted(others, relevant) + np.searchsorted(others, relevant, side="right")
    pairs = 2 * len(relevant) * len(others)
    boxes = [
        [float(at), int((grade == at).sum()), *np.quantile(score[grade == at], QUANTILES).tolist()] for at in grades
    ]
    return {"boxes": boxes, "above": float(below.sum()) / pairs if pairs else None}


def row_sums(
    measures: Sequence[Measure], inputs: Inputs, queries: Sequence[str]
) -> dict[str, list[list[Worked | None]]]:
    """For each query and measure the sum of every system, row by row; None for a value that is no sum of rows.

    Many systems have it for fewer queries, the first ones. A system with several runs has none: its value is a mean.
    """
    shown = [_summed(measure) for measure in measures]
    systems = inputs.runs.values()
    most = MOST_SUMS // max(len(systems) * sum(measure is not None for measure in shown), 1)
    asked = [*queries][:most] if any(shown) else []
    grades = judgments_of(inputs.judgments, set(asked))
    sides = [_lists_of(runs[0], asked) if len(runs) == 1 else {} for runs in systems]
    sums: dict[str, list[list[Worked | None]]] = {}
    for query in asked:
        data = [_one_query(query, grades, side) for side in sides]
        sums[query] = [
            [None if measure is None or one is None else work_out(measure, one) for one in data] for measure in shown
        ]
    return sums


def _summed(measure: Measure) -> RankedMeasure | None:
    """The measure, if its value is a sum over the rows of a list."""
    if not isinstance(measure, RankedMeasure) or measure.subtopics or not adds_up_by_rows(measure):
        return None
    return measure


def _lists_of(run: Run, queries: Sequence[str]) -> dict[str, tuple[bool, list[str], list[float]]]:
    """The items and scores of some queries, in the order given, and whether there are scores."""
    rows = rows_of_queries(run, queries)
    lists: dict[str, tuple[bool, list[str], list[float]]] = {query: (rows.scored, [], []) for query in rows.query}
    for query, item, score in zip(rows.query, rows.item, rows.score, strict=True):
        lists[query][1].append(str(item))
        lists[query][2].append(score)
    return lists


def _one_query(
    query: str, grades: dict[str, dict[str, float]], lists: dict[str, tuple[bool, list[str], list[float]]]
) -> OneQuery | None:
    """The data of a query; None where its list is not known, or has an item twice."""
    if query not in lists or len(set(lists[query][1])) < len(lists[query][1]):
        return None
    is_scored, items, scores = lists[query]
    ordered = dict(zip(items, scores, strict=True))
    return OneQuery(query, grades.get(query, {}), ordered, is_scored, None, query in grades, in_run=True)
