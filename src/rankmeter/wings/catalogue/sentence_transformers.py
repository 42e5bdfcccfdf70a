"""Evaluators with the interface of SentenceTransformers' retrieval and reranking evaluators.

They are called with a model as during training, or given embeddings or similarity scores; SentenceTransformers and
torch are not needed. The numbers are those of the originals (dialects ``sentence_transformers`` and
``sentence_transformers_reranking``).

>>> from rankmeter.compat.sentence_transformers import InformationRetrievalEvaluator
>>> evaluator = InformationRetrievalEvaluator({"q": "?"}, {"a": "...", "b": "..."}, {"q": {"b"}}, mrr_at_k=[2])
>>> evaluator.measure([[0.9, 0.4]])["score_mrr@2"]
0.5
"""

from __future__ import annotations

import contextlib
import csv
import inspect
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rankmeter.errors import InputError
from rankmeter.evaluating.verb import evaluate
from rankmeter.whole_files import append_text, make_folder, whole_file
from rankmeter.wings.catalogue.nearest import Nearest, as_array, cosine, on_device

Similarity = Callable[[Any, Any], Any]
Metrics = dict[str, float]
CELLS_AT_ONCE = 1 << 28
"""Similarity scores that are held at once: a gigabyte."""


class _Evaluator:
    """What both evaluators share: names, encoding, the file of results, the model card."""

    name: str
    batch_size: int
    show_progress_bar: bool
    truncate_dim: int | None
    primary_metric: str | None
    greater_is_better = True

    @property
    def description(self) -> str:
        """How a model card calls it."""
        return type(self).__name__.removesuffix("Evaluator")

    def _encode(self, model: Any, texts: Sequence[Any], role: str, **extra: Any) -> Any:
        """Embed texts with whatever the model offers; options that its function does not know are left out."""
        function = getattr(model, f"encode_{role}", None) or model.encode
        options = {
            "batch_size": self.batch_size,
            "show_progress_bar": self.show_progress_bar,
            "truncate_dim": self.truncate_dim,
            "convert_to_tensor": hasattr(model, "similarity") or None,
            **extra,
        }
        known = inspect.signature(function).parameters
        takes_all = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in known.values())
        accepted = {key: value for key, value in options.items() if value is not None and (takes_all or key in known)}
        return function(list(texts), **accepted)

    def _reported(self, model: Any, metrics: Metrics, epoch: int, steps: int) -> Metrics:
        """The metrics under the evaluator's name, also on the model card."""
        if self.name:
            if self.primary_metric and not self.primary_metric.startswith(f"{self.name}_"):
                self.primary_metric = f"{self.name}_{self.primary_metric}"
            metrics = {f"{self.name}_{key}": value for key, value in metrics.items()}
        card = getattr(model, "model_card_data", None)
        if hasattr(card, "set_evaluation_metrics"):
            card.set_evaluation_metrics(self, metrics, epoch=epoch, step=steps)  # type: ignore[union-attr]
        return metrics


