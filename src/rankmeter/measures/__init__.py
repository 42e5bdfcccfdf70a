"""Measures as values: their grammar, their conventions and their prose. Nothing here computes."""

from __future__ import annotations

from typing import Any

from rankmeter.measures.base import REGISTRY, Measure, RankedMeasure, register
from rankmeter.measures.grammar import (
    find_measure,
    into_measures,
    listed,
    parse,
    parse_measures,
    split_all,
    split_measures,
)
from rankmeter.measures.names import EVERYDAY


def __getattr__(name: str) -> Any:
    # nDCG, AP, Coverage ...: a family of measures is loaded when one of them is first used.
    if name in EVERYDAY:
        return find_measure(name)
    if name not in REGISTRY:
        raise AttributeError(f"module 'rankmeter.measures' has no attribute '{name}'")
    return REGISTRY[name]


__all__ = [
    "REGISTRY",
    "Measure",
    "RankedMeasure",
    "find_measure",
    "into_measures",
    "listed",
    "parse",
    "parse_measures",
    "register",
    "split_all",
    "split_measures",
]
