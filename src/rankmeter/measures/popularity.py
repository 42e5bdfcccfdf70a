"""Measures of how popular the recommended items are, and whether the tail gets its share."""

from __future__ import annotations

import math
from typing import Literal

from rankmeter.measures.base import register, with_options
from rankmeter.measures.options import choice, fraction, real
from rankmeter.measures.slate_base import SlateMeasure, WholeMeasure


@register
class AverageRecommendationPopularity(SlateMeasure):
    r"""Average recommendation popularity: how often the recommended items were taken in the training data.

    .. math:: \mathrm{ARP@}k = \frac{1}{n} \sum_{i \in L_u} m_i

    ``count="users"`` counts users instead of interactions; ``norm`` divides by all interactions (share) or by the count
    of the most popular item (max); ``cold="skip"`` leaves items that nobody took out of the mean.

    Misleads: popular items are popular for a reason; a low value is not a merit by itself.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.evaluate(None, {"w": ["a", "c"]}, "ARP@2", history={"u": ["a", "b"], "v": ["a"]})["ARP@2"]
    1.0
    """

    count: Literal["interactions", "users"] = choice()
    norm: Literal["none", "share", "max"] = choice()
    cold: Literal["zero", "skip"] = choice()

    name = "ARP"
    formula = "slates.popularity.average_popularity"
    bounds = (0.0, math.inf)
    higher_is_better = False
    needs = ("popularity",)


@with_options
class TailMeasure(SlateMeasure):
    """A measure of the long tail, with the options that define which items belong to it."""

    tail: Literal["interactions", "items"] = choice()
    share: float = fraction(0.2)
    among: Literal["catalogue", "history"] = choice()
    border: Literal["first", "last"] = choice()

    needs = ("popularity",)


@register
class AveragePercentageOfLongTail(TailMeasure):
    r"""Average percentage of long-tail items: the mean share of a list that comes from the tail.

    .. math:: \mathrm{APLT@}k = \frac{1}{|U|} \sum_u \frac{|L_u \cap T|}{|L_u|}

    The tail T is what remains without the head: with ``tail="interactions"`` the head consists of the most popular
    items that together have 1 - ``share`` (80 %) of the interactions; with ``tail="items"`` the tail is the least
    popular ``share`` of the items. Items of the catalogue that nobody took are in the tail; ``among="history"`` leaves
    them out. Of equally popular items on the border, those that come first in the catalogue (``border="last"``: last)
    are in the tail.

    Misleads: two definitions of the tail give quite different numbers.

    Examples
    --------
    a has 4 of 5 interactions, so b (and c, never taken) are the tail.

    >>> import rankmeter as rm
    >>> train = {1: ["a"], 2: ["a"], 3: ["a"], 4: ["a", "b"]}
    >>> rm.evaluate(None, {5: ["a", "b", "c"]}, "APLT@3", history=train)["APLT@3"]
    0.6666...
    """

    name = "APLT"
    formula = "slates.popularity.tail_share"


@register
class AverageCountOfLongTail(TailMeasure):
    r"""Average count of long-tail items in a list.

    .. math:: \mathrm{ACLT@}k = \frac{1}{|U|} \sum_u |L_u \cap T|

    The tail is that of :class:`AveragePercentageOfLongTail`.

    Misleads: it grows with the length of the lists.

    Examples
    --------
    >>> import rankmeter as rm
    >>> train = {1: ["a"], 2: ["a"], 3: ["a"], 4: ["a", "b"]}
    >>> rm.evaluate(None, {5: ["a", "b", "c"]}, "ACLT@3", history=train)["ACLT@3"]
    2.0
    """

    name = "ACLT"
    formula = "slates.popularity.tail_count"
    bounds = (0.0, math.inf)
    aggregates = ("mean", "sum", "median")


@register
class TailShare(TailMeasure):
    r"""Tail share: the share of all recommended places that go to items of the tail.

    .. math:: \frac{\sum_u |L_u \cap T|}{\sum_u |L_u|}

    As APLT, but every place counts the same whatever list it is in (``aggregate="pooled"``), and the tail is by
    default the least popular fifth of the items.

    Misleads: as for APLT.

    Examples
    --------
    Of five items the tail is the least popular one, e. It has 1 of 3 places.

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=list("abcde"), popularity=[9, 7, 5, 3, 1])
    >>> rm.evaluate(None, {1: ["a", "e"], 2: ["b"]}, "TailShare", catalogue=items)["TailShare"]
    0.3333...
    """

    aggregate: str = choice("pooled", "mean", "median")
    tail: Literal["interactions", "items"] = choice(default="items")

    name = "TailShare"
    formula = "slates.popularity.tail_share"
    aggregates = ("pooled", "mean", "median")


