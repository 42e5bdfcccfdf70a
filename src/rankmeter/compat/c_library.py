"""What trec_eval takes from the C library: how numbers are read from text, and how rows are sorted.

C reads as much of the beginning as is a number, and 0 where nothing is:

>>> whole("12abc"), whole("0x10"), whole("none"), real("1.5.2"), real("0x10"), real("-inf")
(12, 0, 0, 1.5, 16.0, -inf)
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import TypeVar

Row = TypeVar("Row")
LONG_MAX = 2**63 - 1
_WHOLE = r"[ \t\n\v\f\r]*([+-]?[0-9]+)"
_SPECIAL = r"[ \t\n\v\f\r]*([+-]?)(inf|nan)"
_HEX = r"[ \t\n\v\f\r]*([+-]?0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?)"
_DECIMAL = r"[ \t\n\v\f\r]*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?)"


def whole(text: str) -> int:
    """What ``atol`` gives; beyond 64 bits, the outermost number."""
    match = re.match(_WHOLE, text)
    return max(-LONG_MAX - 1, min(LONG_MAX, int(match[1]))) if match else 0


def real(text: str) -> float:
    """What ``atof`` gives."""
    if match := re.match(_HEX, text, re.IGNORECASE):
        try:
            return float.fromhex(match[1])
        except OverflowError:
            return -math.inf if match[1].startswith("-") else math.inf
    if match := re.match(_DECIMAL, text, re.IGNORECASE):
        return float(match[1])
    if match := re.match(_SPECIAL, text, re.IGNORECASE):
        return float(f"{match[1]}{match[2]}")
    return 0.0


def rounded_towards_zero(value: float) -> int:
    """A real number as a ``long``; what has none becomes the lowest, as on every common processor."""
    return int(value) if -(2.0**63) <= value < 2.0**63 else -LONG_MAX - 1


def merge_sorted(rows: list[Row], compare: Callable[[Row, Row], int]) -> list[Row]:
    """Sorted as glibc sorts, which matters where the comparison contradicts itself."""
    if len(rows) <= 1:
        return rows
    middle = len(rows) // 2
    left, right = merge_sorted(rows[:middle], compare), merge_sorted(rows[middle:], compare)
    merged: list[Row] = []
    i = j = 0
    while i < len(left) and j < len(right):
        if compare(left[i], right[j]) <= 0:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
    return merged + left[i:] + right[j:]
