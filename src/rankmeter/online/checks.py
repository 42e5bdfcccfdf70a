"""What was wrong or odd in a log, how often, and what was done about it: shown before any number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from rankmeter.online.events import Events
from rankmeter.online.log import MOMENTS_PER_HOUR
from rankmeter.online.questions import Counted, Question
from rankmeter.wording import Said, said

FINDINGS: tuple[str, ...] = (
    "events without user",
    "events without readable time",
    "times without a time zone",
    "events dated before the rest",
    "events dated after the rest",
    "duplicates",
    "repeated impressions",
    "repeated clicks",
    "orphan clicks",
    "clicks before their impression",
    "out of order",
    "events of unknown type",
    "suspected bots",
    "events of suspected bots",
    "positions that are not whole",
    "impressions without position",
    "refunds",
    "conversions without a readable value",
    "conversions without a click to credit",
    "clicks younger than the window",
    "events without session id",
    "sessions of one event",
    "sessions of no length",
    "sessions cut at the maximum length",
    "units in several variants",
    "units without variant",
    "units in several segments",
    "units without segment",
    "events before the start",
)
"""Each kind of finding, in the order in which they are told; the wording has its name (``found_``) and its rule."""

_SHOWN_WORDS = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of oddity in a log."""

    name: Said
    count: int
    share: float
    """Of all events, sessions, clicks or units, whichever it is about."""
    rule: Said
    """What was done about it."""

    @property
    def sentence(self) -> Said:
        """For people."""
        return said("finding", name=self.name, count=self.count, share=self.share, rule=self.rule)


def findings(events: Events, counted: Counted, question: Question) -> tuple[Finding, ...]:
    """Everything that was found, in the order of the list; what did not occur is left out."""
    counts = Counter(counted.found)
    seen = counted.seen
    counts["events without user"] = seen.without_user
    counts["events without readable time"] = seen.without_time
    counts["times without a time zone"] = seen.without_zone
    counts["events dated before the rest"] = seen.dated_before
    counts["events dated after the rest"] = seen.dated_after
    counts["positions that are not whole"] = seen.broken_positions
    unknown = {word: n for word, n in seen.types.items() if word.casefold() not in events.kinds}
    counts["events of unknown type"] = sum(unknown.values())
    told = []
    for name in FINDINGS:
        if counts[name] and not (name == "sessions of one event" and not _asks_sessions(question)):
            kind = name.replace(" ", "_")
            share = counts[name] / max(_whole(name, counts, seen.rows), 1)
            told.append(Finding(said(f"found_{kind}"), counts[name], share, _rule(kind, question, unknown)))
    return tuple(told)


def _rule(kind: str, question: Question, unknown: Mapping[str, int]) -> Said:
    """What was done about a finding, as the question asked for it."""
    if kind == "events_of_unknown_type":
        words = [f"'{word}'" for word in sorted(unknown, key=lambda word: (-unknown[word], word))]
        shown: object = words[:_SHOWN_WORDS]
        if len(words) > _SHOWN_WORDS:
            shown = said("and_more", shown=words[:_SHOWN_WORDS], count=len(words) - _SHOWN_WORDS)
        return said("rule_events_of_unknown_type", words=shown)
    if kind in ("suspected_bots", "events_of_suspected_bots"):
        limit = {"limit": MOMENTS_PER_HOUR} if kind == "suspected_bots" else {}
        return said(f"rule_{kind}_dropped" if question.plan.bots == "drop" else f"rule_{kind}", **limit)
    if kind == "units_in_several_variants" and question.plan.crossed == "first":
        return said("rule_units_in_several_variants_first")
    if kind == "events_without_session_id" and _only_ids(question):
        return said("rule_events_without_session_id_only")
    return said(f"rule_{kind}")


def _asks_sessions(question: Question) -> bool:
    return any(hasattr(measure, "gap") for measure in question.measures)


def _only_ids(question: Question) -> bool:
    rules = {getattr(measure, "sessions", None) for measure in question.measures}
    return "id" in rules and "auto" not in rules


def _whole(name: str, counts: Counter[str], rows: int) -> int:
    """What a count is a share of."""
    if name.startswith("sessions"):
        return counts["sessions"]
    if name.startswith("units") or name == "suspected bots":
        return counts["users"]
    if "conversions" in name or name == "refunds":
        return counts["conversions"] + counts["refunds"]
    if "clicks" in name:
        return counts["clicks"]
    return counts["impressions"] if "impressions" in name else rows
