"""What is shown keeps the names that were typed, speaks of users where users are, in the language of the call."""

from __future__ import annotations

import json
import re
import warnings

import polars as pl
import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter import demo
from rankmeter.cli import app
from rankmeter.cli.application import COMMANDS

JUDGMENTS = str(demo.data_path(demo.JUDGMENTS))
RUNS = [str(demo.data_path(file)) for file in demo.RUNS.values()]
TYPED = {"HR@10": "Success@10", "MAP": "AP", "Recall@20": "R@20", "mrr": "RR"}
QUICK = {"permutations": 200, "resamples": 200}


def _held_out(user: str = "user"):
    """Ten users, one held-out item each; `near` finds it first, `far` third."""
    truth = pl.DataFrame({user: range(10), "item": [0] * 10})
    rows = [(query, item, rank) for query in range(10) for rank, item in enumerate((5, 6, 0))]
    far = pl.DataFrame(rows, schema=[user, "item", "rank"], orient="row")
    return truth, {"near": far.with_columns(rank=2 - pl.col("rank")), "far": far}


@pytest.mark.parametrize(("typed", "canonical"), TYPED.items())
@pytest.mark.parametrize("format", ["table", "csv", "markdown"])
def test_a_measure_is_shown_under_the_name_that_was_typed(typed, canonical, format) -> None:
    done = CliRunner().invoke(app, ["evaluate", JUDGMENTS, *RUNS[:2], "-m", typed, "--format", format])
    head = done.stdout.partition("0.")[0]
    assert typed in head
    assert not re.search(rf"\b{re.escape(canonical)}\b", head)
    assert f"{typed} = {canonical}" in done.stdout + done.stderr


@pytest.mark.parametrize(("typed", "canonical"), TYPED.items())
def test_programs_get_the_label_beside_the_canonical_name(typed, canonical) -> None:
    ev = rm.evaluate({"q": {"a"}}, {"q": ["b", "a"]}, [typed])
    assert (ev.labels, list(ev), ev.label(canonical)) == ({canonical: typed}, [canonical], typed)
    assert ev[typed] == ev[canonical] == ev.mean[typed]
    cmp = rm.compare({"q": {"a"}}, {"x": {"q": ["b", "a"]}, "y": {"q": ["a"]}}, [typed], **QUICK)
    assert json.loads(cmp.to_json())["labels"] == {canonical: typed}
    assert typed in repr(cmp)
    assert typed in cmp.to_markdown()


@pytest.mark.parametrize("typed", [name for name in TYPED if name != "mrr"])
def test_notes_call_a_measure_as_it_was_typed(typed) -> None:
    truth = {f"q{i}": {f"d{n}": n % 4 for n in range(12)} for i in range(6)}
    deep = typed.partition("@")[0] + "@500"
    runs = {name: {q: {item: float(n * step % 7) for n, item in enumerate(grades)} for q, grades in truth.items()}
            for name, step in (("a", 2), ("b", 3))}  # fmt: skip
    ev = rm.evaluate(truth, runs["a"], [typed, deep])
    cmp = rm.compare(truth, runs, [typed, deep], **QUICK)
    for notes in (ev.sentences(), cmp.notes):
        told = {note.kind: note for note in notes}
        assert told["grades_cut"].values["measures"] == [typed, deep]
        assert told["deeper_than_lists"].values["measures"][-1] == deep


def test_equal_systems_have_no_first() -> None:
    run = {"q": ["a", "b"], "r": ["a", "b"]}
    cmp = rm.compare({"q": {"a"}, "r": {"b"}}, {"x": run, "y": dict(run)}, ["MAP", "HR@2"], **QUICK)
    assert "All systems are equal under MAP, HR@2." in repr(cmp)


def test_another_tools_metric_is_tested_and_reported_under_its_name() -> None:
    args = ["compare", JUDGMENTS, *RUNS[:2], "--dialect", "recbole", "-m", "NDCG@10"]
    done = CliRunner().invoke(app, [*args, "--permutations", "200", "--resamples", "200"])
    assert "NDCG@10" in done.stdout.splitlines()[0]


@pytest.mark.parametrize("column", ["user", "user_id", "userId", "uid", "customer_id"])
def test_columns_of_users_make_recommendations_of_lists(column) -> None:
    truth, runs = _held_out(column)
    cmp = rm.compare(truth, runs, ["HR@2", "nDCG@10"], **QUICK)
    said = "\n".join([repr(cmp), repr(cmp.evaluations["far"]), cmp.to_markdown()])
    assert cmp.purpose == "recommendation"
    assert "users" in said
    assert not re.search(r"unjudged|judged@|quer(y|ies)\b(?!=)|pool", said)
    assert "用户" in cmp.to_markdown(lang="zh")


