"""Measures of how much was found: precision, recall, their mean and success, of a ranked list or of a set."""

from __future__ import annotations

from typing import Literal

from rankmeter.errors import MeasureError
from rankmeter.measures.base import (
    MEANS,
    SINGLE_ORDER_TIES,
    TIES,
    HitMeasure,
    RelevanceMeasure,
    check_decidable,
    no_closed_form,
    register,
    undecided_by_ties,
    with_options,
)
from rankmeter.measures.options import choice, fraction, real


@register
class Precision(HitMeasure):
    r"""Precision: the share of the first k places that hold relevant items.

    .. math:: \mathrm{P@}k = \frac{|\{i \le k : r_i \ge rel\}|}{k}

    A list shorter than k is still divided by k (``norm="list"`` divides by its length, ``norm="capped"`` by what could
    be found, min(R, k)). Without a cutoff the divisor is the length of the list.

    Misleads: with fewer than k relevant items even a perfect list stays below 1.

    Examples
    --------
    Relevant items at ranks 2 and 3 of the first three: P@3 = 2/3.

    >>> import rankmeter as rm
    >>> rm.value("P@3", grades=[0, 1, 1, 0, 1])
    0.6666...
    """

    norm: Literal["k", "list", "capped"] = choice()

    name = "P"
    formula = "relevance.precision"

    @property
    def only_rises(self) -> bool:  # type: ignore[override]  # the divisor may rise too
        """Whether an unjudged item that turns out to be relevant never lowers it."""
        return self.norm != "capped"


@register
class Recall(HitMeasure):
    r"""Recall: the share of the relevant items that stand in the first k places.

    .. math:: \mathrm{R@}k = \frac{|\{i \le k : r_i \ge rel\}|}{R}

    R counts every item judged relevant, returned or not; ``norm="capped"`` divides by min(R, k).

    Misleads: with more than k relevant items even a perfect list stays below 1.

    Examples
    --------
    Three relevant items, two of them among the first three: R@3 = 2/3.

    >>> import rankmeter as rm
    >>> rm.value("R@3", grades=[0, 1, 1, 0, 1])
    0.6666...
    """

    norm: Literal["relevant", "capped"] = choice()

    name = "R"
    formula = "relevance.recall"


@register
class FMeasure(HitMeasure):
    r"""The weighted harmonic mean of precision and recall at k.

    .. math:: \mathrm{F}_\beta = \frac{(1+\beta^2)\,\mathrm{P}\,\mathrm{R}}{\beta^2\,\mathrm{P} + \mathrm{R}}

    ``beta`` above 1 favours recall, below 1 precision. trec_eval's ``set_F.x`` is ``beta = sqrt(x)``.

    Misleads: a fixed k caps precision or recall, so the best possible F differs from query to query.

    Examples
    --------
    P@3 = 2/3 and R@3 = 2/4 give F = 2 * (2/3 * 1/2) / (2/3 + 1/2) = 4/7.

    >>> import rankmeter as rm
    >>> rm.value("F@3", grades=[0, 1, 1, 1, 1])
    0.5714...
    """

    beta: float = real(1, low=0, open_low=True)

    name = "F"
    formula = "relevance.f_measure"


@register
class Success(HitMeasure):
    r"""Success, or hit rate: 1 when a relevant item stands in the first k places, else 0.

    .. math:: \mathrm{Success@}k = [\min_i\{i : r_i \ge rel\} \le k]

    ``unjudged="undecided"`` leaves it undefined if none of the first k is relevant and one of them is unjudged.

    Misleads: it saturates; at large k good and excellent systems look alike.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.value("Success@2", grades=[0, 1, 1])
    1.0
    >>> rm.value("HitRate@1", grades=[0, 1, 1])
    0.0
    """

    unjudged: str | float = choice("nonrelevant", "removed", "nan", "undecided")

    name = "Success"
    formula = "relevance.success"
    only_rises = True

    def __post_init__(self) -> None:
        HitMeasure.__post_init__(self)
        check_decidable(self)

    def ties_unknown(self) -> str:
        return undecided_by_ties(self) or HitMeasure.ties_unknown(self)


