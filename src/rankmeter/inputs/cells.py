"""What one cell of a table holds: nothing, a number, a truth value, or text that spells one of them."""

from __future__ import annotations

import decimal
import math
import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from rankmeter.late import pl

RawColumn: TypeAlias = "pl.Series | list[object]"
"""A column before it is checked; a list where no Polars type was known (object columns, JSON)."""

LOOKED_AT = 1000
"""How many rows of a column are looked at to tell what it holds."""

_NULLS = ("NoneType", "NAType", "NaTType")  # by name: pandas is not imported for its nulls
_TRUTH_VALUES = {"true": True, "false": False}


def is_null(value: object) -> bool:
    """Whether this is None or one of the missing values of pandas."""
    return type(value).__name__ in _NULLS


def is_missing(value: object) -> bool:
    """Whether this stands for nothing: None, NaN, or the missing values of pandas."""
    return is_null(value) or (isinstance(value, numbers.Real) and math.isnan(value))


def is_number(value: object) -> bool:
    """Whether float() may take this object: a number of any kind or a truth value, but not text."""
    if isinstance(value, int):
        return value.bit_length() < 1024  # float() refuses more than 308 digits
    if isinstance(value, decimal.Decimal):
        return not value.is_snan()
    return isinstance(value, numbers.Real)


def is_text(value: str) -> bool:
    """Whether every character is one; half of one (a lone surrogate) cannot be written anywhere."""
    try:
        value.isascii() or value.encode()
    except UnicodeEncodeError:
        return False
    return True


def number_of(text: object) -> object:
    """Take the number or truth value that a field spells, or the field itself for the message that refuses it."""
    if not isinstance(text, str) or "_" in text or not text.isascii():
        return text  # float() takes 1_000 and digits of other scripts; no other tool does
    try:
        number = float(text)
        is_large_and_whole = abs(number) >= 2**53 and text.strip().lstrip("+-").isdigit()
        return int(text) if is_large_and_whole else number
    except ValueError:
        return _TRUTH_VALUES.get(text.strip().casefold(), text) if text.strip() else None


def spells_number(text: str) -> bool:
    """Whether a field of a text file holds a number or a truth value."""
    return isinstance(number_of(text), (int, float))


def are_numbers(column: RawColumn | Sequence[object]) -> bool:
    """Whether the first rows of a column hold numbers or truth values, also where they are text.

    Examples
    --------
    >>> [are_numbers(values) for values in (["0.5", "1e3", None], [True, False], ["a", "1"], [None])]
    [True, True, False, False]
    """
    values = [
        value
        for value in list(column[:LOOKED_AT])
        if not is_missing(value) and not (isinstance(value, str) and not value)
    ]
    return bool(values) and all(
        spells_number(value) if isinstance(value, str) else is_number(value) for value in values
    )
