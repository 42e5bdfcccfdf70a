"""Comparisons as documents: who won, by how much, and what the data can bear. Pure functions of a comparison."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rankmeter.comparing.records import MOST_TESTED, units_said
from rankmeter.inputs.reading import reading_line
from rankmeter.measures import Measure
from rankmeter.report.evaluations import definition_lines, meanings, measure_column, value_cell
from rankmeter.showing.characters import width_of
from rankmeter.showing.document import Block, Cell, Column, Folded, Heading, Mark, Paragraph, Table, items
from rankmeter.showing.latex import table_latex
from rankmeter.showing.markdown import document_markdown
from rankmeter.showing.numbers import DIGITS, in_ranges, p_text
from rankmeter.showing.terminal import document_text
from rankmeter.wording import Language, Said, in_language, said, word

if TYPE_CHECKING:
    from rankmeter.comparing.records import Difference, Score
    from rankmeter.comparing.results import Comparison
    from rankmeter.judging.assistance import Assistance

NAMES_WIDTH = 40
"""Up to how many columns all names together take where the table says by name which systems one beats."""
BEST: frozenset[Mark] = frozenset({"best"})
NOTHING: frozenset[Mark] = frozenset()


def marks_of(difference: Difference) -> frozenset[Mark]:
    """What a difference is: significant, and then better or worse."""
    return NOTHING if not difference.significant else frozenset({"up" if difference.is_better else "down"})


def difference_cell(difference: Difference) -> Cell:
    """A difference with its interval, marked where it is significant."""
    value = None if math.isnan(difference.difference) else difference.difference
    span = None if difference.interval is None else (difference.interval.low, difference.interval.high)
    return Cell(value, marks_of(difference), span)


def leaderboard(cmp: Comparison, measure: Measure, *, digits: int = DIGITS, lang: Language = "en") -> Table:
    """The systems under one measure, best first."""
    scores = cmp.ranked(measure)
    largest = max((abs(score.value) for score in scores if math.isfinite(score.value)), default=0.0) or 1.0
    against = cmp.shown_against
    interval = word("level_interval", lang, level=cmp.settings.level)
    columns = [
        Column("", "mark"),
        Column(word("system", lang), "text"),
        measure_column(measure, digits, label=cmp.label(measure)),
        Column(interval, "interval", 3, digits),
        Column("", "bar", 5),
        Column(word("rank", lang), "number", 2),
    ]
    if against:
        p = word("p_by", lang, correction=cmp.settings.correction)
        columns += [
            Column(word("minus", lang, system=against), "difference", 0, digits),
            Column(p, "p", 1),
            Column(word("outcomes", lang), "number", 4),
        ]
    else:
        columns.append(Column(word("beats", lang), "number", 1))
    rows = []
    won = {} if against else beaten(cmp, measure)
    number = {} if against or _named(cmp) else {name: place for place, name in enumerate(cmp.systems, 1)}
    for place, score in enumerate(scores):
        marks = BEST if score.in_best else NOTHING
        span = None if score.interval is None else (score.interval.low, score.interval.high)
        known = None if math.isnan(score.value) else score.value
        cells = [
            Cell(marks=marks),
            Cell(f"{number[score.system]} {score.system}" if number else score.system),
            value_cell(known, measure, digits, marks=marks)
            if known is not None
            else Cell(f"- ({in_language(score.reason, lang)})"),
            value_cell(known, measure, digits, span=span or "-"),
            Cell(score.value / largest if known is not None else 0.0),
            Cell(_rank(score), sort=float(place)),
        ]
        cells += _against(cmp, score, against, lang) if against else [Cell(_beaten_text(cmp, won[score.system], lang))]
        rows.append(tuple(cells))
    return Table(tuple(columns), tuple(rows))


def _rank(score: Score) -> str:
    if score.rank is None or score.rank_low is None:
        return "-"
    is_sure = score.rank_low == score.rank_high
    return str(score.rank) if is_sure else f"{score.rank} ({score.rank_low}-{score.rank_high})"


def _against(cmp: Comparison, score: Score, other: str, lang: Language) -> list[Cell]:
    if score.system == other:
        return [Cell(word("baseline", lang) if other == cmp.baseline else "", sort=0.0), Cell(""), Cell("")]
    one = cmp.difference(score.measure, score.system, other)
    counts = f"{one.effect.wins}/{one.effect.ties}/{one.effect.losses}" if one.effect else "-"
    ahead = float(one.effect.wins - one.effect.losses) if one.effect else 0.0
    return [difference_cell(one), Cell(one.p_corrected), Cell(counts, sort=ahead)]


def beaten(cmp: Comparison, measure: Measure) -> dict[str, set[str]]:
    """For each system those that it beats significantly under a measure."""
    won: dict[str, set[str]] = {name: set() for name in cmp.systems}
    for one in cmp.differences_of(measure):
        if one.significant:
            winner, loser = (one.system, one.other) if one.is_better else (one.other, one.system)
            won[winner].add(loser)
    return won


def _beaten_text(cmp: Comparison, won: set[str], lang: Language) -> str:
    if _named(cmp):
        return word("between", lang).join(name for name in cmp.systems if name in won)
    return in_ranges([number for number, name in enumerate(cmp.systems, 1) if name in won])


def _named(cmp: Comparison) -> bool:
    """Whether there is room for the names of the systems that one beats; numbers never run out."""
    return sum(map(width_of, cmp.systems)) <= NAMES_WIDTH


def quality_table(cmp: Comparison, *, digits: int = DIGITS, lang: Language = "en") -> Table:
    """How sure the data of each system is: what is missing, unjudged or tied, and what that could change."""
    cutoffs = sorted({k for one in cmp.quality.values() for k in one.judged_at})
    across = sorted({k for one in cmp.quality.values() for k, count in one.ties_across.items() if count})
    bounded = [m for m in cmp.measures if any(cmp.score(m, system).unjudged for system in cmp.systems)]
    columns = [Column(word("system", lang), "text"), Column(word("missing", lang), "count")]
    columns += [Column(word("judged_at", lang, k=k), "share", 1) for k in cutoffs]
    columns += [Column(word("across_k", lang, k=k), "count", 1) for k in across]
    columns += [Column(f"{cmp.label(m)}{'' if _is_bound(cmp, m) else '~'}", "number", 2) for m in bounded]
    rows = []
    for system in cmp.systems:
        one = cmp.quality[system]
        cells = [Cell(system), Cell(one.missing)]
        cells += [Cell(one.judged_at.get(k)) for k in cutoffs]
        cells += [Cell(one.ties_across.get(k, 0)) for k in across]
        for measure in bounded:
            bounds = cmp.score(measure, system).unjudged
            ends = (bounds.none_relevant, bounds.all_relevant) if bounds else (None, None)
            known = [None if end is None or math.isnan(end) else end for end in ends]
            texts = [value_cell(end, measure, digits).text(measure_column(measure, digits)) for end in known]
            width = known[1] - known[0] if known[0] is not None and known[1] is not None else 0.0
            cells.append(Cell(" .. ".join(texts), sort=width))
        rows.append(tuple(cells))
    return Table(tuple(columns), tuple(rows))


def doubts(cmp: Comparison, lang: Language = "en", leaving_out: Collection[str] = ()) -> list[Block]:
    """What is wrong with the data, and nothing else: lists that are missing, items that nobody judged, ties."""
    table = quality_table(cmp, lang=lang)
    wrong = [any(map(_is_wrong, column, [table.columns[at]] * len(column))) for at, column in
             enumerate(zip(*table.rows, strict=True))]  # fmt: skip
    kept = {id(column) for column, is_wrong in zip(table.columns, wrong, strict=True) if is_wrong}
    shown = table.only(lambda column: column.kind == "text" or id(column) in kept)
    notes = [Paragraph(note.text(lang), "note") for note in cmp.notes if note not in leaving_out]
    if not kept:
        return list(notes)
    return [*notes, shown, *(Paragraph(line, "hint") for line in quality_words(cmp, lang))]


def _is_wrong(cell: Cell, column: Column) -> bool:
    if column.kind == "share":
        return cell.value is not None and cell.value < 1
    return column.kind != "text" and bool(cell.value if cell.sort is None else cell.sort)


def _is_bound(cmp: Comparison, measure: Measure) -> bool:
    return any(b.kind == "bounds" for s in cmp.systems if (b := cmp.score(measure, s).unjudged))


def quality_words(cmp: Comparison, lang: Language = "en") -> list[str]:
    """What the columns of the quality table mean."""
    lines = []
    if any(type(m).name == "Judged" for m in cmp.measures) and any(one.judged_at for one in cmp.quality.values()):
        lines.append(word("judged_mean", lang))  # two shares of one name stand in one report
    if not any(cmp.score(m, s).unjudged for m in cmp.measures for s in cmp.systems):
        return lines
    lines.append(word("ends_mean", lang))
    if any(cmp.score(m, s).unjudged and not _is_bound(cmp, m) for m in cmp.measures for s in cmp.systems):
        lines.append(word("scenarios_mean", lang))
    return lines


def quality_blocks(cmp: Comparison, *, digits: int = DIGITS, lang: Language = "en") -> list[Block]:
    """How sure the data is: what is to be known before the numbers."""
    notes = [Paragraph(word("note", lang, text=note), "note") for note in cmp.notes]
    hints = [Paragraph(line, "hint") for line in quality_words(cmp, lang)]
    return [quality_table(cmp, digits=digits, lang=lang), *hints, *notes]


def legend(cmp: Comparison, lang: Language = "en") -> list[str]:
    """What the marks mean, and how p-values and intervals were made."""
    return [*board_marks(cmp, lang), *how_made(cmp, lang)]


def board_marks(cmp: Comparison, lang: Language = "en") -> list[str]:
    """What the marks of a leaderboard mean; it has none where nothing was tested."""
    kind = "arrows_mean"
    if cmp.shown_against is None:
        kind = "beats_mean" if _named(cmp) else "beats_numbers_mean"
    marks = [
        said("best_mark", mark="*", level=cmp.settings.level),
        said(kind, baseline=cmp.shown_against, alpha=cmp.settings.alpha),
    ]
    return [line.text(lang) for line in marks if cmp.is_tested]


def how_made(cmp: Comparison, lang: Language = "en") -> list[str]:
    """How p-values and intervals were made, and how the inputs were read."""
    disagree = any(score.in_best is False and score.rank_low == 1 for score in cmp.scores)
    lines = [
        *cmp.how_made(),
        *([said("group_and_ranks_disagree")] if disagree else []),
        *sliced_how(cmp),
        *([read] if (read := reading_line(cmp.reading.values())) else []),
    ]
    return [line.text(lang) for line in lines]


def board_blocks(cmp: Comparison, *, digits: int = DIGITS, lang: Language = "en") -> list[Block]:
    """The numbers: a leaderboard for each measure, then the slices, then what a machine's judgments add."""
    blocks: list[Block] = []
    for measure in cmp.measures:
        blocks.append(leaderboard(cmp, measure, digits=digits, lang=lang))
        blocks += [Paragraph(line, "hint") for line in under_board(cmp, measure, lang)]
    return [*blocks, *slice_tables(cmp, digits=digits, lang=lang), *assisted_blocks(cmp, lang)]


