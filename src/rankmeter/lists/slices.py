"""The values of an evaluation by slice, and whether the slices really differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankmeter.arithmetic.parts import Values
from rankmeter.errors import MeasureError, NotFoundError, nearest, with_hint
from rankmeter.late import pl
from rankmeter.measures import Measure, parse
from rankmeter.placing.placements import Floats, Ints

if TYPE_CHECKING:
    from rankmeter.stats.slices import Difference, Gap


@dataclass(frozen=True, slots=True)
class Sample:
    """For each slice what every query adds above and below the line; both ``(slices, n)``."""

    above: Floats
    below: Floats


@dataclass(frozen=True, slots=True)
class Slices:
    """The values of every measure in every slice of one kind.

    Examples
    --------
    >>> import rankmeter as rm
    >>> truth, lists = {1: ["a"], 2: ["a"], 3: ["a"]}, {1: ["a"], 2: ["a"], 3: ["b", "a"]}
    >>> ev = rm.evaluate(truth, lists, "RR", by={1: "x", 2: "x", 3: "y"})
    >>> ev.slices["segment"]["RR"]
    {'x': 1.0, 'y': 0.5}
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
    samples: Mapping[Measure, Sample]
    """What can be drawn again, for intervals; measures of all lists have none."""

    def __getitem__(self, measure: str | Measure) -> dict[str, float]:
        return dict(zip(self.labels, self.values[self.find(measure)], strict=True))

    def find(self, measure: str | Measure) -> Measure:
        """The measure that is meant."""
        made = parse(measure) if isinstance(measure, str) else measure
        for known in self.values:
            if known == made or str(known) == str(measure):
                return known
        same = [
            known
            for known in self.values
            if type(known) is type(made) and getattr(known, "cutoff", None) == getattr(made, "cutoff", None)
        ]
        if len(same) == 1:
            return same[0]
        close = nearest(str(measure), [str(known) for known in self.values], shown=1)
        hint = f"did you mean '{close[0]}'?" if close else f"there are {', '.join(map(str, self.values))}"
        raise NotFoundError(with_hint(f"these slices have no '{measure}'.", hint))

    def to_polars(self, *, intervals: bool = False, level: float = 0.95) -> pl.DataFrame:
        """A row per measure and slice: value, how many queries, and with ``intervals`` its low and high end."""
        from rankmeter.stats.slices import slice_intervals  # scipy is loaded only for statistics

        rows = []
        for measure, values in self.values.items():
            spans = (
                slice_intervals(self.samples[measure], level=level) if intervals and measure in self.samples else None
            )
            for place, (label, value) in enumerate(zip(self.labels, values, strict=True)):
                row: dict[str, Any] = {"by": self.name, "slice": label, "measure": str(measure), "value": value}
                row["queries"] = self.counts[measure][place]
                if intervals:
                    row["low"], row["high"] = (None, None) if spans is None else map(float, spans[place])
                rows.append(row)
        schema = {"by": pl.String, "slice": pl.String, "measure": pl.String, "value": pl.Float64, "queries": pl.Int64}
        more = {"low": pl.Float64, "high": pl.Float64} if intervals else {}
        return pl.DataFrame(rows, schema={**schema, **more})

    def difference(
        self, measure: str | Measure, one: str, other: str, *, level: float = 0.95, resamples: int = 1999, seed: int = 0
    ) -> Difference:
        """The value in one slice minus that in another, with an interval (bootstrap over queries)."""
        from rankmeter.stats.slices import difference  # only when asked

        return difference(
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

        A gap between several means is never 0 by chance, so its interval says little by itself: ``null_mean`` and
        ``null_high`` are what remains when the queries' slices are dealt out at random, ``p_value`` how often chance
        makes a gap as large.
        """
        from rankmeter.stats.slices import gap_test  # only when asked

        if self.kind == "item":
            raise MeasureError("the same queries are in several slices of items: use difference() for two of them.")
        return gap_test(self._sample(measure), gap=gap, level=level, resamples=resamples, seed=seed)

    def _sample(self, measure: str | Measure) -> Sample:
        found = self.find(measure)
        if found not in self.samples:
            raise MeasureError(f"{found} has one value for all lists, so there is nothing to draw again.")
        return self.samples[found]

    def _place(self, label: str) -> int:
        if label not in self.labels:
            close = nearest(label, list(self.labels), shown=1)
            hint = f"did you mean '{close[0]}'?" if close else f"there are {', '.join(self.labels)}"
            raise NotFoundError(with_hint(f"{self.name} has no slice '{label}'.", hint))
        return self.labels.index(label)


def sample_of(values: Values, code: Ints, slices: int, aggregate: str) -> Sample | None:
    """What every query adds to its slice; None where the aggregate is no quotient of sums."""
    if aggregate not in ("mean", "pooled"):
        return None
    above = values.numerator if aggregate == "pooled" else values.value
    below = values.denominator if aggregate == "pooled" else np.ones(len(above))
    inside = values.counted & (np.arange(slices)[:, None] == code)
    return Sample(np.where(inside, above, 0.0), np.where(inside, below, 0.0))
