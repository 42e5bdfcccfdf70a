"""Results of logs as plain data, and their numbers as people read them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from rankmeter.measures.online import OnlineMeasure
from rankmeter.measures.prose import Language
from rankmeter.showing.document import Cell
from rankmeter.stats.estimates import Estimate
from rankmeter.wording import Said, said, word


def plain_of(value: Any) -> Any:
    """Records, estimates and measures as plain Python, however deep they stand."""
    if isinstance(value, Estimate):
        return value.to_dict()
    if isinstance(value, OnlineMeasure):
        return str(value)
    if is_dataclass(value):
        return {part.name: plain_of(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(key): plain_of(part) for key, part in value.items()}
    return [plain_of(part) for part in value] if isinstance(value, (list, tuple)) else value


def facts(counts: Mapping[str, int]) -> Said:
    """How much of everything a log has, in one sentence."""
    known = {name: counts[name] for name in ("events", "users", "impressions", "clicks", "conversions")}
    if not counts["sessions"]:
        return said("log_facts_without_sessions", **known)
    zero, engaged = (share_of_sessions(counts, name) for name in ("sessions of no length", "engaged sessions"))
    return said("log_facts", **known, sessions=counts["sessions"], zero=zero, engaged=engaged)


def share_of_sessions(counts: Mapping[str, int], name: str) -> float:
    """How many of the sessions are so; NaN where there are none."""
    return counts[name] / counts["sessions"] if counts["sessions"] else math.nan


def shown(estimate: Estimate, measure: OnlineMeasure, *, digits: int = 4, lang: Language = "en") -> str:
    """A value with its interval as people read it; no data is said, never 0."""
    if math.isnan(estimate.value):
        return word("online_no_data", lang)
    unit = f" {measure.unit}" if measure.unit else ""
    digits = 1 if measure.unit else digits
    if math.isnan(estimate.low):
        return f"{estimate.value:.{digits}f}{unit}"
    return f"{estimate.value:.{digits}f}{unit} [{estimate.low:.{digits}f}, {estimate.high:.{digits}f}]"


def number_cell(value: float, low: float, high: float, lang: Language) -> Cell:
    """A value with its interval; what is missing is said."""
    if math.isnan(value):
        return Cell(word("online_no_data", lang))
    return Cell(value, span=word("without_interval", lang) if math.isnan(low) else (low, high))


def brief(number: float) -> str:
    """A number in three digits; a dash where there is none."""
    return "-" if math.isnan(number) else f"{number:.3g}"


def percent(estimate: Estimate, *, lang: Language = "en") -> str:
    """A relative difference as people read it."""
    if math.isnan(estimate.value):
        return word("online_no_data", lang)
    if math.isnan(estimate.low):
        return f"{estimate.value:+.1%}"
    return f"{estimate.value:+.1%} [{estimate.low:+.1%}, {estimate.high:+.1%}]"
