"""The cases: small inputs made by hand, each with the question that it asks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from rankmeter.frozen import dataclass
from rankmeter.late import json

FOLDER = Path(__file__).with_name("v1")
"""The published set: the cases, and for each measure what its definitions give."""

Id = str | int


@dataclass(frozen=True, slots=True)
class CaseQuery:
    """One query of a case; None where nobody judged it, or where the run lacks it."""

    judgments: tuple[tuple[Id, float], ...] | None
    run: tuple[tuple[Id, float], ...] | None

    @property
    def ranked(self) -> list[Id]:
        """The returned items, best score first; equal scores as they were given."""
        return [item for item, _ in sorted(self.run or (), key=lambda row: -row[1])]

    @property
    def grades(self) -> dict[Id, float]:
        """The grade of each judged item."""
        return dict(self.judgments or ())


@dataclass(frozen=True, slots=True)
class PublishedCase:
    """A small input and its question."""

    name: str
    topic: str
    """What it is about: ``plain``, ``grades``, ``ties``, ``duplicates`` ..."""
    cutoffs: tuple[int, ...]
    question: Mapping[str, str]
    """In each language."""
    queries: Mapping[str, CaseQuery]

    @property
    def is_single(self) -> bool:
        """Whether it has one query, which is judged and in the run."""
        return len(self.queries) == 1


@cache
def cases() -> tuple[PublishedCase, ...]:
    """Every published case.

    >>> [case.name for case in cases() if case.topic == "unjudged"]
    ['unjudged-first']
    """
    return tuple(map(_case, json.loads((FOLDER / "cases.json").read_text("utf-8"))["cases"]))


@cache
def version() -> str:
    """The version of the set."""
    return str(json.loads((FOLDER / "cases.json").read_text("utf-8"))["version"])


def _case(entry: Mapping[str, Any]) -> PublishedCase:
    queries = {
        name: CaseQuery(
            *(None if rows is None else tuple(map(tuple, rows)) for rows in (query["judgments"], query["run"]))
        )
        for name, query in entry["queries"].items()
    }
    return PublishedCase(
        entry["case"], entry["topic"], tuple(entry["k"]), {"en": entry["en"], "zh": entry["zh"]}, queries
    )
