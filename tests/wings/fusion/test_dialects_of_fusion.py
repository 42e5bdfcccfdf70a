"""What fifteen tools returned when they were run, against the definitions that stand for them: scores and order.

Where a tool's answer is an accident (an unstable sort, the order of a set, an overflow), it is named here, and a test
says that the name is still needed.
"""

from __future__ import annotations

import json
import lzma
import math
from collections import defaultdict
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest
from tests.properties.strategies import by_night

import rankmeter as rm
from rankmeter.errors import InputError
from rankmeter.inputs.tables import RunTable
from rankmeter.late import pl
from rankmeter.wings.fusion.fusing import fused_run, gather_tables, trained
from rankmeter.wings.fusion.tool_fusions import tool_fusions

pytestmark = pytest.mark.slow

NORMS = {None: "none", "zmuv": "z-score"}
TOOLS = {
    "qdrant-client": "qdrant", "llama-index-core": "llama_index", "haystack-ai": "haystack",
    "graphiti-core": "graphiti", "langchain-postgres": "langchain_postgres", "milvus-lite": "milvus",
}  # fmt: skip
METHODS = {
    ("qdrant", "reciprocal_rank_fusion"): "rrf", ("qdrant", "distribution_based_score_fusion"): "dbsf",
    ("langchain", "EnsembleRetriever"): "ensemble", ("lancedb", "RRFReranker.rerank_multivector"): "rrf",
    ("lancedb", "RRFReranker.rerank_hybrid"): "rrf", ("lancedb", "MRRReranker.rerank_hybrid"): "mrr",
    ("txtai", "Hybrid.rrf"): "rrf", ("txtai", "Hybrid.convex"): "convex", ("pyterrier", "sum (+)"): "+",
}  # fmt: skip
TRAINED = ("mapfuse", "posfuse", "segfuse", "bayesfuse", "probfuse", "slidefuse")
NOT_FUSIONS = ("optimize_fusion", "evaluate")
NOT_DEFINED = {
    ("trectools", "vector_space_fusion"): "distances from the best document of the first run only",
    ("lancedb", "LinearCombinationReranker.rerank_hybrid"): "adds unbounded scores to distances",
    ("pyterrier", "concatenate (^)"): "one list behind the other: no fusion of scores",
    ("pyterrier", "sum (+) of PerQueryMaxMinScore"): "an error at every call of that release",
    ("txtai", "Hybrid.logodds"): "a logistic model of scores",
}
"""What has no definition here, and why."""


def accident(tool: str, method: str, case: str, norm: str | None, params: dict) -> str | None:  # noqa: C901
    """Why an answer of a tool is not followed; None where it is."""
    if case == "huge":
        return "sums overflow: nan, inf"
    if tool == "ranx":
        if case == "ties_long":
            return "its sort is not stable from 16 items on, and equal scores decide ranks"
        if case == "empty_list" and norm == "zmuv":
            return "queries after an empty list become empty"
        if method in ("min", "max") and (case == "beyond_1e9" or norm == "max"):
            return "missing counts as 1e9 or -1e9, which cuts larger scores"
        if "condorcet" in method:
            return "cycles and ties of votes stand in the order of a set"
        if norm == "borda":
            return "lists are in the order of a set"
    if tool == "milvus" and method == "weighted" and params.get("metric") == "L2" and not params["norm_score"]:
        return "raw distances rise, and what is missing is best"
    if tool == "haystack" and "sort_by_score" in params:
        return "the result is not sorted"
    if tool == "langchain" and "all_documents_have_the_same_text" in params:
        return "documents are told by their text"
    if case == "duplicates" and tool in ("pyterrier", "autorag", "lancedb", "langchain_postgres", "haystack"):
        return "a document that stands twice is joined with itself, or in part only"
    if case in ("float_noise", "all_equal") and tool in ("qdrant", "llama_index", "haystack", "autorag"):
        return "rounding is all that is left of the spread"
    return None


@cache
def recorded() -> dict:
    return json.loads(lzma.decompress((Path(__file__).parent / "recorded_fusions.json.xz").read_bytes()))


