"""What may be asked of a log: settings, checked before anything is read, and what each measure needs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from rankmeter.errors import (
    InputError,
    InputTypeError,
    MeasureError,
    check_choice,
    check_level,
    check_number,
    check_whole,
    did_you_mean,
    examples,
)
from rankmeter.inputs.columns import say_names
from rankmeter.stats.corrections import CORRECTIONS, Correction
from rankmeter.stats.resampling import check_draws
from rankmeter.wings.online.event_columns import HOUR, check_mapping
from rankmeter.wings.online.events import Events
from rankmeter.wings.online.looks import RULES, Look, Rule
from rankmeter.wings.online.measures import (
    ClickThroughRate,
    ConversionRate,
    Conversions,
    OnlineMeasure,
    SessionMeasure,
    Value,
)
from rankmeter.wings.online.sums import BEFORE, denominator, numerator
from rankmeter.wording import said

Unit = Literal["user", "session", "request", "hour", "day"]
UNITS: tuple[Unit, ...] = ("user", "session", "request", "hour", "day")
WINDOWS = {"hour": HOUR, "day": 24 * HOUR}
"""Units of time, for switchback experiments, in which everybody sees one variant for a while, then the other."""
COMPANIONS = {"user": Conversions(), "session": Conversions(per="session")}
"""What stands beside a conversion rate of each unit."""
MOST_WORDS = 20
"""Unknown event types that a hint repeats."""
KINDS_SAID = {
    "impression": "online.kind_impression",
    "click": "online.kind_click",
    "conversion": "online.kind_conversion",
}
ALL = ""
"""The group of everything."""
NO_SEGMENT = ""
"""The segment, beside a variant, of units that have none: they belong to the experiment all the same."""


class Counting(TypedDict, total=False):
    """How a log is counted, whatever is asked of it.

    ``level`` is that of the intervals. With ``resamples`` above 0 they come from that many resamples of units, drawn
    from ``seed``, instead of the delta method. ``bots`` says whether users who do more in an hour than a person does
    are kept or dropped, ``crossed`` whether a unit seen in two variants is dropped or counted in the first.
    """

    level: float
    resamples: int
    seed: int
    bots: Literal["keep", "drop"]
    crossed: Literal["drop", "first"]


class Planning(Counting, total=False):
    """How an experiment is decided, as its plan said before it began.

    ``correction`` (holm, hochberg, bonferroni, bh, by, none) is for the number of differences looked at, ``power`` that
    of the smallest difference that could have been found. ``primary`` names the measures that decide; ``guardrails``
    gives measures that must not get worse, each with the share of the control's value that may be lost at most; the
    rest are diagnostics. ``sequential`` says how looks before the end are paid for: ``once`` (there are none),
    ``always-valid`` (any number), ``obrien-fleming`` or ``pocock`` (planned ones: ``looks`` is the share of the planned
    units at each look so far). ``prior`` asks for the chance to win: the deviation of the relative effect expected
    beforehand, infinity for knowing nothing. ``covariates`` are columns known before the experiment, ``strata`` is one
    by whose values units are weighted; both take variance out. ``days`` asks for the view day by day.
    """

    power: float
    correction: Correction
    primary: str | Sequence[str]
    guardrails: Mapping[str, float]
    sequential: Rule
    looks: Sequence[float]
    prior: float | None
    covariates: Sequence[str]
    strata: str | None
    days: bool


@dataclass(frozen=True, slots=True)
class ExperimentPlan:
    """The settings of one call, checked."""

    level: float = 0.95
    resamples: int = 0
    seed: int = 0
    bots: Literal["keep", "drop"] = "keep"
    crossed: Literal["drop", "first"] = "drop"
    power: float = 0.8
    correction: Correction = "holm"
    primary: tuple[str, ...] = ()
    guardrails: Mapping[str, float] = field(default_factory=dict)
    sequential: Rule = "once"
    looks: tuple[float, ...] = ()
    prior: float | None = None
    covariates: tuple[str, ...] = ()
    strata: str | None = None
    days: bool = False

    def __post_init__(self) -> None:
        check_draws(self.resamples, check_level(self.level), without=said("online.delta_method"))
        check_level(self.power, "power")
        check_whole("seed", self.seed)
        for name, choices in (("bots", ("keep", "drop")), ("crossed", ("drop", "first")), ("sequential", RULES),
                              ("correction", [word for word in CORRECTIONS if word != "max-t"])):  # fmt: skip
            check_choice(name, getattr(self, name), choices)
        for measure, margin in self.guardrails.items():
            if not check_number(f"the margin of {measure}", margin) > 0:
                raise InputError.of(
                    "online.margin_above_zero", measure=measure, margin=margin, guardrails={measure: 0.02}
                )
        if self.prior is not None and not (self.prior == math.inf or check_number("prior", self.prior) > 0):
            raise InputError.of("online.prior_range", prior=self.prior)
        if self.sequential in ("obrien-fleming", "pocock") and not self.looks:
            raise InputError.of("online.needs_looks", sequential=self.sequential)
        if self.resamples and self.sequential != "once":
            raise InputError.of("online.resamples_one_look")
        self.look()

    @classmethod
    def of(cls, given: Mapping[str, Any], kind: type[Counting]) -> ExperimentPlan:
        """From the settings of a call, which are of one kind."""
        names = list(kind.__annotations__)
        for name in given:
            if name not in names:
                raise InputTypeError.of("online.no_setting", name=name, hint=did_you_mean(name, names) or None)
        settings = dict(given)
        for name in ("primary", "looks", "covariates"):
            stated = settings.get(name) or ()
            settings[name] = (stated,) if isinstance(stated, str) else tuple(stated)
        settings["looks"] = tuple(check_number("a look", share) for share in settings["looks"])
        settings["guardrails"] = check_mapping("guardrails", settings.get("guardrails"), "guardrails={'CTR': 0.01}")
        return cls(**settings)

    def look(self) -> Look:
        """The look at hand."""
        return Look(self.level, self.sequential, self.looks or (1.0,))


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

    def __post_init__(self) -> None:
        check_choice("unit", self.unit, UNITS)

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


def check_answerable(events: Events, question: Question) -> None:
    """Refuse what the log cannot answer, before it is read."""
    for measure in question.measures:
        needs = _needs(measure, question.unit)
        missing = [role for role in needs if not events.has(role)]
        if missing:
            if events.rows.head(1).collect().is_empty():
                raise InputError.of("online.log_empty", source=events.source)
            hint = say_names(*missing)
            raise InputError.of(
                "online.measure_needs_column", measure=measure, missing=missing, source=events.source, hint=hint
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
    if missing := [role for role in question.by if not events.has(role)]:
        raise InputError.of("online.no_role_column", source=events.source, role=missing, hint=say_names(*missing))


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


def check_types(events: Events, types: Mapping[str, int], question: Question) -> None:
    """Refuse a measure of a kind of event that no word of the log stands for, while something else may say them.

    That are words nobody knows, and columns that say of each row whether such an event followed.
    """
    unknown = sorted((word for word in types if word.casefold() not in events.kinds), key=lambda word: -types[word])
    if not unknown and not events.flags:
        return
    met = {events.kinds.get(word.casefold()) for word in types}
    for measure in question.measures:
        missing = [kind for kind in kinds_needed(measure) if kind not in met]
        for kind in [kind for kind in missing if kind in events.flags]:
            raise InputError.of(
                "online.flag_beside_types", source=events.source, measure=measure, kind=said(KINDS_SAID[kind]),
                column=events.flags[kind], word=kind,
            )  # fmt: skip
        if missing and unknown:
            raise InputError.of(
                "online.unknown_types", source=events.source, measure=measure, kind=said(KINDS_SAID[missing[0]]),
                words=examples(map(repr, unknown)), say=said("online.say_types", types={missing[0]: unknown[:1]}),
                other=said("online.say_types", types={"other": unknown[:MOST_WORDS]}),
            )  # fmt: skip


def kinds_needed(measure: OnlineMeasure) -> list[str]:
    """The kinds of events without which a measure says nothing."""
    per = getattr(measure, "per", "")
    if isinstance(measure, ClickThroughRate):
        return ["impression", "click"]
    if isinstance(measure, ConversionRate):
        return ["click", "conversion"] if per == "click" else ["conversion"]
    if isinstance(measure, Conversions):
        return ["conversion", *(["impression"] if per == "impression" else [])]
    return ["conversion"] if isinstance(measure, Value) else []


def with_companions(measures: Sequence[OnlineMeasure], unit: Unit) -> tuple[OnlineMeasure, ...]:
    """Conversions per unit always stand beside a conversion rate: clicks come after the change that is tested."""
    asked = dict.fromkeys(measures)
    if any(isinstance(measure, ConversionRate) for measure in measures) and unit in COMPANIONS:
        asked.setdefault(COMPANIONS[unit])
    return tuple(asked)
