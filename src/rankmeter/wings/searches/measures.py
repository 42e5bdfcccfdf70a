"""Measures of several searches for one question: what was found after so many calls or tokens, and what they cost."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any, ClassVar, Literal

from rankmeter.errors import MeasureError
from rankmeter.measures.base import Measure, register, with_options
from rankmeter.measures.options import choice, fraction, real, whole


@with_options
class SearchMeasure(Measure):
    """A measure of all lists that the searches for one question returned."""

    empty: Literal["zero", "skip"] = choice()

    about = "searches"
    tie_rules = ()
    aggregates = ("mean",)
    default_duplicates = "counted"

    def __post_init__(self) -> None:
        Measure.__post_init__(self)
        if self.duplicates is not None:
            raise MeasureError.of("searches.no_duplicates", measure=self.name)

    @classmethod
    def describe_names(cls) -> list[str]:
        """The options that decide which number it is."""
        return [option.name for option in fields(cls) if option.name not in ("aggregate", "duplicates", "cutoff")]


@with_options
class BudgetMeasure(SearchMeasure):
    """A measure of what was found within a budget of calls, of tokens, or of both."""

    calls: int | None = whole(None, low=1)
    tokens: int | None = whole(None, low=1)
    rel: float = real(1)


@with_options
class SessionGain(SearchMeasure):
    """Gains discounted by rank and by call."""

    cutoff: int | None = whole(None, low=1)
    b: float = real(2, low=1, open_low=True)
    bq: float = real(4, low=1, open_low=True)
    gain: Literal["linear", "exp2"] = choice()
    discount: Literal["jarvelin", "kanoulas"] = choice()
    repeats: Literal["counted", "once"] = choice()


@register
class SessionDCG(SessionGain):
    """Session DCG: the DCG of each call, discounted by the number of the call."""

    name = "sDCG"
    bounds = (0.0, math.inf)
    graded = True


@register
class NormalisedSessionDCG(SessionGain):
    """Normalised session DCG: sDCG divided by that of an ideal session with as many calls."""

    ideal: Literal["each", "once"] = choice()

    name = "nsDCG"
    graded = True

    def __post_init__(self) -> None:
        SearchMeasure.__post_init__(self)
        if self.ideal == "once" and self.repeats == "counted":
            raise MeasureError.of("searches.ideal_of_repeats")


@register
class SessionRBP(SearchMeasure):
    """Session rank-biased precision: a reader who goes on with probability p, down the list or to the next call."""

    cutoff: int | None = whole(None, low=1)
    p: float = real(0.86, low=0, high=1, open_high=True)
    b: float = real(0.64, low=0, high=1)
    rel: float = real(1)
    repeats: Literal["counted", "once"] = choice()

    name = "sRBP"


@register
class SearchRecall(BudgetMeasure):
    """Recall of all searches together, after so many calls or tokens."""

    name = "SearchRecall"


@register
class ChainComplete(BudgetMeasure):
    """Whether every hop that an answer needs was found: each subtopic, or each relevant item where there are none."""

    count: Literal["all", "share"] = choice()

    name = "ChainComplete"


@register
class CallsNeeded(SearchMeasure):
    """The first call with a relevant item: 1 over its number, or the number itself."""

    rel: float = real(1)
    report: Literal["reciprocal", "number"] = choice()

    name = "CallsNeeded"
    bounds = (0.0, math.inf)

    @property
    def higher_is_better(self) -> bool:  # type: ignore[override]
        """A higher reciprocal is better, a lower number."""
        return self.report == "reciprocal"

    def __post_init__(self) -> None:
        SearchMeasure.__post_init__(self)


@register
class CallRepeats(SearchMeasure):
    """The share of what later calls returned that an earlier call had returned already; lower is better."""

    name = "CallRepeats"
    higher_is_better = False
    default_queries: ClassVar[str] = "run"


@with_options
class ExpectedExposure(SearchMeasure):
    """A measure of how much each item is seen on average over the rankings that were sampled for one question."""

    cutoff: int | None = whole(None, low=1)
    p: float = fraction(0.85)
    rel: float = real(1)

    bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)


@register
class ExposureLoss(ExpectedExposure):
    """Expected exposure loss: how far the exposure of items is from that of a fair ideal; lower is better."""

    name = "EE_L"
    higher_is_better = False


@register
class ExposureDisparity(ExpectedExposure):
    """Expected exposure disparity: how unequally items are exposed; lower is better."""

    name = "EE_D"
    higher_is_better = False


@register
class ExposureRelevance(ExpectedExposure):
    """Expected exposure relevance: how much of the exposure goes to items that are relevant."""

    name = "EE_R"


def is_of_searches(measure: Any) -> bool:
    """Whether a measure is about several searches."""
    return bool(measure.about == "searches")
