"""Plain TREC text is read and placed as it stands, and gives what tables give."""

from __future__ import annotations

import pickle
import tracemalloc
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties.test_reader_fuzz import plain_rows, run_texts

from rankmeter.errors import InputError
from rankmeter.inputs.compression import open_source
from rankmeter.inputs.files import read_judgments, read_run
from rankmeter.inputs.plain_trec import NotPlainError, PlainRows, read_plain, read_whole_plain
from rankmeter.inputs.tables import PlainJudgments, RunFile
from rankmeter.inputs.text import PADDING, Text, TextIds
from rankmeter.inputs.trec import QRELS, RUN
from rankmeter.placing import scattered_text
from rankmeter.placing.indexes import PlacedRun
from rankmeter.placing.joins import place_text
from rankmeter.placing.pairs import place_run
from rankmeter.placing.placements import ROW_FIELDS, Placements, Plan

# Short ids, ids of more than one word that begin alike, very long ones, and such that are not ASCII.
items = st.sampled_from(
    ["a", "b", "d7", "doc12345", "doc123456", "doc123456#2", "z" * 20, "z" * 19, "u" * 70, "u" * 300, "é", "文档一"]
)
queries = st.sampled_from(["q1", "q10", "q2", "a-query-of-many-letters", "q" * 90, "查询"])
scores = st.sampled_from(["1", "1.0", "0.5", "2.25", "-3", "0.1", "0.1000000001", "1e-3"])
pairs = st.lists(st.tuples(queries, items), min_size=1, max_size=30, unique=True)


def rows_of(content: bytes, block_bytes: int = 1 << 20) -> list[PlainRows]:
    with open_source(content) as source:
        return list(read_plain(source, RUN, block_bytes))


@settings(max_examples=200, deadline=None)
@given(run_texts(), st.sampled_from([1, 64, 1 << 20]), st.sampled_from(["", "\ufeff"]))
def test_what_is_taken_is_what_a_line_by_line_reader_reads(text: str, block_bytes: int, mark: str) -> None:
    try:
        blocks = rows_of((mark + text).encode(), block_bytes)
    except NotPlainError:
        return
    found = [
        row for one in blocks for row in zip(one.query.to_list(), one.item.to_list(), one.value.tolist(), strict=True)
    ]
    assert found == plain_rows(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "q Q0 d 1 0.5 tag\nq Q0 e 2 0.25 tag\n",
        "q\tQ0\td\t1\t0.5\ttag\n",
        "q Q0   d 1 0.5 tag\r\n\r\nq Q0 e 2 0.25 tag",
        "q#1 Q0 d#2 1 -0.5 tag\n",
        "q Q0 d 1 1e-7 tag\nq Q0 e 1 inf tag\n",
        "文 Q0 d 1 3 é\n",
    ],
)
def test_ordinary_text_is_plain(text: str) -> None:
    (block,) = rows_of(text.encode())
    assert block.value.tolist() == [row[2] for row in plain_rows(text.encode())]


@pytest.mark.parametrize(
    "text",
    ["# a comment\nq Q0 d 1 1 t\n", "q Q0 d 1\n", "q Q0 d 1 1 t\nq Q0 e 1 1\n", "q Q0 d 1 nan t\n", "q Q0 d 1 x t\n",
     "q Q0 d\0 1 1 t\n", "q Q0 \x01 d 1 1 t\n"],
)  # fmt: skip
def test_what_needs_a_closer_look_is_not_taken(text: str) -> None:
    with pytest.raises(NotPlainError):
        rows_of(text.encode())


def test_a_byte_order_mark_alone_is_not_taken() -> None:
    with pytest.raises(NotPlainError):
        rows_of(b"\xef\xbb\xbf")


