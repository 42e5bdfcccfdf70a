"""Fields of a result, named by their path: ``_source.sku``, ``metadata.source``, and what the caller named of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rankmeter.errors import InputError, did_you_mean, examples
from rankmeter.frozen import dataclass
from rankmeter.inputs.cells import number_of
from rankmeter.inputs.columns import RANKING, Named, Role, say_columns
from rankmeter.inputs.ids import is_id_type

JOINED = "+"
"""Between fields that make an id together: ``metadata.source+metadata.start_index``."""

ITEM_IDS = tuple(
    "id _id id_ doc_id docid docId document_id docno item item_id pid passage_id chunk_id node_id corpus_id objectID "
    "uuid".split()
)
"""What the id of a result is called, the likeliest first."""
WITHIN = ("node", "kwargs", "document", "metadata", "meta", "payload", "entity", "_additional", "_meta")
"""Where the id of a result may stand when it does not stand on the result itself."""


@dataclass(frozen=True, slots=True)
class NamedFields:
    """What the caller said of results; nothing by default."""

    item: str = ""
    query: str = ""
    role: Role | None = None
    """What the values say of the order: a score, a distance or a rank; None where the list stands in its order."""
    value: str = ""
    is_in_order: bool = False
    """Whether the caller said that the list is in ranked order, whatever else is said of it."""

    @classmethod
    def of(cls, named: Named | None) -> NamedFields:
        """What is said by names of columns."""
        named = named or {}
        role = next((role for role in RANKING if role in named), None)
        value = named[role] if role else ""
        return cls(named.get("item", ""), named.get("query", ""), role, value, role is None and "order" in named)

    @property
    def taken(self) -> dict[Role, str]:
        """The fields that are followed, by role."""
        named: dict[Role, str] = {
            "query": self.query,
            "item": self.item,
            **({self.role: self.value} if self.role else {}),
        }
        return {role: field for role, field in named.items() if field}


def value_of_field(value: object, path: str) -> object | None:
    """What stands under a path, whose keys may hold dots themselves; a list of one value is that value.

    Examples
    --------
    >>> hit = {"_id": "7", "_source": {"sku": ["B07"], "shop.code": "x"}}
    >>> value_of_field(hit, "_source.sku"), value_of_field(hit, "_source.shop.code"), value_of_field(hit, "sku")
    ('B07', 'x', None)
    """
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not path or not isinstance(value, Mapping):
        return None if path else value
    for end in (*(at for at, sign in enumerate(path) if sign == "."), len(path)):
        if path[:end] in value:
            held = value_of_field(value[path[:end]], path[end + 1 :])
            if held is not None:
                return held
    return None


def fields_of(value: object, above: str = "", levels: int = 3) -> list[str]:
    """The paths that can be named in a result, those of single values."""
    if not isinstance(value, Mapping):
        return [above] if above else []
    inner = (fields_of(held, f"{above}.{key}" if above else str(key), levels - 1) for key, held in value.items())
    return [path for paths in inner for path in paths] if levels else []


def fields_by_path(result: object) -> dict[str, object]:
    """The single values of a result by path, and by its last key where only one path ends so; a text is its own."""
    if not isinstance(result, Mapping):
        return {"text": result}
    values = {path: value_of_field(result, path) for path in fields_of(result)}
    plain: dict[str, object] = {path: held for path, held in values.items() if isinstance(held, (str, int, float))}
    last = Counter(path.rpartition(".")[2] for path in plain)
    return plain | {name: value for path, value in plain.items() if last[name := path.rpartition(".")[2]] == 1}


def named_ids(results: Sequence[object], path: str, where: str, under: str) -> list[object]:
    """The ids of results under the field that the caller named; every result must have it."""
    parts = path.split(JOINED)
    return [
        next(iter(ids)) if len(ids) == 1 else ":".join(map(str, ids))
        for place, result in enumerate(results)
        for ids in [[_named(result, part, "item", where, f"{under}[{place}]") for part in parts]]
    ]


def named_query(document: object, path: str, where: str) -> object:
    """The id of a query under the field that the caller named."""
    return _named(document, path, "query", where, "")


def named_values(results: Sequence[object], role: Role, path: str, where: str, under: str) -> list[object]:
    """The numbers of results under the field that the caller named."""
    return [number_of(_named(result, path, role, where, f"{under}[{place}]")) for place, result in enumerate(results)]


def _named(result: object, path: str, role: Role, where: str, what: str) -> object:
    value = value_of_field(result, path)
    if is_id_type(type(value)) or (isinstance(value, float) and role in RANKING):
        return value
    fields = fields_of(result)
    raise InputError.of(
        "engines.no_field", source=f"{where}, {what}" if what else where, field=path, role=role,
        fields=examples(fields, shown=12), hint=did_you_mean(path, fields) or None,
        judgments=say_columns(f"judgments.{role}", path), run=say_columns(f"run.{role}", path),
    )  # fmt: skip
