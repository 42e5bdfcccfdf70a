"""Measures of diversity: how well the aspects of a query are covered, and how little is repeated.

They need judgments by subtopic: ``{query: {item: {subtopic: grade}}}``, a ``subtopic`` column, or TREC diversity
judgments, whose second field is the subtopic. A is the number of subtopics with a relevant item, and c(i, s) counts the
items above rank i that are relevant to subtopic s.
"""

from __future__ import annotations

from rankmeter.measures.base import MEANS, TIES_BY_ID, TIES_BY_INPUT, RelevanceMeasure, register, with_options
from rankmeter.measures.options import fraction, real


@with_options
class DiversityMeasure(RelevanceMeasure):
    """A measure of subtopics."""

    rel: float = real(1)

    subtopics = True
    within_cutoff = True
    tie_rules = (*TIES_BY_ID, *TIES_BY_INPUT)
    aggregates = MEANS

    @property
    def lowest_grade(self) -> float:
        return 0.0


@with_options
class NoveltyMeasure(DiversityMeasure):
    """A measure in which an item counts less the more items on its subtopics stand above it."""

    alpha: float = real(0.5, low=0, high=1)


@register
class AlphaDCG(NoveltyMeasure):
    r"""alpha-DCG: discounted gain in which the gain of a subtopic shrinks by 1 - alpha each time it is seen.

    .. math:: \frac{\sum_{i\le k} \sum_s r_{i,s} (1-\alpha)^{c(i,s)} / \log_2(i+1)}
        {\sum_{i\le k} A\,(1-\alpha)^{i-1} / \log_2(i+1)}

    The divisor is the gain of a list whose every item is relevant to all subtopics, which rarely exists.

    Misleads: even the best list stays below 1.

    Examples
    --------
    >>> import rankmeter as rm
    >>> truth = {"q": {"a": {"s1": 1}, "b": {"s1": 1}, "c": {"s2": 1}}}
    >>> ev = rm.evaluate(truth, {"q": ["a", "b", "c"]}, ["alpha_DCG@3"])
    >>> round(ev["alpha_DCG@3"], 6)
    0.630166
    """

    name = "alpha_DCG"
    formula = "diversity.alpha_dcg"


@register
class AlphaNDCG(NoveltyMeasure):
    r"""alpha-nDCG: alpha-DCG over that of the best list of judged items.

    .. math:: \alpha\text{-nDCG@}k = \frac{\alpha\text{-DCG@}k}{\alpha\text{-DCG@}k\ \text{of the ideal list}}

    The ideal list is built greedily: the item that adds most comes next, ties by higher id. Finding the true optimum is
    NP-hard.

    Misleads: the greedy ideal can fall short of the optimum, so values slightly above 1 are possible.

    Examples
    --------
    The best order is a or b first, c second, the other one last.

    >>> import rankmeter as rm
    >>> truth = {"q": {"a": {"s1": 1}, "b": {"s1": 1}, "c": {"s2": 1}}}
    >>> ev = rm.evaluate(truth, {"q": ["a", "b", "c"]}, ["alpha_nDCG@3"])
    >>> round(ev["alpha_nDCG@3"], 6)
    0.965195
    """

    name = "alpha_nDCG"
    formula = "diversity.alpha_ndcg"


@register
class IntentAwareERR(NoveltyMeasure):
    r"""ERR-IA: intent-aware expected reciprocal rank: a reader's cascade for each subtopic, averaged.

    .. math:: \frac{\sum_{i\le k} \frac{1}{i} \sum_s r_{i,s} (1-\alpha)^{c(i,s)}}{\sum_{i\le k} A\,(1-\alpha)^{i-1} / i}

    Misleads: grades count only as relevant or not.

    Examples
    --------
    >>> import rankmeter as rm
    >>> truth = {"q": {"a": {"s1": 1}, "b": {"s1": 1}, "c": {"s2": 1}}}
    >>> ev = rm.evaluate(truth, {"q": ["a", "b", "c"]}, ["ERR_IA@3"])
    >>> round(ev["ERR_IA@3"], 6)
    0.59375
    """

    name = "ERR_IA"
    formula = "diversity.err_ia"


@register
class NormalisedIntentAwareERR(NoveltyMeasure):
    r"""nERR-IA: ERR-IA over that of the ideal list.

    .. math:: \mathrm{nERR\text{-}IA@}k =
        \frac{\mathrm{ERR\text{-}IA@}k}{\mathrm{ERR\text{-}IA@}k\ \text{of the ideal list}}

    Misleads: the ideal list is greedy, as for alpha-nDCG.

    Examples
    --------
    >>> import rankmeter as rm
    >>> truth = {"q": {"a": {"s1": 1}, "b": {"s1": 1}, "c": {"s2": 1}}}
    >>> ev = rm.evaluate(truth, {"q": ["a", "b", "c"]}, ["nERR_IA@3"])
    >>> round(ev["nERR_IA@3"], 6)
    0.95
    """

    name = "nERR_IA"
    formula = "diversity.nerr_ia"


