"""Every route by which the same judgments and the same run can be evaluated, and what each of them can carry.

A route is one function: it takes a case and an empty folder and gives an evaluation. ``@route(...)`` registers it with
what becomes of a case on the way: a text file turns ids into text, a table has no row for a query without items. A case
that a route cannot carry at all is left out for it.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest

import rankmeter as rm
from rankmeter.inputs import streaming
from rankmeter.inputs.cells import is_rounded
from rankmeter.inputs.shards import Files
from rankmeter.inputs.streaming import stream_run
from rankmeter.inputs.tables import RunFile
from rankmeter.placing import scattered_text
from rankmeter.wings import is_there

Side = tuple[tuple[Any, tuple[tuple[Any, Any], ...]], ...]
"""For each query its items, each with a grade or a score, in the order given."""


@dataclass(frozen=True)
class Case:
    """Judgments, a run, and what is asked of them."""

    judgments: Side
    run: Side
    measures: tuple[str, ...]
    duplicates: str | None = None
    scored: bool = True
    """False where the order of the run is all that is known of it."""
    names: tuple[str, str] = ("grade", "score")
    """What the columns of grades and scores are called, where there are columns."""

    def each_side(self, change: Callable[[Side], Side]) -> Case:
        return replace(self, judgments=change(self.judgments), run=change(self.run))

    def pairs(self) -> list[tuple[Any, Any]]:
        return [pair for side in (self.judgments, self.run) for _, items in side for pair in items]

    def ids(self) -> list[Any]:
        queries = [query for side in (self.judgments, self.run) for query, _ in side]
        return [*queries, *(item for item, _ in self.pairs())]

    def options(self) -> dict[str, Any]:
        return {} if self.duplicates is None else {"duplicates": self.duplicates}


Change = Callable[[Case], "Case | None"]
Go = Callable[[Case, Path], Any]


@dataclass(frozen=True)
class Route:
    """A way to an evaluation, and what becomes of a case on it (None: it cannot be carried)."""

    go: Go
    changes: tuple[Change, ...]

    def carried(self, case: Case) -> Case | None:
        carried: Case | None = case
        for change in self.changes:
            carried = None if carried is None else change(carried)
        return carried


ROUTES: dict[str, Route] = {}


def unnamed(case: Case) -> Case | None:
    """There are no columns, so they have no names."""
    return case if case.names == ("grade", "score") else None


def route(*changes: Change) -> Callable[[Go], Go]:
    def register(go: Go) -> Go:
        ROUTES[go.__name__] = Route(go, changes)
        return go

    return register


# What becomes of a case.


def keyed(case: Case) -> Case | None:
    """A mapping holds an item once for each query, and what can be a key; it has no columns."""
    if unnamed(case) is None:
        return None
    sides = case.judgments, case.run
    once = all(len({repr(item) for item, _ in items}) == len(items) for side in sides for _, items in side)
    once = once and all(len(dict(items)) == len(items) for side in sides for _, items in side)  # 1 and True are one key
    return case if once else None


def rows_only(case: Case) -> Case:
    """A table has no row for a query without items."""
    return case.each_side(lambda side: tuple(query for query in side if query[1]))


def rows_of(name: str) -> Change:
    """One side is a table."""
    return lambda case: replace(case, **{name: tuple(query for query in getattr(case, name) if query[1])})


def one_type(case: Case) -> Case | None:
    """A column holds ids of one type, text or whole numbers, and numbers of 64 bits."""
    kinds = {type(one) for one in case.ids()} - {type(None)}
    numbers = all(value is None or (isinstance(value, (int, float)) and not value > 2**63) for _, value in case.pairs())
    if any(isinstance(one, str) and not one.isprintable() for one in case.ids()):  # no column can hold half a character
        return None
    for side in (case.judgments, case.run):  # whoever puts 2**53 + 1 and 0.5 into one column has rounded it already
        values = [value for _, items in side for _, value in items if value is not None]
        if any(isinstance(v, float) for v in values) and any(isinstance(v, int) and int(float(v)) != v for v in values):
            return None
    return case if len(kinds) <= 1 and kinds <= {str, int} and numbers else None


def as_text(case: Case) -> Case | None:
    """A text file turns whole numbers into text; it cannot tell a value that is text from a number."""
    if any(type(one) not in (str, int) for one in case.ids()) or any(isinstance(v, str) for _, v in case.pairs()):
        return None
    if any(isinstance(one, str) and not one.isprintable() for one in case.ids()):
        return None
    if any(one is None for _, one in case.pairs()):
        return None
    if any(isinstance(one, str) and not one.strip() for one in case.ids()):
        return None
    return case.each_side(lambda side: tuple((str(q), tuple((str(i), v) for i, v in items)) for q, items in side))


def words(case: Case) -> Case | None:
    """TREC text separates columns by blanks, and a line that begins with # is a comment."""
    return case if all(fits_trec(str(one)) for one in case.ids()) else None


