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
    """What is written about one measure in one language."""

    title: str
    meaning: str
    formula: str
    """The formula as plain text, written for the default conventions."""
    latex: str
    use: str
    """When to use it."""
    misleads: str
    """How it misleads."""
    example: str
    """An example worked by hand, several lines."""
    citation: str
    """Where it was first described; empty for plain counts."""


@dataclass(frozen=True, slots=True)
class ConventionProse:
    """What is written about one option and one value of it in one language."""

    decides: str
    """What the option decides."""
    meaning: str
    """What this value means; empty where the value is a number, which speaks for itself."""


def read_prose(name: str, language: Language = "en") -> MeasureProse:
    """What is written about the measure of this name.

    Raises
    ------
    NotFoundError
        When nothing is: people's own measures have no file here.
    """
    check_language(language)
    entry = _entry(name)
    if entry is None or name.endswith("conventions"):
        raise NotFoundError.of("measures.no_prose", name=name)
    shared = {key: entry[key] for key in ("formula", "latex", "citation")}
    # A formula with words in it has Chinese words in Chinese.
    return MeasureProse(**shared | {key: text.strip() for key, text in entry[language].items()})


def read_convention(measure: str, option: str, value: object, language: Language = "en") -> ConventionProse:
    """What is written about an option of a measure and the value it has; empty texts where nothing is."""
    check_language(language)
    written = "map" if isinstance(value, Mapping) else str(value)
    # One word, `norm`, means something else in each measure that has it, and `weight` in each family.
    files = [_entry("conventions") or {}, _entry("slate_conventions") or {}]
    candidates = [entry for key in (f"{option}_{measure}", option) for file in files if (entry := file.get(key))]
    entry = next(
        (candidate for candidate in candidates if written in candidate.get("choices", {})),
        candidates[0] if candidates else None,
    )
    if entry is None:
        return ConventionProse("", "")
    choices = entry.get("choices", {})
    meant = choices.get(written) or (choices.get("number") if isinstance(value, (int, float)) else None) or {}
    return ConventionProse(entry[language], meant.get(language, ""))


@cache
def _entry(name: str) -> dict[str, Any] | None:
    file = Path(__file__).parent / f"{name}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8")) if name.isidentifier() and file.is_file() else None


__all__ = ["LANGUAGES", "ConventionProse", "Language", "MeasureProse", "read_convention", "read_prose"]
