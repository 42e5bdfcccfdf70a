"""What takes long and many calls never need: libraries that load, and values that are made, when they are first used.

``from rankmeter.late import pl`` is Polars, loaded at the first use of one of its names: plain text or a mapping is
evaluated without it, and the command line starts in half the time. A few of the standard's own take another 5 ms.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

Value = TypeVar("Value")


class Late(Generic[Value]):
    """A value that is made when it is first asked for; a copy elsewhere takes the value along."""

    __slots__ = ("made", "make")

    def __init__(self, make: Callable[[], Value] | None = None, made: Value | None = None) -> None:
        self.make, self.made = make, made

    @property
    def value(self) -> Value:
        """The value, made once."""
        if self.make is not None:
            # In this order, so that another thread sees the value or makes it too.
            self.made, self.make = self.make(), None
        return self.made  # type: ignore[return-value]

    def __reduce__(self) -> tuple[Any, ...]:
        return Late, (None, self.value)


class _LateLibrary(ModuleType):
    """Stands for a module until a name of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self.__name__), name)
        setattr(self, name, value)  # so that this is asked once
        return value


_process = {"threads": False, "forked": False}
"""Whether the threads of Polars ran before the last fork, and whether this process came from such a one."""


def check_threads() -> None:
    """Refuse tables in a process that was forked from one with threads of Polars: it would wait for them for ever."""
    if _process["forked"]:
        from rankmeter.errors import InputError  # which needs words

        raise InputError.of("general.forked")


def _have_threads() -> bool:
    """Whether the threads of Polars run; where the system does not tell, whether they may."""
    if "polars" not in sys.modules:
        return False
    try:
        return any(name.read_text().startswith("polars") for name in Path("/proc/self/task").glob("*/comm"))
    except OSError:
        return True


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(
        before=lambda: _process.update(threads=_have_threads()),
        after_in_child=lambda: _process.update(forked=_process["forked"] or _process["threads"]),
    )


def without_matrix_threads() -> None:
    """Say before NumPy loads that no matrices are multiplied: threads for them cost a quarter of a short command."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


if TYPE_CHECKING:
    import bz2
    import decimal
    import gzip
    import lzma
    import tempfile

    import polars as pl
else:
    pl = _LateLibrary("polars")
    bz2, decimal, gzip, lzma, tempfile = map(_LateLibrary, ("bz2", "decimal", "gzip", "lzma", "tempfile"))


def polars_faults(*others: type[BaseException]) -> tuple[type[BaseException], ...]:
    """What Polars raises for a file that is not what it should be, and others; its panics are not an `Exception`."""
    return (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, TypeError, *others)


__all__ = ["Late", "bz2", "check_threads", "decimal", "gzip", "lzma", "pl", "polars_faults", "tempfile",
           "without_matrix_threads"]  # fmt: skip
