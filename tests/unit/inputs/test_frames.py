"""Frames of every library give the same tables, and the same errors."""

from __future__ import annotations

import decimal
import subprocess
import sys

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rankmeter as rm
from rankmeter.errors import InputError
from rankmeter.inputs.frames import is_frame, judgments_from_frame, run_from_frame

BIG = 2**53 + 1


def _pandas_arrow(table: pa.Table) -> pd.DataFrame:
    return table.to_pandas(types_mapper=pd.ArrowDtype)


MAKERS = {
    "pandas": lambda table: table.to_pandas(),
    "pandas-pyarrow": _pandas_arrow,
    "pandas-nullable": lambda table: table.to_pandas().convert_dtypes(dtype_backend="numpy_nullable"),
    "pandas-object": lambda table: _pandas_arrow(table).astype(object),
    "polars": pl.from_arrow,
    "polars-lazy": lambda table: pl.from_arrow(table).lazy(),
    "pyarrow": lambda table: table.slice(0),
    "duckdb": duckdb.from_arrow,
    "narwhals": nw.from_native,
}


@pytest.fixture(params=MAKERS)
def make(request):
    """A function from columns to a frame of one library."""
    return lambda columns: MAKERS[request.param](columns if isinstance(columns, pa.Table) else pa.table(columns))


def test_judgments_with_text_ids(make) -> None:
    table = judgments_from_frame(make({"qid": ["q1", "q1", "007"], "doc_id": ["a", "b", "é"], "label": [2, 0, 1]}))
    assert table.query.dtype == table.item.dtype == pl.String
    assert table.query.to_list() == ["q1", "q1", "007"]
    assert table.item.to_list() == ["a", "b", "é"]
    assert table.grade.dtype == pl.Float64
    assert table.grade.to_list() == [2.0, 0.0, 1.0]
    assert (table.query.name, table.item.name, table.grade.name) == ("query", "item", "grade")


def test_short_text_ids_of_a_pyarrow_that_cannot_share_views(make, monkeypatch) -> None:
    """A view of a text of up to 12 bytes needs no other memory; older PyArrow has none to show, and Polars looked."""
    frame = make({"query": ["q1", "q1"], "item": ["a", "b"], "grade": [1, 0]})
    monkeypatch.setattr(pa, "__version__", "24.0.0")
    monkeypatch.setattr("pyarrow.compute.cast", lambda *_, **__: pytest.fail("views were made"))
    table = judgments_from_frame(frame)
    assert (table.query.to_list(), table.item.to_list()) == (["q1", "q1"], ["a", "b"])


def test_large_integer_ids_stay_themselves(make) -> None:
    table = run_from_frame(make({"user_id": [BIG, BIG - 1], "item_id": [-BIG, 2**63 - 1], "score": [0.5, 0.25]}))
    assert table.query.dtype == table.item.dtype == pl.Int64
    assert table.query.to_list() == [BIG, BIG - 1]
    assert table.item.to_list() == [-BIG, 2**63 - 1]
    assert table.score.to_list() == [0.5, 0.25]
    assert table.scored


def test_unsigned_ids_stay_themselves(make) -> None:
    ids = pa.array([2**64 - 1, 2**63], pa.uint64())
    table = run_from_frame(make({"query": ids, "item": ids, "score": [1, 2]}))
    assert table.query.dtype == pl.UInt64
    assert table.item.to_list() == [2**64 - 1, 2**63]


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "uint8", "uint16", "uint32"])
def test_small_integer_ids_become_int64(make, dtype: str) -> None:
    ids = pa.array([1, 2], getattr(pa, dtype)())
    table = judgments_from_frame(make({"query": ids, "item": ids}))
    assert table.query.dtype == table.item.dtype == pl.Int64
    assert table.grade.to_list() == [1.0, 1.0]


