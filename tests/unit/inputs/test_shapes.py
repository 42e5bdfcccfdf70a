"""Data of another shape, or with values that cannot be meant, is refused with a hint, not misread."""

from __future__ import annotations

import decimal
import math
from collections import ChainMap, Counter, OrderedDict, UserDict, defaultdict
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankmeter as rm
from rankmeter.inputs.ids import types_of_ids

JUDGMENTS = {"q": {"a": 1}}
RUN = {"q": {"a": 1.0}}
INF = math.inf


class Miscounted(Mapping):
    """A mapping that says that it holds more than it does."""

    def __init__(self, data):
        self.data = data

    def __getitem__(self, key):
        return self.data[key]

    def __iter__(self):
        return iter(self.data)

    def __len__(self):
        return len(self.data) + 1


KINDS = [
    OrderedDict, ChainMap, Counter, UserDict, MappingProxyType, Miscounted, pd.Series,
    lambda items: defaultdict(int, items),
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", [float, int, np.float32, np.int64, decimal.Decimal])
@pytest.mark.parametrize("length", [3, 300])
def test_a_mapping_of_any_kind_is_read_as_a_dictionary_and_stays_as_it_is(kind, number, length):
    judged = {"q": {f"i{n}": n % 3 for n in range(0, 2 * length, 2)}, "not run": {"i1": 1}}
    listed = {"q": {f"i{n}": 7 * n % length + 2 for n in range(length)}, "unjudged": {"i1": 4}}
    expected = rm.evaluate(judged, listed, ["nDCG@10", "AP", "RR"])
    truth = {query: kind(items) for query, items in judged.items()}
    run = {query: kind({item: number(score) for item, score in items.items()}) for query, items in listed.items()}
    for sides in [(truth, listed), (judged, run), (truth, run)]:
        given = [side if kind is pd.Series else kind(side) for side in sides]
        ev = rm.evaluate(*given, ["nDCG@10", "AP", "RR"])
        assert ev.mean == expected.mean
        assert ev.judged_by.value == expected.judged_by.value
        assert [len(dict(side)) for side in given] == [2, 2]
    assert [len(dict(items)) for items in (*truth.values(), *run.values())] == [length, 1, length, 1]


@pytest.mark.parametrize(
    ("judgments", "message"),
    [
        ({"q": {"a": INF}}, r"judgments: a grade is not finite: inf \(query q, item a\)"),
        ({"q": {"a": 1, "b": -INF}}, r"judgments: a grade is not finite: -inf \(query q, item b\)"),
        (pl.DataFrame({"query": ["q"], "item": ["a"], "grade": [INF]}), "grade is infinite"),
    ],
)
@pytest.mark.parametrize("run", [RUN, pl.DataFrame({"query": ["q"], "item": ["a"], "score": [1.0]})])
def test_an_infinite_grade_is_refused(judgments, run, message):
    if isinstance(run, pl.DataFrame) and isinstance(judgments, dict):
        message = "judgments: a grade is not finite: -?inf"
    with pytest.raises(rm.InputError, match=message):
        rm.evaluate(judgments, run, "AP")


def test_an_infinite_grade_in_an_array_or_list_is_refused():
    with pytest.raises(rm.InputError, match="a grade of the array is not finite at row 0, column 1"):
        rm.evaluate(rm.arrays([[1, INF]]), rm.arrays([[1.0, 2.0]]), "AP")
    with pytest.raises(rm.InputError, match="a grade is not finite: inf"):
        rm.ranked_grades([[1, INF]])


def test_an_infinite_score_in_an_array_is_a_score():
    assert rm.evaluate(rm.arrays([[1, 0]]), rm.arrays([[INF, 2.0]]), "RR")["RR"] == 1.0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.ma.array([[1.0, 2.0]], mask=[[True, False]]), "does not accept masked arrays"),
        (np.array([[1j, 2.0]]), "complex128"),
        (np.array([["2020-01-01"]], "datetime64[D]"), "datetime64"),
        (np.array([[1]], "timedelta64[D]"), "timedelta64"),
    ],
)
def test_arrays_hold_real_numbers_only(values, message):
    with pytest.raises(rm.InputError, match=message):
        rm.arrays(values)


@pytest.mark.parametrize("item", [("a", "b"), ["a", 0.9, 1], {"a": 0.9}, b"a", None, float("nan"), 1.0])
def test_a_list_of_what_is_no_id_is_refused(item):
    with pytest.raises(rm.InputError, match=rf"run: query q holds an item that is {type(item).__name__} .* Hint: "):
        rm.evaluate(JUDGMENTS, {"q": [item]}, "RR")
    with pytest.raises(rm.InputError, match=r"^judgments: query q holds .* Hint: "):
        rm.evaluate({"q": [item]}, RUN, "RR")


