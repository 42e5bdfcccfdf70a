"""Values of a log as people read them: with their intervals, and what is missing said."""

from __future__ import annotations

import math
from collections.abc import Mapping

from rankmeter.showing.document import Cell
from rankmeter.wings.online.estimates import Estimate
from rankmeter.wings.online.measures import OnlineMeasure
from rankmeter.wording import Language, Said, said, word, words


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


def shown(estimate: Estimate, measure: OnlineMeasure, *, lang: Language = "en") -> str:
    """A value with its interval as people read it; no data is said, never 0."""
    if math.isnan(estimate.value):
        return word("online_no_data", lang)
    return with_ends(estimate, ".1f", f" {measure.unit}") if measure.unit else with_ends(estimate, ".4f")


def with_ends(estimate: Estimate, form: str, unit: str = "") -> str:
    """A value and the ends of its interval, in one form."""
    ends = "" if math.isnan(estimate.low) else f" [{estimate.low:{form}}, {estimate.high:{form}}]"
    return f"{estimate.value:{form}}{unit}{ends}"


def interval_cell(value: float, low: float, high: float, lang: Language) -> Cell:
    """A value with its interval; what is missing is said."""
    if math.isnan(value):
        return Cell(word("online_no_data", lang))
    return Cell(value, span=word("without_interval", lang) if math.isnan(low) else (low, high))


def page_words(lang: Language) -> dict[str, str]:
    """The labels of the page in one language, by name."""
    every = words("online", lang)
    return {kind.removeprefix("online_"): text for kind, text in every.items() if kind.startswith("online_")}
