"""What the name of a file asks for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from rankmeter.errors import InputError, with_hint

Format = TypeVar("Format", bound=str)
_FORMAT_OF = {
    "": "table",
    ".txt": "table",
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".tex": "latex",
}


def format_of(output: Path | None, formats: Sequence[Format]) -> Format:
    """What the name of a file asks for among some formats; a table on standard output."""
    ending = "" if output is None else output.suffix.lower()
    found = next((one for one in formats if one == _FORMAT_OF.get(ending)), None)
    if found is None:
        hint = "--report writes HTML" if ending in (".html", ".htm") else "--format says what to write: --format table"
        raise InputError(with_hint(f"--output {output}: {ending} says none of {', '.join(formats)}.", hint))
    return found
