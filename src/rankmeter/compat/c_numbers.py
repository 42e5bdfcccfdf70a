"""Numbers as C reads them from text: as much of the beginning as is a number, and 0 where nothing is.

>>> whole("12abc"), whole("0x10"), whole("none"), real("1.5.2"), real("0x10"), real("-inf")
(12, 0, 0, 1.5, 16.0, -inf)
"""

from __future__ import annotations

import math
import re

LONG_MAX = 2**63 - 1
_WHOLE = re.compile(r"[ \t\n\v\f\r]*([+-]?[0-9]+)")
_SPECIAL = re.compile(r"[ \t\n\v\f\r]*([+-]?)(inf|nan)", re.IGNORECASE)
_HEX = re.compile(r"[ \t\n\v\f\r]*([+-]?0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?)", re.IGNORECASE)
_DECIMAL = re.compile(r"[ \t\n\v\f\r]*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?)", re.IGNORECASE)


def whole(text: str) -> int:
    """What ``atol`` gives; beyond 64 bits, the outermost number."""
    found = _WHOLE.match(text)
    return max(-LONG_MAX - 1, min(LONG_MAX, int(found[1]))) if found else 0


def real(text: str) -> float:
    """What ``atof`` gives."""
    if found := _HEX.match(text):
        try:
            return float.fromhex(found[1])
        except OverflowError:
            return -math.inf if found[1].startswith("-") else math.inf
    if found := _DECIMAL.match(text):
        return float(found[1])
    if found := _SPECIAL.match(text):
        return float(f"{found[1]}{found[2]}")
    return 0.0


def rounded_towards_zero(value: float) -> int:
    """A real number as a ``long``; what has none becomes the lowest, as on every common processor."""
    return int(value) if -(2.0**63) <= value < 2.0**63 else -LONG_MAX - 1
