"""The same judgments and run give the same numbers, or are refused, by whatever route they come.

What is expected is worked out here, by rules a line long and the oracle, and not by one of the routes.
"""

from __future__ import annotations

import math
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.oracle import oracle
from tests.properties.routes import ROUTES, Case, Route, Side
from tests.properties.strategies import by_night

import rankmeter as rm

MEASURES = [
    "RR", "AP", "nDCG@3", "P@2", "R@2", "RR(queries=run)", "RR(queries=common)", "RR(empty=skip)", "AP(blank=skip)",
    "AP(ties=mean)", "nDCG(ties=worst)@2", "P(queries=run,blank=skip)@1", "NumRet(queries=run)",
    "RR(ties=item-ascending)",
]  # fmt: skip
TEXT = ["a", "b", "9", "10", "ä", "B", "_x"]
NUMBERS = [1, 2, 10, 9, 2**53, 2**53 + 1, -3]
COLLIDING = [2, 7712040753624973262, 1, 0, 3]
"""Whole numbers that, with queries numbered 0 and 1, once shared a key."""
ODD_TEXT = ["a b", "x,y", 'say "x"', "NaN", "null", "None", "1_0", "0", "01", "1", " lead", "\N{SNOWMAN}", "1.0"]
MIXED = [1, "2", 3, "b", 10]
BAD_IDS = [None, 2.5, math.nan, (1, 2, 3), b"a", True, False]
HALF = "\ud800"
"""Half a character."""
BAD_VALUES = [math.nan, None, "1_0", "5", 2**63 + 1, "x", 2**53 + 1, -(2**53) - 1]
GRADES = ["grade", "relevancy", "label", "y_true", "Rel", "rating"]
SCORES = ["score", "y_pred", "est", "bm25_score", "Model Score", "logit", "probability"]
UNKNOWN = ["weight", "distance", "mystery", "x.y", "5", "value", ""]
"""What nobody can tell from a name."""