@with_options
class NoveltyBiasedMeasure(NoveltyMeasure):
    """A measure that also models a reader's patience."""

    beta: float = fraction(0.5)


@register
class NoveltyBiasedRBP(NoveltyBiasedMeasure):
    r"""NRBP: novelty- and rank-biased precision: a reader who goes on with probability beta and tires of repetition.

    .. math:: \mathrm{NRBP} = \frac{1 - (1-\alpha)\beta}{A} \sum_i \beta^{\,i-1} \sum_s r_{i,s} (1-\alpha)^{c(i,s)}

    Misleads: with beta = 0.5 nearly all the weight is on the first five places.

    Examples
    --------
    >>> import rankmeter as rm
    >>> truth = {"q": {"a": {"s1": 1}, "b": {"s1": 1}, "c": {"s2": 1}}}
    >>> rm.evaluate(truth, {"q": ["a", "b", "c"]}, ["NRBP"])["NRBP"]
    0.5625
    """

    name = "NRBP"
    formula = "diversity.nrbp"


@register
class NormalisedNoveltyBiasedRBP(NoveltyBiasedMeasure):
    r"""nNRBP: NRBP over that of the ideal list.

    .. math:: \mathrm{nNRBP} = \frac{\mathrm{NRBP}}{\mathrm{NRBP\ of\ the\ ideal\ list}}

    Misleads: the ideal list is greedy, as for alpha-nDCG.

    Examples
    --------
    >>> import rankmeter as rm
    >>> truth = {"q": {"a": {"s1": 1}, "b": {"s1": 1}, "c": {"s2": 1}}}
    >>> round(rm.evaluate(truth, {"q": ["a", "b", "c"]}, ["nNRBP"])["nNRBP"], 6)
    0.923077
    """

    name = "nNRBP"
    formula = "diversity.nnrbp"


@register
class IntentAwareAP(DiversityMeasure):
    r"""AP-IA: the mean of the average precisions for each subtopic.

    .. math:: \mathrm{AP\text{-}IA} = \frac{1}{A} \sum_s \mathrm{AP}_s

    Misleads: rare and common subtopics count the same, and repetition is not penalised.

    Examples
    --------
    AP is 1 for s1 and 1/3 for s2: their mean is 2/3.

    >>> import rankmeter as rm
    >>> truth = {"q": {"a": {"s1": 1}, "b": {"s1": 1}, "c": {"s2": 1}}}
    >>> round(rm.evaluate(truth, {"q": ["a", "b", "c"]}, ["AP_IA"])["AP_IA"], 6)
    0.666667
    """

    name = "AP_IA"
    formula = "diversity.ap_ia"


@register
class IntentAwarePrecision(DiversityMeasure):
    r"""P-IA: the mean of the precisions for each subtopic.

    .. math:: \mathrm{P\text{-}IA@}k = \frac{1}{A} \sum_s \mathrm{P}_s\mathrm{@}k

    Misleads: k items on one subtopic score as much as k/2 on each of two.

    Examples
    --------
    Two hits for s1 and one for s2 in three places: 3 / (3 * 2).

    >>> import rankmeter as rm
    >>> truth = {"q": {"a": {"s1": 1}, "b": {"s1": 1}, "c": {"s2": 1}}}
    >>> rm.evaluate(truth, {"q": ["a", "b", "c"]}, ["P_IA@3"])["P_IA@3"]
    0.5
    """

    name = "P_IA"
    formula = "diversity.p_ia"
    sees_order = False


@register
class SubtopicRecall(DiversityMeasure):
    r"""StRecall: the share of the subtopics that the first k places cover.

    .. math:: \mathrm{StRecall@}k = \frac{|\{s : \exists i \le k,\ r_{i,s}\}|}{A}

    Misleads: one item per subtopic is enough, whatever else is in the list.

    Examples
    --------
    >>> import rankmeter as rm
    >>> truth = {"q": {"a": {"s1": 1}, "b": {"s1": 1}, "c": {"s2": 1}}}
    >>> rm.evaluate(truth, {"q": ["a", "b", "c"]}, ["StRecall@2"])["StRecall@2"]
    0.5
    """

    name = "StRecall"
    formula = "diversity.subtopic_recall"
    sees_order = False
