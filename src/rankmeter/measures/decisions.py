"""Measures of lists as decisions: every item of the catalogue is shown to a user or not, and is relevant or not."""

from __future__ import annotations

from typing import ClassVar, Literal

from rankmeter.measures.base import register, when, with_options
from rankmeter.measures.options import choice
from rankmeter.measures.slate_base import JudgedSlateMeasure


@with_options
class DecisionMeasure(JudgedSlateMeasure):
    """A measure of the four counts of decisions: shown or not, relevant or not."""

    shown: Literal["list", "k"] = choice()

    needs: ClassVar[tuple[str, ...]] = ("judgments", "catalogue")
    asks_for_longest = when("shown", "k")


@register
class CatalogueAccuracy(DecisionMeasure):
    """Accuracy over the catalogue: the share of all items that are rightly shown or rightly left out."""

    name = "CatalogueAccuracy"
    formula = "slates.decisions.accuracy"


@register
class MatthewsCorrelation(DecisionMeasure):
    """Matthews correlation coefficient: the correlation of being shown with being relevant, over the catalogue."""

    name = "MCC"
    formula = "slates.decisions.matthews"
    bounds = (-1.0, 1.0)
