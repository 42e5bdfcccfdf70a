"""Calls on little data: a few short lists in dictionaries, measured in plain Python (`arithmetic.single_lists`).

Whatever is not quite plain (other conventions, odd ids, ties of odd ids, a mistake) is left to the general way. So is,
when it is asked for, the fingerprint, and what there is to say where items tie or where no judged item was found.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from math import fsum
from typing import Any, Literal

import numpy as np

from rankmeter.arithmetic.aggregates import AGGREGATES
from rankmeter.arithmetic.parts import Values
from rankmeter.arithmetic.single_lists import LONGEST, MOST_GRADE, Quotient, SingleList
from rankmeter.evaluating.asking import Asked
from rankmeter.evaluating.evaluation import About, evaluate_placing
from rankmeter.evaluating.facts import Facts, cutoffs_of, noticed
from rankmeter.evaluating.measuring import TieBounds, Ties
from rankmeter.evaluating.result import Evaluation
from rankmeter.inputs.cells import is_text
from rankmeter.inputs.columns import may_be_columns
from rankmeter.inputs.ids import LateIds
from rankmeter.inputs.mappings import judgments_from_mapping, run_from_mapping
from rankmeter.inputs.reading import Readings
from rankmeter.late import Late
from rankmeter.measures.base import ANY_POSITIVE
from rankmeter.placing.pairs import Pair

_MEAN = AGGREGATES["mean"]
Formulas = list[tuple[Any, Callable[[SingleList, Any], Quotient]]]


def evaluate_little(judgments: object, run: object, asked: Asked, name: str, about: About) -> Evaluation | None:
    """The evaluation, where both sides are little and plain; None where they are not."""
    if type(judgments) is not dict or type(run) is not dict or asked.plain is None:
        return None
    lists = _lists(judgments, run)
    if lists is None or about.has_extras or may_be_columns(judgments) or may_be_columns(run):
        return None
    if not _answerable(asked.plain, max((ranking.best[0] for ranking in lists if ranking.best), default=0)):
        return None
    # Copies, as the caller may change what was given before anybody asks for the rest.
    copies = [{query: items.copy() for query, items in side.items()} for side in (judgments, run)]

    def in_full() -> Evaluation:
        pair = Pair.of(judgments_from_mapping(copies[0]), run_from_mapping(copies[1]))
        return evaluate_placing(pair, asked, name, about=about)

    full = Late(in_full)
    is_simple = not _has_ties(run) and any(ranking.found for ranking in lists)
    values = {measure: _values_of_lists(lists, len(judgments), measure, formula) for measure, formula in asked.plain}
    return Evaluation(
        name=name,
        ids=LateIds([*judgments, *(query for query in run if query not in judgments)]),
        values=values,
        means={m: _MEAN.value(fsum(v.value[: len(judgments)].tolist()), len(judgments)) for m, v in values.items()},
        tie_bounds=TieBounds([] if is_simple else [Late(lambda: Ties(full.value.tie_bounds))]),
        asked=dict(asked.names),
        known_facts=Late(lambda: _facts_of_lists(lists, copies, asked, about) if is_simple else full.value.facts),
        judged_by=Late(lambda: full.value.judged_by.value),  # type: ignore[union-attr]
    )


def value_of_grades(asked: Asked, grades: object) -> float | None:
    """The value of one list of grades in ranked order; None where it, or the measure, is not quite plain."""
    if asked.plain is None or type(grades) is not list or not 0 < len(grades) <= LONGEST or _types(grades) != {int}:
        return None
    best = sorted(grades, reverse=True)
    if abs(best[0]) > MOST_GRADE or not _answerable(asked.plain, best[0]):
        return None
    measure, formula = asked.plain[0]
    above, below = formula(SingleList(list(enumerate(grades, 1)), best, len(grades)), measure)
    return above / below if below > 0 else 0.0


def _values_of_lists(lists: list[SingleList], judged: int, measure: Any, formula: Any) -> Values:
    parts = [formula(ranking, measure) for ranking in lists]
    value = [above / below if below > 0 else 0.0 for above, below in parts]
    counted = [True] * judged + [False] * (len(lists) - judged)
    above, below = zip(*parts, strict=True)
    return Values(np.array(value), np.array(counted), np.array(above), np.array(below))


def _facts_of_lists(lists: list[SingleList], sides: Sequence[Mapping[Any, Any]], asked: Asked, about: About) -> Facts:
    """What was evaluated, where no items tie and some judged item was found."""
    judgments, run = sides
    judged, longest = lists[: len(judgments)], max(ranking.returned for ranking in lists)
    reading = Readings(judgments_from_mapping(judgments).how_read(), run_from_mapping(run).how_read())
    return Facts(
        judged=len(judgments),
        in_run=len(run),
        missing=len(judgments.keys() - run.keys()),
        unjudged=len(run.keys() - judgments.keys()),
        without_relevant=sum(not ranking.relevant(ANY_POSITIVE) for ranking in judged),
        returned=sum(ranking.returned for ranking in lists),
        unjudged_at={k: sum(ranking.unjudged(k) for ranking in judged) for k in cutoffs_of(asked.measures)},
        reading=noticed(reading, max(ranking.best[0] for ranking in judged if ranking.best), longest, asked),
        purpose=about.purpose_of(reading),
    )


def _has_ties(run: Mapping[Any, Any]) -> bool:
    return any(type(items) is dict and len(set(items.values())) < len(items) for items in run.values())


def _answerable(formulas: Formulas, highest: int) -> bool:
    return highest <= 0 or all((measure.threshold or 0) <= highest for measure, _ in formulas)


def _lists(judgments: Mapping[Any, Any], run: Mapping[Any, Any]) -> list[SingleList] | None:
    """The list of each query, the judged ones first; None where anything is not quite plain."""
    if len(judgments) + len(run) > LONGEST:
        return None
    judged_as, listed_as = _types(judgments.values()), _types(run.values())
    if judged_as not in ({dict}, {set}, {list}) or listed_as not in ({dict}, {list}):
        return None
    sides = [*judgments.values(), *run.values()]
    if sum(map(len, sides)) > LONGEST or judgments.keys().isdisjoint(run):
        return None
    if listed_as == {dict} and _types(chain.from_iterable(map(dict.values, run.values()))) - {float}:
        return None
    known = [*judgments, *run], list(chain.from_iterable(judgments.values()))
    if not _ids_alike(known[0], list(chain.from_iterable(sides))):
        return None
    if not all("".join(map(str, ids)).isascii() for ids in known):  # else one may hold half of a character
        return None
    with_places = scored_list if listed_as == {dict} else _ordered_list
    lists = []
    for query in [*judgments, *(query for query in run if query not in judgments)]:
        graded = judgments.get(query, {})
        if judged_as != {dict}:
            graded = dict.fromkeys(graded, 1)
        elif graded and (_types(graded.values()) != {int} or max(map(abs, graded.values())) > MOST_GRADE):
            return None
        ranking = with_places(graded, run.get(query, ()))
        if ranking is None:
            return None
        lists.append(ranking)
    return lists


def _types(values: Iterable[object]) -> set[type]:
    return set(map(type, values))


def _ids_alike(*several: list[Any]) -> bool:
    """Whether the ids of each kind are all text, every character of them one, or all whole numbers."""
    kinds = list(map(_types, several))
    texts = [ids for ids, kind in zip(several, kinds, strict=True) if kind == {str}]
    return all(kind in ({int}, {str}) for kind in kinds) and is_text("".join(chain.from_iterable(texts)))


def scored_list(
    graded: Mapping[Any, int], scores: Mapping[Any, float], kept_as: Literal["d", "f"] = "d"
) -> SingleList | None:
    """The list of one query and what is judged of it; of equal scores the higher id stands first.

    None where a score, or the id of one that is not alone, is not plain. Scores are floats, ``kept_as`` says of which
    width they are compared.
    """
    if not scores:
        return _ordered_list(graded, ())
    values = array(kept_as, scores.values())
    rising = sorted(values)
    total = sum(rising)
    if total != total:  # noqa: PLR0124 (NaN, or infinities of both signs)
        return None
    size = len(rising)
    if len(set(rising)) == size:  # a judged item stands where its score does: no item is sorted
        held = [item for item in graded if item in scores]
        wanted = array(kept_as, [scores[item] for item in held])
        found = [(size - bisect_left(rising, score), graded[item]) for item, score in zip(held, wanted, strict=True)]
        return SingleList(sorted(found), sorted(graded.values(), reverse=True), size)
    if not all(type(item) is str and item.isascii() for item in scores):
        return None
    return _ordered_list(graded, [item for _, item in sorted(zip(values, scores, strict=True), reverse=True)])


def _ordered_list(graded: Mapping[Any, int], items: Sequence[Any]) -> SingleList | None:
    """The list of one query as it stands; None where an item stands twice."""
    if len(set(items)) < len(items):
        return None
    places = [(rank, graded[item]) for rank, item in enumerate(items, 1) if item in graded]
    return SingleList(places, sorted(graded.values(), reverse=True), len(items))
