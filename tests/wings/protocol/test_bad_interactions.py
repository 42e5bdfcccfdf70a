"""What cannot be divided is refused in a sentence, by whatever way it comes in, and nothing is left half-written."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import rankmeter as rm
from rankmeter.cli import app
from rankmeter.errors import RankmeterError
from rankmeter.wings.protocol import chance
from rankmeter.wings.protocol.interactions import read_interactions

ROWS: dict[str, Any] = {"user": [1, 1, 1, 2, 2, 2, 3, 3], "item": list("abcabcab"), "time": [1, 2, 3, 1, 2, 3, 1, 2]}
UTC = dt.UTC
NAIVE, AWARE = dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, tzinfo=UTC)  # noqa: DTZ001 (that is what is tried)


@pytest.mark.parametrize(
    ("column", "values", "sentence"),
    [
        ("time", ["soon"] * 8, "8 rows of column 'time' cannot be read as a time"),
        ("time", ["2024-01-01"] * 7 + ["soon"], "1 row of column 'time' cannot be read as a time: 'soon'"),
        ("time", ["2024-01-01T00:00Z"] * 7 + ["2024-01-01T00:00"], "some .* have a time zone and some have none"),
        ("time", [NAIVE] * 4 + [AWARE] * 4, "some .* have a time zone and some have none"),
        ("time", [1, 2, None, 1, 2, 3, 1, 2], "1 row has no time"),
        ("time", [1.0, float("nan"), 3, 1, 2, 3, 1, 2], "1 row has no time"),
        ("time", [1e300] * 8, "too large to tell neighbouring times apart"),
        ("time", [2**63] * 8, "do not fit into 64 bits"),
        ("time", [True] * 8, "is not a column of times"),
        ("time", [[1]] * 8, "is not a column of times"),
        ("user", [1, None, 1, 2, 2, 2, 3, 3], "user is missing in 1 row: 1|1 of them are missing"),
        ("user", [1.5] * 8, "user ids are floats"),
        ("item", [None, *"bcabcab"], "item is missing in 1 row: 0"),
    ],
)
@pytest.mark.parametrize("way", ["mapping", "records", "polars", "lazy", "pandas"])
def test_a_column_that_cannot_be_used_is_named(way: str, column: str, values: list[Any], sentence: str) -> None:
    rows = {**ROWS, column: values}
    if way in ("mapping", "records"):
        data: Any = rows if way == "mapping" else [{name: rows[name][at] for name in rows} for at in range(8)]
    elif way == "pandas":
        data = pytest.importorskip("pandas").DataFrame({name: rows[name] for name in rows})
    elif values[0] is NAIVE:
        return  # a column of Polars has one zone
    else:
        data = pl.DataFrame(rows, strict=False).lazy() if way == "lazy" else pl.DataFrame(rows)
    with pytest.raises(RankmeterError, match=sentence):
        rm.split(data, "last_n(1)")


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        *((f"{word}({share})", "is not a share") for word in ("random", "time_share", "last_share", "random_share")
          for share in ("0", "1", "1.5", "-0.1", "nan", "x", "true")),
        *((f"{word}({n})", "expected a whole number") for word in ("last_n", "random_n", "folds", "user_folds")
          for n in ("0", "-1", "1.0", "x", "true")),
        *((text, "is not a word with its arguments")
          for text in ("", "last_n(1", "last_n(1))", "last_n 1", "last-n(1)")),
        ("users(true)", "is not a share"),
        ("last_n(1,n=2)", "states n twice"),
        ("last_n(few=drop,few=test)", "states few twice"),
        ("last_n(1,keep,3)", "do not fit: expected n, few"),
        ("lastn(1)", "did you mean 'last_n'"),
        ("users(3)", "some must stay in train"),
        ("time(100)", "the test part of time.100. would be empty"),
        ("windows(0,1)", "is not a duration"),
        ("windows(3d,1)", "whose unit is not known"),
        ("rectools:last_n(x)", "n=x is not possible; expected a whole number"),
        ("rectools:last_n(1,n_splits=0)", "makes no fold"),
        ("rectools:last_n(1,filters=zzz)", "filters=zzz is not possible"),
        ("recbole:LS(mode=zzz)", "expected valid_and_test . valid_only . test_only"),
        ("recommenders:chrono(.5,filter_by=zzz)", "expected user . item"),
        ("replay:last_n(1,backend=zzz)", "expected polars . pandas"),
        ("replay:time(drop_cold_users=1)", "expected true . false"),
        ("warprec:k_fold(0)", "cannot be done with these arguments"),
        ("datarec:leave_n_last(9)", r"every one needs 9\. Hint: before='min_user\(9\)'"),
        ("cornac:stratified(9,group_by=item)", r"Hint: before='min_item\("),
    ],
)  # fmt: skip
def test_a_strategy_that_is_not_possible_is_a_sentence(how: str, sentence: str) -> None:
    with pytest.raises(RankmeterError, match=sentence):
        rm.split(ROWS, how)


@pytest.mark.parametrize(
    "options",
    [
        *({"before": f"{step}({value})"} for step in ("k_core", "min_user", "min_item", "rating", "rows")
          for value in ("x", "true")),
        *({"before": f"{step}({value})"} for step in ("k_core", "min_user", "min_item", "rows")
          for value in ("-3", "2.5")),
        {"before": "k_core(2,rounds=0)"}, {"before": "k_core(0)"}, {"before": "rows(0)"},
        {"before": "rows(1,middle)"}, {"before": "duplicates(any)"},
        {"before": "seen"}, {"after": "k_core(5)"}, {"after": 5}, {"before": "k_core(50)"},
        {"validation": "time(99)"}, {"validation": "folds(2)"}, {"validation": "lst_n"}, {"whole": "user"},
        {"seed": -1}, {"seed": 0.5}, {"columns": {"user": "nope"}}, {"columns": {"usr": "user"}},
        {"format": "zzz"}, {"ties": "zzz"},
    ],
)  # fmt: skip
def test_an_option_that_is_not_possible_is_a_sentence(options: dict[str, Any]) -> None:
    with pytest.raises(RankmeterError):
        rm.split(ROWS, "last_n(1)", **options)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (5, "type int cannot be used"),
        ({"user": [1], "time": [1]}, "has no item column"),
        ({"user": [1, 2], "item": [1]}, "different lengths: user 2, item 1"),
        ({"user": [], "item": []}, "has no rows"),
        ({"user": [1, 2, 3], "item": [1, 2, 3], "time": [1, 2, 3]}, "the test part of last_n.1. would be empty"),
        ([{"user": 1, "item": 2}, {"user": 1, "item": 3, "time": 4}], "1 row has no time"),
    ],
)
def test_a_table_that_cannot_be_used_is_a_sentence(data: object, sentence: str) -> None:
    with pytest.raises(RankmeterError, match=sentence):
        rm.split(data, "last_n(1)")


@pytest.mark.parametrize(
    "options",
    [
        {"kinds": "populr"}, {"kinds": ""}, {"kinds": []}, {"kinds": 3}, {"kinds": "popular(zz)"},
        {"kinds": "random(3)"}, {"kinds": "popular(segment=yes)"}, {"kinds": "popular(segment=no)"},
        {"kinds": "popular(window=30d)"}, {"kinds": "popular(mean_rating)"}, {"k": 0}, {"k": "a"},
        {"users": "abc"},
        {"users": 5}, {"users": [None]}, {"seen": "zzz"}, {"segments": [1]}, {"seed": -1},
    ],
)  # fmt: skip
def test_a_baseline_that_is_not_possible_is_a_sentence(options: dict[str, Any]) -> None:
    with pytest.raises(RankmeterError):
        rm.baselines(ROWS, **options)


def test_the_ends_of_64_bits_are_times_and_ids_as_any() -> None:
    ends = [2**63 - 1, 0, -(2**63)]
    parts = rm.split({"user": [1, 1, 1], "item": ["a", "b", "c"], "time": ends}, "last_n(1)")
    assert parts.test["item"].to_list() == ["a"]
    drawn = rm.split({"user": ends, "item": ends[::-1]}, "random(0.3)", seed=2**70)
    assert len(drawn.test) == 1


@pytest.mark.parametrize("place", ["file", "file/parts", "full"])
def test_where_parts_cannot_be_written_nothing_is_printed(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text("user,item,time\n1,a,1\n1,b,2\n")
    Path("file").touch()
    Path("full").mkdir()
    Path("full/kept").touch()
    answer = CliRunner().invoke(app, ["split", "rows.csv", "--how", "last_n(1)", "--out", place])
    assert answer.exit_code == 2
    assert answer.stdout == ""
    assert sorted(path.name for path in Path("full").iterdir()) == ["kept"]


@pytest.mark.parametrize("option", ["--how=last_n(1)", "--seed=0", "--before=rating(3)", "--ties=rows"])
def test_what_a_record_states_is_not_stated_beside_it(option: str, tmp_path: Path) -> None:
    rm.split(ROWS, "last_n(1)").write(str(tmp_path / "parts"))
    answer = CliRunner().invoke(app, ["split", "--again", str(tmp_path / "parts" / "protocol.json"), option])
    assert answer.exit_code == 2
    assert f"{option.partition('=')[0]}" in answer.stderr
    assert "is not stated beside it" in answer.stderr


def test_a_file_that_has_moved_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text("user,item,time\n1,a,1\n1,b,2\n")
    rm.split("rows.csv", "last_n(1)").write("parts")
    Path("rows.csv").rename("moved.csv")
    answer = CliRunner().invoke(app, ["split", "--again", "parts/protocol.json"])
    assert answer.exit_code == 2
    assert "rows.csv, which is not there now" in answer.stderr
    assert CliRunner().invoke(app, ["split", "moved.csv", "--again", "parts/protocol.json"]).exit_code == 0


@given(st.integers(1, 400), st.integers(1, 40), st.integers(0, 2**70), st.fractions(0.001, 0.999), st.integers(1, 90))
def test_the_rows_drawn_are_those_with_the_lowest_keys(
    rows: int, ids: int, seed: int, share: Any, at_once: int
) -> None:
    rng = np.random.default_rng(rows)
    data = {name: rng.integers(0, ids, rows).tolist() for name in ("user", "item", "time")}
    table, _ = read_interactions({**data, "rating": rng.choice([0.0, -0.0, np.nan, 4.5], rows).tolist()})
    count = max(1, int(share * rows))
    before, chance.AT_ONCE = chance.AT_ONCE, at_once
    try:
        chosen, keys = chance.lowest(table, seed, count), chance.of_rows(table, seed)
    finally:
        chance.AT_ONCE = before
    assert np.array_equal(keys, chance.of_rows(table, seed))
    assert np.array_equal(np.flatnonzero(chosen), np.sort(np.argsort(keys, kind="stable")[:count]))


@pytest.mark.parametrize("same", [True, False])
def test_a_draw_of_many_rows_has_its_size_and_is_even(*, same: bool) -> None:
    rows = 60_000
    numbers = np.arange(rows)
    data = {"user": (numbers * 0 if same else numbers // 20).tolist(), "item": (numbers % (1 if same else 20)).tolist()}
    table, _ = read_interactions(data)
    chosen = chance.lowest(table, 7, rows // 5)
    assert int(chosen.sum()) == rows // 5
    if not same:
        for parts in (
            chosen.reshape(-1, 20).sum(0),
            chosen.reshape(20, -1).sum(1),
        ):  # of an item, of neighbouring users
            assert abs(parts - parts.mean()).max() < 5 * np.sqrt(rows // 20 * 0.16)
        other = chance.lowest(table, 8, rows // 5)
        assert abs(int((chosen & other).sum()) - rows // 25) < 5 * np.sqrt(rows // 25)


@pytest.mark.parametrize("separator", [",", "\t"])
@pytest.mark.parametrize("at", [2, 3, 40])
@pytest.mark.parametrize("more", [1, 4])
def test_a_row_with_more_fields_than_the_header_is_named(separator: str, at: int, more: int, tmp_path: Path) -> None:
    lines = [["user", "item", "time"], *([f"u{n % 7}", f"i{n % 5}", str(n)] for n in range(60))]
    lines[at - 1] = lines[at - 1] + ["x"] * more
    path = tmp_path / ("r.csv" if separator == "," else "r.tsv")
    path.write_text("".join(separator.join(line) + "\n" for line in lines))
    calls = (["split", str(path), "--how", "last_n(1)"], ["baselines", str(path)], ["protocol", str(path), str(path)])
    for call in calls:
        out = [] if call[0] == "protocol" else ["--out", str(tmp_path / "out")]
        shown = CliRunner().invoke(app, [*call, *out])
        assert shown.exit_code == 2
        assert f"{path.name}:{at}: {3 + more} fields where the header has 3" in shown.output
        assert not (tmp_path / "out").exists()
