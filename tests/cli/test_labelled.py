"""Lists with labels in line: the three lines of seed document 003."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankmeter.cli import app


def run(tmp_path: Path, lines: str, *args: str) -> Result:
    path = tmp_path / "list.txt"
    path.write_text(lines)
    return CliRunner().invoke(app, ["evaluate", "--labelled", str(path), *args])


def ranked(query: str, grades: list[int]) -> str:
    return "".join(f"{query} Q0 {query}-{place} {grade}\n" for place, grade in enumerate(grades))


def test_first_hits_at_4_none_none_and_5_give_mrr_0_1125(tmp_path: Path) -> None:
    lists = [[0, 0, 0, 1, 0], [0, 0], [0, 0, 0], [0, 0, 0, 0, 2]]
    result = run(tmp_path, "".join(ranked(f"{171 + n}", grades) for n, grades in enumerate(lists)), "--digits", "5")
    assert result.exit_code == 0, result.stderr
    # A query with nothing relevant crashed the document's MAP; here it counts 0.
    assert result.stdout == "MAP = 0.1125\nMRR = 0.1125\nNDCG = 0.23267\n"


def test_grades_3_2_3_0_1_give_ndcg_0_94352(tmp_path: Path) -> None:
    result = run(tmp_path, ranked("q", [3, 2, 3, 0, 1]), "--digits", "5")
    assert result.stdout == "MAP = 0.95\nMRR = 1.0\nNDCG = 0.94352\n"
    assert "NDCG" not in result.stderr
    assert "nDCG(discount=jk,ideal=list)" in result.stderr


def test_grades_below_0_count_as_0(tmp_path: Path) -> None:
    lines = [ranked("q", grades) for grades in ([-1, 1, -2, 0], [0, 1, 0, 0])]
    assert run(tmp_path, lines[0]).stdout == run(tmp_path, lines[1]).stdout


def test_measures_and_formats_make_a_table_as_elsewhere(tmp_path: Path) -> None:
    assert run(tmp_path, ranked("q", [0, 1]), "-m", "RR", "-q").stdout == "run       RR\nlist  0.5000\n"
    assert run(tmp_path, ranked("q", [0, 1]), "--format", "csv").stdout.startswith(
        'run,AP,RR,"nDCG(discount=jk,ideal=list)"'
    )


def test_lines_have_no_columns_to_name(tmp_path: Path) -> None:
    result = run(tmp_path, ranked("q", [1]), "--columns", "item=x")
    assert result.exit_code == 2
    assert "TREC text, which has no column names, but columns were given (item=x)" in result.stderr


@pytest.mark.parametrize("extra", [["judgments.qrels"], ["--run-format", "csv"]])
def test_labelled_stands_alone(tmp_path: Path, extra: list[str]) -> None:
    result = run(tmp_path, ranked("q", [1]), *extra)
    assert result.exit_code == 2
    assert result.stderr.startswith("rankmeter: --labelled")
