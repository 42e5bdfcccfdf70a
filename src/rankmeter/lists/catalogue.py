"""The items that could be recommended and what is known of them; the interactions that came before."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.arithmetic.slates.data import Sets
from rankmeter.errors import InputError, RankmeterError, did_you_mean, examples
from rankmeter.inputs.accepting import into_judgments, is_path
from rankmeter.inputs.attributes import check_count, find_column, ids_of, in_order_of, numbers_of, table_of
from rankmeter.inputs.cells import is_missing
from rankmeter.inputs.checked_tables import row_times
from rankmeter.inputs.columns import USUAL_NAMES, are_columns, fold
from rankmeter.inputs.files import times_in
from rankmeter.inputs.frames import OpenedFrame, as_frame, is_frame, kind_of_frame, pairs_from_frame
from rankmeter.inputs.ids import ids
from rankmeter.inputs.mappings import NO_LISTS, refuse_pairs
from rankmeter.late import Late, pl
from rankmeter.lists.features import categories_of, feature_columns, features_of, is_numeric
from rankmeter.placing.placements import Floats, Ints
from rankmeter.showing.document import Block, Paragraph
from rankmeter.showing.showable import Showable
from rankmeter.wording import Language, said, word

USUAL = {
    "popularity": ("popularity", "interactions", "count"),
    "categories": ("categories", "category", "genres", "genre", "topics", "topic"),
    "features": ("features", "embedding", "vector"),
    "values": ("value", "values", "price", "prices"),
    "margins": ("margin", "margins"),
    "groups": ("group", "groups"),
}
"""The usual names of the columns of a catalogue."""

Distance = Callable[[npt.NDArray[Any], npt.NDArray[Any]], npt.NDArray[Any]]


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Catalogue(Showable):
    """The items that could be recommended, and what is known of each.

    Everything but ``items`` may also be a mapping from item to value.

    Parameters
    ----------
    items
        The ids; or a frame, a file's path or a mapping (``{item: {column: value}}``, ``{column: values}``), of which
        the other options then name columns (the usual names are found without being told).
    popularity
        How often each item was taken; left out, it is counted from the history.
    users
        How many users the popularity was counted over.
    categories
        One or several for each item: a label, a list of labels, text such as ``"drama|comedy"``, or a matrix of items
        x categories of zeros and ones; of a table also the names of such columns, as a list.
    features
        A vector for each item: a matrix (NumPy, or sparse from SciPy); of a table the names of its columns, as a list
        or as text (``"f1+f2"``, ``"f*"``).
    values
        What an item is worth, usually its price; never negative. ``prices`` is the same.
    margins
        What is earned with an item; may be negative.
    groups
        One group for each item, for measures of exposure.
    similarity
        A matrix of items x items (``ILD(metric=given)`` is one minus it).
    distance
        A function of two arrays of vectors, row against row, for ``ILD(metric=given)``.

    Examples
    --------
    >>> from rankmeter import Catalogue
    >>> items = Catalogue(items=["a", "b"], values=[9.5, 2], categories=["drama|comedy", "news"])
    >>> len(items), items.category_names
    (2, ('comedy', 'drama', 'news'))
    >>> items
    catalogue: 2 items; known of them: categories (3), values
    """

    items: pl.Series
    popularity: Floats | None
    users: float | None
    categories: Sets | None
    category_names: tuple[str, ...]
    features: npt.NDArray[Any] | Sets | None
    values: Floats | None
    margins: Floats | None
    groups: Ints | None
    group_names: tuple[str, ...]
    similarity: Any
    distance: Distance | None
    columns: pl.DataFrame = field(repr=False)
    """All columns of the table that it came from, for slices."""
    source: str

    def document(self, language: Language = "en") -> list[Block]:
        """How many items there are, and what is known of them."""
        sizes = {"categories": len(self.category_names), "groups": len(self.group_names)}
        facts = ("popularity", "categories", "features", "values", "margins", "groups", "similarity", "distance")
        known = [f"{name} ({sizes[name]})" if sizes.get(name) else name for name in facts
                 if getattr(self, name) is not None]  # fmt: skip
        kind = "catalogue_said" if known else "catalogue_bare"
        return [Paragraph(word(kind, language, source=self.source, items=len(self), known=known))]

    def __init__(
        self,
        items: Any,
        *,
        popularity: Any = None,
        users: float | None = None,
        categories: Any = None,
        features: Any = None,
        values: Any = None,
        prices: Any = None,
        margins: Any = None,
        groups: Any = None,
        similarity: Any = None,
        distance: Distance | None = None,
        item: str | None = None,
        source: str = "catalogue",
    ) -> None:
        if values is not None and prices is not None:
            raise InputError.of("lists.values_and_prices")
        given = {
            "popularity": popularity,
            "categories": categories,
            "features": features,
            "values": prices if values is None else values,
            "margins": margins,
            "groups": groups,
        }
        called = {"values": "values" if prices is None else "prices"}
        _refuse_unordered(items, {**given, "similarity": similarity}, called, source)
        table = pl.DataFrame()
        with _readable("items", items, source):
            if _is_table(items):
                source = str(items) if is_path(items) else source
                table = table_of(items, "a catalogue", named=item)
                items, given = _items_of_table(table, given, item, source)
            codes = ids_of(items, "item", source)
        _check_items(codes, source)
        known: dict[str, Any] = {"items": codes, "source": source, "columns": table, "users": users}
        for name, low in (("popularity", 0.0), ("values", 0.0), ("margins", -np.inf)):
            with _readable(called.get(name, name), given[name], source):
                known[name] = _numbers(given[name], codes, called.get(name, name), source, low)
        with _readable("categories", given["categories"], source):
            known["categories"], known["category_names"] = categories_of(given["categories"], codes, source)
        with _readable("features", given["features"], source):
            known["features"] = features_of(given["features"], codes, source)
        with _readable("groups", given["groups"], source):
            known["groups"], known["group_names"] = _item_groups(given["groups"], codes, source)
        with _readable("similarity", similarity, source):
            known["similarity"] = _square(similarity, len(codes), source)
        if distance is not None and not isinstance(known["features"], np.ndarray):
            raise InputError.of("lists.no_vectors", source=source)
        with _readable("users", users, source):
            _check_users(users, known["popularity"], source)
        for name, value in {**known, "distance": distance}.items():
            object.__setattr__(self, name, value)  # frozen

    def __len__(self) -> int:
        return len(self.items)


MOST_EXACT = 2**53
"""Numbers below are the same as floats, as which the text of a measure is read."""
COLUMN_ROLES = ("item", "popularity", "categories", "features", "values", "prices", "margins", "groups")
"""What a column of a catalogue's table can be named as."""
_SIDE = "catalogue."


