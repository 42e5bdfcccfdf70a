"""Sums of floating-point numbers that lose nothing, whatever their order and partitioning.

`summed` rounds the exact sum once, as `math.fsum` does. A partition hands its sum over in one of two forms.
An expansion is a few numbers whose exact sum is that of the values (Shewchuk 1997): two or three passes in C, two or
three numbers, and one `fsum` over those of all partitions rounds what one `fsum` over all values would. Where many
processes add in place, a sum has a fixed width: a row of 68 whole numbers ("limbs"), limb j counting multiples of
2^(32 j - 1127), which spans every float64, and three counts of what is not finite. Two such sums are merged by adding
their rows (Kulisch 1981 calls it the long accumulator).
"""

from __future__ import annotations

import math

import numpy as np

from rankmeter.placing.placements import Floats, Ints

LIMBS = 68
WIDTH = LIMBS + 3
"""How many whole numbers a sum takes."""
_BITS = 32
_MASK = (1 << _BITS) - 1
_SCALE = 1127
"""The lowest limb counts multiples of 2^-1127: 53 bits below the smallest float64 step."""
MANY = 4096
"""From how many values on a sum is worth the set-up of adding them in NumPy."""


def summed(values: Floats, times: Ints | None = None) -> float:
    """``math.fsum(values)``, the exact sum rounded once, without a Python number for each value.

    With ``times`` each value is added that many times.
    """
    return math.fsum(exact_terms(values, times))


def exact_terms(values: Floats, times: Ints | None = None) -> list[float]:
    """Numbers whose exact sum is that of the values, a few where the values are many.

    The leading bits of all values, as many as can be added without rounding, are cut off and added by NumPy; then those
    of the rest, until nothing is left (Rump, Ogita & Oishi 2008).
    """
    rest = values
    sums: list[float] = []
    bits = int(len(values) if times is None else times.sum()).bit_length() + 1
    while len(values) >= MANY or (times is not None and len(values)):
        largest = float(np.abs(rest).max())
        if largest == 0.0:
            return sums
        if math.isnan(largest):
            return [math.nan]
        if not largest < 1e290:
            break
        anchor = 2.0 ** (math.frexp(largest)[1] + bits)
        leading = (anchor + rest) - anchor
        sums.append(float(leading.sum() if times is None else (leading * times).sum()))
        rest = rest - leading
    if times is not None:
        rest = np.repeat(rest, times)
    return [*sums, *rest[rest != 0].tolist()]


def expansion(values: Floats) -> list[float]:
    """A few numbers whose exact sum is the exact sum of the values, the largest first.

    Each number is what is left after the ones before, rounded; a rest is at most half a unit in the last place of the
    number before it, so there are two or three.

    Examples
    --------
    >>> expansion(np.array([0.1] * 10))
    [1.0, 5.55...e-17]
    >>> math.fsum(expansion(np.array([1e16, 1.0, -1e16])))
    1.0
    """
    terms = exact_terms(values)
    parts: list[float] = []
    while rest := math.fsum(terms):
        parts.append(rest)
        if not math.isfinite(rest):
            break
        terms.append(-rest)
    return parts


def limbs_of(values: Floats) -> Ints:
    """(WIDTH,) the sum of some numbers, fewer than 2^31.

    Examples
    --------
    >>> state = limbs_of(np.array([1e100, 1.0])) + limbs_of(np.array([-1e100]))
    >>> total(state)
    1.0
    """
    state = np.zeros(WIDTH, np.int64)
    finite = np.isfinite(values)
    state[LIMBS:] = (np.isnan(values).sum(), (values == np.inf).sum(), (values == -np.inf).sum())
    fraction, exponent = np.frexp(values[finite])
    whole = np.ldexp(fraction, 53).astype(np.int64)
    limb, shift = np.divmod(exponent.astype(np.int64) + 1074, _BITS)
    sign, size = np.sign(whole), np.abs(whole)
    # 53 bits moved by up to 31 reach into three limbs.
    low = (size & _MASK) << shift
    high = ((size >> _BITS) << shift) + (low >> _BITS)
    for place, piece in enumerate((low & _MASK, high & _MASK, high >> _BITS)):
        np.add.at(state, limb + place, sign * piece)
    return state


def carried(state: Ints) -> Ints:
    """The same sum with limbs of at most 48 bits, so that thousands of such sums can be added."""
    if np.abs(state).max() < 1 << 48:
        return state
    carry = 0
    result = state.copy()
    for place in range(LIMBS - 1):
        carry, rest = divmod(int(state[place]) + carry, 1 << _BITS)
        result[place] = rest
    result[LIMBS - 1] = int(state[LIMBS - 1]) + carry
    return result


def total(state: Ints) -> float:
    """The sum, rounded once: what ``math.fsum`` gives for the same values."""
    nan, rises, falls = state[LIMBS:].tolist()
    if nan or (rises and falls):
        return math.nan
    if rises or falls:
        return math.inf if rises else -math.inf
    whole: int = sum(limb << (_BITS * place) for place, limb in enumerate(state[:LIMBS].tolist()))
    return whole / (1 << _SCALE)
