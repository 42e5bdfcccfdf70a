"""Items as vectors: features, categories or the users who took them, dense or sparse, and their cosines."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.arithmetic.slates.data import BLOCK_CELLS, Items, Rows, Sets, along, given_value
from rankmeter.frozen import dataclass
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.placing.segments import offsets_of

NEAR_ZERO = 1e-150
"""Below this length the square of a vector loses digits."""


@dataclass(frozen=True, slots=True)
class Described:
    """What some items are described by: a dense matrix or sparse rows."""

    table: npt.NDArray[Any] | None
    sparse: Sets | None
    rows: int

    def has(self, codes: Ints) -> Bools:
        """Which places hold an item that is described."""
        return (codes >= 0) & (codes < self.rows)

    def dense(self) -> npt.NDArray[Any]:
        """The description as a matrix; ``evaluate`` refuses sparse features too wide for that."""
        if self.table is not None:
            return self.table
        sparse = given_value(self.sparse)
        table = np.zeros((self.rows, sparse.columns))
        table[sparse.row, sparse.indices] = sparse.data
        return table

    def sets(self) -> Sets:
        """The columns of each item that are not 0."""
        if self.sparse is None:
            return Sets.of(self.dense())
        kept = self.sparse.data != 0
        if kept.all():
            return self.sparse
        indptr = offsets_of(kept)[self.sparse.indptr]
        return Sets(indptr, self.sparse.indices[kept], self.sparse.data[kept], self.sparse.columns)


def described_by(items: Items, source: str) -> Described:
    """The description of items by a source."""
    if source == "features":
        if isinstance(items.features, Sets):
            return Described(None, items.features, len(items.features.indptr) - 1)
        if items.features is not None:
            return Described(items.features, None, len(items.features))
    sparse = given_value(items.categories if source == "categories" else items.takers_of)
    return Described(None, sparse, len(sparse.indptr) - 1)


def unit_rows(items: Described) -> Any:
    """The vectors with length 1 as a NumPy or SciPy matrix, and one more row of zeros; vectors of zeros stay so."""
    if items.sparse is not None:
        from scipy.sparse import csr_array  # only where vectors are added up

        sets = items.sparse
        row = sets.row
        data, lengths = sets.data, _lengths_of(row, sets.data, items.rows)
        if _odd(lengths).any():
            peak = np.zeros(items.rows)
            np.maximum.at(peak, row, np.abs(data))
            data = data / np.where(_odd(lengths) & (peak > 0), peak, 1.0)[row]
            lengths = _lengths_of(row, data, items.rows)
        scale = np.divide(1.0, lengths, out=np.zeros(items.rows), where=lengths > 0)
        indptr = np.append(sets.indptr, sets.indptr[-1])
        return csr_array((data * scale[row], sets.indices, indptr), shape=(items.rows + 1, sets.columns))
    table = items.dense().astype(np.float64)
    lengths = np.sqrt(_products(table, table))
    odd = _odd(lengths)
    if odd.any():
        peak = np.abs(table[odd]).max(axis=1, keepdims=True)
        table[odd] /= np.where(peak > 0, peak, 1.0)
        lengths[odd] = np.sqrt(_products(table[odd], table[odd]))
    table *= np.divide(1.0, lengths, out=np.zeros(len(table)), where=lengths > 0)[:, None]
    return np.vstack([table, np.zeros((1, table.shape[1]))])


def _lengths_of(row: Ints, data: Floats, rows: int) -> Floats:
    with np.errstate(over="ignore"):
        return np.asarray(np.sqrt(np.bincount(row, weights=data**2, minlength=rows)))


def _odd(lengths: Floats) -> Bools:
    """Which vectors have to be made smaller or larger first: their squares are infinite, or vanish."""
    return np.asarray(~np.isfinite(lengths) | (lengths < NEAR_ZERO))


def pair_sums_of_cosines(items: Described, codes: Ints) -> Floats:
    """(n,) the sum over all pairs of a list of the cosine of the pair.

    ``|v1 + ... + vn|^2`` holds every pair twice and every vector once, so no pair is ever looked at.
    """
    units, has = unit_rows(items), items.has(codes)
    alone = along(np.where(has, _products(units, units)[np.where(has, codes, 0)], 0.0))
    item, offsets = codes[has], offsets_of(np.count_nonzero(has, axis=1))
    squared = np.zeros(len(codes))
    for block in _slices_of_entries(_entries_held(units, item, offsets)):
        total = _sums_of_rows(units, item, offsets[block.start : block.stop + 1])
        squared[block] = _products(total, total)
    return np.asarray((squared - alone) / 2.0)


def likeness_to_history(items: Described, codes: Ints, history: Rows) -> tuple[Floats, Bools]:
    """(n, k) the mean cosine of each place to the described items of its user's history, and whether there is one."""
    units, has, taken = unit_rows(items), items.has(codes), items.has(history.item)
    row, item = np.where(has, codes, items.rows), np.where(taken, history.item, items.rows)
    alike = np.zeros(codes.shape)
    of_lists = _entries_held(units, row.ravel(), np.arange(len(row) + 1) * row.shape[1])
    for block in _slices_of_entries(of_lists + _entries_held(units, item, history.offsets)):
        profile = _sums_of_rows(units, item, history.offsets[block.start : block.stop + 1])
        for place in range(codes.shape[1]):
            alike[block, place] = _products(units[row[block, place]], profile)
    counts = np.bincount(history.query[taken], minlength=len(codes))
    mean = np.divide(alike, counts[:, None], out=np.zeros_like(alike), where=counts[:, None] > 0)
    return mean, has & (counts > 0)[:, None]


def _products(left: Any, right: Any) -> Floats:
    """(n,) the product of each row of one matrix with that of another."""
    if isinstance(left, np.ndarray):
        return np.asarray(np.einsum("ij,ij->i", left, right))
    return np.asarray(left.multiply(right).sum(axis=1))


def _sums_of_rows(units: Any, item: Ints, offsets: Ints) -> Any:
    """(n, d) for each stretch of items the sum of their vectors, as a product with a sparse matrix of ones."""
    from scipy.sparse import csr_array

    chosen = item[offsets[0] : offsets[-1]]
    shape = len(offsets) - 1, units.shape[0]
    return csr_array((np.ones(len(chosen)), chosen, offsets - offsets[0]), shape=shape) @ units


def _entries_held(units: Any, item: Ints, offsets: Ints) -> Ints:
    """(n,) how many numbers the vectors of each stretch of items hold; those of a dense matrix count as they stand."""
    if isinstance(units, np.ndarray):
        return np.full(len(offsets) - 1, 4 * units.shape[1])
    return np.diff(offsets_of(np.diff(units.indptr)[item])[offsets])


def _slices_of_entries(entries: Ints) -> list[slice]:
    """Slices of consecutive rows with at most a given number of entries together, but at least one row each."""
    slices, first, total = [], 0, 0
    ends = np.cumsum(entries)
    while first < len(entries):
        last = int(np.searchsorted(ends, total + BLOCK_CELLS, side="right"))
        last = max(last, first + 1)
        slices.append(slice(first, last))
        first, total = last, int(ends[last - 1])
    return slices
