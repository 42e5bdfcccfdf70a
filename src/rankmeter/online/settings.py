"""What a caller may ask of a log: each setting is checked before anything is read, and refused in one sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from rankmeter.errors import (
    InputError,
    InputTypeError,
    check_choice,
    check_level,
    check_number,
    check_whole,
    did_you_mean,
)
from rankmeter.stats.corrections import CORRECTIONS, Correction
from rankmeter.stats.estimates import RULES, Look, Rule
from rankmeter.stats.resampling import check_draws
from rankmeter.wording import Option, said


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


def check_mapping(name: str, given: object, example: str) -> Mapping[Any, Any]:
    """A mapping, or nothing."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError.of("online.not_a_mapping", option=Option(name), type=type(given).__name__, hint=example)
    return given


def check_names(name: str, given: object, example: str) -> Mapping[str, Any]:
    """A mapping from roles or kinds to names."""
    checked = check_mapping(name, given, example)
    for role, stated in checked.items():
        named = [stated] if isinstance(stated, str) else stated
        named = named if isinstance(named, (list, tuple, set, frozenset)) else [None]
        if not isinstance(role, str) or not all(isinstance(word, str) for word in named):
            raise InputError.of(
                "online.not_names", option=Option(name), role=repr(role), stated=repr(stated), hint=example
            )
    return checked
