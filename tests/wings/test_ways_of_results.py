"""Every kind of result is shown, converted, saved and loaded in the same ways; a new kind cannot forget one."""

from __future__ import annotations

import ast
import inspect
import json
import re
from pathlib import Path
from typing import Any

import make_schemas
import polars as pl
import pytest
import shape

import rankmeter as rm
from rankmeter.cli import output
from rankmeter.showing.showable import Reported, Showable, ShownAsTable

pytestmark = [pytest.mark.wings(), pytest.mark.slow]

BASES = {"Showable", "ShownAsTable", "NotedTable", "ToldTable", "Addition", "Trackable", "LogResult", "AssistedValues"}
"""Kinds of which there are no values of their own."""
PARTS = {
    "Interval": "a number with its ends",
    "Score": "a row of a comparison",
    "Difference": "a row of a comparison",
    "Catalogue": "an input",
    "PastItems": "an input",
    "ShownPage": "what show() gives",
}
"""What shows itself and is no result, and what it is."""
LANGUAGES = ("en", "zh")


def kinds() -> list[str]:
    """The classes that show themselves, whichever room or wing they stand in; nothing is imported for it."""
    bases = {
        node.name: {getattr(base, "id", "") for base in node.bases} - {"Protocol"}  # that of typing
        for path in shape.sources().values()
        for node in shape.tree_of(path).body
        if isinstance(node, ast.ClassDef)
    }
    found = {"Showable"}
    while more := {name for name, of in bases.items() if of & found} - found:
        found |= more
    return sorted(found - BASES - set(PARTS))


def made() -> dict[str, Any]:
    """Results that no command answers with alone."""
    truth = {f"q{n}": {f"d{n % 5}": 2, f"d{(n + 1) % 5}": 1} for n in range(24)}
    run = {query: [f"d{(n * 3 + at) % 6}" for at in range(6)] for n, query in enumerate(truth)}
    people = {query: {item: int(item in judged) for item in ("d0", "d1", "d2", "d3", "d4")}
              for query, judged in list(truth.items())[:16]}  # fmt: skip
    machine = {query: {f"d{n}": int(f"d{n}" in judged or n == 5) for n in range(6)} for query, judged in truth.items()}
    ev = rm.evaluate(truth, run, ["RR", "P@2"], by={query: query[-1] for query in truth}, name="mine")
    past = [{"online": x, "nDCG@10": x + 0.1, "RR": -x} for x in (-2, -1, 0.5, 1, 2, 3)]
    log = [
        {"time": n, "user": f"u{n}-{place}", "item": item, "type": kind, "position": place, "query": "q"}
        for n in range(30)
        for place, item in ((1, "ab"[n % 2]), (2, "ba"[n % 2]))
        for kind in (["impression", "click"] if (n + place) % 3 == 0 else ["impression"])
    ]
    interactions = pl.DataFrame(
        [(f"u{n % 7}", f"d{n * 5 % 11}", n) for n in range(70)], schema=["user", "item", "time"], orient="row"
    ).unique(["user", "item"], maintain_order=True)
    parts = rm.split(interactions, "last_n(1)")
    based = rm.evaluate(parts, rm.baselines(parts.train, k=5, kinds="popular")["popular"], ["R@5"], baselines="random")
    agent = {"q1": [["a", "x"], ["x", "b"]], "q2": [["y"], ["c"]]}
    called = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}
    shown = [
        {"time": n, "user": f"u{n}", "item": "a", "type": kind, "variant": "AB"[n % 2]}
        for n in range(40)
        for kind in (["impression", "click"] if n % 3 else ["impression"])
    ]
    trial = rm.online.experiment(shown, ["CTR"], control="A")
    offline = {name: rm.evaluate(truth, {q: items[::step] for q, items in run.items()}, ["RR"])
               for name, step in (("A", 1), ("B", -1))}  # fmt: skip
    results = [
        rm.online.agreement(offline, trial),
        *ev.slices.values(),
        *based.added.values(),
        rm.evaluate(people, run, ["P@2"], assisted_by=machine).assisted,
        rm.rogan_gladen(people, machine),
        rm.board_overlap(["e5", "bm25", "splade"], {"e5": 0.61, "colbert": 0.6, "bm25": 0.55}),
        rm.foresight(ev, {query: n / 24 for n, query in enumerate(truth)}, "RR"),
        rm.online.predictors(past, ["nDCG@10", "RR"]),
        rm.online.position_bias(log, positions=2),
        rm.between(truth, run, "trec_eval", "recbole", "NDCG@5"),
        rm.explain("last_n(1)"),
        rm.explain(parts.protocol),
        rm.explain("nsDCG", called, agent, query="q1"),
        rm.hunt(lambda retrieved, relevant, k: 0.5, "P@5", inputs=20),
        rm.advise(truth, {"a": run, "b": {query: items[::-1] for query, items in run.items()}}),
    ]
    return {type(result).__name__: result for result in results if isinstance(result, Showable)}


