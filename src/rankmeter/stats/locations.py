"""Quantiles and trimmed means of values that come in clusters: what says where most users are, whatever a few do."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rankmeter.arithmetic.aggregates import summed
from rankmeter.stats.estimates import GroupValue
from rankmeter.stats.student import t_quantile

SIDE = 0.95
"""The level of the interval from whose width the variance of a quantile is taken."""


def quantile(values: Any, unit: Any, share: float) -> GroupValue:
    """A quantile, and its variance where the values of one unit depend on each other.

    The share of values below the quantile is a quotient over units, whose variance the delta method gives; the
    quantiles at the ends of its interval are the ends of that of the quantile (Woodruff 1952; Deng and others 2018).

    Examples
    --------
    >>> import numpy as np
    >>> side = quantile(np.arange(101.0), np.arange(101), 0.5)
    >>> side.value, side.n
    (50.0, 101)
    """
    n = len(np.unique(unit))
    if n < 2:
        return GroupValue(float(np.quantile(values, share)) if len(values) else math.nan, math.nan, n)
    ordered = np.sort(values)
    value = float(np.quantile(ordered, share))
    code = np.unique(unit, return_inverse=True)[1]
    below, all_of = np.bincount(code, values <= value), np.bincount(code)
    gaps = below - below.sum() / all_of.sum() * all_of
    error = math.sqrt(summed(gaps**2) * n / (n - 1)) / all_of.sum()
    reach = t_quantile(SIDE, n - 1)
    low, high = np.quantile(ordered, np.clip([share - reach * error, share + reach * error], 0, 1))
    return GroupValue(value, (float(high - low) / (2 * reach)) ** 2, n)


def trimmed_mean(values: Any, share: float) -> GroupValue:
    """The mean without a share of the values at either end, and its variance (Yuen 1974).

    Examples
    --------
    >>> import numpy as np
    >>> trimmed_mean(np.array([0.0, 1, 2, 3, 1000]), 0.2).value
    2.0
    """
    n = len(values)
    cut = math.floor(n * share)
    left = n - 2 * cut
    if left < 2:
        return GroupValue(math.nan, math.nan, n)
    ordered = np.sort(values)
    inside = ordered[cut : n - cut]
    wins = np.clip(ordered, inside[0], inside[-1])
    return GroupValue(float(inside.mean()), float(wins.var(ddof=1)) * (n - 1) / (left * (left - 1)), left)
