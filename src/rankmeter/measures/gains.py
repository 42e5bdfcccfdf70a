"""Measures of gain: cumulated, discounted and normalised gain, rank-biased precision, expected reciprocal rank."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

from rankmeter.errors import MeasureError
from rankmeter.measures.base import (
    ANY_POSITIVE,
    LOWERING,
    MEANS,
    SINGLE_ORDER_TIES,
    GainMeasure,
    RankedMeasure,
    no_closed_form,
    register,
    unless,
    when,
    with_options,
)
from rankmeter.measures.options import GainMap, choice, choice_or_number, format_value, fraction, real, whole
from rankmeter.wording import said

AS_THEY_ARE = GainMap({})
"""Gains that are the grades themselves."""
Discount = Literal["log2", "jk", "reciprocal"]
NEGATIVE = ("unjudged", "nonrelevant", "counted")


@with_options
class RatedGain(GainMeasure):
    """A sum of gains in which every returned item may count, judged or not.

    ``unjudged`` may be a grade, which returned items without a judgment then have; R and the ideal ignore them.
    ``negative="counted"`` lets grades below 0 lower the sum, in the ideal too.
    """

    unjudged: str | float = choice_or_number("nonrelevant", "removed", "nan")
    negative: str = choice(*NEGATIVE)

    within_cutoff: ClassVar[bool] = True
    bounded_by_grade: ClassVar[bool] = True
    usual_bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)
    """Its bounds if no gain is negative and the ideal knows every item that gains."""

    @property
    def lowest_grade(self) -> float:
        return -math.inf if self.negative in LOWERING else GainMeasure.lowest_grade.fget(self)  # type: ignore[attr-defined]

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]  # a divisor may know less than what it divides
        """Between which values it lies."""
        rated = self.negative in LOWERING or not isinstance(self.unjudged, str)
        return (-math.inf, math.inf) if rated else self.usual_bounds

    @property
    def gain_map(self) -> tuple[GainMap, float | None, float] | None:
        if self.negative not in LOWERING or self.gain == "binary":
            return GainMeasure.gain_map.fget(self)  # type: ignore[attr-defined, no-any-return]
        return (AS_THEY_ARE if isinstance(self.gain, str) else self.gain, self.rel, -math.inf)


@register
class CumulatedGain(RatedGain):
    """Cumulated gain: the sum of the gains in the first k places."""

    norm: Literal["none", "judged"] = choice()

    name = "CG"
    formula = "gain.cumulated_gain"
    only_rises = when("norm", "none")  # the divisor may rise too
    needs_total = when("norm", "judged")
    worked = "gains"
    sees_order = False
    aggregates = MEANS


@register
class DiscountedGain(RatedGain):
    """Discounted cumulative gain: gains divided by a discount that grows with the rank."""

    discount: Discount = choice()

    name = "DCG"
    formula = "gain.discounted_gain"
    needs_total = False
    only_rises = True
    worked = "discounted"
    aggregates = MEANS


@register
class NDCG(RatedGain):
    """Normalised discounted cumulative gain: how close the order is to the best order of the judged items."""

    negative: str = choice(*NEGATIVE, "guarded")
    discount: Discount = choice()
    ideal: Literal["judged", "list", "top", "uncut", "full", "length", "full-list"] = choice()

    name = "nDCG"
    formula = "gain.ndcg"
    within_cutoff = unless("ideal", "list", "uncut", "length", "full-list")
    usual_bounds = (0.0, 1.0)
    needs_total = False
    worked = "ideal"

    def __post_init__(self) -> None:
        GainMeasure.__post_init__(self)
        if self.ideal == "full" and (self.cutoff is None or self.gain != "binary"):
            raise MeasureError.of("measures.full_ideal")
        if self.ideal == "full-list" and self.gain != "binary":
            raise MeasureError.of("measures.full_list_ideal")
        if self.sign == "positive" and self.ideal in ("list", "top"):
            raise MeasureError.of("measures.ideal_and_sign", ideal=self.ideal)
        rated = self.negative in LOWERING or not isinstance(self.unjudged, str)
        if rated and self.ideal in ("list", "top"):
            raise MeasureError.of("measures.ideal_and_ratings", ideal=self.ideal)
        if self.ties == "mean" and self.ideal == "top" and self.cutoff is not None:
            # Which items are among the first k is then random, and so is the divisor.
            raise no_closed_form(self)

    def ties_unknown(self) -> str:
        if (self.ideal == "top" and self.is_cut) or (self.ideal == "list" and self.depth is not None):
            return said("measures.ties_decide_divisor", option=f"ideal={self.ideal}")
        return GainMeasure.ties_unknown(self)


@register
class RankBiasedPrecision(RankedMeasure):
    """Rank-biased precision: what a reader gains who goes on to the next place with probability p."""

    p: float = fraction(0.8)
    rel: float = real(1)
    gain: Literal["binary", "exp2", "linear"] = choice()
    max_grade: int | None = whole(None, low=1)
    norm: Literal["none", "capped", "list", "places"] = choice()
    scale: Literal["one", "percent"] = choice()

    name = "RBP"
    formula = "gain.rank_biased_precision"
    only_rises = unless("norm", "capped")  # the divisor may rise too
    needs_total = when("norm", "capped", "list")
    within_cutoff = True
    worked = "patience"
    bounded_by_grade = True
    aggregates = MEANS

    def __post_init__(self) -> None:
        RankedMeasure.__post_init__(self)
        if self.gain == "exp2" and self.max_grade is None:
            raise MeasureError.of("measures.exp2_and_max_grade")
        if self.gain == "binary" and self.max_grade is not None:
            raise MeasureError.of("measures.binary_and_max_grade", highest=self.max_grade)
        if self.norm == "places" and self.cutoff is None:
            raise MeasureError.of("measures.places_need_cutoff")
        if self.norm in ("capped", "list") and self.gain != "binary":
            raise MeasureError.of("measures.norm_needs_binary", norm=self.norm)

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """Between which values it lies; grades as they are have no limit."""
        limit = math.inf if self.gain == "linear" and self.max_grade is None else 1.0
        return (0.0, limit * (100.0 if self.scale == "percent" else 1.0))

    @property
    def lowest_grade(self) -> float:
        return ANY_POSITIVE if self.gain == "exp2" else self.rel

    @property
    def threshold(self) -> float | None:
        return None if self.gain == "exp2" else self.rel

    @property
    def counted_below(self) -> tuple[float, GainMap] | None:
        return (self.rel, AS_THEY_ARE) if self.gain == "binary" and self.rel < 0 else None


@register
class ExpectedReciprocalRank(RankedMeasure):
    """Expected reciprocal rank: 1 over the rank at which a reader, going down the list, is satisfied."""

    max_grade: int = whole(4, low=1)
    unjudged: str | float = choice_or_number("nonrelevant", "removed", "nan")
    negative: str = choice(*NEGATIVE)

    name = "ERR"
    formula = "gain.expected_reciprocal_rank"
    within_cutoff = True
    only_rises = True
    worked = "reading"
    bounded_by_grade = True
    graded = True
    needs_total = False
    tie_rules = SINGLE_ORDER_TIES
    aggregates = MEANS

    def __post_init__(self) -> None:
        RankedMeasure.__post_init__(self)
        if not isinstance(self.unjudged, str) and self.unjudged > self.max_grade:
            value = format_value(self.unjudged)
            raise MeasureError.of("measures.unjudged_above_scale", value=value, highest=self.max_grade)

    @property
    def lowest_grade(self) -> float:
        return -math.inf if self.negative in LOWERING else ANY_POSITIVE

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """Between which values it lies."""
        return (-math.inf, math.inf) if self.negative in LOWERING else (0.0, 1.0)

    @property
    def gain_map(self) -> tuple[GainMap, float | None, float] | None:
        return (AS_THEY_ARE, None, -math.inf) if self.negative in LOWERING else None

    def ties_unknown(self) -> str:
        if self.negative in LOWERING:
            return said("measures.ties_below_zero", option=f"negative={self.negative}")
        return RankedMeasure.ties_unknown(self)


@register
class HighestGrade(RankedMeasure):
    """Highest grade: that of the best item in the first k places."""

    name = "MaxGrade"
    formula = "gain.highest_grade"
    lowest_grade = ANY_POSITIVE
    within_cutoff = True
    only_rises = True
    sees_order = False
    bounded_by_grade = True
    graded = True
    needs_total = False
    bounds = (0.0, math.inf)
    tie_rules = SINGLE_ORDER_TIES
    aggregates = MEANS
