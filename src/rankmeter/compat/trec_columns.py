"""What trec_eval prints, as columns: for every printed name a value for each query."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankmeter.arithmetic.gain import gains_of
from rankmeter.arithmetic.parts import GEOMETRIC_FLOOR
from rankmeter.compat.scoring import Scores
from rankmeter.compat.trec_measures import Printed, Version, Wanted, metric_of
from rankmeter.errors import MeasureError
from rankmeter.measures import Measure
from rankmeter.measures.dialects import Dialect, find_dialect
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


class Columns:
    """Makes the columns of a placed run."""

    def __init__(self, scores: Scores, settings: Settings) -> None:
        self.scores = scores
        self.settings = settings
        self.dialect = settings.dialect
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
            metric = metric_of(self.dialect, printed)
            for label, number in wanted.numbered(metric.defaults):
                measure = metric.build(number, {})
                yield Column(label, printed, self._values(measure))
        else:
            gains = _gains(wanted) if printed.kind == "pairs" else {}
            measure = metric_of(self.dialect, printed).build(None, {"gains": gains} if gains else {})
            values = self._values(measure)
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
        asks = np.floor(recall * self.scores.values(self._metric("num_rel")) + added)
        return np.where(empty & (asks <= 0), -np.nan, values)

    def _metric(self, name: str) -> Measure:
        metric = next(metric for metric in self.dialect.metrics if name in metric.names)
        return metric.build(None, {})

    def _relstring(self, wanted: Wanted) -> Column:
        length = max(int(wanted.numbers[0]), 0)
        view = self.scores.views.of(self._metric("num_rel_ret"))  # type: ignore[arg-type]
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
        measure = self._metric("utility")(**coefficients, collection=self.settings.collection)
        return Column(wanted.label, wanted.printed, self._values(measure))

    def _averaged_points(self, wanted: Wanted) -> Column:
        metric = metric_of(self.dialect, wanted.printed)
        points = [self._values(metric.build(number, {})) for number in wanted.numbers]
        return Column(wanted.label, wanted.printed, np.add.accumulate(points)[-1] / len(points))

    def _set_f(self, wanted: Wanted) -> Column:
        beta = wanted.numbers[0]
        measure = metric_of(self.dialect, wanted.printed).build(beta, {})
        return Column(wanted.label, wanted.printed, self._values(measure))

    def _dcg(self, wanted: Wanted) -> Column:
        gains = _gains(wanted)
        measure = metric_of(self.dialect, wanted.printed).build(None, {"gains": gains} if gains else {})
        parts = self.scores.parts(measure)
        values = parts.numerator if wanted.printed.name == "dcg" else parts.denominator
        return Column(wanted.label, wanted.printed, values)

    def _ndcg_over_levels(self, wanted: Wanted) -> Column:
        """Rndcg, which the program gives up at 0 where nothing is relevant under -l, whatever the gains are."""
        gains = _gains(wanted)
        measure = metric_of(self.dialect, wanted.printed).build(None, {"gains": gains} if gains else {})
        relevant = self.scores.values(self._metric("num_rel")) > 0
        # Relevant documents without a gain (-l 0) leave it nothing to average: 0/0.
        without = self.scores.parts(measure).denominator == 0
        values = np.where(relevant, np.where(without, -np.nan, self._values(measure)), 0.0)
        return Column(wanted.label, wanted.printed, values)

    def _yaap(self, wanted: Wanted) -> Column:
        precision = self.scores.parts(metric_of(self.dialect, wanted.printed).build(None, {})).numerator
        relevant = self.scores.values(self._metric("num_rel"))
        return Column(wanted.label, wanted.printed, np.log((1.0 + precision) / (1.0 + relevant - precision)))

    def _rbp(self, wanted: Wanted) -> Column:
        """Rank-biased precision of gains scaled by the highest, where that is above 1."""
        measure = self._metric("ndcg")
        if gains := _gains(wanted):
            measure = measure(gain=gains)
        view = self.scores.views.of(measure)  # type: ignore[arg-type]
        # The scale counts every level up to the highest that is judged, whether judged or not, and every stated one.
        levels = np.arange(int(view.best.max(initial=0.0)) + 1, dtype=np.float64)
        up_to = np.maximum.accumulate(gains_of(levels, measure))
        highest = np.maximum(up_to[_highest_level(view.best, view.best_offsets)], max(gains.values(), default=0.0))
        scale = np.where(highest > 1.0, highest, 1.0)
        p = dict(wanted.pairs).get("p", 0.9)
        weighed = gains_of(view.grade, measure) / scale[view.query] * np.power(p, view.rank - 1.0)
        return Column(wanted.label, wanted.printed, (1.0 - p) * view.per_query(weighed))

    def _rbp_residual(self, wanted: Wanted) -> Column:
        p = dict(wanted.pairs).get("p", 0.9)
        measure = metric_of(self.dialect, wanted.printed).build(None, {"p": p})
        return Column(wanted.label, wanted.printed, self._values(measure))


def _highest_level(best: Floats, offsets: Ints) -> Ints:
    """(n,) the highest grade judged for each query, 0 where there is none."""
    highest = np.zeros(len(offsets) - 1, np.int64)
    has = np.diff(offsets) > 0
    highest[has] = np.maximum(best[offsets[:-1][has]], 0).astype(np.int64)
    return highest


def _gains(wanted: Wanted) -> dict[int, float]:
    """The gains among the parameters: ``1=3,2=9``; other names (``p``) are no grades."""
    return {int(name): value for name, value in wanted.pairs if name.lstrip("+-").isdigit()}
