"""Sampled evaluation: the relevant item ranked among a few sampled negatives, as a labelled, corrected estimate.

A rank among sampled items is not a rank, and a measure of it is another measure, which may order systems differently
(Krichene & Rendle, On Sampled Metrics for Item Recommendation, KDD 2020). What comes out here is therefore an
:class:`SampledEstimate` of the exact value, with its interval, its largest bias and the cost of the exact value; never
a plain number under a measure's name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from rankmeter.arithmetic import Values, Views, parts_of, values_of
from rankmeter.errors import (
    InputError,
    MeasureError,
    NotFoundError,
    check_choice,
    check_level,
    check_positive,
    did_you_mean,
    reason_of,
    warn,
)
from rankmeter.late import optimize, special, stats
from rankmeter.measures import Measure, RankedMeasure, into_measures, parse
from rankmeter.placing.placements import Floats, Ints, Placements
from rankmeter.stats.intervals import FEWEST_RESAMPLES, Interval, interval_of, why_none
from rankmeter.wording import said

Correction = Literal["auto", "bias-variance", "rank", "none"]
Draw = Literal["without replacement", "with replacement"]
UNBIASED = "rank (unbiased)"
SINGLE_RANKS = 2000
"""Up to this rank every rank is weighed by itself; beyond it, ranks in groups of 1/2000 of their size."""


@dataclass(frozen=True, slots=True)
class SampledEstimate:
    """An estimate of a measure's exact value over the whole catalogue; on purpose not a number."""

    measure: str
    value: float
    interval: Interval | None
    """Where the exact value is, if the estimator has no bias (AUC, MeanRank); None otherwise: an interval that knows
    chance alone (which queries, which negatives) would miss the exact value nearly always."""
    possible: tuple[float, float]
    """Where the exact value is with the confidence ``level``, bias and chance allowed for: the lowest and the highest
    value of any distribution of exact ranks under which the sampled ranks are as likely as the level asks."""
    uncorrected: float
    """The measure of the sampled lists themselves: another quantity, for comparison with numbers published so."""
    correction: str
    negatives: int
    items: int
    draw: str
    level: float = 0.95

    @property
    def label(self) -> str:
        """The name under which the value may be written down."""
        how = "uncorrected" if self.correction == "none" else f"corrected: {self.correction}"
        return f"{self.measure} [estimate from {self.negatives:,} sampled of {self.items - 1:,} negatives, {how}]"

    def __repr__(self) -> str:
        sure = f"{100 * self.level:.10g}%"
        if self.interval is None:
            chance = f"the exact value is {self.possible[0]:.4f} to {self.possible[1]:.4f}, {sure} sure"
        else:
            chance = f"{sure} interval {self.interval.low:.4f} to {self.interval.high:.4f}"
        return f"{self.label} = {self.value:.4f} ({chance}; uncorrected {self.uncorrected:.4f})"


@dataclass(frozen=True, slots=True)
class SampledEvaluation:
    """Estimates of some measures from sampled negatives."""

    estimates: dict[Measure, SampledEstimate]
    queries: int
    negatives: int
    items: int

    def __getitem__(self, measure: str | Measure) -> SampledEstimate:
        meant = parse(measure) if isinstance(measure, str) else measure
        if meant not in self.estimates:
            hint = did_you_mean(str(measure), [str(estimate) for estimate in self.estimates])
            raise NotFoundError.of("protocol.no_estimate", measure=measure, hint=hint)
        return self.estimates[meant]

    @property
    def mean(self) -> dict[str, float]:
        """The values by their labels, which say that they are estimates."""
        return {estimate.label: estimate.value for estimate in self.estimates.values()}

    @property
    def exact_cost(self) -> str:
        """What the exact values would take."""
        exact, drawn = self.queries * self.items, self.queries * (self.negatives + 1)
        sizes = {"queries": self.queries, "items": self.items}
        return said("exact_cost", exact=exact, drawn=drawn, times=exact / drawn, **sizes)

    def __repr__(self) -> str:
        return "\n".join([*map(repr, self.estimates.values()), self.exact_cost])


