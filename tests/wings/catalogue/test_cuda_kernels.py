"""The CUDA kernels in Triton's interpreter, which runs them on a CPU, against the definition of a score."""

from __future__ import annotations

import os

import numpy as np
import pytest

import rankmeter as rm
from rankmeter.wings.catalogue import catalogue_ranking
from rankmeter.wings.catalogue.nearest import Nearest
from rankmeter.wings.catalogue.pair_counts import Excluded
from rankmeter.wings.catalogue.products import exact_scores

torch = pytest.importorskip("torch", reason="torch is not installed")
os.environ["TRITON_INTERPRET"] = "1"  # looked at when Triton is imported
pytest.importorskip("triton", reason="Triton is not installed")
kernels = pytest.importorskip("rankmeter.wings.catalogue.cuda_tiles")
cuda = pytest.importorskip("rankmeter.wings.catalogue.cuda_vectors")
pytestmark = pytest.mark.slow
ITEMS, QUERIES = 90, 4
MEASURES = ["RR", "AP", "MeanRank", "AUC", "RR(ties=item-ascending)", "RR(ties=input)", "nDCG(ties=mean)@5"]


def _gaussian(draw, width):
    return draw.normal(size=(QUERIES, width)), draw.normal(size=(ITEMS, width))


def _unit_length(draw, width):
    return tuple(side / np.linalg.norm(side, axis=1, keepdims=True) for side in _gaussian(draw, width))


def _whole_numbers(draw, width):
    return tuple(draw.integers(-1, 2, (count, width)) for count in (QUERIES, ITEMS))


