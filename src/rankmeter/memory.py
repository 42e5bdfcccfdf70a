"""How memory is asked of the system: pages that the kernel hands out one by one took a tenth of a million lines."""

from __future__ import annotations

import ctypes  # NumPy needs it too
from contextlib import suppress
from functools import cache

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Settings of GNU's ``mallopt``."""
_LARGEST_KEPT = 1 << 25
_RESERVED = 30 << 20


def keep_freed_memory() -> None:
    """Tell glibc to keep freed memory: every block of a text needs as much again.

    The setting is for the whole process, so only commands ask for it.
    """
    with suppress(AttributeError, OSError, TypeError):
        for setting, size in ((_MMAP_THRESHOLD, _LARGEST_KEPT), (_TRIM_THRESHOLD, 1 << 30)):
            ctypes.CDLL(None).mallopt(setting, size)


@cache
def reserve_large_pages() -> None:
    """Have the kernel give the next memory in large pages, where it can and where freed memory is kept.

    NumPy asks for large pages for every large array. The room of one that is let go at once is used for all that comes.
    """
    import numpy as np

    np.empty(_RESERVED, np.uint8)
