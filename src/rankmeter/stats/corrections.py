"""Corrections for asking several questions at once: p-values of one family, made larger."""

from __future__ import annotations

from typing import Literal

import numpy as np

from rankmeter.errors import check_choice
from rankmeter.placing.placements import Floats

Correction = Literal["holm", "hochberg", "bonferroni", "max-t", "bh", "by", "none"]
CORRECTIONS = ("holm", "hochberg", "bonferroni", "max-t", "bh", "by", "none")


def corrected(p_values: Floats, correction: Correction) -> Floats:
    """The p-values of one family, corrected; in the order given.

    ``max-t`` needs the values (`rankmeter.stats.max_t`); where only p-values are known, Holm's stands in for it.

    Examples
    --------
    >>> import numpy as np
    >>> corrected(np.array([0.01, 0.04, 0.03]), "holm").tolist()
    [0.03, 0.06, 0.06]
    >>> corrected(np.array([0.01, 0.04, 0.03]), "bonferroni").tolist()
    [0.03, 0.12, 0.09]
    """
    check_choice("correction", correction, CORRECTIONS)
    count = len(p_values)
    if count == 0 or correction == "none":
        return p_values.copy()
    if correction == "bonferroni":
        return np.minimum(p_values * count, 1.0)
    order = np.argsort(p_values, kind="stable")
    rank = np.arange(1, count + 1)
    if correction in ("holm", "max-t"):
        stepped = np.maximum.accumulate(p_values[order] * (count + 1 - rank))
    else:
        # From the largest p-value down: none may be larger than those after it.
        factors = count + 1.0 - rank if correction == "hochberg" else count / rank
        if correction == "by":
            factors = factors * float((1 / rank).sum())
        stepped = np.minimum.accumulate((p_values[order] * factors)[::-1])[::-1]
    result = np.empty(count)
    result[order] = np.minimum(stepped, 1.0)
    return result
