"""Names of columns are read, or the call is refused: they are never ignored."""

from __future__ import annotations

import ast
import json
import re

import polars as pl
import pytest

import rankmeter as rm
from rankmeter.errors import InputError

JUDGED = {"q": {"a": 1, "b": 0}}
RUN = {"q": {"a": 1.0, "b": 0.5}}
TREC = {"judgments": "q 0 a 1\nq 0 b 0\n", "run": "q Q0 a 1 1.0 t\nq Q0 b 2 0.5 t\n"}


def without_columns(kind, side, folder):
    """One side in a form that has no columns."""
    mapping = JUDGED if side == "judgments" else RUN
    if kind == "mapping":
        return mapping
    if kind == "trec":
        (folder / f"{side}.txt").write_text(TREC[side])
        return folder / f"{side}.txt"
    if kind == "json":
        (folder / f"{side}.json").write_text(json.dumps(mapping))
        return folder / f"{side}.json"
    return mapping if side == "judgments" else {"q": ["a", "b"]}


def table(side, **names):
    flat = [("q", "a", 1.0), ("q", "b", 0.5 if side == "run" else 0.0)]
    value = "grade" if side == "judgments" else "score"
    return pl.DataFrame(flat, schema=[names.get(role, role) for role in ("query", "item", value)], orient="row")


