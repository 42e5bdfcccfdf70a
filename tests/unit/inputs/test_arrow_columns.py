"""Columns of Arrow of every type, with whatever versions of PyArrow and Polars are installed.

They give the right ids and numbers, or a message; never another id, another kind of error, or a process that dies.
"""

from __future__ import annotations

from decimal import Decimal
from itertools import product
from uuid import UUID

import pytest

import rankmeter as rm
from rankmeter.errors import InputError

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
import pyarrow.compute as pc  # noqa: E402  (behind the skip)
import pyarrow.parquet as pq  # noqa: E402

QUERIES, ITEMS = ["q1", "q1", "q2", "q2"], ["a", "b", "a", "an id that is longer than twelve bytes"]
TRUTH = {"q1": {"b": 1}, "q2": {ITEMS[3]: 1}}
SCORES = [0.5, 0.25, 0.125, 0.75]
EXPECTED = [0.5, 1.0]


def encoded(values, kind):
    """Text as this type of Arrow."""
    text = pa.array(values)
    if kind.startswith("dictionary"):
        once = list(dict.fromkeys(values))
        codes = pa.array([once.index(value) for value in values], pa.int8())
        inner = {"of views": pa.string_view(), "of large": pa.large_string()}.get(kind.partition(" ")[2], pa.string())
        return pa.DictionaryArray.from_arrays(codes, pa.array(once).cast(inner))
    if kind == "run ends":
        return pc.run_end_encode(text)
    if kind == "sparse union":
        return pa.UnionArray.from_sparse(pa.array([0] * len(values), pa.int8()), [text])
    if kind == "dense union":
        places = pa.array(range(len(values)), pa.int32())
        return pa.UnionArray.from_dense(pa.array([0] * len(values), pa.int8()), places, [text])
    if kind == "opaque":
        if not hasattr(pa, "opaque"):
            pytest.skip("this PyArrow has no such type")
        return pa.ExtensionArray.from_storage(pa.opaque(pa.string(), "text", "somebody"), text)
    return text.cast({"string": pa.string(), "large string": pa.large_string(), "view": pa.string_view()}[kind])


TEXTS = (
    "string", "large string", "view", "dictionary", "dictionary of large", "dictionary of views", "run ends",
    "sparse union", "dense union", "opaque",
)  # fmt: skip


def in_table(columns):
    return pa.table(columns)


def in_chunks(columns):
    halves = [
        pa.chunked_array([column.slice(0, 0), column.slice(0, 3), column.slice(3)]) for column in columns.values()
    ]
    return pa.Table.from_arrays(halves, list(columns))


def in_batch(columns):
    return pa.RecordBatch.from_arrays(list(columns.values()), list(columns))


def in_reader(columns):
    return pa.table(columns).to_reader()


class Stream:
    """A frame of a library that hands its columns over as Arrow's interface says, and nothing else."""

    def __init__(self, table):
        self.schema, self._table = table.schema, table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


def in_pandas(columns):
    return pd.DataFrame({name: pd.Series(pd.array(c, dtype=pd.ArrowDtype(c.type))) for name, c in columns.items()})


def in_index(columns):
    frame = in_pandas(columns)
    return frame.set_index("query")


def in_mapping(columns):
    return dict(columns)


CONTAINERS = (in_table, in_chunks, in_batch, in_reader, in_pandas, in_index, in_mapping)


NO_INDEX = ("view", "run ends", "sparse union", "dense union")
"""What no pandas takes as an index."""
HELD = [(kind, one) for kind, one in product(TEXTS, CONTAINERS) if one is not in_index or kind not in NO_INDEX]


@pytest.mark.parametrize(("kind", "container"), HELD)
def test_ids_of_every_type_of_text_are_the_same_ids(kind, container):
    columns = {"query": encoded(QUERIES, kind), "item": encoded(ITEMS, kind), "score": pa.array(SCORES)}
    try:
        run = container(columns)
    except (pa.ArrowException, NotImplementedError):
        pytest.skip("this container cannot hold it")
    assert rm.evaluate(TRUTH, run, "RR").per_query["RR"].to_list() == EXPECTED


@pytest.mark.parametrize("container", [in_table, in_pandas, in_mapping])
@pytest.mark.parametrize("kind", ["string", "large string", "view"])
@pytest.mark.parametrize(
    "lists", [pa.list_, pa.large_list, lambda inner: pa.list_(inner, 2), pa.list_view, pa.large_list_view]
)
def test_lists_of_every_type_are_the_same_lists(lists, kind, container):
    inner = {"string": pa.string(), "large string": pa.large_string(), "view": pa.string_view()}[kind]
    try:
        items = pa.array([ITEMS[:2], [ITEMS[3], "a"]], lists(inner))
        run = container({"query": pa.array(["q1", "q2"]), "item": items})
    except (pa.ArrowException, NotImplementedError):
        pytest.skip("this PyArrow makes no such lists")
    assert rm.evaluate(TRUTH, run, "RR").per_query["RR"].to_list() == EXPECTED


