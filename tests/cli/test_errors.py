"""Bad input is a sentence on standard error and exit 2: no traceback, no number, no half-written file."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankmeter.cli import app

JUDGMENTS = "q1 0 a 1\nq2 0 b 1\n"
RUN = "q1 Q0 a 1 2.0 t\nq2 Q0 b 1 1.0 t\n"
SOURCE = Path(__file__).parents[2] / "src"
Bad = Callable[[], list[str]]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("j.qrels").write_text(JUDGMENTS)
    Path("r.run").write_text(RUN)
    return tmp_path


def bad_run(content: bytes) -> Bad:
    def make() -> list[str]:
        Path("bad").write_bytes(content)
        return ["j.qrels", "bad"]

    return make


def bad_judgments(content: bytes) -> Bad:
    def make() -> list[str]:
        Path("bad").write_bytes(content)
        return ["bad", "r.run"]

    return make


# Half of a compressed file whose lines do not compress away.
TRUNCATED = gzip.compress("".join(f"q{n} Q0 d{n * 7919} 1 {n / 7} t\n" for n in range(5000)).encode())[:9000]

CASES: dict[str, tuple[Bad, str]] = {
    "missing file": (lambda: ["j.qrels", "r.rum"], "file not found: r.rum. Hint: did you mean 'r.run'?"),
    "a directory of judgments": (lambda: ["j.qrels", ".", "--output", "/dev/null"], "j.qrels looks like judgments"),
    "a directory that holds the output": (lambda: ["j.qrels", "."], "out.txt is read as input"),
    "empty run": (bad_run(b""), "bad is empty"),
    "empty judgments": (bad_judgments(b""), "bad is empty"),
    "binary": (bad_run(bytes(range(256)) * 40), "bad"),
    "truncated gz": (bad_run(TRUNCATED), "damaged or cut short"),
    "too few fields": (bad_run(RUN.encode() + b"q2 Q0 c 1\n"), "bad:3"),
    "score not a number": (bad_run(b"q1 Q0 a 1 abc t\n"), "'abc' is not a number"),
    "score NaN": (bad_run(b"q1 Q0 a 1 nan t\n"), "nan"),
    "grade not a number": (bad_judgments(b"q1 0 a good\n"), "'good' is not"),
    "item twice in a list": (bad_run(b"q1 Q0 a 1 2 t\nq1 Q0 a 2 1 t\n"), "twice"),
    "item judged twice": (bad_judgments(b"q1 0 a 1\nq1 0 a 0\n"), "twice"),
    "no query in common": (bad_run(b"x1 Q0 a 1 2 t\n"), "no query"),
    "swapped": (lambda: ["r.run", "j.qrels"], "judgments come first"),
    "misspelt measure": (lambda: ["j.qrels", "r.run", "-m", "nDGC@10"], "Hint: did you mean 'nDCG'?"),
    "cutoff 0": (lambda: ["j.qrels", "r.run", "-m", "P@0"], "cutoff=0 is not possible"),
    "a measure that is none": (lambda: ["j.qrels", "r.run", "-m", "@10"], "is not a measure"),
    "unknown run format": (lambda: ["j.qrels", "r.run", "--run-format", "xls"], "unknown format 'xls'"),
    "unknown output format": (lambda: ["j.qrels", "r.run", "--format", "xls"], "'xls'"),
    "unknown option": (lambda: ["j.qrels", "r.run", "--measur", "AP"], "--measur"),
    "too many digits": (lambda: ["j.qrels", "r.run", "--digits", "99"], "99"),
    "output in no directory": (lambda: ["j.qrels", "r.run", "--output", "no/out"], "the directory no does not exist"),
    "output is a directory": (lambda: ["j.qrels", "r.run", "--output", "."], "it is a directory"),
    "save in no directory": (lambda: ["j.qrels", "r.run", "--save", "no/out"], "the directory no does not exist"),
    "columns that are none": (lambda: ["j.qrels", "r.run", "--columns", "itm=x"], "did you mean 'item'?"),
    "output over the run": (lambda: ["j.qrels", "r.run", "--output", "./r.run"], "r.run is read as input"),
    "output over the judgments": (lambda: ["j.qrels", "r.run", "--output", "j.qrels"], "j.qrels is read as input"),
    "save over the run": (lambda: ["j.qrels", "r.run", "--save", "{run}.run"], "r.run is read as input"),
    "save and output to one place": (lambda: ["j.qrels", "r.run", "--save", "out.txt"], "out.txt is written by --save"),
    "an empty path": (lambda: ["j.qrels", ""], "an empty path was given"),
    "no run": (lambda: ["j.qrels"], "no run was given"),
    "nothing at all": (list, "neither judgments nor a run was given"),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input_is_one_sentence_and_exit_2(case: str) -> None:
    make, said = CASES[case]
    Path("out.txt").write_text("kept")
    args = make()
    result = CliRunner().invoke(app, ["evaluate", *args, *([] if "--output" in args else ["--output", "out.txt"])])
    assert result.exit_code == 2, result.stderr
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert result.stderr.startswith("rankmeter: ")
    assert said in result.stderr
    assert "Traceback" not in result.stderr
    assert Path("out.txt").read_text() == "kept"
    assert not list(Path().glob(".rankmeter-*"))


@pytest.fixture
def without_rights(tmp_path: Path) -> Iterator[None]:
    """Root may write everywhere: for a while the process is somebody else."""
    Path("locked").mkdir(mode=0o555)
    if os.geteuid():
        yield
        return
    assert CliRunner().invoke(app, ["evaluate", "j.qrels", "r.run", "--output", "out"]).exit_code == 0  # all is loaded
    tmp_path.chmod(0o755)
    os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


@pytest.mark.posix
@pytest.mark.usefixtures("without_rights")
def test_a_folder_without_permission_is_said_before_anything_is_evaluated() -> None:
    result = CliRunner().invoke(app, ["evaluate", "j.qrels", "r.run", "--output", "locked/out"])
    assert result.exit_code == 2
    assert "locked is not writable" in result.stderr


def test_an_unknown_command_is_corrected() -> None:
    result = CliRunner().invoke(app, ["evalute"])
    assert result.exit_code == 2
    assert result.stderr == "rankmeter: unknown command 'evalute'. Hint: did you mean 'evaluate'?\n"


def test_no_command_is_wrong_use_and_shows_the_help() -> None:
    result = CliRunner().invoke(app, [])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Measure:" in result.stderr


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (MemoryError(), 3, "not enough memory"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (PermissionError(13, "Permission denied", "x.run"), 2, "x.run: Permission denied"),
        (OSError(5, "Input/output error", "x.run"), 3, "x.run: Input/output error"),
    ],
)
def test_what_the_machine_does_to_us_is_a_sentence_too(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, said: str
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("rankmeter.cli.evaluate.evaluate_files", fail)
    result = CliRunner().invoke(app, ["evaluate", "j.qrels", "r.run"])
    assert result.exit_code == code
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_warnings_are_notes_and_are_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import warnings

    from rankmeter.cli import evaluate
    from rankmeter.errors import RankmeterWarning

    real = evaluate.evaluate_files

    def warn(*args: object) -> object:
        for _ in range(2):
            warnings.warn("ids are compared as text", RankmeterWarning, stacklevel=1)
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(evaluate, "evaluate_files", warn)
    result = CliRunner().invoke(app, ["evaluate", "j.qrels", "r.run"])
    assert result.exit_code == 0
    assert result.stderr.count("rankmeter: note: ids are compared as text\n") == 1


def test_quiet_says_no_note() -> None:
    Path("r.json").write_text('[{"query": 1, "item": "a", "score": 1}]')
    Path("j.json").write_text('{"1": {"a": 1}}')
    assert "rankmeter: note: " in CliRunner().invoke(app, ["evaluate", "j.json", "r.json"]).stderr
    for command in ("evaluate", "pool", "compare"):
        result = CliRunner().invoke(app, [command, "j.json", "r.json", *["r.json"][: command == "compare"], "-q"])
        assert (result.exit_code, result.stderr) == (0, ""), command


@pytest.mark.parametrize("command", ["pool", "compare"])
def test_no_command_writes_over_its_input(command: str) -> None:
    Path("s.run").write_text(RUN)
    result = CliRunner().invoke(app, [command, "j.qrels", "r.run", "s.run", "--output", "s.run"])
    assert result.exit_code == 2
    assert "s.run is read as input" in result.stderr
    assert Path("s.run").read_text() == RUN


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device that is always full")
@pytest.mark.parametrize("option", ["--output", "--save"])
def test_a_full_disk_is_said_with_the_name_of_the_file(option: str) -> None:
    result = CliRunner().invoke(app, ["evaluate", "j.qrels", "r.run", option, "/dev/full"])
    assert result.exit_code == 3
    assert "rankmeter: /dev/full cannot be written: " in result.stderr
    assert "No space left" in result.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device that is always full")
def test_a_full_disk_behind_standard_output_is_said_too() -> None:
    args = [sys.executable, "-m", "rankmeter", "evaluate", "j.qrels", "r.run", "-q"]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(args, stdout=full, stderr=subprocess.PIPE, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (3, "rankmeter: standard output: No space left on device.\n")


def process(*args: str, **extra: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    return subprocess.run(
        [sys.executable, "-m", "rankmeter", *args],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        **extra,
    )  # type: ignore[call-overload,no-any-return]


def test_a_real_process_keeps_data_and_talk_apart() -> None:
    done = process("evaluate", "j.qrels", "r.run", "-m", "RR")
    assert (done.returncode, done.stdout) == (0, "run      RR\nr    1.0000\n")
    assert "2 judged queries" in done.stderr


def test_a_real_process_fails_with_2_and_a_sentence() -> None:
    done = process("evaluate", "j.qrels", "missing.run")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("rankmeter: file not found: missing.run.")


def test_a_closed_pipe_is_silent() -> None:
    # Whoever reads has gone before a line is written, as `head` soon does.
    reading, writing = os.pipe()
    os.close(reading)
    args = [sys.executable, "-m", "rankmeter", "evaluate", "j.qrels", "r.run", "-q"]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(args, stdout=writing, stderr=subprocess.PIPE, text=True, env=environment, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


def test_evaluating_short_files_loads_no_library_that_it_does_not_need() -> None:
    code = (
        "import sys\nfrom rankmeter.cli import app\n"
        "try:\n    app.main(['evaluate', 'j.qrels', 'r.run'])\nexcept SystemExit as end:\n    assert end.code == 0\n"
        "print(sorted({'polars', 'scipy', 'rich', 'pandas', 'torch', 'jinja2', 'vl_convert'} & set(sys.modules)))"
    )
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_on_a_terminal_the_best_is_bold() -> None:
    import pty

    poor = "a-name-that-is-far-too-long-for-so-narrow-a-terminal"
    Path(f"{poor}.run").write_text("q1 Q0 x 1 2.0 t\nq1 Q0 a 2 1.0 t\n")
    parent, child = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "TERM": "xterm-256color", "COLUMNS": "40"}
    args = [sys.executable, "-m", "rankmeter", "evaluate", "j.qrels", "r.run", f"{poor}.run", "-m", "RR", "-q"]
    done = subprocess.run(args, stdout=child, stderr=subprocess.PIPE, env=environment, check=False)
    os.close(child)
    shown = os.read(parent, 100_000).decode()
    os.close(parent)
    assert done.returncode == 0
    assert "\x1b[1m1.0000\x1b[0m" in shown
    # A name is shortened in the middle, a number never.
    assert all(len(line) <= 40 for line in re.sub(r"\x1b\[[\d;]*m", "", shown).splitlines())
    assert re.search(r"a-name-that.*….*terminal +0\.2500", shown)
    assert "\x1b[1m0.2500" not in shown
