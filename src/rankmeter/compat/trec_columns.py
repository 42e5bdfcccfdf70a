"""What trec_eval prints, as columns: for every printed name a value for each query."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np

from rankmeter.arithmetic.aggregates import GEOMETRIC_FLOOR
from rankmeter.arithmetic.gain import gains_of
from rankmeter.compat import c_library, trec_unusual
from rankmeter.compat.placed_scores import Scores
from rankmeter.compat.trec_measures import LARGEST_INT, UNDEFINED, Printed, Version, Wanted
from rankmeter.compat.trec_unusual import SeenQuery
from rankmeter.errors import MeasureError
from rankmeter.frozen import dataclass
from rankmeter.measures import Measure
from rankmeter.measures.dialects import Dialect, Metric, find_dialect
from rankmeter.placing.placements import Floats, Ints
from rankmeter.placing.segments import offsets_of

UTILITY_COEFFICIENTS = 4
HIGHEST_MULTIPLE = 1000
MOST_WEIGHTS = 1 << 16
"""How many weights are kept at a time."""
RANKS_AT_ONCE = 512
_OF_GAINS: dict[str, Callable[[SeenQuery, list[trec_unusual.Gain]], float]] = {
    "ndcg": trec_unusual.ndcg,
    "dcg": lambda seen, gains: trec_unusual.dcg(seen, gains)[0],
    "ideal_dcg": lambda seen, gains: trec_unusual.dcg(seen, gains)[1],
    "ndcg_rel": trec_unusual.ndcg_over_documents,
    "Rndcg": trec_unusual.ndcg_over_levels,
    "G": trec_unusual.gain_by_cost,
}
"""Measures of gains, for gains that rankmeter's measures do not take."""
_ALONE = ("G", "Rndcg", "ndcg_rel")
"""Those that have no plain formula otherwise: of a few short lists they are computed one by one too."""


@dataclass(frozen=True, slots=True)
class ValueSettings:
    """The options of the command that change values."""

    version: Version = 10
    level: int = 1
    """-l"""
    depth: int | None = None
    """-M"""
    judged_only: bool = False
    """-J"""
    collection: int = 0
    """-N"""

    @property
    def dialect(self) -> Dialect:
        """The definitions under these options."""
        options = [
            *(["9"] if self.version == 9 else []),
            *(["J"] if self.judged_only else []),
            *([f"l={max(self.level, 0)}"] if self.level != 1 else []),
            *([f"M={self.depth}"] if self.depth is not None else []),
        ]
        return find_dialect(f"trec_eval:{','.join(options)}")


@dataclass(frozen=True, slots=True)
class PrintedColumn:
    """One printed name."""

    label: str
    printed: Printed
    values: Floats
    """(n,) the value of every query that was placed."""
    texts: tuple[str, ...] | None = None
    """For relstring: what is shown instead."""


class Definitions:
    """The measures under some settings, each made once."""

    def __init__(self, settings: ValueSettings) -> None:
        self._metrics = settings.dialect.metrics
        self._made: dict[tuple[str, float | None], Measure] = {}

    def metric(self, printed: Printed) -> Metric:
        """The metric of the dialect that a printed measure is made of."""
        return self._metrics.named(printed.metric or printed.name)[0]

    def measure(self, name: str, number: float | None = None) -> Measure:
        """A measure by the dialect's name, with its cutoff or recall point."""
        key = (name, number)
        if key not in self._made:
            self._made[key] = self._metrics.named(name)[0].build(number, {})
        return self._made[key]


@lru_cache(maxsize=64)
def _with(measure: Measure, **options: float) -> Measure:
    return measure(**options)


definitions_of = lru_cache(maxsize=16)(Definitions)
"""The definitions under some settings, which a script asks for again and again."""


