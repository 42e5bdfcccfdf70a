"""Measures of gain: cumulated, discounted and normalised gain, rank-biased precision, expected reciprocal rank."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

from rankmeter.errors import MeasureError
from rankmeter.measures.base import (
    ANY_POSITIVE,
    MEANS,
    SINGLE_ORDER_TIES,
    GainMeasure,
    RankedMeasure,
    no_closed_form,
    register,
    with_options,
)
from rankmeter.measures.options import GainMap, choice, choice_or_number, format_value, fraction, real, whole
from rankmeter.wording import said

AS_THEY_ARE = GainMap({})
"""Gains that are the grades themselves."""
Discount = Literal["log2", "jk", "reciprocal"]
Negative = Literal["unjudged", "nonrelevant", "counted"]


@with_options
class RatedGain(GainMeasure):
    """A sum of gains in which every returned item may count, judged or not.

    ``unjudged`` may be a grade, which returned items without a judgment then have; R and the ideal ignore them.
    ``negative="counted"`` lets grades below 0 lower the sum, in the ideal too.
    """

    unjudged: str | float = choice_or_number("nonrelevant", "removed", "nan")
    negative: Negative = choice()

    @property
    def lowest_grade(self) -> float:
        return -math.inf if self.negative == "counted" else GainMeasure.lowest_grade.fget(self)  # type: ignore[attr-defined]

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]  # a divisor may know less than what it divides
        """Between which values it lies."""
        rated = self.negative == "counted" or not isinstance(self.unjudged, str)
        return (-math.inf, math.inf) if rated else self.usual_bounds

    @property
    def gain_map(self) -> tuple[GainMap, float | None, float] | None:
        if self.negative != "counted" or self.gain == "binary":
            return GainMeasure.gain_map.fget(self)  # type: ignore[attr-defined, no-any-return]
        return (AS_THEY_ARE if isinstance(self.gain, str) else self.gain, self.rel, -math.inf)

    usual_bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)
    """Its bounds if no gain is negative and the ideal knows every item that gains."""


@register
class CumulatedGain(RatedGain):
    r"""Cumulated gain: the sum of the gains in the first k places.

    .. math:: \mathrm{CG@}k = \sum_{i \le k} g(r_i)

    ``norm="judged"`` divides by the sum of the gains of all judged items: recall by gain.

    Misleads: it ignores the order within the first k.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.value("CG@3", grades=[3, 2, 3, 0, 1])
    8.0

    The first three places hold 8 of the 9 that all grades add up to.

    >>> rm.value("CG(norm=judged)@3", grades=[3, 2, 3, 0, 1])
    0.8888...
    """

    norm: Literal["none", "judged"] = choice()

    name = "CG"
    formula = "gain.cumulated_gain"
    within_cutoff = True
    worked = "gains"
    sees_order = False
    bounded_by_grade = True
    aggregates = MEANS

    @property
    def needs_total(self) -> bool:  # type: ignore[override]
        """Whether all judged gains are asked for."""
        return self.norm == "judged"

    @property
    def only_rises(self) -> bool:  # type: ignore[override]  # the divisor may rise too
        """Whether an unjudged item that turns out to be relevant never lowers it."""
        return self.norm == "none"


@register
class DiscountedGain(RatedGain):
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

    discount: Discount = choice()

    name = "DCG"
    formula = "gain.discounted_gain"
    within_cutoff = True
    needs_total = False
    only_rises = True
    worked = "discounted"
    bounded_by_grade = True
    aggregates = MEANS


@register
class NDCG(RatedGain):
    r"""Normalised discounted cumulated gain: how close the order is to the best order of the judged items.

    .. math:: \mathrm{nDCG@}k = \frac{\sum_{i\le k} g(r_i)/\log_2(i+1)}{\sum_{i\le k} g(r^*_i)/\log_2(i+1)}

    ``ideal`` decides of what r* is the best order: ``judged`` all judged items, cut at k; ``list`` the returned list;
    ``top`` its first k items; ``uncut`` all judged items, not cut; ``length`` all judged items, cut at k and at the
    length of the returned list. ``full`` takes k hits, however many items are relevant, ``full-list`` min(k, length)
    hits.

    Misleads: queries with few relevant items are not comparable with others; ``gain="exp2"`` favours the top grade.

    Examples
    --------
    Grades 2, 0, 1 at ranks 1 to 3: DCG = 2 + 0 + 1/2 = 2.5, ideal = 2 + 1/log2(3) = 2.631.

    >>> import rankmeter as rm
    >>> rm.value("nDCG@3", grades=[2, 0, 1])
    0.9502...
    >>> rm.value("nDCG(gain=exp2)@3", grades=[2, 0, 1])
    0.9639...
    """

    discount: Discount = choice()
    ideal: Literal["judged", "list", "top", "uncut", "full", "length", "full-list"] = choice()

    name = "nDCG"
    formula = "gain.ndcg"
    usual_bounds = (0.0, 1.0)
    within_cutoff = True
    needs_total = False
    worked = "ideal"
    bounded_by_grade = True

    def __post_init__(self) -> None:
        GainMeasure.__post_init__(self)
        if self.ideal == "full" and (self.cutoff is None or self.gain != "binary"):
            raise MeasureError.of("measures.full_ideal")
        if self.ideal == "full-list" and self.gain != "binary":
            raise MeasureError.of("measures.full_list_ideal")
        if self.sign == "positive" and self.ideal in ("list", "top"):
            raise MeasureError.of("measures.ideal_and_sign", ideal=self.ideal)
        rated = self.negative == "counted" or not isinstance(self.unjudged, str)
        if rated and self.ideal in ("list", "top"):
            raise MeasureError.of("measures.ideal_and_ratings", ideal=self.ideal)
        if self.ties == "mean" and self.ideal == "top" and self.cutoff is not None:
            # Which items are among the first k is then random, and so is the divisor.
            raise no_closed_form(self)

    @property
    def last_rank(self) -> int | None:
        return None if self.ideal in ("list", "uncut", "length", "full-list") else self.cutoff

    def ties_unknown(self) -> str:
        if (self.ideal == "top" and self.is_cut) or (self.ideal == "list" and self.depth is not None):
            return said("measures.ties_decide_divisor", option=f"ideal={self.ideal}")
        return GainMeasure.ties_unknown(self)


@register
class RankBiasedPrecision(RankedMeasure):
    r"""Rank-biased precision: what a reader gains who goes on to the next place with probability p.

    .. math:: \mathrm{RBP} = (1-p) \sum_i g_i\, p^{\,i-1}

    ``gain="binary"`` counts items judged at least ``rel``; ``gain="exp2"`` gives an item (2^grade - 1) / 2^max_grade;
    ``gain="linear"`` gives it its grade, from ``rel`` on (ranx; the value can exceed 1), or with ``max_grade`` the
    grade divided by that. ``norm="list"`` divides by the best value that the list could have, as LensKit can;
    ``norm="places"`` by the weight of the first k places, 1 - p^k. ``scale="percent"`` gives a hundred times the value.

    Misleads: for p = 0.8 the first five places hold two thirds of the weight; unjudged items leave a large residual.

    Examples
    --------
    Relevant at ranks 1 and 3, p = 0.5: 0.5 * (1 + 0.25) = 0.625.

    >>> import rankmeter as rm
    >>> rm.value("RBP(p=0.5)", grades=[1, 0, 1])
    0.625
    >>> round(rm.value("RBP(gain=linear,max_grade=4,norm=places,p=0.6)@3", grades=[4, 0, 2]), 6)
    0.602041
    """

    p: float = fraction(0.8)
    rel: float = real(1)
    gain: Literal["binary", "exp2", "linear"] = choice()
    max_grade: int | None = whole(None, low=1)
    norm: Literal["none", "capped", "list", "places"] = choice()
    scale: Literal["one", "percent"] = choice()

    name = "RBP"
    formula = "gain.rank_biased_precision"
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
    def needs_total(self) -> bool:  # type: ignore[override]
        """Whether R is asked for."""
        return self.norm in ("capped", "list")

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

    ``max_grade`` is the top of the grading scale, 4 unless stated; it is never inferred from the data. ``unjudged`` may
    be a grade for unjudged items (Elasticsearch's ``unknown_doc_rating``); ``negative="counted"`` lets grades below 0
    have a negative chance to satisfy, as in Elasticsearch.

    Misleads: values for different ``max_grade`` are not comparable.

    Examples
    --------
    Grades 1, 4 with max_grade = 4: s = 1/16, 15/16; 1/16 + 1/2 * 15/16 * 15/16 = 0.501953.

    >>> import rankmeter as rm
    >>> rm.value("ERR@5", grades=[1, 4])
    0.5019...
    """

    max_grade: int = whole(4, low=1)
    unjudged: str | float = choice_or_number("nonrelevant", "removed", "nan")
    negative: Negative = choice()

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
        return -math.inf if self.negative == "counted" else ANY_POSITIVE

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """Between which values it lies."""
        return (-math.inf, math.inf) if self.negative == "counted" else (0.0, 1.0)

    @property
    def gain_map(self) -> tuple[GainMap, float | None, float] | None:
        return (AS_THEY_ARE, None, -math.inf) if self.negative == "counted" else None

    def ties_unknown(self) -> str:
        if self.negative == "counted":
            return said("measures.ties_below_zero", option="negative=counted")
        return RankedMeasure.ties_unknown(self)


@register
class HighestGrade(RankedMeasure):
    r"""Highest grade: that of the best item in the first k places.

    .. math:: \mathrm{MaxGrade@}k = \max_{i \le k} r_i

    0 if none of the first k is judged above 0.

    Misleads: it ignores how many such items there are and where they stand.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.value("MaxGrade@3", grades=[1, 0, 3, 4])
    3.0
    """

    name = "MaxGrade"
    formula = "gain.highest_grade"
    within_cutoff = True
    only_rises = True
    sees_order = False
    bounded_by_grade = True
    graded = True
    needs_total = False
    bounds = (0.0, math.inf)
    tie_rules = SINGLE_ORDER_TIES
    aggregates = MEANS

    @property
    def lowest_grade(self) -> float:
        return ANY_POSITIVE
