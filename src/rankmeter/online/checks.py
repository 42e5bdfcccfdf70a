"""What was wrong or odd in a log, how often, and what was done about it: shown before any number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from rankmeter.errors import examples
from rankmeter.measures.online import SessionMeasure
from rankmeter.online.events import Events
from rankmeter.online.log import MOMENTS_PER_HOUR
from rankmeter.online.questions import Counted, Question
from rankmeter.wording import Said, said

FINDINGS: Mapping[str, str] = {
    "events without user": "events",
    "events without readable time": "events",
    "times without a time zone": "events",
    "events dated before the rest": "events",
    "events dated after the rest": "events",
    "duplicates": "events",
    "repeated impressions": "impressions",
    "repeated clicks": "clicks",
    "orphan clicks": "clicks",
    "clicks before their impression": "clicks",
    "out of order": "events",
    "events of unknown type": "events",
    "suspected bots": "users",
    "events of suspected bots": "events",
    "positions that are not whole": "events",
    "impressions without position": "impressions",
    "refunds": "conversions",
    "conversions without a readable value": "conversions",
    "conversions without a click to credit": "conversions",
    "clicks younger than the window": "clicks",
    "events without session id": "events",
    "sessions of one event": "sessions",
    "sessions of no length": "sessions",
    "sessions cut at the maximum length": "sessions",
    "units in several variants": "units",
    "units without variant": "units",
    "units in several segments": "units",
    "units without segment": "units",
    "events before the start": "events",
}
"""Each kind of finding, in the order of the report, and what its count is a share of; the wording has its name
(``found_``) and its rule."""


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


def findings(events: Events, counted: Counted) -> tuple[Finding, ...]:
    """Everything odd that occurred, in the order of :data:`FINDINGS`."""
    counts, seen, question = Counter(counted.found), counted.seen, counted.question
    counts["events without user"] = seen.without_user
    counts["events without readable time"] = seen.without_time
    counts["times without a time zone"] = seen.without_zone
    counts["events dated before the rest"] = seen.dated_before
    counts["events dated after the rest"] = seen.dated_after
    counts["positions that are not whole"] = seen.broken_positions
    unknown = {word: n for word, n in seen.types.items() if word.casefold() not in events.kinds}
    counts["events of unknown type"] = sum(unknown.values())
    if not any(isinstance(measure, SessionMeasure) for measure in question.measures):
        counts["sessions of one event"] = 0
    listed = []
    paid = counts["conversions"] + counts["refunds"]
    wholes = Counter({**counts, "events": seen.rows, "conversions": paid})
    for name, whole in FINDINGS.items():
        if counts[name]:
            kind = name.replace(" ", "_")
            share = counts[name] / max(wholes[whole], 1)
            listed.append(Finding(said(f"found_{kind}"), counts[name], share, _rule(kind, question, unknown)))
    return tuple(listed)


def _rule(kind: str, question: Question, unknown: Mapping[str, int]) -> Said:
    """What was done about a finding, as the question asked for it."""
    if kind == "events_of_unknown_type":
        words = [f"'{word}'" for word in sorted(unknown, key=lambda word: (-unknown[word], word))]
        return said("rule_events_of_unknown_type", words=examples(words))
    if kind in ("suspected_bots", "events_of_suspected_bots"):
        limit = {"limit": MOMENTS_PER_HOUR} if kind == "suspected_bots" else {}
        return said(f"rule_{kind}_dropped" if question.plan.bots == "drop" else f"rule_{kind}", **limit)
    if kind == "units_in_several_variants" and question.plan.crossed == "first":
        return said("rule_units_in_several_variants_first")
    if kind == "events_without_session_id":
        rules = {getattr(measure, "sessions", None) for measure in question.measures}
        return said(f"rule_{kind}_only" if "id" in rules and "auto" not in rules else f"rule_{kind}")
    return said(f"rule_{kind}")