def assisted_blocks(cmp: Comparison, lang: Language = "en") -> list[Block]:
    """People only, people with the machine and the machine only side by side, where a machine judged too."""
    return [] if cmp.assisted is None else cmp.assisted.document(lang)


def under_board(cmp: Comparison, measure: Measure, lang: Language = "en") -> list[str]:
    """Why something is missing under a measure, and which systems were shown to be no worse."""
    reasons = [score.reason for score in cmp.ranked(measure)[:1] if score.reason and not math.isnan(score.value)]
    lines = [*(in_language(reason, lang) for reason in reasons), equivalence_line(cmp, measure, lang)]
    return [line for line in lines if line]


def comparison_document(cmp: Comparison, *, digits: int = DIGITS, lang: Language = "en") -> list[Block]:
    """The grid of systems and measures first, the leaderboards, then what the data can bear and how to read it."""
    tests = [
        difference_table(cmp, measure, digits=digits, lang=lang) for measure in cmp.measures if measure in cmp.samples
    ]
    return [
        *(Paragraph(sentence.text(lang)) for sentence in verdict(cmp, digits)),
        *([grid(cmp, digits=digits, lang=lang)] if len(cmp.measures) > 1 else []),
        *(Paragraph(note.text(lang), "note") for note in cmp.notes),
        *board_blocks(cmp, digits=digits, lang=lang),
        Folded(word("quality", lang), (quality_table(cmp, digits=digits, lang=lang), *items(quality_words(cmp, lang)))),
        *([Folded(word("every_test", lang), tuple(tests))] if tests else []),
        Folded(word("how_to_read", lang), tuple(items(legend(cmp, lang)))),
        meanings(cmp.measures, lang, cmp.label),
    ]


