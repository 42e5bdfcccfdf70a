"""Each tool's own functions, wrapped only as far as their arguments need it, for ``rankmeter.check``.

``TOOLS`` has a row for each tool: what to import and to install, and a function that gives the metrics, each with the
arguments it takes in the words of ``check`` and the function itself. Items that a mapping holds keep their order.
"""

from __future__ import annotations

import asyncio
import hashlib
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pytest

Graded = Mapping[Any, Mapping[Any, float]]
Lists = Mapping[str, list[Any]]
RUNS, IDS, ONE = "qrels, run, k", "{relevant}, {retrieved}, k", "relevant, retrieved"
Function = Callable[..., Any]


@dataclass(frozen=True)
class Tool:
    """A tool of which the functions are checked."""

    name: str
    """The dialect."""
    module: str
    """What has to be there for it."""
    functions: Callable[[], Iterator[tuple[str, str, Function]]]
    """The metric in the dialect's words, the arguments, and the function."""
    packages: tuple[str, ...]
    """What ``uv pip install`` is told."""
    environment: str = "usual"
    """Tools of one environment can be installed together; those of ``usual`` with what CI has anyway."""
    tolerance: float = 1e-6


def _texts(data: Graded, number: type = float) -> dict[str, dict[str, Any]]:
    """Ids as text, and numbers of one type."""
    return {str(query): {str(item): number(value) for item, value in rows.items()} for query, rows in data.items()}


def pytrec_eval() -> Iterator[tuple[str, str, Function]]:
    """The class that is trec_eval 9."""
    import pytrec_eval as tool

    def asked(name: str) -> Function:
        def value(qrels: Graded, run: Graded, k: int | None = None) -> dict[str, float]:
            found = tool.RelevanceEvaluator(_texts(qrels, int), {f"{name}.{k}" if k else name}).evaluate(_texts(run))
            return {query: values[f"{name}_{k}" if k else name] for query, values in found.items()}

        return value

    for name in ("map", "ndcg", "recip_rank", "Rprec", "bpref", "set_P", "set_recall"):
        yield name, "qrels, run", asked(name)
    for name in ("map_cut", "ndcg_cut", "P", "recall", "success", "relative_P"):
        yield name, RUNS, asked(name)


def ir_measures() -> Iterator[tuple[str, str, Function]]:
    """The measures that its first provider has."""
    import ir_measures as tool

    def asked(name: str) -> Function:
        def value(qrels: Graded, run: Graded, k: int | None = None) -> float:
            measure = getattr(tool, name)
            measure = measure @ k if k else measure
            return float(tool.calc_aggregate([measure], _texts(qrels, int), _texts(run))[measure])

        return value

    for name in ("AP", "nDCG", "RR", "Rprec", "Bpref"):
        yield name, "qrels, run", asked(name)
    for name in ("AP", "nDCG", "P", "R", "Success"):
        yield name, RUNS, asked(name)


def sklearn() -> Iterator[tuple[str, str, Function]]:
    """The metrics of ranking."""
    from sklearn import metrics as tool

    yield "ndcg_score", "[y_true], [y_score], k=k", tool.ndcg_score
    yield "dcg_score", "[y_true], [y_score], k=k", tool.dcg_score
    yield (
        "average_precision_score",
        "y_true, y_score",
        lambda t, s: tool.average_precision_score([g >= 1 for g in t], s),
    )
    yield (
        "label_ranking_average_precision_score",
        "y_true, y_score",
        lambda t, s: tool.label_ranking_average_precision_score([[g >= 1 for g in t]], [s]),
    )


def torchmetrics() -> Iterator[tuple[str, str, Function]]:
    """The classes of retrieval, one query a time."""
    pytest.importorskip("torch")
    import torch

    pytest.importorskip("torchmetrics")
    from torchmetrics import retrieval as tool

    def asked(name: str, *, graded: bool = False, cut: bool = True) -> Function:
        def value(y_true: list[float], y_score: list[float], k: int | None = None) -> float:
            metric = getattr(tool, name)(**({"top_k": k} if cut else {}))
            target = torch.tensor([max(int(grade), 0) if graded else int(grade >= 1) for grade in y_true])
            metric.update(torch.tensor(y_score, dtype=torch.float64), target, indexes=torch.zeros(len(y_true)).long())
            return float(metric.compute())

        return value

    for name in ("MAP", "MRR", "Precision", "Recall", "HitRate"):
        yield f"Retrieval{name}", "y_true, y_score, k", asked(f"Retrieval{name}")
    yield "RetrievalNormalizedDCG", "y_true, y_score, k", asked("RetrievalNormalizedDCG", graded=True)
    yield "RetrievalRPrecision", "y_true, y_score", asked("RetrievalRPrecision", cut=False)


