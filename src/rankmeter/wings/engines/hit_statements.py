"""What a result says of itself beside its place: that it is not one, that it has another id, that it is a group.

A result that failed, was not found or was deleted is refused where it says so at its top, where engines write. The same
in its metadata, and what may be about something else, is noted: the result counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import cast

from rankmeter.errors import InputError
from rankmeter.inputs.cells import is_missing, number_of
from rankmeter.inputs.columns import fold, say_columns
from rankmeter.inputs.ids import is_id_type
from rankmeter.inputs.said_beside import TELLING, speaks_against
from rankmeter.wings.engines.fields import ITEM_IDS, WITHIN
from rankmeter.wings.engines.orders import IN_ORDER
from rankmeter.wings.engines.wholeness import holds_error, says_no, says_yes
from rankmeter.wording import Said, said

_LAYERS = {fold(name) for name in (*WITHIN, "_source", "fields", "properties", "attributes", "extra_attributes")}
"""Objects in a result that hold what the document or a tool says of it."""
_FAILED = frozenset("error errors err errormessage exception failure failed haserror iserror isfailed".split())
_GONE = frozenset("deleted isdeleted tombstone istombstone removed isremoved missing ismissing notfound".split())
_HERE = frozenset("found exists".split())
_STATES = frozenset("status state result outcome".split())
_BAD_STATES = frozenset(
    "error errored fail failed failure fatal timeout timedout notfound missing deleted removed aborted cancelled "
    "canceled rejected skipped invalid".split()
)
_GROUPS = frozenset("innerhits grouphits groupedhits collapsed collapsedhits duplicates".split())
"""Under which a result holds further ones."""

QUERIES = frozenset("queryid qid topicid questionid forquery forqueryid".split())
"""What results call the query that they are of."""
_COUNTABLE = 4
"""So many results at least: of fewer, three small numbers of anything would count them."""

Layer = tuple[str, Sequence[str], Sequence[tuple[int, Mapping[str, object]]]]
"""Where an object stands in results, with the dot behind it; the names that it has in any; it, with each place."""


def layers_in(results: Sequence[object]) -> list[Layer]:
    """Results, and the objects in them that hold what a document or a tool says of them."""
    rows = [(at, row) for at, row in enumerate(results, start=1) if isinstance(row, (dict, Mapping))]
    layers: list[Layer] = [("", _names(rows), rows)]
    for key in layers[0][1]:
        if is_layer(key):
            inner = [(at, row[key]) for at, row in rows if isinstance(row.get(key), (dict, Mapping))]
            layers.append((f"{key}.", _names(inner), inner))
    return layers


def statements_noted(layers: Sequence[Layer], where: str, *, is_certain: bool = False) -> dict[str, Said]:
    """What results say of themselves, by the kind of note; refuses one that says that it is none.

    ``is_certain`` is where the caller said that the list counts as it stands.
    """
    notes: dict[str, Said] = {}
    for above, name, place, value in _statements(layers):
        path, is_none = above + name, _is_none(fold(name), value)
        if is_none and not above and not is_certain:
            raise InputError.of("engines.not_a_hit", source=where, place=place, field=path, value=str(value)[:80],
                                in_order=IN_ORDER)  # fmt: skip
        if is_none or speaks_against(name, value):
            notes.setdefault("hit", said("hit_spoken_against", source=where, field=path, value=str(value)[:80],
                                         place=place))  # fmt: skip
        if fold(name) in _GROUPS and isinstance(value, (Mapping, list)) and value:
            notes.setdefault("group", said("hits_in_groups", source=where, field=path, place=place))
    return notes


def other_id_noted(layers: Sequence[Layer], items: Sequence[object], key: str, where: str) -> dict[str, Said]:
    """That results have another id beside the one that is used."""
    for above, names, rows in layers if key else ():
        for name in ITEM_IDS:
            path = above + name
            for place, row in rows if name in names and path != key else ():
                value, item = row.get(name), items[place - 1]
                if value != item and is_id_type(type(value)) and str(value) not in ("", str(item)):
                    return {"id": said("other_ids", source=where, key=key, item=str(item), other=path,
                                       value=str(value), say=say_columns("run.item", path))}  # fmt: skip
    return {}


def other_query_noted(layers: Sequence[Layer], query: object, where: str) -> dict[str, Said]:
    """That results name another query than theirs; refuses those of which some do, at their top."""
    for above, names, rows in layers if query is not None else ():
        for name in filter(_is_of_query, names):
            named = [(at, row[name]) for at, row in rows if is_id_type(type(row.get(name)))]
            others = [(at, value) for at, value in named if str(value) != str(query)]
            if others and not above and len(others) < len(named):
                at, value = others[0]
                raise InputError.of("engines.not_a_hit", source=where, place=at, field=name, value=str(value)[:80],
                                    in_order=IN_ORDER)  # fmt: skip
            if others:
                at, value = others[0]
                return {"query": said("hit_of_other_query", source=where, field=above + name, value=str(value)[:80],
                                      place=at, query=str(query))}  # fmt: skip
    return {}


def places_noted(layers: Sequence[Layer], where: str, query: object) -> dict[str, Said]:
    """That a field, whatever its name, counts the results from 1 on, or from 0, in another order than theirs."""
    for above, names, rows in layers:
        if len(rows) < _COUNTABLE or rows[-1][0] != len(rows):
            continue
        (_, first), (_, second) = rows[0], rows[1]
        for name in names:
            one, two = first.get(name), second.get(name)
            if type(one) is not int or type(two) is not int or one == two or not 0 <= one + two <= 2 * len(rows):
                continue
            places = [row.get(name) for _, row in rows]
            if set(map(type, places)) != {int}:
                continue
            counted = sorted(cast("list[int]", places))
            if (
                counted != places
                and counted[0] in (0, 1)
                and counted == list(range(counted[0], counted[0] + len(rows)))
            ):
                turn = next(at for at, (is_, due) in enumerate(zip(places, counted, strict=True)) if is_ != due)
                return {"order": said("order_as_returned", source=where, field=above + name, place=turn + 1,
                                      query=str(query))}  # fmt: skip
    return {}


def _names(rows: Sequence[tuple[int, Mapping[str, object]]]) -> list[str]:
    return sorted(map(str, set().union(*(row for _, row in rows))))


def _statements(layers: Sequence[Layer]) -> Iterator[tuple[str, str, int, object]]:
    """Fields of results that may say something of them: where they stand, the name, the place, and the value."""
    for above, names, rows in layers:
        for name in filter(_is_heard, names):
            yield from ((above, name, at, row[name]) for at, row in rows if name in row and not is_missing(row[name]))


@lru_cache(1 << 12)
def _is_of_query(name: str) -> bool:
    return fold(name) in QUERIES


@lru_cache(1 << 12)
def is_layer(name: str) -> bool:
    """Whether an object of this name, in a result, holds what a document or a tool says of it."""
    return fold(name) in _LAYERS


@lru_cache(1 << 12)
def _is_heard(name: str) -> bool:
    """Whether a field of this name may say such a thing."""
    folded = fold(name)
    heard = _FAILED | _GONE | _HERE | _STATES | _GROUPS
    return (
        folded in heard
        or folded.endswith(TELLING)
        or any(speaks_against(name, text) for text in ("1", "0", "true", "false"))
    )


def _is_bad(name: str, value: object) -> bool:
    """Whether a state, in words or as a code of HTTP, is that of a failure."""
    if name not in _STATES:
        return False
    number = number_of(value) if isinstance(value, str) else value
    if isinstance(number, (int, float)) and not isinstance(number, bool):
        return 400 <= number < 600
    return (isinstance(value, Mapping) and "error" in value) or fold(str(value)) in _BAD_STATES


def _is_none(name: str, value: object) -> bool:
    """Whether a result says that there is none."""
    return (
        (name in _FAILED and holds_error(value))
        or (name in _GONE and says_yes(value))
        or (name in _HERE and says_no(value))
        or _is_bad(name, value)
    )
