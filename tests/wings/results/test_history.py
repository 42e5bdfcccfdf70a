"""A history: what is kept, who may write, what is told apart, where lines break, and what the command says."""

from __future__ import annotations

import json
import math
import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import history_simulation as simulation
import numpy as np
import pytest
from click.testing import CliRunner, Result
from scipy import stats

import rankmeter as rm
from rankmeter.cli import app
from rankmeter.errors import InputError, NotFoundError
from rankmeter.wings.results import history_entries
from rankmeter.wings.results.history import History
from rankmeter.wings.results.history_entries import CodeState, HistoryEntry, RecordedMeasure
from rankmeter.wings.results.history_lines import series_of, share_of_error
from rankmeter.wings.results.timeline import Timeline

START = datetime(2026, 1, 1, tzinfo=UTC)
TRUTH = {f"q{at}": {f"d{at}": 1} for at in range(60)}


def ranks(found: dict[int, int] | None = None) -> dict[str, list[str]]:
    """Lists in which the item of each query stands at rank 1, or where it is said."""
    found = found or {}
    return {f"q{at}": [f"x{n}" for n in range(1, found.get(at, 1))] + [f"d{at}", "y", "z"] for at in range(60)}


def measured(found: dict[int, int] | None = None, truth: Any = TRUTH, measures: Any = ("RR",)) -> rm.Evaluation:
    return rm.evaluate(truth, ranks(found), list(measures))


def lowered(count: int, first: int = 0) -> dict[int, int]:
    return dict.fromkeys(range(first, first + count), 4)


def filled(place: Path, *evaluations: rm.Evaluation, **stated: Any) -> History:
    history = History(place)
    for day, ev in enumerate(evaluations):
        history.append(ev, time=START + timedelta(days=day), commit=f"{day:07x}", system="s", **stated)
    return history


def entry(values: list[float], day: int, **facts: Any) -> HistoryEntry:
    found = np.array(values, np.float64)
    one = RecordedMeasure("RR", "RR", float(np.nanmean(found)), {})
    queries = tuple(f"q{at}" for at in range(len(values)))
    return HistoryEntry("s", START + timedelta(days=day), (one,), queries, {"RR": found}, returned=9,
                        name=facts.pop("name", f"{day:03}"), **facts)  # fmt: skip


def typed(*words: object) -> Result:
    return CliRunner().invoke(app, ["history", *map(str, words)])


def verdicts(history: History) -> list[str]:
    return [point.verdict for point in history.timeline().series[0].points]


@pytest.fixture(params=["folder", "history.sqlite", "history.duckdb"])
def place(request, tmp_path) -> Path:
    if request.param.endswith("duckdb"):
        pytest.importorskip("duckdb", reason="DuckDB is not installed")
    return tmp_path / request.param


# What is kept.


def test_what_is_added_comes_back(place) -> None:
    truth = {"ä": {"a": 2, "b": 1}, "2": {"c": 1}, "empty": {"d": 0}}
    ev = rm.evaluate(truth, {"ä": ["b", "a"], "2": ["x", "c"]}, ["nDCG(gain=exp2)@10", "MRR", "Rprec(empty=nan)"])
    (kept,) = History(place).append(ev, commit="4f2a", branch="main", time="2026-03-01T10:00+02:00", tags=["x"])
    (read,) = History(place).entries
    assert read.name == kept.name
    assert read.name.startswith("20260301T080000000000Z-4f2a-")
    assert {one.text: one.value for one in read.measures} == pytest.approx(dict(ev.mean), nan_ok=True)
    assert [one.definition["gain"] for one in read.measures if "gain" in one.definition] == ["exp2"]
    assert read.queries == tuple(ev.per_query["query"])
    for name, values in read.values.items():
        assert np.array_equal(values, ev.per_query[name].to_numpy(), equal_nan=True)
    assert (read.code, read.tags, read.judged_by) == (CodeState("4f2a", "main"), ("x",), kept.judged_by)


