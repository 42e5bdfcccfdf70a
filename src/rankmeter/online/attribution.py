"""Which clicks a conversion is credited to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankmeter.placing.placements import Floats, Ints


@dataclass(frozen=True, slots=True)
class Credit:
    """What each click is credited with."""

    of_click: Floats
    """(c,) how many conversions, or parts of one, each click is credited with; in the order of the clicks given."""
    credited: npt.NDArray[np.bool_]
    """(v,) whether a conversion found a click."""


def credit(
    click_group: Ints, click_time: Ints, conversion_group: Ints, conversion_time: Ints, *, window: int | None, rule: str
) -> Credit:
    """Credit each conversion to the clicks of its group within a window before it.

    Parameters
    ----------
    click_group, click_time
        (c,) what must be the same (a user, or a user and an item) and when, in microseconds.
    conversion_group, conversion_time
        (v,) the same of conversions.
    window
        How long before the conversion a click may be, both ends included; None for ever.
    rule
        ``last``, ``first``, ``all`` (each gets the whole) or ``even`` (each gets an equal part).

    Examples
    --------
    >>> import numpy as np
    >>> one = np.zeros(1, np.int64)
    >>> credit(np.zeros(3, np.int64), np.array([1, 5, 9]), one, one + 6, window=None, rule="even").of_click.tolist()
    [0.5, 0.5, 0.0]
    """
    wanted = np.flatnonzero(np.isin(click_group, conversion_group))  # few clicks have a conversion after them
    order = wanted[np.lexsort((click_time[wanted], click_group[wanted]))]
    group, time = click_group[order], click_time[order]
    high = _clicks_until(group, time, conversion_group, conversion_time, included=True)
    if window is None:
        low = np.searchsorted(group, conversion_group, side="left")
    else:
        low = _clicks_until(group, time, conversion_group, conversion_time - window, included=False)
    has_click = high > low
    low, high = low[has_click], high[has_click]
    weights = np.zeros(len(group) + 1)
    if rule == "last":
        np.add.at(weights, high - 1, 1.0)
    elif rule == "first":
        np.add.at(weights, low, 1.0)
    elif rule == "all":
        np.add.at(weights, low, 1.0)
        np.add.at(weights, high, -1.0)
        weights = np.cumsum(weights)
    else:
        # Click by click: a running sum of parts would carry the rounding of one user's into the next.
        for size in np.unique(high - low).tolist():
            begins = low[high - low == size]
            np.add.at(weights, begins[:, None] + np.arange(size), 1.0 / size)
    of_click = np.zeros(len(click_group))
    of_click[order] = weights[:-1]
    return Credit(of_click, has_click)


def _clicks_until(group: Ints, time: Ints, at_group: Ints, at_time: Ints, *, included: bool) -> Ints:
    """How many of the sorted clicks stand before each (group, time); those at the same time are included or not.

    Clicks and points are sorted together, so nothing can overflow as it would in one packed key.
    """
    points, clicks = len(at_group), len(group)
    # At equal times a click stands before the point when it is included, after it when not.
    side = np.concatenate([np.full(points, 1 if included else 0), np.full(clicks, 0 if included else 1)])
    order = np.lexsort((side, np.concatenate([at_time, time]), np.concatenate([at_group, group])))
    is_click = order >= points
    before = np.cumsum(is_click)
    counts = np.empty(points, np.int64)
    counts[order[~is_click]] = before[~is_click]
    return counts
