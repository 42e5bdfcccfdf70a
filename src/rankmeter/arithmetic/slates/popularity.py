"""How unknown or how popular the recommended items are, and whether the tail gets its share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rankmeter.arithmetic.slates.coverage import log_of
from rankmeter.arithmetic.slates.data import (
    Items,
    ListValues,
    Rows,
    Slates,
    Whole,
    along,
    given_value,
    known,
    place_weights,
)
from rankmeter.placing.placements import Bools, Floats, Ints


def counts_of(items: Items, count: str) -> tuple[Floats, float]:
    """How often each item was taken, and how often it could have been."""
    counts = given_value(items.takers if count == "users" else items.taken)
    return counts, items.users if count == "users" else float(counts.sum())


def novelty(s: Slates, m: Any) -> ListValues:
    """The mean self-information of the recommended items."""
    information, cold = _information(s.items, m, getattr(m, "count", "users"))
    numerator = s.totals(information)
    lengths = s.totals(~cold) if m.cold == "skip" else s.lengths.astype(np.float64)
    if m.norm == "log":
        total = counts_of(s.items, getattr(m, "count", "users"))[1]
        numerator *= log_of(m.base) / math.log(total) if total > 1 else 0.0
    below = np.full(len(s), float(m.cutoff or s.places)) if m.divisor == "k" else lengths
    return ListValues(numerator, below, lengths > 0)


def _information(items: Items, m: Any, count: str) -> tuple[Floats, Bools]:
    """(total,) the self-information of each item, and which items nobody took."""
    taken, total = counts_of(items, count)
    cold = taken <= 0
    once = float(taken[~cold & (taken < 1.0)].min(initial=1.0))  # popularity given as shares has no "once"
    information = np.maximum(taken, once) / (total or 1.0)
    np.log(information, out=information)
    information /= -log_of(m.base)
    np.maximum(information, 0.0, out=information)
    if m.cold != "one":
        rarest = float(information[~cold].max(initial=0.0)) if m.cold == "rarest" else 0.0
        information = np.where(cold, rarest, information)
    return information, cold


def expected_popularity_complement(s: Slates, m: Any) -> ListValues:
    """One minus popularity, of relevant items, discounted."""
    takers, users = counts_of(s.items, "users")
    unpopular = s.at(1.0 - takers / max(users, 1.0), 1.0)
    return _discounted_worth(s, m, unpopular, s.present)


def expected_free_discovery(s: Slates, m: Any) -> ListValues:
    """Self-information of relevant items, discounted."""
    information, cold = _information(s.items, m, "interactions")
    counted = s.present & ~s.at(cold) if m.cold == "skip" else s.present
    return _discounted_worth(s, m, s.at(information), counted)


def _discounted_worth(s: Slates, m: Any, worth: Floats, counted: Bools) -> ListValues:
    weights = place_weights(m.discount, s.places)
    useful = s.present if m.relevance == "all" else s.relevant(m.rel)
    numerator = along(np.where(useful & counted, worth * weights, 0.0))
    below = along(np.where(counted, weights, 0.0))
    defined = s.lengths > 0 if m.relevance == "all" else has_relevant(s, m)
    return ListValues(numerator, below, defined)


def has_relevant(s: Slates, m: Any) -> Bools:
    """(n,) whether a user counts: everyone, or with ``empty="skip"`` those with a relevant item."""
    if m.empty == "zero" or s.judged is None:
        return np.ones(len(s), np.bool_)
    return np.bincount(s.judged.query[s.judged.grade >= m.rel], minlength=len(s)) > 0


def average_popularity(s: Slates, m: Any) -> ListValues:
    """How often the recommended items were taken."""
    taken, total = counts_of(s.items, m.count)
    if m.norm == "share":
        taken = taken / (total or 1.0)
    elif m.norm == "max":
        taken = taken / (float(taken.max(initial=0.0)) or 1.0)
    lengths = s.totals(taken > 0) if m.cold == "skip" else s.lengths.astype(np.float64)
    return ListValues(s.totals(taken), lengths, lengths > 0)


def tail_of(items: Items, m: Any) -> Bools:
    """(total,) which items are in the tail; of equally popular ones at its border those that come first, or last."""
    taken, _ = counts_of(items, "interactions")
    seen = items.seen if items.seen is not None else taken > 0
    listed = np.arange(items.total) < items.listed
    pool = np.flatnonzero(listed if m.among == "catalogue" and items.listed else seen)
    if m.border == "last":
        pool = pool[::-1]
    rising = pool[np.argsort(taken[pool], kind="stable")]
    if m.tail == "items":
        head = rising[max(int(m.share * len(rising)), 1) :]
    else:
        falling = rising[::-1]
        held = np.cumsum(taken[falling])
        enough = np.searchsorted(held, (1.0 - m.share) * (held[-1] if len(held) else 0.0) * (1 - 1e-12))
        head = falling[: int(enough) + 1]
    tail = np.ones(items.total, np.bool_)
    tail[head] = False
    return tail & seen if m.among == "history" else tail


def tail_share(s: Slates, m: Any) -> ListValues:
    """The share of a list that is in the tail."""
    lengths = s.lengths
    return ListValues(s.totals(tail_of(s.items, m)), lengths.astype(np.float64), lengths > 0)


def tail_count(s: Slates, m: Any) -> ListValues:
    """How many items of a list are in the tail."""
    return ListValues(s.totals(tail_of(s.items, m)), np.ones(len(s)), s.lengths > 0)


def popularity_lift(s: Slates, m: Any) -> ListValues:
    """How much more popular a list is than its user's history."""
    taken, _ = counts_of(s.items, m.count)
    lengths = s.lengths
    popular = s.totals(taken) / np.maximum(lengths, 1)
    history = given_value(s.history)
    sizes = np.diff(history.offsets)
    before = np.bincount(history.query, weights=taken[history.item], minlength=len(s)) / np.maximum(sizes, 1)
    # A history of items that nobody took can only be lifted together with others, which a user's own lift is not.
    liftable = before > 0 if m.aggregate != "pooled" else np.full(len(s), bool((before > 0).any()))
    return ListValues(popular - before, before, (lengths > 0) & (sizes > 0) & liftable)