@pytest.mark.program("git")
def test_git_says_commit_branch_and_changes(tmp_path, monkeypatch) -> None:
    for name in (*history_entries._COMMITS, *history_entries._BRANCHES):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    assert CodeState.here() == CodeState()
    for words in (
        "init -q -b trunk",
        "config user.email a@b.c",
        "config user.name a",
        "commit -q --allow-empty -m one",
    ):
        subprocess.run(["git", *words.split()], check=True)
    found = CodeState.here()
    assert (found.branch, found.changed, len(found.commit)) == ("trunk", False, 40)
    assert datetime.fromisoformat(found.authored)
    monkeypatch.setenv("GITHUB_SHA", "abc")
    assert CodeState.here() == CodeState("abc")


def test_files_are_only_added(tmp_path) -> None:
    history = filled(tmp_path / "h", measured(), measured(lowered(3)))
    before = {file.name: file.read_bytes() for file in (tmp_path / "h").iterdir()}
    history.append(measured(), commit="9", system="s")
    history.accept("last")
    after = {file.name: file.read_bytes() for file in (tmp_path / "h").iterdir()}
    assert {name: after[name] for name in before} == before
    assert len(after) == len(before) + 2


WRITER = """
import sys
from rankmeter.wings.results.history import History
import rankmeter as rm
for n in range(4):
    ev = rm.evaluate({"q1": {"a"}, "q2": {"b"}}, {"q1": ["a"], "q2": ["x"] * n + ["b"] if n < 2 else ["b"]}, ["RR"])
    History(sys.argv[1]).append(ev, commit=f"{sys.argv[2]}{n}")
"""


@pytest.mark.slow
def test_writers_do_not_disturb_each_other(place) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(place), name]) for name in "abcd"]
    assert [writer.wait(120) for writer in writers] == [0] * 4
    assert sorted(one.code.commit for one in History(place).entries) == sorted(
        f"{a}{n}" for a in "abcd" for n in range(4)
    )


def test_threads_add_to_one_folder(tmp_path) -> None:
    history, ev = History(tmp_path / "h"), measured()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda at: history.append(ev, commit=f"c{at}"), range(40)))
    assert len(history.entries) == 40


def test_a_database_answers_in_sql(tmp_path) -> None:
    filled(tmp_path / "h.sqlite", measured(), measured(lowered(30)))
    with sqlite3.connect(tmp_path / "h.sqlite") as asked:
        rows = asked.execute("SELECT commit_id, system, measure, value FROM points ORDER BY time").fetchall()
    assert rows == [("0000000", "s", "RR", 1.0), ("0000001", "s", "RR", 0.625)]


def test_saved_files_are_added_and_comparisons_too(tmp_path) -> None:
    measured().save(tmp_path / "ev.parquet")
    cmp = rm.compare(TRUTH, {"one": ranks(), "two": ranks(lowered(20))}, ["RR"])
    cmp.save(tmp_path / "cmp.zip")
    history = History(tmp_path / "h")
    history.append(tmp_path / "ev.parquet", system="x")
    history.append(str(tmp_path / "cmp.zip"))
    assert sorted(one.system for one in history.entries) == ["one", "two", "x"]


# What is told apart.


def test_differences_are_those_of_a_paired_t_test_at_the_share_of_each_look() -> None:
    draw = random.Random(4)
    base = [draw.random() for _ in range(50)]
    looks = [base, *([value + draw.gauss(-0.01 * k, 0.1) for value in base] for k in range(1, 9))]
    points = series_of([entry(values, day) for day, values in enumerate(looks)], [], 0.9)[0].points
    for k, (values, point) in enumerate(zip(looks[1:], points[1:], strict=True), 1):
        gaps = [a - b for a, b in zip(values, base, strict=True)]
        t = stats.ttest_1samp(gaps, 0)
        alpha = 0.1 * math.log(2) * (1 / math.log(k + 1) - 1 / math.log(k + 2))
        low, high = t.confidence_interval(1 - alpha)
        assert (point.p, point.error, point.look) == (pytest.approx(t.pvalue), pytest.approx(alpha), k)
        assert (point.low, point.high) == pytest.approx((low, high))
        assert point.verdict == ("level" if t.pvalue > alpha else "worse" if t.statistic < 0 else "better")
        assert (point.low > 0 or point.high < 0) == (point.verdict != "level")
        assert (point.down, point.up) == (sum(gap < 0 for gap in gaps), sum(gap > 0 for gap in gaps))
        farthest = max(range(50), key=lambda at, gaps=gaps: abs(gaps[at]))
        assert point.moved[0] == (f"q{farthest}", pytest.approx(gaps[farthest]))


