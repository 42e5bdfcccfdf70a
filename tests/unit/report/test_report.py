"""What a report holds, without a browser: the data, its size, its language, its escapes."""

from __future__ import annotations

import html
import json
import random
import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeter as rm
from rankmeter.comparing.digest import digest, informative_queries, pareto
from rankmeter.comparing.ranked_lists import CUTOFFS, curves, judgments_of, overlaps, ranked_lists
from rankmeter.inputs.accepting import into_judgments, into_run
from rankmeter.inputs.titles import Titles, into_titles, read_texts, titles_of
from rankmeter.report.comparisons import ShownComparison
from rankmeter.report.page import MOST_SYSTEMS, kept_systems, report_html

TRUTH = {f"q{i}": {"a": 2, "b": 1, "c": 0} for i in range(30)}
RUNS = {
    "one": {f"q{i}": {"a": 1.0, "x": 0.5, "b": 0.5} for i in range(30)},
    "two": {f"q{i}": {"x": 1.0, "a": 0.5} if i % 3 else {"a": 1.0} for i in range(30)},
}


@pytest.fixture(scope="module")
def cmp():
    return rm.compare(TRUTH, RUNS, ["nDCG@10", "RR", "P@2"], baseline="one", permutations=200, resamples=200)


def test_of_many_systems_the_baseline_and_the_winner_of_every_measure_are_shown():
    # "deep" finds everything but never first: last under RR, alone in front under recall.
    deep = {query: {"x": 1.0, "a": 0.9, "b": 0.8} for query in TRUTH}
    runs = {f"s{number:02}": {query: {"a": 1.0} for query in TRUTH} for number in range(MOST_SYSTEMS)}
    shown = rm.compare(TRUTH, {**runs, "base": RUNS["two"], "deep": deep}, ["RR", "R@5", "NumRet"], baseline="base")
    for measure in shown.measures:
        assert {"base", "deep", "s00"} <= set(kept_systems(shown, measure)) != set(shown.systems)


@pytest.fixture(scope="module")
def page(cmp, tmp_path_factory):
    pytest.importorskip("vl_convert", reason="reports need the extra 'report'")
    path = cmp.report(tmp_path_factory.mktemp("r") / "r.html", titles={"queries": {"q1": "</script><b>"}})
    return path.read_text(encoding="utf-8")


def _payload(page: str):
    return json.loads(re.search(r'<script type="application/json" id="payload">(.*?)</script>', page, re.DOTALL)[1])


def test_tied_items_stand_in_the_order_of_the_tie_rule():
    source = into_run(RUNS["one"])
    assert ranked_lists(source, {"q1"}, depth=10, ties="item") == {"q1": ["a", "x", "b"]}
    assert ranked_lists(source, {"q1"}, depth=10, ties="item-ascending") == {"q1": ["a", "b", "x"]}
    assert ranked_lists(source, {"q1"}, depth=10, ties="reversed") == {"q1": ["a", "b", "x"]}
    assert ranked_lists(source, {"q1"}, depth=1, ties="input") == {"q1": ["a"]}


TIED_NUMBERS = {
    "mapping": ({0: {9: 1}}, {0: {9: 1.0, 10: 1.0}}),
    "matrix": (rm.arrays(np.array([[0] * 9 + [1, 0]])), rm.arrays(np.array([[0.0] * 9 + [1.0, 1.0]]))),
}


@pytest.mark.parametrize(("grades", "scores"), TIED_NUMBERS.values(), ids=TIED_NUMBERS)
def test_tied_numbers_stand_in_the_order_in_which_they_were_measured(grades, scores):
    assert rm.evaluate(grades, scores, "P@1")["P@1"] == 1.0
    assert ranked_lists(into_run(scores), {"0"}, depth=2, ties="item") == {"0": ["9", "10"]}


def test_grades_of_subtopics_are_the_highest():
    judgments = into_judgments({"q": {"a": {"s": 1, "t": 3}}, "r": {"b": {"s": 1}}})
    assert judgments_of(judgments, {"q"}) == {"q": {"a": 3.0}}


def rbo(left, right):
    return round(float(overlaps([left, right])[0, 1]), 12)


@given(st.permutations("abcdef"), st.permutations("abcdef"), st.integers(1, 6))
def test_rbo_is_its_formula(left, right, depth):
    left, right = left[:depth], right[:depth]
    agreement = [len({*left[:i]} & {*right[:i]}) / i for i in range(1, depth + 1)]
    expected = agreement[-1] * 0.9**depth + sum(a * 0.9**i for i, a in enumerate(agreement, 1)) * 0.1 / 0.9
    assert rbo(left, right) == pytest.approx(expected)
    assert rbo(left, right) == rbo(right, left)


def test_an_empty_list_is_like_an_empty_one_only():
    assert (rbo([], []), rbo([], ["a"])) == (1.0, 0.0)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=8))
