"""Differences as text: numbers with their sign, p-values, marks; and which system they are shown against."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankmeter.comparing.records import Difference
    from rankmeter.comparing.results import Comparison


def reference(cmp: Comparison) -> str | None:
    """The system that the others are shown against: the baseline, or the first of two; None where all pairs are."""
    if cmp.settings.family == "baseline":
        return cmp.baseline
    return (cmp.baseline or cmp.systems[0]) if len(cmp.systems) == 2 else None


def p_text(p: float | None) -> str:
    """A p-value as people read it; never 0.

    >>> p_text(0.0412), p_text(0.00002), p_text(None)
    ('0.041', '<0.0001', '-')
    """
    if p is None:
        return "-"
    return "<0.0001" if p < 0.0001 else f"{p:.4f}" if p < 0.001 else f"{p:.3f}"


def signed(value: float | None, digits: int) -> str:
    """A difference with its sign; what rounds to nothing is 0 without one."""
    if value is None:
        return "-"
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text


def mark(one: Difference) -> str:
    """An arrow for a difference that is significant: up is better."""
    return "" if not one.significant else "↑" if one.is_better else "↓"


def difference_text(one: Difference, digits: int) -> str:
    """A difference with its interval, and an arrow where it is significant."""
    text = "-" if math.isnan(one.difference) else signed(one.difference, digits)
    if one.interval is not None:
        low, high = (signed(end, digits) for end in (one.interval.low, one.interval.high))
        text = f"{text} [{low}, {high}]"
    return f"{text}{mark(one)}"


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
