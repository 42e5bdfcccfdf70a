"""Measures of how different the items of a list are from each other, from other lists and from the user's history."""

from __future__ import annotations

import math
from typing import Literal

from rankmeter.errors import MeasureError
from rankmeter.measures.base import register, when
from rankmeter.measures.options import choice, fraction
from rankmeter.measures.slate_base import JudgedSlateMeasure, SlateMeasure, WholeMeasure, log_base

SIMILARITIES = ("cosine", "jaccard", "hamming", "given")
"""The metrics that are one minus a similarity."""


@register
class IntraListDistance(SlateMeasure):
    """Intra-list distance: the mean distance between two items of the same list."""

    metric: Literal["cosine", "jaccard", "hamming", "hamming-count", "euclidean", "manhattan", "given"] = choice()
    source: Literal["features", "categories", "history"] = choice()
    single: Literal["one", "zero", "skip"] = choice()
    norm: Literal["pairs", "list"] = choice()
    scale: Literal["distance", "similarity"] = choice()

    name = "ILD"
    formula = "slates.listdiversity.intra_list_distance"
    higher_is_better = when("scale", "distance")
    bounds = (-math.inf, math.inf)
    """A catalogue's own similarity may have any size."""

    def __post_init__(self) -> None:
        SlateMeasure.__post_init__(self)
        if self.scale == "similarity" and (self.norm != "pairs" or self.metric not in SIMILARITIES):
            raise MeasureError.of(
                "measures.not_a_similarity", metric=self.metric, norm=self.norm, metrics=list(SIMILARITIES)
            )
        if self.source != "features" and self.metric not in ("cosine", "jaccard"):
            raise MeasureError.of("measures.metric_of_sets", metric=self.metric, source=self.source)

    def needed(self) -> tuple[str, ...]:
        return ("distance",) if self.metric == "given" else (self.source,)


@register
class CategoryDiversity(SlateMeasure):
    """Category diversity: how many different categories a list contains, by default divided by k."""

    norm: Literal["k", "list", "catalogue", "count"] = choice()

    name = "CategoryDiversity"
    formula = "slates.listdiversity.category_diversity"
    bounds = (0.0, math.inf)
    needs = ("categories",)


@register
class CategoryEntropy(SlateMeasure):
    """Category entropy: how evenly a list is spread over its categories."""

    base: float | str = log_base()
    norm: Literal["none", "categories"] = choice()

    name = "CategoryEntropy"
    formula = "slates.listdiversity.category_entropy"
    bounds = (0.0, math.inf)
    needs = ("categories",)


@register
class Personalisation(WholeMeasure):
    """Personalisation: one minus the mean similarity of two users' lists."""

    name = "Personalisation"
    formula = "slates.listdiversity.personalisation"
    no_value = "measures.fewer_than_two_lists"
    counts_by = "length"


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
