"""The command line: one module per command, each of which parses, calls the API and prints.

Standard output is data, standard error is talk. Exit 0 done, 1 a gate failed, 2 wrong use or bad input,
130 interrupted.
"""

from __future__ import annotations

import os
import sys

from rankmeter.cli.application import app

LEAVES_NOTHING = "trec_eval"
"""The command that scripts start by the hundred: when it has printed, no thread, file or folder is left to close."""


def main() -> None:
    """Run the command line; the entry point of the ``rankmeter`` script."""
    try:
        app.main(prog_name="rankmeter")
    except SystemExit as ended:
        if sys.argv[1:2] == [LEAVES_NOTHING] and isinstance(ended.code, int):
            # Python would take everything apart, object by object: a tenth of such a call. The system does it at once.
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(ended.code)
        raise


__all__ = ["app", "main"]