def sampled(
    positive: Any,
    negatives: Any,
    measures: object = ("nDCG@10", "RR"),
    *,
    items: int,
    correction: Correction = "auto",
    gamma: float = 0.1,
    draw: Draw = "without replacement",
    level: float = 0.95,
) -> SampledEvaluation:
    """Estimate measures of exact ranks from the scores of one relevant item and some sampled negatives a query.

    Prefer :func:`rankmeter.rank_catalogue`, which is exact and usually affordable; this is for models whose scores are
    too dear to compute for every item.

    Parameters
    ----------
    positive
        ``(queries,)`` the score of each query's relevant item, NumPy or torch on any device.
    negatives
        ``(queries, m)`` the scores of m items drawn evenly from the others. Equal scores are averaged over the tie.
    measures
        Measures of one relevant item a query.
    items
        How many items the catalogue holds, the relevant one included.
    correction
        ``bias-variance``: the estimator of Krichene & Rendle, section 6, which weighs squared bias over all ranks
        against ``gamma`` times the variance; ``rank``: the measure at the unbiased estimate of the rank,
        1 + (items - 1) (r - 1) / m; ``none``. ``auto`` is ``rank`` for measures that are linear in the rank (AUC,
        MeanRank), where it is unbiased, and ``bias-variance`` for all others.
    gamma
        How much variance counts against squared bias in ``bias-variance``.
    draw
        How the negatives were drawn.
    level
        Of the range of possible exact values, and of the interval (Student's t over queries) where there is one.

    Examples
    --------
    >>> import warnings, numpy as np, rankmeter as rm
    >>> warnings.simplefilter("ignore", rm.RankmeterWarning)
    >>> draw = np.random.default_rng(1)
    >>> estimate = rm.sampled(np.full(400, 2.0), draw.normal(size=(400, 99)), ["AUC"], items=10_000)["AUC"]
    >>> estimate.label
    'AUC [estimate from 99 sampled of 9,999 negatives, corrected: rank (unbiased)]'
    >>> round(estimate.value, 3)  # the chance that a normal number is below 2 is 0.977
    0.977
    """
    above, tied, drawn = _negatives_above(positive, negatives)
    return _estimate_exact(above, tied, measures, _Design(drawn, items, draw, correction, gamma, level))


def sampled_ranks(
    ranks: Any,
    measures: object = ("nDCG@10", "RR"),
    *,
    negatives: int,
    items: int,
    correction: Correction = "auto",
    gamma: float = 0.1,
    draw: Draw = "without replacement",
    level: float = 0.95,
) -> SampledEvaluation:
    """Estimate measures of exact ranks from the ranks of the relevant item among sampled negatives.

    Parameters
    ----------
    ranks
        ``(queries,)`` the rank of each query's relevant item, 1 to ``negatives`` + 1.
    negatives
        How many negatives were sampled for each query.
    measures, items, correction, gamma, draw, level
        As for :func:`rankmeter.sampled`.
    """
    ranked = _floats(ranks, "ranks")
    if ranked.ndim != 1 or not len(ranked) or (ranked != np.floor(ranked)).any():
        raise InputError.of("protocol.ranks_of_shape", shape=str(ranked.shape))
    if ranked.min() < 1 or ranked.max() > negatives + 1:
        raise InputError.of(
            "protocol.ranks_out_of_range",
            negatives=negatives,
            last=negatives + 1,
            lowest=ranked.min(),
            highest=ranked.max(),
        )
    above, design = ranked.astype(np.int64) - 1, _Design(negatives, items, draw, correction, gamma, level)
    return _estimate_exact(above, np.zeros_like(above), measures, design)


