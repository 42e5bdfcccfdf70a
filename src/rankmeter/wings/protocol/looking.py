"""The protocol of two parts that somebody else made, as far as they tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankmeter.late import pl
from rankmeter.wings.protocol.chance import of_rows
from rankmeter.wings.protocol.interactions import Interactions, Origins, read_interactions
from rankmeter.wings.protocol.leaks import Leaks, leaks_of
from rankmeter.wings.protocol.splitting import distinct, part_counts
from rankmeter.wings.protocol.statement import FoldFacts, Protocol
from rankmeter.wings.protocol.user_order import TEST, TRAIN

SHARED = ("user", "item", "time", "rating")


def protocol_of(train: object, test: object, *, columns: Mapping[str, str] | None = None) -> Protocol:
    """What two parts say of how they were made: the strategy that they are consistent with, and what leaks.

    Parameters
    ----------
    train, test
        Interactions, as for :func:`rankmeter.split`.
    columns
        Columns of unusual names, as for :func:`rankmeter.split`.

    Examples
    --------
    >>> import rankmeter as rm
    >>> train = {"user": [1, 1, 2], "item": ["a", "b", "a"], "time": [1, 2, 5]}
    >>> rm.protocol_of(train, {"user": [1, 2], "item": ["c", "b"], "time": [3, 6]}).how
    'inferred(last_n(1))'
    """
    parts = [read_interactions(data, columns=columns)[1] for data in (train, test)]
    roles = [role for role in SHARED if all(role in part.columns for part in parts)]
    frames = [_renamed(part, roles) for part in parts]
    if frames[0].schema != frames[1].schema:
        frames = [frame.with_columns(pl.col(roles).cast(pl.String)) for frame in frames]
    table, _ = read_interactions(pl.concat(frames))
    labels = np.repeat(np.array([TRAIN, TEST], np.uint8), [len(frame) for frame in frames])
    keys = of_rows(table, 0).view(np.uint64)
    leaks, counts = leaks_of(table, labels), part_counts(table, labels, keys)
    guess, facts = _guess(table, labels == TEST, leaks)
    return Protocol(
        how=f"inferred({guess})", validation=None, before=(), ties="item", whole=None, seed=0, rows=len(table),
        users=distinct(table.user), items=distinct(table.item), folds=(FoldFacts(counts, (), leaks),),
        facts={**facts, **_least(table)}, inputs={name: counts[name].digest for name in ("train", "test")},
    )  # fmt: skip


def _renamed(part: Origins, roles: list[str]) -> pl.DataFrame:
    return part.frame.lazy().select(pl.col(part.columns[role]).alias(role) for role in roles).collect()


def _guess(table: Interactions, is_test: Any, leaks: Leaks) -> tuple[str, dict[str, Any]]:
    """The strategy that would give such parts, and what it says."""
    sizes = np.bincount(table.user.codes[is_test], minlength=table.user.count)
    there = np.unique(sizes[sizes > 0])
    each = int(there[0]) if len(there) == 1 else 0
    if table.time is None:
        return (f"random_n({each})", {"each": each}) if each else ("", {})
    if leaks.global_past == 0:
        shown = table.known_clock.shown(int(table.times[is_test].min()))
        return f"time({shown})", {"at": shown}
    kind = "random" if leaks.own_past else "last"
    return (f"{kind}_n({each})", {"each": each}) if each else (f"{kind}_share", {})


def _least(table: Interactions) -> dict[str, int]:
    """The fewest rows that any user and any item has: what a core of them is at the most."""
    counts = (np.bincount(ids.codes) for ids in (table.user, table.item))
    user, item = (int(count[count > 0].min()) for count in counts)
    return {"least_user": user, "least_item": item}