@register
class RPrecision(HitMeasure):
    r"""R-precision: precision after R places, R being the number of relevant items.

    .. math:: \mathrm{Rprec} = \mathrm{P@}R

    With a cutoff it looks at min(R, k) places and divides by as many; ``norm="relevant"`` still divides by R.
    ``mult`` looks at ``mult`` times R places (trec_eval's ``Rprec_mult``).

    Misleads: it looks at a single depth, and that depth differs from query to query.

    Examples
    --------
    R = 3, relevant items at ranks 1, 2 and 4: two of the first three places.

    >>> import rankmeter as rm
    >>> rm.value("Rprec", grades=[1, 1, 0, 1])
    0.6666...
    """

    norm: Literal["places", "relevant"] = choice()
    mult: float = real(1, low=0, high=1000, open_low=True)

    name = "Rprec"
    formula = "relevance.r_precision"
    is_cut = True  # at R


@register
class InterpolatedPrecision(RelevanceMeasure):
    r"""Interpolated precision: the best precision at any depth that reaches a given recall.

    .. math:: \mathrm{IPrec@}x = \max_{i : \mathrm{R@}i \ge x} \mathrm{P@}i

    ``@`` states the recall point, ``cutoff=`` a depth. ``rounding`` decides how many relevant items make a recall of x:
    ``ceil`` the smallest whole number not below x R, ``trec9`` floor(x R + 0.9) as in trec_eval up to version 9,
    ``nearest`` the nearest whole number as in version 10.

    Misleads: at recall 0 it is the best precision at any depth, which one lucky first place makes 1.

    Examples
    --------
    R = 4, relevant items at ranks 1, 3 and 5: recall 0.5 is reached at rank 3 with precision 2/3; at rank 5 it is 3/5.

    >>> import rankmeter as rm
    >>> rm.evaluate({"q": {"a", "c", "e", "z"}}, {"q": ["a", "b", "c", "d", "e"]}, ["IPrec@0.5"])["IPrec@0.5"]
    0.6666...
    """

    recall: float = real(0, low=0, high=1)
    rounding: Literal["ceil", "trec9", "nearest"] = choice()

    name = "IPrec"
    formula = "relevance.interpolated_precision"
    within_cutoff = True
    bounded_by_grade = True
    at = "recall"
    at_choices = "0.5"
    tie_rules = SINGLE_ORDER_TIES
    aggregates = MEANS


@with_options
class SetMeasure(HitMeasure):
    """A measure of the list as a set, which ``depth`` may cut without cutting a tie.

    ``ties="included"`` keeps all items that share the score of the last one, so that a tie is never split.
    """

    ties: str = choice(*TIES, "included")

    tie_rules = (*TIES, "included")

    def __post_init__(self) -> None:
        HitMeasure.__post_init__(self)
        if self.ties == "included" and self.cutoff is not None:
            raise MeasureError.of("measures.included_and_cutoff", measure=self.name, cutoff=self.cutoff)


@register
class SetPrecision(SetMeasure):
    r"""Precision of the returned list as a set: the share of it that is relevant.

    .. math:: \mathrm{SetP} = \frac{|\text{relevant and returned}|}{|\text{returned}|}

    ``norm="capped"`` divides by min(R, length), the most that a list of that length could hold.

    Misleads: a system that returns one safe item beats one that returns them all.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.value("SetP", grades=[0, 1, 1, 0, 1])
    0.6
    """

    norm: Literal["list", "capped"] = choice()

    name = "SetP"
    formula = "relevance.set_precision"

    @property
    def only_rises(self) -> bool:  # type: ignore[override]  # the divisor may rise too
        """Whether an unjudged item that turns out to be relevant never lowers it."""
        return self.norm != "capped"