@pytest.mark.parametrize("odd", [("a", "b"), ("a", 0.9), b"a", None, float("nan"), 1.0, 1.5])
def test_the_refusal_of_an_id_is_in_one_language(odd):
    def refusal(judgments, run):
        with pytest.raises(rm.InputError) as refused:
            rm.evaluate(judgments, run, "RR")
        return refused.value.text("zh")

    texts = [refusal(JUDGMENTS, {"q": ["x", odd]}), refusal({"q": ["x", odd]}, RUN)]
    texts.append(refusal(JUDGMENTS, {odd: ["a"]}))
    for text in texts:
        assert "编号" in text
        assert not any(word in text for word in (" is ", " that", "holds", "whole numbers", "ids "))


def test_a_refusal_of_fractions_as_grades_says_that_the_two_may_be_swapped():
    with pytest.raises(rm.MeasureError, match=r"swap the two; if they are grades, .*AP\(rel=0\.9\)$"):
        rm.evaluate({"A": {"12": 0.9}}, {"A": ["12"]}, "AP")
    with pytest.raises(rm.MeasureError, match=r"Hint: state the lowest relevant grade: AP\(rel=2\)$"):
        rm.evaluate({"A": {"12": 2}}, {"A": ["12"]}, "AP(rel=3)")


def test_pairs_of_an_item_and_a_number_are_scores_or_grades():
    pairs = {"q": [("b", 0.5), ["a", 0.9]], "none": []}
    assert rm.evaluate({"q": {"a": 1}}, pairs, "RR(queries=run)")["RR(queries=run)"] == 0.5
    assert rm.evaluate({"q": [("a", 0), ("b", 1)]}, {"q": ["a", "b"]}, "RR")["RR"] == 0.5
    with pytest.raises(rm.InputError, match="twice"):
        rm.evaluate({"q": {"a": 1}}, {"q": [("a", 0.5), ("a", 0.9)]}, "RR")
    with pytest.raises(rm.InputError, match="pairs of an item and a number"):
        rm.evaluate({"q": {"a": 1}}, {"q": [("a", 0.5), "b"]}, "RR")


def test_an_item_that_cannot_be_one_is_refused_further_down_too():
    with pytest.raises(rm.InputError, match="query q holds an item that is list"):
        rm.evaluate(JUDGMENTS, {"q": ["a", ["b"]]}, "RR")
    with pytest.raises(rm.InputError, match="query q holds list"):
        rm.evaluate({"q": ["a", ["b"]]}, RUN, "RR")


@pytest.mark.parametrize("item", [None, float("nan"), 1.5, b"a", ("a", "b")])
def test_an_item_of_a_dict_is_text_or_a_whole_number(item):
    for judgments, run in (({"q": {item: 1}}, RUN), (JUDGMENTS, {"q": {item: 1.0}})):
        with pytest.raises(rm.InputError, match="query q holds an item that is"):
            rm.evaluate(judgments, run, "RR")


@pytest.mark.parametrize("query", [None, 1.5, b"q", ("q", 1)])
def test_a_query_is_text_or_a_whole_number(query):
    with pytest.raises(rm.InputError, match="run: a query is"):
        rm.evaluate(JUDGMENTS, {query: {"a": 1.0}}, "RR")


def test_numpy_ids_are_ids():
    judgments = {np.str_("q"): {np.int64(3): 1}}
    assert rm.evaluate(judgments, {np.str_("q"): np.array([4, 3])}, "RR")["RR"] == 0.5


def test_a_series_under_a_query_is_items_with_values():
    judgments = {"q": pd.Series({"a": 0, "b": 1}), "r": {"c": 1}}
    run = {"q": pd.Series([0.1, 0.9], index=["a", "b"]), "r": {"c": 1.0}}
    assert rm.evaluate(judgments, run, "RR")["RR"] == 1.0
    with pytest.raises(rm.InputError, match="the Series of query q has an item more than once"):
        rm.evaluate(judgments, {"q": pd.Series([0.1, 0.9], index=["a", "a"])}, "RR")


def test_a_series_named_like_items_holds_items():
    table = pd.DataFrame({"user": [1, 1, 1, 2], "item_id": [3, 0, 1, 4]})
    by_user = dict(list(table.groupby("user")["item_id"]))
    assert rm.evaluate({1: [1], 2: [4]}, by_user, "RR").per_query["RR"].to_list() == [1 / 3, 1.0]
    assert rm.evaluate(by_user, {1: [7, 3], 2: [4]}, "RR").per_query["RR"].to_list() == [0.5, 1.0]