@pytest.mark.parametrize("in_memory", [1, 1 << 26])
def test_queries_that_come_back_thousands_of_times_are_brought_together(
    in_memory: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scattered_text, "IN_MEMORY_BYTES", in_memory)
    truth = b"".join(b"q%d 0 d%d 1\n" % (query, item) for query in range(2) for item in range(300))
    lines = [b"q%d Q0 d%d 1 %d t\n" % (row % 200, row // 200, -row) for row in range(20_000)]
    with open_source(truth) as source:
        judgments = read_whole_plain(source, QRELS)
    blocks = rows_of(b"".join(lines), 1 << 14)
    grouped = rows_of(b"".join(sorted(lines, key=lambda line: line.split()[0])))
    expected = place_text(judgments, lambda: grouped, Plan())
    tracemalloc.start()
    try:
        placed = place_text(judgments, lambda: blocks, Plan())
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
    assert sorted(placed.queries) == sorted(expected.queries)
    for name in ROW_FIELDS:
        assert getattr(placed.placements, name).tolist() == getattr(expected.placements, name).tolist()


@pytest.mark.parametrize("item", ["u" * 64, "u" * 65])
def test_scattered_ids_longer_than_eight_words_are_left_to_the_tables(item: str) -> None:
    lines = [f"{query} Q0 {item} 1 1 t\n{query} Q0 d{number} 1 1 t\n" for number, query in enumerate("abab")]
    lines[0] = lines[0].replace(item, "other")
    lines[1] = lines[1].replace(item, "other")
    with open_source(f"a 0 {item} 1\n".encode()) as source:
        judgments = read_whole_plain(source, QRELS)
    blocks = rows_of("".join(lines).encode(), 1)
    if len(item) > 64:
        with pytest.raises(NotPlainError):
            place_text(judgments, lambda: blocks, Plan())
    else:
        assert place_text(judgments, lambda: blocks, Plan()).placements.earlier.tolist() == [2]


def test_scattered_lines_that_find_no_room_are_left_to_the_tables(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(scattered_text, "IN_MEMORY_BYTES", 1)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    with open_source(b"a 0 d 1\n") as source:
        judgments = read_whole_plain(source, QRELS)
    blocks = rows_of(b"a Q0 d 1 1 t\nb Q0 d 1 1 t\na Q0 e 1 1 t\n", 1)
    with pytest.raises(NotPlainError):
        place_text(judgments, lambda: blocks, Plan())


def test_bytes_that_are_no_text_are_not_taken() -> None:
    with pytest.raises(NotPlainError):
        rows_of(b"q Q0 \xff 1 1 t\n")


@settings(max_examples=150, deadline=None)
@given(st.lists(items, min_size=1, max_size=30), st.lists(items, min_size=1, max_size=30))
def test_ids_compare_as_their_bytes_do(some: list[str], others: list[str]) -> None:
    one, other = (ids_of(names) for names in (some, others))
    assert one.to_list() == some
    assert one.changes().tolist() == [n for n, name in enumerate(some) if n == 0 or name != some[n - 1]]
    order = sorted(range(len(some)), key=lambda n: some[n].encode())
    keys = one.sort_keys()
    assert [some[n] for n in np.argsort(keys, kind="stable")] == [some[n] for n in order]
    assert (len(set(keys.tolist()))) == len(set(some))
    # An id has the same key in whatever column it stands.
    known = dict(zip(some, one.keys().tolist(), strict=True))
    assert all(known.get(name, key) == key for name, key in zip(others, other.keys().tolist(), strict=True))
    shared = min(len(some), len(others))
    rows = np.arange(shared)
    assert one.take(rows).equal(other.take(rows)).tolist() == [some[n] == others[n] for n in range(shared)]


def ids_of(names: list[str]) -> TextIds:
    lengths = np.array([len(name.encode()) for name in names])
    return TextIds(Text(" ".join(names).encode()), PADDING + np.cumsum(lengths + 1) - lengths - 1, lengths)


def test_a_text_can_be_sent_elsewhere() -> None:
    sent = pickle.loads(pickle.dumps(ids_of(["abc", "d"])))
    assert sent.to_list() == ["abc", "d"]


@settings(max_examples=250, deadline=None)
@given(
    pairs,
    st.data(),
    st.sampled_from([1, 64, 1 << 20]),
    st.builds(
        Plan,
        lowest_grade=st.sampled_from([-np.inf, 1.0]),
        unreturned=st.booleans(),
        scores=st.sampled_from(["float64", "float32"]),
    ),
)
def test_plain_text_is_placed_as_tables_are(
    judged: list[tuple[str, str]], data: st.DataObject, block_bytes: int, plan: Plan
) -> None:
    grades = data.draw(st.lists(st.integers(-1, 3), min_size=len(judged), max_size=len(judged)))
    returned = data.draw(pairs)
    if data.draw(st.booleans()):
        returned.sort(key=lambda pair: pair[0])  # grouped, as runs mostly are
    values = data.draw(st.lists(scores, min_size=len(returned), max_size=len(returned)))
    truth = "".join(f"{q} 0 {d} {g}\n" for (q, d), g in zip(judged, grades, strict=True)).encode()
    run = "".join(f"{q} Q0 {d} 1 {v} t\n" for (q, d), v in zip(returned, values, strict=True)).encode()
    with open_source(truth) as source:
        again = partial(read_judgments, truth, format="qrels")
        plain = PlainJudgments(read_whole_plain(source, QRELS), again, "truth")
    table = read_run(run, format="run")

    def no_tables() -> Any:
        raise ScatteredError

    only_plain = RunFile(no_tables, "run", lambda: iter(rows_of(run, block_bytes)))
    short_ids = all(len(item) <= 64 for _, item in returned)
    expected = outcome(read_judgments(truth, format="qrels"), RunFile(lambda: iter([table]), "run"), plan)
    try:
        assert outcome(plain, only_plain, plan) == expected
    except ScatteredError:  # a query came back, and its items are not short
        stretches = [q for n, (q, _) in enumerate(returned) if n == 0 or q != returned[n - 1][0]]
        assert len(stretches) > len(set(stretches))
        assert not short_ids
    assert plain.judgment_table().source == "truth"


class ScatteredError(Exception):
    """The tables were asked for."""


def outcome(judgments: Any, run: RunFile, plan: Plan) -> object:
    try:
        placed = place_run(judgments, run, plan)
    except InputError as error:
        return "no query in common" in str(error)
    return shown(placed)


def shown(placed: PlacedRun) -> dict[str, Any]:
    """Everything that was placed, ready to be compared; rows of a query in the order of their places."""
    found: dict[str, Any] = {one.name: getattr(placed.placements, one.name) for one in fields(Placements)}
    rows = ("query", "above", "higher_id", "earlier", "tied", "grade", "score")
    order = np.lexsort([found[name] for name in rows[:4]][::-1])
    found |= {name: found[name][order] for name in rows}
    return {name: column.tolist() for name, column in found.items()} | {
        "queries": placed.queries.to_list(),
        "highest": placed.highest_grade,
    }
