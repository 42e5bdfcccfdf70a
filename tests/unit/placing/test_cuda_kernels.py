"""The CUDA kernels in Triton's interpreter, which runs them on a CPU, against the definition of a score."""

from __future__ import annotations

import os

import numpy as np
import pytest

from rankmeter.placing.scoring import exact_scores

torch = pytest.importorskip("torch", reason="torch is not installed")
os.environ["TRITON_INTERPRET"] = "1"  # looked at when Triton is imported
pytest.importorskip("triton", reason="Triton is not installed")
kernels = pytest.importorskip("rankmeter.placing.cuda_tiles")
ITEMS, QUERIES = 100, 9


def vectors(width: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Queries, items of which many are nearly or exactly alike, and an item of each query."""
    draw = np.random.default_rng(width)
    queries = draw.standard_normal((QUERIES, width)).astype(np.float32)
    items = np.repeat(draw.standard_normal((ITEMS // 4, width)), 4, axis=0)
    items[1::4] *= 1 + 1e-7  # within the error of every product of halves
    items[2::4] *= 1 + 1e-4
    return queries, items.astype(np.float32), draw.integers(0, ITEMS, QUERIES)


@pytest.mark.parametrize("width", [5, 128, 130, 320])
def test_sure_and_doubtful_items_make_the_exact_rank(width, monkeypatch):
    monkeypatch.setattr(kernels, "STRETCHES", 2)
    queries, items, own = vectors(width)
    row = np.arange(QUERIES)
    threshold = exact_scores(queries, items, row, own)
    every = exact_scores(queries, items, np.repeat(row, ITEMS), np.tile(np.arange(ITEMS), QUERIES))
    every = every.reshape(QUERIES, ITEMS)
    left, right = (kernels.Halves.of(torch.from_numpy(one)) for one in (queries, items))
    above, pair_row, pair_item, crowded = kernels.count_exact(left, right, torch.from_numpy(threshold), width)
    doubtful = np.zeros((QUERIES, ITEMS), bool)
    doubtful[pair_row.numpy(), pair_item.numpy()] = True
    assert not crowded.any()
    assert (above.numpy() == ((every > threshold[:, None]) & ~doubtful).sum(axis=1)).all()
    assert doubtful[row, own].all()
    assert doubtful.sum(axis=1).min() >= 1
    assert doubtful.mean() < 0.2


@pytest.mark.parametrize("width", [16, 200])
def test_one_pass_ranks_by_the_same_path_as_the_items_own_score(width, monkeypatch):
    monkeypatch.setattr(kernels, "STRETCHES", 2)
    queries, items, own = vectors(width)
    left, right = (kernels.Halves.of(torch.from_numpy(one)) for one in (queries, items))
    above, uncertain = kernels.count_fast(left, right, torch.from_numpy(own), width)
    scores = queries.astype(np.float16).astype(np.float64) @ items.astype(np.float16).astype(np.float64).T
    near = np.abs(scores - scores[np.arange(QUERIES), own][:, None]) < 1e-2
    higher = scores > scores[np.arange(QUERIES), own][:, None]
    assert (np.abs(above.numpy() - higher.sum(axis=1)) <= near.sum(axis=1)).all()
    assert 0 < uncertain <= QUERIES


@pytest.mark.parametrize("width", [16, 128, 129, 1024])
def test_the_bound_hardly_grows_with_the_width(width):
    assert kernels.split_error(width) <= kernels.split_error(kernels.WIDEST)
    assert kernels.half_error(width) <= kernels.half_error(kernels.WIDEST)
