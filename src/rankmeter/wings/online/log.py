"""The events of some whole users, in order of time: who repeated what, which click had its impression, which session.

Everything here is arrays over the events of one partition, sorted by user and time. Facts that are wrong or odd are
counted in ``found``; what is done about each is the rule that :data:`.log_evaluation.FINDINGS` names.

A session is what the log calls one by an id, or what pauses make of the events: a new one begins when ``gap`` or more
has passed since the user's last event. Either kind is cut ``max_length`` or more after its first event, so that none
goes on for ever. Both boundaries belong to the new session: a pause of exactly ``gap`` ends a session.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.late import pl
from rankmeter.placing.matching import mixed_hashes
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.placing.segments import row_changes
from rankmeter.wings.online.alike_events import by_user_and_time, companions, numbered, seen_before
from rankmeter.wings.online.event_columns import HOUR
from rankmeter.wings.online.events import CLICK, CONVERSION, IMPRESSION
from rankmeter.wings.online.measures import SessionMeasure
from rankmeter.wings.online.partitions import FLAGS, Columns, Seen

MOMENTS_PER_HOUR = 1_000
"""A user with more distinct moments of activity than this in one clock hour is a suspected bot."""


@dataclass(frozen=True, slots=True)
class Exposures:
    """Impressions and clicks, paired by what was shown: an item in a request of a user."""

    first_impression: Bools
    """(n,) the first impression of its item in its request."""
    first_click: Bools
    """(n,) the first click on its item in its request."""
    orphan: Bools
    """(n,) a click on something of which no impression was logged."""
    position: npt.NDArray[np.int32]
    """(n,) where it stood; a click stands where its impression stood. 0 where that is not known."""


class Picked:
    """Some rows of columns; a column is fetched when it is first asked for, which for most is never."""

    def __init__(self, columns: Columns, rows: Ints) -> None:
        self._columns, self._rows = columns, rows
        self._fetched: Columns = {}

    def __contains__(self, name: str) -> bool:
        return name in self._columns

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        if name not in self._fetched:
            self._fetched[name] = self._columns[name][self._rows]
        return self._fetched[name]

    def at(self, names: Iterable[str], rows: Ints) -> list[npt.NDArray[np.uint64]]:
        """A few columns of some of the rows, as bits."""
        there = self._rows[rows]
        fetched, given = self._fetched, self._columns
        return [(fetched[name][rows] if name in fetched else given[name][there]).view(np.uint64) for name in names]

    def only(self, kept: Bools) -> Picked:
        """Some of the rows."""
        return Picked(self._columns, self._rows[kept])


class Log:
    """The events of some whole users, from the compact columns of a partition in the order of the log.

    ``seen`` and ``has_impressions`` say what holds for the whole log: where it has no impressions, no click is an
    orphan. With ``drop_bots`` the events of suspected bots are left out.
    """

    def __init__(
        self, columns: Columns | Picked, seen: Seen, *, has_impressions: bool = True, drop_bots: bool = False
    ) -> None:
        self.found: Counter[str] = Counter()
        self.last_time = seen.span[1] if seen.span else 0
        self._seen = seen
        self._has_impressions = has_impressions
        self._sessions: dict[Any, SessionTable] = {}
        picked = columns if isinstance(columns, Picked) else self._without_duplicates(self._sorted(columns))
        bot = self._of_bots(picked)
        self.found["events of suspected bots"] = int(bot.sum())
        if drop_bots and bot.any():
            picked = picked.only(~bot)
        self._columns = columns = picked
        self.kind = columns["flags"] & np.uint8(3)
        self.time: Ints = columns["time"]
        begins = row_changes(columns["user"])
        self.user: Ints = np.cumsum(begins) - 1
        self._first_of_user = np.flatnonzero(begins)
        self.users = len(self._first_of_user)
        self.found["users"] = self.users

    def kinds(self) -> dict[str, int]:
        """How many events of each kind there are."""
        names = ("other", "impressions", "clicks", "conversions")
        of_kind = {name: int(np.count_nonzero(self.kind == number)) for number, name in enumerate(names)}
        return {**of_kind, "refunds": int(np.count_nonzero(self.known("refund")))}

    def only(self, kept: Bools) -> Log:
        """Some of the events, whose checks are not counted twice."""
        part = Log(self._columns.only(kept), self._seen, has_impressions=self._has_impressions)
        part.found = Counter()
        return part

    @property
    def user_ids(self) -> npt.NDArray[np.uint64]:
        """(users,) the code of each user."""
        ids: npt.NDArray[np.uint64] = self._columns["user"][self._first_of_user]
        return ids

    @property
    def user_names(self) -> npt.NDArray[np.uint64]:
        """(users,) what stands for the id of each user in every partition of the log."""
        return mixed_hashes(self._columns["user name" if self.has("user name") else "user"][self._first_of_user])

    def __len__(self) -> int:
        return len(self.time)

    def has(self, role: str) -> bool:
        """Whether the log has a column of this role."""
        return role in self._columns

    def column(self, role: str) -> npt.NDArray[Any]:
        """One of the compact columns."""
        return self._columns[role]

    def known(self, flag: str) -> Bools:
        """(n,) whether an event has a request, an item, a session, a query or an id, or is a refund."""
        known: Bools = (self._columns["flags"] & np.uint8(FLAGS[flag])) != 0
        return known

    def is_kind(self, kind: int) -> Bools:
        """(n,) whether an event is of a kind."""
        is_kind: Bools = self.kind == kind
        return is_kind

    def _sorted(self, columns: Columns) -> Picked:
        """Each user's events together, in order of time; events of one moment in the order of the log."""
        order, new_user = by_user_and_time(columns["user"], columns["time"])
        self.found["out of order"] = int(np.count_nonzero(~new_user[1:] & (order[1:] < order[:-1])))
        return Picked(columns, order)

    def _without_duplicates(self, columns: Picked) -> Picked:
        """Leave out events with an id seen before, and conversions that are the same in everything."""
        flags = columns["flags"]
        if "id" in columns:
            repeated = _repeated((flags & FLAGS["id"]) != 0, columns, ("user", "id"))
        else:
            same = tuple(name for name in ("user", "time", "item", "request", "value") if name in columns)
            repeated = _repeated(((flags & 3) == CONVERSION) | ((flags & FLAGS["refund"]) != 0), columns, same)
        self.found["duplicates"] += int(repeated.sum())
        return columns.only(~repeated) if repeated.any() else columns

    def _of_bots(self, columns: Picked) -> Bools:
        """(n,) the events of users who did more in one clock hour than a person does."""
        new_user = row_changes(columns["user"])
        if not (np.diff(np.flatnonzero(new_user), append=len(new_user)) > MOMENTS_PER_HOUR).any():
            return np.zeros(len(new_user), np.bool_)
        user = np.cumsum(new_user) - 1
        rows = np.flatnonzero(new_user | row_changes(columns["time"]))
        begins = np.flatnonzero(row_changes(user[rows], columns["time"][rows] // HOUR))
        counts = np.diff(begins, append=len(rows))
        bots = np.zeros(int(new_user.sum()), np.bool_)
        bots[user[rows[begins[counts > MOMENTS_PER_HOUR]]]] = True
        self.found["suspected bots"] = int(bots.sum())
        of_bots: Bools = bots[user]
        return of_bots

    @cached_property
    def exposures(self) -> Exposures:
        """Impressions and clicks paired by user, request and item (without requests: by user and item)."""
        n = len(self)
        impression, click = self.is_kind(IMPRESSION), self.is_kind(CLICK)
        names = tuple(name for name in ("request", "item") if self.has(name))
        paired = impression | click
        for name in names:
            paired &= self.known(name)
        # Most impressions are the only event of their item: they are the first, and there is nothing to pair.
        rows = np.flatnonzero(paired)
        rows, group, groups = companions(rows, self._columns.at(("user", *names), rows))
        is_click, time = click[rows], self.time[rows]
        first, clicked = first_of_each(group, ~is_click, groups), first_of_each(group, is_click, groups)
        position = np.zeros(n, np.int32)
        if self.has("position"):  # from 1, whatever the log counts from; 0 where there is none
            begin = 0 if self._seen.lowest_position == 0 else 1
            position = np.maximum(self._columns["position"] + np.int32(1 - begin), np.int32(0))
        firsts = impression.copy(), click.copy()
        alone = paired.copy()
        alone[rows] = False
        for of_kind, all_of_kind, chosen in ((first, impression, firsts[0]), (clicked, click, firsts[1])):
            if self.has("request"):
                seen = np.zeros(len(rows), np.bool_)
                seen[of_kind[of_kind >= 0]] = True
                chosen[rows] &= seen
            else:  # the same item may well be shown again: only the same moment is the same event
                chosen &= ~_repeated(all_of_kind & ~alone, self._columns, ("user", "time", *names))
        orphan = np.zeros(n, np.bool_)
        if self._has_impressions:
            orphan |= click
            with_impression = is_click & (first >= 0)[group]
            orphan[rows[with_impression]] = False
            first_of_click = first[group[with_impression]]
            early = time[with_impression] < time[first_of_click]
            self.found["clicks before their impression"] = int(early.sum())
            at, own = position[rows[first_of_click]], position[rows[with_impression]]
            self.found["clicks at another position"] = int(((own > 0) & (at > 0) & (own != at)).sum())
            position[rows[with_impression][at > 0]] = at[at > 0]
        self.found["orphan clicks"] = int((orphan & firsts[1]).sum())
        self.found["repeated impressions"] = int(impression.sum() - firsts[0].sum())
        self.found["repeated clicks"] = int(click.sum() - firsts[1].sum())
        return Exposures(firsts[0], firsts[1], orphan, position)

    @cached_property
    def requests(self) -> tuple[Ints, int]:
        """(n,) the request of each impression and click, from 0, -1 where there is none; and how many there are."""
        rows = np.flatnonzero(self.is_of_request())
        group, groups = self.numbered(rows, ("request",))
        of_event = np.full(len(self), -1, np.int64)
        of_event[rows] = group
        return of_event, groups

    def is_of_request(self) -> Bools:
        """(n,) whether an event is an impression or a click of a known request."""
        return (self.is_kind(IMPRESSION) | self.is_kind(CLICK)) & self.known("request")

    def numbered(self, rows: Ints, names: tuple[str, ...]) -> tuple[Ints, int]:
        """Number the distinct combinations of user and columns among some events."""
        return numbered(self._columns.at(("user", *names), rows))

    def sessions(self, measure: SessionMeasure) -> SessionTable:
        """The sessions as a measure defines them."""
        rule = measure.sessions if self.has("session") else "gap"
        key = (rule, measure.gap, measure.max_length, measure.activity)
        if key not in self._sessions:
            ids = None
            if rule != "gap":
                ids = self.column("session"), self.known("session")
                self.found["events without session id"] = int(np.count_nonzero(~ids[1]))
            self._sessions[key] = sessions_of(
                self.user, self.time, None if measure.activity == "all" else self.kind != IMPRESSION, ids=ids,
                gap=None if rule == "id" else round(measure.gap * 60e6),
                max_length=None if measure.max_length is None else round(measure.max_length * HOUR),
            )  # fmt: skip
        return self._sessions[key]

    def impressions(self, counted: str) -> Bools:
        """(n,) the impressions that count: each item once in a request, or all."""
        return self.exposures.first_impression if counted == "once" else self.is_kind(IMPRESSION)

    def clicks(self, counted: str, orphans: str) -> Bools:
        """(n,) the clicks that count: each item once in a request, all, or one a request; with or without orphans."""
        pairs = self.exposures
        chosen = self.is_kind(CLICK) if counted == "all" else pairs.first_click
        if orphans == "drop":
            chosen = chosen & ~pairs.orphan
        if counted != "request" or not self.has("request"):
            return chosen
        request, requests = self.requests
        rows = np.flatnonzero(chosen & (request >= 0))
        first = first_of_each(request[rows], np.ones(len(rows), np.bool_), requests)
        only: Bools = chosen & (request < 0)
        only[rows[first[first >= 0]]] = True
        return only

    def shown_items(self, *, of_requests: bool = False) -> pl.DataFrame:
        """A row for every first impression and every click that counts, of a known item at a known place.

        ``user``, ``list`` (the request), ``query``, ``item``, ``variant``, ``place``, and as 0 or 1 ``shown`` and
        ``clicks``. A click without a query has that of its impression. What has no query is left out, where the log
        has queries; what has no request, where only requests are asked for.
        """
        pairs, clicked, has_request = self.exposures, self.clicks("once", "drop"), self.has("request")
        known = self.known("item") & (pairs.position > 0) & (pairs.first_impression | clicked)
        if of_requests and has_request:
            known &= self.known("request")
        rows = np.flatnonzero(known)

        def column(role: str) -> npt.NDArray[Any]:
            return self._columns[role][rows] if self.has(role) else np.zeros(len(rows), np.int16)

        table = pl.DataFrame(
            {
                "user": column("user"), "list": column("request"), "query": column("query"), "item": column("item"),
                "variant": column("variant"), "place": pairs.position[rows].astype(np.int64),
                "shown": pairs.first_impression[rows].astype(np.int64), "clicks": clicked[rows].astype(np.int64),
            }
        )  # fmt: skip
        has_query = self.known("query")[rows] if self.has("query") else np.ones(len(rows), np.bool_)
        if has_query.all():
            return table
        table = table.with_columns(pl.when(pl.Series(has_query)).then(pl.col("query")).alias("query"))
        if has_request:
            of_impression = pl.col("query").filter(pl.col("shown") > 0).first().over("user", "list", "item")
            table = table.with_columns(pl.when(pl.col("clicks") > 0).then(pl.coalesce("query", of_impression))
                                       .otherwise("query").alias("query"))  # fmt: skip
        return table.drop_nulls("query")


def first_of_each(group: Ints, chosen: Bools, groups: int) -> Ints:
    """(groups,) the first chosen position of each group, -1 where there is none."""
    first = np.full(groups, -1, np.int64)
    places = np.flatnonzero(chosen)[::-1]
    first[group[places]] = places  # the last assignment wins, which is the first place
    return first


def _repeated(among: Bools, columns: Picked, names: tuple[str, ...]) -> Bools:
    """(n,) which of some events are the same as an earlier one in these columns, and in which ids are missing."""
    rows = np.flatnonzero(among)
    missing = columns["flags"][rows] & np.uint8(sum(FLAGS.get(name, 0) for name in names))
    repeated = np.zeros(len(among), np.bool_)
    repeated[seen_before(rows, [*columns.at(names, rows), missing.astype(np.uint64)])] = True
    return repeated


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
    """Cut events, sorted by user and time in microseconds, into sessions; ``active`` ones count as activity.

    Without ``gap`` events without an id are in no session. ``ids`` are (n,) codes of session ids, and whether an event
    has one; ids of different users are different sessions.
    """
    rows = np.arange(len(user)) if active is None else np.flatnonzero(active)
    has_id = np.zeros(len(rows), np.bool_)
    if ids is None:
        begins = row_changes(user[rows])
    else:
        rows = rows if gap is not None else rows[ids[1][rows]]
        named, has_id = np.where(ids[1][rows], ids[0][rows], np.uint64(0)), ids[1][rows]
        order = np.lexsort((named, has_id, user[rows]))  # stable: time stays in order inside a session
        rows, named, has_id = rows[order], named[order], has_id[order]
        begins = row_changes(user[rows], named, has_id)
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
