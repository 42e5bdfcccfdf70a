"""The tables of what was counted and compared: of a terminal, a notebook and the page of the report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rankmeter.measures.online import OnlineMeasure
from rankmeter.online.phrases import brief, percent, shown
from rankmeter.showing.document import Cell, Column, Mark, Table, text_table
from rankmeter.stats.estimates import Estimate
from rankmeter.wording import Language, exact_percent, word
from rankmeter.wording import words as words_of

if TYPE_CHECKING:
    from rankmeter.online.trial import Effect, Experiment


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
    return text_table(heads, rows, ("text", "text", "text", "number", "number"))


def page_words(lang: Language) -> dict[str, str]:
    """The labels of the page in one language, by name."""
    every = words_of("online", lang)
    return {kind.removeprefix("online_"): text for kind, text in every.items() if kind.startswith("online_")}
