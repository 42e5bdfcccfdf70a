"""What tools of production search and RAG returned, as it was recorded, and how each of them was fed.

``production_cases.json.xz`` has the form of ``dialect_cases.json.xz``: 33 probes made by hand and 8 random sets, 33,755
rows of results. The Python tools and the scorers of Quepid were run; OpenSearch's rank-eval and RRE ran as classes of
their own; what was read and not run is said in the file's ``adapters``.
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

FILE = Path(__file__).parent / "production_cases.json.xz"
FIVE_DECIMALS, SINGLE, SUMS_IN_SINGLE = 6e-6, 2e-6, 2e-4


@dataclass(frozen=True)
class Adapter:
    """A way in which a tool was called: the dialect that speaks for it, and what it was given."""

    dialect: str
    judged: str = "as they are"
    """``ids``: every expected item alike; ``expected``: those with their grade; ``zeros``: grades below 0 as 0;
    ``labels``: from 0 to 4; ``listed``: those of grade 0 and above."""
    repeats: bool = True
    """Whether lists with repeated items were given where a case has them."""
    pooled: bool = False
    """Whether judged items that were not returned stand behind the list."""
    depth: bool = False
    """Whether lists were cut before the tool saw them, so that its metrics have no k of their own."""


ADAPTERS = {
    "mlflow": Adapter("mlflow", "ids"),
    "haystack": Adapter("haystack", "ids"),
    "haystack_graded": Adapter("haystack:graded", "expected"),
    "haystack211": Adapter("haystack:3.0", "ids"),
    "haystack211_graded": Adapter("haystack:3.0,graded", "expected"),
    "llama_index": Adapter("llama_index", "ids"),
    "llama_index0123": Adapter("llama_index:0.12.5", "ids"),
    "llama_index0121": Adapter("llama_index:0.12.2", "ids"),
    "ragas": Adapter("ragas", "ids"),
    "deepeval": Adapter("deepeval", "ids"),
    "trulens": Adapter("trulens", "expected"),
    "trulens_judged": Adapter("trulens:judged", "zeros"),
    "trulens_scores": Adapter("trulens:scores", "expected", repeats=False),
    "vespa": Adapter("vespa", "ids"),
    "vespa_graded": Adapter("vespa:graded"),
    "phoenix": Adapter("phoenix"),
    "phoenix_unjudged_nan": Adapter("phoenix:nan"),
    "azure": Adapter("azure", "labels", repeats=False),
    "autorag_any": Adapter("autorag:any", "ids"),
    "autorag_each": Adapter("autorag", "ids"),
    "beir": Adapter("beir", repeats=False),
    "beir_common": Adapter("beir", repeats=False),
    "mteb": Adapter("mteb", repeats=False),
    "pyg": Adapter("pyg", "expected"),
    "keras_rs_retrieved": Adapter("keras_rs"),
    "keras_rs_pooled": Adapter("keras_rs:all", repeats=False),
    "tf_ranking_retrieved": Adapter("tf_ranking"),
    "tf_ranking_pooled": Adapter("tf_ranking:all", repeats=False),
    "hf_trec_eval": Adapter("evaluate", repeats=False),
    "hf_trec_eval_sorted": Adapter("evaluate", repeats=False),
    "unitxt": Adapter("unitxt", "ids"),
    "quepid": Adapter("quepid"),
    "quepid_server": Adapter("quepid:server"),
    "opensearch_rank_eval": Adapter("elasticsearch"),
    "opensearch_srw": Adapter("search_relevance"),
    "opensearch_srw31": Adapter("search_relevance:3.5"),
    "rre": Adapter("rre", "listed"),
}
"""Every adapter of the file."""

ROUND_EACH_QUERY = ("opensearch_srw", "opensearch_srw31", "quepid_server")
RRE = {"NDCG": 0.03, "Precision@": 6e-3, "RR": 6e-3, "F1.0": 6e-3}
"""How near to its definitions RRE comes, where that is not its usual distance."""

HAS_K_IN_ITS_NAME = ("mlflow", "vespa", "beir", "mteb", "pyg", "keras", "tf_ranking", "hf", "unitxt", "quepid", "rre")
"""Tools in whose spelling the cutoff stands already."""


@cache
def cases() -> list[dict[str, Any]]:
    """All cases."""
    with lzma.open(FILE, "rt", encoding="utf-8") as file:
        found: list[dict[str, Any]] = json.load(file)["cases"]
    return found


def rows(adapter: str) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Each case with the rows that an adapter gave for it."""
    for case in cases():
        found = [row for row in case["results"] if row["adapter"] == adapter]
        if found:
            yield case, found


def spelled(row: dict[str, Any]) -> str:
    """The metric of a row in the spelling of its tool, with the k that the harness took where the spelling has none."""
    api, adapter, k = row["api"], row["adapter"], row["k"]
    if adapter.startswith(HAS_K_IN_ITS_NAME) or adapter.startswith(("phoenix", "azure", "opensearch")):
        return f"{api}@{k}" if api == "MRR" else str(api)
    return str(api) if k is None or (adapter.startswith("trulens") and api == "mrr") else f"{api}@{k}"


def fractions(case: dict[str, Any]) -> bool:
    """Whether grades lie between 0 and 1, so that any above 0 is expected."""
    return any(grade != int(grade) for grades in case["qrels"].values() for grade in grades.values())


def judged(case: dict[str, Any], how: str) -> dict[str, dict[str, float]]:
    """The judgments as the tool was given them."""
    low = math.ulp(0.0) if fractions(case) else 1

    def given(grade: float) -> float | None:
        if how == "ids":
            return float(grade >= low)
        if how == "expected":
            return grade if grade >= low else None
        if how == "zeros":
            return max(grade, 0)
        if how == "labels":
            return min(max(grade, 0), 4)
        return None if how == "listed" and grade < 0 else grade

    return {
        query: {item: kept for item, grade in grades.items() if (kept := given(grade)) is not None}
        for query, grades in case["qrels"].items()
    }


def listed(case: dict[str, Any], *, repeats: bool) -> dict[str, Any]:
    """The run as the tool was given it: lists where items are repeated."""
    run: dict[str, Any] = case["run"]
    if not repeats:
        return run
    lists = {query: sorted(scores, key=lambda item: -scores[item]) for query, scores in run.items()}  # stable
    return {**lists, **case.get("run_lists", {})}


def tolerance(row: dict[str, Any], usual: float) -> float:
    """How near a value must come to what was recorded, which has twelve decimals."""
    if row["adapter"] == "rre":  # rounds up, down, term by term
        return next((near for name, near in RRE.items() if row["api"].startswith(name)), usual)
    if row["adapter"] in ROUND_EACH_QUERY:  # where a half may fall on either side
        return 0.01 + 1e-9
    return usual
