"""Click models that are fitted, by expectation maximisation: position-based (PBM) and dynamic Bayesian (DBN).

PBM (Craswell et al. 2008): a click is examination of the position times attraction of the item. Only products are
identified, so examination is divided by that of the first position. DBN (Chapelle & Zhang 2009): a user looks from the
top; clicks what attracts; a click satisfies and ends the list, or not; who is not satisfied goes on with the chance
``continuation``. Chuklin, Markov & de Rijke 2015 describe both.

Rates of few clicks are drawn towards those of the others: clicks over what was examined are Poisson and rates vary as
Gamma(shape, 1 / strength), clicks of a number of showings are binomial and rates vary as Beta; the prior that makes the
counts most likely is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankmeter.late import optimize, special
from rankmeter.placing.placements import Bools, Floats, Ints

TOLERANCE = 1e-8
ROUNDS = 20_000


@dataclass(frozen=True, slots=True)
class PositionBased:
    """A fitted PBM."""

    attraction: Floats
    """(pairs,) of each pair of query and item, as a click at the first position."""
    examination: Floats
    """(positions,) relative to the first."""
    log_likelihood: float


def position_based(pair: Ints, position: Ints, shown: Floats, clicked: Floats) -> PositionBased:
    """Fit a PBM to counts: how often each pair (from 0) was shown and clicked at each position (from 0)."""
    pairs, positions = int(pair.max()) + 1, int(position.max()) + 1
    attraction, examination = np.full(pairs, 0.5), np.full(positions, 0.5)
    by_pair = np.maximum(np.bincount(pair, shown, pairs), 1e-300)
    by_position = np.maximum(np.bincount(position, shown, positions), 1e-300)
    missed = shown - clicked
    for _ in range(ROUNDS):
        own, looked = attraction[pair], examination[position]
        neither = np.maximum(1 - own * looked, 1e-300)
        # Of what was not clicked: attractive and not looked at, looked at and not attractive.
        attracts = clicked + missed * own * (1 - looked) / neither
        looks = clicked + missed * looked * (1 - own) / neither
        new = np.bincount(pair, attracts, pairs) / by_pair, np.bincount(position, looks, positions) / by_position
        # What is identified is the product; its factors may drift together.
        moved = np.abs(new[0][pair] * new[1][position] - own * looked).max()
        attraction, examination = new
        if moved < TOLERANCE:
            break
    chance = np.clip(attraction[pair] * examination[position], 1e-300, 1 - 1e-16)
    likelihood = float((clicked * np.log(chance) + missed * np.log1p(-chance)).sum())
    first = examination[0] if examination[0] > 0 else 1.0
    return PositionBased(attraction * first, examination / first, likelihood)


@dataclass(frozen=True, slots=True)
class DynamicBayesian:
    """A fitted DBN."""

    attraction: Floats
    satisfaction: Floats
    """(pairs,) of those who clicked."""
    examined: Floats
    """(pairs,) how often each was looked at, as expected."""
    continuation: float
    log_likelihood: float


def dynamic_bayesian(pair: Ints, clicked: Bools, pairs: int, *, rounds: int = 500) -> DynamicBayesian:
    """Fit a DBN to lists, (lists, places) of pairs from 0, -1 behind the end of a list, and what was clicked."""
    valid = pair >= 0
    code = np.where(valid, pair, 0)
    places = np.arange(pair.shape[1])
    last = np.where(clicked, places, -1).max(1)
    clicks = np.bincount(pair[valid], clicked[valid].astype(float), pairs)
    attraction, satisfaction, continuation = np.full(pairs, 0.5), np.full(pairs, 0.5), 0.9
    before, examined = -np.inf, np.zeros(pairs)
    for _ in range(rounds):
        looked, satisfied, goes_on, could, likelihood = _expected(
            np.where(valid, attraction[code], 0.0), satisfaction[code], continuation, valid, clicked, last
        )
        examined = np.bincount(pair[valid], looked[valid], pairs).astype(float)
        content = np.bincount(pair[valid], satisfied[valid], pairs)
        attraction = np.divide(clicks, examined, out=np.zeros(pairs), where=examined > 0)
        satisfaction = np.divide(content, clicks, out=np.zeros(pairs), where=clicks > 0)
        continuation = float(goes_on / could) if could > 0 else continuation
        if likelihood - before < TOLERANCE * max(abs(likelihood), 1):
            break
        before = likelihood
    return DynamicBayesian(attraction, satisfaction, examined, continuation, likelihood)


def _expected(
    attraction: Floats, satisfaction: Floats, continuation: float, valid: Bools, clicked: Bools, last: Ints
) -> tuple[Floats, Floats, float, float, float]:
    """Where users looked and were satisfied, how often they went on and could have, and the log likelihood.

    Everything down to the last click was looked at; what is behind it is expected, place by place.
    """
    lists, depth = valid.shape
    quiet = np.ones((lists, depth + 1))  # the chance of no further click, where a place is looked at
    for place in range(depth - 1, -1, -1):
        rest = (1 - attraction[:, place]) * (1 - continuation + continuation * quiet[:, place + 1])
        quiet[:, place] = np.where(valid[:, place], rest, 1.0)
    looked, satisfied = np.zeros((lists, depth)), np.zeros((lists, depth))
    goes_on = could = 0.0
    end = np.zeros(lists)  # the log likelihood of what follows the last click
    for place in range(depth):
        here = valid[:, place]
        if place == 0:
            looked[:, 0] = here
        looked[here & (place <= last), place] = 1.0
        next_is = valid[:, place + 1] if place + 1 < depth else np.zeros(lists, np.bool_)
        on = continuation * quiet[:, place + 1]
        stays = 1 - continuation + on
        at_last, before, behind = here & (place == last), here & (place < last), here & (place > last)
        content = satisfaction[:, place]
        total = np.maximum(content + (1 - content) * stays, 1e-300)
        satisfied[:, place] = np.where(at_last, content / total, 0.0)
        end += np.where(at_last, np.log(total), 0.0)
        free = np.select([before, at_last, behind], [1.0, 1 - satisfied[:, place], looked[:, place]], 0.0)
        going = np.where(before, 1.0, free * on / np.maximum(stays, 1e-300))
        if place + 1 < depth:
            looked[:, place + 1] = np.where(next_is & (place + 1 > last), going, looked[:, place + 1])
        goes_on += float((going * (next_is & here)).sum())
        could += float((free * (next_is & here)).sum())
    seen = valid & (np.arange(depth) <= last[:, None])
    chance = np.clip(np.where(clicked, attraction, 1 - attraction), 1e-300, 1)
    went = np.arange(depth) < last[:, None]
    unsatisfied = np.where(went & clicked, np.log(np.clip(1 - satisfaction, 1e-300, 1)), 0.0)
    likelihood = float((np.log(chance) * seen).sum() + unsatisfied.sum() + end.sum())
    likelihood += float(np.log(max(continuation, 1e-300)) * (went & valid).sum())
    likelihood += float(np.log(np.maximum(quiet[last < 0, 0], 1e-300)).sum())
    return looked, satisfied, goes_on, could, likelihood


FEWEST = 20
"""With fewer rates there is too little to tell how much they vary."""


@dataclass(frozen=True, slots=True)
class GammaPrior:
    """How rates vary: Gamma with this shape and this strength (the evidence that the prior is worth)."""

    shape: float
    strength: float

    def mean(self, clicks: Floats, evidence: Floats) -> Floats:
        """The rate of each item after its own clicks."""
        return np.asarray((clicks + self.shape) / (evidence + self.strength))

    def interval(self, clicks: Floats, evidence: Floats, level: float) -> tuple[Floats, Floats]:
        """Between which rates each item is."""
        tail, scale = (1 - level) / 2, 1 / (evidence + self.strength)
        return tuple(special.gammaincinv(clicks + self.shape, end) * scale for end in (tail, 1 - tail))


@dataclass(frozen=True, slots=True)
class BetaPrior:
    """How shares vary: Beta, worth this many clicks and this many showings without one."""

    clicks: float
    misses: float

    def mean(self, clicks: Floats, evidence: Floats) -> Floats:
        """The rate of each item after its own clicks."""
        return np.asarray((clicks + self.clicks) / (evidence + self.clicks + self.misses))

    def interval(self, clicks: Floats, evidence: Floats, level: float) -> tuple[Floats, Floats]:
        """Between which rates each item is."""
        tail, missed = (1 - level) / 2, evidence - clicks + self.misses
        return tuple(special.betaincinv(clicks + self.clicks, missed, end) for end in (tail, 1 - tail))


Prior = GammaPrior | BetaPrior


def has_enough(clicks: Floats) -> bool:
    """Whether a prior can be told from these counts: there are enough of them, and a click."""
    return len(clicks) >= FEWEST and clicks.sum() > 0


def gamma_prior(clicks: Floats, evidence: Floats) -> GammaPrior | None:
    """The prior under which the counts are most likely; None where it is stronger than all evidence together."""

    def likely(shape: float, strength: float) -> Floats:
        terms = special.gammaln(clicks + shape) - special.gammaln(shape) + shape * np.log(strength)
        return np.asarray(terms - (clicks + shape) * np.log(evidence + strength))

    mean = float(np.mean(evidence))
    shape, strength = _most_likely(likely, clicks.sum() / evidence.sum() * mean, mean)
    return GammaPrior(shape, strength) if strength <= evidence.sum() else None


def beta_prior(clicks: Floats, shown: Floats) -> BetaPrior | None:
    """The prior under which shares of clicks among showings are most likely; None as for :func:`gamma_prior`."""

    def likely(yes: float, no: float) -> Floats:
        return np.asarray(special.betaln(clicks + yes, shown - clicks + no) - special.betaln(yes, no))

    common, mean = clicks.sum() / shown.sum(), float(np.mean(shown))
    yes, no = _most_likely(likely, max(common * mean, 1e-3), max((1 - common) * mean, 1e-3))
    return BetaPrior(yes, no) if yes + no <= shown.sum() else None


def _most_likely(likely: Callable[[float, float], Floats], *start: float) -> tuple[float, float]:
    """The two numbers above 0 under which the counts are most likely, from the logarithm of how likely each is."""
    options = {"xatol": 1e-8, "fatol": 1e-10, "maxiter": 4000}
    with np.errstate(all="ignore"):
        best = optimize.minimize(
            lambda logs: -float(likely(*np.exp(logs)).sum()), np.log(start), method="Nelder-Mead", options=options
        )
        first, second = np.exp(best.x)
    return float(first), float(second)


def garwood(clicks: Floats, evidence: Floats, level: float) -> tuple[Floats, Floats]:
    """The exact interval of a Poisson rate; it covers at least as often as it promises."""
    tail = (1 - level) / 2
    low = np.where(clicks > 0, special.gammaincinv(clicks, tail), 0.0) / evidence
    high = special.gammaincinv(clicks + 1, 1 - tail) / evidence
    return np.nan_to_num(low), high


def clopper_pearson(clicks: Floats, shown: Floats, level: float) -> tuple[Floats, Floats]:
    """The exact interval of a share; it covers at least as often as it promises."""
    tail = (1 - level) / 2
    low = np.where(clicks > 0, special.betaincinv(clicks, shown - clicks + 1, tail), 0.0)
    high = np.where(clicks < shown, special.betaincinv(clicks + 1, shown - clicks, 1 - tail), 1.0)
    return np.nan_to_num(low), np.nan_to_num(high, nan=1.0)
