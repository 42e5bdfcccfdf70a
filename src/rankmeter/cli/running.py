"""How every command runs, with or without click: its streams and notes; an error ends it with a sentence and a code."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from rankmeter.cli.talk import notes_on_stderr, say
from rankmeter.errors import InputError, RankmeterError
from rankmeter.wording import Language

DONE, WRONG, INTERRUPTED, PIPE_CLOSED = 0, 2, 130, 141


def run(work: Callable[[], Any], language: Language) -> NoReturn:
    """Do the work of a command and exit with the code that it returns, if any."""
    for stream in (sys.stdout, sys.stderr):
        # Characters that the terminal's encoding lacks are escaped; they must not stop the command.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    with notes_on_stderr(), _ends_by_unwinding():
        sys.exit(_exit_code(work, language))


def _exit_code(work: Callable[[], Any], language: Language) -> int:
    try:
        code = work()
        sys.stdout.flush()
    except RankmeterError as error:
        say(error.text(language))
    except MemoryError:
        say(InputError.of("cli.out_of_memory").text(language))
    except KeyboardInterrupt:
        say(InputError.of("cli.interrupted").text(language))
        return INTERRUPTED
    except BrokenPipeError:
        _silence_stdout()
        return PIPE_CLOSED
    except OSError as error:
        # Errors about files name them.
        say(f"{error.filename or 'standard output'}: {error.strerror or error}.")
        if error.filename is None:
            _silence_stdout()
    else:
        return code if isinstance(code, int) else DONE
    return WRONG


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


def _silence_stdout() -> None:
    """Keep Python from failing again when it flushes at exit."""
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123 (a descriptor is wanted, not a path)
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
