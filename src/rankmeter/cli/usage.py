"""What click says in English, in the language of the call: what is wrong with a command line, and the help."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import click

from rankmeter.errors import Problem, with_hint
from rankmeter.showing.characters import wrapped
from rankmeter.wording import Language, help_words, said

_VALUE = r"^'?(.*?)'? is not "
_AS_IT_IS = "\b\n"
"""Opens a paragraph that click does not wrap: it takes a Chinese character for one column wide."""
_BESIDE = re.compile(r"(.*?)(?:(?:^|  )\[(default: .*|required|[^\[\]]*(?:<|>)[^\[\]]*)\])?", re.DOTALL)
"""The help of an option, and what click appends: default, range, whether it is required."""


def usage_text(error: click.UsageError, language: Language) -> str:
    """What is wrong with a command line; if click gives no hint, it is the command's help."""
    text = _sentence(error, language)
    where = error.ctx.command_path if error.ctx else "rankmeter"
    # Some of click's sentences have no full stop.
    ended = text if text.endswith((".", "?", "!", "。")) else f"{text}."
    return text if "Hint:" in text or "提示：" in text else with_hint(ended, f"{where} --help", language)


def _sentence(error: click.UsageError, language: Language) -> str:
    problem = None if language == "en" else _problem(error)
    return error.format_message() if problem is None else problem.fact(language)


def _problem(error: click.UsageError) -> Problem | None:
    """What click found, as a kind and values; None if only click has words for it."""
    if isinstance(error, click.NoSuchOption):
        near = list(error.possibilities or ())
        kind = "cli.no_such_option_but" if near else "cli.no_such_option"
        return Problem(kind, {"name": error.option_name, "near": near})
    if isinstance(error, click.BadOptionUsage):
        return Problem("cli.option_without_value", {"name": error.option_name})
    if isinstance(error, click.MissingParameter) and error.param is not None:
        return Problem("cli.missing_parameter", {"name": _name(error.param)})
    if (
        isinstance(error, click.BadParameter)
        and error.param is not None
        and (value := re.match(_VALUE, error.message, re.DOTALL))
    ):
        expected = _expected(error.param.type)
        return expected and Problem(
            "cli.bad_value", {"name": _name(error.param), "value": value[1], "expected": expected}
        )
    if not isinstance(error, click.BadParameter) and error.message.startswith("Got unexpected extra argument"):
        return Problem("cli.too_many_words", {"words": error.message.partition("(")[2].rstrip(")")})
    return None


def _name(parameter: click.Parameter) -> str:
    is_word = isinstance(parameter, click.Argument)
    return (parameter.metavar or str(parameter.name).upper()) if is_word else "/".join(parameter.opts)


def _expected(kind: Any) -> Any:
    if isinstance(kind, click.Choice):
        return said("expected_choice", choices=[str(choice) for choice in kind.choices])
    if isinstance(kind, (click.IntRange, click.FloatRange)):
        low, high = (end if end is None else f"{end:g}" for end in (kind.min, kind.max))
        return said("expected_at_least" if high is None else "expected_between", low=low, high=high)
    if isinstance(kind, click.types.IntParamType):
        return said("expected_whole")
    return said("expected_number") if isinstance(kind, click.types.FloatParamType) else None


class ChineseHelp(click.HelpFormatter):
    """Writes in Chinese the help that click hands it in English."""

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
        # Only the heading of examples is translated.
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
