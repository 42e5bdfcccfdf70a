"""What is said to people: always on standard error, so that standard output holds data only."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Self, TextIO

import click

from rankmeter.errors import Finished, RankmeterWarning
from rankmeter.showing.characters import one_line, width_of, without_controls, wrapped
from rankmeter.wording import LANGUAGES, LOCALE, Language, Said, chosen_language, word

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from rankmeter.inputs.progress import Progress as ReadSoFar

_LANGUAGE = "rankmeter.language"
PATIENCE = 1.0
"""Seconds after which a person at a terminal wants to see that something happens."""


def say(text: str) -> None:
    """Say a sentence in rankmeter's name."""
    tell([f"rankmeter: {text}"])


def tell(lines: list[str]) -> None:
    """Tell what belongs to a result; on a terminal no word is broken over two lines."""
    width = None
    if sys.stderr.isatty():
        from shutil import get_terminal_size

        width = get_terminal_size().columns
    for line in lines:
        shown = without_controls(line)
        if width is not None and width_of(shown) > width and not shown.startswith(" "):
            shown = "\n".join(wrapped(shown, width))
        click.echo(shown, err=True)


def echo(text: str) -> None:
    """Print data: as it is where a program reads it; on a terminal without what a terminal would obey."""
    shown = without_controls(text) if sys.stdout.isatty() else text
    # Without color=True click takes colours out of what is piped, and with them parts of names.
    click.echo(shown, nl=not text.endswith("\n"), color=True)


def language_of(ctx: click.Context) -> Language:
    """The language of this call: that of ``--lang``, else of ``RANKMETER_LANG``, else of the locale."""
    chosen: Language | None = ctx.meta.get(_LANGUAGE) or ctx.obj  # the latter where --help stands before --lang
    return chosen or chosen_language(places=LOCALE)


def spoken_language() -> Language:
    """The language of the command that is running."""
    context = click.get_current_context(silent=True)
    return chosen_language(places=LOCALE) if context is None else language_of(context)


def _remember(ctx: click.Context, _: click.Parameter, language: Language) -> Language:
    ctx.meta[_LANGUAGE] = language
    return language


LANG: dict[str, Any] = {
    "type": click.Choice(LANGUAGES), "default": spoken_language, "is_eager": True,
    "callback": _remember, "show_default": "RANKMETER_LANG, else the locale",
    "help": "Language of the output, the messages and this help: English or Chinese.",
}  # fmt: skip
language_option = click.option("--lang", **LANG)


class BilingualContext(click.Context):
    """The context of a command whose help is written in the language of the call."""

    def make_formatter(self) -> click.HelpFormatter:
        if language_of(self) == "en":
            return super().make_formatter()
        from rankmeter.cli.chinese_help import ChineseHelp

        return ChineseHelp(width=self.terminal_width, max_width=self.max_content_width)


class BilingualCommand(click.Command):
    """A command, or a group of them, that speaks the user's language."""

    context_class = BilingualContext

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        if all(parameter.name != "lang" for parameter in self.params):
            # Who words something asks for :func:`spoken_language`.
            self.params.append(click.Option(["--lang"], expose_value=False, **LANG))


class BilingualGroup(BilingualCommand, click.Group):
    """A group of such commands."""


def examples(*lines: str) -> str:
    """The examples that close the help of every command, for click's epilog."""
    # \b keeps click from filling the lines of the paragraph.
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


_NOTED: set[str] = set()
"""The notes of this call of the command."""


def not_noted(sentences: list[str]) -> list[str]:
    """The sentences that no note has said already."""
    return [sentence for sentence in sentences if sentence not in _NOTED]


@contextmanager
def notes_on_stderr() -> Iterator[None]:
    """Show rankmeter's warnings as notes, each once; leave those of others as they are."""
    said = _NOTED
    said.clear()
    with warnings.catch_warnings():
        show = warnings.showwarning

        def note(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if not issubclass(category, RankmeterWarning):
                show(message, category, filename, lineno, file, line)
            elif str(message) not in said:
                said.add(str(message))
                lang = spoken_language()
                given = message.args[0] if isinstance(message, Warning) else message
                text = given.text(lang) if isinstance(given, Said) else str(given)
                say(word("note", lang, text=Finished(text)))

        warnings.showwarning = note
        warnings.simplefilter("always", RankmeterWarning)
        yield


def silence_notes() -> None:
    """Say no more notes in this call of the command."""
    warnings.simplefilter("ignore", RankmeterWarning)


class ProgressBar:
    """A bar on standard error, on a terminal and for long work only.

    Parameters
    ----------
    total
        How many parts the work has.
    patience
        Seconds that work may take unseen; 0 for what is known to take long.
    """

    def __init__(self, total: int, *, patience: float = PATIENCE) -> None:
        self._total, self._patience = total, patience
        self._started = time.monotonic()
        self._bar: Bar | None = None
        self._done = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def read(self, name: str, so_far: ReadSoFar) -> None:
        """Tell how far the reading of a run has come, and how long the rest of it takes."""
        if not self._is_awaited:
            return
        left = so_far.seconds_left
        kind = "rows_read" if left is None else "rows_read_left"
        text = word(kind, spoken_language(), name=name, rows=so_far.rows, left=str(timedelta(seconds=round(left or 0))))
        self.show(text, so_far.fraction or 0.0)

    @property
    def _is_awaited(self) -> bool:
        """Whether a person at a terminal has waited long enough to be shown something."""
        return sys.stderr.isatty() and time.monotonic() - self._started >= self._patience

    def show(self, what: str, fraction: float = 0.0) -> None:
        """Say what is being done, and how much of this part is done; nothing is shown unless it takes long."""
        if self._bar is None:
            if not self._is_awaited:
                return
            self._bar = _bar()
            self._bar.add_task("", total=self._total)
            self._bar.start()
        self._bar.update(self._bar.task_ids[0], description=one_line(what), completed=self._done + fraction)

    def advance(self) -> None:
        """One more part is done."""
        self._done += 1


def _bar() -> Bar:
    # rich is loaded only to print on a terminal.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn

    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
