"""The recorded values of other tools for coverage, diversity, novelty and the like, each from one definition of ours.

``recorded.json`` holds two small data sets and what each tool really printed for them, with its version.
"""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmeter as rm

CASES = {case["id"]: case for case in json.loads((Path(__file__).parent / "recorded.json").read_text())}

OURS: dict[tuple[str, str], str] = {
    ("rectools", "CatalogCoverage(normalize=True)"): "Coverage",
    ("rectools", "CatalogCoverage()"): "Coverage(unit=count)",
    ("rectools", "MeanInvUserFreq"): "MIUF",
    ("rectools", "IntraListDiversity(hamming)"): "ILD(metric=hamming-count,single=zero)",
    ("rectools", "Serendipity"): "Serendipity(queries=run)",
    ("rectools", "AvgRecPopularity"): "ARP",
    ("lenskit", "ListGini"): "Gini",
    ("lenskit", "ExposureGini"): "ExposureGini",
    ("recmetrics", "prediction_coverage"): "Coverage",
    ("recmetrics", "intra_list_similarity"): "ILD",
    ("recmetrics", "personalization"): "Personalisation",
    ("rexmex", "item_coverage"): "Coverage",
    ("rexmex", "intra_list_similarity"): "ILD",
    ("rexmex", "personalization"): "Personalisation",
    ("recommenders", "catalog_coverage"): "Coverage(of=history,outside=counted)",
    ("recommenders", "distributional_coverage"): "Entropy",
    ("recommenders", "novelty"): "Novelty(aggregate=pooled,cold=zero)",
    ("recommenders", "diversity(item_cooccurrence_count)"): "ILD(source=history)",
    ("recommenders", "diversity(item_feature_vector)"): "ILD",
    ("recommenders", "serendipity(item_cooccurrence_count)"): (
        "Serendipity(relevance=all,source=history,surprise=history,queries=run)"
    ),
    ("evidently", "Novelty"): "MIUF(cold=skip)",
    ("evidently", "Diversity(item_features) (cosine distance)"): "ILD(norm=list)",
    ("evidently", "PopularityBiasMetric(arp)"): "ARP(cold=skip)",
    ("evidently", "PopularityBiasMetric(coverage)"): "Coverage(of=history)",
    ("evidently", "PopularityBiasMetric(gini)"): "Gini(divisor=n-1,over=recommended)",
    ("evidently", "Personalization"): "Personalisation",
    ("recbole", "AveragePopularity"): "ARP",
    ("recbole", "ShannonEntropy"): "Entropy(base=e,norm=distinct)",
    ("recbole", "TailPercentage"): "TailShare(among=history,share=0.1,tail=items)",
    ("replay-rec", "Coverage"): "Coverage(of=history)",
    ("replay-rec", "Novelty"): "SeenItems",
    ("replay-rec", "Surprisal"): "MIUF(divisor=k,norm=log)",
    ("replay-rec", "CategoricalDiversity"): "CategoryDiversity",
}
"""The definition of each tool's number."""

AS_SHOWN = {
    ("recmetrics", "prediction_coverage"): lambda ours: round(100 * ours, 2),
    ("rexmex", "item_coverage"): lambda ours: round(ours, 3),
    ("recmetrics", "intra_list_similarity"): lambda ours: 1 - ours,
    ("rexmex", "intra_list_similarity"): lambda ours: 1 - ours,
    ("replay-rec", "Novelty"): lambda ours: 1 - ours,
}
"""Tools that print a percentage, a rounded number, or one minus ours."""

WITH_PADDING = {("recbole", "ItemCoverage"): "Coverage", ("recbole", "GiniIndex"): "Gini"}
"""RecBole counts its padding as an item: the same as a catalogue with one item more."""

NOT_IMITATED = {
    ("recmetrics", "novelty(pop=train counts, u=users, n=k)"): "infinite as soon as one item was never taken",
    ("rexmex", "novelty"): "adds 1e-10 before the logarithm: an item never taken is worth 33 bits by accident",
    ("evidently", "Serendipity(item_features)"): "not divided by the number of hits: negative for similar histories",
}
"""Accidents, each with its reason."""


TOLERANCE = {("lenskit", "ExposureGini"): 1e-8}
"""LensKit adds exposures up in single precision."""


@cache
def evaluated(case_id: str, measure: str, more_items: int = 0) -> rm.Evaluation:
    case = CASES[case_id]
    catalogue = case["catalog"]
    features = [case["features"][str(item)] for item in catalogue]
    categories = [case["categories"][str(item)] for item in catalogue]
    items: Any = (
        [*catalogue, *range(10_000, 10_000 + more_items)]
        if more_items
        else rm.Catalogue(items=catalogue, features=np.array(features), categories=categories)
    )
    judgments, lists, train = (
        {int(user): rows for user, rows in case[name].items()} for name in ("relevant", "recs", "train")
    )
    asked = rm.parse(measure) @ case["k"]
    return rm.evaluate(judgments, lists, [asked], catalogue=items, history=train)


def recorded() -> list[tuple[str, str, str]]:
    every = [(case_id, one["library"], one["api"]) for case_id, case in CASES.items() for one in case["results"]]
    return list(dict.fromkeys(every))


def test_every_recorded_number_is_accounted_for():
    known = {*OURS, *WITH_PADDING, *NOT_IMITATED}
    assert {(library, api) for _, library, api in recorded()} == known


@pytest.mark.parametrize(("case_id", "library", "api"), [one for one in recorded() if one[1:] not in NOT_IMITATED])
def test_the_recorded_value_comes_out(case_id, library, api):
    padding = (library, api) in WITH_PADDING
    measure = {**OURS, **WITH_PADDING}[library, api]
    ev = evaluated(case_id, measure, 1 if padding else 0)
    shown = AS_SHOWN.get((library, api), lambda ours: ours)
    result = next(one for one in CASES[case_id]["results"] if (one["library"], one["api"]) == (library, api))
    assert shown(next(iter(ev.mean.values()))) == pytest.approx(result["mean"], abs=TOLERANCE.get((library, api), 1e-9))
    for user, value in (result["per_query"] or {}).items():
        rows = ev.per_query
        row = rows.row(rows["query"].to_list().index(int(user)))
        assert shown(row[1]) == pytest.approx(value, abs=1e-9), user


def test_a_number_that_is_not_imitated_would_be_another_one():
    for case_id, case in CASES.items():
        for one in case["results"]:
            if (one["library"], one["api"]) == ("rexmex", "novelty"):
                assert abs(evaluated(case_id, "MIUF")[f"MIUF@{case['k']}"] - one["mean"]) > 1
                assert math.isfinite(one["mean"])
