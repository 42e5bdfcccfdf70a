"""The order of whole numbers as text, in which ids are compared."""

from __future__ import annotations

import numpy as np

from rankmeter.placing.placements import Ints


def text_keys(count: int) -> Ints:
    """(count,) for each number from 0 on one that sorts as its text does: 1, 10, 11, 2, 20, 3.

    >>> np.argsort(text_keys(12)).tolist()
    [0, 1, 10, 11, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    number = np.arange(count)
    longest = len(str(max(count - 1, 0)))
    digits = np.ones_like(number)
    for power in range(1, longest):
        digits += number >= 10**power
    # Digits are padded to one length; of two numbers that are then equal (1 and 10) the shorter one comes first.
    return number * 10 ** (longest - digits) * 32 + digits
