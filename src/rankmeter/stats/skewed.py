r"""Intervals of means that hold where a few units outweigh the others, which Student's t does not know of.

``hall`` looks at the skewness. With :math:`\gamma` the adjusted skewness of :math:`n` units, :math:`s` their standard
deviation and :math:`t = \sqrt n (\bar x - \mu) / s`, the cubic of Hall 1992

.. math:: h(t) = t + \frac{\gamma}{\sqrt n} \Bigl(\frac{t^2}{3} + \frac16\Bigr) + \frac{\gamma^2 t^3}{27 n}

is distributed as Student's t up to terms of :math:`1/n`, where t itself is so up to :math:`1/\sqrt n`. It only rises,
so it can be turned back. Either end is that of t where that lies further out: this interval holds whenever t's does.

``bounded`` knows nothing of the shape, only that values lie between two bounds (Gaffke 2005; Learned-Miller & Thomas
2019). The high end is a quantile of :math:`\sum_i D_i x_{(i)} + D_{n+1} b`: the sorted values and the bound :math:`b`
weighted by uniform spacings. For values of 0 and 1 that is Clopper and Pearson's interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from rankmeter.late import special
from rankmeter.placing.placements import Floats
from rankmeter.stats.resampling import BLOCK_CELLS, Sample, p_values_of
from rankmeter.stats.student import Alternative, Contrasts, Pair, differences, skewness, without_noise

PAIRS_AT_ONCE = 128
"""Of so many pairs the weighted means are held at once."""


def adjusted_skewness(values: Floats, pairs: Sequence[Pair]) -> Floats:
    """(pairs,) the skewness of differences, made larger for few units, which hardly ever hold the rare large ones."""
    units = values.shape[1]
    widened = math.sqrt(units * (units - 1)) / (units - 2) if units > 2 else 0.0
    return skewness(values, pairs) * widened


def straightened(t: Floats, skew: Floats, units: int) -> Floats:
    """Hall's cubic of t, which is distributed as Student's t."""
    w = t / math.sqrt(units)
    return np.asarray(math.sqrt(units) * (w + skew * w**2 / 3 + skew**2 * w**3 / 27 + skew / (6 * units)))


def bent(quantile: float | Floats, skew: Floats, units: int) -> Floats:
    """The t whose cubic is a quantile.

    Examples
    --------
    >>> bent(2.0, np.array([0.0, 1.0]), 25).round(4)                         # 3 * 5 * ((1 + 2/5 - 1/150)^(1/3) - 1)
    array([2.    , 1.7537])
    """
    moved = quantile / math.sqrt(units) - skew / (6 * units)
    root = np.cbrt(1 + skew * moved)
    return np.asarray(math.sqrt(units) * 3 * moved / (root**2 + root + 1))  # root - 1 over the skewness, which may be 0


def hall_ends(contrasts: Contrasts, skew: Floats, units: int, level: float, *, tested: bool = True) -> list[Floats]:
    """The ends of the intervals, none inside of Student's; NaN where that has none.

    Examples
    --------
    Ten differences of which one is a large loss: the mean is -0.06, the standard error 0.0868, the adjusted skewness
    -3.1413. Student's interval is -0.06 -+ 2.2622 * 0.0868. The cubic is 2.2622 at t = 6.4078, so the low end moves to
    -0.06 - 6.4078 * 0.0868; at t = -1.3753 it is -2.2622, but the high end stays where Student's is.

    >>> import numpy as np
    >>> from rankmeter.stats.student import Contrasts
    >>> rows = np.array([[0.05, 0.02, 0.04, 0.0, 0.03, 0.01, 0.05, 0.02, 0.02, -0.84]])
    >>> skew = adjusted_skewness(np.vstack([rows, 0 * rows]), [(0, 1)])
    >>> [end.round(4).tolist() for end in hall_ends(Contrasts.of_rows(rows), skew, 10, 0.95)]
    [[-0.6163], [0.1364]]
    """
    low, high = contrasts.ends(level, tested=tested)
    if units < 2:
        return [low, high]
    reach = special.stdtrit(np.where(contrasts.flat, 1.0, contrasts.freedom), (1 + level) / 2)
    lower = contrasts.difference - bent(reach, skew, units) * contrasts.error
    upper = contrasts.difference - bent(-reach, skew, units) * contrasts.error
    return [np.minimum(low, lower), np.maximum(high, upper)]


def hall_p(contrasts: Contrasts, skew: Floats, units: int, alternative: Alternative) -> Floats:
    """p-values of what lies outside of such an interval: no smaller than those of t."""
    chance, flat = contrasts.p(alternative), contrasts.flat
    if units < 2:
        return chance
    t = np.where(flat, 0.0, contrasts.difference / np.where(flat, 1.0, contrasts.error))
    sign = -1.0 if alternative == "greater" else 1.0
    tail = special.stdtr(np.where(flat, 1.0, contrasts.freedom), sign * straightened(t, skew, units))
    return np.where(flat, chance, np.maximum(chance, tail))


def bounded_ends(
    sample: Sample, pairs: Sequence[Pair] | None, level: float, draws: int, seed: int
) -> tuple[Floats, Floats]:
    """The ends of the intervals of the values, or of the differences of pairs, of a sample with known limits.

    Examples
    --------
    Ten values of 0, which are at most 1: the high end is 1 - 0.025^(1/10) = 0.3085, as Clopper and Pearson's.

    >>> import numpy as np
    >>> from rankmeter.arithmetic.aggregates import AGGREGATES
    >>> sample = Sample(np.zeros((1, 10)), np.ones((1, 10)), AGGREGATES["mean"], bounds=(0.0, 1.0))
    >>> low, high = bounded_ends(sample, None, 0.95, 100_000, 0)
    >>> low.tolist(), high.round(2).tolist()
    ([0.0], [0.31])
    """
    ends = np.empty((2, len(sample.top) if pairs is None else len(pairs)))
    tails = (1 - level) / 2, (1 + level) / 2
    for some, drawn in _bounded_means(sample, pairs, draws, seed):
        for end, means, tail in zip(ends, drawn, tails, strict=True):
            end[some] = np.quantile(means, tail, axis=0, method="weibull")
    return ends[0], ends[1]


def bounded_p(sample: Sample, pairs: Sequence[Pair], margin: float, draws: int, seed: int) -> tuple[Floats, Floats]:
    """(pairs,) p-values of "less than -margin" and of "more than the margin", as these intervals have them."""
    below, above = np.ones(len(pairs)), np.ones(len(pairs))
    for some, (low, high) in _bounded_means(sample, pairs, draws, seed):
        moved = [sample.back(means, pairs[some]) for means in (low, high)]
        below[some] = p_values_of((moved[0] <= -margin).sum(axis=0), draws, exact=False)
        above[some] = p_values_of((moved[1] >= margin).sum(axis=0), draws, exact=False)
    return below, above


def _bounded_means(
    sample: Sample, pairs: Sequence[Pair] | None, draws: int, seed: int
) -> Iterator[tuple[slice, list[Floats]]]:
    """``(draws, some)`` weighted means with the low bound, and with the high one, of some values or pairs at a time."""
    values, (least, most) = sample.linear(), sample.limits
    if pairs is not None:
        least, most = least - most, most - least
    count = len(values) if pairs is None else len(pairs)
    for first in range(0, count, PAIRS_AT_ONCE):
        some = slice(first, min(first + PAIRS_AT_ONCE, count))
        rows = values[some] if pairs is None else np.concatenate([*differences(values, pairs[some])])
        rising = np.sort(without_noise(rows), axis=1).T
        means = [np.empty((draws, rising.shape[1])) for _ in range(2)]
        for start, weights in _spacings(len(rising) + 1, draws, seed):
            place = slice(start, start + len(weights))
            means[0][place] = weights[:, :1] * least + weights[:, 1:] @ rising
            # The other way round, so that turned differences have turned ends.
            means[1][place] = weights[:, :0:-1] @ rising + weights[:, :1] * most
        yield some, means


def _spacings(count: int, draws: int, seed: int) -> Iterator[tuple[int, Floats]]:
    """Blocks of ``(b, count)`` lengths between points drawn at random from 0 to 1, with the number of the first."""
    random = np.random.default_rng(seed)
    step = max(1, BLOCK_CELLS // count)
    for first in range(0, draws, step):
        lengths = random.standard_exponential((min(step, draws - first), count))
        yield first, lengths / lengths.sum(axis=1, keepdims=True)
