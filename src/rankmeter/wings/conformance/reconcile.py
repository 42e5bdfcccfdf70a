"""Reconcile: find the definitions that give a reported number on this data, or that lie between two tools' numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from decimal import Decimal
from itertools import groupby
from typing import Any

from rankmeter.errors import MeasureError, check_whole
from rankmeter.inputs.cells import is_number
from rankmeter.measures import Measure
from rankmeter.measures.dialects import CUTS
from rankmeter.wings.conformance.bench import Bench
from rankmeter.wings.conformance.reconciliation import (
    AxisEffect,
    Claim,
    ClaimResult,
    Definition,
    NearMiss,
    Reconciliation,
    Step,
    ToolDifference,
    ToolMatch,
)
from rankmeter.wings.conformance.space import (
    Change,
    Changes,
    Spoken,
    axes_of,
    change_sets,
    changes_between,
    meant_by,
    place_in_order,
    spoken_by,
    spoken_by_tools,
    tools_with,
    union_of,
    with_changes,
)
from rankmeter.wording import of_its_lists, said

LEAST_CHANGES = 2
"""This many changes are always tried, even if fewer give the number, to see what else gives it."""

EXACT = 1e-9
"""The precision of comparisons, however many digits a claim has: other tools add in another order."""


_MOST_DIGITS = 300
"""So many decimals a float has to itself."""


@of_its_lists
def reconcile(
    judgments: object,
    run: object,
    claims: Mapping[str, object] | Iterable[tuple[str, object]],
    *,
    changes: int = 3,
    limit: int = 20_000,
    columns: Mapping[str, str] | None = None,
) -> Reconciliation:
    """Find the definitions that give reported numbers on this data.

    A definition matches if its value, rounded to the digits of the claim, is the claim. Whole tools are tried first,
    then the claimed measure with one convention changed, two, and so on; what a claim states is not changed.

    Parameters
    ----------
    judgments, run
        As for ``evaluate``.
    claims
        Reported numbers by the name of the metric, or pairs of name and number. The digits count: give text
        (``"0.3120"``) if the number ends in zeros.
    changes
        How many conventions may be changed. More than two are tried only if nothing else is found.
    limit
        The number of definitions after which the search stops.
    columns
        Unusual column names, as for ``evaluate``.

    Examples
    --------
    >>> from rankmeter import reconcile
    >>> judgments = {"q1": {"a": 3, "b": 1, "c": 2}, "q2": {"d": 1, "e": 2}}
    >>> run = {"q1": ["b", "x", "a", "c"], "q2": ["x", "d", "e"]}
    >>> found = reconcile(judgments, run, {"NDCG@3": "0.5330"})
    >>> [str(change) for change in found.definitions[0].changes], round(found.definitions[0].values[0], 4)
    (['gain=exp2'], 0.533)
    """
    bench = Bench(judgments, run, columns)
    asked = [read_claim(name, number) for name, number in _pairs(claims)]
    if not asked:
        raise MeasureError.of("conformance.nothing_claimed")
    check_whole("changes", changes)
    search = _Search(bench, asked, limit)
    search.tools()
    search.definitions(changes)
    return search.result()


def read_claim(name: str, number: object) -> Claim:
    """Read a claim: its measure, its value, its digits; refuse what no definition can give.

    Examples
    --------
    >>> read_claim("MRR@10", "0.3120").digits, read_claim("MRR@10", "31.2%").value
    (4, 0.312)
    """
    # str() keeps the digits of a number: those of a float32 or a Decimal are not those of the nearest float.
    text = str((float(number) if is_number(number) else math.inf) if type(number) is int else number).strip()
    percent = text.endswith("%")
    try:
        exact = Decimal(text.rstrip("% ")).scaleb(-2 if percent else 0)
    except ArithmeticError:  # no number, or an exponent beyond all
        exact = Decimal("nan")
    value = float(exact)
    if not math.isfinite(value):
        raise MeasureError.of("conformance.not_a_number", name=name, text=f"{text:.60}")
    measure = meant_by(name)
    _check_bounds(name, text, measure, value)
    exponent = exact.as_tuple().exponent
    decimals = Decimal(text.rstrip("% ")).as_tuple().exponent
    digits = max(0, -int(decimals)) + 2 if percent else max(0, -int(exponent))
    return Claim(name, measure, value, min(digits, _MOST_DIGITS))


def _check_bounds(name: str, text: str, measure: Measure, value: float) -> None:
    low, high = measure.bounds
    if measure.aggregate == "sum" or low <= value <= high:
        return
    kind = type(measure).name
    if math.isinf(high):
        raise MeasureError.of("conformance.below_least", name=name, text=text, measure=kind, low=low)
    is_percentage = value > high and low <= value / 100 <= high
    hint = said("conformance.if_percentage", name=name, text=text) if is_percentage else ""
    raise MeasureError.of(
        "conformance.out_of_bounds", name=name, text=text, measure=kind, low=low, high=high, hint=hint
    )


def _pairs(claims: Any) -> list[tuple[str, object]]:
    claimed = claims.items() if isinstance(claims, Mapping) else claims
    pairs: list[Any] = list(claimed) if isinstance(claimed, Iterable) else [claimed]
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise MeasureError.of("conformance.no_claim", claim=repr(pair), type=type(pair).__name__)
    return pairs


_SUM = Change("aggregate", "sum")


class _Search:
    """The search: what has been tried for each claim, and what matched."""

    def __init__(self, bench: Bench, claims: list[Claim], limit: int) -> None:
        self.bench = bench
        self.claims = claims
        self.limit = limit
        self.facts = [bench.facts(claim.measure) for claim in claims]
        self.tried: list[dict[Measure, float]] = [{} for _ in claims]
        self.spoken: list[list[Spoken]] = []
        self.found: list[Definition] = []
        self.alone: list[list[Definition]] = [[] for _ in claims]
        self.together: dict[tuple[Measure, ...], bool] = {}
        self.active: set[Change] = set()
        self.values: dict[Changes, list[float]] = {}
        self.stopped = False
        self.deepest = 0

    def tools(self) -> None:
        """Try what every known tool means by the claimed names."""
        for number, claim in enumerate(self.claims):
            spoken = spoken_by_tools(claim.name, claim.measure, self.facts[number].grades)
            self.spoken.append([metric for metric in spoken if self.value(number, metric.measure) is not None])

    def value(self, number: int, measure: Measure) -> float | None:
        """The value of a definition of one claim; None if the data cannot answer it."""
        tried = self.tried[number]
        if measure not in tried:
            if getattr(measure, "sign", "") == "positive" and not self.facts[number].scored:
                return None
            try:
                tried[measure] = self.bench.value(measure)
            except MeasureError:
                return None
        return tried[measure]

    def definitions(self, changes: int) -> None:
        """Change conventions, few before many; beyond `LEAST_CHANGES` only while nothing gives all the numbers."""
        axes = union_of([axes_of(claim.measure, facts) for claim, facts in zip(self.claims, self.facts, strict=True)])
        for size in range(changes + 1):
            if size > LEAST_CHANGES and self.found:
                return
            if size > LEAST_CHANGES:
                # Changes that moved no number in any pair are not tried in larger sets.
                axes = {
                    a: kept for a, vs in axes.items() if (kept := tuple(v for v in vs if Change(a, v) in self.active))
                }
            self.deepest = size
            for changed in change_sets(axes, size):
                if sum(map(len, self.tried)) >= self.limit:
                    self.stopped = True
                    return
                self._try(changed)

    def _try(self, changed: Changes) -> None:
        measures = [with_changes(claim.measure, changed) for claim in self.claims]
        known = (None if made is None else self.value(number, made) for number, made in enumerate(measures))
        values = [math.nan if value is None else value for value in known]
        if len(changed) <= LEAST_CHANGES:
            self.values[changed] = values
            self._note_active(changed, values)
        if None in measures:
            return
        made = tuple(measure for measure in measures if measure is not None)
        hits = [matches(claim, value) for claim, value in zip(self.claims, values, strict=True)]
        self.together[made] = all(hits)
        if not any(hits):
            return
        definition = Definition(changed, made, tuple(values), self._tools(changed))
        if all(hits) and _is_minimal(changed, self.found):
            self.found.append(definition)
        for number, hit in enumerate(hits):
            if hit and _is_minimal(changed, self.alone[number]):
                self.alone[number].append(definition)

    def _note_active(self, changed: Changes, values: list[float]) -> None:
        for change in changed:
            without = self.values.get(tuple(other for other in changed if other != change))
            if without is None or not all(map(_same_number, without, values)):
                self.active.add(change)

    def _tools(self, changed: Changes) -> tuple[tuple[str, ...], ...]:
        names = sorted({type(claim.measure).name for claim in self.claims})
        return tuple(tuple(sorted({tool for name in names for tool in tools_with(name, c)})) for c in changed)

    def result(self) -> Reconciliation:
        """The result of the search."""
        return Reconciliation(
            claims=tuple(self._of_claim(number) for number in range(len(self.claims))),
            tools=tuple(self._tool_matches()),
            definitions=tuple(sorted(self.found, key=_by_use)),
            tried_together=len(self.together),
            matching_together=sum(self.together.values()),
            deepest=self.deepest,
            stopped=self.stopped,
        )

    def _tool_matches(self) -> list[ToolMatch]:
        """The tools that give at least one of the numbers, those that give most first."""
        hits: dict[str, dict[int, Spoken]] = {}
        for number, spoken in enumerate(self.spoken):
            for metric in spoken:
                if matches(self.claims[number], self.tried[number][metric.measure], spare=metric.tolerance):
                    hits.setdefault(metric.dialect, {}).setdefault(number, metric)
        giving = [
            ToolMatch(
                tool,
                tuple(number in matched for number in range(len(self.claims))),
                tuple(matched[number].metric for number in sorted(matched)),
                tuple(matched[number].measure for number in sorted(matched)),
                tuple(self.tried[number][matched[number].measure] for number in sorted(matched)),
            )
            for tool, matched in hits.items()
        ]
        return sorted(
            (match for match in giving if not any(_says_as_much(other, match) for other in giving)),
            key=lambda match: (-sum(match.matched), len(_tool_options(match.tool)), match.tool),
        )

    def _of_claim(self, number: int) -> ClaimResult:
        claim, tried = self.claims[number], self.tried[number]
        low, high = claim.measure.bounds
        inside = {m: v for m, v in tried.items() if low - EXACT <= v <= high + EXACT}
        nearest = min(inside, key=lambda measure: abs(inside[measure] - claim.value), default=None)
        printed = {round(value * 10**claim.digits) for value in inside.values()}
        possible = max(printed) - min(printed) + 1 if printed else 1
        return ClaimResult(
            claim=claim,
            default=self.bench.value(claim.measure),
            tried=len(tried),
            matching=sum(matches(claim, value) for value in tried.values()),
            distinct=len(printed),
            lowest=min(inside.values(), default=math.nan),
            highest=max(inside.values(), default=math.nan),
            chance=len(printed) / possible,
            definitions=tuple(sorted(self.alone[number], key=_by_use)),
            nearest=None if nearest is None else _miss(claim, nearest, inside[nearest]),
            effects=tuple(self._effects(number)),
        )

    def _effects(self, number: int) -> list[AxisEffect]:
        """For each axis, the change that moves the number most by itself."""
        claim = self.claims[number]
        base = self.bench.value(claim.measure)
        effects = []
        for axis, values in axes_of(claim.measure, self.facts[number]).items():
            moved: dict[str, float] = {}
            for value in values:
                measure = with_changes(claim.measure, (Change(axis, value),))
                got = None if measure is None else self.value(number, measure)
                # A sum over queries is on another scale than everything else.
                if got is not None and Change(axis, value) != _SUM:
                    moved[str(Change(axis, value))] = got - base
            known = {said: delta for said, delta in moved.items() if not math.isnan(delta)}
            if known:
                said = max(known, key=lambda key: abs(known[key]))
                effects.append(AxisEffect(axis, said, known[said]))
        return sorted(effects, key=lambda effect: (-abs(effect.delta), place_in_order(effect.axis)))


def _tool_options(tool: str) -> frozenset[str]:
    return frozenset(tool.partition(":")[2].split(",")) - {""}


def _says_as_much(fewer: ToolMatch, match: ToolMatch) -> bool:
    """Whether the same tool with fewer of these options gives as many numbers."""
    same = fewer.tool.partition(":")[0] == match.tool.partition(":")[0]
    return same and _tool_options(fewer.tool) < _tool_options(match.tool) and sum(fewer.matched) >= sum(match.matched)


def matches(claim: Claim, value: float, spare: float = 0.0) -> bool:
    """Whether a value, rounded to the digits of a claim, is the claim; halves may go either way.

    A tool that rounds, to more digits than the claim, may have its number rounded twice: 0.12346 to 0.1235 to 0.124.
    """
    half = 0.5 * 10.0**-claim.digits
    return abs(value - claim.value) <= max((half + (spare if spare < half else 0.0)) * (1 + 1e-9), EXACT)


def _same_number(value: float, other: float) -> bool:
    return value == other or (math.isnan(value) and math.isnan(other))


def _is_minimal(changed: Changes, known: list[Definition]) -> bool:
    """Whether no subset of these changes is enough."""
    return not any(set(definition.changes) <= set(changed) for definition in known)


def _by_use(definition: Definition) -> tuple[int, int]:
    """A sort key: fewest changes first, then those that most tools make together."""
    named = [{tool.partition(":")[0] for tool in tools} for tools in definition.tools]
    return len(definition.changes), -len(set.intersection(*named) if named else ())


def _miss(claim: Claim, measure: Measure, value: float) -> NearMiss:
    changed = changes_between(claim.measure, measure)
    return NearMiss(measure, changed, value, claim.value - value, (claim.value - value) * 10**claim.digits)


def between(
    judgments: object,
    run: object,
    first: str,
    second: str,
    metric: str,
    *,
    columns: Mapping[str, str] | None = None,
) -> ToolDifference:
    """Explain the difference between two tools' numbers as steps from one definition to the other.

    Parameters
    ----------
    judgments, run
        As for ``evaluate``.
    first, second
        Dialects such as ``trec_eval:9``, or ``rankmeter`` for rankmeter's own definition.
    metric
        The name of the metric; if a tool has none of that name, its metric for the same measure is taken.
    columns
        Unusual column names, as for ``evaluate``.

    Examples
    --------
    >>> from rankmeter import between
    >>> judgments = {"q1": {"a": 3, "b": 1}, "q2": {"c": 2}}
    >>> run = {"q1": {"b": 3.0, "x": 2.0, "a": 1.0}, "q2": {"x": 2.0, "c": 1.0}}
    >>> path = between(judgments, run, "rankmeter", "recbole", "NDCG@10")
    >>> [(str(step.changes[0]), round(step.adds, 6)) for step in path.steps]
    [('ties=input', 0.0), ('gain=binary', 0.115596)]
    """
    start, end = spoken_by(first, metric, second), spoken_by(second, metric, first)
    kind, other = type(start.measure), type(end.measure)
    if kind is not other:
        raise MeasureError.of(
            "conformance.two_measures", metric=metric, one=kind.name, first=first, other=other.name, second=second
        )
    bench = Bench(judgments, run, columns)
    value = bench.value(start.measure)
    return ToolDifference(start, end, value, tuple(_steps_between(bench, start.measure, end.measure, value)))


def _steps_between(bench: Bench, first: Measure, last: Measure, start: float) -> list[Step]:
    steps: list[Step] = []
    waiting: Changes = ()
    at, value = first, start
    end = bench.value(last)
    for changes in _each_change(changes_between(first, last)):
        waiting += changes
        try:
            changed = at(**{change.axis: getattr(last, change.axis) for change in waiting})
            reached = bench.value(changed)
        except MeasureError:
            # Not possible without the next change: together they are one step.
            continue
        if math.isnan(reached) and not math.isnan(end):
            continue
        steps.append(Step(waiting, changed, reached, reached - value))
        at, value, waiting = changed, reached, ()
    return steps


def _each_change(changes: Changes) -> list[Changes]:
    """Each change by itself; cutoff and depth, which both cut the list, together."""
    return [tuple(group) for _, group in groupby(changes, key=lambda change: CUTS if change.axis in CUTS else change)]
