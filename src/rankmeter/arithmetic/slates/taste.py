"""Lists against the user's own history: surprise and calibration."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankmeter.arithmetic.slates.coverage import log_of
from rankmeter.arithmetic.slates.data import ListValues, Slates, along, given_value, place_weights
from rankmeter.arithmetic.slates.item_vectors import described_by, likeness_to_history
from rankmeter.arithmetic.slates.listdiversity import category_shares, spread
from rankmeter.arithmetic.slates.popularity import counts_of, has_relevant
from rankmeter.placing.placements import Bools, Floats


def serendipity(s: Slates, m: Any) -> ListValues:
    """Relevant and unexpected."""
    surprise, counted = _surprise(s, m)
    useful = counted if m.relevance == "all" else counted & s.relevant(m.rel)
    lengths = np.count_nonzero(counted, axis=1)
    defined = lengths > 0 if m.relevance == "all" or m.surprise == "history" else has_relevant(s, m)
    if m.surprise == "history" and m.relevance == "judged":
        defined = defined & has_relevant(s, m)
    return ListValues(along(np.where(useful, surprise, 0.0)), lengths.astype(np.float64), defined)


def unexpectedness(s: Slates, m: Any) -> ListValues:
    """How unlike what was to be expected."""
    surprise, counted = _surprise(s, m)
    lengths = np.count_nonzero(counted, axis=1)
    return ListValues(along(np.where(counted, surprise, 0.0)), lengths.astype(np.float64), lengths > 0)


def _rank_surprise(s: Slates) -> Floats:
    """(n, k) by how much a place is above the item's rank by popularity, as a share of the catalogue."""
    taken, _ = counts_of(s.items, "interactions")
    different = np.unique(-taken[taken > 0])
    rank = np.searchsorted(different, -taken) + 1.0
    listed = max(s.items.listed, 1)
    expected = np.where(taken > 0, (listed + 1 - rank) / listed, 0.0)
    place = (listed + 1 - np.arange(1, s.places + 1)) / listed
    return np.asarray(np.maximum(place - s.at(expected), 0.0))


def _not_popular(s: Slates, m: Any) -> Bools:
    """(n, k) which places hold an item that is not among the k most popular."""
    taken, _ = counts_of(s.items, "interactions")
    most = np.argsort(-taken, kind="stable")[: m.cutoff or s.places]
    usual = np.zeros(s.items.total, np.bool_)
    usual[most] = taken[most] > 0
    return np.asarray(s.present & ~s.at(usual))


def _surprise(s: Slates, m: Any) -> tuple[Floats, Bools]:
    """(n, k) how unexpected the item of each place is, and which places count."""
    if m.surprise == "popularity":
        return _rank_surprise(s), s.present
    if m.surprise == "popular":
        return _not_popular(s, m).astype(np.float64), s.present
    alike, counted = likeness_to_history(described_by(s.items, m.source), s.codes, given_value(s.history))
    return 1.0 - alike, counted


def calibration(s: Slates, m: Any) -> ListValues:
    """The divergence of a list's categories from those of the user's history."""
    sets, history = given_value(s.items.categories), given_value(s.history)
    weights = place_weights(m.weight, s.places)
    values, defined = [], []
    shares = category_shares(s.items, s.codes, weights)
    first = 0
    for listed in shares:
        last = first + len(listed)
        rows = slice(int(history.offsets[first]), int(history.offsets[last]))
        item, user = history.item[rows], history.query[rows] - first
        inside = item < len(sets.indptr) - 1
        before = spread(sets, item[inside], user[inside], np.ones(int(inside.sum())), len(listed))
        wanted, got = before.sum(axis=1, keepdims=True), listed.sum(axis=1, keepdims=True)
        p = np.divide(before, wanted, out=np.zeros_like(before), where=wanted > 0)
        q = np.divide(listed, got, out=np.zeros_like(listed), where=got > 0)
        divergence = _kl(p, (1 - m.alpha) * q + m.alpha * p) if m.divergence == "kl" else _js(p, q)
        values.append(np.maximum(divergence, 0.0) / log_of(m.base))
        defined.append((wanted[:, 0] > 0) & (got[:, 0] > 0))
        first = last
    return ListValues(np.concatenate(values), np.ones(len(s)), np.concatenate(defined))


def _kl(p: Floats, q: Floats) -> Floats:
    """(n,) the Kullback-Leibler divergence of rows, in nats."""
    quotient = np.divide(p, q, out=np.ones_like(p), where=(p > 0) & (q > 0))
    return np.asarray((p * np.log(quotient)).sum(axis=1))


def _js(p: Floats, q: Floats) -> Floats:
    middle = (p + q) / 2
    return (_kl(p, middle) + _kl(q, middle)) / 2