@cache
def runs_of(case: str) -> dict[str, RunTable]:
    given = next(one for one in recorded()["cases"] if one["id"] == case)
    made = {}
    for name, run in given["runs"].items():
        rows = [(q, item, float(score)) for q, items in run.items()
                for item, score in (items.items() if isinstance(items, dict) else items)]  # fmt: skip
        columns = [[row[at] for row in rows] for at in range(3)]
        types = (pl.String, pl.String, pl.Float64)
        series = [pl.Series(values, dtype=dtype) for values, dtype in zip(columns, types, strict=True)]
        made[name] = RunTable(*series, name, queries=pl.Series(list(run), dtype=pl.String))
    return made


def learned_definitions(result: dict, method: str, params: dict):
    """The definitions of a method that learned, with the lists that it learned from."""
    train = params.pop("train_queries")
    truth = next(one for one in recorded()["cases"] if one["id"] == result["case"])["judgments"]
    truth = truth if train == "all" else {query: truth[query] for query in train if query in truth}
    for norm in result["norms"]:
        inverted = {"lists": "rising"} if norm == "min-max-inverted" else {}
        options = {"norm": NORMS.get(norm, norm)} if method == "segfuse" else inverted
        yield norm, trained(rm.Fusion.of(f"ranx:{method}", **params, **options), runs_of(result["case"]), truth)


def definitions_of_ranx(result: dict, method: str, params: dict):
    """The definitions of a method of ranx under each of the norms that gave this answer."""
    if method in TRAINED:
        yield from learned_definitions(result, method, params)
        return
    for norm in result["norms"]:
        options = dict(params)
        if "norm" in rm.Fusion.of(f"ranx:{method}").options_of():
            options["norm"] = NORMS.get(norm, norm)
        elif norm == "min-max-inverted":
            options["lists"] = "rising"
        yield norm, rm.Fusion.of(f"ranx:{method}", **options)


def definitions(result: dict):
    """The definitions that stand for a recorded call, each with the normalisation that was asked."""
    tool, method, params = TOOLS.get(result["tool"], result["tool"]), result["method"], dict(result["params"])
    if tool == "ranx":
        yield from definitions_of_ranx(result, method, params)
        return
    word = ""
    method = params.pop("strategy", METHODS.get((tool, method), method))
    if "weight_vector" in params:
        params = {"weights": [params["weight_vector"], params["weight_fts"]]}
    if "alpha" in params:
        params = {"weights": [params["alpha"], 1 - params["alpha"]]}
    if tool == "langchain_postgres":
        word = params.pop("distance_strategy")
    if tool == "milvus" and method == "weighted":
        metric, is_scaled = params.pop("metric"), params.pop("norm_score")
        if isinstance(metric, list):
            params["norm"] = ":".join("arctan-distance" if one == "L2" else "none" for one in metric)
        word = "" if isinstance(metric, list) else metric if is_scaled else "raw"
    if "normalize_method" in params:
        word = params["normalize_method"]
        params = {"weights": [params["weight"], 1 - params["weight"]]}
    if method in ("distribution_based_rank_fusion", "reciprocal_rerank"):
        params = {}  # weights change nothing there
    yield None, rm.Fusion.of(f"{tool}:{method}({word})" if word else f"{tool}:{method}", **params)


def difference(got: list, expected: list, *, in_order: bool) -> str:
    """What differs between two fused lists; empty where nothing does. Items that rounding alone sets apart may swap."""
    told = dict(expected)
    if set(dict(got)) != set(told):
        return "items"
    has_scores = all(score is not None for score in told.values())
    if has_scores and not all(math.isclose(s, float(told[d]), rel_tol=1e-9, abs_tol=1e-9) for d, s in got):
        return "scores"
    if not in_order:
        return ""
    mine = dict(got)
    for (item, score), (other, _) in zip(got, expected, strict=True):
        near = [one for one in mine if math.isclose(mine[one], score, rel_tol=1e-12)]
        is_exact = len({mine[one] for one in near}) == len({told[one] for one in near}) == 1 and has_scores
        if item != other and (is_exact or other not in near):
            return "order"
    return ""


