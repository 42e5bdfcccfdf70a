"""A column that nobody recognises is named or refused, never dropped: every odd name on every route."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter.cli import app
from rankmeter.errors import InputError

JUDGED = {"query": ["q", "q", "q"], "item": ["a", "b", "c"], "grade": [0, 0, 1]}
"""Item c is the relevant one."""
ROWS = {"query": ["q", "q", "q"], "item": ["a", "b", "c"]}
BY_SCORE = [0.1, 0.2, 0.9]
"""Puts c first; the order of the rows puts it last."""

ODD_SCORES = ["weight", "distance", "l2", "my_value", "价值", "value-2", "click_rate", "tf.idf"]
KNOWN_SCORES = [
    "y_pred",
    "preds",
    "est",
    "bm25_score",
    "model_score",
    "logit",
    "probability",
    "Y_Hat",
    "cosine similarity",
]
ODD_GRADES = ["clicked", "quality", "points", "count", "is_good"]


def as_text(values: list[Any]) -> list[str]:
    return [str(value) for value in values]


def parquet(path: Path, data: dict[str, list[Any]]) -> Path:
    pl.DataFrame(data).write_parquet(path)
    return path


def ipc(path: Path, data: dict[str, list[Any]]) -> Path:
    pl.DataFrame(data).write_ipc(path)
    return path


def delimited(path: Path, data: dict[str, list[Any]], separator: str) -> Path:
    pl.DataFrame(data).write_csv(path, separator=separator)
    return path


def records(data: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(data, row, strict=True)) for row in zip(*data.values(), strict=True)]


def json_file(path: Path, data: dict[str, list[Any]]) -> Path:
    path.write_text(json.dumps(records(data), ensure_ascii=False), encoding="utf-8")
    return path


def json_lines(path: Path, data: dict[str, list[Any]]) -> Path:
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records(data)), encoding="utf-8")
    return path


def duckdb_relation(data: dict[str, list[Any]]) -> Any:
    columns_ = pa.table(data)  # noqa: F841  # DuckDB finds it by its name
    return duckdb.sql("select * from columns_")


FRAMES = {
    "pandas": pd.DataFrame,
    "pandas, object": lambda data: pd.DataFrame(data, dtype=object),
    "polars": pl.DataFrame,
    "polars, lazy": pl.LazyFrame,
    "arrow": pa.table,
    "duckdb": duckdb_relation,
}
FILES = {
    "csv": lambda path, data: delimited(path, data, ","),
    "tsv": lambda path, data: delimited(path, data, "\t"),
    "json": json_file,
    "jsonl": json_lines,
    "parquet": parquet,
    "ipc": ipc,
}
ROUTES = [*FRAMES, *FILES]


def given(route: str, data: dict[str, list[Any]], folder: Path, name: str) -> Any:
    return FRAMES[route](data) if route in FRAMES else str(FILES[route](folder / f"{name}.{route}", data))


def rr(judgments: Any, run: Any, columns: dict[str, str] | None = None) -> float:
    return rm.evaluate(judgments, run, "RR", columns=columns)["RR"]


@pytest.mark.parametrize("kind", [list, as_text], ids=["numbers", "text"])
@pytest.mark.parametrize("name", ODD_SCORES)
@pytest.mark.parametrize("route", ROUTES)
def test_an_odd_column_of_numbers_in_a_run_is_refused(route, name, kind, tmp_path):
    run = given(route, {**ROWS, name: kind(BY_SCORE)}, tmp_path, "run")
    with pytest.raises(InputError) as refused:
        rr(pl.DataFrame(JUDGED), run)
    text = str(refused.value)
    assert f"neither a score nor a rank column, and '{name}' may be one" in text
    for call in (f'columns={{"score": "{name}"}}', f'columns={{"distance": "{name}"}}', 'columns={"order": "rows"}'):
        assert call in text


@pytest.mark.parametrize("name", ODD_SCORES)
@pytest.mark.parametrize("route", ROUTES)
def test_the_calls_that_the_refusal_names_work(route, name, tmp_path):
    judgments = pl.DataFrame(JUDGED)
    run = given(route, {**ROWS, name: BY_SCORE}, tmp_path, "run")
    assert rr(judgments, run, {"score": name}) == 1.0
    assert rr(judgments, run, {"distance": name}) == rr(judgments, run, {"order": "rows"}) == pytest.approx(1 / 3)


@pytest.mark.parametrize("name", KNOWN_SCORES)
@pytest.mark.parametrize("route", ROUTES)
def test_a_known_name_of_a_score_orders_the_items(route, name, tmp_path):
    assert rr(pl.DataFrame(JUDGED), given(route, {**ROWS, name: BY_SCORE}, tmp_path, "run")) == 1.0


@pytest.mark.parametrize("name", ODD_GRADES)
@pytest.mark.parametrize("values", [[0, 0, 1], ["0", "0", "1"], [False, False, True]], ids=["numbers", "text", "truth"])
@pytest.mark.parametrize("route", ROUTES)
def test_an_odd_column_of_numbers_in_judgments_is_refused(route, values, name, tmp_path):
    judgments = given(route, {**ROWS, name: values}, tmp_path, "judgments")
    run = {"q": ["a", "b", "c"]}
    with pytest.raises(InputError, match=f"no grade column, and '{name}' may be one") as refused:
        rr(judgments, run)
    assert f'columns={{"grade": "{name}"}}' in str(refused.value)
    assert rr(judgments, run, {"relevant": "rows"}) == 1.0
    if not isinstance(values[0], str) or route in ("csv", "tsv"):  # text is not a number where there are types
        assert rr(judgments, run, {"grade": name}) == pytest.approx(1 / 3)


PARTLY_NUMBERS = {
    "a missing one": ["N/A", "0.2", "0.3"],
    "decimal commas": ["0,1", "0,2", "0,9"],
    "percents": ["1%", "2 %", "none"],
    "one number": ["-", "-", "7"],
    "wide digits": ["\uff10\uff0e\uff15", "?", "?"],
    "a sentence": ["the model gave no answer in time for this", "0.2", "0.9"],
}


@pytest.mark.parametrize("values", PARTLY_NUMBERS.values(), ids=PARTLY_NUMBERS)
@pytest.mark.parametrize("side", ["judgments", "run"])
@pytest.mark.parametrize("route", ROUTES)
def test_an_odd_column_of_which_a_part_reads_as_numbers_is_refused(route, side, values, tmp_path):
    table = given(route, {**ROWS, "conf": values}, tmp_path, side)
    with pytest.raises(InputError, match="'conf' may be one"):
        rr(*((table, pl.DataFrame(ROWS)) if side == "judgments" else (pl.DataFrame(JUDGED), table)))


@pytest.mark.parametrize("values", [["N/A", 0.2, 0.9], [pd.Timestamp(0), 0.2, None], ["x", True, pd.NaT]], ids=str)
@pytest.mark.parametrize("side", ["judgments", "run"])
def test_an_odd_column_of_mixed_objects_is_refused(side, values):
    table = pd.DataFrame({**ROWS, "conf": pd.Series(values, dtype=object)})
    with pytest.raises(InputError, match="'conf' may be one"):
        rr(*((table, pl.DataFrame(ROWS)) if side == "judgments" else (pl.DataFrame(JUDGED), table)))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("verdict", ["relevant", "not relevant", "relevant"]),
        ("ok", ["yes", "no", "yes"]),
        ("clicked", ["x", "", ""]),
        ("Is-Relevant", ["high", "low", "none"]),
        ("relevance_text", ["high", "low", "none"]),
    ],
)
@pytest.mark.parametrize("route", ROUTES)
def test_words_that_may_be_verdicts_are_refused_in_judgments_alone(route, name, values, tmp_path):
    table = given(route, {**ROWS, name: values}, tmp_path, "table")
    with pytest.raises(InputError, match=f"no grade column, and '{name}' may be one") as refused:
        rr(table, pl.DataFrame(ROWS))
    assert f'columns={{"grade": "{name}"}}' in str(refused.value)
    assert rr(table, table, {"relevant": "rows"}) == 1.0


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("title", ["1984", "Heat", "Heat"]),
        ("query_text", ["red shoes", "red shoes", "red shoes"]),
        ("snippets", ["100", "a text", "a text"]),
        ("page", ["https://a.example/1", "https://a.example/1", "2"]),
        ("seen", ["2024-05-01", "2024-05-01", "2024-05-01"]),
        ("remark", ["This one was found by the first crawl", "7", ""]),
        ("film", ["Heat", "Alien", "Up"]),
    ],
)
@pytest.mark.parametrize("route", ROUTES)
def test_text_for_people_is_neither_score_nor_grade(route, name, values, tmp_path):
    table = given(route, {**ROWS, name: values}, tmp_path, "table")
    assert rr(table, table) == 1.0


@pytest.mark.parametrize("route", ROUTES)
def test_what_was_not_used_is_said_where_rows_alone_decide(route, tmp_path):
    bare = given(route, {**ROWS, "title": ["x", "y", "z"]}, tmp_path, "bare")
    ev = rm.evaluate(bare, bare, "RR")
    assert "not used: title; every row counts as relevant" in repr(ev)
    assert "not used: title; the order of the rows ranks the items" in repr(ev)
    assert len(ev.reading.notes) == 2
    stated = rm.evaluate(bare, bare, "RR", columns={"relevant": "rows", "order": "rows"})
    full = given(route, {**ROWS, "title": ["x", "y", "z"], "grade": [0, 0, 1], "score": BY_SCORE}, tmp_path, "full")
    assert "not used" not in repr(stated) + repr(rm.evaluate(full, full, "RR"))


@pytest.mark.parametrize("items", [["a", "b"], {"a": 2, "b": 1}], ids=["list", "numbers"])
def test_lists_of_items_in_records_decide_themselves(items, tmp_path):
    path = tmp_path / "nested.jsonl"
    path.write_text(json.dumps({"query": "q", "items": items, "title": "x"}) + "\n")
    assert "not used" not in repr(rm.evaluate(str(path), str(path), "RR"))


@pytest.mark.parametrize("route", ROUTES)
def test_relevancy_is_a_grade(route, tmp_path):
    judgments = given(route, {**ROWS, "relevancy": [0, 0, 1]}, tmp_path, "judgments")
    assert rr(judgments, {"q": ["a", "b", "c"]}) == pytest.approx(1 / 3)


@pytest.mark.parametrize("beside", ["timestamp", "year", "Unnamed: 0", "fold"])
@pytest.mark.parametrize("route", ROUTES)
def test_times_and_numbers_of_rows_are_neither_score_nor_grade(route, beside, tmp_path):
    table = given(route, {**ROWS, beside: [3, 2, 1]}, tmp_path, "table")
    assert rr(table, table) == 1.0


@pytest.mark.parametrize("name", ["score", "rank", "prediction", "y_pred"])
@pytest.mark.parametrize("route", ROUTES)
def test_swapped_sides_are_refused(route, name, tmp_path):
    recommended = given(route, {**ROWS, name: BY_SCORE}, tmp_path, "recommended")
    held_out = given(route, ROWS, tmp_path, "held_out")
    with pytest.raises(InputError, match=f"looks like a run, not like judgments: it has '{name}' and no grade column"):
        rr(recommended, held_out)
    with pytest.raises(InputError, match="looks like a run, not like judgments"):
        rr(given(route, {**ROWS, "x": BY_SCORE}, tmp_path, "odd"), held_out, {"score": "x"})


@pytest.mark.parametrize("name", ["weight", "distance", "price"])
@pytest.mark.parametrize("route", FILES)
def test_the_command_refuses_with_its_own_options(route, name, tmp_path):
    judgments = given(route, JUDGED, tmp_path, "judgments")
    run = given(route, {**ROWS, name: BY_SCORE}, tmp_path, "run")
    call = ["evaluate", judgments, run, "-m", "RR", "--format", "csv", "-q"]
    refused = CliRunner().invoke(app, call)
    assert refused.exit_code == 2
    assert f"'{name}' may be one" in refused.stderr
    for columns, value in ((f"score={name}", "1.0"), (f"distance={name}", "0.333"), ("order=rows", "0.333")):
        assert f"--columns {columns}" in refused.stderr
        worked = CliRunner().invoke(app, [*call, "--columns", columns])
        assert worked.exit_code == 0, worked.stderr
        assert value in worked.stdout


@pytest.mark.parametrize("columns", [{"order": "score"}, {"relevant": "grade"}])
def test_a_statement_is_about_rows(columns):
    with pytest.raises(InputError, match=r"columns= sets '(order|relevant)' to"):
        rr(pl.DataFrame(JUDGED), pl.DataFrame(ROWS), columns)


@pytest.mark.parametrize("name", ["rank", "Position"])
@pytest.mark.parametrize("values", [[0.1, 0.2, 0.9], [1, 2, -3], [1, 2, 2.5]], ids=str)
@pytest.mark.parametrize("route", ROUTES)
def test_what_is_called_a_rank_and_cannot_be_one_is_refused(route, values, name, tmp_path):
    """As ``ts_rank`` of PostgreSQL, of which the highest is the best."""
    floats = [float(value) for value in values]
    run = given(route, {**ROWS, name: floats}, tmp_path, "run")
    with pytest.raises(InputError) as refused:
        rr(pl.DataFrame(JUDGED), run)
    wrong = next(value for value in values if value < 0 or value % 1)
    assert f"{wrong} is not a rank (a whole number, 0 or more)" in str(refused.value)
    best_is_last = 1.0 if max(floats) == floats[2] else 1 / 3
    assert rr(pl.DataFrame(JUDGED), run, {"score": name}) == best_is_last
    assert rr(pl.DataFrame(JUDGED), run, {"distance": name}) == (1.0 if min(floats) == floats[2] else 1 / 3)


@pytest.mark.parametrize("first", [0, 1, 5])
@pytest.mark.parametrize("route", ROUTES)
def test_ranks_may_begin_anywhere(route, first, tmp_path):
    run = given(route, {**ROWS, "rank": [first + 2.0, first + 1.0, float(first)]}, tmp_path, "run")
    assert rr(pl.DataFrame(JUDGED), run) == 1.0