def test_dictionary_ids_become_text(make) -> None:
    ids = pa.array(["b", "a"]).dictionary_encode()
    table = judgments_from_frame(make({"query": ids, "item": ids, "grade": [1, 1]}))
    assert table.query.dtype == pl.String
    assert table.item.to_list() == ["b", "a"]


def test_float32_scores_are_exact(make) -> None:
    score = pa.array(np.array([0.1, np.inf], np.float32))
    table = run_from_frame(make({"query": ["a", "a"], "item": ["x", "y"], "score": score}))
    assert table.score.to_list() == [float(np.float32(0.1)), float("inf")]


def test_decimal_scores(make) -> None:
    table = run_from_frame(make({"query": ["a"], "item": ["x"], "score": [decimal.Decimal("1.25")]}))
    assert table.score.to_list() == [1.25]


def test_true_is_grade_one(make) -> None:
    table = judgments_from_frame(make({"query": ["a", "a"], "item": ["x", "y"], "label": [True, False]}))
    assert table.grade.to_list() == [1.0, 0.0]


def test_ranks_become_negative_scores(make) -> None:
    table = run_from_frame(make({"query": ["a", "a"], "item": ["x", "y"], "rank": [2, 1]}))
    assert table.score.dtype == pl.Float64
    assert table.score.to_list() == [-2.0, -1.0]
    assert not table.scored


def test_order_of_rows_is_the_ranking_without_score_and_rank(make) -> None:
    table = run_from_frame(make({"query": ["a", "b", "a", "b", "a"], "item": ["x", "x", "y", "y", "z"]}))
    assert table.score.to_list() == [-1.0, -1.0, -2.0, -2.0, -3.0]
    assert table.score.dtype == pl.Float64
    assert not table.scored


def test_order_of_rows_where_queries_stand_together(make) -> None:
    table = run_from_frame(make({"query": [5, 5, 5, 2, 9, 9], "item": list("abcdef")}))
    assert table.score.to_list() == [-1.0, -2.0, -3.0, -1.0, -1.0, -2.0]
    assert table.score.dtype == pl.Float64


def test_named_columns_and_source(make) -> None:
    frame = make({"a": ["q"], "b": ["i"], "c": [1.0]})
    columns = {"query": "a", "item": "b", "score": "c", "grade": "c"}
    assert run_from_frame(frame, columns=columns, source="bm25").source == "bm25"
    assert judgments_from_frame(frame, columns=columns).grade.to_list() == [1.0]
    with pytest.raises(InputError, match=r"^bm25 has no query and no item column"):
        run_from_frame(frame, source="bm25")


def test_rows_keep_their_order(make) -> None:
    n = 5000
    items = [f"d{(i * 7919) % n}" for i in range(n)]
    table = run_from_frame(make({"query": ["q"] * n, "item": items, "score": [0.0] * n}))
    assert table.item.to_list() == items


def test_float_ids_are_refused(make) -> None:
    frame = make({"query": [1.0, 2.5], "item": ["a", "b"], "score": [1.0, 2.0]})
    with pytest.raises(InputError, match=r"query.*float.*Hint: "):
        run_from_frame(frame, source="run")


def test_missing_ids_are_counted(make) -> None:
    item = ["a", None, "b", None, None, None, None, None]
    frame = make({"query": ["q"] * 8, "item": item, "score": [1.0] * 8})
    text = r"^run: item is missing in 6 rows: 1, 3, 4, 5, 6 and 1 more \(row 1: query q; rows are counted from 0\)\.$"
    with pytest.raises(InputError, match=text):
        run_from_frame(frame, source="run")


def test_integers_with_missing_values_are_refused(make) -> None:
    frame = make({"query": ["q", "q"], "item": [1, None], "grade": [1, 1]})
    with pytest.raises(
        InputError, match=r"item is missing in 1 row: 1|item ids are floats \(1\.0\).* 1 of them are mis"
    ):
        judgments_from_frame(frame, source="x")


