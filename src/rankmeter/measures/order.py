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
    check_decidable,
    no_closed_form,
    register,
    undecided_by_ties,
)
from rankmeter.measures.options import choice
from rankmeter.wording import said


@register
class ReciprocalRank(RelevanceMeasure):
    r"""Reciprocal rank: 1 over the rank of the first relevant item; its mean over queries is MRR.

    .. math:: \mathrm{RR@}k = \frac{1}{\min\{i \le k : r_i \ge rel\}}

    A query without a relevant item in the first k counts 0; ``miss="skip"`` leaves it out of the mean, which is another
    number under the same name. ``hits`` decides whose ranks count: ``first`` that of the first relevant item, ``best``
    that of the first item of the best grade in the first k; ``found`` averages 1/rank over all relevant items in the
    first k, ``relevant`` over all judged relevant, those not found counting 0. ``unjudged="undecided"`` leaves it
    undefined if an unjudged item stands above the first relevant one.

    Misleads: everything after the first relevant item is ignored, and ranks 1 and 2 differ as much as 2 and infinity.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.value("RR@10", grades=[0, 0, 0, 1, 1])
    0.25

    The mean of 1/4 and 1/5 for the two relevant items, and 1/5 for the one of the best grade.

    >>> rm.value("RR(hits=found)@10", grades=[0, 0, 0, 1, 2]), rm.value("RR(hits=best)@10", grades=[0, 0, 0, 1, 2])
    (0.225, 0.2)
    """

    hits: Literal["first", "best", "found", "relevant"] = choice()
    unjudged: str | float = choice("nonrelevant", "removed", "nan", "undecided")

    name = "RR"
    formula = "relevance.reciprocal_rank"
    within_cutoff = True
    bounded_by_grade = True
    aggregates = MEANS

    def __post_init__(self) -> None:
        RelevanceMeasure.__post_init__(self)
        if self.ties == "mean" and (self.hits == "best" or (self.hits == "found" and self.cutoff is not None)):
            raise no_closed_form(self)
        check_decidable(self)
        if self.unjudged == "undecided" and self.hits != "first":
            raise MeasureError.of("measures.undecided_hits", hits=self.hits)

    @property
    def graded(self) -> bool:  # type: ignore[override]
        """Whether it tells grades apart beyond relevant and not."""
        return self.hits == "best"

    @property
    def only_rises(self) -> bool:  # type: ignore[override]  # more hits may make a mean lower
        """Whether an unjudged item that turns out to be relevant never lowers it."""
        return self.hits == "first"

    def ties_unknown(self) -> str:
        if self.hits in ("best", "found") and self.is_cut:
            return said("measures.ties_decide_items", option=f"hits={self.hits}")
        return undecided_by_ties(self) or RelevanceMeasure.ties_unknown(self)


