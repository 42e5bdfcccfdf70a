"""How far a long piece of work has come, for whoever wants to show it."""

from __future__ import annotations

import sys
from collections.abc import Callable

from rankmeter.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the reading of a run, or the ranking of a catalogue, has come.

    Examples
    --------
    >>> Progress(rows=2_000_000, fraction=0.25, seconds=3.0).seconds_left
    9.0
    """

    rows: int
    """Rows read, or judged items placed, so far."""
    fraction: float | None
    """How much of the input that is, from 0 to 1; None where its size is not known (a pipe)."""
    seconds: float
    """Time since the work began."""
    memory: int | None = None
    """Bytes that the work takes beside what was given, where that is known."""

    @property
    def seconds_left(self) -> float | None:
        """The time that the rest takes if it goes on like this; None where that cannot be told."""
        return self.seconds * (1 - self.fraction) / self.fraction if self.fraction else None


Listener = Callable[[Progress], object]
"""What is told about progress, after every block of whole queries."""


def show_progress(progress: Progress) -> None:
    """A bar on standard error, which stays in its line."""
    width, fraction = 30, progress.fraction or 0.0
    bar = "#" * round(width * fraction)
    left = "" if progress.seconds_left is None else f", {progress.seconds_left:,.0f} s left"
    memory = "" if progress.memory is None else f", {progress.memory / 1e9:,.1f} GB"
    line = f"\r[{bar:<{width}}] {fraction:4.0%} {progress.rows:,} rows{memory}{left}"
    sys.stderr.write(f"{line:<79}" + ("\n" if fraction >= 1 else ""))
    sys.stderr.flush()