def test_no_point_of_the_front_is_beaten_and_every_other_is(points):
    front = pareto(points)

    def beats(a, b):
        return a != b and a[0] >= b[0] and a[1] >= b[1]

    for place, point in enumerate(points):
        assert (place in front) == (not any(beats(other, point) for other in points))


def test_curves_are_the_values_that_evaluate_gives(cmp):
    points = curves(cmp.measures, cmp.inputs, z=1.96)
    assert set(points) == {"nDCG", "RR", "P"}
    for family, curve in points.items():
        assert curve["k"] == list(CUTOFFS)
        for place, system in enumerate(cmp.systems):
            asked = [f"{family}@{k}" for k in CUTOFFS]
            ev = rm.evaluate(TRUTH, RUNS[system], asked)
            assert curve["value"][place] == pytest.approx([ev[measure] for measure in asked])
            assert (curve["low"][place] <= curve["value"][place]).all()
            assert (curve["value"][place] <= curve["high"][place]).all()


def test_the_queries_that_differ_most_come_first(cmp):
    first = informative_queries(cmp, "one")[:10]
    changed = [cmp.queries[place] for place in first]
    assert all(int(query[1:]) % 3 for query in changed[:1])
    assert sorted(informative_queries(cmp, "one")) == list(range(30))


def test_the_payload_is_what_the_comparison_holds(cmp, page):
    data = _payload(page)["data"]
    assert data["systems"] == ["one", "two"]
    assert data["reference"] == 0
    assert data["pairs"] is None  # the values of every query are there
    assert len(data["values"]) == 30
    for place, values in data["values"].items():
        asked = cmp.queries.to_list().index(data["queries"][int(place)][0])
        assert values[1] == [round(value, 4) for value in cmp.values[cmp.find("RR")][:, asked].tolist()]


def test_nothing_in_the_page_can_end_its_script_or_load_anything(page):
    assert "</script><b>" not in page
    assert _payload(page)["data"]["queries"][1][1] == "</script><b>"
    head = page[: page.index("<main>")]
    assert "default-src 'none'" in head
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", page[: page.index('<script type="application/json"')])


def test_every_definition_and_the_seed_are_written_out(page):
    for text in ("Normalised discounted cumulative gain", "ties=item", "Reciprocal rank", "seed 0", "in memory"):
        assert text in page


def test_chinese(cmp, tmp_path):
    pytest.importorskip("vl_convert", reason="reports need the extra 'report'")
    page = cmp.report(tmp_path / "r.html", lang="zh").read_text(encoding="utf-8")
    assert '<html lang="zh-CN">' in page
    assert "排行榜" in page
    assert "How it misleads" not in page


def test_files_are_named_by_their_hash(tmp_path):
    import hashlib

    from rankmeter.comparing.digest import provenance

    qrels, run = tmp_path / "j.qrels", tmp_path / "a.run"
    qrels.write_text("1 0 a 1\n2 0 a 1\n")
    run.write_text("1 Q0 a 1 2.0 t\n2 Q0 b 1 2.0 t\n")
    found = provenance(rm.compare(qrels, {"x": run, "y": run}, ["RR"], permutations=100, resamples=100))
    assert found["inputs"][1] == ("x", "a.run", hashlib.sha256(run.read_bytes()).hexdigest())


def test_saved_evaluations_have_a_report_without_lists(tmp_path):
    pytest.importorskip("vl_convert", reason="reports need the extra 'report'")
    evaluations = [rm.evaluate(TRUTH, run, ["RR"], name=name) for name, run in RUNS.items()]
    cmp = rm.compare(None, evaluations, ["RR"], permutations=100, resamples=100)
    page = cmp.report(tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Made from saved evaluations" in page
    assert _payload(page)["data"]["lists"]["queries"] == {}


def test_a_query_that_does_not_count_is_no_number(tmp_path):
    truth = {**TRUTH, "q0": {"a": 0}}
    cmp = rm.compare(truth, RUNS, ["RR(empty=skip)"], permutations=100, resamples=100)
    data = digest(cmp, Titles(), lists=5)
    json.dumps(data, allow_nan=False)
    assert data["paired"] == [29]


@pytest.mark.slow
def test_ten_systems_and_ten_thousand_queries_fit_into_three_megabytes(tmp_path):
    pytest.importorskip("vl_convert", reason="reports need the extra 'report'")
    dice = random.Random(1)
    items = [f"item-{n:05}" for n in range(40)]
    truth = {f"query-{i:05}": dict.fromkeys(dice.sample(items, 3), 1) for i in range(10_000)}
    runs = {f"system {n}": {query: dice.sample(items, 10) for query in truth} for n in range(10)}
    measures = ["nDCG@10", "RR", "AP", "P@5", "R@10"]
    cmp = rm.compare(truth, runs, measures, baseline="system 0", permutations=100, resamples=100)
    path = cmp.report(tmp_path / "r.html")
    assert path.stat().st_size < 3_000_000


@pytest.mark.slow
def test_any_name_can_be_drawn(tmp_path):
    names = ["__proto__", "line\u2028separator", "a/b", "a b\x07", "</script>" * 40]
    truth = {f"q\n{i}": {"a": 1} for i in range(4)}
    runs = {
        name: {query: ["a"] if i % (at + 1) else ["x", "a"] for i, query in enumerate(truth)}
        for at, name in enumerate(names)
    }
    cmp = rm.compare(truth, runs, ["RR", "P@1"], permutations=100, resamples=100)
    written = cmp.figures(tmp_path, formats=["svg"])
    # `a/b` and `a b` make the same part of a file's name: neither is written over the other.
    assert len({path.name for path in written}) == len(written) == 2 * (2 + len(names) - 1) + 7
    texts = "".join(ET.fromstring((tmp_path / "trade-off.svg").read_text()).itertext())
    assert "__proto__" in texts
    assert "line separator" in texts


def test_figures_are_drawings_with_every_system(cmp, tmp_path):
    pytest.importorskip("vl_convert", reason="reports need the extra 'report'")
    written = cmp.figures(tmp_path / "new", formats=["svg"])
    names = {path.name for path in written}
    assert {"intervals-RR.svg", "differences-P-2-two.svg", "cutoffs-nDCG.svg", "trade-off.svg"} <= names
    drawn = (tmp_path / "new" / "intervals-RR.svg").read_text()
    assert drawn.startswith("<svg")
    assert ">one<" in drawn


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"things": {}}, "titles= must be a mapping with 'queries', 'items' or both"),
        ({"items": 3}, "titles= of the items is of type int"),
        ({"items": "absent.csv"}, "file not found: absent.csv"),
    ],
)
def test_titles_that_cannot_be_read(given, message):
    with pytest.raises((rm.InputError, rm.NotFoundError), match=message):
        into_titles(given)


