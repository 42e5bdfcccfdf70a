"""Measures of how different the items of a list are, and how different the lists of different users."""

from __future__ import annotations

from typing import Literal

from rankmeter.errors import MeasureError
from rankmeter.measures.base import register, when
from rankmeter.measures.options import choice
from rankmeter.measures.slate_base import SlateMeasure, WholeMeasure, log_base

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
    bounds = (float("-inf"), float("inf"))
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
    bounds = (0.0, float("inf"))
    needs = ("categories",)


@register
class CategoryEntropy(SlateMeasure):
    """Category entropy: how evenly a list is spread over its categories."""

    base: float | str = log_base()
    norm: Literal["none", "categories"] = choice()

    name = "CategoryEntropy"
    formula = "slates.listdiversity.category_entropy"
    bounds = (0.0, float("inf"))
    needs = ("categories",)


@register
class Personalisation(WholeMeasure):
    """Personalisation: one minus the mean similarity of two users' lists."""

    name = "Personalisation"
    formula = "slates.listdiversity.personalisation"
    no_value = "measures.fewer_than_two_lists"
    counts_by = "length"
