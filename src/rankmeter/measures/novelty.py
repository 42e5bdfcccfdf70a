"""Measures of how little known the recommended items are: self-information, plain or weighted by rank and relevance."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal

from rankmeter.measures.base import register, with_options
from rankmeter.measures.options import choice
from rankmeter.measures.slate_base import JudgedSlateMeasure, SlateMeasure, log_base


@with_options
class InformationMeasure(SlateMeasure):
    """A measure of an item's information: the fewer people took it, the more."""

    base: float | str = log_base()
    cold: Literal["one", "zero", "skip", "rarest"] = choice()
    norm: Literal["none", "log"] = choice()
    divisor: Literal["list", "k"] = choice()

    formula: ClassVar[Any] = "slates.popularity.novelty"
    bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)

    @property
    def asks_for_longest(self) -> bool:
        return self.divisor == "k"


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
