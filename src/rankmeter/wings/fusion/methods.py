"""What each list contributes to an item, and how contributions become one score."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

import numpy as np

from rankmeter.frozen import dataclass
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.wings.fusion.definition import Fusion
from rankmeter.wings.fusion.learned import MISSING, learned_worth
from rankmeter.wings.fusion.majorities import majority_scores
from rankmeter.wings.fusion.pooling import Pool
from rankmeter.wings.fusion.scales import lowest_of, scaled


@dataclass(frozen=True, slots=True)
class Contributions:
    """What each list has to say about each item, before it is combined."""

    value: Floats
    """(runs, c) a normalised score or what a rank is worth; NaN where the list has nothing to say."""
    held: Bools
    """(runs, c) whether the list holds the item."""
    times: Ints | None = None
    """(runs, c) how often, where a list may hold an item more than once."""


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def contributions(pool: Pool, definition: Fusion) -> Contributions:
    """What each list has to say about each item."""
    shape = (len(pool.runs), len(pool.query))
    value, held = np.full(shape, np.nan), np.zeros(shape, np.bool_)
    for run, lists in enumerate(pool.runs):
        worth = _worth(pool, run, definition)
        held[run, lists.candidate] = True
        if pool.repeated[run]:
            value[run, held[run]] = 0
            np.add.at(value[run], lists.candidate, worth)
        else:
            value[run, lists.candidate] = worth
        absent = ~held[run]
        if definition.how in ("bordafuse", "w_bordafuse"):
            unranked = (pool.count - lists.length + 1) / 2
            value[run, absent] = unranked[pool.query[absent]]
        elif definition.how == "bayesfuse":
            value[run, absent] = MISSING
        elif definition.method.looks_at == "scores":
            if definition.norm_of(run) == "borda":
                unranked = 0.5 - (lists.length - 1) / (2 * pool.count)
                value[run, absent] = unranked[pool.query[absent]]
                held[run] = True
            elif definition.absent == "zero":
                value[run, absent] = 0
            elif definition.absent == "minimum":
                value[run, absent] = lowest_of(lists, worth)[pool.query[absent]]
    return Contributions(value, held)


def _worth(pool: Pool, run: int, definition: Fusion) -> Floats:
    """(m,) what each row of a run is worth, before weights."""
    lists, how = pool.runs[run], definition.how
    if definition.method.trained:
        worth = learned_worth(lists, np.array((definition.learned or ())[run]), definition)
        return worth * (scaled(pool, run, definition) + 1) if how == "segfuse" else worth
    if definition.method.looks_at == "scores":
        return scaled(pool, run, definition)
    rank = lists.rank.astype(np.float64)
    if how == "rrf":
        if definition.weighting == "ranks":
            weight = weights_of(definition, len(pool.runs))[run]
            if weight <= 0:
                return np.zeros(len(rank))
            rank = rank / weight
        return np.asarray(1 / (definition.k + rank - (1 - definition.first)))
    if how in ("isr", "log_isr", "logn_isr"):
        return 1 / rank**2
    if how == "rbc":
        return np.asarray((1 - definition.phi) * definition.phi ** (rank - 1))
    if how in ("bordafuse", "w_bordafuse"):
        return pool.count[lists.query] - rank + 1
    return rank


def weights_of(definition: Fusion, runs: int) -> Floats:
    """The weight of each run, as the definition means it."""
    given = definition.weights
    if given is None:
        is_share = definition.weighting == "shares" or definition.how == "wsum"
        return np.full(runs, 1 / runs if is_share else 1.0)
    weights = np.array(given, np.float64)
    return weights / weights.sum() if definition.weighting == "shares" else weights


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def combined(pool: Pool, said: Contributions, definition: Fusion) -> Floats:
    """(c,) the fused scores."""
    if definition.how in ("condorcet", "w_condorcet"):
        return majority_scores(pool, said.value, said.held, weights_of(definition, len(pool.runs)))
    scores = _COMBINED[definition.how](said, weights_of(definition, len(pool.runs)), definition)
    if definition.scale == "best":
        best = weights_of(definition, len(pool.runs)).sum() / (definition.k + definition.first)
        scores = scores / best
    if definition.precision == "float32":
        scores = scores.astype(np.float32).astype(np.float64)
    return scores


def _summed(values: Floats) -> Floats:
    """Sums over the runs, one after another, so that equal lists give equal sums whatever else is in the pool."""
    return np.asarray(functools.reduce(np.add, values, np.zeros(values.shape[1])))


def _total(said: Contributions) -> Floats:
    return _summed(np.where(np.isnan(said.value), 0.0, said.value))


def _weighted(said: Contributions, weights: Floats, definition: Fusion) -> Floats:
    """The weighted sum of what the lists say."""
    if definition.weighting == "ranks":
        return _total(said)
    products = np.where(np.isnan(said.value), 0.0, said.value) * weights[:, None]
    if definition.digits is not None:
        unit = 10.0**definition.digits
        products = np.floor(products * unit + 0.5) / unit
    return _summed(products)


def _count(said: Contributions) -> Floats:
    """In how many lists each item is."""
    return np.asarray(said.held.sum(axis=0), np.float64)


def _extreme(said: Contributions, function: Callable[..., Floats], nothing: float) -> Floats:
    return np.asarray(function(np.where(np.isnan(said.value), nothing, said.value), axis=0))


def _median(said: Contributions, *_: object) -> Floats:
    """The median over the lists that have something to say."""
    rising = np.sort(said.value, axis=0)  # NaN last
    count = (~np.isnan(rising)).sum(axis=0)
    each = np.arange(rising.shape[1])
    return np.asarray(rising[(count - 1) // 2, each] / 2 + rising[count // 2, each] / 2)


def _weight_of_held(said: Contributions, weights: Floats) -> Floats:
    """(c,) the weights of the lists that have something to say of each item."""
    return _summed(np.where(np.isnan(said.value), 0.0, weights[:, None]))


def _divided(over: Floats, under: Floats) -> Floats:
    return np.divide(over, under, out=np.zeros(len(over)), where=under != 0)


def _geometric(said: Contributions, weights: Floats, *_: object) -> Floats:
    """The weighted geometric mean over the lists whose score is above 0."""
    above = said.value > 0
    logarithms = np.log(np.where(above, said.value, 1.0)) * weights[:, None]
    weight = _summed(np.where(above, weights[:, None], 0.0))
    return np.where(weight != 0, np.exp(_divided(_summed(logarithms), weight)), 0.0)


def _harmonic(said: Contributions, weights: Floats, *_: object) -> Floats:
    """The weighted harmonic mean over the lists whose score is above 0."""
    above = said.value > 0
    inverse = _summed(np.where(above, weights[:, None] / np.where(above, said.value, 1.0), 0.0))
    return _divided(_summed(np.where(above, weights[:, None], 0.0)), inverse)


Combine = Callable[[Contributions, Floats, Fusion], "Floats"]
_COMBINED: Mapping[str, Combine] = {
    "rrf": _weighted,
    "isr": lambda said, weights, d: _count(said) * _weighted(said, weights, d),
    "log_isr": lambda said, *_: np.log(_count(said)) * _total(said),
    "logn_isr": lambda said, _, d: np.log(_count(said) + d.sigma) * _total(said),
    "rbc": _weighted,
    "bordafuse": lambda said, *_: _total(said),
    "w_bordafuse": _weighted,
    "min": lambda said, *_: _extreme(said, np.min, np.inf),
    "max": lambda said, *_: _extreme(said, np.max, -np.inf),
    "med": _median,
    "sum": lambda said, *_: _total(said),
    "anz": lambda said, *_: _total(said) / (~np.isnan(said.value)).sum(axis=0),
    "mnz": lambda said, *_: _total(said) * _count(said),
    "gmnz": lambda said, _, d: _total(said) * _count(said) ** d.gamma,
    "wsum": _weighted,
    "wmnz": lambda said, weights, _: _total(said) * _weight_of_held(said, weights),
    "mixed": lambda said, weights, d: np.sqrt(_count(said)) * _weighted(said, weights, d),
    "arithmetic": lambda said, weights, d: _divided(_weighted(said, weights, d), _weight_of_held(said, weights)),
    "geometric": _geometric,
    "harmonic": _harmonic,
    **dict.fromkeys(
        ("mapfuse", "posfuse", "slidefuse", "probfuse", "segfuse", "bayesfuse"), lambda said, *_: _total(said)
    ),
}
"""How each method combines what the lists say."""
