r"""What would have happened under another policy, from what happened under the one that was logged.

A logged row has a reward :math:`r`, the probability :math:`p` with which the logging policy chose what it chose, and
the probability :math:`\pi` with which the new policy would have chosen it; the weight is :math:`w = \pi / p`. With a
model :math:`\hat q` of the reward, :math:`\hat v` is its expectation under the new policy.

============  ==========================================================
IPS           mean of :math:`w r`
clipped IPS   mean of :math:`\min(w, c) r`: less variance, some bias
SNIPS         :math:`\sum w r / \sum w`
DM            mean of :math:`\hat v`: no variance from weights, all of the model's bias
DR            mean of :math:`\hat v + w (r - \hat q)`
SNDR          the same with the second part divided by the mean weight
switch DR     DR where :math:`w \le t`, the model alone elsewhere
shrunk DR     DR with :math:`\lambda w / (w^2 + \lambda)` for :math:`w` (Su and others 2020)
============  ==========================================================

For slates each position has its own reward. ``item-position`` weighs a position by its own item's weight, ``cascade``
by the product of the weights down to it (the user reads from the top), ``standard`` by the product of all.

Estimators that are biased by design (clipped IPS, DM, switch DR, shrunk DR) have no interval: one that only knows
chance would look like more than it is. No winner is named where few rows carry the weight, or where the mean weight is
not 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError, check_choice, check_level, check_positive, examples, reason_of
from rankmeter.online.policies import OffPolicy, Weights
from rankmeter.placing.placements import Floats
from rankmeter.stats.estimates import Estimate, of_variance
from rankmeter.wording import said

BIASED = ("clipped IPS", "DM", "switch DR", "shrunk DR")
"""Estimators that trade bias for variance."""
SlateModel = Literal["item-position", "cascade", "standard"]
SLATE_MODELS: tuple[SlateModel, ...] = get_args(SlateModel)


def off_policy(
    rewards: npt.ArrayLike,
    logged: npt.ArrayLike,
    target: npt.ArrayLike,
    *,
    predicted: npt.ArrayLike | None = None,
    expected: npt.ArrayLike | None = None,
    clip: float | None = None,
    switch: float | None = None,
    shrink: float | None = None,
    unsupported: float | None = None,
    users: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> OffPolicy:
    """Estimate the value of a policy from the log of another one, one choice a row.

    Parameters
    ----------
    rewards
        (n,) what was earned.
    logged
        (n,) the probability with which the logging policy chose what it chose; above 0.
    target
        (n,) the probability with which the new policy would have chosen the same.
    predicted
        (n,) a model's prediction of the reward of the logged choice.
    expected
        (n,) the model's expected reward under the new policy. With it DM, with both DR and SNDR are given too.
    clip
        The largest weight for clipped IPS.
    switch
        The largest weight for switch DR: above it the model alone speaks.
    shrink
        How little the weights of shrunk DR are shrunk: 0 is DM, infinity is DR.
    unsupported
        The share of what the new policy does that the logging policy never does, where it is known.
    users
        (n,) whose row it is, where rows of one user depend on each other; intervals are then by user.
    level
        Of the intervals.

    Examples
    --------
    >>> from rankmeter.online import off_policy
    >>> found = off_policy([1, 0, 1, 1, 0], [0.5, 0.25, 0.25, 0.2, 0.5], [0.2, 0.8, 0.4, 0.5, 0.6])
    >>> round(found["IPS"], 12), found["SNIPS"]
    (0.9, 0.5056179775280899)
    """
    r, p, pi = _logged(rewards, logged, target, 1)
    weights = pi / p
    columns = {"IPS": weights * r}
    more: dict[str, tuple[float, Floats]] = {}
    _check_bounds(clip=clip, switch=switch, shrink=shrink)
    check_level(level)
    if clip is not None:
        columns["clipped IPS"] = np.minimum(weights, clip) * r
    if expected is not None:
        v = _numbers("expected", expected, 1, like=r)
        columns["DM"] = v
        if predicted is not None:
            missed = r - _numbers("predicted", predicted, 1, like=r)
            columns["DR"] = v + weights * missed
            more["SNDR"] = _added(_mean(v), _self_normalised((weights * missed)[:, None], weights[:, None]))
            if switch is not None:
                columns["switch DR"] = v + np.where(weights <= switch, weights, 0.0) * missed
            if shrink is not None:
                columns["shrunk DR"] = v + shrink * weights / (weights**2 + shrink) * missed
    _check_model(predicted, expected)
    if (switch is not None or shrink is not None) and "DR" not in columns:
        raise InputError.of("online.kinds_of_dr")
    return _estimated(columns, (weights * r)[:, None], weights[:, None], r, users, level, "one choice a row", clip,
                      unsupported, more)  # fmt: skip


def off_policy_slates(
    rewards: npt.ArrayLike,
    logged: npt.ArrayLike,
    target: npt.ArrayLike,
    *,
    model: SlateModel = "item-position",
    predicted: npt.ArrayLike | None = None,
    expected: npt.ArrayLike | None = None,
    clip: float | None = None,
    unsupported: float | None = None,
    users: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> OffPolicy:
    """Estimate the value of a ranking policy from logged slates; the value of a slate is the sum over its positions.

    Parameters
    ----------
    rewards, logged, target
        (n, k) for each position: the reward, and the probabilities of the item there. For ``cascade`` and ``standard``
        these are conditional on the items above.
    model
        How users are taken to read: ``item-position``, ``cascade`` or ``standard``.
    predicted, expected
        (n, k) a model's reward at each position for the logged item, and in expectation under the new policy (given the
        logged items above, for ``cascade``).
    clip, unsupported, users, level
        As for :func:`off_policy`; weights are clipped after they were multiplied.

    Examples
    --------
    >>> from rankmeter.online import off_policy_slates
    >>> r = [[1, 0, 1], [0, 1, 0], [1, 1, 0]]
    >>> p = [[0.5, 0.4, 0.25], [0.2, 0.5, 0.5], [0.5, 0.25, 0.4]]
    >>> pi = [[0.8, 0.2, 0.5], [0.4, 0.5, 0.25], [0.25, 0.5, 0.4]]
    >>> round(off_policy_slates(r, p, pi)["IPS"], 6), round(off_policy_slates(r, p, pi, model="cascade")["IPS"], 6)
    (2.366667, 2.233333)
    """
    check_choice("model", model, SLATE_MODELS)
    r, p, pi = _logged(rewards, logged, target, 2)
    _check_bounds(clip=clip)
    check_level(level)
    single: Any = pi / p
    weights: Any = single
    above = np.ones_like(single)
    if model == "cascade":
        weights = np.cumprod(single, axis=1)
        above = np.hstack([np.ones((len(single), 1)), weights[:, :-1]])
    elif model == "standard":
        weights = np.repeat(np.prod(single, axis=1)[:, None], single.shape[1], axis=1)
    columns = {"IPS": (weights * r).sum(axis=1)}
    if model == "standard":
        # Where the value of a slate is a sum over its slots, its weight may be one too (Swaminathan and others 2017).
        columns["pseudo-inverse"] = (1 - single.shape[1] + single.sum(axis=1)) * r.sum(axis=1)
    if clip is not None:
        columns["clipped IPS"] = (np.minimum(weights, clip) * r).sum(axis=1)
    _check_model(predicted, expected)
    if expected is not None:
        v = _numbers("expected", expected, 2, like=r)
        if model == "standard":
            raise InputError.of("online.no_reward_model")
        columns["DM"] = (above * v).sum(axis=1)
        if predicted is not None:
            q = _numbers("predicted", predicted, 2, like=r)
            columns["DR"] = (above * v + weights * (r - q)).sum(axis=1)
    return _estimated(columns, weights * r, weights, r.sum(axis=1), users, level, model, clip, unsupported)


def effective_sample_size(weights: npt.ArrayLike) -> float:
    """How many equally weighted rows would be as informative (Kish 1965).

    Examples
    --------
    >>> from rankmeter.online import effective_sample_size
    >>> effective_sample_size([1, 1, 1, 1]), effective_sample_size([100, 1, 1, 1])
    (4.0, 1.06...)
    """
    w = np.asarray(weights, float)
    squares = float((w * w).sum())
    return float(w.sum()) ** 2 / squares if squares else 0.0


def _weights(weights: Floats, unsupported: float | None, group: npt.NDArray[np.int64]) -> Weights:
    """The state of weights ``(n, k)``; of several positions the one whose weights are worst decides."""
    mean = float(weights.mean())
    missing = max(0.0, 1 - mean) if unsupported is None else unsupported
    effective = min(effective_sample_size(column) for column in weights.T)
    error = math.sqrt(_interval(*_mean(weights.mean(axis=1)), group, 0.95).variance) if group.max() else math.nan
    return Weights(len(weights), effective, float(weights.max()), mean, missing, float((weights == 0).mean()), error)


def _estimated(
    columns: Mapping[str, Floats],
    weighted: Floats,
    weights: Floats,
    rewards: Floats,
    users: npt.ArrayLike | None,
    level: float,
    model: str,
    clip: float | None,
    unsupported: float | None,
    more: Mapping[str, tuple[float, Floats]] | None = None,
) -> OffPolicy:
    group = _units(users, len(rewards))
    estimates = {name: _mean(column) for name, column in columns.items()} | dict(more or {})
    estimates["SNIPS"] = _self_normalised(weighted, weights)
    logged = _mean(rewards)
    best = estimates.get("DR", estimates["SNIPS"])
    order = ("IPS", "clipped IPS", "SNIPS", "pseudo-inverse", "DM", "DR", "SNDR", "switch DR", "shrunk DR")
    return OffPolicy(
        logged=_interval(*logged, group, level),
        gain=_interval(best[0] - logged[0], best[1] - logged[1], group, level),
        estimates={
            name: _biased(estimates[name][0], group, level)
            if name in BIASED
            else _interval(*estimates[name], group, level)
            for name in order
            if name in estimates
        },
        weights=_weights(weights, unsupported, group),
        model=model,
        clip=clip,
    )


def _units(users: npt.ArrayLike | None, rows: int) -> npt.NDArray[np.int64]:
    if users is None:
        return np.arange(rows)
    named = np.asarray(users)
    if named.shape != (rows,):
        raise InputError.of("online.users_shape", shape=str(named.shape), rows=rows)
    try:
        return np.unique(named, return_inverse=True)[1].astype(np.int64)
    except TypeError as error:  # None among names has no place in their order
        raise InputError.of("online.users_mixed") from error


def _mean(values: Floats) -> tuple[float, Floats]:
    """A mean, and what each row adds to its error."""
    value = float(values.mean())
    return value, (values - value) / len(values)


def _added(estimate: tuple[float, Floats], other: tuple[float, Floats]) -> tuple[float, Floats]:
    """The sum of two estimates from the same rows."""
    return estimate[0] + other[0], estimate[1] + other[1]


def _self_normalised(weighted: Floats, weights: Floats) -> tuple[float, Floats]:
    """The sum over positions of quotients, each position normalised by its own weights; NaN without any weight."""
    below = weights.sum(axis=0)
    if (below == 0).any():
        return math.nan, np.full(len(weights), math.nan)
    quotients = weighted.sum(axis=0) / below
    return float(quotients.sum()), ((weighted - weights * quotients) / below).sum(axis=1)


def _biased(value: float, group: npt.NDArray[np.int64], level: float) -> Estimate:
    """A value that is off by design: how far chance moves it says nothing about how far it is from the truth."""
    why = said("biased_by_design")
    return Estimate.without_interval(value, level, why, int(group.max()) + 1)


def _interval(value: float, influence: Floats, group: npt.NDArray[np.int64], level: float) -> Estimate:
    """Rows of one unit depend on each other, so their errors are added up before they are squared."""
    units = int(group.max()) + 1
    if math.isnan(value):
        why = said("weights_all_0")
        return Estimate.without_interval(value, level, why, units)
    if units < 2:
        why = said("one_unit_only")
        return Estimate.without_interval(value, level, why, units)
    totals = np.bincount(group, influence, minlength=units)
    variance = float((totals**2).sum()) * units / (units - 1)
    return of_variance(value, variance, units, level, said("method_normal"))


def _numbers(name: str, values: npt.ArrayLike, dimensions: int, *, like: Floats | None = None) -> Floats:
    try:
        array = np.asarray(values, float)
    except (TypeError, ValueError) as error:
        raise InputError.of("online.not_numbers", name=name, why=reason_of(error)) from error
    shape = said("online.row_of_numbers" if dimensions == 1 else "online.table_of_slates")
    if array.ndim != dimensions or not array.size:
        raise InputError.of("online.wrong_dimensions", name=name, shape=str(array.shape), shape_2=shape)
    if like is not None and array.shape != like.shape:
        raise InputError.of("online.other_shape", name=name, shape=str(array.shape), shape_2=str(like.shape))
    if not np.isfinite(array).all():
        raise InputError.of("online.not_finite", name=name, count=np.count_nonzero(~np.isfinite(array)))
    return array


def _check_bounds(**bounds: float | None) -> None:
    """Refuse bounds that weights cannot have."""
    for name, bound in bounds.items():
        if bound is not None:
            check_positive(name, bound, 10)


def _check_model(predicted: object, expected: object) -> None:
    """Refuse half a model, which would be left out in silence."""
    if predicted is not None and expected is None:
        raise InputError.of("online.predicted_alone")


def _logged(
    rewards: npt.ArrayLike, logged: npt.ArrayLike, target: npt.ArrayLike, dimensions: int
) -> tuple[Floats, Floats, Floats]:
    """What was logged as numbers of one shape, and probabilities that can be."""
    named = (("rewards", rewards), ("logged", logged), ("target", target))
    r, p, pi = (_numbers(name, values, dimensions) for name, values in named)
    if not r.shape == p.shape == pi.shape:
        raise InputError.of("online.shapes_differ", shape=str(r.shape), shape_2=str(p.shape), shape_3=str(pi.shape))
    for name, values, wrong in (("logged", p, (p <= 0) | (p > 1)), ("target", pi, (pi < 0) | (pi > 1))):
        if wrong.any():
            shown = examples(values[wrong].tolist())
            raise InputError.of("online.no_probability", name=name, count=np.count_nonzero(wrong), shown=shown)
    return r, p, pi
