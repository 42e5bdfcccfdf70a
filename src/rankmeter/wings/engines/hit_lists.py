"""The results of one query, taken: their ids, and that nothing which they say of themselves contradicts their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from rankmeter.errors import InputError
from rankmeter.inputs.columns import say_columns
from rankmeter.inputs.export_tables import Entry
from rankmeter.wings.engines.fields import NamedFields, named_ids, named_values
from rankmeter.wings.engines.hit_statements import (
    layers_in,
    other_id_noted,
    other_query_noted,
    places_noted,
    statements_noted,
)
from rankmeter.wings.engines.orders import Direction, check_beside, contradiction_noted
from rankmeter.wings.engines.unread import Unread

Ids = Callable[[], tuple[list[object], str]]
"""The ids of results, and the key under which they stand; called where the caller named no field."""


@dataclass(slots=True)
class Taking:
    """How the results of one table are taken: what the caller named, and what was met on the way."""

    wanted: NamedFields = field(default_factory=NamedFields)
    notes: dict[str, str] = field(default_factory=dict)
    key: str | None = None
    """Under which key the ids stood so far."""
    first: str = ""
    """Where they did."""
    direction: Direction | None = None
    """What the document says of which scores are better: the field, its value, whether the lowest are."""
    query: object | None = None
    """The query that is named around the document."""
    unread: Unread = field(default_factory=Unread)
    """The fields that nothing was read from."""
    kept: list[Sequence[object]] | None = None
    """The results of each query, where somebody wants to see more of them than their ids."""

    def entry(
        self,
        query: object,
        results: Sequence[object],
        where: str,
        under: str,
        ids: Ids,
        *,
        beside: tuple[str, Sequence[object]] | None = None,
        is_sorted: bool = False,
        either_way: bool = False,
        wanted: NamedFields | None = None,
    ) -> Entry:
        """The results of a query; ``beside`` are numbers in a list of their own, `contradiction_noted` has the rest.

        ``wanted`` replaces what the caller named, where a part of it said which list is meant.
        """
        wanted, at = wanted or self.wanted, f"{where}, {under}"
        # Pairs of a document and a number name their fields as documents do.
        plain = [result[0] if isinstance(result, list) and len(result) == 2 else result for result in results]
        if self.kept is not None:
            self.kept.append(plain)
        layers = layers_in(plain)
        self.unread.take(results)
        self.note(statements_noted(layers, at, is_certain=wanted.is_in_order))
        if wanted.item:
            items, key = named_ids(plain, wanted.item, where, under), wanted.item
        else:
            items, key = ids()
            if items:
                self._check_key(key, at)
            self.note(other_id_noted(layers, items, key, at))
        if wanted.role is not None:
            name, numbers = beside or ("", [])
            self.unread.in_results(layers, items, (key, wanted.value))
            named = numbers if name == wanted.value else named_values(plain, wanted.role, wanted.value, where, under)
            return Entry(query, items, list(named), f"{under}.{key}" if key else under)
        read = {key}
        if not wanted.is_in_order:
            self.note(other_query_noted(layers, query if self.query is None else self.query, at))
            note = contradiction_noted(
                results,
                at,
                query,
                is_sorted=is_sorted,
                either_way=either_way,
                direction=self.direction,
                compared=read,
            )
            if beside is not None:
                note = check_beside(beside[1], beside[0], where, query, direction=self.direction) or note
            self.note(places_noted(layers, at, query) if note is None else {"order": note})
        self.unread.in_results(layers, items, read)
        return Entry(query, items, None, f"{under}.{key}" if key else under)

    def note(self, notes: Mapping[str, str]) -> None:
        """Keep the first note of each kind."""
        for kind, note in notes.items():
            self.notes.setdefault(kind, note)

    def _check_key(self, key: str, where: str) -> None:
        """Refuse ids that stand under another key than those before: they would be ids of two kinds."""
        if self.key is None:
            self.key, self.first = key, where
        elif key != self.key:
            raise InputError.of("engines.ids_of_kinds", source=where, key=key or "[]", other=self.key or "[]",
                                first=self.first, say=say_columns("run.item", self.key or "id"))  # fmt: skip
