"""Where sessions begin and end.

A session is what the log calls one by an id, or what pauses make of the events: a new one begins when ``gap`` or more
has passed since the user's last event. Either kind is cut ``max_length`` or more after its first event, so that none
goes on for ever. Both boundaries belong to the new session: a pause of exactly ``gap`` ends a session.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankmeter.placing.placements import Bools, Ints


@dataclass(frozen=True, slots=True)
class SessionTable:
    """The sessions of some events."""

    size: int
    """How many events there are, in sessions or not."""
    rows: Ints | None
    """(m,) the events that are in sessions, session after session; None for all of them in their order."""
    starts: Ints
    """(s,) which of those begin a session."""
    user: Ints
    """(s,) the user of each session."""
    first: Ints
    """(s,) the time of its first event."""
    last: Ints
    """(s,) the time of its last event."""
    events: Ints
    """(s,) how many events it has."""
    cut: int
    """How many sessions were begun only because the one before had reached the maximum length."""

    @property
    def of_event(self) -> Ints:
        """(n,) the session of each event, from 0; -1 for an event that is not activity."""
        sessions = np.full(self.size, -1, np.int64)
        sessions[slice(None) if self.rows is None else self.rows] = np.repeat(np.arange(len(self.starts)), self.events)
        return sessions

    @property
    def begins(self) -> Ints:
        """(s,) the first event of each session."""
        return self.starts if self.rows is None else self.rows[self.starts]

    @property
    def seconds(self) -> npt.NDArray[np.float64]:
        """(s,) how long each lasted, from first to last event."""
        return (self.last - self.first) / 1e6


def sessions_by_gap(user: Ints, time: Ints, active: Bools | None, *, gap: int, max_length: int | None) -> SessionTable:
    """Cut events into sessions by pauses.

    Parameters
    ----------
    user
        (n,) user codes, sorted.
    time
        (n,) microseconds, sorted within each user.
    active
        (n,) which events count as activity; None for all.
    gap, max_length
        Microseconds.

    Examples
    --------
    >>> import numpy as np
    >>> minutes = np.array([0, 4, 34]) * 60_000_000
    >>> table = sessions_by_gap(np.zeros(3, np.int64), minutes, None, gap=30 * 60_000_000, max_length=None)
    >>> table.seconds.tolist()
    [240.0, 0.0]
    """
    rows = None if active is None else np.flatnonzero(active)
    who, when = (user, time) if rows is None else (user[rows], time[rows])
    begins = np.ones(len(who), np.bool_)
    begins[1:] = (who[1:] != who[:-1]) | (when[1:] - when[:-1] >= gap)
    cut = _cut_long(begins, when, max_length) if max_length is not None else 0
    return _table(len(user), rows, begins, who, when, cut)


def _table(size: int, rows: Ints | None, begins: Bools, who: Ints, when: Ints, cut: int) -> SessionTable:
    starts = np.flatnonzero(begins)
    ends = np.append(starts[1:], len(who))[: len(starts)] - 1
    return SessionTable(size, rows, starts, who[starts], when[starts], when[ends], ends - starts + 1, cut)


def _cut_long(begins: Bools, when: Ints, max_length: int) -> int:
    """Begin a new session wherever one has reached its maximum length; how many were begun."""
    starts = np.flatnonzero(begins)
    ends = np.append(starts[1:], len(when))
    made = 0
    # Long sessions are rare, so each is cut on its own.
    for start, end in zip(*_long(starts, ends, when, max_length), strict=True):
        while True:
            start = start + int(np.searchsorted(when[start:end], when[start] + max_length))
            if start >= end:
                break
            begins[start] = True
            made += 1
    return made


def _long(starts: Ints, ends: Ints, when: Ints, max_length: int) -> tuple[list[int], list[int]]:
    if not len(starts):
        return [], []
    is_long = when[ends - 1] - when[starts] >= max_length
    return starts[is_long].tolist(), ends[is_long].tolist()


def sessions_by_id(
    user: Ints,
    time: Ints,
    session: npt.NDArray[np.uint64],
    known: Bools,
    active: Bools | None,
    *,
    gap: int | None,
    max_length: int | None,
) -> SessionTable:
    """Group events by the session id that the log gives; ids of different users are different sessions.

    Parameters
    ----------
    user, time, active, max_length
        As for :func:`sessions_by_gap`.
    session
        (n,) codes of session ids.
    known
        (n,) whether the event has a session id.
    gap
        Those without an id are cut into sessions of their own by pauses of so long; with None they are in no session.

    Examples
    --------
    >>> import numpy as np
    >>> user, time, named = np.zeros(4, np.int64), np.array([0, 1, 2, 9]) * 1_000_000, np.array([7, 0, 7, 0], np.uint64)
    >>> table = sessions_by_id(user, time, named, named > 0, None, gap=5_000_000, max_length=None)
    >>> table.of_event.tolist()
    [2, 0, 2, 1]
    """
    kept = known if gap is None else np.ones(len(user), np.bool_)
    rows = np.flatnonzero(kept if active is None else kept & active)
    who, when, has_id = user[rows], time[rows], known[rows]
    named = np.where(has_id, session[rows], np.uint64(0))
    order = np.lexsort((named, has_id, who))  # stable: time stays in order inside a session
    who, when, named, has_id = who[order], when[order], named[order], has_id[order]
    begins = np.ones(len(rows), np.bool_)
    begins[1:] = (who[1:] != who[:-1]) | (named[1:] != named[:-1]) | (has_id[1:] != has_id[:-1])
    if gap is not None:
        begins[1:] |= ~has_id[1:] & (when[1:] - when[:-1] >= gap)
    cut = _cut_long(begins, when, max_length) if max_length is not None else 0
    return _table(len(user), rows[order], begins, who, when, cut)
