"""The prose of the measures of lists: options are described, examples are those that run in the docstrings."""

from __future__ import annotations

import doctest
import re
from dataclasses import fields

import pytest

from rankmeter.measures import REGISTRY
from rankmeter.measures.base import rule_of
from rankmeter.measures.prose import read_convention, read_prose
from rankmeter.measures.slate_base import SlateMeasure

LISTS = {name: measure for name, measure in REGISTRY.items() if isinstance(measure, SlateMeasure)}


@pytest.mark.parametrize("name", sorted(LISTS))
def test_the_example_states_the_value_that_the_docstring_computes(name):
    examples = doctest.DocTestParser().get_examples(type(LISTS[name]).__doc__ or "")
    values = re.findall(r"\d+\.\d+", examples[-1].want)
    assert values
    for language in ("en", "zh"):
        for value in values:
            assert value[:6] in read_prose(name, language).example


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", sorted(LISTS))
def test_every_option_and_every_choice_is_described(name, language):
    for option in fields(LISTS[name]):
        rule = rule_of(option)
        choices = LISTS[name].aggregates if option.name == "aggregate" else rule.choices
        assert read_convention(name, option.name, None, language).decides, option.name
        for choice in choices:
            assert read_convention(name, option.name, choice, language).meaning, (option.name, choice)
