"""Tables with a list in each row, as grouping makes them: ``user, [items]``, perhaps with a list of scores or grades.

They become a row per item, so that everything behind sees one shape. Lists may be columns of lists, Python lists and
arrays, or text that spells one (``[1, 2]``, as CSV files keep them).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import cast

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError
from rankmeter.inputs.cells import RawColumn, is_list, is_missing, list_of
from rankmeter.inputs.columns import RANKING, Role
from rankmeter.inputs.origins import GroupedQueries, Origin
from rankmeter.late import pl
from rankmeter.wording import said


def holds_lists(column: RawColumn) -> bool:
    """Whether the first value of a column that is there is a list."""
    if not isinstance(column, list) and column.dtype not in (pl.String, pl.Object):
        return column.dtype.is_nested() and not isinstance(column.dtype, pl.Struct)
    return is_list(next((value for value in chain(column[:1], column) if not is_missing(value)), None))


def in_rows(
    raw: Mapping[Role, RawColumn], origin: Origin, before: set[object]
) -> tuple[Mapping[Role, RawColumn], Origin]:
    """A row per item where the items of each row are a list; everything else as it is.

    ``before`` are the queries whose lists were taken apart already, which nothing but their order ranks.
    """
    if "item" not in raw or not holds_lists(raw["item"]):
        return raw, origin
    items, sizes = _flat("item", raw, origin)
    rows = np.repeat(np.arange(len(sizes)), sizes)
    apart: dict[Role, RawColumn] = {"item": items}
    for role, column in raw.items():
        if role == "query":
            apart[role] = GroupedQueries(list(column), sizes) if 0 in sizes else _taken(column, rows)
        elif role != "item" and holds_lists(column):
            apart[role], other = _flat(role, raw, origin)
            if wrong := [row for row, (size, its) in enumerate(zip(sizes, other, strict=True)) if size != its]:
                fact = said("inputs.unequal_lists", role=role, count=other[wrong[0]], items=sizes[wrong[0]])
                raise origin.blame(fact, wrong, {"query": raw["query"]})
        elif role in RANKING:
            raise InputError.of("inputs.one_for_a_list", source=origin.source, role=role)
        elif role != "item":
            apart[role] = _taken(column, rows)
    if origin.reading is not None and origin.reading.order == "lists":
        _check_one_list(raw["query"], origin, before)
    lines = None if origin.lines is None else [origin.lines[row] for row in rows.tolist()]
    return apart, replace(origin, rows=rows, lines=lines)


def _taken(column: RawColumn, rows: npt.NDArray[np.intp]) -> RawColumn:
    return [column[row] for row in rows.tolist()] if isinstance(column, list) else column.gather(rows)


def _check_one_list(queries: RawColumn, origin: Origin, before: set[object]) -> None:
    """Refuse a second list of a query: nothing says which of the two comes first."""
    again = []
    for row, query in enumerate(queries):
        if query in before:
            again.append(row)
        before.add(query)
    if again:
        raise origin.blame(said("inputs.second_list"), again, {"query": queries})


def _flat(role: Role, raw: Mapping[Role, RawColumn], origin: Origin) -> tuple[RawColumn, list[int]]:
    """All values of a column of lists, one after another, and how many each row has."""
    column = raw[role]
    if not isinstance(column, list) and column.dtype.is_nested():
        column = column.arr.to_list() if isinstance(column.dtype, pl.Array) else column
        if column.null_count():
            raise origin.blame(said("inputs.is_missing", role=role), column.is_null().arg_true().to_list(), raw)
        sizes = column.list.len()
        return column.filter(sizes > 0).explode(), sizes.to_list()
    ordered = origin.reading is not None and origin.reading.order == "lists"
    lists = [None if ordered and isinstance(value, (set, frozenset)) else list_of(value) for value in column]
    wrong = [row for row, values in enumerate(lists) if values is None]
    if wrong:
        value = column[wrong[0]]
        fact = said("inputs.is_missing", role=role) if is_missing(value) else said(
            "inputs.not_a_list", role=role, value=repr(value)
        )  # fmt: skip
        raise origin.blame(fact, wrong, raw)
    listed = cast("list[Sequence[object]]", lists)
    return list(chain.from_iterable(listed)), list(map(len, listed))
