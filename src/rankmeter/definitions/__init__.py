"""What it means: the definition of a measure, every convention of it, in words."""

from __future__ import annotations

from rankmeter.definitions.explain import (
    Convention,
    Explanation,
    conventions_in_short,
    explain_measure,
    title_of,
)

__all__ = [
    "Convention",
    "Explanation",
    "conventions_in_short",
    "explain_measure",
    "title_of",
]
