"""Who gets seen."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rankmeter.arithmetic.slates.data import Slates, Whole, given_value, place_weights
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
    quotient = np.divide(share, target, out=np.full(share.shape, np.inf), where=target > 0)
    if m.distance == "ratio":
        return np.where(unknown, np.nan, quotient.min(axis=-1))
    logs = np.log2(quotient, out=np.zeros_like(quotient), where=(share > 0) & (target > 0))
    untargeted = ((share > 0) & (target <= 0)).any(axis=-1)
    divergence = np.where(untargeted, np.inf, np.maximum((share * logs).sum(axis=-1), 0.0))
    return np.where(unknown, np.nan, divergence)


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
