"""Calls on little data go a way of their own; nobody can tell but by the time it takes."""

from __future__ import annotations

import copy
import pickle
import re
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeter as rm
from rankmeter.arithmetic.single_lists import PLAIN
from rankmeter.evaluating import verb
from rankmeter.evaluating.asking import ask
from rankmeter.measures.base import REGISTRY

PLAIN_MEASURES = sorted(
    name for name, measure in REGISTRY.items() if type(measure).formula in PLAIN and measure.aggregate == "mean"
)
OPTIONS = [
    "",
    "@1",
    "@3",
    "@10",
    "(rel=2)",
    "(rel=2)@2",
    "(gain=exp2)@3",
    "(gain=binary)",
    "(discount=jk)@3",
    "(norm=capped)@3",
    "(mult=1.4)",
    "(recall=0.3)",
    "(recall=1,rounding=trec9,cutoff=2)",
]
TEXTS = [
    text
    for name in PLAIN_MEASURES
    for option in OPTIONS
    if all(hasattr(REGISTRY[name], field) for field in re.findall(r"(\w+)=", option))
    and ("norm" not in option or name == "P")
    and ("@" not in option or REGISTRY[name].at == "cutoff")
    for text in [f"{name}{option}"]
]

item = st.sampled_from(["a", "b", "c", "d10", "d9", "é", "f", "\ud800", "x y"])
odd = st.sampled_from([None, True, "1", 1.5, np.float32(0.5), float("nan"), float("inf"), 10**400, 2**60, -3, {}])
score = st.one_of(st.sampled_from([0.0, -0.0, 0.5, 1.0, 2.0, -1.5]), st.floats(-5, 5), odd)
grade = st.one_of(st.integers(-2, 4), st.integers(0, 3), odd)
query = st.sampled_from(["q1", "q2", "q3", "ü"])


def mostly(usual: st.SearchStrategy[Any], rarely: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.integers(0, 9).flatmap(lambda number: rarely if number == 0 else usual)


judged = mostly(
    st.dictionaries(item, mostly(st.integers(-1, 3), grade), max_size=6),
    st.one_of(st.sets(item, max_size=4), st.lists(item, max_size=4), st.just(None), st.just("a")),
)
listed = mostly(
    st.dictionaries(item, mostly(st.sampled_from([0.0, 0.5, 1.0, 2.5, 3.25]), score), max_size=8),
    st.one_of(
        st.lists(item, max_size=5),
        st.sets(item, max_size=3),
        st.just(None),
        st.dictionaries(st.integers(0, 9), st.floats(0, 1)),
    ),
)
lists_only = st.dictionaries(query, st.lists(item, max_size=5), max_size=3)
runs = mostly(st.dictionaries(query, listed, max_size=4), lists_only)


def outcome(judgments: object, run: object, measures: list[str], *, little: bool) -> Any:
    """Everything that an evaluation says, or the error that it ends in, and what was warned of."""
    with warnings.catch_warnings(record=True) as caught, pytest.MonkeyPatch.context() as patched:
        warnings.simplefilter("always")
        if not little:
            patched.setattr(verb, "evaluate_little", lambda *_: None)
        try:
            ev = rm.evaluate(judgments, run, measures)
        except Exception as error:  # noqa: BLE001 (whatever it is, it must be the same)
            said: Any = type(error), str(error)
        else:
            said = {
                "means": {str(m): value.hex() for m, value in ev.means.items()},
                "values": {str(m): [part.tobytes() for part in _parts(v)] for m, v in ev.values.items()},
                "queries": ev.queries.to_list(),
                "bounds": {str(m): ends for m, ends in ev.tie_bounds.items()},
                "facts": ev.facts,
                "judged by": None if ev.judged_by is None else ev.judged_by.value,
                "sentences": [str(sentence) for sentence in ev.sentences()],
                "asked": {text: str(m) for text, m in ev.asked.items()},
            }
    return said, [str(warning.message) for warning in caught]


def _parts(values: Any) -> list[Any]:
    return [values.value, values.counted, values.numerator, values.denominator]


@given(st.dictionaries(query, judged, max_size=4), runs, st.lists(st.sampled_from(TEXTS), min_size=1, max_size=3))
def test_little_data_gives_to_the_last_bit_what_the_general_way_gives(judgments, run, measures) -> None:
    assert outcome(judgments, run, measures, little=True) == outcome(judgments, run, measures, little=False)


@pytest.mark.parametrize("text", TEXTS)
def test_each_plain_formula_is_taken_and_is_the_same(text) -> None:
    assert ask([text]).plain is not None
    judgments = {"1": {"a": 3, "b": 1, "c": 0, "z": 2}, "2": {"y": 1}, "3": {}, "5": {"a": 2, "b": 2, "c": -1}}
    run = {"1": {"x": 0.5, "a": 0.5, "b": 0.25, "c": 0.9}, "3": {"a": 1.0}, "4": {"a": 2.0}, "5": {"c": 3.0, "b": 1.0}}
    assert outcome(judgments, run, [text], little=True) == outcome(judgments, run, [text], little=False)
    numbered = {int(q): {ord(item): grade for item, grade in items.items()} for q, items in judgments.items()}
    lists = {int(q): [ord(item) for item in items] for q, items in run.items()}
    assert outcome(numbered, lists, [text], little=True) == outcome(numbered, lists, [text], little=False)


@given(st.lists(mostly(st.integers(-1, 4), grade), max_size=8), st.sampled_from(TEXTS))
def test_the_value_of_one_list_of_grades_is_that_of_an_evaluation(grades, text) -> None:
    def value(little: bool) -> Any:
        with pytest.MonkeyPatch.context() as patched:
            if not little:
                patched.setattr(verb, "value_of_grades", lambda *_: None)
            try:
                return rm.value(text, grades=grades).hex()
            except rm.RankmeterError as error:
                return type(error), str(error)

    assert value(little=True) == value(little=False)


def test_what_changes_after_the_call_does_not_change_what_was_evaluated() -> None:
    judgments, run = {"q": {"a": 1, "b": 2}}, {"q": {"a": 1.0, "c": 1.0, "b": 0.5}}
    expected = outcome(copy.deepcopy(judgments), copy.deepcopy(run), ["AP"], little=False)[0]
    ev = rm.evaluate(judgments, run, ["AP"])
    judgments["q"]["a"] = 0
    run["q"].clear()
    assert ev.facts == expected["facts"]
    assert {str(m): ends for m, ends in ev.tie_bounds.items()} == expected["bounds"]
    assert pickle.loads(pickle.dumps(ev)).judged_by.value == expected["judged by"]
