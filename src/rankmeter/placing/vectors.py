"""Vectors that can be ranked: as NumPy arrays, or as torch tensors on any device.

Both give the same ranks to the last one, because a score has one definition and fast arithmetic is trusted only
outside its error bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

import numpy as np

from rankmeter.errors import InputError, MissingExtraError, examples, with_hint
from rankmeter.placing.placements import Floats, Ints
from rankmeter.placing.scoring import PAIRS_AT_ONCE, Vectors, exact_scores, float32_error, norms
from rankmeter.placing.tiles import count_tiles

Precision = Literal["exact", "fast"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Resolved:
    """Where each judged item stands among all items."""

    threshold: Floats
    """(r,) the score of each judged item."""
    above: Ints
    """(r,) how many items score higher."""
    tie_row: Ints
    """(t,) a judged item of each pair of equal scores."""
    tie_item: Ints
    """(t,) and the item it ties with, itself included."""
    recomputed: int
    uncertain: int


class VectorPair(Protocol):
    """Query vectors and item vectors of one kind."""

    @property
    def device(self) -> str:
        """Where they are."""
        ...

    @property
    def shape(self) -> tuple[int, int]:
        """How many queries and items."""
        ...

    def scores(self, query: Ints, item: Ints) -> Floats:
        """The score of each pair by its definition."""
        ...

    def resolve(self, owner: Ints, item: Ints, precision: Precision) -> Resolved:
        """Place items: ``owner`` is the query of each, in rising order."""
        ...

    def tile_best(
        self, block: Ints, tile: slice, bound: Floats, k: int, hidden: tuple[Ints, Ints]
    ) -> tuple[Ints, Ints, Floats]:
        """Items that may be among the k best; see :class:`rankmeter.placing.top.Tiled`."""
        ...


@dataclass(frozen=True, slots=True)
class NumpyVectors:
    """Vectors in memory, multiplied tile by tile."""

    left: Vectors
    right: Vectors
    device: str = "cpu"

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.left), len(self.right)

    def scores(self, query: Ints, item: Ints) -> Floats:
        return exact_scores(self.left, self.right, query, item)

    def resolve(self, owner: Ints, item: Ints, precision: Precision) -> Resolved:
        if precision == "fast":
            fact = "precision='fast' is one pass in low precision on a GPU, and these vectors are in main memory."
            raise InputError(with_hint(fact, "precision='exact', or device='cuda'"))
        threshold = self.scores(owner, item)
        counts = count_tiles(self.left, self.right, owner, threshold)
        doubtful = self.scores(owner[counts.row], counts.item)
        higher = counts.row[doubtful > threshold[counts.row]]
        equal = doubtful == threshold[counts.row]
        return Resolved(
            threshold,
            counts.above + np.bincount(higher, minlength=len(owner)),
            counts.row[equal],
            counts.item[equal],
            len(counts.row),
            0,
        )

    def tile_best(
        self, block: Ints, tile: slice, bound: Floats, k: int, hidden: tuple[Ints, Ints]
    ) -> tuple[Ints, Ints, Floats]:
        left, right = self.left[block], self.right[tile]
        scores = left @ right.T
        margin = float32_error(left.shape[1]) * norms(left) * norms(right).max() + np.finfo(np.float32).tiny
        scores[hidden] = -np.inf
        kth = kth_best(scores, k) if np.isneginf(bound).any() else bound
        row, column = np.nonzero(scores >= _lowest(kth, bound, margin)[:, None])
        item = column + tile.start
        return row, item, self.scores(block[row], item)


def kth_best(scores: Vectors, k: int) -> Floats:
    """(b,) the k-th highest score of each row; -inf where there are fewer."""
    if scores.shape[1] < k:
        return np.full(len(scores), -np.inf)
    place = scores.shape[1] - k
    return np.partition(scores, place, axis=1)[:, place].astype(np.float64)


def _lowest(kth: Floats, bound: Floats, margin: Floats) -> Vectors:
    """What a fast score must reach where the true one may be among the k best: k others are surely that high."""
    lowest = np.maximum(bound, kth - margin) - margin
    return np.nextafter(lowest.astype(np.float32), np.float32(-np.inf))


@dataclass(frozen=True, slots=True)
class TorchVectors:
    """Vectors on a torch device; scores never leave it, only places do."""

    left: Any
    right: Any
    device: str

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.left), len(self.right)

    def scores(self, query: Ints, item: Ints) -> Floats:
        found: Floats = self._scores(self._tensor(query), self._tensor(item)).cpu().numpy()
        return found

    def resolve(self, owner: Ints, item: Ints, precision: Precision) -> Resolved:
        fused = self.device.startswith("cuda")
        if precision == "fast" and not fused:
            fact = f"precision='fast' needs a CUDA device; these vectors are on '{self.device}'."
            raise InputError(with_hint(fact, "precision='exact'"))
        rows, items = self._tensor(owner), self._tensor(item)
        threshold = self._scores(rows, items)
        if precision == "fast":
            return self._fast(rows, items, threshold)
        above, pair_row, pair_item = self._fused(rows, threshold) if fused else self._tiles(rows, threshold)
        doubtful = self._scores(rows[pair_row], pair_item)
        higher = doubtful > threshold[pair_row]
        above.index_add_(0, pair_row[higher], higher[higher].long())
        equal = doubtful == threshold[pair_row]
        return Resolved(
            threshold.cpu().numpy(),
            above.cpu().numpy(),
            pair_row[equal].cpu().numpy(),
            pair_item[equal].cpu().numpy(),
            len(pair_row),
            0,
        )

    def tile_best(
        self, block: Ints, tile: slice, bound: Floats, k: int, hidden: tuple[Ints, Ints]
    ) -> tuple[Ints, Ints, Floats]:
        import torch

        rows = self._tensor(block)
        left, right = self.left[rows], self.right[tile]
        with _plain_float32(torch):
            scores = left @ right.T
        lengths = [torch.linalg.vector_norm(one, dim=1, dtype=torch.float64) for one in (left, right)]
        margin = float32_error(left.shape[1]) * lengths[0] * lengths[1].max() + np.finfo(np.float32).tiny
        scores[self._tensor(hidden[0]), self._tensor(hidden[1])] = -torch.inf
        kth = bound
        if len(right) >= k and np.isneginf(bound).any():
            kth = scores.topk(k, dim=1)[0][:, -1].double().cpu().numpy()
        lowest = _lowest(kth, bound, margin.cpu().numpy())
        row, column = (scores >= self._tensor(lowest)[:, None]).nonzero(as_tuple=True)
        exact = self._scores(rows[row], column + tile.start)
        return row.cpu().numpy(), column.cpu().numpy() + tile.start, exact.cpu().numpy()

    def _fused(self, rows: Any, threshold: Any) -> tuple[Any, Any, Any]:
        """The CUDA kernel, fewer rows at a time where memory runs out."""
        from rankmeter.placing import cuda_tiles

        return _fitting(lambda step: self._fused_by(rows, threshold, step), cuda_tiles.ROWS_AT_ONCE, 128)

    def _fused_by(self, rows: Any, threshold: Any, step: int) -> tuple[Any, Any, Any]:
        """The CUDA kernel, some rows at a time; rows with very many doubtful items go through tiles."""
        import torch

        from rankmeter.placing import cuda_tiles

        left, right = cuda_tiles.Halves.of(self.left), cuda_tiles.Halves.of(self.right)
        above, pair_rows, pair_items = [], [], []
        for first in range(0, len(rows), step):
            some = slice(first, first + step)
            wanted = threshold[some]
            counted, row, item, crowded = cuda_tiles.count_exact(
                left.rows(rows[some]), right, wanted, self.left.shape[1]
            )
            counted = counted.long()
            left_over = crowded.nonzero().squeeze(1)
            if len(left_over):
                again, more_row, more_item = self._tiles(rows[some][left_over], wanted[left_over])
                counted[left_over] = again
                row, item = torch.cat([row, left_over[more_row]]), torch.cat([item, more_item])
            above.append(counted)
            pair_rows.append(row + first)
            pair_items.append(item)
        return torch.cat(above), torch.cat(pair_rows), torch.cat(pair_items)

    def _fast(self, rows: Any, items: Any, threshold: Any) -> Resolved:
        from rankmeter.placing import cuda_tiles

        return _fitting(lambda step: self._fast_by(rows, items, threshold, step), cuda_tiles.ROWS_AT_ONCE, 128)

    def _fast_by(self, rows: Any, items: Any, threshold: Any, step: int) -> Resolved:
        import torch

        from rankmeter.placing import cuda_tiles

        left, right = cuda_tiles.Halves.of(self.left), cuda_tiles.Halves.of(self.right)
        above, uncertain = [], 0
        for first in range(0, len(rows), step):
            some = slice(first, first + step)
            counted, doubt = cuda_tiles.count_fast(left.rows(rows[some]), right, items[some], self.left.shape[1])
            above.append(counted.long())
            uncertain += doubt
        own = np.arange(len(rows))
        return Resolved(threshold.cpu().numpy(), torch.cat(above).cpu().numpy(), own, items.cpu().numpy(), 0, uncertain)

    def _tiles(self, rows: Any, threshold: Any) -> tuple[Any, Any, Any]:
        """Float32 products tile by tile, for any device and any width; smaller tiles where memory runs out."""
        import torch

        with _plain_float32(torch):
            return _fitting(lambda tile: self._tiles_of(rows, threshold, tile), 2048, 64)

    def _tiles_of(self, rows: Any, threshold: Any, tile: int) -> tuple[Any, Any, Any]:
        import torch

        error = float32_error(self.left.shape[1])
        lengths = torch.linalg.vector_norm(self.right, dim=1, dtype=torch.float64)
        above = torch.zeros(len(rows), dtype=torch.int64, device=self.left.device)
        pair_rows, pair_items = [rows[:0]], [rows[:0]]
        for first in range(0, len(rows), tile):
            block = self.left[rows[first : first + tile]]
            wanted = threshold[first : first + tile]
            reach = error * torch.linalg.vector_norm(block, dim=1, dtype=torch.float64)
            for start in range(0, len(self.right), 4 * tile):
                scores = (block @ self.right[start : start + 4 * tile].T).double()
                margin = reach * lengths[start : start + 4 * tile].max() + np.finfo(np.float32).tiny
                higher = scores > (wanted + margin)[:, None]
                above[first : first + tile] += higher.sum(dim=1)
                row, column = ((scores >= (wanted - margin)[:, None]) & ~higher).nonzero(as_tuple=True)
                pair_rows.append(row + first)
                pair_items.append(column + start)
        return above, torch.cat(pair_rows), torch.cat(pair_items)

    def _scores(self, query: Any, item: Any) -> Any:
        import torch

        if self.device.startswith("cuda"):
            from rankmeter.placing import cuda_tiles

            return cuda_tiles.pair_scores(self.left, self.right, query, item)
        found = []
        # In main memory few enough at once that the columns stay in the cache.
        step = PAIRS_AT_ONCE if self.device == "cpu" else 1 << 18
        for first in range(0, max(len(query), 1), step):
            some = slice(first, first + step)
            left, right = self.left[query[some]].double(), self.right[item[some]].double()
            total = torch.zeros(len(left), dtype=torch.float64, device=left.device)
            for column in range(left.shape[1]):
                total += left[:, column] * right[:, column]
            found.append(total)
        return torch.cat(found)

    def _tensor(self, values: Any) -> Any:
        import torch

        return torch.from_numpy(np.ascontiguousarray(values)).to(self.left.device)


def _fitting(work: Callable[[int], T], size: int, least: int) -> T:
    """Work in tiles of this size, or of half of it as often as memory runs out."""
    import torch

    while True:
        try:
            return work(size)
        except torch.OutOfMemoryError as error:
            if size <= least:
                fact = "the device has too little free memory, even for the smallest tiles."
                raise InputError(with_hint(fact, "free some of it, or rank in main memory: device='cpu'")) from error
            size //= 2


class _plain_float32:
    """Matrix products in float32 proper: the error bound does not hold for TF32, which a caller may have allowed."""

    def __init__(self, torch: Any) -> None:
        self._matmul = torch.backends.cuda.matmul
        self._before: Any = None

    def __enter__(self) -> None:
        self._before = self._matmul.allow_tf32
        self._matmul.allow_tf32 = False

    def __exit__(self, *_: object) -> None:
        self._matmul.allow_tf32 = self._before


def into_vectors(
    left: Any, right: Any, *, bias: Any, similarity: Literal["dot", "cosine"], device: str | None
) -> VectorPair:
    """Accept NumPy arrays or torch tensors, check them, and bring them where they are ranked."""
    tensors = [one for one in (left, right) if hasattr(one, "detach")]
    if device is None:
        device = str(tensors[0].device) if tensors else "cpu"
    if device == "cpu" and not tensors:
        first, second = _array(left, "query_vectors"), _array(right, "item_vectors")
        check_widths(first.shape[1], second.shape[1])
        if similarity == "cosine":
            first, second = unit(first, "query_vectors"), unit(second, "item_vectors")
        if bias is not None:
            column = _array(np.asarray(bias).reshape(-1, 1), "bias")
            check_bias(len(column), len(second))
            first, second = np.hstack([first, np.ones((len(first), 1), np.float32)]), np.hstack([second, column])
        return NumpyVectors(first, second)
    return _torch_vectors(left, right, bias=bias, similarity=similarity, device=device)


def _torch_vectors(left: Any, right: Any, *, bias: Any, similarity: str, device: str) -> TorchVectors:
    torch = load_torch()
    try:
        torch.device(device)
    except RuntimeError as error:
        raise InputError(with_hint(f"device={device!r} is not known to torch.", "device='cpu' or 'cuda'")) from error
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise InputError(with_hint(f"device='{device}' was asked for, but there is no CUDA here.", "device='cpu'"))

    def tensor(values: Any, what: str) -> Any:
        try:
            one = torch.as_tensor(values, device=device).detach()
        except (TypeError, ValueError) as error:
            raise InputError(f"{what} is no matrix of numbers with a row for each vector: {error}") from error
        if one.is_complex():
            raise InputError(f"{what} holds complex numbers; vectors are of real ones.")
        one = one.to(torch.float32).contiguous()
        if one.ndim != 2 or not one.numel():
            raise InputError(f"{what} is a matrix with a row for each vector; this has the shape {tuple(one.shape)}.")
        wrong = (~torch.isfinite(one).all(dim=1)).nonzero().squeeze(1).tolist()
        if wrong:
            raise _not_finite(what, wrong)
        return one

    first, second = tensor(left, "query_vectors"), tensor(right, "item_vectors")
    check_widths(first.shape[1], second.shape[1])
    if similarity == "cosine":
        # Through NumPy, so that the float32 vectors are the same bits everywhere.
        first, second = (
            torch.from_numpy(unit(one.cpu().numpy(), what)).to(device)
            for one, what in ((first, "query_vectors"), (second, "item_vectors"))
        )
    if bias is not None:
        column = tensor(torch.as_tensor(bias).reshape(-1, 1), "bias")
        check_bias(len(column), len(second))
        ones = torch.ones((len(first), 1), dtype=torch.float32, device=device)
        first, second = torch.hstack([first, ones]), torch.hstack([second, column])
    return TorchVectors(first, second, device)


def load_torch() -> Any:
    """torch, or how to get it."""
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("torch is not installed. Hint: pip install 'rankmeter[torch]'") from error
    return torch


def _array(values: Any, what: str) -> Vectors:
    if getattr(getattr(values, "dtype", None), "kind", "") == "c":
        raise InputError(f"{what} holds complex numbers; vectors are of real ones.")
    try:
        with np.errstate(over="ignore"):  # what float32 cannot hold is infinite, and said below
            matrix = np.ascontiguousarray(values, np.float32)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} is no matrix of numbers with a row for each vector: {error}") from error
    if matrix.ndim != 2 or not matrix.size:
        raise InputError(f"{what} is a matrix with a row for each vector; this has the shape {matrix.shape}.")
    wrong = np.flatnonzero(~np.isfinite(matrix).all(axis=1)).tolist()
    if wrong:
        raise _not_finite(what, wrong)
    return matrix


def _not_finite(what: str, wrong: list[int]) -> InputError:
    rows = "1 row" if len(wrong) == 1 else f"{len(wrong):,} rows"
    fact = f"{what} holds NaN or infinity in {rows}: {examples(wrong)}."
    return InputError(with_hint(fact, "leave these vectors out, with their ids and judgments, or mend the model"))


def check_widths(left: int, right: int) -> None:
    """Refuse vectors of different width."""
    if left != right:
        fact = f"the vectors differ in width: query_vectors {left}, item_vectors {right}."
        raise InputError(with_hint(fact, "both sides come from one model"))


def check_bias(values: int, items: int) -> None:
    """Refuse a bias that does not fit the items."""
    if values != items:
        raise InputError(f"bias has {values:,} values for {items:,} items.")


def unit(vectors: Vectors, what: str) -> Vectors:
    """The vectors divided by their length, rounded to float32: what ``cosine`` multiplies."""
    lengths = norms(vectors)
    if not lengths.all():
        rows = np.flatnonzero(lengths == 0).tolist()
        raise InputError(f"{what} holds zero vectors, which have no cosine: rows {examples(rows)}.")
    return (vectors / lengths[:, None]).astype(np.float32)
