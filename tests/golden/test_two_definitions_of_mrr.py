"""The table of two definitions of MRR: twelve numbers from one made-up CSV."""

from __future__ import annotations

import json
import math
import random
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter import demo
from rankmeter.cli.application import app

pytestmark = pytest.mark.wings("conformance")
WEIGHTED, NORMALIZED = "weighted_sentiment_score", "normalized_sentiment_score"
OPTIONS = {"id": "SpotID", "group": "theme", "score": [WEIGHTED, NORMALIZED], "truth": "Check"}
EXPECTED = [
    ("Steins;Gate", WEIGHTED, "0.5000", "1.0000"),
    ("Steins;Gate", NORMALIZED, "0.2500", "1.0000"),
    ("LoveLive", WEIGHTED, "0.3333", "0.5000"),
    ("LoveLive", NORMALIZED, "0.3333", "0.5000"),
    (None, WEIGHTED, "0.4167", "0.7500"),
    (None, NORMALIZED, "0.2917", "0.7500"),
]


def frames():
    data = pl.read_csv(demo.data_path(demo.SPOTS))
    return {
        "path": demo.data_path(demo.SPOTS),
        "polars": data,
        "pandas": data.to_pandas(),
        "bytes": data.write_csv().encode(),
    }


@pytest.mark.parametrize("kind", ["path", "polars", "pandas", "bytes"])
def test_the_twelve_numbers(kind):
    table = rm.score_table(frames()[kind], **OPTIONS)
    got = [(cell.group, cell.score, f"{cell.within:.4f}", f"{cell.whole:.4f}") for cell in table.cells]
    assert got == EXPECTED


def test_parquet_gives_the_same(tmp_path):
    path = tmp_path / "spots.parquet"
    frames()["polars"].write_parquet(path)
    assert rm.score_table(path, **OPTIONS).cells == rm.score_table(demo.data_path(demo.SPOTS), **OPTIONS).cells


def test_plain_loops_give_the_same_for_any_measure():
    rows = frames()["polars"].to_dicts()
    table = rm.score_table(frames()["polars"], **OPTIONS, measures=["P@3", "AP"])
    for theme in ("Steins;Gate", "LoveLive"):
        for score in (WEIGHTED, NORMALIZED):
            own = sorted((row for row in rows if row["theme"] == theme), key=lambda row: -row[score])
            every = sorted(rows, key=lambda row: -row[score])
            top = max(own, key=lambda row: row["Check"])
            within = [row is top for row in own]
            whole = [row["theme"] == theme for row in every]
            assert table.value(theme, score, "P@3") == (sum(within[:3]) / 3, sum(whole[:3]) / 3)
            assert table.value(theme, score, "AP") == pytest.approx(
                (average_precision(within), average_precision(whole))
            )


def average_precision(relevant):
    found = [sum(relevant[:rank]) / rank for rank, hit in enumerate(relevant, 1) if hit]
    return sum(found) / sum(relevant)


def command(*extra):
    scores = ["--score", WEIGHTED, "--score", NORMALIZED]
    return [
        "table",
        str(demo.data_path(demo.SPOTS)),
        "--id",
        "SpotID",
        "--group",
        "theme",
        *scores,
        "--truth",
        "Check",
        *extra,
    ]


def invoke(*args):
    return CliRunner().invoke(app, list(args))


def test_one_command_prints_the_table_and_the_reason():
    result = invoke(*command("-m", "RR"))
    lines = result.stdout.splitlines()
    assert lines[1].split() == ["Steins;Gate", WEIGHTED, "0.5000", "1.0000", "2", "of", "4", "1", "of", "8"]
    assert lines[6].split() == ["mean", NORMALIZED, "0.2917", "0.7500"]
    assert "S001 · Steins;Gate, S005 · LoveLive" in result.stdout
    assert "Neither is wrong" in result.stdout
    assert "RR: Reciprocal rank; rel=1, ties=item" in result.stderr


def test_the_reason_in_chinese_and_the_data_as_json():
    chinese = invoke(*command("--lang", "zh", "--format", "markdown"))
    assert "两种定义" in chinese.stdout
    assert "各词的含义：rankmeter explain 'RR' --lang zh" in chinese.stderr
    data = json.loads(invoke(*command("--format", "json")).stdout)
    assert data["relevant_within"] == {"Steins;Gate": ["S001"], "LoveLive": ["S005"]}
    assert data["values"][-1]["within"] == pytest.approx(7 / 24)


def test_the_table_as_a_page():
    page = invoke(*command("--format", "html", "--lang", "zh")).stdout
    assert page.startswith("<!doctype html>")
    assert "<td class='number'>0.2917</td>" in page
    assert "两种定义" in page


def test_the_demo_says_that_the_table_is_made_up():
    readme = (demo.data_path(demo.SPOTS).parent / "README.md").read_text(encoding="utf-8")
    assert "`spots.csv` is made up" in readme


