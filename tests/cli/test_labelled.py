"""Lists with labels in line: the three lines of seed document 003."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import rankmeter as rm
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


def explained(*args: str) -> Result:
    return CliRunner().invoke(app, ["explain", *args])


@pytest.mark.parametrize("seed", range(12))
def test_explain_works_out_typed_grades_and_labelled_files_alike(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    grades = [draw.randint(0, 4) for _ in range(draw.randint(1, 9))]
    measure = draw.choice(["nDCG@5", "DCG", "AP", "RR", "P@3", "ERR(max_grade=4)", "RBP"])
    path = tmp_path / "list.txt"
    path.write_text(ranked("q", grades))
    typed = explained(measure, "--grades", ",".join(map(str, grades)), "--format", "json")
    read = explained(measure, "--labelled", str(path), "--format", "json")
    assert (typed.exit_code, read.exit_code) == (0, 0), typed.stderr + read.stderr
    assert json.loads(typed.stdout)["value"] == pytest.approx(rm.value(measure, grades=grades), abs=1e-12)
    assert json.loads(read.stdout)["value"] == json.loads(typed.stdout)["value"]
    assert [row["grade"] for row in json.loads(typed.stdout)["rows"]] == grades[: len(json.loads(typed.stdout)["rows"])]


def test_explain_asks_which_list_of_several_and_its_hint_works(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text(ranked("q1", [0, 1]) + ranked("q2", [1]))
    refused = explained("RR", "--labelled", str(path))
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "has 2 queries, and one is worked out. Hint: --query q1" in refused.stderr
    assert (
        json.loads(explained("RR", "--labelled", str(path), "--query", "q1", "--format", "json").stdout)["value"] == 0.5
    )


@pytest.mark.parametrize(
    "extra", [["3,x"], [""], ["3,,1"], ["nan"], ["3,1", "--query", "q"], ["3,1", "a.qrels", "a.run"]]
)
def test_explain_refuses_grades_that_are_no_list_or_come_with_another(extra: list[str]) -> None:
    result = explained("RR", "--grades", *extra)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
