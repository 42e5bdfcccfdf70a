"""Systems across tasks: the result, and how it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankmeter.errors import NotFoundError, check_language, did_you_mean
from rankmeter.late import pl
from rankmeter.placing.placements import Bools, Floats
from rankmeter.showing.document import Block, Cell, Chart, Column, Heading, Mark, Paragraph, Table, text_table
from rankmeter.showing.document import Kind as CellKind
from rankmeter.showing.numbers import p_text, signed
from rankmeter.showing.showable import ShownAsTable
from rankmeter.wings.results.rank_diagrams import chart, heat_chart, lone_pairs, ranked, text_diagram, tikz
from rankmeter.wings.results.task_statistics import Friedman
from rankmeter.wording import Language, Said, kinds, said, word

_HEADS = kinds(
    "across_col_{}",
    "system mean ranks sure mean_rank record borda strength improvement middle_mean rank_difference p holm bonferroni "
    "other worse alike better".split(),
)
MOST_ROWS = 60
"""How many systems a text lists; the data has all of them."""
MOST_PAIRED = 8
"""Of how many systems the grid of pairs is shown."""


@dataclass(frozen=True, slots=True)
class TaskStanding:
    """One system across tasks."""

    system: str
    mean: float
    mean_rank: float
    wins: int
    """Over all tasks and all other systems."""
    ties: int
    losses: int
    rank: int
    """By the mean, best first from 1; equal means share the better rank."""
    rank_low: int
    """The ends of its rank when tasks (and queries, where known) are drawn again."""
    rank_high: int
    sure_low: int
    """The ends of its rank that hold for all systems at once."""
    sure_high: int
    may_be_best: bool
    borda: float
    mteb_borda: float
    strength: float
    """Bradley and Terry's: a beats b on a task with probability 1 / (1 + exp(b's - a's))."""
    middle_mean: float
    """The mean of the middle half of all scores (IQM)."""
    improvement: float
    """The mean probability of being better than another system on a task; ties count half."""


@dataclass(frozen=True, slots=True)
class PairOnTasks:
    """Two systems across tasks."""

    first: str
    second: str
    difference: float
    wins: int
    ties: int
    losses: int
    p: float
    """Of the signed-rank test, not corrected."""
    corrected_p: float
    """Corrected by Holm for all pairs."""


@dataclass(frozen=True, slots=True)
class AgainstControl:
    """A system against the control."""

    system: str
    mean_rank_difference: float
    p: float
    """Of the difference of mean ranks, not corrected."""
    holm_p: float
    bonferroni_p: float


@dataclass(frozen=True, slots=True)
class Belief:
    """How probable it is that a system is worse than, like, or better than another, by more than the rope."""

    system: str
    other: str
    worse: float
    alike: float
    better: float


