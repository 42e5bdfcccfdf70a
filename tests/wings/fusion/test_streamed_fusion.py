"""Runs larger than memory: the same scores as in memory, whatever is spilled; what cannot be fused leaves no file."""

from __future__ import annotations

import subprocess
import sys

import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmeter as rm
from rankmeter.cli import app
from rankmeter.errors import InputError, RankmeterError
from rankmeter.inputs import streaming

LISTS = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-3, 9).map(float), max_size=6)
RUNS = st.lists(st.tuples(LISTS, LISTS, LISTS), min_size=1, max_size=12).filter(lambda qs: all(map(any, zip(*qs))))  # noqa: B905
HOWS = ["rrf(k=3)", "wsum(weights=0.5:0.3:0.2)", "mnz(norm=z-score)", "condorcet", "max(norm=none,missing=minimum)",
        "bordafuse", "qdrant:rrf", "opensearch:hybrid(min_max,arithmetic_mean)"]  # fmt: skip


def write(folder, runs, ending="csv"):
    paths = {}
    for name, run in runs.items():
        rows = [(query, item, score) for query, items in run.items() for item, score in items.items()]
        frame = pl.DataFrame(rows, schema={"query": pl.String, "item": pl.String, "score": pl.Float64}, orient="row")
        paths[name] = str(folder / f"{name}.{ending}")
        (frame.write_csv if ending == "csv" else frame.write_parquet)(paths[name])
    return paths


def rows_of(path):
    return [tuple(line.split()[i] for i in (0, 2, 3, 4)) for line in path.read_text().splitlines()]


