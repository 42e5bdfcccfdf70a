"""What trec_eval prints, as columns: for every printed name a value for each query, all from one placing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from rankmeter.arithmetic import Parts, Views, parts_of, values_of
from rankmeter.arithmetic.aggregates import GEOMETRIC_FLOOR
from rankmeter.arithmetic.gain import gains_of
from rankmeter.arithmetic.single_lists import SingleList, plain_formula
from rankmeter.errors import MeasureError
from rankmeter.frozen import dataclass
from rankmeter.inputs.ids import list_of_ids
from rankmeter.measures import Measure
from rankmeter.measures.dialects import Metrics, find_dialect
from rankmeter.placing.indexes import PlacedRun
from rankmeter.placing.placements import Bools, Floats, Ints, Plan
from rankmeter.placing.segments import offsets_of
from rankmeter.wings.doors.trec_measures import LARGEST_LONG, UNDEFINED, Printed, ProgramCall, Wanted
from rankmeter.wings.doors.trec_unusual import SeenQuery, unusual_formula

MOST_WEIGHTS = 1 << 16
"""How many weights are kept at a time."""
RANKS_AT_ONCE = 512
PlainFormula = Callable[[SingleList, Any], tuple[float, float]]
"""Numerator and denominator of a measure for one list."""


class Scores:
    """A run placed against judgments once, and the value per query of any measure that shares its placing.

    Unlike :func:`rankmeter.evaluate` it computes no bounds of ties and no facts: other tools do not report them.
    Where a few short ``lists`` are given, what has a plain formula is computed without placing anything: a single query
    takes a third of the time, and all measures of trec_eval a quarter.
    """

    def __init__(self, place: Callable[[], PlacedRun], lists: Sequence[SingleList] = ()) -> None:
        self._place = place
        self._lists = lists
        self._values: dict[Measure, Floats] = {}
        self.is_little = bool(lists)

    @classmethod
    def of_mappings(
        cls, judgments: Mapping[str, Mapping[str, float]], run: Mapping[str, Mapping[str, float]], plan: Plan
    ) -> Scores:
        """Place a run that may share no query with the judgments."""
        from rankmeter.placing.mapping import place_mappings  # not needed for plain text

        return cls(lambda: place_mappings(judgments, run, plan))  # type: ignore[arg-type]

    @cached_property
    def placed(self) -> PlacedRun:
        """Where the judged items stand."""
        return self._place()

    @cached_property
    def views(self) -> Views:
        """Views of it."""
        return Views(self.placed.placements)

    def __len__(self) -> int:
        return len(self._lists) or len(self.placed.placements)

    @property
    def queries(self) -> list[Any]:
        """(n,) ids, judged queries first."""
        return list_of_ids(self.placed.ids)

    @property
    def common(self) -> Bools:
        """(n,) which queries are both judged and in the run."""
        placements = self.placed.placements
        return placements.is_judged & placements.in_run

    def parts(self, measure: Any) -> Parts:
        """Numerator and denominator of a measure for every query."""
        return parts_of(measure, self.views.of(measure))

    def lists(self, measure: Any) -> Sequence[SingleList]:
        """Each list by itself, under the conventions of a measure."""
        if self._formula(measure) is not None:
            return self._lists
        view = self.views.of(measure)
        rows = list(zip(view.rank.tolist(), map(int, view.grade.tolist()), strict=True))
        best = list(map(int, view.best.tolist()))
        starts, ends = view.offsets.tolist(), view.best_offsets.tolist()
        return [
            SingleList(rows[starts[i] : starts[i + 1]], best[ends[i] : ends[i + 1]], int(size))
            for i, size in enumerate(view.returned)
        ]

    def returned(self, measure: Any) -> Ints:
        """(n,) how long each list is under the conventions of a measure."""
        if self._formula(measure) is not None:
            return np.array([listed.returned for listed in self._lists])
        return self.views.of(measure).returned

    def values(self, measure: Measure) -> Floats:
        """(n,) the value of a measure for every query, as the measure's own conventions have it; computed once."""
        if measure not in self._values:
            formula = self._formula(measure)
            if formula is not None:
                quotients = [formula(listed, measure) for listed in self._lists]
                self._values[measure] = np.array([above / below if below > 0 else 0.0 for above, below in quotients])
            else:
                self._values[measure] = self.values_of(measure, self.parts(measure))
        return self._values[measure]

    def values_of(self, measure: Any, parts: Parts) -> Floats:
        """(n,) the same from its numerator and denominator, where they are known."""
        placements = self.placed.placements
        everything, listless = np.ones(len(placements), np.bool_), placements.returned == 0
        return values_of(parts, measure, placements, chosen=everything, listless=listless).value

    def with_stand_ins(self, length: int) -> Scores:
        """Give every judged query that is absent from the run a list of ``length`` items that nobody judged."""
        placements = self.placed.placements
        absent = placements.is_judged & ~placements.in_run
        returned = np.where(absent, length, placements.returned)
        placed = replace(self.placed, placements=replace(placements, returned=returned))
        return Scores(lambda: placed)

    def _formula(self, measure: Measure) -> PlainFormula | None:
        return _plain_formula(measure) if self.is_little else None


