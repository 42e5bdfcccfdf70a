"""Measures of the order: reciprocal rank, average precision, area under the curve, mean rank."""

from __future__ import annotations

import math
from typing import Literal

from rankmeter.errors import MeasureError
from rankmeter.measures.base import MEANS, RankedMeasure, RelevanceMeasure, no_closed_form, register
from rankmeter.measures.options import choice


@register
class ReciprocalRank(RelevanceMeasure):
    r"""Reciprocal rank: 1 over the rank of the first relevant item; its mean over queries is MRR.

    .. math:: \mathrm{RR@}k = \frac{1}{\min\{i \le k : r_i \ge rel\}}

    A query without a relevant item in the first k counts 0; ``miss="skip"`` leaves it out of the mean, which is
    another number under the same name.

    Misleads: everything after the first relevant item is ignored, and ranks 1 and 2 differ as much as 2 and infinity.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.value("RR@10", grades=[0, 0, 0, 1, 1])
    0.25
    """

    name = "RR"
    formula = "relevance.reciprocal_rank"
    within_cutoff = True
    only_rises = True
    bounded_by_grade = True
    aggregates = MEANS


@register
class AveragePrecision(RelevanceMeasure):
    r"""Average precision: the mean of the precisions at the ranks of the relevant items; its mean is MAP.

    .. math:: \mathrm{AP@}k = \frac{1}{N} \sum_{i \le k,\ r_i \ge rel} \mathrm{P@}i

    ``norm`` is N, on which the tools disagree most: ``relevant`` R (trec_eval), ``capped`` min(R, k), ``list``
    min(R, k, length), ``found`` relevant items anywhere in the list, ``hits`` those in the first k, ``k``.

    ``ranks="all"`` adds up the precision at every rank, relevant or not (Elliot); its divisor is k.

    Misleads: with ``norm="relevant"`` AP@k cannot reach 1 when R > k.

    Examples
    --------
    Relevant at ranks 1, 3 and 5: (1/1 + 2/3 + 3/5) / 3 = 0.755556.

    >>> import rankmeter as rm
    >>> rm.value("AP", grades=[1, 0, 1, 0, 1])
    0.7555...
    """

    norm: Literal["relevant", "capped", "list", "found", "hits", "k"] = choice(
        "relevant", "capped", "list", "found", "hits", "k"
    )
    ranks: Literal["relevant", "all"] = choice("relevant", "all")

    name = "AP"
    formula = "relevance.average_precision"
    within_cutoff = True
    bounded_by_grade = True

    def __post_init__(self) -> None:
        RelevanceMeasure.__post_init__(self)
        if self.ranks == "all" and self.norm != "k":
            raise MeasureError.of("measures.all_ranks")
        if self.ties == "mean" and self.norm == "hits" and self.cutoff is not None:
            # The divisor itself is random then, and the expectation of the quotient has no closed form.
            raise no_closed_form(self)

    @property
    def last_rank(self) -> int | None:
        return None if self.norm == "found" else self.cutoff

    def ties_unknown(self) -> str:
        if (self.norm == "hits" and self.is_cut) or (self.norm == "found" and self.depth is not None):
            return f"norm={self.norm}: the divisor depends on the order too"
        return RelevanceMeasure.ties_unknown(self)


@register
class AreaUnderCurve(RelevanceMeasure):
    r"""Area under the ROC curve: the chance that a relevant item of the list stands above a non-relevant one.

    .. math:: \mathrm{AUC} = \frac{|\{(i, j) : r_i \ge rel > r_j,\ i < j\}|}{\text{pairs}}

    Only the returned list is looked at; unjudged items are not relevant. A tie counts half (``ties="mean"``, the
    default here because every statistics text defines it so); with a cutoff a tie rule must be stated. A list with
    relevant items only has AUC 1.

    Misleads: every pair weighs the same, so the top of the list hardly matters.

    Examples
    --------
    Grades 1, 0, 1, 0: of four pairs three are in order.

    >>> import rankmeter as rm
    >>> rm.value("AUC", grades=[1, 0, 1, 0])
    0.75
    """

    ties: str = choice("mean", "item", "item-ascending", "input", "reversed", "worst", "best")

    name = "AUC"
    formula = "relevance.auc"
    within_cutoff = True
    bounded_by_grade = True
    tie_rules = (
        "mean",
        "item",
        "item-ascending",
        "input",
        "reversed",
        "worst",
        "best",
    )

    def __post_init__(self) -> None:
        RelevanceMeasure.__post_init__(self)
        if self.ties == "mean" and self.cutoff is not None:
            # Which items of a tie stand above the cutoff is left to chance, and so is the number of pairs.
            raise MeasureError.of("measures.pairs_by_chance", cutoff=self.cutoff)

    def ties_unknown(self) -> str:
        if self.is_cut:
            return "the list is cut: which pairs there are depends on the order too"
        return RelevanceMeasure.ties_unknown(self)


@register
class MeanRank(RelevanceMeasure):
    r"""Mean rank of the relevant items that were found; lower is better.

    .. math:: \mathrm{MeanRank} = \frac{1}{|F|} \sum_{i \in F} i, \quad F = \{i \le k : r_i \ge rel\}

    A query in which nothing was found has no rank and is left out (``miss="skip"``); counting it 0 would be a reward.
    ``candidates="appended"`` puts the items that were not returned at the end instead.

    Misleads: items that were not found do not count, so a shorter list can look better.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.value("MeanRank", grades=[0, 1, 0, 1])
    3.0
    """

    empty: Literal["zero", "one", "nan", "skip", "silent"] = choice("skip", "zero", "one", "nan", "silent")
    miss: Literal["zero", "skip"] = choice("skip", "zero")

    name = "MeanRank"
    formula = "relevance.mean_rank"
    within_cutoff = True
    bounded_by_grade = True
    bounds = (0.0, math.inf)
    higher_is_better = False
    tie_rules = RankedMeasure.tie_rules

    def __post_init__(self) -> None:
        RelevanceMeasure.__post_init__(self)
        if self.ties == "mean" and self.cutoff is not None:
            raise no_closed_form(self)

    def ties_unknown(self) -> str:
        if self.is_cut:
            return "the list is cut: which items are found depends on the order too"
        return RelevanceMeasure.ties_unknown(self)