def to_text(cmp: Comparison, *, digits: int = DIGITS, lang: Language = "en", width: int | None = None) -> str:
    """Everything that a terminal shows of a comparison: the verdict, the boards, how sure the data is."""
    document = [
        *(Paragraph(sentence.text(lang)) for sentence in verdict(cmp, digits)),
        *board_blocks(cmp, digits=digits, lang=lang),
        Heading(word("quality", lang), 1),
        *quality_blocks(cmp, digits=digits, lang=lang),
        *(Paragraph(line) for line in legend(cmp, lang)),
    ]
    return document_text(document, width=width, lang=lang)


def difference_table(
    cmp: Comparison, measure: Measure, *, digits: int = DIGITS, lang: Language = "en", most: int | None = None
) -> Table:
    """The pairs that were tested under one measure: size, interval, p-values, effect sizes, what could be found."""
    facts = {"level": cmp.settings.level, "correction": cmp.settings.correction, "power": cmp.settings.power}
    columns = (
        Column(word("pair", lang), "text"),
        Column(word("difference", lang), "difference", 0, digits),
        Column(word("level_interval", lang, **facts), "difference", 1, digits),
        Column(word("p", lang), "p"),
        Column(word("p_by", lang, **facts), "p"),
        Column(word("effect_size", lang), "difference", 2, 2),
        Column(word("rank_biserial", lang), "difference", 2, 2),
        Column(word("detectable", lang, **facts), "number", 3, digits),
    )
    rows = []
    for one in [one for one in cmp.differences_of(measure) if one.p is not None][:most]:
        ends = (one.interval.low, one.interval.high) if one.interval else (None, None)
        sizes = (one.effect.standardised, one.effect.rank_biserial) if one.effect else (None, None)
        values: list[object] = [one.p, one.p_corrected, *sizes, one.detectable]
        cells = [Cell(f"{one.system} - {one.other}"), Cell(one.difference, marks_of(one)), Cell("", span=ends)]
        rows.append((*cells, *map(Cell, values)))
    return Table(columns, tuple(rows), cmp.label(measure))


