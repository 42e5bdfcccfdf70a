"""``rankmeter evaluate``: what is printed where, for files that are right."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankmeter.cli import app
from rankmeter.evaluating.result import Evaluation

JUDGMENTS = "q1 0 a 2\nq1 0 b 1\nq2 0 c 1\n"
GOOD = "q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq2 Q0 c 1 1 t\n"
POOR = "q1 Q0 x 1 3 t\nq1 Q0 a 2 2 t\nq2 Q0 x 1 2 t\nq2 Q0 c 2 1 t\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "judgments.qrels").write_text(JUDGMENTS)
    (tmp_path / "good.run").write_text(GOOD)
    (tmp_path / "poor.run").write_text(POOR)
    return tmp_path


def run(*args: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(app, ["evaluate", *args], input=stdin)


def test_one_run_is_one_row_of_plain_text() -> None:
    result = run("judgments.qrels", "good.run")
    assert result.exit_code == 0
    assert result.stdout == "run   nDCG@10      AP      RR\ngood   1.0000  1.0000  1.0000\n"


def test_talk_goes_to_standard_error_and_names_the_conventions() -> None:
    result = run("judgments.qrels", "good.run", "-m", "nDCG@5,10")
    assert "2 judged queries, 2 in the run" in result.stderr
    assert "nDCG@5, nDCG@10: Normalised discounted cumulative gain; gain=linear, discount=log2" in result.stderr
    assert "rankmeter explain" in result.stderr
    assert "rankmeter explain" not in result.stdout


def test_quiet_leaves_only_the_numbers() -> None:
    result = run("judgments.qrels", "good.run", "--quiet")
    assert result.stderr == ""
    assert "1.0000" in result.stdout


def test_measures_may_be_separated_by_spaces_commas_and_options() -> None:
    result = run("judgments.qrels", "good.run", "-m", "nDCG@5,10 P@1, RR", "-m", "nDCG(gain={1:3, 2:9})@2", "-q")
    assert result.stdout.split("\n")[0].split() == [
        *("run", "nDCG@5", "nDCG@10", "P@1", "RR", "nDCG(gain={1:3,2:9})@2"),
    ]


def test_several_runs_are_one_table_and_markdown_marks_the_best() -> None:
    result = run("judgments.qrels", "poor.run", "good.run", "-m", "RR", "-m", "MeanRank", "--format", "markdown")
    assert "| poor | 0.5000 | 2.0000 |" in result.stdout
    assert "| good | **1.0000** | **1.2500** |" in result.stdout


def test_one_run_is_not_marked() -> None:
    assert "**" not in run("judgments.qrels", "good.run", "--format", "markdown").stdout


def test_latex_has_a_tabular_with_its_definitions() -> None:
    result = run("judgments.qrels", "good.run", "poor.run", "-m", "nDCG(gain={1:3})@10", "--format", "latex")
    assert r"run & nDCG(gain=\{1:3\})@10 \\" in result.stdout
    assert r"good & \textbf{0.9567} \\" in result.stdout
    assert result.stdout.startswith("% nDCG(gain={1:3})@10: Normalised")


def test_json_holds_what_an_evaluation_knows_of_each_run() -> None:
    result = run("judgments.qrels", "good.run", "poor.run", "-m", "RR", "--format", "json", "--per-query")
    runs = json.loads(result.stdout)["runs"]
    assert [one["name"] for one in runs] == ["good", "poor"]
    assert runs[1]["mean"] == {"RR": 0.5}
    assert runs[1]["definitions"]["RR"]["ties"] == "item"
    assert runs[1]["per_query"] == [{"query": "q1", "RR": 0.5}, {"query": "q2", "RR": 0.5}]


def test_csv_has_every_digit_unless_some_are_asked_for() -> None:
    whole = run("judgments.qrels", "poor.run", "-m", "nDCG@10", "--format", "csv").stdout
    assert whole.startswith("run,nDCG@10\npoor,0.5")
    assert len(whole.split(",")[-1]) > 12
    assert run("judgments.qrels", "poor.run", "-m", "RR", "--format", "csv", "--digits", "2").stdout.endswith(
        "poor,0.50\n"
    )


def test_csv_per_query_is_wide() -> None:
    text = run("judgments.qrels", "good.run", "poor.run", "-m", "RR P@1", "--per-query", "--format", "csv").stdout
    assert list(csv.reader(io.StringIO(text))) == [
        ["run", "query", "RR", "P@1"],
        ["good", "q1", "1.0", "1.0"],
        ["good", "q2", "1.0", "1.0"],
        ["poor", "q1", "0.5", "0.0"],
        ["poor", "q2", "0.5", "0.0"],
    ]


def test_a_table_per_query_ends_with_all() -> None:
    assert run("judgments.qrels", "poor.run", "-m", "RR", "--per-query").stdout == (
        "query      RR\nq1     0.5000\nq2     0.5000\nall    0.5000\n"
    )


def test_intervals_stand_beside_the_value(files: Path) -> None:
    (files / "mixed.run").write_text("q1 Q0 x 1 2 t\nq1 Q0 a 2 1 t\nq2 Q0 c 1 1 t\n")
    assert "0.7500 [0.0000, 1.0000]" in run("judgments.qrels", "mixed.run", "-m", "RR", "--interval").stdout
    assert "0.5000 (no interval)" in run("judgments.qrels", "poor.run", "-m", "RR", "--interval").stdout
    head = run("judgments.qrels", "good.run", "-m", "RR", "--interval", "--format", "csv").stdout.split("\n")[0]
    assert head == "run,RR,RR low,RR high"


def test_ties_that_can_move_a_number_are_said(files: Path) -> None:
    (files / "tied.run").write_text("q1 Q0 x 1 1 t\nq1 Q0 a 2 1 t\nq2 Q0 c 1 1 t\n")
    assert "ties can move RR of tied between 0.7500 and 1.0000" in run("judgments.qrels", "tied.run", "-m", "RR").stderr


def test_queries_choose_whose_values_are_averaged(files: Path) -> None:
    (files / "half.run").write_text("q1 Q0 a 1 3 t\n")
    assert "0.5000" in run("judgments.qrels", "half.run", "-m", "RR").stdout
    common = run("judgments.qrels", "half.run", "-m", "RR", "--queries", "common").stdout
    assert common.split("\n")[0].split() == ["run", "RR(queries=common)"]
    assert "1.0000" in common


def test_duplicates_choose_what_a_repeated_item_does(files: Path) -> None:
    (files / "twice.run").write_text("q1 Q0 x 1 3 t\nq1 Q0 x 2 2 t\nq1 Q0 a 3 1 t\nq2 Q0 c 1 1 t\n")
    assert run("judgments.qrels", "twice.run").exit_code == 2
    assert "0.7500" in run("judgments.qrels", "twice.run", "-m", "RR", "--duplicates", "first").stdout


def test_columns_are_looked_for_in_tables_and_not_in_trec_text(files: Path) -> None:
    (files / "run.csv").write_text("uid,docid_x,score\nq1,a,2\nq2,c,1\n")
    assert "--columns run.item=docid_x" in run("judgments.qrels", "run.csv").stderr
    for columns in ("item=docid_x", "query=uid,run.item=docid_x"):
        result = run("judgments.qrels", "run.csv", "-m", "RR", "--columns", columns)
        assert result.exit_code == 0, result.stderr
        assert "1.0000" in result.stdout


def test_columns_named_in_several_options_all_count(files: Path) -> None:
    (files / "run.csv").write_text("who,docid_x,score\nq1,a,2\nq2,c,1\n")
    named = ("--columns", "run.query=who", "--columns", "run.item=docid_x")
    result = run("judgments.qrels", "run.csv", "-m", "RR", *named, "-q")
    assert result.stdout == "run      RR\nrun  1.0000\n", result.stderr


def test_formats_can_be_named() -> None:
    result = run("judgments.qrels", "good.run", "--judgments-format", "trec", "--run-format", "run", "-m", "RR", "-q")
    assert result.stdout == "run       RR\ngood  1.0000\n"


@pytest.mark.parametrize(("args", "stdin"), [(["-", "good.run"], JUDGMENTS), (["judgments.qrels", "-"], GOOD)])
def test_a_dash_is_standard_input_on_either_side(args: list[str], stdin: str) -> None:
    # Two precisions of scores are placed apart, so the run is needed twice.
    result = run(*args, "-m", "RR", "-m", "RR(scores=float32)", "-q", stdin=stdin.encode())
    assert result.exit_code == 0, result.stderr
    assert result.stdout.count("1.0000") == 2


def test_two_dashes_are_refused() -> None:
    assert "standard input can be read only once" in run("-", "-", stdin=b"").stderr


def test_output_is_written_and_its_ending_chooses_the_format(files: Path) -> None:
    result = run("judgments.qrels", "good.run", "-m", "RR", "--output", "out.json")
    assert result.stdout == ""
    assert "written to out.json" in result.stderr
    assert json.loads(Path("out.json").read_text())["runs"][0]["mean"] == {"RR": 1.0}
    assert sorted(path.name for path in files.iterdir()) == ["good.run", "judgments.qrels", "out.json", "poor.run"]


def test_save_keeps_each_evaluation() -> None:
    assert run("judgments.qrels", "good.run", "poor.run", "-m", "RR", "--save", "{run}.parquet").exit_code == 0
    assert Evaluation.load("poor.parquet")["RR"] == 0.5
    refused = run("judgments.qrels", "good.run", "poor.run", "--save", "one.parquet")
    assert refused.exit_code == 2
    assert "Hint: one file for each: --save '{run}.parquet'" in refused.stderr


def test_runs_of_one_name_are_told_apart(files: Path) -> None:
    for folder in ("monday", "tuesday"):
        (files / folder).mkdir()
        (files / folder / "good.run").write_text(GOOD)
    result = run("judgments.qrels", "monday/good.run", "tuesday/good.run", "good.run", "good.run", "-m", "RR", "-q")
    names = [line.rsplit(maxsplit=1)[0].strip() for line in result.stdout.splitlines()[1:]]
    assert names == ["monday/good", "tuesday/good", "good.run", "good.run (2)"]


def test_digits_are_chosen() -> None:
    assert run("judgments.qrels", "poor.run", "-m", "RR", "--digits", "1", "-q").stdout == "run    RR\npoor  0.5\n"


def test_measures_of_lists_need_no_judgments() -> None:
    result = run("--no-judgments", "good.run", "poor.run", "-m", "Entropy@10 ShortLists@2", "--format", "csv")
    assert result.exit_code == 0
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [(row["run"], float(row["ShortLists@2"])) for row in rows] == [("good", 0.5), ("poor", 0.0)]
    refused = run("--no-judgments", "good.run", "-m", "RR")
    assert refused.exit_code == 2
    assert "RR needs judgments" in refused.stderr


def test_the_name_of_a_file_says_its_format_or_is_refused(files: Path) -> None:
    refused = run("judgments.qrels", "good.run", "--output", "table.xlsx")
    assert refused.exit_code == 2
    assert "--output table.xlsx: unknown output format '.xlsx'; use .txt, .json, .csv, .md, .tex" in refused.stderr
    assert not (files / "table.xlsx").exists()
    assert run("judgments.qrels", "good.run", "--output", "table.xlsx", "--format", "csv").exit_code == 0
    assert (files / "table.xlsx").read_text().startswith("run,")


@pytest.mark.parametrize(
    ("gate", "code", "words"),
    [
        ("nDCG@10 < 0.6", 0, "passed (it fails if nDCG@10 < 0.6): nDCG@10 of hybrid is 0.662"),
        ("nDCG@10 < 0.7", 1, "FAILED: nDCG@10 < 0.7: nDCG@10 of hybrid is 0.662"),
        ("R@5 of hybrid < 0.01", 0, "passed"),
        ("nDCG@10 < baseline", 2, "evaluate measures each run alone"),
        ("nDCG@10 < 0.6 significantly", 2, "asks for more than chance"),
        ("nDCG@10 of dense < 0.6", 2, "dense"),
        ("nDCG@10 <", 2, "not a gate"),
    ],
)
def test_a_run_alone_is_held_to_numbers(gate: str, code: int, words: str, tmp_path: Path) -> None:
    from rankmeter import demo

    paths = [str(demo.data_path(demo.JUDGMENTS)), str(demo.data_path(demo.RUNS["hybrid"]))]
    summary = tmp_path / "summary.md"
    junit = ["--junit", str(tmp_path / "gates.xml"), "--github-summary"]
    result = CliRunner(env={"GITHUB_STEP_SUMMARY": str(summary)}).invoke(
        app, ["evaluate", *paths, "-m", "nDCG@10", "--fail-if", gate, *junit]
    )
    assert result.exit_code == code
    assert words in result.stderr
    assert (tmp_path / "gates.xml").exists() == summary.exists() == (code < 2)
    if code < 2:
        assert "nDCG@10" in result.stdout
        assert f'failures="{code}"' in (tmp_path / "gates.xml").read_text()
        assert ("All checks passed" in summary.read_text()) == (code == 0)


def test_a_run_that_shares_no_ids_fails_its_gate_with_that_reason(tmp_path: Path) -> None:
    (tmp_path / "j.qrels").write_text("q1 0 a 1\nq2 0 b 1\n")
    (tmp_path / "r.run").write_text("q1 Q0 A/1 1 2 x\nq2 Q0 B/1 1 2 x\n")
    paths = [str(tmp_path / "j.qrels"), str(tmp_path / "r.run")]
    result = CliRunner().invoke(app, ["evaluate", *paths, "-m", "RR", "--fail-if", "RR < 0.1", "--quiet"])
    assert result.exit_code == 1
    assert "none of the judged items is in the run" in result.stderr
