"""Runs in many files, values per query to Parquet, and what the progress bar says."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result

from rankmeter.cli import app, talk
from rankmeter.evaluating.result import Evaluation
from rankmeter.inputs.reading import Progress


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "judgments.qrels").write_text("q1 0 a 2\nq1 0 b 1\nq2 0 c 1\nq3 0 c 1\n")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "part-0.run").write_text("q1 Q0 x 1 3 t\nq1 Q0 a 2 2 t\n")
    (tmp_path / "runs" / "part-1.run").write_text("q1 Q0 b 3 1 t\nq2 Q0 c 1 1 t\n")
    return tmp_path


def run(*args: str) -> Result:
    return CliRunner().invoke(app, ["evaluate", "judgments.qrels", *args])


@pytest.mark.parametrize("spelled", ["runs", "runs/part-*.run"])
def test_a_folder_and_a_quoted_pattern_are_one_run(spelled: str) -> None:
    result = run(spelled, "-m", "RR", "--format", "csv", "-q")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines()[1].endswith(",0.5")


def test_values_per_query_go_to_parquet_and_means_to_standard_output() -> None:
    result = run("runs", "-m", "RR", "--per-query", "--output", "values.parquet")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.split() == ["run", "RR", "runs", "0.5000"]
    assert "values per query written to values.parquet" in result.stderr
    values = pl.read_parquet("values.parquet").select("query", "RR")
    assert dict(values.iter_rows()) == {"q1": 0.5, "q2": 1.0, "q3": 0.0}
    assert Evaluation.load("values.parquet")["RR"] == 0.5


@pytest.mark.parametrize("args", [["runs"], ["runs/part-0.run", "runs/part-1.run", "--per-query"]])
def test_parquet_holds_the_values_per_query_of_one_run(args: list[str]) -> None:
    result = run(*args, "--output", "values.parquet")
    assert result.exit_code == 2
    assert "Parquet holds the values per query of one run" in result.stderr
    assert not Path("values.parquet").exists()


def test_a_pattern_that_fits_nothing_is_an_error() -> None:
    result = run("runs/none-*.run")
    assert result.exit_code == 2
    assert "no file matches the pattern runs/none-*.run" in result.stderr


def test_the_bar_tells_rows_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    said = []
    monkeypatch.setattr(talk.ProgressBar, "_is_awaited", True)  # a person has waited at a terminal
    monkeypatch.setattr(talk.ProgressBar, "show", lambda self, what, fraction=0.0: said.append((what, fraction)))
    with talk.ProgressBar(1) as bar:
        bar.read("bm25", Progress(rows=2_500_000, fraction=0.25, seconds=20.0))
        bar.read("stdin", Progress(rows=5, fraction=None, seconds=1.0))
    assert said == [("bm25: 2,500,000 rows, 0:01:00 left", 0.25), ("stdin: 5 rows", 0.0)]