@lru_cache(maxsize=1024)
def _plain_formula(measure: Measure) -> PlainFormula | None:
    """Scores are rounded, and queries chosen, before anything is measured; what is aggregated is none of its matter."""
    return plain_formula(measure, also=("aggregate", "queries", "scores"))


@dataclass(frozen=True, slots=True)
class PrintedColumn:
    """One printed name."""

    label: str
    printed: Printed
    values: Floats
    """(n,) the value of every query that was placed."""
    texts: tuple[str, ...] | None = None
    """For relstring: what is shown instead."""


@lru_cache(maxsize=16)
def _metrics(dialect: str) -> Metrics:
    return find_dialect(dialect).metrics


@lru_cache(maxsize=2048)
def _measure_named(dialect: str, name: str, number: float | None) -> Measure:
    """A measure by the dialect's name, with its cutoff or recall point; a script asks for it again and again."""
    return _metrics(dialect).named(name)[0].build(number, {})


@lru_cache(maxsize=64)
def _with(measure: Measure, **options: float) -> Measure:
    return measure(**options)


class PlainColumn(NamedTuple):
    """One printed name that has a plain formula for a single list."""

    label: str
    measure: Measure
    formula: PlainFormula


class ColumnMaker:
    """Makes the columns of a placed run under the options of a call."""

    def __init__(self, scores: Scores, call: ProgramCall) -> None:
        self.scores = scores
        self.call = call
        self._dialect = call.dialect
        self.made = {
            "utility": self._utility,
            "11pt_avg": self._averaged_points,
            "set_F": self._set_f,
            "dcg": self._dcg,
            "ideal_dcg": self._dcg,
            "Rndcg": self._ndcg_over_levels,
            "yaap": self._yaap,
            "rbp": self._rbp,
            "rbp_resid": self._rbp_residual,
        }

    def of(self, wanted: Wanted) -> Iterator[PrintedColumn]:
        """The columns of one measure."""
        printed = wanted.printed
        if printed.kind == "text":
            return
        if printed.name == "relstring":
            yield PrintedColumn(wanted.label, printed, np.zeros(len(self.scores)), self._relstring(wanted))
            return
        for label, number in self.numbered(wanted):
            formula = unusual_formula(wanted, number, self.call, is_little=self.scores.is_little)
            if formula is not None:
                with np.errstate(all="ignore"):
                    values = np.array([formula(seen) for seen in self._seen])
            elif printed.name in self.made:
                values = self.made[printed.name](wanted)
            else:
                values = self._values(self.measure_of(wanted, number))
            if printed.mean == "geometric" and formula is None:
                values = np.log(np.maximum(values, GEOMETRIC_FLOOR))
            yield PrintedColumn(label, printed, values)

    def plain(self, wanted: Wanted) -> list[PlainColumn] | None:
        """The columns of one measure for single lists; None where any of them is made in another way."""
        printed = wanted.printed
        if printed.kind == "text" or printed.name in {"relstring", *self.made} or printed.mean == "geometric":
            return None
        columns = []
        for label, number in self.numbered(wanted):
            measure = self.measure_of(wanted, number)
            formula = _plain_formula(measure)
            is_unusual = unusual_formula(wanted, number, self.call, is_little=True) is not None
            if formula is None or is_unusual or type(measure).name == "IPrec":  # which knows of empty lists
                return None
            columns.append(PlainColumn(label, measure, formula))
        return columns

    def numbered(self, wanted: Wanted) -> Sequence[tuple[str, float | None]]:
        """The label of each column of a measure, and its cutoff or recall point where it has one."""
        if wanted.printed.kind not in ("cutoffs", "points"):
            return [(wanted.label, None)]
        return wanted.numbered(_metrics(self._dialect).named(wanted.printed.name)[0].defaults)

    @cached_property
    def _seen(self) -> list[SeenQuery]:
        """Every query as the program's measures see it."""
        seen = []
        for listed in self.scores.lists(self._measure("num_rel_ret")):
            grades = [-1] * listed.returned
            for rank, grade in listed.found:
                grades[rank - 1] = -2 if grade < 0 else grade
            counts = [0] * (max(listed.best[0], -1) + 1 if listed.best else 0)
            for grade in listed.best:
                if grade >= 0:
                    counts[grade] += 1
            seen.append(SeenQuery(grades, counts, self.call.level))
        return seen

    def _values(self, measure: Measure) -> Floats:
        values = self.scores.values(measure)
        if type(measure).name == "IPrec" and (empty := self.scores.returned(measure) == 0).any():
            # A recall point that asks for no item of an empty list (-J can leave one) is 0/0 in the program.
            added = 0.9 if self.call.version == 9 else 0.5
            asks = np.floor(measure.recall * self._named("num_rel") + added)  # type: ignore[attr-defined]
            return np.where(empty & (asks <= 0), -np.nan, values)
        return values

    def _measure(self, name: str, number: float | None = None) -> Measure:
        return _measure_named(self._dialect, name, number)

    def _named(self, name: str) -> Floats:
        return self.scores.values(self._measure(name))

    def measure_of(self, wanted: Wanted, number: float | None = None) -> Measure:
        """The measure that a column shows, with what was stated."""
        name = wanted.printed.metric or wanted.printed.name
        if wanted.printed.kind == "pairs" and (gains := _gains(wanted)):
            return _metrics(self._dialect).named(name)[0].build(None, {"gains": gains})
        return self._measure(name, number)

    def _relstring(self, wanted: Wanted) -> tuple[str, ...]:
        asked = wanted.numbers[0]
        # Converted to a long: what is too large for one becomes the lowest, as on every common processor.
        length = max(int(asked), 0) if abs(asked) <= LARGEST_LONG else 0
        view = self.scores.views.of(self._measure("num_rel_ret"))  # type: ignore[arg-type]
        offsets = offsets_of(np.minimum(view.returned, length))
        letters = np.full(offsets[-1], ord("-"), np.uint8)
        rows = view.rank <= length
        grade = view.grade[rows]
        shown = np.where(grade < 0, ord("."), np.where(grade > 9, ord(">"), grade + ord("0")))
        letters[offsets[view.query[rows]] + view.rank[rows] - 1] = shown
        content = letters.tobytes().decode()
        return tuple(f"'{content[first:end]}'" for first, end in pairwise(offsets.tolist()))

    def _utility(self, wanted: Wanted) -> Floats:
        coefficients = dict(zip(("found", "noise", "missed", "rest"), wanted.numbers, strict=True))
        return self.scores.values(_with(self._measure("utility"), **coefficients, collection=self.call.collection))

    def _averaged_points(self, wanted: Wanted) -> Floats:
        points = [self._values(self.measure_of(wanted, number)) for number in wanted.numbers]
        averaged: Floats = np.add.accumulate(points)[-1] / len(points)
        return averaged

    def _set_f(self, wanted: Wanted) -> Floats:
        beta = wanted.numbers[0]
        hits, returned, relevant = map(self._named, ("num_rel_ret", "num_ret", "num_rel"))
        with np.errstate(all="ignore"):
            precision, recall = hits / returned, hits / relevant
            # In the order of the program: reduced to counts, the same F can round to another fourth digit.
            values = (beta + 1.0) * precision * recall / (beta * precision + recall)
        return np.where(hits > 0, values, 0.0)

    def _dcg(self, wanted: Wanted) -> Floats:
        parts = self.scores.parts(self.measure_of(wanted))
        return parts.numerator if wanted.printed.name == "dcg" else parts.denominator

    def _ndcg_over_levels(self, wanted: Wanted) -> Floats:
        """Rndcg, which the program gives up at 0 where nothing is relevant under -l, whatever the gains are."""
        measure = self.measure_of(wanted)
        parts = self.scores.parts(measure)
        # Relevant documents without a gain (-l 0) leave it nothing to average: 0/0.
        values = np.where(parts.denominator == 0, -np.nan, self.scores.values_of(measure, parts))
        return np.where(self._named("num_rel") > 0, values, 0.0)

    def _yaap(self, wanted: Wanted) -> Floats:
        precision = self.scores.parts(self.measure_of(wanted)).numerator
        return np.log((1.0 + precision) / (1.0 + self._named("num_rel") - precision))

    @np.errstate(all="ignore")
    def _rbp(self, wanted: Wanted) -> Floats:
        """Rank-biased precision of gains scaled by the highest, where that is above 1."""
        measure = self._measure("ndcg")
        gains = _gains(wanted)
        if not all(0 <= gain < math.inf for gain in gains.values()):
            raise MeasureError.of("doors.not_a_gain", name=wanted.label, undefined=UNDEFINED)
        if gains:
            measure = measure(gain=gains)
        view = self.scores.views.of(measure)  # type: ignore[arg-type]
        # The scale counts every level up to the highest that is judged, whether judged or not, and every stated one.
        levels = np.arange(int(view.best.max(initial=0.0)) + 1, dtype=np.float64)
        up_to = np.maximum.accumulate(gains_of(levels, measure))
        highest = np.maximum(up_to[_highest_level(view.best, view.best_offsets)], max(gains.values(), default=0.0))
        scale = np.where(highest > 1.0, highest, 1.0)
        p = dict(wanted.pairs).get("p", 0.9)
        weighed = gains_of(view.grade, measure) / scale[view.query] * np.power(p, view.rank - 1.0)
        return (1.0 - p) * view.per_query(weighed)

    @np.errstate(all="ignore")  # any p may be asked for
    def _rbp_residual(self, wanted: Wanted) -> Floats:
        """Added up in the order of the ranks, as in the program: powers of 0.9 are so short that rounding shows."""
        p = dict(wanted.pairs).get("p", 0.9)
        view = self.scores.views.of(self._measure("num_rel_ret"))  # type: ignore[arg-type]
        returned = view.returned.astype(np.int64)
        powers = np.concatenate([[1.0], np.full(int(returned.max(initial=0)), p)])
        np.multiply.accumulate(powers, out=powers)
        judged = view.grade >= 0
        query, rank = view.query[judged], view.rank[judged].astype(np.int64)
        # Many queries at a time, of like length: one row of weights for each.
        order = np.argsort(-returned, kind="stable")
        place = np.argsort(order)[query]
        by_place = np.argsort(place, kind="stable")
        place, rank = place[by_place], rank[by_place]
        total = np.zeros(len(returned))
        step = MOST_WEIGHTS // min(len(powers), RANKS_AT_ONCE)
        for start in range(0, len(order), step):
            some = order[start : start + step]
            first, end = np.searchsorted(place, (start, start + step))
            total[some] = _added_up(powers, returned[some], place[first:end] - start, rank[first:end] - 1)
        has_unjudged = returned > np.bincount(query, minlength=len(returned))
        return np.where(has_unjudged, powers[returned] + (1 - p) * total, 0.0)