@register
class AveragePrecision(RelevanceMeasure):
    r"""Average precision: the mean of the precisions at the ranks of the relevant items; its mean is MAP.

    .. math:: \mathrm{AP@}k = \frac{1}{N} \sum_{i \le k,\ r_i \ge rel} \mathrm{P@}i

    ``norm`` is N, on which tools disagree most: ``relevant`` R (trec_eval), ``capped`` min(R, k), ``list``
    min(R, k, length), ``found`` the relevant items anywhere in the list, ``hits`` those in the first k, ``k``.

    ``ranks="all"`` adds up the precision at every rank, relevant or not (Elliot); the divisor is then k.

    Misleads: with ``norm="relevant"`` AP@k cannot reach 1 when R > k.

    Examples
    --------
    Relevant at ranks 1, 3 and 5: (1/1 + 2/3 + 3/5) / 3 = 0.755556.

    >>> import rankmeter as rm
    >>> rm.value("AP", grades=[1, 0, 1, 0, 1])
    0.7555...
    """

    norm: Literal["relevant", "capped", "list", "found", "hits", "k"] = choice()
    ranks: Literal["relevant", "all"] = choice()

    name = "AP"
    formula = "relevance.average_precision"
    within_cutoff = True
    bounded_by_grade = True

    def __post_init__(self) -> None:
        RelevanceMeasure.__post_init__(self)
        if self.ranks == "all" and self.norm != "k":
            raise MeasureError.of("measures.all_ranks")
        if self.ties == "mean" and self.norm == "hits" and self.cutoff is not None:
            # The divisor itself is then random, and the expectation of the quotient has no closed form.
            raise no_closed_form(self)

    @property
    def last_rank(self) -> int | None:
        return None if self.norm == "found" else self.cutoff

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
    r"""Area under the ROC curve: the chance that a relevant item of the list stands above a non-relevant one.

    .. math:: \mathrm{AUC} = \frac{|\{(i, j) : r_i \ge rel > r_j,\ i < j\}|}{\text{pairs}}

    Only the returned list counts; unjudged items are not relevant. A tie counts half (``ties="mean"``, the default here
    because that is the textbook definition); with a cutoff a tie rule must be stated. A list of relevant items only has
    AUC 1.

    Misleads: every pair weighs the same, so the top of the list hardly matters.

    Examples
    --------
    Grades 1, 0, 1, 0: three of four pairs are in order.

    >>> import rankmeter as rm
    >>> rm.value("AUC", grades=[1, 0, 1, 0])
    0.75
    """

    ties: str = choice(*PAIR_TIES)

    name = "AUC"
    formula = "relevance.auc"


@register
class MeanRank(RelevanceMeasure):
    r"""Mean rank of the relevant items that were found; lower is better.

    .. math:: \mathrm{MeanRank} = \frac{1}{|F|} \sum_{i \in F} i, \quad F = \{i \le k : r_i \ge rel\}

    A query in which nothing was found has no rank and is left out (``miss="skip"``); counting it 0 would be a reward.
    ``candidates="appended"`` puts the items that were not returned at the end instead. ``weight="grade"`` weights every
    item by its grade.

    Misleads: items that were not found do not count, so a shorter list can look better.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.value("MeanRank", grades=[0, 1, 0, 1])
    3.0

    (3 * 2 + 1 * 4) / (3 + 1) = 2.5.

    >>> rm.value("MeanRank(weight=grade)", grades=[0, 3, 0, 1])
    2.5
    """

    weight: Literal["one", "grade"] = choice()

    empty: Literal["zero", "one", "nan", "skip", "silent"] = choice("skip", "zero", "one", "nan", "silent")
    miss: Literal["zero", "skip"] = choice("skip", "zero")

    name = "MeanRank"
    formula = "relevance.mean_rank"
    within_cutoff = True
    bounded_by_grade = True
    bounds = (0.0, math.inf)
    higher_is_better = False
    tie_rules = RankedMeasure.tie_rules

    @property
    def graded(self) -> bool:  # type: ignore[override]
        """Whether it tells grades apart beyond relevant and not."""
        return self.weight == "grade"

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
    r"""Ordered pairs: the share of the pairs of unequal grade that stand in the right order.

    .. math:: \mathrm{PairAccuracy} = \frac{|\{(i, j) : i < j \le k,\ r_i > r_j\}|}
        {|\{(i, j) : i < j \le k,\ r_i \ne r_j\}|}

    Only the returned list counts; unjudged items and grades below 0 count as grade 0. A tied pair counts half
    (``ties="mean"``, the default, as for AUC). A list without such a pair counts 0. ``aggregate="pooled"`` is the share
    over the pairs of all queries together.

    Misleads: every pair weighs the same, so the top of the list hardly matters.

    Examples
    --------
    Grades 1, 2, 0: of the three pairs, (1, 0) and (2, 0) are in order.

    >>> import rankmeter as rm
    >>> rm.value("PairAccuracy", grades=[1, 2, 0])
    0.6666...
    """

    ties: str = choice(*PAIR_TIES)

    name = "PairAccuracy"
    formula = "relevance.pair_accuracy"
    graded = True
    needs_total = False

    @property
    def lowest_grade(self) -> float:
        return ANY_POSITIVE