def test_all_looks_together_spend_the_error() -> None:
    assert sum(map(share_of_error, range(1, 100_000))) < 1
    assert sum(map(share_of_error, range(1, 100_000))) == pytest.approx(1 - math.log(2) / math.log(100_001))
    assert all(share_of_error(k) > share_of_error(k + 1) > 0 for k in range(1, 1000))


@pytest.mark.slow
def test_false_alarms_over_100_looks_hold_their_level() -> None:
    """120 histories of a system that does not change; at 5 % for each look most would have an alarm."""
    found = [simulation.false_alarms(kind, 100, 40) for kind in simulation.KINDS]
    assert sum(ruled for ruled, _ in found) / 3 <= 0.05 + 2.6 * math.sqrt(0.05 * 0.95 / 120)
    assert max(naive for _, naive in found) > 0.5


@pytest.mark.slow
def test_a_slide_of_eight_small_steps_is_seen_where_no_step_is() -> None:
    at_end, by_rule, _ = simulation.seen("reciprocal", 200, 40)
    assert at_end >= 0.9
    assert by_rule <= 0.5


def test_equal_values_are_one_look(tmp_path) -> None:
    history = filled(tmp_path / "h", measured(), measured(lowered(2)), *[measured(lowered(2))] * 5, measured())
    points = history.timeline().series[0].points
    assert [point.look for point in points] == [0, 1, 1, 1, 1, 1, 1, 0]
    assert points[-1].verdict == "same"


def test_where_lower_is_better_more_is_worse() -> None:
    low = RecordedMeasure("X", "X", 0.0, {}, higher_is_better=False)
    found = [{"X": np.arange(40.0) + day * np.linspace(1, 2, 40)} for day in range(2)]
    queries = tuple(map(str, range(40)))
    entries = [
        HistoryEntry("s", START + timedelta(days=day), (low,), queries, values, name=str(day))
        for day, values in enumerate(found)
    ]
    (found_series,) = series_of(entries, [], 0.95)
    assert (found_series.last.verdict, found_series.last.down) == ("worse", 40)
    text = Timeline((found_series,), 2, frozenset(), 0.95, ()).to_text("zh")
    assert "差于已接受的参照" in text
    assert "低于" not in text


def test_what_is_no_mean_over_queries_is_not_tested(tmp_path) -> None:
    history = filled(tmp_path / "h", *(measured(lowered(n), measures=["AP(aggregate=geometric)"]) for n in (0, 40)))
    assert verdicts(history) == ["untested", "untested"]


def test_two_queries_that_fell_are_no_alarm(tmp_path) -> None:
    assert verdicts(filled(tmp_path / "h", measured(), measured({0: 9, 1: 9}))) == ["reference", "level"]


# The reference.


def test_what_was_accepted_is_the_reference(tmp_path) -> None:
    history = filled(tmp_path / "h", measured(), measured(lowered(30)))
    assert verdicts(history) == ["reference", "worse"]
    assert not history.timeline().passes
    history.accept("last", time=START + timedelta(days=1, hours=1))
    assert history.timeline().passes
    history.append(measured(lowered(30)), time=START + timedelta(days=2), system="s")
    history.append(measured(), time=START + timedelta(days=3), system="s")
    assert verdicts(history) == ["reference", "worse", "same", "better"]


def test_what_was_said_before_stays_when_another_is_accepted_later(tmp_path) -> None:
    history = filled(tmp_path / "h", measured(), measured(lowered(30)), measured(lowered(31)))
    before = history.timeline().series[0].points
    history.accept("0000001", time=START + timedelta(days=9))
    assert history.timeline().series[0].points == before


def test_going_back_to_an_older_reference(tmp_path) -> None:
    history = filled(tmp_path / "h", measured(), measured(lowered(30)))
    history.accept("last", time=START + timedelta(days=1, hours=1))
    history.accept("0000000", time=START + timedelta(days=1, hours=2))
    history.append(measured(lowered(30)), time=START + timedelta(days=2), system="s")
    assert verdicts(history)[-1] == "worse"


