"""Plain proportions: intervals and tests for a count out of a number of independent units.

For units that count once each. Clicks out of impressions are not such units when users were randomised: use the delta
method (:mod:`rankmeter.online.contrasts`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from rankmeter.errors import InputError, check_level
from rankmeter.late import special


def quantile(level: float) -> float:
    """The normal quantile of a two-sided level: 1.96 for 0.95."""
    return float(special.ndtri((1 + check_level(level)) / 2))


def wilson(count: float, n: float, *, level: float = 0.95) -> tuple[float, float]:
    """The score interval of a proportion (Wilson 1927).

    Examples
    --------
    >>> from rankmeter.online import wilson
    >>> [round(end, 4) for end in wilson(81, 263)]
    [0.2553, 0.3662]
    """
    if not 0 <= count <= n or n <= 0:
        raise InputError.of("stats.no_proportion", count=count, n=n)
    z = quantile(level)
    share, weight = count / n, z * z / n
    middle = (share + weight / 2) / (1 + weight)
    half = z / (1 + weight) * math.sqrt(share * (1 - share) / n + weight / (4 * n))
    return max(0.0, middle - half) if count else 0.0, min(1.0, middle + half) if count < n else 1.0


def sample_ratio(
    counts: Sequence[float], ratios: Sequence[float] | None = None, *, continuity: Literal["none", "yates"] = "none"
) -> float:
    """The p-value of the chi-square test that units were split in the intended ratios.

    ``continuity="yates"`` takes half a unit off each deviation, for two variants; some tools do.

    Examples
    --------
    >>> from rankmeter.online import sample_ratio
    >>> sample_ratio([5100, 4900])
    0.04550026...
    """
    meant = [1.0] * len(counts) if ratios is None else [float(ratio) for ratio in ratios]
    if any(not math.isfinite(count) or count < 0 for count in counts):
        raise InputError.of("stats.ratio_counts", counts=list(counts))
    if len(meant) != len(counts) or len(counts) < 2 or min(meant) <= 0 or not sum(counts):
        raise InputError.of("stats.ratio_ratios", count=len(counts), meant=meant)
    expected = [sum(counts) * ratio / sum(meant) for ratio in meant]
    if continuity == "yates" and len(counts) > 2:
        raise InputError.of("stats.yates_two", count=len(counts))
    off = 0.5 if continuity == "yates" else 0.0
    gaps = [max(abs(count - mean) - off, 0.0) for count, mean in zip(counts, expected, strict=True)]
    statistic = sum(gap**2 / mean for gap, mean in zip(gaps, expected, strict=True))
    return float(special.chdtrc(len(counts) - 1, statistic))


def sign_test(a: int, b: int) -> float:
    """The two-sided p-value of "both sides are equally likely".

    Examples
    --------
    >>> from rankmeter.online import sign_test
    >>> round(sign_test(1, 9), 6)
    0.021484
    """
    return min(1.0, 2 * float(special.bdtr(min(a, b), a + b, 0.5))) if a + b else math.nan
