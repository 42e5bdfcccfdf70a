"""How far judges agree beyond chance: kappas, Fleiss, Gwet's AC, Brennan-Prediger and Krippendorff's alpha.

Every coefficient is a function of counts that add up over queries, so that leaving one query out is a subtraction. The
errors of judges come in clumps, a query being misunderstood as a whole, so queries are what varies: errors come from
the jackknife over queries. Resampling items instead covers 72 % where 95 % is claimed.

Sources: Cohen 1960, 1968; Fleiss 1971; Gwet 2008, 2014; Brennan & Prediger 1981; Krippendorff 2011.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError
from rankmeter.late import special
from rankmeter.placing.placements import Bools, Floats, Ints

Weighting = Literal["identity", "linear", "quadratic"]
Distance = Literal["ordinal", "interval", "nominal"]
Coefficient = Callable[["GradeCounts", Floats], Floats]
FEWEST_QUERIES = 10
"""With fewer the jackknife says too little of how others would vary: a value without an interval."""
BLOCK_CELLS = 4_000_000
"""Cells of counts per query that are held at once."""
GAP = -1
"""The code of a pair that a judge did not judge."""
ROUNDING = 1e-12
"""What an expected disagreement may be and still be none."""


@dataclass(frozen=True, slots=True)
class Grades:
    """What judges gave, as places on one scale."""

    codes: npt.NDArray[np.int16]
    """(judges, pairs) the place on the scale; ``GAP`` where there is no judgment."""
    query: Ints
    """(pairs,) the number of the query, rising from 0."""
    scale: Floats
    """(grades,) the grades that could be given, rising."""

    @property
    def queries(self) -> int:
        """How many queries there are."""
        return int(self.query[-1]) + 1 if len(self.query) else 0

    def only(self, pairs: Bools) -> Grades:
        """Some of the pairs; queries are numbered anew."""
        query = np.unique(self.query[pairs], return_inverse=True)[1]
        return Grades(self.codes[:, pairs], query.astype(np.int64), self.scale)


class GradeCounts(NamedTuple):
    """What the grades of some pairs add up to; leading axes are those of many such sums."""

    confusion: Floats
    """(..., grades, grades) of the first two judges: rows what the first gave, columns what the second did."""
    coincidences: Floats
    """(..., grades, grades) Krippendorff's: two judgments of one pair, each pair weighing as many as it has."""
    agreement: Floats
    """(..., grades, grades) two judgments of one pair, each pair weighing 1."""
    judged_twice: Floats
    """(...,) pairs with two judgments or more."""
    shares: Floats
    """(..., grades) the share of each grade, added over pairs."""
    judged: Floats
    """(...,) pairs that the shares are about."""