def columns_of_items(columns: Mapping[str, str] | None) -> tuple[dict[str, str] | None, dict[str, str]]:
    """The column names without those of the catalogue, and those of the catalogue: ``catalogue.features`` is one.

    Examples
    --------
    >>> columns_of_items({"item": "sku", "catalogue.features": "f1+f2"})
    ({'item': 'sku'}, {'features': 'f1+f2'})
    """
    if columns is None:
        return None, {}
    of_items = {role.removeprefix(_SIDE): name for role, name in columns.items() if str(role).startswith(_SIDE)}
    for role in of_items:
        if role not in COLUMN_ROLES:
            hint = did_you_mean(role, COLUMN_ROLES)
            raise InputError.of("lists.no_catalogue_role", role=role, roles=list(COLUMN_ROLES), hint=hint)
    rest = {role: name for role, name in columns.items() if not str(role).startswith(_SIDE)}
    return rest or None, of_items


def plain_label(label: object) -> str:
    """A group's name as it can stand in a measure's text: letters, digits and underscores, or a whole number.

    Examples
    --------
    >>> [plain_label(one) for one in ("big studio", 3.0, "007", "3d", None)]
    ['big_studio', '3', '_007', '_3d', 'none']
    """
    if is_missing(label):
        return "none"
    if isinstance(label, float) and label.is_integer():
        label = int(label)
    name = re.sub(r"\W", "_", str(label))
    is_number = name.isdecimal() and str(int(name)) == name and int(name) < MOST_EXACT
    return name if name.isidentifier() or is_number else f"_{name}"


def into_catalogue(data: Any, columns: Mapping[str, Any] | None = None) -> Catalogue:
    """Accept a catalogue, a frame, a file's path, or the ids alone; ``columns`` names those of a table."""
    if columns and not _is_table(data):
        raise InputError.of("lists.columns_without_table", roles=[f"catalogue.{role}" for role in columns])
    if isinstance(data, Catalogue):
        return data
    if columns:
        return Catalogue(items=data, **columns)
    if isinstance(data, (bytes, bytearray, memoryview)) or not (
        is_path(data) or is_frame(data) or isinstance(data, Iterable)
    ):
        raise InputError.of("lists.not_a_catalogue", type=type(data).__name__)
    return Catalogue(items=data)


def _is_table(data: Any) -> bool:
    return is_path(data) or is_frame(data) or isinstance(data, Mapping)


