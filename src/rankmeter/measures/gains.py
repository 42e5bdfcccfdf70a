"""Measures of gain: cumulated, discounted and normalised gain, rank-biased precision, expected reciprocal rank."""

from __future__ import annotations

import math
from typing import Literal

from rankmeter.errors import MeasureError
from rankmeter.measures.base import (
    ANY_POSITIVE,
    MEANS,
    SINGLE_ORDER_TIES,
    GainMeasure,
    RankedMeasure,
    no_closed_form,
    register,
)
from rankmeter.measures.options import choice, real, whole

Discount = Literal["log2", "jk", "reciprocal"]


@register
class CumulatedGain(GainMeasure):
    r"""Cumulated gain: the sum of the gains in the first k places.

    .. math:: \mathrm{CG@}k = \sum_{i \le k} g(r_i)

    Misleads: it does not see the order within the first k.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.value("CG@3", grades=[3, 2, 3, 0, 1])
    8.0
    """

    name = "CG"
    formula = "gain.cumulated_gain"
    within_cutoff = True
    needs_total = False
    only_rises = True
    worked = "gains"
    sees_order = False
    bounded_by_grade = True
    bounds = (0.0, math.inf)
    aggregates = MEANS


@register
class DiscountedGain(GainMeasure):
    r"""Discounted cumulated gain: gains divided by a discount that grows with the rank.

    .. math:: \mathrm{DCG@}k = \sum_{i \le k} \frac{g(r_i)}{\log_2(i+1)}

    ``discount="jk"`` is the original of 2002 (ranks 1 and 2 undiscounted), ``reciprocal`` divides by the rank.

    Misleads: it has no upper bound; queries with many relevant items dominate the mean.

    Examples
    --------
    3 + 2/log2(3) + 3/2 + 0 + 1/log2(6) = 6.148712.

    >>> import rankmeter as rm
    >>> rm.value("DCG@5", grades=[3, 2, 3, 0, 1])
    6.1487...
    """

    discount: Discount = choice("log2", "jk", "reciprocal")

    name = "DCG"
    formula = "gain.discounted_gain"
    within_cutoff = True
    needs_total = False
    only_rises = True
    worked = "discounted"
    bounded_by_grade = True
    bounds = (0.0, math.inf)
    aggregates = MEANS


@register
class NDCG(GainMeasure):
    r"""Normalised discounted cumulated gain: how close the order is to the best order of the judged items.

    .. math:: \mathrm{nDCG@}k = \frac{\sum_{i\le k} g(r_i)/\log_2(i+1)}{\sum_{i\le k} g(r^*_i)/\log_2(i+1)}

    ``ideal`` says whose best order r* is: ``judged`` all judged items, cut at k; ``list`` the returned list re-sorted;
    ``top`` its first k re-sorted; ``uncut`` all judged items, not cut; ``full`` k hits, however many are relevant;
    ``length`` all judged items, cut at k and at the length of the returned list.

    Misleads: not comparable across queries with few positives; ``gain="exp2"`` rewards the top grade far more.

    Examples
    --------
    Grades 2, 0, 1 at ranks 1 to 3: DCG = 2 + 0 + 1/2 = 2.5, ideal = 2 + 1/log2(3) = 2.631.

    >>> import rankmeter as rm
    >>> rm.value("nDCG@3", grades=[2, 0, 1])
    0.9502...
    >>> rm.value("nDCG(gain=exp2)@3", grades=[2, 0, 1])
    0.9639...
    """

    discount: Discount = choice("log2", "jk", "reciprocal")
    ideal: Literal["judged", "list", "top", "uncut", "full", "length"] = choice(
        "judged", "list", "top", "uncut", "full", "length"
    )

    name = "nDCG"
    formula = "gain.ndcg"
    within_cutoff = True
    needs_total = False
    worked = "ideal"
    bounded_by_grade = True

    def __post_init__(self) -> None:
        GainMeasure.__post_init__(self)
        if self.ideal == "full" and (self.cutoff is None or self.gain != "binary"):
            raise MeasureError.of("measures.full_ideal")
        if self.sign == "positive" and self.ideal in ("list", "top"):
            raise MeasureError.of("measures.ideal_and_sign", ideal=self.ideal)
        if self.ties == "mean" and self.ideal == "top" and self.cutoff is not None:
            # Which items are in the first k is random then, and so is the divisor.
            raise no_closed_form(self)

    @property
    def last_rank(self) -> int | None:
        return None if self.ideal in ("list", "uncut", "length") else self.cutoff

    def ties_unknown(self) -> str:
        if (self.ideal == "top" and self.is_cut) or (self.ideal == "list" and self.depth is not None):
            return f"ideal={self.ideal}: the divisor depends on the order too"
        return GainMeasure.ties_unknown(self)