@pytest.mark.parametrize("before", [timedelta(), timedelta(minutes=3), timedelta(days=400)])
def test_what_a_slow_clock_accepted_is_the_reference(place, before) -> None:
    history = filled(place, measured(), measured(lowered(30)))
    history.accept("last", time=START + timedelta(days=1) - before)
    history.append(measured(lowered(30)), time=START + timedelta(days=2), system="s")
    assert verdicts(history) == ["reference", "worse", "same"]
    assert history.timeline().passes
    history.accept("0000000", time=START + timedelta(days=1) - before + timedelta(seconds=1))
    assert verdicts(history)[-1] == "worse"


def test_since_the_line_began(tmp_path) -> None:
    history = History(tmp_path / "h")
    for day in range(9):
        history.append(measured(lowered(day * 2)), time=START + timedelta(days=day), system="s", accept=True)
    (found,) = history.timeline().series
    assert all(point.verdict != "worse" for point in found.points)
    assert found.since_start is not None
    assert found.since_start[0] == pytest.approx(-0.75 * 16 / 60)
    assert found.since_start[2] < 0


@pytest.mark.parametrize("which", ["nope", ""])
def test_accepting_nothing_is_an_error(tmp_path, which) -> None:
    with pytest.raises(NotFoundError, match="has no evaluation"):
        filled(tmp_path / "h", measured()).accept(which)


# Where lines break.


def breaks(history: History) -> list[str]:
    return [" ".join(map(str, point.breaks)) for point in history.timeline().series[0].points]


def test_other_judgments_break_the_line(tmp_path) -> None:
    other = {**TRUTH, "q0": {"d0": 1, "y": 1}}
    history = filled(tmp_path / "h", measured(), measured(lowered(40), truth=other), measured(truth=other))
    assert ["judgments changed (60 rows before, 61 now)" in text for text in breaks(history)] == [False, True, False]
    assert verdicts(history) == ["reference", "reference", "better"]


def test_other_queries_break_the_line_and_the_common_ones_are_told(tmp_path) -> None:
    fewer = {query: items for query, items in TRUTH.items() if query not in ("q0", "q1")}
    history = filled(tmp_path / "h", measured(), measured(lowered(10), truth=fewer))
    assert "2 gone, 0 new, 58 in both" in breaks(history)[1]
    last = history.timeline().series[0].last
    assert (last.common, last.step) == (58, pytest.approx(-0.75 * 8 / 58))


def test_another_definition_breaks_the_line(tmp_path) -> None:
    graded = {query: {item: 2} for query, items in TRUTH.items() for item in items}
    history = filled(
        tmp_path / "h", *(measured(truth=graded, measures=[name]) for name in ("nDCG@10", "nDCG(gain=exp2)@10"))
    )
    (series,) = history.timeline().series
    assert series.measure == "nDCG@10"
    assert "gain=linear → exp2" in str(series.last.breaks[0])


def test_two_definitions_side_by_side_are_two_lines(tmp_path) -> None:
    both = ["nDCG@10", "nDCG(gain=exp2)@10"]
    found = filled(tmp_path / "h", *[measured(measures=both)] * 2).timeline()
    assert [(one.measure, one.last.breaks) for one in found.series] == [(name, ()) for name in both]


def test_another_protocol_breaks_the_line() -> None:
    rows = [entry([1.0, 0.0, 1.0], day, protocol=text) for day, text in enumerate(["a", "a", "b"])]
    points = series_of(rows, [], 0.95)[0].points
    assert [list(map(str, point.breaks)) for point in points] == [[], [], ["the protocol changed"]]


def test_a_line_that_ended_worse_stays_listed(tmp_path) -> None:
    other = {**TRUTH, "q0": {"d0": 1, "y": 1}}
    history = filled(tmp_path / "h", measured(), measured(lowered(40)), measured(lowered(40), truth=other))
    assert "never accepted" in str(history.timeline())
    assert [one["series"] for one in history.timeline().to_dict()["unsettled"]] == ["s / RR"]
    history.accept("0000001")
    assert "never accepted" not in str(history.timeline())