def fits_trec(text: str) -> bool:
    """Whether a field of TREC text can hold an id: no blank in it or around it, and no comment."""
    return text.split() == [text] and not text.startswith("#")


def ordered(case: Case) -> Case:
    """Only the order is told: each list as it would be shown, which here is the order given."""
    run = tuple(
        (query, tuple((item, -float(place)) for place, (item, _) in enumerate(items, 1))) for query, items in case.run
    )
    return replace(case, run=run, scored=False)


def finite(case: Case) -> Case | None:
    """JSON has no infinity."""
    return None if any(isinstance(v, float) and abs(v) == float("inf") for _, v in case.pairs()) else case


def not_mixed(case: Case) -> Case | None:
    """Parts of one input have ids of one type."""
    return case if len({type(one) for one in case.ids()}) <= 1 else None


# Mappings.


def mapping(side: Side) -> dict[Any, dict[Any, Any]]:
    return {query: dict(items) for query, items in side}


def lists(side: Side) -> dict[Any, list[Any]]:
    return {query: [item for item, _ in items] for query, items in side}


def evaluate(judgments: Any, run: Any, case: Case, **more: Any) -> Any:
    return rm.evaluate(judgments, run, list(case.measures), **case.options(), **more)


@route(keyed)
def mappings(case: Case, _: Path) -> Any:
    return evaluate(mapping(case.judgments), mapping(case.run), case)


@route(unnamed, ordered)
def ranked_lists(case: Case, _: Path) -> Any:
    if keyed(replace(case, run=())) is None:
        return None
    return evaluate(mapping(case.judgments), lists(case.run), case)


@route(keyed)
def saved_and_loaded(case: Case, folder: Path) -> Any:
    evaluate(mapping(case.judgments), mapping(case.run), case).save(folder / "saved.parquet")
    return rm.Evaluation.load(folder / "saved.parquet")


@route(keyed)
def compared(case: Case, _: Path) -> Any:
    run = mapping(case.run)
    systems = {"a": run, "b": run}
    few = {"permutations": 100, "resamples": 100}
    cmp = rm.compare(mapping(case.judgments), systems, list(case.measures), **case.options(), **few)
    return cmp.evaluations["b"]


@route(keyed)
def in_folds(case: Case, _: Path) -> Any:
    half = len(case.run) // 2
    if not half:
        return None
    system = rm.folds(mapping(case.run[:half]), mapping(case.run[half:]))
    systems = {"a": mapping(case.run), "b": system}
    few = {"permutations": 100, "resamples": 100}
    cmp = rm.compare(mapping(case.judgments), systems, list(case.measures), **case.options(), **few)
    return cmp.evaluations["b"]


@route(keyed)
def rolled_up(case: Case, _: Path) -> Any:
    rolled = rm.roll_up(mapping(case.run), documents=lambda passage: passage)
    return evaluate(mapping(case.judgments), rolled, case)


@route(keyed)
def to_file_from_mappings(case: Case, folder: Path) -> Any:
    return evaluate(mapping(case.judgments), mapping(case.run), case, per_query_to=folder / "values.parquet")


# Objects that stand for tables.


class Judged(NamedTuple):
    query_id: Any
    doc_id: Any
    relevance: Any


class Scored(NamedTuple):
    query_id: Any
    doc_id: Any
    score: Any


@route(rows_only, unnamed)
def named_tuples(case: Case, _: Path) -> Any:
    made = [
        [kind(query, item, value) for query, items in side for item, value in items]
        for kind, side in ((Judged, case.judgments), (Scored, case.run))
    ]
    return evaluate(made[0], iter(made[1]), case) if all(made) else None


@route(rows_only, one_type)
def columns_by_name(case: Case, _: Path) -> Any:
    return evaluate(rows(case.judgments, case.names[0]), rows(case.run, case.names[1]), case)