@settings(deadline=None, max_examples=10)
@given(queries=RUNS, how=st.sampled_from(HOWS), policy=st.sampled_from(["all", "common"]))
def test_spilled_runs_give_the_scores_of_runs_in_memory(tmp_path_factory, queries, how, policy):
    folder = tmp_path_factory.mktemp("runs")
    names = ("a", "b", "c")
    runs = {
        name: {f"q{at}": lists[run] for at, lists in enumerate(queries) if lists[run]} for run, name in enumerate(names)
    }
    paths = write(folder, runs)
    outcomes = []
    for limit in (1 << 27, 1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(streaming, "IN_MEMORY_BYTES", limit)
            try:
                made = rm.fuse_to_file(paths, folder / f"{limit}.run", how, queries=policy)
                outcomes.append(
                    (made.queries, made.rows, sorted(rows_of(folder / f"{limit}.run")), list(map(str, made.notes)))
                )
            except InputError as error:
                outcomes.append(str(error))
                assert not (folder / f"{limit}.run").exists()
    assert outcomes[0] == outcomes[1]
    if not isinstance(outcomes[0], str):
        rm.fuse(paths, how, queries=policy).save(folder / "plain.run")
        assert (folder / "plain.run").read_text() == (folder / f"{1 << 27}.run").read_text()


ORDERS = ["rrf(k=1)", "rrf(k=1,equal=item-ascending)", "rrf(k=1,equal=first,lists=given)", "qdrant:rrf",
          "rrf(k=1,ties=shared,equal=first)", "mnz(norm=none,ties=given,equal=first)", "condorcet(equal=first)",
          "sum(norm=none,equal=item-ascending)", "max(norm=min-max,lists=rising)", "bordafuse(ties=item-ascending)",
          "haystack:concatenate", "milvus:rrf"]  # fmt: skip
EQUAL = st.lists(st.tuples(st.sampled_from("abcdefghij"), st.integers(0, 1).map(float)), max_size=8,
                 unique_by=lambda row: row[0])  # fmt: skip


def in_shards(folder, run, numbered, shards):
    """A run as several files that each hold some rows of every query; ids are numbers, or text."""
    rows = [(query, item, score) for query, items in run.items() for item, score in items]
    folder.mkdir()
    for at in range(shards):
        table = pl.DataFrame(rows[at::shards], schema=["query", "item", "score"], orient="row") if rows else None
        table = pl.DataFrame(table, schema={"query": pl.Int64, "item": pl.String, "score": pl.Float64})
        item = pl.col("item").replace_strict({one: str(n + 5) for n, one in enumerate("abcdefghij")})
        table = table.with_columns(item.cast(pl.Int64)) if numbered else table
        table.write_parquet(folder / f"{at}.parquet")
    return str(folder)


@settings(deadline=None, max_examples=40)
@given(lists=st.lists(st.tuples(EQUAL, EQUAL), min_size=1, max_size=6), how=st.sampled_from(ORDERS),
       numbered=st.tuples(st.booleans(), st.booleans()), shards=st.integers(1, 3))  # fmt: skip
def test_equal_sums_stand_in_the_order_of_runs_in_memory(tmp_path_factory, lists, how, numbered, shards):
    folder = tmp_path_factory.mktemp("runs")
    runs = {name: in_shards(folder / name, {q: two[at] for q, two in enumerate(lists)}, numbered[at], shards)
            for at, name in enumerate("xy")}  # fmt: skip
    if not all(any(two[at] for two in lists) for at in (0, 1)):
        return
    order = {}
    for limit in (1 << 27, 1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(streaming, "IN_MEMORY_BYTES", limit)
            rm.fuse_to_file(runs, folder / f"{limit}.run", how, queries="all")
        order[limit] = {}
        for query, *row in rows_of(folder / f"{limit}.run"):
            order[limit].setdefault(query, []).append(row)
    assert order[1] == order[1 << 27]
    plain = rm.fuse(runs, how, queries="all").to_dict()
    assert {q: [row[0] for row in rows] for q, rows in order[1].items()} == {
        str(query): list(map(str, items)) for query, items in plain.items() if items
    }


@pytest.mark.parametrize("limit", [1 << 27, 1])
@pytest.mark.parametrize("ending", ["run", "jsonl", "csv", "parquet", "json"])
def test_every_format_is_read_as_the_run_that_was_fused(tmp_path, monkeypatch, ending, limit):
    monkeypatch.setattr(streaming, "IN_MEMORY_BYTES", limit)
    runs = {name: {f"q{q}": {f"d{(q * step + i) % 17}": 9.0 - i for i in range(8)} for q in range(40)}
            for name, step in (("a", 3), ("b", 5))}  # fmt: skip
    judged = {f"q{q}": {f"d{q % 17}": 2, f"d{(q + 3) % 17}": 1} for q in range(40)}
    made = rm.fuse_to_file(write(tmp_path, runs, "parquet"), tmp_path / f"fused.{ending}", "rrf", k=5)
    assert (made.queries, made.rows) == (40, len(rm.fuse(runs, k=5)))
    expected = rm.evaluate(judged, rm.fuse(runs, k=5), ["nDCG@5", "AP"])
    for given_run in (made, str(tmp_path / f"fused.{ending}")):
        assert rm.evaluate(judged, given_run, ["nDCG@5", "AP"]).mean == expected.mean
    assert "rrf(k=5)" in " ".join(rm.evaluate(judged, made, "RR").reading.notes)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("limit", [1 << 27, 1])
def test_ids_of_two_types_and_lists_without_an_item(tmp_path, monkeypatch, limit):
    monkeypatch.setattr(streaming, "IN_MEMORY_BYTES", limit)
    numbers = pl.DataFrame({"query": [1, 1, 2], "item": [7, 8, 7], "score": [2.0, 1.0, 5.0]})
    texts = {"1": {"7": 0.5}, "2": {}}
    made = rm.fuse_to_file({"numbers": numbers, "texts": texts}, tmp_path / "fused.run")
    assert {row[:2] for row in rows_of(tmp_path / "fused.run")} == {("1", "7"), ("1", "8"), ("2", "7")}
    assert "compared as text" in repr(made)
    empty = rm.fuse_to_file([{"q": {}, "r": {"a": 1.0}}, {"q": {}, "r": {"a": 1.0}}], tmp_path / "fused.json")
    assert (empty.queries, empty.rows) == (2, 1)
    assert rm.evaluate({"q": {"a": 1}, "r": {"a": 1}}, empty, "RR").mean == {"RR": 0.5}


A = {"q1": {"d1": 10.0, "d2": 8.0}, "q2": {"d1": 3.0}}
B = {"q1": {"d3": 0.9}, "q2": {"d6": 0.7}}
BAD = [
    ({"a": A, "b": {"q1": {"d3": 1.0}}}, {}, r"b lacks 1 of the 2 queries.*queries='all'", "--queries all"),
    ({"a": A, "b": {"x": {"d3": 1.0}}}, {"queries": "common"}, "no query in common.*queries='all'", "--queries all"),
    ({"a": A, "b": {"q1": ["d3"], "q2": ["d6"]}}, {"how": "sum"}, "b was read as an order.*'rrf'", "--how rrf"),
    ({"a": A, "b": {**B, "q2": {"d6": float("nan")}}}, {}, "run 'b'.*[nN]a[nN]", "run 'b'"),
    ({"a": A, "b": {**B, "q2": {"d6": float("inf")}}}, {"how": "wsum"}, "b gives item d6.*inf.*'rrf'", "--how rrf"),
    ({"a": A, "b": B}, {"weights": [1.0]}, r"1 value for 2 runs.*weights=\[0.5, 0.5\]", "--weights 0.5,0.5"),
    ({"a": A, "b": B}, {"weights": [0.0, 0.0]}, r"sum to 0.*weights=\[0.5, 0.5\]", "--weights 0.5,0.5"),
    ({"a": A, "b": B}, {"k": -1.0}, "k=-1", "--k 60"),
    ({"a": A, "b": B}, {"how": "rbc", "option": {"phi": "2"}}, "phi=2", "phi=2"),
    ({"a": A, "b": {"q1": [("d3", 1.0), ("d3", 2.0)], "q2": [("d6", 1.0)]}}, {}, "d3 in query q1.*duplicates=",
     "--duplicates"),
    ({"a": A}, {}, "only one run.*fuse", "rankmeter fuse"),
]  # fmt: skip


def as_frame(run):
    rows = [(q, *(one if isinstance(one, tuple) else (one,))) for q, items in run.items()
            for one in (items.items() if isinstance(items, dict) else items)]  # fmt: skip
    return pl.DataFrame(rows, schema=["query", "item", "score"][: len(rows[0])], orient="row")


@pytest.mark.parametrize("limit", [1 << 27, 1])
@pytest.mark.parametrize(("runs", "options", "message", "_"), BAD)
def test_what_cannot_be_fused_is_refused_by_every_call_and_leaves_no_file(
    tmp_path, monkeypatch, runs, options, message, _, limit
):
    monkeypatch.setattr(streaming, "IN_MEMORY_BYTES", limit)
    options = {**options, **{name: float(text) for name, text in options.get("option", {}).items()}}
    options.pop("option", None)
    frames = {name: as_frame(run) for name, run in runs.items()}
    for call in (lambda: rm.fuse(frames, **options), lambda: rm.fuse_to_file(frames, tmp_path / "out.run", **options)):
        with pytest.raises(RankmeterError, match=f"(?s){message}"):
            call()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", ["run", "jsonl", "parquet"])
@pytest.mark.parametrize(("runs", "options", "_", "message"), BAD)
def test_what_cannot_be_fused_ends_the_command_with_code_2(tmp_path, runs, options, _, message, ending):
    paths = []
    for name, run in runs.items():
        paths.append(tmp_path / f"{name}.csv")
        as_frame(run).write_csv(paths[-1])
    words = []
    for name, value in options.items():
        text = value if isinstance(value, str) else ",".join(map(str, value)) if isinstance(value, list) else value
        text = ",".join(f"{key}={one}" for key, one in value.items()) if isinstance(value, dict) else text
        words += [f"--{name}", str(text)]
    for lang in ("en", "zh"):
        done = CliRunner().invoke(
            app, ["fuse", *map(str, paths), *words, "--lang", lang, "--out", str(tmp_path / f"x.{ending}")]
        )
        assert done.exit_code == 2, done.output
        assert done.stdout == ""
        assert len(done.stderr.strip().splitlines()) == 1
        assert lang == "zh" or message in done.stderr
        assert sorted(tmp_path.iterdir()) == sorted(paths)


def test_two_runs_of_one_name_and_an_output_that_is_read_are_refused(tmp_path):
    with pytest.raises(InputError, match="one name"):
        rm.fuse({1: A, "1": B})
    paths = write(tmp_path, {"a": A, "b": B})
    with pytest.raises(InputError, match="would overwrite"):
        rm.fuse_to_file(paths, paths["a"])
    assert rm.fuse(paths).to_dict()["q1"]


LARGE = r"""
import pathlib, re, sys, rankmeter as rm
from rankmeter.inputs import streaming
streaming.IN_MEMORY_BYTES = int(sys.argv[1])
made = rm.fuse_to_file(sys.argv[2:4], sys.argv[4], 'rrf')
print(made.rows, re.search(r'VmHWM:\s+(\d+)', pathlib.Path('/proc/self/status').read_text())[1])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is told elsewhere in other words")
def test_runs_that_are_spilled_are_not_held(tmp_path):
    paths = [str(tmp_path / f"{name}.parquet") for name in "ab"]
    for path, step in zip(paths, (7, 11), strict=True):
        frame = pl.DataFrame({"q": range(12_000)}).join(pl.DataFrame({"i": range(100)}), how="cross")
        frame.select(
            query=pl.format("q{}", "q"),
            item=pl.format("document-{}", (pl.col("q") * step + pl.col("i") * step) % 9973),
            score=(100 - pl.col("i")).cast(pl.Float64),
        ).write_parquet(path, row_group_size=50_000)
    peaks = {}
    for limit in (1 << 22, 1 << 40):
        out = tmp_path / f"{limit}.parquet"
        called = [sys.executable, "-c", LARGE, str(limit), *paths, str(out)]
        rows, peaks[limit] = map(int, subprocess.run(called, capture_output=True, text=True, check=True).stdout.split())
        assert rows == pl.scan_parquet(out).select(pl.len()).collect().item()
    assert peaks[1 << 22] < peaks[1 << 40] * 0.75, peaks
