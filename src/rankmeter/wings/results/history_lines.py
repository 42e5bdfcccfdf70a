"""What a history says: each number over time, tested against the last accepted reference, under a rule for many looks.

All points of a line share their queries, so it is the *difference* to the reference that is tested and has a band, by a
paired t test. A slide of small steps shows: every point is held against the reference, not against the one before.

Whoever looks again and again at 5% has a false alarm sooner or later. The k-th look at a series spends
:func:`share_of_error` ``(k)`` of the error; all of them together, however many, spend no more than ``1 - level``,
whatever their dependence. A look at values that were tested before against the same reference is the same look.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from rankmeter.evaluating.fingerprints import Fingerprint
from rankmeter.placing.placements import Floats
from rankmeter.stats.student import Contrasts
from rankmeter.wings.results.history_entries import HistoryEntry, RecordedMeasure, by_time, entry_parts
from rankmeter.wording import Said, said

Verdict = Literal["reference", "same", "level", "worse", "better", "untested", "turned"]
MOVED = 5
"""How many of the queries that moved most are named."""
TURNED = 0.2
"""Ids have turned over when this share, or less, of what was found before is found, in lists as long as before."""
PARTLY = 0.67


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """One number at one time."""

    entry: str
    """The file of the evaluation."""
    time: str
    commit: str
    value: float
    verdict: Verdict
    """``level``: not told apart from the reference; ``same``: equal to it; ``turned``: the ids have turned over."""
    breaks: tuple[Said, ...] = ()
    """Why the line is not joined to the point before."""
    notes: tuple[Said, ...] = ()
    reference: str = ""
    """The entry it is held against."""
    difference: float = math.nan
    low: float = math.nan
    """The ends of the band of the difference, at this look's share of the error."""
    high: float = math.nan
    p: float = math.nan
    look: int = 0
    """Which look at the series this is; 0 for none."""
    error: float = math.nan
    """The share of the error that this look spends."""
    step: float = math.nan
    """The difference to the point before, on the queries that both have."""
    common: int = 0
    """How many queries these are."""
    down: int = 0
    """Queries that are worse than under the reference."""
    up: int = 0
    moved: tuple[tuple[str, float], ...] = ()
    """Those that moved most."""

    @property
    def is_change(self) -> bool:
        """Whether it is told apart from the reference."""
        return self.verdict in ("worse", "better")

    def to_dict(self) -> dict[str, Any]:
        """As plain Python."""
        plain = {name: getattr(self, name) for name in HistoryPoint.__slots__}
        moved = [{"query": query, "difference": by} for query, by in self.moved]
        return {**plain, "breaks": list(map(str, self.breaks)), "notes": list(map(str, self.notes)), "moved": moved}


@dataclass(frozen=True, slots=True)
class HistorySeries:
    """One measure of one system over time."""

    system: str
    measure: str
    higher_is_better: bool
    points: tuple[HistoryPoint, ...]
    since_start: tuple[float, float, float] | None = None
    """The last point against the first of its line, with a plain interval, where the reference was moved in between."""

    @property
    def last(self) -> HistoryPoint:
        """The newest point."""
        return self.points[-1]

    @property
    def onset(self) -> HistoryPoint | None:
        """The point from which on the change of the last point was reported; None where it shows none."""
        first = None
        for point in reversed(self.points):
            if point.verdict == "turned" != self.last.verdict:
                continue
            if point.verdict != self.last.verdict or point.reference != self.last.reference:
                break
            first = point
        return first if self.last.is_change or self.last.verdict == "turned" else None

    def unsettled(self, accepted: Collection[str]) -> HistoryPoint | None:
        """The last point of an earlier line that was worse than its reference then, and was never accepted."""
        points = [point for point in self.points if point.verdict != "turned"]
        ended = [before for before, after in pairwise(points) if after.breaks and before.verdict == "worse"]
        return next((point for point in reversed(ended) if point.entry not in accepted), None)

    def to_dict(self) -> dict[str, Any]:
        """As plain Python."""
        return {
            "system": self.system, "measure": self.measure, "higher_is_better": self.higher_is_better,
            "verdict": self.last.verdict, "onset": None if self.onset is None else self.onset.entry,
            "since_start": self.since_start, "points": [point.to_dict() for point in self.points],
        }  # fmt: skip


def share_of_error(look: int) -> float:
    """The share of the whole error that a look spends: slowly falling, and 1 for all looks together.

    >>> [round(share_of_error(look), 4) for look in (1, 2, 8, 100)]
    [0.3691, 0.1309, 0.0144, 0.0003]
    >>> round(sum(map(share_of_error, range(1, 101))) + math.log(2) / math.log(102), 9)
    1.0
    """
    return math.log(2) * (1 / math.log(look + 1) - 1 / math.log(look + 2))


