"""Comparisons as documents: who won, by how much, and how sure the data is. Nothing is computed here."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankmeter.comparing.records import MOST_TESTED, units_said
from rankmeter.inputs.reading import reading_line
from rankmeter.measures import Measure
from rankmeter.report.evaluations import definition_lines, meanings, measure_column, value_cell
from rankmeter.report.headline import ShownVerdict
from rankmeter.report.marks import BEST, NOTHING, difference_cell, ends_or_none, marks_of
from rankmeter.showing.document import Block, Cell, Column, Folded, Heading, Paragraph, Table, items
from rankmeter.showing.latex import table_latex
from rankmeter.showing.markdown import document_markdown
from rankmeter.showing.numbers import DIGITS, in_ranges, number_or_none, p_text
from rankmeter.showing.terminal import document_text
from rankmeter.wording import AFTER_NAME, Language, Said, in_language, kinds, said, speaking, word
from rankmeter.wording.characters import width_of

if TYPE_CHECKING:
    from rankmeter.comparing.records import Difference, Score
    from rankmeter.comparing.results import Comparison

_EQUIVALENT = kinds("{}_several", ("as_good", "no_worse", "not_shown"))
_MARGINS = kinds("within_margin_{}", ("hall", "bounded"))
NAMES_WIDTH = 40
"""Up to this width in total, a table names the systems that one beats; else it numbers them."""


@dataclass(frozen=True, slots=True)
class ShownComparison:
    """A comparison as it is shown: its language and its digits. The methods are the parts of a document."""

    cmp: Comparison
    lang: Language = "en"
    digits: int = DIGITS

    def word(self, kind: str, **values: Any) -> str:
        """A wording in the language of the document."""
        return word(kind, self.lang, **values)

    def texts(self, sentences: Iterable[Said]) -> list[str]:
        """Sentences in the language of the document."""
        return [sentence.text(self.lang) for sentence in sentences]

    @property
    def p_by(self) -> str:
        """The heading of corrected p-values."""
        correction = self.cmp.settings.correction
        return self.word("p_alone") if correction == "none" else self.word("p_by", correction=correction)

    def column(self, measure: Measure, importance: int = 0) -> Column:
        """The column of a measure, under the name that it was asked for."""
        return measure_column(measure, self.digits, importance, self.cmp.label(measure))

    def cell(self, value: float | None, measure: Measure, **facts: Any) -> Cell:
        """The cell of a value."""
        return value_cell(value, measure, self.digits, **facts)

    def value_text(self, value: float | None, measure: Measure) -> str:
        """The text of a value."""
        return self.cell(value, measure).text(self.column(measure))

    def leaderboard(self, measure: Measure) -> Table:
        """The systems under one measure, best first."""
        cmp, scores = self.cmp, self.cmp.ranked(measure)
        largest = max((abs(score.value) for score in scores if math.isfinite(score.value)), default=0.0) or 1.0
        against = cmp.shown_against
        columns = [
            Column("", "mark"),
            Column(self.word("system"), "text"),
            self.column(measure),
            Column(self.word("level_interval", level=cmp.settings.level), "interval", 3, self.digits),
            Column("", "bar", 5),
            Column(self.word("rank"), "number", 2),
        ]
        if against:
            columns += [
                Column(self.word("minus", system=against), "difference", 0, self.digits),
                Column(self.p_by, "p", 1),
                Column(self.word("outcomes"), "number", 4),
            ]
        else:
            columns.append(Column(self.word("beats"), "number", 1))
        rows = []
        won = {} if against else self.beaten(measure)
        is_numbered = not against and not self._names_fit
        for place, score in enumerate(scores):
            marks = BEST if score.in_best else NOTHING
            value = number_or_none(score.value)
            cells = [
                Cell(marks=marks),
                Cell(f"{self._numbers[score.system]} {score.system}" if is_numbered else score.system),
                self.cell(value, measure, marks=marks)
                if value is not None
                else Cell(f"- ({in_language(score.reason, self.lang)})"),
                self.cell(value, measure, span=ends_or_none(score.interval) or "-"),
                Cell(0.0 if value is None else value / largest),
                Cell(_rank_shown(score), sort=float(place)),
            ]
            cells += self._against(score, against) if against else [Cell(self._beaten_text(won[score.system]))]
            rows.append(tuple(cells))
        return Table(tuple(columns), tuple(rows))

    def _against(self, score: Score, other: str) -> list[Cell]:
        if score.system == other:
            return [Cell(self.word("baseline") if other == self.cmp.baseline else "", sort=0.0), Cell(""), Cell("")]
        difference = self.cmp.difference(score.measure, score.system, other)
        effect = difference.effect
        counts = f"{effect.wins}/{effect.ties}/{effect.losses}" if effect else "-"
        ahead = float(effect.wins - effect.losses) if effect else 0.0
        return [difference_cell(difference), Cell(difference.p_corrected), Cell(counts, sort=ahead)]

    def beaten(self, measure: Measure) -> dict[str, set[str]]:
        """For each system the ones that it beats significantly under a measure."""
        won = {name: set(self.cmp.score(measure, name).beats) for name in self.cmp.systems}
        for tested in self.cmp.differences_of(measure):
            if tested.significant:
                winner, loser = (tested.system, tested.other) if tested.is_better else (tested.other, tested.system)
                won[winner].add(loser)
        return won

    def _beaten_text(self, won: set[str]) -> str:
        if self._names_fit:
            return self.word("between").join(name for name in self.cmp.systems if name in won)
        return self._numbers_text(won)

    @property
    def _numbers(self) -> dict[str, int]:
        """The number of each system, the same in every table: its place in the order given."""
        return {name: number for number, name in enumerate(self.cmp.systems, 1)}

    def _numbers_text(self, systems: Collection[str]) -> str:
        return in_ranges([number for name, number in self._numbers.items() if name in systems])

    @property
    def _has_numbers(self) -> bool:
        """Whether a table of all measures numbers the systems that one beats; arrows point to a single baseline."""
        return self.cmp.settings.family == "all" or self.cmp.settings.has_baselines

    @property
    def _names_fit(self) -> bool:
        """Whether there is room for the names of the systems that one beats, instead of their numbers."""
        return sum(map(width_of, self.cmp.systems)) <= NAMES_WIDTH

    def quality_table(self) -> Table:
        """How sure the data of each system is: what is missing, unjudged or tied, and what that could change."""
        cmp = self.cmp
        cutoffs = sorted({k for quality in cmp.quality.values() for k in quality.judged_at})
        across = sorted({k for quality in cmp.quality.values() for k, count in quality.ties_across.items() if count})
        bounded = self._bounded
        columns = [Column(self.word("system"), "text"), Column(self.word("missing"), "count")]
        columns += [Column(self.word("judged_at", k=k), "share", 1) for k in cutoffs]
        columns += [Column(self.word("across_k", k=k), "count", 1) for k in across]
        columns += [Column(f"{cmp.label(m)}{'' if self._is_bound(m) else '~'}", "number", 2) for m in bounded]
        rows = []
        for system in cmp.systems:
            quality = cmp.quality[system]
            cells = [Cell(system), Cell(quality.missing)]
            cells += [Cell(quality.judged_at.get(k)) for k in cutoffs]
            cells += [Cell(quality.ties_across.get(k, 0)) for k in across]
            for measure in bounded:
                bounds = cmp.score(measure, system).unjudged
                ends = (bounds.none_relevant, bounds.all_relevant) if bounds else (None, None)
                low, high = map(number_or_none, ends)
                width = high - low if low is not None and high is not None else 0.0
                cells.append(Cell(" .. ".join(self.value_text(end, measure) for end in (low, high)), sort=width))
            rows.append(tuple(cells))
        return Table(tuple(columns), tuple(rows))

    def doubts(self, leaving_out: Collection[str] = ()) -> list[Block]:
        """What is wrong with the data, and nothing else: lists that are missing, items that nobody judged, ties."""
        table = self.quality_table()
        doubtful = {
            id(column)
            for at, column in enumerate(table.columns)
            if any(_is_wrong(row[at], column) for row in table.rows)
        }
        notes = [Paragraph(note.text(self.lang), "note") for note in self.cmp.notes if note not in leaving_out]
        if not doubtful:
            return list(notes)
        shown = table.only(lambda column: column.kind == "text" or id(column) in doubtful)
        return [*notes, shown, *(Paragraph(line, "hint") for line in self.quality_words())]

    @property
    def _bounded(self) -> list[Measure]:
        """The measures that unjudged items could change."""
        return [m for m in self.cmp.measures if any(self.cmp.score(m, s).unjudged for s in self.cmp.systems)]

    def _is_bound(self, measure: Measure) -> bool:
        return any(b.kind == "bounds" for s in self.cmp.systems if (b := self.cmp.score(measure, s).unjudged))

    def quality_words(self) -> list[str]:
        """What the columns of the quality table mean."""
        cmp, lines = self.cmp, []
        has_shares = any(quality.judged_at for quality in cmp.quality.values())
        if has_shares and any(type(m).name == "Judged" for m in cmp.measures):
            lines.append(self.word("judged_mean"))  # the report has two shares of this name
        lines += [self.word("ends_mean")] if self._bounded else []
        lines += [self.word("scenarios_mean")] if not all(map(self._is_bound, self._bounded)) else []
        return lines

    def quality_blocks(self) -> list[Block]:
        """How sure the data is, to be read before the numbers."""
        notes = [Paragraph(self.word("note", text=note), "note") for note in self.cmp.notes]
        return [self.quality_table(), *(Paragraph(line, "hint") for line in self.quality_words()), *notes]

    def legend(self) -> list[str]:
        """What the marks mean, and how p-values and intervals were made."""
        return [] if self._is_partial else [*self.board_marks(), *self.how_made()]

    def board_marks(self) -> list[str]:
        """What the marks of a leaderboard mean; it has none where nothing was tested."""
        beats = "beats_mean" if self._names_fit else "beats_numbers_mean"
        against = self.cmp.shown_against
        return self._marks_mean("best_mark", beats if against is None else "arrows_mean", against)

    def marks_mean(self) -> list[str]:
        """What the marks of the table of all systems and measures mean."""
        kind = "numbers_in_table" if self._has_numbers else "arrows_in_table"
        return self._marks_mean("best_in_table", kind, self.cmp.baseline)

    def _marks_mean(self, best: str, significant: str, baseline: str | None) -> list[str]:
        condition = self.cmp.settings.condition
        marks = (said(best, mark="*"), said(significant, baseline=baseline, condition=condition))
        return self.texts(marks) if self.cmp.is_tested else []

    def how_made(self) -> list[str]:
        """How p-values and intervals were made, and how the inputs were read."""
        with speaking(self.cmp.purpose):
            read = reading_line(self.cmp.reading.values())
        return self.texts([*self.cmp.how_made(), *self._sliced_how(), *([read] if read else [])])

    def board_blocks(self) -> list[Block]:
        """The numbers: a leaderboard for each measure, then the slices, then what a machine's judgments add."""
        blocks: list[Block] = [*self.whose_values()]
        for measure in () if self._is_partial else self.cmp.measures:
            blocks.append(self.leaderboard(measure))
            blocks += [Paragraph(line, "hint") for line in self.under_board(measure)]
        return [*blocks, *self.slice_tables(), *self.assisted_blocks()]

    def whose_values(self) -> list[Block]:
        """That tables are by people's judgments alone, where a machine's change the answer above them."""
        is_alone = self.cmp.assisted is not None and not self._is_partial
        return [Paragraph(self.word("values_people_alone"), "hint")] if is_alone else []

    def assisted_blocks(self) -> list[Block]:
        """Values from people, from both and from the machine side by side, where a machine judged too."""
        return [] if self.cmp.assisted is None else list(self.cmp.assisted.document(self.lang))

    @property
    def _is_partial(self) -> bool:
        """Whether some items had no chance of being judged, so that people's judgments need a machine's beside them."""
        return self.cmp.assisted is not None and self.cmp.assisted.is_partial

    def _main_table(self) -> Table:
        """All systems and measures; values from people and machine where people's alone give none."""
        assisted = (block for block in self.assisted_blocks() if isinstance(block, Table))
        best_first = [score.system for score in self.cmp.ranked(self.cmp.measures[0])]
        return next(assisted) if self._is_partial else self.grid(best_first)

    def under_board(self, measure: Measure) -> list[str]:
        """Why something is missing under a measure, and which systems were shown to be no worse."""
        named: dict[str, list[str]] = {}
        for score in self.cmp.ranked(measure):
            if score.reason and not math.isnan(score.value):
                named.setdefault(in_language(score.reason, self.lang), []).append(score.system)
        reasons = [
            text
            if len(names) == len(self.cmp.systems)
            else f"{self.word('between').join(names)}{AFTER_NAME[self.lang]}{text}"
            for text, names in named.items()
        ]
        lines = [*reasons, self.equivalence_line(measure)]
        lines += self.texts(self._best_set(measure))
        return [line for line in lines if line]

    def _best_set(self, measure: Measure) -> list[Said]:
        """Which systems may be the best by multiple comparisons with the best, where that was asked too."""
        names = [score.system for score in self.cmp.ranked(measure) if score.in_best_set]
        return [said("best_set", names=names, level=self.cmp.settings.level)] if names else []

    def document(self) -> list[Block]:
        """The verdict, the grid of all measures, the leaderboards, how sure the data is, how to read it."""
        cmp = self.cmp
        tested = () if self._is_partial else cmp.measures
        tests = tuple(self.difference_table(measure) for measure in tested if measure in cmp.samples)
        return [
            *map(Paragraph, self.texts(self.verdict())),
            *([*self.whose_values(), self.grid()] if len(tested) > 1 else []),
            *(Paragraph(note.text(self.lang), "note") for note in cmp.notes),
            *self.board_blocks(),
            Folded(self.word("quality"), (self.quality_table(), *items(self.quality_words()))),
            *([Folded(self.word("every_test"), tests)] if tests else []),
            Folded(self.word("how_to_read"), tuple(items(self.legend()))),
            meanings(cmp.measures, self.lang, cmp.label),
        ]

    def to_text(self, *, width: int | None = None) -> str:
        """Everything that a terminal shows of a comparison: the verdict, the boards, how sure the data is."""
        document = [
            *map(Paragraph, self.texts(self.verdict())),
            *self.board_blocks(),
            Heading(self.word("quality"), 1),
            *self.quality_blocks(),
            *map(Paragraph, self.legend()),
        ]
        return document_text(document, width=width)

    def difference_table(self, measure: Measure, *, most: int | None = None) -> Table:
        """The pairs that were tested under one measure: size, interval, p-values, effect sizes, what could be found."""
        settings = self.cmp.settings
        facts = {"level": settings.level, "correction": settings.correction, "power": settings.power}
        columns = (
            Column(self.word("pair"), "text"),
            Column(self.word("difference"), "difference", 0, self.digits),
            Column(self.word("level_interval", **facts), "difference", 1, self.digits),
            Column(self.word("p"), "p"),
            Column(self.p_by, "p"),
            Column(self.word("effect_size"), "difference", 2, 2),
            Column(self.word("rank_biserial"), "difference", 2, 2),
            Column(self.word("detectable", **facts), "number", 3, self.digits),
        )
        rows = []
        for tested in [tested for tested in self.cmp.differences_of(measure) if tested.p is not None][:most]:
            ends = ends_or_none(tested.interval) or (None, None)
            sizes = (tested.effect.standardised, tested.effect.rank_biserial) if tested.effect else (None, None)
            values: list[object] = [tested.p, tested.p_corrected, *sizes, tested.detectable]
            pair = Cell(f"{tested.system} - {tested.other}")
            rows.append((pair, Cell(tested.difference, marks_of(tested)), Cell("", span=ends), *map(Cell, values)))
        return Table(columns, tuple(rows), self.cmp.label(measure))

    def equivalence_line(self, measure: Measure) -> str:
        """Which systems were shown to be no worse than the other of their pair, where a margin was given."""
        tested = [(pair, pair.equivalence) for pair in self.cmp.differences_of(measure) if pair.equivalence]
        if not tested:
            return ""
        alpha = self.cmp.settings.alpha
        shown: dict[tuple[str, str], dict[str, float]] = {}
        for pair, q in tested:
            kind, p = "not_shown", q.no_worse
            if q.equivalent < alpha:
                kind, p = "as_good", q.equivalent
            elif q.no_worse < alpha:
                kind = "no_worse"
            shown.setdefault((pair.system, kind), {})[pair.other] = p
        verdicts = []
        for (system, kind), others in shown.items():
            worst = min(others.values()) if kind == "not_shown" else max(others.values())
            facts = {"system": system, "other": list(others), "p": p_text(worst), "margin": tested[0][1].margin}
            verdicts.append(self.word(_EQUIVALENT[kind] if len(others) > 1 else kind, **facts))
        kind = _MARGINS.get(self.cmp.settings.interval, "within_margin")
        margin = self.word(kind, margin=tested[0][1].margin)
        return margin + self.word("between_verdicts").join(verdicts)

    def differences_shown(self) -> Table:
        """A line for each difference from the baseline, or from the best under a measure: its interval, its p-value."""
        cmp, rows = self.cmp, []
        for measure in cmp.measures:
            order = [score.system for score in cmp.ranked(measure)]
            first = cmp.shown_against or cmp.baseline or order[0]
            pairs = [(name, first) if cmp.baseline or cmp.shown_against else (first, name)
                     for name in order if name != first]  # fmt: skip
            for difference in (cmp.difference(measure, *pair) for pair in pairs):
                if difference.p is not None:
                    pair = Cell(f"{difference.system} - {difference.other}")
                    rows.append(
                        (Cell(cmp.label(measure)), pair, difference_cell(difference), Cell(difference.p_corrected))
                    )
        interval = self.word("difference_interval", level=cmp.settings.level)
        columns = (
            Column("", "text", is_code=True), Column(self.word("pair"), "text"),
            Column(interval, "difference", 0, self.digits), Column(self.p_by, "p", 1),
        )  # fmt: skip
        return Table(columns, tuple(rows))

    def grid(self, systems: Sequence[str] = (), *, intervals: bool = False) -> Table:
        """Systems x measures: the best marked, significance as an arrow or as the numbers of those beaten."""
        cmp, rows = self.cmp, []
        shown, is_all = systems or cmp.systems, self._has_numbers
        numbers = self._numbers
        won = {measure: self.beaten(measure) for measure in cmp.measures} if is_all else {}
        for system in shown:
            row = [Cell(numbers[system], sort=numbers[system]), Cell(system)]
            for measure in cmp.measures:
                score = cmp.score(measure, system)
                marks, raised = BEST if score.in_best else NOTHING, ""
                if is_all:
                    raised = self._numbers_text(won[measure][system])
                elif system != cmp.baseline:
                    marks |= marks_of(cmp.difference(measure, system))
                span = ends_or_none(score.interval) if intervals else None
                row.append(self.cell(number_or_none(score.value), measure, marks=marks, raised=raised, span=span))
            rows.append(tuple(row))
        heads = (Column(self.word("number_of_system"), "count", 1), Column(self.word("system"), "text"))
        columns = (self.column(measure, at + 2 if at else 0) for at, measure in enumerate(cmp.measures))
        return Table((*heads, *columns), tuple(rows))

    def verdict(self) -> list[Said]:
        """The answer, a sentence for measures that agree."""
        return ShownVerdict(self.cmp, self.digits).sentences()

    def to_markdown(self) -> str:
        """A table of systems x measures: the best in bold, significance as marks, below it what they mean."""
        notes = [*self._below(), *self.texts(self.cmp.notes), *self._definitions()]
        verdict = map(Paragraph, self.texts(self.verdict()))
        return document_markdown(
            [*verdict, *self.whose_values(), self._main_table(), *self.slice_tables(), *items(notes)]
        )

    def to_latex(self) -> str:
        r"""A LaTeX ``tabular`` with the rules of booktabs; marks are superscript numbers of systems, or arrows."""
        return table_latex(self._main_table(), [*self._below(), *self._definitions()])

    def _definitions(self) -> list[str]:
        return definition_lines(self.cmp.measures, self.lang, self.cmp.label)

    def _below(self) -> list[str]:
        """What the marks of a table mean, and how they were obtained."""
        return (
            [] if self._is_partial else [*self.marks_mean(), *self.texts([*self.cmp.how_made(), *self._sliced_how()])]
        )

    def slice_tables(self, *, only: Measure | None = None) -> list[Table]:
        """For each way of slicing and each measure a row per slice and a column per system, the best value marked.

        Then the tests: the difference of each system to the baseline, or the pairs that differ significantly.
        """
        cmp, tables = self.cmp, []
        counted = self.word("users" if cmp.purpose == "recommendation" else "query_count")
        named = [Column(name, "number", 1, self.digits) for name in cmp.systems]
        for cut in cmp.slices.values():
            for measure, several in cut.values.items():
                if only not in (None, measure):
                    continue
                columns, tested = self._slice_outcomes(cut.name, measure)
                rows = []
                for place, label in enumerate(cut.labels):
                    numbers = [value for value in several[place] if not math.isnan(value)]
                    best = (max if measure.higher_is_better else min)(numbers, default=math.nan)
                    values = [
                        self.cell(number_or_none(value), measure, marks=BEST if value == best else NOTHING)
                        for value in several[place]
                    ]
                    more = tested.get(label, [Cell("-")] * len(columns))
                    rows.append((Cell(label), Cell(cut.counts[measure][place]), *values, *more))
                head = Column(self.word("slice_head", name=cut.name, measure=cmp.label(measure)), "text")
                tables.append(Table((head, Column(counted, "count", 2), *named, *columns), tuple(rows)))
        return tables

    def _slice_outcomes(self, by: str, measure: Measure) -> tuple[list[Column], dict[str, list[Cell]]]:
        """The outcomes of the tests within slices: columns, and their cells for each slice that was tested."""
        slices: dict[str, list[Difference]] = {}
        for within in self.cmp.slice_differences:
            if within.by == by and within.measure == measure:
                slices.setdefault(within.slice, []).append(within)
        if not slices:
            return [], {}
        against = self.cmp.shown_against
        if against is None:
            columns = [Column(self.word("slice_significant"), "number", 1)]
            return columns, {label: [Cell(self._won(several))] for label, several in slices.items()}
        others = [name for name in self.cmp.systems if name != against]
        p = self.p_by
        columns = [
            column
            for name in others
            for column in (Column(f"{name} - {against}", "difference", 1, self.digits), Column(p, "p", 1))
        ]
        cells: dict[str, list[Cell]] = {}
        for label, several in slices.items():
            towards = (pair if pair.other == against else pair.turned() for pair in several)
            seen = {pair.system: pair for pair in towards}
            pairs = [(difference_cell(seen[name]), Cell(seen[name].p_corrected)) for name in others]
            cells[label] = [cell for pair in pairs for cell in pair]
        return columns, cells

    def _won(self, differences: Sequence[Difference]) -> str:
        """Which systems are significantly better than which."""
        better = [pair if pair.is_better else pair.turned() for pair in differences if pair.significant]
        texts = [self.word("is_better_than", system=pair.system, other=pair.other) for pair in better]
        return self.word("between").join(texts) or "-"

    def _sliced_how(self) -> list[Said]:
        """How differences within slices were tested, if they were."""
        if not self.cmp.slice_differences:
            return []
        tests = max(within.tests for within in self.cmp.slice_differences)
        return [said("slices_tested", units=units_said(self.cmp.settings.unit), tests=tests, most=MOST_TESTED)]


def _rank_shown(score: Score) -> str:
    if score.rank is None or score.rank_low is None:
        return "-"
    is_sure = score.rank_low == score.rank_high
    return str(score.rank) if is_sure else f"{score.rank} ({score.rank_low}-{score.rank_high})"


def _is_wrong(cell: Cell, column: Column) -> bool:
    if column.kind == "share":
        return cell.value is not None and cell.value < 1
    return column.kind != "text" and bool(cell.value if cell.sort is None else cell.sort)
