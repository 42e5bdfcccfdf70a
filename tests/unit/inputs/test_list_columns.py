"""Tables with a list in each row, Series, sparse matrices, and tables that hold both sides."""

from __future__ import annotations

from enum import Enum

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import rankmeter as rm

TRUTH = {1: [2], 2: [3]}
RUN = {"user": [1, 2], "recs": [[1, 2], [3]]}


def rr(judgments: object, run: object = None, **more: object) -> float:
    return rm.evaluate(judgments, run, "RR", **more)["RR"]


@pytest.mark.parametrize("name", ["item", "items", "doc_ids", "recs", "predicted", "anything"])
def test_a_column_of_lists_is_the_items_under_any_name(name) -> None:
    ev = rm.evaluate(TRUTH, pl.DataFrame({"user": [1, 2], name: [[1, 2], [3]]}), "RR")
    assert ev["RR"] == 0.75
    assert (ev.reading.run.columns["item"], ev.reading.run.order) == (name, "lists")


@pytest.mark.parametrize("kind", ["lists", "tuples", "arrays", "json", "repr"])
def test_pandas_cells_may_be_any_kind_of_list(kind) -> None:
    make = {"lists": list, "tuples": tuple, "arrays": np.array, "json": lambda v: str(list(v)), "repr": repr}[kind]
    assert rr(TRUTH, pd.DataFrame({"user": RUN["user"], "recs": [make(items) for items in RUN["recs"]]})) == 0.75


@pytest.mark.parametrize("ids", [("a", "b", "c"), ("it's", 'say "b"', "[c]")])
def test_lists_survive_a_csv_file(ids, tmp_path) -> None:
    first, second, third = ids
    pd.DataFrame({"user": ["u", "v"], "recs": [[first, second], [third]]}).to_csv(tmp_path / "run.csv", index=False)
    assert rr({"u": [second], "v": [third]}, tmp_path / "run.csv") == 0.75


def test_lists_of_scores_rank_and_lists_of_grades_judge() -> None:
    run = pl.DataFrame({**RUN, "scores": [[0.1, 0.9], [0.5]]})
    assert rr(TRUTH, run) == 1.0
    truth = pl.DataFrame({"user": [1], "items": [[1, 2]], "ratings": [[1, 3]]})
    assert rm.evaluate(truth, {1: [1, 2]}, "DCG@2")["DCG@2"] == pytest.approx(1 + 3 / np.log2(3))


def test_an_empty_list_keeps_its_query() -> None:
    run = pl.DataFrame({"user": [1, 2], "recs": [[2], []]}, schema={"user": pl.Int64, "recs": pl.List(pl.Int64)})
    assert rm.evaluate(TRUTH, run, ["RR(queries=run)"]).mean == {"RR(queries=run)": 0.5}


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"user": [1, 1], "recs": [[1, 2], [3]]}, r"second list.*row 1: user 1"),
        ({**RUN, "scores": [[0.1], [0.5]]}, r"the list of scores has 1 value for 2 items in 1 row: 0"),
        ({**RUN, "score": [0.1, 0.5]}, r"a list of items but only one score"),
        ({"user": [1, 2], "recs": [[1, 2], None]}, r"item is missing in 1 row: 1"),
        ({"user": [1, 2], "a": [[1], [2]], "b": [[3], [4]]}, r"2 columns that could be the item: 'a', 'b'"),
        ({**RUN, "weights": [[0.1, 0.2], [0.5]]}, r"'weights'"),
        ({**RUN, "grade": [[1, 2], [0]]}, r"'grade'"),
        ({"user": [1], "recs": [[[1]]]}, r"item ids are of type List"),
        ({"user": [1], "recs": [[1.0, 2.0]]}, r"item ids are floats"),
    ],
)
def test_lists_that_say_too_little_or_too_much_are_refused(columns, said) -> None:
    with pytest.raises(rm.InputError, match=said):
        rr(TRUTH, pl.DataFrame(columns))


def test_sets_have_no_order_but_can_be_relevant() -> None:
    sets = pd.DataFrame({"user": [1], "items": [{1, 2}]})
    assert rr(sets, {1: [2]}) == 1.0
    with pytest.raises(rm.InputError, match="order is known"):
        rr({1: [2]}, sets)


