"""Commands in the user's language: the option ``--lang``, help, and what is wrong with a command line.

The help of all commands is data, ``wording/help.toml``, and is read when it is shown. click speaks English only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import click

from rankmeter.cli.talk import LANGUAGE, language_of, spoken_language
from rankmeter.errors import Problem, with_hint
from rankmeter.wording import LANGUAGES, Language, help_words, said
from rankmeter.wording.characters import wrapped

EXAMPLE_WIDTH = 76
"""The width of an example in the help, which is indented by four."""
_AS_IT_IS = "\b\n"
"""Opens a paragraph that click does not wrap: it takes a Chinese character for one column wide."""
_OF_CLICK = r"OPTIONS|COMMAND|ARGS|default: |required|; |[(].*[)]"
"""What click says inside of a line."""


def _remember(ctx: click.Context, _: click.Parameter, language: Language) -> Language:
    ctx.meta[LANGUAGE] = language
    return language


LANG: dict[str, Any] = {
    "type": click.Choice(LANGUAGES), "default": spoken_language, "is_eager": True, "callback": _remember
}  # fmt: skip
language_option = click.option("--lang", **LANG)


class Help(click.HelpFormatter):
    """The help of a command, in which click's own words are in the language of the call."""

    def __init__(self, language: Language, **settings: Any) -> None:
        super().__init__(**settings)
        self.language, self._words = language, help_words("click")

    def of_click(self, text: str) -> str:
        """What click says, in this language."""
        return str(self._words.get(text.strip(), {}).get(self.language, text))

    def beside(self, text: str) -> str:
        """What click says about an option or the usage, in this language."""
        return re.sub(_OF_CLICK, lambda match: self.of_click(match[0]), text)

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, self.beside(args), prefix or self.of_click("Usage:") + " " * (self.language == "en"))

    def write_heading(self, heading: str) -> None:
        self.write(f"{'':>{self.current_indent}}{self.of_click(f'{heading}:')}\n")

    def write_text(self, text: str) -> None:
        width = self.width - self.current_indent
        super().write_text("\n\n".join(self._filled(part, width) for part in text.split("\n\n")))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        rows = list(rows)
        room = self.width - min(max(len(term) for term, _ in rows), col_max) - col_spacing - 2
        super().write_dl([(term, self._filled(text, room)) for term, text in rows], col_max, col_spacing)

    def write_part(self, text: str) -> None:
        """Write indented paragraphs below an empty line."""
        self.write_paragraph()
        with self.indentation():
            self.write_text(text)

    def _filled(self, text: str, width: int) -> str:
        if self.language == "en" or text.startswith(_AS_IT_IS):
            return text
        return _AS_IT_IS + "\n".join(wrapped(text, width))


class BilingualContext(click.Context):
    """The context of a command, which writes its help in the language of the call."""

    def make_formatter(self) -> click.HelpFormatter:
        return Help(language_of(self), width=self.terminal_width, max_width=self.max_content_width)


class BilingualCommand(click.Command):
    """A command, or a group of commands, in the user's language."""

    context_class = BilingualContext

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        if all(parameter.name != "lang" for parameter in self.params):
            # Whoever words something asks :func:`spoken_language`.
            self.params.append(click.Option(["--lang"], expose_value=False, **LANG))

    def format_help(self, ctx: click.Context, formatter: Help) -> None:  # type: ignore[override]
        """Write the usage, the text of the command, its options and examples."""
        words, shared = help_words(_help_section(ctx)), help_words("options")
        self.format_usage(ctx, formatter)
        formatter.write_part(words[formatter.language].strip("\n"))
        rows = []
        for parameter in self.get_params(ctx):
            if isinstance(parameter, click.Option) and (record := parameter.get_help_record(ctx)):
                names, beside = record
                key, known = max(parameter.opts, key=len).lstrip("-"), parameter.help or ""
                texts = words.get(key) or shared.get(known) or shared[key]
                beside = formatter.beside(beside.removeprefix(known).strip())
                between = "  " if formatter.language == "en" else " "
                rows.append((names, between.join(filter(None, (texts[formatter.language], beside)))))
        with formatter.section("Options"):
            formatter.write_dl(rows)
        if isinstance(self, click.Group):
            self.format_commands(ctx, formatter)
        lines = [piece for line in words["examples"].split("\n") if line for piece in _broken(line)]
        formatter.write_part(_AS_IT_IS + "\n".join([formatter.of_click("Examples:"), *(f"  {line}" for line in lines)]))