class InformationRetrievalEvaluator(_Evaluator):
    """Searches a corpus for every query and measures where the relevant documents stand.

    Parameters
    ----------
    queries, corpus
        ``{id: text}``.
    relevant_docs
        ``{query id: set of relevant corpus ids}``; queries without one are left out.
    mrr_at_k, ndcg_at_k, accuracy_at_k, precision_recall_at_k, map_at_k
        Cutoffs of each measure.
    score_functions
        ``{name: function(query embeddings, document embeddings)}``; default the model's own similarity, or the cosine.

    The other parameters are those of the original.
    """

    def __init__(
        self,
        queries: Mapping[Any, Any],
        corpus: Mapping[Any, Any],
        relevant_docs: Mapping[Any, Any],
        corpus_chunk_size: int = 50_000,
        mrr_at_k: Sequence[int] = (10,),
        ndcg_at_k: Sequence[int] = (10,),
        accuracy_at_k: Sequence[int] = (1, 3, 5, 10),
        precision_recall_at_k: Sequence[int] = (1, 3, 5, 10),
        map_at_k: Sequence[int] = (100,),
        show_progress_bar: bool = False,  # noqa: FBT001, FBT002 (the original's signature)
        batch_size: int = 32,
        name: str = "",
        write_csv: bool = True,  # noqa: FBT001, FBT002 (the same)
        truncate_dim: int | None = None,
        score_functions: Mapping[str, Similarity] | None = None,
        main_score_function: str | None = None,
        query_prompt: str | None = None,
        query_prompt_name: str | None = None,
        corpus_prompt: str | None = None,
        corpus_prompt_name: str | None = None,
        write_predictions: bool = False,  # noqa: FBT001, FBT002 (the same)
    ) -> None:
        self.relevant_docs = {query: set(relevant_docs[query]) for query in queries if relevant_docs.get(query)}
        if not self.relevant_docs:
            raise InputError.of("catalogue.nothing_relevant")
        self.queries_ids = list(self.relevant_docs)
        self.queries = [queries[query] for query in self.queries_ids]
        self.corpus_ids, self.corpus = list(corpus), list(corpus.values())
        self.cutoffs = {
            "accuracy": tuple(accuracy_at_k), "precision": tuple(precision_recall_at_k),
            "recall": tuple(precision_recall_at_k), "ndcg": tuple(ndcg_at_k), "mrr": tuple(mrr_at_k),
            "map": tuple(map_at_k),
        }  # fmt: skip
        self.corpus_chunk_size, self.batch_size = corpus_chunk_size, batch_size
        self.show_progress_bar, self.truncate_dim = show_progress_bar, truncate_dim
        self.name, self.write_csv, self.write_predictions = name, write_csv, write_predictions
        self.score_functions = score_functions
        self.main_score_function = main_score_function
        self.query_prompts = {"prompt": query_prompt, "prompt_name": query_prompt_name}
        self.corpus_prompts = {"prompt": corpus_prompt, "prompt_name": corpus_prompt_name}
        self.primary_metric = None
        ending = f"_{name}" if name else ""
        self.csv_file = f"Information-Retrieval_evaluation{ending}_results.csv"
        self.predictions_file = f"Information-Retrieval_evaluation{ending}_predictions.jsonl"

    def __call__(
        self,
        model: Any,
        output_path: str | None = None,
        epoch: int = -1,
        steps: int = -1,
        *,
        corpus_model: Any = None,
        corpus_embeddings: Any = None,
    ) -> Metrics:
        """Embed queries and corpus, search, measure; ``corpus_model`` and ``corpus_embeddings`` as in the original."""

        def embedded(part: slice) -> Any:
            return self._encode(corpus_model or model, self.corpus[part], "document", **self.corpus_prompts)

        functions = self.score_functions
        if functions is None and hasattr(model, "similarity"):
            functions = {str(getattr(model, "similarity_fn_name", "cosine")): model.similarity}
        functions = {"cosine": cosine} if functions is None else functions
        vectors = self._encode(model, self.queries, "query", **self.query_prompts)
        corpus = embedded if corpus_embeddings is None else corpus_embeddings
        metrics: Metrics = {}
        for name, nearest in self._search(vectors, functions, corpus).items():
            metrics |= self._measured(nearest, name)
            if output_path is not None and self.write_predictions:
                self._write_predictions(Path(output_path), name, nearest)
        if output_path is not None and self.write_csv:
            self._write_csv(Path(output_path), list(functions), metrics, epoch, steps)
        self.primary_metric = self._primary(metrics, list(functions))
        return self._reported(model, metrics, epoch, steps)

    def measure(self, scores: Any, name: str = "score") -> Metrics:
        """Measure similarity scores that are there already: a row per query of ``queries_ids``, a column per item."""
        table = as_array(scores)
        if table.shape != (len(self.queries_ids), len(self.corpus_ids)):
            expected = str((len(self.queries_ids), len(self.corpus_ids)))
            raise InputError.of("catalogue.shape_of_scores", shape=str(table.shape), expected=expected)
        nearest = self._nearest()
        nearest.add(table, 0)
        return self._measured(nearest, name)

    def measure_embeddings(
        self, queries: Any, corpus: Any, similarity: Similarity = cosine, name: str = "cosine"
    ) -> Metrics:
        """Measure embeddings that are there already, in the order of ``queries_ids`` and ``corpus_ids``.

        Tensors on a CUDA device are searched there, by cosine as :func:`rankmeter.rank_catalogue` ranks.
        """
        return self._measured(self._search(queries, {name: similarity}, corpus)[name], name)

    def _search(self, vectors: Any, functions: Mapping[str, Similarity], corpus: Any) -> dict[str, Nearest]:
        """The best documents by each function; ``corpus`` are all vectors, or a function that embeds a part."""
        searched = {name: self._nearest() for name in functions}
        if list(functions.values()) == [cosine] and on_device(vectors) and on_device(corpus):
            with contextlib.suppress(ImportError, InputError):  # what follows says it, or takes a vector of zeros
                next(iter(searched.values())).search(vectors, corpus)
                return searched
        size, count = self.corpus_chunk_size, len(self.corpus_ids)
        # Few enough queries at a time that their scores fit a card, whatever the size of the corpus.
        step = max(1, CELLS_AT_ONCE // min(size, max(1, count)))
        for first in range(0, count, size):
            chosen = slice(first, first + size)
            part = corpus(chosen) if callable(corpus) else corpus[chosen]
            for name, function in functions.items():
                for block in range(0, len(vectors), step):
                    scores = function(vectors[block : block + step], part)
                    searched[name].add(scores if on_device(scores) else as_array(scores), first, block)
        return searched

    def _nearest(self) -> Nearest:
        deepest = max(cutoff for cutoffs in self.cutoffs.values() for cutoff in cutoffs)
        return Nearest(self.corpus_ids, deepest)

    def _measured(self, nearest: Nearest, name: str) -> Metrics:
        rows = zip(self.queries_ids, nearest.places.tolist(), strict=True)
        lists = {query: [self.corpus_ids[place] for place in places] for query, places in rows}
        asked = [f"{metric}@{cutoff}" for metric, cutoffs in self.cutoffs.items() for cutoff in cutoffs]
        result = evaluate(self.relevant_docs, lists, asked, dialect="sentence_transformers")
        return {f"{name}_{text}": result[text] for text in asked}

    def _primary(self, metrics: Metrics, functions: list[str]) -> str:
        """The key of the metric that a trainer follows."""
        deepest = max(self.cutoffs["ndcg"])
        main = self.main_score_function
        if main is None:
            main = max(functions, key=lambda name: metrics[f"{name}_ndcg@{deepest}"])
        return f"{getattr(main, 'value', main)}_ndcg@{deepest}"

    def _write_csv(self, folder: Path, functions: list[str], metrics: Metrics, epoch: int, steps: int) -> None:
        pairs = [("Accuracy", cutoff) for cutoff in self.cutoffs["accuracy"]]
        pairs += [(title, cutoff) for cutoff in self.cutoffs["recall"] for title in ("Precision", "Recall")]
        pairs += [(title, cutoff) for title in ("MRR", "NDCG", "MAP") for cutoff in self.cutoffs[title.lower()]]
        values = {
            f"{name}-{title}@{k}": metrics[f"{name}_{title.lower()}@{k}"] for name in functions for title, k in pairs
        }
        _append_row(folder / self.csv_file, {"epoch": epoch, "steps": steps, **values})

    def _write_predictions(self, folder: Path, name: str, nearest: Nearest) -> None:
        make_folder(folder)
        path = folder / self.predictions_file.replace(".jsonl", f"_{name}.jsonl")
        with whole_file(path) as made, made.open("w", encoding="utf-8") as file:
            rows = zip(self.queries_ids, self.queries, nearest.places.tolist(), nearest.scores.tolist(), strict=True)
            for query, text, places, scores in rows:
                results = [
                    {"corpus_id": self.corpus_ids[place], "score": score}
                    for place, score in zip(places, scores, strict=True)
                ]
                file.write(json.dumps({"query_id": query, "query": text, "results": results}) + "\n")

    def get_config_dict(self) -> dict[str, Any]:
        """The settings that a model card shows."""
        known = {"truncate_dim": self.truncate_dim}
        known |= {f"query_{key}": value for key, value in self.query_prompts.items()}  # type: ignore[misc]
        known |= {f"corpus_{key}": value for key, value in self.corpus_prompts.items()}  # type: ignore[misc]
        return {key: value for key, value in known.items() if value is not None}


class RerankingEvaluator(_Evaluator):
    """Reorders the candidates of each query and measures where the positive ones stand.

    Parameters
    ----------
    samples
        ``[{"query": text, "positive": [texts], "negative": [texts]}, ...]``; those without one or the other are left
        out.
    at_k
        The cutoff of MRR and nDCG.
    similarity_fct
        ``function(query embedding, document embeddings)``.

    The other parameters are those of the original.
    """

    def __init__(
        self,
        samples: Any,
        at_k: int = 10,
        name: str = "",
        write_csv: bool = True,  # noqa: FBT001, FBT002 (the original's signature)
        similarity_fct: Similarity = cosine,
        batch_size: int = 64,
        show_progress_bar: bool = False,  # noqa: FBT001, FBT002 (the same)
        use_batched_encoding: bool = True,  # noqa: FBT001, FBT002 (the same)
        truncate_dim: int | None = None,
        mrr_at_k: int | None = None,
    ) -> None:
        every = list(samples.values()) if isinstance(samples, Mapping) else list(samples)
        self.samples = [sample for sample in every if len(sample["positive"]) and len(sample["negative"])]
        if not self.samples:
            raise InputError.of("catalogue.no_sample")
        self.at_k = mrr_at_k if mrr_at_k is not None else at_k
        self.name, self.write_csv, self.similarity_fct = name, write_csv, similarity_fct
        self.batch_size, self.show_progress_bar = batch_size, show_progress_bar
        self.use_batched_encoding, self.truncate_dim = use_batched_encoding, truncate_dim
        self.primary_metric = f"ndcg@{self.at_k}"
        self.csv_file = f"RerankingEvaluator{f'_{name}' if name else ''}_results_@{self.at_k}.csv"

    def __call__(self, model: Any, output_path: str | None = None, epoch: int = -1, steps: int = -1) -> Metrics:
        """Embed queries and candidates, score, measure."""
        metrics = self.measure(list(self._scores(model)))
        if output_path is not None and self.write_csv:
            titles = ("MAP", f"MRR@{self.at_k}", f"NDCG@{self.at_k}")
            row = dict(zip(titles, metrics.values(), strict=True))
            _append_row(Path(output_path) / self.csv_file, {"epoch": epoch, "steps": steps, **row})
        return self._reported(model, metrics, epoch, steps)

    def measure(self, scores: Sequence[Any]) -> Metrics:
        """Measure scores that are there already: for each of ``samples`` one per candidate, the positive ones first."""
        if len(scores) != len(self.samples):
            raise InputError.of("catalogue.unequal_samples", count=len(scores), samples=len(self.samples))
        judgments: dict[int, dict[int, int]] = {}
        run: dict[int, dict[int, float]] = {}
        for number, (sample, row) in enumerate(zip(self.samples, scores, strict=True)):
            values = as_array(row).ravel().tolist()
            positive, every = len(sample["positive"]), len(sample["positive"]) + len(sample["negative"])
            if len(values) != every:
                raise InputError.of("catalogue.unequal_scores", sample=number, candidates=every, scores=len(values))
            judgments[number] = dict.fromkeys(range(positive), 1)
            run[number] = dict(enumerate(values))
        asked = ("map", f"mrr@{self.at_k}", f"ndcg@{self.at_k}")
        result = evaluate(judgments, run, asked, dialect="sentence_transformers_reranking")
        return {text: result[text] for text in asked}

    def _scores(self, model: Any) -> Iterator[Any]:
        """The scores of every sample's candidates."""
        queries = [sample["query"] for sample in self.samples]
        documents = [[*sample["positive"], *sample["negative"]] for sample in self.samples]
        if not self.use_batched_encoding:
            for query, candidates in zip(queries, documents, strict=True):
                vector = self._encode(model, [query], "query")
                yield self.similarity_fct(vector, self._encode(model, candidates, "document"))
            return
        vectors = self._encode(model, queries, "query")
        embedded = self._encode(model, [text for candidates in documents for text in candidates], "document")
        last = np.cumsum([len(candidates) for candidates in documents])
        for number, (candidates, end) in enumerate(zip(documents, last.tolist(), strict=True)):
            yield self.similarity_fct(vectors[number : number + 1], embedded[end - len(candidates) : end])

    def get_config_dict(self) -> dict[str, Any]:
        """The settings that a model card shows."""
        settings: dict[str, Any] = {"at_k": self.at_k}
        return settings if self.truncate_dim is None else {**settings, "truncate_dim": self.truncate_dim}


def _append_row(path: Path, row: Mapping[str, Any]) -> None:
    """Add a row to a CSV file, which is made with its headers where it is not there."""
    make_folder(path.parent)
    added = io.StringIO()
    writer = csv.DictWriter(added, list(row), lineterminator="\n")
    if not path.is_file() or path.stat().st_size == 0:
        writer.writeheader()
    writer.writerow(row)
    append_text(path, added.getvalue())


__all__ = ["InformationRetrievalEvaluator", "RerankingEvaluator", "cosine"]