def test_titles_are_read_from_the_first_two_columns(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('id,title,year\na,"One, two",1999\n', encoding="utf-8")
    assert titles_of([f"items={path}"]).item("a") == "One, two"
    path.write_text("id\na\n", encoding="utf-8")
    with pytest.raises(rm.InputError, match="line 1: only one column"):
        read_texts(path)


@pytest.mark.parametrize(
    ("option", "message"),
    [({"lang": "de"}, "one of en, zh"), ({"lists": -1}, "0 or more"), ({"lists": "all"}, "whole number")],
)
def test_options_that_are_not_possible(cmp, tmp_path, option, message):
    pytest.importorskip("vl_convert", reason="reports need the extra 'report'")
    with pytest.raises(rm.InputError, match=message):
        cmp.report(tmp_path / "r.html", **option)
    assert not (tmp_path / "r.html").exists()


def test_a_place_that_cannot_be_written_is_refused(cmp, tmp_path):
    with pytest.raises(rm.InputError, match="does not exist"):
        cmp.report(tmp_path / "absent" / "r.html")


def test_a_notebook_shows_names_as_text():
    cmp = rm.compare(TRUTH, {"<b>": RUNS["one"], "two": RUNS["two"]}, ["RR"], permutations=100, resamples=100)
    shown = cmp._repr_html_()
    assert "&lt;b&gt;" in shown
    assert "<b></td>" not in shown


def test_every_test_is_in_the_report_with_its_interval_and_effect_size(cmp):
    pytest.importorskip("vl_convert", reason="reports need the extra 'report'")
    table = ShownComparison(cmp).difference_table(cmp.measures[0])
    one = cmp.differences_of(cmp.measures[0])[0]
    texts = [cell.whole(column) for cell, column in zip(table.rows[0], table.columns, strict=True)]
    assert texts[0] == f"{one.system} - {one.other}"
    assert f"{one.interval.low:+.4f}" in texts[2]
    assert texts[-1] == f"{one.detectable:.4f}"
    page = report_html(cmp)
    assert page.count('<details class="tests">') == sum(measure in cmp.samples for measure in cmp.measures)
    shown = re.sub(r"</?i\b[^>]*>", "", page)  # an arrow has a width of its own
    for text in (*texts[1:2], *texts[3:]):
        assert f">{html.escape(text)}</td>" in shown


@pytest.mark.parametrize(("systems", "baseline"), [(2, None), (2, "b"), (3, None), (3, "a")])
def test_every_cell_of_the_leaderboard_has_a_heading(tmp_path, systems, baseline):
    pytest.importorskip("vl_convert", reason="reports need the extra 'report'")
    runs = dict.fromkeys("abc"[:systems], RUNS["one"])
    made = rm.compare(TRUTH, runs, ["RR"], baseline=baseline, permutations=200, resamples=200)
    page = made.report(tmp_path / "r.html").read_text(encoding="utf-8")
    board = re.search(r'<div class="board".*?</table>', page, re.DOTALL)[0]
    head, *rows = re.findall(r"<tr.*?</tr>", board, re.DOTALL)
    assert {len(re.findall(r"<td\b", row)) for row in rows} == {len(re.findall(r"<th\b", head))}
