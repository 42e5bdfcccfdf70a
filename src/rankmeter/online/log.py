"""The events of some whole users, in order of time: who repeated what, which click had its impression, which session.

Everything here is arrays over the events of one partition, sorted by user and time. Facts that are wrong or odd are
counted in ``found``; what is done about each is the rule stated in :mod:`rankmeter.online.checks`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from rankmeter.measures.online import ConversionRate, SessionMeasure
from rankmeter.online.attribution import Credit, credit
from rankmeter.online.equal_rows import by_user_and_time, changes, companions, first_of_each, numbered, seen_before
from rankmeter.online.events import CLICK, CONVERSION, IMPRESSION
from rankmeter.online.partitions import HAS_ID, HAS_ITEM, HAS_REQUEST, HAS_SESSION, IS_REFUND, Columns
from rankmeter.online.sessions import SessionTable, sessions_by_gap, sessions_by_id
from rankmeter.placing.hashing import mixed
from rankmeter.placing.placements import Bools, Ints

T = TypeVar("T")

MOMENTS_PER_HOUR = 1_000
"""A user with more distinct moments of activity than this in one clock hour is a suspected bot."""
_HOUR = 3_600_000_000


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


class Log:
    """The events of some whole users.

    Parameters
    ----------
    columns
        Compact columns of a partition, in the order of the log.
    first_position
        Where the log's positions begin: 0 or 1.
    last_time
        The last moment of the whole log.
    has_impressions
        Whether the whole log has impressions; where it has none, no click is an orphan.
    drop_bots
        Whether the events of suspected bots are left out.
    """

    def __init__(
        self,
        columns: Columns,
        *,
        first_position: int = 1,
        last_time: int = 0,
        has_impressions: bool = True,
        drop_bots: bool = False,
    ) -> None:
        self.found: Counter[str] = Counter()
        self.last_time = last_time
        self._first_position = first_position
        self._has_impressions = has_impressions
        self._cache: dict[Any, Any] = {}
        columns = self._without_duplicates(self._sorted(columns))
        bot = self._of_bots(columns)
        self.found["events of suspected bots"] = int(bot.sum())
        if drop_bots and bot.any():
            columns = {name: column[~bot] for name, column in columns.items()}
        self._columns = columns
        self.kind = columns["flags"] & np.uint8(3)
        self.time: Ints = columns["time"]
        begins = changes(columns["user"])
        self.user: Ints = np.cumsum(begins) - 1
        self.users = int(begins.sum())
        self.found["users"] = self.users
        for number, name in enumerate(("other", "impressions", "clicks", "conversions")):
            self.found[name] = int(np.count_nonzero(self.kind == number))
        self.found["refunds"] = int(np.count_nonzero(self.known(IS_REFUND)))

    @classmethod
    def part(cls, whole: Log, kept: Bools) -> Log:
        """Some of the events of a log, its checks not counted twice."""
        made = cls({name: column[kept] for name, column in whole._columns.items()}, last_time=whole.last_time,
                   first_position=whole._first_position, has_impressions=whole._has_impressions)  # fmt: skip
        made.found = Counter()
        return made

    @property
    def user_ids(self) -> npt.NDArray[np.uint64]:
        """(users,) the code of each user."""
        ids: npt.NDArray[np.uint64] = self._columns["user"][np.searchsorted(self.user, np.arange(self.users))]
        return ids

    @property
    def user_names(self) -> npt.NDArray[np.uint64]:
        """(users,) what stands for the id of each user in every partition of the log."""
        names = self._columns["user name" if self.has("user name") else "user"]
        return mixed(names[np.searchsorted(self.user, np.arange(self.users))])

    def __len__(self) -> int:
        return len(self.time)

    def has(self, role: str) -> bool:
        """Whether the log has a column of this role."""
        return role in self._columns

    def column(self, role: str) -> npt.NDArray[Any]:
        """One of the compact columns."""
        return self._columns[role]

    def known(self, bit: int) -> Bools:
        """(n,) whether an event has a request, an item, a session or an id, or is a refund."""
        known: Bools = (self._columns["flags"] & np.uint8(bit)) != 0
        return known

    def is_kind(self, kind: int) -> Bools:
        """(n,) whether an event is of a kind."""
        return self._once(("kind", kind), lambda: self.kind == kind)

    def _once(self, key: Any, make: Callable[[], T]) -> T:
        """What is made when it is first asked for."""
        if key not in self._cache:
            self._cache[key] = make()
        made: T = self._cache[key]
        return made

    def _sorted(self, columns: Columns) -> Columns:
        """Each user's events together, in order of time; events of one moment in the order of the log."""
        order = by_user_and_time(columns["user"], columns["time"])
        columns = {name: column[order] for name, column in columns.items()}
        same_user = ~changes(columns["user"])[1:]
        self.found["out of order"] = int(np.count_nonzero(same_user & (order[1:] < order[:-1])))
        return columns

    def _without_duplicates(self, columns: Columns) -> Columns:
        """Leave out events with an id seen before, and conversions that are the same in everything."""
        flags = columns["flags"]
        repeated = np.zeros(len(flags), np.bool_)
        if "id" in columns:
            repeated |= seen_before((flags & HAS_ID) != 0, columns, ("user", "id"))
        else:
            same = tuple(name for name in ("user", "time", "item", "request", "value") if name in columns)
            repeated |= seen_before(((flags & 3) == CONVERSION) | ((flags & IS_REFUND) != 0), columns, same)
        self.found["duplicates"] += int(repeated.sum())
        return {name: column[~repeated] for name, column in columns.items()} if repeated.any() else columns

    def _of_bots(self, columns: Columns) -> Bools:
        """(n,) the events of users who did more in one clock hour than a person does."""
        new_user = changes(columns["user"])
        starts = np.flatnonzero(new_user)
        if not (np.diff(np.append(starts, len(new_user))) > MOMENTS_PER_HOUR).any():
            return np.zeros(len(new_user), np.bool_)
        user = np.cumsum(new_user) - 1
        rows = np.flatnonzero(new_user | changes(columns["time"]))
        begins = np.flatnonzero(changes(user[rows]) | changes(columns["time"][rows] // _HOUR))
        counts = np.diff(np.append(begins, len(rows)))
        bots = np.zeros(int(new_user.sum()), np.bool_)
        bots[user[rows[begins[counts > MOMENTS_PER_HOUR]]]] = True
        self.found["suspected bots"] = int(bots.sum())
        of_bots: Bools = bots[user]
        return of_bots

    def position(self) -> npt.NDArray[np.int32]:
        """(n,) positions from 1, 0 where there is none."""
        if not self.has("position"):
            return np.zeros(len(self), np.int32)
        raw = self._columns["position"]
        shifted: npt.NDArray[np.int32] = np.where(raw >= self._first_position, raw + (1 - self._first_position), 0)
        return shifted.astype(np.int32)

    def exposures(self) -> Exposures:
        """Impressions and clicks paired by user, request and item (without requests: by user and item)."""
        return self._once("exposures", self._exposures)

    def _exposures(self) -> Exposures:
        n = len(self)
        impression, click = self.is_kind(IMPRESSION), self.is_kind(CLICK)
        has_request = self.has("request")
        paired = impression | click
        if self.has("item"):
            paired &= self.known(HAS_ITEM)
        if has_request:
            paired &= self.known(HAS_REQUEST)
        names = tuple(name for name in ("request", "item") if self.has(name))
        # Most impressions are the only event of their item: they are the first, and there is nothing to pair.
        rows, group, groups = companions(paired, [self._columns[name] for name in ("user", *names)])
        is_click, time = click[rows], self.time[rows]
        first = first_of_each(group, ~is_click, groups)
        shown = first >= 0
        clicked = first_of_each(group, is_click, groups)
        position = self.position()
        # Without a request the same item may well be shown again: only the same moment is the same event.
        firsts = impression.copy(), click.copy()
        for of_kind, all_of_kind, chosen in ((first, impression, firsts[0]), (clicked, click, firsts[1])):
            seen = np.zeros(n, np.bool_)
            seen[rows[of_kind[of_kind >= 0]]] = True
            if has_request:
                chosen[rows] &= seen[rows]
            else:
                chosen &= ~seen_before(all_of_kind, self._columns, ("user", "time", *names))
        orphan = np.zeros(n, np.bool_)
        if self._has_impressions:
            orphan |= click
            with_impression = is_click & shown[group]
            orphan[rows[with_impression]] = False
            first_of_click = first[group[with_impression]]
            early = time[with_impression] < time[first_of_click]
            self.found["clicks before their impression"] = int(early.sum())
            at = position[rows[first_of_click]]
            position[rows[with_impression][at > 0]] = at[at > 0]
        self.found["orphan clicks"] = int((orphan & firsts[1]).sum())
        self.found["repeated impressions"] = int(impression.sum() - firsts[0].sum())
        self.found["repeated clicks"] = int(click.sum() - firsts[1].sum())
        return Exposures(firsts[0], firsts[1], orphan, position)

    def requests(self) -> tuple[Ints, int]:
        """(n,) the request of each impression and click, from 0, -1 where there is none; and how many there are."""
        return self._once("requests", self._requests)

    def _requests(self) -> tuple[Ints, int]:
        rows = np.flatnonzero(self.is_of_request())
        group, groups = self.numbered(rows, ("request",))
        of_event = np.full(len(self), -1, np.int64)
        of_event[rows] = group
        return of_event, groups

    def is_of_request(self) -> Bools:
        """(n,) whether an event is an impression or a click of a known request."""
        return (self.is_kind(IMPRESSION) | self.is_kind(CLICK)) & self.known(HAS_REQUEST)

    def numbered(self, rows: Ints, names: tuple[str, ...]) -> tuple[Ints, int]:
        """Number the distinct combinations of user and columns among some events."""
        columns = [self._columns[name][rows] for name in names]
        return numbered([self.user[rows].astype(np.uint64), *columns])

    def sessions(self, measure: SessionMeasure) -> SessionTable:
        """The sessions as a measure defines them."""
        rule = measure.sessions if self.has("session") else "gap"
        key = ("sessions", rule, measure.gap, measure.max_length, measure.activity)
        return self._once(key, lambda: self._sessions(measure, rule))

    def _sessions(self, measure: SessionMeasure, rule: str) -> SessionTable:
        active = None if measure.activity == "all" else self.kind != IMPRESSION
        longest = None if measure.max_length is None else round(measure.max_length * _HOUR)
        gap = round(measure.gap * 60e6)
        if rule == "gap":
            return sessions_by_gap(self.user, self.time, active, gap=gap, max_length=longest)
        known = self.known(HAS_SESSION)
        self.found["events without session id"] = int(np.count_nonzero(~known))
        return sessions_by_id(self.user, self.time, self.column("session"), known, active,
                              gap=None if rule == "id" else gap, max_length=longest)  # fmt: skip

    def clicks(self, counted: str, orphans: str) -> Bools:
        """(n,) the clicks that count: each item once in a request, all, or one a request; with or without orphans."""
        return self._once(("clicks", counted, orphans), lambda: self._clicks(counted, orphans))

    def _clicks(self, counted: str, orphans: str) -> Bools:
        pairs = self.exposures()
        chosen = self.is_kind(CLICK) if counted == "all" else pairs.first_click
        if orphans == "drop":
            chosen = chosen & ~pairs.orphan
        if counted != "request" or not self.has("request"):
            return chosen
        request, requests = self.requests()
        rows = np.flatnonzero(chosen & (request >= 0))
        first = first_of_each(request[rows], np.ones(len(rows), np.bool_), requests)
        only: Bools = chosen & (request < 0)
        only[rows[first[first >= 0]]] = True
        return only

    def credit(self, measure: ConversionRate) -> tuple[Ints, Credit]:
        """The clicks that count, as rows, and what each is credited with."""
        key = ("credit", measure.clicks, measure.orphans, measure.window, measure.item, measure.credit)
        return self._once(key, lambda: self._credit(measure))

    def _credit(self, measure: ConversionRate) -> tuple[Ints, Credit]:
        rows = np.flatnonzero(self.clicks(measure.clicks, measure.orphans))
        bought = np.flatnonzero(self.is_kind(CONVERSION))
        both = np.concatenate([rows, bought])
        group = self.user[both]
        if measure.item == "same" and self.has("item"):
            known = self.known(HAS_ITEM)
            group, groups = self.numbered(both, ("item",))
            # What names no item is the same as nothing else.
            group = np.where(known[both], group, groups + np.arange(len(both)))
        window = None if measure.window is None else round(measure.window * _HOUR)
        return rows, credit(group[: len(rows)], self.time[rows], group[len(rows) :], self.time[bought],
                            window=window, rule=measure.credit)  # fmt: skip
