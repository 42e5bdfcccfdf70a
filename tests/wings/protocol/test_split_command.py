"""`rankmeter split`: files in, parts and protocol out, and the same again."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result

import rankmeter as rm
from rankmeter.cli import app

ROWS = "user,item,rating,time\n" + "".join(
    f"u{user},i{(user * step) % 7},{1 + step % 5},{100 * user + step}\n" for user in range(1, 6) for step in range(1, 6)
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text(ROWS)
    return tmp_path


def typed(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def test_parts_and_protocol_are_written(folder: Path) -> None:
    answer = typed("split", "rows.csv", "--how", "last_n(1)", "--out", "parts")
    assert answer.exit_code == 0
    assert {file.name for file in (folder / "parts").iterdir()} == {"train.csv", "test.csv", "protocol.json"}
    test = pl.read_csv(folder / "parts" / "test.csv")
    assert test.equals(pl.read_csv(folder / "rows.csv").filter(pl.col("time") % 100 == 5))
    record = json.loads((folder / "parts" / "protocol.json").read_text())
    assert record["how"] == "last_n(1)"
    assert record["sources"] == ["../rows.csv"]
    assert record["folds"][0]["parts"]["test"]["rows"] == 5


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_parts_have_the_format_that_is_asked_for(folder: Path, ending: str) -> None:
    typed("split", "rows.csv", "--how", "folds(2)", "--out", "parts", "--parts-format", ending)
    read = {"csv": pl.read_csv, "jsonl": pl.read_ndjson, "parquet": pl.read_parquet}[ending]
    rows = [read(folder / "parts" / f"fold-{number}-test.{ending}") for number in (1, 2)]
    assert sorted(pl.concat(rows)["time"].cast(pl.Int64)) == sorted(pl.read_csv(folder / "rows.csv")["time"])


def test_the_same_parts_come_out_again(folder: Path) -> None:
    typed(
        "split", "rows.csv", "--how", "random(0.2)", "--seed", "3", "--before", "k_core(2), rating(2)", "--out", "parts"
    )
    answer = typed("split", "--again", "parts/protocol.json", "--out", "again")
    assert answer.exit_code == 0
    assert "the same as recorded" in answer.stderr
    assert (folder / "again" / "test.csv").read_text() == (folder / "parts" / "test.csv").read_text()


def test_what_changed_is_said(folder: Path) -> None:
    typed("split", "rows.csv", "--how", "last_n(1)", "--before", "min_user(5)", "--out", "parts")
    (folder / "rows.csv").write_text(ROWS + "u9,i1,3,999\n")
    answer = typed("split", "--again", "parts/protocol.json")
    assert answer.exit_code == 1
    assert answer.stdout == ""
    assert "25 rows then, 26 now" in answer.stderr
    assert "min_user(5) removed 0 rows then and removes 1 now" in answer.stderr


def test_reordered_rows_are_the_same_parts(folder: Path) -> None:
    typed("split", "rows.csv", "--how", "random_n(1)", "--out", "parts")
    head, *lines = ROWS.splitlines()
    (folder / "rows.csv").write_text("\n".join([head, *reversed(lines)]) + "\n")
    assert typed("split", "--again", "parts/protocol.json").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--how", "last_n(0)"], "n=0 is not possible"),
        (["--how", "last_share(1)"], "share=1 is not a share"),
        (["--how", "random(0)"], "share=0 is not a share"),
        (["--how", "last(1)"], "there is no strategy last"),
        (["--how", "last_n(1,m=2)"], "arguments that do not fit"),
        (["--how", "time(1900-01-01)"], "not on its scale"),
        (["--how", "time(0)"], "the train part of time(0) would be empty"),
        (["--how", "windows(30d,2)"], "unit is not known"),
        (["--how", "last_n(1)", "--before", "seen"], "after='seen'"),
        (["--how", "last_n(1)", "--before", "k_core(99)"], "no row of rows.csv is left"),
        (["--how", "last_n(1)", "--whole", "session"], "column that names the session"),
        (["--how", "users(5)"], "5 of 5 users cannot be held out"),
        (["--how", "time(103)", "--validation", "same"], "--validation time(2024-05-01)"),
        ([], "a file and a strategy are needed"),
    ],
)  # fmt: skip
def test_bad_input_is_a_sentence_and_writes_nothing(folder: Path, arguments: list[str], sentence: str) -> None:
    answer = typed("split", "rows.csv", *arguments, "--out", "parts")
    assert (answer.exit_code, answer.stdout) == (2, "")
    assert sentence in answer.stderr
    assert not (folder / "parts").exists()


def test_a_folder_with_parts_is_left_alone(folder: Path) -> None:
    (folder / "parts").mkdir()
    (folder / "parts" / "test.csv").write_text("mine")
    answer = typed("split", "rows.csv", "--how", "last_n(1)", "--out", "parts")
    assert answer.exit_code == 2
    assert "is not empty" in answer.stderr
    assert (folder / "parts" / "test.csv").read_text() == "mine"


@pytest.mark.parametrize(
    ("times", "sentence"),
    [
        (["yesterday", "2024-01-01", "today"], "cannot be read as a time: 'yesterday', 'today'"),
        (["2024-01-01T00:00:00+02:00", "2024-01-01", "2024-01-02"], "some times in column 'time' have a time zone"),
        (["2024-01-01", "", "2024-01-02"], "1 row has no time in column 'time' (the first is row 2)"),
    ],
)
def test_bad_times_are_a_sentence(folder: Path, times: list[str], sentence: str) -> None:
    rows = pl.DataFrame({"user": [1, 1, 2], "item": [1, 2, 1], "time": times})
    rows.write_csv(folder / "bad.csv")
    answer = typed("split", "bad.csv", "--how", "last_n(1)", "--out", "parts")
    assert answer.exit_code == 2
    assert sentence in answer.stderr
    with pytest.raises(rm.InputError) as caught:
        rm.split(rows, "last_n(1)")
    assert sentence in str(caught.value)


def test_movielens_needs_no_header(folder: Path) -> None:
    (folder / "u.data").write_text("196\t242\t3\t881250949\n196\t302\t3\t891717742\n22\t377\t1\t878887116\n")
    (folder / "ratings.dat").write_text("196::242::3::881250949\n196::302::3::891717742\n22::377::1::878887116\n")
    for name in ("u.data", "ratings.dat"):
        assert rm.split(name, "last_n(1)").rows("test").tolist() == [1]
        assert rm.split(name, "time(1997-12-31)").rows("test").tolist() == [1]


def test_one_interaction_of_a_user_stays_in_train(folder: Path) -> None:
    rows = {"user": [1, 2, 2], "item": ["a", "a", "b"], "time": [1, 1, 2]}
    assert rm.split(rows, "last_n(1)").rows("train").tolist() == [0, 1]
    with pytest.raises(rm.InputError, match="test part of last_n"):
        rm.split({"user": [1, 2], "item": ["a", "a"], "time": [1, 1]}, "last_n(1)")


@pytest.mark.parametrize("ids", ["numbers", "text"])
def test_popular_items_of_segments_by_the_command_are_those_of_the_function(ids: str, tmp_path: Path) -> None:
    users = [n if ids == "numbers" else f"u{n}" for n in range(12)]
    rows = pl.DataFrame({"user": [users[n % 12] for n in range(60)], "item": [f"i{n * n % 23}" for n in range(60)]})
    segments = {user: "ab"[place % 2] for place, user in enumerate(users)}
    rows.write_csv(tmp_path / "train.csv")
    pl.DataFrame({"user": list(segments), "segment": list(segments.values())}).write_csv(tmp_path / "users.csv")
    call = ["baselines", str(tmp_path / "train.csv"), "--kind", "popular(segment=yes)", "-k", "4"]
    made = CliRunner().invoke(app, [*call, "--segments", str(tmp_path / "users.csv"), "--out", str(tmp_path / "runs")])
    assert made.exit_code == 0, made.output
    written = pl.read_csv(tmp_path / "runs" / "popular-segment-yes.csv", infer_schema=False)
    wanted = rm.baselines(rows, k=4, kinds="popular(segment=yes)", segments=segments)["popular(segment=yes)"]
    assert written.rows() == [tuple(map(str, row)) for row in wanted.rows()]
    plain = rm.baselines(rows, k=4, kinds="popular")["popular"]
    assert wanted.rows() != plain.rows()
    assert CliRunner().invoke(app, [*call, "--out", str(tmp_path / "none")]).exit_code == 2
