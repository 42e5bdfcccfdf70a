"""Evaluators with SentenceTransformers' interface, against its arithmetic written out plainly."""

from __future__ import annotations

import csv
import json
import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from tests.unit import test_whole_files

from rankmeter.compat.sentence_transformers import InformationRetrievalEvaluator, RerankingEvaluator, cosine
from rankmeter.errors import InputError
from rankmeter.wings.catalogue import sentence_transformers
from rankmeter.wings.catalogue.nearest import Nearest

RNG = np.random.default_rng(3)
QUERIES = {f"q{number}": f"query {number}" for number in range(12)}
CORPUS = {number: f"text {number}" for number in range(90)}
RELEVANT = {query: set(RNG.integers(0, 90, number % 4).tolist()) for number, query in enumerate(QUERIES)}
VECTORS = {text: RNG.integers(-2, 3, 3).astype(np.float32) for text in (*QUERIES.values(), *CORPUS.values())}


class Model:
    """The least that a model is: vectors with many equal similarities."""

    def encode(self, texts: list[str], batch_size: int = 1) -> npt.NDArray[np.float32]:
        assert batch_size > 0
        return np.stack([VECTORS[text] for text in texts])


class FullModel(Model):
    """A model with roles and a similarity of its own."""

    similarity_fn_name = "dot"

    def encode_query(self, texts: list[str], **options: Any) -> npt.NDArray[np.float32]:
        assert options["prompt"] == "ask: "
        return self.encode(texts)

    def encode_document(self, texts: list[str], **_: Any) -> npt.NDArray[np.float32]:
        return self.encode(texts)

    def similarity(self, one: Any, other: Any) -> Any:
        return one @ other.T


def plainly(similarity: Any, k: int) -> dict[str, float]:
    """The original's arithmetic: sort by falling score and rising id, then count."""
    values: dict[str, list[float]] = {name: [] for name in ("accuracy", "precision", "recall", "ndcg", "mrr", "map")}
    for query, text in QUERIES.items():
        relevant = RELEVANT[query]
        if not relevant:
            continue
        scores = {item: float(similarity(VECTORS[text], VECTORS[CORPUS[item]])) for item in CORPUS}
        hits = [item in relevant for item in sorted(scores, key=lambda item: (-scores[item], item))[:k]]
        ranks = [rank for rank, hit in enumerate(hits, 1) if hit]
        ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(k, len(relevant)) + 1))
        values["accuracy"].append(float(any(hits)))
        values["precision"].append(sum(hits) / k)
        values["recall"].append(sum(hits) / len(relevant))
        values["ndcg"].append(sum(1 / math.log2(rank + 1) for rank in ranks) / ideal)
        values["mrr"].append(1 / ranks[0] if ranks else 0.0)
        values["map"].append(sum(n / rank for n, rank in enumerate(ranks, 1)) / min(k, len(relevant)))
    return {f"{name}@{k}": sum(one) / len(one) for name, one in values.items()}


def evaluator(k: int, **options: Any) -> InformationRetrievalEvaluator:
    names = ("mrr_at_k", "ndcg_at_k", "accuracy_at_k", "precision_recall_at_k", "map_at_k")
    cutoffs: dict[str, Any] = dict.fromkeys(names, (k,))
    return InformationRetrievalEvaluator(QUERIES, CORPUS, RELEVANT, **cutoffs, **options)


@pytest.mark.parametrize("k", [1, 7, 60, 200])
@pytest.mark.parametrize("chunk", [1000, 40, 7])
def test_retrieval_equals_the_plain_arithmetic_however_the_corpus_is_cut(k: int, chunk: int) -> None:
    found = evaluator(k, corpus_chunk_size=chunk, query_prompt="ask: ")(FullModel())
    assert found == pytest.approx({f"dot_{name}": value for name, value in plainly(np.dot, k).items()})


