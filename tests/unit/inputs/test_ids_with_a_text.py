# ruff: noqa: DTZ001 (moments without a zone are what is tested)
"""UUIDs, days and moments are ids by the one text that they have, on every route and across routes."""

from __future__ import annotations

import datetime as dt
import itertools
import uuid

import polars as pl
import pytest

import rankmeter as rm
from rankmeter.errors import InputError

ZONE = dt.timezone(dt.timedelta(hours=8))
KINDS = {
    "uuid": [uuid.UUID(int=number) for number in (0, 1, 2**128 - 1)],
    "day": [dt.date(1, 1, 1), dt.date(2026, 11, 18), dt.date(9999, 12, 31)],
    "moment": [
        dt.datetime(1969, 12, 31, 23, 59, 59, 1),
        dt.datetime(2026, 1, 1),
        dt.datetime(2026, 1, 1, 12, 0, 0, 500_000),
    ],
    "moment of a zone": [dt.datetime(2026, 1, 1, hour, 30, tzinfo=ZONE) for hour in (0, 8, 23)],
}  # fmt: skip
TEXTS = {
    "uuid": [
        "00000000-0000-0000-0000-000000000000",
        "00000000-0000-0000-0000-000000000001",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ],
    "day": ["0001-01-01", "2026-11-18", "9999-12-31"],
    "moment": ["1969-12-31 23:59:59.000001", "2026-01-01", "2026-01-01 12:00:00.5"],
    "moment of a zone": ["2025-12-31 16:30:00+00:00", "2026-01-01 00:30:00+00:00", "2026-01-01 15:30:00+00:00"],
}

CONNECTIONS = []
"""What their relations are read from; older DuckDB closes a connection that nothing else holds."""


def columns(ids, value, numbers):
    return {"query": [ids[0]] * 3, "item": ids, value: numbers}


def mapping(ids, _, numbers, __):
    return {ids[0]: dict(zip(ids, numbers, strict=True))}


def table(ids, value, numbers):
    kinds = {str: pl.String, uuid.UUID: pl.Object, dt.date: pl.Date}
    kind = kinds.get(type(ids[0]), pl.Datetime("us", getattr(ids[0], "tzinfo", None) and "Asia/Shanghai"))
    made = columns(ids, value, numbers)
    return pl.DataFrame({name: pl.Series(made[name], dtype=kind) for name in ("query", "item")} | {value: numbers})


def duckdb_relation(ids, value, numbers, _):
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    CONNECTIONS.append(connection)
    connection.execute("set timezone='UTC'")
    kind = {uuid.UUID: "uuid", dt.date: "date"}.get(
        type(ids[0]), "timestamptz" if getattr(ids[0], "tzinfo", None) else "timestamp"
    )
    values = ", ".join(
        f"('{ids[0]}'::{kind}, '{one}'::{kind}, {number})" for one, number in zip(ids, numbers, strict=True)
    )
    return connection.sql(f"select * from (values {values}) as rows(query, item, {value})")


def parquet(ids, value, numbers, folder):
    if isinstance(ids[0], uuid.UUID):
        duckdb_relation(ids, value, numbers, folder).write_parquet(str(folder / f"{value}.parquet"))
    else:
        table(ids, value, numbers).write_parquet(folder / f"{value}.parquet")
    return folder / f"{value}.parquet"


def plain_frame(ids, value, numbers, _):
    if isinstance(ids[0], uuid.UUID):
        return duckdb_relation(ids, value, numbers, None).to_arrow_table()
    return table(ids, value, numbers).to_arrow()


def pandas_frame(ids, value, numbers, _):
    return pytest.importorskip("pandas").DataFrame(columns(ids, value, numbers))


ROUTES = {
    "mapping": mapping,
    "columns": lambda ids, value, numbers, _: columns(ids, value, numbers),
    "records": lambda ids, value, numbers, _: pl.DataFrame(
        {name: pl.Series(column, dtype=pl.Object) for name, column in columns(ids, value, numbers).items()}
    ).to_dicts(),
    "polars": lambda ids, value, numbers, _: table(ids, value, numbers),
    "pandas": pandas_frame,
    "arrow": plain_frame,
    "parquet": parquet,
    "duckdb": duckdb_relation,
    "text": lambda ids, value, numbers, _: mapping(ids, value, numbers, None),
}

PAIRS = [*((name, name) for name in ROUTES), *itertools.product(ROUTES, ["duckdb", "mapping"])]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("judged", "returned"), PAIRS)
def test_the_same_ids_meet(kind, judged, returned, tmp_path):
    ids = KINDS[kind]
    sides = []
    for route, value, numbers in ((judged, "grade", [0, 2, 1]), (returned, "score", [0.9, 0.5, 0.1])):
        given = TEXTS[kind] if route == "text" else ids
        sides.append(ROUTES[route](given, value, numbers, tmp_path))
    found = rm.evaluate(*sides, ["RR", "nDCG@10"])
    assert found["RR"] == 0.5
    assert found.to_polars()["query"].to_list() == [TEXTS[kind][0]]


@pytest.mark.parametrize("kind", ["uuid", "day"])
def test_an_id_and_its_text_are_no_two_ids(kind):
    one = KINDS[kind][0]
    with pytest.raises(InputError, match="are the same once they are text"):
        rm.evaluate({"q": {one: 1, str(one): 0}}, {"q": {one: 1.0}}, "RR")


def test_no_moment_is_no_id():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"query": [pd.NaT, pd.Timestamp("2026-01-01")], "item": ["a", "b"], "grade": [1, 1]})
    with pytest.raises(InputError, match="missing"):
        rm.evaluate(frame, {"2026-01-01": ["b"]}, "RR")
    with pytest.raises(InputError):
        rm.evaluate({"q": {dt.timedelta(1): 1}}, {"q": ["a"]}, "RR")
