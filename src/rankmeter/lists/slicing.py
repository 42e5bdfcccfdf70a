"""Ways to cut queries or items into slices: by a column, a mapping, popularity, activity."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from rankmeter.errors import InputError, did_you_mean, examples
from rankmeter.inputs.attributes import find_column, ids_of, no_such_column, table_of
from rankmeter.inputs.cells import is_missing
from rankmeter.inputs.columns import USUAL_NAMES
from rankmeter.inputs.frames import is_frame
from rankmeter.late import pl
from rankmeter.lists.catalogue import Catalogue
from rankmeter.lists.slating import Material, shared_type
from rankmeter.placing.numbering import numbers_among
from rankmeter.placing.placements import Ints
from rankmeter.wording import said

NO_LABEL = "(none)"
"""The slice of queries or items that have no label."""
BUILT_IN = {
    "activity": "users by how much they took before, in quarters",
    "cold-users": "users with and without a history",
    "popularity": "items by how often they were taken, in tenths",
    "cold-items": "items that were taken before and that were not",
    "group": "the groups of the catalogue",
}
"""What can be sliced by without a column."""


@dataclass(frozen=True, slots=True)
class Slicing:
    """One way to cut queries or items."""

    name: str
    kind: Literal["query", "item"]
    labels: tuple[str, ...]
    code: Ints
    """The slice of each query, or of each item of the vocabulary; -1 for none."""


def into_slicings(by: Any, queries: pl.Series, material: Material | None, catalogue: Catalogue | None) -> list[Slicing]:
    """Accept one way to slice or several; without material only what says the slice of each query."""
    if isinstance(by, (list, tuple)):
        slicings = [slicing for way in by for slicing in into_slicings(way, queries, material, catalogue)]
    elif isinstance(by, Mapping) and by and all(isinstance(way, Mapping) for way in by.values()):
        slicings = [_from_mapping(str(name), way, queries) for name, way in by.items()]
    elif isinstance(by, Mapping):
        slicings = [_from_mapping("segment", by, queries)]
    elif isinstance(by, (str, os.PathLike)) and not is_frame(by):
        slicings = _from_text(str(by), queries, material, catalogue)
    elif is_frame(by):
        slicings = _slicings_of_table(table_of(by, "segments"), queries, None, "by=")
    else:
        raise InputError.of("lists.not_slices", type=type(by).__name__, known=list(BUILT_IN))
    names = [slicing.name for slicing in slicings]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise InputError.of("lists.slices_twice", names=sorted(twice))
    return slicings


def _from_text(text: str, queries: pl.Series, material: Material | None, catalogue: Catalogue | None) -> list[Slicing]:
    if material is None and text in BUILT_IN:
        raise InputError.of("lists.needs_runs", by=text)
    if material is not None and text in BUILT_IN:
        return [_built_in(text, material, catalogue)]
    columns = [] if catalogue is None else catalogue.columns.columns
    if material is not None and text in columns and catalogue is not None:
        return [_item_slicing(text, catalogue.columns.get_column(text).to_list(), material)]
    # os.path, as Path.exists fails where a text is too long for a name.
    path, _, column = text.rpartition(":") if not os.path.exists(text) and ":" in text else (text, "", "")  # noqa: PTH110
    if not os.path.exists(path):  # noqa: PTH110
        known = [*BUILT_IN, *columns]
        raise InputError.of("lists.unknown_slices", by=text, known=known, hint=did_you_mean(text, known))
    return _slicings_of_table(table_of(path, "segments"), queries, column or None, path)


def _from_mapping(name: str, segments: Mapping[Any, Any], queries: pl.Series) -> Slicing:
    users = ids_of(list(segments), "query", "by=")
    return _query_slicing(name, users, list(segments.values()), queries)


def _slicings_of_table(table: pl.DataFrame, queries: pl.Series, column: str | None, source: str) -> list[Slicing]:
    user = find_column(table, USUAL_NAMES["query"], "query", source, given=None) or next(iter(table.columns), "query")
    if column is not None and column not in table.columns:
        raise no_such_column(column, [name for name in table.columns if name != user], source)
    wanted = [column] if column else [name for name in table.columns if name != user]
    if not wanted:
        raise InputError.of("lists.nothing_to_slice_by", source=source, column=user)
    users = ids_of(table.get_column(user), "query", source)
    if users.is_duplicated().any():
        twice = users.filter(users.is_duplicated())[0]
        raise InputError.of("lists.query_in_two_slices", source=source, query=str(twice))
    return [_query_slicing(name, users, table.get_column(name).to_list(), queries) for name in wanted]


def _query_slicing(name: str, users: pl.Series, labels: Sequence[Any], queries: pl.Series) -> Slicing:
    id_type = shared_type([(said("the_run"), queries), ("by=", users)], "query")
    row = numbers_among(users.cast(id_type), queries.cast(id_type))
    if len(queries) and (row < 0).all():
        held, asked = examples(users.to_list()), examples(queries.to_list())
        raise InputError.of("lists.covers_no_query", users=held, queries=asked)
    texts = [*map(_text, labels), NO_LABEL]
    return _labelled(name, "query", [texts[at] for at in row.tolist()])


def _item_slicing(name: str, labels: Sequence[Any], material: Material) -> Slicing:
    texts = list(map(_text, labels))
    return _labelled(name, "item", texts + [NO_LABEL] * (material.items.total - len(texts)))


def _text(label: Any) -> str:
    """A label as it is shown: 3.0 is 3, as a column of whole numbers with a gap holds it."""
    if is_missing(label):
        return NO_LABEL
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _labelled(name: str, kind: Literal["query", "item"], texts: list[str]) -> Slicing:
    """Numbers in their own order, before text, and what has no label last."""
    numbers = {text: _number(text) for text in set(texts)}
    labels = tuple(sorted(numbers, key=lambda label: (label == NO_LABEL, numbers[label], label)))
    number = {label: place for place, label in enumerate(labels)}
    return Slicing(name, kind, labels, np.array([number[text] for text in texts], np.int64))


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return math.inf
    return math.inf if math.isnan(number) else number


def _built_in(name: str, material: Material, catalogue: Catalogue | None) -> Slicing:
    items, history = material.items, material.history
    if name == "group":
        if catalogue is None or items.groups is None:
            raise InputError.of("lists.slices_need_groups")
        code = np.concatenate([items.groups, np.full(items.total - items.listed, -1)])
        return Slicing(name, "item", items.group_names, code)
    if name in ("activity", "cold-users"):
        if history is None:
            raise InputError.of("lists.slices_need_history", by=name)
        sizes = np.diff(history.offsets)
        if name == "cold-users":
            return Slicing(name, "query", ("cold", "warm"), (sizes > 0).astype(np.int64))
        return _activity(sizes)
    if items.taken is None:
        raise InputError.of("lists.slices_need_history", by=name)
    if name == "cold-items":
        return Slicing(name, "item", ("cold", "warm"), (items.taken > 0).astype(np.int64))
    total = material.at_hand  # whether the items of the run are numbered too depends on what else is asked
    tenth = np.full(items.total, -1)
    tenth[np.argsort(-items.taken[:total], kind="stable")] = np.arange(total) * 10 // total
    labels = tuple(f"{place}0%" for place in range(1, 11))
    return Slicing(
        name, "item", tuple(f"top {labels[0]}" if not at else f"to {share}" for at, share in enumerate(labels)), tenth
    )


def _activity(sizes: Ints) -> Slicing:
    """Quarters of the users with a history by how much they took; those without one are a slice of their own."""
    rising = np.sort(sizes[sizes > 0])
    bounds = (
        np.unique(rising[[len(rising) // 4, len(rising) // 2, 3 * len(rising) // 4]]) if len(rising) else np.empty(0)
    )
    bounds = bounds[bounds > 1]
    quarter = np.where(sizes > 0, 1 + np.searchsorted(bounds, sizes, side="right"), 0)
    lows = ["1", *(str(bound) for bound in bounds)]
    labels = ["no history", *(f"{low} or more" for low in lows)]
    labels[1 : len(lows)] = [
        low if int(low) == int(high) - 1 else f"{low} to {int(high) - 1}" for low, high in pairwise(lows)
    ]
    return Slicing("activity", "query", tuple(labels), quarter)