@route(rows_only, keyed)
def values_by_pair(case: Case, _: Path) -> Any:
    made = [{(query, item): v for query, items in side for item, v in items} for side in (case.judgments, case.run)]
    if any(len(pairs) != sum(len(items) for _, items in side)
           for pairs, side in zip(made, (case.judgments, case.run), strict=True)):  # fmt: skip
        return None
    return evaluate(*made, case)


@route(keyed)
def lists_of_pairs(case: Case, _: Path) -> Any:
    return evaluate(mapping(case.judgments), {query: list(items) for query, items in case.run}, case)


# Frames.


def rows(side: Side, value: str) -> dict[str, list[Any]]:
    flat = [(query, item, number) for query, items in side for item, number in items]
    return {"query": [row[0] for row in flat], "item": [row[1] for row in flat], value: [row[2] for row in flat]}


def value_type(column: list[Any]) -> Any:
    whole = all(isinstance(one, int) for one in column if one is not None)
    return pl.Int64 if whole and column else pl.Float64


def polars_frame(side: Side, value: str) -> pl.DataFrame:
    made = rows(side, value)
    kinds = {
        name: pl.String if any(isinstance(one, str) for one in made[name]) else pl.Int64 for name in ("query", "item")
    }
    return pl.DataFrame(made, schema={**kinds, value: value_type(made[value])})


def frames(case: Case) -> tuple[pl.DataFrame, pl.DataFrame]:
    return polars_frame(case.judgments, case.names[0]), polars_frame(case.run, case.names[1])


@route(rows_only, one_type)
def polars_frames(case: Case, _: Path) -> Any:
    return evaluate(*frames(case), case)


def dealt(frame: pl.DataFrame) -> pl.DataFrame:
    """The first row of every query, then the second ones: rows in no order, those of a query in theirs."""
    if not frame.height or frame["query"].null_count():
        return frame
    return frame.sort(pl.int_range(pl.len()).over("query"), maintain_order=True)


@route(rows_only, one_type)
def dealt_frames(case: Case, _: Path) -> Any:
    return evaluate(*map(dealt, frames(case)), case)


@route(rows_only, one_type, unnamed, ordered)
def dealt_ranks(case: Case, _: Path) -> Any:
    """Ranks with gaps, which begin late, from the last row to the first."""
    judgments, run = frames(case)
    ranks = run.select("query", "item", rank=(3 - 2 * pl.col("score")).cast(pl.Int64))
    return evaluate(judgments, dealt(ranks).reverse(), case)


@route(rows_only, one_type)
def compact_frames(case: Case, _: Path) -> Any:
    """Categories for text, and for whole numbers no more bits than they need."""
    made = [frame.with_columns(pl.col(pl.String).cast(pl.Categorical)) for frame in frames(case)]
    return evaluate(*(frame.select(column.shrink_dtype() for column in frame) for frame in made), case)


@route(rows_only, one_type)
def lazy_frames(case: Case, _: Path) -> Any:
    return evaluate(*(frame.lazy() for frame in frames(case)), case)


@route(rows_only, one_type)
def arrow_tables(case: Case, _: Path) -> Any:
    return evaluate(*(frame.to_arrow() for frame in frames(case)), case)


@route(rows_only, one_type)
def pandas_frames(case: Case, _: Path) -> Any:
    pd = pytest.importorskip("pandas")
    sides = zip((case.judgments, case.run), case.names, strict=True)
    return evaluate(*(pd.DataFrame(rows(side, name)) for side, name in sides), case)


@route(rows_only, one_type)
def polars_list_columns(case: Case, _: Path) -> Any:
    return evaluate(*(frame.group_by("query", maintain_order=True).all() for frame in frames(case)), case)


@route(rows_only, one_type)
def pandas_list_columns(case: Case, _: Path) -> Any:
    pd = pytest.importorskip("pandas")
    made = []
    for side, name in zip((case.judgments, case.run), case.names, strict=True):
        columns = {"query": [q for q, _ in side], "items": [[item for item, _ in items] for _, items in side]}
        made.append(pd.DataFrame({**columns, name: [[value for _, value in items] for _, items in side]}))
    return evaluate(*made, case)


@route(rows_only, one_type, unnamed, ordered)
def series_of_lists(case: Case, _: Path) -> Any:
    pd = pytest.importorskip("pandas")
    if keyed(replace(case, run=())) is None or not case.run:
        return None
    return evaluate(mapping(case.judgments), pd.Series(list(lists(case.run).values()), [q for q, _ in case.run]), case)


