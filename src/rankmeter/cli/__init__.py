"""The command line: one module per command, each of which parses, calls the API and prints.

Standard output is data, standard error is talk. Exit 0 done, 1 a gate failed, 2 wrong use or bad input,
130 interrupted.
"""

from __future__ import annotations

import atexit
import ctypes  # NumPy needs it too
import os
import sys
import threading
from contextlib import suppress

from rankmeter.cli.application import app


def main() -> None:
    """Run the command line; the entry point of the ``rankmeter`` script."""
    _keep_freed_memory()
    try:
        app.main(prog_name="rankmeter")
    except SystemExit as ended:
        if isinstance(ended.code, int) and threading.active_count() == 1:
            # Python would take everything apart, object by object: a tenth of a short call. The system does it at once.
            atexit._run_exitfuncs()  # noqa: SLF001 (what others asked Python to do at its end is done)
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(ended.code)
        raise


def _keep_freed_memory() -> None:
    """Tell the C library, where it is GNU's, to keep what was freed: every block of a text asks for as much again.

    Fresh pages from the kernel took 30% of the time of seven million lines, and 10% of one million.
    """
    with suppress(AttributeError, OSError, TypeError):
        for setting, size in ((-3, 1 << 25), (-1, 1 << 30)):  # M_MMAP_THRESHOLD, M_TRIM_THRESHOLD
            ctypes.CDLL(None).mallopt(setting, size)


__all__ = ["app", "main"]
