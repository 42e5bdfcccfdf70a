"""Measures of what users did: clicks, conversions, value and sessions, each with the choices that change its number.

Each is a quotient of what a unit (usually a user) adds to its numerator and to its denominator. If nobody adds anything
to the denominator there is no data, never a 0. ``gap`` is in minutes, ``window`` and ``max_length`` in hours; durations
are in seconds.
"""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any, ClassVar, Literal

from rankmeter.errors import MeasureError
from rankmeter.measures.base import Measure, register, with_options
from rankmeter.measures.options import choice, fraction, real, ruled, whole

Clicks = Literal["once", "all", "request"]
Impressions = Literal["once", "all"]
Orphans = Literal["drop", "keep"]
Sessions = Literal["auto", "id", "gap"]
Activity = Literal["all", "actions"]


def bounded(default: float) -> Any:
    """A field that holds a number above 0, or None for no limit."""
    return ruled(default, number="float", low=0, open_low=True, optional=True)


@with_options
class OnlineMeasure(Measure):
    """A measure of events; it needs a log, not judgments."""

    about = "events"
    aggregates = ("pooled",)
    tie_rules = ()
    unit: ClassVar[str] = ""
    """The unit of the number: '' for a share, 's' for seconds."""

    def __post_init__(self) -> None:
        Measure.__post_init__(self)
        for name in ("queries", "duplicates"):
            if getattr(self, name) is not None:
                known = self.describe_names()
                raise MeasureError.of("online.no_option_of_events", measure=self.name, option=name, known=known)

    @classmethod
    def describe_names(cls) -> list[str]:
        """The options that an online measure has."""
        return sorted(
            option.name for option in fields(cls) if option.name not in ("aggregate", "queries", "duplicates")
        )

    def describe(self) -> dict[str, Any]:
        """Every option with its value, the defaults too."""
        return {"measure": type(self).name, **{name: getattr(self, name) for name in self.describe_names()}}

    @property
    def direction(self) -> int:
        """1 if more is better, -1 if less is, 0 if the measure does not say (the length of a session)."""
        return {"higher": 1, "lower": -1, "neither": 0}[self.goal]

    @property
    def is_located(self) -> bool:
        """Whether it is a quantile or a trimmed mean, which cannot be computed from sums."""
        return getattr(self, "quantile", None) is not None or getattr(self, "trim", None) is not None

    @property
    def definition(self) -> str:
        """Every choice in one line, to print with the number."""
        described = {name: value for name, value in self.describe().items() if name != "measure"}
        return ", ".join(f"{name}={value}" for name, value in described.items())


@with_options
class SessionMeasure(OnlineMeasure):
    """A measure that depends on where a session begins and ends."""

    sessions: Sessions = choice()
    gap: float = real(30, low=0, open_low=True)
    max_length: float | None = bounded(24)
    activity: Activity = choice()


@with_options
class HeavyTailed(SessionMeasure):
    """A measure of amounts, which a few users may dominate: winsorised, trimmed, or as a quantile."""

    winsor: float | None = fraction(None)
    trim: float | None = real(None, low=0, high=0.5, open_low=True, open_high=True)
    quantile: float | None = fraction(None)

    def __post_init__(self) -> None:
        OnlineMeasure.__post_init__(self)
        stated = [name for name in ("winsor", "trim", "quantile") if getattr(self, name) is not None]
        if len(stated) > 1:
            raise MeasureError.of("online.exclude_each_other", measure=self.name, options=stated)
        if self.trim is not None and getattr(self, "per", "") != "user":
            raise MeasureError.of("online.trim_cuts_users", measure=self.name)
        if self.quantile is not None and getattr(self, "per", "") == "session" and self.name == "Value":
            raise MeasureError.of("online.quantile_of_sessions")


@register
class ClickThroughRate(OnlineMeasure):
    """Click-through rate: how often what was shown was clicked."""

    cutoff: int | None = whole(None, low=1)
    per: Literal["impression", "request", "user", "reach"] = choice()
    clicks: Clicks = choice()
    impressions: Impressions = choice()
    orphans: Orphans = choice()

    name = "CTR"

    def __post_init__(self) -> None:
        OnlineMeasure.__post_init__(self)
        if self.per == "request" and self.clicks != "once":
            raise MeasureError.of("online.clicks_of_requests", clicks=self.clicks)


@register
class ConversionRate(SessionMeasure):
    """Conversion rate: how often a click (a session, a user) led to a conversion."""

    per: Literal["click", "session", "user"] = choice()
    window: float | None = bounded(24)
    item: Literal["same", "any"] = choice()
    credit: Literal["last", "first", "all", "even"] = choice()
    count: Literal["clicks", "conversions"] = choice()
    maturity: Literal["all", "mature"] = choice()
    clicks: Clicks = choice()
    orphans: Orphans = choice()

    name = "CVR"
    bounds = (0.0, math.inf)

    def __post_init__(self) -> None:
        OnlineMeasure.__post_init__(self)
        if self.maturity == "mature" and self.window is None:
            raise MeasureError.of("online.mature_without_window")
        if self.count == "clicks" and self.credit == "even":
            raise MeasureError.of("online.even_credit_of_clicks")


@register
class Conversions(SessionMeasure):
    """Conversions per user (per session, per impression)."""

    per: Literal["user", "session", "impression"] = choice()
    impressions: Impressions = choice()

    name = "Conversions"
    bounds = (0.0, math.inf)


@register
class Value(HeavyTailed):
    """The value of conversions per user (per session, per conversion)."""

    per: Literal["user", "session", "conversion"] = choice()
    cap: float | None = real(None, low=0, open_low=True)
    refunds: Literal["keep", "drop"] = choice()

    name = "Value"
    bounds = (-math.inf, math.inf)


@register
class SessionDuration(HeavyTailed):
    """Average session duration in seconds: from the first to the last event of a session."""

    per: Literal["session", "user"] = choice()
    zeros: Literal["keep", "drop"] = choice()
    cap: float | None = real(None, low=0, open_low=True)
    better: Literal["unstated", "higher", "lower"] = choice()

    name = "SessionDuration"
    bounds = (0.0, math.inf)
    unit = "s"

    @property
    def goal(self) -> Literal["higher", "lower", "neither"]:
        """Which sessions are better, if that is stated."""
        return "neither" if self.better == "unstated" else self.better


@register
class EngagedSessions(SessionMeasure):
    """The share of sessions that are engaged: long enough, with enough requests, or with a conversion."""

    seconds: float = real(10, low=0)
    views: int = whole(2, low=1)

    name = "EngagedSessions"
