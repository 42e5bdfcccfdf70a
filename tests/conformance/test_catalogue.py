"""Ranks against a whole catalogue equal those of a full sort of exactly summed scores."""

from __future__ import annotations

import numpy as np
import pytest

import rankmeter as rm
from rankmeter.placing import products

MEASURES = [
    "RR",
    "AP",
    "nDCG@10",
    "R@20",
    "MeanRank",
    "AUC",
    "RR(ties=item-ascending)",
    "RR(ties=input)",
    "nDCG(ties=mean)@5",
]


def scored_exactly(users, items, bias=None):
    """Every score by its definition: a float64 sum in index order of products of float32 numbers."""
    users, items = users.astype(np.float32).astype(np.float64), items.astype(np.float32).astype(np.float64)
    total = np.zeros((len(users), len(items)))
    for column in range(users.shape[1]):
        total += users[:, column, None] * items[None, :, column]
    return total if bias is None else total + np.asarray(bias, np.float32).astype(np.float64)


def in_torch(values):
    return pytest.importorskip("torch").as_tensor(values)


@pytest.mark.parametrize("kind", [np.asarray, in_torch])
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("with_seen", [False, True])
@pytest.mark.parametrize("tile", [(7, 11), (1024, 4096)])
def test_ranks_equal_those_of_a_full_sort(kind, tied, with_seen, tile, monkeypatch):
    monkeypatch.setattr(products, "QUERIES_AT_ONCE", tile[0])
    monkeypatch.setattr(products, "ITEMS_AT_ONCE", tile[1])
    draw = np.random.default_rng(7)
    users, items = draw.normal(size=(40, 16)), draw.normal(size=(300, 16))
    if tied:
        users, items = draw.integers(-1, 2, (40, 16)), np.repeat(draw.integers(-1, 2, (100, 16)), 3, axis=0)
    bias = draw.integers(0, 3, 300)
    judgments = {q: {int(i): int(draw.integers(0, 4)) for i in draw.choice(300, 6, replace=False)} for q in range(45)}
    seen = {q: draw.choice(300, 30, replace=False).tolist() for q in range(40)} if with_seen else {}
    scores = scored_exactly(users, items, bias)
    run = {
        q: {i: s for i, s in enumerate(row.tolist()) if i not in set(seen.get(q, []))} for q, row in enumerate(scores)
    }
    ranked = rm.rank_catalogue(judgments, kind(users), kind(items), bias=bias, exclude=seen or None)
    found, expected = rm.evaluate(ranked, measures=MEASURES), rm.evaluate(judgments, run, MEASURES)
    assert found.per_query.equals(expected.per_query)


def test_nearly_equal_items_are_told_apart():
    draw = np.random.default_rng(3)
    items = np.repeat(draw.normal(size=(20, 64)), 10, axis=0).astype(np.float32)
    items = np.nextafter(items, np.where(draw.random(items.shape) < 0.5, np.float32(np.inf), np.float32(-np.inf)))
    users = draw.normal(size=(30, 64)).astype(np.float32)
    judgments = {q: [int(draw.integers(200))] for q in range(30)}
    run = {q: dict(enumerate(row.tolist())) for q, row in enumerate(scored_exactly(users, items))}
    ranked = rm.rank_catalogue(judgments, users, items)
    assert ranked.recomputed > 30
    assert rm.evaluate(ranked, measures="MeanRank").per_query.equals(rm.evaluate(judgments, run, "MeanRank").per_query)


def test_cosine_ignores_the_length_of_vectors():
    users, items = np.array([[1.0, 0.0]]), np.array([[0.1, 0.0], [5.0, 5.0], [9.0, 1.0]])
    ranked = rm.rank_catalogue({"u": ["a"]}, users, items, similarity="cosine", queries=["u"], items=["a", "b", "c"])
    assert rm.evaluate(ranked, measures="RR")["RR"] == 1.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"item_vectors": np.ones((3, 5))}, "differ in width: query_vectors 4, item_vectors 5"),
        ({"item_vectors": np.full((3, 4), np.nan)}, "item_vectors holds NaN or infinity in 3 rows: 0, 1, 2"),
        ({"judgments": {0: [9]}}, r"1 relevant items are outside the catalogue: 9 \(query 0\)"),
        ({"bias": [1.0]}, "bias has 1 values for 3 items"),
        ({"items": ["a", "a", "b"]}, "items= names a row twice: a, a"),
        ({"query_vectors": np.ones(4)}, "query_vectors is a matrix"),
        ({"similarity": "cosine", "item_vectors": np.zeros((3, 4))}, "zero vectors, which have no cosine"),
    ],
)
def test_wrong_vectors_are_refused(change, message):
    given = {"judgments": {0: [1]}, "query_vectors": np.ones((2, 4)), "item_vectors": np.ones((3, 4))} | change
    with pytest.raises(rm.InputError, match=message):
        rm.rank_catalogue(given.pop("judgments"), given.pop("query_vectors"), given.pop("item_vectors"), **given)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"similarity": "l2"}, "similarity='l2' is not known"),
        ({"precision": "half"}, "precision='half' is not known"),
        ({"top": 2.5}, "top=2.5 is not possible"),
    ],
)
def test_an_unknown_option_ranks_nothing(wrong, said):
    with pytest.raises(rm.InputError, match=said):
        rm.rank_catalogue({0: [1]}, np.ones((1, 2)), np.eye(2), **wrong)


@pytest.mark.parametrize("wrong", [[["a", "b"]], [[1.0], [1.0, 2.0]], np.ones((1, 2), complex)])
def test_what_is_no_matrix_of_numbers_is_said(wrong):
    with pytest.raises(rm.InputError, match="query_vectors"):
        rm.rank_catalogue({0: [1]}, wrong, np.eye(2))


def test_an_item_may_be_called_minus_one():
    ranked = rm.rank_catalogue({0: [-1]}, np.ones((1, 2)), np.eye(2), items=[-1, 5], exclude={0: [5]}, top=2)
    assert ranked.top_lists() == {0: [-1]}
