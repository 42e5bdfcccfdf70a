"""From a comparison to text: for the terminal, for Markdown and LaTeX. Pure functions.

What the data can bear stands before the numbers, and the numbers before their definitions.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from rankmeter.inputs.reading import reading_line
from rankmeter.measures import Measure
from rankmeter.measures.prose import Language
from rankmeter.report import tables
from rankmeter.report.differences import difference_text, in_ranges, mark, p_text, reference, signed
from rankmeter.report.slices import slice_tables, sliced_how
from rankmeter.report.tables import DIGITS, Cell, Table
from rankmeter.showing.characters import one_line, width_of
from rankmeter.showing.latex import latex_comment, latex_text
from rankmeter.showing.markdown import markdown_line, markdown_text
from rankmeter.wording import Said, in_language, said, word

if TYPE_CHECKING:
    from rankmeter.comparing.records import Score
    from rankmeter.comparing.results import Comparison

Bars = Literal["blocks", "ascii"]
BAR_WIDTH = 12
_EIGHTHS = " ▏▎▍▌▋▊▉█"
NAMES_WIDTH = 40
"""Up to how many columns all names together take where the table says by name which systems one beats."""
BEST = "*"
"""Stands before a system that cannot be separated from the best."""


def bar(share: float, *, bars: Bars = "blocks", width: int = BAR_WIDTH) -> str:
    """A small bar for a share between 0 and 1.

    Examples
    --------
    >>> bar(0.5, width=4), bar(0.3, width=4), bar(0.5, bars="ascii", width=4)
    ('██  ', '█▎  ', '##  ')
    """
    share = min(max(share, 0.0), 1.0) if math.isfinite(share) else 0.0
    if bars == "ascii":
        return ("#" * round(share * width)).ljust(width)
    whole, part = divmod(round(share * width * 8), 8)
    return ("█" * whole + (_EIGHTHS[part] if part else "")).ljust(width)


def leaderboard(
    cmp: Comparison, measure: Measure, *, digits: int = DIGITS, bars: Bars = "blocks", lang: Language = "en"
) -> Table:
    """The systems under one measure, best first."""
    scores = cmp.ranked(measure)
    largest = max((abs(score.value) for score in scores if math.isfinite(score.value)), default=0.0) or 1.0
    against = reference(cmp)
    interval = word("level_interval", lang, level=cmp.settings.level)
    header = ["", word("system", lang), str(measure), interval, "", word("rank", lang)]
    if against:
        p = word("p_by", lang, correction=cmp.settings.correction)
        header += [word("minus", lang, system=against), p, word("outcomes", lang)]
    else:
        header.append(word("beats", lang))
    numbers = {name: number for number, name in enumerate(cmp.systems, 1)}
    rows = []
    for score in scores:
        cells = [
            Cell(BEST if score.in_best else ""),
            Cell(score.system if against or _named(cmp) else f"{numbers[score.system]} {score.system}"),
            Cell(_value(score, digits, lang), is_best=bool(score.in_best)),
            Cell(_interval(score, digits)),
            Cell(bar(score.value / largest, bars=bars)),
            Cell(_rank(score)),
        ]
        if against:
            cells += _against(cmp, score, against, digits, lang)
        else:
            beaten = _beaten(cmp, score)
            cells.append(
                Cell(
                    word("between", lang).join(beaten) if _named(cmp) else in_ranges([numbers[name] for name in beaten])
                )
            )
        rows.append(tuple(cells))
    return Table(tuple(header), tuple(rows), 2)


def _value(score: Score, digits: int, lang: Language) -> str:
    if math.isnan(score.value):
        return f"- ({in_language(score.reason, lang)})"
    return tables.number(score.value, score.measure, digits)


def _interval(score: Score, digits: int) -> str:
    if score.interval is None:
        return "-"
    low, high = (tables.number(end, score.measure, digits) for end in (score.interval.low, score.interval.high))
    return f"[{low}, {high}]"


def _rank(score: Score) -> str:
    if score.rank is None or score.rank_low is None:
        return "-"
    return (
        str(score.rank) if score.rank_low == score.rank_high else f"{score.rank} ({score.rank_low}-{score.rank_high})"
    )


def _against(cmp: Comparison, score: Score, other: str, digits: int, lang: Language) -> list[Cell]:
    if score.system == other:
        return [Cell(word("baseline", lang) if other == cmp.baseline else ""), Cell(""), Cell("")]
    one = cmp.difference(score.measure, score.system, other)
    counts = f"{one.effect.wins}/{one.effect.ties}/{one.effect.losses}" if one.effect else "-"
    return [Cell(difference_text(one, digits)), Cell(p_text(one.p_corrected)), Cell(counts)]


def _beaten(cmp: Comparison, score: Score) -> list[str]:
    """The systems that this one beats significantly."""
    others = [name for name in cmp.systems if name != score.system]
    found = [cmp.difference(score.measure, score.system, other) for other in others]
    return [one.other for one in found if one.significant and one.is_better]


def _named(cmp: Comparison) -> bool:
    """Whether there is room for the names of the systems that one beats; numbers never run out."""
    return sum(map(width_of, cmp.systems)) <= NAMES_WIDTH


def quality_table(cmp: Comparison, *, digits: int = DIGITS, lang: Language = "en") -> Table:
    """How sure the data of each system is: what is missing, unjudged or tied, and what that could change."""
    cutoffs = sorted({k for one in cmp.quality.values() for k in one.judged_at})
    across = sorted({k for one in cmp.quality.values() for k, count in one.ties_across.items() if count})
    bounded = [m for m in cmp.measures if any(cmp.score(m, system).unjudged for system in cmp.systems)]
    header = [word("system", lang), word("missing", lang), *(word("judged_at", lang, k=k) for k in cutoffs)]
    header += [word("across_k", lang, k=k) for k in across]
    header += [f"{measure}{'' if _is_bound(cmp, measure) else '~'}" for measure in bounded]
    rows = []
    for system in cmp.systems:
        one = cmp.quality[system]
        cells = [system, f"{one.missing:,}"]
        cells += ["-" if k not in one.judged_at else f"{one.judged_at[k]:.1%}" for k in cutoffs]
        cells += [f"{one.ties_across.get(k, 0):,}" for k in across]
        for measure in bounded:
            bounds = cmp.score(measure, system).unjudged
            ends = (bounds.none_relevant, bounds.all_relevant) if bounds else (None, None)
            known = [None if end is None or math.isnan(end) else end for end in ends]
            cells.append(" .. ".join(tables.number(end, measure, digits) for end in known))
        rows.append(tuple(map(Cell, cells)))
    return Table(tuple(header), tuple(rows), 1)


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


def legend(cmp: Comparison, lang: Language = "en") -> list[str]:
    """What the marks mean, and how p-values and intervals were made."""
    against = reference(cmp)
    kind = "arrows_mean"
    if against is None:
        kind = "beats_mean" if _named(cmp) else "beats_numbers_mean"
    lines = [
        said("best_mark", mark=BEST, level=cmp.settings.level),
        said(kind, baseline=against, alpha=cmp.settings.alpha),
        *made_how(cmp),
    ]
    return [line.text(lang) for line in lines]


def made_how(cmp: Comparison) -> list[Said]:
    """How p-values, intervals and groups were made, and why two of them disagree where they do."""
    disagree = any(score.in_best is False and score.rank_low == 1 for score in cmp.scores)
    read = reading_line(cmp.reading.values())
    return [
        *cmp.settings.sentences(),
        *([said("group_and_ranks_disagree")] if disagree else []),
        *sliced_how(cmp),
        *([read] if read else []),
    ]


def quality_text(cmp: Comparison, *, digits: int = DIGITS, lang: Language = "en") -> str:
    """How sure the data is, as plain text: what is to be known before the numbers."""
    parts = [word("quality", lang), tables.to_text(quality_table(cmp, digits=digits, lang=lang))]
    notes = [one_line(word("note", lang, text=note)) for note in cmp.notes]
    return "\n".join([*parts, *quality_words(cmp, lang), *notes])


def boards_text(cmp: Comparison, *, digits: int = DIGITS, bars: Bars = "blocks", lang: Language = "en") -> str:
    """The numbers as plain aligned text: a leaderboard for each measure, then the slices."""
    parts: list[str] = []
    for measure in cmp.measures:
        parts += ["", tables.to_text(leaderboard(cmp, measure, digits=digits, bars=bars, lang=lang))]
        reasons = [one.reason for one in cmp.ranked(measure)[:1] if one.reason and not math.isnan(one.value)]
        parts += [in_language(reason, lang) for reason in reasons]
        parts += [one_line(line) for line in [equivalence_line(cmp, measure, lang)] if line]
    parts += [line for table in slice_tables(cmp, digits=digits, lang=lang) for line in ("", tables.to_text(table))]
    return "\n".join(parts[1:])


def to_text(cmp: Comparison, *, digits: int = DIGITS, bars: Bars = "blocks", lang: Language = "en") -> str:
    """Everything as plain aligned text: how sure the data is, then a leaderboard for each measure."""
    boards = boards_text(cmp, digits=digits, bars=bars, lang=lang)
    return "\n\n".join(
        [quality_text(cmp, digits=digits, lang=lang), boards, "\n".join(map(one_line, legend(cmp, lang)))]
    )


def difference_table(cmp: Comparison, measure: Measure, *, digits: int = DIGITS, lang: Language = "en") -> Table:
    """Every pair that was tested under one measure: size, interval, p-values, effect sizes, what could be found."""
    kinds = ("pair", "difference", "level_interval", "p", "p_by", "effect_size", "rank_biserial", "detectable")
    facts = {"level": cmp.settings.level, "correction": cmp.settings.correction, "power": cmp.settings.power}
    rows = []
    for one in cmp.differences_of(measure):
        if one.p is None:
            continue
        ends = (one.interval.low, one.interval.high) if one.interval else (None, None)
        sizes = (one.effect.standardised, one.effect.rank_biserial) if one.effect else (None, None)
        texts = [
            f"{one.system} - {one.other}",
            f"{signed(one.difference, digits)}{mark(one)}",
            f"[{signed(ends[0], digits)}, {signed(ends[1], digits)}]",
            p_text(one.p),
            p_text(one.p_corrected),
            *(signed(size, 2) for size in sizes),
            "-" if one.detectable is None else f"{one.detectable:.{digits}f}",
        ]
        rows.append(tuple(map(Cell, texts)))
    return Table(tuple(word(kind, lang, **facts) for kind in kinds), tuple(rows), 1)


def equivalence_line(cmp: Comparison, measure: Measure, lang: Language = "en") -> str:
    """Which systems were shown to be no worse than the other of their pair, where a margin was given."""
    tested = [one for one in cmp.differences_of(measure) if one.equivalence]
    if not tested:
        return ""
    verdicts, alpha = [], cmp.settings.alpha
    for one in tested:
        q = one.equivalence
        if q is None:
            continue
        kind, p = "not_shown", q.no_worse
        if q.equivalent < alpha:
            kind, p = "as_good", q.equivalent
        elif q.no_worse < alpha:
            kind = "no_worse"
        verdicts.append(word(kind, lang, system=one.system, other=one.other, p=p_text(p)))
    margin = tested[0].equivalence.margin  # type: ignore[union-attr]
    return word("within_margin", lang, margin=margin) + word("between_verdicts", lang).join(verdicts)


def to_markdown(cmp: Comparison, *, digits: int = DIGITS, lang: Language = "en") -> str:
    """A table of systems x measures: the best group in bold, significance as marks, below it what they mean."""
    grid = _grid(cmp, digits)
    head = f"| # | {word('system', lang)} | " + " | ".join(markdown_text(str(m)) for m in cmp.measures) + " |"
    rule = "|---:|---|" + "---:|" * len(cmp.measures)
    rows = []
    for number, (system, cells) in enumerate(zip(cmp.systems, grid, strict=True), 1):
        shown = [f"**{text}**{_sup(marks)}" if best else f"{text}{_sup(marks)}" for text, best, marks in cells]
        rows.append(f"| {number} | {markdown_text(system)} | " + " | ".join(shown) + " |")
    notes = [*_below(cmp, lang), *(note.text(lang) for note in cmp.notes)]
    notes += tables.definition_lines(cmp.measures, lang)
    cuts = [line for table in slice_tables(cmp, digits=digits, lang=lang) for line in (tables.to_markdown(table), "")]
    return "\n".join([head, rule, *rows, "", *cuts, *(f"- {markdown_line(note)}" for note in notes)])


def _sup(marks: str) -> str:
    return f"<sup>{marks}</sup>" if marks else ""


def to_latex(cmp: Comparison, *, digits: int = DIGITS, lang: Language = "en") -> str:
    r"""A LaTeX ``tabular`` with the rules of booktabs; marks are superscript numbers of systems, or arrows."""
    grid = _grid(cmp, digits)
    notes = [*_below(cmp, lang), *tables.definition_lines(cmp.measures, lang)]
    rows = []
    for number, (system, cells) in enumerate(zip(cmp.systems, grid, strict=True), 1):
        shown = []
        for text, best, marks in cells:
            shown.append((rf"\textbf{{{text}}}" if best else text) + _raised(marks))
        rows.append(f"{number} & {latex_text(system)} & " + " & ".join(shown) + r" \\")
    return "\n".join(
        [
            *map(latex_comment, notes),
            rf"\begin{{tabular}}{{rl{'r' * len(cmp.measures)}}}",
            r"\toprule",
            " & ".join(["", word("system", lang), *(latex_text(str(m)) for m in cmp.measures)]) + r" \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _raised(marks: str) -> str:
    """Marks as LaTeX without any package: arrows are mathematics, numbers and ranges are text."""
    arrows = {"↑": r"$^{\uparrow}$", "↓": r"$^{\downarrow}$"}
    return arrows.get(marks) or (rf"\textsuperscript{{{marks.replace('-', '--')}}}" if marks else "")


def _grid(cmp: Comparison, digits: int) -> list[list[tuple[str, bool, str]]]:
    """For each system and measure the text, whether it is in the best group, and its marks."""
    numbers = {name: number for number, name in enumerate(cmp.systems, 1)}
    grid = []
    for system in cmp.systems:
        row = []
        for measure in cmp.measures:
            score = cmp.score(measure, system)
            if cmp.settings.family == "all":
                marks = in_ranges([numbers[name] for name in _beaten(cmp, score)])
            else:
                marks = "" if system == cmp.baseline else mark(cmp.difference(measure, system))
            text = "-" if math.isnan(score.value) else tables.number(score.value, measure, digits)
            row.append((text, bool(score.in_best), marks))
        grid.append(row)
    return grid


def _below(cmp: Comparison, lang: Language) -> list[str]:
    """What the marks of a table mean, and how they were come by."""
    kind = "numbers_in_table" if cmp.settings.family == "all" else "arrows_in_table"
    lines = [
        said("best_in_table", level=cmp.settings.level),
        said(kind, baseline=cmp.baseline, alpha=cmp.settings.alpha),
        *cmp.settings.sentences(),
        *sliced_how(cmp),
    ]
    return [line.text(lang) for line in lines]
