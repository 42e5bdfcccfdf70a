"""``rankmeter trec_eval`` prints, byte for byte, what trec_eval 9.0.8 and 10.0 printed for the same files."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from rankmeter.cli.application import app
from rankmeter.wings.doors import trec_files
from rankmeter.wings.doors import trec_program as cli


def recorded(name: str) -> list[dict[str, Any]]:
    """The calls of one file."""
    cases: list[dict[str, Any]] = json.loads(lzma.decompress((Path(__file__).parent / name).read_bytes()))["cases"]
    return cases


CASES = recorded("trec_eval_output.json.xz")
GROUPS = recorded("trec_eval_groups.json.xz")


UNDEFINED = ("memory here that it never wrote", "crashes")
"""What is said of calls for which the program has no output of its own; what it printed there is not asked for."""


def call(arguments: list[str], capsys: pytest.CaptureFixture[bytes]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        app.main(["trec_eval", *arguments])
    said = capsys.readouterr()
    return int(stopped.value.code or 0), said.out.decode("latin-1"), said.err.decode()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['version']}: {' '.join(case['options'])}")
def test_output_is_that_of_the_program(
    case: dict[str, Any], tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    check(case, tmp_path, capsysbinary, monkeypatch)


@pytest.mark.parametrize("case", CASES[::9], ids=lambda case: f"{case['version']}: {' '.join(case['options'])}")
def test_long_files_are_taken_as_short_ones_are(
    case: dict[str, Any], tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trec_files, "SHORT_BYTES", 0)
    check(case, tmp_path, capsysbinary, monkeypatch)


@pytest.mark.parametrize("case", GROUPS, ids=lambda case: f"{case['version']}: {' '.join(case['options'])}")
def test_output_for_preferences_and_groups_is_that_of_the_program(
    case: dict[str, Any], tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    check(case, tmp_path, capsysbinary, monkeypatch)


def check(
    case: dict[str, Any], folder: Path, capsys: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("judgments", "run", "zscores"):
        (folder / name).write_bytes(case[name].encode("latin-1"))
    monkeypatch.setenv(cli.VERSION_VARIABLE, case["version"])
    options = [*case["options"], *(["-Z", str(folder / "zscores")] if case["zscores"] else [])]
    code, out, said = call([*options, str(folder / "judgments"), str(folder / "run")], capsys)
    if is_undefined(case):
        assert (code, out) != (0, case["output"])
        assert any(reason in said for reason in UNDEFINED)
        return
    assert out == case["output"]
    assert code == case["exit"]


def is_undefined(case: dict[str, Any]) -> bool:
    """Whether only chance kept the program from crashing: a NUL in a line, no judgment, no tag."""
    if any("\0" in line[1:] for name in ("judgments", "run") for line in case[name].split("\n")):
        return True
    judged = [line for line in case["judgments"].split("\n") if line and not line.startswith("#")]
    wants_tag = case["version"] == "10" and "-c" in case["options"] and "official" in case["options"]
    no_run = not any(line.strip() and line[0] not in "#\0" for line in case["run"].split("\n"))
    return bool(case["judgments"]) and (judged[:1] == ["\0"] or (no_run and case["run"] != "" and wants_tag))


def test_each_kind_of_group_and_all_of_its_measures_are_recorded() -> None:
    said = {(case["version"], option) for case in GROUPS for option in case["options"]}
    for version in ("9", "10"):
        for option in ("-Rprefs", "-Rqrels_prefs", "-Rqrels_jg", "all_prefs", "qrels_jg", "-q", "-c", "-J"):
            assert (version, option) in said
    assert {case["exit"] for case in GROUPS} >= {0, 2, 4}


def test_both_versions_and_every_kind_of_option_are_recorded() -> None:
    said = " ".join(" ".join(case["options"]) for case in CASES)
    assert {case["version"] for case in CASES} == {"9", "10"}
    assert all(
        option in said for option in ("-q", "-c", "-n", "-J", "-l2", "-M", "-N", "all_trec", "relstring", "yaap")
    )
    assert any(case["zscores"] for case in CASES)
    assert any(case["exit"] for case in CASES)
    assert any("-nan" in case["output"] for case in CASES)
