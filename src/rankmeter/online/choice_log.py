"""A log of choices as a table: for each choice what it earned, and how likely both policies were to make it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

from rankmeter.errors import InputError, check_choice
from rankmeter.inputs.attributes import find_roles
from rankmeter.late import pl
from rankmeter.online.counterfactual import SLATE_MODELS, SlateModel, off_policy, off_policy_slates
from rankmeter.online.events import open_table
from rankmeter.online.policies import OffPolicy
from rankmeter.online.settings import check_names
from rankmeter.wording import said

LogModel = Literal["single", "item-position", "cascade", "standard"]
LOG_MODELS: tuple[LogModel, ...] = get_args(LogModel)
NUMBERS = ("reward", "logged", "target", "predicted", "expected")
_NAMES = {
    "reward": ("reward", "click", "clicked", "rewards"),
    "logged": ("logged", "propensity", "propensity_score", "p_log", "pscore"),
    "target": ("target", "p_target", "evaluation_probability", "p_eval"),
    "predicted": ("predicted",),
    "expected": ("expected",),
    "user": ("user", "user_id"),
    "request": ("request", "request_id", "slate", "slate_id"),
    "position": ("position", "rank", "slot"),
}


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
    if model == "single":
        given: dict[str, Any] = {name: table[name].to_numpy() for name in NUMBERS if name in table.columns}
        users = table["user"].to_numpy() if "user" in table.columns else None
        return off_policy(given.pop("reward"), given.pop("logged"), given.pop("target"), **given, clip=clip,
                          switch=switch, shrink=shrink, users=users, level=level)  # fmt: skip
    if switch is not None or shrink is not None:
        raise InputError.of("online.choice_single", model=model)
    return _slates(table, model, clip, level)


def _slates(table: pl.DataFrame, model: SlateModel, clip: float | None, level: float) -> OffPolicy:
    table = table.sort("request", "position", maintain_order=True)
    sizes = table.group_by("request").agg(pl.len(), pl.col("position").n_unique().alias("places"))
    lengths = sorted(sizes["len"].unique().to_list())
    if len(lengths) > 1:
        raise InputError.of("online.slate_lengths", lengths=lengths[0], lengths_2=lengths[-1])
    if sizes.filter(pl.col("len") != pl.col("places")).height:
        raise InputError.of("online.slate_position_twice")
    given: dict[str, Any] = {n: table[n].to_numpy().reshape(-1, lengths[0]) for n in NUMBERS if n in table.columns}
    users = table["user"].to_numpy()[:: lengths[0]] if "user" in table.columns else None
    return off_policy_slates(given.pop("reward"), given.pop("logged"), given.pop("target"), model=model, **given,
                             clip=clip, users=users, level=level)  # fmt: skip


def _chosen(table: pl.DataFrame, named: Mapping[str, str], model: LogModel) -> pl.DataFrame:
    """The columns that are needed, under the names of their roles, the numbers as numbers."""
    needed = ("reward", "logged", "target", *(("request", "position") if model in SLATE_MODELS else ()))
    columns = find_roles(table.columns, _NAMES, named, said("online.the_log"), needed=needed)
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
