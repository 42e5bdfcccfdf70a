"""Reading files: where bytes come from, which format they have, and what is said when they cannot be read."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from tests.fuzz import blocks_of

import rankmeter as rm
from rankmeter.errors import InputError, NotFoundError
from rankmeter.inputs.files import read_judgments, read_labelled, read_run
from rankmeter.inputs.formats import recognise

RUN = b"q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\nq2 Q0 d1 1 9 tag\n"
QRELS = b"q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n"


def zstd(data: bytes) -> bytes:
    """Compress as the zstd program would; a frame of one raw block when the program is not there."""
    if shutil.which("zstd"):
        return subprocess.run(["zstd", "-q"], input=data, capture_output=True, check=True).stdout
    header = b"\x28\xb5\x2f\xfd\x80\x58" + len(data).to_bytes(4, "little")
    return header + (len(data) << 3 | 1).to_bytes(3, "little") + data


COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "xz": lzma.compress,
    "bz2": bz2.compress,
    "zst": zstd,
}


@pytest.fixture(autouse=True)
def _in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def put(name: str, content: bytes) -> str:
    Path(name).write_bytes(content)
    return name


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"PAR1\x15\x04", "parquet"),
        (b"ARROW1\0\0\xff\xff", "ipc"),
        (b'{"q1": {"d1": 1}}', "json"),
        (b'{\n  "q1": {"d1": 1}\n}', "json"),
        (b'{"q1": ["a", "b"]}', "json"),
        (b'{"query": ["a", "b"]}', "json"),
        (b'{"query": "q1", "items": ["a", "b"]}', "jsonl"),
        (b'{"query": "q1", "items": {"a": 1}}', "jsonl"),
        (b'  [{"query": 1}]', "json"),
        (b'{"query": "q1", "item": "d"}\n{"query": "q1", "item": "e"}\n', "jsonl"),
        (b'{"query": "q1", "item": "d", "score": 1}\n', "jsonl"),
        (b'\xef\xbb\xbf{"q1": {"d1": 1}}', "json"),
        (QRELS, "qrels"),
        (QRELS.replace(b" ", b"\t"), "qrels"),
        (b"q1 0 d1 1.7", "qrels"),
        (b"# judged by hand\n\nq1 0 d1 -1\n", "qrels"),
        (RUN, "run"),
        (RUN.replace(b" ", b"\t"), "run"),
        (b"q1 Q0 d1 1 2.5\n", "run"),
        (b"q1 Q0 d1 1 -inf tag extra\n", "run"),
        (b"q1 Q0 d1 1 abc tag\n", "run"),
        (b"q1 Q0 d1 abc\n", "qrels"),
        (b"q,1 Q0 d,1 1 0.5 t\nq,1 Q0 d,2 2 0.4 t\n", "run"),
        (b"PAR1 Q0 d1 1 0.5 t\n", "run"),
        (b"query,item,score\nq1,d1,0.5\n", "csv"),
        (b"query, iter, item, grade\nq1, 0, d1, 1\n", "csv"),
        (b"query,item,score of model 3\nq1,d1,0.5\nq1,d2,0.5\n", "csv"),
        (b"query-id\tcorpus-id\tscore\nq1\td1\t1\n", "tsv"),
        (b"query\titer\titem\tgrade\nq1\t0\td1\t1\nq1\t0\td2\t1\n", "tsv"),
        (b"query\tQ0\titem\trank\tscore\ttag\nq1\tQ0\td\t1\t2\tt\nq1\tQ0\te\t2\t1\tt\n", "tsv"),
    ],
)
def test_the_format_is_told_from_the_content(head: bytes, kind: str) -> None:
    assert recognise(head) == kind


@pytest.mark.parametrize(
    ("head", "message"),
    [
        (b"\x00\x01\x02", "looks binary: byte 1 is NUL"),
        (b"PK\x03\x04\x14\x00", "is a zip archive"),
        (b"\xff\xfeq\x001\x00", "is UTF-16 text. Hint: save it as UTF-8"),
        ("query,item".encode("utf-16-le"), "is UTF-16 text. Hint: save it as UTF-8"),
        ("query,item".encode("utf-16-be"), "is UTF-16 text. Hint: save it as UTF-8"),
        ("query,item".encode("utf-32"), "is UTF-32 text. Hint: convert"),
        (b"\x93NUMPY\x01\x00", "is a NumPy array. Hint: load it"),
        (b"SQLite format 3\x00", "is an SQLite database. Hint: read"),
        (b"q1 d1 0.5\n", "first line is 'q1 d1 0.5', 3 fields. Expected judgments"),
        (b"\xe9\xe8\xff", "the format of .* is not recognised"),
        (b"# only\n\n", "only comments and blank lines"),
    ],
)
def test_content_without_a_known_format_is_an_error(head: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        recognise(head, "x.dat")
    with pytest.raises(InputError, match=message):
        read_run(head)


def test_paths_bytes_and_file_objects_are_read_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    name = put("run.txt", RUN)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RUN)))
    with Path(name).open("rb") as file:
        sources = [name, Path(name), RUN, bytearray(RUN), memoryview(RUN), io.BytesIO(RUN), file, "-"]
        tables = [read_run(source) for source in sources]
        assert not file.closed
    assert all(table.item.to_list() == ["d1", "d2", "d1"] for table in tables)
    assert [table.source for table in tables] == [
        "run.txt", "run.txt", "<bytes>", "<bytes>", "<bytes>", "<file>", "run.txt", "<stdin>",
    ]  # fmt: skip


def test_judgments_are_read_with_their_source() -> None:
    table = read_judgments(put("qrels.txt", QRELS))
    assert table.query.to_list() == ["q1", "q1", "q2"]
    assert table.grade.to_list() == [1.0, 0.0, 2.0]
    assert table.source == "qrels.txt"


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("block_bytes", [16, 1 << 24])
def test_compression_is_told_from_the_content(kind: str, block_bytes: int) -> None:
    name = put("run.txt", COMPRESS[kind](RUN))
    for source in (name, Path(name).read_bytes(), io.BytesIO(Path(name).read_bytes())):
        items = [item for table in blocks_of(source, block_bytes=block_bytes) for item in table.item]
        assert items == ["d1", "d2", "d1"]


@pytest.mark.parametrize("kind", COMPRESS)
def test_several_compressed_parts_in_one_file_are_all_read(kind: str) -> None:
    assert read_run(COMPRESS[kind](RUN) + COMPRESS[kind](RUN)).query.len() == 6


def test_zstd_frames_without_content_are_skipped() -> None:
    assert read_run(b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc" + zstd(RUN)).query.len() == 3


@pytest.mark.parametrize("kind", COMPRESS)
def test_a_compressed_file_that_is_cut_short_is_an_error(kind: str) -> None:
    content = "".join(f"q{n} Q0 d{n * 7919 % 10007} 1 {n} t\n" for n in range(20_000)).encode()
    data = COMPRESS[kind](content)
    for length in (len(data) - 1, len(data) // 2, 15):
        name = put("run.txt", data[:length])
        with pytest.raises(InputError, match=r"run\.txt is damaged or cut short"):
            blocks_of(name)


@pytest.mark.parametrize("kind", COMPRESS)
def test_nothing_compressed_is_empty(kind: str) -> None:
    with pytest.raises(InputError, match="<bytes> is empty"):
        read_run(COMPRESS[kind](b""))


def test_zstd_text_that_is_not_utf8_is_an_error() -> None:
    with pytest.raises(InputError, match="<bytes>:1: the line is not UTF-8 text"):
        read_run(zstd(b"q Q0 caf\xe9 1 2 t\n"))


def test_a_missing_file_is_named_with_its_neighbour() -> None:
    put("qrels.txt", QRELS)
    with pytest.raises(NotFoundError, match=r"file not found: qrel\.txt\. Hint: did you mean 'qrels\.txt'\?"):
        read_judgments("qrel.txt")
    with pytest.raises(NotFoundError, match=r"file not found: unlike it\. Hint: looked in") as error:
        read_judgments("unlike it")
    assert str(error.value).endswith(str(Path.cwd()))
    with pytest.raises(NotFoundError, match="the directory nowhere does not exist either"):
        read_judgments("nowhere/qrels.txt")


def test_a_directory_is_an_error() -> None:
    Path("runs").mkdir()
    with pytest.raises(InputError, match="runs is a directory"):
        read_run("runs")


def test_a_file_that_may_not_be_read_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    # Not chmod: the superuser may read everything.
    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(InputError, match=r"run\.txt cannot be read: permission denied"):
        read_run("run.txt")


def test_what_cannot_be_opened_is_an_error() -> None:
    for path in ("a\0b", "x" * 5000):
        with pytest.raises(InputError, match="cannot be opened"):
            read_run(path)
    with pytest.raises(InputError, match="cannot read from int 7"):
        read_run(7)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"was opened as text\. Hint: open it with mode 'rb'"):
        read_run(io.StringIO("q Q0 d 1 1 t"))  # type: ignore[arg-type]


def test_an_empty_file_is_an_error() -> None:
    with pytest.raises(InputError, match=r"^run\.txt is empty\.$"):
        read_run(put("run.txt", b""))
    with pytest.raises(InputError, match=r"^run\.txt is empty\.$"):
        read_labelled("run.txt")


@pytest.mark.parametrize("content", [b"# nothing\n# here\n", b"\n\n  \n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("read", [read_run, read_judgments, read_labelled])
def test_a_file_of_comments_alone_is_an_error(read: Callable[[bytes], object], content: bytes) -> None:
    with pytest.raises(InputError, match="<bytes> holds only comments and blank lines"):
        read(content)


@pytest.mark.parametrize("format", [None, "trec"])
def test_judgments_and_run_in_the_wrong_order_are_recognised(format: str | None) -> None:
    hint = "Hint: judgments come first, then the run"
    with pytest.raises(InputError) as error:
        read_run(put("qrels.txt", QRELS), format=format)
    assert str(error.value) == (
        "qrels.txt looks like judgments (4 fields a line: query, iteration, item, grade), "
        f"but was given as the run. {hint}"
    )
    with pytest.raises(InputError) as error:
        read_judgments(put("run.txt", RUN), format=format)
    assert str(error.value) == (
        "run.txt looks like a run (6 fields a line: query, Q0, item, rank, score, tag), "
        f"but was given as the judgments. {hint}"
    )


def test_an_unknown_format_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"unknown format 'parket'; expected one of: trec, .*did you mean 'parquet'"):
        read_run(RUN, format="parket")
    with pytest.raises(InputError, match=r"format 'qrels' is not for the run\. Hint: format='run'"):
        read_run(RUN, format="qrels")
    with pytest.raises(InputError, match="has no labels in line"):
        read_labelled(QRELS, format="run")


def test_columns_make_no_sense_for_trec_text() -> None:
    with pytest.raises(InputError, match=r"TREC text, which has no column names, .*\(item=docid\)"):
        read_run(RUN, columns={"item": "docid"})


def test_labelled_lines_are_a_run_in_order_and_its_judgments() -> None:
    labelled = read_labelled(b"q1 Q0 a 2\nq1 Q0 b 0\nq2 Q0 a -1\nq1 Q0 a 1\nq1 Q0 c 0.5\n")
    judgments, run = labelled.judgments, labelled.run
    assert not run.scored
    assert run.query.to_list() == ["q1", "q1", "q2", "q1", "q1"]
    assert run.item.to_list() == ["a", "b", "a", "a", "c"]
    assert run.score.to_list() == [-1.0, -2.0, -1.0, -3.0, -4.0]
    assert run.score.dtype == pl.Float64
    assert list(zip(judgments.query, judgments.item, judgments.grade, strict=True)) == [
        ("q1", "a", 2.0), ("q1", "b", 0.0), ("q2", "a", -1.0), ("q1", "c", 0.5),
    ]  # fmt: skip


def test_labelled_is_a_format_of_either_side() -> None:
    assert read_run(QRELS, format="labelled").score.to_list() == [-1.0, -2.0, -1.0]
    assert read_judgments(QRELS, format="labelled").grade.to_list() == [1.0, 0.0, 2.0]


def test_a_plain_run_is_not_labelled() -> None:
    with pytest.raises(InputError, match=r"looks like a run .* expected labelled lines"):
        read_labelled(RUN)


def test_tables_are_handed_to_the_structured_reader() -> None:
    run = read_run(put("run.csv", b"query,item,score\nq1,d1,0.5\nq1,d2,0.25\n"))
    assert run.score.to_list() == [0.5, 0.25]
    assert run.source == "run.csv"
    packed = gzip.compress(b"query-id\tcorpus-id\tscore\nq1\td1\t2\n")
    assert read_judgments(packed).grade.to_list() == [2.0]
    assert read_judgments(packed, format="beir").item.to_list() == ["d1"]


@pytest.mark.posix
@pytest.mark.program("bash", "cat", "gzip")
def test_a_file_is_read_through_a_pipe() -> None:
    name = put("run.txt", RUN * 3000)
    code = "import sys; from rankmeter.inputs.files import read_run; print(read_run(sys.argv[1]).query.len())"
    command = f'cat {name} | "{sys.executable}" -c "{code}" -; "{sys.executable}" -c "{code}" <(gzip -c {name})'
    path = str(Path(__file__).parents[3] / "src")
    environment = {"PYTHONPATH": path, "PATH": os.environ["PATH"]}
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.split() == ["9000", "9000"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b"query;item;grade\nq1;d1;1\n",
            "Hint: fields of a CSV are separated by commas, not by ;: replace them, or give the frame",
        ),
        (b"q1 d1 1\nq1 d2 0\n", r"Hint: TREC judgments have four fields \(query 0 item grade\)"),
        (b"q1\td1\t1\nq1\td2\t0\n", r":1: the first line is q1, d1, 1, not a header"),
        (
            b"q1 0 d1 1 5\nq1 0 d2 0 5\n",
            r"looks like a run without tags \(5 fields a line: .*if these are judgments, they have 4 fields",
        ),
    ],
)
def test_judgments_of_another_shape_get_a_hint(data, message):
    with pytest.raises(InputError, match=message):
        read_judgments(data)


@pytest.mark.posix
def test_a_run_that_can_be_read_only_once_is_placed_twice():
    os.mkfifo("pipe")
    writer = threading.Thread(target=lambda: Path("pipe").write_bytes(RUN), daemon=True)
    writer.start()
    # Two precisions of scores are two placings.
    ev = rm.evaluate({"q1": {"d1": 1}}, "pipe", ["RR", "RR(scores=float32)"])
    writer.join(10)
    assert list(ev.mean.values()) == [1.0, 1.0]


def test_standard_input_is_placed_twice(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RUN)))
    ev = rm.evaluate({"q1": {"d1": 1}}, "-", ["RR", "RR(scores=float32)"])
    assert list(ev.mean.values()) == [1.0, 1.0]


@pytest.mark.parametrize(
    "given", [(QRELS.decode() * 200, {"q1": {"d1": 1.0}}), ({"q1": {"d1": 1}}, RUN.decode() * 200)]
)
def test_a_text_too_long_for_a_name_cannot_be_opened(given):
    with pytest.raises(InputError, match=r"'q1 .* cannot be opened: File name too long"):
        rm.evaluate(*given, "AP")


@pytest.mark.parametrize("seed", range(10))
def test_a_json_list_of_lists_is_read_as_the_list_in_python(tmp_path, seed):
    draw = random.Random(seed)
    judgments, run = ([[f"d{n}" for n in draw.sample(range(20), draw.randint(1, 9))] for _ in range(7)] for _ in "jr")
    paths = [tmp_path / "judgments.json", tmp_path / "run.json"]
    for path, lists in zip(paths, (judgments, run), strict=True):
        path.write_text(json.dumps(lists))
    measures = ["nDCG@5", "AP", "RR", "P@3"]
    assert rm.evaluate(*paths, measures).means == rm.evaluate(judgments, run, measures).means


@pytest.mark.parametrize("text", ["[]", '[["a"], {"q": 1}]', '[["a"], 3]', "[[null]]"])
def test_a_json_list_of_anything_else_is_refused(tmp_path, text):
    path = tmp_path / "run.json"
    path.write_text(text)
    with pytest.raises(rm.InputError):
        rm.read_run(path).run_table()