@with_options
class GroupGapMeasure(WholeMeasure):
    """A measure that compares head and tail, or the groups of the catalogue."""

    groups: Literal["popularity", "catalogue"] = choice()
    tail: Literal["interactions", "items"] = choice()
    share: float = fraction(0.2)
    among: Literal["catalogue", "history"] = choice()
    border: Literal["first", "last"] = choice()

    higher_is_better = False
    bounds = (0.0, math.inf)


@register
class PopularityEqualOpportunity(GroupGapMeasure):
    r"""Popularity-based ranking equal opportunity: whether relevant items of head and tail are found equally often.

    .. math:: \mathrm{PopREO@}k = \frac{\mathrm{std}(o_g)}{\mathrm{mean}(o_g)}, \qquad o_g = \frac{hits_g}{relevant_g}

    The groups are head and tail, or with ``groups="catalogue"`` those of the catalogue. A group without a relevant item
    is left out, and with ``among="history"`` so is every item that nobody took.

    Misleads: it is also 0 if nothing of either group is found.

    Examples
    --------
    Both relevant items of the head are found, one of two of the tail: std(1, 0.5) / mean(1, 0.5) = 1/3.

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=list("abcd"), popularity=[9, 9, 1, 1])
    >>> truth, lists = {1: ["a", "c"], 2: ["b", "d"]}, {1: ["a", "c"], 2: ["b", "c"]}
    >>> rm.evaluate(truth, lists, "PopREO@2", catalogue=items)["PopREO@2"]
    0.3333...
    """

    rel: float = real(1)

    name = "PopREO"
    formula = "slates.popularity.equal_opportunity"
    of_sums = "slates.popularity.relative_spread"
    default_queries = "judged"

    def needed(self) -> tuple[str, ...]:
        return ("judgments", "groups" if self.groups == "catalogue" else "popularity")


@register
class PopularityStatisticalParity(GroupGapMeasure):
    r"""Popularity-based ranking statistical parity: whether items of head and tail are recommended equally often.

    .. math:: \mathrm{PopRSP@}k = \frac{\mathrm{std}(s_g)}{\mathrm{mean}(s_g)}, \qquad
        s_g = \frac{recommended_g}{\sum_u |I_g \setminus H_u|}

    The denominator counts what could have been recommended: items of the group that the user has not taken yet.

    Misleads: it takes parity as the goal, whatever users want.

    Examples
    --------
    Head: 2 of 3 possible places, tail: 1 of 4.

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=list("abcd"), popularity=[9, 9, 1, 1])
    >>> lists, train = {1: ["a", "c"], 2: ["b"]}, {1: ["b"]}
    >>> rm.evaluate(None, lists, "PopRSP@2", catalogue=items, history=train)["PopRSP@2"]
    0.4545...
    """

    name = "PopRSP"
    formula = "slates.popularity.statistical_parity"
    sees_history = True
    of_sums = "slates.popularity.relative_spread"

    def needed(self) -> tuple[str, ...]:
        if self.groups == "catalogue":
            return ("catalogue", "groups")
        return ("popularity",) if self.among == "history" else ("catalogue", "popularity")


@register
class PopularityLift(SlateMeasure):
    r"""Popularity lift: how much more popular the recommended items are than those that users chose themselves.

    .. math:: \frac{\sum_u \overline{m}(L_u) - \sum_u \overline{m}(H_u)}{\sum_u \overline{m}(H_u)}

    It compares the mean popularity of the list with that of the user's own history; 0 keeps the users' taste, 1 doubles
    the popularity. ``aggregate="mean"`` averages the lift of each user instead.

    Misleads: items already taken are usually not recommended again, which alone lowers the popularity.

    Examples
    --------
    a was taken twice, b and c once: the list has popularity 2, the history of v 1.

    >>> import rankmeter as rm
    >>> train = {"u": ["a", "b"], "x": ["a"], "v": ["c"]}
    >>> rm.evaluate(None, {"v": ["a"]}, "PopularityLift", history=train)["PopularityLift"]
    1.0
    """

    aggregate: str = choice("pooled", "mean", "median")
    count: Literal["interactions", "users"] = choice()

    name = "PopularityLift"
    formula = "slates.popularity.popularity_lift"
    aggregates = ("pooled", "mean", "median")
    bounds = (-1.0, math.inf)
    higher_is_better = False
    needs = ("popularity", "history")
