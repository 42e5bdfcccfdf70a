"""Results of logs as plain data, as texts and as tables: of a terminal, a notebook and the page of the report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from rankmeter.measures.online import OnlineMeasure
from rankmeter.showing.document import Cell, Column, Mark, Table, text_table
from rankmeter.stats.estimates import Estimate
from rankmeter.wording import Language, Said, exact_percent, said, word
from rankmeter.wording import words as words_of

if TYPE_CHECKING:
    from rankmeter.online.trial import Effect, Experiment


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


def value_table(
    values: Mapping[str, Mapping[OnlineMeasure, Estimate]], by: str, head: str, unit: str, lang: Language
) -> Table:
    """A row per group and measure; ``by`` is what divides units, ``head`` what the column of values is called."""
    units = word("online_units", lang, unit=word(f"online_{unit}", lang))
    rows = [
        [*([group] if by else []), str(measure), shown(estimate, measure, lang=lang), estimate.units]
        for group, of in values.items()
        for measure, estimate in of.items()
    ]
    heads = [*([by] if by else []), word("online_measure", lang), head, units]
    return text_table(heads, rows, [*(["text"] if by else []), "text", "number", "count"])  # type: ignore[list-item]


_VERDICTS: dict[str, frozenset[Mark]] = {"better": frozenset({"up"}), "worse": frozenset({"down"})}


_LEAST_FIRST = ("", "p", "difference", "role", "chance", "loss", "least")
"""What a narrow terminal leaves out, the last first: whether and how much, relative to the control, always stays."""


def effects_table(
    segment: str, effects: Sequence[Effect], trial: Experiment, lang: Language, *, is_page: bool = False
) -> Table:
    """Every difference from the control; a page has room for what may be looked at any day."""
    words = page_words(lang)
    roles, chances = any(effect.role for effect in effects), any(not math.isnan(effect.chance) for effect in effects)
    names = ["measure", "variant", *(["role"] if roles else []), "difference", "relative", "p",
             *(["peek"] if is_page else []), "least", *(["chance", "loss"] if chances else []), "verdict"]  # fmt: skip
    values = {"correction": trial.correction, "power": exact_percent(trial.plan.power)}
    heads = [*([segment] if segment else []), *(words[name].format(**values) for name in names)]
    rows = []
    for effect in effects:
        base = effect.control_value.value
        share = f" ({abs(effect.least / base):.1%})" if is_page and base and not math.isnan(base) else ""
        least = words["no_data"] if math.isnan(effect.least) else f"{brief(effect.least)}{share}"
        verdict = (effect.guard or effect.verdict).replace(" ", "_")
        texts = [
            *([effect.segment] if segment else []),
            str(effect.measure),
            effect.variant,
            *([words[effect.role]] if roles else []),
            shown(effect.difference, effect.measure, lang=lang),
            percent(effect.relative, lang=lang),
            brief(effect.p_corrected),
            *([shown(effect.always_valid, effect.measure, lang=lang)] if is_page else []),
            least,
            *([brief(effect.chance), brief(effect.loss)] if chances else []),
        ]
        rows.append((*map(Cell, texts), Cell(words[verdict], _VERDICTS.get(effect.verdict, frozenset()))))
    labels, names = 2 + bool(segment), [*(["segment"] if segment else []), *names]
    columns = (
        Column(head, "text" if at < labels else "number", _LEAST_FIRST.index(name) if name in _LEAST_FIRST else 0)
        for at, (name, head) in enumerate(zip(names, heads, strict=True))
    )
    return Table(tuple(columns), tuple(rows))


def days_table(trial: Experiment, lang: Language) -> Table:
    """The differences day by day, and what they add up to."""
    heads = [word(f"online_{name}", lang) for name in ("day", "measure", "variant", "that_day", "so_far")]
    rows = [
        [day.day, str(day.measure), day.variant, shown(day.daily, day.measure, lang=lang),
         shown(day.cumulative, day.measure, lang=lang)]
        for day in trial.days
    ]  # fmt: skip
    labels, (that_day, so_far) = (Column(head, "text") for head in heads[:3]), heads[3:]
    columns = (*labels, Column(that_day, importance=1), Column(so_far))
    return Table(columns, tuple(tuple(map(Cell, row)) for row in rows))


def page_words(lang: Language) -> dict[str, str]:
    """The labels of the page in one language, by name."""
    every = words_of("online", lang)
    return {kind.removeprefix("online_"): text for kind, text in every.items() if kind.startswith("online_")}