def _near_duplicates(draw, width):
    queries, items = _gaussian(draw, width)
    items = np.repeat(items[: ITEMS // 3], 3, axis=0).astype(np.float32)
    return queries, np.nextafter(items, np.float32(np.inf), where=draw.random(items.shape) < 0.3, out=items)


def _giant_column(draw, width):
    queries, items = _gaussian(draw, width)
    items[:, 0] *= 1e9
    return queries, items


def _item_lengths(powers):
    def made(draw, width):
        queries, items = _gaussian(draw, width)
        return queries, items * 2.0 ** -np.linspace(0, powers, ITEMS)[:, None]

    return made


def _query_lengths(draw, width):
    queries, items = _gaussian(draw, width)
    return queries * 2.0 ** -np.linspace(0, 40, QUERIES)[:, None], items


def _one_giant_item(draw, width):
    queries, items = _gaussian(draw, width)
    items *= 1e-6
    items[7] *= 1e12
    return queries, items


def _denormal(draw, width):
    queries, items = _gaussian(draw, width)
    return queries * 1e-20, items * 2.0**-140


def _zeros(draw, width):
    queries, items = _gaussian(draw, width)
    queries[::3], items[::4] = 0, 0
    return queries, items


def _one_huge_element(draw, width):
    queries, items = _gaussian(draw, width)
    items[5, 0] = queries[3, width - 1] = 3e38
    return queries, items * 1e-3


def _cancellation(draw, width):
    """Large numbers of both signs whose sum is small: all of the score is in the last digits."""
    queries, items = _gaussian(draw, width)
    half = width // 2
    queries[:, half : 2 * half] = queries[:, :half]
    items[:, half : 2 * half] = -items[:, :half] * (1 + 1e-6 * draw.normal(size=(ITEMS, half)))
    return queries, items


def _scaled(factor):
    return lambda draw, width: tuple(side * factor for side in _gaussian(draw, width))


MATRICES = {
    "gaussian": _gaussian, "unit length": _unit_length, "whole numbers, ties": _whole_numbers,
    "near duplicates": _near_duplicates, "1e-30": _scaled(1e-30), "1e18": _scaled(1e18), "1e38": _scaled(1e37),
    "one giant column": _giant_column, "items over 2^-30": _item_lengths(30), "items over 2^-40": _item_lengths(40),
    "items over 2^-200": _item_lengths(200), "queries over 2^-40": _query_lengths, "one giant item": _one_giant_item,
    "denormal": _denormal, "zeros": _zeros, "one huge element": _one_huge_element, "cancellation": _cancellation,
}  # fmt: skip


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    """Tiles that a small catalogue fills, so that the interpreter passes every loop more than once."""

    def tiling(width: int, products: int) -> kernels.Tiling:
        if width <= 40:
            padded = max(16, 1 << (width - 1).bit_length())
            return kernels.Tiling(resident=True, queries=16, items=32, strip=padded, group=2, looks=products - 1)
        return kernels.Tiling(queries=16, items=64, strip=32, group=2, looks=1 if width == 69 else 2)

    monkeypatch.setattr(kernels, "tiling", tiling)


@pytest.fixture
def interpreted(monkeypatch):
    """rank_catalogue by the CUDA way, in the interpreter."""

    def ranked(judgments, queries, items, *, block=ITEMS, **options):
        def vectors(left, right, **_):
            left, right = (torch.from_numpy(np.ascontiguousarray(side, np.float32)) for side in (left, right))
            return cuda.CudaVectors(left, right, "cpu", block)

        with monkeypatch.context() as patch:
            patch.setattr(catalogue_ranking, "into_vectors", vectors)
            return rm.rank_catalogue(judgments, queries, items, **options)

    return ranked


def made(name, width):
    draw = np.random.default_rng(width)
    queries, items = (np.ascontiguousarray(side, np.float32) for side in MATRICES[name](draw, width))
    return queries, items, draw


@pytest.mark.slow
@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize(("width", "block"), [(24, 64), (70, ITEMS)])
def test_ranks_and_best_items_are_those_in_main_memory(name, width, block, interpreted):
    queries, items, draw = made(name, width)
    judgments = {q: {int(i): 1 for i in draw.choice(ITEMS, 1 + q % 2, replace=False)} for q in range(QUERIES)}
    seen = {q: draw.choice(ITEMS, 12, replace=False).tolist() for q in range(0, QUERIES, 2)}
    on_device = interpreted(judgments, queries, items, exclude=seen, top=7, block=block)
    in_memory = rm.rank_catalogue(judgments, queries, items, exclude=seen, top=7)
    assert rm.evaluate(on_device, measures=MEASURES).per_query.equals(
        rm.evaluate(in_memory, measures=MEASURES).per_query
    )
    assert on_device.top_lists() == in_memory.top_lists()


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("width", [1, 70])
def test_ranks_in_main_memory_are_those_of_the_definition(name, width):
    queries, items, draw = made(name, width)
    own = draw.integers(0, ITEMS, QUERIES)
    every = exact_scores(queries, items, np.repeat(np.arange(QUERIES), ITEMS), np.tile(np.arange(ITEMS), QUERIES))
    every = every.reshape(QUERIES, ITEMS)
    ranked = rm.rank_catalogue({q: [int(i)] for q, i in enumerate(own)}, queries, items).placed.placements
    wanted = every[np.arange(QUERIES), own][:, None]
    assert ranked.above.tolist() == (every > wanted).sum(axis=1).tolist()
    assert ranked.tied.tolist() == (every == wanted).sum(axis=1).tolist()


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize(("products", "width"), [(1, 24), (3, 24), (3, 69), (3, 70)])
def test_no_score_is_further_off_than_its_bound(name, products, width):
    """Every pair that the kernel decides by itself is decided as the definition does."""
    queries, items, draw = made(name, width)
    row, own = np.arange(QUERIES), draw.integers(0, ITEMS, QUERIES)
    threshold = exact_scores(queries, items, row, own)
    every = exact_scores(queries, items, np.repeat(row, ITEMS), np.tile(np.arange(ITEMS), QUERIES))
    every = every.reshape(QUERIES, ITEMS)
    left = kernels.Halves.of(torch.from_numpy(queries), products)
    right = kernels.TiledItems.of(torch.from_numpy(items), products)
    limits = left.limits(torch.from_numpy(threshold), right)
    compared = kernels.compare(kernels.NOTED, left, right, limits, 64)
    doubtful = np.zeros((QUERIES, ITEMS), bool)
    doubtful[tuple(part.numpy() for part in kernels.noted_pairs(compared.words, compared.noted))] = True
    higher = every > threshold[:, None]
    assert (compared.above.numpy() == (higher & ~doubtful).sum(axis=1)).all()
    assert doubtful[every == threshold[:, None]].all()
    listed = kernels.compare(kernels.NOT_BELOW, left, right, limits, 64)
    reached = np.zeros_like(doubtful)
    reached[tuple(part.numpy() for part in kernels.noted_pairs(listed.words, listed.noted))] = True
    assert (reached == (higher | doubtful)).all()
    band = kernels.compare(kernels.BETWEEN, left, right, limits).band
    assert (band.numpy() == doubtful.sum(axis=1)).all()
    if name == "gaussian":
        assert doubtful.mean() < 0.03


@pytest.mark.slow
@pytest.mark.parametrize("width", [24, 70])
def test_crowded_rows_get_more_products_and_then_the_definition(width, interpreted, monkeypatch):
    queries, items, draw = made("near duplicates", width)
    judgments = {q: [int(draw.integers(ITEMS))] for q in range(QUERIES)}
    expected = rm.rank_catalogue(judgments, queries, items, top=9)
    monkeypatch.setattr(cuda, "FEWEST_WORDS", 1)
    ranked = interpreted(judgments, queries, items, top=9)
    assert rm.evaluate(ranked, measures=MEASURES).per_query.equals(rm.evaluate(expected, measures=MEASURES).per_query)
    assert ranked.top_lists() == expected.top_lists()


@pytest.mark.parametrize("scale_all_alike", [np.array(1.0), np.array(2.0**-30)])
def test_the_self_check_finds_a_scale_that_loses_short_vectors(scale_all_alike, interpreted, monkeypatch):
    """One power of two for the whole matrix, as once: short vectors become zeros, and their bound does not know it."""
    whole = kernels.Halves.of.__func__

    def all_alike(cls, vectors, products, exponent=None, *, high_first=False):
        largest = vectors.abs().max()
        rows = torch.where(vectors.abs().amax(dim=1, keepdim=True) > largest * 2.0**-20, vectors, 0 * vectors)
        split, honest = (whole(cls, side, products, exponent, high_first=high_first) for side in (rows, vectors))
        return cls(split.halves, honest.exponent, honest.reach, split.cut, products)

    queries, items, draw = made("items over 2^-40", 70)
    monkeypatch.setattr(kernels.Halves, "of", classmethod(all_alike))
    judgments = {q: [int(draw.integers(ITEMS))] for q in range(QUERIES)}
    with pytest.raises(rm.RankmeterError, match="the self-check failed"):
        interpreted(judgments, queries * scale_all_alike, items)


@pytest.mark.slow
@pytest.mark.parametrize("width", [16, 70])
def test_one_pass_ranks_by_the_same_path_as_the_items_own_score(width, interpreted):
    queries, items, draw = made("near duplicates", width)
    own = draw.integers(0, ITEMS, QUERIES)
    judgments = {q: [int(i)] for q, i in enumerate(own)}
    fast = interpreted(judgments, queries, items, precision="fast", exclude={0: [int(own[1])]})
    scores = queries.astype(np.float64) @ items.astype(np.float64).T
    apart = scores - scores[np.arange(QUERIES), own][:, None]
    off = np.abs(fast.placed.placements.above - (apart > 0).sum(axis=1))
    assert (off <= (np.abs(apart) < 1e-2 * np.sqrt(width)).sum(axis=1)).all()
    assert 0 < fast.uncertain <= QUERIES


@pytest.mark.slow
def test_where_memory_runs_out_fewer_items_go_at_once(interpreted, monkeypatch):
    queries, items, draw = made("gaussian", 16)
    items = np.tile(items, (30, 1))
    judgments = {q: [int(draw.integers(len(items)))] for q in range(QUERIES)}
    expected = rm.evaluate(rm.rank_catalogue(judgments, queries, items), measures=MEASURES)
    split, tried = kernels.TiledItems.of.__func__, []

    def with_little_memory(cls, vectors, products):
        tried.append(len(vectors))
        if len(vectors) > 1000:
            raise torch.OutOfMemoryError
        return split(cls, vectors, products)

    monkeypatch.setattr(kernels.TiledItems, "of", classmethod(with_little_memory))
    ranked = interpreted(judgments, queries, items, block=len(items))
    assert tried[:3] == [2700, 1350, 675]
    assert rm.evaluate(ranked, measures=MEASURES).per_query.equals(expected.per_query)
    monkeypatch.setattr(kernels.TiledItems, "of", classmethod(lambda *_: (_ for _ in ()).throw(torch.OutOfMemoryError)))
    with pytest.raises(rm.InputError, match=r"too little free memory.* Hint: .*device='cpu'"):
        interpreted(judgments, queries, items, block=len(items))


@pytest.mark.parametrize("name", ["whole numbers, ties", "near duplicates"])
@pytest.mark.parametrize("block", [64, ITEMS])
def test_equal_scores_are_searched_in_the_order_that_was_asked_for(name, block):
    """As SentenceTransformers' evaluators need it: among documents of one score the lower id stands first."""
    queries, items, draw = made(name, 24)
    nearest = Nearest(draw.permutation(ITEMS).tolist(), 9)
    scores = exact_scores(queries, items, np.repeat(np.arange(QUERIES), ITEMS), np.tile(np.arange(ITEMS), QUERIES))
    nearest.add(scores.reshape(QUERIES, ITEMS), 0)
    vectors = cuda.CudaVectors(torch.from_numpy(queries), torch.from_numpy(items), "cpu", block)
    nothing = Excluded(np.empty(0, np.int64), ITEMS)
    item, score = vectors.best(np.arange(QUERIES), 9, nothing, nearest._id_rank)
    assert item.tolist() == nearest.places.tolist()
    assert score.tolist() == nearest.scores.tolist()
