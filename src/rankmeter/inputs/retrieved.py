"""What was retrieved, with every field of every result: for who needs more of it than ids and scores."""

from __future__ import annotations

import os
from collections.abc import Mapping

from rankmeter.inputs.compression import ByteSource, open_source
from rankmeter.inputs.formats import Head
from rankmeter.inputs.json_tables import Placed, as_json, is_row, numbered_lines, parse_json, placed
from rankmeter.wings import is_there, table, wing_of
from rankmeter.wings.loading import load


def retrieved_rows(data: object, name: str) -> list[dict[str, object]] | None:
    """What was retrieved, as a wing reads it from objects or from a file: a row for each result with its fields.

    None where no wing reads it, such as a table.
    """
    if is_file := isinstance(data, (str, os.PathLike)):
        with open_source(data) as source:
            documents = _documents_in(source)
    else:
        documents = placed(as_json(data), name)
    for module in dict.fromkeys(table.DOCUMENTS.values()) if documents and not is_row(documents[0].value) else ():
        if is_there(wing_of(module)):
            rows: list[dict[str, object]] | None = load(module, name).results_of(documents, name, is_file=is_file)
            if rows is not None:
                return rows
    return None


def may_be_response(data: object) -> bool:
    """Whether an object has a key of what a wing reads, so that its keys are no queries."""
    return isinstance(data, Mapping) and not table.DOCUMENTS.keys().isdisjoint(data)


def _documents_in(source: ByteSource) -> list[Placed]:
    """The parsed values of a file of JSON or JSON lines; none of any other."""
    if source.head.lstrip()[:1] not in (b"{", b"["):
        return []
    kind = Head(source.head).json
    if kind == "jsonl":
        return list(numbered_lines(source.lines(), source.name))
    return placed(parse_json(source.read_all(), source.name), source.name)