def expected_sampled(
    ranks: Any, measures: object, *, negatives: int, items: int, draw: Draw = "with replacement"
) -> dict[str, float]:
    """What measures of sampled lists are on average, uncorrected, when the exact ranks are known.

    It shows what sampling does to a comparison: five users whose items stand at rank 100 beat five with ranks from 2 to
    5,342 once only 99 negatives are drawn.

    Examples
    --------
    >>> even, mixed = [100] * 5, [212, 2, 743, 5342, 1548]
    >>> for ranks in (even, mixed):
    ...     exact = sum(1 / rank for rank in ranks) / 5
    ...     found = expected_sampled(ranks, ["RR"], negatives=99, items=10_000)["RR"]
    ...     print(f"exact {exact:.3f}, with 99 negatives {found:.3f}")
    exact 0.010, with 99 negatives 0.637
    exact 0.101, with 99 negatives 0.326
    """
    design = _Design(negatives, items, draw)
    exact = _floats(ranks, "ranks")
    if exact.ndim != 1 or (exact != np.floor(exact)).any():
        raise InputError.of("protocol.ranks_of_shape", shape=str(exact.shape))
    if not len(exact) or exact.min() < 1 or exact.max() > items:
        raise InputError.of("protocol.exact_ranks_out_of_range", items=items)
    chance = _chances(exact.astype(np.int64), design)
    return {str(measure): float((chance @ _by_rank(measure, negatives + 1)).mean()) for measure in _measures(measures)}


@dataclass(frozen=True, slots=True)
class _Design:
    """How negatives were drawn, and what is made of the ranks among them."""

    negatives: int
    items: int
    draw: Draw
    correction: Correction = "auto"
    gamma: float = 0.1
    level: float = 0.95

    def __post_init__(self) -> None:
        if self.negatives < 1 or self.items < 2 or self.negatives > self.items - 1:
            others = max(self.items - 1, 0)
            raise InputError.of("protocol.too_many_negatives", negatives=self.negatives, others=others)
        check_choice("correction", self.correction, get_args(Correction))
        check_choice("draw", self.draw, get_args(Draw))
        check_positive("gamma", self.gamma, 0.1, most=1)
        check_level(self.level)


def _estimate_exact(above: Ints, tied: Ints, measures: object, design: _Design) -> SampledEvaluation:
    if len(above) < 2:
        raise InputError.of("protocol.no_interval_of_one")
    chosen = list(_measures(measures))
    negatives, items, level = design.negatives, design.items, design.level
    groups, steps = _Groups.fine(items), _Groups.coarse(items)
    chance, within = (_chances(ranks.rank, design) for ranks in (groups, steps))
    estimates: dict[Measure, SampledEstimate] = {}
    for measure in chosen:
        exact, plain = _by_rank(measure, items), _by_rank(measure, negatives + 1)
        name, corrected = _corrected(exact, plain, chance, groups, design)
        value = _over_ties(corrected, above, tied)
        estimates[measure] = SampledEstimate(
            measure=str(measure),
            value=float(value.mean()),
            interval=_interval_of_mean(value, level) if name == UNBIASED else None,
            possible=_possible(exact, steps, within, (above, tied), level),
            uncorrected=float(_over_ties(plain, above, tied).mean()),
            correction=name,
            negatives=negatives,
            items=items,
            draw=design.draw,
            level=level,
        )
    evaluation = SampledEvaluation(estimates, len(above), negatives, items)
    warn(said("only_estimates", negatives=negatives, others=items - 1, cost=evaluation.exact_cost))
    return evaluation


def _corrected(exact: Floats, plain: Floats, chance: Floats, groups: _Groups, design: _Design) -> tuple[str, Floats]:
    """What is averaged for each number of negatives above, and the name of the correction."""
    steps = np.diff(exact)
    linear = bool(np.allclose(steps, steps[0], rtol=1e-6, atol=1e-12))
    if design.correction == "none":
        return "none", plain
    if design.correction == "rank" or (design.correction == "auto" and linear):
        rank = 1 + (design.items - 1) * np.arange(design.negatives + 1) / design.negatives
        # Between two whole ranks the measure is read off the line through both.
        return UNBIASED if linear else "rank", np.interp(rank, np.arange(1, design.items + 1), exact)
    weighed, gamma = chance * groups.share[:, None], design.gamma
    # Least squares over ranks of squared bias plus gamma times the variance (Krichene & Rendle 2020, equation 24).
    inner = (1 - gamma) * (chance.T @ weighed) + gamma * np.diag(weighed.sum(axis=0))
    solved: Floats = np.linalg.solve(inner, weighed.T @ groups.mean(exact)).astype(np.float64)
    return f"bias-variance, gamma={gamma:g}", solved


