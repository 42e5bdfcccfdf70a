"""How every command runs, with or without click, and what it tells people, on standard error: standard output is data.

An error ends a command with a sentence and a code.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn, Self

from rankmeter import __version__
from rankmeter.cli.exit_codes import DONE, FAULT, INTERRUPTED, PIPE_CLOSED, code_of
from rankmeter.cli.streams import prepare_streams, silence
from rankmeter.errors import Finished, InputError, RankmeterError, RankmeterWarning, reason_of
from rankmeter.wording import LANGUAGES, LOCALE, Language, Said, chosen_language, word
from rankmeter.wording.characters import one_line, width_of, without_controls, wrapped

if TYPE_CHECKING:
    import click
    from rich.progress import Progress as Bar

    from rankmeter.inputs.reading import Progress as ReadSoFar

LANGUAGE = "rankmeter.language"
"""Where the context of a command keeps the language of the call."""
PATIENCE = 1.0
"""Seconds after which a person at a terminal wants to see progress."""


def run(work: Callable[[], Any], language: Language) -> NoReturn:
    """Do the work of a command and exit with the code that it returns, if any."""
    prepare_streams()
    with notes_on_stderr(), _ends_by_unwinding():
        sys.exit(_exit_code(work, language))


def _exit_code(work: Callable[[], Any], language: Language) -> int:
    try:
        code = work()
        sys.stdout.flush()
    except RankmeterError as error:
        say(error.text(language))
        return code_of(error)
    except MemoryError as error:
        say(InputError.of("cli.out_of_memory").text(language))
        return code_of(error)
    except KeyboardInterrupt:
        say(InputError.of("cli.interrupted").text(language))
        return INTERRUPTED
    except BrokenPipeError:
        silence(sys.stdout)
        return PIPE_CLOSED
    except OSError as error:
        # Errors about files name them.
        say(f"{error.filename or 'standard output'}: {error.strerror or error}.")
        if error.filename is None:
            silence(sys.stdout)
            return FAULT
        return code_of(error)
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 (a panic of Polars is no Exception; Python would end with 1, as a gate)
        tell("".join(traceback.format_exception(error)).splitlines())
        fault = Finished(f"{type(error).__name__}: {reason_of(error)}")
        say(InputError.of("cli.unexpected", error=fault, version=__version__).text(language))
        return FAULT
    return code if isinstance(code, int) else DONE


@contextmanager
def _ends_by_unwinding() -> Iterator[None]:
    """Turn the signals that end a program into an exit, so that half-written and temporary files are removed."""

    def leave(number: int, _: object) -> None:
        sys.exit(128 + number)

    names = ("SIGTERM", "SIGHUP")  # Windows has no SIGHUP
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    in_main_thread = threading.current_thread() is threading.main_thread()
    # A signal that is ignored (nohup) stays ignored.
    ours = [number for number in numbers if in_main_thread and signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def say(text: str) -> None:
    """Print a sentence in rankmeter's name."""
    tell([f"rankmeter: {text}"])


def tell(lines: list[str]) -> None:
    """Print lines that accompany a result; on a terminal they are wrapped between words."""
    width = None
    if sys.stderr.isatty():
        from shutil import get_terminal_size

        width = get_terminal_size().columns
    try:
        for line in lines:
            shown = without_controls(line)
            if width is not None and width_of(shown) > width and not shown.startswith(" "):
                shown = "\n".join(wrapped(shown, width))
            sys.stderr.write(f"{shown}\n")
        sys.stderr.flush()
    except OSError:  # full, or nobody reads it: the command is still judged by its work
        silence(sys.stderr)


def echo(text: str) -> None:
    """Print data: unchanged for programs, without control sequences on a terminal."""
    import click  # trec_eval's command does without it

    shown = without_controls(text) if sys.stdout.isatty() else text
    # Without color=True click strips colour codes from piped output, and with them parts of names.
    click.echo(shown, nl=not text.endswith("\n"), color=True)


def language_of(ctx: click.Context) -> Language:
    """The language of this call: ``--lang``, else ``RANKMETER_LANG``, else the locale."""
    chosen: Language | None = ctx.meta.get(LANGUAGE) or ctx.obj  # the latter where --help stands before --lang
    return chosen or chosen_language(places=LOCALE)


def language_asked(args: Sequence[str] | None) -> Language:
    """The language of a command line that click may not be able to read."""
    words = list(sys.argv[1:] if args is None else args)
    typed = [after for word, after in pairwise(words) if word == "--lang"]
    typed += [word.partition("=")[2] for word in words if word.startswith("--lang=")]
    return next((language for language in LANGUAGES if language in typed), chosen_language(places=LOCALE))


def spoken_language() -> Language:
    """The language of the command that is running."""
    click = sys.modules.get("click")  # not loaded by trec_eval's command
    context = None if click is None else click.get_current_context(silent=True)
    return chosen_language(places=LOCALE) if context is None else language_of(context)


_NOTED: set[str] = set()
"""The notes that this call has printed."""


def not_noted(sentences: list[str]) -> list[str]:
    """The sentences that have not been printed as notes."""
    return [sentence for sentence in sentences if sentence not in _NOTED]


@contextmanager
def notes_on_stderr() -> Iterator[None]:
    """Print rankmeter's warnings as notes, each once; leave other warnings alone."""
    said = _NOTED
    said.clear()
    with warnings.catch_warnings():
        show = warnings.showwarning

        def note(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if not issubclass(category, RankmeterWarning):
                show(message, category, *where, **more)
                return
            # As a string, a sentence is English, whatever the language of the warning.
            sentence = message.args[0] if isinstance(message, Warning) else message
            if sentence not in said:
                said.add(sentence)
                lang = spoken_language()
                text = sentence.text(lang) if isinstance(sentence, Said) else str(sentence)
                say(word("note", lang, text=Finished(text)))

        warnings.showwarning = note
        warnings.simplefilter("always", RankmeterWarning)
        yield


def silence_notes() -> None:
    """Print no more notes in this call."""
    warnings.simplefilter("ignore", RankmeterWarning)


class ProgressBar:
    """A progress bar on standard error, on a terminal and for long work only: after some patience, in seconds."""

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
        """Show how far the reading of a run is, and how long the rest takes."""
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
        """Show what is being done, and how much of this part is done, if it takes long."""
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
    # rich is loaded only for a terminal.
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
