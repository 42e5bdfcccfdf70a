"""What other tools returned, as it was recorded, and how each of them was fed.

``dialect_cases.json.xz`` holds judgments and runs (30 probes made by hand, 6 random sets) and 37,388 rows of results:
the tool, its version, the adapter through which it was called, the metric in the tool's own spelling, values per
query and mean. The rows were made by running each tool in an environment of its own (Python 3.11, CPU); the file's
``adapters`` say how. Key order is the input order. Values of rows with ``"portable": false`` hang on an unstable sort.
"""

from __future__ import annotations

import json
import lzma
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "dialect_cases.json.xz"

Graded = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Adapter:
    """A way in which a tool was called: the dialect that speaks for it, and the rows that it was given."""

    dialect: str
    feed: str = "returned"
    """``returned``: the run as it is; ``pooled``: with judged items that were not returned, scored below all others;
    ``catalogue``: with every known item, scored below all others."""


ADAPTERS = {
    "trec_eval10": Adapter("trec_eval"),
    "trec_eval10-c": Adapter("trec_eval:c"),
    "trec_eval10-J": Adapter("trec_eval:J"),
    "trec_eval10-l2": Adapter("trec_eval:l=2"),
    "trec_eval10-M3": Adapter("trec_eval:M=3"),
    "pytrec_eval": Adapter("pytrec_eval"),
    "pytrec_eval-l2": Adapter("pytrec_eval:l=2"),
    "pytrec_eval-J": Adapter("pytrec_eval:J"),
    "ir_measures": Adapter("ir_measures"),
    "sklearn_pooled": Adapter("sklearn", "pooled"),
    "sklearn_retrieved": Adapter("sklearn"),
    "ranx_objects": Adapter("ranx"),
    "ranx_dicts": Adapter("ranx:dicts"),
    "xgboost_pooled": Adapter("xgboost", "pooled"),
    "xgboost_retrieved": Adapter("xgboost"),
    "lightgbm_pooled": Adapter("lightgbm", "pooled"),
    "lightgbm_retrieved": Adapter("lightgbm"),
    "catboost_pooled": Adapter("catboost", "pooled"),
    "catboost_retrieved": Adapter("catboost"),
    "rectools": Adapter("rectools"),
    "lenskit": Adapter("lenskit"),
    "implicit": Adapter("implicit"),
    "cornac": Adapter("cornac"),
    "recmetrics": Adapter("recmetrics"),
    "rexmex": Adapter("rexmex"),
    "recommenders": Adapter("recommenders"),
    "evidently_retrieved": Adapter("evidently"),
    "evidently_retrieved_sorted": Adapter("evidently"),
    "evidently_pooled_sorted": Adapter("evidently", "pooled"),
    "torchmetrics_pooled": Adapter("torchmetrics", "pooled"),
    "torchmetrics_retrieved": Adapter("torchmetrics"),
    "torchmetrics163_pooled": Adapter("torchmetrics:1.6", "pooled"),
    "torchmetrics163_retrieved": Adapter("torchmetrics:1.6"),
    "recbole": Adapter("recbole"),
    "replay_dict": Adapter("replay:dict"),
    "replay_dict_all": Adapter("replay:dict,all"),
    "replay_pandas": Adapter("replay"),
    "st_ir": Adapter("sentence_transformers"),
    "st_rerank": Adapter("sentence_transformers_reranking"),
    "spark": Adapter("spark_mllib"),
}
"""Every adapter of the file but those that only measure coverage, diversity and novelty."""


@cache
def cases() -> list[dict[str, Any]]:
    """The cases about rankings."""
    with lzma.open(FILE, "rt", encoding="utf-8") as file:
        document = json.load(file)
    return [case for case in document["cases"] if case.get("kind") != "beyond"]


def rows(adapter: str) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Each case with the rows that an adapter gave for it and that hang on no unstable sort."""
    for case in cases():
        found = [row for row in case["results"] if row["adapter"] == adapter and row.get("portable", True)]
        if found:
            yield case, found


def spelled(row: dict[str, Any]) -> str:
    """The metric of a row in the spelling of its tool, with the k that the harness took where the spelling has none."""
    api: str = row["api"]
    if row["adapter"] == "st_rerank":
        return {"AP": "map", "RR": "mrr", "nDCG": "ndcg"}[row["family"]]
    if row["adapter"] == "recmetrics":
        api = api.removesuffix(" ('mean average recall')")
        return api if api.startswith("mark") else f"{api}@{row['k']}"
    if row["adapter"] == "recommenders":
        return f"{api}@{row['k']}"
    if row["adapter"].startswith("evidently"):
        option = ", no_feedback_users=True" if row["options"].get("no_feedback_users") else ""
        return api.replace("(k)", f"(k={row['k']}{option})")
    if "ndcg_exp_gain" in row.get("options", {}):
        return f"{api} ndcg_exp_gain={row['options']['ndcg_exp_gain']}"
    return api


def fed(case: dict[str, Any], feed: str) -> Graded:
    """The run as the tool was given it."""
    judgments, run = case["qrels"], case["run"]
    if feed == "returned":
        return run
    known = {item for side in (judgments, run) for items in side.values() for item in items}
    more: Graded = {}
    for query in judgments if feed == "catalogue" else run:
        listed = run.get(query, {})
        low = min(listed.values(), default=0.0) - 1.0
        added = sorted(known) if feed == "catalogue" else judgments.get(query, {})
        more[query] = {**listed, **{item: low for item in added if item not in listed}}
    return more


def number(value: object) -> float | None:
    """A recorded value as a number; None where the tool gave none."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    return math.nan if value == "NaN" else None
