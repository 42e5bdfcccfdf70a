"""Measures of who gets seen, and whether all groups of users are served alike."""

from __future__ import annotations

import math
from typing import Literal

from rankmeter.measures.base import register, with_options
from rankmeter.measures.options import choice, real
from rankmeter.measures.slate_base import WholeMeasure, word


@with_options
class ExposureMeasure(WholeMeasure):
    """A measure of exposure, with the model of attention."""

    weight: Literal["log2", "geometric", "reciprocal", "equal"] = choice()
    p: float = real(0.85, low=0, high=1, open_low=True, open_high=True)

    needs = ("groups",)


@register
class GroupExposure(ExposureMeasure):
    r"""Exposure of one group of items: its share of all attention.

    .. math:: \frac{\sum_u \sum_r w(r)\,[L_u(r) \in g]}{\sum_u \sum_r w(r)}, \qquad w(r) = 1/\log_2(r+1)

    ``GroupExposure@10`` without a ``group`` is asked for every group of the catalogue. ``unit="ratio"`` divides by the
    group's share of the catalogue: 1 is proportional.

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
    no_value = "no recommended item belongs to a group of the catalogue"
    of_sums = "slates.fairness.exposure_of_group"
    bounds = (0.0, math.inf)


@register
class Disparity(ExposureMeasure):
    r"""Disparity: how far the exposure of the groups is from a target.

    .. math:: \frac12 \sum_g |e_g - t_g|

    The target t is each group's share of the catalogue, of the interactions (history), of the relevant items
    (relevance), or the same for all (uniform). ``distance`` is tv (total variation, above), max (the largest
    difference), kl (infinite where a group that is seen has no target), or ratio (the least e/t: below 0.8 breaks the
    four-fifths rule, and higher is better).

    Misleads: the target is a choice of values; equal shares of attention suit few catalogues.

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
    rel: float = real(1, low=-math.inf, high=math.inf)

    name = "Disparity"
    formula = "slates.fairness.disparity"
    no_value = "no recommended item, or none that it is compared with, belongs to a group of the catalogue"
    of_sums = "slates.fairness.distance_from_target"
    bounds = (0.0, math.inf)
    higher_is_better = False

    def needed(self) -> tuple[str, ...]:
        more = {"history": ("popularity",), "relevance": ("judgments",)}
        return ("groups", *more.get(self.target, ()))


@register
class SegmentGap(WholeMeasure):
    r"""Gap between user segments: how unequally well segments of users are served.

    .. math:: \mathrm{MAD} = \frac{2}{S(S-1)} \sum_{s<t} |\bar x_s - \bar x_t|

    x is the measure ``of`` (nDCG by default) at the same cutoff; ``gap="range"`` is the largest minus the smallest
    mean. The segments are those of ``by=``; with several, of the first. :meth:`rankmeter.Slices.gap` gives the
    interval and the null distribution of the same number.

    Misleads: a largest gap is never 0 by chance: compare it with its permutation null.

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
    no_value = "there are no two segments with queries that count"
    bounds = (0.0, math.inf)
    higher_is_better = False
    default_queries = "judged"
    needs = ("judgments", "segments")
