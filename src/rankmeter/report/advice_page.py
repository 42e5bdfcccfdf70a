"""Advice as a document: what the data look like, which measures fit and why, how they behave, what to mind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankmeter.showing.document import Block, Cell, Column, Heading, Paragraph, Table, text_table
from rankmeter.wording import Language, Said, said, word

if TYPE_CHECKING:
    from rankmeter.comparing.advice import Advice, Behaviour, DataFacts


def advice_document(advice: Advice, language: Language = "en") -> list[Block]:
    """Everything that is said about the data and the measures."""
    rows = [(advised.measure, advised.why.text(language)) for advised in advice.recommended]
    users = advice.purpose == "recommendation"
    facts = [fact.about_users() if users else fact for fact in _facts(advice.facts, advice.k, users=users)]
    blocks: list[Block] = [Paragraph(fact.text(language)) for fact in facts]
    blocks += [Heading(word("recommended", language)), text_table(("", ""), rows, ("text", "text"))]
    if advice.behaviour:
        blocks += [Heading(word("on_these_runs", language)), _behaviour(advice.behaviour, language)]
    if advice.alike:
        blocks.append(Heading(word("say_the_same", language)))
        blocks += [
            Paragraph(word(f"correlated_over_{pair.over}", language, a=a, b=b, correlation=pair.correlation), "item")
            for pair in advice.alike
            for a, b in [pair.measures]
        ]
    notes = [Paragraph(word("note", language, text=note), "note") for note in advice.notes]
    return [*blocks, *([Heading("", 1)] if notes else []), *notes]


def _facts(facts: DataFacts, k: int, *, users: bool) -> list[Said]:
    judged = said("graded", grades=facts.grades) if facts.is_graded else said("binary")
    sentences = [
        said("facts_queries", queries=facts.queries, with_relevant=facts.with_relevant, kind=judged),
        said("facts_relevant", median=facts.relevant_median, one=facts.one_relevant),
    ]
    if facts.systems:
        length, shares = facts.length_median, facts.judged_share
        kind = "facts_lists" if users else "facts_runs"
        sentences.append(said(kind, systems=facts.systems, length=length, k=k, shares=shares))
    return sentences


def _behaviour(behaviour: Sequence[Behaviour], language: Language) -> Table:
    heads = [word(kind, language) for kind in ("separates_pairs", "halves_agree", "at_maximum")]
    rows = [
        tuple(map(Cell, (measured.measure, measured.separates, measured.stable, measured.saturated)))
        for measured in behaviour
    ]
    return Table((Column("", "text"), *(Column(head, "share", digits=0) for head in heads)), tuple(rows))
