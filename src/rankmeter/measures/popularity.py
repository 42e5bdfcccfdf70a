"""Measures of how popular or how little known the recommended items are, and whether the tail gets its share."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal

from rankmeter.measures.base import register, when, with_options
from rankmeter.measures.options import choice, fraction, real
from rankmeter.measures.slate_base import JudgedSlateMeasure, SlateMeasure, WholeMeasure, log_base


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

    count: Literal["interactions", "users"] = choice()

    name = "PopularityLift"
    formula = "slates.popularity.popularity_lift"
    aggregates = ("pooled", "mean", "median")
    bounds = (-1.0, math.inf)
    higher_is_better = False
    needs = ("popularity", "history")


@with_options
class InformationMeasure(SlateMeasure):
    """A measure of an item's information: the fewer people took it, the more."""

    base: float | str = log_base()
    cold: Literal["one", "zero", "skip", "rarest"] = choice()
    norm: Literal["none", "log"] = choice()
    divisor: Literal["list", "k"] = choice()

    formula: ClassVar[Any] = "slates.popularity.novelty"
    bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)

    asks_for_longest = when("divisor", "k")


@register
class Novelty(InformationMeasure):
    """Novelty: the mean self-information of the recommended items, in bits."""

    count: Literal["interactions", "users"] = choice()

    name = "Novelty"

    def needed(self) -> tuple[str, ...]:
        return ("users",) if self.count == "users" else ("popularity",)


@register
class MeanInverseUserFrequency(InformationMeasure):
    """Mean inverse user frequency: novelty by the share of users who took the item."""

    name = "MIUF"
    needs = ("users",)


@register
class ExpectedPopularityComplement(JudgedSlateMeasure):
    """Expected popularity complement: how unpopular the relevant recommended items are, discounted by rank."""

    discount: Literal["log2", "reciprocal", "none"] = choice()
    relevance: Literal["judged", "all"] = choice()

    name = "EPC"
    formula = "slates.popularity.expected_popularity_complement"

    def needed(self) -> tuple[str, ...]:
        base = ("users",)
        return base if self.relevance == "all" else ("judgments", *base)


@register
class ExpectedFreeDiscovery(JudgedSlateMeasure):
    """Expected free discovery: the self-information of the relevant recommended items, discounted by rank."""

    base: float | str = log_base()
    cold: Literal["one", "zero", "skip", "rarest"] = choice()
    discount: Literal["log2", "reciprocal", "none"] = choice()
    relevance: Literal["judged", "all"] = choice()

    name = "EFD"
    formula = "slates.popularity.expected_free_discovery"
    bounds = (0.0, math.inf)

    def needed(self) -> tuple[str, ...]:
        return ("popularity",) if self.relevance == "all" else ("judgments", "popularity")
