"""Which query a response says that it answers, wherever it does, beside the one under which it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from rankmeter.errors import InputError
from rankmeter.frozen import dataclass
from rankmeter.inputs.cells import number_of
from rankmeter.inputs.columns import fold, is_usual
from rankmeter.inputs.ids import is_id_type
from rankmeter.wings.engines.documents import value_at
from rankmeter.wings.engines.hit_statements import QUERIES
from rankmeter.wings.engines.unread import Unread
from rankmeter.wings.engines.wholeness import AS_TEXT, request_in
from rankmeter.wording import Said, said

_TEXTS = frozenset("query q".split())
"""Usual names of a query under which its text stands in a response."""
_MADE = re.compile(r"[0-9a-f]{32,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
"""An id that an engine makes up for each request, as Algolia and UBI do."""
_LEVELS = 6


@dataclass(frozen=True, slots=True)
class QueryNamed:
    """A field of a response that names a query."""

    entry: int
    """Which results it is beside."""
    where: str
    path: str
    name: str
    value: object


def claims_in(document: object, where: str, entry: int, count: int, unread: Unread) -> Iterator[QueryNamed]:
    """What a document says of its queries outside of its results; of several responses in one, what each says."""
    several = value_at(document, "responses")
    if isinstance(several, list) and len(several) == count:
        for place, each in enumerate(several):
            at = f"{where}, responses[{place}]"
            yield from (QueryNamed(entry + place, at, *field) for field in _ids_in(each, "", unread, _LEVELS))
    elif count == 1:
        yield from (QueryNamed(entry, where, *field) for field in _ids_in(document, "", unread, _LEVELS))


def others_noted(claims: Sequence[QueryNamed], queries: Sequence[object]) -> dict[str, Said]:
    """That a response names another query than the one under which it stands; refused if that is another of the file.

    A user or a session is a query only where the file has it as one, and a number may be any.
    """
    known, notes = set(map(str, queries)), dict[str, Said]()
    for claim in claims:
        query, value = str(queries[claim.entry]), str(claim.value)
        if value == query:
            continue
        is_query = claim.name in QUERIES
        if value in known and (is_query or isinstance(number_of(value), str)):
            raise InputError.of("engines.other_query", source=claim.where, field=claim.path, value=value[:80],
                                query=query)  # fmt: skip
        if is_query and (_MADE.fullmatch(query) or not _MADE.fullmatch(value)):
            notes.setdefault("other query", said("answer_of_other_query", source=claim.where, field=claim.path,
                                                 value=value[:80], query=query))  # fmt: skip
    return notes


def _ids_in(value: object, above: str, unread: Unread, levels: int) -> Iterator[tuple[str, str, object]]:
    """The fields that name a query, outside of what was taken: the path, the folded name, the value."""
    for key, held in value.items() if isinstance(value, Mapping) and not unread.is_taken(value) else ():
        is_one = isinstance(held, list) and len(held) == 1 and not unread.is_taken(held)
        inner, name = held[0] if is_one else held, _id_name(str(key))
        if isinstance(inner, str) and fold(str(key)) in AS_TEXT:
            inner = request_in(inner)
        if isinstance(inner, Mapping):
            if levels > 1:
                yield from _ids_in(inner, f"{above}{key}.", unread, levels - 1)
        elif name and is_id_type(type(inner)) and inner != "":
            yield f"{above}{key}", name, inner


@lru_cache(1 << 12)
def _id_name(key: str) -> str:
    """The folded name of a field that names a query; nothing for any other."""
    plain = key.lstrip("_@$")
    name = fold(plain)
    return name if (name in QUERIES or is_usual("query", plain)) and name not in _TEXTS else ""