def equivalence_line(cmp: Comparison, measure: Measure, lang: Language = "en") -> str:
    """Which systems were shown to be no worse than the other of their pair, where a margin was given."""
    tested = [(one, one.equivalence) for one in cmp.differences_of(measure) if one.equivalence]
    if not tested:
        return ""
    verdicts, alpha = [], cmp.settings.alpha
    for one, q in tested:
        kind, p = "not_shown", q.no_worse
        if q.equivalent < alpha:
            kind, p = "as_good", q.equivalent
        elif q.no_worse < alpha:
            kind = "no_worse"
        verdicts.append(word(kind, lang, system=one.system, other=one.other, p=p_text(p)))
    margin = word("within_margin", lang, margin=tested[0][1].margin)
    return margin + word("between_verdicts", lang).join(verdicts)


def grid(cmp: Comparison, *, digits: int = DIGITS, lang: Language = "en", systems: Sequence[str] = ()) -> Table:
    """Systems x measures: the best group marked, significance as an arrow or as the numbers of those beaten."""
    rows = []
    shown = systems or cmp.systems
    numbers = {name: number for number, name in enumerate(dict.fromkeys([*shown, *cmp.systems]), 1)}
    won = {measure: beaten(cmp, measure) for measure in cmp.measures} if cmp.settings.family == "all" else {}
    for system in shown:
        row = [Cell(numbers[system], sort=numbers[system]), Cell(system)]
        for measure in cmp.measures:
            score = cmp.score(measure, system)
            marks, raised = BEST if score.in_best else NOTHING, ""
            if cmp.settings.family == "all":
                raised = in_ranges(sorted(numbers[name] for name in won[measure][system]))
            elif system != cmp.baseline:
                marks |= marks_of(cmp.difference(measure, system))
            known = None if math.isnan(score.value) else score.value
            row.append(value_cell(known, measure, digits, marks=marks, raised=raised))
        rows.append(tuple(row))
    heads = [Column("#", "count", 1), Column(word("system", lang), "text")]
    columns = (
        measure_column(measure, digits, at + 2 if at else 0, cmp.label(measure))
        for at, measure in enumerate(cmp.measures)
    )
    return Table((*heads, *columns), tuple(rows))