def test_a_series_of_whole_numbers_that_may_be_items_or_values_is_refused():
    whole = {1: pd.Series([3, 0, 1])}
    with pytest.raises(rm.InputError, match="may be items or scores"):
        rm.evaluate({1: [1]}, whole, "RR")
    with pytest.raises(rm.InputError, match="may be items or grades"):
        rm.evaluate(whole, {1: [1]}, "RR")
    assert rm.evaluate({1: [1]}, {1: pd.Series([0.3, 0.2, 0.1])}, "RR")["RR"] == 0.5


@pytest.mark.parametrize("kind", ["query", "item"])
def test_half_a_character_is_no_id(kind):
    half = "\udc80"
    query, item = (half, "a") if kind == "query" else ("q", half)
    frame = pd.DataFrame({"query": [query], "item": pd.Series([item], dtype=object), "score": [1.0]}, dtype=object)
    with pytest.raises(rm.InputError, match="lone surrogate"):
        rm.evaluate({query: {item: 1}}, frame, "RR")
    with pytest.raises(rm.InputError, match="lone surrogate"):
        rm.evaluate({query: {item: 1}}, {query: {item: 1.0, "b": 1.0}}, "RR")


def test_a_signalling_nan_is_no_number():
    wrong = decimal.Decimal("sNaN")
    frame = pd.DataFrame({"query": ["q"], "item": ["a"], "score": pd.Series([wrong], dtype=object)})
    for run in (frame, {"q": {"a": wrong}}):
        with pytest.raises(rm.InputError, match="is not a number"):
            rm.evaluate(JUDGMENTS, run, "RR")


def test_a_lazy_frame_that_cannot_be_computed_is_an_input_error():
    lazy = pl.LazyFrame({"query": ["q"], "item": ["a"], "score": ["x"]}).with_columns(pl.col("score").cast(pl.Float64))
    with pytest.raises(rm.InputError, match=r"run \(polars LazyFrame\) cannot be computed: "):
        rm.evaluate(JUDGMENTS, lazy, "RR")
    with pytest.raises(rm.InputError, match=r"run \(polars LazyFrame\) cannot be computed: "):
        rm.evaluate(JUDGMENTS, lazy.select("missing"), "RR")


