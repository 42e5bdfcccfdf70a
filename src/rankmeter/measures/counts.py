"""Counts over the whole run: queries, returned items, relevant items, relevant items returned."""

from __future__ import annotations

import math
from typing import ClassVar

from rankmeter.measures.base import COUNTS, HitMeasure, RankedMeasure, register
from rankmeter.measures.options import choice


class _Count:
    """The facts shared by all counts."""

    __slots__ = ()
    has_goal = False
    looks_at_relevance = False
    bounds = (0.0, math.inf)
    aggregates: ClassVar[tuple[str, ...]] = COUNTS


class _CountOfList(_Count):
    """The facts of a count that judgments do not change."""

    __slots__ = ()
    within_cutoff = True
    sees_order = False
    bounded_by_grade = True
    needs_total = False


@register
class NumQueries(_CountOfList, RankedMeasure):
    """The number of queries that the other numbers are about."""

    aggregate: str = choice("sum")

    name = "NumQ"
    formula = "relevance.num_queries"
    aggregates = ("sum",)


@register
class NumReturned(_CountOfList, RankedMeasure):
    """The number of items returned, over all queries; with a cutoff, at most k per query."""

    aggregate: str = choice("sum", "mean", "median")

    name = "NumRet"
    formula = "relevance.num_returned"


@register
class NumRelevant(_Count, HitMeasure):
    """The number of items judged relevant, over all queries."""

    aggregate: str = choice("sum", "mean", "median")

    name = "NumRel"
    formula = "relevance.num_relevant"


@register
class NumRelevantReturned(HitMeasure):
    """The number of relevant items returned, over all queries; with a cutoff, in the first k places."""

    aggregate: str = choice("sum", "mean", "median")

    name = "NumRelRet"
    formula = "relevance.num_relevant_returned"
    only_rises = True
    bounds = (0.0, math.inf)
    needs_total = False
    aggregates = COUNTS
