"""Logs as people have them: columns, layouts, times, files, and what is said when they cannot be read."""

from __future__ import annotations

import copy
import gzip
import json
import random
from datetime import UTC, datetime, timedelta, timezone

import polars as pl
import pytest
from tests.properties.strategies import by_night

import rankmeter as rm
from rankmeter.errors import InputError, NotFoundError
from rankmeter.inputs.columns import USUAL_NAMES
from rankmeter.wings.online.events import read_events

ROWS = [
    {"time": 10, "user": "u", "request": "r", "item": "a", "position": 1, "type": "impression"},
    {"time": 10, "user": "u", "request": "r", "item": "b", "position": 2, "type": "impression"},
    {"time": 15, "user": "u", "request": "r", "item": "b", "position": 2, "type": "click"},
    {"time": 20, "user": "v", "request": "s", "item": "a", "position": 1, "type": "impression"},
]
ASKED = ["CTR", "CTR@1", "CTR(per=request)", "SessionDuration"]
VALUES = {"CTR": 1 / 3, "CTR@1": 0.0, "CTR(per=request)": 0.5, "SessionDuration": 2.5}


def values(source, **options):
    found = rm.online.evaluate(source, ASKED, **options)
    return {name: found[name] for name in ASKED}


def test_every_kind_of_frame_gives_the_same_numbers():
    pd, duckdb = pytest.importorskip("pandas"), pytest.importorskip("duckdb")
    frame = pl.DataFrame(ROWS)
    frames = [ROWS, frame, frame.lazy(), pd.DataFrame(ROWS), frame.to_arrow(), duckdb.sql("SELECT * FROM frame")]
    for one in frames:
        assert values(one) == pytest.approx(VALUES), type(one)


