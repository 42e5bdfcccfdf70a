"""Measures of how different the items of a list are, and how different the lists of different users."""

from __future__ import annotations

from typing import Literal

from rankmeter.errors import MeasureError
from rankmeter.measures.base import register
from rankmeter.measures.options import choice
from rankmeter.measures.slate_base import SlateMeasure, WholeMeasure, log_base

SIMILARITIES = ("cosine", "jaccard", "hamming", "given")
"""The metrics that are one minus a similarity."""


@register
class IntraListDistance(SlateMeasure):
    r"""Intra-list distance: the mean distance between two items of the same list.

    .. math:: \mathrm{ILD@}k = \frac{2}{n(n-1)} \sum_{i<j} d(L_i, L_j)

    ``metric`` is cosine (1 - similarity), jaccard, hamming (share of features that differ), hamming-count, euclidean,
    manhattan or given (the catalogue's own ``distance`` or ``similarity``). ``source`` decides how an item is
    described: by its features, its categories, or the users of the history who took it (co-occurrence). A list of one
    item scores 1 (``single``). ``norm="list"`` divides the sum over pairs by the length of the list.
    ``scale="similarity"`` is 1 - ILD, the mean similarity of two items, which some tools report (ILS); lower is then
    more diverse.

    Items without features are left out of the pairs. A vector of zeros has similarity 0 with everything.

    Misleads: random lists are the most diverse; different metrics give unrelated numbers.

    Examples
    --------
    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=[0, 1, 2], features=[[0.9, 0.1, 0.2], [0.8, 0.3, 0.1], [0.1, 0.9, 0.4]])
    >>> rm.evaluate(None, [[0, 1, 2]], "ILD@3", catalogue=items)["ILD@3"]
    0.4312...
    """

    metric: Literal["cosine", "jaccard", "hamming", "hamming-count", "euclidean", "manhattan", "given"] = choice()
    source: Literal["features", "categories", "history"] = choice()
    single: Literal["one", "zero", "skip"] = choice()
    norm: Literal["pairs", "list"] = choice()
    scale: Literal["distance", "similarity"] = choice()

    name = "ILD"
    formula = "slates.listdiversity.intra_list_distance"
    bounds = (float("-inf"), float("inf"))
    """A catalogue's own similarity may have any size."""

    @property
    def higher_is_better(self) -> bool:  # type: ignore[override]  # the scale decides
        """Whether more is better: a more diverse list is."""
        return self.scale == "distance"

    def __post_init__(self) -> None:
        SlateMeasure.__post_init__(self)
        if self.scale == "similarity" and (self.norm != "pairs" or self.metric not in SIMILARITIES):
            raise MeasureError.of(
                "measures.not_a_similarity", metric=self.metric, norm=self.norm, metrics=list(SIMILARITIES)
            )
        if self.source != "features" and self.metric not in ("cosine", "jaccard"):
            raise MeasureError.of("measures.metric_of_sets", metric=self.metric, source=self.source)

    def needed(self) -> tuple[str, ...]:
        return ("distance",) if self.metric == "given" else (self.source,)


@register
class CategoryDiversity(SlateMeasure):
    r"""Category diversity: how many different categories a list contains, by default divided by k.

    .. math:: \frac{|\bigcup_{i \in L_u} C_i|}{k}

    ``norm`` divides by k, by the length of the list, by the number of categories of the catalogue (subtopic recall),
    or not at all (count). Without a cutoff k is the length of the list.

    Misleads: it depends on how fine the categories are; items with many categories inflate it.

    Examples
    --------
    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=["a", "b", "c"], categories=["news", "news", "sport"])
    >>> rm.evaluate(None, [["a", "b", "c"]], "CategoryDiversity@3", catalogue=items)["CategoryDiversity@3"]
    0.6666...
    """

    norm: Literal["k", "list", "catalogue", "count"] = choice()

    name = "CategoryDiversity"
    formula = "slates.listdiversity.category_diversity"
    bounds = (0.0, float("inf"))
    needs = ("categories",)


@register
class CategoryEntropy(SlateMeasure):
    r"""Category entropy: how evenly a list is spread over its categories.

    .. math:: -\sum_c p_c \log_b p_c, \qquad p_c = \frac{1}{n} \sum_{i \in L_u,\, c \in C_i} \frac{1}{|C_i|}

    An item with several categories counts equally towards each. ``norm="categories"`` divides by the logarithm of the
    number of categories in the catalogue.

    Misleads: a user with one-sided tastes can be well served by a list of low entropy.

    Examples
    --------
    Shares 2/3 and 1/3: 0.918 bits.

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=["a", "b", "c"], categories=["news", "news", "sport"])
    >>> rm.evaluate(None, [["a", "b", "c"]], "CategoryEntropy@3", catalogue=items)["CategoryEntropy@3"]
    0.9182...
    """

    base: float | str = log_base()
    norm: Literal["none", "categories"] = choice()

    name = "CategoryEntropy"
    formula = "slates.listdiversity.category_entropy"
    bounds = (0.0, float("inf"))
    needs = ("categories",)


@register
class Personalisation(WholeMeasure):
    r"""Personalisation: one minus the mean similarity of two users' lists.

    .. math:: 1 - \frac{2}{U(U-1)} \sum_{u<v} \frac{|L_u \cap L_v|}{\sqrt{|L_u|\,|L_v|}}

    The sum over pairs of users has a closed form over items, so nothing grows with the square of the users.

    Misleads: random lists are the most personal; with few items to choose from it cannot be high.

    Examples
    --------
    One of the three pairs shares one of two items (similarity 1/2), the others nothing.

    >>> import rankmeter as rm
    >>> rm.evaluate(None, [["a", "b"], ["b", "c"], ["d", "e"]], "Personalisation")["Personalisation"]
    0.8333...
    """

    name = "Personalisation"
    formula = "slates.listdiversity.personalisation"
    no_value = "measures.fewer_than_two_lists"
    counts_by = "length"
