"""What was wrong or odd in a log, how often, and what was done about it: shown before any number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from rankmeter.errors import examples
from rankmeter.online.counting import Counted, Question
from rankmeter.online.events import Events
from rankmeter.online.log import MOMENTS_PER_HOUR

RULES: dict[str, str] = {
    "events without user": "left out",
    "events without readable time": "left out",
    "duplicates": "the same id, or a conversion the same in everything: the first is kept",
    "repeated impressions": "an item shown again in its request: counted once, unless impressions=all",
    "repeated clicks": "an item clicked again in its request: counted once, unless clicks=all",
    "orphan clicks": "no impression of it was logged: left out, unless orphans=keep",
    "clicks before their impression": "clocks differ: the click counts",
    "out of order": "sorted by time before counting",
    "events of unknown type": "activity of a session, and nothing else",
    "suspected bots": f"users with more than {MOMENTS_PER_HOUR:,} moments of activity in one clock hour: kept",
    "events of suspected bots": "kept",
    "impressions without position": "in CTR, but in no CTR@k and no position's CTR",
    "negative values": "refunds: they subtract, unless refunds=drop",
    "conversions without a click to credit": "in conversions per user, not in CVR per click",
    "clicks younger than the window": "had less time to convert: counted, unless maturity=mature",
    "sessions of one event": "last 0 seconds: kept, unless zeros=drop",
    "sessions of no length": "last 0 seconds: kept, unless zeros=drop",
    "sessions cut at the maximum length": "go on as a new session",
    "units in several variants": "left out",
    "units without variant": "left out of every variant",
    "units in several segments": "counted in the segment of their first event",
    "units without segment": "left out of every segment",
    "events before the start": "used only as what users did before",
}
"""Each kind of finding with the rule that deals with it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of oddity in a log."""

    name: str
    count: int
    share: float
    """Of all events, sessions, clicks or units, whichever it is about."""
    rule: str
    """What was done about it."""

    @property
    def sentence(self) -> str:
        """For people."""
        return f"{self.name}: {self.count:,} ({self.share:.2%}); {self.rule}"


def findings(events: Events, counted: Counted, question: Question) -> tuple[Finding, ...]:
    """Everything that was found, in the order of the rules; what did not occur is left out."""
    found = Counter(counted.found)
    seen = counted.seen
    found["events without user"] = seen.without_user
    found["events without readable time"] = seen.without_time
    unknown = {word: n for word, n in seen.types.items() if word.casefold() not in events.kinds}
    found["events of unknown type"] = sum(unknown.values())
    rules = _rules(question, unknown)
    told = []
    for name, rule in rules.items():
        if found[name] and not (name == "sessions of one event" and not _asks_sessions(question)):
            told.append(Finding(name, found[name], found[name] / max(_whole(name, found, seen.rows), 1), rule))
    return tuple(told)


def _rules(question: Question, unknown: Mapping[str, int]) -> dict[str, str]:
    rules = dict(RULES)
    if unknown:
        words = examples([f"'{word}'" for word in sorted(unknown, key=lambda word: -unknown[word])])
        rules["events of unknown type"] += f" ({words})"
    if question.bots == "drop":
        rules["suspected bots"] = rules["suspected bots"].replace("kept", "left out")
        rules["events of suspected bots"] = "left out"
    if question.crossed == "first":
        rules["units in several variants"] = "counted in the variant of their first event"
    return rules


def _asks_sessions(question: Question) -> bool:
    return any(hasattr(measure, "gap") for measure in question.measures)


def _whole(name: str, found: Counter[str], rows: int) -> int:
    """What a count is a share of."""
    if "session" in name:
        return found["sessions"]
    if name.startswith("units") or name == "suspected bots":
        return found["users"]
    if "conversions" in name or "values" in name:
        return found["conversions"]
    if "clicks" in name:
        return found["clicks"]
    return found["impressions"] if "impressions" in name else rows
