"""Measures of faults in lists: too short, items twice, items seen before, items outside the catalogue."""

from __future__ import annotations

from typing import Literal

from rankmeter.measures.base import register, when, with_options
from rankmeter.measures.options import choice
from rankmeter.measures.slate_base import SlateMeasure


@with_options
class ListFault(SlateMeasure):
    """A measure of faults in lists; a repeated item is counted as a fault, not refused."""

    default_duplicates = "counted"


@register
class ShortLists(ListFault):
    """Short lists: the share of the lists that have fewer than k items."""

    name = "ShortLists"
    sees_items = False
    formula = "slates.listquality.short_lists"
    asks_for_longest = True
    higher_is_better = False
    aggregates = ("mean", "sum")


@register
class DuplicateItems(ListFault):
    """Duplicates: the share of the first k places that repeat an item from above in the same list."""

    scale: Literal["repeated", "different"] = choice()

    name = "DuplicateItems"
    formula = "slates.listquality.duplicate_items"
    higher_is_better = when("scale", "different")


@register
class SeenItems(ListFault):
    """Seen items: the share of the first k places that hold items the user took before."""

    scale: Literal["seen", "unseen"] = choice()

    name = "SeenItems"
    formula = "slates.listquality.seen_items"
    higher_is_better = when("scale", "unseen")

    needs = ("history",)


@register
class OutsideCatalogue(ListFault):
    """Items outside the catalogue: the share of the first k places that cannot be served."""

    name = "OutsideCatalogue"
    formula = "slates.listquality.outside_catalogue"
    higher_is_better = False
    needs = ("catalogue",)
