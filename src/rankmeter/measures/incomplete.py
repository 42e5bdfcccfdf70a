"""Measures for incomplete judgments, which also look at the items judged not relevant."""

from __future__ import annotations

from rankmeter.measures.base import SINGLE_ORDER_TIES, RankedMeasure, RelevanceMeasure, register


@register
class BinaryPreference(RelevanceMeasure):
    """Binary preference: how rarely an item judged not relevant stands above a relevant one."""

    name = "Bpref"
    formula = "incomplete.bpref"
    within_cutoff = True
    looks_at_relevance = False
    bounded_by_grade = True
    places_judged = True
    tie_rules = SINGLE_ORDER_TIES


@register
class InferredAP(RelevanceMeasure):
    """Inferred average precision: AP estimated from a random sample of judgments."""

    name = "infAP"
    formula = "incomplete.inferred_ap"
    within_cutoff = True
    looks_at_relevance = False
    places_judged = True
    tie_rules = SINGLE_ORDER_TIES


@register
class Judged(RankedMeasure):
    """Judged: the share of the first k items that are judged; how far the other numbers can be trusted."""

    name = "Judged"
    formula = "incomplete.judged"
    within_cutoff = True
    looks_at_relevance = False
    sees_order = False
    bounded_by_grade = True
    places_judged = True
    needs_total = False
