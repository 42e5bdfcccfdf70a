"""Objects that stand for a table: rows with named fields, columns by name, values by pair, Series, sparse matrices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from operator import attrgetter
from typing import Any

from rankmeter.inputs.cells import is_list, is_number
from rankmeter.inputs.columns import IDS, USUAL_NAMES, is_usual
from rankmeter.inputs.reading import Side
from rankmeter.late import pl

MOST_COLUMNS = 50
"""How many names of columns a table in a dictionary has at most."""
_QUERIES = frozenset(
    spelled
    for name in USUAL_NAMES["query"]
    for spelled in (name, name.replace("_", "-"), name.replace("_", ""), name.title().replace("_", ""), name.upper())
)


def may_be_columns(data: Mapping[Any, Any]) -> bool:
    """Whether one of a few keys is a usual name of a column of queries; `are_columns` looks closer."""
    return len(data) <= MOST_COLUMNS and not _QUERIES.isdisjoint(data)


def are_columns(data: Mapping[Any, Any]) -> bool:
    """Whether this is a table as columns by name: queries, items, and as many values of each."""
    if not may_be_columns(data) or not all(isinstance(name, str) for name in data):
        return False
    if not all(any(is_usual(role, name) for name in data) for role in IDS):
        return False
    columns = list(data.values())
    return all(is_list(column) and not isinstance(column, (str, set, frozenset)) for column in columns) and (
        len(set(map(len, columns))) == 1
    )


def as_frame(data: Any, side: Side) -> Any:
    """What stands for a table as a frame; None for everything else.

    - rows with names (``namedtuple``, dataclasses), such as the judgments and documents of ir_measures and ir_datasets,
      also from an iterator; structured arrays; datasets of Hugging Face
    - columns by name, ``{"query": [...], "item": [...]}``
    - values by pair, ``{(query, item): value}``, and lists of pairs, ``{query: [(item, score), ...]}``
    - a pandas Series of lists, or with the query and the item in its index
    - a sparse matrix: its rows are queries, its columns items, and what it stores their grades or scores; a row that
      stores nothing is not there
    """
    value = "grade" if side == "judgments" else "score"
    if isinstance(data, Mapping):
        return _of_mapping(data, value)
    if isinstance(data, (list, tuple, Iterator)):
        return _of_rows(data)
    if hasattr(data, "tocsr") and getattr(data, "ndim", 2) == 2:
        cells = data.tocsr().tocoo()  # which adds up what is stored twice
        return pl.DataFrame({"query": cells.row, "item": cells.col, value: cells.data})
    if names := getattr(getattr(data, "dtype", None), "names", None):
        return pl.DataFrame({name: data[name] for name in names})
    library = type(data).__module__.partition(".")[0]
    if library == "datasets" and hasattr(data, "to_polars"):
        return data.to_polars()
    return (
        _of_series(data, value) if type(data).__name__ == "Series" and library in ("pandas", "modin", "cudf") else None
    )


def _of_mapping(data: Mapping[Any, Any], value: str) -> Any:
    if are_columns(data):
        return pl.DataFrame({name: pl.Series(name, list(column), strict=False) for name, column in data.items()})
    if _is_pair(first := next(iter(data), None)) and is_number(data[first]) and all(map(_is_pair, data)):
        return _frame({"query": [q for q, _ in data], "item": [i for _, i in data], value: list(data.values())})
    lists = list(data.values())
    some = next((items for items in lists if isinstance(items, (list, tuple)) and items), ())
    if _are_pairs(some) and all(_are_pairs(items) or items in ((), []) for items in lists):
        columns = {name: [[pair[at] for pair in items] for items in lists] for at, name in enumerate(("item", value))}
        return _frame({"query": list(data), **columns})
    return None


def _is_pair(key: object) -> bool:
    return isinstance(key, tuple) and len(key) == 2


def _are_pairs(items: object) -> bool:
    """Whether these are an id and a number each."""
    return (
        isinstance(items, (list, tuple))
        and bool(items)
        and all(
            isinstance(pair, (list, tuple)) and len(pair) == 2 and isinstance(pair[0], (str, int))
            and is_number(pair[1]) and not isinstance(pair[1], bool)
            for pair in items
        )
    )  # fmt: skip


def _of_rows(data: Sequence[Any] | Iterator[Any]) -> Any:
    first = data[0] if isinstance(data, Sequence) and data else next(iter(data), None)
    names = getattr(first, "_fields", None) or (
        [field.name for field in fields(first)] if is_dataclass(first) and not isinstance(first, type) else None
    )
    if not names or not all(any(is_usual(role, name) for name in names) for role in IDS):
        return None
    rows = data if isinstance(data, Sequence) else [first, *data]
    return _frame({name: list(map(attrgetter(name), rows)) for name in names})


def _of_series(data: Any, value: str) -> Any:
    levels = data.index.nlevels
    if levels > 2 or (levels == 1 and not (len(data) and is_list(data.iloc[0]))):
        return None
    names = [name or usual for name, usual in zip(data.index.names, IDS, strict=False)]
    return data.rename("item" if levels == 1 else data.name or value).rename_axis(names).reset_index()


def _frame(columns: Mapping[str, list[Any]]) -> Any:
    """Columns of Python objects, which are checked as such: no id is turned into another on the way."""
    return pl.DataFrame({name: pl.Series(name, column, dtype=pl.Object) for name, column in columns.items()})
