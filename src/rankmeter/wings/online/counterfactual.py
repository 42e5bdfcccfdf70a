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
chance would look like more than it is. Where weights are heavy, intervals come from a bound that holds whatever the
weights are (`weight_bounds`); they are wider. No winner is named where few rows carry the weight, or where the mean
weight is not 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError, check_choice, check_level, check_positive, examples, reason_of
from rankmeter.inputs.attributes import find_roles
from rankmeter.late import pl
from rankmeter.placing.placements import Floats
from rankmeter.wings.online.estimates import Estimate, of_variance
from rankmeter.wings.online.event_columns import check_names
from rankmeter.wings.online.events import open_table
from rankmeter.wings.online.policies import OffPolicy, Weights
from rankmeter.wings.online.weight_bounds import value_bounds
from rankmeter.wording import said

ORDER = ("IPS", "clipped IPS", "SNIPS", "pseudo-inverse", "DM", "DR", "SNDR", "switch DR", "shrunk DR")
"""In which estimators are shown."""
BIASED = ("clipped IPS", "DM", "switch DR", "shrunk DR")
"""Those that trade bias for variance."""
SlateModel = Literal["item-position", "cascade", "standard"]
SLATE_MODELS: tuple[SlateModel, ...] = get_args(SlateModel)
LogModel = Literal["single", "item-position", "cascade", "standard"]
LOG_MODELS: tuple[LogModel, ...] = get_args(LogModel)
NUMBERS = ("reward", "logged", "target", "predicted", "expected")
_COLUMNS = {
    "reward": ("reward", "click", "clicked", "rewards"),
    "logged": ("logged", "propensity", "propensity_score", "p_log", "pscore"),
    "target": ("target", "p_target", "evaluation_probability", "p_eval"),
    "predicted": ("predicted",),
    "expected": ("expected",),
    "user": ("user", "user_id"),
    "request": ("request", "request_id", "slate", "slate_id"),
    "position": ("position", "rank", "slot"),
}

Mean = tuple[float, Floats]
"""An estimate, and what each row adds to its error."""


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
    given = (rewards, logged, target, predicted, expected)
    return _estimated("single", given, users, level, unsupported, clip=clip, switch=switch, shrink=shrink)


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
    return _estimated(model, (rewards, logged, target, predicted, expected), users, level, unsupported, clip=clip)


def off_policy_log(
    source: object,
    *,
    model: LogModel = "single",
    columns: Mapping[str, str] | None = None,
    clip: float | None = None,
    switch: float | None = None,
    shrink: float | None = None,
    level: float = 0.95,
) -> OffPolicy:
    """Estimate the value of a policy from a table of what another one did.

    Parameters
    ----------
    source
        A frame, records or a file with a row per choice: ``reward``, ``logged`` (the probability with which it was
        made) and ``target`` (with which the new policy would have made it); where there is a model of rewards
        ``predicted`` and ``expected``; ``user`` where rows of one user depend on each other. For slates a row per
        position, with ``request`` and ``position``.
    model
        ``single`` for one choice a row, or how users are taken to read a slate: ``item-position``, ``cascade`` or
        ``standard``. All slates are equally long.
    columns
        Where columns have other names: ``{"logged": "propensity"}``.
    clip, switch, shrink, level
        As for :func:`rankmeter.online.off_policy`; switch and shrink for single choices only.

    Examples
    --------
    >>> from rankmeter.online import off_policy_log
    >>> rows = zip([1, 0, 1, 1, 0], [0.5, 0.25, 0.25, 0.2, 0.5], [0.2, 0.8, 0.4, 0.5, 0.6])
    >>> log = [{"reward": r, "logged": p, "target": t} for r, p, t in rows]
    >>> round(off_policy_log(log)["SNIPS"], 4)
    0.5056
    """
    check_choice("model", model, LOG_MODELS)
    named = check_names("columns", columns, 'columns={"logged": "propensity"}')
    table = _chosen(open_table(source, said("online.log_of_choices")), named, model)
    size = 1
    if model != "single":
        if switch is not None or shrink is not None:
            raise InputError.of("online.choice_single", model=model)
        table = table.sort("request", "position", maintain_order=True)
        sizes = table.group_by("request").agg(pl.len(), pl.col("position").n_unique().alias("places"))
        size, longest = sizes["len"].min(), sizes["len"].max()  # type: ignore[assignment]
        if size != longest:
            raise InputError.of("online.slate_lengths", lengths=size, lengths_2=longest)
        if sizes.filter(pl.col("len") != pl.col("places")).height:
            raise InputError.of("online.slate_position_twice")
    shape = (-1,) if model == "single" else (-1, size)
    given: list[Any] = [table[name].to_numpy().reshape(shape) if name in table.columns else None for name in NUMBERS]
    users = table["user"].to_numpy()[::size] if "user" in table.columns else None
    return _estimated(model, given, users, level, clip=clip, switch=switch, shrink=shrink)