@dataclass(frozen=True, slots=True)
class _Groups:
    """All ranks of a catalogue, high ones in groups of about equal ranks."""

    first: Ints
    """(g,) the first rank of each group."""
    rank: Ints
    """(g,) the rank in its middle."""
    share: Floats
    """(g,) the share of all ranks that it holds."""

    @classmethod
    def of(cls, first: Ints, items: int) -> _Groups:
        size = np.diff(first, append=items + 1)
        return cls(first, first + (size - 1) // 2, size / items)

    @classmethod
    def fine(cls, items: int) -> _Groups:
        """Every rank up to a limit, groups of 1/2000 of their size behind it."""
        first = np.arange(1, min(items, SINGLE_RANKS) + 1)
        if items > SINGLE_RANKS:
            steps = int(np.ceil(np.log(items / SINGLE_RANKS) * SINGLE_RANKS))
            first = np.concatenate([first, _spaced(np.geomspace(SINGLE_RANKS + 1, items, steps + 1))])
        return cls.of(first, items)

    @classmethod
    def coarse(cls, items: int) -> _Groups:
        """Some hundred groups, small ones where ranks are low."""
        return cls.of(_spaced(np.concatenate([np.geomspace(1, items, 500), np.linspace(1, items, 300)])), items)

    def mean(self, by_rank: Floats) -> Floats:
        """(g,) the mean of a measure over the ranks of each group."""
        total = np.add.reduceat(by_rank, self.first - 1)
        return total / np.diff(self.first, append=len(by_rank) + 1)


def _spaced(ranks: Floats) -> Ints:
    return np.unique(ranks.astype(np.int64))


def _chances(rank: Ints, design: _Design) -> Floats:
    """(r, m + 1) the chance that 0, 1, ... m of the negatives stand above an item of each exact rank."""
    negatives, others = design.negatives, design.items - 1
    number = np.arange(negatives + 1)[None, :]
    before = rank[:, None] - 1
    if design.draw == "with replacement":
        return np.asarray(stats.binom.pmf(number, negatives, before / others))
    # The hypergeometric distribution; scipy's own takes a minute for ten thousand ranks.
    logs = _log_choose(before, number) + _log_choose(others - before, negatives - number)
    chance = np.exp(logs - _log_choose(np.array(others), np.array(negatives)))
    return np.asarray(chance / chance.sum(axis=1, keepdims=True))


def _log_choose(total: Ints, chosen: Ints) -> Floats:
    """The logarithm of the number of ways to choose; -inf where there is none."""
    ways = special.gammaln(total + 1.0) - special.gammaln(chosen + 1.0) - special.gammaln(total - chosen + 1.0)
    return np.asarray(ways)


def _by_rank(measure: RankedMeasure, size: int) -> Floats:
    """(size,) the measure's value when the one relevant item of a list of that size stands at rank 1, 2, ..."""
    number = np.arange(size)
    ones, yes, none = np.ones(size), np.ones(size, np.bool_), np.zeros(size, np.int64)
    placements = Placements(
        returned=np.full(size, size), in_run=yes, is_judged=yes, best_offsets=np.arange(size + 1), best=ones,
        query=number, grade=ones, above=number, tied=none + 1, higher_id=none, earlier=none, score=ones,
    )  # fmt: skip
    parts = parts_of(measure, Views(placements).of(measure))
    return values_of(parts, measure(empty="zero", miss="zero", blank="counted", digits=None), placements).value


def _over_ties(by_above: Floats, above: Ints, tied: Ints) -> Floats:
    """(queries,) the value of each query, averaged over the places inside its tie."""
    total = np.concatenate([[0.0], np.cumsum(by_above)])
    spread = (total[above + tied + 1] - total[above]) / (tied + 1)
    return np.where(tied > 0, spread, by_above[above])


def _interval_of_mean(value: Floats, level: float) -> Interval | None:
    values = Values(value, np.ones(len(value), np.bool_), value, np.ones(len(value)))
    if why_none(values, "mean") or np.ptp(value) == 0:  # estimates, and no shares where they happen to be 1
        return None
    return interval_of(values, "mean", level=level, method="t", resamples=FEWEST_RESAMPLES, seed=0)


def _possible(
    exact: Floats, groups: _Groups, chance: Floats, counts: tuple[Ints, Ints], level: float
) -> tuple[float, float]:
    """The lowest and the highest exact value that the sampled ranks leave possible.

    Unknown is the share of each exact rank; known is how often at most j negatives were above, for every j, within the
    band of Dvoretzky, Kiefer, Wolfowitz and Massart. Both ends are linear programs.
    """
    above, tied = counts
    band = np.sqrt(np.log(2 / (1 - level)) / (2 * len(above)))
    number = np.arange(chance.shape[1])
    best, worst = (
        np.searchsorted(np.sort(higher), number, side="right") / len(higher) for higher in (above, above + tied)
    )
    within = chance.cumsum(axis=1)[:, :-1].T
    ends = []
    for sign, extreme in ((1, np.minimum), (-1, np.maximum)):
        solved = optimize.linprog(
            sign * extreme.reduceat(exact, groups.first - 1),
            A_ub=np.vstack([within, -within]),
            b_ub=np.concatenate([best[:-1] + band, band - worst[:-1]]),
            A_eq=np.ones((1, len(groups.first))),
            b_eq=[1.0],
            method="highs",
        )
        if solved.status != 0:
            raise InputError.of("protocol.unlikely_ranks", reason=solved.message)
        ends.append(float(sign * solved.fun))
    return ends[0], ends[1]


def _negatives_above(positive: Any, negatives: Any) -> tuple[Ints, Ints, int]:
    """How many negatives score above each positive, how many the same, and how many there are.

    Counted where the scores are.
    """
    if not (hasattr(positive, "detach") and hasattr(negatives, "detach")):
        positive, negatives = _floats(positive, "positive"), _floats(negatives, "negatives")
    if positive.ndim != 1 or negatives.ndim != 2 or len(positive) != len(negatives) or 0 in negatives.shape:
        raise InputError.of(
            "protocol.sample_shapes", shape=str(tuple(positive.shape)), other=str(tuple(negatives.shape))
        )
    wanted = positive[:, None]
    if bool((wanted != wanted).any()) or bool((negatives != negatives).any()):  # noqa: PLR0124  (true of NaN alone)
        raise InputError.of("protocol.score_nan")
    return _numbers((negatives > wanted).sum(1)), _numbers((negatives == wanted).sum(1)), negatives.shape[1]


def _floats(values: Any, name: str) -> Floats:
    """Numbers, in rows of one length, as an array."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
    try:
        given = np.asarray(values)
        if given.dtype.kind in "biufO":
            return given.astype(np.float64)
        reason = str(given.dtype)
    except (TypeError, ValueError, OverflowError) as error:
        reason = reason_of(error)
    lengths = {len(row) for row in values if hasattr(row, "__len__")} if isinstance(values, (list, tuple)) else set()
    if len(lengths) > 1:
        raise InputError.of("protocol.ragged_numbers", name=name, shortest=min(lengths), longest=max(lengths))
    raise InputError.of("protocol.no_numbers", name=name, reason=reason)


def _numbers(counts: Any) -> Ints:
    numbers: Ints = counts.cpu().numpy() if hasattr(counts, "cpu") else counts
    return numbers


def _measures(measures: object) -> Iterator[RankedMeasure]:
    for measure in into_measures(measures):
        usable = isinstance(measure, RankedMeasure) and not measure.places_judged and measure.unjudged == "nonrelevant"
        if not isinstance(measure, RankedMeasure) or not usable or measure.aggregate != "mean":
            raise MeasureError.of("protocol.not_estimable", measure=measure)
        yield measure
