"""Who gets seen."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rankmeter.arithmetic.slates.data import ListValues, Slates, Whole, given_value, place_weights
from rankmeter.arithmetic.slates.popularity import counts_of, per_group, rows_per_group
from rankmeter.placing.placements import Floats


def group_exposure(s: Slates, m: Any) -> Whole:
    """The attention of each group; the constants are the number of the group and the share of items of each."""
    exposure = _exposure(s, m)
    number = s.items.group_names.index(str(m.group))
    return Whole(math.nan, exposure, np.concatenate([[number], _item_shares(s)]))


def exposure_of_group(sums: Floats, constants: Floats, m: Any) -> Floats:
    """The share of one group, or its ratio to the share of items."""
    number = int(constants[0])
    total = sums.sum(axis=-1)
    share = np.asarray(np.divide(sums[..., number], total, out=np.full(total.shape, np.nan), where=total > 0))
    return share / constants[1 + number] if m.unit == "ratio" else share


def disparity(s: Slates, m: Any) -> Whole:
    """Exposure and, where the target depends on the users, the target; else the target as constants."""
    exposure = _exposure(s, m)
    groups = exposure.shape[1]
    if m.target == "relevance":
        relevant = rows_per_group(given_value(s.judged), m.rel, given_value(s.items.groups), groups)
        return Whole(math.nan, np.hstack([exposure, relevant]), np.empty(0))
    if m.target == "uniform":
        target = np.full(groups, 1.0 / groups)
    elif m.target == "history":
        taken, _ = counts_of(s.items, "interactions")
        held = np.bincount(given_value(s.items.groups), weights=taken[: s.items.listed], minlength=groups)
        target = held / (float(held.sum()) or 1.0)
    else:
        target = _item_shares(s)
    return Whole(math.nan, exposure, target)


def distance_from_target(sums: Floats, constants: Floats, m: Any) -> Floats:
    """The distance of the shares of exposure from the target."""
    groups = len(constants) or sums.shape[-1] // 2
    share = _shares_of_total(sums[..., :groups])
    target = np.broadcast_to(constants, share.shape) if len(constants) else _shares_of_total(sums[..., groups:])
    if m.distance == "tv":
        return np.asarray(np.abs(share - target).sum(axis=-1) / 2)
    if m.distance == "max":
        return np.asarray(np.abs(share - target).max(axis=-1))
    unknown = np.isnan(share + target).any(axis=-1)  # nothing is shown, or nothing is relevant
    if m.distance == "js":
        middle = (share + target) / 2
        both = (_relative_entropy(share, middle) + _relative_entropy(target, middle)) / 2
        return np.where(unknown, np.nan, np.maximum(both, 0.0))
    quotient = np.divide(share, target, out=np.full(share.shape, np.inf), where=target > 0)
    if m.distance == "ratio":
        return np.where(unknown, np.nan, quotient.min(axis=-1))
    untargeted = ((share > 0) & (target <= 0)).any(axis=-1)
    divergence = np.where(untargeted, np.inf, np.maximum(_relative_entropy(share, target), 0.0))
    return np.where(unknown, np.nan, divergence)


def _relative_entropy(share: Floats, target: Floats) -> Floats:
    """(...,) in bits; a group that only one side has adds nothing."""
    known = (share > 0) & (target > 0)
    quotient = np.divide(share, target, out=np.ones(share.shape), where=known)
    return np.asarray((share * np.log2(quotient)).sum(axis=-1))


def attention_weighted(s: Slates, m: Any) -> ListValues:
    """1 less the distance of each list's shares of exposure from the target."""
    parts = disparity(s, m)
    away = distance_from_target(given_value(parts.parts), given_value(parts.constants), m)
    known = ~np.isnan(away)
    return ListValues(np.where(known, 1 - away, 0.0), np.ones(len(s)), known)


def joint_exposure(s: Slates, m: Any) -> Whole:
    """The mean square of exposure less its target, over users and items, each or together."""
    judged, listed = given_value(s.judged), s.items.listed
    if not len(s) or not listed:
        return Whole(math.nan)
    wanted = (judged.grade >= m.rel) & (judged.item < listed)
    user, item = judged.query[wanted], judged.item[wanted]
    many = np.bincount(user, minlength=len(s))
    places = max(s.places, int(many.max(initial=0))) if m.cutoff is None else m.cutoff
    sums = np.append(0.0, np.cumsum(place_weights(m.weight, places, m.p)))
    ideal = -sums[np.minimum(many, places)][user] / many[user]
    held = s.present & (s.codes < listed)
    seen = np.broadcast_to(place_weights(m.weight, s.places, m.p), held.shape)[held]
    users = np.concatenate([np.nonzero(held)[0], user])
    items = np.concatenate([s.codes[held], item])
    across = items if m.items == "each" else given_value(s.items.groups)[items]
    sizes = np.ones(listed) if m.items == "each" else np.bincount(given_value(s.items.groups)).astype(np.float64)
    key = across if m.users == "all" else users * len(sizes) + across
    keys, cell = np.unique(key, return_inverse=True)
    away = np.bincount(cell, weights=np.concatenate([seen, ideal])) / sizes[keys % len(sizes)]
    rows = len(s) if m.users == "each" else 1
    away /= 1 if m.users == "each" else len(s)
    return Whole(float((away**2).sum() / (rows * np.count_nonzero(sizes))))


def _shares_of_total(sums: Floats) -> Floats:
    total = sums.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(sums, total, out=np.full(sums.shape, np.nan), where=total > 0))


def _exposure(s: Slates, m: Any) -> Floats:
    weights = place_weights(m.weight, s.places, m.p)
    return per_group(s.at(given_value(s.items.groups), -1), s.present, len(s.items.group_names), weights)


def _item_shares(s: Slates) -> Floats:
    counts = np.bincount(given_value(s.items.groups), minlength=len(s.items.group_names))
    return np.asarray(counts / counts.sum())


def gap_between(means: Floats, gap: str) -> Floats:
    """The gap between the means of segments, or their mean absolute difference over pairs; ``(..., s) -> (...)``."""
    if gap != "mad":
        return np.asarray(means.max(axis=-1) - means.min(axis=-1))
    ordered = np.sort(means, axis=-1)
    s = ordered.shape[-1]
    if s < 2:
        return np.zeros(ordered.shape[:-1])
    return np.asarray(((2 * np.arange(1, s + 1) - s - 1) * ordered).sum(axis=-1) * 2 / (s * (s - 1)))
