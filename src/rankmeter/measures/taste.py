"""Measures of a list against the user's own history: surprise, and calibration to the user's tastes."""

from __future__ import annotations

import math
from typing import Literal

from rankmeter.measures.base import register, when
from rankmeter.measures.options import choice, fraction
from rankmeter.measures.slate_base import JudgedSlateMeasure, SlateMeasure, log_base


@register
class Serendipity(JudgedSlateMeasure):
    """Serendipity: items that are relevant and would not have been expected."""

    surprise: Literal["popularity", "history", "popular"] = choice()
    source: Literal["features", "categories", "history"] = choice()
    relevance: Literal["judged", "all"] = choice()

    name = "Serendipity"
    formula = "slates.taste.serendipity"
    asks_for_longest = when("surprise", "popular")
    sees_order = when("surprise", "popularity")

    def needed(self) -> tuple[str, ...]:
        kinds = {
            "popularity": ("catalogue", "popularity"),
            "history": ("history", self.source),
            "popular": ("popularity",),
        }
        return (*(("judgments",) if self.relevance == "judged" else ()), *kinds[self.surprise])


@register
class Unexpectedness(SlateMeasure):
    """Unexpectedness: how different the list is from what was to be expected."""

    surprise: Literal["history", "popular"] = choice()
    source: Literal["features", "categories", "history"] = choice()

    name = "Unexpectedness"
    formula = "slates.taste.unexpectedness"
    asks_for_longest = when("surprise", "popular")
    bounds = (0.0, 2.0)

    def needed(self) -> tuple[str, ...]:
        return ("history", self.source) if self.surprise == "history" else ("popularity",)


@register
class Calibration(SlateMeasure):
    """Calibration: how far the categories of a list are from those of the user's history."""

    divergence: Literal["kl", "js"] = choice()
    alpha: float = fraction(0.01)
    base: float | str = log_base()
    weight: Literal["equal", "log2", "reciprocal"] = choice()

    name = "Calibration"
    formula = "slates.taste.calibration"
    bounds = (0.0, math.inf)
    higher_is_better = False
    needs = ("categories", "history")
