"""pytrec_eval's interface: change the import and keep the rest of the script.

>>> from rankmeter.compat import pytrec_eval
>>> evaluator = pytrec_eval.RelevanceEvaluator({"q1": {"a": 1, "b": 0}}, {"map", "ndcg_cut.5"})
>>> evaluator.evaluate({"q1": {"b": 2.0, "a": 1.0}})
{'q1': {'map': 0.5, 'ndcg_cut_5': 0.63092...}}

The values are those of pytrec_eval (trec_eval 9 inside): scores in single precision, ties by higher id, values only for
queries of both mappings. Wrong types are a TypeError, as there (of the documents of a query the first is looked at).
What differs is on the side of safety: grades and scores may be NumPy scalars, a score that is NaN is refused,
parameters of ``utility`` keep their order, and a level below 0 or a malformed measure is an error, not a crash.
"""

from __future__ import annotations

import gc
import math
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from itertools import chain, repeat
from operator import index
from typing import Any

import numpy as np

from rankmeter.arithmetic.single_lists import SingleList
from rankmeter.errors import InputError, InputTypeError, MeasureError, examples, nearest
from rankmeter.evaluating.little import scored_list
from rankmeter.inputs.ids import refuse_no_text
from rankmeter.measures.base import ANY_POSITIVE
from rankmeter.placing.indexes import PlacedRun
from rankmeter.placing.mapping import index_of, place_lists
from rankmeter.placing.placements import Floats, Plan
from rankmeter.wings.doors.trec_columns import ColumnMaker, PlainColumn, Scores
from rankmeter.wings.doors.trec_measures import BY_NAME, NICKNAMES, ORDER, ProgramCall, Wanted
from rankmeter.wording import said

supported_measures: set[str] = {
    printed.name
    for printed in ORDER
    if printed.since == 9 and printed.judgments in ("any", "grades") and printed.name != "yaap"
}
"""Every measure, by trec_eval's name."""
supported_nicknames: dict[str, set[str]] = {
    nickname: {name for name in NICKNAMES[nickname] if name in supported_measures}
    for nickname in ("official", "set", "all_trec")
}
"""Names for sets of measures."""

_PARAMETERS = re.compile(r"(?P<name>.+?)[._](?P<numbers>-?\d*\.?\d+(?:,-?\d*\.?\d+)*)")
_LOOKS_AT_ALL_JUDGED = {"bpref", "gm_bpref", "infAP", "num_nonrel_judged_ret"}
_GRADED = {"ndcg", "ndcg_cut", "ndcg_rel", "Rndcg", "G"}

MOST_LITTLE = 1000
"""Up to how many items of all lists together each list is measured by itself."""
AT_ONCE = 256
"""How many dictionaries are filled at a time."""

Values = dict[str, dict[str, float]]