def series_of(
    entries: Sequence[HistoryEntry], accepted: Sequence[tuple[str, str]], level: float, wanted: Sequence[str] = ()
) -> list[HistorySeries]:
    """Every measure of every system that the entries have; ``wanted`` keeps some of the measures.

    ``accepted`` is when which entry, by its hash, was accepted: what comes after is held against it.
    """
    ordered = by_time(entries)
    twice = _ambiguous(ordered)
    grouped: dict[tuple[str, str], list[tuple[HistoryEntry, RecordedMeasure]]] = {}
    for entry in ordered:
        for one in entry.measures:
            key = one.text if short_name(one.text) in twice else short_name(one.text)
            if not wanted or {one.text, one.label, key} & set(wanted):
                grouped.setdefault((entry.system, key), []).append((entry, one))
    return [_Walk(system, measure, level, accepted).through(points) for (system, measure), points in grouped.items()]


def short_name(text: str) -> str:
    """A measure without its options: what stays when a definition changes.

    >>> short_name("nDCG(gain={1:3},ties=mean)@10")
    'nDCG@10'
    """
    return re.sub(r"\(.*\)", "", text)


def _ambiguous(entries: Sequence[HistoryEntry]) -> set[str]:
    """Short names that one entry has twice."""
    counts = [Counter(short_name(one.text) for one in entry.measures) for entry in entries]
    return {name for count in counts for name, times in count.items() if times > 1}


class _Walk:
    """One pass through the points of a series."""

    def __init__(self, system: str, measure: str, level: float, accepted: Sequence[tuple[str, str]]) -> None:
        self.system, self.measure, self.level = system, measure, level
        self.accepted = list(accepted)
        self.chosen: str | None = None
        """The hash that was accepted last."""
        self.seen: dict[str, tuple[HistoryEntry, RecordedMeasure]] = {}
        """The points of this line, by hash."""
        self.points: list[HistoryPoint] = []
        self.before: tuple[HistoryEntry, RecordedMeasure] | None = None
        self.reference: tuple[HistoryEntry, RecordedMeasure] | None = None
        self.start: tuple[HistoryEntry, RecordedMeasure] | None = None
        self.looks: dict[tuple[str, bytes], int] = {}

    def through(self, given: Sequence[tuple[HistoryEntry, RecordedMeasure]]) -> HistorySeries:
        own = {entry_parts(entry.name)[2] for entry, _ in given}
        self.accepted = [(when, hashed) for when, hashed in self.accepted if hashed in own]
        for entry, one in given:
            self._step(entry, one)
        last = self.before
        since = None
        if last is not None and self.start is not None and self.reference is not self.start:
            _, gaps = _paired(last, self.start)
            if len(gaps) > 1:
                both = Contrasts.of_rows(gaps[None])
                low, high = both.ends(self.level, tested=False)
                since = (float(both.difference[0]), float(low[0]), float(high[0]))
        rising = given[-1][1].higher_is_better
        return HistorySeries(self.system, self.measure, rising, tuple(self.points), since)

    def _step(self, entry: HistoryEntry, one: RecordedMeasure) -> None:
        point = HistoryPoint(entry.name, entry.time.isoformat(), entry.commit, one.value, "untested")
        now = (entry, one)
        if self.before is not None and (why := _turned_over(entry, self.before[0])) is not None:
            self.points.append(replace(point, verdict="turned", breaks=(why,)))
            return  # what comes next is held against what was before
        breaks = () if self.before is None else _breaks(now, self.before)
        if self.before is not None:
            queries, gaps = _paired(now, self.before)
            notes = () if breaks or (note := _partly(entry, self.before[0])) is None else (note,)
            point = replace(point, breaks=breaks, notes=notes, common=len(queries),
                            step=float(gaps.mean()) if len(gaps) else math.nan)  # fmt: skip
        when, _, hashed = entry_parts(entry.name)
        while self.accepted and self.accepted[0][0] <= when:
            self.chosen = self.accepted.pop(0)[1]
            self.reference = self.seen.get(self.chosen, self.reference)
        if self.reference is None or breaks:
            self.seen = {}
            self.start = self.reference = now
            point = replace(point, verdict="reference" if one.is_mean and entry.queries else "untested")
        else:
            point = self._tested(point, now, self.reference)
        self.points.append(point)
        self.before = self.seen[hashed] = now
        # By the clock of whoever accepted it, that may have been before it was there.
        if entry.accepted or hashed == self.chosen:
            self.reference = now

    def _tested(
        self, point: HistoryPoint, now: tuple[HistoryEntry, RecordedMeasure],
        reference: tuple[HistoryEntry, RecordedMeasure],
    ) -> HistoryPoint:  # fmt: skip
        point = replace(point, reference=reference[0].name)
        queries, gaps = _paired(now, reference)
        if not now[1].is_mean or len(gaps) < 2:
            return point
        worse = gaps < 0 if now[1].higher_is_better else gaps > 0
        first = np.argsort(-np.abs(gaps), kind="stable")[:MOVED]
        point = replace(
            point, difference=float(gaps.mean()), down=int(worse.sum()), up=int((gaps != 0).sum() - worse.sum()),
            moved=tuple((queries[at], float(gaps[at])) for at in first.tolist() if gaps[at]),
        )  # fmt: skip
        if not gaps.any():
            return replace(point, verdict="same", low=0.0, high=0.0, p=1.0)
        look = self.looks.setdefault((reference[0].name, gaps.tobytes()), len(self.looks) + 1)
        error = (1 - self.level) * share_of_error(look)
        tested = Contrasts.of_rows(gaps[None])
        p = float(tested.p()[0])
        low, high = (float(ends[0]) for ends in tested.ends(1 - error))
        falls = (point.difference < 0) == now[1].higher_is_better
        verdict: Verdict = "level" if p > error else "worse" if falls else "better"
        return replace(point, verdict=verdict, low=low, high=high, p=p, look=look, error=error)


