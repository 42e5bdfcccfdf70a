"""Measures of how recommendations spread over the catalogue and over the users."""

from __future__ import annotations

from typing import Literal

from rankmeter.measures.base import register, with_options
from rankmeter.measures.options import choice, fraction, whole
from rankmeter.measures.slate_base import SlateMeasure, WholeMeasure, log_base


@register
class Coverage(WholeMeasure):
    r"""Catalogue coverage: the share of the items that are recommended to anyone.

    .. math:: \mathrm{Coverage@}k = \frac{|\bigcup_u L_u \cap I|}{|I|}

    I is the catalogue, or with ``of="history"`` the items of the training interactions. An item outside I is ignored;
    ``outside="counted"`` counts it in the numerator, as some tools do, so that the value can exceed 1. ``padding`` adds
    items that exist only in a tool's tables to the denominator (RecBole: 1).

    Misleads: one lucky place covers an item as well as a thousand do; it grows with k and with the number of users.

    Examples
    --------
    Seven of eight items appear.

    >>> import rankmeter as rm
    >>> lists = [[1, 2, 3], [2, 4, 5], [3, 6, 7]]
    >>> rm.evaluate(None, lists, "Coverage@3", catalogue=range(1, 9))["Coverage@3"]
    0.875
    """

    of: Literal["catalogue", "history"] = choice()
    outside: Literal["ignored", "counted"] = choice()
    unit: Literal["share", "percent", "count"] = choice()
    padding: int = whole(0, low=0)

    name = "Coverage"
    formula = "slates.coverage.coverage"
    counts_by = "item"

    def needed(self) -> tuple[str, ...]:
        return (self.of,)


@register
class UserCoverage(SlateMeasure):
    r"""User coverage: the share of the judged users who get at least one recommendation.

    .. math:: \mathrm{UserCoverage} = \frac{|\{u : |L_u| \ge 1\}|}{|U|}

    ``lists="full"`` requires a full list of k items (without a cutoff: as many as the longest list has).

    Misleads: a list of one poor item covers a user.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.evaluate({"u": ["a"], "v": ["b"]}, {"u": ["a", "b"]}, "UserCoverage")["UserCoverage"]
    0.5
    """

    lists: Literal["any", "full"] = choice()

    name = "UserCoverage"
    formula = "slates.coverage.user_coverage"
    default_queries = "judged"
    aggregates = ("mean", "sum")

    def needed(self) -> tuple[str, ...]:
        return () if self.queries == "run" else ("judgments",)

    @property
    def asks_for_longest(self) -> bool:
        return self.lists == "full"


@with_options
class Inequality(WholeMeasure):
    """How unequally items are used: over which items, and on which scale."""

    over: Literal["catalogue", "recommended", "history"] = choice()
    divisor: Literal["n", "n-1"] = choice()
    scale: Literal["inequality", "equality"] = choice()

    no_value = "measures.nothing_looked_at"

    @property
    def higher_is_better(self) -> bool:  # type: ignore[override]  # the scale decides
        """More equal is better."""
        return self.scale == "equality"

    def needed(self) -> tuple[str, ...]:
        return () if self.over == "recommended" else (self.over,)


@register
class Gini(Inequality):
    r"""Gini index of how often items are recommended: 0 if all equally often, near 1 if one item takes every place.

    .. math:: G = \frac{\sum_{i=1}^{n} (2i - n - 1)\, c_{(i)}}{n \sum_i c_i}

    c are the counts in ascending order, over the catalogue with its zeros; ``over="recommended"`` leaves the zeros out.
    ``divisor="n-1"`` makes 1 reachable, ``scale="equality"`` is 1 - G, published under the same name. ``padding`` adds
    items that exist only in a tool's tables, with a count of 0 (RecBole: 1).

    Misleads: with fewer places than items it cannot be 0, however even the choice is.

    Examples
    --------
    Counts 0, 1, 2 for three items: (-2 * 0 + 0 * 1 + 2 * 2) / (3 * 3) = 4/9.

    >>> import rankmeter as rm
    >>> rm.evaluate(None, [["b", "c"], ["c"]], "Gini", catalogue=["a", "b", "c"])["Gini"]
    0.4444...
    """

    padding: int = whole(0, low=0)

    name = "Gini"
    formula = "slates.coverage.gini"
    counts_by = "item"


@register
class ExposureGini(Inequality):
    r"""Gini index of the exposure of items: a place counts by the chance that it is seen.

    .. math:: e_i = \sum_u \sum_{r : L_u(r) = i} w(r), \qquad w(r) = p^{r-1}

    It is the Gini index of e instead of counts. ``weight`` is geometric (with ``p``), log2 (1/log2(r+1)), reciprocal
    (1/r) or equal (which gives :class:`Gini`).

    Misleads: the weights are a model of attention; another model gives another number.

    Examples
    --------
    Exposures 0, 0.85, 2 (p = 0.85): (2 * 2) / (3 * 2.85).

    >>> import rankmeter as rm
    >>> rm.evaluate(None, [["c", "b"], ["c"]], "ExposureGini", catalogue=["a", "b", "c"])["ExposureGini"]
    0.4678...
    """

    weight: Literal["geometric", "log2", "reciprocal", "equal"] = choice()
    p: float = fraction(0.85)

    name = "ExposureGini"
    formula = "slates.coverage.exposure_gini"
    counts_by = "place"


@register
class Entropy(WholeMeasure):
    r"""Shannon entropy of the recommended items: how evenly the recommendations are spread over items.

    .. math:: H = -\sum_i p_i \log_b p_i, \qquad p_i = c_i / \sum_j c_j

    In bits; ``base=e`` gives nats. ``norm="items"`` divides by the logarithm of the catalogue's size, so that 1 is a
    perfectly even use of it; ``norm="distinct"`` divides by the number of recommended items, as RecBole does.
    ``weighting="lists"`` gives every list the same weight, whatever its length.

    Misleads: some texts call it novelty, but it does not know which items are new to anyone.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.evaluate(None, [[1, 2, 3], [2, 3, 4], [3, 4, 5]], "Entropy(base=e)@3")["Entropy(base=e)@3"]
    1.5229...
    """

    base: float | str = log_base()
    norm: Literal["none", "items", "distinct"] = choice()
    weighting: Literal["places", "lists"] = choice()

    name = "Entropy"
    formula = "slates.coverage.entropy"
    no_value = "measures.nothing_recommended"
    bounds = (0.0, float("inf"))

    @property
    def counts_by(self) -> str:  # type: ignore[override]  # the weighting decides
        """If every list has the same weight, a place counts by the length of its list."""
        return "length" if self.weighting == "lists" else "item"

    def needed(self) -> tuple[str, ...]:
        return ("catalogue",) if self.norm == "items" else ()
