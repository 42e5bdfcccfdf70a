"""Measures of a list against the user's own history: surprise, and calibration to the user's tastes."""

from __future__ import annotations

import math
from typing import Literal

from rankmeter.measures.base import register
from rankmeter.measures.options import choice, fraction
from rankmeter.measures.slate_base import JudgedSlateMeasure, SlateMeasure, log_base


@register
class Serendipity(JudgedSlateMeasure):
    r"""Serendipity: items that are relevant and would not have been expected.

    .. math:: \frac{1}{n} \sum_{r} rel_r \max\left(\frac{|I| + 1 - r}{|I|} - \frac{|I| + 1 - \pi_i}{|I|},\, 0\right)

    With ``surprise="popularity"`` an item is the more unexpected the higher it stands above its popularity rank (items
    of equal popularity share a rank); with ``history`` its surprise is one minus its mean cosine similarity, by
    ``source``, to the user's history; with ``popular`` it is unexpected if it is not among the k most popular items.
    ``relevance="all"`` ignores relevance.

    Misleads: three published quantities share the name and are not comparable.

    Examples
    --------
    Of two items, the less popular one (popularity rank 2) stands first: (2/2 - 1/2) / 1.

    >>> import rankmeter as rm
    >>> train, items = {"u": ["a", "b"], "v": ["a"]}, ["a", "b"]
    >>> rm.evaluate({"v": ["b"]}, {"v": ["b"]}, "Serendipity@1", catalogue=items, history=train)["Serendipity@1"]
    0.5
    """

    surprise: Literal["popularity", "history", "popular"] = choice()
    source: Literal["features", "categories", "history"] = choice()
    relevance: Literal["judged", "all"] = choice()

    name = "Serendipity"
    formula = "slates.taste.serendipity"

    def needed(self) -> tuple[str, ...]:
        kinds = {
            "popularity": ("catalogue", "popularity"),
            "history": ("history", self.source),
            "popular": ("popularity",),
        }
        return (*(("judgments",) if self.relevance == "judged" else ()), *kinds[self.surprise])

    @property
    def sees_order(self) -> bool:
        """If popularity decides what is expected, expectation falls with the rank."""
        return self.surprise == "popularity"

    @property
    def asks_for_longest(self) -> bool:
        return self.surprise == "popular"


@register
class Unexpectedness(SlateMeasure):
    r"""Unexpectedness: how different the list is from what was to be expected.

    .. math:: \frac{1}{n} \sum_{i \in L_u} \left(1 - \frac{1}{|H_u|} \sum_{h \in H_u} \cos(i, h)\right)

    ``surprise="history"`` compares with the user's own history; ``popular`` takes the share of the list that is not
    among the k most popular items. ``source`` decides how items are described: by features, categories, or who took
    them.

    Misleads: nothing is as unexpected as an irrelevant item.

    Examples
    --------
    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=["a", "b", "c"], features=[[1, 0], [0, 1], [1, 0]])
    >>> asked = "Unexpectedness"
    >>> rm.evaluate(None, {"u": ["b", "c"]}, asked, catalogue=items, history={"u": ["a"]})[asked]
    0.5
    """

    surprise: Literal["history", "popular"] = choice()
    source: Literal["features", "categories", "history"] = choice()

    name = "Unexpectedness"
    formula = "slates.taste.unexpectedness"
    bounds = (0.0, 2.0)

    def needed(self) -> tuple[str, ...]:
        return ("history", self.source) if self.surprise == "history" else ("popularity",)

    @property
    def asks_for_longest(self) -> bool:
        return self.surprise == "popular"


@register
class Calibration(SlateMeasure):
    r"""Calibration: how far the categories of a list are from those of the user's history.

    .. math:: \mathrm{KL}(p \| \tilde q) = \sum_c p_c \log_b \frac{p_c}{\tilde q_c}, \qquad
        \tilde q_c = (1 - \alpha) q_c + \alpha p_c

    p are the shares of the categories in the history, q those in the list; 0 is perfect. ``divergence="js"`` is the
    Jensen-Shannon divergence (at most 1 bit), which needs no alpha. ``weight`` lets early places count more. Users
    without a history and items without a category do not count.

    Misleads: it rewards repeating the past; a user who has outgrown a taste is served it again.

    Examples
    --------
    History half a, half b; list all a: 0.5 log2(0.5/0.995) + 0.5 log2(0.5/0.005) = 2.8255.

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=[1, 2, 3], categories=["a", "b", "a"])
    >>> rm.evaluate(None, {"u": [3]}, "Calibration", catalogue=items, history={"u": [1, 2]})["Calibration"]
    2.8255...
    """

    divergence: Literal["kl", "js"] = choice()
    alpha: float = fraction(0.01)
    base: float | str = log_base()
    weight: Literal["equal", "log2", "reciprocal"] = choice()

    name = "Calibration"
    formula = "slates.taste.calibration"
    bounds = (0.0, math.inf)
    higher_is_better = False
    needs = ("categories", "history")
