"""How results of this package become text: JSON, tables of sums, numbers as people read them."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rankmeter.measures.online import OnlineMeasure
from rankmeter.measures.prose import Language
from rankmeter.showing.document import Cell
from rankmeter.stats.estimates import Estimate
from rankmeter.wording import Said, said, word

Values = Mapping[str, Mapping[OnlineMeasure, Estimate]]


class Told:
    """A result that can be told as plain Python, and so as JSON."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"

    def to_json(self, *, indent: int | None = 2) -> str:
        """The same as JSON; what is no number is null."""
        from rankmeter.evaluating.stored import finite  # loads more than a log needs

        return json.dumps(finite(self.to_dict()), indent=indent, ensure_ascii=False)


def html_table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table for notebooks, its cells escaped; the first column is text, the others stand to the right."""
    left, right = "<td>{}</td>", "<td style='text-align:right'>{}</td>"
    lines = [[(right if place else left).format(html.escape(cell)) for place, cell in enumerate(row)] for row in rows]
    cells = "".join(f"<tr>{''.join(line)}</tr>" for line in lines)
    names = "".join(f"<th>{html.escape(name)}</th>" for name in head)
    return f"<table><caption>{html.escape(caption)}</caption><tr>{names}</tr>{cells}</table>"


def plain_values(values: Values) -> dict[str, dict[str, Any]]:
    """Estimates by group and measure as plain Python."""
    return {
        group: {str(measure): one.to_dict() for measure, one in of_measure.items()}
        for group, of_measure in values.items()
    }


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


def shown(one: Estimate, measure: OnlineMeasure, *, digits: int = 4, lang: Language = "en") -> str:
    """A value with its interval as people read it; no data is said, never 0."""
    if math.isnan(one.value):
        return word("online_no_data", lang)
    unit = f" {measure.unit}" if measure.unit else ""
    digits = 1 if measure.unit else digits
    if math.isnan(one.low):
        return f"{one.value:.{digits}f}{unit}"
    return f"{one.value:.{digits}f}{unit} [{one.low:.{digits}f}, {one.high:.{digits}f}]"


def number_cell(value: float, low: float, high: float, lang: Language) -> Cell:
    """A value with its interval; what is missing is said."""
    if math.isnan(value):
        return Cell(word("online_no_data", lang))
    return Cell(value, span=word("without_interval", lang) if math.isnan(low) else (low, high))


def interval_of(one: Estimate, form: str = "+.4f") -> str:
    """A value with its interval where they exist; what is missing is said."""
    if math.isnan(one.value):
        return word("online_no_data", "en")
    if math.isnan(one.low):
        return f"{one.value:{form}} (no interval)"
    return f"{one.value:{form}} [{one.low:{form}}, {one.high:{form}}]"


def brief(number: float) -> str:
    """A number in three digits; a dash where there is none."""
    return "-" if math.isnan(number) else f"{number:.3g}"


def percent(one: Estimate, *, lang: Language = "en") -> str:
    """A relative difference as people read it."""
    if math.isnan(one.value):
        return word("online_no_data", lang)
    if math.isnan(one.low):
        return f"{one.value:+.1%}"
    return f"{one.value:+.1%} [{one.low:+.1%}, {one.high:+.1%}]"
