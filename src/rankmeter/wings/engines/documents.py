"""What a parsed document says of itself: which query it answers, what stands under its keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from rankmeter.errors import InputError, examples
from rankmeter.frozen import dataclass
from rankmeter.inputs.columns import IDS, RANKING, Role, fold
from rankmeter.inputs.export_tables import Entry, Kind
from rankmeter.wings.engines.hit_lists import Taking

Document = Mapping[str, Any]

_IDS = tuple("queryid qid topicid questionid requestid".split())
_TEXTS = tuple("query userinput question input querytext userquery".split())
TAKEN: tuple[Role, ...] = (*IDS, *RANKING)
"""Roles whose fields may be named in results."""
_ASYNCHRONOUS = frozenset({"is_running", "is_partial", "expiration_time_in_millis"})
"""Keys of which the response of an asynchronous search has one."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of document."""

    kind: Kind
    fits: Callable[[Document], bool]
    entries: Callable[[Document, str, Taking], Iterator[Entry]]
    """Reads a document; the text is the place in the file, for messages."""
    takes: frozenset[Role] = frozenset()
    """Roles whose fields may be named."""


def query_of(document: object) -> object | None:
    """The id of the query that a record names, or else its text; None where there is neither.

    Examples
    --------
    >>> query_of({"query": "red dress", "query_id": "q1"}), query_of({"question": "red dress"}), query_of({"took": 3})
    ('q1', 'red dress', None)
    """
    key = query_key(document)
    if key is not None:
        return cast("object", cast(Document, document)[key])
    # What a request carries for logging: ``ext.ubi.query_id``, or the text of the user's query there.
    behaviour = value_at(document, "ext", "ubi")
    return query_of(behaviour) if behaviour else None


def query_key(document: object) -> str | None:
    """The key under which a record names its query; the ``id`` of an asynchronous search is its own."""
    if not isinstance(document, Mapping):
        return None
    keys = ("id", *_TEXTS) if _ASYNCHRONOUS.isdisjoint(document) else _TEXTS
    plain = {fold(str(key)).lstrip("_"): key for key, value in document.items() if isinstance(value, (str, int))}
    return next((plain[key] for key in (*_IDS, *keys) if key in plain), None)


def value_at(value: Any, *keys: str) -> Any:
    """What stands under some keys, from the outside in; None where one of them is not there."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def each_value(
    records: Sequence[object], key: str, where: str, under: str, kind: str = "engines.without_key"
) -> list[Any]:
    """The value of a key that each record of a list must have; ``kind`` is what is said where one has not."""
    return [value_of(record, key, where, f"{under}[{place}]", kind) for place, record in enumerate(records)]


def value_of(record: object, key: str, where: str, what: str, kind: str = "engines.without_key") -> Any:
    """The value of a key that must be there."""
    if not isinstance(record, (dict, Mapping)) or record.get(key) in (None, ""):  # a dict is seen at once
        keys = examples(record, shown=8) if isinstance(record, Mapping) else type(record).__name__
        raise InputError.of(kind, source=where, what=what, key=key, keys=keys)
    return record[key]


def of_kind(kind: type, value: object, where: str, key: str, problem: str = "engines.not_a_rated_request") -> Any:
    """A value that must be a list, or an object."""
    if not isinstance(value, kind):
        raise InputError.of(problem, source=where, key=key)
    return value


def holds(kind: type, *paths: tuple[str, ...]) -> Callable[[Document], bool]:
    """Whether values of a kind stand under some keys."""
    return lambda document: all(isinstance(value_at(document, *path), kind) for path in paths)