class BilingualGroup(BilingualCommand, click.Group):
    """A group of commands in the user's language."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        """List the commands as they were added, not by letter."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: Help) -> None:  # type: ignore[override]
        """Write the line of each command, in groups where they have any; click would import every command for it."""
        lines, outer = help_words("commands"), "" if ctx.parent is None else f"{_help_section(ctx)}-"
        names = self.list_commands(ctx)
        widest = max(map(len, names))
        groups: dict[str, list[tuple[str, str]]] = {}
        for name in names:
            words = lines[outer + name]
            groups.setdefault(words.get("group", "commands"), []).append(
                (name.ljust(widest), words[formatter.language])
            )
        formatter.write_paragraph()
        for group, rows in groups.items():
            formatter.write_heading(group.capitalize())
            with formatter.indentation():
                formatter.write_dl(rows)


def _help_section(ctx: click.Context) -> str:
    """The section of a command's help: its name, or the names of its group and itself."""
    return str(ctx.command.name) if ctx.parent is None else "-".join(ctx.command_path.split(" ")[1:])


def _broken(command: str) -> list[str]:
    """A command broken before options into lines that fit 80 columns, as a shell reads it."""
    first, *options = re.split(r" (?=-[\w-])", command)
    lines = [first]
    for option in options:
        if len(f"{lines[-1]} {option} \\") > EXAMPLE_WIDTH:
            lines.append(f"  {option}")
        else:
            lines[-1] += f" {option}"
    return [*(f"{line} \\" for line in lines[:-1]), lines[-1]]


def usage_text(error: click.UsageError, language: Language) -> str:
    """What is wrong with a command line; if click gives no hint, it is the command's help."""
    problem = None if language == "en" else _problem(error)
    text = error.format_message() if problem is None else problem.fact(language)
    where = error.ctx.command_path if error.ctx else "rankmeter"
    # Some of click's sentences have no full stop.
    ended = text if text.endswith((".", "?", "!", "。", "？")) else f"{text}."
    return text if "Hint:" in text or "提示：" in text else with_hint(ended, f"{where} --help", language)


def _problem(error: click.UsageError) -> Problem | None:
    """What click found, as a kind and values; None if only click has words for it."""
    parameter = error.param if isinstance(error, click.BadParameter) else None
    match error:
        case click.NoSuchOption():
            near = list(error.possibilities or ())
            kind = "cli.no_such_option_but" if near else "cli.no_such_option"
            return Problem(kind, {"name": error.option_name, "near": near})
        case click.BadOptionUsage():
            return Problem("cli.option_without_value", {"name": error.option_name})
        case click.MissingParameter() if parameter is not None:
            return Problem("cli.missing_parameter", {"name": _parameter_name(parameter)})
        case click.BadParameter() if parameter is not None:
            value = re.match(r"^'?(.*?)'? is not ", error.message, re.DOTALL)
            expected = _expected_words(parameter.type)
            if value and expected:
                return Problem(
                    "cli.bad_value", {"name": _parameter_name(parameter), "value": value[1], "expected": expected}
                )
        case _ if error.message.startswith("No such command") and error.ctx is not None:
            name = error.message.partition("'")[2].partition("'")[0]
            return Problem("cli.unknown_command", {"name": name, "commands": list(error.ctx.command.commands)})  # type: ignore[attr-defined]
        case _ if error.message.startswith("Got unexpected extra argument"):
            return Problem("cli.too_many_words", {"words": error.message.partition("(")[2].rstrip(")")})
    return None


def _parameter_name(parameter: click.Parameter) -> str:
    is_word = isinstance(parameter, click.Argument)
    return (parameter.metavar or str(parameter.name).upper()) if is_word else "/".join(parameter.opts)


def _expected_words(kind: Any) -> Any:
    if isinstance(kind, click.Choice):
        return said("expected_choice", choices=[str(choice) for choice in kind.choices])
    if isinstance(kind, (click.IntRange, click.FloatRange)):
        low, high = (end if end is None else f"{end:g}" for end in (kind.min, kind.max))
        return said("expected_at_least" if high is None else "expected_between", low=low, high=high)
    if isinstance(kind, click.types.IntParamType):
        return said("expected_whole")
    return said("expected_number") if isinstance(kind, click.types.FloatParamType) else None
