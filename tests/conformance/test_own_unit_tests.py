"""Values that the tools' own unit tests expect, of those that run in Java, Ruby and JavaScript."""

from __future__ import annotations

import pytest

import rankmeter as rm

BY_THREE = [place % 3 for place in range(1, 21)]
FIVE_FIRST, FIVE_LAST = [3] * 5 + [None] * 10, [None] * 5 + [3] * 5
# Dialect, metric, ratings in ranked order (None: not rated), ratings of documents that were not returned, value, error.
CASES = [
    ("search_relevance", "Precision@20", BY_THREE, [], 0.35, 0.0051),
    ("search_relevance", "Precision@5", BY_THREE, [], 0.4, 0.0051),
    ("search_relevance", "MAP@20", BY_THREE, [], 0.39, 0.0051),
    ("search_relevance", "MAP@5", BY_THREE, [], 0.13, 0.0051),
    ("search_relevance", "NDCG@20", BY_THREE, [], 0.76, 0.0051),
    ("search_relevance", "NDCG@5", BY_THREE, [], 0.51, 0.0051),
    ("search_relevance", "NDCG@8", BY_THREE[:5], BY_THREE[5:], 0.40, 0.0051),
    ("search_relevance", "Recall@5", BY_THREE, [], 0.29, 0.0051),
    ("search_relevance", "DCG@5", BY_THREE, [], 4.48, 0.0051),
    ("search_relevance:3.5", "Precision@20", BY_THREE, [], 0.7, 0.0051),
    ("search_relevance:3.5", "Precision@5", BY_THREE, [], 0.8, 0.0051),
    ("search_relevance:3.5", "MAP@20", BY_THREE, [], 0.76, 0.0051),
    ("search_relevance", "Precision@10", [1, 2, 3, 4, 5] * 2, [], 0.2, 0.0051),
    ("search_relevance", "Precision@10", [1] * 7 + [0] * 3, [], 0.7, 0.0051),
    ("quepid:server", "P@10", [1, 0], [], 0.5, 0.0051),
    ("quepid:server", "AP@10", [0, 1], [1], 0.25, 0.0051),
    ("quepid:server", "CG@10", [0, 3, 1], [], 4.0, 0.0051),
    ("quepid:server", "DCG@10", [0, 3, 1], [], 4.92, 0.0051),
    ("quepid:server", "nDCG@10", [0, 3, 1], [], 0.64, 0.0051),
    ("quepid:server", "RR@10", [0, 0, 1], [], 0.33, 0.0051),
    *(("rre", f"NDCG@{k}", FIVE_FIRST, [3] * 5, value, 0.03)
      for k, value in {5: 1, 6: 0.89, 7: 0.81, 8: 0.74, 9: 0.69, 10: 0.64}.items()),
    *(("rre", f"NDCG@{k}", FIVE_LAST, [3] * 5, value, 0.03)
      for k, value in {6: 0.10, 7: 0.18, 8: 0.25, 9: 0.30, 10: 0.35}.items()),
    ("rre", "NDCG@10", [None] * 9 + [3], [3] * 9, 0.06, 0.03),
    ("rre", "RR@10", [1, 1, None, 3, 1], [], 0.25, 0.0051),
    ("rre", "AP", FIVE_FIRST, [3] * 5, 0.5, 0.0021),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(CASES)))
def test_what_the_tool_expects_of_itself(number):
    dialect, metric, ratings, missed, wanted, error = CASES[number]
    judged = {f"d{place}": rating for place, rating in enumerate([*ratings, *missed]) if rating is not None}
    run = {"q": [f"d{place}" for place in range(len(ratings))]}
    [value] = rm.evaluate({"q": judged}, run, [metric], dialect=dialect).means.values()
    assert value == pytest.approx(wanted, abs=error)