@route(rows_only, one_type)
def parquet_list_columns(case: Case, folder: Path) -> Any:
    paths = folder / "judgments.parquet", folder / "run.parquet"
    for frame, path in zip(frames(case), paths, strict=True):
        frame.group_by("query", maintain_order=True).all().write_parquet(path)
    return evaluate(*paths, case)


@route(rows_only, one_type)
def one_frame_for_both(case: Case, _: Path) -> Any:
    """Every returned item is judged, or else nobody could say so in one table."""
    graded = {(query, item): grade for query, items in case.judgments for item, grade in items}
    pairs = [(query, item) for query, items in case.run for item, _ in items]
    if case.names != ("grade", "score") or set(pairs) != set(graded) or len(pairs) != len(graded):
        return None
    frame = frames(case)[1].with_columns(pl.Series("grade", [graded[pair] for pair in pairs], strict=False))
    return rm.evaluate(frame, None, list(case.measures), **case.options())


@route(rows_only, one_type)
def duckdb_relations(case: Case, _: Path) -> Any:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        judged, run = frames(case)
        return evaluate(connection.from_arrow(judged.to_arrow()), connection.from_arrow(run.to_arrow()), case)


@route(rows_only, one_type)
def frame_against_mapping(case: Case, _: Path) -> Any:
    if keyed(case) is None:
        return None
    return evaluate(frames(case)[0], mapping(case.run), case)


@route(rows_only, one_type)
def mapping_against_frame(case: Case, _: Path) -> Any:
    if keyed(case) is None:
        return None
    return evaluate(mapping(case.judgments), frames(case)[1], case)


@route(rows_only, one_type, lambda case: replace(case, duplicates=None))
def rolled_up_frame(case: Case, _: Path) -> Any:
    """A passage that stands twice is refused, whatever shall be done with a document."""
    judged, run = frames(case)
    return evaluate(judged, rm.roll_up(run, documents=lambda passage: passage), case)


# Files.


def trec_file(path: Path, side: Side, value: str) -> Path:
    refused = [one for q, items in side for one in (q, *(i for i, _ in items)) if not fits_trec(str(one))]
    if refused:
        raise ValueError(f"TREC text cannot hold the ids {refused!r}: they would be read as others, or as none")
    lines = [
        f"{q} 0 {i} {v!r}" if value == "grade" else f"{q} Q0 {i} 1 {v!r} tag" for q, items in side for i, v in items
    ]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


TSV: dict[str, Any] = {"quoting": csv.QUOTE_NONE, "quotechar": None}


def delimited(path: Path, side: Side, value: str, delimiter: str = ",") -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        # In a TSV a quotation mark is a letter like any other.
        writer = csv.writer(file, delimiter=delimiter, **({} if delimiter == "," else TSV))
        writer.writerow(["query", "item", value])
        writer.writerows((q, i, repr(v)) for q, items in side for i, v in items)
    return path


def json_file(path: Path, side: Side, _: str) -> Path:
    path.write_text(json.dumps(mapping(side)), encoding="utf-8")
    return path


def json_lines(path: Path, side: Side, value: str) -> Path:
    made = [json.dumps({"query": q, "item": i, value: v}) for q, items in side for i, v in items]
    path.write_text("".join(line + "\n" for line in made), encoding="utf-8")
    return path


def parquet_file(path: Path, side: Side, value: str) -> Path:
    polars_frame(side, value).write_parquet(path, row_group_size=2)
    return path


def ipc_file(path: Path, side: Side, value: str) -> Path:
    polars_frame(side, value).write_ipc(path)
    return path


def tsv_file(path: Path, side: Side, value: str) -> Path:
    return delimited(path, side, value, "\t")


WRITERS: dict[str, tuple[Callable[..., Path], tuple[str, str], tuple[Change, ...]]] = {
    "trec": (trec_file, ("judgments.qrels", "run.run"), (unnamed, rows_only, as_text, words)),
    "csv": (delimited, ("judgments.csv", "run.csv"), (rows_only, as_text)),
    "tsv": (tsv_file, ("judgments.tsv", "run.tsv"), (rows_only, as_text)),
    "json": (json_file, ("judgments.json", "run.json"), (keyed, as_text, finite)),
    "jsonl": (json_lines, ("judgments.jsonl", "run.jsonl"), (rows_only, as_text, finite)),
    "parquet": (parquet_file, ("judgments.parquet", "run.parquet"), (rows_only, one_type)),
    "ipc": (ipc_file, ("judgments.arrow", "run.arrow"), (rows_only, one_type)),
}
"""For every format how a side is written, how its files are called, and what becomes of a case."""


