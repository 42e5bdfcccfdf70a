"""The help of commands in Chinese: ``wording/help.toml`` has it for what the commands and click say in English."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import click

from rankmeter.showing.characters import wrapped
from rankmeter.wording import help_words

_AS_IT_IS = "\b\n"
"""Opens a paragraph whose lines click leaves alone: it takes a Chinese character for one column."""
_BESIDE = re.compile(r"(.*?)(?:(?:^|  )\[(default: .*|required|[^\[\]]*(?:<|>)[^\[\]]*)\])?", re.DOTALL)
"""The help of an option, and what click adds to it: default, range, whether it is required."""


class ChineseHelp(click.HelpFormatter):
    """Writes in Chinese the help that it is handed in English."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.words = help_words()

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        args = re.sub("OPTIONS|COMMAND|ARGS", lambda match: self._said(match[0]), args)
        super().write_usage(prog, args, prefix or self._said("Usage:"))

    def write_heading(self, heading: str) -> None:
        self.write(f"{'':>{self.current_indent}}{self._said(f'{heading}:')}\n")

    def write_text(self, text: str) -> None:
        super().write_text("\n\n".join(self._paragraph(part) for part in text.split("\n\n")))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        rows = list(rows)
        beside = min(max(len(term) for term, _ in rows), col_max) + col_spacing
        filled = [(term, self._filled(self._help(text), self.width - beside - 2)) for term, text in rows]
        super().write_dl(filled, col_max, col_spacing)

    def _paragraph(self, text: str) -> str:
        if not text.startswith(_AS_IT_IS):
            return self._filled(self._said(text), self.width - self.current_indent)
        # Of examples the heading only is said in words.
        return "\n".join(line if line.startswith("  ") else self._said(line) for line in text.splitlines())

    def _help(self, text: str) -> str:
        match = _BESIDE.fullmatch(text)
        help_, beside = match.groups() if match else (text, None)
        said = self._said(help_) if help_ else ""
        if beside is None:
            return said
        return f"{said} [{re.sub(r'default: |required|; |[(].*[)]', lambda match: self._said(match[0]), beside)}]"

    def _said(self, text: str) -> str:
        return self.words.get(" ".join(text.split()), text)

    @staticmethod
    def _filled(text: str, width: int) -> str:
        return _AS_IT_IS + "\n".join(wrapped(text, width))
