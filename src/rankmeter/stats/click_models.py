"""Click models that are fitted, by expectation maximisation: position-based (PBM) and dynamic Bayesian (DBN).

PBM (Craswell et al. 2008): a click is examination of the position times attraction of the item. Only products are
identified, so examination is divided by that of the first position. DBN (Chapelle & Zhang 2009): a user looks from the
top; clicks what attracts; a click satisfies and ends the list, or not; who is not satisfied goes on with the chance
``continuation``. Chuklin, Markov & de Rijke 2015 describe both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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
