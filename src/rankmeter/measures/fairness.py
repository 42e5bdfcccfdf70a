"""Measures of whose items are seen, and of whether all groups of users are served equally well."""

from __future__ import annotations

import math
from typing import Literal

from rankmeter.measures.base import register, with_options
from rankmeter.measures.options import choice, fraction, real
from rankmeter.measures.slate_base import SlateMeasure, WholeMeasure, name_or_number


@with_options
class ExposureMeasure(WholeMeasure):
    """A measure of exposure, with a model of attention."""

    weight: Literal["log2", "geometric", "reciprocal", "equal"] = choice()
    p: float = fraction(0.85)

    needs = ("groups",)


@register
class GroupExposure(ExposureMeasure):
    """Exposure of one group of items: its share of all attention."""

    group: str | float | None = name_or_number(None)
    unit: Literal["share", "ratio"] = choice()

    name = "GroupExposure"
    formula = "slates.fairness.group_exposure"
    no_value = "measures.nothing_grouped"
    of_sums = "slates.fairness.exposure_of_group"
    bounds = (0.0, math.inf)


@register
class Disparity(ExposureMeasure):
    """Disparity: how far the exposure of the groups is from a target."""

    target: Literal["catalogue", "uniform", "history", "relevance"] = choice()
    distance: Literal["tv", "max", "kl", "ratio", "js"] = choice()
    rel: float = real(1)

    name = "Disparity"
    formula = "slates.fairness.disparity"
    no_value = "measures.nothing_grouped_or_aimed_at"
    of_sums = "slates.fairness.distance_from_target"
    bounds = (0.0, math.inf)
    higher_is_better = False

    def needed(self) -> tuple[str, ...]:
        more = {"history": ("popularity",), "relevance": ("judgments",)}
        return ("groups", *more.get(self.target, ()))


@register
class AttentionWeightedFairness(SlateMeasure):
    """Attention-weighted rank fairness: how near the exposure of the groups in each list is to a target."""

    weight: Literal["log2", "geometric", "reciprocal", "equal"] = choice()
    p: float = fraction(0.85)
    target: Literal["catalogue", "uniform", "history", "relevance"] = choice()
    distance: Literal["js", "tv", "max"] = choice()
    rel: float = real(1)

    name = "AWRF"
    formula = "slates.fairness.attention_weighted"
    no_value = "measures.nothing_grouped_or_aimed_at"
    aggregates = ("mean", "median")
    needed = Disparity.needed


@register
class JointExposure(WholeMeasure):
    """Joint multisided exposure: how far items or their groups are exposed from what is fair to users, each or all."""

    users: Literal["each", "all"] = choice()
    items: Literal["each", "group"] = choice()
    weight: Literal["geometric", "log2", "reciprocal", "equal"] = choice()
    p: float = fraction(0.85)
    rel: float = real(1)

    name = "JointExposure"
    formula = "slates.fairness.joint_exposure"
    bounds = (0.0, math.inf)
    higher_is_better = False
    default_queries = "judged"

    def needed(self) -> tuple[str, ...]:
        return ("judgments", "catalogue", *(("groups",) if self.items == "group" else ()))


@register
class SegmentGap(WholeMeasure):
    """Gap between user segments: how much better some segments of users are served than others."""

    of: str | float | None = name_or_number("nDCG")
    gap: Literal["mad", "range"] = choice()

    name = "SegmentGap"
    compares_slices = True
    no_value = "measures.fewer_than_two_segments"
    bounds = (0.0, math.inf)
    higher_is_better = False
    default_queries = "judged"
    needs = ("judgments", "segments")
