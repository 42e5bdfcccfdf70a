"""What Windows does otherwise, as far as every system can show it: line ends, consoles, backslashes."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from rankmeter.cli import app
from rankmeter.cli.streams import PLAIN, prepare_streams

QRELS = "q1 0 a 2\nq1 0 b 1\nq2 0 b 1\n"
ROWS = [("q1", "x", 3.0), ("q1", "a", 2.5), ("q2", "b", 1.0), ("q2", "a", 0.5)]
RUNS = {
    "run.trec": "".join(f"{query} Q0 {item} 1 {score} t\n" for query, item, score in ROWS),
    "run.csv": "query,item,score\n" + "".join(f"{query},{item},{score}\n" for query, item, score in ROWS),
    "run.tsv": "query\titem\tscore\n" + "".join(f"{query}\t{item}\t{score}\n" for query, item, score in ROWS),
    "run.jsonl": "".join(json.dumps({"query": q, "item": i, "score": s}) + "\n" for q, i, s in ROWS),
    "run.json": json.dumps({"q1": {"x": 3.0, "a": 2.5}, "q2": {"b": 1.0, "a": 0.5}}, indent=2) + "\n",
}
JUDGMENTS = {
    "judgments.qrels": QRELS,
    "judgments.csv": "query,item,grade\n" + QRELS.replace(" 0 ", ",").replace(" ", ","),
    "judgments.jsonl": '{"query": "q1", "item": "a", "grade": 2}\n{"query": "q1", "item": "b", "grade": 1}\n'
    '{"query": "q2", "item": "b", "grade": 1}\n',
    "judgments.json": json.dumps({"q1": {"a": 2, "b": 1}, "q2": {"b": 1}}, indent=2) + "\n",
}


def values_of(folder, judgments, run):
    words = ["evaluate", str(folder / judgments), str(folder / run), "-m", "nDCG@3", "-m", "RR", "--format", "json"]
    told = CliRunner().invoke(app, words)
    assert told.exit_code == 0, told.output
    means = json.loads(told.stdout)
    return json.dumps(means).replace(str(folder), "")


@pytest.mark.parametrize("marked", ["", "\ufeff"], ids=["plain", "with a byte order mark"])
@pytest.mark.parametrize(
    ("judgments", "run"),
    [*(("judgments.qrels", run) for run in RUNS), *((given, "run.trec") for given in JUDGMENTS)],
)
def test_line_ends_and_marks_of_windows_change_no_number(judgments, run, marked, tmp_path):
    told = []
    for folder, end, mark in ((tmp_path / "here", "\n", ""), (tmp_path / "there", "\r\n", marked)):
        folder.mkdir()
        for name in (judgments, run):
            (folder / name).write_bytes((mark + {**RUNS, **JUDGMENTS}[name].replace("\n", end)).encode())
        told.append(values_of(folder, judgments, run))
    assert told[0] == told[1]


def on_console(encoding, *words, cwd):
    """Run the command where the console knows few characters; the bytes that it printed."""
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "COLUMNS": "100"}
    command = [sys.executable, "-m", "rankmeter", *words]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, check=False)


@pytest.mark.parametrize("encoding", ["cp1252", "cp437", "gbk"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_console_of_few_characters_shows_every_table(encoding, language, tmp_path):
    (tmp_path / "j.qrels").write_text("问题 0 é 1\n问题 0 文档 1\n", "utf-8")
    (tmp_path / "r.run").write_text("问题 Q0 文档 1 2 t\n问题 Q0 é 2 1 t\n", "utf-8")
    told = on_console(
        encoding, "evaluate", "j.qrels", "r.run", "-m", "RR", "--lang", language, "--per-query", cwd=tmp_path
    )
    assert told.returncode == 0, told.stderr
    assert b"Traceback" not in told.stderr
    shown = told.stdout.decode("utf-8")  # what goes into a pipe or a file is UTF-8, as every file that is written
    assert "1.0000" in shown
    assert "问题" in shown
    assert "\\u" not in shown + told.stderr.decode("utf-8")


@pytest.mark.parametrize("variables", [{"PYTHONIOENCODING": "cp1252"}, {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_marks_and_sentences_are_whole_in_a_file_under_any_encoding(variables, language, tmp_path):
    (tmp_path / "j.qrels").write_text("".join(f"q{n} 0 a 1\n" for n in range(20)), "utf-8")
    for name, scores in (("good", "2 1"), ("poor", "1 2")):
        a, x = scores.split()
        rows = (f"q{n} Q0 a 1 {a if n % 9 else 1} t\nq{n} Q0 x 1 {x if n % 9 else 2} t\n" for n in range(20))
        (tmp_path / f"{name}.run").write_text("".join(rows), "utf-8")
    words = ["compare", "j.qrels", "poor.run", "good.run", "-m", "RR", "--lang", language, "--permutations", "100"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
    told = subprocess.run(
        [sys.executable, "-m", "rankmeter", *words, "--baseline", "poor"], cwd=tmp_path, check=False,
        env={**environment, "PYTHONUTF8": "0", **variables}, capture_output=True,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    shown = told.stdout.decode("utf-8")
    assert "]↑" in shown
    assert "\\u" not in shown + told.stderr.decode("utf-8")


def test_a_terminal_that_lacks_characters_shows_ascii_of_the_same_meaning():
    prepare_streams()
    shown = "+0.1↑ -0.2↓ 0.6193\u2074\u2075 a…b x ≤ 2 \u280b 中".encode("ascii", PLAIN)
    assert shown == rb"+0.1^ -0.2v 0.6193^4^5 a~b x <= 2 * \u4e2d"


@pytest.mark.parametrize("name", [r"C:\runs\bm25.run", r"..\bm25", "bm 25.run", "bm25.RUN"])
def test_a_file_whose_name_looks_like_a_windows_path_is_read_and_named(name, tmp_path):
    if sys.platform == "win32" and "\\" in name:
        pytest.skip("a backslash is no part of a name here")
    (tmp_path / "j.qrels").write_text(QRELS, "utf-8")
    (tmp_path / name).write_text(RUNS["run.trec"], "utf-8")
    for words in (
        ["evaluate", "j.qrels", name, "-m", "RR"],
        ["evaluate", "j.qrels", name, "-m", "RR", "--format", "csv"],
    ):
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(tmp_path)
            told = CliRunner().invoke(app, words)
        assert told.exit_code == 0, told.output
        assert "0.75" in told.stdout


def test_a_path_with_backslashes_that_is_not_there_is_quoted_as_it_was_typed(tmp_path):
    told = CliRunner().invoke(app, ["evaluate", r"C:\data\new\judgments.qrels", r"C:\data\runs.run", "-m", "RR"])
    assert told.exit_code == 2
    assert r"C:\data\new\judgments.qrels" in told.stderr
