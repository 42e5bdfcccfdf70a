"""Ranks against a whole catalogue equal those of a full sort of exactly summed scores."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import rankmeter as rm
from rankmeter.wings.catalogue import products

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
        ({"judgments": {0: [9]}}, r"1 relevant item is outside the catalogue: 9 \(query 0\)"),
        ({"bias": [1.0]}, "bias has 1 value for 3 items"),
        ({"items": ["a", "a", "b"]}, "items= names a row twice: a, a"),
        ({"query_vectors": np.ones(4)}, "query_vectors must be a matrix"),
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
        ({"similarity": "l2"}, "similarity='l2' is not possible"),
        ({"precision": "half"}, "precision='half' is not possible"),
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


def data(seed=11, queries=30, items=200):
    draw = np.random.default_rng(seed)
    vectors = draw.normal(size=(queries, 12)), np.repeat(draw.normal(size=(items // 2, 12)), 2, axis=0)
    pairs = np.repeat(np.arange(queries), 3), draw.integers(0, items, 3 * queries), draw.integers(0, 3, 3 * queries)
    _, first = np.unique(pairs[0] * items + pairs[1], return_index=True)
    query, item, grade = (column[np.sort(first)] for column in pairs)
    seen = np.stack([draw.integers(0, queries, 150), draw.integers(0, items, 150)], axis=1)
    return vectors, (query, item, grade), seen


def as_mapping(query, item, grade):
    judgments = {}
    for q, i, g in zip(query.tolist(), item.tolist(), grade.tolist(), strict=True):
        judgments.setdefault(q, {})[i] = g
    return judgments


def as_lists(pairs):
    seen = {}
    for q, i in pairs.tolist():
        seen.setdefault(q, []).append(i)
    return seen


@pytest.mark.parametrize("kind", [np.asarray, in_torch])
@pytest.mark.parametrize("shape", ["columns", "matrix"])
@pytest.mark.parametrize("named", [False, True])
def test_pairs_are_ranked_as_the_mapping_they_stand_for(kind, shape, named):
    (users, items), judged, seen = data()
    ids = {"queries": (np.arange(30) + 7).tolist(), "items": (np.arange(200)[::-1] * 3).tolist()} if named else {}
    if named:
        judged = (judged[0] + 7, (199 - judged[1]) * 3, judged[2])
        seen = np.stack([seen[:, 0] + 7, (199 - seen[:, 1]) * 3], axis=1)
    expected = rm.rank_catalogue(as_mapping(*judged), users, items, exclude=as_lists(seen), top=5, **ids)
    judgments = tuple(map(kind, judged)) if shape == "columns" else kind(np.stack(judged, axis=1))
    exclude = (kind(seen[:, 0]), kind(seen[:, 1])) if shape == "columns" else kind(seen)
    ranked = rm.rank_catalogue(judgments, users, items, exclude=exclude, top=5, **ids)
    assert rm.evaluate(ranked, measures=MEASURES).per_query.equals(rm.evaluate(expected, measures=MEASURES).per_query)
    assert ranked.top_lists() == expected.top_lists()


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ((np.arange(3), np.arange(2)), r"columns of equal length.*\(3,\), \(2,\)"),
        ((np.arange(3),), "columns of equal length"),
        ((np.arange(3), np.ones(3)), "whole numbers"),
        (np.ones((3, 2)), "whole numbers"),
    ],
)
def test_wrong_pairs_are_refused(pairs, said):
    for given in ({"judgments": pairs}, {"judgments": {0: [1]}, "exclude": pairs}):
        with pytest.raises(rm.InputError, match=said):
            rm.rank_catalogue(given.pop("judgments"), np.ones((3, 2)), np.ones((5, 2)), **given)


@pytest.mark.parametrize("devices", [["cpu"], ["cpu", "cpu"], ["cpu"] * 5])
def test_several_devices_share_the_queries(devices):
    (users, items), judged, seen = data()
    expected = rm.rank_catalogue(as_mapping(*judged), users, items, exclude=seen, top=5)
    told = []
    ranked = rm.rank_catalogue(judged, users, items, exclude=seen, top=5, device=devices, progress=told.append)
    assert rm.evaluate(ranked, measures=MEASURES).per_query.equals(rm.evaluate(expected, measures=MEASURES).per_query)
    assert ranked.top_lists() == expected.top_lists()
    assert ranked.device == ", ".join(devices)
    assert told[0].fraction == 0
    assert told[0].memory > 0
    assert told[-1].fraction == 1
    assert [one.rows for one in told] == sorted(one.rows for one in told)


def test_a_bar_is_shown_where_it_is_asked_for(capsys):
    rm.rank_catalogue({0: [1]}, np.ones((1, 2)), np.eye(2), progress=True)
    shown = capsys.readouterr()
    assert "100% 1 row" in shown.err
    assert not shown.out


def test_the_natural_call_gives_the_numbers():
    (users, items), judged, _ = data()
    judgments = as_mapping(*judged)
    ranked = rm.rank_catalogue(judgments, users, items)
    expected = rm.evaluate(ranked, measures=MEASURES)
    backwards = {q: dict(reversed(graded.items())) for q, graded in reversed(judgments.items())}
    for given in (judgments, judged, backwards):
        assert rm.evaluate(given, ranked, MEASURES).per_query.equals(expected.per_query)


@pytest.mark.parametrize(
    "other", [{0: {1: 1}}, {}, {0: {1: 1}, "x": {1: 1}}, "another grade", "another item", "a query less"]
)
def test_other_judgments_than_those_ranked_are_refused(other):
    (users, items), judged, _ = data()
    ranked = rm.rank_catalogue(as_mapping(*judged), users, items)
    if isinstance(other, str):
        changed = [column.copy() for column in judged]
        column, place = {"another grade": (2, 0), "another item": (1, 4), "a query less": (0, 0)}[other]
        changed[column][place] = {0: 0, 1: (changed[1][4] + 1) % 200, 2: 5}[column]
        other = as_mapping(*(c[3:] if column == 0 else c for c in changed))
    with pytest.raises(rm.InputError, match=r"not those that the catalogue was ranked for|hold nothing|empty|no "):
        rm.evaluate(other, ranked, MEASURES)


def test_what_carries_its_judgments_says_so():
    torch = pytest.importorskip("torch")
    carried = rm.tensors(torch.rand(2, 3), torch.ones(2, 3))
    with pytest.raises(rm.InputError, match=r"contains its own judgments.*Hint: evaluate\(run, measures=...\)"):
        rm.evaluate({0: [1]}, carried, "RR")


VECTORS = np.eye(2, 3), np.array([[1, 0, 0], [0.5, 0.5, 0], [0, 1, 0]])
RUN = {0: {0: 1.0, 1: 0.5, 2: 0.0}, 1: {0: 0.0, 1: 0.5, 2: 1.0}}


def by_vectors(judgments, **more):
    return rm.rank_catalogue(judgments, *VECTORS, **more)


def by_callback(judgments, **more):
    users, items = VECTORS
    return rm.rank_catalogue(
        judgments, score=lambda rows, some: users[rows] @ items[some].T, queries=2, items=3, **more
    )


WAYS = [by_vectors, by_callback]


@pytest.mark.parametrize("rank", WAYS)
@pytest.mark.parametrize(
    "judgments", [{0: [0], 1: []}, {0: {0: 1}, 1: {}}, {0: [0], 9: []}, {0: [], 1: []}, {0: {0: 1}, 1: {1: 0}}], ids=str
)
def test_queries_without_a_judged_item_count_as_in_a_run(judgments, rank):
    asked = ["RR", "RR(empty=skip)", "RR(empty=one)", "nDCG@2"]
    ranked, run = rm.evaluate(rank(judgments), measures=asked), rm.evaluate(judgments, RUN, asked)
    judged = run.per_query.filter(pl.col("query").is_in(list(judgments)))  # a query that is only in the run comes last
    assert ranked.per_query.equals(judged)
    assert ranked.means == run.means


@pytest.mark.parametrize("rank", WAYS)
@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        (([0, 1, 0], [1, 2, 1]), "judges an item twice for the same query: item 1 in query 0"),
        (([0, 0], [1, 1], [1, 0]), "judges an item twice"),
        (([0, 0], [1, 2], [1, np.nan]), "NaN or infinite in 1 row: 1"),
        (([0, 0], [1, 2], [-np.inf, 1]), "NaN or infinite in 1 row: 0"),
    ],
    ids=str,
)
def test_pairs_are_judged_once_and_with_a_number(pairs, said, rank):
    with pytest.raises(rm.InputError, match=said):
        rank(tuple(map(np.array, pairs)))


@pytest.mark.parametrize("rank", WAYS)
def test_a_table_that_judges_twice_is_refused_as_in_a_run(rank):
    table = pl.DataFrame({"query": [0, 0], "item": [1, 1], "grade": [1, 2]})
    for evaluate in (rank, lambda judged: rm.evaluate(judged, RUN, "RR")):
        with pytest.raises(rm.InputError, match="judges an item twice for the same query: item 1 in query 0"):
            evaluate(table)


@pytest.mark.parametrize("kind", [np.asarray, in_torch])
@pytest.mark.parametrize("dtype", ["int16", "uint16", "int32", "uint32", "uint64", "int64"])
def test_what_is_excluded_does_not_depend_on_the_bits_of_its_numbers(dtype, kind):
    draw = np.random.default_rng(0)
    users, items = draw.normal(size=(200, 4)), draw.normal(size=(1000, 4))
    judgments = {query: [int(draw.integers(1000))] for query in range(200)}
    seen = [(query, int(item)) for query in range(200) for item in draw.choice(1000, 30, replace=False)]
    wide = np.array([pair for pair in seen if pair[1] not in judgments[pair[0]]])
    expected = rm.rank_catalogue(judgments, users, items, exclude=(wide[:, 0], wide[:, 1]))
    narrow = tuple(kind(side.astype(dtype)) for side in wide.T)
    ranked = rm.rank_catalogue(judgments, users, items, exclude=narrow)
    assert rm.evaluate(ranked, measures=MEASURES).per_query.equals(rm.evaluate(expected, measures=MEASURES).per_query)


@pytest.mark.parametrize("rank", WAYS)
def test_relevant_items_that_are_excluded_are_said(rank):
    told = rm.evaluate(rank({0: [0, 1], 1: [2]}, exclude={0: [0, 1], 1: [0]}), measures="RR").facts.sentences()
    assert any("2 relevant items are excluded from the ranking" in sentence for sentence in told)
    told = rm.evaluate(rank({0: [1], 1: [2]}, exclude={0: [0]}), measures="RR").facts.sentences()
    assert not any("excluded" in sentence for sentence in told)


@pytest.mark.parametrize("rank", WAYS)
def test_what_excludes_nothing_is_said(rank):
    with pytest.raises(rm.InputError, match="none has a known item; known are 0, 1, 2"):
        rank({0: [1]}, exclude={0: ["x"]})
    with pytest.warns(rm.RankmeterWarning, match="none of a known query, so nothing is excluded"):
        rank({0: [1]}, exclude={"u": [0]})
    with pytest.raises(rm.InputError, match="exclude= holds '01' for query 0"):
        rank({0: [1]}, exclude={0: "01"})
    assert rm.evaluate(rank({0: [1]}, exclude={0: iter([0])}), measures="RR")["RR"] == 1.0


@pytest.mark.parametrize("devices", [["cpu"], ["cpu", "cpu"]])
@pytest.mark.parametrize("seen", [None, {0: [1]}, {0: [0, 1, 2]}], ids=str)
def test_a_device_may_have_nothing_to_rank(devices, seen):
    ranked = by_vectors({0: [1]}, exclude=seen, device=devices, top=2)
    assert rm.evaluate(ranked, measures="RR")["RR"] == (0.5 if seen is None else 0.0)
    with pytest.raises(rm.InputError, match="device= is an empty list"):
        by_vectors({0: [1]}, device=[])


@pytest.mark.parametrize("rank", WAYS)
def test_queries_that_nobody_judged_are_not_ranked_and_not_passed_over(rank):
    with pytest.raises(rm.MeasureError, match="1 query was not ranked, since nobody judged it"):
        rm.evaluate(rank({0: [0]}), measures="RR(queries=run)")
    assert rm.evaluate(rank({0: [0], 1: []}), measures="RR(queries=run)")["RR(queries=run)"] == 0.5
    assert rm.evaluate({0: [0]}, RUN, "RR(queries=run)")["RR(queries=run)"] == 0.5


@pytest.mark.parametrize("top", [None, 3])
def test_a_ranked_catalogue_shows_itself_in_a_line(top):
    vectors = np.random.default_rng(1).normal(size=(300, 4))
    shown = repr(rm.rank_catalogue({n: [n] for n in range(300)}, vectors, vectors, top=top))
    assert shown.startswith("RankedCatalogue(queries=300, items=300")
    assert ("top=3" in shown) is (top == 3)
    assert len(shown) < 120
