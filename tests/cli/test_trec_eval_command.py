"""``rankmeter trec_eval`` as a command: its options, its help, what it refuses and with which exit code."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from rankmeter.cli.application import app

JUDGMENTS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 1\n"
RUN = "q1 Q0 a 1 3.0 one\nq1 Q0 x 2 2.0 one\nq2 Q0 x 1 2.0 two\n"
MAP = "map                   \tall\t0.5000\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "judgments").write_text(JUDGMENTS)
    (tmp_path / "run").write_text(RUN)
    return [str(tmp_path / "judgments"), str(tmp_path / "run")]


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        app.main(["trec_eval", *arguments])
    said = capsys.readouterr()
    return int(stopped.value.code or 0), said.out, said.err


@pytest.mark.parametrize(
    "options", [["-m", "map"], ["-mmap"], ["--measure", "map"], ["--measure=map"], ["-o", "-m", "map"]]
)
def test_options_are_spelled_as_getopt_takes_them(
    options: list[str], files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(capsys, *options, *files) == (0, MAP, "")


def test_options_may_stand_behind_the_files(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, *files, "-m", "map") == (0, MAP, "")


def test_only_one_query(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "-D0.q1", "-m", "map", *files)[1] == "map                   \tall\t1.0000\n"


def test_the_run_may_be_standard_input(
    files: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RUN.encode())))
    code, out, _ = call(capsys, "-m", "runid", files[0], "-")
    assert (code, out) == (0, "runid                 \tall\ttwo\n")


def test_scattered_queries_and_fractions_of_grades(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = RUN.splitlines()
    (tmp_path / "run").write_text("\n".join([lines[0], lines[2], lines[1]]))
    (tmp_path / "judgments").write_text(JUDGMENTS.replace("b 0", "b 0.9"))
    assert call(capsys, "-m", "map", str(tmp_path / "judgments"), str(tmp_path / "run")) == (0, MAP, "")


@pytest.mark.parametrize("form", ["prefs", "qrels_prefs", "qrels_jg"])
def test_preferences_are_refused_with_the_reason(
    form: str, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = call(capsys, "-R", form, *files)
    assert (code, out) == (2, "")
    assert "another kind of truth than grades" in err


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["-m", "mapp"], 1, "did you mean 'map'?"),
        (["-m", "prefs_simp"], 1, "no measure of them"),
        (["-m", "map."], 1, "parameters are missing"),
        (["-x"], 1, "option -x not recognized"),
        (["-l", "two"], 1, "-l takes a whole number"),
        (["-l", "-1"], 1, "-l is below 0"),
        (["-T", "other"], 2, "-T trec_results"),
        (["-R", "other"], 2, "-R qrels"),
        (["-m", "P.0"], 2, "a cutoff is below 1"),
        (["-m", "P.5,5"], 2, "a cutoff stands twice"),
        (["-m", "ndcg.10"], 2, "level=gain"),
        (["-m", "utility.1,2"], 2, "4 coefficients"),
        (["--trec-eval-version", "8"], 1, "trec_eval 8 is not imitated"),
        (["--trec-eval-version", "9", "-m", "rbp"], 1, "--trec-eval-version 10"),
        (["-Z", "nowhere"], 2, "nowhere"),
        (["nothing"], 1, "two files are needed, 3 were given"),
    ],
)
def test_wrong_use_has_a_sentence_and_the_programs_exit_code(
    options: list[str], code: int, said: str, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    found = call(capsys, *options, *files)
    assert found[:2] == (code, "")
    assert said in found[2]
    assert "Traceback" not in found[2]


@pytest.mark.parametrize(
    ("judgments", "run", "version", "code", "said"),
    [
        (JUDGMENTS + "q3 0 a 1\n", RUN, "10", 4, "-c counts them as 0"),
        (JUDGMENTS, RUN.replace("q", "z"), "9", 7, "no query in common"),
        (JUDGMENTS, RUN.replace("q", "z"), "10", 4, "no query in common"),
        (JUDGMENTS, RUN + "q2 Q0 x 1 2.0 two\n", "10", 4, "twice"),
        (JUDGMENTS, RUN.replace("3.0", "high"), "10", 2, "'high' is not a number"),
        (JUDGMENTS, RUN.replace(" two", ""), "10", 2, "no tag"),
        (JUDGMENTS, "", "10", 2, "is empty"),
        ("q1 0 a\n", RUN, "10", 2, "fields"),
    ],
)
def test_bad_files_have_a_sentence_and_print_nothing(
    judgments: str, run: str, version: str, code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "j").write_text(judgments)
    (tmp_path / "r").write_text(run)
    found = call(capsys, "-q", "--trec-eval-version", version, str(tmp_path / "j"), str(tmp_path / "r"))
    assert found[:2] == (code, "")
    assert said in found[2]


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "-h", "-m", "map", "-m", "relstring")
    assert code == 0
    assert "--trec-eval-version" in out
    assert "map: rankmeter's AP" in out
    assert "relstring: text" in out
    assert call(capsys, "--trec-eval-version", "9", "-v")[2].startswith("trec_eval version 9.0.8")


def test_what_is_of_all_queries_only_has_no_line_for_each(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "-q", "-m", "num_q", *files) == (0, "num_q                 \tall\t2\n", "")
    assert call(capsys, "-q", "-n", "-m", "num_q", "-m", "runid", *files) == (0, "", "")


def test_no_option_is_hinted_at_that_the_program_lacks(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path(files[1]).write_text(RUN + "q1 Q0 a 1 3.0 one\n")
    code, out, err = call(capsys, *files)
    assert (code, out) == (4, "")
    assert "twice" in err
    assert "duplicates=" not in err
