"""Every result says how it was read, and what looked odd is said on every route."""

from __future__ import annotations

import io
import json
import os
from dataclasses import replace
from datetime import date, timedelta
from threading import Thread

import numpy as np
import polars as pl
import pytest
from tests.unit.inputs.test_odd_columns import FILES, FRAMES, JUDGED, ROUTES, ROWS, given

import rankmeter as rm
from rankmeter.errors import InputError
from rankmeter.inputs.accepting import into_judgments, into_run

RUN = {**ROWS, "score": [3.0, 2.0, 1.0]}


@pytest.mark.parametrize("route", ROUTES)
def test_a_result_says_which_column_became_what(route, tmp_path):
    judgments = given(route, {"user_id": ["q"], "movieId": ["a"], "rating": [1], "title": ["A"]}, tmp_path, "judgments")
    run = given(route, {"uid": ["q"], "iid": ["a"], "y_pred": [0.5]}, tmp_path, "run")
    ev = rm.evaluate(judgments, run, "RR")
    assert ev.reading.judgments.columns == {"query": "user_id", "item": "movieId", "grade": "rating"}
    assert ev.reading.judgments.unused == ("title",)
    assert ev.reading.run.columns == {"query": "uid", "item": "iid", "score": "y_pred"}
    assert (ev.reading.run.rows, ev.reading.run.order) == (1, "score")
    assert ev.reading.run.format == (route if route in FILES else "frame")
    assert json.loads(ev.to_json())["facts"]["reading"]["run"]["columns"]["score"] == "y_pred"
    ev.save(tmp_path / "saved.parquet")
    assert rm.Evaluation.load(tmp_path / "saved.parquet").reading == ev.reading


@pytest.mark.parametrize(
    ("run", "order"),
    [
        ({"q": ["a", "b"]}, "lists"),
        ({"q": {"a": 1, "b": 0}}, "score"),
        (pl.DataFrame(ROWS), "row order"),
        (pl.DataFrame({**ROWS, "rank": [1, 2, 3]}), "rank"),
        (pl.DataFrame(RUN), "score"),
    ],
)
def test_what_orders_the_items_is_said(run, order):
    assert rm.evaluate({"q": {"a": 1}}, run, "RR").reading.run.order == order


PIPED = {
    "query,item\nq,a\nq,b\n": ("row order", ()),
    "query,item,rank,year\nq,a,1,0.5\nq,b,2,0.7\n": ("rank", ("year",)),
    '{"query": "q", "item": "a", "score": 2, "note": "x"}\n{"query": "q", "item": "b", "score": 1}\n': (
        "score",
        ("note",),
    ),
    "q Q0 a 1 2 x\nq Q0 b 2 1 x\n": ("score", ()),
}


@pytest.mark.parametrize("content", PIPED)
@pytest.mark.parametrize("pipe", [pytest.param("named", marks=pytest.mark.posix), "standard input"])
def test_what_comes_through_a_pipe_is_said_as_that_of_a_file(content, pipe, tmp_path, monkeypatch):
    (tmp_path / "run").write_text(content)
    of_file = rm.evaluate({"q": {"b": 1}}, tmp_path / "run", "RR")
    run = "-"
    if pipe == "named":
        os.mkfifo(run := str(tmp_path / "pipe"))
        Thread(target=(tmp_path / "pipe").write_text, args=(content,)).start()
    else:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
    ev = rm.evaluate({"q": {"b": 1}}, run, "RR")
    assert (ev["RR"], ev.queries.to_list()) == (of_file["RR"], ["q"])
    assert (ev.reading.run.order, ev.reading.run.unused) == PIPED[content]
    assert replace(ev.reading.run, source="") == replace(of_file.reading.run, source="")


def test_trec_text_and_comparisons_are_said_too(tmp_path):
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "a.run").write_text("q Q0 a 1 2 x\nq Q0 b 2 1 x\n")
    ev = rm.evaluate(str(tmp_path / "qrels"), str(tmp_path / "a.run"), "RR")
    assert (ev.reading.judgments.format, ev.reading.judgments.rows) == ("trec", 1)
    assert (ev.reading.run.format, ev.reading.run.rows) == ("trec", 2)
    runs = {"one": str(tmp_path / "a.run"), "two": {"q": ["b", "a"]}}
    cmp = rm.compare(str(tmp_path / "qrels"), runs, "RR", permutations=100, resamples=100)
    assert cmp.reading["one"].run.rows == 2
    assert cmp.to_dict()["reading"]["two"]["run"]["format"] == "lists"