def verdict(cmp: Comparison, digits: int = DIGITS) -> list[Said]:
    """The answer: which system is best, whom it cannot be told from, by how much it is ahead of the baseline.

    Measures that agree on it share a sentence; the table beside it has their numbers. Where a machine judged too, what
    people and machine say together comes first; of single items, people's judgments alone are no estimate.
    """
    groups: dict[tuple[str, ...], list[Score]] = {}
    for measure in cmp.measures:
        best, *others = cmp.ranked(measure)
        if best.in_best is not None and not math.isnan(best.value):
            rivals = (score.system for score in others if score.in_best)
            is_equal = all(score.value == best.value for score in others)
            groups.setdefault(() if is_equal else (best.system, *rivals), []).append(best)
    sentences = [_verdict(cmp, group, scores, digits) for group, scores in groups.items()]
    if cmp.assisted is None:
        return sentences
    alone = [said("verdict_people_alone", sentence=sentence) for sentence in sentences]
    return [*_assisted_verdicts(cmp.assisted, digits), *(alone if cmp.assisted.design.kind != "items" else [])]


def _assisted_verdicts(assisted: Assistance, digits: int) -> list[Said]:
    """Which system is first by people and machine together, under each measure, and whom it is ahead of."""
    made = []
    for measure in assisted.measures:
        values = [assisted.value(measure, system) for system in assisted.systems]
        best = max(values, key=lambda one: one.value)
        tested = [one for one in assisted.differences(measure) if best.system in (one.system, one.other)]
        behind: dict[bool, list[str]] = {True: [], False: []}
        for one in tested:
            is_sure = one.p_corrected is not None and one.p_corrected < 1 - assisted.level
            is_ahead = is_sure and (one.value > 0) == (one.system == best.system)
            behind[is_ahead].append(str(one.other if one.system == best.system else one.system))
        kind = "open" if behind[False] else "clear"
        value = f"{best.value:.{digits}f}"
        facts = {"measure": str(measure), "system": best.system, "value": value, "others": behind[kind == "clear"]}
        made.append(said(f"verdict_assisted_{kind}", **facts))
    return made


def _verdict(cmp: Comparison, group: Sequence[str], scores: Sequence[Score], digits: int) -> Said:
    """What is said of measures with the same best systems, the first of all first; of none where all are equal."""
    rivals = group[1:]
    best, several = scores[0], "_several" if len(scores) > 1 else ""
    value = value_cell(best.value, best.measure, digits).text(measure_column(best.measure, digits))
    label = cmp.label(best.measure)
    facts = {"measure": label, "measures": [cmp.label(score.measure) for score in scores], "value": value}
    if not group:
        return said(f"verdict_equal{several}", **facts)
    others = said("some_and_more", names=rivals[:3], more=len(rivals) - 3) if len(rivals) > 4 else list(rivals)
    kind = f"verdict_{'open' if rivals else 'clear'}{several}"
    sentence = said(kind, system=best.system, others=others, **facts)
    against = cmp.shown_against
    if against is None or against == best.system:
        return sentence
    one = cmp.difference(best.measure, best.system, against)
    difference = replace(difference_cell(one), marks=NOTHING).whole(Column("", "difference", digits=digits))
    gain = said(
        f"verdict_{'gain' if one.significant else 'no_gain'}{several}", measure=label,
        baseline=against, p=p_text(one.p_corrected), difference=difference,
    )  # fmt: skip
    return said("two_sentences", first=sentence, second=gain)


def to_markdown(cmp: Comparison, *, digits: int = DIGITS, lang: Language = "en") -> str:
    """A table of systems x measures: the best group in bold, significance as marks, below it what they mean."""
    notes = [
        *_below(cmp, lang),
        *(note.text(lang) for note in cmp.notes),
        *definition_lines(cmp.measures, lang, cmp.label),
    ]
    cuts = slice_tables(cmp, digits=digits, lang=lang)
    return document_markdown([grid(cmp, digits=digits, lang=lang), *cuts, *items(notes)])


def to_latex(cmp: Comparison, *, digits: int = DIGITS, lang: Language = "en") -> str:
    r"""A LaTeX ``tabular`` with the rules of booktabs; marks are superscript numbers of systems, or arrows."""
    return table_latex(
        grid(cmp, digits=digits, lang=lang), [*_below(cmp, lang), *definition_lines(cmp.measures, lang, cmp.label)]
    )


