"""Runs read in blocks, from one file or many, give the numbers of runs in memory, to the last bit."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tests.conformance.list_cases import BESIDE, DIVERSE, LISTS, with_subtopics
from tests.conformance.test_ways_of_placing import MEASURES, by_query, data, rows
from tests.properties.strategies import by_night

import rankmeter as rm
from rankmeter.arithmetic import AGGREGATES
from rankmeter.inputs import frames, streaming
from rankmeter.inputs.files import iter_parts
from rankmeter.inputs.shards import Files
from rankmeter.inputs.tables import RunFile, RunTable, whole_queries

# The running sums of these go over all queries at once, so their last bits depend on the neighbours of a query.
NEARLY = {"INSQ", "RnDCG", "nDCGrel"}
EXACT = [measure for measure in MEASURES if type(measure).name not in NEARLY]
IN_TURN = by_night(8, night=1)
"""Each way of reading takes one of so many measures, the next way the next of them; all of them in ``make hunt``."""


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(frames, "ROWS_AT_ONCE", 5)


def streamed(*paths: Path) -> RunFile:
    """A run in blocks of a few rows."""
    names = tuple(map(str, paths))
    return RunFile(lambda: streaming.stream_run(Files(tuple(names)), block_bytes=64), names[0])


def as_parquet(frame: pl.DataFrame, folder: Path) -> RunFile:
    frame.write_parquet(folder / "run.parquet", row_group_size=7)
    return streamed(folder / "run.parquet")


def as_ipc(frame: pl.DataFrame, folder: Path) -> RunFile:
    frame.write_ipc(folder / "run.arrow")
    return streamed(folder / "run.arrow")


def as_csv(frame: pl.DataFrame, folder: Path) -> RunFile:
    frame.write_csv(folder / "run.csv", quote_style="non_numeric")
    return streamed(folder / "run.csv")


def as_trec(frame: pl.DataFrame, folder: Path) -> RunFile:
    lines = (f"{q.replace(' ', '_')} Q0 {i} 0 {s!r} x\n" for q, i, s in frame.iter_rows())
    (folder / "run.txt").write_text("".join(lines))
    return streamed(folder / "run.txt")


def as_shards(frame: pl.DataFrame, folder: Path) -> RunFile:
    # 13 rows a file: queries go on from one file to the next.
    paths = [folder / f"part-{first:04}.parquet" for first in range(0, frame.height, 13)]
    for path in paths:
        frame.slice(int(path.stem[-4:]), 13).write_parquet(path)
    return streamed(*paths)


def underscored(judgments: dict) -> dict:
    return {query.replace(" ", "_"): grades for query, grades in judgments.items()}


STREAMED = [(way, scattered) for way in (as_parquet, as_ipc, as_csv, as_trec, as_shards) for scattered in (False, True)]


@pytest.mark.parametrize(("way", "scattered"), STREAMED)
def test_blocks_give_the_values_of_mappings(way, scattered, tmp_path, monkeypatch):
    asked = EXACT[STREAMED.index((way, scattered)) % IN_TURN :: IN_TURN]
    monkeypatch.setattr(streaming, "IN_MEMORY_BYTES", 500)
    judgments, run = data(1)
    frame = rows(run, "score")
    if scattered:  # the rows of a query stay in order, as the tie rule `input` asks
        frame = frame.sort(pl.int_range(pl.len()).over("query"), "query")
    found = way(frame, tmp_path)
    if way is as_trec:
        judgments, run = underscored(judgments), underscored(run)
    expected = rm.evaluate(judgments, run, asked)
    for made in (
        rm.evaluate(judgments, found, asked),
        rm.evaluate(judgments, found, asked, per_query_to=tmp_path / "values.parquet"),
        rm.Evaluation.load(tmp_path / "values.parquet"),
    ):
        assert made.mean == pytest.approx(expected.mean, abs=0, nan_ok=True)
        assert by_query(made) == by_query(expected)
        assert made.tie_bounds == expected.tie_bounds
        assert made.facts.unjudged_at == expected.facts.unjudged_at
        assert made.facts.missing == expected.facts.missing


@pytest.mark.filterwarnings("ignore:.*leakage", "ignore:.*judged users? (have|has) no list")
@pytest.mark.parametrize("way", [as_parquet, as_shards])
def test_measures_of_lists_come_from_blocks_too(way, tmp_path):
    judgments, run = data(1)
    expected = rm.evaluate(judgments, run, LISTS, **BESIDE)
    found = rm.evaluate(judgments, way(rows(run, "score"), tmp_path), LISTS, **BESIDE, per_query_to=tmp_path / "v")
    assert found.mean == pytest.approx(expected.mean, abs=0, rel=0, nan_ok=True)
    assert by_query(found.collect()) == by_query(expected)
    assert found.facts.notes == expected.facts.notes
    assert {str(m): found.counted(m) for m in found.means} == {str(m): expected.counted(m) for m in expected.means}


@pytest.mark.parametrize("measure", ["JointExposure@5", "JointExposure(users=all,items=group)", "SegmentGap"])
def test_measures_that_need_all_lists_at_once_are_refused(measure, tmp_path):
    judgments, run = data(1)
    with pytest.raises(rm.MeasureError, match=r"it cannot be computed block by block|slices|segments"):
        rm.evaluate(
            judgments, as_parquet(rows(run, "score"), tmp_path), [measure], **BESIDE, per_query_to=tmp_path / "v"
        )


def test_every_aggregate_is_put_together_from_blocks(tmp_path):
    judgments, run = data(1)
    asked = [f"AP(aggregate={name},empty=nan)@3" for name in AGGREGATES]
    found = rm.evaluate(judgments, as_parquet(rows(run, "score"), tmp_path), asked, per_query_to=tmp_path / "v")
    expected = rm.evaluate(judgments, run, asked)
    assert found.mean == pytest.approx(expected.mean, abs=0, rel=0, nan_ok=True)
    assert found["AP(aggregate=filled,empty=nan)@3"] > 0


def test_lists_without_judgments_come_from_blocks_too(tmp_path):
    _, run = data(1)
    asked = ["Gini(over=recommended)@3", "Personalisation@5", "ShortLists@9", "Entropy"]
    found = rm.evaluate(None, as_parquet(rows(run, "score"), tmp_path), asked, per_query_to=tmp_path / "v")
    assert found.mean == rm.evaluate(None, run, asked).mean


def test_subtopics_come_from_blocks_too(tmp_path):
    judged, run = with_subtopics()
    frame = pl.DataFrame(judged, schema=["query", "item", "subtopic", "grade"], orient="row")
    expected = rm.evaluate(frame, run, DIVERSE)
    found = rm.evaluate(frame, as_parquet(rows(run, "score"), tmp_path), DIVERSE, per_query_to=tmp_path / "v")
    assert found.mean == expected.mean
    assert by_query(found.collect()) == by_query(expected)
    with pytest.raises(rm.MeasureError, match=r"need subtopics, and .* has none"):
        rm.evaluate({"q2": {"1": 1}}, as_parquet(rows(run, "score"), tmp_path), DIVERSE, per_query_to=tmp_path / "v")


def test_measures_that_sum_over_neighbours_are_nearly_equal(tmp_path):
    judgments, run = data(1)
    nearly = [measure for measure in MEASURES if type(measure).name in NEARLY]
    found = as_parquet(rows(run, "score"), tmp_path)
    made = rm.evaluate(judgments, found, nearly, per_query_to=tmp_path / "values.parquet")
    assert made.mean == pytest.approx(rm.evaluate(judgments, run, nearly).mean, rel=1e-12)


def test_every_scattered_query_is_in_one_partition_and_temporary_files_go(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    _, run = data(3)
    frame = rows(run, "score").sort("item")
    folder = tmp_path / "data"
    folder.mkdir()
    run_file = as_parquet(frame, folder)
    with streaming.regrouped(run_file.blocks(), in_memory_bytes=300) as blocks:
        spilled = list(tmp_path.rglob("*.arrow"))
        tables = list(blocks)
    assert len(spilled) > len(tables) > 1
    queries = [set(table.query) for table in tables]
    assert sum(map(len, queries)) == len(set.union(*queries)) == len(run)
    assert sum(len(table.query) for table in tables) == frame.height
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


@pytest.mark.parametrize("longest", [1, 3, 1500])
def test_no_query_is_in_two_blocks(longest):
    sizes = [longest, 1, 2, longest, 1]
    queries = [f"q{number}" for number, size in enumerate(sizes) for _ in range(size)]
    frame = pl.DataFrame({"query": queries, "item": range(len(queries)), "score": 1.0})
    for step in (1, 2, 5, 700, 5000):
        tables = [
            RunTable(part["query"], part["item"], part["score"]) for part in frame.iter_slices(min(step, longest + 2))
        ]
        blocks = [table.query.to_list() for table in whole_queries(tables)]
        assert [query for block in blocks for query in block] == queries
        assert sum(len(set(block)) for block in blocks) == len(sizes)


def test_a_small_scattered_run_stays_in_memory(tmp_path):
    _, run = data(3)
    with streaming.regrouped(as_parquet(rows(run, "score").sort("item"), tmp_path).blocks()) as blocks:
        assert len(list(blocks)) == 1


def test_rows_without_score_and_rank_are_ranked_by_their_order_across_files(tmp_path):
    judgments, run = {"q": {"c": 1}, "p": {"b": 1}}, {"q": ["a", "b", "c"], "p": ["a", "b"]}
    for number, lines in enumerate(["q,a\nq,b\n", "q,c\np,a\n", "p,b\n"]):
        (tmp_path / f"{number}.csv").write_text("query,item\n" + lines)
    assert rm.evaluate(judgments, str(tmp_path), "RR").mean == rm.evaluate(judgments, run, "RR").mean


@pytest.mark.parametrize("spell", ["folder", "pattern", "list"])
def test_several_files_are_one_run(spell, tmp_path):
    judgments, run = data(1)
    folder = tmp_path / "runs"
    folder.mkdir()
    as_shards(rows(run, "score"), folder)
    (folder / "_SUCCESS").touch()
    given = {
        "folder": folder,
        "pattern": str(folder / "part-*.parquet"),
        "list": rm.files(sorted(folder.glob("part-*.parquet"))),
    }[spell]
    assert by_query(rm.evaluate(judgments, given, "AP")) == by_query(rm.evaluate(judgments, run, "AP"))


def test_judgments_lie_in_several_files_too(tmp_path):
    judgments, run = data(1)
    frame = rows(judgments, "grade")
    for number in range(3):
        frame.filter(pl.int_range(pl.len()) % 3 == number).write_parquet(tmp_path / f"{number}.parquet")
    assert by_query(rm.evaluate(tmp_path, run, "AP")) == by_query(rm.evaluate(judgments, run, "AP"))


def test_progress_tells_rows_and_the_rest(tmp_path):
    judgments, run = data(1)
    told: list = []
    as_shards(rows(run, "score"), tmp_path)
    rm.evaluate(judgments, tmp_path, "AP", progress=told.append)
    assert told[-1].rows == sum(map(len, run.values()))
    assert [one.fraction for one in told] == sorted(one.fraction for one in told)
    assert told[-1].fraction == pytest.approx(1)
    assert told[0].seconds_left >= 0


def test_shards_of_different_types_are_refused(tmp_path):
    pl.DataFrame({"query": [1], "item": [1], "score": [1.0]}).write_parquet(tmp_path / "1.parquet")
    pl.DataFrame({"query": ["1"], "item": [1], "score": [1.0]}).write_parquet(tmp_path / "2.parquet")
    with pytest.raises(rm.InputError, match=r"query ids are numbers \(Int64\) in .*1.parquet and text in .*2.parquet"):
        rm.evaluate({1: {1: 1}}, tmp_path, "AP")
    pl.DataFrame({"query": [2], "item": [1], "rank": [1]}).write_parquet(tmp_path / "2.parquet")
    with pytest.raises(rm.InputError, match=r"1.parquet has scores and .*2.parquet only ranks"):
        rm.evaluate({1: {1: 1}}, tmp_path, "AP")


def test_a_pattern_without_a_file_and_an_empty_folder_are_said(tmp_path):
    with pytest.raises(rm.NotFoundError, match=r"no file matches the pattern .*part"):
        rm.evaluate({"q": {"a": 1}}, str(tmp_path / "part-*.parquet"), "AP")
    with pytest.raises(rm.InputError, match="is a directory without a data file"):
        rm.evaluate({"q": {"a": 1}}, tmp_path, "AP")
    with pytest.raises(rm.InputError, match="was given no path"):
        rm.files([])


def test_a_wrong_row_in_a_later_block_is_named_by_its_place_in_the_file(tmp_path):
    frame = pl.DataFrame({"query": ["q"] * 12, "item": range(12), "score": [1.0] * 11 + [None]})
    frame.write_parquet(tmp_path / "run.parquet", row_group_size=4)
    with pytest.raises(rm.InputError, match="score is missing in 1 row: 11 "):
        rm.evaluate({"q": {1: 1}}, tmp_path / "run.parquet", "AP")
    text = "query,item,score\n" + "".join(f"q,{i},{i}\n" for i in range(30)) + "q,30,abc\nq,31,1\n"
    (tmp_path / "run.csv").write_text(text)
    with pytest.raises(rm.InputError, match=r"run.csv:32: score 'abc' is not a number"):
        list(iter_parts(tmp_path / "run.csv", block_bytes=40))


def test_a_line_end_inside_a_quoted_field_cuts_no_block(tmp_path):
    text = "query,item,score\n" + "".join(f'"q\n{i}","a, ""{i}""",{i}\n' for i in range(40))
    (tmp_path / "run.csv").write_text(text)
    tables = [part.table for part in iter_parts(tmp_path / "run.csv", block_bytes=30)]
    assert len(tables) > 5
    assert [query for table in tables for query in table.query] == [f"q\n{i}" for i in range(40)]
    assert tables[-1].item[-1] == 'a, "39"'