def _unnumbered(drawn: str) -> str:
    """A picture without the numbers that its gradients got, which count up in a process."""
    return re.sub(r"gradient_\d+", "gradient", drawn)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One result of every kind: those that commands answer with, and the others."""
    found = made()
    given = output.shown_text

    def kept(result: Showable, *rest: Any) -> str:
        found.setdefault(type(result).__name__, result)
        return given(result, *rest)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(output, "shown_text", kept)
        for _ in make_schemas.answers(tmp_path_factory.mktemp("world"), str.lower, 7):
            pass
    return found


def test_there_is_a_result_of_every_kind(results: dict[str, Any]) -> None:
    assert sorted(set(kinds()) - set(results)) == []
    assert sorted(set(results) - set(kinds())) == []


@pytest.mark.parametrize("kind", kinds())
def test_a_result_is_shown_in_every_way(results: dict[str, Any], kind: str, tmp_path: Path) -> None:
    result = results[kind]
    assert json.loads(result.to_json()) == json.loads(result.to_json(indent=None))
    for lang in LANGUAGES:
        text, page = result.to_text(lang=lang), tmp_path / f"{lang}.html"
        assert text.strip()
        assert result.to_markdown(lang=lang).strip()
        assert result.to_latex(lang=lang).count(r"\begin{tabular}") == result.to_latex(lang=lang).count(
            r"\end{tabular}"
        )
        assert "class='rankmeter'" in result.to_html(lang=lang)
        shown = result.show(lang=lang)
        assert _unnumbered(shown._repr_html_()) == _unnumbered(shown.to_html())
        assert result.report(page, lang=lang, title="My <page>") == page
        written = page.read_text("utf-8")
        assert written.startswith("<!doctype html>")
        assert "<title>My &lt;page&gt;</title>" in written
        assert f'lang="{"zh-CN" if lang == "zh" else "en"}"' in written
    if isinstance(result, ShownAsTable):
        assert list(result.to_pandas().columns) == result.to_polars().columns
        assert len(result.to_pandas()) == result.to_polars().height


@pytest.mark.parametrize("kind", kinds())
def test_a_saved_result_comes_back_whole(results: dict[str, Any], kind: str, tmp_path: Path) -> None:
    result, path, again = results[kind], tmp_path / "result.json", tmp_path / "again.json"
    result.save(path)
    header = json.loads(path.read_text("utf-8"))
    assert (header["kind"], header["version"]) == (kind, 1)
    back = type(result).load(path)
    assert type(back) is type(result)
    assert type(rm.load(path)) is type(result)
    assert back.to_json() == result.to_json()
    for lang in LANGUAGES:
        assert back.to_text(lang) == result.to_text(lang)
    back.save(again)
    assert again.read_bytes() == path.read_bytes()


def test_what_is_not_the_saved_result_is_refused(results: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    results["OnlineEvaluation"].save(path)
    text = path.read_text("utf-8")
    with pytest.raises(rm.InputError, match="holds a result of the kind OnlineEvaluation, not Experiment"):
        rm.online.Experiment.load(path)
    for damaged, message in (
        (text.replace('"unit": "user"', '"unit": "session"'), "damaged"),
        (text.replace('"version": 1', '"version": 2'), "form 2|version|2"),
        (text[:-20], "not a saved result"),
        ('{"kind": "OnlineEvaluation"}', "not a saved result"),
        (text.replace("rankmeter.wings.online.log_results:OnlineEvaluation", "os:system"), "damaged"),
    ):
        assert damaged != text
        path.write_text(damaged, "utf-8")
        with pytest.raises(rm.InputError, match=message):
            rm.load(path)


def test_an_evaluation_and_a_comparison_have_the_same_ways() -> None:
    for name, way in inspect.getmembers(Reported, inspect.isfunction):
        if not name.startswith("_"):
            several = {inspect.signature(getattr(kind, name)) for kind in (rm.Evaluation, rm.Comparison)}
            assert several == {inspect.signature(way)}, name
    for name in ("to_dict", "to_json", "save", "load", "_repr_html_"):
        assert all(hasattr(kind, name) for kind in (rm.Evaluation, rm.Comparison, Showable)), name


@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_evaluation_is_shown_as_a_comparison_is(lang: str, tmp_path: Path) -> None:
    truth = {f"q{n}": {f"d{n % 5}": 1} for n in range(24)}
    run = {query: [f"d{(n * 3 + at) % 6}" for at in range(6)] for n, query in enumerate(truth)}
    ev = rm.evaluate(truth, run, ["MAP", "RR", "Coverage@3"], catalogue=[f"d{n}" for n in range(9)], name="mine")
    assert f"{ev['RR']:.2f}" in ev.to_markdown(digits=2, lang=lang)
    assert f"{ev['RR']:.3f}" in ev.to_latex(digits=3, lang=lang)
    assert "MAP = AP" in ev.to_markdown(lang=lang)  # the definition
    drawn = ev.show(lang=lang)._repr_html_()
    assert drawn.count("<svg") == 2  # a measure of all lists has no value for a query
    page = ev.report(tmp_path / "page.html", lang=lang, titles={"queries": {"q1": "red dress"}}, lists=24, title="Mine")
    written = page.read_text("utf-8")
    assert "<title>Mine</title>" in written
    assert "red dress" in written
    assert all(f">{query}<" in written for query in truth)
    assert "red dress" not in ev.report(page, lang=lang, titles={"queries": {"q1": "red dress"}}, lists=0).read_text(
        "utf-8"
    )
    ev.save(tmp_path / "mine.parquet")
    assert rm.load(tmp_path / "mine.parquet") == ev
