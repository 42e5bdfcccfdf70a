"""Check a metric: which definition it follows, where it leaves the nearest one, and what is wrong under any."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from rankmeter.errors import InputError, RankmeterError, check_number
from rankmeter.measures import Measure
from rankmeter.measures.base import RankedMeasure, stated_options
from rankmeter.measures.dialects import CUTS
from rankmeter.wings.conformance.cases import cases
from rankmeter.wings.conformance.conformity import Conformity, Departure, SameTool, grouped_faults, reasons_between
from rankmeter.wings.conformance.expectations import IMPOSSIBLE, SILENT, AskedCase, Expectations, Expected
from rankmeter.wings.conformance.known_definitions import (
    ANY,
    FAMILIES,
    ToolMetric,
    at,
    known_definitions,
    open_at,
    shown,
    takes_k,
)
from rankmeter.wings.conformance.space import SearchedData, axes_of, changes_between, meant_by
from rankmeter.wings.conformance.subjects import Answered, Subject, into_subject
from rankmeter.wording import Said, said

SLACK = 10
"""How many more cells than the best a definition may miss before it is dropped."""
STARTS = 4
"""From how many definitions a nearer one is looked for, one convention at a time."""
STEPS = 4
"""How many conventions are changed on the way."""
_SEEN = SearchedData(grades=(1.0, 2.0, 3.0), longest=12, scored=True)
CORE = frozenset({"plain", "grades", "short", "unjudged"})
"""The topics on which a tool must agree to be named; on one other it may differ, which is said."""
_TREATMENTS = ("counted", "first", "distinct", "once", "best", "separate")
_FIXED = (1, 3, 5, 10)
"""Cutoffs that a function may have inside, tried where it takes none and none is claimed."""


def check(
    function: Callable[..., object] | str | Subject,
    definition: str | Measure | None = None,
    *,
    arguments: str | None = None,
    tolerance: float = 1e-6,
) -> Conformity:
    """Check a metric function: which definition it follows, and where it leaves it.

    It is called with small cases made by hand. Its values are compared with those of rankmeter's definitions, of the
    metrics of every tool that rankmeter reproduces, and of definitions that are a few conventions away from these.

    Parameters
    ----------
    function
        The function, or its name: ``"package.module:function"``.
    definition
        What it is said to compute: ``"nDCG@10"``, with options where they matter. Where the function takes ``k``, the
        number is an example.
    arguments
        What its parameters are given, where their names do not tell: ``"retrieved, relevant, k"``. The words are
        relevances, all_relevances, retrieved, relevant, grades, scores, y_true, y_score, qrels, run and k; ``[word]``
        is a list with an entry for each query, ``{word}`` a dictionary by query, ``name=word`` a keyword.
    tolerance
        How far a value may be off; 1e-4 is right for single precision.

    Returns
    -------
    Conformity
        ``conforms``, ``follows``, ``nearest``, the ``reasons``, the ``departures`` case by case, ``tools`` that do the
        same, and ``faults``: values above 1, changed arguments, a result that depends on the order of a set.

    Examples
    --------
    A precision that divides by what was returned, said to be P@10:

    >>> import rankmeter as rm
    >>> def precision(retrieved, relevant, k):
    ...     top = retrieved[:k]
    ...     return sum(item in relevant for item in top) / len(top) if top else 0.0
    >>> verdict = rm.check(precision, "P@10")
    >>> verdict.conforms, verdict.follows
    (False, 'P(duplicates=counted,norm=list)@k')
    >>> [(reason.option, reason.value) for reason in verdict.reasons][0]
    ('norm', 'list')
    >>> len(verdict.departures), verdict.departures[0].case
    (5, 'grade-zero')
    """
    check_number("tolerance", tolerance)
    subject = into_subject(function, arguments)
    claim = None if definition is None else claimed_by(definition, subject)
    cells = questions(subject)
    answers = subject.answers(cells)
    search = Search(Expectations(cells, subject.sight), answers, tolerance)
    nearest, misses = search.nearest(subject, claim)
    compared = nearest if claim is None else claim
    base = _compared_with(claim, nearest)
    expected = search.expectations.of(compared)
    off = [place for place, value in enumerate(expected) if search.differs(place, value)]
    return Conformity(
        name=subject.name,
        claimed=None if claim is None else shown(claim),
        follows=None if misses else shown(nearest),
        nearest=shown(nearest),
        meets_claim=claim is not None and not off,
        reasons=reasons_between(base, nearest),
        departures=tuple(_departure(cells[place], answers[place], expected[place]) for place in off),
        tools=tuple(search.tools(subject)),
        faults=grouped_faults(list(_faults(cells, answers, compared, expected))),
        notes=tuple(_notes(cells, answers)),
        cells=len(cells),
        matched=len(cells) - misses,
    )


def claimed_by(definition: str | Measure, subject: Subject) -> Measure:
    """The definition that is meant, with k for its cutoff where the function takes it."""
    measure = definition if isinstance(definition, Measure) else meant_by(definition)
    if not isinstance(measure, RankedMeasure) or type(measure).name not in FAMILIES:
        raise InputError.of("conformance.not_checked", measure=str(measure), known=list(FAMILIES))
    if not subject.takes_k:
        return measure
    opened = open_at(measure)
    return opened if takes_k(opened) else measure(cutoff=ANY)


def questions(subject: Subject) -> list[AskedCase]:
    """The questions that a function can be asked."""
    seen = [case for case in cases() if subject.sight.sees(case)]
    return [AskedCase(case, k) for case in seen for k in (case.cutoffs if subject.takes_k else (None,))]


def _compared_with(claim: Measure | None, nearest: Measure) -> Measure:
    """What the nearest definition is compared with in words: the claim, or rankmeter's own of the same name."""
    if claim is not None:
        return claim
    usual = type(nearest)()
    with suppress(RankmeterError):  # AUC has no value under a cutoff by default
        usual = usual(**{name: getattr(nearest, name) for name in ("cutoff", "depth") if hasattr(nearest, name)})
    return usual


