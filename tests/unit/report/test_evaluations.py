"""Tables are pure functions of evaluations: marks, escapes, digits."""

from __future__ import annotations

import json
import math

import pytest

import rankmeter as rm
from rankmeter.evaluating.result import Evaluation
from rankmeter.report.evaluations import ShownEvaluations
from rankmeter.showing.document import Table
from rankmeter.showing.latex import latex_text, table_latex
from rankmeter.showing.markdown import table_markdown
from rankmeter.showing.numbers import exact
from rankmeter.showing.terminal import table_text


def ev(name: str, *ranks: int, measures: tuple[str, ...] = ("RR", "MeanRank")) -> Evaluation:
    """A system that has the one relevant item of each query at the given rank."""
    truth = {f"q{n}": {"hit"} for n in range(len(ranks))}
    run = {f"q{n}": [*(f"x{i}" for i in range(rank - 1)), "hit"] for n, rank in enumerate(ranks)}
    return rm.evaluate(truth, run, list(measures), name=name)


def marked(evaluations: list[Evaluation], digits: int = 4) -> list[list[bool]]:
    return [
        ["best" in cell.marks for cell in row[1:]] for row in ShownEvaluations(evaluations, digits=digits).table().rows
    ]


def shown(table: Table) -> list[tuple[str, bool]]:
    """The text of the first measure of every run, and whether it is marked as the best."""
    return [(row[1].text(table.columns[1]), "best" in row[1].marks) for row in table.rows]


def test_the_highest_is_best_and_for_mean_rank_the_lowest() -> None:
    assert marked([ev("a", 1), ev("b", 2)]) == [[True, True], [False, False]]


def test_ties_are_all_marked_and_one_run_never_is() -> None:
    assert marked([ev("a", 1), ev("b", 1), ev("c", 4)]) == [[True, True], [True, True], [False, False]]
    assert marked([ev("a", 1)]) == [[False, False]]


def test_values_shown_alike_are_marked_alike() -> None:
    close = [ev("a", 100), ev("b", 101)]
    assert [row[0] for row in marked(close, digits=2)] == [True, True]
    assert [row[0] for row in marked(close, digits=5)] == [True, False]


def test_counts_have_no_digits_and_no_best() -> None:
    table = ShownEvaluations([ev("a", 2, measures=("NumRet",)), ev("b", 1, measures=("NumRet",))]).table()
    assert shown(table) == [("2", False), ("1", False)]


def test_what_is_not_a_number_is_shown_and_never_best() -> None:
    nothing = rm.evaluate({"q": {"a": 0}}, {"q": ["a"]}, ["RR(empty=nan)"], name="nothing")
    something = rm.evaluate({"q": {"a": 1}}, {"q": ["b", "a"]}, ["RR(empty=nan)"], name="something")
    assert shown(ShownEvaluations([nothing, something]).table()) == [("nan", False), ("0.5000", True)]
    assert json.loads(ShownEvaluations([nothing]).to_json())["runs"][0]["mean"] == {"RR(empty=nan)": None}


def test_a_query_that_does_not_count_is_a_dash_and_empty_in_csv() -> None:
    result = rm.evaluate({"q1": {"a": 0}, "q2": {"a": 1}}, {"q1": ["a"], "q2": ["a"]}, ["RR(empty=skip)", "P@1"])
    assert table_text(ShownEvaluations([result], per_query=True).table()).splitlines()[1].split() == [
        "q1",
        "-",
        "0.0000",
    ]
    assert ShownEvaluations([result], per_query=True).to_csv().splitlines()[1] == "run,q1,,0.0"


def test_columns_are_aligned_by_what_a_terminal_shows() -> None:
    lines = table_text(ShownEvaluations([ev("中文", 1), ev("ab", 2)]).table()).splitlines()
    assert lines == ["run       RR  MeanRank", "中文  1.0000    1.0000", "ab    0.5000    2.0000"]


def test_markdown_escapes_what_would_break_the_table() -> None:
    text = table_markdown(ShownEvaluations([ev("a|b_*c", 1), ev("d", 2)]).table())
    assert r"| a\|b\_\*c | **1.0000** |" in text


def test_latex_escapes_every_special_character() -> None:
    assert latex_text(r"50%_a&b^c#$~{}\x") == (
        r"50\%\_a\&b\textasciicircum{}c\#\$\textasciitilde{}\{\}\textbackslash{}x"
    )
    assert latex_text("[a]") == "{[}a]"
    text = table_latex(ShownEvaluations([ev("bm25_v2", 1), ev("d", 2)]).table())
    assert r"bm25\_v2 & \textbf{1.0000} & \textbf{1.0000} \\" in text


def test_intervals_are_never_part_of_the_mark() -> None:
    evaluations = [ev("a", 1, 1, 2), ev("b", 2, 3, 4)]
    text = table_markdown(ShownEvaluations(evaluations, intervals=True, digits=2).table())
    assert "**0.83** [0." in text
    span = evaluations[0].interval("RR")
    assert f"[{span.low:.2f}, {span.high:.2f}]" in text


def test_digits_round_measurements_and_leave_definitions_alone() -> None:
    result = ev("a", 3, measures=("RBP(p=0.85)",))
    run = json.loads(ShownEvaluations([result], digits=1).to_json())["runs"][0]
    assert run["definitions"]["RBP(p=0.85)"]["p"] == 0.85
    assert run["mean"] == {"RBP(p=0.85)": 0.1}


@pytest.mark.parametrize("value", [1 / 3, 0.1, math.pi])
def test_csv_keeps_every_digit(value: float) -> None:
    assert float(exact(value, None)) == value