def equal_opportunity(s: Slates, m: Any) -> Whole:
    """What head and tail (or groups) have found of their relevant items."""
    group, groups = _groups(s.items, m)
    found = per_group(s.at(group, -1), s.relevant(m.rel), groups)
    relevant = rows_per_group(given_value(s.judged), m.rel, group, groups)
    return Whole(math.nan, np.hstack([found, relevant]), np.empty(0))


def statistical_parity(s: Slates, m: Any) -> Whole:
    """How many of their possible places head and tail (or groups) got."""
    group, groups = _groups(s.items, m)
    if m.groups == "catalogue" or m.among == "catalogue":
        group = np.where(np.arange(s.items.total) < s.items.listed, known(group, np.arange(s.items.total), -1), -1)
    recommended = per_group(s.at(group, -1), s.present, groups)
    possible = np.tile(np.bincount(group[group >= 0], minlength=groups), (len(s), 1))
    if s.history is not None:
        possible = possible - rows_per_group(s.history, -math.inf, group, groups)
    return Whole(math.nan, np.hstack([recommended, possible]), np.empty(0))


def relative_spread(sums: Floats, _: Floats, __: Any) -> Floats:
    """Standard deviation over mean of quotients, first half of the columns by the second: ``(..., 2 g) -> (...)``."""
    groups = sums.shape[-1] // 2
    above, below = sums[..., :groups], sums[..., groups:]
    rate = np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0)
    counted = np.maximum(np.count_nonzero(below > 0, axis=-1), 1)
    mean = np.nansum(rate, axis=-1) / counted
    spread = np.sqrt(np.nansum((rate - mean[..., None]) ** 2, axis=-1) / counted)
    return np.asarray(np.divide(spread, mean, out=np.zeros_like(mean), where=mean > 0))


def _groups(items: Items, m: Any) -> tuple[Ints, int]:
    if m.groups == "catalogue" and items.groups is not None:
        return items.groups, len(items.group_names)
    group = tail_of(items, m).astype(np.int64)
    if m.among == "history":  # what nobody took is in neither
        taken, _ = counts_of(items, "interactions")
        group[~(items.seen if items.seen is not None else taken > 0)] = -1
    return group, 2


def per_group(group: Ints, counted: Bools, groups: int, weights: Floats | None = None) -> Floats:
    """(n, groups) how many counted places of each list (or which weight) go to each group."""
    user, place = np.nonzero(counted & (group >= 0))
    each = None if weights is None else weights[place]
    flat = np.bincount(user * groups + group[user, place], weights=each, minlength=len(group) * groups)
    return flat.reshape(-1, groups).astype(np.float64)


def rows_per_group(rows: Rows, rel: float, group: Ints, groups: int) -> Ints:
    """(n, groups) how many rows of each query, graded at least ``rel``, are of each group."""
    code = known(group, rows.item, -1)
    inside = (rows.grade >= rel) & (code >= 0)
    queries = len(rows.offsets) - 1
    flat = np.bincount(rows.query[inside] * groups + code[inside], minlength=queries * groups)
    return flat.reshape(queries, groups)