def test_every_kind_of_file_gives_the_same_numbers(tmp_path):
    frame = pl.DataFrame(ROWS)
    frame.write_csv(tmp_path / "log.csv")
    frame.write_csv(tmp_path / "log.tsv", separator="\t")
    frame.write_parquet(tmp_path / "log.parquet")
    frame.write_ipc(tmp_path / "log.arrow")
    frame.write_ndjson(tmp_path / "log.jsonl")
    (tmp_path / "log.json").write_text(json.dumps(ROWS))
    (tmp_path / "log.csv.gz").write_bytes(gzip.compress((tmp_path / "log.csv").read_bytes()))
    (tmp_path / "many").mkdir()
    frame[:2].write_parquet(tmp_path / "many" / "1.parquet")
    frame[2:].write_parquet(tmp_path / "many" / "2.parquet")
    names = ["log.csv", "log.tsv", "log.parquet", "log.arrow", "log.jsonl", "log.json", "log.csv.gz", "many"]
    for path in [*(tmp_path / name for name in names), f"{tmp_path}/many/*.parquet"]:
        assert values(path) == pytest.approx(VALUES), path


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "jsonl", "parquet", "arrow"])
@pytest.mark.parametrize("named", ["", "*", "**/*"])
def test_many_files_are_found_as_those_of_runs_are(ending, named, tmp_path):
    frame = pl.DataFrame(ROWS)
    write = {"csv": "write_csv", "jsonl": "write_ndjson", "parquet": "write_parquet", "arrow": "write_ipc"}
    for number, part in enumerate((frame[:1], frame[1:3], frame[3:])):
        path = tmp_path / f"part-{number}.{ending.removesuffix('.gz')}"
        getattr(part, write[ending.removesuffix(".gz")])(path)
        if ending.endswith(".gz"):
            path.with_suffix(".csv.gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / "part-3.csv").touch()  # a partition without a row
    assert values(tmp_path / named) == pytest.approx(VALUES)
    (tmp_path / "_b").mkdir()
    hidden = tmp_path / "_b" / f"part.{ending}"
    hidden.write_bytes((tmp_path / f"part-0.{ending}").read_bytes())
    log = rm.online.evaluate(tmp_path / (named if named != "*" else ""), ASKED)
    assert {name: log[name] for name in ASKED} == pytest.approx(VALUES)
    assert any(f"left out because of a name that begins with _ or .: {hidden}" in note for note in log.notes)


@pytest.mark.parametrize("key", ["user", "request", "item"])
@pytest.mark.parametrize(("number", "text"), [(1, "1"), (-7, "-7"), (1.0, "1"), (True, "true")])
@pytest.mark.parametrize("kind", ["json", "jsonl", "records", "folder"])
def test_a_number_and_the_same_text_are_two_ids(kind, number, text, key, tmp_path):
    rows = [{**row, key: given} for row, given in zip(ROWS, ["a", text, "b", number], strict=True)]
    source = rows
    if kind == "json":
        (tmp_path / "log.json").write_text(json.dumps(rows))
        source = tmp_path / "log.json"
    elif kind != "records":
        (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        (tmp_path / "more.jsonl").write_text("".join(json.dumps({**row, key: "c"}) + "\n" for row in rows))
        source = tmp_path if kind == "folder" else tmp_path / "log.jsonl"
    with pytest.raises(InputError, match=f"the column '{key}' holds {text} both as text and as another type"):
        values(source)


def test_numbers_and_other_texts_may_stand_together(tmp_path):
    rows = [{**row, "user": given} for row, given in zip(ROWS, ["a", 1, "b 1", "2"], strict=True)]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert read_events(tmp_path / "log.jsonl").rows.select("user").collect()["user"].to_list() == ["a", "1", "b 1", "2"]


def test_a_folder_is_read_whole_or_refused(tmp_path):
    frame = pl.DataFrame(ROWS)
    for number, part in enumerate((frame[:2], frame[2:])):
        part.write_csv(tmp_path / f"{number}.csv")
    (tmp_path / "_SUCCESS").touch()
    assert values(tmp_path) == values(f"{tmp_path}/*.csv") == pytest.approx(VALUES)
    frame.write_parquet(tmp_path / "more.parquet")
    with pytest.raises(InputError, match=r"several kinds: .*Hint: name files of one kind"):
        values(tmp_path)
    (tmp_path / "only").mkdir()
    (tmp_path / "only" / "notes.txt").touch()
    with pytest.raises(InputError, match=r"notes\.txt is empty.*is a folder, and all files in it are read as one"):
        values(tmp_path / "only")


def test_text_ids_keep_their_zeros(tmp_path):
    (tmp_path / "log.csv").write_text("time,user,type\n1,007,click\n2,7,click\n")
    assert rm.online.evaluate(tmp_path / "log.csv", "Conversions").counts["users"] == 2


NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "first",
    [
        NEW_YEAR,
        datetime(2026, 1, 1),  # noqa: DTZ001 (a naive time is what is tested)
        datetime(2026, 1, 1, 8, tzinfo=timezone(timedelta(hours=8))),
        "2026-01-01T00:00:00Z",
        "2026-01-01T08:00:00+08:00",
        "2026-01-01 00:00:00",
        "2026-01-01 00:00:00.000001",
        "2026-01-01",
        NEW_YEAR.timestamp(),
        int(NEW_YEAR.timestamp()),
        int(NEW_YEAR.timestamp() * 1e3),
        int(NEW_YEAR.timestamp() * 1e6),
        int(NEW_YEAR.timestamp()) * 10**9,
        str(int(NEW_YEAR.timestamp() * 1e3)),
    ],
    ids=repr,
)
def test_a_moment_may_be_written_in_many_ways(first):
    rows = read_events([{"time": first, "user": 1, "type": "click"}]).rows.collect()
    assert rows["time"][0] // 10 == int(NEW_YEAR.timestamp() * 1e6) // 10


def test_times_that_cannot_be_read_are_counted_and_left_out():
    rows = [{"time": "2026-01-01", "user": 1, "type": "click"}, {"time": "yesterday", "user": 2, "type": "click"}]
    found = rm.online.evaluate(rows, "Conversions")
    assert found.counts["users"] == 1
    assert ("events without readable time", 1) in [(one.name, one.count) for one in found.findings]


def test_the_layout_of_opensearch_is_recognised():
    shown = [("impression", "a", 1), ("impression", "b", 2), ("click", "b", 2)]
    rows = [
        {
            "application": "shop", "action_name": action, "client_id": "c1", "query_id": "q1",
            "timestamp": f"2026-01-01T00:00:0{place}Z",
            "event_attributes": {"object": {"object_id": item}, "position": {"ordinal": ordinal}},
        }
        for place, (action, item, ordinal) in enumerate(shown)
    ]  # fmt: skip
    found = rm.online.evaluate(rows, ["CTR", "CTR@1", "CTR(per=request)"])
    assert [found[name] for name in ("CTR", "CTR@1", "CTR(per=request)")] == [0.5, 0.0, 1.0]
    assert any("OpenSearch UBI" in note for note in found.notes)
    flat = pl.DataFrame(rows).unnest("event_attributes").select(
        pl.exclude("object", "position"),
        pl.col("object").struct.field("object_id").alias("event_attributes.object.object_id"),
        pl.col("position").struct.field("ordinal").alias("event_attributes.position.ordinal"),
    )  # fmt: skip
    assert rm.online.evaluate(flat, "CTR")["CTR"] == 0.5


def ga4_event(name, second, items, session=5):
    params = [{"key": "page", "value": {"int_value": None}}, {"key": "ga_session_id", "value": {"int_value": session}}]
    return {
        "event_name": name, "event_timestamp": 1_767_225_600_000_000 + second * 1_000_000, "user_pseudo_id": "p1",
        "event_params": params, "items": items,
    }  # fmt: skip


def test_the_layout_of_google_analytics_is_recognised():
    item = {"item_list_index": 1, "price": 10.0, "quantity": 1}
    rows = [
        ga4_event("view_item_list", 0, [{**item, "item_id": "a"}, {**item, "item_id": "b", "item_list_index": 2}]),
        ga4_event("select_item", 5, [{**item, "item_id": "b"}]),
        ga4_event("page_view", 6, []),
        ga4_event("purchase", 60, [{**item, "item_id": "b", "quantity": 3}]),
    ]
    found = rm.online.evaluate(rows, ["CTR", "CVR", "Value", "SessionDuration"])
    assert [found[name] for name in ("CTR", "CVR", "Value", "SessionDuration")] == [0.5, 1.0, 30.0, 60.0]
    assert found.counts["events"] == 5
    assert any("Google Analytics" in note for note in found.notes)


@pytest.mark.parametrize("layout", ["plain", "ubi", "ga4", "wide"])
def test_a_column_of_any_name_that_nothing_is_read_from_is_named(layout):
    drawn = random.Random(f"{by_night(0, night=random.randrange(1 << 30))} {layout}")
    plain = {"time": 1, "user": "u", "type": "impression", "item": "a"}
    ubi = {"action_name": "click", "client_id": "c1", "query_id": "q1", "timestamp": "2026-01-01T00:00:00Z",
           "event_attributes": {"object": {"object_id": "a"}, "position": {"ordinal": 1}}}  # fmt: skip
    ga4 = ga4_event("select_item", 5, [{"item_id": "b", "item_list_index": 1}])
    wide = plain | {f"text{n}": "some words" for n in range(40)}
    for _ in range(by_night(20, night=200)):
        row = copy.deepcopy({"plain": plain, "ubi": ubi, "ga4": ga4, "wide": wide}[layout])
        name = "".join(drawn.choices("bdkmpz", k=3)) + drawn.choice(["", "Flag", "_x", "数"])
        within = row["event_attributes"] if layout == "ubi" and drawn.random() < 0.5 else row
        within[name] = drawn.choice([True, 0.5, 3] if layout == "wide" else [True, 0.5, 3, "word", ["a"], {"k": 1}])
        notes = rm.online.evaluate([row], "Conversions", types={"other": ["impression"]}).notes
        assert any(name in str(note) for note in notes), (row, notes)


def test_words_for_types_can_be_named_and_take_precedence():
    rows = [{"time": 1, "user": 1, "type": "Signup"}, {"time": 2, "user": 1, "type": "view"}]
    assert rm.online.evaluate(rows, "Conversions", types={"conversion": "signup"})["Conversions"] == 1
    assert rm.online.evaluate(rows, "Conversions", types={"conversion": ["signup", "view"]})["Conversions"] == 2


@pytest.mark.parametrize(
    ("rows", "options", "words"),
    [
        ([{"ts": 1, "who": 2, "type": "x"}], {}, ["no user column", "who", "columns="]),
        ([{"time": 1, "user_id": 1, "uid": 1, "type": "x"}], {}, ["could be the user", "say which"]),
        ([{"time": 1, "user": 1, "type": "x"}], {"columns": {"usr": "user"}}, ["'usr'", "did you mean 'user'"]),
        ([{"time": 1, "user": 1, "type": "x"}], {"columns": {"item": "sku"}}, ["no column 'sku'"]),
        ([{"time": 1, "user": 1, "type": "x"}], {"types": {"buy": "x"}}, ["'buy'", "impression, click, conversion"]),
        ([{"time": None, "user": 1, "type": "x"}], {}, ["none of its 1 event has", "1 without a readable time"]),
        ([{"time": True, "user": 1, "type": "x"}], {}, ["time column", "Boolean"]),
    ],
)
def test_what_cannot_be_read_is_said_with_a_way_out(rows, options, words):
    with pytest.raises(InputError) as told:
        rm.online.evaluate(rows, "Conversions", **options)
    for word in words:
        assert word in str(told.value)


def test_files_that_are_no_logs_are_refused(tmp_path):
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "x.qrels").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1" + b"\0" * 50)
    (tmp_path / "headless.csv").write_text("time,user,type\n")
    with pytest.raises(InputError, match="empty"):
        rm.online.evaluate(tmp_path / "empty.csv")
    with pytest.raises(InputError, match="judgments or a run"):
        rm.online.evaluate(tmp_path / "x.qrels")
    with pytest.raises(InputError, match="cannot be read as parquet"):
        rm.online.evaluate(tmp_path / "broken.parquet")
    with pytest.raises(InputError, match="no event"):
        rm.online.evaluate(tmp_path / "headless.csv", "Conversions")
    with pytest.raises(NotFoundError):
        rm.online.evaluate(tmp_path / "absent.csv")
    with pytest.raises(InputError, match="int"):
        rm.online.evaluate(5)


