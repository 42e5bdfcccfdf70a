"""The hunt finds the smallest input on which two metrics differ, and finds none where they are the same."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.wings.conformance import test_strangers as strangers
from tests.wings.conformance.test_check_command import check, folder

import rankmeter as rm
from rankmeter.errors import RankmeterError
from rankmeter.wings.conformance.arguments import arguments_of, sight_of
from rankmeter.wings.conformance.random_cases import random_cell, size, smaller

__all__ = ["folder"]

UNSEEN = {"mutated", "unsteady"}
"""What is wrong beside the value: `check` says so."""


@pytest.mark.parametrize(
    ("function", "claim", "follows"), strangers.RIGHT, ids=lambda value: getattr(value, "__name__", None)
)
def test_nothing_is_found_where_the_claim_is_right(
    function: Callable[..., Any], claim: str, follows: str | None
) -> None:
    found = rm.hunt(function, claim, inputs=300)
    assert not found.differs
    assert "No difference on 300" in str(found)


@pytest.mark.parametrize(
    ("function", "claim", "follows", "faults"), strangers.WRONG, ids=lambda value: getattr(value, "__name__", None)
)
def test_every_wrong_value_is_found_and_made_small(
    function: Callable[..., Any], claim: str, follows: str | None, faults: set[str]
) -> None:
    found = rm.hunt(function, claim)
    if faults & {"above"}:  # only repeated items tell: nothing is stated of those unless the definition does
        assert not found.differs
        found = rm.hunt(function, claim.replace("@", "(duplicates=once)@"))
    assert found.differs
    assert found.queries is not None
    assert sum(len(query["run"] or ()) + len(query["judgments"] or ()) for query in found.queries.values()) <= 4
    assert found.to_dict()["queries"] == found.queries


@pytest.mark.parametrize("seed", range(3))
def test_what_is_found_is_a_difference(seed: int) -> None:
    found = rm.hunt(strangers.mrr_of_every_hit, strangers.reciprocal_rank, seed=seed)
    (query,) = (found.queries or {}).values()
    retrieved, relevant = (
        [item for item, _ in query["run"]],
        {item for item, grade in query["judgments"].items() if grade >= 1},
    )
    assert found.k is not None
    assert found.got == strangers.mrr_of_every_hit(retrieved, relevant, found.k)
    assert found.other_got == strangers.reciprocal_rank(retrieved, relevant, found.k)
    assert found.got != found.other_got
    assert size(found_cell := random_cell(0, Random(seed), sight_of(arguments_of(strangers.apk)), takes_k=True)) >= max(
        map(size, smaller(found_cell))
    )


def test_without_another_the_nearest_definition_is_tried_further() -> None:
    assert not rm.hunt(strangers.recall_in_a_set, inputs=200).differs
    assert rm.hunt(strangers.ndcg_of_the_top, inputs=200).differs


def test_ties_are_hunted_where_scores_are_seen() -> None:
    def precision(y_true: list[float], y_score: list[float], k: int) -> float:
        order = sorted(range(len(y_true)), key=lambda place: -y_score[place])
        return sum(y_true[place] >= 1 for place in order[:k]) / k

    assert not rm.hunt(precision, "P(ties=input)@5").differs
    found = rm.hunt(precision, "P(ties=worst)@5")
    assert found.queries is not None
    assert len({score for _, score in found.queries["q1"]["run"]}) < len(found.queries["q1"]["run"])


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_command_shows_the_input_and_exits_with_1(lang: str) -> None:
    words = ("--function", "strange_metrics:recall", "--hunt", "300", "--lang", lang)
    result = check(*words, "--as", "R(duplicates=once)@10")
    assert result.exit_code == 1, result.output
    assert {"en": "gives 2", "zh": "给出 2"}[lang] in result.stdout
    assert check(*words, "--against", "strange_metrics:recall").exit_code == 0


def test_a_program_is_hunted_too(folder: Path) -> None:
    (folder / "metric.py").write_text(
        "import json, sys\nfor line in sys.stdin:\n    case = json.loads(line)\n"
        "    print(float(any(item in case['relevant'] for item in case['retrieved'])))\n",
        "utf-8",
    )
    result = check("--command", f"{sys.executable} metric.py", "--as", "Success@3", "--hunt", "100", "--format", "json")
    assert result.exit_code == 1, result.output
    found = json.loads(result.stdout)
    (query,) = found["queries"].values()
    assert (found["k"], len(query["run"]), len(query["judgments"])) == (1, 2, 1)


WRONG = {
    "against without hunt": (["--against", "strange_metrics:recall"], "--hunt is not there"),
    "two": (["--hunt", "9", "--as", "P@1", "--against", "strange_metrics:recall"], "give one of them"),
    "none": (["--hunt", "0"], "0 is not in the range"),
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("words", WRONG.values(), ids=WRONG)
def test_wrong_use_is_one_message(words: tuple[list[str], str]) -> None:
    result = check("--function", "strange_metrics:precision", *words[0])
    assert result.exit_code == 2
    assert words[1] in result.stderr


def test_metrics_that_cannot_be_asked_the_same_are_refused() -> None:
    with pytest.raises(RankmeterError, match="takes k"):
        rm.hunt(strangers.recall_in_a_set, lambda retrieved, relevant: 0.0)
    with pytest.raises(RankmeterError, match="inputs"):
        rm.hunt(strangers.recall_in_a_set, "R@10", inputs=0)
