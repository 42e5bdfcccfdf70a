"""Functions as they stand in public repositories, re-created from what is told of them; half of them are wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import rankmeter as rm

Lists = Sequence[str]


def ndcg_of_ids(retrieved: Lists, relevant: set[str], k: int) -> float:
    """Binary nDCG with the ideal of min(R, k) hits; a repeated hit counts again, so that it exceeds 1."""
    dcg = sum(1 / math.log2(rank + 1) for rank, item in enumerate(retrieved[:k], 1) if item in relevant)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(relevant), k) + 1))
    return dcg / ideal if ideal else 0.0


def ndcg_of_first_places(retrieved: Lists, relevant: set[str], k: int) -> float:
    """Binary nDCG in which a repeated item is credited at its first place alone."""
    once = [item if item not in retrieved[:place] else "" for place, item in enumerate(retrieved)]
    return ndcg_of_ids(once, relevant, k)


def ndcg_full_ideal(retrieved: Lists, relevant: set[str], k: int) -> float:
    """The ideal has k hits whatever there is to find: one relevant item at rank 1 is not perfect."""
    dcg = sum(1 / math.log2(rank + 1) for rank, item in enumerate(retrieved[:k], 1) if item in relevant)
    return dcg / sum(1 / math.log2(rank + 1) for rank in range(1, k + 1))


def ndcg_of_relevances(relevances: Sequence[float], k: int) -> float:
    """The ideal is the same list sorted: what was not retrieved costs nothing."""
    gains = np.asarray(relevances, float)[:k]
    ideal = np.sort(np.asarray(relevances, float))[::-1][:k]
    discounts = np.log2(np.arange(len(gains)) + 2)
    best = float((ideal / discounts).sum())
    return float((gains / discounts).sum()) / best if best else 0.0


def ndcg_of_the_top(relevances: Sequence[float], k: int) -> float:
    """The ideal is the first k sorted: a list of one late hit that is moved up would be perfect."""
    top = list(relevances[:k])

    def dcg(gains: Sequence[float]) -> float:
        return sum((2**gain - 1) / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))

    best = dcg(sorted(top, reverse=True))
    return dcg(top) / best if best else 0.0


def ndcg_first_two_alike(relevances: Sequence[float], k: int) -> float:
    """The discount begins at rank 2."""

    def dcg(gains: Sequence[float]) -> float:
        return sum(gain / max(1.0, math.log2(rank)) for rank, gain in enumerate(gains[:k], 1))

    best = dcg(sorted(relevances, reverse=True))
    return dcg(relevances) / best if best > 0 else 0.0


def recall_is_hit_rate(retrieved: Lists, relevant: set[str], k: int) -> float:
    """Called recall, it asks only whether anything was found."""
    return 1.0 if set(retrieved[:k]) & relevant else 0.0


def recall_in_a_set(retrieved: Lists, relevant: set[str], k: int) -> float:
    """Recall; a repeated item counts once."""
    return len(set(retrieved[:k]) & relevant) / len(relevant) if relevant else 0.0


def recall_counts_repeats(retrieved: Lists, relevant: set[str], k: int) -> float:
    """A relevant item that is returned twice counts twice: recall of 2."""
    return sum(item in relevant for item in retrieved[:k]) / len(relevant) if relevant else 0.0


def recall_capped(retrieved: Lists, relevant: set[str], k: int) -> float:
    """Divided by min(R, k)."""
    return len(set(retrieved[:k]) & relevant) / min(len(relevant), k) if relevant else 0.0


def precision_divides_by_k(retrieved: Lists, relevant: set[str], k: int) -> float:
    """Precision over k places."""
    return sum(item in relevant for item in retrieved[:k]) / k


def precision_divides_by_list(retrieved: Lists, relevant: set[str], k: int) -> float:
    """Divided by the items that exist."""
    top = retrieved[:k]
    return sum(item in relevant for item in top) / len(top) if top else 0.0


def precision_of_a_set(retrieved: Lists, relevant: set[str], k: int) -> float:
    """A set where a list was meant: repeated items shrink the divisor."""
    top = set(retrieved[:k])
    return len(top & relevant) / len(top) if top else 0.0


def precision_raises(retrieved: Lists, relevant: set[str], k: int) -> float:
    """Fails on lists shorter than k."""
    return sum(retrieved[place] in relevant for place in range(k)) / k


def mrr_counts_from_zero(retrieved: Lists, relevant: set[str], k: int) -> float:
    """1 over the place counted from 0: infinite at rank 1, above 1 never, but wrong everywhere."""
    places = [place for place, item in enumerate(retrieved[:k]) if item in relevant]
    return 1 / places[0] if places and places[0] else 0.0


def mrr_of_every_hit(retrieved: Lists, relevant: set[str], k: int) -> float:
    """The mean of 1/rank over the hits, not of the first."""
    ranks = [rank for rank, item in enumerate(retrieved[:k], 1) if item in relevant]
    return sum(1 / rank for rank in ranks) / len(ranks) if ranks else 0.0


def reciprocal_rank(retrieved: Lists, relevant: set[str], k: int) -> float:
    """1 over the first hit within k."""
    return next((1 / rank for rank, item in enumerate(retrieved[:k], 1) if item in relevant), 0.0)


def apk(actual: Lists, predicted: Lists, k: int = 10) -> float:
    """The AP@k of a well-known competition: min(R, k), a repeat counts at its first place, no truth is 0."""
    score, hits = 0.0, 0
    for place, item in enumerate(predicted[:k]):
        if item in actual and item not in predicted[:place]:
            hits += 1
            score += hits / (place + 1)
    return score / min(len(actual), k) if actual else 0.0


def ap_of_hits(retrieved: Lists, relevant: set[str], k: int) -> float:
    """Divided by what was found: one hit at rank 1 of fifty relevant items is 1."""
    precisions = []
    for rank, item in enumerate(retrieved[:k], 1):
        if item in relevant:
            precisions.append((len(precisions) + 1) / rank)
    return sum(precisions) / len(precisions) if precisions else 0.0


def empty_is_perfect(retrieved: Lists, relevant: set[str], k: int) -> float:
    """Recall, 1 where nothing is relevant."""
    return len(set(retrieved[:k]) & relevant) / len(relevant) if relevant else 1.0


def ndcg_that_sorts_in_place(relevances: list[float], k: int) -> float:
    """Sorts its argument to get the ideal, and measures the sorted list."""
    top = list(relevances)
    relevances.sort(reverse=True)
    dcg = sum(gain / math.log2(rank + 1) for rank, gain in enumerate(top[:k], 1))
    best = sum(gain / math.log2(rank + 1) for rank, gain in enumerate(relevances[:k], 1))
    return dcg / best if best > 0 else 0.0


def first_of_the_truth(retrieved: Lists, relevant: list[str], k: int) -> float:
    """Looks only for the first id of the ground truth: depends on an order that means nothing."""
    return float(bool(relevant) and relevant[0] in retrieved[:k])


def run_mean(qrels: Mapping[str, Mapping[str, int]], run: Mapping[str, Mapping[str, float]], k: int) -> float:
    """Averages over the queries of the run: one that found nothing and was dropped is not missed."""
    total = 0.0
    for query, scores in run.items():
        best = sorted(scores, key=lambda item: -scores[item])[:k]
        total += sum(qrels.get(query, {}).get(item, 0) > 0 for item in best) / k
    return total / len(run)


def pooled_recall(retrieved: list[list[str]], relevant: list[set[str]], k: int) -> float:
    """A ratio of sums where a mean of ratios was meant."""
    hits = sum(len(set(top[:k]) & truth) for top, truth in zip(retrieved, relevant, strict=True))
    return hits / sum(map(len, relevant)) if any(relevant) else 0.0


def q_of_gains(retrieved: list[str], grades: Mapping[str, float], k: int) -> float:
    """Reads hits plus gain over rank plus ideal gain at each hit."""
    ideal = sorted((grade for grade in grades.values() if grade > 0), reverse=True)
    blended = gained = hits = 0.0
    left = dict(grades)
    for rank, item in enumerate(retrieved[:k], 1):
        if (grade := left.pop(item, 0)) > 0:
            hits, gained = hits + 1, gained + grade
            blended += (hits + gained) / (rank + sum(ideal[:rank]))
    return blended / min(len(ideal), k) if ideal else 0.0


RIGHT = [
    (ndcg_of_first_places, "nDCG@10", None),
    (recall_in_a_set, "R@10", "R(duplicates=once)@k"),
    (recall_capped, "R(norm=capped)@5", "R(duplicates=once,norm=capped)@k"),
    (precision_divides_by_k, "P@10", "P(duplicates=counted)@k"),
    (precision_divides_by_list, "P(norm=list)@10", "P(duplicates=counted,norm=list)@k"),
    (reciprocal_rank, "MRR@10", "RR(duplicates=counted)@k"),
    (apk, "AP(norm=capped)@10", None),
    (recall_is_hit_rate, "Success@5", None),
    (empty_is_perfect, "R(empty=one)@5", None),
    (ndcg_of_relevances, "nDCG(candidates=list,negative=counted)@10", None),
    (ap_of_hits, "AP(norm=hits)@10", None),
    (q_of_gains, "Q@10", "Q(duplicates=once)@k"),
]
"""Functions with what they claim rightly, and the definition that is found."""

WRONG: list[tuple[Callable[..., Any], str, str | None, set[str]]] = [
    (ndcg_of_ids, "nDCG@10", "nDCG(duplicates=counted)@k", {"above"}),
    (ndcg_full_ideal, "nDCG@10", "nDCG(duplicates=counted,gain=binary,ideal=full)@k", set()),
    (ndcg_of_relevances, "nDCG@10", "nDCG(candidates=list,negative=counted)@k", set()),
    (ndcg_of_the_top, "nDCG@10", None, set()),
    (ndcg_first_two_alike, "nDCG@10", "nDCG(candidates=list,discount=jk,negative=counted)@k", set()),
    (recall_is_hit_rate, "R@5", "Success(duplicates=counted)@k", set()),
    (recall_counts_repeats, "R@10", "R(duplicates=counted)@k", {"above"}),
    (precision_divides_by_list, "P@10", "P(duplicates=counted,norm=list)@k", set()),
    (precision_of_a_set, "P@10", None, set()),
    (precision_raises, "P@10", None, {"raises"}),
    (mrr_counts_from_zero, "RR@10", None, set()),
    (mrr_of_every_hit, "RR@10", "RR(duplicates=counted,hits=found)@k", set()),
    (apk, "AP@10", None, set()),
    (ap_of_hits, "AP@10", None, set()),
    (ndcg_that_sorts_in_place, "nDCG@10", None, {"mutated"}),
    (first_of_the_truth, "Success@5", None, {"ordered"}),
    (run_mean, "P@10", None, set()),
    (pooled_recall, "R@10", None, set()),
    (q_of_gains, "Q(norm=relevant)@10", "Q(duplicates=once)@k", set()),
]
"""Functions with what they claim wrongly, the definition that they follow, and what is wrong under any."""


@pytest.mark.parametrize(("function", "claim", "follows"), RIGHT, ids=lambda value: getattr(value, "__name__", None))
def test_a_right_claim_is_met(function: Callable[..., Any], claim: str, follows: str | None) -> None:
    verdict = rm.check(function, claim)
    assert verdict.meets_claim, verdict
    assert not verdict.departures
    assert verdict.conforms
    if follows is not None:
        assert verdict.follows == follows


@pytest.mark.parametrize(
    ("function", "claim", "follows", "faults"), WRONG, ids=lambda value: getattr(value, "__name__", None)
)
def test_a_wrong_claim_is_refused(
    function: Callable[..., Any], claim: str, follows: str | None, faults: set[str]
) -> None:
    verdict = rm.check(function, claim)
    assert not verdict.conforms
    assert {fault.kind for fault in verdict.faults} == faults
    if not faults:
        assert verdict.departures
    if follows is not None:
        assert verdict.follows == follows
