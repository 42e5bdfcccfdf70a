"""Plain proportions: intervals and tests for so many out of so many independent units.

Only where each unit counts once. Clicks out of impressions are no such thing when users were randomised: use the delta
method (:mod:`rankmeter.online.inference`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

from rankmeter.errors import InputError


def quantile(level: float) -> float:
    """The normal quantile of a two-sided level: 1.96 for 0.95."""
    from scipy.special import ndtri  # scipy is loaded only for statistics

    if not 0 < level < 1:
        raise InputError(f"level={level} is not possible; a level is between 0 and 1, as in 0.95.")
    return float(ndtri((1 + level) / 2))


def wilson(count: float, n: float, *, level: float = 0.95) -> tuple[float, float]:
    """The score interval of a proportion (Wilson 1927).

    Examples
    --------
    >>> [round(end, 4) for end in wilson(81, 263)]
    [0.2553, 0.3662]
    """
    _check(count, n)
    z = quantile(level)
    share, weight = count / n, z * z / n
    middle = (share + weight / 2) / (1 + weight)
    half = z / (1 + weight) * math.sqrt(share * (1 - share) / n + weight / (4 * n))
    return max(0.0, middle - half) if count else 0.0, min(1.0, middle + half) if count < n else 1.0


def exact(count: float, n: float, *, level: float = 0.95) -> tuple[float, float]:
    """The interval of Clopper and Pearson (1934), which covers at least as often as it says.

    Examples
    --------
    >>> [round(end, 4) for end in exact(81, 263)]
    [0.2527, 0.3676]
    """
    from scipy.special import betaincinv

    _check(count, n)
    tail = (1 - level) / 2
    low = float(betaincinv(count, n - count + 1, tail)) if count else 0.0
    high = float(betaincinv(count + 1, n - count, 1 - tail)) if count < n else 1.0
    return low, high


def newcombe(count: float, n: float, other_count: float, other_n: float, *, level: float = 0.95) -> tuple[float, float]:
    """The interval of the difference of two proportions, first minus second (Newcombe 1998, from Wilson intervals).

    Examples
    --------
    >>> [round(end, 4) for end in newcombe(56, 70, 48, 80)]
    [0.0524, 0.3339]
    """
    one, other = count / n, other_count / other_n
    low, high = wilson(count, n, level=level)
    other_low, other_high = wilson(other_count, other_n, level=level)
    return (
        one - other - math.hypot(one - low, other_high - other),
        one - other + math.hypot(high - one, other - other_low),
    )


def wald(count: float, n: float, other_count: float, other_n: float, *, level: float = 0.95) -> tuple[float, float]:
    """The plain normal interval of the difference of two proportions, first minus second."""
    one, other = count / n, other_count / other_n
    half = quantile(level) * math.sqrt(one * (1 - one) / n + other * (1 - other) / other_n)
    return one - other - half, one - other + half


def agresti_caffo(
    count: float, n: float, other_count: float, other_n: float, *, level: float = 0.95
) -> tuple[float, float]:
    """The plain interval after one success and one failure were added to each side (Agresti and Caffo 2000).

    Examples
    --------
    >>> [round(end, 4) for end in agresti_caffo(56, 70, 48, 80)]
    [0.0525, 0.3358]
    """
    return wald(count + 1, n + 2, other_count + 1, other_n + 2, level=level)


def score(count: float, n: float, other_count: float, other_n: float, *, level: float = 0.95) -> tuple[float, float]:
    """The differences that the score test does not refuse (Miettinen and Nurminen 1985), first minus second.

    Examples
    --------
    >>> [round(end, 4) for end in score(56, 70, 48, 80)]
    [0.0528, 0.3382]
    """
    _check(count, n)
    _check(other_count, other_n)
    bound = quantile(level)
    found = count / n - other_count / other_n

    def refused(gap: float) -> bool:
        other = _most_likely(count, n, other_count, other_n, gap)
        one = min(max(other + gap, 0.0), 1.0)
        variance = one * (1 - one) / n + other * (1 - other) / other_n
        variance *= (n + other_n) / (n + other_n - 1)
        return variance <= 0 or abs(found - gap) > bound * math.sqrt(variance)

    return _boundary(refused, found, -1.0), _boundary(refused, found, 1.0)


def _boundary(refused: Callable[[float], bool], inside: float, outside: float) -> float:
    """Where the test begins to refuse on the way from the difference found to the end of what is possible."""
    for _ in range(60):
        middle = (inside + outside) / 2
        inside, outside = (inside, middle) if refused(middle) else (middle, outside)
    return (inside + outside) / 2


def _most_likely(count: float, n: float, other_count: float, other_n: float, gap: float) -> float:
    """The second proportion that makes the data most likely where the first is larger by ``gap``: a cubic's root."""
    total = n + other_n
    cubic = (
        total,
        gap * (n + 2 * other_n) - total - count - other_count,
        gap * gap * other_n - gap * (2 * other_count + total) + count + other_count,
        gap * other_count * (1 - gap),
    )
    a, b, c, d = cubic
    q = (b / (3 * a)) ** 3 - b * c / (6 * a * a) + d / (2 * a)
    p = math.copysign(math.sqrt(max((b / (3 * a)) ** 2 - c / (3 * a), 0.0)), q)
    angle = (math.pi + math.acos(min(max(q / p**3, -1.0), 1.0) if p else 1.0)) / 3
    return min(max(2 * p * math.cos(angle) - b / (3 * a), 0.0), 1.0)