@dataclass(frozen=True, slots=True, repr=False)
class Across(ShownAsTable):
    """Systems compared across tasks; made by :func:`rankmeter.across`."""

    systems: tuple[TaskStanding, ...]
    """Best mean first."""
    tasks: tuple[str, ...]
    """Those that count."""
    scores: Floats
    """``(systems, tasks)``, in the order of ``systems``; holes are filled, or left out with their task or system."""
    ranks: Floats
    """Within each task, 1 for the best, ties sharing their mean."""
    friedman: Friedman
    """With the correction for ties, as in scipy and R."""
    friedman_plain: Friedman
    """Without it, as in Demsar (2006)."""
    distances: Mapping[str, float]
    """Nemenyi's critical distance of mean ranks at 5% and 10%, and Bonferroni and Dunn's."""
    pairs: tuple[PairOnTasks, ...]
    separate: Bools
    """``(systems, systems)`` whether the corrected test tells two apart."""
    control: tuple[AgainstControl, ...]
    beliefs: tuple[Belief, ...]
    settings: Mapping[str, Any]
    notes: tuple[Said, ...]

    @property
    def best(self) -> list[str]:
        """The systems that may be the best: none of the others is better by more than chance."""
        return [one.system for one in self.systems if one.may_be_best]

    def __getitem__(self, system: str) -> TaskStanding:
        for one in self.systems:
            if one.system == system:
                return one
        raise NotFoundError.of("results.unknown_system", name=system, hint=did_you_mean(system, self._names()))

    def pair(self, first: str, second: str) -> PairOnTasks:
        """Two systems, in the order given."""
        wanted = self[first].system, self[second].system
        for pair in self.pairs:
            if (pair.first, pair.second) == wanted:
                return pair
            if (pair.second, pair.first) == wanted:
                return PairOnTasks(
                    first, second, -pair.difference, pair.losses, pair.ties, pair.wins, pair.p, pair.corrected_p
                )
        raise KeyError(wanted)

    def _rows(self) -> list[dict[str, Any]]:
        return [{name: getattr(one, name) for name in TaskStanding.__slots__} for one in self.systems]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {
            "systems": self._rows(),
            "tasks": list(self.tasks),
            "friedman": {name: getattr(self.friedman, name) for name in Friedman.__slots__},
            "friedman_plain": {name: getattr(self.friedman_plain, name) for name in Friedman.__slots__},
            "distances": dict(self.distances),
            "best": self.best,
            "pairs": [{name: getattr(pair, name) for name in PairOnTasks.__slots__} for pair in self.pairs],
            "control": [{name: getattr(one, name) for name in AgainstControl.__slots__} for one in self.control],
            "beliefs": [{name: getattr(one, name) for name in Belief.__slots__} for one in self.beliefs],
            "settings": dict(self.settings),
            "notes": list(map(str, self.notes)),
        }

    def to_polars(self) -> pl.DataFrame:
        """The systems, a row each."""
        return pl.DataFrame(self._rows())

    def _names(self) -> list[str]:
        return [one.system for one in self.systems]

    def _mean_ranks(self) -> Floats:
        return np.array([one.mean_rank for one in self.systems])

    def to_latex(self, lang: Language = "en") -> str:
        """The table of systems and the diagram of ranks, for LaTeX with booktabs and TikZ."""
        from rankmeter.showing.latex import table_latex

        table = table_latex(self.table(check_language(lang)))
        return f"{table}\n{tikz(self._names(), self._mean_ranks(), ~self.separate)}"

    def to_svg(self, lang: Language = "en") -> str:
        """The diagram of ranks as SVG."""
        from rankmeter.showing.charts import svg

        return svg({**self._diagram(check_language(lang)), "background": "white"})

    def _diagram(self, language: Language) -> dict[str, Any]:
        words = {"mean_rank": word("across_col_mean_rank", language)}
        return chart(self._names(), self._mean_ranks(), ~self.separate, words)

    def table(self, language: Language = "en") -> Table:
        """The systems, best mean first."""
        heads: list[tuple[str, CellKind, int, int]] = [
            ("system", "text", 0, 4), ("mean", "number", 0, 4), ("ranks", "text", 0, 4), ("sure", "text", 1, 4),
            ("mean_rank", "number", 0, 2), ("record", "text", 2, 4), ("borda", "number", 5, 1),
            ("strength", "number", 4, 2), ("improvement", "number", 3, 2), ("middle_mean", "number", 6, 4),
        ]  # fmt: skip
        columns = tuple(Column(word(_HEADS[head], language), kind, importance, digits)
                        for head, kind, importance, digits in heads)  # fmt: skip
        rows = []
        for one in self.systems[:MOST_ROWS]:
            marks: frozenset[Mark] = frozenset(["best"]) if one.may_be_best else frozenset()
            rows.append(
                (
                    Cell(one.system),
                    Cell(one.mean, marks),
                    Cell(_range(one.rank_low, one.rank_high)),
                    Cell(_range(one.sure_low, one.sure_high)),
                    Cell(one.mean_rank),
                    Cell(f"{one.wins}-{one.ties}-{one.losses}"),
                    Cell(one.borda),
                    Cell(one.strength),
                    Cell(one.improvement),
                    Cell(one.middle_mean),
                )
            )
        return Table(columns, tuple(rows), name="systems")

    def document(self, language: Language = "en") -> list[Block]:
        """Which may be the best, the systems, who differs from whom, the diagram, and what was done."""
        best = self.best
        facts = {"count": len(best), "total": len(self.systems), "names": best[:5], "tasks": len(self.tasks)}
        blocks: list[Block] = [
            Heading(word("across_title", language, systems=len(self.systems), tasks=len(self.tasks)), 1),
            Paragraph(word("across_one_best" if len(best) == 1 else "across_best", language, **facts)),
            self.table(language),
        ]
        if len(self.systems) > MOST_ROWS:
            blocks.append(Paragraph(word("across_more", language, count=len(self.systems) - MOST_ROWS)))
        blocks += self._omnibus(language)
        blocks += [Heading(word("across_head_diagram", language)), *self._pictures(language)]
        blocks += [Heading(word("across_head_pairs", language)), *self._grid(language)]
        if self.control:
            blocks += [
                Heading(word("across_head_control", language, control=self.settings["control"])),
                self._against(language),
            ]
        if self.beliefs:
            heading = word("across_head_beliefs", language, rope=self.settings["rope"])
            blocks += [Heading(heading), self._believed(language)]
        return [*blocks, *(Paragraph(note.text(language), "note") for note in self.notes)]

    def _omnibus(self, language: Language) -> list[Block]:
        found = self.friedman
        facts = {
            "chi2": f"{found.chi2:.2f}", "p": p_text(found.p), "f": f"{found.f:.2f}", "f_p": p_text(found.f_p),
            "distance": f"{self.distances['nemenyi_05']:.2f}",
        }  # fmt: skip
        return [Paragraph(word("across_friedman", language, **facts))]

    def _pictures(self, language: Language) -> list[Block]:
        names, mean_rank, alike = self._names(), self._mean_ranks(), ~self.separate
        lone = lone_pairs(alike, ranked(mean_rank))
        text = word("across_bars", language) + (word("across_lone", language, count=lone) if lone else "")
        words = {"rank": word("across_rank", language)}
        return [
            Paragraph(text),
            Chart("ranks", word("across_head_diagram", language), self._diagram(language),
                  instead=text_diagram(names, mean_rank, alike)),
            Chart("heat", word("across_heat", language),
                  heat_chart(names, self.tasks, self.ranks, range(len(names)), words)),
        ]  # fmt: skip

    def _grid(self, language: Language) -> list[Block]:
        """The best systems against each other: difference, wins-ties-losses, corrected p."""
        shown = self._names()[:MOST_PAIRED]
        heads = [word("across_col_system", language), *(str(number) for number in range(1, len(shown) + 1))]
        rows = []
        for number, first in enumerate(shown, 1):
            cells = [f"{number} {first}"]
            for second in shown:
                if first == second:
                    cells.append("")
                    continue
                pair = self.pair(first, second)
                cells.append(
                    f"{signed(pair.difference, 3)} {pair.wins}-{pair.ties}-{pair.losses} p{p_text(pair.corrected_p)}"
                )
            rows.append(cells)
        texts: list[CellKind] = ["text"] * len(heads)
        table = text_table(heads, rows, texts, name="pairs")
        columns = tuple(Column(c.head, c.kind, number) for number, c in enumerate(table.columns))
        return [Paragraph(word("across_grid", language)), Table(columns, table.rows, name="pairs")]

    def _against(self, language: Language) -> Table:
        heads = [word(_HEADS[head], language) for head in ("system", "rank_difference", "p", "holm", "bonferroni")]
        rows = [(c.system, c.mean_rank_difference, c.p, c.holm_p, c.bonferroni_p) for c in self.control[:MOST_ROWS]]
        return text_table(heads, rows, ("text", "difference", "p", "p", "p"), 2, name="control")

    def _believed(self, language: Language) -> Table:
        heads = [word(_HEADS[head], language) for head in ("system", "other", "worse", "alike", "better")]
        rows = [(b.system, b.other, b.worse, b.alike, b.better) for b in self.beliefs[:MOST_ROWS]]
        return text_table(heads, rows, ("text", "text", "number", "number", "number"), 3, name="beliefs")


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


def settings_note(settings: Mapping[str, Any]) -> Said:
    """What the intervals and tests are."""
    return said("across_how", level=settings["level"], resamples=settings["resamples"], unit=settings["unit"])
