"""What can go wrong, as exceptions whose text is meant for people.

::

    RankmeterError
    ├── MeasureError      a measure that cannot be made or computed   (also ValueError)
    ├── InputError        data that cannot be used as it is           (also ValueError)
    │   └── InputTypeError  a value of a type that cannot be used     (also TypeError)
    ├── NotFoundError     a file, query or measure that is not there  (also KeyError)
    └── MissingExtraError an optional library that is not installed   (also ImportError)

    RankmeterWarning      something a person should know and did not ask

Every text states the fact with its value, where it was met, what was expected, and after ``Hint:`` the call that works.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from numbers import Integral, Real


class RankmeterError(Exception):
    """The base of every error that rankmeter raises on purpose."""


class MeasureError(RankmeterError, ValueError):
    """A measure that cannot be made (bad name, bad option) or cannot be computed (no such tie rule)."""


class InputError(RankmeterError, ValueError):
    """Judgments or a run that cannot be used as they are."""


class InputTypeError(InputError, TypeError):
    """A value of a type that cannot be used: text where a number is needed, a number where text is."""


class EmptyInputError(InputError):
    """A table without a row; among many files of one run it is none too few."""


class NotFoundError(RankmeterError, KeyError):
    """A file, a query or a measure that is not there."""

    # KeyError shows the repr of its argument; people should see the sentence.
    __str__ = Exception.__str__


class RepeatedItemError(InputError):
    """A run returns an item twice for one query, and no rule for that was asked for."""


class MissingExtraError(RankmeterError, ImportError):
    """An optional library that this call needs and that is not installed."""


class RankmeterWarning(UserWarning):
    """Something that a person should know and did not ask; said once, with a count."""


def with_hint(fact: str, hint: str = "") -> str:
    """Join a fact and its hint the way every message of rankmeter does."""
    return f"{fact} Hint: {hint}" if hint else fact


def examples(values: Iterable[object], *, shown: int = 5) -> str:
    """List the first few values and count the rest: ``17, 80, 112 and 9 more``."""
    every = list(values)
    text = ", ".join(str(value) for value in every[:shown])
    return f"{text} and {len(every) - shown:,} more" if len(every) > shown else text


def nearest(word: str, choices: Sequence[str], *, shown: int = 3, alike: float = 0.6) -> list[str]:
    """The choices that look most like the word, case ignored, best first; 1 is ``alike`` to the letter."""
    by_folded = {choice.casefold(): choice for choice in reversed(choices)}
    close = difflib.get_close_matches(word.casefold(), list(by_folded), n=shown, cutoff=alike)
    # Letters that changed places are the likeliest slip, and in a short word they look unlike: CRT is CTR, not CVR.
    swapped = [folded for folded in by_folded if _same_letters(word, folded)]
    close = [*swapped, *(folded for folded in close if folded not in swapped)][:shown]
    if not close and len(word) > 2:  # `weighted` for `weighted_sentiment_score`
        close = [folded for folded in by_folded if word.casefold() in folded][::-1][:shown]
    return [by_folded[folded] for folded in close]


def did_you_mean(word: str, choices: Sequence[str]) -> str:
    """A hint that names the nearest choice, or nothing when none is near."""
    close = nearest(word, choices, shown=1, alike=0.7)
    return f"did you mean '{close[0]}'?" if close else ""


def _same_letters(word: str, other: str) -> bool:
    """Whether only the places of the letters differ."""
    return len(word) > 2 and sorted(word.casefold()) == sorted(other.casefold())


def check_whole(what: str, value: object, least: int = 0) -> int:
    """A whole number; refuse what is none, or too small a one.

    >>> check_whole("depth", 0, 1)
    Traceback (most recent call last):
    rankmeter.errors.InputError: depth=0 is not possible; it is a whole number of at least 1.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InputError(f"{what}={value!r} is not possible; it is a whole number of at least {least}.")
    return int(value)


def check_level(level: object, what: str = "level") -> float:
    """A share between 0 and 1, neither included; refuse what is none.

    >>> check_level(95)
    Traceback (most recent call last):
    rankmeter.errors.InputError: level=95 is not possible; a level is between 0 and 1, as in 0.95.
    """
    if isinstance(level, bool) or not isinstance(level, Real) or not 0 < float(level) < 1:
        example = "0.8" if what == "power" else "0.95"
        raise InputError(f"{what}={level!r} is not possible; a {what} is between 0 and 1, as in {example}.")
    return float(level)
