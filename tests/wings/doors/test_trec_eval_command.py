"""``rankmeter trec_eval`` as a command: its options, its help, what it refuses and with which exit code."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from rankmeter.cli.application import app
from rankmeter.wings.doors import trec_files

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


@pytest.mark.parametrize("short", [0, 1 << 17])
@pytest.mark.parametrize("score", ["9007199254740993", "-9007199254740993", "1700000000123456789"])
def test_whole_numbers_beyond_floats_are_rounded_as_the_program_does(
    score: str, short: int, files: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trec_files, "SHORT_BYTES", short)
    Path(files[1]).write_text(RUN.replace("3.0", score).replace("2.0", score))
    whole = call(capsys, *files)
    Path(files[1]).write_text(RUN.replace("3.0", f"{score}.0").replace("2.0", f"{score}.0"))
    assert whole == call(capsys, *files)
    assert whole[0] == 0


@pytest.mark.parametrize("piped", ["judgments", "run"])
@pytest.mark.parametrize("short", [0, 1 << 17])
def test_either_file_may_be_a_pipe(
    piped: str, short: int, files: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trec_files, "SHORT_BYTES", short)
    path = next(Path(one) for one in files if one.endswith(piped))
    content = path.read_bytes()
    path.unlink()
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(content,))
    writer.start()
    assert call(capsys, "-m", "map", *files) == (0, MAP, "")
    writer.join()


def test_a_grade_that_begins_with_a_point_is_0_in_long_files_too(
    tmp_path: Path, files: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "judgments").write_text(JUDGMENTS.replace("b 0", "b .5"))
    outputs = []
    for short in (0, 1 << 17):
        monkeypatch.setattr(trec_files, "SHORT_BYTES", short)
        outputs.append(call(capsys, "-m", "ndcg", *files)[:2])
    assert outputs == [(0, "ndcg                  \tall\t0.5000\n")] * 2


def test_scattered_queries_and_fractions_of_grades(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = RUN.splitlines()
    (tmp_path / "run").write_text("\n".join([lines[0], lines[2], lines[1]]))
    (tmp_path / "judgments").write_text(JUDGMENTS.replace("b 0", "b 0.9"))
    code, out, err = call(capsys, "-m", "map", str(tmp_path / "judgments"), str(tmp_path / "run"))
    assert (code, out) == (0, MAP)
    assert "a grade is not a plain number; read as trec_eval reads them: '0.9' as 0" in err


GROUPED = [
    ("prefs", "-m map", "q g s a 1\n", 4, "-m map: cannot be computed from judgments of -R prefs. Hint: -R qrels"),
    ("qrels_jg", "-m prefs", "q g a 1\n", 4, "Hint: -R prefs"),
    (
        "prefs",
        "-m prefs",
        "q 0 a 1\n",
        2,
        "4 fields where trec_eval expects 5 (query, group, subgroup, document, level)",
    ),
    ("qrels_jg", "-m qrels_jg", "q g a 1\nq h a 1\nq g a 0\n", 2, "group g judges an item twice"),
    ("qrels_jg", "-m qrels_jg", "q g a 999999999\n", 2, "grade 999999999"),
    ("prefs", "-m prefs", "q g s a 1\nq g s a 2\n", 4, "two levels"),
    ("prefs", "-m prefs", "q g s a 1\nq g t a 0\n", 4, "both level 0 and a level above 0"),
    ("prefs", "-m prefs", "q g s a 2\nq g s b 1\nq g t b 2\nq g t a 1\n", 4, "contradicts itself"),
    (
        "prefs",
        "-m prefs",
        "".join(f"q g {pair} {x} 2\nq g {pair} {y} 1\n" for pair in ("ab", "bc", "ca") for x, y in [pair]),
        4,
        "contradicts itself",
    ),
    ("prefs", "-m prefs_avgjg_Rnonrel", "q g s a 2\nq g s b 1\nq g s c -1\nq g s d -2\nq g s e -3\n", 4, "below 0"),
]


@pytest.mark.parametrize(("form", "measure", "judgments", "code", "said"), GROUPED)
@pytest.mark.parametrize("version", ["9", "10"])
def test_what_groups_and_preferences_cannot_say_is_refused(
    version: str, form: str, measure: str, judgments: str, code: int, said: str,
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    (tmp_path / "judgments").write_text(judgments)
    (tmp_path / "run").write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\n")
    options = ["--trec-eval-version", version, "-R", form, *measure.split()]
    found = call(capsys, *options, str(tmp_path / "judgments"), str(tmp_path / "run"))
    assert found[:2] == (code, "")
    assert said in found[2]
    assert "Traceback" not in found[2]


def test_what_follows_from_two_preferences_is_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "judgments").write_text("q g one a 2\nq g one b 1\nq g two b 2\nq g two c 1\n")
    (tmp_path / "run").write_text("q Q0 a 1 2 t\nq Q0 c 2 1 t\n")
    options = ["-R", "prefs", "-m", "prefs_num_prefs_poss", "-m", "prefs_num_prefs_ful_ret", "-m", "prefs_simp"]
    _, out, _ = call(capsys, *options, str(tmp_path / "judgments"), str(tmp_path / "run"))
    assert [line.split()[2] for line in out.splitlines()] == ["3", "1", "0.6667"]


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["-m", "mapp"], 1, "did you mean 'map'?"),
        (["-m", "prefs_simp"], 4, "-m prefs_simp: cannot be computed from judgments of -R qrels. Hint: -R prefs"),
        (["-m", "map."], 1, "parameters are missing"),
        (["-x"], 1, "unknown option -x"),
        (["-T", "other"], 2, "-T trec_results"),
        (["-R", "other"], 2, "-R qrels"),
        (["-m", "P.0"], 2, "a cutoff is below 1"),
        (["-m", "P.5,5"], 2, "a cutoff is given twice"),
        (["-m", "ndcg.10"], 2, "level=gain"),
        (["-m", "utility.1,2"], 4, "4 coefficients"),
        (["-m", "dcg", "-m", "ndcg.1=4"], 4, "trec_eval crashes"),
        (["-m", "rbp.1=-1"], 4, "a gain is negative"),
        (["-m", "ndcg.1=inf"], 4, "too large for trec_eval to put it in order"),
        (["-m", "iprec_at_recall.nan"], 2, "a point is too large to be a number of documents"),
        (["-m", "P.1,99999999999"], 2, "too far apart for trec_eval to sort them"),
        (["-M", "-1"], 4, "-M -1 is below 0"),
        (["--trec-eval-version", "8"], 1, "trec_eval 8 is not imitated"),
        (["--trec-eval-version", "9", "-m", "rbp"], 1, "--trec-eval-version 10"),
        (["-Z", "nowhere"], 255, "nowhere"),
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


def test_numbers_that_are_none_are_read_as_the_program_reads_them(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = call(capsys, "-l", "1st", "-m", "map", *files)
    assert (code, out) == (0, MAP)
    assert "-l takes a whole number, not '1st'; read as trec_eval reads it: 1" in err


def test_a_level_below_0_is_noted(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "-l", "-1", "-m", "P.2", *files)
    assert (code, out) == (0, "P_2                   \tall\t0.7500\n")
    assert "documents that nobody judged count as relevant" in err


def test_nothing_in_common_is_noted_where_the_program_counts_zeros(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path(files[1]).write_text(RUN.replace("q", "z"))
    code, out, err = call(capsys, "-c", "-m", "map", *files)
    assert (code, out) == (0, "map                   \tall\t0.0000\n")
    assert "no query in common" in err


@pytest.mark.parametrize(
    ("judgments", "run", "version", "code", "said"),
    [
        ("q0 0 a 1\n" + JUDGMENTS, RUN, "10", 4, "-c counts them as 0"),
        (JUDGMENTS, RUN.replace("q", "z"), "9", 7, "no query is both judged and in the run"),
        (JUDGMENTS, RUN.replace("q", "z"), "10", 4, "stops at the first, q1"),
        (JUDGMENTS, RUN + "q1 Q0 x 1 2.0 two\n", "10", 4, "twice"),
        (JUDGMENTS + "q1 0 a 1\n", RUN, "9", 4, "judges an item twice"),
        (JUDGMENTS, RUN.replace(" two", ""), "10", 2, "r:3: 5 fields where trec_eval expects at least 6"),
        (JUDGMENTS, RUN.replace("x 2", "x\0 2"), "10", 2, "r:2: NUL byte inside the line"),
        (JUDGMENTS, "", "10", 2, "is empty"),
        (RUN, JUDGMENTS, "10", 2, "Hint: judgments come first, then the run"),
        ("q1 0 a\n", RUN, "10", 2, "j:1: 3 fields where trec_eval expects 4"),
        (JUDGMENTS + "\n", RUN, "10", 2, "j:4: 0 fields"),
        (JUDGMENTS + "# end\n", RUN, "10", 2, "j:4: no judgment follows the comment"),
        ("# one\n# two\n" + JUDGMENTS, RUN, "10", 2, "j:2: 2 fields"),
        ("# one\n" + JUDGMENTS, RUN, "9", 2, "j:1: 2 fields"),
        ("\0\n", RUN, "9", 2, "contains no judgments"),
        ("q1 0 a -1\n", RUN, "9", 4, "every grade of query q1 is below 0"),
        (JUDGMENTS.replace("a 1", "a 100000000"), RUN, "10", 4, "grade 100000000 of query q1"),
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


def test_a_query_that_cannot_be_computed_comes_after_those_that_can(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path(files[1]).write_text(RUN + "q2 Q0 x 1 2.0 two\n")
    code, out, err = call(capsys, "-q", "-m", "map", *files)
    assert (code, out) == (4, "map                   \tq1\t1.0000\n")
    assert "twice for the same query: x in query q2" in err


def test_files_that_cannot_be_read(tmp_path: Path, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for paths in ([str(tmp_path), files[1]], [files[0], str(tmp_path)], [files[0], "nowhere"], ["nowhere", files[1]]):
        code, out, err = call(capsys, *paths)
        assert (code, out) == (2, "")
        assert "is a directory" in err or "file not found: nowhere" in err


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "-h", "-m", "map", "-m", "relstring")
    assert code == 0
    assert "--trec-eval-version" in out
    assert "map: rankmeter's AP" in out
    assert "relstring: text" in out
    assert call(capsys, "--trec-eval-version", "9", "-v", "-m", "nosuch")[2].startswith("trec_eval version 9.0.8")
    assert call(capsys, "-m", "nosuch", "-v")[0] == 1


def test_what_is_of_all_queries_only_has_no_line_for_each(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "-q", "-m", "num_q", *files) == (0, "num_q                 \tall\t2\n", "")
    assert call(capsys, "-q", "-n", "-m", "num_q", "-m", "runid", *files) == (0, "", "")


def test_no_option_is_hinted_at_that_the_program_lacks(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path(files[1]).write_text(RUN + "q1 Q0 a 1 3.0 one\n")
    code, out, err = call(capsys, *files)
    assert (code, out) == (4, "")
    assert "twice" in err
    assert "duplicates=" not in err


def test_a_process_ends_only_when_everything_is_printed(tmp_path: Path) -> None:
    queries = range(400)
    (tmp_path / "j").write_text("".join(f"q{n} 0 d{n} 1\n" for n in queries))
    (tmp_path / "r").write_text("".join(f"q{n} Q0 d{m} 1 {m}.5 t\n" for n in queries for m in range(n, n + 3)))
    words = [
        sys.executable,
        "-m",
        "rankmeter",
        "trec_eval",
        "-q",
        "-n",
        "-m",
        "all_trec",
        *map(str, tmp_path.iterdir()),
    ]
    words[-2:] = sorted(words[-2:])
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) % len(queries) == 0
    assert done.stdout.endswith("\n")
    assert {line.split("\t")[1] for line in lines} == {f"q{n}" for n in queries}
    failed = subprocess.run([*words[:-1], str(tmp_path / "absent")], capture_output=True, text=True, check=False)
    assert (failed.returncode, failed.stdout) == (2, "")
    assert "absent" in failed.stderr


@pytest.mark.parametrize(
    "options", [["-m", "map"], ["-q", "-m", "set"], ["-l", "1x", "-m", "map"], ["-m", "no"], ["-h"]]
)
def test_the_command_line_is_read_alike_with_and_without_click(options: list[str], files: list[str]) -> None:
    words = [sys.executable, "-X", "importtime", "-m", "rankmeter", "trec_eval"]
    done = [
        subprocess.run([*words, *click, *options, *files], capture_output=True, text=True, check=False)
        for click in ([], ["--lang", "en"])
    ]
    loaded = [" click" in one.stderr for one in done]
    assert loaded == [options == ["-h"], True]
    plain, clicked = (
        (one.returncode, one.stdout, [line for line in one.stderr.splitlines() if not line.startswith("import time:")])
        for one in done
    )
    assert plain == clicked


def test_a_closed_pipe_and_a_full_disk_end_the_command_quietly_or_in_a_sentence(files: list[str]) -> None:
    words = [sys.executable, "-m", "rankmeter", "trec_eval", *files]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(words, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")
    if Path("/dev/full").exists():
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert (done.returncode, done.stderr) == (3, "rankmeter: standard output: No space left on device.\n")
