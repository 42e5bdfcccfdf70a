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
        if _is_plain(sys.argv[1:]):
            _run_plain(sys.argv[2:])
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


def _is_plain(words: Sequence[str]) -> bool:
    """Whether a command line is one of trec_eval's, with nothing in it that click reads."""
    return words[:1] == ["trec_eval"] and not any(word == "--help" or word.startswith("--lang") for word in words)


def _run_plain(words: Sequence[str]) -> None:
    """Answer trec_eval's command line; without click, whose loading takes a fifteenth of a million lines."""
    from rankmeter.cli.talk import run
    from rankmeter.cli.trec_program import answer
    from rankmeter.wording import LOCALE, chosen_language

    def work() -> int:
        answered = answer(words, language)
        if isinstance(answered, int):
            return answered
        from rankmeter.cli.definition_commands import show_trec_help, trec_eval

        group = _application().make_context("rankmeter", ["trec_eval"], obj=language)
        show_trec_help(trec_eval.make_context("trec_eval", [], parent=group), answered)
        return 0

    language = chosen_language(places=LOCALE)
    run(work, language)


def _application() -> Any:
    from rankmeter.cli.application import app  # loads click

    return app


def __getattr__(name: str) -> Any:
    if name == "app":
        return _application()
    raise AttributeError(f"module 'rankmeter.cli' has no attribute {name!r}")


__all__ = ["app", "main"]