def _chosen(table: pl.DataFrame, named: Mapping[str, str], model: LogModel) -> pl.DataFrame:
    """The columns that are needed, under the names of their roles, the numbers as numbers."""
    needed = ("reward", "logged", "target", *(("request", "position") if model in SLATE_MODELS else ()))
    columns = find_roles(table.columns, _COLUMNS, named, said("online.the_log"), needed=needed)
    if not table.height:
        raise InputError.of("online.choice_empty")
    chosen = table.select(
        pl.col(column).alias(role) if role in ("user", "request") else
        pl.col(column).cast(pl.Float64, strict=False).alias(role)
        for role, column in columns.items()
    )  # fmt: skip
    for role in chosen.columns:
        empty = chosen[role].null_count()
        if empty and (role in needed or role in ("predicted", "expected", "user")):
            raise InputError.of("online.choice_unreadable", found=columns[role], role=role, empty=empty)
    return chosen


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


def _estimated(
    model: LogModel,
    given: Sequence[Any],
    users: npt.ArrayLike | None,
    level: float,
    unsupported: float | None = None,
    **bounds: float | None,
) -> OffPolicy:
    """Every estimate that the given ones of :data:`NUMBERS` allow; single choices are slates of one position."""
    *log, predicted, expected = given
    slates = _logged(log, 1 if model == "single" else 2)
    for name, bound in bounds.items():
        if bound is not None:
            check_positive(name, bound, 10)
    check_level(level)
    if predicted is not None and expected is None:
        raise InputError.of("online.predicted_alone")
    group = _units(users, len(slates[0]))
    r, p, pi = (column.reshape(len(column), -1) for column in slates)
    ratio = pi / p
    weights, above = _weights_of(model, ratio)
    columns = {"IPS": weights * r}
    if model == "standard":
        # Where the value of a slate is a sum over its slots, its weight may be one too (Swaminathan and others 2017).
        columns["pseudo-inverse"] = ((1 - r.shape[1] + ratio.sum(axis=1)) * r.sum(axis=1))[:, None]
    clip, switch, shrink = (bounds.get(name) for name in ("clip", "switch", "shrink"))
    if clip is not None:
        columns["clipped IPS"] = np.minimum(weights, clip) * r
    missed: Floats | None = None
    if expected is not None:
        if model == "standard":
            raise InputError.of("online.no_reward_model")
        columns["DM"] = v = above * _numbers("expected", expected, like=slates[0]).reshape(r.shape)
        if predicted is not None:
            missed = r - _numbers("predicted", predicted, like=slates[0]).reshape(r.shape)
            kinds = {"DR": weights} | _bounded(weights, switch, shrink)
            columns |= {name: v + bounded * missed for name, bounded in kinds.items()}
    if (switch is not None or shrink is not None) and missed is None:
        raise InputError.of("online.kinds_of_dr")
    estimates = {name: _mean(column.sum(axis=1)) for name, column in columns.items()}
    estimates["SNIPS"] = _self_normalised(weights * r, weights)
    if model == "single" and missed is not None:
        estimates["SNDR"] = _plus(estimates["DM"], _self_normalised(weights * missed, weights))
    earned, state = _mean(r.sum(axis=1)), _weights(weights, unsupported, group)
    gain = _interval(_plus(estimates.get("DR", estimates["SNIPS"]), earned, -1), group, level)
    found = {name: _interval(estimates[name], group, level, is_biased=name in BIASED)
             for name in ORDER if name in estimates}  # fmt: skip
    if state.is_heavy:
        inside = value_bounds(weights, r, group, level, against_logged=False)
        found = {name: _bounded_by(one, inside) for name, one in found.items()}
        gain = _bounded_by(gain, value_bounds(weights, r, group, level, against_logged=True))
    return OffPolicy(
        logged=_interval(earned, group, level),
        gain=gain,
        estimates=found,
        weights=state,
        model="one choice a row" if model == "single" else model,
        clip=clip,
    )  # fmt: skip


def _weights_of(model: LogModel, ratio: Floats) -> tuple[Floats, Floats]:
    """(n, k) the weight of each position, and that of what stands above it."""
    above = np.ones(ratio.shape)
    if model == "cascade":
        weights: Floats = np.cumprod(ratio, axis=1)  # type: ignore[assignment]
        return weights, np.hstack([above[:, :1], weights[:, :-1]])
    if model == "standard":
        return np.repeat(np.prod(ratio, axis=1)[:, None], ratio.shape[1], axis=1), above
    return ratio, above