def ratio_interval(
    count: float, n: float, other_count: float, other_n: float, *, level: float = 0.95
) -> tuple[float, float]:
    """The interval of the ratio of two proportions, first over second, on the log scale."""
    _check(count, n)
    _check(other_count, other_n)
    if not count or not other_count:
        return 0.0, math.inf
    ratio = (count / n) / (other_count / other_n)
    half = quantile(level) * math.sqrt(1 / count - 1 / n + 1 / other_count - 1 / other_n)
    return ratio * math.exp(-half), ratio * math.exp(half)


def z_test(count: float, n: float, other_count: float, other_n: float, *, pooled: bool = True) -> tuple[float, float]:
    """The z statistic and p-value of equal proportions, with the pooled or the separate variances.

    Examples
    --------
    >>> z_test(56, 70, 48, 80)
    (2.65017195..., 0.00804508...)
    """
    from scipy.special import ndtr

    one, other = count / n, other_count / other_n
    if pooled:
        share = (count + other_count) / (n + other_n)
        variance = share * (1 - share) * (1 / n + 1 / other_n)
    else:
        variance = one * (1 - one) / n + other * (1 - other) / other_n
    if variance == 0:
        return (0.0, 1.0) if one == other else (math.inf, 0.0)
    z = (one - other) / math.sqrt(variance)
    return z, float(2 * ndtr(-abs(z)))


def equal_proportions(counts: Sequence[float], ns: Sequence[float]) -> tuple[float, float]:
    """The chi-square statistic and p-value of several equal proportions."""
    from scipy.special import chdtrc

    share = sum(counts) / sum(ns)
    statistic = sum((c - n * share) ** 2 / (n * share * (1 - share)) for c, n in zip(counts, ns, strict=True))
    return statistic, float(chdtrc(len(counts) - 1, statistic))


def sample_ratio(
    counts: Sequence[float],
    ratios: Sequence[float] | None = None,
    *,
    continuity: Literal["none", "yates"] = "none",
) -> float:
    """The p-value of the chi-square test that units were split in the ratios that were meant.

    ``continuity="yates"`` takes half a unit off each deviation, for two variants; some tools do.

    Examples
    --------
    >>> sample_ratio([5100, 4900])
    0.04550026...
    """
    from scipy.special import chdtrc

    meant = [1.0] * len(counts) if ratios is None else [float(ratio) for ratio in ratios]
    if any(not math.isfinite(count) or count < 0 for count in counts):
        raise InputError(f"the sample-ratio check needs counts of units from 0 on: {list(counts)}.")
    if len(meant) != len(counts) or len(counts) < 2 or min(meant) <= 0 or not sum(counts):
        raise InputError(
            f"the sample-ratio check needs a ratio above 0 for each of the {len(counts)} variants: {meant}."
        )
    expected = [sum(counts) * ratio / sum(meant) for ratio in meant]
    if continuity == "yates" and len(counts) > 2:
        raise InputError(f"continuity='yates' is for two variants; there are {len(counts)}.")
    off = 0.5 if continuity == "yates" else 0.0
    gaps = [max(abs(count - mean) - off, 0.0) for count, mean in zip(counts, expected, strict=True)]
    statistic = sum(gap**2 / mean for gap, mean in zip(gaps, expected, strict=True))
    return float(chdtrc(len(counts) - 1, statistic))


def _check(count: float, n: float) -> None:
    if not 0 <= count <= n or n <= 0:
        raise InputError(f"{count} out of {n} is no proportion.")
