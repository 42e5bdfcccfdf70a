"""Measures that users define: a function becomes a measure, with a canonical string, usable everywhere."""

from __future__ import annotations

import importlib
import inspect
import math
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields, make_dataclass
from typing import Any

import numpy as np

from rankmeter.arithmetic import Parts, View
from rankmeter.arithmetic.relevance import length
from rankmeter.errors import MeasureError, Problem
from rankmeter.measures.base import ANY_POSITIVE, REGISTRY, SINGLE_ORDER_TIES, Measure, RankedMeasure
from rankmeter.measures.names import ALIASES, spelled_out
from rankmeter.measures.options import ruled


class FailedMeasureError(MeasureError):
    """A user's function raised an error or did not return a number, for the query at a position; None for all."""

    def __init__(self, measure: Measure, query: int | None, error: Exception) -> None:
        super().__init__(measure, query, error)
        self.measure, self.query, self.error = measure, query, error

    def about(self, queries: Sequence[Any]) -> Problem:
        """What went wrong, with the id of the query."""
        values = {"measure": str(self.measure), "error": f"{type(self.error).__name__}: {self.error}"}
        if self.query is None:
            return Problem("measures.own_failed", values)
        return Problem("measures.own_failed_for", {**values, "query": str(queries[self.query])})

    @property
    def problem(self) -> Problem:
        """What went wrong, with the position of the query."""
        return self.about(range(sys.maxsize))


def measure(function: Callable[..., Any]) -> Measure:
    """Turn a function into a measure of the same name.

    The first parameter decides what the function is given, query by query or for all queries at once:

    - ``grades``: the grades of one query's list in ranked order, cut at the cutoff, 0 for an unjudged item; with a
      second parameter ``ideal`` also all its judged grades, highest first. It returns a number.
    - ``placements``: the ranked placements of all queries (:class:`rankmeter.arithmetic.View`). It returns an array
      with a value for each query.

    Keyword-only parameters with defaults (numbers or words) become options of the measure.

    Examples
    --------
    >>> import rankmeter as rm
    >>> @rm.measure
    ... def TopWeight(grades, *, base=0.5):
    ...     return sum(grade * base**place for place, grade in enumerate(grades))
    >>> rm.value("TopWeight@3", grades=[3, 0, 1, 2])
    3.25
    >>> rm.value(TopWeight(base=1) @ 3, grades=[3, 0, 1, 2])
    4.0
    """
    name = function.__name__
    _refuse_taken_name(name)
    given, options = _signature(function)
    names = [option[0] for option in options]
    formula = _for_all(function, names) if given == "placements" else _one_by_one(function, names, given)
    facts: dict[str, Any] = {
        "__doc__": function.__doc__,
        "name": name,
        "custom": True,
        "function": staticmethod(function),  # sent to a cluster, where the measure is made anew
        "formula": staticmethod(formula),
        "within_cutoff": given != "placements",  # a function of placements may look at anything
        "bounds": (-math.inf, math.inf),
        "graded": True,
        "places_judged": True,
        "needs_total": True,
        "tie_rules": SINGLE_ORDER_TIES,
        "aggregates": ("mean", "geometric", "sum", "median"),
        "__reduce__": _by_name,
    }
    kind = make_dataclass(name, options, bases=(RankedMeasure,), namespace=facts, frozen=True, kw_only=True, repr=False)
    REGISTRY[name] = kind()
    return REGISTRY[name]


_CARRIED: dict[str, bytes] = {}
"""The functions that came with pickles into this process, by the name of their measure."""


def _by_name(m: Any) -> tuple[Any, ...]:
    """How a measure is pickled: no module contains its class, which is made when the function is defined.

    Its function goes along where a library that pickles functions is loaded, as under joblib's processes.
    """
    kind = type(m)
    options = {option.name: getattr(m, option.name) for option in fields(m)}
    return _made_again, (kind.name, options, kind.function.__module__, _carried(kind.function))


def _carried(function: Callable[..., Any]) -> bytes | None:
    names = ("cloudpickle", "joblib.externals.cloudpickle", "pyspark.cloudpickle")
    library = next((sys.modules[name] for name in names if name in sys.modules), None)
    try:
        return None if library is None else bytes(library.dumps(function))
    except Exception:  # noqa: BLE001 (a function may hold anything: the measure is then known by its name)
        return None


def _made_again(name: str, options: dict[str, Any], module: str = "__main__", function: bytes | None = None) -> Measure:
    if name not in REGISTRY and module != "__main__":
        with suppress(ImportError):
            importlib.import_module(module)
    # A process that lives on may know the function as it was before.
    if function is not None and (name not in REGISTRY or _CARRIED.get(name, function) != function):
        measure(pickle.loads(function))  # noqa: S301 (part of what is being unpickled)
        _CARRIED[name] = function
    known = REGISTRY.get(name)
    if known is None:
        raise MeasureError.of("measures.own_unknown", name=name)
    return type(known)(**options)