def mlflow() -> Iterator[tuple[str, str, Function]]:
    """The metrics of retrievers."""
    import pandas as pd

    pytest.importorskip("mlflow")
    from mlflow import metrics as tool

    def asked(name: str) -> Function:
        def value(relevant: list[Any], retrieved: list[Any], k: int) -> float:
            true, found = pd.Series([[*map(str, relevant)]]), pd.Series([[*map(str, retrieved)]])
            return float(getattr(tool, name)(k).eval_fn(found, true).aggregate_results["mean"])

        return value

    for name in ("precision_at_k", "recall_at_k", "ndcg_at_k"):
        yield name, "relevant, retrieved, k", asked(name)


def haystack() -> Iterator[tuple[str, str, Function]]:
    """The evaluators of retrieved documents."""
    pytest.importorskip("haystack")
    from haystack import Document
    from haystack.components import evaluators as tool

    def asked(name: str, **options: Any) -> Function:
        def value(relevant: list[Any], retrieved: list[Any]) -> float:
            true, found = ([Document(content=str(item)) for item in items] for items in (relevant, retrieved))
            evaluator = getattr(tool, name)(**options)
            return float(evaluator.run(ground_truth_documents=[true], retrieved_documents=[found])["score"])

        return value

    for name in ("DocumentMAPEvaluator", "DocumentMRREvaluator", "DocumentNDCGEvaluator"):
        yield name, ONE, asked(name)
    for mode in ("single_hit", "multi_hit"):
        yield "DocumentRecallEvaluator", ONE, asked("DocumentRecallEvaluator", mode=mode)


def llama_index() -> Iterator[tuple[str, str, Function]]:
    """The metrics of retrieval."""
    pytest.importorskip("llama_index")
    from llama_index.core.evaluation.retrieval import metrics as tool

    def asked(kind: Any) -> Function:
        def value(relevant: list[Any], retrieved: list[Any]) -> float:
            true, found = [*map(str, relevant)], [*map(str, retrieved)]
            return float(kind().compute(expected_ids=true, retrieved_ids=found).score)

        return value

    kinds = (tool.HitRate, tool.MRR, tool.Precision, tool.Recall, tool.AveragePrecision, tool.NDCG)
    for kind in kinds:
        yield kind.metric_name, ONE, asked(kind)


def provide_what_ragas_imports() -> None:
    """Names that newer releases of langchain-community do not have; no metric here uses them."""
    for name, kind in (("chat_models.vertexai", "ChatVertexAI"), ("llms.vertexai", "VertexAI")):
        try:  # it imports what newer releases of langchain-community do not have
            __import__(f"langchain_community.{name}")
        except ImportError:
            made = types.ModuleType(name)
            setattr(made, kind, object)
            sys.modules[f"langchain_community.{name}"] = made


def ragas() -> Iterator[tuple[str, str, Function]]:
    """The metrics that need no model."""
    provide_what_ragas_imports()
    pytest.importorskip("ragas")
    from ragas.dataset_schema import SingleTurnSample
    from ragas.metrics._context_precision import IDBasedContextPrecision, NonLLMContextPrecisionWithReference
    from ragas.metrics._context_recall import IDBasedContextRecall, NonLLMContextRecall

    loop = asyncio.new_event_loop()

    def asked(metric: Any, *, texts: bool) -> Function:
        def value(relevant: list[Any], retrieved: list[Any]) -> float:
            # Texts are compared by likeness: only equal ones pass where each is a digest.
            given = (lambda item: hashlib.sha1(str(item).encode()).hexdigest()) if texts else str
            ending = "contexts" if texts else "context_ids"
            sample = {f"retrieved_{ending}": [*map(given, retrieved)], f"reference_{ending}": [*map(given, relevant)]}
            return float(loop.run_until_complete(metric._single_turn_ascore(SingleTurnSample(**sample), None)))

        return value

    with closing(loop):
        for metric in (IDBasedContextPrecision(), IDBasedContextRecall()):
            yield type(metric).__name__, ONE, asked(metric, texts=False)
        for metric in (NonLLMContextPrecisionWithReference(), NonLLMContextRecall()):
            yield type(metric).__name__, ONE, asked(metric, texts=True)


def ranx() -> Iterator[tuple[str, str, Function]]:
    """Its metrics of Qrels and Run objects."""
    pytest.importorskip("ranx")
    import ranx as tool

    def asked(name: str) -> Function:
        def value(qrels: Graded, run: Graded, k: int | None = None) -> float:
            judged = {
                query: {item: int(grade) for item, grade in rows.items()} for query, rows in _texts(qrels).items()
            }
            metric = f"{name}@{k}" if k else name
            return float(tool.evaluate(tool.Qrels(judged), tool.Run(_texts(run)), metric, make_comparable=True))

        return value

    for name in ("map", "ndcg", "ndcg_burges", "mrr", "precision", "recall", "hit_rate", "f1"):
        yield name, RUNS, asked(name)
    yield "r-precision", "qrels, run", asked("r-precision")  # bpref is NaN wherever something is unjudged


