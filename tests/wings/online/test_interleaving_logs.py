"""Every column that could say whether a row of an interleaving log was clicked is heard, on every way in."""

from __future__ import annotations

import csv
import json

import polars as pl
import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter.cli import app
from rankmeter.errors import InputError

USERS = 30
CLICKED = [{"user": f"u{user}", "request": f"r{user}", "team": "A"} for user in range(USERS)]
"""Everybody clicked what A picked."""


def shown(column, yes, no, **more):
    """The same with a row per item shown: one of A's, which was clicked, and two of B's, which were not."""
    teams = (("A", yes), ("B", no), ("B", no))
    return [{"user": f"u{user}", "request": f"r{user}", "team": team, column: flag, **more}
            for user in range(USERS) for team, flag in teams]  # fmt: skip


def delimited(rows, path, delimiter):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path


def lines(rows, path):
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def parquet(rows, path):
    pl.DataFrame(rows).write_parquet(path)
    return path


ROUTES = {
    "records": lambda rows, _: rows,
    "polars": lambda rows, _: pl.DataFrame(rows),
    "lazy": lambda rows, _: pl.LazyFrame(rows),
    "pandas": lambda rows, _: pytest.importorskip("pandas").DataFrame(rows),
    "arrow": lambda rows, _: pl.DataFrame(rows).to_arrow(),
    "csv": lambda rows, folder: delimited(rows, folder / "log.csv", ","),
    "tsv": lambda rows, folder: delimited(rows, folder / "log.tsv", "\t"),
    "jsonl": lambda rows, folder: lines(rows, folder / "log.jsonl"),
    "parquet": lambda rows, folder: parquet(rows, folder / "log.parquet"),
}
SAID = [
    ("click", 1, 0), ("clicked", True, False), ("is_click", 1.0, 0.0), ("点击", 1, 0), ("Clicked", "true", "false"),
    ("event", "click", "impression"), ("事件", "点击", "曝光"), ("action", "Clicked", "shown"),
]  # fmt: skip


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(("column", "yes", "no"), SAID, ids=[column for column, _, _ in SAID])
def test_what_was_shown_and_not_clicked_is_no_point(route, column, yes, no, tmp_path):
    found = rm.online.score_interleaving(ROUTES[route](shown(column, yes, no), tmp_path))
    expected = rm.online.score_interleaving(CLICKED)
    assert (found.users_a, found.users_b, found.p, found.verdict) == (USERS, 0, expected.p, "A")


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("column", ["clk", "click_flag", "outcome"])
def test_a_number_that_may_say_so_is_asked_for(route, column, tmp_path):
    log = ROUTES[route](shown(column, 1, 0), tmp_path)
    with pytest.raises(InputError, match=rf"'{column}'.*Hint: columns={{\"click\": \"{column}\"}}"):
        rm.online.score_interleaving(log)
    assert rm.online.score_interleaving(log, columns={"click": column}).verdict == "A"
    assert rm.online.score_interleaving(log, columns={"click": "rows"}).verdict == "B"  # as the caller says


@pytest.mark.parametrize("column", ["position", "rank", "timestamp", "query_id", "version", "session_id", "item_id"])
def test_numbers_that_say_which_row_it_is_do_not_disturb(column):
    rows = [{**row, column: number} for number, row in enumerate(CLICKED)]
    assert rm.online.score_interleaving(rows, unit="user").verdict == "A"


@pytest.mark.parametrize(
    ("column", "yes", "no"), [("click", 2, 0), ("click", "yes", "no"), ("click", None, 0), ("event", "click", "scroll")]
)
def test_what_is_no_answer_is_refused(column, yes, no):
    with pytest.raises(InputError, match=r'columns={"click": "rows"}'):
        rm.online.score_interleaving(shown(column, yes, no))


def test_a_flag_and_an_event_that_both_could_say_it_are_asked_for():
    rows = shown("click", 1, 0, event="impression")
    assert rm.online.score_interleaving(rows).verdict == "A"  # all are shown, some clicked
    rows[0] = {**rows[0], "event": "click"}
    with pytest.raises(InputError, match="'click', 'event'"):
        rm.online.score_interleaving(rows)
    assert rm.online.score_interleaving(rows, columns={"click": "click"}).users_a == USERS
    assert rm.online.score_interleaving(rows, columns={"type": "event"}).users_a == 1


def test_a_team_and_a_credit_are_asked_for():
    rows = [{**row, "credit": 1.0} for row in CLICKED]  # the credit is B's
    with pytest.raises(InputError, match="either could decide"):
        rm.online.score_interleaving(rows)
    assert rm.online.score_interleaving(rows, columns={"team": "team"}).verdict == "A"
    varied = [{**row, "credit": 1.0 + number} for number, row in enumerate(CLICKED)]
    assert rm.online.score_interleaving(varied, columns={"credit": "credit"}).verdict == "B"


def test_credits_of_rows_without_a_click_do_not_count():
    rows = [{"user": user, "request": user, "credit": sign * (1 + user), "click": flag}
            for user in range(USERS) for sign, flag in ((-1, 1), (1, 0), (1, 0))]  # fmt: skip
    assert rm.online.score_interleaving(rows).verdict == "A"


def test_a_list_without_a_click_needs_no_flag():
    rows = [{**row, "click": 1} for row in CLICKED] + [{"user": "v", "request": "v", "team": None, "click": None}]
    assert rm.online.score_interleaving(rows).ties == 1


@pytest.mark.parametrize("delimiter", [",", "\t"])
@pytest.mark.parametrize("doubled", ["team", "note"])
def test_two_columns_of_one_name_are_refused(delimiter, doubled, tmp_path):
    columns = ["time", "type", "user", "request", "team", "note", doubled]
    path = tmp_path / ("log.csv" if delimiter == "," else "log.tsv")
    path.write_text("\n".join(delimiter.join(row) for row in (columns, ["1", "click", "u", "r", "A", "x", "B"])) + "\n")
    for read in (rm.online.score_interleaving, rm.online.read_events):
        with pytest.raises(InputError, match=f"two columns called '{doubled}'"):
            read(path)


@pytest.mark.parametrize(
    ("column", "code", "said"), [("click", 0, "30 users prefer A"), ("clk", 2, "--columns click=clk")]
)
def test_the_command_says_the_same(column, code, said, tmp_path):
    path = delimited(shown(column, 1, 0), tmp_path / "log.csv", ",")
    found = CliRunner().invoke(app, ["interleave", "score", str(path)])
    assert (found.exit_code, said in found.output) == (code, True)
