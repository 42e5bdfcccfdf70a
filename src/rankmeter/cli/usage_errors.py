"""What is wrong with a command line, as click found it, in the language of the call: click itself speaks English."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import click

from rankmeter.cli.talk import language_of
from rankmeter.errors import Problem, with_hint
from rankmeter.wording import LANGUAGES, LOCALE, Language, chosen_language, said

_VALUE = re.compile(r"^'?(.*?)'? is not ", re.DOTALL)


def language_asked(args: Sequence[str] | None) -> Language:
    """The language of a command line that may not be readable."""
    words = list(sys.argv[1:] if args is None else args)
    typed = [after for word, after in pairwise(words) if word == "--lang"]
    typed += [word.partition("=")[2] for word in words if word.startswith("--lang=")]
    return next((language for language in LANGUAGES if language in typed), chosen_language(places=LOCALE))


def usage_text(error: click.UsageError, language: Language) -> str:
    """The sentence, with the help of the command for a hint where it has none."""
    if error.ctx is not None and language == "en":
        language = language_of(error.ctx)
    text = _sentence(error, language)
    where = error.ctx.command_path if error.ctx else "rankmeter"
    # Some of click's sentences have no full stop.
    ended = text if text.endswith((".", "?", "!", "。")) else f"{text}."
    return text if "Hint:" in text or "提示：" in text else with_hint(ended, f"{where} --help", language)


def _sentence(error: click.UsageError, language: Language) -> str:
    problem = None if language == "en" else _problem(error)
    return error.format_message() if problem is None else problem.fact(language)


def _problem(error: click.UsageError) -> Problem | None:
    """What click found, as a kind and values; None for what it says in words of its own only."""
    if isinstance(error, click.NoSuchOption):
        near = list(error.possibilities or ())
        kind = "cli.no_such_option_but" if near else "cli.no_such_option"
        return Problem(kind, {"name": error.option_name, "near": near})
    if isinstance(error, click.BadOptionUsage):
        return Problem("cli.option_without_value", {"name": error.option_name})
    if isinstance(error, click.MissingParameter) and error.param is not None:
        return Problem("cli.missing_parameter", {"name": _name(error.param)})
    if isinstance(error, click.BadParameter) and error.param is not None and (value := _VALUE.match(error.message)):
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
