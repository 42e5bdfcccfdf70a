"""Measures of whose items are seen, and of whether all groups of users are served equally well."""

from __future__ import annotations

import math
from typing import Literal

from rankmeter.measures.base import register, with_options
from rankmeter.measures.options import choice, fraction, real
from rankmeter.measures.slate_base import WholeMeasure, word


@with_options
class ExposureMeasure(WholeMeasure):
    """A measure of exposure, with a model of attention."""

    weight: Literal["log2", "geometric", "reciprocal", "equal"] = choice()
    p: float = fraction(0.85)

    needs = ("groups",)


@register
class GroupExposure(ExposureMeasure):
    r"""Exposure of one group of items: its share of all attention.

    .. math:: \frac{\sum_u \sum_r w(r)\,[L_u(r) \in g]}{\sum_u \sum_r w(r)}, \qquad w(r) = 1/\log_2(r+1)

    Without a ``group``, ``GroupExposure@10`` is computed for every group of the catalogue. ``unit="ratio"`` divides by
    the group's share of the catalogue: 1 is proportional.

    Misleads: a fair share of attention is not a fair share of relevance.

    Examples
    --------
    Group x holds rank 1 (weight 1), group y rank 2 (weight 0.6309).

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=["a", "b"], groups=["x", "y"])
    >>> rm.evaluate(None, {"u": ["a", "b"]}, "GroupExposure@2", catalogue=items).mean
    {'GroupExposure(group=x)@2': 0.6131..., 'GroupExposure(group=y)@2': 0.3868...}
    """

    group: str | float | None = word(None)
    unit: Literal["share", "ratio"] = choice()

    name = "GroupExposure"
    formula = "slates.fairness.group_exposure"
    no_value = "measures.nothing_grouped"
    of_sums = "slates.fairness.exposure_of_group"
    bounds = (0.0, math.inf)


@register
class Disparity(ExposureMeasure):
    r"""Disparity: how far the exposure of the groups is from a target.

    .. math:: \frac12 \sum_g |e_g - t_g|

    The target t is each group's share of the catalogue, of the interactions (history), of the relevant items
    (relevance), or the same for all (uniform). ``distance`` is tv (total variation, above), max (the largest
    difference), kl (infinite if a group that is seen has no target), or ratio (the smallest e/t: below 0.8 it breaks
    the four-fifths rule; higher is better).

    Misleads: the target is a value judgment; equal shares of attention suit few catalogues.

    Examples
    --------
    Exposures 0.6131 and 0.3869 against 1/2 and 1/2.

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=["a", "b"], groups=["x", "y"])
    >>> rm.evaluate(None, {"u": ["a", "b"]}, "Disparity@2", catalogue=items)["Disparity@2"]
    0.1131...
    """

    target: Literal["catalogue", "uniform", "history", "relevance"] = choice()
    distance: Literal["tv", "max", "kl", "ratio"] = choice()
    rel: float = real(1)

    name = "Disparity"
    formula = "slates.fairness.disparity"
    no_value = "measures.nothing_grouped_or_aimed_at"
    of_sums = "slates.fairness.distance_from_target"
    bounds = (0.0, math.inf)
    higher_is_better = False

    def needed(self) -> tuple[str, ...]:
        more = {"history": ("popularity",), "relevance": ("judgments",)}
        return ("groups", *more.get(self.target, ()))


@register
class SegmentGap(WholeMeasure):
    r"""Gap between user segments: how much better some segments of users are served than others.

    .. math:: \mathrm{MAD} = \frac{2}{S(S-1)} \sum_{s<t} |\bar x_s - \bar x_t|

    x is the measure ``of`` (nDCG by default) at the same cutoff; ``gap="range"`` is the largest minus the smallest
    mean. The segments are those of ``by=``, the first of several. :meth:`rankmeter.Slices.gap` adds an interval and the
    null distribution.

    Misleads: chance alone makes a gap above 0: compare it with its permutation null.

    Examples
    --------
    >>> import rankmeter as rm
    >>> truth, lists = {1: ["a"], 2: ["a"], 3: ["a"]}, {1: ["a"], 2: ["a", "b"], 3: ["b", "a"]}
    >>> rm.evaluate(truth, lists, "SegmentGap(of=RR)", by={1: "x", 2: "x", 3: "y"})["SegmentGap(of=RR)"]
    0.5
    """

    of: str | float | None = word("nDCG")
    gap: Literal["mad", "range"] = choice()

    name = "SegmentGap"
    compares_slices = True
    no_value = "measures.fewer_than_two_segments"
    bounds = (0.0, math.inf)
    higher_is_better = False
    default_queries = "judged"
    needs = ("judgments", "segments")
