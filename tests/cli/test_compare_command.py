from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter import demo
from rankmeter.cli import app

JUDGMENTS = str(demo.data_path(demo.JUDGMENTS))
RUNS = {name: str(demo.data_path(file)) for name, file in demo.RUNS.items()}
QUICK = ["--permutations", "500", "--resamples", "200"]


def call(*args: str, **env: str):
    result = CliRunner().invoke(app, list(args), env=env)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result


def compare(*args: str, **env: str):
    return call("compare", JUDGMENTS, RUNS["keyword"], RUNS["hybrid"], *args, *QUICK, **env)


def test_a_table_shows_the_data_first_then_the_winner() -> None:
    result = compare("-m", "nDCG@10", "--baseline", "keyword")
    assert result.exit_code == 0
    assert result.output.index("How sure is the data?") < result.output.index("*  hybrid")
    assert "█" in result.stdout
    assert "nDCG@10: Normalised" in result.stderr


def test_json_csv_markdown_and_latex() -> None:
    data = json.loads(compare("-m", "AP", "--format", "json", "--seed", "5").stdout)
    assert data["settings"]["seed"] == 5
    rows = list(csv.DictReader(io.StringIO(compare("-m", "AP", "--format", "csv").stdout)))
    assert rows[0]["system"] == "keyword"
    assert float(rows[0]["p_corrected"]) < 0.05
    assert "<sup>1</sup>" in compare("-m", "AP", "--format", "markdown").stdout
    assert r"\begin{tabular}" in compare("-m", "AP", "--format", "latex").stdout


def test_a_gate_that_holds_exits_1_and_says_why(tmp_path: Path) -> None:
    junit = tmp_path / "gates.xml"
    result = call(
        "compare", JUDGMENTS, RUNS["hybrid"], RUNS["semantic"], "-m", "nDCG@10", "--baseline", "hybrid",
        "--fail-if", "nDCG@10 < baseline - 0.01 significantly", "--fail-if", "RR < 0.5", "--junit", str(junit), *QUICK,
    )  # fmt: skip
    assert result.exit_code == 1
    assert (
        "FAILED: nDCG@10 < baseline - 0.01 significantly: nDCG@10 of semantic is 0.619332, below 0.652623"
        in result.stderr
    )
    assert ET.fromstring(junit.read_text()).get("failures") == "1"


def test_a_gate_that_does_not_hold_exits_0() -> None:
    result = compare("-m", "nDCG@10", "--baseline", "keyword", "--fail-if", "nDCG@10 < baseline - 0.01")
    assert result.exit_code == 0
    assert "passed (it fails if nDCG@10 < baseline - 0.01): nDCG@10 of" in result.stderr


def test_the_step_summary_is_appended(tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    compare("-m", "AP", "--github-summary", GITHUB_STEP_SUMMARY=str(summary))
    text = summary.read_text()
    assert text.startswith("before\n## rankmeter compare")
    assert "| 2 | hybrid |" in text


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["compare"], "neither judgments nor runs"),
        (["compare", JUDGMENTS], "no run was given"),
        (["compare", JUDGMENTS, RUNS["hybrid"]], "only one system"),
        (["compare", JUDGMENTS, RUNS["hybrid"], RUNS["keyword"], "--baseline", "z"], "baseline 'z' is none"),
        (["compare", JUDGMENTS, RUNS["hybrid"], RUNS["keyword"], "--fail-if", "nonsense"], "is not a gate"),
        (["compare", JUDGMENTS, RUNS["hybrid"], RUNS["keyword"], "--junit", "x.xml"], "without --fail-if"),
        (["compare", JUDGMENTS, RUNS["hybrid"], "--seeds", "dense"], "--seeds dense is not possible"),
        (["compare", JUDGMENTS, RUNS["hybrid"], "--seeds", f"hybrid={RUNS['keyword']}"], "same name: hybrid"),
        (["compare", JUDGMENTS, RUNS["hybrid"], RUNS["keyword"], "--units", "nowhere.csv"], "no such file"),
        (["compare", JUDGMENTS, RUNS["hybrid"], "nowhere.run"], "nowhere.run"),
        (["compare", "--saved", "nowhere.parquet", "other.parquet"], "no such file"),
        (["pool", JUDGMENTS], "at least one run"),
        (["advise"], "no judgments"),
    ],
)
def test_wrong_use_is_a_sentence_and_exit_code_2(args, said) -> None:
    result = call(*args)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""


def test_outside_of_github_there_is_no_summary_but_all_the_rest(tmp_path: Path) -> None:
    junit = tmp_path / "gates.xml"
    gate = ("--fail-if", "AP < 0.01", "--junit", str(junit))
    result = compare("-m", "AP", *gate, "--github-summary", GITHUB_STEP_SUMMARY="")
    assert result.exit_code == 0
    assert "--github-summary writes nothing here: GITHUB_STEP_SUMMARY is not set." in result.stderr
    assert "<testsuite " in junit.read_text()


def test_units_of_a_file_are_resampled(tmp_path: Path) -> None:
    units = tmp_path / "units.csv"
    queries = sorted({line.split()[0] for line in Path(JUDGMENTS).read_text().splitlines()})
    units.write_text("query,user\n" + "".join(f"{query},u{number % 30}\n" for number, query in enumerate(queries)))
    data = json.loads(compare("-m", "AP", "--units", str(units), "--format", "json").stdout)
    assert data["settings"]["unit"] == "user"
    assert data["differences"][0]["units"] == 30
    assert "over users" in data["settings"]["said"][0]


def test_seeds_saved_evaluations_and_needed_queries(tmp_path: Path) -> None:
    result = call(
        "compare", JUDGMENTS, RUNS["keyword"], "--seeds", f"new={RUNS['hybrid']},{RUNS['semantic']}", "-m", "AP",
        "--unit", "run", "--format", "json", *QUICK,
    )  # fmt: skip
    data = json.loads(result.stdout)
    assert data["differences"][0]["units"] == 2
    for name, path in RUNS.items():
        rm.evaluate(JUDGMENTS, path, ["AP"], name=name).save(tmp_path / f"{name}.parquet")
    result = call(
        "compare", "--saved", *(str(tmp_path / f"{name}.parquet") for name in RUNS), "--needed", "0.01", *QUICK
    )
    assert result.exit_code == 0
    assert "to find a true difference of 0.01 between keyword and semantic" in result.stderr


def test_pool_writes_what_can_be_filled_in_and_read(tmp_path: Path) -> None:
    place = tmp_path / "pool.csv"
    assert call("pool", JUDGMENTS, *RUNS.values(), "--budget", "3", "--output", str(place)).exit_code == 0
    rows = list(csv.DictReader(io.StringIO(place.read_text())))
    assert len(rows) == 3
    assert rows[0]["grade"] == ""
    filled = tmp_path / "filled.csv"
    filled.write_text(place.read_text().replace('""', "1"))
    assert rm.evaluate(filled, RUNS["hybrid"], ["P@1"])["P@1"] >= 0


def test_advise_speaks_text_and_json() -> None:
    result = call("advise", JUDGMENTS, *RUNS.values(), "--for", "search", "-m", "P@10")
    assert result.exit_code == 0
    assert "P@10" in result.stdout
    assert json.loads(call("advise", JUDGMENTS, "--format", "json").stdout)["k"] == 10


@pytest.mark.parametrize("command", ["compare", "pool", "advise"])
def test_help_has_examples(command) -> None:
    assert "Examples:" in call(command, "--help").stdout
