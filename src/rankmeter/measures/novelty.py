"""Measures of how little known the recommended items are: self-information, plain or weighted by rank and relevance."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal

from rankmeter.measures.base import register, with_options
from rankmeter.measures.options import choice
from rankmeter.measures.slate_base import JudgedSlateMeasure, SlateMeasure, log_base


@with_options
class InformationMeasure(SlateMeasure):
    """A measure of an item's information: the fewer people took it, the more."""

    base: float | str = log_base()
    cold: Literal["one", "zero", "skip", "rarest"] = choice()
    norm: Literal["none", "log"] = choice()
    divisor: Literal["list", "k"] = choice()

    formula: ClassVar[Any] = "slates.popularity.novelty"
    bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)

    @property
    def asks_for_longest(self) -> bool:
        return self.divisor == "k"


@register
class Novelty(InformationMeasure):
    r"""Novelty: the mean self-information of the recommended items, in bits.

    .. math:: \frac{1}{n} \sum_{i \in L_u} -\log_b \frac{m_i}{M}

    m counts the interactions with the item, M all interactions; ``count="users"`` counts users instead (:class:`MIUF`).
    ``cold`` decides what an item that nobody took is worth: as much as one taken once (one), as the rarest one taken
    (rarest), nothing (zero), or it is left out (skip). ``norm="log"`` divides by log M, ``divisor="k"`` divides by k
    even if the list is shorter.

    Misleads: rare does not mean new to this user, and random items of the tail score best.

    Examples
    --------
    The items have 2 and 1 of 4 interactions: -(log2(1/2) + log2(1/4)) / 2 = 1.5 bits.

    >>> import rankmeter as rm
    >>> train = {"u": ["a", "b"], "v": ["a", "c"]}
    >>> rm.evaluate(None, {"w": ["a", "b"]}, "Novelty@2", history=train)["Novelty@2"]
    1.5
    """

    count: Literal["interactions", "users"] = choice()

    name = "Novelty"

    def needed(self) -> tuple[str, ...]:
        return ("users",) if self.count == "users" else ("popularity",)


@register
class MeanInverseUserFrequency(InformationMeasure):
    r"""Mean inverse user frequency: novelty by the share of users who took the item.

    .. math:: \frac{1}{n} \sum_{i \in L_u} -\log_b \frac{|U_i|}{|U|}

    The options are those of :class:`Novelty`. ``norm="log"`` with ``divisor="k"`` is what RePlay calls surprisal.

    Misleads: as for novelty.

    Examples
    --------
    Two of two users took a, one took b: (0 + 1) / 2.

    >>> import rankmeter as rm
    >>> rm.evaluate(None, {"w": ["a", "b"]}, "MIUF@2", history={"u": ["a", "b"], "v": ["a", "c"]})["MIUF@2"]
    0.5
    """

    name = "MIUF"
    needs = ("users",)


@register
class ExpectedPopularityComplement(JudgedSlateMeasure):
    r"""Expected popularity complement: how unpopular the relevant recommended items are, discounted by rank.

    .. math:: \mathrm{EPC@}k = \frac{\sum_{i \le k} rel_i\, disc_i\, (1 - |U_i|/|U|)}{\sum_{i \le k} disc_i}

    ``relevance="all"`` counts every item as relevant. disc is 1/log2(i+1), 1/i or 1.

    Misleads: a list without a hit scores 0, so one number mixes accuracy and novelty.

    Examples
    --------
    Only the first item is relevant, and one of two users took it: 0.5 * 1 / (1 + 1/log2(3)).

    >>> import rankmeter as rm
    >>> train = {"u": ["a", "b"], "v": ["b"]}
    >>> rm.evaluate({"w": ["a"]}, {"w": ["a", "b"]}, "EPC@2", history=train)["EPC@2"]
    0.3065...
    """

    discount: Literal["log2", "reciprocal", "none"] = choice()
    relevance: Literal["judged", "all"] = choice()

    name = "EPC"
    formula = "slates.popularity.expected_popularity_complement"

    def needed(self) -> tuple[str, ...]:
        base = ("users",)
        return base if self.relevance == "all" else ("judgments", *base)


@register
class ExpectedFreeDiscovery(JudgedSlateMeasure):
    r"""Expected free discovery: the self-information of the relevant recommended items, discounted by rank.

    .. math:: \mathrm{EFD@}k = \frac{\sum_{i \le k} rel_i\, disc_i\, (-\log_2 (m_i/M))}{\sum_{i \le k} disc_i}

    ``relevance="all"`` counts every item as relevant; ``cold`` as in :class:`Novelty`.

    Misleads: as for EPC, and it has no upper bound.

    Examples
    --------
    Only the first item is relevant, one of four interactions: 2 bits * 1 / (1 + 1/log2(3)).

    >>> import rankmeter as rm
    >>> train = {"u": ["a", "b"], "v": ["b", "c"]}
    >>> rm.evaluate({"w": ["a"]}, {"w": ["a", "b"]}, "EFD@2", history=train)["EFD@2"]
    1.2262...
    """

    base: float | str = log_base()
    cold: Literal["one", "zero", "skip", "rarest"] = choice()
    discount: Literal["log2", "reciprocal", "none"] = choice()
    relevance: Literal["judged", "all"] = choice()

    name = "EFD"
    formula = "slates.popularity.expected_free_discovery"
    bounds = (0.0, math.inf)

    def needed(self) -> tuple[str, ...]:
        return ("popularity",) if self.relevance == "all" else ("judgments", "popularity")
