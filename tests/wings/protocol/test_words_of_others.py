"""`rectools:last_n(1)` and the like give the rows that were recorded of the tools; random ones as many."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmeter as rm
from rankmeter.errors import InputError
from rankmeter.wings.protocol.interactions import Interactions, read_interactions
from rankmeter.wings.protocol.steps import parse_before
from rankmeter.wings.protocol.strategies import Draw
from rankmeter.wings.protocol.tool_rules import RULES
from rankmeter.wings.protocol.tool_words import parse_how

RECORDED = json.loads(gzip.decompress((Path(__file__).parent / "split_cases.json.gz").read_bytes()))
TABLES = {table["id"]: table for table in RECORDED["tables"]}
LETTERS = np.array([".", "t", "v", "T"])


@cache
def interactions(name: str, *, dates: bool) -> Interactions:
    table = TABLES[name]
    times = table["t"]
    if dates and table["time"] != "text":
        unit = 86400 if table["unit"] == "D" else 1
        times = [datetime.fromtimestamp(time * unit, UTC).replace(tzinfo=None) for time in times]
    columns = {"user": table["user"], "item": table["item"], "time": times, "rating": table["rating"]}
    if "session" in table:
        columns["session"] = table["session"]
    return read_interactions(pl.DataFrame(columns))[0]


def prepared(case: dict[str, Any]) -> tuple[Interactions, np.ndarray]:
    """The rows that steps before keep."""
    table = interactions(case["table"], dates="dates" in case)
    rows = np.arange(len(table))
    for _, step in parse_before(case["before"]):
        rows = rows[step.keep(table.take(rows), "rows")]
    return table, rows


def labels_of(case: dict[str, Any]) -> list[str]:
    table, rows = prepared(case)
    if "how" not in case:
        return ["".join(np.where(np.isin(np.arange(len(table)), rows), "k", "."))]
    folds = []
    for labels in parse_how(case["how"]).divide(table.take(rows), Draw()).folds:
        every = np.zeros(len(table), np.uint8)
        every[rows] = labels
        folds.append("".join(LETTERS[every]))
    return folds


def agrees(case: dict[str, Any], folds: list[str]) -> bool:
    """Whether the labels are the recorded ones, as exactly as the tool itself is."""
    if case["rule"] in ("same", "no rule") and folds == case["labels"]:
        return True
    if case["rule"] == "same":
        return False
    table = interactions(case["table"], dates="dates" in case)

    def counted(labels: list[str], *columns: Any) -> list[Counter[Any]]:
        return [Counter(zip(*(column.tolist() for column in columns), fold, strict=True)) for fold in labels]

    user, time = table.user.codes, table.times
    looks = [(user, time), (time,), *([(user,)] if case["rule"] == "test counts only" else [])]
    if "how" not in case:
        looks.append((user, table.item.codes, time))
    tested = [[fold.replace("t", ".") for fold in some] for some in (folds, case["labels"])]
    return any(counted(folds, *look) == counted(case["labels"], *look) for look in looks) or (
        case["rule"] == "test counts only" and counted(tested[0], user) == counted(tested[1], user)
    )


def of_tool(tool: str, *keys: str) -> list[dict[str, Any]]:
    return [c for c in RECORDED["cases"] if c.get("how", ":").startswith(f"{tool}:") and all(key in c for key in keys)]


def test_every_word_was_recorded() -> None:
    words = {case["how"].partition("(")[0] for case in RECORDED["cases"] if "how" in case}
    assert {f"{tool}:{word}" for tool, known in RULES.items() for word in known} == words


@pytest.mark.parametrize("tool", [*RULES])
def test_the_rows_are_those_of_the_tool(tool: str) -> None:
    cases = of_tool(tool, "labels")
    wrong = [(case["table"], case["how"], case["rule"]) for case in cases if not agrees(case, labels_of(case))]
    assert wrong == []
    assert len(cases) >= 70


@pytest.mark.parametrize(
    "tool", ["rectools", "replay", "lenskit", "recbole", "recommenders", "cornac", "datarec", "warprec"]
)
def test_random_parts_are_as_large_as_the_tools(tool: str) -> None:
    cases = of_tool(tool, "sizes")
    for case in cases:
        folds = labels_of(case)
        assert len(folds) == case["folds"], case["how"]
        if case["sizes"] is not None:
            names = {"train": "t", "valid": "v", "test": "T"}
            if ":cold_users(" in case["how"]:  # users are drawn, whatever they hold
                user = interactions(case["table"], dates=False).user.codes
                tested = {one for one, letter in zip(user.tolist(), folds[0], strict=True) if letter == "T"}
                assert len(tested) == round(0.25 * len(np.unique(user)))
                continue
            if case["how"].startswith("cornac:cross_validation"):  # rows left over are in any fold, by chance
                rows, k = len(folds[0]), case["folds"]
                for fold in folds:
                    assert 0 <= fold.count("T") - rows // k <= rows % k
                    assert fold.count("t") + fold.count("T") == rows
                assert sum(fold.count("T") for fold in folds) == rows
                continue
            if tool == "lenskit":  # how many rows leave train with a repeated pair is chance
                names, case["sizes"] = {"test": "T"}, [{"test": size["test"]} for size in case["sizes"]]
            got = [{name: fold.count(letter) for name, letter in names.items()} for fold in folds]
            assert got == case["sizes"], (case["table"], case["how"])
    assert cases


@pytest.mark.parametrize("tool", ["cornac", "datarec"])
def test_what_a_tool_refuses_is_refused(tool: str) -> None:
    cases = of_tool(tool, "error")
    for case in cases:
        table, rows = prepared(case)
        with pytest.raises(InputError, match=f"{tool} refuses this split"):
            parse_how(case["how"]).divide(table.take(rows), Draw())
    assert len(cases) >= 9


def test_steps_keep_the_rows_that_filters_keep() -> None:
    cases = [case for case in RECORDED["cases"] if "how" not in case and "labels" in case]
    assert [(case["table"], case["before"]) for case in cases if not agrees(case, labels_of(case))] == []
    assert len(cases) > 700


def test_where_a_filter_leaves_nothing_nothing_is_left() -> None:
    for case in (case for case in RECORDED["cases"] if "how" not in case and "error" in case):
        assert not len(prepared(case)[1]), case


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ("rectool:last_n(1)", "did you mean 'rectools'"),
        ("rectools:lastn(1)", "did you mean 'last_n'"),
        ("rectools:last_n(m=1)", "arguments that do not fit"),
        ("recbole:RS(a,b,c)", "train=a is not possible; expected a number"),
    ],
)
def test_unknown_words_are_a_sentence(how: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        rm.split({"user": [1, 1], "item": [1, 2], "time": [1, 2]}, how)


def test_the_word_of_a_tool_stands_in_the_protocol() -> None:
    rows = {"user": [1, 1, 1], "item": ["b", "a", "c"], "time": [1, 2, 2]}
    protocol = rm.split(rows, "recbole:LS").protocol
    assert protocol.ties == "rows"
    assert "as recbole does with LS" in protocol.line()