def sides(ids: list[Any], values: list[Any], *, odd: st.SearchStrategy[Any] | None = None) -> st.SearchStrategy[Side]:
    query, item = st.sampled_from(ids[:4]), st.sampled_from(ids)
    items = st.lists(st.tuples(item, st.sampled_from(values) if odd is None else odd), max_size=5).map(tuple)
    return st.lists(st.tuples(query, items), min_size=1, max_size=4, unique_by=lambda one: repr(one[0])).map(tuple)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Mostly clean data with ties and empty lists; some with an odd id or value in the middle."""
    ids = draw(st.sampled_from([TEXT, NUMBERS, COLLIDING, ODD_TEXT, MIXED]))
    judgments = draw(sides(ids, [0, 1, 2, 1.5]))
    run = draw(sides(ids, [1.0, 0.5, 0.5, -1.0, 2, 3]))
    if draw(st.integers(0, 3)):  # mostly no item twice
        judgments, run = (tuple((q, tuple(dict(items).items())) for q, items in side) for side in (judgments, run))
    wrong = draw(st.sampled_from(["", "", "", "", "id", "value"]))
    if wrong:
        side = list(draw(st.sampled_from([judgments, run])))
        was_run = tuple(side) == run
        at = draw(st.integers(0, len(side) - 1))
        query, items = side[at]
        middle = len(items) // 2
        if wrong == "id":
            # In a mapping with scores half a character is not looked for.
            odd = draw(st.sampled_from(BAD_IDS if was_run else [*BAD_IDS, HALF])), draw(st.sampled_from([1, 2]))
        else:
            odd = "odd" if isinstance(ids[0], str) else 77, draw(st.sampled_from(BAD_VALUES))
        side[at] = (query, (*items[:middle], odd, *items[middle:]))
        judgments, run = (judgments, tuple(side)) if was_run else (tuple(side), run)
    chosen = tuple(draw(st.lists(st.sampled_from(MEASURES), min_size=1, max_size=3, unique=True)))
    made = Case(judgments, run, chosen, draw(st.sampled_from([None, None, "first", "best"])))
    if not wrong and not draw(st.integers(0, 3)):
        return replace(made, names=draw(st.sampled_from(NAMES)))
    return made


NAMES = [
    *(("grade", name) for name in (*SCORES, *GRADES, *UNKNOWN)),
    *((name, "score") for name in (*SCORES, *GRADES, *UNKNOWN)),
    ("relevancy", "y_pred"), ("score", "grade"), ("mystery", "mystery"),
]  # fmt: skip


REFUSED = "refused"


def is_id(value: Any) -> bool:
    return type(value) in (str, int) and value != HALF


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not math.isnan(value) and int_is_exact(value)


def int_is_exact(value: Any) -> bool:
    return not isinstance(value, int) or int(float(value)) == value


def deduplicated(items: tuple[tuple[Any, float], ...], policy: str | None) -> dict[Any, float] | None:
    """A list as a mapping; None where an item stands twice and nothing says what to do.

    Judgments are ``repeated``: one that says the same again changes nothing.
    """
    made: dict[Any, float] = {}
    for item, value in items:
        if item in made and (policy is None or (policy == "repeated" and value != made[item])):
            return None
        if item not in made:
            made[item] = value
        elif policy == "best" and value > made[item]:
            del made[item]
            made[item] = value
    return made


def expected(case: Case) -> Any:
    """What every route must say: refused, or for each measure the mean and the value of each query."""
    if not case.judgments or not case.run or not all(map(is_id, case.ids())):
        return REFUSED
    if case.names[0] not in GRADES or case.names[1] not in SCORES:
        return REFUSED
    if not all(is_number(value) for _, value in case.pairs()):
        return REFUSED
    text = [len({type(one) for one in kinds}) > 1 for kinds in _ids_by_kind(case)]
    judgments, run = {}, {}
    for side, made, policy in ((case.judgments, judgments, "repeated"), (case.run, run, case.duplicates)):
        for query, items in side:
            found = deduplicated(tuple((str(i) if text[1] else i, v) for i, v in items), policy)
            key = str(query) if text[0] else query
            if found is None or key in made:
                return REFUSED
            made[key] = found
    if not judgments.keys() & run.keys():
        return REFUSED
    answers = {}
    for name in case.measures:
        measure = rm.parse(name)
        mean, values = oracle(measure, judgments, run)
        answers[name] = mean, {str(query): value for query, value in values.items() if value is not None}
    return answers


def _ids_by_kind(case: Case) -> tuple[list[Any], list[Any]]:
    return [q for side in (case.judgments, case.run) for q, _ in side], [i for i, _ in case.pairs()]


def answered(ev: Any, case: Case) -> dict[str, Any]:
    ev = ev.collect()
    answers = {}
    for name in case.measures:
        measure = ev.find(name)
        values = ev.values[measure]
        by_query = {str(q): v for q, v, c in zip(ev.queries.to_list(), values.value, values.counted, strict=True) if c}
        assert len(by_query) == int(values.counted.sum()), "a query has two rows"
        answers[name] = ev.means[measure], by_query
    return answers


def check(route: Route, case: Case) -> None:
    carried = route.carried(case)
    if carried is None:
        return
    wanted = expected(carried)
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore", rm.RankmeterWarning)
        try:
            ev = route.go(carried, Path(folder))
            if ev is None:
                return
            got = answered(ev, carried)
        except rm.RankmeterError as error:
            if wanted != REFUSED:
                pytest.fail(f"refused: {error}")
            return
    assert wanted != REFUSED, f"not refused, but {got}"
    for name, (mean, values) in wanted.items():
        assert got[name][1] == pytest.approx(values, abs=1e-12), name
        assert got[name][0] == pytest.approx(mean, abs=1e-12, nan_ok=True), name


def simple(judgments: dict[Any, dict[Any, Any]], run: dict[Any, dict[Any, Any]], *measures: str) -> Case:
    sides = (tuple((q, tuple(items.items())) for q, items in side.items()) for side in (judgments, run))
    return Case(*sides, measures)


TWO = simple({"q": {"a": 0, "b": 1}}, {"q": {"a": 0.5, "b": 1.0}}, "RR", "AP")


@pytest.mark.parametrize("route", ROUTES)
@settings(max_examples=by_night(8, night=100))
@given(case=cases())
@example(simple({1: {1: 1, "2": 1, 3: 0}}, {1: {1: 3, 2: 2, 3: 1}}, "AP"))
@example(simple({"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 1}, "r": {}, "s": {}}, "RR(queries=run)"))
@example(simple({"q": {}, "r": {"a": 1}}, {"q": {"a": 1.0}, "r": {"a": 1.0, "b": 0.5}}, "RR", "RR(empty=skip)"))
@example(simple({0: {2: 1}, 1: {7712040753624973262: 1}}, {0: {2: 1.0}, 1: {7712040753624973262: 2.0}}, "RR"))
@example(replace(TWO, names=("grade", "y_pred")))
@example(replace(TWO, names=("relevancy", "score")))
@example(replace(TWO, names=("grade", "distance")))
@example(replace(TWO, names=("grade", "mystery")))
@example(replace(TWO, names=("mystery", "score")))
@example(replace(TWO, names=("score", "grade")))
def test_every_route_gives_the_same_number_or_refuses(route: str, case: Case) -> None:
    check(ROUTES[route], case)
