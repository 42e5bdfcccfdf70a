"""How numbers are written: for people with digits, signs and p-values, of which none is 0; as JSON, NaN as null."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rankmeter.late import json

DIGITS = 4
"""Digits after the point by default; CSV and JSON have all of them unless a number is given."""
NONE = "-"
"""Stands where there is no number."""


def number_or_none(value: float | None) -> float | None:
    """A number; None where there is none, which is NaN in arrays."""
    return None if value is None or math.isnan(value) else value


def fixed(value: float | None, digits: int = DIGITS) -> str:
    """A number with a given number of digits after the point."""
    return NONE if value is None else f"{value:.{digits}f}"


def exact(value: float | None, digits: int | None) -> str:
    """All digits of a value, or as many as asked for; empty where there is no value."""
    if value is None:
        return ""
    return repr(float(value)) if digits is None else f"{value:.{digits}f}"


def signed(value: float | None, digits: int = DIGITS) -> str:
    """A difference with its sign; what rounds to 0 has none."""
    if value is None or math.isnan(value):
        return NONE
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text


def p_text(p: float | None) -> str:
    """A p-value as people read it; never 0.

    >>> p_text(0.0412), p_text(0.00002), p_text(None)
    ('0.041', '<0.0001', '-')
    """
    if p is None:
        return NONE
    return "<0.0001" if p < 0.0001 else f"{p:.4f}" if p < 0.001 else f"{p:.3f}"


def in_ranges(numbers: Sequence[int]) -> str:
    """Rising numbers, three and more in a row as a range.

    >>> in_ranges([1, 2, 4, 5, 6, 7, 9])
    '1,2,4-7,9'
    """
    rows: list[list[int]] = []
    for number in numbers:
        if rows and number == rows[-1][-1] + 1:
            rows[-1].append(number)
        else:
            rows.append([number])
    return ",".join(f"{row[0]}-{row[-1]}" if len(row) > 2 else ",".join(map(str, row)) for row in rows)


def finite(value: Any, digits: int | None = None) -> Any:
    """Plain data with None for numbers that JSON does not have, floats rounded to the digits asked for.

    Definitions are not rounded: p=0.85 stays 0.85.

    >>> finite({"mean": 1 / 3, "low": float("nan"), "definitions": {"p": 0.85}}, 1)
    {'mean': 0.3, 'low': None, 'definitions': {'p': 0.85}}
    """
    if isinstance(value, Mapping):
        return {key: finite(part, None if key == "definitions" else digits) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(part, digits) for part in value]
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return value if digits is None else round(value, digits)
    return value


def json_text(value: Any, *, digits: int | None = None, indent: int | None = 2) -> str:
    """Plain data as JSON."""
    return json.dumps(finite(value, digits), indent=indent, ensure_ascii=False)
