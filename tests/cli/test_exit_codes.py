"""The exit code says what to do: 0 go on, 1 the answer is no, 2 mend the call or its input, 3 look at the machine."""

from __future__ import annotations

import errno
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

from rankmeter.cli import app, exit_codes
from rankmeter.cli.application import COMMANDS
from rankmeter.cli.exit_codes import DONE, FAILED, FAULT, INTERRUPTED, PIPE_CLOSED, WRONG, code_of
from rankmeter.errors import InputError, MissingExtraError

ROOT = Path(__file__).parents[2]
EVALUATE = ["evaluate", "j.qrels", "good.run", "-m", "RR"]
GATE = ["compare", "j.qrels", "good.run", "poor.run", "-m", "RR", "--permutations", "100", "--resamples", "100"]
LOG = "user,time,type,variant\n" + "".join(f"u{n},{n},impression,{'ab'[n % 10 == 0]}\n" for n in range(1000))
ONLINE = ["online", "log.csv", "-m", "CTR", "--experiment"]
RECONCILE = ["reconcile", "j.qrels", "good.run", "--claim"]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("j.qrels").write_text("q1 0 a 1\nq2 0 b 1\n")
    Path("good.run").write_text("q1 Q0 a 1 2.0 t\nq2 Q0 b 1 1.0 t\n")
    Path("poor.run").write_text("q1 Q0 x 1 2.0 t\nq1 Q0 a 1 1.0 t\nq2 Q0 b 1 1.0 t\n")
    Path("log.csv").write_text(LOG)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (EVALUATE, DONE),
        ([*GATE, "--fail-if", "RR < 0.1"], DONE),
        ([*GATE, "--fail-if", "RR < 2"], FAILED),
        ([*RECONCILE, "RR=1.0"], DONE),
        ([*RECONCILE, "RR=0.3"], FAILED),
        (ONLINE, FAILED),  # nine tenths of the users are in one variant of two
        ([*GATE, "--fail-if", "RR << 2"], WRONG),
        ([*GATE, "--fail-if", "RR < 2", "--output", "no/folder"], WRONG),
        (["evaluate", "j.qrels", "missing.run"], WRONG),
        (["evaluate", "--no-such-option"], WRONG),
        ([], WRONG),
    ],
)
def test_a_command_ends_with_the_code_of_what_happened(words, code):
    result = CliRunner().invoke(app, words)
    assert result.exit_code == code, result.stderr


class Panic(BaseException):
    """As a panic of Polars, which is no Exception."""


@pytest.mark.parametrize("error", [ValueError("odd\nvalue"), RuntimeError(), KeyError("x"), Panic("range end")])
def test_a_defect_is_3_with_a_sentence_and_where_it_happened(monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr("rankmeter.cli.evaluate.evaluate_files", fail)
    result = CliRunner().invoke(app, [*EVALUATE, "--output", "out.csv"])
    assert result.exit_code == FAULT
    assert isinstance(result.exception, SystemExit)
    assert result.stderr.startswith("Traceback")
    last = result.stderr.splitlines()[-1]
    assert last.startswith("rankmeter: unexpected error in rankmeter ")
    assert f": {type(error).__name__}: " in last
    assert "Hint: report the lines above" in last
    assert not Path("out.csv").exists()


NO = {
    "compare": [*GATE, "--fail-if", "RR < 2"],
    "reconcile": [*RECONCILE, "RR=0.3"],
    "online": ONLINE,
    "audit": ["audit", "printed.csv", "--strict"],
    "check": ["check", "--function", "own:wrong", "--as", "RR"],
}
"""A call of every kind whose answer is no."""


@pytest.mark.wings("online", "results", "conformance")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device that is always full")
@pytest.mark.parametrize("command", NO)
def test_an_answer_of_no_that_nobody_could_read_is_a_fault(command):
    Path("printed.csv").write_text("system,MRR\na,1.5\nb,0.5\n")
    Path("own.py").write_text("def wrong(relevances):\n    return 0.25\n")
    for place, code in (("/dev/null", FAILED), ("/dev/full", FAULT)):
        with Path(place).open("w") as out:
            words = [sys.executable, "-m", "rankmeter", *NO[command]]
            done = subprocess.run(words, stdout=out, stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == code, done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device that is always full")
@pytest.mark.parametrize("option", ["--junit", "--output", "--save"])
def test_a_failed_gate_is_not_1_where_the_result_cannot_be_written(option):
    result = CliRunner().invoke(app, [*GATE, "--fail-if", "RR < 2", option, "/dev/full"])
    assert result.exit_code == FAULT, result.stderr


@pytest.mark.parametrize(
    ("error", "cause", "code"),
    [
        (InputError.of("cli.interrupted"), None, WRONG),
        (InputError.of("cli.interrupted"), FileNotFoundError(errno.ENOENT, "no such file"), WRONG),
        (InputError.of("cli.interrupted"), OSError("not a gzip file"), WRONG),  # the content: it has no number
        (InputError.of("cli.interrupted"), OSError(errno.EIO, "Input/output error"), FAULT),
        (InputError.of("cli.interrupted"), MemoryError(), FAULT),
        (InputError.of("files.cannot_be_written", source="x", reason="y"), pl.exceptions.ComputeError("full"), FAULT),
        (InputError.of("files.cannot_be_written", source="x", reason="y"), OSError(errno.EROFS, "read-only"), WRONG),
        (MissingExtraError.of("general.not_installed", library="x", install="x"), ImportError("x"), WRONG),
        (ZeroDivisionError(), None, FAULT),
    ],
)
def test_whose_fault_an_error_is_is_seen_by_its_cause(error, cause, code):
    error.__cause__ = cause
    assert code_of(error) == code


def test_the_codes_are_distinct_and_documented_in_both_languages():
    codes = {"DONE": DONE, "FAILED": FAILED, "WRONG": WRONG, "FAULT": FAULT, "INTERRUPTED": INTERRUPTED,
             "PIPE_CLOSED": PIPE_CLOSED}  # fmt: skip
    assert {name: getattr(exit_codes, name) for name in exit_codes.__all__ if name.isupper()} == codes
    assert len(set(codes.values())) == len(codes)
    for page in ("compare-systems.md", "compare-systems.zh.md"):
        text = (ROOT / "docs" / "how-to" / page).read_text("utf-8")
        assert [int(code) for code in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)] == sorted(codes.values())
    for lang in ("en", "zh"):
        shown = CliRunner().invoke(app, ["--help", "--lang", lang]).stdout
        told = re.split("Exit codes: |退出码：", shown)[1].partition("\n\n")[0]
        assert [int(code) for code in re.findall(r"\b\d\b", re.sub(r"[^\d;；]", " ", told))] == [0, 1, 2, 3]


def test_no_command_has_a_code_of_its_own():
    for name in {*COMMANDS.values(), "rankmeter.cli.talk", "rankmeter.cli.application"}:
        text = (ROOT / "src" / f"{name.replace('.', '/')}.py").read_text("utf-8")
        assert not re.search(r"(?:return |exit\() ?[1-9]\b", text, re.IGNORECASE), name