def _bounded(weights: Floats, switch: float | None, shrink: float | None) -> dict[str, Floats]:
    """The weights of the kinds of DR that are biased."""
    kinds = {}
    if switch is not None:
        kinds["switch DR"] = np.where(weights <= switch, weights, 0.0)
    if shrink is not None:
        kinds["shrunk DR"] = shrink * weights / (weights**2 + shrink)
    return kinds


def _weights(weights: Floats, unsupported: float | None, group: npt.NDArray[np.int64]) -> Weights:
    """The state of weights ``(n, k)``; of several positions the one whose weights are worst decides."""
    mean = float(weights.mean())
    missing = max(0.0, 1 - mean) if unsupported is None else unsupported
    effective = min(effective_sample_size(column) for column in weights.T)
    error = math.sqrt(_interval(_mean(weights.mean(axis=1)), group, 0.95).variance) if group.max() else math.nan
    share = max((float(column.max() / column.sum()) for column in weights.T if column.any()), default=0.0)
    unused = float((weights == 0).mean())
    return Weights(len(weights), effective, float(weights.max()), mean, missing, unused, error, share)


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


def _mean(values: Floats) -> Mean:
    value = float(values.mean())
    return value, (values - value) / len(values)


def _plus(estimate: Mean, other: Mean, times: int = 1) -> Mean:
    """The sum, or with -1 the difference, of two estimates from the same rows."""
    return estimate[0] + times * other[0], estimate[1] + times * other[1]


def _self_normalised(weighted: Floats, weights: Floats) -> Mean:
    """The sum over positions of quotients, each position normalised by its own weights; NaN without any weight."""
    below = weights.sum(axis=0)
    if (below == 0).any():
        return math.nan, np.full(len(weights), math.nan)
    quotients = weighted.sum(axis=0) / below
    return float(quotients.sum()), ((weighted - weights * quotients) / below).sum(axis=1)


def _interval(estimate: Mean, group: npt.NDArray[np.int64], level: float, *, is_biased: bool = False) -> Estimate:
    """Rows of one unit depend on each other, so their errors are added up before they are squared.

    A value that is off by design has no interval: how far chance moves it says nothing of how far it is from the truth.
    """
    (value, influence), units = estimate, int(group.max()) + 1
    lacking = {"biased_by_design": is_biased, "weights_all_0": math.isnan(value), "one_unit_only": units < 2}
    for why in (kind for kind, holds in lacking.items() if holds):
        return Estimate.without_interval(value, level, said(why), units)
    totals = np.bincount(group, influence, minlength=units)
    variance = float((totals**2).sum()) * units / (units - 1)
    return of_variance(value, variance, units, level, said("method_normal"))


def _bounded_by(estimate: Estimate, inside: tuple[float, float] | None) -> Estimate:
    """An estimate with the bound that holds for heavy weights instead of its interval; as it is without one."""
    if math.isnan(estimate.low):
        return estimate
    if inside is None:
        return Estimate.without_interval(estimate.value, estimate.level, said("heavy_without_bound"), estimate.units)
    low, high = min(inside[0], estimate.value), max(inside[1], estimate.value)
    return replace(estimate, low=low, high=high, method=said("method_bound"))


def _numbers(name: str, values: npt.ArrayLike, dimensions: int = 0, *, like: Floats | None = None) -> Floats:
    try:
        array = np.asarray(values, float)
    except (TypeError, ValueError) as error:
        raise InputError.of("online.not_numbers", name=name, why=reason_of(error)) from error
    dimensions = dimensions if like is None else like.ndim
    shape = said("online.row_of_numbers" if dimensions == 1 else "online.table_of_slates")
    if array.ndim != dimensions or not array.size:
        raise InputError.of("online.wrong_dimensions", name=name, shape=str(array.shape), shape_2=shape)
    if like is not None and array.shape != like.shape:
        raise InputError.of("online.other_shape", name=name, shape=str(array.shape), shape_2=str(like.shape))
    if not np.isfinite(array).all():
        raise InputError.of("online.not_finite", name=name, count=np.count_nonzero(~np.isfinite(array)))
    return array


def _logged(given: Sequence[npt.ArrayLike], dimensions: int) -> tuple[Floats, Floats, Floats]:
    """What was logged as numbers of one shape, and probabilities that can be."""
    r, p, pi = (
        _numbers(name, values, dimensions) for name, values in zip(("rewards", "logged", "target"), given, strict=True)
    )
    if not r.shape == p.shape == pi.shape:
        raise InputError.of("online.shapes_differ", shape=str(r.shape), shape_2=str(p.shape), shape_3=str(pi.shape))
    for name, values, wrong in (("logged", p, (p <= 0) | (p > 1)), ("target", pi, (pi < 0) | (pi > 1))):
        if wrong.any():
            shown = examples(values[wrong].tolist())
            raise InputError.of("online.no_probability", name=name, count=np.count_nonzero(wrong), shown=shown)
    return r, p, pi
