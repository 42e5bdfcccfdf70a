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
    """The number of queries that the other numbers are about.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.evaluate({"q1": {"a"}, "q2": {"b"}}, {"q1": ["a"]}, ["NumQ"])["NumQ"]
    2.0
    """

    aggregate: str = choice("sum")

    name = "NumQ"
    formula = "relevance.num_queries"
    aggregates = ("sum",)


@register
class NumReturned(_CountOfList, RankedMeasure):
    """The number of items returned, over all queries; with a cutoff, at most k per query.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.value("NumRet", grades=[1, 0, 1])
    3.0
    """

    aggregate: str = choice("sum", "mean", "median")

    name = "NumRet"
    formula = "relevance.num_returned"


@register
class NumRelevant(_Count, HitMeasure):
    """The number of items judged relevant, over all queries.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.evaluate({"q": {"a": 2, "b": 1, "c": 0}}, {"q": ["a"]}, ["NumRel", "NumRel(rel=2)"]).mean
    {'NumRel': 2.0, 'NumRel(rel=2)': 1.0}
    """

    aggregate: str = choice("sum", "mean", "median")

    name = "NumRel"
    formula = "relevance.num_relevant"


@register
class NumRelevantReturned(HitMeasure):
    """The number of relevant items returned, over all queries; with a cutoff, in the first k places.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.value("NumRelRet@2", grades=[1, 0, 1])
    1.0
    """

    aggregate: str = choice("sum", "mean", "median")

    name = "NumRelRet"
    formula = "relevance.num_relevant_returned"
    only_rises = True
    bounds = (0.0, math.inf)
    needs_total = False
    aggregates = COUNTS