def _paired(
    now: tuple[HistoryEntry, RecordedMeasure], then: tuple[HistoryEntry, RecordedMeasure]
) -> tuple[list[str], Floats]:
    """The queries that count in both, and how much higher each is now."""
    (entry, one), (before, other) = now, then
    if one.text not in entry.values or other.text not in before.values:
        return [], np.zeros(0)
    if entry.queries == before.queries:
        queries, values, others = list(entry.queries), entry.values[one.text], before.values[other.text]
    else:
        place = {query: at for at, query in enumerate(before.queries)}
        queries = [query for query in entry.queries if query in place]
        kept = np.array([query in place for query in entry.queries], np.bool_)
        values = entry.values[one.text][kept] if len(kept) else np.zeros(0)
        others = before.values[other.text][[place[query] for query in queries]] if queries else np.zeros(0)
    gaps = values - others
    counted = ~np.isnan(gaps)
    return [query for query, is_kept in zip(queries, counted, strict=True) if is_kept], gaps[counted]


def _breaks(now: tuple[HistoryEntry, RecordedMeasure], then: tuple[HistoryEntry, RecordedMeasure]) -> tuple[Said, ...]:
    """Why two numbers are not of one line: other queries, judgments, definitions or protocol."""
    (entry, one), (before, other) = now, then
    found: list[Said] = []
    mine, theirs = set(entry.queries), set(before.queries)
    if mine and theirs and mine != theirs:
        gone, new = len(theirs - mine), len(mine - theirs)
        found.append(said("history_broken_queries", gone=gone, new=new, common=len(mine & theirs)))
    elif entry.judged_by and before.judged_by and _other_judgments(entry.judged_by, before.judged_by):
        found.append(said("history_broken_judgments", then=before.judged_by["rows"], now=entry.judged_by["rows"]))
    if one.definition and other.definition:
        options = [name for name, value in one.definition.items() if value != other.definition.get(name, value)]
        if options:
            changes = [f"{name}={other.definition[name]} → {one.definition[name]}" for name in options]
            found.append(said("history_broken_definition", options=changes))
    if entry.protocol != before.protocol:
        found.append(said("history_broken_protocol"))
    return tuple(found)


def _other_judgments(now: Mapping[str, Any], then: Mapping[str, Any]) -> bool:
    return Fingerprint(**now).differs(Fingerprint(**then))


def _turned_over(now: HistoryEntry, before: HistoryEntry) -> Said | None:
    """That hardly a judged item is found although as much is returned: items have other ids than the judgments."""
    found, then = now.found_share, before.found_share
    if not (then > 0 and found <= TURNED * then and now.returned >= before.returned / 2 > 0):
        return None
    shares = _judged_shares(now, before)
    if shares is not None and shares[0] > TURNED * shares[1]:
        return None  # judged items are there: the order is bad, not the ids
    return said("history_turned", now=found, then=then)


def _partly(now: HistoryEntry, before: HistoryEntry) -> Said | None:
    shares = _judged_shares(now, before)
    if shares is None or shares[0] > PARTLY * shares[1]:
        return None
    return said("history_partly_turned", now=shares[0], then=shares[1])


def _judged_shares(now: HistoryEntry, before: HistoryEntry) -> tuple[float, float] | None:
    """The shares of judged items within the deepest cutoff that both have."""
    both = sorted(set(now.judged_share) & set(before.judged_share), key=int)
    return (now.judged_share[both[-1]], before.judged_share[both[-1]]) if both else None
