"""Strategies and protocols are told in words, and the rows shown are those that a split of the example gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter.cli.application import app
from rankmeter.errors import MeasureError
from rankmeter.wings import table
from rankmeter.wings.protocol.explaining import DAYS, TYPED
from rankmeter.wings.protocol.steps import parse_after, parse_before
from rankmeter.wings.protocol.strategies import STRATEGIES
from rankmeter.wings.protocol.tool_words import RULES

WORDS = [f"{tool}:{name}" for tool, names in RULES.items() for name in names]
ROWS = {
    "user": [user for user, days in DAYS.items() for _ in days],
    "item": [f"i{place}" for days in DAYS.values() for place in range(1, len(days) + 1)],
    "time": [f"2024-06-{day:02d}" for days in DAYS.values() for day in days],
    "session": [f"{user}{place}" for user, days in DAYS.items() for place in range(1, len(days) + 1)],
}
STEPS = ("rating(1)", "duplicates(last)", "k_core(1)", "min_user(1)", "min_item(1)")


def test_every_strategy_and_tool_is_explained_and_every_word_of_a_tool_is_listed_once() -> None:
    ours = {name for name, module in table.EXPLAINED.items() if ".protocol." in module}
    ours.remove("rankmeter.wings.Protocol")  # by its kind
    assert ours == {*STRATEGIES, *RULES} - {"inferred"}
    assert {text.partition("(")[0] for text in TYPED} == {*STRATEGIES} - {"inferred"}
    listed = [one.partition("(")[0] for words in TYPED.values() for one in words.split()]
    assert sorted(listed) == sorted(WORDS)
    for name in ours:
        with pytest.raises(MeasureError):
            rm.parse(name)


@pytest.mark.parametrize("text", [*sorted({*STRATEGIES, *RULES} - {"inferred"}), *TYPED, *WORDS])
def test_the_rows_shown_are_those_of_a_split(text: str) -> None:
    told: Any = rm.explain(text)
    assert told.rows
    for row in told.rows:
        if row.test is None:
            with pytest.raises(rm.InputError):
                rm.split(ROWS, row.name)
            continue
        made = rm.split(ROWS, row.name)
        assert row.folds == len(made)
        for name in ("train", "validation", "test"):
            held = made.folds[0].part(name).select("session").to_series().to_list()
            assert getattr(row, name).split() == held
    if ":" in text:
        assert any(row.name.startswith(text) for row in told.rows)


def test_parameters_are_those_asked_for_with_the_defaults_of_the_tool() -> None:
    told: Any = rm.explain("recbole:RS(0.7, group_by=none)")
    assert dict(told.stated) == {"train": "0.7", "valid": "0.1", "test": "0.1", "order": "TO", "group_by": "none"}
    assert dict(rm.explain("last_n(2)").stated) == {"n": "2", "few": "keep"}


def test_what_is_no_strategy_is_refused() -> None:
    for text in ("recbole:LX", "last_n(0)", "last_n(1,2,3)"):
        with pytest.raises(rm.InputError):
            rm.explain(text)
    with pytest.raises(rm.InputError, match="cannot be explained"):
        rm.explain(3)  # type: ignore[call-overload]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_protocol_is_told_step_by_step_from_the_value_its_file_and_a_saved_evaluation(
    tmp_path: Path, lang: str
) -> None:
    rows = pl.DataFrame(ROWS).with_columns(rating=pl.lit(5.0))
    made = rm.split(rows, "last_n(1)", before=STEPS, after="cold_users,cold_items,seen")
    told: Any = rm.explain(made.protocol)
    steps = [step for step, _ in told.steps]
    assert steps == [
        *(text for text, _ in parse_before(STEPS)),
        "last_n(1)",
        *parse_after("cold_users,cold_items,seen"),
    ]
    assert len({means.text("en") for _, means in told.steps}) == len(steps)
    made.write(str(tmp_path / "parts"), format="csv")
    ev = rm.evaluate(made, {"a": ["i5"], "b": ["i3"]}, "HR@1")
    ev.save(tmp_path / "ev.parquet")
    measured = told.to_dict()
    measured["protocol"]["lists"] = {"systems": ("run",), "share": 0.0, "with_baselines": False}
    assert rm.explain(ev.protocol).to_dict() == measured
    seen = {"en": "seen items excluded: no list of run", "zh": "已排除看过的条目：run 的列表"}[lang]
    assert seen in rm.explain(ev.protocol).to_text(lang)
    expected = {tmp_path / "parts" / "protocol.json": told.to_dict(), tmp_path / "ev.parquet": measured}
    for path, plain in expected.items():
        assert rm.explain(str(path)).to_dict() == plain
        shown = CliRunner().invoke(app, ["explain", str(path), "--lang", lang, "--format", "json"])
        assert shown.exit_code == 0, shown.output
        assert json.loads(shown.stdout)["steps"] == told.to_dict()["steps"]
        text = CliRunner().invoke(app, ["explain", str(path), "--lang", lang]).stdout
        assert {"en": "What it does to a number", "zh": "对数值的影响"}[lang] in text
        assert made.protocol.line(lang).split("; " if lang == "en" else "；")[0] in text


def test_protocols_that_others_made_are_told_too() -> None:
    train = {"user": [1, 1, 2], "item": ["a", "b", "a"], "time": [1, 2, 5]}
    stated = rm.protocol_of(train, {"user": [1, 2], "item": ["c", "b"], "time": [3, 6]})
    told: Any = rm.explain(stated)
    assert [step for step, _ in told.steps] == ["last_n(1)"]


def test_a_file_without_a_protocol_is_refused_in_a_sentence(tmp_path: Path) -> None:
    rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "HR@1").save(tmp_path / "ev.parquet")
    (tmp_path / "x.csv").write_text("user,item\na,b\n")
    (tmp_path / "cut.json").write_text('{"rankmeter_protocol": 1')
    said = {"ev.parquet": "states no protocol", "x.csv": "is a file", "cut.json": "cut.json"}
    for name, sentence in said.items():
        shown = CliRunner().invoke(app, ["explain", str(tmp_path / name)])
        assert shown.exit_code == 2
        assert sentence in shown.output


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_command_shows_a_strategy(lang: str) -> None:
    for text in ("last_n(1)", "recbole:LS", "recbole"):
        shown = CliRunner().invoke(app, ["explain", text, "--lang", lang])
        assert shown.exit_code == 0, shown.output
        assert "recbole:LS" in shown.stdout
        assert {"en": "Who tests which rows", "zh": "各写法测试哪些行"}[lang] in shown.stdout
    assert CliRunner().invoke(app, ["explain", "recbole:LX"]).exit_code == 2