@pytest.mark.parametrize(
    "content",
    [
        b"time,user,type\n1,u,click\n2,u,click,more\n",
        "time,user,type\n1,\u00fc,click\n".encode("latin-1"),
        b'time,user,type\n1,u,click\n2,"u,click\n',
    ],
)
def test_a_file_that_is_broken_further_down_is_one_error(tmp_path, content):
    path = tmp_path / "log.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"log.csv cannot be read to its end.*Hint: "):
        rm.online.evaluate(path, "Conversions")


def test_another_type_far_down_in_json_lines_is_one_error(tmp_path):
    lines = [f'{{"time": {n}, "user": {n}, "type": "click"}}' for n in range(10_001)]
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join([*lines, '{"time": 1, "user": "abc", "type": "click"}']))
    with pytest.raises(InputError, match=r"log.jsonl cannot be read to its end"):
        rm.online.evaluate(path, "Conversions")


@pytest.mark.parametrize("dtype", [pl.UInt32, pl.Int32, pl.UInt64])
def test_times_of_narrow_integers_are_read(dtype):
    log = pl.DataFrame({"time": [1_700_000_000, 1_700_000_090], "user": ["u", "u"], "type": ["click", "click"]})
    assert rm.online.evaluate(log.cast({"time": dtype}), "SessionDuration")["SessionDuration"] == 90.0


