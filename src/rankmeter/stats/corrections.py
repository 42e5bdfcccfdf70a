"""Corrections for asking several questions at once: p-values of one family, made larger."""

from __future__ import annotations

from typing import Literal

import numpy as np

from rankmeter.errors import InputError
from rankmeter.placing.placements import Floats

Correction = Literal["holm", "bonferroni", "bh", "none"]
CORRECTIONS = ("holm", "bonferroni", "bh", "none")


def corrected(p_values: Floats, correction: Correction) -> Floats:
    """The p-values of one family, corrected; in the order given.

    Examples
    --------
    >>> import numpy as np
    >>> corrected(np.array([0.01, 0.04, 0.03]), "holm").tolist()
    [0.03, 0.06, 0.06]
    >>> corrected(np.array([0.01, 0.04, 0.03]), "bonferroni").tolist()
    [0.03, 0.12, 0.09]
    """
    if correction not in CORRECTIONS:
        raise InputError(f"correction={correction!r} is not possible; correction is one of {', '.join(CORRECTIONS)}.")
    count = len(p_values)
    if count == 0 or correction == "none":
        return p_values.copy()
    if correction == "bonferroni":
        return np.minimum(p_values * count, 1.0)
    if correction == "bh":
        from scipy.stats import false_discovery_control  # scipy is loaded only for statistics

        adjusted: Floats = false_discovery_control(p_values)
        return adjusted
    order = np.argsort(p_values, kind="stable")
    stepped = np.maximum.accumulate(p_values[order] * (count - np.arange(count)))
    result = np.empty(count)
    result[order] = np.minimum(stepped, 1.0)
    return result
