"""Results as JSON: NaN is null, and numbers have the digits asked for."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


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
