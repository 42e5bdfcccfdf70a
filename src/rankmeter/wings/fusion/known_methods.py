"""The methods of fusion, and what each looks at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

OF_SCORES = ("norm", "missing", "flat", "flatness", "sd", "floor", "lowest", "lows")
WEIGHED = ("weights", "weighting", "weightless")


class Method(NamedTuple):
    """A method of fusion."""

    looks_at: Literal["scores", "ranks"]
    options: tuple[str, ...]
    """Options that change its result, beside those that all methods have."""
    missing: Literal["nothing", "zero", "minimum"] = "nothing"
    """What an item usually gets from a list that does not hold it."""
    trained: bool = False
    """Whether it learns from judgments."""


METHODS: Mapping[str, Method] = {
    "rrf": Method("ranks", ("k", "first", *WEIGHED, "scale", "digits")),
    "isr": Method("ranks", WEIGHED),
    "log_isr": Method("ranks", ()),
    "logn_isr": Method("ranks", ("sigma",)),
    "rbc": Method("ranks", ("phi", *WEIGHED)),
    "bordafuse": Method("ranks", ()),
    "w_bordafuse": Method("ranks", WEIGHED),
    "condorcet": Method("ranks", ()),
    "w_condorcet": Method("ranks", WEIGHED),
    "min": Method("scores", OF_SCORES),
    "max": Method("scores", OF_SCORES),
    "med": Method("scores", OF_SCORES),
    "sum": Method("scores", OF_SCORES),
    "anz": Method("scores", OF_SCORES),
    "mnz": Method("scores", OF_SCORES),
    "gmnz": Method("scores", ("gamma", *OF_SCORES)),
    "wsum": Method("scores", (*WEIGHED, *OF_SCORES, "digits")),
    "wmnz": Method("scores", (*WEIGHED, *OF_SCORES)),
    "mixed": Method("scores", (*WEIGHED, *OF_SCORES)),
    "arithmetic": Method("scores", (*WEIGHED, *OF_SCORES, "digits"), "zero"),
    "geometric": Method("scores", (*WEIGHED, *OF_SCORES, "digits")),
    "mapfuse": Method("ranks", (), trained=True),
    "posfuse": Method("ranks", (), trained=True),
    "slidefuse": Method("ranks", ("window",), trained=True),
    "probfuse": Method("ranks", ("segments",), trained=True),
    "segfuse": Method("scores", OF_SCORES, trained=True),
    "bayesfuse": Method("ranks", (), trained=True),
    "harmonic": Method("scores", (*WEIGHED, *OF_SCORES, "digits")),
}
"""Every method by its name."""

COMMON = ("lists", "ties", "duplicates", "queries", "depth", "equal", "least", "top", "precision")
"""Options that every method has."""


def options_of(how: str) -> list[str]:
    """The names of the options that can change the result of a method."""
    return [*METHODS[how].options, *COMMON]
