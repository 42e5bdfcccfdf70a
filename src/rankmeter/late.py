"""Libraries that take long to load and that many calls never need.

``from rankmeter.late import pl`` is Polars, loaded at the first use of one of its names: plain text or a mapping is
evaluated without it, and the command line starts in half the time.
"""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any


class _Late(ModuleType):
    """Stands for a module until a name of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(import_module(self.__name__), name)
        setattr(self, name, found)  # so that this is asked once
        return found


def without_matrix_threads() -> None:
    """Say before NumPy loads that no matrices are multiplied: threads for them cost a quarter of a short command."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


if TYPE_CHECKING:
    import polars as pl
else:
    pl = _Late("polars")


def polars_faults(*others: type[BaseException]) -> tuple[type[BaseException], ...]:
    """What Polars raises for a file that is not what it should be, and others; a panic of it is no `Exception`."""
    return (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, TypeError, *others)


__all__ = ["pl", "polars_faults", "without_matrix_threads"]
