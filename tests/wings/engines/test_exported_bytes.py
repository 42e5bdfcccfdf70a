"""Every kind of response and export, however its bytes were written, cut or damaged: the same tables, or a sentence."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.wings.engines.test_exports import (
    ENGINES,
    GOLDEN,
    GRADES,
    JUDGMENTS,
    LISTS,
    QUEPID,
    RECORDS,
    elastic,
    graded,
    ranked,
)

import rankmeter as rm
from rankmeter.cli.application import app

LINES = "\n".join


def files() -> dict[str, tuple[str, str, str]]:
    """The text of a file of each kind, with the ending of its name and its side."""
    found = {
        f"{engine} lines": (
            LINES(json.dumps({"query_id": query, "response": make(items)}) for query, items in LISTS.items()) + "\n",
            "jsonl",
            "run",
        )
        for engine, make in ENGINES.items()
    }
    found["elastic by query"] = (json.dumps({q: elastic(items) for q, items in LISTS.items()}, indent=1), "json", "run")
    found |= {kind: (json.dumps(document, indent=2), "json", "judgments") for kind, document in JUDGMENTS.items()}
    found |= {f"record {kind}": (json.dumps(record) + "\n", "jsonl", "run") for kind, record in RECORDS.items()}
    found |= {f"Quepid {kind}": (text, "csv", "judgments") for kind, text in QUEPID.items()}
    found |= {
        path.stem: (path.read_text("utf-8"), path.suffix[1:], "run")
        for path in GOLDEN.glob("*.json*")
        if path.stem != "incomplete"
    }
    return found


FILES = files()
WRITTEN: dict[str, Callable[[str], bytes]] = {
    "as it is": lambda text: text.encode(),
    "compressed": lambda text: gzip.compress(text.encode()),
    "byte order mark": lambda text: text.encode("utf-8-sig"),
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "no end of line": lambda text: text.rstrip("\n").encode(),
    "UTF-16": lambda text: text.encode("utf-16"),
}


def read(path: Path, side: str) -> dict[Any, Any]:
    return ranked(path) if side == "run" else graded(path)


def read_or_refused(path: Path, side: str) -> dict[Any, Any] | str:
    try:
        return read(path, side)
    except rm.InputError as error:
        return str(error)


def written(folder: Path, kind: str, data: bytes) -> Path:
    path = folder / f"file.{FILES[kind][1]}"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("how", WRITTEN)
@pytest.mark.parametrize("kind", FILES)
def test_the_same_text_is_the_same_table_however_it_was_written(tmp_path, kind, how):
    text, _, side = FILES[kind]
    plain = read(written(tmp_path, kind, text.encode()), side)
    assert plain
    path = written(tmp_path, kind, WRITTEN[how](text))
    got = read_or_refused(path, side)
    if how == "UTF-16" and isinstance(got, str):  # JSON says itself how it is encoded, tables and lines do not
        assert "UTF-8" in got
        assert path.name in got
    else:
        assert got == plain


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.95])
@pytest.mark.parametrize("kind", [kind for kind, (_, ending, _) in FILES.items() if ending != "csv"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_was_cut_is_a_sentence_with_its_name(tmp_path, kind, share, packed):
    text, _, side = FILES[kind]
    data = text.rstrip().encode()
    data = gzip.compress(data) if packed else data
    path = written(tmp_path, kind, data[: int(len(data) * share)])
    with pytest.raises(rm.InputError) as caught:
        read(path, side)
    assert path.name in str(caught.value)


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("empty", [b"", b"\n", b" \r\n\r\n"])
def test_a_file_with_nothing_in_it_is_said_to_have_nothing(tmp_path, kind, empty):
    path = written(tmp_path, kind, empty)
    with pytest.raises(rm.InputError, match=r"is empty|only comments and blank lines"):
        read(path, FILES[kind][2])


DEEP = 100_000


@pytest.mark.parametrize("ending", ["json", "jsonl"])
@pytest.mark.parametrize(
    "text",
    ["[" * DEEP, "[" * DEEP + "]" * DEEP, '{"hits":' * DEEP, '{"hits":' * DEEP + "1" + "}" * DEEP],
    ids=["lists, cut", "lists", "objects, cut", "objects"],
)
def test_what_is_nested_without_end_is_a_sentence(tmp_path, ending, text):
    path = tmp_path / f"deep.{ending}"
    path.write_text(text)
    with pytest.raises(rm.InputError, match=rf"deep\.{ending}"):
        rm.evaluate(GRADES, path, "RR")


@pytest.mark.parametrize("numbers", ["query", "item", "both"])
def test_ids_that_are_numbers_on_one_side_are_compared_as_text(tmp_path, numbers):
    query: Any = 1 if numbers != "item" else "1"
    item: Any = 7 if numbers != "query" else "7"
    lines = [{"query_id": query, "results": [{"id": item, "score": 1.0}]}]
    path = tmp_path / "run.jsonl"
    path.write_text(LINES(map(json.dumps, lines)))
    with pytest.warns(rm.RankmeterWarning, match="compared as text"):
        assert rm.evaluate({"1": {"7": 1}}, path, "RR")["RR"] == 1.0


def test_one_query_as_a_number_and_as_text_is_one_query_twice(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text(LINES(json.dumps({"query_id": query, "response": elastic(["a"])}) for query in (1, "1")))
    with pytest.raises(rm.InputError, match=r"run\.jsonl holds two entries for query 1"):
        rm.evaluate({"1": {"a": 1}}, path, "RR")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("kind", FILES)
def test_a_command_ends_with_one_sentence_and_code_2(tmp_path, kind, lang):
    """Cut in the middle, each kind is refused in the language that was asked for, without a traceback."""
    text, _, side = FILES[kind]
    path = written(tmp_path, kind, text.encode()[: len(text) // 3] + b"\xff\xfe")
    other = tmp_path / "other.json"
    other.write_text(json.dumps(LISTS if side == "judgments" else GRADES))
    both = [str(path), str(other)] if side == "judgments" else [str(other), str(path)]
    done = CliRunner().invoke(app, ["evaluate", *both, "-m", "RR", "--lang", lang])
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert ("提示" in done.stderr or "。" in done.stderr) == (lang == "zh"), done.stderr
