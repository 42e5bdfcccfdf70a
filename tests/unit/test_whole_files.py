"""Every file that rankmeter writes: whole or not at all, its mode and links kept, no input overwritten."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import rankmeter as rm
from rankmeter import demo
from rankmeter.errors import InputError
from rankmeter.whole_files import check_apart, whole_file, write_text

TRUTH = {f"q{number}": {"a": 1, "b": 2} for number in range(40)}
RUN = {query: {"a": 2.0, "b": 1.0} for query in TRUTH}
OTHER = {query: {"a": 1.0, "b": 2.0} for query in TRUTH}


def _compared() -> rm.Comparison:
    return rm.compare(TRUTH, {"a": RUN, "b": OTHER}, ["RR"], permutations=100, resamples=100)


def _to_file(path: Path) -> None:
    run = path.parent / "input.run"
    write_text(run, "".join(f"{query} Q0 a 1 1 t\n" for query in TRUTH))
    try:
        rm.evaluate(TRUTH, run, ["RR"], per_query_to=path)
    finally:
        run.unlink()


WRITERS: dict[str, Callable[[Path], object]] = {
    "evaluation": lambda path: rm.evaluate(TRUTH, RUN, ["RR"]).save(path),
    "comparison": lambda path: _compared().save(path),
    "report": lambda path: _compared().report(path),
    "per_query_to": _to_file,
    "per_query_to from memory": lambda path: rm.evaluate(TRUTH, RUN, ["RR"], per_query_to=path),
    "text": lambda path: write_text(path, "x" * 5000),
}


@pytest.fixture
def place(tmp_path) -> Path:
    folder = tmp_path / "place"
    folder.mkdir()
    (folder / "out").write_text("kept")
    return folder / "out"


@pytest.mark.posix
@pytest.mark.parametrize("writer", WRITERS)
def test_a_full_disk_keeps_the_old_file_and_leaves_nothing_behind(writer, place) -> None:
    import resource  # which Windows does not have

    write = WRITERS[writer]
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    limit = 1500 if writer == "per_query_to" else 300  # the run that is read is written first
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        with pytest.raises(InputError, match="out cannot be written: "):
            write(place)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert place.read_text() == "kept"
    assert [path.name for path in place.parent.iterdir()] == ["out"]


@pytest.mark.posix
@pytest.mark.parametrize("writer", WRITERS)
def test_a_link_stays_a_link_and_a_mode_stays_a_mode(writer, place) -> None:
    place.chmod(0o604)
    link = place.parent / "link"
    link.symlink_to("out")
    WRITERS[writer](link)
    assert link.is_symlink()
    assert place.stat().st_mode & 0o777 == 0o604
    assert place.read_bytes() != b"kept"
    assert sorted(path.name for path in place.parent.iterdir()) == ["link", "out"]


@pytest.mark.parametrize("links", [["loop"], ["loop", "other"]], ids=["one link", "two links"])
@pytest.mark.parametrize("writer", WRITERS)
def test_links_that_lead_in_a_circle_are_said(writer, links, place) -> None:
    for link, target in zip(links, [*links[1:], links[0]], strict=True):
        (place.parent / link).symlink_to(target)
    with pytest.raises(InputError) as caught:
        WRITERS[writer](place.parent / "loop")
    assert caught.value.problem.kind == "files.circle_of_links"
    assert sorted(path.name for path in place.parent.iterdir()) == sorted(["out", *links])


def test_links_that_lead_in_a_circle_are_neither_input_nor_written_twice(place) -> None:
    loop = place.parent / "loop"
    loop.symlink_to(loop)
    check_apart({"--output": loop, "--save": place}, [str(place.parent / "missing")])
    with pytest.raises(InputError, match="would overwrite"):
        check_apart({"--output": loop, "--save": loop}, [])


def test_a_new_file_has_the_mode_that_the_umask_gives(place) -> None:
    before = os.umask(0o027)
    try:
        write_text(place.parent / "new", "x")
    finally:
        os.umask(before)
    assert (place.parent / "new").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ValueError])
def test_whatever_ends_the_writing_leaves_the_old_file(error, place) -> None:
    def write() -> None:
        with whole_file(place) as made:
            made.write_text("half")
            raise error

    with pytest.raises(error):
        write()
    assert place.read_text() == "kept"
    assert [path.name for path in place.parent.iterdir()] == ["out"]


def _other_spellings(file: Path) -> dict[str, Path]:
    (file.parent / "soft").symlink_to(file.name)
    (file.parent / "hard").hardlink_to(file)
    (file.parent / "folder").mkdir()
    return {
        "itself": file,
        "dots": file.parent / "folder" / ".." / file.name,
        "a soft link": file.parent / "soft",
        "a hard link": file.parent / "hard",
    }


@pytest.mark.parametrize("read", ["{}", "{}*", "{folder}", "{folder}/o?t", "{folder}/**"])
@pytest.mark.parametrize("spelling", ["itself", "dots", "a soft link", "a hard link"])
def test_an_input_is_not_overwritten_however_either_is_spelled(read, spelling, place) -> None:
    spelled = _other_spellings(place)[spelling]
    given = read.format(place, folder=place.parent)
    with pytest.raises(InputError, match=r"--output .* would overwrite a file: .* is read as input"):
        check_apart({"--output": spelled}, [given])


def test_places_that_nobody_reads_may_be_written(place) -> None:
    check_apart({"--output": place.parent / "new", "--report": Path(os.devnull)}, [str(place), "-", "", "x" * 9000])


@pytest.mark.posix
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_command_that_is_ended_leaves_no_temporary_file(name, tmp_path) -> None:
    """The run comes through a pipe that never ends, so that the command is in the middle of its work."""
    demo.write_data(tmp_path)
    (tmp_path / "out").mkdir()
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    pipe = tmp_path / "pipe.run"
    os.mkfifo(pipe)
    source = str(Path(rm.__file__).parent.parent)
    ended = subprocess.Popen(
        [sys.executable, "-m", "rankmeter", "evaluate", tmp_path / "judgments.qrels", pipe, "--per-query", "--output",
         tmp_path / "out" / "values.parquet"],
        env={**os.environ, "PYTHONPATH": source, "TMPDIR": str(scratch)}, stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(getattr(signal, name), signal.SIG_DFL),  # noqa: PLW1509 (nohup ignores SIGHUP)
    )  # fmt: skip
    with pipe.open("w") as writing:
        writing.write("q001 Q0 a 1 1 t\n")
        writing.flush()
        time.sleep(0.5)
        ended.send_signal(getattr(signal, name))
        ended.wait(30)
    assert ended.returncode == 128 + getattr(signal, name)
    assert list((tmp_path / "out").iterdir()) == []
    assert list(scratch.iterdir()) == []


def test_the_demo_does_not_write_over_files_of_others(tmp_path) -> None:
    (tmp_path / "items.csv").write_text("mine")
    with pytest.raises(InputError, match=r"items\.csv already exists, with different content"):
        demo.write_data(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["items.csv"]
    (tmp_path / "items.csv").unlink()
    assert demo.write_data(tmp_path) == demo.write_data(tmp_path)


def _report(path: object) -> None:
    _compared().report(path)  # type: ignore[arg-type]


_NO_PLACES: dict[str, object] = {"too long": "b" * 300, "inside too long": f"{'b' * 300}/x", "NUL": "b\0", "None": None}
_SAVED = {
    "save an evaluation": lambda path: rm.evaluate(TRUTH, RUN, ["RR"]).save(path),
    "load an evaluation": rm.Evaluation.load,
    "save a comparison": lambda path: _compared().save(path),
    "load a comparison": rm.Comparison.load,
    "report": _report,
    "values per query": lambda path: rm.evaluate(TRUTH, RUN, ["RR"], per_query_to=path or 3),
    "slices": lambda path: rm.evaluate(TRUTH, RUN, ["RR"], by=path or 3),
}


@pytest.mark.parametrize("what", _SAVED)
@pytest.mark.parametrize("place", _NO_PLACES)
def test_what_can_be_no_place_of_a_file_is_refused_in_a_sentence(what: str, place: str) -> None:
    with pytest.raises((InputError, rm.NotFoundError)) as refused:
        _SAVED[what](_NO_PLACES[place])
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("load", [rm.Evaluation.load, rm.Comparison.load])
def test_a_folder_is_not_a_saved_result(load: Callable[[Path], object], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a directory; expected one file"):
        load(tmp_path)


def _printed(code: str, tmp_path: Path, **streams: object) -> subprocess.CompletedProcess[bytes]:
    """What a process does whose streams lead elsewhere."""
    source = str(Path(rm.__file__).parent.parent)
    preamble = "import sys\nfrom rankmeter.whole_files import append_text, write_text\n"
    return subprocess.run(
        [sys.executable, "-c", preamble + code], cwd=tmp_path, env={**os.environ, "PYTHONPATH": source}, check=False,
        **{"stderr": subprocess.PIPE, **streams},
    )  # type: ignore[call-overload,no-any-return]  # fmt: skip


@pytest.mark.posix
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
@pytest.mark.parametrize("write", ["write_text", "append_text"])
def test_what_is_written_to_a_descriptor_goes_where_it_leads(name: str, write: str, tmp_path: Path) -> None:
    if not os.path.lexists(name) and name != "link":
        pytest.skip(f"this system has no {name}")
    (tmp_path / "link").symlink_to("/dev/stdout")
    (tmp_path / "log").write_text("kept\n")
    code = f"print('before')\n{write}({name!r}, 'written\\n')\nprint('after')"
    for mode, begins in (("a", "kept\n"), ("w", "")):
        with (tmp_path / "log").open(mode) as log:
            done = _printed(code, tmp_path, stdout=log)
        assert (done.returncode, done.stderr) == (0, b"")
        assert (tmp_path / "log").read_text() == f"{begins}before\nwritten\nafter\n"
    piped = _printed(code, tmp_path, stdout=subprocess.PIPE)
    assert piped.stdout == b"before\nwritten\nafter\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "log"]


@pytest.mark.posix
def test_a_descriptor_of_any_number_is_written_to_and_a_closed_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("kept\n")
    with (tmp_path / "log").open("a") as log:
        code = f"write_text('/dev/fd/{log.fileno()}', 'written\\n')"
        assert _printed(code, tmp_path, pass_fds=[log.fileno()]).returncode == 0
    assert (tmp_path / "log").read_text() == "kept\nwritten\n"
    with (tmp_path / "log").open() as only_read:
        for number in (77, 0):
            done = _printed(f"write_text('/dev/fd/{number}', 'written\\n')", tmp_path, stdin=only_read)
            assert f"/dev/fd/{number} cannot be written: Bad file descriptor".encode() in done.stderr
    assert (tmp_path / "log").read_text() == "kept\nwritten\n"


@pytest.mark.posix
@pytest.mark.parametrize("writer", WRITERS)
def test_pipes_and_devices_are_written_to_and_stay(writer: str, tmp_path: Path) -> None:
    import threading

    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reading = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reading.start()
    WRITERS[writer](pipe)
    reading.join()
    plain = tmp_path / "plain"
    WRITERS[writer](plain)
    assert len(got[0]) == len(plain.read_bytes()) > 0
    assert pipe.is_fifo()
    before = set(Path("/dev").iterdir())
    WRITERS[writer](Path(os.devnull))
    assert Path(os.devnull).is_char_device()
    assert not [path for path in set(Path("/dev").iterdir()) - before if path.suffix == ".parquet"]


@pytest.mark.posix
def test_a_link_is_written_where_its_target_stands_and_a_missing_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "to").symlink_to("missing/file")
    with pytest.raises(InputError, match=r"the directory .*missing does not exist"):
        write_text(tmp_path / "to", "x")
    (tmp_path / "missing").mkdir()
    write_text(tmp_path / "to", "x")
    assert (tmp_path / "missing" / "file").read_text() == "x"


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("refusals", [2, 99])
def test_a_file_that_is_open_elsewhere_is_tried_again_then_said(
    writer: str, refusals: int, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows, where no program replaces what another has open."""
    replace, left = os.replace, [refusals]

    def refuse(source: str, target: str) -> None:
        if Path(target).name == "out" and left[0]:
            left[0] -= 1
            raise PermissionError(13, "Permission denied", target)
        replace(source, target)

    monkeypatch.setattr(os, "replace", refuse)
    monkeypatch.setattr("rankmeter.whole_files.PAUSES", (0.0, 0.0, 0.0))
    if refusals == 2:
        WRITERS[writer](place)
        assert place.read_bytes() != b"kept"
        return
    with pytest.raises(InputError, match="another program may have it open"):
        WRITERS[writer](place)
    assert place.read_text() == "kept"
    assert [path.name for path in place.parent.iterdir()] == ["out"]
