"""Which characters are shown as they are, and how wide they are: control characters never reach a terminal.

Errors use this module, so it imports nothing of rankmeter.
"""

from __future__ import annotations

import re
import unicodedata

_NOT_SHOWN = ("Cc", "Cn", "Cs", "Zl", "Zp")
"""Control characters, unassigned ones, surrogates, line separators: XML forbids some of them."""
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067")
"""Marks that change the direction of all following text; rankmeter itself isolates names (FSI, PDI)."""
_CONTROLS = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066\u2067\u2028\u2029\ud800-\udfff]"
"""Patterns of this module are compiled when they are first used: that takes 4 ms, and most calls use none."""


def one_line(text: str) -> str:
    r"""A text in one line, as tables and charts need it: what breaks lines or controls a terminal becomes a space.

    >>> one_line("two\u2028lines"), one_line("\x1b[2Jgone")
    ('two lines', ' [2Jgone')
    """
    if text.isprintable():
        return text
    return "".join(" " if _is_hidden(letter) else letter for letter in text)


def _is_hidden(letter: str) -> bool:
    return unicodedata.category(letter) in _NOT_SHOWN or letter in _TURNING


def without_controls(text: str) -> str:
    r"""A text of several lines without control characters; line breaks and tabs stay.

    >>> without_controls("a\x1b]0;title\x07\nb\x9b2J")
    'a ]0;title \nb 2J'
    """
    return text if text.isprintable() else re.sub(_CONTROLS, " ", text)


_PIECES = r"\s+|[\u2e80-\uffef]|[^\s|\u2e80-\uffef]*\|+|[^\s|\u2e80-\uffef]+"
"""What a line break must not split: words, one of several choices; Chinese may break after every character."""
_NEVER_FIRST = frozenset("，。；：、！？）】》”’")
_NEVER_LAST = ("（", "【", "《", "“", "‘", "[")


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """A text in lines of at most a given number of columns; a word that is longer than a line stays whole.

    >>> wrapped("ab cd efg", 5), wrapped("中文没有空格。", 6)
    (['ab cd', 'efg'], ['中文没', '有空', '格。'])
    >>> wrapped("默认（无）", 6)
    ['默认', '（无）']
    """
    lines = [indent]
    for piece in _glued(re.findall(_PIECES, text)):
        if width_of(lines[-1] + piece.rstrip()) > width and lines[-1].strip():
            lines[-1] = lines[-1].rstrip()
            lines.append(indent)
        lines[-1] += piece if lines[-1].strip() else piece.lstrip()
    lines[-1] = lines[-1].rstrip()
    return lines


def _glued(pieces: list[str]) -> list[str]:
    """The pieces, joined where one would begin a line with a closing mark or end it with an opening one."""
    glued: list[str] = []
    for piece in pieces:
        if glued and (piece in _NEVER_FIRST or glued[-1].endswith(_NEVER_LAST)):
            glued[-1] += piece
        else:
            glued.append(piece)
    return glued


def width_of(text: str) -> int:
    """How many columns of a terminal a text takes: Chinese characters take two."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


def shortened(text: str, width: int) -> str:
    """The beginning and the end of a text, as names differ at either.

    >>> shortened("a-rather-long-name-07", 12)
    'a-rath…me-07'
    """
    if width_of(text) <= width:
        return text
    head, tail = text, ""
    for letter in reversed(text):
        if width_of(tail) + width_of(letter) > (width - 1) // 2:
            break
        tail = letter + tail
    while width_of(head) + 1 + width_of(tail) > width:
        head = head[:-1]
    return f"{head}…{tail}"
