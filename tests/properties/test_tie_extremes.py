"""No measure moves under ties in silence: its bounds hold every order of a tie, or a note says they are unknown."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.properties.strategies import by_night, usual, values_of

import rankmeter as rm
from rankmeter.errors import MeasureError
from rankmeter.measures import REGISTRY, Measure, RankedMeasure
from rankmeter.measures.base import TIES
from rankmeter.measures.slate_base import ORDERS


@rm.measure
def HighestOfTwo(grades):
    """A user's own measure, which looks at the order within the first two places."""
    return 3.0 * float(grades[0] if len(grades) else 0) + float(max(grades[:2], default=0))


NAMES = sorted(name for name, measure in REGISTRY.items() if isinstance(measure, RankedMeasure) and not measure.custom)
ITEMS = "abcde"
SCORES = [-1.0, 1.0, 2.0]
GRADES = [-1, 0, 0, 1, 1, 2, 3]
STEP = 2.0**-4
"""Small enough that another tie is not reached, exact in single precision too."""

graded = st.dictionaries(st.sampled_from([*ITEMS, "unreturned"]), st.sampled_from(GRADES), min_size=1)
topical = st.dictionaries(
    st.sampled_from(ITEMS),
    st.dictionaries(st.sampled_from(["s", "t"]), st.sampled_from([0, 1]), min_size=1),
    min_size=1,
)
scored = st.dictionaries(st.sampled_from(ITEMS), st.sampled_from(SCORES), min_size=2)


def orders(run: dict[str, float]) -> Iterator[dict[str, float]]:
    """The run with every order of its ties, as scores without a tie."""
    ties = [[item for item in run if run[item] == score] for score in SCORES]
    for order in itertools.product(*map(itertools.permutations, ties)):
        yield {item: run[item] + STEP * place for tie in order for place, item in enumerate(tie)}


@st.composite
def variants(draw: st.DrawFn, name: str, fixed: tuple[str, ...]) -> Measure:
    """A measure with some options changed, under a tie rule that makes one order."""
    measure = usual(name)
    changes: dict[str, Any] = {}
    for option in fields(measure):
        values = values_of(measure, option)
        values = list(measure.aggregates) if option.name == "aggregate" else values
        if option.name not in (*fixed, "ties", "duplicates") and values and draw(st.integers(0, 4)) == 0:
            changes[option.name] = draw(st.sampled_from(values))
    changes["cutoff"] = draw(st.sampled_from([None, 1, 2, 3]))
    changes["ties"] = draw(st.sampled_from(ORDERS))
    try:
        return measure(**changes)
    except MeasureError:
        return measure(cutoff=changes["cutoff"], ties=changes["ties"])


def check(judgments: Any, run: dict[str, dict[str, float]], measure: Measure, reached: list[float]) -> None:
    """Compare what is reported of ties with the values that all orders of them reach."""
    ends = [measure(ties=rule) for rule in ("worst", "best") if rule in measure.tie_rules]
    ev = rm.evaluate(judgments, run, [measure, *ends])
    if any(note.startswith(f"ties may move {measure} ") for note in ev.facts.notes):
        for end in ends:
            assert any(note.startswith(f"ties may move {end} ") for note in ev.facts.notes), "an end that may be none"
        return
    value = ev.means[measure]
    if math.isnan(value):
        assert all(map(math.isnan, reached))
        return
    low, high = ev.tie_bounds.get(measure, (value, value))
    assert low - 1e-9 <= min(reached), measure
    assert max(reached) <= high + 1e-9, measure
    if measure.candidates != "appended":  # whose appended items tie with each other, too
        assert (min(reached), max(reached)) == pytest.approx((low, high)), measure
    if ends:
        assert sorted(ev.means[end] for end in ends) == pytest.approx([low, high])


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=by_night(8, night=30))
@given(st.data())
def test_bounds_hold_every_order_of_a_tie_or_a_note_says_that_they_are_unknown(name, draws):
    measure = draws.draw(variants(name, fixed=("aggregate",)))
    run = draws.draw(scored)
    truth: Any = draws.draw(topical if measure.subtopics else graded)
    if not measure.subtopics:
        truth["unreturned"] = 3  # so that no threshold is above all grades
    # Every order is a query of its own: one evaluation has them all.
    every = {f"q{number}": order for number, order in enumerate(orders(run))}
    found = rm.evaluate(dict.fromkeys(every, truth), every, [measure]).values[measure]
    reached = [value if counts else math.nan for value, counts in zip(found.value, found.counted, strict=True)]
    check({"q": truth}, {"q": run}, measure, reached)