NUMBERS = {
    "half": lambda: pa.array([1.5, 1, 0.5, 2], pa.float16()),
    "decimal 128": lambda: pa.array([Decimal("1.5"), Decimal(1), Decimal("0.5"), Decimal(2)], pa.decimal128(38, 2)),
    "decimal 256": lambda: pa.array([Decimal("1.5"), Decimal(1), Decimal("0.5"), Decimal(2)], pa.decimal256(60, 2)),
    "run ends": lambda: pc.run_end_encode(pa.array([1.5, 1, 0.5, 2])),
    "union": lambda: pa.UnionArray.from_sparse(pa.array([0] * 4, pa.int8()), [pa.array([1.5, 1, 0.5, 2])]),
    "dictionary": lambda: pa.array([1.5, 1, 0.5, 2]).dictionary_encode(),
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers_of_every_type_are_the_same_numbers(kind, container):
    if kind == "half":
        import numpy as np

        values = pa.array(np.array([1.5, 1, 0.5, 2], np.float16))
    else:
        values = NUMBERS[kind]()
    columns = {"query": pa.array(QUERIES), "item": pa.array(ITEMS)}
    run = container({**columns, "score": values})
    assert rm.evaluate(TRUTH, run, "RR").per_query["RR"].to_list() == EXPECTED
    judgments = container({**columns, "grade": values})
    graded = rm.evaluate(judgments, {"q1": ["a"], "q2": ["a"]}, "CG(rel=0)").per_query["CG(rel=0)"].to_list()
    assert graded == [1.5, 0.5]


@pytest.mark.parametrize("container", [in_table, in_chunks, in_pandas, in_mapping])
@pytest.mark.parametrize("role", ["query", "item", "score"])
@pytest.mark.parametrize(
    "odd",
    [
        pa.array([(1, 2, 3)] * 4, pa.month_day_nano_interval()),
        pa.array([[("a", 1)]] * 4, pa.map_(pa.string(), pa.int8())),
        pa.array([{"a": 1}] * 4),
        pa.array([{"a": "b"}] * 4).cast(pa.struct([("a", pa.large_string())])),
        pa.array([5] * 4, pa.duration("s")),
        pa.array([5] * 4, pa.time32("s")),
        pa.nulls(4),
    ],
    ids=lambda column: str(column.type),
)
def test_what_can_be_no_id_and_no_score_is_refused_by_name(odd, role, container):
    columns = {"query": pa.array(QUERIES), "item": pa.array(ITEMS), "score": pa.array(SCORES)} | {role: odd}
    try:
        run = container(columns)
    except (pa.ArrowException, NotImplementedError, TypeError):
        pytest.skip("this container cannot hold it")
    with pytest.raises(InputError) as refused:
        rm.evaluate(TRUTH, run, "RR")
    text = str(refused.value)
    assert role in text or "run" in text
    assert "Series:" not in text


def test_truth_values_that_are_stored_as_bytes_are_grades_and_no_scores(tmp_path):
    if not hasattr(pa, "bool8"):
        pytest.skip("this PyArrow has no such type")
    flags = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([0, 1, 0, 1], pa.int8()))
    columns = {"query": pa.array(QUERIES), "item": pa.array(ITEMS)}
    judged = rm.evaluate(pa.table({**columns, "grade": flags}), {"q1": ["b"], "q2": ["a"]}, "P@1")
    assert judged.per_query["P@1"].to_list() == [1.0, 0.0]
    with pytest.raises(InputError):
        rm.evaluate(TRUTH, pa.table({**columns, "score": flags}), "RR")


def test_a_library_that_only_speaks_arrow_is_read():
    columns = {"query": pa.array(QUERIES), "item": pa.array(ITEMS), "score": pa.array(SCORES)}
    assert rm.evaluate(TRUTH, Stream(pa.table(columns)), "RR").per_query["RR"].to_list() == EXPECTED


@pytest.mark.parametrize("kind", TEXTS)
def test_other_readers_of_frames_take_every_type_too(kind):
    """The catalogue, and what users had before."""
    items = pa.table({"item": encoded(["a", "b", "c"], kind), "category": encoded(["x", "y", "x"], kind)})
    seen = pa.table({"user": encoded(["q1", "q2"], kind), "item": encoded(["c", "c"], kind)})
    lists = {"q1": ["a", "b"], "q2": ["b", "a"]}
    ev = rm.evaluate({"q1": {"b": 1}, "q2": {"b": 1}}, lists, ["RR", "Coverage@2"], catalogue=items, history=seen)
    assert ev.mean == {"RR": 0.75, "Coverage@2": pytest.approx(2 / 3)}


