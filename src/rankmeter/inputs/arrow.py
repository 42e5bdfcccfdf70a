"""Arrow's memory on its way to Polars: what may be handed over as it is, and what is turned into something safe first.

Two libraries that read each other's memory are two libraries that must agree on it, in the versions that are installed.
"""

from __future__ import annotations

VIEWS_SINCE = 25
"""The first PyArrow whose views of text other libraries can read.

An older one tells of short texts, which need no memory beside the views, by a pointer to nowhere, and Polars, which
follows it, takes the process with it. Tried with 18 to 26, and Polars 1.39 to 2.1.
"""


def shares_views() -> bool:
    """Whether views of text in PyArrow's memory can be handed to Polars."""
    import pyarrow as pa

    return int(pa.__version__.partition(".")[0]) >= VIEWS_SINCE