class ColumnMaker:
    """Makes the columns of a placed run."""

    def __init__(self, scores: Scores, settings: ValueSettings) -> None:
        self.scores = scores
        self.settings = settings
        self.definitions = definitions_of(settings)
        self._maker = {
            "relstring": self._relstring,
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
        by_query = self.scores.is_little and printed.name in _ALONE
        usual = printed.kind != "pairs" or printed.name not in _OF_GAINS or trec_unusual.are_usual_gains(wanted)
        if by_query or not usual:
            yield self._by_query(wanted, lambda seen: _OF_GAINS[printed.name](seen, self._gains(seen, wanted)))
        elif self.settings.level < 0 and printed.name in trec_unusual.BELOW_ZERO:
            yield from self._below_zero(wanted)
        elif printed.name in self._maker:
            yield self._maker[printed.name](wanted)
        elif printed.kind in ("cutoffs", "points"):
            for label, number in wanted.numbered(self.definitions.metric(printed).defaults):
                yield PrintedColumn(label, printed, self._at(number, printed))
        else:
            values = self._values(self._with_gains(wanted) if printed.kind == "pairs" else self._measure(printed))
            if printed.mean == "geometric":
                values = np.log(np.maximum(values, GEOMETRIC_FLOOR))
            yield PrintedColumn(wanted.label, printed, values)

    def _below_zero(self, wanted: Wanted) -> Iterator[PrintedColumn]:
        """Measures that count documents which nobody judged, because of an -l below 0."""
        value = trec_unusual.BELOW_ZERO[wanted.printed.name]
        is_cut = wanted.printed.kind == "cutoffs"
        cutoffs = wanted.numbered(self.definitions.metric(wanted.printed).defaults) if is_cut else [(wanted.label, 0.0)]
        for label, cutoff in cutoffs:
            values = self._of_each(lambda seen, k=cutoff: value(seen, k))  # type: ignore[misc]
            yield PrintedColumn(label, wanted.printed, values)

    def _at(self, number: float, printed: Printed) -> Floats:
        """A measure at a cutoff, a recall point or a multiple of the relevant documents."""
        below_zero = self.settings.level < 0
        if printed.name == "iprec_at_recall" and (below_zero or not 0 <= number <= 1):
            version = self.settings.version
            return self._of_each(lambda seen: trec_unusual.interpolated(seen, [number], version)[0] or 0.0)
        if printed.name == "Rprec_mult" and (below_zero or not 0 < number <= HIGHEST_MULTIPLE):
            return self._of_each(lambda seen: trec_unusual.precision_at_multiple(seen, number))
        return self._values(self._measure(printed, number))

    def _by_query(self, wanted: Wanted, value: Callable[[SeenQuery], float]) -> PrintedColumn:
        return PrintedColumn(wanted.label, wanted.printed, self._of_each(value))

    def _of_each(self, value: Callable[[SeenQuery], float]) -> Floats:
        """(n,) what comes of each query alone, for parameters that no measure takes."""
        with np.errstate(all="ignore"):
            return np.array([value(seen) for seen in self._seen])

    def _gains(self, seen: SeenQuery, wanted: Wanted) -> list[trec_unusual.Gain]:
        return trec_unusual.gains_of(seen, wanted.pairs, self.settings.version)

    @cached_property
    def _seen(self) -> list[SeenQuery]:
        """Every query as the program's measures see it."""
        seen = []
        for listed in self.scores.lists(self.definitions.measure("num_rel_ret")):
            grades = [-1] * listed.returned
            for rank, grade in listed.found:
                grades[rank - 1] = -2 if grade < 0 else grade
            counts = [0] * (max(listed.best[0], -1) + 1 if listed.best else 0)
            for grade in listed.best:
                if grade >= 0:
                    counts[grade] += 1
            seen.append(SeenQuery(grades, counts, self.settings.level))
        return seen

    def _values(self, measure: Measure) -> Floats:
        values = self.scores.values(measure)
        if type(measure).name == "IPrec":
            values = self._nothing_by_nothing(measure, values)
        return values

    def _nothing_by_nothing(self, measure: Measure, values: Floats) -> Floats:
        """A recall point that asks for no item of an empty list (-J can leave one) is 0/0 in the program."""
        empty = self.scores.returned(measure) == 0
        if not empty.any():
            return values
        added = 0.9 if self.settings.version == 9 else 0.5
        recall: float = measure.recall  # type: ignore[attr-defined]
        asks = np.floor(recall * self.scores.values(self.definitions.measure("num_rel")) + added)
        return np.where(empty & (asks <= 0), -np.nan, values)

    def _measure(self, printed: Printed, number: float | None = None) -> Measure:
        return self.definitions.measure(printed.metric or printed.name, number)

    def _with_gains(self, wanted: Wanted) -> Measure:
        gains = _gains(wanted)
        if not gains:
            return self._measure(wanted.printed)
        return self.definitions.metric(wanted.printed).build(None, {"gains": gains})

    def _relstring(self, wanted: Wanted) -> PrintedColumn:
        length = max(c_library.rounded_towards_zero(wanted.numbers[0]), 0)
        view = self.scores.views.of(self.definitions.measure("num_rel_ret"))  # type: ignore[arg-type]
        offsets = offsets_of(np.minimum(view.returned, length))
        letters = np.full(offsets[-1], ord("-"), np.uint8)
        rows = view.rank <= length
        grade = view.grade[rows]
        shown = np.where(grade < 0, ord("."), np.where(grade > 9, ord(">"), grade + ord("0")))
        letters[offsets[view.query[rows]] + view.rank[rows] - 1] = shown
        content = letters.tobytes().decode()
        texts = tuple(f"'{content[first:end]}'" for first, end in pairwise(offsets.tolist()))
        return PrintedColumn(wanted.label, wanted.printed, np.zeros(len(texts)), texts)

    def _utility(self, wanted: Wanted) -> PrintedColumn:
        numbers = wanted.numbers
        if len(numbers) != UTILITY_COEFFICIENTS:
            raise MeasureError.of("compat.not_utility", count=len(numbers), text=wanted.text)
        collection = self.settings.collection
        if collection < 0 or not all(map(math.isfinite, numbers)):
            return self._by_query(wanted, lambda seen: trec_unusual.utility(seen, numbers, collection))
        names = ("found", "noise", "missed", "rest")
        coefficients = dict(zip(names, numbers, strict=True))
        measure = _with(self.definitions.measure("utility"), **coefficients, collection=collection)
        return PrintedColumn(wanted.label, wanted.printed, self._values(measure))

    def _averaged_points(self, wanted: Wanted) -> PrintedColumn:
        numbers = wanted.numbers
        if not all(abs(point) < LARGEST_INT for point in numbers):
            raise MeasureError.of("compat.point_too_large", name=wanted.label)
        is_usual = sorted(numbers) == list(numbers) and all(0 <= point <= 1 for point in numbers)
        if not is_usual or self.settings.level < 0:
            version = self.settings.version
            return self._by_query(
                wanted,
                lambda seen: (
                    sum(precision or 0.0 for precision in trec_unusual.interpolated(seen, numbers, version))
                    / len(numbers)
                ),
            )
        points = [self._values(self._measure(wanted.printed, number)) for number in numbers]
        return PrintedColumn(wanted.label, wanted.printed, np.add.accumulate(points)[-1] / len(points))

    def _set_f(self, wanted: Wanted) -> PrintedColumn:
        beta = wanted.numbers[0]
        if not 0 < beta < math.inf or self.settings.level < 0:
            return self._by_query(wanted, lambda seen: trec_unusual.set_f(seen, beta))
        hits, returned, relevant = (
            self.scores.values(self.definitions.measure(name)) for name in ("num_rel_ret", "num_ret", "num_rel")
        )
        with np.errstate(all="ignore"):
            precision, recall = hits / returned, hits / relevant
            # In the order of the program: reduced to counts, the same F can round to another fourth digit.
            values = (beta + 1.0) * precision * recall / (beta * precision + recall)
        return PrintedColumn(wanted.label, wanted.printed, np.where(hits > 0, values, 0.0))

    def _dcg(self, wanted: Wanted) -> PrintedColumn:
        parts = self.scores.parts(self._with_gains(wanted))
        values = parts.numerator if wanted.printed.name == "dcg" else parts.denominator
        return PrintedColumn(wanted.label, wanted.printed, values)

    def _ndcg_over_levels(self, wanted: Wanted) -> PrintedColumn:
        """Rndcg, which the program gives up at 0 where nothing is relevant under -l, whatever the gains are."""
        measure = self._with_gains(wanted)
        parts = self.scores.parts(measure)
        relevant = self.scores.values(self.definitions.measure("num_rel")) > 0
        # Relevant documents without a gain (-l 0) leave it nothing to average: 0/0.
        without = parts.denominator == 0
        values = np.where(relevant, np.where(without, -np.nan, self.scores.values_of(measure, parts)), 0.0)
        return PrintedColumn(wanted.label, wanted.printed, values)

    def _yaap(self, wanted: Wanted) -> PrintedColumn:
        precision = self.scores.parts(self._measure(wanted.printed)).numerator
        relevant = self.scores.values(self.definitions.measure("num_rel"))
        return PrintedColumn(wanted.label, wanted.printed, np.log((1.0 + precision) / (1.0 + relevant - precision)))

    @np.errstate(all="ignore")
    def _rbp(self, wanted: Wanted) -> PrintedColumn:
        """Rank-biased precision of gains scaled by the highest, where that is above 1."""
        measure = self.definitions.measure("ndcg")
        gains = _gains(wanted)
        if not all(0 <= gain < math.inf for gain in gains.values()):
            raise MeasureError.of("compat.not_a_gain", name=wanted.label, undefined=UNDEFINED)
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
        return PrintedColumn(wanted.label, wanted.printed, (1.0 - p) * view.per_query(weighed))

    @np.errstate(all="ignore")  # any p may be asked for
    def _rbp_residual(self, wanted: Wanted) -> PrintedColumn:
        """Added up in the order of the ranks, as in the program: powers of 0.9 are so short that rounding shows."""
        p = dict(wanted.pairs).get("p", 0.9)
        view = self.scores.views.of(self.definitions.measure("num_rel_ret"))  # type: ignore[arg-type]
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
        return PrintedColumn(
            wanted.label, wanted.printed, np.where(has_unjudged, powers[returned] + (1 - p) * total, 0.0)
        )


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
