"""Ids, times and positions of every type on every route: two that differ are never one, or the log is refused."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import polars as pl
import pytest

import rankmeter as rm
from rankmeter.errors import InputError

START = 1_700_000_000
IDS = {
    "text": ["u1", "u2", "u 3", "U1"],
    "text that looks like numbers": ["7", "07", "7.0", "1e3"],
    "whole": [0, 1, -1, 2**53 + 1],
    "64 bits": [2**63, 2**63 + 1, 2**64 - 1, 0],
    "128 bits": [2**100, 2**100 + 1, -(2**100), 0],
    "small floats": [0.5, 1.0, -1.0, 2.0**52],
    "decimals": [Decimal("1.5"), Decimal("1.50000000000000000001"), Decimal(10) ** 17, Decimal(0)],
    "bytes": [b"a", b"\xff", b"\xfe", b"b"],
    "dates": [dt.date(2026, 1, day) for day in (1, 2, 3, 4)],
    "truth": [True, False],
}
"""Distinct ids of each type."""
ROLES = ("user", "request", "item", "session", "id")


def log_of(role, ids):
    """Two impressions and a click for each id, all else being equal."""
    rows = [
        {"time": START + n, "user": "u", "request": "r", "item": "i", "session": "s", "type": kind}
        for n, kind in enumerate(("impression", "impression", "click"))
    ]
    return [{**row, role: one} for one in ids for row in rows]


def counted(source, role):
    """How many ids of a role a log has, as the measures see them."""
    measure = {"session": "SessionDuration(sessions=id)"}.get(role, "CTR(orphans=keep)")
    found = rm.online.evaluate(source, [measure])
    if role == "id":
        return found.counts["events"] - sum(one.count for one in found.findings if one.name == "duplicates")
    if role == "session":
        return found.counts["sessions"]
    return found.counts["users"] if role == "user" else round(found.sums[""].total(f"{measure} y"))


ROUTES = {
    "records": lambda rows, _: rows,
    "polars": lambda rows, _: pl.DataFrame(rows, infer_schema_length=None),
    "lazy": lambda rows, _: pl.DataFrame(rows, infer_schema_length=None).lazy(),
    "arrow": lambda rows, _: narrow(pl.DataFrame(rows, infer_schema_length=None)).to_arrow(),
    "pandas": lambda rows, _: pytest.importorskip("pandas").DataFrame(rows),
    "parquet": lambda rows, folder: written(pl.DataFrame(rows, infer_schema_length=None), folder / "log.parquet"),
    "ipc": lambda rows, folder: written(pl.DataFrame(rows, infer_schema_length=None), folder / "log.arrow"),
    "csv": lambda rows, folder: text_file(rows, folder / "log.csv"),
    "json": lambda rows, folder: text_file(rows, folder / "log.json"),
    "jsonl": lambda rows, folder: text_file(rows, folder / "log.jsonl"),
}


def narrow(frame):
    """Arrow has no whole numbers of 128 bits; databases hand them over as decimals."""
    return frame.with_columns(pl.col(pl.Int128).cast(pl.Decimal(38, 0)))


def written(frame, path):
    frame.write_parquet(path) if path.suffix == ".parquet" else frame.write_ipc(path)
    return path


def text_file(rows, path):
    rows = [{name: value if isinstance(value, (str, int, float)) else str(value) for name, value in row.items()}
            for row in rows]  # fmt: skip
    if path.suffix == ".csv":
        lines = [",".join(rows[0]), *(",".join(str(value) for value in row.values()) for row in rows)]
        path.write_text("\n".join(lines) + "\n")
    else:
        lines = [json.dumps(row) for row in rows]
        path.write_text("[" + ",".join(lines) + "]" if path.suffix == ".json" else "\n".join(lines))
    return path


TEXT = {"csv", "json", "jsonl"}
HELD = [(kind, route) for kind in IDS for route in ROUTES
        if not (route in TEXT and any(isinstance(one, bytes) for one in IDS[kind]))]  # fmt: skip
"""Every kind of id in every way that can hold it: bytes are not text."""


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(("kind", "route"), HELD)
def test_ids_that_differ_are_never_one(kind, route, role, tmp_path):
    log = ROUTES[route](log_of(role, IDS[kind]), tmp_path)
    assert counted(log, role) == len(IDS[kind])


def test_an_id_of_any_partition_is_the_same_as_in_one(monkeypatch):
    rows = [{**row, "user": f"user {number}"} for number in range(40) for row in log_of("request", ["a", "b"])]
    whole = rm.online.evaluate(rows, "CTR").to_dict()
    monkeypatch.setattr("rankmeter.wings.online.partitions.ROWS_PER_PARTITION", 7)
    monkeypatch.setattr("rankmeter.wings.online.partitions.BATCH_ROWS", 11)
    monkeypatch.setattr("rankmeter.wings.online.partitions.HELD_BYTES", 500)  # everything goes through files
    from rankmeter.wings.online.events import read_events
    from rankmeter.wings.online.questions import Question
    from rankmeter.wings.online.tallies import count

    parts = count(read_events(rows), Question((rm.CTR,))).groups["",]
    assert parts.n == 40
    assert parts.total("CTR x") / parts.total("CTR y") == whole["values"][""]["CTR"]["value"]


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("ids", [[2.0**53, 2.0**53 + 2], [float("inf"), 1.0], [2**53 + 1, 1.5]], ids=str)
def test_floats_that_have_lost_digits_are_refused_as_ids(role, ids):
    with pytest.raises(InputError, match=f"the {role} column.*floats.*Hint: write ids as text"):
        rm.online.evaluate(pl.DataFrame(log_of(role, ids), infer_schema_length=None), "CTR")


def test_ids_of_two_types_are_refused():
    for role in ROLES:
        with pytest.raises(InputError, match=f"'{role}' holds 1 both as text and as another type"):
            rm.online.evaluate(log_of(role, [1, "1"]), "CTR")


@pytest.mark.parametrize(
    "ids",
    [[{"a": 1}, {"a": 2}], [[1], [2]], [2**130, 2**130 + 1], [object(), object()]],
    ids=["mappings", "lists", "beyond 128 bits", "objects"],
)
def test_what_is_no_id_is_refused_in_a_sentence(ids):
    with pytest.raises(InputError, match="events"):
        rm.online.evaluate(log_of("user", ids), "CTR")


def seconds(times):
    return rm.online.evaluate([{"time": t, "user": "u", "type": "click"} for t in times], "SessionDuration")[
        "SessionDuration"
    ]


@pytest.mark.parametrize(
    "times",
    [
        [START + 0.3, START + 1.8],
        [Decimal(f"{START}.3"), Decimal(f"{START + 1}.8")],
        [f"{START}.3", f"{START + 1}.8"],
        [f"{START}", f"{START + 1}.5"],
        [START * 1000 + 0.25, START * 1000 + 1500.25],
        [str(START * 1000 + 0.25), str(START * 1000 + 1500.25)],
        [START * 10**6, START * 10**6 + 1_500_000],
        [START * 10**9 + 1, START * 10**9 + 1_500_000_001],
        [str(START * 10**9 + 1), str(START * 10**9 + 1_500_000_001)],
        ["2026-01-01T00:00:00.25Z", "2026-01-01T00:00:01.750000Z"],
    ],
    ids=str,
)
def test_times_keep_their_fractions(times):
    assert seconds(times) == 1.5


def test_a_microsecond_is_not_lost():
    assert [seconds([START + n / 1e6, START + (n + 1) / 1e6]) for n in (0, 100_000, 299_999)] == [1e-6] * 3


@pytest.mark.parametrize("positions", [[1.5, 1.0], ["1.5", "1"], [Decimal("1.5"), Decimal(1)], [1e300, 1.0]], ids=str)
def test_a_position_that_is_not_whole_is_none(positions):
    rows = [{"time": n, "user": n, "item": n, "position": p, "type": "impression"} for n, p in enumerate(positions)]
    found = rm.online.evaluate(rows, ["CTR", "CTR@1"])
    assert [found.sums[""].total(f"{one} y") for one in ("CTR", "CTR@1")] == [2, 1]
    assert [one.count for one in found.findings if one.name == "positions that are not whole"] == [1]
