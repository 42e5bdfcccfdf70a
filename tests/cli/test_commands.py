"""``rankmeter measures``, ``explain``, ``demo``, ``--version`` and the help of every command."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankmeter import __version__, demo
from rankmeter.cli import app
from rankmeter.cli.application import COMMANDS
from rankmeter.measures import REGISTRY


def run(*args: str) -> Result:
    return CliRunner().invoke(app, list(args))


def test_version() -> None:
    assert run("--version").stdout == f"rankmeter {__version__}\n"


@pytest.mark.parametrize("command", [[], *(name.split() for name in COMMANDS)])
def test_every_help_has_examples(command: list[str]) -> None:
    result = run(*command, "--help")
    assert result.exit_code == 0
    assert "Examples:\n" in result.stdout
    assert f"    rankmeter {' '.join(command)}" in result.stdout


def test_measures_lists_every_measure_with_its_title_and_options() -> None:
    text = run("measures").stdout
    assert [name for name in REGISTRY if f"\n{name} " not in f"\n{text}"] == []
    assert "gain=linear|exp2|binary|{grade:gain,...}" in text
    assert "Mean rank of the relevant items (lower is better)" in text


def test_measures_as_json_are_complete() -> None:
    listed = {one["name"]: one for one in json.loads(run("measures", "--format", "json").stdout)["rows"]}
    assert set(listed) == set(REGISTRY)
    assert listed["AUC"]["options"]["ties"]["default"] == "mean"
    assert listed["ERR"]["options"]["ties"]["choices"] == [
        "item",
        "item-ascending",
        "input",
        "reversed",
        "worst",
        "best",
    ]
    assert listed["RR"]["aliases"] == ["MRR", "recip_rank", "mrr", "倒数排名", "平均倒数排名"]


def test_measures_are_found_by_any_of_their_names() -> None:
    names = [one["name"] for one in json.loads(run("measures", "hit", "--format", "json").stdout)["rows"]]
    assert names == ["Success", "ValueHitRate", "NumRelRet"]
    missed = run("measures", "nDGC")
    assert missed.exit_code == 2
    assert "did you mean 'nDCG'?" in missed.stderr


def test_measures_speak_chinese() -> None:
    assert "归一化折损累计增益" in run("measures", "--lang", "zh").stdout


def test_explain_says_formula_conventions_and_source() -> None:
    text = run("explain", "ndcg_cut_10").stdout
    assert text.startswith("nDCG@10: Normalised discounted cumulative gain\n")
    for part in ("Formula", "IDCG@k", "gain=linear", "How it misleads", "0.972364", "Järvelin"):
        assert part in text


def test_explain_takes_options_languages_and_formats() -> None:
    assert "gain=exp2 (stated here, not the default)" in run("explain", "nDCG(gain=exp2)@10").stdout
    assert run("explain", "MRR", "--lang", "zh", "--format", "markdown").stdout.startswith("# RR: ")
    page = run("explain", "MRR", "--format", "html", "--lang", "zh").stdout
    assert page.startswith("<!doctype html>")
    assert "<h2>RR: " in page
    assert ">ties</td><td class='label'>item</td>" in page
    told = json.loads(run("explain", "AP(norm=capped)@5", "--format", "json").stdout)
    assert told["measure"] == "AP(norm=capped)@5"
    assert next(one for one in told["conventions"] if one["name"] == "norm")["meaning"].startswith("min(R, k)")


def test_explain_takes_one_measure_at_a_time() -> None:
    result = run("explain", "P@5,10")
    assert result.exit_code == 2
    assert "rankmeter explain 'P@5'" in result.stderr


def test_demo_prints_a_table_and_writes_a_report(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "demo"
    result = run("demo", "--output", str(folder))
    assert result.exit_code == 0, result.stderr
    head, *rows = result.stdout.splitlines()
    assert head.split() == ["run", "nDCG@10", "AP", "RR@10", "P@5", "R@20", "Judged@10"]
    assert [row.split()[0] for row in rows] == ["keyword", "semantic", "hybrid"]
    assert "made up" in result.stderr
    report = (folder / "report.md").read_text(encoding="utf-8")
    for part in (
        "made up",
        "| hybrid | **0.",
        "### Judged@10",
        "240 judged queries",
        "does worst",
        f"rankmeter evaluate {shlex.quote(str(demo.data_path(demo.JUDGMENTS)))}",
    ):
        assert part in report
    assert len((folder / "per-query.csv").read_text().splitlines()) == 1 + 3 * 240
    assert "history of clocks in the forest" in (folder / "report.html").read_text(encoding="utf-8")


def test_the_command_that_demo_shows_gives_the_same_table(tmp_path: Path) -> None:
    import shlex

    shown = run("demo", "--output", str(tmp_path))
    line = next(line for line in shown.stderr.splitlines() if "rankmeter evaluate" in line)
    words = shlex.split(line.partition(": ")[2])
    args = words[words.index("evaluate") :]
    assert run(*args).stdout == shown.stdout


def test_a_demo_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run("demo", "--output", str(tmp_path / "file" / "below"))
    assert result.exit_code == 2
    assert result.stderr.startswith("rankmeter: ")