def test_times_that_cannot_tell_minutes_apart_are_refused():
    log = pl.DataFrame({"time": [1.7e9, 1.7e9 + 60], "user": ["u", "u"], "type": ["click", "click"]})
    with pytest.raises(InputError, match="Float32"):
        rm.online.evaluate(log.cast({"time": pl.Float32}), "SessionDuration")


def test_a_pandas_column_of_numbers_and_texts_is_one_error():
    pandas = pytest.importorskip("pandas")
    log = pandas.DataFrame({"time": [1, 2], "user": [1, "a"], "type": ["click", "click"]})
    with pytest.raises(InputError, match="astype"):
        rm.online.evaluate(log, "Conversions")


def test_a_ga4_event_of_several_items_says_that_it_counts_for_each():
    items = [{"item_id": one, "price": 5.0, "quantity": 1} for one in "ab"]
    log = [{"event_timestamp": 1_700_000_000_000_000, "event_name": "purchase", "user_pseudo_id": "u", "items": items}]
    found = rm.online.evaluate(log, "Conversions")
    assert found["Conversions"] == 2.0
    assert any("once for each of them" in note for note in found.notes)


@pytest.mark.parametrize("name", [name for role in ("grade", "score") for name in USUAL_NAMES[role]])
@pytest.mark.parametrize("query", ["qid", "user_id"])
def test_judgments_and_runs_are_no_log_and_their_numbers_no_time(query, name):
    table = pl.DataFrame({query: ["q"], "item": ["a"], name: [1]})
    with pytest.raises(InputError, match="looks like judgments or a run, not like a log of events") as error:
        read_events(table)
    assert "columns=" not in str(error.value)
    with pytest.raises(InputError) as error:
        read_events(table.rename({"item": "foo"}))
    assert f'"{name}"' not in str(error.value)


def test_a_log_whose_columns_have_other_names_is_told_how_to_name_them():
    with pytest.raises(InputError, match=r'Hint: columns=\{"time": "when", "type": "what"\}'):
        read_events(pl.DataFrame({"user": ["u"], "item": ["a"], "when": [1], "what": ["click"], "rating": [5]}))