def _items_of_table(
    table: pl.DataFrame, given: dict[str, Any], item: str | None, source: str
) -> tuple[pl.Series, dict[str, Any]]:
    """The ids and the columns that were named, or have usual names."""
    column = find_column(table, (*USUAL_NAMES["item"], "id"), "item", source, given=item)
    if column is None and len(table.columns) == 1:
        column = table.columns[0]
    if column is None:
        names = examples(table.columns, shown=12)
        raise InputError.of("lists.no_item_column", source=source, names=names, first=table.columns[0])
    columns: dict[str, Any] = {}
    rest = table.drop(column)
    for name, value in given.items():
        if isinstance(value, (list, tuple)) and all(isinstance(part, str) and part in table.columns for part in value):
            columns[name] = _several(table, name, value, source)
        elif name == "features" and isinstance(value, str):
            columns[name] = feature_columns(table, value, source)
        elif value is None or isinstance(value, str):
            named = find_column(rest, USUAL[name], name, source, given=value)
            columns[name] = None if named is None else table.get_column(named)
        else:
            columns[name] = value
    return table.get_column(column), columns


def _several(table: pl.DataFrame, name: str, columns: Sequence[str], source: str) -> pl.DataFrame | pl.Series:
    """The columns named in a list: one of any kind, or several of numbers."""
    if len(columns) == 1 and not (name == "features" and is_numeric(table.get_column(columns[0]))):
        return table.get_column(columns[0])
    if not columns or name not in ("features", "categories"):
        kind = "lists.some_columns" if name in ("features", "categories") else "lists.one_column"
        raise InputError.of(kind, source=source, name=name, count=len(columns))
    return table.select(columns)


def possible_features(catalogue: Catalogue) -> list[str]:
    """The columns of numbers of a catalogue's table that are not known as anything else."""
    known = {fold(name) for usual in USUAL.values() for name in usual} | {
        fold(name) for name in (*USUAL_NAMES["item"], "id", "users")
    }
    table = catalogue.columns
    return [name for name in table.columns if fold(name) not in known and is_numeric(table.get_column(name))]


@contextmanager
def _readable(what: str, given: Any, source: str) -> Iterator[None]:
    """Say of what was given that it is of a kind that cannot be used, where it turns out while it is read."""
    try:
        yield
    except RankmeterError:
        raise
    except (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, RecursionError) as error:
        raise _unreadable(what, given, source) from error
    except pl.exceptions.PolarsError as error:
        raise _unreadable(what, given, source) from error


def _unreadable(what: str, given: Any, source: str) -> InputError:
    kind = type(given).__name__
    if what == "items":
        return InputError.of("lists.unreadable_items", source=source, type=kind)
    return InputError.of("lists.unreadable", source=source, what=what, type=kind)


def _refuse_unordered(items: Any, given: Mapping[str, Any], called: Mapping[str, str], source: str) -> None:
    """Refuse to pair what stands in a row with the members of a set, which have no order."""
    for role, value in given.items():
        name = called.get(role, role)
        if value is None or isinstance(value, Mapping):
            continue
        if isinstance(items, AbstractSet) or isinstance(value, AbstractSet):
            unordered = "the items" if isinstance(items, AbstractSet) else name
            raise InputError.of("lists.unordered", source=source, unordered=unordered, name=name)


def _check_items(codes: pl.Series, source: str) -> None:
    if not len(codes):
        raise InputError.of("lists.no_items", source=source)
    twice = codes.filter(codes.is_duplicated()).unique(maintain_order=True)
    if len(twice):
        raise InputError.of("lists.items_twice", source=source, items=examples(twice.to_list()))


def _item_groups(given: Any, items: pl.Series, source: str) -> tuple[Ints | None, tuple[str, ...]]:
    """The number of each item's group, and their names; two that would be one in a measure's text are refused."""
    if given is None:
        return None, ()
    given = list(in_order_of(given, items, "groups", source))
    labels = [plain_label(one) for one in given]
    check_count(labels, items, "groups", source)
    first: dict[str, str] = {}
    for group, label in zip(given, labels, strict=True):
        if not is_missing(group) and first.setdefault(label, str(group)) != str(group):
            raise InputError.of(
                "lists.same_group_name", source=source, first=first[label], second=str(group), label=label
            )
    names = tuple(sorted(set(labels)))
    number = {name: place for place, name in enumerate(names)}
    return np.array([number[label] for label in labels], np.int64), names


def _check_users(users: float | None, popularity: Floats | None, source: str) -> None:
    if users is None:
        return
    most = 0.0 if popularity is None else float(popularity.max(initial=0.0))
    if not (users > 0 and users >= most):
        raise InputError.of("lists.too_few_users", source=source, users=users, most=most)