class Search:
    """The search for the definition that differs on the fewest cells."""

    def __init__(self, expectations: Expectations, answers: Sequence[Answered], tolerance: float) -> None:
        self.expectations = expectations
        self.answers = answers
        self.tolerance = tolerance

    def differs(self, place: int, value: Expected) -> bool:
        """Whether an answer is not the value that a definition gives."""
        answer = self.answers[place]
        if value == SILENT or self.expectations.cells[place].case.topic == "ids":
            return False
        if value == IMPOSSIBLE:
            return True
        got = answer.value
        if value is None:  # no value: NaN, nothing and an error all say so
            return got is not None and not math.isnan(got)
        return got is None or not abs(got - float(value)) <= self.tolerance * max(1.0, abs(float(value)))

    def nearest(self, subject: Subject, claim: Measure | None) -> tuple[Measure, int]:
        """The nearest definition, and on how many cells it differs."""
        plain = subject.sight.plain
        started = list(dict.fromkeys(map(plain, _candidates(subject, claim))))
        misses = self._misses(started if claim is None else [plain(claim), *started])
        for _ in range(STEPS):
            best = self._order(misses, claim)[:STARTS]
            if not misses[best[0]]:
                break
            new = [near for start in best for near in _neighbours(start) if plain(near) == near and near not in misses]
            found = self._misses(new)
            if not found or min(found.values()) >= misses[best[0]]:
                break
            misses |= found
        first = self._order(misses, claim)[0]
        return self._with_repeats(first), misses[first]

    def _misses(self, definitions: Iterable[Measure]) -> dict[Measure, int]:
        return self.expectations.nearest(definitions, self.differs, SLACK)

    def _order(self, misses: dict[Measure, int], claim: Measure | None) -> list[Measure]:
        """The definitions, fewest misses first; of equals those most like the claim, then the plainest."""

        def key(definition: Measure) -> tuple[int, bool, int, int, int]:
            kind = type(definition).name
            is_claimed = claim is not None and kind == type(claim).name
            changes = len(changes_between(claim, definition)) if claim is not None and is_claimed else 0
            return misses[definition], not is_claimed, changes, len(stated_options(definition)), FAMILIES.index(kind)

        return sorted(misses, key=key)

    def _with_repeats(self, definition: Measure) -> Measure:
        """The definition with the rule for repeated items that the answers follow, if there is one."""
        values = self.expectations.of(definition)
        silent = [place for place, value in enumerate(values) if value == SILENT]
        if not silent or all(self.answers[place].error for place in silent):
            return definition
        for treatment in _TREATMENTS:
            try:
                stated = definition(duplicates=treatment)
            except RankmeterError:
                continue
            row = self.expectations.of(stated)
            if not any(self.differs(place, row[place]) for place in silent):
                return stated
        return definition

    def tools(self, subject: Subject) -> list[SameTool]:
        """The metrics of tools that give every answer, or every answer but those about one side question.

        A tool may refuse a question, which speaks against no definition; so may the mean of no query be 0.
        """
        refused = sum(bool(answer.error) for answer in self.answers)
        if refused * 2 > len(self.answers):
            return []
        several = subject.sight.several

        def speaks_against(place: int, value: Expected) -> bool:
            answer, is_single = self.answers[place], self.expectations.cells[place].case.is_single
            is_open = bool(answer.error) or (value is None and several and is_single and answer.value == 0)
            return not is_open and self.differs(place, value)

        known: dict[Measure, list[ToolMetric]] = {}
        for definition, tools in known_definitions().items():
            if takes_k(definition) == subject.takes_k:
                known.setdefault(subject.sight.plain(definition), []).extend(tools)
        found: dict[ToolMetric, tuple[str, ...]] = {}
        for definition, count in self.expectations.nearest(known, speaks_against, SLACK).items():
            row = self.expectations.of(definition) if count else []
            cells = self.expectations.cells
            off = tuple(dict.fromkeys(cells[n].case.topic for n, value in enumerate(row) if speaks_against(n, value)))
            if len(off) <= 1 and not {*off} & CORE:
                found |= {tool: off for tool in known[definition] if len(off) < len(found.get(tool, ("", "")))}
        fewest = min(map(len, found.values()), default=0)
        same = {tool: off for tool, off in found.items() if len(off) == fewest}
        plain = {tool.tool for tool in same}
        kept = [tool for tool in same if ":" not in tool.tool or tool.tool.partition(":")[0] not in plain]
        kept.sort(key=lambda tool: (":" in tool.tool, tool.tool, tool.metric))
        return [SameTool(tool.tool, tool.metric, same[tool]) for tool in kept]


