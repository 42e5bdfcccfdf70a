"""What of a document nothing was read from, by the paths of its fields, so that no field goes without a word.

A field is read, or looked at by a rule that knows it and finds nothing to say, or named here; whoever made it up. So
nothing has to be known of the fields of an engine for them to be seen: only which of them say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from rankmeter.inputs.cells import is_missing
from rankmeter.inputs.columns import fold
from rankmeter.inputs.said_beside import (
    DIRECTIONS,
    is_flag_known,
    lower_is_better,
    speaks_against,
    speaks_against_state,
)
from rankmeter.wings.engines.fields import ITEM_IDS
from rankmeter.wings.engines.hit_statements import Layer, is_layer
from rankmeter.wings.engines.limits import COUNTED, KNOWN
from rankmeter.wings.engines.wholeness import AROUND, HEARD, PAGED, SIGNS_OF, number_in

_TIME = re.compile(
    r"(?:took|time|elapsed|latency|duration)_?(?:in)?_?(?:ms|millis|micros|nanos|seconds|s)?$|_ms$|^start_time|"
    r"^expiration_time|^completion_time", re.IGNORECASE
)  # fmt: skip
"""What the name of a number ends with that says how long something took, or when it was."""
_PAID = frozenset("usage billing billedunits".split())
"""Objects that say in numbers what a request cost."""
_COSTS = re.compile(
    r"(?:token|unit|cost|price|credit|charge|byte|character|classification|image|second|capacity|^cpu|_io_read|"
    r"_io_write)(?:s|ies)?$", re.IGNORECASE
)  # fmt: skip
"""What the name of a cost ends with; any other number among the costs may be about the results."""
_PARTS = frozenset(
    "shards.total shards.successful shards.skipped clusters.total clusters.successful status.total status.successful "
    "coverage.documents coverage.nodes coverage.results coverage.resultsfull root.relevance responseheader.status "
    "maxscore documentsfound valuesloaded outof limit numreducephases nbpages totalpages total.value".split()
)
"""Numbers that others are compared with, or that count what was looked through."""
_TEXTS = frozenset(
    "id root.id query queryid qid q queryhash userinput question input querytext userquery scrollid pitid requestid "
    "traceid searchid correlationid attributiontoken etag @odata.context".split()
)
"""Texts that name the request or repeat the query."""
_STATES = frozenset({"status", "state"})
_CODES = frozenset({"code", "pageindex"})
"""Numbers of which only those that are known to be fine say nothing."""
_RELATIONS = frozenset({"relation", "totalrelation"})
_ECHOES = frozenset(
    "fl rows wt indent deftype qf df echoparams size limit perpage collectionname topk k queryby".split()
)
"""What a request that is repeated asks for beside its query, of which the results show what came of it."""
_PAGED, _PAGES = frozenset(PAGED.split()), frozenset({"page", "meta"})
_OF_RESULTS = 3
"""Fields of results stand behind those of the response."""
_LEVELS = 5
_MANY = 24
"""An object of more keys is named itself: they are ids, or words."""


@dataclass(slots=True)
class Unread:
    """The fields of documents that nothing was read from."""

    _paths: dict[str, int] = field(default_factory=dict)
    """Each with how little it may decide: flags, words and numbers of a response, those of results, anything else."""
    _seen: dict[str, set[str]] = field(default_factory=dict)
    """The names of fields of results that were looked at, by where they stand."""
    _taken: set[int] = field(default_factory=set)
    """The lists and objects of a document that something was read from."""

    @property
    def paths(self) -> tuple[str, ...]:
        """All of them, those first that may decide something."""
        return tuple(sorted(self._paths, key=lambda path: self._paths[path]))

    def take(self, *parts: object) -> None:
        """Say that parts of a document are read."""
        self._taken.update(map(id, parts))

    def is_taken(self, part: object) -> bool:
        """Whether a part of this document is read."""
        return id(part) in self._taken

    def in_results(self, layers: Sequence[Layer], items: Sequence[object], read: Collection[str]) -> None:
        """Note the fields of the results of a query, beside those that were read; the ids may stand under two names."""
        for above, names, rows in layers:
            seen = self._seen.setdefault(above, set())
            for name in names:
                if name not in seen:
                    found = next(((at, row[name]) for at, row in rows if not _says_nothing(row.get(name))), None)
                    if found is None:
                        continue
                    seen.add(name)
                    at, value = found
                    is_read = above + name in read or (not above and is_layer(name) and isinstance(value, Mapping))
                    is_same_id = name in ITEM_IDS and at <= len(items) and str(value) == str(items[at - 1])
                    if not (is_read or is_same_id):
                        self._paths.setdefault(above + name, _OF_RESULTS + _rank(value))

    def in_rows(self, rows: Sequence[object], above: str, *known: str) -> None:
        """Note the fields of objects of which some are read."""
        for row in rows:
            for name, value in row.items() if isinstance(row, Mapping) else ():
                if name not in known and not _says_nothing(value):
                    self._paths.setdefault(f"{above}{name}", _OF_RESULTS + _rank(value))

    def in_document(self, document: object) -> None:
        """Note the fields of a document outside of what was taken of it, and begin anew."""
        if isinstance(document, Mapping):
            self._walk(document, "", _LEVELS)
        self._taken.clear()

    def _walk(self, value: Mapping[object, object], above: str, levels: int) -> None:
        for key, inner in value.items():
            if type(inner) is dict or isinstance(inner, Mapping):
                if not inner or id(inner) in self._taken:
                    continue
                if levels > 1 and (len(inner) <= _MANY or self._holds(inner)):
                    self._walk(inner, f"{above}{key}.", levels - 1)
                    continue
            elif isinstance(inner, list):
                if not inner or id(inner) in self._taken:
                    continue
                if self._holds(inner):
                    for each in inner:
                        if isinstance(each, Mapping):
                            self._walk(each, f"{above}{key}.", levels - 1)
                    continue
            elif _says_nothing(inner) or _is_understood(value, above, str(key), inner):
                continue
            self._paths.setdefault(f"{above}{key}", _rank(inner))

    def _holds(self, value: object, levels: int = 4) -> bool:
        """Whether something that was taken stands in an object, or in the first of a list."""
        inner = value.values() if isinstance(value, Mapping) else value[:1] if isinstance(value, list) else ()
        return any(id(each) in self._taken or (levels > 1 and self._holds(each, levels - 1)) for each in inner)


def _says_nothing(value: object) -> bool:
    return value is None or value == "" or (isinstance(value, (list, Mapping)) and not value) or is_missing(value)


def _rank(value: object) -> int:
    """How little a field may decide, by what stands in it: a flag, a word, a number; or texts and objects, last."""
    if isinstance(value, bool):
        return 0
    if isinstance(value, (int, float)):
        return 2
    return 1 if isinstance(value, str) and len(value) <= _MANY and "://" not in value else 2 * _OF_RESULTS


@lru_cache(1 << 12)
def _names(above: str, key: str) -> tuple[tuple[str, ...], str, bool]:
    """A field by its name alone and with the objects it stands in; the next of them; whether one is a request."""
    parts = [fold(part).lstrip("_") for part in f"{above}{key}".split(".")]
    outer = parts[-2] if len(parts) > 1 else ""
    return (
        tuple(".".join(parts[-count:]) for count in (1, 2, 3)[: len(parts)]),
        outer,
        not _PAGED.isdisjoint(parts[:-1]),
    )


def _is_understood(layer: Mapping[Any, Any], above: str, key: str, value: object) -> bool:
    """Whether a single value under this name says nothing, or was looked at by a rule that found nothing to say."""
    paths, outer, is_echo = _names(above, key)
    name = paths[0]
    told = any(sign.tells(value) and sign.suits(layer) for path in paths for sign in SIGNS_OF.get(path, ()))
    if isinstance(value, bool) and name not in DIRECTIONS:
        is_known = name in KNOWN or not HEARD.isdisjoint(paths) or is_flag_known(name)
        return is_known and not told and not speaks_against(name, value)
    if (is_echo and name in _ECHOES) or (name in DIRECTIONS and lower_is_better(name, value) is False):
        return True
    is_beside = not outer or outer in AROUND or is_echo or outer in _PAGES
    is_count = not COUNTED.isdisjoint(paths[1:]) or (name in COUNTED and is_beside)
    if isinstance(value, str):
        is_fine = name in _STATES and not speaks_against_state(value)
        is_relation = name in _RELATIONS and value in ("eq", "gte")
        return not _TEXTS.isdisjoint(paths) or is_fine or is_relation or (is_count and number_in(value) is not None)
    if name in _CODES or isinstance(value, bool):
        return value in (0, 200)
    is_sign = not HEARD.isdisjoint(paths) or (outer in _PAID and _COSTS.search(key) is not None)
    return (is_sign and not told) or not _PARTS.isdisjoint(paths) or is_count or _TIME.search(key) is not None
