"""Measures of faults in lists: too short, items twice, items seen before, items outside the catalogue."""

from __future__ import annotations

from typing import Literal

from rankmeter.measures.base import register, with_options
from rankmeter.measures.options import choice
from rankmeter.measures.slate_base import SlateMeasure


@with_options
class ListFault(SlateMeasure):
    """A measure of faults in lists; a repeated item is counted as a fault, not refused."""

    default_duplicates = "counted"


@register
class ShortLists(ListFault):
    r"""Short lists: the share of the lists that have fewer than k items.

    .. math:: \frac{|\{u : |L_u| < k\}|}{|U|}

    Without a cutoff k is the length of the longest list. With ``queries="judged"`` a judged user without any list
    counts as a short one.

    Misleads: it does not say how short.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.evaluate(None, {"u": ["a", "b"], "v": ["a"]}, "ShortLists@2")["ShortLists@2"]
    0.5
    """

    name = "ShortLists"
    sees_items = False
    formula = "slates.listquality.short_lists"
    asks_for_longest = True
    higher_is_better = False
    aggregates = ("mean", "sum")


@register
class DuplicateItems(ListFault):
    r"""Duplicates: the share of the first k places that repeat an item from above in the same list.

    .. math:: \frac{n - |\{L_1, \dots, L_n\}|}{n}

    Other measures refuse a list that contains an item twice unless ``duplicates`` states what to do; this one counts.

    Misleads: the same product under two ids goes unnoticed.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.evaluate(None, {"u": ["a", "b", "a", "c"]}, "DuplicateItems@4")["DuplicateItems@4"]
    0.25
    """

    scale: Literal["repeated", "different"] = choice()

    name = "DuplicateItems"
    formula = "slates.listquality.duplicate_items"

    @property
    def higher_is_better(self) -> bool:  # type: ignore[override]  # the scale decides
        """Whether more is better: no item should stand twice."""
        return self.scale == "different"


@register
class SeenItems(ListFault):
    r"""Seen items: the share of the first k places that hold items the user took before.

    .. math:: \frac{|L_u \cap H_u|}{|L_u|}

    ``scale="unseen"`` is one minus it, which RePlay calls novelty.

    Misleads: where repeated use is the point (music, groceries) it is not a fault.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.evaluate(None, {"u": ["a", "b"]}, "SeenItems@2", history={"u": ["a"]})["SeenItems@2"]
    0.5
    """

    scale: Literal["seen", "unseen"] = choice()

    name = "SeenItems"
    formula = "slates.listquality.seen_items"

    @property
    def higher_is_better(self) -> bool:  # type: ignore[override]  # the scale decides
        """Whether more is better: new items are, unless repeated use is the point."""
        return self.scale == "unseen"

    needs = ("history",)


@register
class OutsideCatalogue(ListFault):
    r"""Items outside the catalogue: the share of the first k places that cannot be served.

    .. math:: \frac{|L_u \setminus I|}{|L_u|}

    Misleads: a stale catalogue looks like a bad recommender.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.evaluate(None, {"u": ["a", "z"]}, "OutsideCatalogue@2", catalogue=["a", "b"])["OutsideCatalogue@2"]
    0.5
    """

    name = "OutsideCatalogue"
    formula = "slates.listquality.outside_catalogue"
    higher_is_better = False
    needs = ("catalogue",)
