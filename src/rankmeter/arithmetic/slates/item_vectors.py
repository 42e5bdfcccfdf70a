"""Items as vectors: features, categories or the users who took them, dense or sparse, and their cosines."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.arithmetic.slates.data import BLOCK_CELLS, Items, Rows, Sets, along, blocks, expanded, given
from rankmeter.frozen import dataclass
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.placing.segments import changes, offsets_of

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
        sparse = given(self.sparse)
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


def described(items: Items, source: str) -> Described:
    """The description of items by a source."""
    if source == "features":
        if isinstance(items.features, Sets):
            return Described(None, items.features, len(items.features.indptr) - 1)
        if items.features is not None:
            return Described(items.features, None, len(items.features))
    sparse = given(items.categories if source == "categories" else items.takers_of)
    return Described(None, sparse, len(sparse.indptr) - 1)


def unit_rows(items: Described) -> npt.NDArray[Any] | Sets:
    """The vectors with length 1; a vector of zeros stays as it is. A dense matrix gets one more row, of zeros."""
    if items.sparse is not None:
        sets = items.sparse
        row = sets.row
        data, lengths = sets.data, _lengths_of(row, sets.data, items.rows)
        if _odd(lengths).any():
            peak = np.zeros(items.rows)
            np.maximum.at(peak, row, np.abs(data))
            data = data / np.where(_odd(lengths) & (peak > 0), peak, 1.0)[row]
            lengths = _lengths_of(row, data, items.rows)
        scale = np.divide(1.0, lengths, out=np.zeros(items.rows), where=lengths > 0)
        return Sets(sets.indptr, sets.indices, data * scale[row], sets.columns)
    table = items.dense().astype(np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", table, table))
    odd = _odd(lengths)
    if odd.any():
        peak = np.abs(table[odd]).max(axis=1, keepdims=True)
        table[odd] /= np.where(peak > 0, peak, 1.0)
        lengths[odd] = np.sqrt(np.einsum("ij,ij->i", table[odd], table[odd]))
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
    units = unit_rows(items)
    has = items.has(codes)
    if isinstance(units, Sets):
        squared = np.bincount(units.row, weights=units.data**2, minlength=items.rows)
    else:
        squared = np.einsum("ij,ij->i", units, units)[:-1]
    alone = along(np.where(has, squared[np.where(has, codes, 0)], 0.0))
    return np.asarray((_squared_sums(units, codes, has) - alone) / 2.0)


def _squared_sums(units: npt.NDArray[Any] | Sets, codes: Ints, has: Bools) -> Floats:
    """(n,) the squared length of the sum of each list's vectors."""
    squared = np.zeros(len(codes))
    if isinstance(units, Sets):
        sizes = np.diff(units.indptr)
        for rows in bounded(np.where(has, sizes[np.where(has, codes, 0)], 0).sum(axis=1)):
            user = np.nonzero(has[rows])[0]
            owner, column, position = expanded(units, codes[rows][has[rows]])
            keys, sums = _summed_by(user[owner] * units.columns + column, units.data[position])
            squared[rows] = np.bincount(keys // units.columns, weights=sums**2, minlength=len(codes[rows]))
        return squared
    offsets = offsets_of(np.count_nonzero(has, axis=1))
    item = codes[has]
    for block in blocks(len(codes), units.shape[1] * 4):
        total = sums_of_rows(units, item, offsets[block.start : block.stop + 1])
        squared[block] = np.einsum("ij,ij->i", total, total)
    return squared


def _summed_by(keys: Ints, values: Floats) -> tuple[Ints, Floats]:
    """The different keys, rising, and the sum of the values of each, added in the order in which they stand."""
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(changes(keys))
    return keys[starts], np.add.reduceat(values[order], starts) if len(starts) else values


def sums_of_rows(units: npt.NDArray[Any], item: Ints, offsets: Ints) -> Floats:
    """(n, d) for each stretch of items the sum of their vectors, as a product with a sparse matrix of ones."""
    from scipy.sparse import csr_array  # only where vectors are added up

    chosen = item[offsets[0] : offsets[-1]]
    ones = csr_array((np.ones(len(chosen)), chosen, offsets - offsets[0]), shape=(len(offsets) - 1, len(units)))
    return np.asarray(ones @ units)


def bounded(entries: Ints) -> list[slice]:
    """Slices of consecutive rows with at most a given number of entries together, but at least one row each."""
    slices, first, total = [], 0, 0
    ends = np.cumsum(entries)
    while first < len(entries):
        last = int(np.searchsorted(ends, total + BLOCK_CELLS, side="right"))
        last = max(last, first + 1)
        slices.append(slice(first, last))
        first, total = last, int(ends[last - 1])
    return slices


def likeness_to_history(items: Described, codes: Ints, history: Rows) -> tuple[Floats, Bools]:
    """(n, k) the mean cosine of each place to the described items of its user's history, and whether there is one."""
    units = unit_rows(items)
    has = items.has(codes)
    taken = items.has(history.item)
    counts = np.bincount(history.query[taken], minlength=len(codes))
    alike = np.zeros(codes.shape)
    if isinstance(units, Sets):
        _sparse_likeness(units, codes, has, history, taken, alike)
    else:
        row = np.where(has, codes, len(units) - 1)
        item = np.where(taken, history.item, len(units) - 1)
        for block in blocks(len(codes), units.shape[1] * 4):
            profile = sums_of_rows(units, item, history.offsets[block.start : block.stop + 1])
            for place in range(codes.shape[1]):
                alike[block, place] = np.einsum("ij,ij->i", units[row[block, place]], profile)
    mean = np.divide(alike, counts[:, None], out=np.zeros_like(alike), where=counts[:, None] > 0)
    return mean, has & (counts > 0)[:, None]


def _sparse_likeness(units: Sets, codes: Ints, has: Bools, history: Rows, kept: Bools, alike: Floats) -> None:
    """The same with sparse vectors: entries of list and history that meet in a user and a column."""
    sizes = np.diff(units.indptr)
    taken = np.where(kept, sizes[np.where(kept, history.item, 0)], 0)
    entries = np.bincount(history.query, weights=taken, minlength=len(codes)).astype(np.int64)
    entries += np.where(has, sizes[np.where(has, codes, 0)], 0).sum(axis=1)
    places = codes.shape[1]
    for block in bounded(entries):
        rows = slice(int(history.offsets[block.start]), int(history.offsets[block.stop]))
        user = history.query[rows][kept[rows]] - block.start
        owner, column, position = expanded(units, history.item[rows][kept[rows]])
        keys, sums = _summed_by(user[owner] * units.columns + column, units.data[position])
        if not len(keys):
            continue
        where, place = np.nonzero(has[block])
        owner, column, position = expanded(units, codes[block][has[block]])
        wanted = where[owner] * units.columns + column
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        products = np.where(keys[at] == wanted, sums[at] * units.data[position], 0.0)
        cell = where[owner] * places + place[owner]
        size = (block.stop - block.start) * places
        alike[block] = np.bincount(cell, weights=products, minlength=size).reshape(-1, places)
