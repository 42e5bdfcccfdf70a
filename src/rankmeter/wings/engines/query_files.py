"""Which queries responses answer, where they do not say so: a file beside them lists the ids, or theirs is named so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from rankmeter.errors import InputError
from rankmeter.inputs.columns import fold, is_usual
from rankmeter.inputs.compression import open_source
from rankmeter.inputs.json_tables import parse_json
from rankmeter.wings.engines.documents import query_key, query_of

BESIDE = (
    *("{stem}.requests.ndjson", "{stem}.requests.jsonl", "{stem}.queries.tsv", "{stem}.queries.txt"),
    *("{stem}.queries.jsonl", "requests.ndjson", "requests.jsonl", "queries.tsv", "queries.txt", "queries.jsonl"),
)
"""Files that may name the queries of responses, in their order; the first that is there is taken."""
_SEARCHES = ("query", "knn", "retriever", "sub_searches", "rank", "ext")
"""Keys of which the body of a search has one."""


def queries_beside(name: str, count: int, *, is_file: bool) -> tuple[list[object | None], str]:
    """The ids of the queries as a file beside this one lists them, or the name of a file with one response; and which.

    ``is_file`` says whether the name is that of a file.
    """
    path = Path(name)
    if not is_file or not path.is_file():
        raise InputError.of("engines.no_queries_given", source=name, count=count)
    stem = path.name.partition(".")[0]
    refused: InputError | None = None
    for beside in filter(Path.is_file, (path.with_name(choice.format(stem=stem)) for choice in BESIDE)):
        try:
            queries = ids_in_order(beside)
        except InputError as error:
            refused = refused or error  # requests without ids may stand beside a list of the queries
            continue
        if len(queries) != count:
            raise InputError.of("engines.other_count", source=name, count=count, file=str(beside), named=len(queries))
        return [*queries], beside.name
    if refused is not None:
        raise refused
    if count > 1:
        raise InputError.of("engines.no_queries", source=name, count=count)
    return [stem], "file name"


def ids_in_order(path: Path) -> list[object]:
    """The ids of queries as a file lists them: JSON lines (of requests, too), or text whose first column they are."""
    with open_source(path) as source:
        text = source.read_all().decode("utf-8-sig", "replace")
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines or not lines[0].lstrip().startswith(("{", "[")):
        rows = [line.partition("\t")[0].strip() for line in lines]
        is_header = bool(rows) and (fold(rows[0]) == "id" or is_usual("query", rows[0]))
        return list(rows[is_header:])
    requests = [parse_json(line, str(path), number) for number, line in enumerate(lines, start=1)]
    # A search in a bulk request is a line with the index and a line with the body; either may carry the id.
    heads, bodies = requests[::2], requests[1::2]
    is_bulk = len(heads) == len(bodies) and all(map(_is_body, bodies)) and not any(map(_is_body, heads))
    pairs = list(zip(heads, bodies, strict=True)) if is_bulk else [(request, request) for request in requests]
    queries = [query_of(head) if query_key(head) else query_of(body) for head, body in pairs]
    if all(query is None for query in queries):
        queries = [searched_text(body) for _, body in pairs]
    if None in queries:
        line = queries.index(None) * (2 if is_bulk else 1) + 1
        raise InputError.of("engines.request_without_id", source=f"{path}:{line}")
    return queries


def searched_text(body: object) -> str | None:
    """The one text that a search is about, which stands for an id where no request has any; None where there is none.

    Examples
    --------
    >>> searched_text({"query": {"bool": {"must": {"match": {"title": {"query": "red dress"}}}}}, "size": 10})
    'red dress'
    >>> searched_text({"query": {"bool": {"must": [{"match": {"title": "red"}}, {"match": {"brand": "acme"}}]}}})
    """
    texts = set(_texts_within(body, under=""))
    return texts.pop() if len(texts) == 1 else None


def _texts_within(part: object, under: str) -> Iterator[str]:
    for key, value in part.items() if isinstance(part, Mapping) else enumerate(part) if isinstance(part, list) else ():
        if isinstance(value, str) and (key in ("query", "query_text", "model_text") or under.startswith("match")):
            yield value
        else:
            yield from _texts_within(value, str(key))


def _is_body(line: object) -> bool:
    """Whether a line of a bulk request is a search."""
    return isinstance(line, Mapping) and any(isinstance(line.get(key), (Mapping, list)) for key in _SEARCHES)
