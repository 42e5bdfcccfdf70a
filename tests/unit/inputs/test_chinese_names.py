"""Chinese names of columns, events and measures: one list, which every route, page and hint shares."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain
from pathlib import Path

import polars as pl
import pytest
from tests.properties.routes import ROUTES, Case

import rankmeter as rm
from rankmeter.inputs.columns import USUAL_NAMES, fold
from rankmeter.measures.families import FAMILY_OF
from rankmeter.wording import chinese

DOCS = Path(__file__).parents[3] / "docs" / "how-to"
JUDGED = {"q1": {"a": 2, "b": 0}, "q2": {"b": 1}}
RUN = {"q1": {"b": 0.9, "a": 0.5}, "q2": {"b": 0.8, "c": 0.1}}
KNOWN = {name: meant for name, meant in chinese.MEASURES.items() if meant.partition("(")[0] in FAMILY_OF}
"""Those of wings that are left out are not known."""
MADE = {
    "pandas": lambda columns: pytest.importorskip("pandas").DataFrame(columns),
    "polars": pl.DataFrame,
    "columns": dict,
    "records": lambda columns: pl.DataFrame(columns).to_dicts(),
    "arrow": lambda columns: pl.DataFrame(columns).to_arrow(),
}
FILES = {"csv": pl.DataFrame.write_csv, "jsonl": pl.DataFrame.write_ndjson, "parquet": pl.DataFrame.write_parquet}


def rows(side, query, item, value):
    flat = [(q, i, number) for q, items in side.items() for i, number in items.items()]
    return dict(zip((query, item, value), map(list, zip(*flat, strict=True)), strict=True))


def evaluated(query, item, grade, score, route, folder):
    sides = rows(JUDGED, query, item, grade), rows(RUN, query, item, score)
    if route in MADE:
        return rm.evaluate(*map(MADE[route], sides), ["nDCG@10", "RR"])
    for name, side in zip(("judgments", "run"), sides, strict=True):
        FILES[route](pl.DataFrame(side), folder / f"{name}.{route}")
    return rm.evaluate(folder / f"judgments.{route}", folder / f"run.{route}", ["nDCG@10", "RR"])


@pytest.mark.parametrize("route", [*MADE, *FILES])
def test_every_route_takes_them(route, tmp_path):
    found = evaluated("查询", "文档", "相关性", "得分", route, tmp_path)
    assert found.means == rm.evaluate(JUDGED, RUN, ["nDCG@10", "RR"]).means


@pytest.mark.parametrize("role", ["query", "item", "grade", "score"])
def test_every_name_is_its_role(role, tmp_path):
    usual = {"query": "query", "item": "item", "grade": "grade", "score": "score"}
    expected = rm.evaluate(JUDGED, RUN, ["nDCG@10", "RR"]).means
    for name in chinese.COLUMNS[role]:
        for spelled in (name, name.upper(), name.replace("id", "_id"), name.replace("id", " ID")):
            assert evaluated(*{**usual, role: spelled}.values(), "polars", tmp_path).means == expected, spelled


@pytest.mark.parametrize("name", chinese.COLUMNS["rank"])
def test_every_rank_is_one(name):
    run = pl.DataFrame({"查询": ["q1", "q1"], "物品": ["a", "b"], name: [2, 1]})
    assert rm.evaluate({"q1": {"a": 1}}, run, "RR")["RR"] == 0.5


def test_names_stay_apart():
    for role, names in chinese.COLUMNS.items():
        others = set(chain.from_iterable(known for other, known in USUAL_NAMES.items() if other != role))
        assert not others & set(names), role
    assert len(set(chain.from_iterable(chinese.TYPES.values()))) == sum(map(len, chinese.TYPES.values()))


def test_a_column_of_times_is_no_grade():
    judged = pl.DataFrame({"用户": ["u"], "商品": ["a"], "时间": [1_700_000_000]})
    assert rm.evaluate(judged, {"u": ["a"]}, "RR")["RR"] == 1.0


@pytest.mark.parametrize(("name", "meant"), KNOWN.items())
def test_every_measure_is_read_and_hinted_at(name, meant):
    assert rm.parse(name) == rm.parse(meant)
    if hasattr(rm.parse(meant), "cutoff"):
        assert rm.parse_measures(f"{name}＠5，10") == rm.parse_measures(f"{meant}@5,10")
    with pytest.raises(rm.RankmeterError, match=r"Hint: .*"):
        rm.parse(f"{name}x")


def test_a_misspelled_column_is_named_in_the_hint():
    run = pl.DataFrame({"查讯词": ["q1"], "物品": ["a"], "得分": [1.0]})
    with pytest.raises(rm.RankmeterError, match=r'columns={"run.query": "查讯词"}'):
        rm.evaluate(JUDGED, run, "RR")


@pytest.mark.parametrize("page", ["frames-and-columns.md", "frames-and-columns.zh.md"])
def test_the_pages_promise_no_name_that_is_not_read(page):
    rows_ = re.findall(r"^\| (query|item|grade|score|rank) \| (.*) \|$", (DOCS / page).read_text(), re.MULTILINE)
    assert len(rows_) == 10
    for role, names in rows_:
        known = {fold(name) for name in USUAL_NAMES[role]}
        assert {fold(name) for name in names.split(", ")} <= known, role


NAMELESS = re.compile("trec|json_|to_file_from_mappings|one_frame_for_both|frame_against_mapping|mapping_against_frame")
"""Routes without names of columns, or without a row for this case."""


@pytest.mark.parametrize(
    "name", [name for name in ROUTES if ("frame" in name or "_file" in name) and not NAMELESS.match(name)]
)
def test_values_under_chinese_names_are_carried_by_every_route(name, tmp_path):
    judged = tuple((query, tuple(items.items())) for query, items in JUDGED.items())
    run = tuple((query, tuple(items.items())) for query, items in RUN.items())
    case = ROUTES[name].carried(replace(Case(judged, run, ("RR",)), names=("相关性", "得分")))
    assert case is not None
    found = ROUTES[name].go(case, tmp_path)
    assert found is not None
    assert found["RR"] == 0.75
