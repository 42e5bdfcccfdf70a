"""Where sessions begin and end.

A session is what the log calls one by an id, or what pauses make of the events: a new one begins when ``gap`` or more
has passed since the user's last event. Either kind is cut ``max_length`` or more after its first event, so that none
goes on for ever. Both boundaries belong to the new session: a pause of exactly ``gap`` ends a session.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.placing.segments import changes


@dataclass(frozen=True, slots=True)
class SessionTable:
    """The s sessions of n events."""

    of_event: Ints
    """(n,) the session of each event, from 0; -1 for an event that belongs to none."""
    begins: Ints
    """(s,) the first event of each session."""
    first: Ints
    """(s,) the time of its first event."""
    last: Ints
    """(s,) the time of its last event."""
    events: Ints
    """(s,) how many events it has."""
    cut: int
    """How many sessions begin only because the previous one reached the maximum length."""

    def __len__(self) -> int:
        return len(self.begins)

    @property
    def seconds(self) -> Floats:
        """(s,) how long each lasted, from first to last event."""
        return (self.last - self.first) / 1e6


def sessions_of(
    user: Ints,
    time: Ints,
    active: Bools | None = None,
    *,
    gap: int | None,
    max_length: int | None = None,
    ids: tuple[Any, Bools] | None = None,
) -> SessionTable:
    """Cut events into sessions.

    Parameters
    ----------
    user
        (n,) user codes, sorted.
    time
        (n,) microseconds, sorted within each user.
    active
        (n,) which events count as activity; None for all.
    gap
        The pause, in microseconds, that ends a session without an id; None: events without an id are in no session.
    max_length
        In microseconds.
    ids
        (n,) codes of session ids, and (n,) whether an event has one; ids of different users are different sessions.

    Examples
    --------
    >>> import numpy as np
    >>> user, time = np.zeros(4, np.int64), np.array([0, 1, 2, 9]) * 1_000_000
    >>> sessions_of(user, time, gap=5_000_000).seconds.tolist()
    [2.0, 0.0]
    >>> named = np.array([7, 0, 7, 0], np.uint64)
    >>> sessions_of(user, time, gap=5_000_000, ids=(named, named > 0)).of_event.tolist()
    [2, 0, 2, 1]
    """
    rows = np.arange(len(user)) if active is None else np.flatnonzero(active)
    has_id = np.zeros(len(rows), np.bool_)
    if ids is None:
        begins = changes(user[rows])
    else:
        rows = rows if gap is not None else rows[ids[1][rows]]
        named, has_id = np.where(ids[1][rows], ids[0][rows], np.uint64(0)), ids[1][rows]
        order = np.lexsort((named, has_id, user[rows]))  # stable: time stays in order inside a session
        rows, named, has_id = rows[order], named[order], has_id[order]
        begins = changes(user[rows], named, has_id)
    when = time[rows]
    if gap is not None:
        begins[1:] |= ~has_id[1:] & (when[1:] - when[:-1] >= gap)
    cut = _cut_long(begins, when, max_length) if max_length is not None else 0
    starts = np.flatnonzero(begins)
    ends = np.append(starts[1:], len(rows))[: len(starts)] - 1
    of_event = np.full(len(user), -1, np.int64)
    of_event[rows] = np.cumsum(begins) - 1
    return SessionTable(of_event, rows[starts], when[starts], when[ends], ends - starts + 1, cut)


def _cut_long(begins: Bools, when: Ints, max_length: int) -> int:
    """Begin a new session wherever one has reached its maximum length; how many were begun."""
    starts = np.flatnonzero(begins)
    ends = np.append(starts[1:], len(when))[: len(starts)]
    is_long = when[ends - 1] - when[starts] >= max_length
    cuts = 0
    # Long sessions are rare, so each is cut on its own.
    for start, end in zip(starts[is_long].tolist(), ends[is_long].tolist(), strict=True):
        while (start := start + int(np.searchsorted(when[start:end], when[start] + max_length))) < end:
            begins[start] = True
            cuts += 1
    return cuts
