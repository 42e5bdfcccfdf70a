"""What of a test part was already told by train, or could not be known: each with its count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankmeter.frozen import dataclass
from rankmeter.placing.placements import Bools, Ints
from rankmeter.wings.protocol.interactions import Interactions
from rankmeter.wings.protocol.steps import cold_items, cold_users, not_seen
from rankmeter.wings.protocol.user_order import TEST, TRAIN, Labels
from rankmeter.wording import Said, kinds, said

KINDS = ("pairs", "own_past", "global_past", "cold_users", "cold_items")
_LEAKING = kinds("leak_{}", KINDS)


@dataclass(frozen=True, slots=True)
class Leaks:
    """Counts of rows of test beside train; None where there are no times."""

    rows: int
    """Rows of test."""
    pairs: int
    """Rows whose user and item are together in train too."""
    own_past: int | None
    """Rows before their user's last row in train."""
    global_past: int | None
    """Rows before the last row of train."""
    cold_users: int
    """Rows of users who are not in train."""
    cold_items: int
    """Rows of items that are not in train."""

    @property
    def found(self) -> dict[str, int]:
        """The counts above 0, by kind."""
        return {kind: count for kind in KINDS if (count := getattr(self, kind))}

    def sentences(self) -> list[Said]:
        """What was found, with what each does to the number."""
        return [said(_LEAKING[kind], count=count, rows=self.rows) for kind, count in self.found.items()]

    def to_dict(self) -> dict[str, Any]:
        """The counts by name."""
        return {"rows": self.rows, **{kind: getattr(self, kind) for kind in KINDS}}

    @staticmethod
    def from_dict(counts: Mapping[str, Any]) -> Leaks:
        """The leaks that :meth:`to_dict` wrote."""
        return Leaks(**{name: counts[name] for name in ("rows", *KINDS)})


def leaks_of(table: Interactions, labels: Labels) -> Leaks:
    """What leaks from train into test."""
    train, rows = np.flatnonzero(labels == TRAIN), np.flatnonzero(labels == TEST)

    def lacking(known: Bools) -> int:
        return len(rows) - int(np.count_nonzero(known))

    own, everywhere = (None, None) if table.time is None else _earlier(table, table.time, train, rows)
    return Leaks(
        rows=len(rows),
        pairs=lacking(not_seen(table, train, rows)),
        own_past=own,
        global_past=everywhere,
        cold_users=lacking(cold_users(table, train, rows)),
        cold_items=lacking(cold_items(table, train, rows)),
    )


def _earlier(table: Interactions, time: Ints, train: Ints, rows: Ints) -> tuple[int, int]:
    """How many rows are before the last train row of their user, and of all."""
    last = np.full(table.user.count, np.iinfo(np.int64).min)
    np.maximum.at(last, table.user.codes[train], time[train])
    own = int(np.count_nonzero(time[rows] < last[table.user.codes[rows]]))
    return own, int(np.count_nonzero(time[rows] < last.max(initial=np.iinfo(np.int64).min)))
