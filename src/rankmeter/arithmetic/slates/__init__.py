"""Pure functions from slates to a value per list, or to one value for all lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankmeter.arithmetic.exact_sums import summed
from rankmeter.arithmetic.slates import coverage, diversity, fairness, listquality, popularity, taste, value
from rankmeter.arithmetic.slates.data import Counts, Items, ListValues, Rows, Sets, Slates, Whole
from rankmeter.placing.placements import Floats

SLATE_FORMULAS: dict[str, Callable[[Slates, Any], ListValues | Whole]] = {
    "UserCoverage": coverage.user_coverage,
    "ILD": diversity.intra_list_distance,
    "CategoryDiversity": diversity.category_diversity,
    "CategoryEntropy": diversity.category_entropy,
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
"""The formula of every measure of lists that looks at each list, by its name."""

FROM_COUNTS: dict[str, tuple[str | Callable[[Any], str], Callable[[Counts, Items, Any], float]]] = {
    "Coverage": ("item", coverage.coverage),
    "Gini": ("item", coverage.gini),
    "ExposureGini": ("place", coverage.exposure_gini),
    "Entropy": (coverage.entropy_counts, coverage.entropy),
    "Personalisation": ("length", diversity.personalisation),
}
"""For measures of all lists that ask only how often items stand in them: what to count by, and the formula."""

FROM_SUMS: dict[str, Callable[[Floats, Floats, Any], Floats]] = {
    "PopREO": popularity.relative_spread,
    "PopRSP": popularity.relative_spread,
    "GroupExposure": fairness.exposure_of_group,
    "Disparity": fairness.distance_from_target,
}
"""For measures of all lists that are a function of sums over queries: that function, ``(..., m) -> (...)``."""


def counted_by(measure: Any) -> str | None:
    """What a measure of all lists counts the places of items by; None where it is no such measure."""
    by = FROM_COUNTS.get(type(measure).name, (None,))[0]
    return by(measure) if callable(by) else by


def value_from_counts(counts: Counts, items: Items, measure: Any) -> float:
    """The value of a measure of all lists, from how often items stand in them."""
    return FROM_COUNTS[type(measure).name][1](counts, items, measure)


def value_from_sums(sums: Floats, constants: Floats, measure: Any) -> float:
    """The value of a measure of all lists, from what the queries add up to."""
    return float(FROM_SUMS[type(measure).name](sums, constants, measure))


def slate_value(slates: Slates, measure: Any) -> ListValues | Whole:
    """The values of one measure for lists that are all counted."""
    slates = slates.cut(measure.cutoff)
    by = counted_by(measure)
    if by is not None:
        return Whole(value_from_counts(Counts.of(slates, by), slates.items, measure))
    found = SLATE_FORMULAS[type(measure).name](slates, measure)
    if isinstance(found, Whole) and found.parts is not None and found.constants is not None:
        # Exact sums: the order of the queries changes no digit.
        sums = np.array([summed(column) for column in found.parts.T])
        value = value_from_sums(sums, found.constants, measure) if len(slates) else float(np.nan)
        return Whole(value, found.parts, found.constants)
    return found


__all__ = [
    "FROM_COUNTS",
    "FROM_SUMS",
    "SLATE_FORMULAS",
    "Counts",
    "Items",
    "ListValues",
    "Rows",
    "Sets",
    "Slates",
    "Whole",
    "counted_by",
    "slate_value",
    "value_from_counts",
    "value_from_sums",
]
