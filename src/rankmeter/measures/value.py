"""Measures of money: what the relevant items in the first k places are worth."""

from __future__ import annotations

import math
from typing import Literal

from rankmeter.measures.base import register, with_options
from rankmeter.measures.options import choice
from rankmeter.measures.slate_base import JudgedSlateMeasure


@with_options
class EarningMeasure(JudgedSlateMeasure):
    """A sum of what relevant items earn, with an optional discount by rank."""

    discount: Literal["none", "log2", "reciprocal"] = choice()

    aggregates = ("mean", "sum", "median")


@register
class Revenue(EarningMeasure):
    r"""Revenue at k: the value of the relevant items within the first k places.

    .. math:: \mathrm{Revenue@}k = \sum_{i \le k} [r_i \ge rel]\, disc_i\, v_i

    The average per user; ``aggregate="sum"`` is the total. ``discount`` gives early places more weight. An item without
    a value in the catalogue counts 0, with a note.

    Misleads: purchases that needed no recommendation count too: it is revenue within reach, not caused.

    Examples
    --------
    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=["a", "b"], values=[10, 2.5])
    >>> rm.evaluate({"u": ["a"], "v": ["b"]}, {"u": ["b", "a"], "v": ["b"]}, "Revenue@2", catalogue=items)["Revenue@2"]
    6.25
    """

    name = "Revenue"
    formula = "slates.value.revenue"
    bounds = (0.0, math.inf)
    needs = ("judgments", "values")


@register
class Margin(EarningMeasure):
    r"""Margin at k: what is earned with the relevant items within the first k places.

    .. math:: \mathrm{Margin@}k = \sum_{i \le k} [r_i \ge rel]\, disc_i\, g_i

    g is the margin of an item, which may be negative. ``aggregate="sum"`` is the total.

    Misleads: as for revenue; a margin before discounts and returns is another number.

    Examples
    --------
    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=["a", "b"], margins=[4, -1])
    >>> rm.evaluate({"u": ["a", "b"]}, {"u": ["b", "a"]}, "Margin@2", catalogue=items)["Margin@2"]
    3.0
    """

    name = "Margin"
    formula = "slates.value.margin"
    bounds = (-math.inf, math.inf)
    needs = ("judgments", "margins")


@register
class ValueNDCG(JudgedSlateMeasure):
    r"""Value-weighted nDCG: the gain of an item is its grade times its value.

    .. math:: \frac{\sum_{i \le k} g(r_i)\, v_i / \log_2(i+1)}
        {\max_\pi \sum_{i \le k} g(r_{\pi_i})\, v_{\pi_i} / \log_2(i+1)}

    The ideal list holds all relevant items of the user, the highest gain first. Items judged below ``rel`` gain
    nothing.

    Misleads: one expensive item outweighs many good cheap ones; the users who buy it dominate the mean.

    Examples
    --------
    Values 1 and 3 in the wrong order: (1 + 3 * 0.6309) / (3 + 1 * 0.6309).

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=["a", "b"], values=[1, 3])
    >>> rm.evaluate({"u": ["a", "b"]}, {"u": ["a", "b"]}, "ValueNDCG@2", catalogue=items)["ValueNDCG@2"]
    0.7967...
    """

    gain: Literal["linear", "exp2", "binary"] = choice()
    discount: Literal["log2", "reciprocal"] = choice()

    name = "ValueNDCG"
    formula = "slates.value.value_ndcg"
    aggregates = ("mean", "median")
    needs = ("judgments", "values")


@register
class ValueHitRate(JudgedSlateMeasure):
    r"""Value-weighted hit rate: the share of the value of all relevant items that stands within the first k places.

    .. math:: \frac{\sum_u \sum_{i \le k} [r_i \ge rel]\, v_i}{\sum_u \sum_{i : r_i \ge rel} v_i}

    With one held-out item per user it is the hit rate in which a hit counts by its value. ``aggregate="mean"``
    averages the share of each user instead.

    Misleads: a few expensive items decide it.

    Examples
    --------
    Value 10 of 10 + 2 is found.

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=["a", "b"], values=[10, 2])
    >>> truth, lists = {"u": ["a"], "v": ["b"]}, {"u": ["a"], "v": ["a"]}
    >>> rm.evaluate(truth, lists, "ValueHitRate@1", catalogue=items)["ValueHitRate@1"]
    0.8333...
    """

    aggregate: str = choice("pooled", "mean", "median")

    name = "ValueHitRate"
    formula = "slates.value.value_hit_rate"
    aggregates = ("pooled", "mean", "median")
    needs = ("judgments", "values")