def random_spots(seed):
    draw = random.Random(seed)
    size = draw.randint(1, 12)
    return pl.DataFrame(
        {
            "id": [f"i{n}" for n in draw.sample(range(100), size)],
            "group": [draw.choice("xyz") for _ in range(size)],
            "s": draw.sample([n / 100 for n in range(100)], size),
            "t": [draw.randint(0, 5) for _ in range(size)],
        }
    )


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("route", ["polars", "pandas", "bytes", "csv", "parquet", "jsonl", "command", "one group"])
def test_without_a_group_the_table_is_one_list_with_its_best_items(seed, route, tmp_path):
    data = random_spots(seed)
    rows = sorted(data.to_dicts(), key=lambda row: -row["s"])
    relevant = [row["t"] == max(row["t"] for row in rows) for row in rows]
    expected = {"RR": 1 / (relevant.index(True) + 1), "P@3": sum(relevant[:3]) / 3, "AP": average_precision(relevant)}
    asked = {"id": "id", "score": "s", "truth": "t", "measures": list(expected)}
    path = tmp_path / f"spots.{'csv' if route == 'command' else route}"
    if route == "one group":  # the same rows, all of one group
        grouped = rm.score_table(data.with_columns(pl.lit("g").alias("group")), group="group", **asked)
        got = {name: grouped.value("g", "s", name)[0] for name in expected}
    elif route == "command":
        data.write_csv(path)
        measures = [part for name in expected for part in ("-m", name)]
        told = invoke("table", str(path), "--id", "id", "--score", "s", "--truth", "t", *measures, "--format", "json")
        values = json.loads(told.stdout)["values"]
        assert all(one["group"] is one["whole"] is one["first_whole"] is None for one in values)
        assert {one["first_within"] for one in values} == {relevant.index(True) + 1}
        got = {one["measure"]: one["within"] for one in values}
    else:
        if route == "jsonl":
            data.write_ndjson(path)
        elif route in ("csv", "parquet"):
            getattr(data, f"write_{route}")(path)
        forms = {"polars": data, "pandas": data.to_pandas, "bytes": lambda: data.write_csv().encode()}
        form = forms.get(route, path)
        table = rm.score_table(form() if callable(form) else form, **asked)
        assert math.isnan(table.value(None, "s")[1])
        assert set(table.best["all"]) == {row["id"] for row, is_best in zip(rows, relevant, strict=True) if is_best}
        assert "No group column is named" in table.to_text()
        assert "没有给出分组列" in table.to_text(lang="zh")
        got = {name: table.value(None, "s", name)[0] for name in expected}
    assert got == pytest.approx(expected)


def test_without_a_group_a_wrong_column_is_named_among_those_of_the_table():
    for change in ("id", "score", "truth"):
        asked = {"id": "SpotID", "score": WEIGHTED, "truth": "Check", change: "group"}
        with pytest.raises(rm.InputError, match=rf"no column 'group', named as the {change} \(found: .*{NORMALIZED}\)"):
            rm.score_table(demo.data_path(demo.SPOTS), **asked)


def test_ties_and_shared_truths_are_told():
    data = pl.DataFrame({"id": ["a", "b", "c"], "g": ["x", "x", "y"], "s": [1.0, 1.0, 0.5], "t": [3, 3, 1]})
    text = rm.score_table(data, id="id", group="g", score="s", truth="t").to_text()
    assert "In x several items share the highest t" in text
    assert "2 items share a score in s" in text


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"SpotID": ["S001"] * 8}, "SpotID S001 appears in more than one row"),
        ({WEIGHTED: [None, *[1.0] * 7]}, "score is missing"),
        ({"Check": [float("nan"), *[1.0] * 7]}, "truth is NaN"),
        ({"theme": [None, *["x"] * 7]}, "missing"),
    ],
)
def test_bad_rows_are_refused(change, told):
    data = frames()["polars"].with_columns(**{name: pl.Series(values) for name, values in change.items()})
    with pytest.raises(rm.InputError, match=told):
        rm.score_table(data, **OPTIONS)


def test_a_column_that_is_not_there_names_the_nearest():
    with pytest.raises(rm.InputError, match="did you mean 'SpotID'"):
        rm.score_table(demo.data_path(demo.SPOTS), **{**OPTIONS, "id": "Spot"})
    with pytest.raises(rm.MeasureError, match="no value for group"):
        rm.score_table(demo.data_path(demo.SPOTS), **OPTIONS).value("nobody", WEIGHTED)


def test_no_score_is_refused():
    with pytest.raises(rm.InputError, match="no score column"):
        rm.score_table(demo.data_path(demo.SPOTS), **{**OPTIONS, "score": []})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"group": "them"}, "named as the group"),
        ({"truth": "Chekc"}, "named as the truth"),
        ({"id": "Spot"}, "named as the id"),
        ({"group": "SpotID"}, "'SpotID' is named both as the group and as the id"),
        ({"measures": ["Coverage@3"]}, "does not measure where relevant items stand"),
        ({"measures": ["alpha_nDCG@3"]}, "which a table of items does not hold"),
    ],
)
def test_what_is_wrong_is_said_in_the_words_of_the_call(change: dict[str, Any], said: str) -> None:
    with pytest.raises(rm.RankmeterError, match=re.escape(said)):
        rm.score_table(demo.data_path(demo.SPOTS), **{**OPTIONS, **change})


def test_a_cell_that_is_no_number_is_found_by_group_and_id(tmp_path: Path) -> None:
    (tmp_path / "spots.csv").write_text("id,g,s,t\na,x,1,5\nb,x,two,good\n")
    with pytest.raises(rm.InputError, match=r"spots.csv:3: truth 'good' is not a number \(group x, id b\)"):
        rm.score_table(tmp_path / "spots.csv", id="id", group="g", score="s", truth="t")