def test_a_model_without_similarity_is_measured_by_the_cosine() -> None:
    assert next(iter(evaluator(5)(Model()))) == "cosine_accuracy@5"


def test_scores_and_embeddings_that_are_there_already() -> None:
    one = evaluator(7)
    queries = np.stack([VECTORS[text] for text in one.queries])
    corpus = np.stack([VECTORS[text] for text in CORPUS.values()])
    expected = plainly(np.dot, 7)
    assert one.measure(queries @ corpus.T) == pytest.approx({f"score_{key}": v for key, v in expected.items()})
    found = one.measure_embeddings(queries, corpus, lambda a, b: a @ b.T, "dot")
    assert found == pytest.approx({f"dot_{key}": v for key, v in expected.items()})
    with pytest.raises(InputError, match=r"expected \(9, 90\)"):
        one.measure([[1.0]])
    with pytest.raises(InputError, match="NaN"):
        one.measure(np.full((9, 90), np.nan))


def test_files_names_and_the_primary_metric(tmp_path: Path) -> None:
    one = evaluator(3, name="dev", query_prompt="ask: ", write_predictions=True)
    found = one(FullModel(), str(tmp_path), 2, 50)
    one(FullModel(), str(tmp_path), 3, 50)
    assert one.primary_metric == "dev_dot_ndcg@3"
    assert set(found) == {f"dev_dot_{name}@3" for name in ("accuracy", "precision", "recall", "ndcg", "mrr", "map")}
    rows = list(
        csv.DictReader((tmp_path / "Information-Retrieval_evaluation_dev_results.csv").read_text().splitlines())
    )
    assert [row["epoch"] for row in rows] == ["2", "3"]
    assert float(rows[0]["dot-NDCG@3"]) == found["dev_dot_ndcg@3"]
    lines = (tmp_path / "Information-Retrieval_evaluation_dev_predictions_dot.jsonl").read_text().splitlines()
    assert [hit["score"] for hit in json.loads(lines[0])["results"]] == sorted(
        (hit["score"] for hit in json.loads(lines[0])["results"]), reverse=True
    )


def test_the_model_card_is_told() -> None:
    told: list[Any] = []

    class Card:
        def set_evaluation_metrics(self, *given: Any, **named: Any) -> None:
            told.append((given, named))

    model = FullModel()
    model.model_card_data = Card()  # type: ignore[attr-defined]
    found = evaluator(3, query_prompt="ask: ")(model, epoch=1, steps=9)
    assert told[0][0][1] == found
    assert told[0][1] == {"epoch": 1, "step": 9}


def test_reranking_of_two_samples_by_hand(tmp_path: Path) -> None:
    samples = [
        {"query": "a", "positive": ["p"], "negative": ["n", "m"]},
        {"query": "b", "positive": ["p", "r"], "negative": ["n"]},
        {"query": "c", "positive": [], "negative": ["n"]},
    ]
    one = RerankingEvaluator(samples, at_k=2)
    found = one.measure([[0.5, 0.9, 0.1], [0.9, 0.1, 0.5]])
    # Ranks: 2 in the first sample, 1 and 3 in the second.
    second = (1 + 2 / 3) / 2
    assert found["map"] == pytest.approx((0.5 + second) / 2)
    assert found["mrr@2"] == 0.75
    assert found["ndcg@2"] == pytest.approx((1 / math.log2(3) + 1 / (1 + 1 / math.log2(3))) / 2)
    with pytest.raises(InputError, match="sample 1 has 3 candidates"):
        one.measure([[1, 2, 3], [1]])
    with pytest.raises(InputError, match="no sample"):
        RerankingEvaluator(samples[2:])
    vectors = {"a": [1, 0], "b": [0, 1], "p": [1, 2], "r": [3, 1], "n": [2, 1], "m": [0, 1]}

    class Small:
        def encode(self, texts: list[str]) -> npt.NDArray[np.float64]:
            return np.array([vectors[text] for text in texts], np.float64)

    batched = one(Small(), str(tmp_path), 1, 2)
    assert RerankingEvaluator(samples, at_k=2, use_batched_encoding=False)(Small()) == batched
    scores = [
        cosine([vectors[s["query"]]], [vectors[t] for t in (*s["positive"], *s["negative"])]) for s in samples[:2]
    ]
    assert one.measure(scores) == batched
    rows = list(csv.DictReader((tmp_path / "RerankingEvaluator_results_@2.csv").read_text().splitlines()))
    assert float(rows[0]["MAP"]) == batched["map"]