def test_nothing_is_left_where_values_cannot_be_written(tmp_path):
    judgments, run = data(1)
    found = as_parquet(rows(run, "score"), tmp_path)
    with pytest.raises(rm.InputError, match="does not exist"):
        rm.evaluate(judgments, found, "AP", per_query_to=tmp_path / "no" / "values.parquet")
    twice = as_parquet(pl.concat([rows(run, "score")] * 2), tmp_path)
    with pytest.raises(rm.InputError, match="twice"):
        rm.evaluate(judgments, twice, "AP", per_query_to=tmp_path / "values.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["run.parquet"]


def test_values_of_a_run_in_memory_go_to_a_file_too(tmp_path):
    judgments, run = data(1)
    made = rm.evaluate(judgments, run, ["AP", "RR"], per_query_to=tmp_path / "values.parquet")
    assert rm.Evaluation.load(tmp_path / "values.parquet").mean == made.mean


def test_a_distant_evaluation_can_all_that_an_evaluation_can(tmp_path):
    judgments, run = data(1)
    found = as_parquet(rows(run, "score"), tmp_path)
    distant = rm.evaluate(judgments, found, ["AP", "nDCG@3"], per_query_to=tmp_path / "values.parquet", name="mine")
    near = rm.evaluate(judgments, rows(run, "score"), ["AP", "nDCG@3"], name="mine")
    assert distant.counted("AP") == near.counted("AP")
    assert distant.definitions == near.definitions
    assert distant.to_dict()["queries"] == near.to_dict()["queries"]
    assert repr(distant) == repr(near)
    distant.save(tmp_path / "again.parquet")
    assert rm.Evaluation.load(tmp_path / "again.parquet").mean == near.mean
    assert len(distant.to_pandas()) == near.per_query.height
    assert distant.interval("AP").queries == near.counted("AP")


def test_files_of_one_path_are_that_path(tmp_path):
    (tmp_path / "run[1].txt").write_text("q Q0 a 1 1.0 x\n")
    assert rm.evaluate({"q": {"a": 1}}, tmp_path / "run[1].txt", "RR")["RR"] == 1.0
    assert rm.files(tmp_path / "run[1].txt") == Files((str(tmp_path / "run[1].txt"),))


@pytest.mark.parametrize("scattered", [False, True])
def test_judgments_with_ids_of_text_meet_blocks_with_ids_of_numbers(scattered, tmp_path):
    judgments = {f"q{q}": {str(i): 1 for i in range(q, q + 3)} for q in range(6)}
    run = {f"q{q}": {str(i): -float(i) for i in range(12) if i != q} for q in range(1, 7)}
    numbers = rows(run, "score").cast({"item": pl.Int64})
    numbers = numbers.sort("item", maintain_order=True) if scattered else numbers
    numbers.write_parquet(tmp_path / "run.parquet")
    measures = ["AP", "nDCG@5", "R@3"]
    expected = by_query(rm.evaluate(judgments, run, measures))

    with pytest.warns(rm.RankmeterWarning, match="compared as text"):
        assert by_query(rm.evaluate(judgments, streamed(tmp_path / "run.parquet"), measures)) == expected
    with pytest.warns(rm.RankmeterWarning, match="compared as text"):
        made = rm.evaluate(judgments, tmp_path / "run.parquet", measures, per_query_to=tmp_path / "_values.parquet")
    assert by_query(made) == expected


def test_a_shard_without_rows_is_a_shard(tmp_path):
    frame = rows({"q1": {"a": 2.0, "b": 1.0}}, "score")
    for name, part in {"part-0": frame[:0], "part-1": frame, "part-2": frame[:0]}.items():
        part.write_parquet(tmp_path / f"{name}.parquet")
    assert rm.evaluate({"q1": {"b": 1}}, tmp_path, "RR")["RR"] == 0.5
    (tmp_path / "part-1.parquet").unlink()
    with pytest.raises(rm.InputError, match="is empty: it has no rows"):
        rm.evaluate({"q1": {"b": 1}}, tmp_path, "RR")


def test_values_are_not_written_over_the_run(tmp_path):
    path = tmp_path / "run.parquet"
    rows({"q1": {"a": 2.0}}, "score").write_parquet(path)
    before = path.read_bytes()
    with pytest.raises(rm.InputError, match="is read as input"):
        rm.evaluate({"q1": {"a": 1}}, str(path), "RR", per_query_to=path)
    assert path.read_bytes() == before
