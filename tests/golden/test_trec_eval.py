"""``rankmeter trec_eval`` prints, byte for byte, what trec_eval 9.0.8 and 10.0 printed for the same files."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from rankmeter.cli import trec_eval as cli
from rankmeter.cli.application import app

CASES: list[dict[str, Any]] = json.loads(
    lzma.decompress((Path(__file__).parent / "trec_eval_output.json.xz").read_bytes())
)["cases"]


def call(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        app.main(["trec_eval", *arguments])
    said = capsys.readouterr()
    return int(stopped.value.code or 0), said.out, said.err


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['version']}: {' '.join(case['options'])}")
def test_output_is_that_of_the_program(
    case: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("judgments", "run", "zscores"):
        (tmp_path / name).write_text(case[name])
    monkeypatch.setenv(cli.VERSION_VARIABLE, case["version"])
    options = [*case["options"], *(["-Z", str(tmp_path / "zscores")] if case["zscores"] else [])]
    code, out, _ = call([*options, str(tmp_path / "judgments"), str(tmp_path / "run")], capsys)
    assert out == case["output"]
    assert code == case["exit"]


def test_both_versions_and_every_kind_of_option_are_recorded() -> None:
    said = " ".join(" ".join(case["options"]) for case in CASES)
    assert {case["version"] for case in CASES} == {"9", "10"}
    assert all(
        option in said for option in ("-q", "-c", "-n", "-J", "-l2", "-M", "-N", "all_trec", "relstring", "yaap")
    )
    assert any(case["zscores"] for case in CASES)
    assert any(case["exit"] for case in CASES)
    assert any("-nan" in case["output"] for case in CASES)