@register
class SetRecall(SetMeasure):
    r"""Recall of the returned list as a set: the share of the relevant items that it holds.

    .. math:: \mathrm{SetR} = \frac{|\text{relevant and returned}|}{R}

    Misleads: returning everything scores 1.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.evaluate({"q": {"a", "b", "c", "d"}}, {"q": ["a", "x", "b"]}, ["SetR"])["SetR"]
    0.5
    """

    name = "SetR"
    formula = "relevance.recall"


@register
class SetF(SetMeasure):
    r"""The weighted harmonic mean of set precision and set recall.

    .. math:: \mathrm{SetF}_\beta = \frac{(1+\beta^2)\,\mathrm{SetP}\,\mathrm{SetR}}
        {\beta^2\,\mathrm{SetP} + \mathrm{SetR}}

    ``weight="plain"`` uses beta instead of its square, as trec_eval's ``set_F.x`` does. ``recall="any"`` sets SetR to 1
    as soon as one relevant item is returned, for questions that any of them answers.

    Misleads: it ignores the order.

    Examples
    --------
    SetP = 2/3 and SetR = 2/4 give 4/7; if any relevant item is enough, 2/3 and 1 give 4/5.

    >>> import rankmeter as rm
    >>> judgments, run = {"q": {"a", "b", "c", "d"}}, {"q": ["a", "x", "b"]}
    >>> rm.evaluate(judgments, run, ["SetF", "SetF(recall=any)"]).mean
    {'SetF': 0.5714..., 'SetF(recall=any)': 0.8}
    """

    beta: float = real(1, low=0, open_low=True)
    weight: Literal["squared", "plain"] = choice()
    recall: Literal["share", "any"] = choice()

    name = "SetF"
    formula = "relevance.set_f"

    def __post_init__(self) -> None:
        SetMeasure.__post_init__(self)
        if self.recall == "any" and self.ties == "mean" and self.cutoff is not None:
            raise no_closed_form(self)


@register
class AllRelevant(HitMeasure):
    r"""AllRelevant: 1 when every relevant item stands in the first k places, else 0.

    .. math:: \mathrm{AllRelevant@}k = [\mathrm{R@}k = 1]

    For answers that need all their evidence, as in multi-hop question answering and retrieval-augmented generation.

    Misleads: missing one item out of ten costs as much as missing all ten.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.value("AllRelevant@3", grades=[0, 1, 1]), rm.value("AllRelevant@2", grades=[0, 1, 1])
    (1.0, 0.0)
    """

    name = "AllRelevant"
    formula = "historic.all_relevant"
    tie_rules = SINGLE_ORDER_TIES


@register
class Compatibility(RelevanceMeasure):
    r"""Compat: rank-biased overlap of the list with the ideal list that agrees with it most.

    .. math:: \mathrm{Compat} = \frac{\sum_{i \le n} p^{\,i-1} |L_{1..i} \cap I_{1..i}| / i}
        {\sum_{i \le n} p^{\,i-1} \min(i, R) / i}

    The ideal list I holds the relevant items by grade; items of equal grade keep the order of the list, those not
    returned come last. n is the length of the longer list. ``norm="none"`` divides by the sum of the weights instead.

    Misleads: with p = 0.95 a third of the weight lies beyond rank 20; values for different p are not comparable.

    Examples
    --------
    Grades 1, 0, 1 with p = 0.5: overlaps 1/1, 1/2, 2/3 against 1/1, 2/2, 2/3.

    >>> import rankmeter as rm
    >>> round(rm.value("Compat(p=0.5)", grades=[1, 0, 1]), 6)
    0.85
    """

    p: float = fraction(0.95)
    norm: Literal["ideal", "none"] = choice()

    name = "Compat"
    formula = "historic.compatibility"
    within_cutoff = True
    bounded_by_grade = True
    graded = True
    tie_rules = SINGLE_ORDER_TIES
    aggregates = MEANS