def test_missing_scores_are_refused(make) -> None:
    frame = make({"query": ["q", "q"], "item": ["a", "b"], "score": [1.0, None]})
    with pytest.raises(InputError, match=r"x: score is (NaN|missing) in 1 row: 1 \(row 1: query q, item b; "):
        run_from_frame(frame, source="x")


@pytest.mark.parametrize("maker", ["pandas", "polars", "polars-lazy", "pyarrow", "duckdb"])
@pytest.mark.parametrize("role", ["score", "rank", "grade"])
def test_nan_is_refused(maker: str, role: str) -> None:
    values = [1.0] * 90
    for row in (4, 17, 80):
        values[row] = float("nan")
    frame = MAKERS[maker](pa.table({"query": [f"q{i}" for i in range(90)], "item": list(range(90)), role: values}))
    read = judgments_from_frame if role == "grade" else run_from_frame
    text = rf"^x: {role} is NaN in 3 rows: 4, 17, 80 \(row 4: query q4, item 4; rows are counted from 0\)\.$"
    with pytest.raises(InputError, match=text):
        read(frame, source="x")


@pytest.mark.parametrize("role", ["rank", "grade"])
def test_infinite_ranks_and_grades_are_refused(make, role: str) -> None:
    frame = make({"query": ["q"], "item": ["a"], role: [float("inf")]})
    read = judgments_from_frame if role == "grade" else run_from_frame
    with pytest.raises(InputError, match=f"x: {role} is infinite in 1 row: 0"):
        read(frame, source="x")


def test_text_scores_are_refused(make) -> None:
    frame = make({"query": ["q"], "item": ["a"], "score": ["1.5"]})
    with pytest.raises(
        InputError, match=r"x: (the score column is of type String \('1\.5'\)|score '1\.5' is not a num)"
    ):
        run_from_frame(frame, source="x")


def test_truth_values_are_neither_ids_nor_scores(make) -> None:
    with pytest.raises(InputError, match=r"(query ids are of type Bool|query True is a bool)"):
        judgments_from_frame(make({"query": [True], "item": ["a"]}))
    with pytest.raises(InputError, match=r"(score column is of type Boolean|score True is not a number)"):
        run_from_frame(make({"query": ["q"], "item": ["a"], "score": [True]}))


def test_whole_scores_that_would_be_rounded_are_refused(make) -> None:
    frame = make({"query": ["q", "q"], "item": ["a", "b"], "score": [BIG, 2]})
    with pytest.raises(InputError, match=rf"x: score {BIG} is beyond 2\*\*53 and would be rounded in 1 row: 0"):
        run_from_frame(frame, source="x")


def test_empty_frames_are_refused(make) -> None:
    frame = make(pa.table({"query": pa.array([], pa.string()), "item": pa.array([], pa.string())}))
    with pytest.raises(InputError, match=r"^x is empty: it has no rows"):
        judgments_from_frame(frame, source="x")
    with pytest.raises(InputError, match=r"^x is empty"):
        run_from_frame(frame, source="x")


def test_swapped_frames_are_recognised(make) -> None:
    with pytest.raises(InputError, match="looks like judgments"):
        run_from_frame(make({"query": ["q"], "item": ["a"], "rating": [5]}))
    with pytest.raises(InputError, match="looks like a run"):
        judgments_from_frame(make({"query": ["q"], "item": ["a"], "rank": [5]}))


def test_default_source_names_the_kind_of_frame() -> None:
    assert run_from_frame(pl.DataFrame({"query": [1], "item": [1]})).source == "run (polars DataFrame)"
    assert judgments_from_frame(pd.DataFrame({"query": [1], "item": [1]})).source == "judgments (pandas DataFrame)"
    relation = duckdb.sql("select 1 as query, 2 as item")
    assert "duckdb" in run_from_frame(relation).source


