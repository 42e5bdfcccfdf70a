"""Rarely used measures of trec_eval, kept because its reports contain them."""

from __future__ import annotations

import math
from typing import Literal

from rankmeter.measures.base import (
    COUNTS,
    MEANS,
    SINGLE_ORDER_TIES,
    GainMeasure,
    HitMeasure,
    RankedMeasure,
    RelevanceMeasure,
    register,
    with_options,
)
from rankmeter.measures.options import choice, fraction, points, real, whole


@register
class AveragedInterpolatedPrecision(RelevanceMeasure):
    """Interpolated precision averaged over recall points, by default eleven, evenly spaced from 0 to 1."""

    points: int | tuple[float, ...] = points(11)
    rounding: Literal["ceil", "trec9", "nearest"] = choice()

    name = "IPrecAvg"
    formula = "historic.averaged_interpolated_precision"
    within_cutoff = True
    bounded_by_grade = True
    tie_rules = SINGLE_ORDER_TIES
    aggregates = MEANS


@register
class SetAveragePrecision(HitMeasure):
    """Set precision times set recall: what average precision would be if the order were left to chance."""

    name = "SetAP"
    formula = "historic.set_average_precision"
    tie_rules = SINGLE_ORDER_TIES


@register
class Utility(HitMeasure):
    """Linear utility of the returned set, as filtering tasks define it."""

    found: float = real(1)
    noise: float = real(-1)
    missed: float = real(0)
    rest: float = real(0)
    collection: int = whole(0, low=0)

    name = "Utility"
    formula = "historic.utility"
    bounds = (-math.inf, math.inf)
    tie_rules = SINGLE_ORDER_TIES
    aggregates = ("mean", "sum", "median", "filled")


@register
class BinaryG(RelevanceMeasure):
    """binG: each relevant item counts 1 over the logarithm of the number of other items above it."""

    name = "binG"
    formula = "historic.binary_g"
    within_cutoff = True
    bounded_by_grade = True
    tie_rules = SINGLE_ORDER_TIES


@with_options
class ExperimentalGain(GainMeasure):
    """An experimental measure of trec_eval with gains."""

    within_cutoff = True
    tie_rules = SINGLE_ORDER_TIES
    aggregates = MEANS


@register
class NormalisedG(ExperimentalGain):
    """G: each gain over the logarithm of how far the list is behind the ideal list at that rank."""

    name = "G"
    formula = "historic.normalised_g"


@register
class NdcgOverRelevant(ExperimentalGain):
    """nDCGrel: nDCG at the rank of each item with a gain, averaged over those items."""

    name = "nDCGrel"
    formula = "historic.ndcg_over_relevant"


@register
class NdcgOverLevels(ExperimentalGain):
    """RnDCG: nDCG averaged over the ranks at which the ideal list steps down to a lower gain."""

    name = "RnDCG"
    formula = "historic.ndcg_over_levels"
    bounded_by_grade = True


@register
class NumNonrelevantReturned(RelevanceMeasure):
    """The number of items judged not relevant that were returned; with a cutoff, in the first k places."""

    name = "NumNonrelRet"
    formula = "historic.num_nonrelevant_returned"
    within_cutoff = True
    looks_at_relevance = False
    sees_order = False
    bounds = (0.0, math.inf)
    places_judged = True
    needs_total = False
    higher_is_better = False
    tie_rules = SINGLE_ORDER_TIES
    aggregates = COUNTS


@with_options
class UnjudgedMeasure(RankedMeasure):
    """A measure of the unjudged items."""

    within_cutoff = True
    looks_at_relevance = False
    bounded_by_grade = True
    higher_is_better = False
    places_judged = True
    needs_total = False


@register
class Unjudged(UnjudgedMeasure):
    """Unjudged: the share of the first k places that hold unjudged items."""

    norm: Literal["places", "none"] = choice()

    name = "Unjudged"
    formula = "historic.unjudged"
    sees_order = False

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """Between which values it lies."""
        return (0.0, math.inf if self.norm == "none" else 1.0)


@register
class RankBiasedResidual(UnjudgedMeasure):
    """The residual of rank-biased precision: how much the unjudged items could still add."""

    p: float = fraction(0.8)
    tail: Literal["always", "if-unjudged"] = choice()

    name = "RBPResidual"
    formula = "historic.rank_biased_residual"
    tie_rules = SINGLE_ORDER_TIES
    aggregates = MEANS