@pytest.mark.parametrize("size", [0, 1, 4, 5, 6, 10, 11, 170, 171, 1000, 43_690, 43_691, 100_000])
@pytest.mark.parametrize("odd", [7, None, 2.5, b"x", ("a",)])
def test_the_types_of_all_ids_are_known_however_a_dictionary_grew(size, odd):
    text = {f"d{n}": 1.0 for n in range(size)}
    assert types_of_ids([text]) == ({str} if size else set())
    keys = list(text)
    middle = [*keys[: size // 2], odd, *keys[size // 2 :]]
    grown = {**dict.fromkeys(keys), odd: 1.0}
    shrunk = dict.fromkeys([*middle, *range(-size, 0)])
    for extra in range(-size, 0):
        del shrunk[extra]
    for mixed in (dict.fromkeys(middle), grown, shrunk, dict(zip(middle, middle, strict=True))):
        assert types_of_ids([text, mixed]) == {type(odd), *types_of_ids([text])}


@pytest.mark.parametrize("odd", [None, math.nan, 2.5, (1, 2), b"a", frozenset({1})])
@pytest.mark.parametrize("shape", ["scores", "lists", "judgments", "query"])
def test_what_is_no_id_is_refused_wherever_it_stands(odd, shape):
    items = ["a", "b", odd, "c"]
    run = {"q": items if shape == "lists" else dict.fromkeys(items if shape == "scores" else ["a"], 1.0)}
    truth = {"q": dict.fromkeys(items if shape == "judgments" else ["a"], 1)}
    if shape == "query":
        run = {"p": {"a": 1.0}, odd: {"a": 1.0}, "q": {"a": 1.0}}
    with pytest.raises(rm.InputError, match=r"holds an item that is|a query is"):
        rm.evaluate(truth, run, "RR")


@pytest.mark.parametrize("value", ["1_0", "5", "x", None, math.nan, 2**53 + 1, 10**400])
@pytest.mark.parametrize("items", [2, 200])
def test_a_score_that_is_no_number_is_refused_in_short_and_long_lists(value, items):
    run = {"q": {**{f"d{n}": n for n in range(items)}, "z": value}}
    with pytest.raises(rm.InputError, match="query q, item z"):
        rm.evaluate({"q": {"d1": 1}}, run, "RR")
    with pytest.raises(rm.InputError, match="query q, item z"):
        rm.evaluate({"q": {"d1": 1, "z": value}}, {"q": ["d1"]}, "RR")


@pytest.mark.parametrize(
    "values", [[[0, "1"]], [["0", "1"]], np.array([[0, "1"]], object), np.array([[b"0", b"1"]])], ids=repr
)
def test_text_is_no_number_of_an_array_even_where_it_spells_one(values):
    with pytest.raises(rm.InputError, match=r"takes a matrix of numbers.*holds text"):
        rm.arrays(values)


COLUMNS = {"query": [0, 0], "item": [0, 1]}
SIDES = {
    "dict": lambda values, role: {0: dict(enumerate(values))},
    "pandas": lambda values, role: pd.DataFrame({**COLUMNS, role: values}),
    "polars": lambda values, role: pl.DataFrame({**COLUMNS, role: values}),
    "array": lambda values, role: rm.arrays(np.array([values])),
    "array of objects": lambda values, role: rm.arrays(np.array([values], dtype=object)),
}


@pytest.mark.parametrize("kind", SIDES)
def test_truth_values_are_grades_and_no_scores(kind):
    side = SIDES[kind]
    assert rm.evaluate(side([True, False], "grade"), side([2.0, 1.0], "score"), "RR")["RR"] == 1.0
    with pytest.raises(rm.InputError, match=r"score.*(truth value|Boolean)"):
        rm.evaluate(side([1, 0], "grade"), side([True, False], "score"), "RR")


@pytest.mark.wings("catalogue")
def test_truth_values_are_labels_and_no_scores_of_tensors():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    labels, scores = torch.tensor([[True, False]]), torch.tensor([[2.0, 1.0]])
    assert rm.evaluate(rm.tensors(scores, labels), measures="RR")["RR"] == 1.0
    with pytest.raises(rm.InputError, match="the scores are truth values"):
        rm.tensors(labels, labels)


ROWS = [("q", "a", 1.0), ("q", "b", 2.0)]


@pytest.mark.parametrize("ids", [str, hash])
def test_records_in_a_list_are_rows_as_in_a_file(ids):
    names = ("query", "item", "score")
    rows = [dict(zip(names, (ids(query), ids(item), score), strict=True)) for query, item, score in ROWS]
    judgments = {ids("q"): {ids("a"): 1}}
    assert rm.evaluate(judgments, rows, "RR")["RR"] == rm.evaluate(judgments, pd.DataFrame(rows), "RR")["RR"] == 0.5


BY_PAIR = {(query, item): score for query, item, score in ROWS}
BY_COLUMN = dict(zip(("qid", "docno", "score"), zip(*ROWS, strict=True), strict=True))


@pytest.mark.parametrize("data", [BY_PAIR, BY_COLUMN])
def test_pairs_and_columns_in_python_are_tables(data):
    assert rm.evaluate({"q": {"a"}}, data, "RR")["RR"] == 0.5
    grades = {"grade" if name == "score" else name: values for name, values in data.items()}
    assert rm.evaluate(grades, RUN, "RR")["RR"] == 1.0


def test_rows_without_names_get_the_frame_that_they_make():
    data = ROWS
    for side, (judgments, run) in {"score": (JUDGMENTS, data), "grade": (data, RUN)}.items():
        with pytest.raises(rm.InputError, match=r"Hint: polars\.DataFrame\(") as error:
            rm.evaluate(judgments, run, "RR")
        frame = eval(str(error.value).partition("Hint: ")[2], {"polars": pl, "data": data})
        frame = frame.rename({"score": side}) if "score" in frame.columns else frame
        value = rm.evaluate(frame, RUN, "RR") if side == "grade" else rm.evaluate({"q": {"a"}}, frame, "RR")
        assert value["RR"] == (1.0 if side == "grade" else 0.5)


@pytest.mark.parametrize(
    "grades", [{3, 1}, frozenset({3}), {3: 1, 0: 2}, {3: 1}.keys()], ids=lambda grades: type(grades).__name__
)
def test_grades_without_an_order_are_refused(grades) -> None:
    """A dictionary of grades by item, or a set, would be read in an order that nobody stated."""
    for call in (lambda: rm.value("RR", grades=grades), lambda: rm.ranked_grades([[1, 0], grades])):
        with pytest.raises(rm.InputError, match="must be in ranked order"):
            call()
    with pytest.raises(rm.InputError, match="must be in ranked order, but a dict was given"):
        rm.ranked_grades({(1, 0): 1})


def test_measures_with_their_cutoffs_in_a_dictionary_are_refused() -> None:
    """Its keys alone would be nDCG without a cutoff."""
    with pytest.raises(rm.MeasureError, match="not dict"):
        rm.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, {"nDCG": [5, 10]})
