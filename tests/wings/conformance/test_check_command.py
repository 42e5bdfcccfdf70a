"""`rankmeter check`, its errors, and what the pytest plugin makes of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.unit.test_testing import PLUGIN

import rankmeter as rm
from rankmeter.cli import app
from rankmeter.errors import RankmeterError
from rankmeter.testing import assert_conforms
from rankmeter.wings.conformance.subjects import ProgramSubject

pytest_plugins = ["pytester"]

METRICS = """
def precision(retrieved, relevant, k):
    return sum(item in relevant for item in retrieved[:k]) / k

def recall(retrieved, relevant, k):
    return sum(item in relevant for item in retrieved[:k]) / len(relevant) if relevant else 0.0

def unclear(this, that):
    return 0.0
"""

PROGRAM = """
import json, sys
for line in sys.stdin:
    case = json.loads(line)
    hits = sum(item in case["relevant"] for item in case["retrieved"][: case["k"]])
    print(json.dumps({answer}))
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "strange_metrics.py").write_text(METRICS, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "strange_metrics", raising=False)
    return tmp_path


def check(*words: str) -> Result:
    return CliRunner().invoke(app, ["check", *words])


def program(folder: Path, answer: str) -> str:
    path = folder / "metric.py"
    path.write_text(PROGRAM.replace("{answer}", answer), "utf-8")
    return f"{sys.executable} {path.name}"


@pytest.mark.usefixtures("folder")
def test_the_exit_code_says_whether_it_conforms() -> None:
    assert check("--function", "strange_metrics:precision", "--as", "P@10").exit_code == 0
    assert check("--function", "strange_metrics:precision", "--as", "R@10").exit_code == 1
    assert check("--function", "strange_metrics:recall", "--as", "R@10").exit_code == 1


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_answer_names_definition_reason_case_and_fault(lang: str) -> None:
    shown = check("--function", "strange_metrics:recall", "--as", "P@10", "--lang", lang).stdout
    assert "R(duplicates=counted)@k" in shown
    assert "more-than-k@2" in shown
    assert {"en": "exceeds the highest possible value", "zh": "超出可能的最大值"}[lang] in shown


@pytest.mark.usefixtures("folder")
def test_json_holds_the_whole_verdict() -> None:
    verdict = json.loads(check("--function", "strange_metrics:precision", "--as", "P@10", "--format", "json").stdout)
    assert verdict["conforms"] is True
    assert verdict["follows"] == "P(duplicates=counted)@k"
    assert verdict["cells"] == verdict["matched"] > 50
    assert {"ranx", "recbole"} <= {tool["tool"] for tool in verdict["tools"]}


@pytest.mark.usefixtures("folder")
def test_the_badge_is_one_line() -> None:
    badge = check("--function", "strange_metrics:precision", "--as", "P@10", "--badge").stdout
    assert badge == f"{rm.check('strange_metrics:precision', 'P@10').badge}\n"


@pytest.mark.parametrize("answer", ["hits / case['k']", "{'value': hits / case['k']}"])
def test_a_program_is_checked_as_a_function_is(folder: Path, answer: str) -> None:
    result = check("--command", program(folder, answer), "--as", "P@10", "--format", "json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["follows"] == "P(duplicates=counted)@k"


def test_errors_of_a_program_are_its_answers(folder: Path) -> None:
    answer = "{'error': 'short'} if len(case['retrieved']) < case['k'] else hits / case['k']"
    verdict = json.loads(check("--command", program(folder, answer), "--as", "P@10", "--format", "json").stdout)
    assert [fault["kind"] for fault in verdict["faults"]] == ["raises"]


WRONG = {
    "nothing": ([], "nothing to check"),
    "both": (["--function", "a:b", "--command", "c"], "nothing to check"),
    "no module": (["--function", "no_such_module_here:b"], "cannot be imported"),
    "no function": (["--function", "strange_metrics:nothing"], "has no 'nothing'"),
    "no colon": (["--function", "strange_metrics"], "package.module:function"),
    "unclear": (["--function", "strange_metrics:unclear"], "does not say what it is given"),
    "bad word": (["--function", "strange_metrics:precision", "--arguments", "lists, k"], "not an argument"),
    "no program": (["--command", "no-such-program-here"], "was not found"),
    "not a measure of lists": (["--function", "strange_metrics:precision", "--as", "CTR"], "not checked against"),
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("words", WRONG.values(), ids=WRONG)
def test_wrong_use_is_one_message(words: tuple[list[str], str]) -> None:
    result = check(*words[0])
    assert result.exit_code == 2
    assert words[1] in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("answer", "message"), [("'x', flush=True); sys.exit(3", "lines"), ("hits)\n    print(hits", "lines")]
)
def test_a_program_that_answers_otherwise_is_refused(folder: Path, answer: str, message: str) -> None:
    result = check("--command", program(folder, answer))
    assert result.exit_code == 2
    assert message in result.stderr


def test_what_is_not_json_is_refused(folder: Path) -> None:
    path = folder / "talks.py"
    path.write_text("import sys\nfor line in sys.stdin: print('about a half')\n", "utf-8")
    with pytest.raises(RankmeterError, match="not JSON"):
        rm.check(ProgramSubject(f"{sys.executable} {path}"))


def test_assert_conforms_raises_the_verdict() -> None:
    def precision(retrieved: list[str], relevant: set[str], k: int) -> float:
        top = retrieved[:k]
        return sum(item in relevant for item in top) / len(top) if top else 0.0

    assert assert_conforms(precision, "P(norm=list)@10").conforms
    with pytest.raises(AssertionError, match="short-list"):
        assert_conforms(precision, "P@10")


@pytest.mark.slow
def test_the_fixture_tells_what_was_checked(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_precision(rankmeter):
            def precision(retrieved, relevant, k):
                return sum(item in relevant for item in retrieved[:k]) / k
            rankmeter.assert_conforms(precision, "P@10")
        """
    )
    result = pytester.runpytest_subprocess(*PLUGIN, "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*P@k: conforms to rankmeter cases*"])
