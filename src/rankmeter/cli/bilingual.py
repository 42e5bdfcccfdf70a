"""Commands in the user's language: the option ``--lang``, and help in English or Chinese."""

from __future__ import annotations

from typing import Any

import click

from rankmeter.cli.talk import LANGUAGE, language_of, spoken_language
from rankmeter.wording import LANGUAGES, Language


def _remember(ctx: click.Context, _: click.Parameter, language: Language) -> Language:
    ctx.meta[LANGUAGE] = language
    return language


LANG: dict[str, Any] = {
    "type": click.Choice(LANGUAGES), "default": spoken_language, "is_eager": True,
    "callback": _remember, "show_default": "RANKMETER_LANG, else the locale",
    "help": "Language of the output, the messages and this help: English or Chinese.",
}  # fmt: skip
language_option = click.option("--lang", **LANG)


class BilingualContext(click.Context):
    """The context of a command, which writes its help in the language of the call."""

    def make_formatter(self) -> click.HelpFormatter:
        if language_of(self) == "en":
            return super().make_formatter()
        from rankmeter.cli.usage import ChineseHelp

        return ChineseHelp(width=self.terminal_width, max_width=self.max_content_width)


class BilingualCommand(click.Command):
    """A command, or a group of commands, in the user's language."""

    context_class = BilingualContext

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        if all(parameter.name != "lang" for parameter in self.params):
            # Whoever words something asks :func:`spoken_language`.
            self.params.append(click.Option(["--lang"], expose_value=False, **LANG))


class BilingualGroup(BilingualCommand, click.Group):
    """A group of commands in the user's language."""
