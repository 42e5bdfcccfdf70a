"""Files that are damaged, endless, elsewhere or that cannot be read: one sentence each, on every route."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import rankmeter as rm
from rankmeter.errors import InputError, RankmeterError
from rankmeter.inputs import compression
from rankmeter.inputs.streaming import regrouped
from rankmeter.inputs.tables import RunTable
from rankmeter.inputs.titles import read_texts

RUN = pl.DataFrame({"query": ["q"] * 50, "item": [str(n) for n in range(50)], "score": [float(n) for n in range(50)]})

ROUTES: dict[str, Callable[[str], object]] = {
    "judgments": lambda path: rm.evaluate(path, {"q": ["3"]}, "RR", columns={"judgments.grade": "score"}),
    "run": lambda path: rm.evaluate({"q": {"3": 1}}, path, "RR"),
    "catalogue": lambda path: rm.evaluate(None, {"q": ["3"]}, "Coverage@3", catalogue=path),
    "history": lambda path: rm.evaluate({"q": {"3": 1}}, {"q": ["3"]}, "RR", history=path),
    "titles": lambda path: read_texts(Path(path)),
    "read_run": rm.read_run,
    "read_judgments": rm.read_judgments,
}


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("url", ["http://127.0.0.1/run.csv", "s3://bucket/run.parquet", "hf://data/run", "file:///run"])
def test_an_address_is_not_opened(url, route):
    with pytest.raises(InputError, match="is a URL; only local files are read"):
        ROUTES[route](url)


@pytest.mark.posix
@pytest.mark.parametrize("route", ROUTES)
def test_a_link_that_loops_is_said(route, tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(InputError, match="cannot be opened: Too many levels of symbolic links"):
        ROUTES[route](str(tmp_path / "loop"))


@pytest.mark.parametrize("route", ["judgments", "run", "catalogue"])
@pytest.mark.parametrize("kind", ["parquet", "ipc"])
def test_damaged_tables_are_refused_or_read_but_never_crash(kind, route, tmp_path, capfd):
    path = tmp_path / f"run.{kind}"
    getattr(RUN, f"write_{kind}")(path)
    whole, draw = path.read_bytes(), random.Random(7)
    refused = 0
    for _ in range(60):
        damaged = bytearray(whole)
        damaged[draw.randrange(len(damaged))] ^= 1 << draw.randrange(8)
        path.write_bytes(damaged[: draw.randrange(len(damaged))] if draw.random() < 0.3 else damaged)
        try:
            ROUTES[route](str(path))
        except RankmeterError:
            refused += 1
    assert refused
    capfd.readouterr()  # Polars tells of its panics by itself


@pytest.mark.slow
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress], ids=["gz", "bz2", "xz"])
@pytest.mark.parametrize(
    ("head", "line", "route"),
    [
        ("query,item,score\n", "q,a,1\n", "run"),
        ("q Q0 a 1 1 x\n", "q Q0 a 1 1 x\n", "run"),
        ("q Q0 a 1 1 x\n" * 30_000, "a", "run"),
        ("q 0 a 1\n", "q 0 a 1\n", "history"),
        ('{"query": "q", "item": "a", "score": 1}\n', " " * 10, "run"),
        ("item,price\n", "a,1\n", "catalogue"),
    ],
)
def test_a_small_file_does_not_unpack_without_end(head, line, route, pack, tmp_path, monkeypatch):
    monkeypatch.setattr(compression, "UNPACKED_BYTES", 1 << 19)
    path = tmp_path / "bomb"
    path.write_bytes(pack((head + line * (1 << 20)).encode()))
    with pytest.raises(RankmeterError, match=r"unpacks to more than|returns an item twice"):
        ROUTES[route](str(path))


@pytest.mark.posix
def test_a_full_disk_for_sorting_is_said():
    import resource  # which Windows does not have

    blocks = [RunTable(RUN["query"], RUN["item"], RUN["score"], "run.csv") for _ in range(3)]
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, before[1]))
    try:
        with pytest.raises(InputError, match=r"has no room to sort it: [^N]"), regrouped(blocks, in_memory_bytes=1):
            pass
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("kind", ["csv", "json", "mapping"])
def test_a_very_long_id_does_not_fill_the_screen(kind, tmp_path):
    id_ = "x" * 1_000_000
    path = tmp_path / f"run.{kind}"
    path.write_text(f"query,item,score\n{id_},a,none\n" if kind == "csv" else f'{{"{id_}": {{"a": "none"}}}}')
    run = {id_: {"a": "none"}} if kind == "mapping" else str(path)
    with pytest.raises(InputError) as error:
        rm.evaluate({id_: {"a": 1}}, run, "RR")
    assert len(str(error.value)) < 50_000


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"q 1 a nan\n", "nan"),
        (b"q 1 a inf\n", "not finite"),
        (b"q 1 caf\xe9 1\n", "not UTF-8 text"),
        (b"q 1 a\n", "3 fields where 4"),
    ],
)
def test_judgments_of_subtopics_are_refused_as_others_are(content, message, tmp_path):
    path = tmp_path / "qrels"
    path.write_bytes(b"q 2 b 1\n" * 3 + content)
    for columns in (None, {"subtopic": "iteration"}):
        with pytest.raises(InputError, match=message):
            rm.read_judgments(path, columns=columns)


def test_judgments_of_subtopics_have_comments_and_marks_as_others_have(tmp_path):
    path = tmp_path / "qrels"
    path.write_bytes(b"\xef\xbb\xbf# made by hand\nq 1 a 1\n\nq\t2  a 0\r\n")
    table = rm.read_judgments(path, columns={"subtopic": "iteration"})
    assert table.query.to_list() == ["q", "q"]
    assert table.subtopic.to_list() == ["1", "2"]
    assert table.grade.to_list() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.tsv", '301\tfirst query\n302\t"quoted\n'),
        ("t.tsv", 'qid\ttitle\n301\tfirst query\n302\t"quoted\n'),
        ("t.txt", '301\tfirst query\n302\t"quoted\n'),
        ("t.csv", '301,first query\n302,"""quoted"\n'),
        ("t.csv", 'key,text\n301,first query\n302,"""quoted"\n'),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gz"])
def test_topics_have_a_header_or_none(name, content, pack, tmp_path):
    path = tmp_path / name
    path.write_bytes(pack(content.encode()))
    assert read_texts(path).rows == {"301": ("first query",), "302": ('"quoted',)}
