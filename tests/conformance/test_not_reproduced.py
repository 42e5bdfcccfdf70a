"""What a tool has and its dialect does not is said: every name of the tool's own registry is reproduced or listed.

Each tool that is installed is asked. Names that are no metrics (base classes, helpers) are given here, so that what a
new release adds is met by the test.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest
from tests.conformance.tool_functions import provide_what_ragas_imports

from rankmeter.measures.dialects import find_dialect

Names = Iterable[str]


def exported(module: str, *, pattern: str = "", without: str = "") -> Callable[[], Names]:
    """The public names of a module, or those that match a pattern, but those that are no metrics."""

    def names() -> Names:
        loaded = import_module(module)
        public = getattr(loaded, "__all__", None) or [name for name in dir(loaded) if not name.startswith("_")]
        return [name for name in public if re.search(pattern, name) and name not in without.split()]

    return names


def functions(module: str, *, without: str = "", renamed: dict[str, str] | None = None) -> Callable[[], Names]:
    """The functions that are written in a module or below it, by the name that the dialect calls them."""

    def names() -> Names:
        loaded = import_module(module)
        own = [
            name
            for name, value in vars(loaded).items()
            if not name.startswith("_") and callable(value) and not inspect.isclass(value)
            if str(getattr(value, "__module__", module)).startswith(module) and name not in without.split()
        ]
        return [(renamed or {}).get(name, name) for name in own]

    return names


def metrics_of_ir_measures() -> Names:
    """Its registry."""
    from ir_measures.measures import registry

    return list(registry)


def metrics_of_llama_index() -> Names:
    """Its registry."""
    pytest.importorskip("llama_index")
    from llama_index.core.evaluation.retrieval.metrics import METRIC_REGISTRY

    return list(METRIC_REGISTRY)


def metrics_of_pytrec_eval() -> Names:
    """What trec_eval 9 has for grades."""
    import pytrec_eval

    return sorted(pytrec_eval.supported_measures)


def metrics_of_recbole() -> Names:
    """The classes of its metrics."""
    pytest.importorskip("recbole")
    from recbole.evaluator import base_metric, metrics

    return [
        name
        for name, kind in vars(metrics).items()
        if inspect.isclass(kind)
        and issubclass(kind, base_metric.AbstractMetric)
        and kind.__module__ == metrics.__name__
    ]


def metrics_of_mlflow() -> Names:
    """Functions of retrieval: those of classification and text do not look at lists."""
    pytest.importorskip("mlflow")
    import mlflow.metrics

    return [name for name in dir(mlflow.metrics) if name.endswith("_at_k")]


def metrics_of_evidently() -> Names:
    """What its presets of recommendations compute."""
    pytest.importorskip("evidently")
    from evidently.metrics import recsys

    calculated = [name.removesuffix("Calculation") for name in dir(recsys) if name.endswith("Calculation")]
    kinds = ("SingleValue", "LegacyMetric", "LegacyTopK")
    return ["PopularityBias.arp" if name == "PopularityBias" else name for name in calculated if name not in kinds]


def metrics_of_ragas() -> Names:
    """The metrics of today, and those that keep their former module."""
    pytest.importorskip("ragas")
    provide_what_ragas_imports()
    from ragas import metrics

    found = [*exported("ragas.metrics.collections", without="BaseMetric")(), *metrics._DEPRECATED_METRICS]
    return [name for name in found if name != "DistanceMeasure"]


OF_RANKING = r"ndcg|dcg|ranking|average_precision|coverage_error|auc|roc_curve|precision_recall_curve|top_k"
REGISTRIES: dict[str, tuple[str, Callable[[], Names]]] = {
    "pytrec_eval": ("pytrec_eval", metrics_of_pytrec_eval),
    "ir_measures": ("ir_measures", metrics_of_ir_measures),
    "llama_index": ("llama_index.core", metrics_of_llama_index),
    "mlflow": ("mlflow", metrics_of_mlflow),
    "recbole": ("recbole", metrics_of_recbole),
    "torchmetrics": ("torchmetrics", exported("torchmetrics.retrieval")),
    "sklearn": ("sklearn", exported("sklearn.metrics", pattern=OF_RANKING)),
    "haystack": ("haystack", exported("haystack.components.evaluators", pattern="Evaluator$")),
    "rectools": (
        "rectools",
        exported(
            "rectools.metrics",
            without="calc_metrics PairwiseDistanceCalculator PairwiseHammingDistanceCalculator "
            "SparsePairwiseHammingDistanceCalculator DebiasConfig debias_interactions",
        ),
    ),
    "replay": (
        "replay",
        exported(
            "replay.metrics",
            pattern="^[A-Z]",
            without="CalculationDescriptor ConfidenceInterval Experiment Mean Median Metric OfflineMetrics PerUser",
        ),
    ),
    "ranx": (
        "ranx",
        functions(
            "ranx.metrics",
            without="get_hit_lists metric_switch",
            renamed={
                "average_precision": "map",
                "r_precision": "r-precision",
                "rank_biased_precision": "rbp",
                "reciprocal_rank": "mrr",
            },
        ),
    ),
    "recommenders": (
        "recommenders",
        functions(
            "recommenders.evaluation.python_evaluation",
            without="merge_ranking_true_pred merge_rating_true_pred get_top_k_items",
        ),
    ),
    "ragas": ("ragas", metrics_of_ragas),
    "evidently": ("evidently", metrics_of_evidently),
    "deepeval": (
        "deepeval",
        exported(
            "deepeval.metrics",
            without="BaseMetric BaseConversationalMetric BaseArenaMetric Verdict GEvalTemplate DeepAcyclicGraph",
        ),
    ),
    "cornac": ("cornac", exported("cornac.metrics", pattern="^[A-Z]", without="RankingMetric RatingMetric")),
    "lenskit": (
        "lenskit",
        exported(
            "lenskit.metrics",
            pattern="^[A-Za-z]",
            without="Metric MetricFunction MeasurementCollector ListMetric GlobalMetric RankingMetricBase RunAnalysis "
            "RunAnalysisResult RankWeight GeometricRankWeight LogRankWeight quick_measure_model",
        ),
    ),
    "rexmex": ("rexmex", functions("rexmex.metrics.ranking", without="rank")),
    "implicit": (
        "implicit",
        exported("implicit.evaluation", pattern="_at_k$", without="ranking_metrics_at_k"),
    ),
    "beir": (
        "beir",
        functions(
            "beir.retrieval.custom_metrics",
            renamed={"mrr": "MRR", "recall_cap": "R_cap", "hole": "Hole", "top_k_accuracy": "Accuracy"},
        ),
    ),
}
"""For each dialect the module that must be there, and the metrics that its tool has."""
WITH_CI = ("pytrec_eval", "ir_measures", "llama_index", "mlflow", "torchmetrics", "sklearn", "haystack")


def is_installed(module: str) -> bool:
    """Whether a module can be imported."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of the package around it
        return False


TRIED = [name for name, (module, _) in REGISTRIES.items() if name in WITH_CI or is_installed(module)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TRIED)
def test_every_metric_of_a_tool_is_reproduced_or_listed(name: str) -> None:
    module, registry = REGISTRIES[name]
    if not is_installed(module):
        pytest.skip(f"{module} is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = set(registry())
    assert found
    assert found - told(find_dialect(name)) == set()


def told(dialect: Any) -> set[str]:
    """What a dialect reproduces, and what it says that it does not."""
    reproduced = {name for metric in dialect.metrics for name in metric.names}
    return reproduced | {name for one in dialect.accidents if one.when == "always" for name in one.metrics}
