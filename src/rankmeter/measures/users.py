"""Measures of what a user gains who reads down the list with some chance of stopping (the C/W/L framework).

A measure is defined by its continuation C(i), the chance that a user who has seen rank i goes on to the next. The
weight of a rank is how often it is seen relative to all ranks, and the value is the expected gain per item seen.
"""

from __future__ import annotations

from typing import ClassVar

from rankmeter.errors import MeasureError
from rankmeter.measures.base import MEANS, SINGLE_ORDER_TIES, RankedMeasure, register, with_options
from rankmeter.measures.options import fraction, real, whole


@with_options
class UserModelMeasure(RankedMeasure):
    """A measure defined by a continuation: gains are (grade - min_grade) / (max_grade - min_grade)."""

    max_grade: int = whole(1, low=1)
    min_grade: int = whole(0, low=0)
    horizon: int = whole(1000, low=1)

    graded = True
    within_cutoff = True
    bounded_by_grade: ClassVar[bool] = True
    needs_total = False
    tie_rules = SINGLE_ORDER_TIES
    aggregates = MEANS

    def __post_init__(self) -> None:
        RankedMeasure.__post_init__(self)
        if self.min_grade >= self.max_grade:
            low, high = self.min_grade, self.max_grade
            raise MeasureError.of("measures.grades_crossed", measure=self.name, low=low, high=high, above=low + 1)

    @property
    def lowest_grade(self) -> float:
        return float(self.min_grade)


@with_options
class TargetMeasure(UserModelMeasure):
    """A measure of a user who wants T useful items."""

    T: float = real(1, low=0, high=1000, open_low=True)


@register
class Inst(TargetMeasure):
    """INST: a user who wants T useful items and is the more patient the more of them are still missing."""

    name = "INST"
    formula = "users.inst"
    bounded_by_grade = False


@register
class Insq(TargetMeasure):
    """INSQ: a user who wants T useful items and grows more patient with every rank, whatever is found."""

    name = "INSQ"
    formula = "users.insq"


@register
class BejeweledPlayer(TargetMeasure):
    """BPM: a user who stops once a gain of T is collected or k items are seen, whichever comes first."""

    name = "BPM"
    formula = "users.bpm"
    bounded_by_grade = False


@register
class ScaledDiscountedGain(UserModelMeasure):
    """SDCG: discounted gain over that of k items of the best grade, however many of them exist."""

    name = "SDCG"
    formula = "users.sdcg"


@register
class NormalisedErr8(UserModelMeasure):
    """NERR8: a user who goes on only if an item did not satisfy them, up to rank k."""

    name = "NERR8"
    formula = "users.nerr8"


@register
class NormalisedErr9(UserModelMeasure):
    """NERR9: as NERR8, tiring by i/(i+1) with every rank: the discount of ERR as a continuation."""

    name = "NERR9"
    formula = "users.nerr9"


@register
class NormalisedErr10(UserModelMeasure):
    """NERR10: as NERR8, going on with probability p: the patience of RBP and the satisfaction of ERR together."""

    p: float = fraction(0.9)

    name = "NERR10"
    formula = "users.nerr10"


@register
class NormalisedErr11(TargetMeasure):
    """NERR11: as NERR8, with the growing patience of INSQ."""

    name = "NERR11"
    formula = "users.nerr11"
