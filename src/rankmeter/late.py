"""What is slow and often not needed: libraries that load, and values that are made, when they are first used.

``from rankmeter.late import pl`` is Polars, loaded when one of its names is first used: plain text and mappings are
evaluated without it, and the command line starts in half the time. SciPy's ``optimize``, ``special`` and ``stats`` are
loaded for statistics only. A few modules of the standard library would take another 5 ms.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

Value = TypeVar("Value")


class Late(Generic[Value]):
    """A value that is made when it is first asked for; when pickled, it is made first."""

    __slots__ = ("made", "make")

    def __init__(self, make: Callable[[], Value] | None = None, made: Value | None = None) -> None:
        self.make, self.made = make, made

    @property
    def value(self) -> Value:
        """The value, made once."""
        if self.make is not None:
            # In this order another thread sees the value or makes it too.
            self.made, self.make = self.make(), None
        return self.made  # type: ignore[return-value]

    def __reduce__(self) -> tuple[Any, ...]:
        return Late, (None, self.value)


class _LateLibrary(ModuleType):
    """Stands for a module until a name of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self.__name__), name)
        setattr(self, name, value)  # the next time it is found without us
        return value


_process = {"threads": False, "forked": False}
"""Whether Polars' threads ran before the last fork, and whether this process came from such a fork."""


def was_forked_from_threads() -> bool:
    """Whether this process was forked from one in which Polars' threads ran."""
    return _process["forked"]


def _have_threads() -> bool:
    """Whether Polars' threads are running, or may be where the system does not tell."""
    if "polars" not in sys.modules:
        return False
    try:
        return any(name.read_text().startswith("polars") for name in pathlib.Path("/proc/self/task").glob("*/comm"))
    except OSError:
        return True


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(
        before=lambda: _process.update(threads=_have_threads()),
        after_in_child=lambda: _process.update(forked=_process["forked"] or _process["threads"]),
    )


def without_matrix_threads() -> None:
    """Keep NumPy from starting threads for matrix products: they take a quarter of a short command that has none."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


if TYPE_CHECKING:
    import bz2
    import decimal
    import gzip
    import json
    import lzma
    import pathlib
    import tempfile

    import polars as pl
    from scipy import optimize, special, stats
else:
    pl = _LateLibrary("polars")
    optimize, special, stats = map(_LateLibrary, ("scipy.optimize", "scipy.special", "scipy.stats"))
    bz2, decimal, gzip, json = map(_LateLibrary, ("bz2", "decimal", "gzip", "json"))
    lzma, pathlib, tempfile = map(_LateLibrary, ("lzma", "pathlib", "tempfile"))


def text_beside(module: str, name: str) -> str:
    """The text of a file that stands beside a module, of which its ``__file__`` is given."""
    with open(os.path.join(os.path.dirname(module), name), encoding="utf-8") as file:  # noqa: PTH118, PTH120, PTH123 (late)
        return file.read()


def polars_faults(*others: type[BaseException]) -> tuple[type[BaseException], ...]:
    """What Polars raises for a damaged or foreign file, and ``others``; its panics are not an `Exception`."""
    return (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, TypeError, *others)


__all__ = ["Late", "bz2", "decimal", "gzip", "json", "lzma", "optimize", "pathlib", "pl", "polars_faults", "special",
           "stats", "tempfile", "text_beside", "was_forked_from_threads", "without_matrix_threads"]  # fmt: skip
