"""What all measures of lists share: the first k items of every query, whatever was judged.

They look at the items themselves (how popular, how alike, how dear), so most of them ask for a catalogue of items or a
history of interactions; ``needed()`` says which, and :func:`rankmeter.evaluate` says what to pass where it is missing.
"""

from __future__ import annotations

import math
from dataclasses import field
from typing import Any, ClassVar, Literal

from rankmeter.measures.base import TIES_BY_ID, TIES_BY_INPUT, Measure, with_options
from rankmeter.measures.options import Rule, choice, real, whole

ORDERS = (*TIES_BY_ID, *TIES_BY_INPUT)
"""The tie rules that give one list; a slate has no grades to make a best or worst order of."""


@with_options
class SlateMeasure(Measure):
    """A measure of the lists themselves: the axes that all of them share."""

    cutoff: int | None = whole(None, low=1)
    ties: str = choice(*ORDERS)

    about: ClassVar[Literal["judged items", "lists", "events"]] = "lists"
    tie_rules: ClassVar[tuple[str, ...]] = ORDERS
    aggregates: ClassVar[tuple[str, ...]] = ("mean", "sum", "pooled", "median")
    default_queries: ClassVar[str] = "run"
    needs: ClassVar[tuple[str, ...]] = ()
    """What must be known beside the run: judgments, catalogue, history, popularity, features, ..."""
    counts_by: ClassVar[str] = ""
    """For a number of all lists that asks only how often items stand in them: what places are counted by."""
    of_sums: ClassVar[str] = ""
    """For a number of all lists that is a function of sums over queries: that function, as `formula` names one."""
    sees_items: ClassVar[bool] = True
    """Whether it asks which items a list holds, and not only how many."""
    sees_history: ClassVar[bool] = False
    """Whether it compares a list with its own user's history, even where it does not need one."""

    @property
    def sees_order(self) -> bool:
        """Whether the order of the items counts, and not only which they are."""
        return getattr(self, "discount", "none") != "none" or getattr(self, "weight", "equal") != "equal"

    @property
    def asks_for_longest(self) -> bool:
        """Whether without a cutoff it depends on how long the longest list of all is."""
        return False

    def needed(self) -> tuple[str, ...]:
        """What must be known beside the run, under these options."""
        return self.needs


@with_options
class WholeMeasure(SlateMeasure):
    """A measure of all lists together: one number, no value for a query alone."""

    aggregate: str = choice("whole")

    aggregates: ClassVar[tuple[str, ...]] = ("whole",)


@with_options
class JudgedSlateMeasure(SlateMeasure):
    """A measure of lists that also asks which of their items are relevant: judged at least ``rel``."""

    rel: float = real(1, low=-math.inf, high=math.inf)
    empty: Literal["zero", "skip"] = choice("zero", "skip")

    default_queries: ClassVar[str] = "judged"
    needs: ClassVar[tuple[str, ...]] = ("judgments",)


def log_base() -> Any:
    """A field for the base of a logarithm: a number above 1, or ``e``."""
    rule = Rule(choices=("e",), number="float", low=1, high=math.inf, open_low=True)
    return field(default=2, metadata={"rule": rule})


def word(default: str | None) -> Any:
    """A field that holds a word or a number: the name of a group or a measure."""
    rule = Rule(text=True, number="float", optional=default is None)
    return field(default=default, metadata={"rule": rule})