def test_nearest_keeps_the_lowest_ids_of_a_tie() -> None:
    nearest = Nearest(["b", "a", "d", "c"], 2)
    nearest.add(np.ones((1, 4)), 0)
    assert nearest.places.tolist() == [[1, 0]]


def test_tensors_are_taken() -> None:
    torch = pytest.importorskip("torch")
    scores = torch.tensor([[0.9, 0.4]])
    one = InformationRetrievalEvaluator({"q": "?"}, {"a": "", "b": ""}, {"q": {"b"}}, mrr_at_k=[2])
    assert one.measure(scores)["score_mrr@2"] == 0.5


def test_queries_without_relevant_documents_are_refused_when_there_are_no_others() -> None:
    with pytest.raises(InputError, match="no query has a relevant document"):
        InformationRetrievalEvaluator({"q": "?"}, {"a": ""}, {"q": set()})


@pytest.mark.parametrize(("shape", "place"), [((3, 10), (1, 9)), ((3, 1003), (2, 1002)), ((3, 1003), (0, 500))])
def test_one_score_that_is_nan_is_refused_wherever_it_stands(shape: tuple[int, int], place: tuple[int, int]) -> None:
    scores = np.zeros(shape, np.float32)
    scores[place] = np.nan
    with pytest.raises(InputError, match="a similarity score is NaN"):
        Nearest(range(shape[1]), 5).add(scores, 0)


@pytest.mark.parametrize("cells", [1, 40, 700])
def test_queries_go_in_blocks_that_fit(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence_transformers, "CELLS_AT_ONCE", cells)
    largest: list[int] = []

    class Watched(FullModel):
        def similarity(self, one: Any, other: Any) -> Any:
            largest.append(len(one) * len(other))
            return one @ other.T

    found = evaluator(7, corpus_chunk_size=40, query_prompt="ask: ")(Watched())
    assert found == pytest.approx({f"dot_{name}": value for name, value in plainly(np.dot, 7).items()})
    assert max(largest) <= max(cells, 40)


@pytest.mark.parametrize("depth", [1, 5, 200])
def test_tensors_keep_the_same_documents_as_arrays(depth: int) -> None:
    torch = pytest.importorskip("torch")
    ids = np.random.default_rng(5).permutation(120).tolist()
    scores = np.random.default_rng(6).integers(-3, 4, (9, 120)).astype(np.float32)
    kept = [Nearest(ids, depth), Nearest(ids, depth)]
    for nearest, kind in zip(kept, (np.asarray, torch.as_tensor), strict=True):
        for first in (0, 50):
            for block in (0, 4):
                rows = slice(block, 4 if block == 0 else 9)
                nearest.add(kind(scores[rows, first : (50, 120)[first > 0]]), first, block)
    assert kept[0].places.tolist() == kept[1].places.tolist()
    assert kept[0].scores.tolist() == kept[1].scores.tolist()


@pytest.mark.posix
def test_a_row_on_a_full_disk_keeps_the_old_file(tmp_path, monkeypatch):
    row = partial(sentence_transformers._append_row, row={"x": "y" * 3000})
    monkeypatch.setitem(test_whole_files.WRITERS, "a row", row)
    place = tmp_path / "out"
    place.write_text("kept")
    test_whole_files.test_a_full_disk_keeps_the_old_file_and_leaves_nothing_behind("a row", place)
