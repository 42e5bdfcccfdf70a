"""How far the reading of a large run has come, for whoever wants to show it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the reading of a run has come.

    Examples
    --------
    >>> Progress(rows=2_000_000, fraction=0.25, seconds=3.0).seconds_left
    9.0
    """

    rows: int
    """Rows read so far."""
    fraction: float | None
    """How much of the input that is, from 0 to 1; None where its size is not known (a pipe)."""
    seconds: float
    """Time since the reading began."""

    @property
    def seconds_left(self) -> float | None:
        """The time that the rest takes if it goes on like this; None where that cannot be told."""
        return self.seconds * (1 - self.fraction) / self.fraction if self.fraction else None


Listener = Callable[[Progress], object]
"""What is told about progress, after every block of whole queries."""
