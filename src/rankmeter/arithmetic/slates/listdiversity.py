"""How unlike the items of a list are, and the lists of different users.

The cosine of all pairs of a list comes from the length of the sum of its vectors, that of all pairs of users from the
counts of items: nothing is quadratic in users or items. The other metrics look at each pair of a list, in blocks.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.arithmetic.slates.coverage import log_of
from rankmeter.arithmetic.slates.data import (
    Counts,
    Items,
    ListValues,
    Sets,
    Slates,
    along,
    blocks,
    expanded,
    given_value,
)
from rankmeter.arithmetic.slates.item_vectors import Described, described_by, pair_sums_of_cosines
from rankmeter.placing.placements import Bools, Floats, Ints

MOST_DENSE_COLUMNS = 1024
"""Up to how many columns sets are compared as a dense matrix of zeros and ones."""


def intra_list_distance(s: Slates, m: Any) -> ListValues:
    """The mean distance of two items of a list."""
    if m.metric == "given":
        sums, known = _given_distance(s)
    else:
        items = described_by(s.items, m.source)
        known = np.count_nonzero(items.has(s.codes), axis=1)
        if m.metric == "cosine":
            sums = known * (known - 1) / 2 - pair_sums_of_cosines(items, s.codes)
        elif m.metric == "jaccard":
            sums = _jaccard(items, s.codes)
        else:
            sums = _pairwise(items, s.codes, m.metric)
    pairs = known * (known - 1) / 2.0
    below = pairs if m.norm == "pairs" else np.where(known > 1, known, 0).astype(np.float64)
    numerator = sums if m.metric == "given" else np.maximum(sums, 0.0)
    if m.scale == "similarity":
        numerator = pairs - numerator
    alone = known == 1
    if m.single != "skip":
        numerator = np.where(alone, 1.0 if m.single == "one" else 0.0, numerator)
        below = np.where(alone, 1.0, below)
    return ListValues(numerator, below, (known > 1) | (alone & (m.single != "skip")))


def _given_distance(s: Slates) -> tuple[Floats, Ints]:
    """Sums over pairs of the distance that the catalogue was given."""
    inside = (s.codes >= 0) & (s.codes < s.items.listed)
    known = np.count_nonzero(inside, axis=1)
    sums = np.zeros(len(s))
    places = s.places
    if s.items.distance is None:
        return sums, known
    for rows in blocks(len(s), places):
        codes, both = s.codes[rows], inside[rows]
        for step in range(1, places):
            user, place = np.nonzero(both[:, :-step] & both[:, step:])
            if len(user):
                apart = s.items.distance(codes[user, place], codes[user, place + step])
                sums[rows] += np.bincount(user, weights=apart, minlength=len(codes))
    return sums, known


def _pairwise(items: Described, codes: Ints, metric: str) -> Floats:
    """Sums over pairs of a metric that must look at each pair of vectors."""
    table = items.dense()
    sums = np.zeros(len(codes))
    places, width = codes.shape[1], table.shape[1]
    for rows in blocks(len(codes), places * width):
        has = items.has(codes[rows])
        vectors = table[np.where(has, codes[rows], 0)]
        for step in range(1, places):
            both = has[:, :-step] & has[:, step:]
            apart = _distances(vectors[:, :-step], vectors[:, step:], metric)
            sums[rows] += along(np.where(both, apart, 0.0))
    return sums


def _distances(left: npt.NDArray[Any], right: npt.NDArray[Any], metric: str) -> Floats:
    """The distance of vectors along the last axis."""
    if metric.startswith("hamming"):
        differing = np.asarray(np.count_nonzero(left != right, axis=-1), np.float64)
        return differing if metric == "hamming-count" else differing / left.shape[-1]
    difference = left.astype(np.float64) - right
    if metric == "manhattan":
        return np.asarray(np.abs(difference).sum(axis=-1))
    return np.asarray(np.sqrt(np.einsum("...d,...d->...", difference, difference)))


def _jaccard(items: Described, codes: Ints) -> Floats:
    """Sums over pairs of one minus shared over all; two empty sets are alike."""
    sets = items.sets()
    sizes = np.diff(sets.indptr)
    places = codes.shape[1]
    sums = np.zeros(len(codes))
    dense = sets.columns <= MOST_DENSE_COLUMNS
    table = None
    if dense:
        table = np.zeros((len(sizes), sets.columns), np.float32)
        table[sets.row, sets.indices] = 1.0
    for rows in blocks(len(codes), places * max(sets.columns if dense else 64, places)):
        has = items.has(codes[rows])
        row = np.where(has, codes[rows], 0)
        if table is None:
            shared = _shared_sparse(sets, row)
        else:
            shared = np.matmul(table[row], table[row].transpose(0, 2, 1)).astype(np.float64)
        size = sizes[row].astype(np.float64)
        union = size[:, :, None] + size[:, None, :] - shared
        alike = np.divide(shared, union, out=np.ones_like(shared), where=union > 0)
        upper = np.triu(np.ones((places, places), np.bool_), 1)
        both = has[:, :, None] & has[:, None, :] & upper
        sums[rows] = along(np.where(both, 1.0 - alike, 0.0))
    return sums


def _shared_sparse(sets: Sets, row: Ints) -> Floats:
    """(m, k, k) how many columns two items of a list share, met column by column."""
    m, places = row.shape
    owner, column, _ = expanded(sets, row.ravel())
    user, place = owner // places, owner % places
    order = np.lexsort((column, user))
    user, column, place = user[order], column[order], place[order]
    shared = np.zeros((m, places, places))
    # Entries of one user and column stand together; each pairs with those that follow it there.
    for step in range(1, places):
        together = np.flatnonzero((user[step:] == user[:-step]) & (column[step:] == column[:-step]))
        if not len(together):
            break
        first, second = place[together], place[together + step]
        np.add.at(shared, (user[together], np.minimum(first, second), np.maximum(first, second)), 1.0)
    return shared


def category_diversity(s: Slates, m: Any) -> ListValues:
    """How many different categories a list holds."""
    shares = category_shares(s.items, s.codes, np.ones(s.places))
    distinct = np.concatenate([np.count_nonzero(block > 0, axis=1) for block in shares]).astype(np.float64)
    lengths = s.lengths.astype(np.float64)
    divisors = {
        "k": np.full(len(s), float(m.cutoff)) if m.cutoff else lengths,
        "list": lengths,
        "catalogue": np.full(len(s), float(given_value(s.items.categories).columns)),
        "count": np.ones(len(s)),
    }
    return ListValues(distinct, divisors[m.norm], lengths > 0)


def category_entropy(s: Slates, m: Any) -> ListValues:
    """How evenly a list is spread over its categories."""
    values, has = [], []
    for block in category_shares(s.items, s.codes, np.ones(s.places)):
        total = block.sum(axis=1, keepdims=True)
        share = np.divide(block, total, out=np.zeros_like(block), where=total > 0)
        logs = np.log(share, out=np.zeros_like(share), where=share > 0)
        values.append(np.maximum(-(share * logs).sum(axis=1), 0.0))
        has.append(total[:, 0] > 0)
    below = log_of(m.base)
    if m.norm == "categories":
        below = math.log(max(given_value(s.items.categories).columns, 2))
    return ListValues(np.concatenate(values) / below, np.ones(len(s)), np.concatenate(has))


def personalisation(counts: Counts, items: Items, _: Any) -> float:
    """One minus the mean cosine of two users' lists, from the counts of items by the length of their list."""
    places = np.bincount(counts.key, weights=counts.times)
    length = np.flatnonzero(places)
    users = int((places[length] / np.maximum(length, 1)).sum())  # whole numbers: every list has its length of places
    if users < 2:
        return math.nan
    sums = counts.weighted(items.total, lambda length: 1.0 / np.sqrt(length))
    # The square of the sum, without each list's likeness to itself.
    similar = math.fsum(sums * sums) - users
    return 1.0 - max(similar, 0.0) / (users * (users - 1.0))


def category_shares(items: Items, codes: Ints, weights: Floats) -> list[Floats]:
    """Blocks of ``(users, categories)``: the weight of each category in a list; an item splits its own equally."""
    sets = given_value(items.categories)
    weights = np.broadcast_to(weights, codes.shape)
    shares = []
    for rows in blocks(len(codes), max(sets.columns, codes.shape[1])):
        inside: Bools = (codes[rows] >= 0) & (codes[rows] < len(sets.indptr) - 1)
        user = np.nonzero(inside)[0]
        shares.append(spread(sets, codes[rows][inside], user, weights[rows][inside], len(codes[rows])))
    return shares


def spread(sets: Sets, item: Ints, user: Ints, weight: Floats, users: int) -> Floats:
    """(users, categories) the weight of items given to their categories in equal parts."""
    owner, column, _ = expanded(sets, item)
    sizes = np.diff(sets.indptr)[item]
    part = np.repeat(weight / np.maximum(sizes, 1), sizes)
    flat = np.bincount(user[owner] * sets.columns + column, weights=part, minlength=users * sets.columns)
    return flat.reshape(users, sets.columns).astype(np.float64, copy=False)
