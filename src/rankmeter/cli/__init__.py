"""The command line: one module per command, each of which parses, calls the API and prints.

Standard output is data, standard error is talk. Exit 0 done, 1 a gate failed, 2 wrong use or bad input,
130 interrupted.
"""

from __future__ import annotations

from rankmeter.cli.application import app


def main() -> None:
    """Run the command line; the entry point of the ``rankmeter`` script."""
    app.main(prog_name="rankmeter")


__all__ = ["app", "main"]