CALLS = sorted({
    (result["tool"], result["method"]) for result in recorded()["results"]
    if result["method"] not in NOT_FUSIONS and (result["tool"], result["method"]) not in NOT_DEFINED
})  # fmt: skip
IN_TURN = by_night(3, night=1)
"""One of so many answers of a tool is compared, others the next day; all of them in ``make hunt``."""


@pytest.mark.parametrize(("tool", "method"), CALLS)
def test_a_dialect_gives_what_the_tool_returned(tool, method):
    compared, wrong, named = 0, [], defaultdict(list)
    turn, step = datetime.now(UTC).toordinal(), 1 if "condorcet" in method else IN_TURN  # of which most is an accident
    returned = [one for one in recorded()["results"] if (one["tool"], one["method"]) == (tool, method)]
    for number, result in enumerate(returned):
        if "error" in result or (number + turn) % step:
            continue
        ours = TOOLS.get(tool, tool)
        plain = accident(ours, METHODS.get((ours, method), method), result["case"], None, result["params"])
        if plain and "norms" not in result and ("sort" in plain or "text" in plain):
            continue
        for norm, definition in definitions(result):
            why = accident(ours, METHODS.get((ours, method), method), result["case"], norm, result["params"])
            try:
                made = fused_run(gather_tables(runs_of(result["case"]), definition), definition).to_dict()
            except InputError:
                assert why, (result["case"], definition)
                continue
            for query, expected in result["fused"].items():
                depends = result.get("hash_dependent", {}).get(query)
                if depends == "scores":
                    continue
                lists = [run.query.eq(query).sum() for run in runs_of(result["case"]).values()]
                # ranx sorts without keeping the order of ties from 16 items on, and borda starts from a set; autorag's
                # ties stand in the order of pandas' union of indexes.
                unstable = tool == "autorag" or (
                    tool == "ranx" and (max(lists) > 15 or len(expected) > 15 or "borda" in method)
                )
                got = list(made.get(query, {}).items())
                found = difference(got, expected, in_order=not depends and not unstable)
                compared += not found
                if found and why:
                    named[why].append((result["case"], query))
                elif found:
                    wrong.append((found, result["case"], query, norm, str(definition), got[:4], expected[:4]))
    assert not wrong, wrong[:3]
    assert compared > 40 // step
    assert sum(map(len, named.values())) < compared


def test_every_dialect_is_read_and_says_what_it_is():
    for name in tool_fusions():
        definition = rm.Fusion.of(name)
        assert str(rm.Fusion.of(str(definition))) == str(definition)
        assert definition.tool == name


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("qdrnt:rrf", "did you mean 'qdrant'"),
        ("qdrant:dbfs", "did you mean 'dbsf'"),
        ("opensearch:hybrid(minmax)", "did you mean 'min_max'"),
        ("qdrant:rrf(c=3)", "not an option"),
    ],
)
def test_unknown_dialects_are_refused_with_the_nearest(how, message):
    with pytest.raises(InputError, match=message):
        rm.Fusion.of(how)


def test_a_tool_reads_its_own_names_of_options():
    assert str(rm.Fusion.of("elasticsearch:rrf(rank_constant=20,rank_window_size=50)")) == (
        "rrf(depth=50,equal=first,k=20,queries=all,ties=given)"
    )
    assert rm.Fusion.of("opensearch:hybrid(l2,geometric_mean)").how == "geometric"
    assert rm.Fusion.of("qdrant:rrf", ranking_constant_k=61).k == 61


def test_the_lowest_result_of_opensearch_is_a_thousandth_and_a_single_one_is_1():
    runs = {"A": {"q": {"a": 3.0, "b": 1.0}}, "B": {"q": {"a": 0.5}}}
    made = rm.fuse(runs, "opensearch:hybrid(min_max,arithmetic_mean)").to_dict()["q"]
    assert made == {"a": 1.0, "b": 0.0005}
