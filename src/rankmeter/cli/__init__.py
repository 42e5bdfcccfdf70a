"""The command line: one module per command, each of which parses, calls the API and prints.

Standard output is data, standard error is talk; how a command ends is in ``exit_codes``.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rankmeter.memory import keep_freed_memory
from rankmeter.wings import present, table

if TYPE_CHECKING:
    from rankmeter.cli.application import app

MANY_OBJECTS = 50_000
"""After how many new objects to collect garbage: what a command loads is not garbage, and a short one makes no more."""


def main() -> None:
    """Run the command line."""
    gc.set_threshold(MANY_OBJECTS)
    gc.enable()
    keep_freed_memory()
    try:
        if _is_of_other_program(sys.argv[1:]):
            _run_plain(sys.argv[1:])
        _application().main(prog_name="rankmeter")
    except SystemExit as ended:
        if isinstance(ended.code, int) and threading.active_count() == 1:
            # Freeing everything object by object takes a tenth of a short call; the system does it at once.
            atexit._run_exitfuncs()  # noqa: SLF001 (what others asked Python to do at its end is done)
            with suppress(OSError):  # what failed to be written has been said and has its code
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(ended.code)
        raise


def _is_of_other_program(words: Sequence[str]) -> bool:
    """Whether a command line is one of another program's, with nothing in it that click reads."""
    asked = next(iter(words), "") in present(table.PROGRAMS)
    return asked and not any(word == "--help" or word.startswith("--lang") for word in words)


def _run_plain(words: Sequence[str]) -> None:
    """Answer another program's command line without click, whose loading takes a fifteenth of a million lines.

    Where the answer is no exit code, the command has something to show that only click can: it goes on there.
    """
    from importlib import import_module

    from rankmeter.cli.talk import run
    from rankmeter.wording import LOCALE, chosen_language

    def work() -> int:
        answered = program.answer(words[1:], language)
        return answered if isinstance(answered, int) else _application().ended(words)

    program, language = import_module(table.PROGRAMS[words[0]]), chosen_language(places=LOCALE)
    run(work, language)


def _application() -> Any:
    from rankmeter.cli.application import app  # loads click

    return app


def __getattr__(name: str) -> Any:
    if name == "app":
        return _application()
    raise AttributeError(f"module 'rankmeter.cli' has no attribute {name!r}")


__all__ = ["app", "main"]
