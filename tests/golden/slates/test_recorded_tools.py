"""The recorded values of other tools for coverage, diversity, novelty and the like, each by its dialect.

``recorded.json`` holds small data sets and what each tool really printed for them, with its version.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import rankmeter as rm
from rankmeter.measures import REGISTRY
from rankmeter.measures.dialects import dialect_names, find_dialect
from rankmeter.measures.slate_base import SlateMeasure

CASES = {case["id"]: case for case in json.loads((Path(__file__).parent / "recorded.json").read_text())}

AS_METRIC: dict[tuple[str, str], str] = {
    ("rectools", "CatalogCoverage(normalize=True)"): "CatalogCoverage(k={k},normalize=True)",
    ("rectools", "CatalogCoverage()"): "CatalogCoverage(k={k})",
    ("rectools", "MeanInvUserFreq"): "MeanInvUserFreq(k={k})",
    ("rectools", "IntraListDiversity(hamming)"): "IntraListDiversity(k={k})",
    ("rectools", "Serendipity"): "Serendipity(k={k})",
    ("rectools", "AvgRecPopularity"): "AvgRecPopularity(k={k})",
    ("rectools", "SufficientReco"): "SufficientReco(k={k})",
    ("rectools", "UnrepeatedReco(deep=True)"): "UnrepeatedReco(k={k},deep=True)",
    ("rectools", "CoveredUsers"): "CoveredUsers(k={k})",
    ("rectools", "MCC"): "MCC(k={k})",
    ("rectools", "Accuracy"): "Accuracy(k={k})",
    **{("rectools", f"{name}(k={k})"): f"{name}(k={k})" for name in ("PartialAUC", "PAP") for k in (1, 2, 3, 5)},
    ("lenskit", "ListGini"): "ListGini(n={k})",
    ("lenskit", "ExposureGini"): "ExposureGini(n={k})",
    ("recmetrics", "prediction_coverage"): "prediction_coverage",
    ("recmetrics", "intra_list_similarity"): "intra_list_similarity",
    ("recmetrics", "personalization"): "personalization",
    ("rexmex", "item_coverage"): "item_coverage",
    ("rexmex", "intra_list_similarity"): "intra_list_similarity",
    ("rexmex", "personalization"): "personalization",
    ("recommenders", "catalog_coverage"): "catalog_coverage",
    ("recommenders", "distributional_coverage"): "distributional_coverage",
    ("recommenders", "novelty"): "novelty",
    ("recommenders", "diversity(item_cooccurrence_count)"): "diversity",
    ("recommenders", "diversity(item_feature_vector)"): "diversity(item_sim_measure=item_feature_vector)",
    ("recommenders", "serendipity(item_cooccurrence_count)"): "serendipity",
    ("evidently", "Novelty"): "Novelty@{k}",
    ("evidently", "Diversity(item_features) (cosine distance)"): "Diversity@{k}",
    ("evidently", "PopularityBiasMetric(arp)"): "ARP@{k}",
    ("evidently", "PopularityBiasMetric(coverage)"): "Coverage@{k}",
    ("evidently", "PopularityBiasMetric(gini)"): "Gini@{k}",
    ("evidently", "Personalization"): "Personalization@{k}",
    ("recbole", "AveragePopularity"): "AveragePopularity@{k}",
    ("recbole", "ShannonEntropy"): "ShannonEntropy@{k}",
    ("recbole", "TailPercentage"): "TailPercentage@{k}",
    ("recbole", "GAUC"): "GAUC",
    ("recbole", "ItemCoverage"): "ItemCoverage@{k}",
    ("recbole", "GiniIndex"): "GiniIndex@{k}",
    ("replay-rec", "Coverage"): "Coverage@{k}",
    ("replay-rec", "Novelty"): "Novelty@{k}",
    ("replay-rec", "Surprisal"): "Surprisal@{k}",
    ("replay-rec", "CategoricalDiversity"): "CategoricalDiversity@{k}",
    ("elliot", "ItemCoverage"): "ItemCoverage@{k}",
    ("elliot", "UserCoverage"): "UserCoverage",
    ("elliot", "UserCoverageAtN"): "UserCoverageAtN@{k}",
    ("elliot", "Gini"): "Gini@{k}",
    ("elliot", "SEntropy"): "SEntropy@{k}",
    ("elliot", "EPC"): "EPC@{k}",
    ("elliot", "EFD"): "EFD@{k}",
    ("elliot", "ARP"): "ARP@{k}",
    ("elliot", "APLT"): "APLT@{k}",
    ("elliot", "ACLT"): "ACLT@{k}",
    ("elliot", "PopREO"): "PopREO@{k}",
    ("elliot", "PopRSP"): "PopRSP@{k}",
}
"""What each recorded call is in the dialect of its tool."""

DECIMALS = {("recmetrics", "prediction_coverage"): 2, ("rexmex", "item_coverage"): 3, ("recbole", "GAUC"): 4}
"""Numbers that their tool rounds."""

NOT_IMITATED = {
    ("recmetrics", "novelty(pop=train counts, u=users, n=k)"): "infinite as soon as one item was never taken",
    ("recbole", "AUC"): "compares the scores of different users, as if all of them had one list",
    ("recbole", "LogLoss"): "measures how far probabilities are off, whatever their order",
    ("rexmex", "novelty"): "adds 1e-10 before the logarithm: an item never taken is worth 33 bits by accident",
    ("evidently", "Serendipity(item_features)"): "not divided by the number of hits: negative for similar histories",
}
"""Accidents, each with its reason."""


ACCIDENTS = {("beyond_hand", "elliot", "Gini"), ("beyond_rand", "elliot", "Gini")}
"""Data on which a tool breaks its own definition, as its dialect says: items outside the training data."""


TOLERANCE = {("lenskit", "ExposureGini"): 1e-8}
"""LensKit adds exposures up in single precision."""


@cache
def evaluated(case_id: str, metric: str, dialect: str | None = None) -> rm.Evaluation:
    """One metric for the first k items of every list: what is given to tools that take no k is cut before."""
    case = CASES[case_id]
    catalogue = case["catalog"]
    items = rm.Catalogue(
        items=catalogue,
        features=np.array([case["features"][str(item)] for item in catalogue]),
        categories=[case["categories"][str(item)] for item in catalogue],
    )
    judgments, lists, train = (
        {int(user): rows for user, rows in case[name].items()} for name in ("relevant", "recs", "train")
    )
    lists = {user: rows[: case["k"]] for user, rows in lists.items()}
    return rm.evaluate(judgments, lists, [metric], catalogue=items, history=train, dialect=dialect)


def recorded() -> list[tuple[str, str, str]]:
    every = [(case_id, one["library"], one["api"]) for case_id, case in CASES.items() for one in case["results"]]
    return list(dict.fromkeys(every))


def test_every_recorded_number_is_accounted_for():
    assert {(library, api) for _, library, api in recorded()} == {*AS_METRIC, *NOT_IMITATED}


@pytest.mark.filterwarnings("ignore:.*(have|has) no list")
@pytest.mark.parametrize(
    ("case_id", "library", "api"),
    [one for one in recorded() if one[1:] not in NOT_IMITATED and one not in ACCIDENTS],
)
def test_the_dialect_of_a_tool_gives_its_recorded_value(case_id, library, api):
    metric = AS_METRIC[library, api].format(k=CASES[case_id]["k"])
    ev = evaluated(case_id, metric, library.removesuffix("-rec"))
    result = next(one for one in CASES[case_id]["results"] if (one["library"], one["api"]) == (library, api))
    decimals = DECIMALS.get((library, api), 15)
    tolerance = TOLERANCE.get((library, api), 1e-9)
    assert round(next(iter(ev.mean.values())), decimals) == pytest.approx(result["mean"], abs=tolerance)
    for user, value in (result["per_query"] or {}).items():
        rows = ev.per_query
        row = rows.row(rows["query"].to_list().index(int(user)))
        assert row[1] == pytest.approx(value, abs=1e-9), user


@pytest.mark.parametrize(("library", "api"), NOT_IMITATED)
def test_what_is_not_imitated_is_refused_with_the_reason(library, api):
    with pytest.raises(rm.MeasureError, match="is not reproduced"):
        find_dialect(library).measure(api.partition("(")[0])


def test_a_number_that_is_not_imitated_would_be_another_one():
    for case_id, case in CASES.items():
        for one in case["results"]:
            if (one["library"], one["api"]) == ("rexmex", "novelty"):
                assert abs(evaluated(case_id, "MIUF")["MIUF"] - one["mean"]) > 1
                assert math.isfinite(one["mean"])


def test_recboles_auc_is_that_of_all_users_under_one_query():
    case = CASES["whole_lists"]
    judged = {f"{user} {item}": 1 for user, items in case["relevant"].items() for item in items}
    # The scores that RecBole was given: those of equal rank are tied across users.
    scores = {
        f"{user} {item}": 1 - rank / 10 for user, items in case["recs"].items() for rank, item in enumerate(items)
    }
    recorded_value = next(one["mean"] for one in case["results"] if one["api"] == "AUC")
    assert rm.evaluate({"all": judged}, {"all": scores}, "AUC")["AUC"] == pytest.approx(recorded_value, abs=1e-9)


def test_full_lists_are_counted_without_judgments():
    found = rm.evaluate(None, {1: ["a", "b"], 2: ["a"]}, ["SufficientReco(k=2)"], dialect="rectools")
    assert found["SufficientReco(k=2)"] == 0.5


@pytest.mark.parametrize("case_id", sorted(case_id for case_id, _, _ in ACCIDENTS))
def test_elliot_gives_items_outside_the_training_data_a_rank_but_does_not_count_them(case_id):
    case = CASES[case_id]
    items = len({item for rows in case["train"].values() for item in rows})
    counts = sorted(Counter(item for rows in case["recs"].values() for item in rows[: case["k"]]).values())
    ranks = range(items - len(counts) + 1, items + 1)
    above = sum((2 * rank - items - 1) * count for rank, count in zip(ranks, counts, strict=True))
    recorded_value = next(one["mean"] for one in case["results"] if (one["library"], one["api"]) == ("elliot", "Gini"))
    assert 1 - above / (items - 1) / sum(counts) == pytest.approx(recorded_value)
    ours = evaluated(case_id, f"Gini@{case['k']}", "elliot")
    assert abs(next(iter(ours.mean.values())) - recorded_value) > 0.01


def test_of_equally_popular_items_on_the_border_the_first_or_the_last_are_in_the_tail():
    items = ["a", "b", "c", "d"]
    train = {"u": items, "v": ["a"]}
    for border, tail in (("first", ["b"]), ("last", ["d"])):
        measure = f"APLT(border={border},share=0.3)@1"
        ev = rm.evaluate(None, {item: [item] for item in items}, measure, history=train, catalogue=items)
        found = ev.per_query
        assert found.filter(found[str(ev.find(measure))] > 0)["query"].to_list() == tail


def test_every_list_metric_of_every_tool_is_recorded_or_says_that_it_was_not_run():
    known = {(library.removesuffix("-rec"), re.split(r"[(@]", text)[0]) for (library, _), text in AS_METRIC.items()}
    unproven = [
        (dialect, metric.name)
        for dialect in dialect_names()
        if dialect != "seeds"  # documents, not a tool: their values stand in test_source_documents.py
        for metric in find_dialect(dialect).metrics
        if metric.measure in REGISTRY
        and isinstance(REGISTRY[metric.measure], SlateMeasure)
        and not any((dialect, name) in known for name in metric.names)
        and not (metric.reason and metric.reason["en"].startswith("From its source, not run."))
    ]
    assert unproven == []