@pytest.mark.parametrize(("lang", "wrong"), [("en", r"\bquer(y|ies)\b(?!=)"), ("zh", "查询")])
def test_a_report_to_recommenders_speaks_of_users_only(lang, wrong, tmp_path) -> None:
    pytest.importorskip("vl_convert", reason="reports need the extra 'report'")
    truth, runs = _held_out()
    cmp = rm.compare(truth, runs, ["HR@2", "nDCG@10", "AP", "RR", "R@2"], purpose="recommendation", **QUICK)
    page = cmp.report(tmp_path / "page.html", lang=lang).read_text("utf-8")
    seen = re.sub(r"<[^>]*>", "\n", re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL))
    assert [line for line in seen.splitlines() if re.search(wrong, line)] == []


def test_purpose_is_what_was_said_before_what_columns_say() -> None:
    truth, runs = _held_out()
    assert rm.compare(truth, runs, ["HR@2"], purpose="search", **QUICK).purpose == "search"
    history = {0: [2]}
    assert rm.evaluate({0: {1}}, {0: [2, 1]}, "RR", history=history).facts.purpose == "recommendation"
    with pytest.raises(rm.InputError, match="purpose='shopping'"):
        rm.evaluate({0: {1}}, {0: [2, 1]}, "RR", purpose="shopping")


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - {"trec_eval", "interleave", "online"}))
def test_every_command_takes_a_language(command) -> None:
    assert "--lang" in CliRunner().invoke(app, [*command.split(), "--help"]).output


def test_an_evaluation_speaks_chinese() -> None:
    done = CliRunner().invoke(app, ["evaluate", JUDGMENTS, *RUNS, "-m", "HR@10 AP", "--lang", "zh"])
    assert "个已标注查询" in done.stderr
    assert "judged queries" not in done.stderr
    assert done.stdout.startswith("结果")


def test_notes_name_what_looks_like_a_slip() -> None:
    truth = {f"q{i}": {"d1": 3, "d2": 0} for i in range(30)}
    run = {query: [f"d{n}" for n in range(20)] for query in truth}
    cmp = rm.compare(truth, {"a": run, "b": dict(run), "c": {q: list(reversed(r)) for q, r in run.items()}},
                     ["AP", "R@1000"], **QUICK)  # fmt: skip
    kinds = {note.kind: note for note in cmp.notes}
    assert kinds["same_lists"].values["systems"].values["values"] == ["a", "b"]
    assert kinds["deeper_than_lists"].values["length"] == 20
    assert kinds["grades_cut"].values["stricter"] == "AP(rel=2)"


def test_a_warning_points_to_the_line_that_called() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rm.evaluate({1: {"7"}}, {"1": ["7"]}, "RR")
    assert [str(one.message).split(";")[0] for one in caught if one.filename == __file__]


def test_every_measure_answers_a_question() -> None:
    from rankmeter.cli.listings import by_question
    from rankmeter.measures import REGISTRY

    own = by_question().get("own", [])
    assert [name for name in own if not REGISTRY[name].custom] == []  # other tests define measures of their own


@pytest.mark.parametrize("way", ["files", "folder"])
def test_texts_of_beir_are_read(tmp_path, way: str) -> None:
    from rankmeter.inputs.titles import into_titles

    (tmp_path / "queries.jsonl").write_text('{"_id": "1", "text": "what is it"}\n')
    (tmp_path / "corpus.jsonl").write_text(
        '{"_id": "d1", "title": "A title", "text": "A text."}\n{"_id": "d2", "text": "B"}\n'
    )
    files = {"queries": tmp_path / "queries.jsonl", "items": tmp_path / "corpus.jsonl"}
    titles = into_titles(files if way == "files" else tmp_path)
    assert (titles.query("1"), titles.item("d1"), titles.about("d1")) == ("what is it", "A title", ["A text."])
    assert titles.item("d2") == "B"


def test_a_text_that_a_record_lacks_moves_no_other_into_its_column(tmp_path) -> None:
    from rankmeter.inputs.titles import into_titles

    (tmp_path / "corpus.jsonl").write_text(
        '{"_id": "d1", "title": "A title", "author": "Ann", "text": "A text."}\n'
        '{"_id": "d2", "title": "B title", "text": "B text."}\n'
        '{"_id": "d3", "text": "C text."}\n'
    )
    titles = into_titles({"items": tmp_path / "corpus.jsonl"})
    assert titles.items.columns == ("author", "text")
    assert [titles.about(item) for item in ("d1", "d2", "d3")] == [["Ann", "A text."], ["", "B text."], ["", ""]]
    assert [titles.item(item) for item in ("d1", "d2", "d3")] == ["A title", "B title", "C text."]