def _objects(values: list[object]) -> pd.DataFrame:
    return pd.DataFrame({"query": ["q"] * len(values), "item": pd.Series(values, dtype=object)})


def test_mixed_ids_are_compared_as_text() -> None:
    table = judgments_from_frame(_objects([1, "1", BIG, np.int64(BIG)]))
    assert table.item.to_list() == ["1", "1", str(BIG), str(BIG)]


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1])
def test_ids_beyond_64_bits_become_text(value: int) -> None:
    assert judgments_from_frame(_objects([1, value])).item.to_list() == ["1", str(value)]
    polars = pl.DataFrame({"query": ["q"] * 2, "item": pl.Series([1, value], dtype=pl.Int128)})
    assert judgments_from_frame(polars).item.to_list() == ["1", str(value)]
    narrow = pl.DataFrame({"query": ["q"] * 2, "item": pl.Series([1, 2**63], dtype=pl.Int128)})
    assert judgments_from_frame(narrow).item.dtype == pl.UInt64


def test_duckdb_hugeint_ids_are_whole_numbers() -> None:
    table = judgments_from_frame(duckdb.sql(f"select {BIG}::hugeint as query, 'a' as item"))
    assert table.query.dtype == pl.Int64
    assert table.query.to_list() == [BIG]


@pytest.mark.parametrize("gone", [None, float("nan"), pd.NA, pd.NaT])
def test_missing_objects_are_missing(gone: object) -> None:
    with pytest.raises(InputError, match="item is missing in 1 row: 1"):
        judgments_from_frame(_objects([1, gone, "a"]))


@pytest.mark.parametrize("value", [1.5, True, b"x", ("a",), [1]])
def test_other_objects_are_no_ids(value: object) -> None:
    with pytest.raises(InputError, match=r"item .* is a (float|bool|bytes|tuple|list), not text or a whole number"):
        judgments_from_frame(_objects(["a", value]))


def test_polars_object_columns_are_read() -> None:
    frame = pl.DataFrame({"query": ["q", "q"], "item": pl.Series([1, "a"], dtype=pl.Object)})
    assert judgments_from_frame(frame).item.to_list() == ["1", "a"]


def test_number_objects() -> None:
    scores = [1, 2.5, decimal.Decimal("0.5"), np.float32(0.25)]
    frame = pd.DataFrame({"query": "q", "item": list("abcd"), "score": pd.Series(scores, dtype=object)})
    assert run_from_frame(frame).score.to_list() == [1.0, 2.5, 0.5, 0.25]
    frame["score"] = pd.Series([1, "x", 10**400, None], dtype=object)
    with pytest.raises(InputError, match=r"score 'x' is not a number in 2 rows: 1, 2"):
        run_from_frame(frame)
    frame["score"] = pd.Series([1, 2**70, 2, 3], dtype=object)
    assert run_from_frame(frame).score[1] == float(2**70)
    frame["score"] = pd.Series([1, None, 2, pd.NA], dtype=object)
    with pytest.raises(InputError, match=r"score is missing in 2 rows: 1, 3"):
        run_from_frame(frame)


def test_pandas_columns_named_by_numbers_or_twice() -> None:
    frame = pd.DataFrame([["q", "a", 1.0]])
    assert run_from_frame(frame, columns={"query": "0", "item": "1", "score": "2"}).score.to_list() == [1.0]
    twice = pd.DataFrame([["q", "a", "b"]], columns=["query", "item", "item"])
    assert is_frame(twice)
    with pytest.raises(InputError, match="2 columns called 'item'"):
        judgments_from_frame(twice)
    with pytest.raises(InputError, match="unique column names, got: - 'item' 2 times"):
        judgments_from_frame(pa.table([["q"], ["a"], ["b"]], names=["query", "item", "item"]))


