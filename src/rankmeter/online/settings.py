"""What a caller may ask of a log: each setting is checked before anything is read, and refused in one sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rankmeter.errors import InputError, did_you_mean, with_hint


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """One of a few words."""
    if value not in choices:
        fact = f"{name}={_shown(value)} is not possible; it is {', '.join(choices[:-1])} or {choices[-1]}."
        raise InputError(with_hint(fact, did_you_mean(value, choices) if isinstance(value, str) else ""))


def check_names(name: str, given: object, example: str) -> Mapping[str, Any]:
    """A mapping from roles or kinds to names."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError(with_hint(f"{name}= is of type {type(given).__name__}; expected a mapping.", example))
    for role, one in given.items():
        named = [one] if isinstance(one, str) else one if isinstance(one, (list, tuple, set, frozenset)) else [None]
        if not isinstance(role, str) or not all(isinstance(word, str) for word in named):
            raise InputError(with_hint(f"{name}= has {role!r}: {one!r}; expected names as text.", example))
    return given


def check_number(name: str, number: object) -> float:
    """A finite number, also as text."""
    try:
        made = float(number)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        made = math.nan
    if not math.isfinite(made):
        raise InputError(f"{name} is {number!r}, which is no number.")
    return made


def _shown(value: object) -> str:
    return f"'{value}'" if isinstance(value, str) else f"{value!r}"