def _refuse_taken_name(name: str) -> None:
    """Refuse a name that already means something in rankmeter or in its results."""
    hint = "give the function another name"
    taken = {known.casefold() for known, registered in REGISTRY.items() if not registered.custom}
    if name.casefold() in taken:
        raise MeasureError.of("measures.own_is_ours", name=name, hint=hint)
    aliases = {alias.casefold(): meant for alias, meant in ALIASES.items()}
    meant = aliases.get(name.casefold(), spelled_out(name))
    if meant != name:
        raise MeasureError.of("measures.own_is_alias", name=name, meant=meant, hint=hint)
    if name == "query":
        raise MeasureError.of("measures.own_is_query", hint=hint)
    if not name.isidentifier():
        raise MeasureError.of("measures.own_name", name=name)


def _signature(function: Callable[..., Any]) -> tuple[str, list[tuple[str, Any, Any]]]:
    """The data that the function takes ('placements', 'grades' or 'grades, ideal') and its options as fields."""
    parameters = list(inspect.signature(function).parameters.values())
    data = [p.name for p in parameters if p.kind is not inspect.Parameter.KEYWORD_ONLY]
    given = ", ".join(data)
    if given not in ("grades", "grades, ideal", "placements"):
        raise MeasureError.of("measures.own_signature", function=function.__name__, given=given)
    return given, [_option_of_parameter(function, p) for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]


def _option_of_parameter(function: Callable[..., Any], parameter: inspect.Parameter) -> tuple[str, Any, Any]:
    default = parameter.default
    number = isinstance(default, (int, float)) and not isinstance(default, bool)
    if not number and not isinstance(default, str):
        raise MeasureError.of(
            "measures.own_default", function=function.__name__, name=parameter.name, default=f"{default!r}"
        )
    kind, rule = (float, {"number": "float"}) if number else (str, {"text": True})
    return parameter.name, kind, ruled(default, **rule)


def _for_all(function: Callable[..., Any], options: list[str]) -> Callable[[View, Any], Parts]:
    def formula(view: View, m: Any) -> Parts:
        with _in_the_name_of(m):
            value = np.asarray(function(_read_only(view), **{name: getattr(m, name) for name in options}), np.float64)
        if value.shape != (len(view),):
            raise MeasureError.of("measures.own_shape", measure=m, shape=str(value.shape))
        return _parts_within(view, m, value)

    return formula


def _one_by_one(function: Callable[..., Any], options: list[str], given: str) -> Callable[[View, Any], Parts]:
    def formula(view: View, m: Any) -> Parts:
        chosen = {name: getattr(m, name) for name in options}
        sizes = length(view, m.cutoff).astype(np.int64)
        value, offsets = np.zeros(len(view)), view.offsets
        for query in range(len(view)):
            rows = slice(offsets[query], offsets[query + 1])
            grades = np.zeros(sizes[query])
            inside = view.rank[rows] <= sizes[query]
            grades[view.rank[rows][inside] - 1] = view.grade[rows][inside]
            data = [grades]
            if "ideal" in given:
                data.append(_locked(view.best[view.best_offsets[query] : view.best_offsets[query + 1]]))
            with _in_the_name_of(m, query):
                value[query] = _number(function(*data, **chosen))
        return _parts_within(view, m, value)

    return formula


def _locked(array: np.ndarray) -> np.ndarray:
    """A read-only view of an array that other measures share."""
    locked = array.view()
    locked.setflags(write=False)
    return locked


def _read_only(view: View) -> View:
    """The view with every array read-only, and without what other measures have memoised."""
    parts: dict[str, Any] = {column.name: getattr(view, column.name) for column in fields(view)}
    locked = {name: _locked(part) for name, part in parts.items() if isinstance(part, np.ndarray)}
    return View(**{**parts, **locked, "memo": {}})


def _number(result: Any) -> float:
    """What a function returned for one query; refuse anything but one number."""
    if isinstance(result, (str, bytes)) or result is None or np.ndim(result) != 0:
        raise TypeError(f"it returned {type(result).__name__} {result!r:.60}, not a number")
    return float(result)


@contextmanager
def _in_the_name_of(m: Any, query: int | None = None) -> Iterator[None]:
    """Report which measure failed, and for which query."""
    try:
        yield
    except Exception as error:  # a user's function may raise anything
        raise FailedMeasureError(m, query, error) from error


def _parts_within(view: View, m: Any, value: np.ndarray) -> Parts:
    found = (view.grade > 0) & (view.rank <= length(view, m.cutoff)[view.query])
    return Parts(
        value,
        np.ones(len(view)),
        view.total_relevant(ANY_POSITIVE) > 0,
        np.bincount(view.query[found], minlength=len(view)) > 0,
    )