def test_ids_that_turned_over_are_said_and_set_aside(tmp_path) -> None:
    renamed = {query: [f"new-{item}" for item in items] for query, items in ranks().items()}
    turned = rm.evaluate(TRUTH, renamed, ["RR", "P@2"])
    good = measured(measures=["RR", "P@2"])
    history = filled(tmp_path / "h", good, turned)
    assert [one.system for one in history.timeline().turned] == ["s", "s"]
    assert not history.timeline().passes
    assert "ids have turned over" in str(history.timeline())
    history.append(good, time=START + timedelta(days=5), system="s")
    assert verdicts(history) == ["reference", "turned", "same"]
    assert history.timeline().passes


def test_a_bad_order_of_judged_items_is_a_regression_and_no_turnover(tmp_path) -> None:
    deep = {query: [f"w{n}" for n in range(30)] + items for query, items in ranks().items()}
    wide = {query: {**items, **{f"w{n}": 0 for n in range(30)}} for query, items in TRUTH.items()}
    history = filled(tmp_path / "h", rm.evaluate(wide, ranks(), ["RR@10"]), rm.evaluate(wide, deep, ["RR@10"]))
    assert verdicts(history) == ["reference", "worse"]


def test_an_empty_run_is_a_regression(tmp_path) -> None:
    history = filled(tmp_path / "h", measured(), rm.evaluate(TRUTH, {"q0": ["d0"]}, ["RR"]))
    assert verdicts(history) == ["reference", "worse"]


# Bad input.


def test_foreign_files_are_named_and_damaged_ones_refused(tmp_path) -> None:
    history = filled(tmp_path / "h", measured(), measured())
    (tmp_path / "h" / "README.md").write_text("mine")
    assert "1 file in the folder is not of this history: README.md" in str(history.timeline())
    file = min((tmp_path / "h").glob("*.parquet"))
    whole = file.read_bytes()
    for broken in (b"", whole[:100], whole[:-1] + bytes([whole[-1] ^ 1]), b"not parquet"):
        file.write_bytes(broken)
        with pytest.raises(InputError, match=f"1 file of the history is damaged or changed: .*{file.name}"):
            history.timeline()


