"""Chunks as retrievers return them, as objects and in files: their places are fields that are found or named."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

import rankmeter as rm

pytest.importorskip("rankmeter.wings.engines")

GOLD = {"q1": [("guide.md", 20, 60), ("guide.md", 100, 120)], "q2": [("faq.md", 0, 30)]}
SPANS = {"q1": [("guide.md", 0, 50), ("guide.md", 110, 160)], "q2": [("guide.md", 0, 9), ("faq.md", 3, 20)]}


def chunk(source: str, start: int, end: int) -> dict[str, Any]:
    """A document as LangChain splits it, with ``add_start_index``."""
    return {
        "page_content": "x" * (end - start),
        "metadata": {"source": source, "start_index": start},
        "type": "Document",
    }


CHUNKS = {query: [chunk(*span) for span in spans] for query, spans in SPANS.items()}
RECORDS = [{"query": query, "retrieved": chunks} for query, chunks in CHUNKS.items()]
OTHERWISE = {
    "node": [
        {"query": query, "nodes": [
            {"node": {"id_": f"{n}", "ref_doc_id": d, "start_char_idx": s, "end_char_idx": e, "text": "x"}}
            for n, (d, s, e) in enumerate(spans)
        ]} for query, spans in SPANS.items()
    ],
    "_source": [
        {"query_id": query, "response": {"hits": {"hits": [
            {"_id": f"{n}", "_source": {"document": d, "start": s, "end": e}} for n, (d, s, e) in enumerate(spans)
        ]}}} for query, spans in SPANS.items()
    ],
}  # fmt: skip


def scores(chunks: Any, **options: Any) -> list[dict[str, Any]]:
    return rm.evidence(GOLD, chunks, cutoffs=[1, 2], **options).to_polars().drop("system").to_dicts()


@pytest.mark.parametrize("columns", [None, {"document": "metadata.source", "start": "metadata.start_index"}])
def test_chunks_of_langchain_are_spans_by_every_way_in(tmp_path, columns):
    live = {
        query: [SimpleNamespace(model_dump=lambda one=one: one) for one in chunks] for query, chunks in CHUNKS.items()
    }
    (tmp_path / "chunks.jsonl").write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    (tmp_path / "chunks.json").write_text(json.dumps(CHUNKS))
    ways = [CHUNKS, RECORDS, live, str(tmp_path / "chunks.jsonl"), str(tmp_path / "chunks.json")]
    for chunks in ways:
        assert scores(chunks, columns=columns) == scores(SPANS)


@pytest.mark.parametrize("tool", OTHERWISE)
def test_chunks_of_other_tools_are_spans(tool):
    assert scores(OTHERWISE[tool]) == scores(SPANS)


def test_a_name_that_nothing_has_is_refused():
    for chunks in (CHUNKS, SPANS):
        with pytest.raises(rm.InputError, match=r"no column 'metadata\.sourc', named as the document"):
            scores(chunks, columns={"document": "metadata.sourc"})


def test_chunks_of_a_response_that_is_not_whole_are_refused():
    with pytest.raises(rm.InputError, match="the search failed: gone"):
        scores([{**RECORDS[0], "error": "gone"}, RECORDS[1]])
