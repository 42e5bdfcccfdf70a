"""Many definitions on one placing: what definitions have in common is computed once.

Definitions that agree on the conventions that move items share a view; those that differ only in which queries count,
or in how values are aggregated, share numerators and denominators. A convention that cannot matter on this data (a tie
rule if nothing is tied, a gain if every grade is 0 or 1) takes a plain value, so that all its choices are one
computation. Equal queries are one query that counts several times; and if a definition ignores what stands below the
cutoff, what has no gain, or how ids order a tie, queries that differ in nothing else are equal to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from rankmeter.arithmetic import Parts, View, aggregated, parts_of, values_of
from rankmeter.arithmetic.parts import without_list
from rankmeter.arithmetic.views import Gains, filled_with, ranked, seen_by, turned_by, without_unreturned
from rankmeter.errors import MeasureError
from rankmeter.evaluating.asking import with_call_options
from rankmeter.evaluating.measuring import placed_by
from rankmeter.evaluating.pairing import into_pair
from rankmeter.inputs.accepting import check_columns_of, is_path
from rankmeter.inputs.columns import columns_of
from rankmeter.inputs.files import read_run
from rankmeter.measures import Measure, RankedMeasure
from rankmeter.measures.base import ANY_POSITIVE, TIES_BY_ID, TIES_BY_INPUT, GainMeasure
from rankmeter.measures.options import GainMap
from rankmeter.placing.indexes import PlacedRun
from rankmeter.placing.placements import Bools, Ints, Placements, Plan, Subtopics
from rankmeter.wings.conformance.alike import one_of_each
from rankmeter.wings.conformance.space import SearchedData

_DECIDED_AFTER = frozenset("aggregate queries empty miss blank digits".split())
"""The conventions that do not change numerators and denominators."""
_DECIDED_BEFORE = frozenset("scores duplicates itself candidates sign unjudged depth".split())
"""The conventions that are applied before the formula."""
ROOM = 200_000_000
"""How many bytes of numerators and denominators are kept; beyond that they are computed again."""
BYTES_A_QUERY = 64
"""The approximate memory of one definition's intermediate results per query."""

Key = tuple[Any, ...]


@cache
def _formula_conventions(kind: Any) -> tuple[str, ...]:
    """The conventions that a formula itself depends on."""
    return tuple(o.name for o in fields(kind) if o.name not in _DECIDED_AFTER | _DECIDED_BEFORE)


class SeenConventions(NamedTuple):
    """The conventions that decide what a definition sees, each with a plain value if it cannot matter."""

    candidates: str
    sign: str
    unjudged: str | float
    negative: str
    depth: int | None
    rel: str | None
    """``high`` if the grades of a query decide what is relevant."""
    counted_below: tuple[float, GainMap] | None
    """The grades below 0 that count, and are judgments for it."""
    ties: str
    gains: Gains | None

    @property
    def moving(self) -> tuple[Any, ...]:
        """The conventions applied before the tie rule; the rule is among them if the list is cut by it first."""
        placed_by_tie = self.depth is not None or filled_with(self) is not None
        return (*self[:7], self.ties if placed_by_tie else None, self.gains if self.depth is not None else None)


class Needs(NamedTuple):
    """What a definition needs of the placements once every item has its place."""

    lowest: float
    """Rows and candidates below this grade are ignored."""
    alike: bool
    """Whether all grades from the lowest on count the same."""
    horizon: int | None
    """The last rank that matters."""
    ids: bool
    order: bool


@dataclass(frozen=True, slots=True)
class _Kinds:
    """The kinds of queries that certain definitions distinguish, and what they see of one query of each."""

    placements: Placements
    """Reduced to what the definitions need."""
    times: Ints
    """How many queries each stands for."""
    listless: Bools
    """Which have an empty list."""
    tied: bool
    subtopics: Subtopics | None = None
    views: dict[Key, View] = field(default_factory=dict)
    """The judged items in the order of each tie rule, as they are asked for."""
    of_best: dict[Any, Any] = field(default_factory=dict)

    def view(self, ties: str, gains: Gains | None) -> View:
        """The judged items in the order of a tie rule."""
        if (ties, gains) not in self.views:
            view = ranked(self.placements, ties, gains)
            self.views[ties, gains] = replace(view, subtopics=self.subtopics, of_best=self.of_best)
        return self.views[ties, gains]

    def value(self, parts: Parts, measure: Any) -> float:
        """The aggregated value, from numerators, denominators and the policies of a definition."""
        values = values_of(parts, measure, self.placements, listless=self.listless)
        return aggregated(values, measure.aggregate, self.times)