def rectools() -> Iterator[tuple[str, str, Function]]:
    """The classes that compare lists with interactions."""
    import pandas as pd

    pytest.importorskip("rectools")
    from rectools import metrics as tool

    def asked(name: str) -> Function:
        def value(relevant: Lists, retrieved: Lists, k: int) -> float:
            listed = [
                (query, str(item), rank) for query, items in retrieved.items() for rank, item in enumerate(items, 1)
            ]
            held = [(query, str(item)) for query, items in relevant.items() for item in items]
            shown = pd.DataFrame(listed, columns=["user_id", "item_id", "rank"])
            return float(getattr(tool, name)(k=k).calc(shown, pd.DataFrame(held, columns=["user_id", "item_id"])))

        return value

    for name in ("MAP", "NDCG", "MRR", "Precision", "Recall", "HitRate"):
        yield name, IDS, asked(name)


def recommenders() -> Iterator[tuple[str, str, Function]]:
    """The functions of python_evaluation."""
    import pandas as pd

    pytest.importorskip("recommenders")
    from recommenders.evaluation import python_evaluation as tool

    def asked(name: str) -> Function:
        def value(qrels: Graded, run: Graded, k: int) -> float:
            true = [(q, str(item), float(g)) for q, rows in qrels.items() for item, g in rows.items() if g >= 1]
            found = [(q, str(item), float(score)) for q, rows in run.items() for item, score in rows.items()]
            frames = (
                pd.DataFrame(true, columns=["userID", "itemID", "rating"]),
                pd.DataFrame(found, columns=["userID", "itemID", "prediction"]),
            )
            return float(getattr(tool, name)(*frames, k=k))

        return value

    for name in ("precision_at_k", "recall_at_k", "map_at_k", "map", "ndcg_at_k", "r_precision_at_k"):
        yield name, RUNS, asked(name)


def replay() -> Iterator[tuple[str, str, Function]]:
    """The metrics, given dictionaries."""
    pytest.importorskip("replay")
    from replay import metrics as tool

    def asked(name: str) -> Function:
        def value(relevant: Lists, retrieved: Lists, k: int) -> float:
            # Users without a held-out item are not among the ground truth of any split.
            true = {query: [*map(str, items)] for query, items in relevant.items() if items}
            found = {
                query: [(str(item), float(len(items) - place)) for place, item in enumerate(items)]
                for query, items in retrieved.items()
            }
            (mean,) = getattr(tool, name)(k)(found, true).values()
            return float(mean)

        return value

    for name in ("MAP", "NDCG", "MRR", "Precision", "Recall", "HitRate", "RocAuc"):
        yield name, IDS, asked(name)


NUMPY_1 = ("numpy==1.26.*", "pyarrow<26")
TOOLS = (
    Tool("pytrec_eval", "pytrec_eval", pytrec_eval, ("pytrec-eval-terrier",)),
    Tool("ir_measures", "ir_measures", ir_measures, ("ir-measures",)),
    Tool("sklearn", "sklearn", sklearn, ("scikit-learn",)),
    Tool("torchmetrics", "torchmetrics", torchmetrics, ("torch==2.13.0", "torchmetrics==1.9.0")),
    Tool("mlflow", "mlflow", mlflow, ("mlflow",)),
    Tool("haystack", "haystack", haystack, ("haystack-ai",)),
    Tool("llama_index", "llama_index.core", llama_index, ("llama-index-core",)),
    Tool("ranx", "ranx", ranx, ("ranx", *NUMPY_1), "recommenders of numpy 1"),
    Tool("rectools", "rectools", rectools, ("rectools", *NUMPY_1), "recommenders of numpy 1"),
    Tool("replay", "replay", replay, ("replay-rec==0.20.*", *NUMPY_1, "typing-extensions"), "replay"),
    Tool("recommenders", "recommenders", recommenders, ("recommenders",), "recommenders"),
    Tool("ragas", "ragas", ragas, ("ragas==0.4.3", "rapidfuzz"), "ragas"),
)
"""Every tool that is tried."""
WALKED = {
    "cornac": ("cornac==3.0.1",),
    "implicit": ("implicit==0.7.3",),
    "rexmex": ("rexmex==0.1.3", "six"),
    "evidently": ("evidently==0.7.23", "pandas<3"),
    "deepeval": ("deepeval==4.3.1",),
    "beir": ("beir==2.2.0",),
    "lenskit": ("lenskit==2025.8.1",),
    "recbole": ("recbole==1.2.1",),
}
"""Tools whose functions take more than one list, or a model: only what they have is compared with their dialects.

Each in the release that was read: a newer one may have more.
"""