class RelevanceEvaluator:
    """Evaluates runs against judgments.

    Parameters
    ----------
    query_relevance
        ``{query: {document: grade}}``.
    measures
        Names of measures (``map``), with parameters (``P.5,10``, ``ndcg_cut_10``), or nicknames (``official``).
    relevance_level
        The lowest grade that is relevant.
    judged_docs_only_flag
        Whether documents without a judgment are taken out first.
    """

    def __init__(
        self,
        query_relevance: Mapping[str, dict[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,  # noqa: FBT001, FBT002 (pytrec_eval's signature)
    ) -> None:
        if isinstance(measures, str):
            raise MeasureError.of("doors.measures_as_text", text=measures)
        self._wanted = _wanted(measures)
        level, judged_only = _whole(relevance_level, "relevance_level"), _whole(judged_docs_only_flag, "the flag")
        if level <= 0:
            raise InputTypeError.of("doors.level_not_positive", level=level)
        self._call = ProgramCall(version=9, level=level, judged_only=bool(judged_only))
        names = {asked.printed.name for asked in self._wanted}
        lowest = -math.inf
        if not (names & _LOOKS_AT_ALL_JUDGED or judged_only):
            lowest = ANY_POSITIVE if names & _GRADED else float(level)
        self._plan = Plan(lowest_grade=lowest, order=False, scores="float32")
        judged: dict[str, dict[str, int]] = {query: graded for query, graded in query_relevance.items() if graded}
        _check_types("judgments", judged)
        # A copy, as the judgments may change before the next run is evaluated.
        copies: list[Any] = list(map(dict.copy, judged.values()))
        self._judged = index_of(list(judged), copies, lowest)
        if self._judged.grade.dtype != np.uint8:  # not all of them whole, or not all small
            every = chain.from_iterable(map(dict.values, copies))
            _refuse(
                "judgments: a grade", set(map(type, every)), lambda kind: hasattr(kind, "__index__"), "a whole number"
            )
        self._numbers = list(range(len(judged)))
        self._number = dict(zip(judged, self._numbers, strict=True))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_plain"}  # made again where it is used

    def evaluate(self, scores: dict[str, dict[str, float]]) -> Values:
        """The values of a run ``{query: {document: score}}``, for every query that is judged.

        Returns
        -------
        dict
            ``{query: {measure: value}}``, in the order of the run.
        """
        if not scores:
            return {}
        if not isinstance(scores, dict):
            raise InputTypeError.of("doors.run_not_dict", type=type(scores).__name__)
        _check_types("run", scores)
        firsts = map(next, map(iter, map(dict.values, filter(None, scores.values()))))
        _refuse("run: a score", set(map(type, firsts)), lambda kind: hasattr(kind, "__float__"), "a number")
        if not scores.keys() <= self._number.keys():
            scores = {query: listed for query, listed in scores.items() if query in self._number}
        chosen = list(scores)
        if not chosen:
            return {}
        numbers = list(map(self._number.__getitem__, chosen))
        lists = self._little(scores, numbers)
        if lists and self._plain is not None:
            return {query: _values_of(ranking, self._plain) for query, ranking in zip(chosen, lists, strict=True)}
        labels, columns = self._columns(Scores(lambda: self._placed(scores, numbers), lists))
        if not columns:
            return {query: {} for query in chosen}
        return _as_dicts(chosen, labels, columns)

    def _placed(self, scores: dict[str, dict[str, float]], numbers: list[int]) -> PlacedRun:
        judged = self._judged if numbers == self._numbers else self._judged.some(numbers)
        lists: list[Any] = list(scores.values())
        return place_lists(list(scores), judged, lists, self._plan)

    def _little(self, scores: dict[str, dict[str, float]], numbers: list[int]) -> list[SingleList]:
        """Each list by itself, where they are few, short and plain; otherwise none."""
        if sum(map(len, scores.values())) > MOST_LITTLE or self._judged.grade.dtype != np.uint8:
            return []
        lists = []
        for number, listed in zip(numbers, scores.values(), strict=True):
            if listed and not (set(map(type, listed)) == {str} and set(map(type, listed.values())) == {float}):
                return []
            graded: Any = self._judged.graded[number]
            ranking = scored_list(graded, listed, "f")
            if ranking is None:
                return []
            lists.append(ranking)
        return lists

    @cached_property
    def _plain(self) -> list[PlainColumn] | None:
        """What is asked for, by its keys, where all of it has plain formulas for single lists."""
        maker = ColumnMaker(Scores(lambda: self._placed({}, [])), self._call)
        columns = [(asked.printed, maker.plain(asked)) for asked in self._wanted]
        if any(plain is None for _, plain in columns):
            return None
        return [
            column if printed.kind in ("cutoffs", "points") else column._replace(label=printed.name)
            for printed, plain in columns
            for column in plain or ()
        ]

    def _columns(self, placed: Scores) -> tuple[list[str], list[Floats]]:
        """The keys of the result, and under each the values of all queries."""
        maker = ColumnMaker(placed, self._call)
        labels: list[str] = []
        columns: list[Floats] = []
        for asked in self._wanted:
            if asked.printed.kind == "text" or asked.printed.name == "relstring":
                # pytrec_eval has these among its keys, without a value.
                labels.append(asked.printed.name)
                columns.append(np.zeros(len(placed)))
                continue
            for column in maker.of(asked):
                labels.append(column.label if asked.printed.kind in ("cutoffs", "points") else asked.printed.name)
                columns.append(column.values)
        return labels, columns


def _values_of(ranking: SingleList, columns: list[PlainColumn]) -> dict[str, float]:
    values = {}
    for label, measure, formula in columns:
        above, below = formula(ranking, measure)
        values[label] = above / below if below > 0 else 0.0
    return values


def _as_dicts(queries: list[str], labels: list[str], columns: list[Floats]) -> Values:
    """Columns as ``{query: {label: value}}``."""
    collects = gc.isenabled()
    gc.disable()  # many small dictionaries hold no cycle, but the collector would walk them as they grow
    try:
        # Copies of a dictionary that has the keys already are filled sooner than empty ones grow, and some at a time,
        # so that a value is put into its place when it has just been made.
        blank = dict.fromkeys(labels, 0.0)
        result = {query: blank.copy() for query in queries}
        matrix, dicts = np.stack(columns, axis=1), list(result.values())
        for first in range(0, len(queries), AT_ONCE):
            rows = matrix[first : first + AT_ONCE].tolist()
            deque(map(dict.update, dicts[first : first + AT_ONCE], map(zip, repeat(labels), rows)), maxlen=0)
        return result
    finally:
        if collects:
            gc.enable()


def _whole(number: Any, what: str) -> int:
    """A whole number of 32 bits, as the original takes it."""
    if not hasattr(number, "__index__") or not -(2**31) <= index(number) < 2**31:
        raise InputTypeError.of("doors.not_whole", what=what, number=repr(number))
    return index(number)


def _check_types(source: str, side: Mapping[Any, Any]) -> None:
    """Refuse what the original refuses with a TypeError.

    Looked at are all queries, but of each only the first document: a list mixes types only by mistake.
    """
    kinds = set(map(type, side))
    if kinds != {str}:
        _refuse(f"{source}: a query id", kinds, lambda kind: issubclass(kind, str), "str")
    refuse_no_text(side)
    kinds = set(map(type, side.values()))
    if kinds != {dict}:
        _refuse(f"{source}: what a query has", kinds, lambda kind: issubclass(kind, dict), "dict")
    kinds = set(map(type, map(next, map(iter, filter(None, side.values())))))
    if kinds != {str}:
        _refuse(f"{source}: a document id", kinds, lambda kind: issubclass(kind, str), "str")


def _refuse(what: str, kinds: Iterable[type], fits: Callable[[type], bool], wanted: str) -> None:
    wrong = [kind.__name__ for kind in kinds if not fits(kind)]
    if wrong:
        hint = said("doors.ids_are_text") if wanted == "str" else None
        raise InputTypeError.of("doors.other_type", what=what, types=examples(sorted(wrong)), wanted=wanted, hint=hint)


def compute_aggregated_measure(measure: str, values: Iterable[float]) -> float:
    """One number from the values of all queries: a sum for counts, a geometric mean for ``gm_``, else the mean.

    Examples
    --------
    >>> compute_aggregated_measure("map", [0.5, 1.0]), compute_aggregated_measure("num_ret", [3, 4])
    (0.75, 7.0)
    """
    numbers = [float(value) for value in values]
    total = math.fsum(numbers)
    if measure.startswith("num_"):
        return total
    if not numbers:
        return math.nan
    return math.exp(total / len(numbers)) if measure.startswith("gm_") else total / len(numbers)


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """A run from lines ``query Q0 document rank score tag``.

    Examples
    --------
    >>> parse_run(["q1 Q0 d7 1 2.5 bm25"])
    {'q1': {'d7': 2.5}}
    """
    return {
        query: {item: float(score) for item, score in listed.items()}
        for query, listed in _parsed_lines(f_run, 6, 4).items()
    }


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Judgments from lines ``query iteration document grade``.

    Examples
    --------
    >>> parse_qrel(["q1 0 d7 1"])
    {'q1': {'d7': 1}}
    """
    return {
        query: {item: int(grade) for item, grade in graded.items()}
        for query, graded in _parsed_lines(f_qrel, 4, 3).items()
    }


def _parsed_lines(lines: Iterable[str], fields: int, value: int) -> dict[str, dict[str, str]]:
    parsed: dict[str, dict[str, str]] = {}
    for number, line in enumerate(lines, 1):
        parts = line.split()
        if len(parts) != fields:
            line = line.strip()
            raise InputError.of("doors.line_fields", line=number, count=len(parts), wanted=fields, text=line)
        listed = parsed.setdefault(parts[0], {})
        if parts[2] in listed:
            raise InputError.of("doors.line_twice", line=number, item=parts[2], query=parts[0])
        listed[parts[2]] = parts[value]
    return parsed


def _wanted(measures: Iterable[str]) -> list[Wanted]:
    """What is asked for, in trec_eval's order; several texts about one measure are put together."""
    parameters: dict[str, list[str]] = {}
    for measure in measures:
        if measure in supported_nicknames:
            for name in supported_nicknames[measure]:
                parameters.setdefault(name, [])
        elif measure in supported_measures:
            parameters.setdefault(measure, [])
        else:
            match = _PARAMETERS.fullmatch(measure)
            if match is None or match["name"] not in supported_measures:
                close = nearest(measure, sorted(supported_measures | set(supported_nicknames)), shown=1)
                hint = said("general.did_you_mean", choice=close[0]) if close else None
                raise MeasureError.of("doors.unsupported", measure=measure, hint=hint)
            kind = BY_NAME[match["name"]].kind
            if kind not in ("cutoffs", "points", "numbers"):
                raise MeasureError.of("doors.unsupported_number", measure=measure, name=match["name"])
            known = parameters.setdefault(match["name"], [])
            fresh = match["numbers"].split(",")
            known.extend(fresh if kind == "numbers" else [number for number in fresh if number not in known])
    wanted = [Wanted(printed, ",".join(parameters[printed.name])) for printed in ORDER if printed.name in parameters]
    for asked in wanted:
        if asked.printed.kind == "cutoffs" and asked.text and min(asked.numbers) < 1:
            raise MeasureError.of("doors.unsupported_cutoff", measure=f"{asked.printed.name}.{asked.text}")
    return wanted


__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]
