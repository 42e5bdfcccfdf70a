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
    r"""Interpolated precision averaged over recall points, by default eleven, evenly spaced from 0 to 1.

    .. math:: \frac{1}{n} \sum_{j=0}^{n-1} \mathrm{IPrec@}\frac{j}{n-1}

    Misleads: superseded by AP, which needs no interpolation.

    Examples
    --------
    R = 2, relevant items at ranks 1 and 4: precision 1 up to recall 0.5 (6 points), then 0.5 (5 points): 8.5/11.

    >>> import rankmeter as rm
    >>> round(rm.value("IPrecAvg", grades=[1, 0, 0, 1]), 6)
    0.772727
    >>> rm.value("IPrecAvg(points={0.2,0.5,0.8})", grades=[1, 0, 0, 1])
    0.833333...
    """

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
    r"""Set precision times set recall: what average precision would be if the order were left to chance.

    .. math:: \mathrm{SetAP} = \frac{h^2}{n\,R}

    Misleads: it ignores the order.

    Examples
    --------
    SetP = 2/3, SetR = 1: 2/3.

    >>> import rankmeter as rm
    >>> round(rm.value("SetAP", grades=[1, 0, 1]), 6)
    0.666667
    """

    name = "SetAP"
    formula = "historic.set_average_precision"
    tie_rules = SINGLE_ORDER_TIES


@register
class Utility(HitMeasure):
    r"""Linear utility of the returned set, as filtering tasks define it.

    .. math:: a\,h + b\,(n - h) + c\,(R - h) + d\,(N - n - R + h)

    ``found`` is a, ``noise`` b, ``missed`` c, ``rest`` d, ``collection`` N.

    Misleads: unbounded below; long lists dominate the mean.

    Examples
    --------
    Two relevant items and one other: 2 - 1 = 1.

    >>> import rankmeter as rm
    >>> rm.value("Utility", grades=[1, 0, 1])
    1.0
    """

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
    r"""binG: each relevant item counts 1 over the logarithm of the number of other items above it.

    .. math:: \mathrm{binG} = \frac{1}{R} \sum_{r\ \text{returned}} \frac{1}{\log_2(2 + n_r)}

    n_r counts the items above r that are not relevant.

    Misleads: experimental; not a basis for comparison.

    Examples
    --------
    n = 0 and 1: (1 + 1/log2(3)) / 2 = 0.815465.

    >>> import rankmeter as rm
    >>> round(rm.value("binG", grades=[1, 0, 1]), 6)
    0.815465
    """

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
    r"""G: each gain over the logarithm of how far the list is behind the ideal list at that rank.

    .. math:: \mathrm{G} = \frac{1}{\sum_j g^*_j} \sum_i \frac{g_i}{\log_2\!\big(2 + \sum_{j\le i} \max(g^*_j, 1)
        - \sum_{j \le i} g_j\big)}

    Misleads: experimental; not a basis for comparison.

    Examples
    --------
    Grades 1, 0, 1; ideal 1, 1: (1/log2(2) + 1/log2(3)) / 2 = 0.815465.

    >>> import rankmeter as rm
    >>> round(rm.value("G", grades=[1, 0, 1]), 6)
    0.815465
    """

    name = "G"
    formula = "historic.normalised_g"


@register
class NdcgOverRelevant(ExperimentalGain):
    r"""nDCGrel: nDCG at the rank of each item with a gain, averaged over those items.

    .. math:: \frac{1}{|R|} \Big(\sum_{r\ \text{returned}} \mathrm{nDCG@}i_r
        + \sum_{r\ \text{not returned}} \mathrm{nDCG}\Big)

    Misleads: experimental; not a basis for comparison.

    Examples
    --------
    Grades 1, 0, 1: nDCG@1 = 1, nDCG@3 = 1.5/1.630930: their mean is 0.959860.

    >>> import rankmeter as rm
    >>> round(rm.value("nDCGrel", grades=[1, 0, 1]), 6)
    0.95986
    """

    name = "nDCGrel"
    formula = "historic.ndcg_over_relevant"


@register
class NdcgOverLevels(ExperimentalGain):
    r"""RnDCG: nDCG averaged over the ranks at which the ideal list steps down to a lower gain.

    .. math:: \frac{1}{|C|} \sum_{c \in C} \frac{\mathrm{DCG@}\min(c, n)}{\mathrm{IDCG@}c}

    C holds, for each positive gain, the number of items with at least that gain, and the length n of the list if it
    goes at least two items beyond the last of these.

    Misleads: experimental; not a basis for comparison.

    Examples
    --------
    Grades 2, 0, 1: 2/2 at rank 1 and 2/2.630930 at rank 2; the list ends one item later: 0.880094.

    >>> import rankmeter as rm
    >>> round(rm.value("RnDCG", grades=[2, 0, 1]), 6)
    0.880094
    """

    name = "RnDCG"
    formula = "historic.ndcg_over_levels"
    bounded_by_grade = True


@register
class NumNonrelevantReturned(RelevanceMeasure):
    """The number of items judged not relevant that were returned; with a cutoff, in the first k places.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.value("NumNonrelRet", grades=[1, 0, 1, 0])
    2.0
    """

    aggregate: str = choice("sum", "mean", "median")

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
    r"""Unjudged: the share of the first k places that hold unjudged items.

    .. math:: \mathrm{Unjudged@}k = \frac{|\{i \le k : i\ \text{not judged}\}|}{k}

    ``norm="none"`` is their number.

    Misleads: a list shorter than k is still divided by k; it says nothing about quality.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.evaluate({"q": {"a": 1}}, {"q": ["a", "x"]}, ["Unjudged@4"])["Unjudged@4"]
    0.25
    """

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
    r"""The residual of rank-biased precision: how much the unjudged items could still add.

    .. math:: (1-p) \sum_{i\ \text{not judged}} p^{\,i-1} + p^{\,n}

    The second term stands for everything below the list; ``tail="if-unjudged"`` adds it only if the list contains an
    unjudged item, as trec_eval does.

    Misleads: it bounds the error of missing judgments, not that of wrong ones.

    Examples
    --------
    p = 0.5, unjudged at rank 2 of 2: 0.25 + 0.25.

    >>> import rankmeter as rm
    >>> rm.evaluate({"q": {"a": 1}}, {"q": ["a", "x"]}, ["RBPResidual(p=0.5)"])["RBPResidual(p=0.5)"]
    0.5
    """

    p: float = fraction(0.8)
    tail: Literal["always", "if-unjudged"] = choice()

    name = "RBPResidual"
    formula = "historic.rank_biased_residual"
    tie_rules = SINGLE_ORDER_TIES
    aggregates = MEANS
