"""How results of this package become text: JSON, tables of sums, numbers as people read them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from rankmeter.late import pl
from rankmeter.measures.online import OnlineMeasure
from rankmeter.online.inference import Estimate
from rankmeter.online.sums import Sums, sums_to_table
from rankmeter.saving import finite

Values = Mapping[str, Mapping[OnlineMeasure, Estimate]]


class Told:
    """A result that can be told as plain Python, and so as JSON."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        raise NotImplementedError

    def to_json(self, *, indent: int | None = 2) -> str:
        """The same as JSON; what is no number is null."""
        return json.dumps(finite(self.to_dict()), indent=indent, ensure_ascii=False)


class ToldFromSums(Told):
    """A result about measures, whose numbers come from sums."""

    __slots__ = ()

    measures: tuple[OnlineMeasure, ...]
    sums: Mapping[str, Sums]

    @property
    def definitions(self) -> dict[str, dict[str, Any]]:
        """Every choice behind each number, the defaults too."""
        return {str(measure): measure.describe() for measure in self.measures}

    def sums_table(self) -> pl.DataFrame:
        """The sums behind the numbers, a row per group and measure, which can be handed on instead of events."""
        return sums_to_table(self.sums, self.measures)


def plain_values(values: Values) -> dict[str, dict[str, Any]]:
    """Estimates by group and measure as plain Python."""
    return {
        group: {str(measure): one.to_dict() for measure, one in of_measure.items()}
        for group, of_measure in values.items()
    }


def facts(counts: Mapping[str, int]) -> str:
    """How much of everything a log has, in one sentence."""
    return (
        f"{counts['events']:,} events of {counts['users']:,} users: {counts['impressions']:,} impressions, "
        f"{counts['clicks']:,} clicks, {counts['conversions']:,} conversions, {counts['sessions']:,} sessions "
        f"({share_of_sessions(counts, 'sessions of no length'):.1%} of no length, "
        f"{share_of_sessions(counts, 'engaged sessions'):.1%} engaged)"
    )


def share_of_sessions(counts: Mapping[str, int], name: str) -> float:
    """How many of the sessions are so; NaN where there are none."""
    return counts[name] / counts["sessions"] if counts["sessions"] else math.nan


def shown(one: Estimate, measure: OnlineMeasure, *, digits: int = 4) -> str:
    """A value with its interval as people read it; no data is said, never 0."""
    if math.isnan(one.value):
        return "no data"
    unit = f" {measure.unit}" if measure.unit else ""
    digits = 1 if measure.unit else digits
    if math.isnan(one.low):
        return f"{one.value:.{digits}f}{unit}"
    return f"{one.value:.{digits}f}{unit} [{one.low:.{digits}f}, {one.high:.{digits}f}]"


def brief(number: float) -> str:
    """A number in three digits; a dash where there is none."""
    return "-" if math.isnan(number) else f"{number:.3g}"


def percent(one: Estimate) -> str:
    """A relative difference as people read it."""
    if math.isnan(one.value):
        return "no data"
    if math.isnan(one.low):
        return f"{one.value:+.1%}"
    return f"{one.value:+.1%} [{one.low:+.1%}, {one.high:+.1%}]"
