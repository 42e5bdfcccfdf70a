"""What LangChain, LlamaIndex and Haystack return, as their own objects: read, or a hint names the call that helps."""

from __future__ import annotations

from typing import Any

import pytest

import rankmeter as rm

pytest.importorskip("haystack")
pytest.importorskip("langchain_core")
pytest.importorskip("llama_index.core")

TRUTH = {"q1": ["a"], "q2": ["a"]}


def ranked(answer: Any, **options: Any) -> float:
    return rm.evaluate(TRUTH, dict.fromkeys(TRUTH, answer), "RR", **options)["RR"]


VERBS = {
    "evaluate": lambda run: rm.evaluate(TRUTH, run, "RR")["RR"],
    "compare": lambda run: rm.compare(TRUTH, {"A": run, "B": run}, "RR", permutations=100).score("RR", "B").value,
}


def _answers() -> dict[str, Any]:
    """What one search of each library gives: the same two documents, in its own objects."""
    from haystack import Document as HaystackDocument
    from langchain_core.documents import Document
    from llama_index.core.base.response.schema import Response
    from llama_index.core.schema import NodeWithScore, TextNode

    documents = [Document(page_content=text, id=text) for text in "ba"]
    nodes = [NodeWithScore(node=TextNode(id_=id_, text=id_), score=score) for id_, score in (("b", 0.9), ("a", 0.4))]
    stored = [HaystackDocument(id=id_, content=id_, score=score) for id_, score in (("b", 0.9), ("a", 0.4))]
    return {
        "documents": documents,
        "documents with scores": list(zip(documents, (0.9, 0.4), strict=True)),
        "output of a chain": {"context": documents, "answer": "so"},
        "nodes with scores": nodes,
        "response of a query engine": Response("so", source_nodes=nodes),
        "documents of haystack": stored,
        "output of a retriever": {"documents": stored},
        "output of a pipeline": {"retriever": {"documents": stored}},
    }


KINDS = (
    "documents", "documents with scores", "output of a chain", "nodes with scores", "response of a query engine",
    "documents of haystack", "output of a retriever", "output of a pipeline",
)  # fmt: skip


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    for library in ("haystack", "langchain_core", "llama_index.core"):
        pytest.importorskip(library)
    found = _answers()
    assert (*found,) == KINDS
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("verb", VERBS)
def test_answers_by_query_are_read_and_others_say_how_to_give_them(answers, verb, kind):
    answer = answers[kind]
    assert VERBS[verb](dict.fromkeys(TRUTH, answer)) == 0.5
    with pytest.raises(rm.InputError, match=r'by its query: \{"q1"|by query: \{"q1"'):
        VERBS[verb](answer)
    with pytest.raises(rm.InputError, match=r"dict\(zip\(query_ids"):
        VERBS[verb]([answer, answer])
    with pytest.raises(rm.InputError, match=r"rankmeter\.evaluate and rankmeter\.compare take .* as they are"):
        rm.read_run(answer)


def test_what_langchain_returns():
    documents = pytest.importorskip("langchain_core.documents")
    listed = [documents.Document(page_content=text, id=text) for text in "ba"]
    assert ranked(listed) == 0.5
    assert ranked({"input": "why?", "context": listed, "answer": "so"}) == 0.5
    chain = [{"query": query, "result": "so", "source_documents": listed} for query in TRUTH]
    assert rm.evaluate(TRUTH, chain, "RR")["RR"] == 0.5
    batch = [listed, listed]
    with pytest.raises(rm.InputError, match=r"dict\(zip\(query_ids, .* retriever\.batch"):
        rm.evaluate(TRUTH, batch, "RR")
    assert rm.evaluate(TRUTH, dict(zip(TRUTH, batch, strict=True)), "RR")["RR"] == 0.5
    with pytest.raises(rm.InputError, match="q2: the search failed: TimeoutError: too late"):
        rm.evaluate(TRUTH, {"q1": listed, "q2": TimeoutError("too late")}, "RR")


def test_chunks_of_langchain_are_named_by_their_metadata():
    documents = pytest.importorskip("langchain_core.documents")
    chunks = [documents.Document(page_content="x", metadata={"source": text, "start_index": 8}) for text in "ba"]
    assert ranked(chunks, columns={"run.item": "metadata.source"}) == 0.5
    with pytest.raises(rm.InputError, match=r"no 'metadata\.sourc' .*'metadata\.source'"):
        ranked(chunks, columns={"run.item": "metadata.sourc"})


def test_what_llama_index_returns():
    schema = pytest.importorskip("llama_index.core.schema")
    response = pytest.importorskip("llama_index.core.base.response.schema").Response
    nodes = [
        schema.NodeWithScore(node=schema.TextNode(id_=text, text=text), score=score)
        for text, score in (("b", 0.9), ("a", 0.4))
    ]
    assert ranked(nodes) == 0.5
    assert ranked([node.node for node in nodes]) == 0.5
    answer = response("so", source_nodes=nodes)
    assert ranked(answer) == 0.5
    with pytest.raises(rm.InputError, match=r"holds 2 responses.*dict\(zip\(query_ids"):
        rm.evaluate(TRUTH, [answer, answer], "RR")


def test_what_haystack_returns():
    haystack = pytest.importorskip("haystack")
    listed = [haystack.Document(id=text, content=text, score=score) for text, score in (("b", 0.9), ("a", 0.4))]
    assert ranked(listed) == 0.5
    assert ranked({"documents": listed}) == 0.5
    assert ranked({"retriever": {"documents": listed}}) == 0.5
    two = {"retriever": {"documents": listed}, "ranker": {"documents": [listed[1], listed[0]]}}
    with pytest.raises(rm.InputError, match=r"several lists of results.*ranker\.documents"):
        ranked(two)
    answer = haystack.GeneratedAnswer(data="so", query="why?", documents=listed)
    assert ranked(answer) == 0.5
    with pytest.raises(rm.InputError, match=r'no list of results .*output\["retriever"\]\["documents"\]'):
        ranked({"answer_builder": {"answers": [answer]}})
    with pytest.raises(rm.InputError, match="score contradicts"):
        ranked([listed[1], listed[0]])
    assert ranked([listed[1], listed[0]], columns={"run.order": "rows"}) == 1.0