def test_what_grouping_makes_of_pandas_is_read() -> None:
    rows = pd.DataFrame({"user": [1, 1, 2], "item": [1, 2, 3], "score": [0.2, 0.1, 0.5]})
    assert rr(TRUTH, rows.groupby("user")["item"].apply(list)) == 0.75
    assert rr(TRUTH, rows.groupby("user").agg(list)) == 0.75
    assert rr(TRUTH, rows.set_index(["user", "item"])["score"]) == 0.75
    assert rr(TRUTH, pd.Series([[1, 2], [3]], index=[1, 2])) == 0.75
    with pytest.raises(rm.InputError, match="bare Series"):
        rr(TRUTH, pd.Series([1, 2], index=[1, 2]))
    with pytest.raises(rm.InputError, match="second list"):
        rr(TRUTH, pd.Series([[1], [2]], index=[1, 1]))


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil"])
def test_a_sparse_matrix_has_queries_as_rows_and_items_as_columns(kind) -> None:
    truth = sparse.csr_array(np.array([[0, 1, 0], [0, 0, 0], [1, 0, 0]])).asformat(kind)
    scores = sparse.csr_array(np.array([[0.5, 0.4, 0], [0.1, 0, 0], [0.3, 0.2, 0.1]])).asformat(kind)
    wanted = rr({0: [1], 2: [0]}, {0: {0: 0.5, 1: 0.4}, 1: {0: 0.1}, 2: {0: 0.3, 1: 0.2, 2: 0.1}})
    assert rr(truth, scores) == wanted == 0.75


LABELLED = {"qid": [1, 1, 2, 2], "label": [0, 1, 1, 0], "score": [0.9, 0.4, 0.8, 0.1]}


def test_one_frame_may_hold_both_sides() -> None:
    frame = pl.DataFrame(LABELLED)
    assert rr(frame) == rr(rm.read_labelled(frame)) == 0.75
    assert rr(frame.with_columns(item=pl.Series(["a", "b", "a", "c"]))) == 0.75
    lists = pl.DataFrame({"user": [1, 2], "actual": [[2], [3]], "predicted": [[1, 2], [3]]})
    ev = rm.evaluate(lists, None, "RR")
    assert ev["RR"] == 0.75
    assert not ev.reading.notes
    assert (ev.reading.run.unused, ev.reading.judgments.unused) == ((), ())


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_one_file_may_hold_both_sides(suffix, tmp_path) -> None:
    path = tmp_path / f"rows.{suffix}"
    frame = pl.DataFrame(LABELLED)
    {"csv": frame.write_csv, "parquet": frame.write_parquet, "jsonl": frame.write_ndjson}[suffix](path)
    assert rr(rm.read_labelled(path)) == 0.75
    assert rr(rm.read_labelled(path, columns={"score": "score", "grade": "label"})) == 0.75


def test_names_of_both_sides_can_be_stated() -> None:
    frame = pl.DataFrame({"u": [1, 2], "bought": [[2], [3]], "shown": [[1, 2], [3]]})
    columns = {"query": "u", "judgments.item": "bought", "run.item": "shown"}
    assert rr(rm.read_labelled(frame, columns=columns)) == 0.75


def test_a_frame_with_one_side_only_is_not_taken_for_both() -> None:
    for frame in ({"qid": [1], "label": [1]}, {"qid": [1], "item": [1], "score": [0.5]}, {"user": [1], "items": [[1]]}):
        with pytest.raises(rm.InputError, match="no run was given"):
            rr(pl.DataFrame(frame))
    with pytest.raises(rm.InputError, match="score is missing in 1 row: 1"):
        rr(pl.DataFrame({"qid": [1, 1], "label": [1, 0], "score": [0.5, None]}))


def test_frames_of_pyterrier_are_read_by_their_ids() -> None:
    run = pl.DataFrame(
        {"qid": ["1", "1"], "docno": ["b", "a"], "rank": [0, 1], "score": [2.0, 1.0], "query": ["x", "x"]}
    )
    truth = pl.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1], "iteration": ["0"]})
    assert rr(truth, run) == 0.5


