"""Ranks from a scoring callback, and the best items of a catalogue, equal those of a full sort."""

from __future__ import annotations

import numpy as np
import pytest

import rankmeter as rm
from rankmeter.wings.catalogue import callback, vectors

MEASURES = ["RR", "AP", "nDCG@10", "MeanRank", "AUC", "RR(ties=item-ascending)", "RR(ties=input)", "AP(ties=mean)"]


def in_torch(values):
    return pytest.importorskip("torch").as_tensor(values)


@pytest.fixture(params=[(7, 11), (1024, 8192)])
def tile(request, monkeypatch):
    for module in (callback, vectors):
        monkeypatch.setattr(module, "QUERIES_AT_ONCE", request.param[0])
        monkeypatch.setattr(module, "ITEMS_AT_ONCE", request.param[1])


def data(seed, *, tied, queries=40, items=120):
    draw = np.random.default_rng(seed)
    scores = draw.normal(size=(queries, items)).astype(np.float32)
    if tied:
        scores = draw.integers(-2, 3, (queries, items)).astype(np.float32)
        scores[3] = -np.inf
    judgments = {q: {int(i): int(draw.integers(0, 4)) for i in draw.choice(items, 5)} for q in range(2, queries + 3)}
    seen = {q: draw.choice(items, 30, replace=False).tolist() for q in range(0, queries, 2)}
    return scores, judgments, seen


def full_sort(scores, seen):
    """Every list in full: higher scores first, then the order of the catalogue."""
    return {
        q: sorted((i for i in range(len(row)) if i not in set(seen.get(q, []))), key=lambda i: (-row[i], i))
        for q, row in enumerate(scores.tolist())
    }


@pytest.mark.usefixtures("tile")
@pytest.mark.parametrize("kind", [np.asarray, in_torch])
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("with_seen", [False, True])
def test_a_callback_is_ranked_as_its_full_matrix(kind, tied, with_seen):
    scores, judgments, seen = data(1, tied=tied)
    seen = seen if with_seen else {}
    matrix = kind(scores)
    ranked = rm.rank_catalogue(
        judgments, score=lambda q, i: matrix[q][:, i], queries=40, items=120, exclude=seen or None, top=25
    )
    lists = full_sort(scores, seen)
    run = {q: {i: float(scores[q, i]) for i in one} for q, one in lists.items() if q in judgments}
    assert rm.evaluate(ranked, measures=MEASURES).per_query.equals(rm.evaluate(judgments, run, MEASURES).per_query)
    assert ranked.top_lists() == {q: lists.get(q, [])[:25] for q in judgments}


@pytest.mark.usefixtures("tile")
@pytest.mark.parametrize("kind", [np.asarray, in_torch])
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("k", [1, 20, 95, 500])
def test_the_best_items_are_those_of_exact_scores(kind, tied, k):
    draw = np.random.default_rng(2)
    users, items = draw.normal(size=(30, 16)).astype(np.float32), draw.normal(size=(100, 16)).astype(np.float32)
    if tied:
        items = np.repeat(items[:20], 5, axis=0)
        # Half of the copies differ in the last bit, which float32 products cannot see.
        items[::2] = np.nextafter(items[::2], np.float32(np.inf))
    exact = np.zeros((30, 100))
    for column in range(16):
        exact += users[:, column, None].astype(np.float64) * items[None, :, column].astype(np.float64)
    seen = {q: draw.choice(100, 10, replace=False).tolist() for q in range(0, 30, 3)}
    ranked = rm.rank_catalogue({q: [50] for q in range(29, -1, -1)}, kind(users), kind(items), exclude=seen, top=k)
    lists = full_sort(exact, seen)
    assert ranked.top_lists() == {q: lists[q][:k] for q in range(29, -1, -1)}
    assert ranked.top.shape == (30, k)


def test_ids_of_the_best_items_are_those_of_the_catalogue():
    users, films = np.eye(2), np.array([[3.0, 1.0], [2.0, 2.0], [1.0, 3.0]])
    ranked = rm.rank_catalogue({"v": ["c"], "u": ["a"], "w": ["a"]}, users, films, queries=["u", "v"],
                               items=["a", "b", "c"], top=2)  # fmt: skip
    assert ranked.top.tolist() == [["c", "b"], ["a", "b"], [None, None]]
    assert ranked.top_lists() == {"v": ["c", "b"], "u": ["a", "b"], "w": []}


def test_only_judged_queries_are_scored():
    asked = []

    def score(rows, items):
        asked.append((rows.tolist(), items.start, items.stop))
        return np.ones((len(rows), items.stop - items.start))

    rm.rank_catalogue({5: [1], 2: [0]}, score=score, queries=1000, items=3)
    assert asked == [([2, 5], 0, 3)] * 2


def test_a_callback_that_answers_differently_is_found_out():
    draw = np.random.default_rng(0)
    with pytest.raises(rm.RankmeterError, match="2 judged items do not tie with themselves"):
        rm.rank_catalogue({0: [1], 1: [0]}, score=lambda q, _: draw.random((len(q), 3)), queries=2, items=3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"score": lambda *_: np.ones((3, 3))}, r"score\(\) gave the shape \(3, 3\) for 1 query and 3 items"),
        ({"score": lambda *_: np.full((1, 3), np.nan)}, r"score\(\) gave NaN among items 0 to 2"),
        ({"queries": None}, "score= does not say how many queries there are"),
        ({"items": None}, "score= does not say how many items there are"),
        ({"query_vectors": np.ones((2, 2))}, "vectors, bias= and similarity= do not go with it"),
        ({"precision": "fast"}, "a callback gives the scores"),
        ({"score": None}, "nothing to rank by was given"),
        ({"top": 0}, "top=0 is not possible"),
        ({"items": 0}, "items=0"),
    ],
)
def test_a_wrong_callback_is_refused(change, message):
    given = {"score": lambda q, _: np.ones((len(q), 3)), "queries": 2, "items": 3} | change
    with pytest.raises(rm.InputError, match=message):
        rm.rank_catalogue({0: [1]}, **given)


def test_best_items_that_were_not_asked_for_are_not_there():
    with pytest.raises(rm.InputError, match="the best items were not kept"):
        rm.rank_catalogue({0: [1]}, np.ones((1, 2)), np.ones((2, 2))).top_lists()
