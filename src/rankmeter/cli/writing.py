"""Files appear whole or not at all: written beside their place, then moved into it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
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


def check_writable(path: Path) -> None:
    """Refuse a place that cannot be written, before anything is computed for it."""
    folder = path.parent
    if path.is_dir():
        raise InputError(
            with_hint(f"{path} cannot be written: it is a directory.", f"name a file in it: {path / 'result'}")
        )
    if not folder.is_dir():
        raise InputError(with_hint(f"{path} cannot be written: there is no directory {folder}.", f"mkdir -p {folder}"))
    if not os.access(folder, os.W_OK):
        raise InputError(f"{path} cannot be written: {folder} may not be written to.")


def check_apart(places: Mapping[str, Path], inputs: Sequence[str]) -> None:
    """Refuse to write over an input, or twice to one place.

    Parameters
    ----------
    places
        What is written where, by the option that says so.
    inputs
        The files that are read; ``-`` is standard input.
    """
    taken = {Path(path).resolve(): f"{path} is read as input" for path in inputs if path not in ("", "-")}
    for option, place in places.items():
        if place.exists() and not place.is_file():
            continue  # a device such as /dev/null
        where = place.resolve()
        if where in taken:
            raise InputError(with_hint(f"{option} would overwrite a file: {taken[where]}.", "name another file"))
        taken[where] = f"{place} is written by {option}"


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Let ``write`` make a file and put it in its place; where that fails, whatever was there stays as it was.

    Parameters
    ----------
    path
        Where the file shall be.
    write
        Called with the path that it shall write.
    """
    check_writable(path)
    try:
        if path.exists() and not path.is_file():
            # A pipe or a device (/dev/stdout, /dev/null) is written to, not replaced.
            write(path)
            return
        # A link stays a link: what it points to is replaced.
        path = path.resolve()
        with tempfile.TemporaryDirectory(prefix=".rankmeter-", dir=path.parent) as folder:
            made = Path(folder) / path.name
            write(made)
            if path.exists():
                made.chmod(path.stat().st_mode)
            made.replace(path)
    except BrokenPipeError:
        raise
    except (OSError, InputError) as error:
        # What Evaluation.save says names the file that was to be moved into this place.
        reason = error.__cause__ if isinstance(error, InputError) else error
        raise InputError(f"{path} cannot be written: {getattr(reason, 'strerror', None) or reason}.") from error


def write_text(path: Path, text: str) -> None:
    """Write a text as UTF-8, whole or not at all."""
    content = text.encode("utf-8", errors="backslashreplace")
    write_whole(path, lambda made: made.write_bytes(content))
