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
    """Revenue at k: the value of the relevant items within the first k places."""

    name = "Revenue"
    formula = "slates.value.revenue"
    bounds = (0.0, math.inf)
    needs = ("judgments", "values")


@register
class Margin(EarningMeasure):
    """Margin at k: what is earned with the relevant items within the first k places."""

    name = "Margin"
    formula = "slates.value.margin"
    bounds = (-math.inf, math.inf)
    needs = ("judgments", "margins")


@register
class ValueNDCG(JudgedSlateMeasure):
    """Value-weighted nDCG: the gain of an item is its grade times its value."""

    gain: Literal["linear", "exp2", "binary"] = choice()
    discount: Literal["log2", "reciprocal"] = choice()

    name = "ValueNDCG"
    formula = "slates.value.value_ndcg"
    aggregates = ("mean", "median")
    needs = ("judgments", "values")


@register
class ValueHitRate(JudgedSlateMeasure):
    """Value-weighted hit rate: the share of the value of all relevant items that stands within the first k places."""

    name = "ValueHitRate"
    formula = "slates.value.value_hit_rate"
    aggregates = ("pooled", "mean", "median")
    needs = ("judgments", "values")
