"""The prose of the measures of lists: options are described."""

from __future__ import annotations

import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from rankmeter.measures import REGISTRY, prose
from rankmeter.measures.base import rule_of
from rankmeter.measures.prose import conventions, read_convention
from rankmeter.measures.slate_base import SlateMeasure

PROSE = Path(prose.__file__).parent
LISTS = {name: measure for name, measure in REGISTRY.items() if isinstance(measure, SlateMeasure)}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", sorted(LISTS))
def test_every_option_and_every_choice_is_described(name, language):
    for option in fields(LISTS[name]):
        rule = rule_of(option)
        choices = LISTS[name].aggregates if option.name == "aggregate" else rule.choices
        assert read_convention(name, option.name, None, language).decides, option.name
        for choice in choices:
            assert read_convention(name, option.name, choice, language).meaning, (option.name, choice)


def test_no_option_is_described_twice():
    files = [PROSE / "conventions.toml", PROSE / "slate_conventions.toml"]
    files += PROSE.parents[1].glob("wings/*/words/prose/conventions.toml")
    described = [option for file in files for option in tomllib.loads(file.read_text("utf-8"))]
    assert sorted(described) == sorted(conventions())


@pytest.mark.wings("online")
def test_an_option_that_means_something_else_in_a_measure_is_described_there():
    told = {name: read_convention(name, "alpha", 0.5).decides for name in ("alpha_nDCG", "Calibration")}
    assert "subtopic" in told["alpha_nDCG"]
    assert "history" in told["Calibration"]
    assert "session" in read_convention("CVR", "gap", 30).decides
    assert "means" in read_convention("SegmentGap", "gap", "mad").decides