def test_pandas_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ModuleNotFoundError(name="pyarrow")

    monkeypatch.setattr(pl, "from_pandas", refuse)
    frame = pd.DataFrame({"query": ["q", "q"], "item": pd.array([1, BIG], dtype="Int64"), "score": [1.0, 2.0]})
    table = run_from_frame(frame)
    assert table.item.to_list() == [1, BIG]
    assert table.query.to_list() == ["q", "q"]


def test_pandas_sliced_and_sparse_columns() -> None:
    frame = pd.DataFrame({"query": [1, 2, 3, 4], "item": pd.arrays.SparseArray([5, 0, 7, 8]), "score": [1.0] * 4})
    table = run_from_frame(frame.iloc[::2])
    assert (table.query.to_list(), table.item.to_list()) == ([1, 3], [5, 7])


def test_lazy_frames_collect_only_what_is_needed() -> None:
    lazy = pl.LazyFrame({"query": ["q"], "item": ["a"], "score": [1.0], "text": ["x"]}).with_columns(
        pl.col("text").map_elements(lambda _: 1 / 0, return_dtype=pl.Float64)
    )
    assert run_from_frame(lazy).item.to_list() == ["a"]


@pytest.mark.parametrize(
    "obj",
    [{}, [], (), "x", b"x", 1, None, np.zeros((2, 2)), pd.Series([1]), pl.Series([1]), pa.array([1]), {"q": {"a": 1}}],
    ids=lambda obj: type(obj).__name__,
)
def test_what_is_no_frame(obj: object) -> None:
    assert not is_frame(obj)


def test_is_frame(make) -> None:
    assert is_frame(make({"a": [1]}))


def test_reading_no_frame_is_said() -> None:
    with pytest.raises(InputError, match="x: an object of type dict is not a data frame"):
        run_from_frame({"a": 1}, source="x")


def test_import_loads_no_frame_library() -> None:
    code = (
        "import sys, rankmeter.inputs.frames as f, rankmeter.inputs.json_tables\n"
        "f.is_frame({}); import numpy; f.is_frame(numpy.zeros(3))\n"
        "print(sorted({'pandas', 'pyarrow', 'duckdb', 'narwhals'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_work_in_python_does_not_grow_with_the_rows() -> None:
    def calls(n: int) -> int:
        frame = pd.DataFrame({"query": np.arange(n) // 10, "item": np.arange(n), "score": np.linspace(0, 1, n)})
        counted = 0

        def count(*_: object) -> None:
            nonlocal counted
            counted += 1

        sys.setprofile(count)
        try:
            run_from_frame(frame)
        finally:
            sys.setprofile(None)
        return counted

    calls(10)  # what is imported and cached at first
    assert calls(100_000) < 2 * calls(10)


def test_text_of_pandas_is_read_the_same_where_arrow_makes_no_views_of_it(monkeypatch):
    ids = ["a", "an id of more than twelve bytes", "é" * 9, "b"]
    frame = pd.DataFrame({"query": ["q"] * 4, "item": pd.array(ids, dtype="string[pyarrow]"), "score": [4, 3, 2, 1]})
    with_views = run_from_frame(frame[::-1])

    def refuse(*_, **__):  # as PyArrow does of more than 2 GB
        raise pa.lib.ArrowCapacityError("input array too large")

    monkeypatch.setattr("pyarrow.compute.cast", refuse)
    without = run_from_frame(frame[::-1])
    assert without.item.to_list() == with_views.item.to_list() == ids[::-1]
    assert without.item.dtype == with_views.item.dtype == pl.String


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_a_column_without_a_name_can_be_named(make):
    frame = make({"query": ["q", "q"], "item": ["a", "b"], "": [1.0, 2.0]})
    assert rm.evaluate({"q": {"b": 1}}, frame, ["RR"], columns={"score": ""})["RR"] == 1.0
    with pytest.raises(rm.InputError, match="has neither a score nor a rank column, and '' may be one"):
        rm.evaluate({"q": {"b": 1}}, frame, ["RR"])
