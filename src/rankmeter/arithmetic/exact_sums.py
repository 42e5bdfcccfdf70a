"""Sums of floating-point numbers that lose nothing: kept as whole numbers, added in any order, merged by adding.

A sum is a row of 68 whole numbers ("limbs"), limb j counting multiples of 2^(32 j - 1127), which spans every float64,
and three counts of what is not finite. Two sums of different values are merged by adding their rows, so no order,
batch size or number of processes changes a digit (Kulisch 1981 calls it the long accumulator).
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


def exact_sum(values: Floats) -> Ints:
    """(WIDTH,) the sum of some numbers, fewer than 2^31.

    Examples
    --------
    >>> state = exact_sum(np.array([1e100, 1.0])) + exact_sum(np.array([-1e100]))
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
