"""Measures of the order: reciprocal rank, average precision, area under the curve, mean rank."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal

from rankmeter.errors import MeasureError
from rankmeter.measures.base import (
    ANY_POSITIVE,
    MEANS,
    SINGLE_ORDER_TIES,
    RankedMeasure,
    RelevanceMeasure,
    no_closed_form,
    register,
    unless,
    when,
)
from rankmeter.measures.options import choice, whole
from rankmeter.wording import said


@register
class ReciprocalRank(RelevanceMeasure):
    """Reciprocal rank: 1 over the rank of the first relevant item; its mean over queries is MRR."""

    hits: Literal["first", "best", "found", "relevant"] = choice()
    unjudged: str | float = choice("nonrelevant", "removed", "nan", "undecided")

    name = "RR"
    formula = "relevance.reciprocal_rank"
    only_rises = when("hits", "first")  # more hits may make a mean lower
    graded = when("hits", "best")
    within_cutoff = True
    bounded_by_grade = True
    aggregates = MEANS

    def __post_init__(self) -> None:
        RelevanceMeasure.__post_init__(self)
        if self.ties == "mean" and (self.hits == "best" or (self.hits == "found" and self.cutoff is not None)):
            raise no_closed_form(self)
        if self.unjudged == "undecided" and self.hits != "first":
            raise MeasureError.of("measures.undecided_hits", hits=self.hits)

    def ties_unknown(self) -> str:
        if self.hits in ("best", "found") and self.is_cut:
            return said("measures.ties_decide_items", option=f"hits={self.hits}")
        return RelevanceMeasure.ties_unknown(self)


@register
class AveragePrecision(RelevanceMeasure):
    """Average precision: the mean of the precisions at the ranks of the relevant items; its mean is MAP."""

    norm: Literal["relevant", "capped", "list", "found", "hits", "k"] = choice()
    ranks: Literal["relevant", "all"] = choice()

    name = "AP"
    formula = "relevance.average_precision"
    worked = "precisions"
    within_cutoff = unless("norm", "found")
    bounded_by_grade = True

    def __post_init__(self) -> None:
        RelevanceMeasure.__post_init__(self)
        if self.ranks == "all" and self.norm != "k":
            raise MeasureError.of("measures.all_ranks")
        if self.ties == "mean" and self.norm == "hits" and self.cutoff is not None:
            # The divisor itself is then random, and the expectation of the quotient has no closed form.
            raise no_closed_form(self)

    def ties_unknown(self) -> str:
        if (self.norm == "hits" and self.is_cut) or (self.norm == "found" and self.depth is not None):
            return said("measures.ties_decide_divisor", option=f"norm={self.norm}")
        return RelevanceMeasure.ties_unknown(self)


PAIR_TIES = ("mean", *SINGLE_ORDER_TIES)


class _OfPairs:
    """The facts shared by measures that count pairs in the right order."""

    __slots__ = ()
    within_cutoff = True
    bounded_by_grade = True
    tie_rules: ClassVar[tuple[str, ...]] = PAIR_TIES

    def __post_init__(self: Any) -> None:
        RankedMeasure.__post_init__(self)
        if self.ties == "mean" and self.cutoff is not None:
            # Which items of a tie stand above the cutoff is random, and so is the number of pairs.
            raise MeasureError.of("measures.pairs_by_chance", measure=self.name, cutoff=self.cutoff)

    def ties_unknown(self: Any) -> str:
        if self.is_cut:
            return said("measures.ties_decide_pairs", option=self.cut_by)
        return RankedMeasure.ties_unknown(self)


@register
class AreaUnderCurve(_OfPairs, RelevanceMeasure):
    """Area under the ROC curve: the chance that a relevant item of the list stands above a non-relevant one."""

    ties: str = choice(*PAIR_TIES)

    name = "AUC"
    formula = "relevance.auc"


@register
class GroupedAreaUnderCurve(AreaUnderCurve):
    """Grouped AUC: the AUC of each list, weighted by how many relevant items it holds."""

    name = "GAUC"
    formula = "relevance.grouped_auc"
    aggregates = ("pooled",)


@register
class PartialAreaUnderCurve(RelevanceMeasure):
    """Partial AUC: the AUC of the relevant items against the k non-relevant ones that stand highest."""

    norm: Literal["relevant", "capped"] = choice()
    negatives: int | None = whole(None, low=1)

    name = "PartialAUC"
    at = "negatives"
    formula = "relevance.partial_auc"
    within_cutoff = True
    bounded_by_grade = True
    tie_rules = SINGLE_ORDER_TIES
    aggregates = MEANS


@register
class MeanRank(RelevanceMeasure):
    """Mean rank of the relevant items that were found; lower is better."""

    weight: Literal["one", "grade"] = choice()

    empty: Literal["skip", "zero", "one", "nan", "silent"] = choice()
    miss: Literal["skip", "zero"] = choice()

    name = "MeanRank"
    formula = "relevance.mean_rank"
    graded = when("weight", "grade")
    within_cutoff = True
    bounded_by_grade = True
    bounds = (0.0, math.inf)
    higher_is_better = False
    tie_rules = RankedMeasure.tie_rules

    def __post_init__(self) -> None:
        RelevanceMeasure.__post_init__(self)
        if self.ties == "mean" and self.cutoff is not None:
            raise no_closed_form(self)
        if self.weight == "grade" and not isinstance(self.rel, str) and self.rel <= 0:
            raise MeasureError.of("measures.no_weight", grade=self.rel)

    def ties_unknown(self) -> str:
        if self.is_cut:
            return said("measures.ties_decide_items", option=self.cut_by)
        return RelevanceMeasure.ties_unknown(self)


@register
class OrderedPairs(_OfPairs, RankedMeasure):
    """Ordered pairs: the share of the pairs of unequal grade that stand in the right order."""

    ties: str = choice(*PAIR_TIES)

    name = "PairAccuracy"
    formula = "relevance.pair_accuracy"
    lowest_grade = ANY_POSITIVE
    graded = True
    needs_total = False