@pytest.mark.parametrize("blank", [" a", "a ", "\ta", "a\u00a0"])
@pytest.mark.parametrize("route", [*FRAMES, "csv", "json", "jsonl", "parquet", "ipc"])
def test_blanks_around_ids_are_said(route, blank, tmp_path):
    run = given(route, {"query": ["q", "q"], "item": ["b", blank], "score": [2.0, 1.0]}, tmp_path, "run")
    ev = rm.evaluate({"q": {"a": 1}}, run, "RR")
    assert "item ids begin or end with blanks" in "; ".join(ev.sentences())


@pytest.mark.parametrize("ranks", [[1, 2, 3], [3, 2, 1]], ids=["agree", "disagree"])
@pytest.mark.parametrize("route", ROUTES)
def test_ranks_that_contradict_the_scores_are_said(route, ranks, tmp_path):
    run = given(route, {**RUN, "rank": ranks}, tmp_path, "run")
    said = "; ".join(rm.evaluate({"q": {"a": 1}}, run, "RR").sentences())
    assert ("rank and score disagree" in said) == (ranks[0] == 3)


def test_ranks_of_trec_text_that_contradict_the_scores_are_said(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("q Q0 a 1 0.5 x\nq Q0 b 2 0.9 x\n")
    assert "rank and score disagree: by rank a stands before" in "".join(
        rm.evaluate({"q": {"a": 1}}, str(path), "RR").sentences()
    )


@pytest.mark.parametrize("late", ["score", "rank"])
def test_a_column_that_comes_late_in_json_lines_is_not_passed_over(late, tmp_path):
    lines = [{"query": "q", "item": f"i{n}", "rank" if late == "score" else "score": n + 1} for n in range(12_000)]
    lines[11_000]["score" if late == "score" else "label"] = 5.0
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    if late == "score":
        with pytest.raises(InputError, match="score is missing"):
            rm.evaluate({"q": {"i0": 1}}, str(path), "RR")
    else:
        assert rm.evaluate({"q": {"i0": 1}}, str(path), "RR").reading.run.unused == ("label",)


def test_a_run_that_changes_between_two_readings_is_refused(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("query,item,score\nq,a,1\n")
    run = into_run(str(path))
    rm.evaluate({"q": {"a": 1}}, run, "RR")
    path.write_text("query,item,score\nq,b,1\nq,a,0\n")
    with pytest.raises(InputError, match=r"run.csv was changed while it was evaluated"):
        rm.evaluate({"q": {"a": 1}}, run, "RR")
    os.utime(path, ns=(0, 0))
    with pytest.raises(InputError, match="was changed"):
        rm.evaluate({"q": {"a": 1}}, run, "RR")


JUDGED_FILES = ["trec", "trec with blanks", "trec with comments", "csv", "json", "ndjson", "parquet", "ipc"]


def _write_judgments(kind, path, relevant, *, subtopics):
    """Judgments in a file of some kind, with one relevant item; a file that is there is replaced."""
    path.unlink(missing_ok=True)
    grades = {item: int(item == relevant) for item in "abc"}
    if "trec" in kind:
        blank = "  " if kind == "trec with blanks" else " "
        lines = [blank.join(("q", "0", item, str(grade))) for item, grade in grades.items()]
        path.write_text("\n".join((["# comment"] if kind == "trec with comments" else []) + lines))
    else:
        columns = {"query": ["q"] * 3, "item": list(grades), "grade": list(grades.values())}
        frame = pl.DataFrame(columns | ({"subtopic": ["0"] * 3} if subtopics else {}))
        getattr(frame, f"write_{kind}")(path)


@pytest.mark.parametrize("kind", JUDGED_FILES)
@pytest.mark.parametrize("subtopics", [False, True])
@pytest.mark.parametrize("verb", ["evaluate", "compare"])
def test_judgments_that_change_while_they_are_used_are_read_once(verb, subtopics, kind, tmp_path):
    path = tmp_path / "judgments"
    _write_judgments(kind, path, "a", subtopics=subtopics)
    before = path.read_bytes()

    def replaced(frame):
        _write_judgments(kind, path, "c", subtopics=subtopics)
        return frame

    still = pl.LazyFrame({"query": ["q"] * 3, "item": ["a", "b", "c"], "score": [3.0, 2.0, 1.0]})
    run = still.map_batches(replaced)  # the file is another one as soon as the run is looked at
    measures = ["RR", "P@1", "P@2", "AP", *(["ERR_IA@5"] if subtopics else [])]
    options = {"columns": {"subtopic": "iteration"}} if subtopics and "trec" in kind else {}
    if verb == "evaluate":
        evaluations = [rm.evaluate(str(path), run, measures, **options)]
    else:
        systems = {"a": still, "b": run, "c": still}
        evaluations = rm.compare(str(path), systems, measures, **options, permutations=100, resamples=100).evaluations
        evaluations = list(evaluations.values())
    graded = [{item: int(item == relevant) for item in "abc"} for relevant in "ac"]
    old, new = (
        [rm.evaluate({"q": {i: {"0": g} if subtopics else g for i, g in one.items()}}, still, m)[m] for m in measures]
        for one in graded
    )
    values = [[ev[measure] for measure in measures] for ev in evaluations]
    assert path.read_bytes() != before
    assert old != new
    assert values in ([old] * len(values), [new] * len(values))


@pytest.mark.parametrize("kind", JUDGED_FILES)
def test_judgments_that_were_read_stay_as_they_were(kind, tmp_path):
    path = tmp_path / "judgments"
    _write_judgments(kind, path, "a", subtopics=False)
    judgments = into_judgments(str(path))
    run = {"q": ["a", "b", "c"]}
    _write_judgments(kind, path, "c", subtopics=False)
    assert [rm.evaluate(judgments, run, measure)[measure] for measure in ("RR", "AP", "nDCG@2")] == [1.0, 1.0, 1.0]
    assert judgments.judgment_table().grade.to_list() == [1.0, 0.0, 0.0]


NOT_FOUND = [
    (["D1", "D2"], ["d1", "d9"], "upper and lower case"),
    (["a"], [" a", "b"], "blanks around them"),
    (["é"], ["e\u0301", "b"], "NFC"),
    (["007"], ["7", "8"], "leading zeros"),
    (["4", "5"], ["doc/4", "doc/9"], "prefix"),
    (["x-4", "x-5"], ["4", "9"], "prefix"),
    (["a"], ["b"], "is in the run"),
]
# Blanks part the fields of TREC text: no id has any.
IN_KINDS = [(*case, kind) for case in NOT_FOUND for kind in ("mapping", "frame", "csv", "trec")
            if kind != "trec" or "blanks" not in case[2]]  # fmt: skip


@pytest.mark.parametrize(("judged", "returned", "reason", "kind"), IN_KINDS)
def test_no_judged_item_in_the_run_is_said_with_the_reason(judged, returned, reason, kind, tmp_path):
    if kind == "mapping":
        judgments, run = {"q": dict.fromkeys(judged, 1)}, {"q": returned}
    elif kind == "trec":
        judgments, run = str(tmp_path / "qrels"), str(tmp_path / "run")
        (tmp_path / "qrels").write_text("".join(f"q 0 {item} 1\n" for item in judged))
        (tmp_path / "run").write_text("".join(f"q Q0 {item} {n} {-n} x\n" for n, item in enumerate(returned)))
    else:
        columns = [{"query": ["q"] * len(items), "item": items} for items in (judged, returned)]
        judgments, run = (
            given("polars" if kind == "frame" else kind, one, tmp_path, f"t{len(one['item'])}{at}")
            for at, one in enumerate(columns)
        )
    ev = rm.evaluate(judgments, run, "RR")
    said = "; ".join(ev.sentences())
    assert "none of the judged items is in the run" in said
    assert reason in said
    assert judged[0] in said


@pytest.mark.parametrize("kind", ["mapping", "trec"])
def test_a_judged_item_in_the_list_of_the_last_query_is_not_overlooked(kind, tmp_path):
    judgments = {"q1": {"x": 1}, "q2": {"y": 1}, "q3": {"z": 1}}
    run: object = {"q1": ["a"], "q2": ["b"], "q3": ["x", "y"]}
    if kind == "trec":
        run = tmp_path / "run"
        run.write_text("q1 Q0 a 1 1 t\nq2 Q0 b 1 1 t\nq3 Q0 x 1 2 t\nq3 Q0 y 2 1 t\n")
    said = "; ".join(rm.evaluate(judgments, run, "RR").sentences())
    assert "none of the judged items is in the run" not in said
    assert "x, y" in said


def test_queries_that_differ_in_case_are_said():
    with pytest.raises(InputError, match="Hint: they differ in upper and lower case"):
        rm.evaluate({"Q": {"a": 1}}, {"q": ["a"]}, "RR")


@pytest.mark.parametrize("column", ["rating", "Ratings", "stars"])
@pytest.mark.parametrize(("measure", "is_said"), [("HR@10", True), ("HR(rel=4)@10", False), ("nDCG@10", False)])
def test_ratings_that_count_from_1_up_are_said(column, measure, is_said):
    judgments = pl.DataFrame({"user": [1, 1], "item": [2, 3], column: [5, 1]})
    said = "; ".join(rm.evaluate(judgments, {1: [3]}, measure).sentences())
    assert ("holds ratings up to 5: HR@10 counts those from 1 up; HR(rel=4)@10" in said) == is_said


def test_judgments_that_are_no_ratings_are_not_called_ratings():
    assert "ratings" not in "".join(rm.evaluate(pl.DataFrame(JUDGED), {"q": ["a"]}, "HR@10").sentences())


LONG_LIST = {f"i{number}": 9.5 - number for number in range(200)}


@pytest.mark.parametrize("truth", [True, False, np.True_, np.False_])
@pytest.mark.parametrize("others", [{}, {"b": 0.5}, {"b": 0}, LONG_LIST], ids=["alone", "floats", "zero", "long"])
@pytest.mark.parametrize("is_last", [False, True])
def test_a_truth_value_is_a_grade_but_not_a_score(truth, others, is_last):
    scores = {**others, "a": truth} if is_last else {"a": truth, **others}
    among = {"before": {"z": 1.0, "y": 0.5}, "none": {}, "q": scores, "after": {"z": 0.0}}
    routes = [{"q": scores}, [scores], among, pl.DataFrame({"query": ["q"], "item": ["a"], "score": [bool(truth)]})]
    for run in routes:
        with pytest.raises(InputError, match=r"score .*(is a truth value|of type Boolean)"):
            rm.evaluate([{"a": 1}] if run is routes[1] else {"q": {"a": 1}}, run, "RR")
    expected = rm.evaluate({"q": {"a": int(truth), "c": 1}}, {"q": {"a": 2.0, "c": 1.0}}, "RR")["RR"]
    assert rm.evaluate({"q": {"a": bool(truth), "c": True}}, {"q": {"a": 2.0, "c": 1.0}}, "RR")["RR"] == expected


@pytest.mark.parametrize("odd", [[1], [], {"a": 1}, b"x", "x", None, date(2020, 1, 1), timedelta(1)])
@pytest.mark.parametrize("column", ["score", "rank"])
def test_scores_and_ranks_that_are_no_numbers_are_a_sentence(column: str, odd: object) -> None:
    values: dict[str, list[object]] = {"score": [1.0, 2.0], "rank": [2, 1], column: [odd, odd]}
    run = pl.DataFrame({"query": ["q", "q"], "item": ["a", "b"], **values})
    if column == "rank":  # where the scores are right, nobody needs the ranks
        assert rm.evaluate({"q": {"a": 1}}, run, "RR")["RR"] == 0.5
        return
    with pytest.raises(rm.InputError, match="score"):
        rm.evaluate({"q": {"a": 1}}, run, "RR")


def test_lists_that_stand_under_the_wrong_queries_are_noticed():
    truth = {f"q{n}": {f"d{n}": 1} for n in range(5)}
    shifted = {f"q{n}": [f"d{(n + 1) % 5}"] for n in range(5)}
    notes = " ".join(rm.evaluate(truth, shifted, "RR").reading.notes)
    assert "do the lists belong to these queries?" in notes
    one_right = {**shifted, "q0": ["d0"]}
    assert "do the lists belong" not in " ".join(rm.evaluate(truth, one_right, "RR").reading.notes)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("j.qrels", "q 0 a 1\n"),
        ("j.csv", "query,item,grade\nq,a,1\n"),
        ("j.jsonl", '{"query": "q", "item": "a", "grade": 1}\n'),
        ("j.json", '{"q": {"a": 1}}'),
    ],
)
def test_judgments_are_called_by_their_file_as_a_table_too(name, text, tmp_path):
    path = tmp_path / name
    path.write_text(text)
    read = into_judgments(str(path))
    for reading in (read.how_read(), read.judgment_table().how_read()):
        assert reading.source == str(path)


@pytest.mark.parametrize("value", [True, 7, 0.5, "7"])
def test_of_many_unused_columns_those_that_may_decide_are_shown(value):
    texts = {f"text{n}": [f"some words of item {n}", f"other words {n}"] for n in range(40)}
    run = pl.DataFrame({"query": ["q", "q"], "item": ["a", "b"], "score": [2.0, 1.0], **texts, "zuvi": [value, value]})
    reading = rm.evaluate({"q": ["b"]}, run, "RR").reading.run
    assert "zuvi" in str(reading)
    assert len(reading.unused) == 41
