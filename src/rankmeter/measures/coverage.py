"""Measures of how recommendations spread over the catalogue and over the users."""

from __future__ import annotations

import math
from typing import Literal

from rankmeter.measures.base import register, when, with_options
from rankmeter.measures.options import choice, fraction, whole
from rankmeter.measures.slate_base import SlateMeasure, WholeMeasure, log_base


@register
class Coverage(WholeMeasure):
    """Catalogue coverage: the share of the items that are recommended to anyone."""

    of: Literal["catalogue", "history"] = choice()
    outside: Literal["ignored", "counted"] = choice()
    unit: Literal["share", "percent", "count"] = choice()
    padding: int = whole(0, low=0)

    name = "Coverage"
    formula = "slates.coverage.coverage"
    counts_by = "item"

    def needed(self) -> tuple[str, ...]:
        return (self.of,)


@register
class UserCoverage(SlateMeasure):
    """User coverage: the share of the judged users who get at least one recommendation."""

    lists: Literal["any", "full"] = choice()

    name = "UserCoverage"
    formula = "slates.coverage.user_coverage"
    asks_for_longest = when("lists", "full")
    default_queries = "judged"
    aggregates = ("mean", "sum")

    def needed(self) -> tuple[str, ...]:
        return () if self.queries == "run" else ("judgments",)


@with_options
class Inequality(WholeMeasure):
    """How unequally items are used: over which items, and on which scale."""

    over: Literal["catalogue", "recommended", "history"] = choice()
    divisor: Literal["n", "n-1"] = choice()
    scale: Literal["inequality", "equality"] = choice()

    no_value = "measures.nothing_looked_at"

    higher_is_better = when("scale", "equality")

    def needed(self) -> tuple[str, ...]:
        return () if self.over == "recommended" else (self.over,)


@register
class Gini(Inequality):
    """Gini index of how often items are recommended: 0 if all equally often, near 1 if one item takes every place."""

    padding: int = whole(0, low=0)

    name = "Gini"
    formula = "slates.coverage.gini"
    counts_by = "item"


@register
class ExposureGini(Inequality):
    """Gini index of the exposure of items: a place counts by the chance that it is seen."""

    weight: Literal["geometric", "log2", "reciprocal", "equal"] = choice()
    p: float = fraction(0.85)

    name = "ExposureGini"
    formula = "slates.coverage.exposure_gini"
    counts_by = "place"


@register
class Entropy(WholeMeasure):
    """Shannon entropy of the recommended items: how evenly the recommendations are spread over items."""

    base: float | str = log_base()
    norm: Literal["none", "items", "distinct"] = choice()
    weighting: Literal["places", "lists"] = choice()

    name = "Entropy"
    formula = "slates.coverage.entropy"
    no_value = "measures.nothing_recommended"
    bounds = (0.0, math.inf)

    @property
    def counts_by(self) -> str:  # type: ignore[override]  # the weighting decides
        """If every list has the same weight, a place counts by the length of its list."""
        return "length" if self.weighting == "lists" else "item"

    def needed(self) -> tuple[str, ...]:
        return ("catalogue",) if self.norm == "items" else ()
