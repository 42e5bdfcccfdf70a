"""The prose of the measures and of their conventions, in English and in Chinese, read from the files beside this one.

They are the one home of what a measure means: ``rankmeter explain``, the reference, ``help(rankmeter.nDCG)`` and what
editors show are made of them.

>>> read_prose("RR").title
'Reciprocal rank'
>>> read_convention("nDCG", "discount", "jk").meaning
'log2(max(i, 2)), the original of Järvelin and Kekäläinen (2002): ranks 1 and 2 are both undiscounted.'
"""

from __future__ import annotations

import textwrap
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import Field
from functools import cache
from pathlib import Path
from typing import Any

from rankmeter.errors import NotFoundError, check_language
from rankmeter.frozen import dataclass
from rankmeter.measures.families import FAMILY_OF
from rankmeter.wings import FOLDER, wing_of
from rankmeter.wings.table import FAMILIES
from rankmeter.wording import LANGUAGES, Language

HERE = Path(__file__).parent


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
    code: str
    """The same example in Python, as in an interactive session; tested."""
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
    shared = {key: entry[key] for key in ("formula", "latex", "code", "citation")}
    # A formula that contains words has a Chinese version.
    return MeasureProse(**shared | {key: text.strip() for key, text in entry[language].items()})


def read_convention(measure: str, option: str, value: object, language: Language = "en") -> ConventionProse:
    """The prose about an option of a measure and its value; empty texts if there is none."""
    check_language(language)
    written = "map" if isinstance(value, Mapping) else str(value)
    entry = _convention(measure, option)
    if entry is None:
        return ConventionProse("", "")
    choices = entry.get("choices", {})
    meant = choices.get(written) or (choices.get("number") if isinstance(value, (int, float)) else None) or {}
    return ConventionProse(entry[language], meant.get(language, ""))


def docstring(name: str, summary: str | None, options: Sequence[Field[Any]] = ()) -> str | None:
    """The docstring of a measure's class: its line in the source, which Python may have left out, prose and options."""
    try:
        prose = read_prose(name)
    except NotFoundError:
        return summary  # of a measure that is being written
    parts = [summary or f"{prose.title}.", _filled(prose.formula, "    ")]
    parts += map(_filled, (prose.meaning, prose.use, f"Misleads: {prose.misleads}"))
    if options:
        described = [line for option in options for line in _option_lines(name, option)]
        parts.append("\n".join(["Options", "-------", *described]))
    parts += [f"Examples\n--------\n{prose.example}", prose.code]
    if prose.citation:
        parts.append("References\n----------\n" + _filled(prose.citation))
    return "\n\n".join(parts)


def _option_lines(measure: str, option: Field[Any]) -> Iterator[str]:
    """What an option decides, and what its values mean."""
    entry = _convention(measure, option.name) or {"en": ""}
    rule = option.metadata["rule"]
    other_values = {"map": rule.grades, "number": rule.number}
    yield f"{option.name} = {option.default}"
    yield _filled(entry["en"], "    ")
    for value, meant in entry.get("choices", {}).items():
        if value in rule.choices or other_values.get(value):
            yield _filled(f"{value}: {meant['en']}", "    ", hanging="  ")


def _filled(text: str, indent: str = "", *, hanging: str = "") -> str:
    return textwrap.fill(text, 100, initial_indent=indent, subsequent_indent=indent + hanging, break_long_words=False)


@cache
def conventions() -> dict[str, Any]:
    """The prose about every option, by ``option``, or ``option_Measure`` if it means something else in that measure."""
    found: dict[str, Any] = {}
    for file in (prose_file("conventions"), *_of_wings(), prose_file("slate_conventions")):
        found |= _read(file) or {}
    return found


def _convention(measure: str, option: str) -> dict[str, Any] | None:
    """The prose about an option of a measure: `norm` and some others mean something else in each that has them."""
    return conventions().get(f"{option}_{measure}") or conventions().get(option)


def prose_file(name: str) -> Path:
    """Where the prose of a measure stands: here, or in its wing."""
    home = FAMILY_OF.get(name, "")
    return (Path(FOLDER, wing_of(home), "words", "prose") if home in FAMILIES else HERE) / f"{name}.toml"


def _of_wings() -> Iterator[Path]:
    """What wings with measures say of their options."""
    for wing in dict.fromkeys(map(wing_of, FAMILIES)):
        yield Path(FOLDER, wing, "words", "prose", "conventions.toml")


def _entry(name: str) -> dict[str, Any] | None:
    return _read(prose_file(name)) if name.isidentifier() else None


@cache
def _read(file: Path) -> dict[str, Any] | None:
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else None


__all__ = [
    "LANGUAGES",
    "ConventionProse",
    "Language",
    "MeasureProse",
    "conventions",
    "docstring",
    "prose_file",
    "read_convention",
    "read_prose",
]
