"""Q-measure and its relatives: graded measures that blend precision with the gain of the ideal list."""

from __future__ import annotations

from typing import ClassVar, Literal

from rankmeter.measures.base import MEANS, SINGLE_ORDER_TIES, GainMeasure, register, with_options
from rankmeter.measures.options import choice, real


@with_options
class BlendedMeasure(GainMeasure):
    """A measure that reads the blended ratio where items with a gain stand; ``beta`` is the weight of the gain."""

    beta: float = real(1, low=0)

    within_cutoff: ClassVar[bool] = True
    tie_rules: ClassVar[tuple[str, ...]] = SINGLE_ORDER_TIES
    aggregates: ClassVar[tuple[str, ...]] = MEANS


@register
class QMeasure(BlendedMeasure):
    """Q-measure: average precision for grades, with the blended ratio in place of precision."""

    norm: Literal["capped", "relevant"] = choice()

    name = "Q"
    formula = "blended.q_measure"


@register
class OMeasure(BlendedMeasure):
    """O-measure: the blended ratio at the first item with a gain."""

    name = "OMeasure"
    formula = "blended.o_measure"


@register
class PMeasure(BlendedMeasure):
    """P-measure: the blended ratio at the best item of the list."""

    name = "PMeasure"
    formula = "blended.p_measure"


@register
class PPlus(BlendedMeasure):
    """P-plus: the blended ratio averaged over the items with a gain down to the best item of the list."""

    name = "PPlus"
    formula = "blended.p_plus"