@settings(max_examples=60)
@given(st.data())
def test_bounds_of_several_queries_hold_every_order_whatever_the_aggregate(draws):
    measure = draws.draw(variants(draws.draw(st.sampled_from(NAMES)), fixed=()))
    assume(not measure.subtopics)
    truth = {query: draws.draw(graded) | {"unreturned": 3} for query in "qr"}
    run = {query: draws.draw(st.dictionaries(st.sampled_from("abc"), st.just(1.0), min_size=1)) for query in "qr"}
    every = itertools.product(*(orders(run[query]) for query in "qr"))
    reached = [rm.evaluate(truth, dict(zip("qr", order, strict=True)), [measure]).means[measure] for order in every]
    check(truth, run, measure, reached)


def under(measure: Any, rules: Sequence[str]) -> Any:
    """The measure under the first of the rules that it takes; None if it takes none of them."""
    for ties in rules:
        try:
            return measure(ties=ties)
        except MeasureError:
            continue
    return None


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=by_night(8, night=30))
@given(st.data())
def test_the_value_under_every_tie_rule_lies_within_its_own_bounds(name, tmp_path_factory, draws):
    drawn: Any = draws.draw(variants(name, fixed=()))
    measure = under(drawn, draws.draw(st.permutations(TIES)))
    truth: Any = {query: draws.draw(topical if measure.subtopics else graded) for query in "qr"}
    if not measure.subtopics:
        truth["q"]["unreturned"] = 3
    run = {query: draws.draw(scored) for query in "qr"}
    ev = rm.evaluate(truth, run, [measure])
    blocks = rm.evaluate(truth, run, [measure], per_query_to=tmp_path_factory.mktemp("values") / "values.parquet")
    for found in (ev, blocks):
        value = found.means[measure]
        low, high = found.tie_bounds.get(measure, (value, value))
        assert math.isnan(value) or low <= value <= high
        assert math.isnan(value) or not found.tie_bounds or low < high


def test_a_rank_that_a_tie_shares_is_within_the_bounds():
    truth, run = {"q": {"a": 1, "b": 1}}, {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    ev = rm.evaluate(truth, run, ["RR(ties=shared)", "RR(ties=middle)", "P(ties=shared)@2"])
    assert list(ev.tie_bounds.values()) == [(pytest.approx(1 / 3), 1.0), (0.5, 1.0), (0.0, 1.0)]
    alike = rm.evaluate(truth, {"q": {"a": 1.0, "b": 1.0}}, ["RR(ties=shared)", "RR(ties=mean)"])
    assert list(alike.tie_bounds.values()) == [(0.5, 1.0)]


@pytest.mark.parametrize("name", NAMES)
def test_an_untied_run_has_neither_bounds_nor_a_note(name):
    truth: Any = {"q": {"a": {"s": 1}}} if usual(name).subtopics else {"q": {"a": 3, "b": 1}}  # type: ignore[attr-defined]
    ev = rm.evaluate(truth, {"q": {"a": 1.0, "b": 2.0, "c": 3.0}}, [usual(name)])
    assert not ev.tie_bounds
    assert not any("ties" in note for note in ev.facts.notes)