def in_parts(side: Side) -> tuple[Side, Side]:
    """Whole queries in each of two parts."""
    return side[: len(side) // 2], side[len(side) // 2 :]


def scattered(side: Side) -> tuple[Side, Side]:
    """Some items of every query in each of two parts; a query without items is told in the second."""
    return (
        tuple((query, items[: len(items) // 2]) for query, items in side if items),
        tuple((query, items[len(items) // 2 :]) for query, items in side),
    )


def whole_files(write: Any, names: tuple[str, str], case: Case, folder: Path) -> tuple[Any, Any]:
    return (
        write(folder / names[0], case.judgments, case.names[0]),
        write(folder / names[1], case.run, case.names[1]),
    )


def several_files(split: Callable[[Side], tuple[Side, Side]]) -> Any:
    def written(write: Any, names: tuple[str, str], case: Case, folder: Path) -> tuple[Any, Any] | None:
        made = []
        for name, side, value in zip(names, (case.judgments, case.run), case.names, strict=True):
            parts = [part for part in split(side) if part and any(items for _, items in part)]
            if write is json_file:
                parts = [part for part in split(side) if part]
            if not parts:
                return None
            inside = folder / name.partition(".")[0]
            inside.mkdir()
            made.append(rm.files(*(write(inside / f"{n}-{name}", part, value) for n, part in enumerate(parts))))
        return made[0], made[1]

    return written


def _register_files() -> None:
    """Each format as whole files, as several, scattered, and with values that go to a file."""
    ways = {"file": whole_files, "files": several_files(in_parts), "scattered": several_files(scattered)}
    for format_, (write, names, changes) in WRITERS.items():
        for way, written in ways.items():
            for to_file in (False, True):

                def go(case: Case, folder: Path, write=write, names=names, written=written, to_file=to_file) -> Any:
                    made = written(write, names, case, folder)
                    if made is None:
                        return None
                    more = {"per_query_to": folder / "values.parquet"} if to_file else {}
                    return evaluate(*made, case, **more)

                go.__name__ = f"{format_}_{way}" + ("_to_file" if to_file else "")
                route(*changes)(go)


_register_files()


@route(rows_only, one_type)
def small_blocks(case: Case, folder: Path) -> Any:
    path = str(parquet_file(folder / "run.parquet", case.run, case.names[1]))
    run = RunFile(lambda: stream_run(Files((path,)), block_bytes=64), "run.parquet")
    return evaluate(frames(case)[0], run, case, per_query_to=folder / "values.parquet")


@route(rows_only, one_type)
def scattered_on_disk(case: Case, folder: Path) -> Any:
    """More than fits a memory of one byte, so that rows are dealt to files."""
    made = several_files(scattered)(parquet_file, ("judgments.parquet", "run.parquet"), case, folder)
    if made is None:
        return None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streaming, "IN_MEMORY_BYTES", 1)
        return evaluate(*made, case)


@route(*WRITERS["trec"][2])
def scattered_lines(case: Case, folder: Path) -> Any:
    """A TREC text whose lines stand in turns of queries, more than fit a memory of one byte."""
    turns = [(turn, (query, (pair,))) for query, items in case.run for turn, pair in enumerate(items)]
    lines = tuple(line for _, line in sorted(turns, key=lambda line: line[0]))
    judgments, run = whole_files(*WRITERS["trec"][:2], replace(case, run=lines), folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scattered_text, "IN_MEMORY_BYTES", 1)
        return evaluate(judgments, run, case)


# Arrays and tensors.


def square(case: Case) -> Case | None:
    """A matrix: all queries on both sides, all items in every list, judged 0 where nothing is said."""
    if not case.run or not case.judgments or keyed(case) is None or one_type(case) is None:
        return None
    judged, run = mapping(case.judgments), mapping(case.run)
    items = list(dict.fromkeys(item for one in run.values() for item in one))
    # Numbers that no float is like would be rounded here, before they are given away.
    if any(not isinstance(value, (int, float)) or is_rounded(value) for _, value in case.pairs()) or not items:
        return None
    queries = [query for query in run if query in judged]
    if not queries:
        return None
    return replace(
        case,
        judgments=tuple(
            (n, tuple((i, judged[q].get(item, 0)) for i, item in enumerate(items))) for n, q in enumerate(queries)
        ),
        run=tuple(
            (n, tuple((i, run[q].get(item, -1.0)) for i, item in enumerate(items))) for n, q in enumerate(queries)
        ),
    )


def matrix(side: Side) -> Any:
    return np.array([[value for _, value in items] for _, items in side], np.float64)


@route(square)
def arrays(case: Case, _: Path) -> Any:
    return evaluate(rm.arrays(matrix(case.judgments)), rm.arrays(matrix(case.run)), case)


@route(square)
def tensors(case: Case, _: Path) -> Any:
    torch = pytest.importorskip("torch")
    scores, labels = torch.tensor(matrix(case.run)), torch.tensor(matrix(case.judgments))
    return rm.evaluate(rm.tensors(scores, labels), measures=list(case.measures), **case.options())


@route(square)
def ranked_catalogue(case: Case, _: Path) -> Any:
    scores = matrix(case.run)
    sizes = {"queries": scores.shape[0], "items": scores.shape[1]}
    ranked = rm.rank_catalogue(mapping(case.judgments), score=lambda rows, some: scores[rows][:, some], **sizes)
    return rm.evaluate(ranked, measures=list(case.measures), **case.options())


# What search engines and RAG tools write.


def _as_json(case: Case) -> Case | None:
    """Ids that JSON can carry, an item once in each list, as an engine returns it; a wing reads that."""
    if not is_there("engines"):
        return None
    kinds = {type(one) for one in case.ids()}
    return finite(case) if kinds <= {str} or kinds <= {int} else None


def _unfinished(side: Side, folder: Path, name: str, response: Callable[[list[Any]], Any]) -> Path:
    """One line for each query: its id, and what the engine answered."""
    lines = [{"query_id": query, "response": response([item for item, _ in items])} for query, items in side]
    path = folder / name
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return path


def _rated(side: Side, folder: Path) -> Path:
    """The judgments as the body of a rank_eval request."""
    requests = [
        {
            "id": query,
            "request": {},
            "ratings": [{"_index": "i", "_id": item, "rating": grade} for item, grade in items],
        }
        for query, items in side
    ]
    path = folder / "body.json"
    path.write_text(json.dumps({"requests": requests, "metric": {"precision": {}}}))
    return path


@route(_as_json, keyed, ordered)
def search_responses(case: Case, folder: Path) -> Any:
    def answer(items: list[Any]) -> Any:
        return {"timed_out": False, "hits": {"hits": [{"_id": item, "_score": 1.0} for item in items]}}

    if not case.judgments or not case.run:
        return None
    return evaluate(_rated(case.judgments, folder), _unfinished(case.run, folder, "es.jsonl", answer), case)


@route(_as_json, keyed, ordered)
def bulk_responses(case: Case, folder: Path) -> Any:
    if not case.judgments or not case.run:
        return None
    answers = [{"hits": {"hits": [{"_id": item} for item, _ in items]}} for _, items in case.run]
    (folder / "bm25.json").write_text(json.dumps({"took": 1, "responses": answers}))
    requests = [line for query, _ in case.run for line in ({"index": "i", "query_id": query}, {"query": {}})]
    (folder / "requests.ndjson").write_text("\n".join(map(json.dumps, requests)))
    return evaluate(_rated(case.judgments, folder), folder / "bm25.json", case)


@route(_as_json, keyed, ordered)
def solr_responses(case: Case, folder: Path) -> Any:
    def answer(items: list[Any]) -> Any:
        return {"responseHeader": {"status": 0}, "response": {"docs": [{"id": item, "score": 1.0} for item in items]}}

    if not case.judgments or not case.run:
        return None
    return evaluate(_rated(case.judgments, folder), _unfinished(case.run, folder, "solr.jsonl", answer), case)


@route(_as_json, keyed, ordered)
def retrieval_records(case: Case, folder: Path) -> Any:
    if not case.judgments or not case.run:
        return None
    lines = [{"query_id": query, "nodes": [{"node": {"id_": item}} for item, _ in items]} for query, items in case.run]
    (folder / "records.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    return evaluate(_rated(case.judgments, folder), folder / "records.jsonl", case)


@route(_as_json, keyed, ordered)
def responses_in_python(case: Case, _: Path) -> Any:
    if not case.run:
        return None
    answers = {query: {"hits": {"hits": [{"_id": item} for item, _ in items]}} for query, items in case.run}
    return evaluate(mapping(case.judgments), answers, case)