def seen_of(measure: Any, plain: Mapping[str, Any], gains: Gains | None, shortest: int) -> SeenConventions:
    """What a definition sees, given the conventions that cannot matter (``plain``) and the shortest list's length."""
    candidates, depth = measure.candidates, measure.depth
    last = measure.last_rank if measure.unjudged == "nonrelevant" else None
    if candidates == "appended" and shortest >= min(last or np.inf, depth or np.inf):
        candidates = "all"  # what is appended stands below everything that matters
    if depth is not None and last is not None and last <= depth and candidates != "list":
        depth = None
    return SeenConventions(
        candidates,
        plain.get("sign", measure.sign),
        measure.unjudged,
        plain.get("negative", measure.negative),
        depth,
        "high" if getattr(measure, "rel", None) == "high" else None,
        measure.counted_below,
        plain.get("ties", measure.ties),
        gains,
    )


def needs_of(measure: Any, seen: SeenConventions, gain: object, longest: int) -> Needs:
    """What a definition needs of what it sees; ``gain`` may stand for others, ``longest`` is the longest list."""
    ids, order = seen.ties in TIES_BY_ID, seen.ties in TIES_BY_INPUT
    if measure.subtopics or measure.places_judged or measure.unjudged in ("nan", "undecided") or seen.rel is not None:
        return Needs(-np.inf, alike=False, horizon=None, ids=ids, order=order)
    lowest, alike = measure.lowest_grade, not measure.graded and gain in (None, "binary")
    if isinstance(measure, GainMeasure) and gain == "binary":
        lowest, alike = 1.0 if measure.rel is None else measure.rel, True
    last = measure.last_rank
    return Needs(lowest, alike, None if last is None or last >= longest else last, ids, order)


def wider(needs: Needs) -> Needs | None:
    """Wider needs that serve more definitions, so that the full data is reduced only once."""
    positive = Needs(ANY_POSITIVE, alike=False, horizon=None, ids=not needs.order, order=needs.order)
    return positive if needs.lowest > 0 and needs != positive else None


def reduced(kinds: _Kinds, needs: Needs) -> _Kinds:
    """Drop what is not needed, and keep one query of each kind."""
    p = kinds.placements
    rows = p.grade >= needs.lowest
    if needs.horizon is not None:
        rows &= p.above < needs.horizon
        p = replace(p, returned=np.minimum(p.returned, needs.horizon))
    if not rows.all():
        p = replace(p, **p.rows(rows))
    best = p.best >= needs.lowest
    if not best.all():
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(best)])
        p = replace(p, best_offsets=before[p.best_offsets], best=p.best[best])
    if needs.alike:
        p = replace(p, grade=np.full(len(p.grade), float(needs.lowest)), best=np.full(len(p.best), float(needs.lowest)))
    facts = ["grade", "above"]
    if tied := bool((p.tied > 1).any()):
        facts += ["tied", *(["higher_id"] if needs.ids else []), *(["earlier"] if needs.order else [])]
    p, times, chosen = one_of_each(p, kinds.times, facts, kinds.listless)
    return _Kinds(p, times, kinds.listless[chosen], tied)


@dataclass(frozen=True, slots=True)
class _Placed:
    """One placing, and the conventions that cannot matter on it."""

    placements: Placements
    """One query of each kind."""
    times: Ints
    """How many queries each stands for."""
    listless: Bools
    """Which have an empty list."""
    scored: bool
    subtopics: Subtopics | None
    plain: Mapping[str, Any]
    """For each convention that cannot matter, the value that stands for all its choices."""
    shortest: int
    longest: int
    """The lengths of the shortest and the longest list, with what may be appended."""

    @classmethod
    def of(cls, run: PlacedRun, *, appended: bool) -> _Placed:
        p, times = run.placements, np.ones(len(run.placements), np.int64)
        if not appended:
            p = without_unreturned(p)
        plain: dict[str, Any] = {}
        if run.subtopics is None:
            p, times, _ = one_of_each(p)
            lowest, highest = p.best.min(initial=0.0), p.best.max(initial=0.0)
            if lowest >= 0 and p.grade.min(initial=0.0) >= 0:
                plain["negative"] = "unjudged"
            if highest <= 1 and not ((p.best > 0) & (p.best < 1)).any():
                plain["gain"] = "linear"
        if (p.tied <= 1).all():
            plain["ties"] = "item"
        if run.scored and (p.score > 0).all():
            plain["sign"] = "ignored"
        listless = without_list(p, appended=appended)
        shortest, longest = int(p.returned.min()) if len(p) else 0, int((p.above + p.tied).max(initial=0))
        longest = max(longest, int(p.returned.max(initial=0)))
        return cls(p, times, listless, run.scored, run.subtopics, plain, shortest, longest)


def _plain_gain(measure: Any, plain: Mapping[str, Any]) -> Any:
    """The gain that stands for a definition's own; a stated map, threshold or scale may always matter."""
    gain = measure.gain if "gain" in _formula_conventions(type(measure)) else None  # type: ignore[arg-type]
    named = isinstance(measure, GainMeasure) and measure.gain_map is None and measure.rel in (None, 1)
    return plain.get("gain", gain) if named else gain


