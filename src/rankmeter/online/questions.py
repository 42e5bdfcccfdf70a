"""What may be asked of a log, what it needs, and the shape in which the answer is counted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError, MeasureError
from rankmeter.inputs.columns import say_columns
from rankmeter.measures.online import (
    ClickThroughRate,
    ConversionRate,
    Conversions,
    OnlineMeasure,
    SessionMeasure,
    Value,
)
from rankmeter.online.events import Events
from rankmeter.online.exact_totals import Draws, Totals
from rankmeter.online.partitions import Seen
from rankmeter.online.settings import ExperimentPlan
from rankmeter.online.sums import BEFORE, Sums, denominator, numerator
from rankmeter.online.times import HOUR
from rankmeter.placing.placements import Floats, Ints
from rankmeter.stats.estimates import GroupValue

Unit = Literal["user", "session", "request", "hour", "day"]
UNITS: tuple[Unit, ...] = ("user", "session", "request", "hour", "day")
WINDOWS = {"hour": HOUR, "day": 24 * HOUR}
"""Units of time, for switchback experiments, in which everybody sees one variant for a while, then the other."""
ALL = ""
"""The group of everything."""
NO_SEGMENT = ""
"""The segment, beside a variant, of units that have none: they belong to the experiment all the same."""

POSITIONS = 20
"""How many positions the curve by position has."""
LENGTHS = (0.0, 1.0, 10.0, 30.0, 60.0, 180.0, 600.0, 1800.0, 3600.0)
"""Where the bins of the distribution of session lengths end, in seconds: exactly 0, up to 1, up to 10, ..."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be counted."""

    measures: tuple[OnlineMeasure, ...]
    unit: Unit = "user"
    by: tuple[str, ...] = ()
    """The roles that divide units into groups: ``variant``, ``segment``."""
    start: int | None = None
    """When the experiment began, in microseconds: earlier events are what users did before."""
    plan: ExperimentPlan = field(default_factory=ExperimentPlan)

    @property
    def summed(self) -> tuple[OnlineMeasure, ...]:
        """The measures that are quotients of sums; the others are computed from all values together."""
        return tuple(measure for measure in self.measures if not measure.is_located)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the sums."""
        plain = [name for measure in self.summed for name in (numerator(measure), denominator(measure))]
        before = [name + BEFORE for name in plain] if self.start is not None else []
        return (*plain, *before, *self.known)

    @property
    def known(self) -> tuple[str, ...]:
        """The columns of the covariates, each beside one that says whether its value is known."""
        return tuple(name for covariate in self.plan.covariates for name in (covariate, f"{covariate} known"))

    def needed(self) -> set[str]:
        """The roles that must be read."""
        drawn = {"user name"} if self.plan.resamples else set()
        return {"request", "item", "position", "session", "value", "id", *self.by, *drawn}


Label = tuple[str, ...]


@dataclass
class Window:
    """What was counted in one window of time."""

    totals: npt.NDArray[Any]
    """(d,) exact totals of what its users did."""
    lowest: int
    highest: int
    """The lowest and the highest code of the variants seen in it; -1 where there is none."""

    def __add__(self, other: Window) -> Window:
        lowest = min((code for code in (self.lowest, other.lowest) if code >= 0), default=-1)
        return Window(self.totals + other.totals, lowest, max(self.highest, other.highest))


@dataclass
class UserTally:
    """What was counted of some whole users, in a form that adds up exactly, whoever counted them."""

    groups: dict[Label, Totals] = field(default_factory=dict)
    days: dict[tuple[Label, int, str], Totals] = field(default_factory=dict)
    """By group, day and whether it is the day alone (``daily``) or everything up to its end (``cumulative``)."""
    halves: dict[Label, Totals] = field(default_factory=dict)
    """The second half of the days, with the first as what was before."""
    draws: dict[Label, Draws] = field(default_factory=dict)
    windows: dict[int, Window] = field(default_factory=dict)
    found: Counter[str] = field(default_factory=Counter)
    units_of_users: Counter[int] = field(default_factory=Counter)
    """How many users have each number of units, where units are smaller than users."""
    units_of_variants: Counter[int] = field(default_factory=Counter)
    positions: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros((POSITIONS, 5)))
    """For each position the totals over users of impressions, clicks, and their squares and product."""
    lengths: Ints = field(default_factory=lambda: np.zeros(len(LENGTHS) + 1, np.int64))
    """How many sessions there are in each bin of lengths."""
    kept: list[tuple[Any, ...]] = field(default_factory=list)
    """Values of units, for what is computed from all values together."""

    def add(self, other: UserTally) -> None:
        """Add what was counted of other users."""
        for name in ("groups", "days", "halves", "draws", "windows"):
            for key, part in getattr(other, name).items():
                add_to(getattr(self, name), key, part)
        self.found += other.found
        self.units_of_users += other.units_of_users
        self.units_of_variants += other.units_of_variants
        self.positions += other.positions
        self.lengths += other.lengths
        self.kept += other.kept

    @property
    def expected_crossed(self) -> float:
        """How many users would be in several variants if units smaller than users had been assigned."""
        units = sum(self.units_of_variants.values())
        shares = [count / units for _, count in sorted(self.units_of_variants.items())]
        several = [(size, users) for size, users in sorted(self.units_of_users.items()) if size > 1]
        return math.fsum(users * (1 - math.fsum(share**size for share in shares)) for size, users in several)


def add_to(totals: dict[Any, Any], key: Any, part: Any) -> None:
    """Add a part to what has the same key."""
    totals[key] = totals[key] + part if key in totals else part


@dataclass
class Counted:
    """What was counted, over the whole log; totals are rounded once."""

    question: Question
    seen: Seen
    tally: UserTally
    groups: dict[Label, Sums]
    resampled: dict[Label, Floats]
    days: dict[tuple[Label, int, str], Sums]
    """As in `UserTally`."""
    halves: dict[Label, Sums]
    located: dict[Label, dict[OnlineMeasure, GroupValue]] = field(default_factory=dict)
    """The quantiles and trimmed means of each group."""
    caps: dict[OnlineMeasure, float] = field(default_factory=dict)
    """Where the totals of users were capped, for measures that say so."""

    @property
    def found(self) -> Counter[str]:
        """How often each fact was met."""
        return self.tally.found


def check_answerable(events: Events, question: Question) -> None:
    """Refuse what the log cannot answer, before it is read."""
    for measure in question.measures:
        needs = _needs(measure, question.unit)
        missing = [role for role in needs if not events.has(role)]
        if missing:
            if events.rows.head(1).collect().is_empty():
                raise InputError.of("online.log_empty", source=events.source)
            hint = say_columns(missing[0], "NAME")
            raise InputError.of(
                "online.measure_needs_column", measure=measure, missing=missing[0], source=events.source, hint=hint
            )
        if getattr(measure, "per", "") in ("user", "reach") and question.unit != "user":
            raise MeasureError.of("online.counts_users", measure=measure, unit=question.unit)
        if question.unit == "request" and not isinstance(measure, ClickThroughRate):
            raise MeasureError.of("online.not_by_request", measure=measure)
        capped = getattr(measure, "winsor", None) is not None
        if question.unit != "user" and (measure.is_located or capped):
            raise MeasureError.of("online.is_about_users", measure=measure, unit=question.unit)
        if capped and question.plan.resamples:
            raise MeasureError.of("online.capped_before_resampling", measure=measure)
    for role in question.by:
        if not events.has(role):
            raise InputError.of(
                "online.no_role_column", source=events.source, role=role, hint=say_columns(role, "NAME")
            )


def _needs(measure: OnlineMeasure, unit: Unit) -> list[str]:
    needs = []
    if isinstance(measure, ClickThroughRate):
        needs += ["request"] if measure.per == "request" else []
        needs += ["position"] if measure.cutoff is not None else []
    if isinstance(measure, ConversionRate) and measure.per == "click" and measure.item == "same":
        needs += ["item"]
    if isinstance(measure, Value):
        needs += ["value"]
    if isinstance(measure, SessionMeasure) and measure.sessions == "id":
        needs += ["session"]
    return needs + (["request"] if unit == "request" else [])


def with_companions(measures: Sequence[OnlineMeasure], unit: Unit) -> tuple[OnlineMeasure, ...]:
    """Conversions per user always stand beside a conversion rate: clicks come after the change that is tested."""
    asked = dict.fromkeys(measures)
    if any(isinstance(measure, ConversionRate) for measure in measures) and unit in ("user", "session"):
        asked.setdefault(Conversions())
    return tuple(asked)
