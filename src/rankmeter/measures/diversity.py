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

    lowest_grade = 0.0


@with_options
class NoveltyMeasure(DiversityMeasure):
    """A measure in which an item counts less the more items on its subtopics stand above it."""

    alpha: float = real(0.5, low=0, high=1)


@register
class AlphaDCG(NoveltyMeasure):
    """alpha-DCG: discounted gain in which the gain of a subtopic shrinks by 1 - alpha each time it is seen."""

    name = "alpha_DCG"
    formula = "diversity.alpha_dcg"


@register
class AlphaNDCG(NoveltyMeasure):
    """alpha-nDCG: alpha-DCG over that of the best list of judged items."""

    name = "alpha_nDCG"
    formula = "diversity.alpha_ndcg"


@register
class IntentAwareERR(NoveltyMeasure):
    """ERR-IA: intent-aware expected reciprocal rank: a reader's cascade for each subtopic, averaged."""

    name = "ERR_IA"
    formula = "diversity.err_ia"


@register
class NormalisedIntentAwareERR(NoveltyMeasure):
    """nERR-IA: ERR-IA over that of the ideal list."""

    name = "nERR_IA"
    formula = "diversity.nerr_ia"


@with_options
class NoveltyBiasedMeasure(NoveltyMeasure):
    """A measure that also models a reader's patience."""

    beta: float = fraction(0.5)


@register
class NoveltyBiasedRBP(NoveltyBiasedMeasure):
    """NRBP: novelty- and rank-biased precision: a reader who goes on with probability beta and tires of repetition."""

    name = "NRBP"
    formula = "diversity.nrbp"


@register
class NormalisedNoveltyBiasedRBP(NoveltyBiasedMeasure):
    """nNRBP: NRBP over that of the ideal list."""

    name = "nNRBP"
    formula = "diversity.nnrbp"


@register
class IntentAwareAP(DiversityMeasure):
    """AP-IA: the mean of the average precisions for each subtopic."""

    name = "AP_IA"
    formula = "diversity.ap_ia"


@register
class IntentAwarePrecision(DiversityMeasure):
    """P-IA: the mean of the precisions for each subtopic."""

    name = "P_IA"
    formula = "diversity.p_ia"
    sees_order = False


@register
class SubtopicRecall(DiversityMeasure):
    """StRecall: the share of the subtopics that the first k places cover."""

    name = "StRecall"
    formula = "diversity.subtopic_recall"
    sees_order = False