def _numbers(given: Any, items: pl.Series, name: str, source: str, low: float) -> Floats | None:
    if given is None:
        return None
    numbers = numbers_of(given, items, name, source)
    wrong = np.flatnonzero(numbers < low)
    if len(wrong):
        shown = examples(f"{numbers[row]:g} (item {items[int(row)]})" for row in wrong)
        hint = "" if name == "popularity" else said("lists.give_margins")
        raise InputError.of("lists.negative", source=source, name=name, shown=shown, hint=hint)
    if name == "popularity" and not numbers.any():
        raise InputError.of("lists.popularity_of_zeros", source=source, items=len(items))
    return numbers


def _square(similarity: Any, items: int, source: str) -> Any:
    if similarity is None:
        return None
    try:
        matrix = similarity.tocsr() if hasattr(similarity, "tocsr") else np.asarray(similarity, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError.of("lists.not_a_similarity", source=source) from error
    if matrix.shape != (items, items):
        raise InputError.of("lists.similarity_shape", source=source, shape=str(matrix.shape), items=items)
    stored = np.asarray(matrix.data if hasattr(matrix, "tocsr") else matrix)
    if not np.isfinite(stored).all():
        raise InputError.of("lists.similarity_not_finite", source=source)
    if abs(matrix - matrix.T).max() > 1e-6 * max(np.abs(stored).max(initial=0.0), 1.0):
        raise InputError.of("lists.not_symmetric", source=source)
    return matrix


@dataclass(frozen=True, slots=True, repr=False)
class PastItems(Showable):
    """Interactions that came before: who took what. A pair may stand more than once."""

    query: pl.Series
    item: pl.Series
    source: str = "history"
    times: Late[pl.Series | None] = field(default_factory=Late, compare=False)
    """When each was, where a column says it; read when somebody asks."""

    def __len__(self) -> int:
        return len(self.query)

    def latest(self, users: Collection[str], most: int) -> dict[str, list[str]]:
        """What users took, the latest first: by times where there are any, else by the order of the rows."""
        frame = pl.DataFrame({"user": self.query.cast(pl.String), "item": self.item.cast(pl.String)})
        times = self.times.value
        if times is not None and len(times) == len(self):  # a row may hold several items
            frame = frame.select(pl.all().sort_by(times, maintain_order=True, nulls_last=False))
        taken: dict[str, list[str]] = {}
        for user, item in frame.filter(pl.col("user").is_in(list(users))).iter_rows():
            taken.setdefault(user, []).append(item)
        return {user: list(dict.fromkeys(reversed(items)))[:most] for user, items in taken.items()}

    def document(self, language: Language = "en") -> list[Block]:
        """How many interactions, users and items there are."""
        counts = {"rows": len(self), "users": self.query.n_unique(), "items": self.item.n_unique()}
        return [Paragraph(word("history_said", language, source=self.source, **counts))]


def into_history(data: Any, *, columns: Mapping[str, str] | None = None) -> PastItems:
    """Accept training interactions of any kind: ``{user: [items]}``, a frame or a file with a row for each, ...

    Every row is an interaction, whatever rating it carries. A list may name an item again: it was taken again.
    """
    if isinstance(data, PastItems):
        return data
    if isinstance(data, Mapping) and are_columns(data):
        data = as_frame(data, "judgments")
    if isinstance(data, (Mapping, list, tuple)):
        refuse_pairs(data, "history")
        by_user = data if isinstance(data, Mapping) else dict(enumerate(data))
        if any(isinstance(items, NO_LISTS) or not isinstance(items, Iterable) for items in by_user.values()):
            raise InputError.of("lists.not_taken")
        rows = [(user, item) for user, items in by_user.items() for item in items]
        if not rows:
            raise InputError.of("lists.empty_history")
        return PastItems(ids([row[0] for row in rows]), ids([row[1] for row in rows]))
    named = {**(columns or {}), "relevant": "rows"}
    if is_frame(data):
        source = f"history ({kind_of_frame(data)})"
        return PastItems(
            *pairs_from_frame(data, named, source), source, Late(lambda: row_times(OpenedFrame(data, source)))
        )
    read = into_judgments(data, columns=named)
    if read.matrix is not None:
        user, item = np.nonzero(read.matrix)
        return PastItems(pl.Series(user), pl.Series(item))
    table = read.judgment_table()
    is_file = is_path(data) and Path(data).is_file()
    return PastItems(table.query, table.item, table.source, Late(lambda: times_in(data) if is_file else None))