def _candidates(subject: Subject, claim: Measure | None) -> list[Measure]:
    """The definitions that a function may follow: those with k if it takes one, else those with a fixed cutoff too."""
    known = known_definitions()
    if subject.takes_k:
        return [definition for definition in known if takes_k(definition)]
    uncut = [definition for definition in known if not takes_k(definition)]
    cut = getattr(claim, "cutoff", None)
    own = [definition for definition, tools in known.items() if takes_k(definition) and (cut or not tools)]
    return uncut + [at(definition, k) for definition in own for k in ((cut,) if cut else _FIXED)]


def _neighbours(definition: Measure) -> Iterable[Measure]:
    """The definitions that are one convention away."""
    usual = type(definition)()
    for axis, values in axes_of(usual, _SEEN).items():
        if axis in CUTS:
            continue
        for value in (*values, getattr(usual, axis)):
            with suppress(RankmeterError):
                yield definition(**{axis: value})


def _departure(cell: AskedCase, answer: Answered, expected: Expected) -> Departure:
    value = expected if isinstance(expected, float) else None
    return Departure(cell.case.name, cell.k, dict(cell.case.question), value, answer.value, answer.error)


def _faults(
    cells: Sequence[AskedCase], answers: Sequence[Answered], definition: Measure, expected: Sequence[Expected]
) -> Iterable[tuple[str, str, str]]:
    """What is wrong under any definition, by cell."""
    low, high = definition.bounds
    for cell, answer, meant in zip(cells, answers, expected, strict=True):
        is_plain = cell.case.topic in ("plain", "grades", "short")
        yield from ((fault, str(cell), answer.error) for fault in answer.faults)
        if answer.error and is_plain:
            yield "raises", str(cell), answer.error
        if answer.value is None or cell.case.topic == "negative":
            continue  # where grades below 0 count, a value may be anything
        example = f"{answer.value:.6g}"
        if not math.isfinite(answer.value):
            if is_plain:
                yield "not_finite", str(cell), example
            continue
        stated = isinstance(meant, float)
        if answer.value > high + 1e-6 and not (stated and float(meant or 0) > high):
            yield "above", str(cell), example
        if answer.value < low - 1e-6 and not (stated and float(meant or 0) < low):
            yield "below", str(cell), example


def _notes(cells: Sequence[AskedCase], answers: Sequence[Answered]) -> Iterable[Said]:
    """What is worth knowing and no definition decides."""
    if any(cell.case.topic == "ids" and not answer.value for cell, answer in zip(cells, answers, strict=True)):
        yield said("check_ids")
    if any(cell.case.topic == "duplicates" and answer.error for cell, answer in zip(cells, answers, strict=True)):
        yield said("check_refuses_repeats")
