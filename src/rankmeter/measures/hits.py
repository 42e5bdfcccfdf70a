"""Measures of how much was found: precision, recall, their mean and success, of a ranked list or of a set."""

from __future__ import annotations

from typing import Literal

from rankmeter.errors import MeasureError
from rankmeter.measures.base import (
    MEANS,
    SINGLE_ORDER_TIES,
    TIES,
    HitMeasure,
    RelevanceMeasure,
    no_closed_form,
    register,
    unless,
    with_options,
)
from rankmeter.measures.options import choice, fraction, real


@register
class Precision(HitMeasure):
    """Precision: the share of the first k places that hold relevant items."""

    norm: Literal["k", "list", "capped"] = choice()

    name = "P"
    formula = "relevance.precision"
    only_rises = unless("norm", "capped")  # the divisor may rise too


@register
class Recall(HitMeasure):
    """Recall: the share of the relevant items that stand in the first k places."""

    norm: Literal["relevant", "capped"] = choice()

    name = "R"
    formula = "relevance.recall"


@register
class FMeasure(HitMeasure):
    """The weighted harmonic mean of precision and recall at k."""

    beta: float = real(1, low=0, open_low=True)

    name = "F"
    formula = "relevance.f_measure"


@register
class Success(HitMeasure):
    """Success, or hit rate: 1 when a relevant item stands in the first k places, else 0."""

    unjudged: str | float = choice("nonrelevant", "removed", "nan", "undecided")

    name = "Success"
    formula = "relevance.success"
    only_rises = True


@register
class RPrecision(HitMeasure):
    """R-precision: precision after R places, R being the number of relevant items."""

    norm: Literal["places", "relevant"] = choice()
    mult: float = real(1, low=0, high=1000, open_low=True)

    name = "Rprec"
    formula = "relevance.r_precision"
    is_cut = True  # at R


@register
class InterpolatedPrecision(RelevanceMeasure):
    """Interpolated precision: the best precision at any depth that reaches a given recall."""

    recall: float = real(0, low=0, high=1)
    rounding: Literal["ceil", "trec9", "nearest"] = choice()

    name = "IPrec"
    formula = "relevance.interpolated_precision"
    within_cutoff = True
    bounded_by_grade = True
    at = "recall"
    at_choices = "0.5"
    tie_rules = SINGLE_ORDER_TIES
    aggregates = MEANS


@with_options
class SetMeasure(HitMeasure):
    """A measure of the list as a set, which ``depth`` may cut without cutting a tie.

    ``ties="included"`` keeps all items that share the score of the last one, so that a tie is never split.
    """

    ties: str = choice(*TIES, "included")

    tie_rules = (*TIES, "included")

    def __post_init__(self) -> None:
        HitMeasure.__post_init__(self)
        if self.ties == "included" and self.cutoff is not None:
            raise MeasureError.of("measures.included_and_cutoff", measure=self.name, cutoff=self.cutoff)


@register
class SetPrecision(SetMeasure):
    """Precision of the returned list as a set: the share of it that is relevant."""

    norm: Literal["list", "capped"] = choice()

    name = "SetP"
    formula = "relevance.set_precision"
    only_rises = unless("norm", "capped")  # the divisor may rise too


@register
class SetRecall(SetMeasure):
    """Recall of the returned list as a set: the share of the relevant items that it holds."""

    name = "SetR"
    formula = "relevance.recall"


@register
class SetF(SetMeasure):
    """The weighted harmonic mean of set precision and set recall."""

    beta: float = real(1, low=0, open_low=True)
    weight: Literal["squared", "plain"] = choice()
    recall: Literal["share", "any"] = choice()

    name = "SetF"
    formula = "relevance.set_f"

    def __post_init__(self) -> None:
        SetMeasure.__post_init__(self)
        if self.recall == "any" and self.ties == "mean" and self.cutoff is not None:
            raise no_closed_form(self)


@register
class AllRelevant(HitMeasure):
    """AllRelevant: 1 when every relevant item stands in the first k places, else 0."""

    name = "AllRelevant"
    formula = "historic.all_relevant"
    tie_rules = SINGLE_ORDER_TIES


@register
class Compatibility(RelevanceMeasure):
    """Compat: rank-biased overlap of the list with the ideal list that agrees with it most."""

    p: float = fraction(0.95)
    norm: Literal["ideal", "none"] = choice()

    name = "Compat"
    formula = "historic.compatibility"
    within_cutoff = True
    bounded_by_grade = True
    graded = True
    tie_rules = SINGLE_ORDER_TIES
    aggregates = MEANS
