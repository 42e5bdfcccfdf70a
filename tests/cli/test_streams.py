"""Closed and full standard streams: files are written, gates are judged, what was to be printed and was not is said."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
EVALUATE = "evaluate j.qrels good.run -m RR"
COMPARE = "compare j.qrels good.run poor.run -m RR --permutations 100 --resamples 100"

pytestmark = [pytest.mark.posix, pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "j.qrels").write_text("q1 0 a 1\nq2 0 b 1\n")
    (tmp_path / "good.run").write_text("q1 Q0 a 1 2.0 t\nq2 Q0 b 1 1.0 t\n")
    (tmp_path / "poor.run").write_text("q1 Q0 x 1 2.0 t\nq1 Q0 a 1 1.0 t\nq2 Q0 b 1 1.0 t\n")
    return tmp_path


def ended(folder: Path, words: str, streams: str) -> subprocess.CompletedProcess[str]:
    """How a command ends whose streams the shell has redirected."""
    line = f"exec {shlex.quote(sys.executable)} -m rankmeter {words} {streams}"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    return subprocess.run(["sh", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("streams", ["2>/dev/full", "2>&- <&-"])
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (EVALUATE, 0), (f"{COMPARE} --fail-if 'RR < 2'", 1), ("evaluate j.qrels missing.run", 2), ("", 2),
        ("trec_eval j.qrels", 1),
    ],
)  # fmt: skip
def test_a_lost_standard_error_changes_neither_the_code_nor_the_data(
    words: str, code: int, streams: str, folder: Path
) -> None:
    heard, lost = ended(folder, words, ""), ended(folder, words, streams)
    assert heard.returncode == lost.returncode == code, heard.stderr
    assert heard.stdout == lost.stdout
    assert lost.stderr == ""


@pytest.mark.parametrize(
    ("words", "streams"),
    [
        (EVALUATE, ">&-"), (f"{EVALUATE} --format json", ">/dev/full"), (f"{COMPARE} --fail-if 'RR < 2'", ">&- <&-"),
        ("--help", ">&-"), ("evaluate --help", ">/dev/full"), ("measures", ">&-"),
        ("trec_eval j.qrels good.run", ">&-"), ("trec_eval --help", ">/dev/full"),
    ],
)  # fmt: skip
def test_what_cannot_be_printed_is_a_fault_of_the_system(words: str, streams: str, folder: Path) -> None:
    done = ended(folder, words, streams)
    reason = "No space left on device" if "full" in streams else "Bad file descriptor"
    assert done.returncode == 3
    assert done.stderr.endswith(f"rankmeter: standard output: {reason}.\n")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "streams"),
    [(EVALUATE, "2>&-"), (EVALUATE, ">/dev/full 2>/dev/full"), (EVALUATE, "<&- >&- 2>&-"), (COMPARE, ">&-")],
)
def test_files_are_written_whatever_the_streams_are(words: str, streams: str, folder: Path) -> None:
    files = "--output out.csv --save {run}.saved" if words == EVALUATE else "--output out.csv --save all.saved"
    assert ended(folder, f"{words} {files}", "").returncode == 0
    before = {path: path.read_bytes() for path in folder.iterdir()}
    for path in set(before) - {folder / "j.qrels", folder / "good.run", folder / "poor.run"}:
        path.unlink()
    assert ended(folder, f"{words} {files}", streams).returncode == 0
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_a_reader_of_standard_error_who_leaves_changes_nothing(folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    words = [sys.executable, "-m", "rankmeter", *EVALUATE.split()]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=writing, check=False)
    os.close(writing)
    assert (done.returncode, b"1.0000" in done.stdout) == (0, True)


def test_output_to_the_descriptor_of_a_file_is_added_to_it(folder: Path) -> None:
    (folder / "log").write_text("kept\n")
    for place in ("/dev/stdout", "/dev/fd/1", "-q"):  # the last prints
        option = place if place == "-q" else f"-q --output {place}"
        assert ended(folder, f"{EVALUATE} {option}", ">> log").returncode == 0
    assert (folder / "log").read_text() == "kept\n" + "run       RR\ngood  1.0000\n" * 3