def marks_mean(cmp: Comparison, lang: Language = "en") -> list[str]:
    """What the marks of the table of all systems and measures mean."""
    kind = "numbers_in_table" if cmp.settings.family == "all" else "arrows_in_table"
    marks = [
        said("best_in_table", level=cmp.settings.level),
        said(kind, baseline=cmp.baseline, alpha=cmp.settings.alpha),
    ]
    return [line.text(lang) for line in marks if cmp.is_tested]


def _below(cmp: Comparison, lang: Language) -> list[str]:
    """What the marks of a table mean, and how they were come by."""
    return [*marks_mean(cmp, lang), *(line.text(lang) for line in [*cmp.how_made(), *sliced_how(cmp)])]


def slice_tables(
    cmp: Comparison, *, digits: int = DIGITS, lang: Language = "en", only: Measure | None = None
) -> list[Table]:
    """For each way of slicing and each measure a row per slice and a column per system, the best value marked.

    What was tested follows: the difference of each system to the baseline, or the pairs that differ significantly.
    """
    made = []
    for cut in cmp.slices.values():
        for measure, several in cut.values.items():
            if only not in (None, measure):
                continue
            columns, tested = slice_outcomes(cmp, cut.name, measure, digits=digits, lang=lang)
            rows = []
            for place, label in enumerate(cut.labels):
                known = [value for value in several[place] if not math.isnan(value)]
                best = (max if measure.higher_is_better else min)(known, default=math.nan)
                values = [
                    value_cell(None if math.isnan(value) else value, measure, digits,
                               marks=BEST if value == best else NOTHING)
                    for value in several[place]
                ]  # fmt: skip
                more = tested.get(label, [Cell("-")] * len(columns))
                rows.append((Cell(label), Cell(cut.counts[measure][place]), *values, *more))
            head = Column(word("slice_head", lang, name=cut.name, measure=cmp.label(measure)), "text")
            named = [Column(name, "number", 1, digits) for name in cmp.systems]
            made.append(
                Table(
                    (
                        head,
                        Column(word("users" if cmp.purpose == "recommendation" else "query_count", lang), "count", 2),
                        *named,
                        *columns,
                    ),
                    tuple(rows),
                )
            )
    return made


def slice_outcomes(
    cmp: Comparison, by: str, measure: Measure, *, digits: int = DIGITS, lang: Language = "en"
) -> tuple[list[Column], dict[str, list[Cell]]]:
    """What the tests within slices found: some columns, and for each slice that was tested their cells."""
    slices: dict[str, list[Difference]] = {}
    for one in cmp.slice_differences:
        if one.by == by and one.found.measure == measure:
            slices.setdefault(one.slice, []).append(one.found)
    if not slices:
        return [], {}
    against = cmp.shown_against
    if against is None:
        columns = [Column(word("slice_significant", lang), "number", 1)]
        return columns, {label: [Cell(_won(several, lang))] for label, several in slices.items()}
    others = [name for name in cmp.systems if name != against]
    p = word("p_by", lang, correction=cmp.settings.correction)
    columns = [
        column
        for name in others
        for column in (Column(f"{name} - {against}", "difference", 1, digits), Column(p, "p", 1))
    ]
    cells: dict[str, list[Cell]] = {}
    for label, several in slices.items():
        seen = {one.system: one for one in (one if one.other == against else one.turned() for one in several)}
        pairs = [(difference_cell(seen[name]), Cell(seen[name].p_corrected)) for name in others]
        cells[label] = [cell for pair in pairs for cell in pair]
    return columns, cells


def _won(differences: Sequence[Difference], lang: Language) -> str:
    """Which systems are significantly better than which."""
    better = [one if one.is_better else one.turned() for one in differences if one.significant]
    texts = [word("is_better_than", lang, system=one.system, other=one.other) for one in better]
    return word("between", lang).join(texts) or "-"


def sliced_how(cmp: Comparison) -> list[Said]:
    """How differences within slices were tested, where they were."""
    if not cmp.slice_differences:
        return []
    tests = max(one.tests for one in cmp.slice_differences)
    return [said("slices_tested", units=units_said(cmp.settings.unit), tests=tests, most=MOST_TESTED)]
