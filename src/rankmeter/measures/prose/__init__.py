"""The prose of the measures and of their conventions, in English and in Chinese, read from the files beside this one.

>>> read_prose("RR").title
'Reciprocal rank'
>>> read_convention("nDCG", "discount", "jk").meaning
'log2(max(i, 2)), the original of Järvelin and Kekäläinen (2002): ranks 1 and 2 are both undiscounted.'
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from rankmeter.errors import NotFoundError, check_language
from rankmeter.frozen import dataclass
from rankmeter.wording import LANGUAGES, Language


@dataclass(frozen=True, slots=True)
class MeasureProse:
    """The prose about one measure in one language."""

    title: str
    meaning: str
    formula: str
    """The formula as plain text, for the default conventions."""
    latex: str
    use: str
    """When to use it."""
    misleads: str
    """How it misleads."""
    example: str
    """An example worked out by hand, in several lines."""
    citation: str
    """Where it was first described; empty for plain counts."""


@dataclass(frozen=True, slots=True)
class ConventionProse:
    """The prose about one option and one of its values in one language."""

    decides: str
    """What the option decides."""
    meaning: str
    """What this value means; empty for a number, which speaks for itself."""


def read_prose(name: str, language: Language = "en") -> MeasureProse:
    """The prose about the measure of this name.

    Raises
    ------
    NotFoundError
        When there is none: users' own measures have no file here.
    """
    check_language(language)
    entry = _entry(name)
    if entry is None or name.endswith("conventions"):
        raise NotFoundError.of("measures.no_prose", name=name)
    shared = {key: entry[key] for key in ("formula", "latex", "citation")}
    # A formula that contains words has a Chinese version.
    return MeasureProse(**shared | {key: text.strip() for key, text in entry[language].items()})


def read_convention(measure: str, option: str, value: object, language: Language = "en") -> ConventionProse:
    """The prose about an option of a measure and its value; empty texts if there is none."""
    check_language(language)
    written = "map" if isinstance(value, Mapping) else str(value)
    # `norm` and some other options mean something else in each measure that has them.
    entry = conventions().get(f"{option}_{measure}") or conventions().get(option)
    if entry is None:
        return ConventionProse("", "")
    choices = entry.get("choices", {})
    meant = choices.get(written) or (choices.get("number") if isinstance(value, (int, float)) else None) or {}
    return ConventionProse(entry[language], meant.get(language, ""))


def conventions() -> dict[str, Any]:
    """The prose about every option, by ``option``, or ``option_Measure`` if it means something else in that measure."""
    return {**(_entry("conventions") or {}), **(_entry("slate_conventions") or {})}


@cache
def _entry(name: str) -> dict[str, Any] | None:
    file = Path(__file__).parent / f"{name}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8")) if name.isidentifier() and file.is_file() else None


__all__ = ["LANGUAGES", "ConventionProse", "Language", "MeasureProse", "conventions", "read_convention", "read_prose"]