KINDS = ("mapping", "trec", "json", "lists")
VERBS = {
    "evaluate": lambda j, r, columns: rm.evaluate(j, r, "RR", columns=columns)["RR"],
    "compare": lambda j, r, columns: rm.compare(j, {"x": r, "y": r}, "RR", columns=columns, permutations=100),
    "explain": lambda j, r, columns: rm.explain("RR", j, r, query="q", columns=columns),
    "reconcile": lambda j, r, columns: rm.reconcile(j, r, {"MRR": 1.0}, columns=columns),
    "pool": lambda j, r, columns: rm.pool(j, {"x": r}, columns=columns),
    "advise": lambda j, r, columns: rm.advise(j, {"x": r}, columns=columns),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("columns", [{"item": "x"}, {"query": "x"}, {"score": "x"}, {"run.item": "x"}, {"grade": "x"}])
@pytest.mark.parametrize(
    "verb",
    [pytest.param(verb, marks=[pytest.mark.wings("conformance")] if verb == "reconcile" else []) for verb in VERBS],
)
def test_names_of_columns_that_nothing_has_are_refused(tmp_path, verb, columns, kind):
    sides = [without_columns(kind, side, tmp_path) for side in ("judgments", "run")]
    with pytest.raises(rm.InputError, match=r"columns= names 'x' as the .*has columns"):
        VERBS[verb](*sides, columns)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("role", ["query", "item", "score", "run.query"])
def test_a_name_serves_the_side_that_has_columns(tmp_path, kind, role):
    judged = without_columns(kind, "judgments", tmp_path)
    run = table("run", **{role.removeprefix("run."): "x"})
    assert rm.evaluate(judged, run, "RR", columns={role: "x"})["RR"] == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_name_for_the_side_without_columns_is_refused(tmp_path, kind):
    with pytest.raises(rm.InputError, match=r"judgments\.item"):
        rm.evaluate(
            without_columns(kind, "judgments", tmp_path), table("run"), "RR", columns={"judgments.item": "item"}
        )


def test_a_name_may_serve_the_history_or_the_catalogue():
    history = pl.DataFrame({"who": ["q"], "item": ["z"]})
    seen = rm.evaluate(JUDGED, RUN, ["SeenItems@2"], history=history, columns={"query": "who"})
    assert seen["SeenItems@2"] == 0
    items = pl.DataFrame({"sku": ["a", "b", "c"]})
    covered = rm.evaluate(JUDGED, RUN, ["Coverage@2"], catalogue=items, columns={"catalogue.item": "sku"})
    assert covered["Coverage@2"] == pytest.approx(2 / 3)
    with pytest.raises(rm.InputError, match="no catalogue was given"):
        rm.evaluate(JUDGED, RUN, ["RR"], history=history, columns={"query": "who", "catalogue.item": "sku"})


@pytest.mark.parametrize("statement", [{"order": "rows"}, {"relevant": "rows"}])
def test_a_statement_about_rows_needs_rows(statement):
    with pytest.raises(rm.InputError, match="has columns"):
        rm.evaluate(JUDGED, RUN, "RR", columns=statement)


RECTOOLS = {"user_id": [1, 1, 2], "item_id": [10, 20, 30], "weight": [1.0, 3.0, 0.5]}
RECOMMENDED = pl.DataFrame({"user_id": [1, 1, 2], "item_id": [30, 20, 30], "score": [2.0, 1.0, 3.0], "rank": [1, 2, 1]})


def test_frames_of_rectools_are_read_under_its_dialect_as_it_reads_them(tmp_path):
    """Whatever the weight is, presence counts, and that is said."""
    interactions = pl.DataFrame(RECTOOLS)
    interactions.write_csv(path := tmp_path / "interactions.csv")
    for judged in (interactions, interactions.to_pandas(), RECTOOLS, path):
        run = RECOMMENDED if judged is not path else RECOMMENDED.cast({"user_id": pl.String, "item_id": pl.String})
        ev = rm.evaluate(judged, run, "MRR(k=2)", dialect="rectools")
        assert ev["MRR(k=2)"] == 0.75
        assert "weight" in str(ev.reading.notes)
        both = rm.compare(judged, {"a": run, "b": run}, "MRR(k=2)", dialect="rectools")
        assert "0.7500" in str(both)
        with pytest.raises(InputError, match="weight"):
            rm.evaluate(judged, run, "RR")
        with pytest.raises(InputError, match="weight"):
            rm.evaluate(judged, run, "MRR@2", dialect="recbole")
    others = interactions.with_columns(boost=pl.Series([1, 0, 1]))
    with pytest.raises(InputError, match="boost"):
        rm.evaluate(others, RECOMMENDED, "MRR(k=2)", dialect="rectools")


def _hinted(error):
    """The columns that a refusal says to name."""
    return ast.literal_eval(re.search(r"columns=(\{[^}]*\})", str(error))[1])


@pytest.mark.parametrize("given", ["frame", "csv", "parquet"])
@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb != "reconcile"])
@pytest.mark.parametrize(
    "names", [{"judgments.item": "x"}, {"run.item": "x"}, {"judgments.item": "x", "run.item": "y"}]
)
def test_a_hint_works_when_it_is_followed(tmp_path, verb, names, given):
    """Whatever the columns of the other side are called."""
    sides = []
    for side in ("judgments", "run"):
        own = {role.removeprefix(f"{side}."): name for role, name in names.items() if role.startswith(side)}
        frame = table(side, **own)
        if given != "frame":
            write = frame.write_csv if given == "csv" else frame.write_parquet
            write(tmp_path / f"{side}.{given}")
        sides.append(frame if given == "frame" else tmp_path / f"{side}.{given}")
    followed = {}
    for _ in names:
        with pytest.raises(InputError) as refusal:
            VERBS[verb](*sides, followed or None)
        followed |= _hinted(refusal.value)
    assert followed == names
    VERBS[verb](*sides, followed)


@pytest.mark.parametrize("side", ["judgments", "run"])
def test_a_reader_of_one_side_takes_the_names_of_that_side(tmp_path, side):
    path = tmp_path / "table.csv"
    table(side, item="x").write_csv(path)
    read = rm.read_judgments if side == "judgments" else rm.read_run
    with pytest.raises(InputError) as refusal:
        read(path)
    assert read(path, columns=_hinted(refusal.value)).item.to_list() == ["a", "b"]
    other = "run" if side == "judgments" else "judgments"
    with pytest.raises(InputError, match=f"{other}.item"):
        read(path, columns={f"{other}.item": "x"})
