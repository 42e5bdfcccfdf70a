"""Pure functions from slates to a value per list, or to one value for all lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankmeter.arithmetic.slates import coverage, diversity, fairness, listquality, popularity, taste, value
from rankmeter.arithmetic.slates.data import Items, ListValues, Rows, Sets, Slates, Whole
from rankmeter.placing.placements import Floats

SLATE_FORMULAS: dict[str, Callable[[Slates, Any], ListValues | Whole]] = {
    "Coverage": coverage.coverage,
    "UserCoverage": coverage.user_coverage,
    "Gini": coverage.gini,
    "ExposureGini": coverage.exposure_gini,
    "Entropy": coverage.entropy,
    "ILD": diversity.intra_list_distance,
    "CategoryDiversity": diversity.category_diversity,
    "CategoryEntropy": diversity.category_entropy,
    "Personalisation": diversity.personalisation,
    "Novelty": popularity.novelty,
    "MIUF": popularity.novelty,
    "EPC": popularity.expected_popularity_complement,
    "EFD": popularity.expected_free_discovery,
    "ARP": popularity.average_popularity,
    "APLT": popularity.tail_share,
    "ACLT": popularity.tail_count,
    "TailShare": popularity.tail_share,
    "PopREO": popularity.equal_opportunity,
    "PopRSP": popularity.statistical_parity,
    "PopularityLift": popularity.popularity_lift,
    "Serendipity": taste.serendipity,
    "Unexpectedness": taste.unexpectedness,
    "Calibration": taste.calibration,
    "GroupExposure": fairness.group_exposure,
    "Disparity": fairness.disparity,
    "Revenue": value.revenue,
    "Margin": value.margin,
    "ValueNDCG": value.value_ndcg,
    "ValueHitRate": value.value_hit_rate,
    "ShortLists": listquality.short_lists,
    "DuplicateItems": listquality.duplicate_items,
    "SeenItems": listquality.seen_items,
    "OutsideCatalogue": listquality.outside_catalogue,
}
"""The formula of every measure of lists, by its name."""

FROM_SUMS: dict[str, Callable[[Floats, Floats, Any], Floats]] = {
    "PopREO": popularity.relative_spread,
    "PopRSP": popularity.relative_spread,
    "GroupExposure": fairness.exposure_of_group,
    "Disparity": fairness.distance_from_target,
}
"""For measures of all lists that are a function of sums over queries: that function, ``(..., m) -> (...)``."""


def slate_value(slates: Slates, measure: Any) -> ListValues | Whole:
    """The values of one measure for lists that are all counted."""
    found = SLATE_FORMULAS[type(measure).name](slates.cut(measure.cutoff), measure)
    if isinstance(found, Whole) and found.parts is not None and found.constants is not None:
        sums = found.parts.sum(axis=0)
        value = FROM_SUMS[type(measure).name](sums, found.constants, measure)
        return Whole(float(value) if len(slates) else float(np.nan), found.parts, found.constants)
    return found


__all__ = ["FROM_SUMS", "SLATE_FORMULAS", "Items", "ListValues", "Rows", "Sets", "Slates", "Whole", "slate_value"]