@pytest.mark.wings("online")
@pytest.mark.parametrize("kind", TEXTS)
def test_logs_take_every_type_too(kind):
    log = pa.table({
        "time": pa.array([1, 2, 3], pa.timestamp("s")), "user": encoded(["u", "u", "v"], kind),
        "type": encoded(["impression", "click", "impression"], kind), "item": encoded(["a", "a", "b"], kind),
    })  # fmt: skip
    assert rm.online.evaluate(log, ["CTR"])["CTR"] == 0.5


def test_uuids_of_arrow_are_ids_in_frames_and_files(tmp_path):
    if not hasattr(pa, "uuid"):
        pytest.skip("this PyArrow has no such type")
    ids = [UUID(int=n) for n in range(2)]
    table = pa.table(
        {"query": ["q", "q"], "item": pa.array([one.bytes for one in ids], pa.uuid()), "score": [1.0, 2.0]}
    )
    pq.write_table(table, path := tmp_path / "run.parquet")
    for run in (table, path):
        assert rm.evaluate({"q": {ids[0]: 1}}, run, "RR")["RR"] == 0.5


def test_large_lists_of_pandas_hold_the_ids_that_they_show():
    """Polars before 1.44 read other memory for these."""
    lists = pd.Series(
        pd.array(pa.array([["b", "x"]], pa.large_list(pa.string())), dtype=pd.ArrowDtype(pa.large_list(pa.string())))
    )
    run = pd.DataFrame({"query": ["q"], "item": lists})
    assert rm.evaluate({"q": {"b": 1}}, run, "RR")["RR"] == 1.0


def unread(kind, count):
    """A column of a type that Polars does not read."""
    decimals = [Decimal(place) for place in range(count)]
    numbers = pa.array([float(place) for place in range(count)])
    lists = [[place] for place in range(count)]
    made = {
        "run_end_encoded": lambda: pc.run_end_encode(numbers),
        "union": lambda: pa.UnionArray.from_sparse(pa.array([0] * count, pa.int8()), [numbers]),
        "interval": lambda: pa.array([pa.MonthDayNano([1, 2, 3])] * count),
        "decimal256": lambda: pa.array(decimals, pa.decimal256(60, 2)),
        "list_view": lambda: pa.array(lists, pa.list_view(pa.float64())),
        "large_list_view": lambda: pa.array(lists, pa.large_list_view(pa.float64())),
    }
    return made[kind]()


def nested(column, within):
    if within == "struct":
        return pa.StructArray.from_arrays([column], ["inner"])
    if within == "list":
        return pa.ListArray.from_arrays(pa.array(range(len(column) + 1), pa.int32()), column)
    return column


def written(table, path):
    if path.suffix == ".parquet":
        pq.write_table(table, path)
        return path
    opened = pa.ipc.new_file if path.suffix == ".arrow" else pa.ipc.new_stream
    with opened(path, table.schema) as writer:
        writer.write_table(table)
    return path


@pytest.mark.parametrize("within", ["", "struct", "list"])
@pytest.mark.parametrize("ending", ["arrow", "arrows", "parquet"])
def test_a_file_with_a_column_that_is_not_read_is_one_sentence(ending, within, tmp_path, capfd):
    seen = set()
    for kind in ("run_end_encoded", "union", "interval", "decimal256", "list_view", "large_list_view"):
        columns = {"query": pa.array(QUERIES), "item": pa.array(ITEMS), "score": pa.array(SCORES)}
        column = nested(unread(kind, len(ITEMS)), within)
        for name in ("score", "other", "带 中文"):
            try:
                path = written(pa.table({**columns, name: column}), tmp_path / f"{kind}.{ending}")
            except pa.ArrowNotImplementedError:
                continue  # there is no such file: this PyArrow writes some of them as IPC only
            seen.add(kind)
            for content in (path, path.read_bytes()):
                with pytest.raises(InputError, match=rf"{name} \({kind}\)") as refusal:
                    rm.read_run(content) if isinstance(content, bytes) else rm.evaluate(TRUTH, content, "RR")
                assert "\n" not in str(refusal.value)
    assert "decimal256" in seen
    assert ending == "parquet" or len(seen) > 3
    assert capfd.readouterr().err == ""  # no panic of Polars


@pytest.mark.parametrize("ending", ["arrow", "arrows", "parquet"])
def test_a_file_with_columns_of_every_other_type_is_read(ending, tmp_path):
    columns = {"query": pa.array(QUERIES), "item": pa.array(ITEMS), "score": pa.array(SCORES)}
    beside = {
        "decimal": pa.array([Decimal(1)] * 4, pa.decimal128(38, 2)), "lists": pa.array([[1]] * 4),
        "records": pa.array([{"a": [1]}] * 4), "codes": pa.array(ITEMS).dictionary_encode(),
        "times": pa.array([1] * 4, pa.timestamp("ns", "UTC")), "none": pa.nulls(4), "bytes": pa.array([b"x"] * 4),
    }  # fmt: skip
    path = written(pa.table({**columns, **beside}), tmp_path / f"run.{ending}")
    assert rm.evaluate(TRUTH, path, "RR").per_query["RR"].to_list() == EXPECTED
