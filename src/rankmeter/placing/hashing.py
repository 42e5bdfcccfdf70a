"""Numbers spread over all their bits, so that what is put together from them next does not cancel out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint64]


def mixed(numbers: Hashes) -> Hashes:
    """Other numbers, equal where the given ones are (the end of MurmurHash3)."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        numbers = (numbers ^ (numbers >> np.uint64(33))) * np.uint64(factor)
    spread: Hashes = numbers ^ (numbers >> np.uint64(33))
    return spread