def _added_up(powers: Floats, returned: Ints, row: Ints, column: Ints) -> Floats:
    """(n,) the powers of all places of some lists but the given ones, added one by one from the first place on."""
    total = np.zeros(len(returned))
    longest = int(returned[0])
    for low in range(0, longest, RANKS_AT_ONCE):
        columns = np.arange(low, min(low + RANKS_AT_ONCE, longest))
        weights = np.where(columns < returned[:, None], powers[columns], 0.0)
        inside = (column >= low) & (column <= columns[-1])
        weights[row[inside], column[inside] - low] = 0.0
        weights[:, 0] += total
        total = np.add.accumulate(weights, axis=1, out=weights)[:, -1].copy()
        # Where powers shrink, those that follow are lost in every total as soon as the next one is.
        following = np.abs(powers[columns[-1] + 1])
        if abs(powers[1]) <= 1 and ((total + following == total) & (total - following == total)).all():
            break
    return total


def _highest_level(best: Floats, offsets: Ints) -> Ints:
    """(n,) the highest grade judged for each query, 0 where there is none."""
    highest = np.zeros(len(offsets) - 1, np.int64)
    has = np.diff(offsets) > 0
    highest[has] = np.maximum(best[offsets[:-1][has]], 0).astype(np.int64)
    return highest


def _gains(wanted: Wanted) -> dict[int, float]:
    """The gains among the parameters: ``1=3,2=9``; other names (``p``) are not grades."""
    return {int(name): value for name, value in wanted.pairs if name.lstrip("+-").isdigit()}
