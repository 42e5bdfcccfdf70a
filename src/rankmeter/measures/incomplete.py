"""Measures for incomplete judgments, which also look at the items judged not relevant."""

from __future__ import annotations

from rankmeter.measures.base import SINGLE_ORDER_TIES, RankedMeasure, RelevanceMeasure, register


@register
class BinaryPreference(RelevanceMeasure):
    r"""Binary preference: how rarely an item judged not relevant stands above a relevant one.

    .. math:: \mathrm{Bpref} = \frac{1}{R} \sum_{r\ \text{returned}}
        \left(1 - \frac{\min(n_r, R)}{\min(N, R)}\right)

    n_r counts the items judged not relevant above r, N all items judged not relevant. Unjudged items are ignored.

    Misleads: with few items judged not relevant it is coarse; values from different pools are not comparable.

    Examples
    --------
    Relevant, not relevant, relevant, not relevant: R = 2, N = 2, (1 + (1 - 1/2)) / 2 = 0.75.

    >>> import rankmeter as rm
    >>> rm.value("Bpref", grades=[1, 0, 1, 0])
    0.75
    """

    name = "Bpref"
    formula = "incomplete.bpref"
    within_cutoff = True
    looks_at_relevance = False
    bounded_by_grade = True
    places_judged = True
    tie_rules = SINGLE_ORDER_TIES


@register
class InferredAP(RelevanceMeasure):
    r"""Inferred average precision: AP estimated from a random sample of judgments.

    .. math:: \mathrm{infAP} = \frac{1}{R} \sum_{i : r_i \ge rel}
        \left(\frac{1}{i} + \frac{i-1}{i}\cdot\frac{p_i}{i-1}\cdot\frac{h_i + \epsilon}{h_i + n_i + 2\epsilon}\right)

    Above rank i, p counts the items of the pool, h those judged relevant, n those judged not relevant; epsilon =
    0.00001.

    Misleads: it is an estimate for pools judged by sampling; elsewhere use AP.

    Examples
    --------
    All judged, relevant at ranks 1 and 3: nearly AP = (1 + 2/3) / 2.

    >>> import rankmeter as rm
    >>> rm.value("infAP", grades=[1, 0, 1])
    0.8333...
    """

    name = "infAP"
    formula = "incomplete.inferred_ap"
    within_cutoff = True
    looks_at_relevance = False
    places_judged = True
    tie_rules = SINGLE_ORDER_TIES


@register
class Judged(RankedMeasure):
    r"""Judged: the share of the first k items that are judged; how far the other numbers can be trusted.

    .. math:: \mathrm{Judged@}k = \frac{|\{i \le k : i\ \text{judged}\}|}{\min(k, \text{length})}

    An empty list has the value 0.

    Misleads: it says nothing about quality; a system unlike the pooled ones scores low without being bad.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.evaluate({"q": {"a": 1, "b": 0}}, {"q": ["a", "x", "b", "y"]}, ["Judged@4"])["Judged@4"]
    0.5
    """

    name = "Judged"
    formula = "incomplete.judged"
    within_cutoff = True
    looks_at_relevance = False
    sees_order = False
    bounded_by_grade = True
    places_judged = True
    needs_total = False
