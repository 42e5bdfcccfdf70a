"""What all measures of lists share: the first k items of every query, whatever was judged.

They look at the items themselves (how popular, how similar, how expensive), so most need a catalogue of items or a
history of interactions: ``needed()`` lists what, and :func:`rankmeter.evaluate` asks for what is missing.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from rankmeter.measures.base import TIES_BY_ID, TIES_BY_INPUT, Measure, with_options
from rankmeter.measures.options import choice, real, ruled, whole

ORDERS = (*TIES_BY_ID, *TIES_BY_INPUT)
"""The tie rules that give one list; a slate has no grades from which to make a best or worst order."""


@with_options
class SlateMeasure(Measure):
    """A measure of the lists themselves: the options that all of these share."""

    cutoff: int | None = whole(None, low=1)
    ties: str = choice(*ORDERS)

    about: ClassVar[Literal["judged items", "lists", "events", "searches"]] = "lists"
    tie_rules: ClassVar[tuple[str, ...]] = ORDERS
    aggregates: ClassVar[tuple[str, ...]] = ("mean", "sum", "pooled", "median")
    default_queries: ClassVar[str] = "run"
    needs: ClassVar[tuple[str, ...]] = ()
    """What it needs beside the run: judgments, catalogue, history, popularity, features, ..."""
    counts_by: ClassVar[str] = ""
    """For a number of all lists that depends only on how often items occur: what a place counts by."""
    of_sums: ClassVar[str] = ""
    """For a number of all lists that is a function of sums over queries: that function, named as in `formula`."""
    sees_items: ClassVar[bool] = True
    """Whether it depends on which items a list contains, and not only on how many."""
    asks_for_longest: ClassVar[bool] = False
    """Whether, without a cutoff, it depends on the length of the longest list."""
    sees_history: ClassVar[bool] = False
    """Whether it compares a list with its user's history, even if it does not need one."""

    @property
    def sees_order(self) -> bool:
        """Whether it depends on the order of the items, and not only on which they are."""
        return getattr(self, "discount", "none") != "none" or getattr(self, "weight", "equal") != "equal"

    def needed(self) -> tuple[str, ...]:
        """What it needs beside the run, under these options."""
        return self.needs


@with_options
class WholeMeasure(SlateMeasure):
    """A measure of all lists together: one number, no value for a query alone."""

    aggregates: ClassVar[tuple[str, ...]] = ("whole",)


@with_options
class JudgedSlateMeasure(SlateMeasure):
    """A measure of lists that also depends on which items are relevant: judged at least ``rel``."""

    rel: float = real(1)
    empty: Literal["zero", "skip"] = choice()

    default_queries: ClassVar[str] = "judged"
    needs: ClassVar[tuple[str, ...]] = ("judgments",)


def log_base() -> Any:
    """A field for the base of a logarithm: a number above 1, or ``e``."""
    return ruled(2, choices=("e",), number="float", low=1, open_low=True)


def name_or_number(default: str | None) -> Any:
    """A field that holds a word or a number: the name of a group or a measure."""
    return ruled(default, text=True, number="float", optional=default is None)
