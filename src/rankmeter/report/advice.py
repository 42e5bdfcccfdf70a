"""From advice to text, in English or Chinese."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankmeter.measures.prose import Language
from rankmeter.report import tables
from rankmeter.report.tables import Cell, Table
from rankmeter.showing.characters import without_controls
from rankmeter.wording import said, word

if TYPE_CHECKING:
    from rankmeter.comparing.advice import Advice, Behaviour, DataFacts


def to_text(advice: Advice, language: Language = "en") -> str:
    """What the data look like, which measures fit and why, how they behave on the runs, what to mind."""
    rows = [(Cell(""), Cell(one.measure), Cell(one.why.text(language))) for one in advice.recommended]
    lines = [*_facts(advice.facts, advice.k, language), "", word("recommended", language)]
    lines += tables.to_text(Table(("", "", ""), tuple(rows), 3)).splitlines()[1:]
    if advice.behaviour:
        lines += ["", word("on_these_runs", language), tables.to_text(_behaviour(advice.behaviour, language))]
    if advice.alike:
        lines += ["", word("say_the_same", language)]
        lines += [
            "  " + word(f"correlated_over_{one.over}", language, a=a, b=b, correlation=one.correlation)
            for one in advice.alike
            for a, b in [one.measures]
        ]
    notes = [word("note", language, text=note) for note in advice.notes]
    return without_controls("\n".join([*lines, *([""] if notes else []), *notes]))


def _facts(facts: DataFacts, k: int, language: Language) -> list[str]:
    kind = said("graded", grades=facts.grades) if facts.is_graded else said("binary")
    found = [
        said("facts_queries", queries=facts.queries, with_relevant=facts.with_relevant, kind=kind),
        said("facts_relevant", median=facts.relevant_median, one=facts.one_relevant),
    ]
    if facts.systems:
        found.append(
            said("facts_runs", systems=facts.systems, length=facts.length_median, k=k, shares=facts.judged_share)
        )
    return [one.text(language) for one in found]


def _behaviour(behaviour: Sequence[Behaviour], language: Language) -> Table:
    heads = [word(kind, language) for kind in ("separates_pairs", "halves_agree", "at_maximum")]
    rows = [
        (Cell(""), Cell(one.measure), *(Cell(_share(share)) for share in (one.separates, one.stable, one.saturated)))
        for one in behaviour
    ]
    return Table(("", "", *heads), tuple(rows), 2)


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"