def test_objects_of_ir_measures_are_read() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    truth = [ir_measures.Qrel("1", "a", 1), ir_measures.Qrel("1", "b", 0)]
    assert rr(truth, (ir_measures.ScoredDoc("1", item, score) for item, score in (("b", 2.0), ("a", 1.0)))) == 0.5


def test_a_structured_array_has_columns() -> None:
    truth = np.array([("1", "a", 1)], dtype=[("query_id", "U3"), ("doc_id", "U3"), ("relevance", "i4")])
    assert rr(truth, {"1": ["b", "a"]}) == 0.5


@pytest.mark.parametrize(
    "data", [{"query": ["a"], "item": ["a", "b"]}, {"query": ["a"], "other": ["a"]}, {"query": {"a": 1}}]
)
def test_queries_may_be_called_like_columns(data) -> None:
    assert rr(data, {"query": ["x", "a"]}, queries="common") == 0.5


@pytest.mark.parametrize("value", ["score", "rank", None])
def test_lists_that_are_all_empty_are_queries_without_a_list(value) -> None:
    empty = pl.Series([[], []], dtype=pl.List(pl.Int64))
    columns = {"user": [1, 2], "item": empty} | ({value: empty} if value else {})
    assert rr(TRUTH, pl.DataFrame(columns)) == 0
    ev = rm.evaluate(pl.DataFrame({"user": [1, 2], "item": empty, "grade": [1, 1]}), {1: [2], 2: [3]}, "RR")
    assert ev.facts.without_relevant == 2


@pytest.mark.parametrize(
    ("role", "odd", "said"),
    [
        ("item", pd.NA, "item is missing in 1 row: 1"),
        ("item", "\ud800", "lone surrogate"),
        ("item", np.timedelta64(1, "s"), "is a timedelta64, not text or a whole number"),
        ("score", True, "score True is not a number in 1 row: 1"),
        ("score", 2**53 + 1, "would be rounded in 1 row: 1"),
        ("score", 10**400, "is not a number in 1 row: 1"),
        ("score", np.timedelta64(1, "s"), "is not a number in 1 row: 1"),
    ],
)
def test_nothing_in_a_dictionary_of_columns_becomes_something_else(role, odd, said) -> None:
    columns = {"query": ["1", "1"], "item": ["a", "b"], "score": [0.5, 0.25]}
    columns[role][1] = odd
    with pytest.raises(rm.InputError, match=said):
        rr({"1": ["a"]}, columns)
    rows = list(zip(*columns.values(), strict=True))
    with pytest.raises(rm.InputError, match=said):
        rr({"1": ["a"]}, [dict(zip(columns, row, strict=True)) for row in rows])
    with pytest.raises(rm.InputError, match=said):
        rr({"1": ["a"]}, np.array(rows, dtype=[(name, object) for name in columns]))


@pytest.mark.parametrize("make", [np.array, np.longdouble, pa.array, pd.Series, pl.Series, tuple])
def test_columns_in_a_dictionary_may_be_any_kind_of_array(make) -> None:
    assert rr({1: [7]}, {"query": [1, 1], "item": [8, 7], "score": make([0.5, 0.25])}) == 0.5


class Word(str, Enum):  # noqa: UP042 (whose text is not what str() shows)
    A = "a"
    B = "b"


class Number(int, Enum):
    ONE = 1
    TWO = 2


@pytest.mark.filterwarnings("ignore:.*compared as text")
@pytest.mark.parametrize("members", [Word, Number])
@pytest.mark.parametrize("other", ["plain", "text beside it"])
def test_a_member_of_an_enumeration_is_its_text_or_number(members, other) -> None:
    first, second = members
    more = {} if other == "plain" else {"x": 0}
    truth = {first: {first: 0, second: 1, **more}}
    rows = [(str(first.value), str(id_), 0.5) for id_ in (first.value, second.value)]
    run = pl.DataFrame(rows, schema=["query", "item", "score"], orient="row")
    assert rr(truth, run) == 1
    ev = rm.evaluate(truth, {first: [first, second]}, "RR")
    assert ev["RR"] == 0.5
    assert ev.per_query["query"].to_list() == [first.value]
    records = [{"query": first, "item": id_, "grade": grade} for id_, grade in truth[first].items()]
    assert rr(records, run) == 1
