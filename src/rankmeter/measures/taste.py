"""Measures of a list against the user's own history: surprise, and calibration to the user's tastes."""

from __future__ import annotations

import math
from typing import Literal

from rankmeter.measures.base import register
from rankmeter.measures.options import choice, real
from rankmeter.measures.slate_base import JudgedSlateMeasure, SlateMeasure, log_base


@register
class Serendipity(JudgedSlateMeasure):
    r"""Serendipity: items that are relevant and would not have been expected.

    .. math:: \frac{1}{n} \sum_{r} rel_r \max\left(\frac{|I| + 1 - r}{|I|} - \frac{|I| + 1 - \pi_i}{|I|},\, 0\right)

    With ``surprise="popularity"`` an item is as unexpected as it is ranked higher than its popularity rank (items of
    equal popularity share a rank); with ``history`` by one minus its mean cosine similarity to the user's history, by
    ``source``; with ``popular`` when it is not among the k most popular items. ``relevance="all"`` leaves out the
    question of relevance.

    Misleads: three published quantities share the name and are not comparable.

    Examples
    --------
    Two items; the unpopular one, of popularity rank 2, stands first: (2/2 - 1/2) / 1.

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
        """What is expected falls with the rank, where popularity says what is expected."""
        return self.surprise == "popularity"

    @property
    def asks_for_longest(self) -> bool:
        return self.surprise == "popular"


@register
class Unexpectedness(SlateMeasure):
    r"""Unexpectedness: how unlike the list is to what was to be expected.

    .. math:: \frac{1}{n} \sum_{i \in L_u} \left(1 - \frac{1}{|H_u|} \sum_{h \in H_u} \cos(i, h)\right)

    ``surprise="history"`` compares with the user's own history, ``popular`` asks which share of the list is not among
    the k most popular items. ``source`` says what items are described by: features, categories, or who took them.

    Misleads: an irrelevant item is as unexpected as can be.

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

    p are the shares of categories in the history, q in the list; 0 is perfect. ``divergence="js"`` is the
    Jensen-Shannon divergence (at most 1 in bits), which needs no alpha. ``weight`` lets early places count more. Users
    without a history, and items without a category, do not count.

    Misleads: it repeats the past by design; a user who outgrew a taste is served it again.

    Examples
    --------
    History half a, half b; list all a: 0.5 log2(0.5/0.995) + 0.5 log2(0.5/0.005) = 2.8255.

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=[1, 2, 3], categories=["a", "b", "a"])
    >>> rm.evaluate(None, {"u": [3]}, "Calibration", catalogue=items, history={"u": [1, 2]})["Calibration"]
    2.8255...
    """

    divergence: Literal["kl", "js"] = choice()
    alpha: float = real(0.01, low=0, high=1, open_low=True, open_high=True)
    base: float | str = log_base()
    weight: Literal["equal", "log2", "reciprocal"] = choice()

    name = "Calibration"
    formula = "slates.taste.calibration"
    bounds = (0.0, math.inf)
    higher_is_better = False
    needs = ("categories", "history")
