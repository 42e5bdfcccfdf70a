"""The values of an evaluation by slice, and whether the slices really differ."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from rankmeter.errors import MeasureError, NotFoundError, did_you_mean
from rankmeter.late import pl
from rankmeter.lists.slice_samples import PartsSample, SumSample
from rankmeter.measures import Measure, parse
from rankmeter.placing.placements import Ints
from rankmeter.showing.showable import ShownAsTable
from rankmeter.wording import Language, chosen_language, said, speaking, word

if TYPE_CHECKING:
    from rankmeter.lists.slice_intervals import Gap, SliceContrast, Spread
    from rankmeter.showing.document import Block


@dataclass(frozen=True, slots=True, repr=False)
class Slices(ShownAsTable):
    """The values of every measure in every slice of one kind.

    Examples
    --------
    >>> import rankmeter as rm
    >>> truth, lists = {1: ["a"], 2: ["a"], 3: ["a"]}, {1: ["a"], 2: ["a"], 3: ["b", "a"]}
    >>> ev = rm.evaluate(truth, lists, "RR", by={1: "x", 2: "x", 3: "y"})
    >>> ev.slices["segment"]["RR"]
    {'x': 1.0, 'y': 0.5}
    >>> ev.slices["segment"]
    segment: 2 slices of queries
    slice  queries      RR
    x            2  1.0000
    y            1  0.5000
    """

    name: str
    kind: Literal["query", "item"]
    labels: tuple[str, ...]
    code: Ints
    """(n,) the slice of each query; empty where items are sliced."""
    values: Mapping[Measure, tuple[float, ...]]
    """For each measure its value in every slice; NaN where nothing counts there."""
    counts: Mapping[Measure, tuple[int, ...]]
    """How many queries each value is about."""
    samples: Mapping[Measure, PartsSample | SumSample]
    """What can be drawn again, for intervals; :meth:`without_interval` says why a measure has none."""
    purpose: str = "search"
    """What the lists are for: ``recommendation`` speaks of users."""

    def __getitem__(self, measure: str | Measure) -> dict[str, float]:
        return dict(zip(self.labels, self.values[self.find(measure)], strict=True))

    def find(self, measure: str | Measure) -> Measure:
        """The measure that is meant."""
        meant = parse(measure) if isinstance(measure, str) else measure
        for known in self.values:
            if known == meant or str(known) == str(measure):
                return known
        same = [
            known
            for known in self.values
            if type(known) is type(meant) and getattr(known, "cutoff", None) == getattr(meant, "cutoff", None)
        ]
        if len(same) == 1:
            return same[0]
        hint = _one_of(str(measure), [str(known) for known in self.values])
        raise NotFoundError.of("lists.no_such_measure", measure=str(measure), hint=hint)

    def to_polars(self, *, intervals: bool = False, level: float = 0.95) -> pl.DataFrame:
        """A row per measure and slice: value, how many queries.

        With ``intervals`` also the low and high end of the value, the difference from the rest (all other slices
        together) with its ends, and in words why there is no interval where there is none.
        """
        spans = self.intervals(level=level) if intervals else {}
        rows = []
        for measure, values in self.values.items():
            for place, (label, value) in enumerate(zip(self.labels, values, strict=True)):
                row: dict[str, Any] = {"by": self.name, "slice": label, "measure": str(measure), "value": value}
                row["queries"] = self.counts[measure][place]
                if intervals:
                    row |= _ends_by_name(spans[measure][place] if measure in spans else None)
                    row["no_interval"] = self.without_interval(measure, label)
                rows.append(row)
        schema = {"by": pl.String, "slice": pl.String, "measure": pl.String, "value": pl.Float64, "queries": pl.Int64}
        more = {**dict.fromkeys(_ENDS, pl.Float64), "no_interval": pl.String} if intervals else {}
        return pl.DataFrame(rows, schema={**schema, **more})

    def to_dict(self, *, intervals: bool = False) -> dict[str, Any]:
        """For each measure the value of every slice and how many queries it is about; ``intervals`` as in to_polars."""
        spans = self.intervals() if intervals else {}
        plain: dict[str, Any] = {}
        for measure in self.values:
            queries = dict(zip(self.labels, self.counts[measure], strict=True))
            plain[str(measure)] = {"value": self[measure], "queries": queries}
            reasons = {label: self.without_value(measure, label) for label in self.labels}
            if any(reasons.values()):
                plain[str(measure)]["no_value"] = {label: why for label, why in reasons.items() if why}
            if measure in spans:
                each = dict(zip(self.labels, map(_ends_by_name, spans[measure]), strict=True))
                plain[str(measure)]["interval"] = {
                    label: {"low": span["low"], "high": span["high"]} for label, span in each.items()
                }
                plain[str(measure)]["difference_from_rest"] = {
                    label: {"value": span["difference"], "low": span["difference_low"], "high": span["difference_high"]}
                    for label, span in each.items()
                }
            elif intervals:
                plain[str(measure)]["no_interval"] = self.without_interval(measure)
        return plain

    def intervals(
        self, *, level: float = 0.95, resamples: int = 1999, seed: int = 0
    ) -> dict[Measure, tuple[Spread, ...]]:
        """For every measure that has intervals and every slice: its interval, and its difference from the rest.

        The rest are all other slices together. Student's t over queries; for measures of all lists together
        percentiles of a bootstrap.
        """
        from rankmeter.lists.slice_intervals import spreads  # only when asked

        return spreads(self.samples, level=level, resamples=resamples, seed=seed)

    def without_interval(self, measure: str | Measure, label: str | None = None) -> str | None:
        """Why the values of a measure, or that of one slice, have no interval; None where they have one."""
        named = self.find(measure)
        if named not in self.samples:
            return named.why_no_interval()
        if label is not None and self.samples[named].members()[self._place(label)] < 2:
            with speaking(self.purpose):
                return said("few_queries_count")
        return None

    def without_value(self, measure: Measure, label: str) -> str | None:
        """Why a measure has no value in a slice; None where it has one.

        Examples
        --------
        >>> import rankmeter as rm
        >>> ev = rm.evaluate({1: ["a"]}, {1: ["a"]}, ["RR"], by="activity", history={1: ["b"]})
        >>> ev.slices["activity"].without_value(rm.parse("RR"), "no history")
        'no user counts'
        """
        with speaking(self.purpose):
            if measure not in self.values:
                return said("no_slice_of_items" if self.kind == "item" else "no_slice_of_queries")
            place = self._place(label)
            is_missing = math.isnan(self.values[measure][place])
            return measure.why_no_value(self.counts[measure][place]) if is_missing else None

    def difference(
        self, measure: str | Measure, one: str, other: str, *, level: float = 0.95, resamples: int = 1999, seed: int = 0
    ) -> SliceContrast:
        """The value in one slice minus that in another, with an interval over queries."""
        from rankmeter.lists.slice_intervals import slice_difference  # only when asked

        return slice_difference(
            self._sample(measure), self._place(one), self._place(other), level=level, resamples=resamples, seed=seed
        )

    def gap(
        self,
        measure: str | Measure,
        *,
        gap: Literal["mad", "range"] = "mad",
        level: float = 0.95,
        resamples: int = 1999,
        seed: int = 0,
    ) -> Gap:
        """How far the slices are apart, with an interval, and how far chance alone puts them apart.

        A gap between several means is never 0 by chance: ``null_mean`` and ``null_high`` are what remains when the
        queries' slices are dealt out at random, ``p_value`` how often chance makes a gap as large. The interval is
        that of a gap whose differences all lie in their intervals, so it begins at 0 where none is beyond doubt.
        """
        from rankmeter.lists.slice_intervals import gap_test  # only when asked

        if self.kind == "item":
            raise MeasureError.of("lists.gap_of_items")
        sample = self._sample(measure)
        if not isinstance(sample, PartsSample):
            raise MeasureError.of("lists.gap_of_whole", measure=str(measure))
        return gap_test(sample, gap=gap, level=level, resamples=resamples, seed=seed)

    def _sample(self, measure: str | Measure) -> PartsSample | SumSample:
        named = self.find(measure)
        if named not in self.samples:
            raise MeasureError.of("lists.no_interval", measure=str(named), why=named.why_no_interval())
        return self.samples[named]

    def _place(self, label: str) -> int:
        if label not in self.labels:
            hint = _one_of(label, self.labels)
            raise NotFoundError.of("lists.no_such_slice", name=self.name, label=label, hint=hint)
        return self.labels.index(label)

    def __repr__(self) -> str:
        from rankmeter.report.evaluations import table_of_slices  # what shows results is loaded when it is asked for
        from rankmeter.showing.terminal import table_text

        lang = chosen_language()
        kind = "title_of_query_slices" if self.kind == "query" else "title_of_item_slices"
        with speaking(self.purpose):
            title = word(kind, lang, name=self.name, count=len(self.labels))
            return f"{title}\n{table_text(table_of_slices(self, lang=lang))}"

    __str__ = __repr__

    def document(self, language: Language = "en") -> list[Block]:
        """The values of every slice, and how to ask whether they differ."""
        from rankmeter.report.evaluations import slices_document

        with speaking(self.purpose):
            return slices_document(self, language)


def _one_of(name: str, known: Sequence[str]) -> str:
    """A hint: the nearest name, or all of them."""
    return did_you_mean(name, known) or said("lists.there_are", known=list(known))


_ENDS = ("low", "high", "difference", "difference_low", "difference_high")


def _ends_by_name(spread: Spread | None) -> dict[str, float | None]:
    if spread is None:
        return dict.fromkeys(_ENDS)
    numbers = (spread.low, spread.high, spread.rest.value, spread.rest.low, spread.rest.high)
    return {name: None if math.isnan(number) else number for name, number in zip(_ENDS, numbers, strict=True)}
