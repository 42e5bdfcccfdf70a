"""Measures of what a user gains who reads down the list with some chance of stopping (the C/W/L framework).

A measure is defined by its continuation C(i), the chance that a user who has seen rank i goes on to the next. The
weight of a rank is how often it is seen relative to all ranks, and the value is the expected gain per item seen.
"""

from __future__ import annotations

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
    r"""INST: a user who wants T useful items and is the more patient the more of them are still missing.

    .. math:: C(i) = \left(\frac{i + T + T_i - 1}{i + T + T_i}\right)^2, \quad T_i = T - \sum_{j \le i} g_j

    Misleads: values for different T are not comparable.

    Examples
    --------
    >>> import rankmeter as rm
    >>> round(rm.value("INST", grades=[1, 0, 1]), 6)
    0.723289
    """

    name = "INST"
    formula = "users.inst"


@register
class Insq(TargetMeasure):
    r"""INSQ: a user who wants T useful items and grows more patient with every rank, whatever is found.

    .. math:: C(i) = \left(\frac{i + 2T - 1}{i + 2T}\right)^2

    Misleads: values for different T are not comparable.

    Examples
    --------
    >>> import rankmeter as rm
    >>> round(rm.value("INSQ", grades=[1, 0, 1]), 6)
    0.485297
    """

    name = "INSQ"
    formula = "users.insq"
    bounded_by_grade = True


@register
class BejeweledPlayer(TargetMeasure):
    r"""BPM: a user who stops once a gain of T is collected or k items are seen, whichever comes first.

    .. math:: C(i) = \Big[\sum_{j \le i} g_j < T\Big] \cdot [i < k]

    Misleads: up to the stop every rank weighs the same; with T = 1 and binary grades it is the reciprocal rank.

    Examples
    --------
    The first useful item is at rank 2, where the user stops: 1/2.

    >>> import rankmeter as rm
    >>> rm.value("BPM@10", grades=[0, 1, 1])
    0.5
    """

    name = "BPM"
    formula = "users.bpm"


@register
class ScaledDiscountedGain(UserModelMeasure):
    r"""SDCG: discounted gain over that of k items of the best grade, however many of them exist.

    .. math:: \mathrm{SDCG@}k = \frac{\sum_{i\le k} g_i/\log_2(i+1)}{\sum_{i\le k} 1/\log_2(i+1)}

    Misleads: with fewer than k relevant items even a perfect list stays below 1.

    Examples
    --------
    (1 + 1/2) / (1 + 1/log2(3) + 1/2) = 0.703918.

    >>> import rankmeter as rm
    >>> round(rm.value("SDCG@3", grades=[1, 0, 1]), 6)
    0.703918
    """

    name = "SDCG"
    formula = "users.sdcg"
    bounded_by_grade = True


@register
class NormalisedErr8(UserModelMeasure):
    r"""NERR8: a user who goes on only if an item did not satisfy them, up to rank k.

    .. math:: C(i) = (1 - g_i)\,[i < k]

    Misleads: a fully useful item at rank 1 gives 1, whatever follows.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.value("NERR8@10", grades=[0, 1, 1])
    0.5
    """

    name = "NERR8"
    formula = "users.nerr8"
    bounded_by_grade = True


@register
class NormalisedErr9(UserModelMeasure):
    r"""NERR9: as NERR8, tiring by i/(i+1) with every rank: the discount of ERR as a continuation.

    .. math:: C(i) = \frac{i}{i+1}\,(1 - g_i)\,[i < k]

    Misleads: the first useful item decides nearly everything.

    Examples
    --------
    The items are seen 1 and 1/2 times: (1/2) / (1 + 1/2) = 1/3.

    >>> import rankmeter as rm
    >>> round(rm.value("NERR9@10", grades=[0, 1, 1]), 6)
    0.333333
    """

    name = "NERR9"
    formula = "users.nerr9"
    bounded_by_grade = True


@register
class NormalisedErr10(UserModelMeasure):
    r"""NERR10: as NERR8, going on with probability p: the patience of RBP and the satisfaction of ERR together.

    .. math:: C(i) = p\,(1 - g_i)

    Misleads: values for different p are not comparable.

    Examples
    --------
    The items are seen 1 and 0.9 times: 0.9 / 1.9 = 0.473684.

    >>> import rankmeter as rm
    >>> round(rm.value("NERR10", grades=[0, 1, 1]), 6)
    0.473684
    """

    p: float = fraction(0.9)

    name = "NERR10"
    formula = "users.nerr10"
    bounded_by_grade = True


@register
class NormalisedErr11(TargetMeasure):
    r"""NERR11: as NERR8, with the growing patience of INSQ.

    .. math:: C(i) = \left(\frac{i + 2T - 1}{i + 2T}\right)^2 (1 - g_i)

    Misleads: values for different T are not comparable.

    Examples
    --------
    The items are seen 1 and (2/3)^2 times: (4/9) / (13/9) = 0.307692.

    >>> import rankmeter as rm
    >>> round(rm.value("NERR11", grades=[0, 1, 1]), 6)
    0.307692
    """

    name = "NERR11"
    formula = "users.nerr11"
    bounded_by_grade = True
