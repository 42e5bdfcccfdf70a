"""Passages rolled up to documents: mappings, lists, frames and files give the same documents."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rankmeter as rm

RUN = {"q1": {"a1": 5.0, "b0": 4.0, "a0": 3.0, "b1": 2.0}, "q2": {"b1": 1.0}}
DOCUMENTS = {"a0": "a", "a1": "a", "b0": "b", "b1": "b"}
EXPECTED = {
    "best": {"q1": {"a": 5.0, "b": 4.0}, "q2": {"b": 1.0}},
    "sum": {"q1": {"a": 8.0, "b": 6.0}, "q2": {"b": 1.0}},
    "first": {"q1": {"b": 4.0, "a": 3.0}, "q2": {}},
}


def as_mapping(table: Any) -> dict[str, dict[str, float]]:
    rolled: dict[str, dict[str, float]] = {}
    for query, item, score in zip(table.query, table.item, table.score, strict=True):
        rolled.setdefault(query, {})[item] = score
    return rolled


@pytest.mark.parametrize("by", ["best", "sum", "first"])
def test_every_kind_of_run_gives_the_same_documents(by: Any, tmp_path: Path) -> None:
    rows = [(query, item, score) for query, one in RUN.items() for item, score in one.items()]
    frame = pl.DataFrame(rows, schema=["query", "item", "score"], orient="row")
    file = tmp_path / "run.txt"
    file.write_text("".join(f"{query} Q0 {item} 0 {score} tag\n" for query, item, score in rows))
    found = {query: one for query, one in EXPECTED[by].items() if one}
    assert rm.roll_up(RUN, documents=DOCUMENTS, by=by) == EXPECTED[by]
    assert as_mapping(rm.roll_up(frame, documents=DOCUMENTS, by=by)) == found
    assert as_mapping(rm.roll_up(str(file), documents=DOCUMENTS, by=by)) == found


def test_lists_stay_lists() -> None:
    lists = {query: list(one) for query, one in RUN.items()}
    assert rm.roll_up(lists, documents=DOCUMENTS) == {"q1": ["a", "b"], "q2": ["b"]}
    assert rm.roll_up(lists, documents=DOCUMENTS, by="first") == {"q1": ["b", "a"], "q2": []}
    with pytest.raises(rm.InputError, match="no scores to add up"):
        rm.roll_up(lists, documents=DOCUMENTS, by="sum")


def test_a_function_names_the_document() -> None:
    assert rm.roll_up(RUN, documents=lambda passage: passage[0]) == EXPECTED["best"]
    with pytest.raises(rm.InputError, match="does not say which passage"):
        rm.roll_up(RUN, documents=lambda passage: passage[0], by="first")


def test_a_passage_of_no_document_and_a_wrong_rule_are_refused() -> None:
    with pytest.raises(rm.InputError, match="does not name the document of b1"):
        rm.roll_up({"q": {"b1": 1.0}}, documents={"a0": "a"})
    with pytest.raises(rm.InputError, match="it is one of best, sum, first"):
        rm.roll_up(RUN, documents=DOCUMENTS, by="bset")  # type: ignore[arg-type]


def test_all_evidence_is_found_by_documents_where_passages_miss_it() -> None:
    judgments = {"q1": {"a": 1, "b": 1}}
    found = rm.evaluate(judgments, rm.roll_up({"q1": RUN["q1"]}, documents=DOCUMENTS), ["AllRelevant@2"])
    assert found["AllRelevant@2"] == 1.0


@pytest.mark.parametrize("documents", [lambda passage: None, {"p": None}, {}])
def test_a_passage_of_no_document_is_refused(documents):
    with pytest.raises(rm.InputError, match="does not name the document of p"):
        rm.roll_up({"q": {"p": 1.0}}, documents=documents)


@pytest.mark.parametrize("form", [dict, pl.DataFrame])
@pytest.mark.parametrize("scores", [(math.inf, -math.inf), (-math.inf, 1.0, math.inf)])
def test_infinities_that_cancel_have_no_sum(form, scores) -> None:
    passages = [f"p{place}" for place in range(len(scores))]
    run = {"q": dict(zip(passages, scores, strict=True))}
    if form is pl.DataFrame:
        run = pl.DataFrame({"query": ["q"] * len(scores), "item": passages, "score": scores})
    with pytest.raises(rm.InputError, match="some passages of d score inf and others -inf"):
        rm.roll_up(run, documents=lambda _: "d", by="sum")
    rm.roll_up(run, documents=lambda _: "d", by="best")
