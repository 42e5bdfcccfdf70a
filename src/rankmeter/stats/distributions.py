"""How values spread: the steps of a cumulative distribution, few enough to draw."""

from __future__ import annotations

import numpy as np

from rankmeter.placing.placements import Floats

SHARES = 60
"""How many steps a distribution has at most."""


def distribution_steps(values: Floats) -> list[list[list[float | None]]]:
    """For each row, a system, the steps of its cumulative distribution: a value, and the share of queries up to it."""
    shares: list[list[list[float | None]]] = []
    for row in np.sort(np.round(values, 4), axis=1):
        known = row[: len(row) - np.isnan(row).sum()]  # what is not a number is sorted last
        steps = (
            known[np.unique(np.linspace(0, len(known) - 1, SHARES).round().astype(np.int64))] if len(known) else known
        )
        last = np.searchsorted(known, steps, side="right") / max(len(known), 1)
        pairs = dict(zip(steps.tolist(), last.round(4).tolist(), strict=True))
        shares.append(list(map(list, pairs.items())))
    return shares
