"""Counts over the whole run: queries, returned items, relevant items, relevant items returned."""

from __future__ import annotations

import math
from typing import ClassVar

from rankmeter.measures.base import COUNTS, HitMeasure, RankedMeasure, register, with_options


@with_options
class CountMeasure(RankedMeasure):
    """A number of queries or items, which describes the data and has no goal."""

    has_goal = False
    looks_at_relevance = False
    bounds = (0.0, math.inf)
    aggregates: ClassVar[tuple[str, ...]] = COUNTS


@with_options
class CountOfList(CountMeasure):
    """A count that judgments do not change."""

    within_cutoff = True
    sees_order = False
    bounded_by_grade = True
    needs_total = False


@register
class NumQueries(CountOfList):
    """The number of queries that the other numbers are about."""

    name = "NumQ"
    formula = "relevance.num_queries"
    aggregates = ("sum",)


@register
class NumReturned(CountOfList):
    """The number of items returned, over all queries; with a cutoff, at most k per query."""

    name = "NumRet"
    formula = "relevance.num_returned"


@register
class NumRelevant(CountMeasure, HitMeasure):
    """The number of items judged relevant, over all queries."""

    name = "NumRel"
    formula = "relevance.num_relevant"


@register
class NumRelevantReturned(HitMeasure):
    """The number of relevant items returned, over all queries; with a cutoff, in the first k places."""

    name = "NumRelRet"
    formula = "relevance.num_relevant_returned"
    only_rises = True
    bounds = (0.0, math.inf)
    needs_total = False
    aggregates = COUNTS
