"""What trec_eval prints, as columns: for every printed name a value for each query."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rankmeter.arithmetic.gain import gains_of
from rankmeter.arithmetic.parts import GEOMETRIC_FLOOR
from rankmeter.compat.scoring import Scores
from rankmeter.compat.trec_measures import Printed, Version, Wanted
from rankmeter.errors import MeasureError
from rankmeter.measures import Measure
from rankmeter.measures.dialects import Dialect, Metric, find_dialect
from rankmeter.placing.placements import Floats, Ints

UTILITY_COEFFICIENTS = 4
BEYOND_NINE = ">"


@dataclass(frozen=True, slots=True)
class Settings:
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
        options = [*(["9"] if self.version == 9 else []), *(["J"] if self.judged_only else []), f"l={self.level}"]
        if self.depth is not None:
            options.append(f"M={self.depth}")
        return find_dialect(f"trec_eval:{','.join(options)}")


@dataclass(frozen=True, slots=True)
class Column:
    """One printed name."""

    label: str
    printed: Printed
    values: Floats
    """(n,) the value of every query that was placed."""
    texts: tuple[str, ...] | None = None
    """For relstring: what is shown instead."""


class Definitions:
    """The measures under some settings, each made once."""

    def __init__(self, settings: Settings) -> None:
        self._metrics = {name: metric for metric in reversed(settings.dialect.metrics) for name in metric.names}
        self._made: dict[tuple[str, float | None], Measure] = {}

    def metric(self, printed: Printed) -> Metric:
        """The metric of the dialect that a printed measure is made of."""
        return self._metrics[printed.metric or printed.name]

    def measure(self, name: str, number: float | None = None) -> Measure:
        """A measure by the dialect's name, with its cutoff or recall point."""
        key = (name, number)
        if key not in self._made:
            self._made[key] = self._metrics[name].build(number, {})
        return self._made[key]


definitions_of = lru_cache(maxsize=16)(Definitions)
"""The definitions under some settings, which a script asks for again and again."""