def test_a_file_that_cannot_be_read_is_not_called_damaged(tmp_path) -> None:
    history = filled(tmp_path / "h", measured())
    (file,) = (tmp_path / "h").iterdir()
    file.unlink()
    file.mkdir()
    with pytest.raises(InputError, match=f"{file.name}.*cannot be opened"):
        history.timeline()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["h", "--append", "no.parquet"], "no.parquet"),
        (["h", "--append", "text.parquet"], "text.parquet"),
        (["h", "--append", "ev.parquet", "--time", "yesterday"], "'yesterday' is not a time"),
        (["h", "--append", "ev.parquet", "--accept", "nope"], "no evaluation 'nope'"),
        (["h", "--append", "ev.parquet", "-m", "nDCG@3"], "no measure nDCG@3. It has: RR"),
        (["new", "--append", "ev.parquet", "-m", "RR", "-m", "RRR"], "no measure RRR. It has: RR"),
        (["h", "--accept", "last", "-m", "nDCG@3"], "no measure nDCG@3"),
        (["h", "--append", "ev.parquet", "--append", "no.parquet"], "no.parquet"),
        (["h", "--level", "1.5"], "level"),
        (["h", "-m", "nDCG@3"], "no measure nDCG@3"),
        (["h", "--system", "other"], "no system 'other'"),
        (["empty"], "there is no evaluation in empty"),
        (["text.parquet"], "is not a folder"),
        (["text.sqlite"], "cannot be used as the database"),
    ],
)
def test_bad_calls_are_one_sentence_and_write_nothing(words, said, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    filled(Path("h"), measured())
    measured().save("ev.parquet")
    for name in ("text.parquet", "text.sqlite"):
        Path(name).write_text("no such thing " * 100)
    before = sorted(tmp_path.rglob("*"))
    answer = typed(*words)
    assert sorted(tmp_path.rglob("*")) == before
    assert answer.exit_code == 2, answer.output
    assert said in answer.stderr
    assert "Traceback" not in answer.stderr


@pytest.mark.parametrize("time", ["0001-01-01", "0999-06-01T12:00", "9999-12-31"])
def test_any_year_comes_back(place, time) -> None:
    (kept,) = History(place).append(measured(), time=time)
    assert [one.name for one in History(place).entries] == [kept.name]
    assert kept.time.year == int(time[:4])


@pytest.mark.parametrize("time", ["0001-01-01T00:00+14:00", "9999-12-31T23:00-12:00"])
def test_a_time_that_has_no_utc_is_refused(place, time) -> None:
    with pytest.raises(InputError, match="is not a time"):
        History(place).append(measured(), time=time)
    assert not place.exists()


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_a_database_of_something_else_stays_as_it_is(tmp_path, kind) -> None:
    connect = (
        sqlite3.connect if kind == "sqlite" else pytest.importorskip(kind, reason="DuckDB is not installed").connect
    )
    path = tmp_path / f"notes.{kind}"
    with closing(connect(str(path))) as connection:
        connection.execute("CREATE TABLE notes (note VARCHAR)")
    before = path.read_bytes()
    for call in (lambda: History(path).append(measured()), lambda: History(path).timeline()):
        with pytest.raises(InputError, match="cannot be used as the database"):
            call()
    assert path.read_bytes() == before


def test_a_row_without_its_content_is_damaged(tmp_path) -> None:
    path = tmp_path / "h.sqlite"
    History(path).append(measured())
    for content in ("NULL", "3", "'text'"):
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("CREATE TABLE IF NOT EXISTS loose AS SELECT * FROM files")
            connection.execute("DROP TABLE files")
            connection.execute(f"CREATE TABLE files AS SELECT name, {content} AS content FROM loose")
        with pytest.raises(InputError, match="1 file of the history is damaged"):
            History(path).timeline()


def test_nothing_is_added_when_a_word_or_a_file_is_bad(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    measured().save("ev.parquet")
    Path("text.parquet").write_text("no")
    rm.compare(TRUTH, {"a": ranks(), "b": ranks(lowered(9))}, ["RR"]).save("two.parquet")
    for words in (
        ["--append", "text.parquet"],
        ["--append", "two.parquet", "--system", "s"],
        ["--level", "1.5"],
        ["--output", "page.xyz"],
        ["--output", "no/page.html"],
        ["--time", "yesterday"],
    ):
        assert typed("h", "--append", "ev.parquet", *words).exit_code == 2
        assert not Path("h").exists(), words


# The command.


@pytest.mark.parametrize(("line", "told"), [([], True), (["--system", "s"], False), (["--quiet"], False)])
def test_a_system_that_is_new_among_others_is_told(tmp_path, monkeypatch, line: list[str], told: bool) -> None:
    """Runs that are named by their day would each have a line of its own, and nothing would ever be worse."""
    monkeypatch.chdir(tmp_path)
    truth = {str(query): items for query, items in TRUTH.items()}
    Path("truth.json").write_text(
        json.dumps({query: dict.fromkeys(map(str, items), 1) for query, items in truth.items()})
    )
    for day, found in (("monday", {}), ("tuesday", lowered(30))):
        lists = {str(query): {str(item): -at for at, item in enumerate(items)} for query, items in ranks(found).items()}
        Path(f"{day}.json").write_text(json.dumps(lists))
        call = ["evaluate", "truth.json", f"{day}.json", "-m", "RR", "--save", f"{day}.parquet"]
        assert CliRunner().invoke(app, call).exit_code == 0
    first = typed("h", "--append", "monday.parquet", *line)
    second = typed("h", "--append", "tuesday.parquet", *line)
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert "new in this history" not in first.stderr
    assert ("held against nothing: tuesday (known: monday)" in second.stderr) == told


def test_a_pipeline(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, found in (("one", {}), ("two", lowered(30)), ("three", {})):
        measured(found).save(f"{name}.parquet")
    line = ["--system", "s", "--strict"]
    assert typed("h", "--append", "one.parquet", "--commit", "aaa", *line).exit_code == 0
    fell = typed("h", "--append", "two.parquet", "--commit", "bbb", *line)
    assert fell.exit_code == 1
    assert "1 number is worse than the accepted reference" in fell.stdout
    assert "s / RR is 0.6250, -0.3750" in fell.stdout
    assert "30 queries worse, 0 better, most: q0 -0.750" in fell.stdout
    assert "added 1 evaluation to h" in fell.stderr
    assert "new in this history" not in fell.stderr
    accepted = typed("h", "--accept", "bbb", "--strict")
    assert (accepted.exit_code, "accepted as the reference: s bbb" in accepted.stderr) == (0, True)
    known = json.loads(typed("h", "--format", "json").stdout)
    assert (known["passes"], known["evaluations"], known["regressions"]) == (True, 2, [])
    assert [point["commit"] for point in known["series"][0]["points"]] == ["aaa", "bbb"]
    assert typed("h", "--format", "csv").stdout.count("\n") == 3


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_has_a_picture_for_each_line(lang, tmp_path) -> None:
    pytest.importorskip("vl_convert", reason="reports need the extra 'report'")
    history = filled(tmp_path / "h", *(measured(lowered(n), measures=["RR", "AP"]) for n in (0, 2, 30)))
    assert isinstance(history, History)
    answer = typed(tmp_path / "h", "--output", tmp_path / "page.html", "--lang", lang)
    assert answer.exit_code == 0, answer.output
    page = (tmp_path / "page.html").read_text("utf-8")
    assert page.count("<svg") == 2
    assert ("worse than the accepted reference" if lang == "en" else "差于已接受的参照") in page


def test_hostile_names_stay_text(tmp_path) -> None:
    pytest.importorskip("vl_convert", reason="reports need the extra 'report'")
    history = History(tmp_path / "h")
    for day, found in enumerate(({}, lowered(30))):
        history.append(
            measured(found), system="<script>'\u2028", commit="'];alert(1)//<b>", time=START + timedelta(days=day)
        )
    page = typed(tmp_path / "h", "--format", "html").stdout
    assert "<script>'" not in page
    assert "<b>" not in page


# MLflow.


@pytest.fixture(scope="module")
def tracked(tmp_path_factory) -> Iterator[str]:
    mlflow = pytest.importorskip("mlflow", reason="MLflow is not installed")
    place = tmp_path_factory.mktemp("mlflow")
    uri = f"sqlite:///{place}/runs.db"
    mlflow.set_tracking_uri(uri)
    client = mlflow.MlflowClient()
    client.create_experiment("search", artifact_location=str(place / "artifacts"))
    client.create_experiment("plain", artifact_location=str(place / "plain"))
    client.create_experiment("other", artifact_location=str(place / "other"))
    mlflow.set_experiment("search")
    for found in ({}, lowered(30)):
        rm.log_to_mlflow(measured(found, measures=["RR", "nDCG(gain=exp2)@10"]))
    mlflow.set_experiment("plain")
    for value in (0.5, 0.4):
        with mlflow.start_run():
            mlflow.log_metrics({"ndcg_at_10": value, "val/recall_at_20": 0.7, "loss": 1.0})
    mlflow.set_experiment("other")
    with mlflow.start_run():
        mlflow.log_metric("loss", 2.0)
    yield uri
    mlflow.set_experiment("Default")  # the process remembers its number, which other stores may not have


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_runs_of_mlflow_come_with_their_values(tracked, tmp_path) -> None:
    history = History(tmp_path / "h")
    added = history.import_mlflow("search", uri=tracked, system="s")
    assert [one.system for one in added] == ["s", "s"]
    found = history.timeline()
    assert [one.measure for one in found.series] == ["RR", "nDCG@10"]
    assert [point.verdict for point in found["RR"].points] == ["reference", "worse"]
    assert found["RR"].last.difference == pytest.approx(-0.375)
    assert history.import_mlflow("search", uri=tracked, system="s") == []


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_metrics_alone_are_shown_and_not_tested(tracked, tmp_path) -> None:
    answer = typed(tmp_path / "h", "--mlflow", "plain", "--mlflow-uri", tracked)
    assert answer.exit_code == 0, answer.output
    (ndcg, recall) = History(tmp_path / "h").timeline().series
    assert [(point.value, point.verdict) for point in ndcg.points] == [(0.5, "untested"), (0.4, "untested")]
    assert (ndcg.measure, recall.measure, ndcg.system) == ("nDCG@10", "R@20", "plain")


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("name", "text"), [("nope", "no experiment 'nope'"), ("other", "has the name of a measure: loss")]
)
def test_mlflow_without_anything_to_take(name, text, tracked, tmp_path) -> None:
    answer = typed(tmp_path / "h", "--mlflow", name, "--mlflow-uri", tracked)
    assert (answer.exit_code, text in answer.stderr) == (2, True), answer.output