class Bench:
    """Values of any definition on one pair of judgments and run.

    Parameters
    ----------
    judgments
        Judgments of any kind.
    run
        A run of any kind, or None if the judgments hold it.
    columns
        Unusual column names, as for ``evaluate``.
    """

    def __init__(self, judgments: object, run: object, columns: Mapping[str, str] | None = None) -> None:
        check_columns_of(columns, judgments, run)
        if is_path(run):
            # Read a file once, not for every placing.
            run = read_run(run, columns=columns_of(columns, "run"))  # type: ignore[arg-type]
        self._placing = into_pair(judgments, run, columns)
        self._ranked = self._placing.returned is None  # there are placements alone
        self._runs: dict[Key, PlacedRun] = {}
        self._placed: dict[tuple[Key, bool], _Placed] = {}
        self._kinds: dict[Key, _Kinds] = {}
        self._parts: dict[Key, Parts] = {}
        self._held = 0
        self._chosen: dict[Key, float] = {}
        self._values: dict[Measure, float] = {}

    def value(self, measure: Measure) -> float:
        """The value of a measure over all queries; NaN if it has none."""
        value = self._values.get(measure)
        if value is None:
            value = self._values[measure] = self._computed(_with_conventions(measure))
        return value

    def facts(self, measure: Measure) -> SearchedData:
        """What decides which definitions are worth trying on the data."""
        ranked = _with_conventions(measure)
        placed = self._placed_for(ranked, appended=ranked.candidates == "appended")
        p = placed.placements
        graded = p.best if not measure.subtopics else np.empty(0)
        grades = tuple(float(grade) for grade in np.unique(graded[graded > 0])[:12])
        return SearchedData(grades, int(p.returned.max(initial=0)), placed.scored)

    def _computed(self, measure: Any) -> float:
        if self._ranked and measure.candidates == "appended":
            raise MeasureError.of("conformance.ranked_already", source=self._placing.sources[1])
        kinds, key, view_of = self._seen(measure)
        chosen = (key, *(getattr(measure, name) for name in _DECIDED_AFTER))
        if chosen not in self._chosen:
            self._chosen[chosen] = kinds.value(self._parts_of(key, kinds, measure, view_of), measure)
        return self._chosen[chosen]

    def _parts_of(self, key: Key, kinds: _Kinds, measure: Any, view_of: Key) -> Parts:
        if key not in self._parts:
            size = len(kinds.placements) * BYTES_A_QUERY
            if self._held + size > ROOM:
                self._parts.clear()
                self._held = 0
                for known in self._kinds.values():
                    known.views.clear()
                    known.of_best.clear()
            self._held += size
            self._parts[key] = parts_of(measure, kinds.view(*view_of))
        return self._parts[key]

    def _seen(self, measure: Any) -> tuple[_Kinds, Key, Key]:
        """The kinds of queries that a definition distinguishes, a key for its parts, and one for its view."""
        placed = self._placed_for(measure, appended=False)
        gain = _plain_gain(measure, placed.plain)
        seen = seen_of(measure, placed.plain, turned_by(measure), placed.shortest)
        if seen.candidates == "appended":
            # What is appended is tied, and has no positive score.
            placed = self._placed_for(measure, appended=True)
            seen = seen_of(measure, placed.plain, turned_by(measure), placed.shortest)
        needs = None if placed.subtopics is not None else needs_of(measure, seen, gain, placed.longest)
        kinds = self._kinds_of(placed, seen, needs)
        ties = seen.ties if kinds.tied else "item"
        plain = {"gain": gain, "ties": ties, "negative": seen.negative}
        weighed = (plain[n] if n in plain else getattr(measure, n) for n in _formula_conventions(type(measure)))  # type: ignore[arg-type]
        return kinds, (id(kinds), type(measure).name, *weighed), (ties, seen.gains)

    def _kinds_of(self, placed: _Placed, seen: SeenConventions, needs: Needs | None) -> _Kinds:
        key = (id(placed), *seen.moving, needs)
        if key not in self._kinds:
            if needs is None:
                moved = seen_by(seen, placed.placements, seen.gains)
                self._kinds[key] = _Kinds(
                    moved, placed.times, placed.listless, bool((moved.tied > 1).any()), placed.subtopics
                )
            else:
                self._kinds[key] = reduced(self._kinds_of(placed, seen, wider(needs)), needs)
        return self._kinds[key]

    def _placed_for(self, measure: RankedMeasure, *, appended: bool) -> _Placed:
        key = tuple(placed_by(measure).items())
        if (key, appended) not in self._placed:
            if key not in self._runs:
                # Place everything that any definition may need.
                self._runs[key] = self._placing.place(Plan(unreturned=not self._ranked, **dict(key)))
            self._placed[key, appended] = _Placed.of(self._runs[key], appended=appended)
        return self._placed[key, appended]


def _with_conventions(measure: Measure) -> RankedMeasure:
    """The measure, which must be one of where judged items stand."""
    if not isinstance(measure, RankedMeasure):
        with_call_options(measure, None, None)  # measures of events are refused in words of their own
        raise MeasureError.of("conformance.no_conventions", measure=str(measure))
    return measure