class Columns:
    """Makes the columns of a placed run."""

    def __init__(self, scores: Scores, settings: Settings) -> None:
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

    def of(self, wanted: Wanted) -> Iterator[Column]:
        """The columns of one measure."""
        printed = wanted.printed
        if printed.kind == "text":
            return
        if printed.name in self._maker:
            yield self._maker[printed.name](wanted)
        elif printed.kind in ("cutoffs", "points"):
            for label, number in wanted.numbered(self.definitions.metric(printed)).items():
                yield Column(label, printed, self._values(self._measure(printed, number)))
        else:
            values = self._values(self._with_gains(wanted) if printed.kind == "pairs" else self._measure(printed))
            if printed.mean == "geometric":
                values = np.log(np.maximum(values, GEOMETRIC_FLOOR))
            yield Column(wanted.label, printed, values)

    def _values(self, measure: Measure) -> Floats:
        values = self.scores.values(measure)
        if type(measure).name == "IPrec":
            values = self._nothing_by_nothing(measure, values)
        return values

    def _nothing_by_nothing(self, measure: Measure, values: Floats) -> Floats:
        """A recall point that asks for no item of an empty list (-J can leave one) is 0/0 in the program."""
        view = self.scores.views.of(measure)  # type: ignore[arg-type]
        empty = view.returned == 0
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

    def _relstring(self, wanted: Wanted) -> Column:
        length = max(int(wanted.numbers[0]), 0)
        view = self.scores.views.of(self.definitions.measure("num_rel_ret"))  # type: ignore[arg-type]
        shown = [["-"] * int(min(length, returned)) for returned in view.returned]
        rows = view.rank <= length
        for query, rank, grade in zip(view.query[rows], view.rank[rows], view.grade[rows], strict=True):
            shown[query][rank - 1] = "." if grade < 0 else BEYOND_NINE if grade > 9 else str(int(grade))
        texts = tuple(f"'{''.join(letters)}'" for letters in shown)
        return Column(wanted.label, wanted.printed, np.zeros(len(texts)), texts)

    def _utility(self, wanted: Wanted) -> Column:
        numbers = wanted.numbers
        if len(numbers) != UTILITY_COEFFICIENTS:
            raise MeasureError(f"utility takes 4 coefficients, but {len(numbers)} were given: {wanted.text}.")
        names = ("found", "noise", "missed", "rest")
        coefficients = dict(zip(names, numbers, strict=True))
        measure = self.definitions.measure("utility")(**coefficients, collection=self.settings.collection)
        return Column(wanted.label, wanted.printed, self._values(measure))

    def _averaged_points(self, wanted: Wanted) -> Column:
        points = [self._values(self._measure(wanted.printed, number)) for number in wanted.numbers]
        return Column(wanted.label, wanted.printed, np.add.accumulate(points)[-1] / len(points))

    def _set_f(self, wanted: Wanted) -> Column:
        return Column(wanted.label, wanted.printed, self._values(self._measure(wanted.printed, wanted.numbers[0])))

    def _dcg(self, wanted: Wanted) -> Column:
        parts = self.scores.parts(self._with_gains(wanted))
        values = parts.numerator if wanted.printed.name == "dcg" else parts.denominator
        return Column(wanted.label, wanted.printed, values)

    def _ndcg_over_levels(self, wanted: Wanted) -> Column:
        """Rndcg, which the program gives up at 0 where nothing is relevant under -l, whatever the gains are."""
        measure = self._with_gains(wanted)
        parts = self.scores.parts(measure)
        relevant = self.scores.values(self.definitions.measure("num_rel")) > 0
        # Relevant documents without a gain (-l 0) leave it nothing to average: 0/0.
        without = parts.denominator == 0
        values = np.where(relevant, np.where(without, -np.nan, self.scores.values_of(measure, parts)), 0.0)
        return Column(wanted.label, wanted.printed, values)

    def _yaap(self, wanted: Wanted) -> Column:
        precision = self.scores.parts(self._measure(wanted.printed)).numerator
        relevant = self.scores.values(self.definitions.measure("num_rel"))
        return Column(wanted.label, wanted.printed, np.log((1.0 + precision) / (1.0 + relevant - precision)))

    def _rbp(self, wanted: Wanted) -> Column:
        """Rank-biased precision of gains scaled by the highest, where that is above 1."""
        measure = self.definitions.measure("ndcg")
        if gains := _gains(wanted):
            measure = measure(gain=gains)
        view = self.scores.views.of(measure)  # type: ignore[arg-type]
        # The scale counts every level up to the highest that is judged, whether judged or not, and every stated one.
        levels = np.arange(int(view.best.max(initial=0.0)) + 1, dtype=np.float64)
        up_to = np.maximum.accumulate(gains_of(levels, measure))
        highest = np.maximum(up_to[_highest_level(view.best, view.best_offsets)], max(gains.values(), default=0.0))
        scale = np.where(highest > 1.0, highest, 1.0)
        p = wanted.pairs.get("p", 0.9)
        weighed = gains_of(view.grade, measure) / scale[view.query] * np.power(p, view.rank - 1.0)
        return Column(wanted.label, wanted.printed, (1.0 - p) * view.per_query(weighed))

    def _rbp_residual(self, wanted: Wanted) -> Column:
        p = wanted.pairs.get("p", 0.9)
        measure = self.definitions.metric(wanted.printed).build(None, {"p": p})
        return Column(wanted.label, wanted.printed, self._values(measure))


def _highest_level(best: Floats, offsets: Ints) -> Ints:
    """(n,) the highest grade judged for each query, 0 where there is none."""
    highest = np.zeros(len(offsets) - 1, np.int64)
    has = np.diff(offsets) > 0
    highest[has] = np.maximum(best[offsets[:-1][has]], 0).astype(np.int64)
    return highest


def _gains(wanted: Wanted) -> dict[int, float]:
    """The gains among the parameters: ``1=3,2=9``; other names (``p``) are no grades."""
    return {int(name): value for name, value in wanted.pairs.items() if name.lstrip("+-").isdigit()}
