"""Measures of how popular the recommended items are, and whether the tail gets its share."""

from __future__ import annotations

import math
from typing import Literal

from rankmeter.measures.base import register, with_options
from rankmeter.measures.options import choice, fraction, real
from rankmeter.measures.slate_base import SlateMeasure, WholeMeasure


@register
class AverageRecommendationPopularity(SlateMeasure):
    """Average recommendation popularity: how often the recommended items were taken in the training data."""

    count: Literal["interactions", "users"] = choice()
    norm: Literal["none", "share", "max"] = choice()
    cold: Literal["zero", "skip"] = choice()

    name = "ARP"
    formula = "slates.popularity.average_popularity"
    bounds = (0.0, math.inf)
    higher_is_better = False
    needs = ("popularity",)


@with_options
class TailMeasure(SlateMeasure):
    """A measure of the long tail, with the options that define which items belong to it."""

    tail: Literal["interactions", "items"] = choice()
    share: float = fraction(0.2)
    among: Literal["catalogue", "history"] = choice()
    border: Literal["first", "last"] = choice()

    needs = ("popularity",)


@register
class AveragePercentageOfLongTail(TailMeasure):
    """Average percentage of long-tail items: the mean share of a list that comes from the tail."""

    name = "APLT"
    formula = "slates.popularity.tail_share"


@register
class AverageCountOfLongTail(TailMeasure):
    """Average count of long-tail items in a list."""

    name = "ACLT"
    formula = "slates.popularity.tail_count"
    bounds = (0.0, math.inf)
    aggregates = ("mean", "sum", "median")


@register
class TailShare(TailMeasure):
    """Tail share: the share of all recommended places that go to items of the tail."""

    aggregate: str = choice("pooled", "mean", "median")
    tail: Literal["interactions", "items"] = choice(default="items")

    name = "TailShare"
    formula = "slates.popularity.tail_share"
    aggregates = ("pooled", "mean", "median")


@with_options
class GroupGapMeasure(WholeMeasure):
    """A measure that compares head and tail, or the groups of the catalogue."""

    groups: Literal["popularity", "catalogue"] = choice()
    tail: Literal["interactions", "items"] = choice()
    share: float = fraction(0.2)
    among: Literal["catalogue", "history"] = choice()
    border: Literal["first", "last"] = choice()

    higher_is_better = False
    bounds = (0.0, math.inf)


@register
class PopularityEqualOpportunity(GroupGapMeasure):
    """Popularity-based ranking equal opportunity: whether relevant items of head and tail are found equally often."""

    rel: float = real(1)

    name = "PopREO"
    formula = "slates.popularity.equal_opportunity"
    of_sums = "slates.popularity.relative_spread"
    default_queries = "judged"

    def needed(self) -> tuple[str, ...]:
        return ("judgments", "groups" if self.groups == "catalogue" else "popularity")


@register
class PopularityStatisticalParity(GroupGapMeasure):
    """Popularity-based ranking statistical parity: whether items of head and tail are recommended equally often."""

    name = "PopRSP"
    formula = "slates.popularity.statistical_parity"
    sees_history = True
    of_sums = "slates.popularity.relative_spread"

    def needed(self) -> tuple[str, ...]:
        if self.groups == "catalogue":
            return ("catalogue", "groups")
        return ("popularity",) if self.among == "history" else ("catalogue", "popularity")


@register
class PopularityLift(SlateMeasure):
    """Popularity lift: how much more popular the recommended items are than those that users chose themselves."""

    aggregate: str = choice("pooled", "mean", "median")
    count: Literal["interactions", "users"] = choice()

    name = "PopularityLift"
    formula = "slates.popularity.popularity_lift"
    aggregates = ("pooled", "mean", "median")
    bounds = (-1.0, math.inf)
    higher_is_better = False
    needs = ("popularity", "history")
