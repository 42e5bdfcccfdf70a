"""Measures of lists and of subtopics, and what they ask for, for the data of `test_ways_of_placing`."""

from __future__ import annotations

import random

import rankmeter as rm

ITEMS = [str(number) for number in (*range(1, 23), 2**53 + 1, "never recommended")]
HISTORY = {f"q{q}": [ITEMS[(3 * q + step) % len(ITEMS)] for step in range(q % 5)] for q in range(14)}
BESIDE = {
    "catalogue": rm.Catalogue(
        items=ITEMS,
        categories=["drama|comedy" if number % 3 else "news" for number in range(len(ITEMS))],
        features=[[number % 4 + 0.1, number % 7, 1.0 / (number + 1)] for number in range(len(ITEMS))],
        values=[number + 0.3 for number in range(len(ITEMS))],
        margins=[number / 7 - 1 for number in range(len(ITEMS))],
        groups=["abc"[number % 3] for number in range(len(ITEMS))],
    ),
    "history": HISTORY,
}
LISTS = [
    rm.parse(text)
    for text in (
        "Coverage@3", "Coverage", "Coverage(of=history,outside=counted)@5", "Gini@4", "Gini(over=recommended)",
        "Gini(over=history)@2", "ExposureGini@5", "ExposureGini(weight=reciprocal,over=recommended)", "Entropy@5",
        "Entropy(weighting=lists)@5", "Entropy(norm=distinct,base=e)", "Personalisation@5", "Personalisation",
        "UserCoverage@3", "UserCoverage(lists=full)@9", "ShortLists@5", "DuplicateItems@5", "SeenItems@5",
        "OutsideCatalogue", "ILD@5", "ILD", "ILD(metric=euclidean)@9", "ILD(metric=jaccard,source=categories)",
        "ILD(source=history)@6", "Novelty@5", "Novelty", "Novelty(divisor=k)@20", "MIUF@5", "EPC@5", "EFD", "ARP@3",
        "ARP", "APLT@5", "ACLT@5", "PopularityLift@5", "PopREO@5", "PopRSP@5", "PopRSP(groups=catalogue)",
        "GroupExposure(group=a)@5", "GroupExposure(group=b,unit=ratio)", "Disparity@5",
        "Disparity(target=relevance,distance=kl)", "Serendipity@5", "Unexpectedness@5", "Calibration",
        "CategoryDiversity@5", "CategoryEntropy", "Revenue@5", "Margin", "ValueNDCG@5", "ValueNDCG", "ValueHitRate",
        "ILD(ties=item-ascending)@3", "Coverage(queries=common,ties=reversed)@2", "Revenue(aggregate=sum)@3",
        "Novelty(aggregate=median)@3", "CatalogueAccuracy@5", "MCC", "MCC(shown=k)@5",
        "AWRF@5", "AWRF(target=relevance,distance=tv)", "Disparity(distance=js)@5", "AP", "nDCG@5",
    )
]  # fmt: skip

DIVERSE = [
    rm.parse(text)
    for text in (
        "alpha_nDCG@5", "alpha_DCG", "ERR_IA@5", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA@5", "StRecall@3",
        "alpha_nDCG(ties=item-ascending)@5", "AP", "nDCG@5",
    )
]  # fmt: skip


def with_subtopics() -> tuple[list[tuple[str, str, str, float]], dict[str, dict[str, float]]]:
    """Rows of judgments of subtopics, and a run with ties."""
    draw = random.Random(5)
    judged = {
        (f"q{q}", str(draw.randint(1, 20)), str(draw.randint(1, 6))): float(draw.randint(0, 3))
        for q in range(9)
        for _ in range(25)
    }
    run = {
        f"q{q}": {str(item): draw.choice([1.0, 2.0, 2.5, -1.0]) for item in draw.sample(range(1, 30), 14)}
        for q in range(2, 11)
    }
    return [(*key, grade) for key, grade in judged.items()], run