@register
class RankBiasedPrecision(RankedMeasure):
    r"""Rank-biased precision: what a reader gains who goes on to the next place with probability p.

    .. math:: \mathrm{RBP} = (1-p) \sum_i g_i\, p^{\,i-1}

    ``gain="binary"`` counts items judged at least ``rel``; ``gain="exp2"`` counts (2^grade - 1) / 2^max_grade;
    ``gain="linear"`` counts the grade itself, from ``rel`` on (ranx), which can exceed 1. ``norm="list"`` divides by
    what the list could reach at best, as LensKit can.

    Misleads: for p = 0.8 the first five places hold two thirds of the weight; unjudged items leave a large residual.

    Examples
    --------
    Relevant at ranks 1 and 3, p = 0.5: 0.5 * (1 + 0.25) = 0.625.

    >>> import rankmeter as rm
    >>> rm.value("RBP(p=0.5)", grades=[1, 0, 1])
    0.625
    """

    p: float = real(0.8, low=0, high=1, open_low=True, open_high=True)
    rel: float = real(1, low=-math.inf, high=math.inf)
    gain: Literal["binary", "exp2", "linear"] = choice("binary", "exp2", "linear")
    max_grade: int | None = whole(None, low=1)
    norm: Literal["none", "capped", "list"] = choice("none", "capped", "list")

    name = "RBP"
    formula = "gain.rank_biased_precision"
    within_cutoff = True
    worked = "patience"
    bounded_by_grade = True
    aggregates = MEANS

    def __post_init__(self) -> None:
        RankedMeasure.__post_init__(self)
        if (self.gain == "exp2") != (self.max_grade is not None):
            raise MeasureError.of("measures.exp2_and_max_grade")
        if self.norm != "none" and self.gain != "binary":
            raise MeasureError.of("measures.norm_needs_binary", norm=self.norm)

    @property
    def needs_total(self) -> bool:  # type: ignore[override]
        """Whether R is asked for."""
        return self.norm != "none"

    @property
    def lowest_grade(self) -> float:
        return ANY_POSITIVE if self.gain == "exp2" else self.rel

    @property
    def threshold(self) -> float | None:
        return None if self.gain == "exp2" else self.rel

    def counts_negative(self) -> bool:
        return self.gain == "binary" and self.rel < 0

    @property
    def only_rises(self) -> bool:  # type: ignore[override]  # the divisor may rise too
        """Whether an unjudged item that turns out to be relevant never lowers it."""
        return self.norm != "capped"


@register
class ExpectedReciprocalRank(RankedMeasure):
    r"""Expected reciprocal rank: 1 over the rank at which a reader, going down the list, is satisfied.

    .. math:: \mathrm{ERR@}k = \sum_{i\le k} \frac{1}{i}\, s_i \prod_{j<i} (1 - s_j),
        \quad s_i = \frac{2^{r_i}-1}{2^{max\_grade}}

    ``max_grade`` is the top of the grading scale, 4 unless stated; it is never taken from the data.

    Misleads: values under another ``max_grade`` are not comparable.

    Examples
    --------
    Grades 1, 4 with max_grade = 4: s = 1/16, 15/16; 1/16 + 1/2 * 15/16 * 15/16 = 0.501953.

    >>> import rankmeter as rm
    >>> rm.value("ERR@5", grades=[1, 4])
    0.5019...
    """

    max_grade: int = whole(4, low=1)

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

    @property
    def lowest_grade(self) -> float:
        return ANY_POSITIVE
