"""Standard output and error as commands find them: closed, full, or in an encoding that lacks characters."""

from __future__ import annotations

import codecs
import os
import sys
import unicodedata
from typing import TextIO

PLAIN = "rankmeter.plain"
"""How a terminal shows characters that its encoding lacks: by ASCII of the same meaning, else escaped."""
_SAME = {
    **dict.fromkeys("↑▲", "^"), **dict.fromkeys("↓▼", "v"), **dict.fromkeys("·★", "*"), **dict.fromkeys("–−", "-"),
    **dict.fromkeys("“”", '"'), **dict.fromkeys("‘’", "'"), "…": "~", "≤": "<=", "≥": ">=", "±": "+/-",
}  # fmt: skip


def prepare_streams() -> None:
    """Make standard output and error ready for any text.

    What is read by a program, from a file or a pipe, is UTF-8 like every file that rankmeter writes. A stream that is
    closed gets a place of its own, so that no file which is opened later is taken for it: what is told is lost there,
    and data that is printed fails as on a full disk.
    """
    for name in ("stdin", "stdout", "stderr"):  # in the order of their numbers: the lowest that is free is given
        if getattr(sys, name) is None:
            setattr(sys, name, _in_place_of(name))
    codecs.register_error(PLAIN, _plain)
    for stream in (sys.stdout, sys.stderr):
        if not hasattr(stream, "reconfigure"):
            continue
        if stream.isatty() or _holds_all(stream.encoding):
            stream.reconfigure(errors=PLAIN)
        else:
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _in_place_of(name: str) -> TextIO:
    """A stream for one that is closed: nothing can be read from it, or written to standard output."""
    refuses = name == "stdout"
    return open(  # noqa: PTH123 (it stays open; a descriptor is given)
        os.open(os.devnull, os.O_RDONLY if refuses or name == "stdin" else os.O_WRONLY),
        "r" if name == "stdin" else "w",
        encoding="utf-8",
    )


def _holds_all(encoding: str) -> bool:
    return "".join(filter(str.isalnum, encoding.lower())) in ("utf8", "utf16", "utf16le", "utf16be", "utf32", "gb18030")


def _plain(error: UnicodeError) -> tuple[str | bytes, int]:
    """What stands for characters that an encoding lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_spelled, error.object[error.start : error.end])), error.end


def _spelled(letter: str) -> str:
    if letter in _SAME:
        return _SAME[letter]
    if "\u2800" <= letter <= "\u28ff":  # of a spinner
        return "*"
    same = unicodedata.normalize("NFKD", letter)
    if same != letter and same.isascii():
        return f"^{same}" if unicodedata.decomposition(letter).startswith("<super>") else same
    return letter.encode("ascii", "backslashreplace").decode()


def silence(stream: TextIO) -> None:
    """Send what is written to a stream nowhere: a stream that failed fails again when Python flushes it at its end."""
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123 (a descriptor is wanted, not a path)
        os.dup2(nowhere.fileno(), stream.fileno())