def counts_by_query(grades: Grades, *, singles: bool = False) -> Iterator[GradeCounts]:
    """Counts with a row per query, in blocks of queries; ``singles``: pairs with one judgment count in the shares."""
    size = len(grades.scale)
    step = max(1, BLOCK_CELLS // (3 * size * size))
    starts = np.searchsorted(grades.query, np.arange(0, grades.queries + step, step))
    for block in range(len(starts) - 1):
        inside = slice(starts[block], starts[block + 1])
        codes, query = grades.codes[:, inside], grades.query[inside] - block * step
        yield _counts(codes, query, min(step, grades.queries - block * step), size, singles=singles)


def _counts(codes: npt.NDArray[np.int16], query: Ints, queries: int, size: int, *, singles: bool) -> GradeCounts:
    """The counts of one block."""
    first, second = codes[:2]
    both = (first != GAP) & (second != GAP)
    cells = (query[both] * size + first[both]) * size + second[both]
    counted = np.bincount(cells, minlength=queries * size * size)
    confusion = counted.reshape(queries, size, size).astype(np.float64)
    if len(codes) == 2 and not singles:
        each = confusion + confusion.swapaxes(-1, -2)
        total = confusion.sum((-1, -2))
        return GradeCounts(confusion, each, each / 2, total, each.sum(-1) / 2, total)
    given = np.stack([(codes == grade).sum(0) for grade in range(size)]).astype(np.float64)  # (grades, pairs)
    judges = given.sum(0)
    twice = judges >= 2
    kept = judges >= (1 if singles else 2)
    many = np.where(twice, judges, 2.0)

    def added(values: Floats) -> Floats:
        return np.bincount(query, values, queries).astype(np.float64)

    coincidences = np.empty((queries, size, size))
    agreement = np.empty((queries, size, size))
    for low in range(size):
        for high in range(low, size):
            together = given[low] * (given[high] - (low == high)) * twice
            coincidences[:, low, high] = coincidences[:, high, low] = added(together / (many - 1))
            agreement[:, low, high] = agreement[:, high, low] = added(together / (many * (many - 1)))
    shares = np.stack([added(np.where(kept, row, 0.0) / np.maximum(judges, 1.0)) for row in given], -1)
    return GradeCounts(
        confusion, coincidences, agreement, added(twice.astype(float)), shares, added(kept.astype(float))
    )


def weights(scale: Floats, weighting: Weighting) -> Floats:
    """(grades, grades) how much two grades agree: 1 the same, 0 the ends of the scale; distances are by grade."""
    if weighting == "identity":
        return np.eye(len(scale))
    apart = np.abs(scale[:, None] - scale[None, :]) / (scale[-1] - scale[0])
    return np.asarray(1 - (apart if weighting == "linear" else apart**2))


def kappa(counts: GradeCounts, scale: Floats, weighting: Weighting = "identity") -> Floats:
    """Cohen's, of the first two judges."""
    weight, cells = weights(scale, weighting), counts.confusion
    total = cells.sum((-1, -2))
    rows, columns = cells.sum(-1) / total[..., None], cells.sum(-2) / total[..., None]
    expected = np.einsum("kl,...k,...l->...", weight, rows, columns)
    return _beyond_chance((weight * cells).sum((-1, -2)) / total, expected)


@np.errstate(all="ignore")
def kappa_from(counts: GradeCounts, threshold: int) -> Floats:
    """Cohen's of two classes: below a place on the scale, and from it up."""
    cells = counts.confusion
    parts = (slice(None, threshold), slice(threshold, None))
    two = np.stack([np.stack([cells[..., a, b].sum((-1, -2)) for b in parts], -1) for a in parts], -2)
    return kappa(counts._replace(confusion=two), np.array([0.0, 1.0]))


def fleiss(counts: GradeCounts, scale: Floats, weighting: Weighting = "identity") -> Floats:
    """Fleiss' kappa of any number of judges; of two, Scott's pi."""
    weight, share = weights(scale, weighting), _share(counts)
    return _beyond_chance(_observed(counts, weight), np.einsum("kl,...k,...l->...", weight, share, share))


def gwet(counts: GradeCounts, scale: Floats, weighting: Weighting = "identity") -> Floats:
    """Gwet's AC1 (identity weights) and AC2."""
    weight, share, size = weights(scale, weighting), _share(counts), len(scale)
    expected = weight.sum() / (size * (size - 1)) * (share * (1 - share)).sum(-1)
    return _beyond_chance(_observed(counts, weight), expected)


def brennan_prediger(counts: GradeCounts, scale: Floats) -> Floats:
    """Brennan and Prediger's: chance gives every grade alike; of two judges and two grades, PABAK."""
    return _beyond_chance(agreement(counts, scale), np.asarray(1 / len(scale)))


def alpha(counts: GradeCounts, scale: Floats, distance: Distance) -> Floats:
    """Krippendorff's; what ordinal grades are apart depends on how many judgments lie between them."""
    cells = counts.coincidences
    given = cells.sum(-1)
    if distance == "nominal":
        apart = 1 - np.eye(len(scale))
    else:
        places = scale if distance == "interval" else given.cumsum(-1) - given / 2
        apart = (places[..., :, None] - places[..., None, :]) ** 2
    observed = (cells * apart).sum((-1, -2))
    expected = np.einsum("...k,...l,...kl->...", given, given, np.broadcast_to(apart, cells.shape))
    total = given.sum(-1)
    value = 1 - (total - 1) * observed / expected
    return np.where(expected > ROUNDING * np.maximum(total, 1) ** 2, value, np.nan)


def agreement(counts: GradeCounts, scale: Floats) -> Floats:
    """The share of two judgments of one pair that are the same grade."""
    return _observed(counts, np.eye(len(scale)))


def within_one(counts: GradeCounts, scale: Floats) -> Floats:
    """The share of two judgments of one pair that are no more than one place of the scale apart."""
    places = np.arange(len(scale))
    return _observed(counts, (np.abs(places[:, None] - places) <= 1).astype(float))


def bias(counts: GradeCounts, scale: Floats) -> Floats:
    """The mean grade of the second judge less that of the first."""
    return _mean_of(counts, scale[None, :] - scale[:, None])


def absolute_error(counts: GradeCounts, scale: Floats) -> Floats:
    """The mean absolute difference of the first two judges' grades."""
    return _mean_of(counts, np.abs(scale[None, :] - scale[:, None]))


def pearson(counts: GradeCounts, scale: Floats) -> Floats:
    """The correlation of the first two judges' grades."""
    return _correlation(counts.confusion, scale, scale)


def rank_correlation(counts: GradeCounts, scale: Floats) -> Floats:  # noqa: ARG001 (ranks, not grades)
    """The correlation of their ranks, ties sharing the mean."""
    rows, columns = counts.confusion.sum(-1), counts.confusion.sum(-2)
    return _correlation(counts.confusion, rows.cumsum(-1) - rows / 2, columns.cumsum(-1) - columns / 2)


def tau_b(counts: GradeCounts, scale: Floats) -> Floats:  # noqa: ARG001 (order, not grades)
    """Kendall's tau-b of the first two judges' grades."""
    cells = counts.confusion
    below = np.zeros_like(cells)
    below[..., 1:, 1:] = cells.cumsum(-1).cumsum(-2)[..., :-1, :-1]
    beyond = cells.sum(-1)[..., :, None].cumsum(-2) - cells.cumsum(-1).cumsum(-2)  # rows above, columns to the right
    across = np.zeros_like(cells)
    across[..., 1:, :] = beyond[..., :-1, :]
    total = cells.sum((-1, -2))
    rows, columns = cells.sum(-1), cells.sum(-2)

    def untied(margin: Floats) -> Floats:
        return np.asarray((total**2 - (margin**2).sum(-1)) / 2)

    value = (cells * (below - across)).sum((-1, -2)) / np.sqrt(untied(rows) * untied(columns))
    return np.where(np.isfinite(value), value, np.nan)


def _correlation(cells: Floats, rows: Floats, columns: Floats) -> Floats:
    total = cells.sum((-1, -2))[..., None, None]
    row = rows[..., :, None] - (cells * rows[..., :, None]).sum((-1, -2), keepdims=True) / total
    column = columns[..., None, :] - (cells * columns[..., None, :]).sum((-1, -2), keepdims=True) / total
    square = (cells * row**2).sum((-1, -2)) * (cells * column**2).sum((-1, -2))
    value = (cells * row * column).sum((-1, -2)) / np.sqrt(square)
    return np.where(square > 0, value, np.nan)


def _observed(counts: GradeCounts, weight: Floats) -> Floats:
    return np.asarray((weight * counts.agreement).sum((-1, -2)) / counts.judged_twice)


def _share(counts: GradeCounts) -> Floats:
    return np.asarray(counts.shares / counts.judged[..., None])


def _mean_of(counts: GradeCounts, value: Floats) -> Floats:
    return np.asarray((value * counts.confusion).sum((-1, -2)) / counts.confusion.sum((-1, -2)))


def _beyond_chance(observed: Floats, expected: Floats) -> Floats:
    """NaN where chance alone agrees always: all judgments are the same grade."""
    return np.where(1 - expected > ROUNDING, (observed - expected) / (1 - expected), np.nan)


OF_MANY: Mapping[str, Coefficient] = {
    "agreement": agreement, "within_one": within_one,
    **{f"alpha_{distance}": partial(alpha, distance=distance) for distance in get_args(Distance)},
    "fleiss": fleiss, "fleiss_linear": partial(fleiss, weighting="linear"),
    "fleiss_quadratic": partial(fleiss, weighting="quadratic"), "ac1": gwet,
    "ac2_linear": partial(gwet, weighting="linear"), "ac2_quadratic": partial(gwet, weighting="quadratic"),
    "brennan_prediger": brennan_prediger,
}  # fmt: skip
"""What any number of judges have."""

OF_TWO: Mapping[str, Coefficient] = {
    "bias": bias, "absolute_error": absolute_error,
    "kappa_quadratic": partial(kappa, weighting="quadratic"), "kappa_linear": partial(kappa, weighting="linear"),
    "kappa": kappa,
    "pearson": pearson, "spearman": rank_correlation, "tau_b": tau_b,
}  # fmt: skip
"""What only two judges have."""


@dataclass(frozen=True, slots=True)
class Jackknifed:
    """A coefficient and how it would vary with other queries."""

    value: float
    low: float
    high: float
    error: float
    """NaN, as are the ends, where there is no interval."""
    queries: int


@np.errstate(all="ignore")
def jackknifed(
    grades: Grades,
    coefficients: Mapping[str, Coefficient],
    *,
    level: float = 0.95,
    singles: bool = False,
    fewest: int = FEWEST_QUERIES,
) -> tuple[dict[str, Jackknifed], GradeCounts]:
    """Each coefficient with its interval, leaving out one query at a time, and what all pairs add up to.

    error^2 = (g - 1) / g sum (theta_-j - mean)^2 over the g queries; Student's t with g - 1.
    """
    blocks = [GradeCounts(*(part.sum(0) for part in block)) for block in counts_by_query(grades, singles=singles)]
    if not blocks:
        raise InputError.of("judging.no_pair_judged")
    total = GradeCounts(*(np.sum(parts, axis=0) for parts in zip(*blocks, strict=True)))
    many = grades.queries
    values = {name: float(coefficient(total, grades.scale)) for name, coefficient in coefficients.items()}
    if many < max(fewest, 2):
        return {name: Jackknifed(value, np.nan, np.nan, np.nan, many) for name, value in values.items()}, total
    left: dict[str, list[Floats]] = {name: [] for name in coefficients}
    for block in counts_by_query(grades, singles=singles):
        rest = GradeCounts(*map(np.subtract, total, block))  # each query left out
        for name, coefficient in coefficients.items():
            left[name].append(np.asarray(coefficient(rest, grades.scale)))
    reach = float(special.stdtrit(many - 1, (1 + level) / 2))
    intervals = {}
    for name, value in values.items():
        without = np.concatenate(left[name])
        error = float(np.sqrt((many - 1) / many * ((without - without.mean()) ** 2).sum()))
        error = error if error > ROUNDING else np.nan  # the same without any query: nothing says how it would vary
        intervals[name] = Jackknifed(value, value - reach * error, value + reach * error, error, many)
    return intervals, total
