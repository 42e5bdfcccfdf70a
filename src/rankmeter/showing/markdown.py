"""Markdown: text that stays text, whatever it holds."""

from __future__ import annotations

import re

from rankmeter.showing.characters import one_line

_ACTIVE = re.compile(r"[\\|*_`<>\[\]~$]|(?<=\w):(?=//)|(?i:(?<=www)\.)|&(?=#?\w+;)")
"""What Markdown acts on inside of a line, with the autolinks, entities and formulas of GitHub's dialect."""
_OPENING = re.compile(r"^(\s*)([#+=-]|\d+(?=[.)]))")
"""What makes a heading, a list or a rule where it opens a line."""


def markdown_text(text: str) -> str:
    r"""Text that Markdown shows as it is, inside and outside of tables; links in it are not live.

    >>> print(markdown_text("a|b_c*"), markdown_text("[x](https://a.b)"))
    a\|b\_c\* \[x\](https\://a.b)
    """
    return _ACTIVE.sub(lambda active: "\\" + active[0], one_line(text))


def markdown_line(text: str) -> str:
    r"""Text that opens a line: it makes no heading and no list either.

    >>> print(markdown_line("# not a heading"), markdown_line("1. not a list"))
    \# not a heading 1\. not a list
    """
    line = markdown_text(text)
    return _OPENING.sub(lambda opening: f"{opening[1]}{_escaped_opening(opening[2])}", line) if line else line


def _escaped_opening(mark: str) -> str:
    return mark + "\\" if mark.isdigit() else "\\" + mark
