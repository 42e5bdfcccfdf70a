"""Tensors give the values of mappings, to the last bit, on the path of main memory and on that of any other device."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.properties.strategies import PLAIN, usual

import rankmeter as rm
from rankmeter.measures.base import ANY_POSITIVE
from rankmeter.placing.placements import Plan
from rankmeter.placing.segments import text_keys

torch = pytest.importorskip("torch")

from rankmeter.wings.catalogue import tensors  # noqa: E402  (torch may be absent)

MEASURES = [usual(name)(ties=ties) for name in PLAIN for ties in usual(name).tie_rules] + [
    rm.parse(text)
    for text in (
        "nDCG@3",
        "AP@40",
        "P(norm=list)@3",
        "RR(sign=positive)@5",
        "R(scores=float32,ties=input)@2",
        "AP(unjudged=removed)",
        "nDCG(candidates=list)@5",
        "AP(candidates=appended)",
    )
]
ORDERED = [m for m in MEASURES if m.sign == "ignored"]


@pytest.fixture(params=["host", "compared", "compared in pieces", "sorted"])
def path(request, monkeypatch):
    """Each way in which tensors are placed; those of other devices run on the CPU too."""
    if request.param != "host":
        monkeypatch.setattr(tensors.ScoredTensors, "_on_host", tensors.ScoredTensors._on_device)
        monkeypatch.setattr(tensors, "FEW_JUDGED", -1 if request.param == "sorted" else 1 << 30)
    if request.param == "compared in pieces":
        monkeypatch.setattr(tensors, "CELLS_AT_ONCE", 30)


def mappings(grades, scores, inside=None):
    """The same lists as mappings; an item is named by its column."""
    kept = np.ones(scores.shape, bool) if inside is None else inside
    return (
        {q: {i: g for i, g in enumerate(row) if kept[q, i]} for q, row in enumerate(grades.tolist())},
        {q: {i: s for i, s in enumerate(row) if kept[q, i]} for q, row in enumerate(scores.tolist())},
    )


def matrices(seed, shape=(12, 23)):
    """Grades and scores: ties, scores below 0, infinite ones, pairs that only tie in single precision."""
    draw = np.random.default_rng(seed)
    grades = draw.integers(-1, 4, shape)
    grades[1] = 0
    return grades, draw.choice([-2.0, -1.0, -0.0, 0.0, 0.5, 1.0, 1.0 + 1e-9, np.inf, -np.inf], shape)


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("seed", [1])
def test_a_matrix_gives_the_values_of_mappings(seed):
    grades, scores = matrices(seed)
    found = rm.evaluate(rm.tensors(torch.tensor(scores), torch.tensor(grades)), measures=MEASURES)
    assert found.per_query.equals(rm.evaluate(*mappings(grades, scores), MEASURES).per_query)
    for few in (["nDCG@3"], ["RR(ties=mean)"], ["P(ties=input)@2", "R@3"]):
        found = rm.evaluate(rm.tensors(torch.tensor(scores), torch.tensor(grades)), measures=few)
        assert found.per_query.equals(rm.evaluate(*mappings(grades, scores), few).per_query)


def test_where_memory_runs_out_fewer_are_compared_at_once(monkeypatch):
    grades, scores = matrices(9)
    asked, pieces = [], tensors._count_pieces

    def short_of_memory(*given):
        asked.append(given[-1])
        if given[-1] > 3:
            raise torch.OutOfMemoryError
        return pieces(*given)

    monkeypatch.setattr(tensors.ScoredTensors, "_on_host", tensors.ScoredTensors._on_device)
    monkeypatch.setattr(tensors, "CELLS_AT_ONCE", 23 * 40)
    monkeypatch.setattr(tensors, "_count_pieces", short_of_memory)
    found = rm.evaluate(rm.tensors(torch.tensor(scores), torch.tensor(grades)), measures=["AP"])
    assert found.per_query.equals(rm.evaluate(*mappings(grades, scores), ["AP"]).per_query)
    assert asked == [40, 10, 2]


def test_a_bare_tensor_is_refused_with_the_constructors():
    with pytest.raises(rm.InputError, match=r"bare Tensor.*rankmeter.tensors\(scores, labels\)"):
        rm.evaluate(torch.ones(2, 2), torch.rand(2, 2), "RR")


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("seed", [3])
def test_masked_cells_are_not_there(seed):
    grades, scores = matrices(seed)
    inside = np.random.default_rng(seed).random(scores.shape) < 0.6
    inside[2] = False
    padded, extreme = np.where(inside, grades, 3), np.where(inside, scores, np.nan)
    given = rm.tensors(torch.tensor(extreme), torch.tensor(padded), mask=torch.tensor(inside))
    expected = rm.evaluate(*mappings(grades, scores, inside), MEASURES)
    assert rm.evaluate(given, measures=MEASURES).per_query.equals(expected.per_query)


@pytest.mark.usefixtures("path")
def test_flat_scores_are_grouped_by_their_indexes():
    grades, scores = matrices(5)
    shuffled = np.random.default_rng(5).permutation(np.repeat(np.arange(12), 23))
    place = np.empty(shuffled.size, int)
    place[np.argsort(shuffled, kind="stable")] = np.tile(np.arange(23), 12)
    flat = [torch.tensor(one[shuffled, place]) for one in (scores, grades)]
    found = rm.evaluate(rm.tensors(*flat, indexes=torch.tensor(shuffled * 1000 - 5000)), measures=MEASURES)
    expected = rm.evaluate(*mappings(grades, scores), MEASURES)
    assert found.per_query["query"].to_list() == [q * 1000 - 5000 for q in range(12)]
    assert found.per_query.drop("query").equals(expected.per_query.drop("query"))


@pytest.mark.usefixtures("path")
def test_one_long_list_among_short_ones():
    draw = np.random.default_rng(6)
    sizes = np.array([1, 300, 2, 1])
    indexes = np.repeat(np.arange(4), sizes)
    scores, grades = draw.integers(0, 9, 304) / 4, draw.integers(0, 3, 304)
    starts = np.cumsum(sizes) - sizes
    run = {q: {i: scores[starts[q] + i] for i in range(sizes[q])} for q in range(4)}
    truth = {q: {i: int(grades[starts[q] + i]) for i in range(sizes[q])} for q in range(4)}
    given = rm.tensors(torch.tensor(scores), torch.tensor(grades), indexes=torch.tensor(indexes))
    assert rm.evaluate(given, measures=MEASURES).per_query.equals(rm.evaluate(truth, run, MEASURES).per_query)


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int64])
def test_every_kind_of_score_and_label_is_read(dtype):
    scores = torch.tensor([[-3, 2, 1], [0, 5, -7]]).to(dtype)
    labels = torch.tensor([[True, False, True], [False, False, True]])
    found = rm.evaluate(rm.tensors(scores, labels), measures=["RR", "AP"]).mean
    assert found == pytest.approx({"RR": 5 / 12, "AP": 11 / 24})


def test_scores_that_need_a_gradient_are_read():
    scores = torch.tensor([[0.1, 0.2]], requires_grad=True)
    assert rm.evaluate(rm.tensors(scores * 2, torch.tensor([[1, 0]])), measures="RR")["RR"] == 0.5


def test_numbers_sort_as_their_texts():
    assert text_keys(1204).argsort().tolist() == sorted(range(1204), key=str)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"labels": torch.ones(2, 4)}, r"differ in shape: scores \(2, 3\), labels \(2, 4\)"),
        ({"scores": torch.full((2, 3), torch.nan)}, "scores hold NaN in 6 places"),
        ({"labels": torch.full((2, 3), torch.nan)}, "labels hold NaN in 6 places"),
        ({"labels": torch.tensor([[1, torch.inf, 0], [0, 0, 1]])}, "labels are infinite in 1 place;"),
        ({"labels": torch.tensor([[1, -torch.inf, 0], [0, 0, -torch.inf]])}, "labels are infinite in 2 places;"),
        ({"queries": ["a", "a"]}, "queries= names a row twice: a, a"),
        ({"queries": torch.tensor([7, 7])}, "queries= names a row twice: 7, 7"),
        ({"queries": [0.5, 1.5]}, "0.5, of type float, is not a valid id"),
        ({"scores": torch.ones(3), "labels": torch.ones(3)}, "takes matrices, queries x items"),
        ({"mask": torch.zeros(2, 3)}, "there is nothing to rank"),
        ({"indexes": torch.zeros(2, 3)}, "indexes are torch.float32"),
        ({"indexes": torch.zeros(2, 3).long(), "mask": torch.ones(2, 3)}, "give only one"),
        ({"queries": ["a"]}, "queries= names 1 row, but there are 2"),
        ({"scores": torch.ones(2, 3, dtype=torch.complex64)}, "complex"),
        ({"scores": object()}, "scores cannot be read as a tensor"),
        ({"labels": torch.ones(2, 3, device="meta")}, "different devices: scores cpu, labels meta"),
    ],
)
def test_wrong_tensors_are_refused(given, message):
    both = {"scores": torch.rand(2, 3), "labels": torch.ones(2, 3)} | given
    with pytest.raises(rm.InputError, match=message):
        rm.tensors(both.pop("scores"), both.pop("labels"), **both)


def lists(seed, *, repeated=False):
    draw = np.random.default_rng(seed)
    ids = [*range(20), 2**53 + 1, 2**53 + 2]
    ranked = [draw.choice(ids, draw.integers(1, 9), replace=repeated).tolist() for _ in range(15)]
    truth = [
        {int(i): int(draw.integers(-1, 4)) for i in draw.choice(ids, draw.integers(1, 6), replace=False)}
        for _ in range(15)
    ]
    return ranked, truth


def filled(rows, width, padding=-1):
    return torch.tensor([row + [padding] * (width - len(row)) for row in rows])


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_ranked_ids_give_the_values_of_lists(seed):
    ranked, truth = lists(seed)
    grades = filled([list(one.values()) for one in truth], 6)
    given = rm.ranked_ids(filled(ranked, 11), filled([list(one) for one in truth], 6), grades=grades)
    expected = rm.evaluate(dict(enumerate(truth)), dict(enumerate(ranked)), ORDERED)
    assert rm.evaluate(given, measures=ORDERED).per_query.equals(expected.per_query)


def test_relevant_ids_may_be_a_list_of_tensors_of_any_length():
    ranked, _ = lists(4)
    relevant = [torch.tensor([3, 2**53 + 1, 3]), torch.tensor([], dtype=torch.int64)] * 7 + [torch.tensor([5])]
    expected = rm.evaluate({q: one.tolist() for q, one in enumerate(relevant)}, dict(enumerate(ranked)), ORDERED)
    found = rm.evaluate(rm.ranked_ids(filled(ranked, 9, -7), relevant, padding=-7), measures=ORDERED)
    assert found.per_query.equals(expected.per_query)
    nothing = rm.ranked_ids(filled(ranked, 9), [torch.tensor([], dtype=torch.int64)] * 15)
    assert rm.evaluate(nothing, measures=["R@5", "RR"]).mean == {"R@5": 0.0, "RR": 0.0}


@pytest.mark.parametrize("policy", ["first", "best", "counted"])
def test_items_returned_twice_follow_the_policy(policy):
    ranked, truth = lists(5, repeated=True)
    given = rm.ranked_ids(filled(ranked, 9), [list(one) for one in truth])
    relevant = {q: list(one) for q, one in enumerate(truth)}
    expected = rm.evaluate(relevant, dict(enumerate(ranked)), ["RR", "AP", "P@3", "nDCG@5"], duplicates=policy)
    found = rm.evaluate(given, measures=["RR", "AP", "P@3", "nDCG@5"], duplicates=policy)
    assert found.per_query.equals(expected.per_query)
    with pytest.raises(rm.InputError, match="returns an item twice for the same query: item"):
        rm.evaluate(given, measures="RR")


def test_padding_may_stand_between_items():
    given = rm.ranked_ids(torch.tensor([[-1, 4, -1, 7]]), torch.tensor([[7]]))
    assert rm.evaluate(given, measures=["RR", "NumRet"]).mean == {"RR": 0.5, "NumRet": 2.0}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"item_ids": torch.rand(2, 3)}, "item_ids holds torch.float32; ids are whole numbers"),
        ({"item_ids": torch.tensor([1, 2])}, r"item_ids must be a matrix, queries x places; its shape is \(2,\)"),
        ({"relevant": torch.tensor([[1]])}, r"relevant has the shape \(1, 1\), but item_ids has 2 rows"),
        ({"grades": torch.tensor([[1]])}, r"grades have the shape \(1, 1\), relevant \(2, 1\)"),
        ({"relevant": torch.tensor([[1, 1], [2, 3]]), "grades": torch.ones(2, 2)}, "names an item twice"),
        ({"grades": torch.tensor([[1], [torch.nan]])}, "grades hold NaN"),
        ({"grades": torch.tensor([[1], [torch.inf]])}, "grades hold NaN or infinity"),
        ({"queries": ["a", "a"]}, "queries= names a row twice: a, a"),
        ({"relevant": torch.tensor([[True], [False]])}, "relevant holds torch.bool; ids are whole numbers"),
        ({"relevant": 3}, "expected a tensor for each query"),
    ],
)
def test_wrong_ids_are_refused(given, message):
    both = {"item_ids": torch.tensor([[1, 2], [3, 4]]), "relevant": torch.tensor([[1], [4]])} | given
    with pytest.raises(rm.InputError, match=message):
        rm.ranked_ids(both.pop("item_ids"), both.pop("relevant"), **both)


def test_a_run_beside_tensors_is_refused():
    given = rm.tensors(torch.rand(1, 2), torch.ones(1, 2))
    with pytest.raises(rm.InputError, match="ScoredTensors contains its own run"):
        rm.evaluate(given, {0: {0: 1}}, "RR")


@pytest.mark.parametrize("first", [torch.int8, torch.int16, torch.int64])
def test_rows_of_different_types_keep_every_digit(first):
    lists = torch.tensor([[1, 3, 4], [1, 257, 5]])
    relevant = [torch.tensor([3], dtype=first), torch.tensor([257])]
    expected = rm.evaluate({0: [3], 1: [257]}, {0: [1, 3, 4], 1: [1, 257, 5]}, ["RR", "nDCG"]).means
    assert rm.evaluate(rm.ranked_ids(lists, relevant), measures=["RR", "nDCG"]).means == expected
    grades = [torch.tensor([1], dtype=first), torch.tensor([0.5])]
    given = rm.ranked_ids(lists, relevant, grades=grades, queries=torch.tensor([8, 9]))
    ev = rm.evaluate(given, measures=["DCG"])
    assert ev.queries.to_list() == [8, 9]
    half = 1 / math.log2(3)
    assert ev.per_query["DCG"].to_list() == pytest.approx([half, half / 2])


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32", "float64", "int32", "uint8"])
def test_only_what_is_relevant_is_placed_whatever_the_type_of_the_labels(path, kind) -> None:
    random = np.random.default_rng(6)
    labels = torch.from_numpy(random.choice(3, (20, 30), p=[0.8, 0.1, 0.1])).to(getattr(torch, kind))
    plan = Plan(lowest_grade=ANY_POSITIVE)
    placements = rm.tensors(torch.from_numpy(random.random((20, 30))), labels).place(plan).placements
    assert len(placements.query) == len(placements.best) == int((labels > 0).sum())


LIMITS = [-math.inf, -1.0, 0.0, ANY_POSITIVE, 0.5, 1.0, 2.5, 255.0, 255.5, 300.0, 1e300, math.inf]


@pytest.mark.parametrize("lowest", LIMITS)
@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32", "float64", "int8", "uint8", "int32", "int64"])
def test_what_is_at_least_a_grade_does_not_depend_on_the_type(kind, lowest):
    grades = torch.tensor([0, 1, 2, 3, 100], dtype=getattr(torch, kind))
    if grades.is_floating_point():
        more = torch.tensor([-1.0, -0.0, 0.5, 2.5, torch.finfo(grades.dtype).tiny, math.inf], dtype=grades.dtype)
        grades = torch.cat([grades, more])
    assert tensors.at_least(grades, lowest).tolist() == [float(grade) >= lowest for grade in grades]
