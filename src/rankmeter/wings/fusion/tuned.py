"""What tuning found, and how it is shown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rankmeter.frozen import dataclass
from rankmeter.late import pl
from rankmeter.placing.placements import Floats
from rankmeter.showing.document import Block, Cell, Chart, Column, Heading, Mark, Paragraph, Table, text_table
from rankmeter.showing.document import Kind as CellKind
from rankmeter.showing.numbers import NONE, fixed, number_or_none, p_text, signed
from rankmeter.showing.showable import ShownAsTable
from rankmeter.wings.fusion.definition import Fusion
from rankmeter.wings.fusion.tuning_charts import charts_of, parted
from rankmeter.wording import Language, Said, kinds, said, word

_HEADS = kinds("tune_col_{}", "what value interval setting weights folds difference p corrected against".split())
_AGAINST = kinds("tune_against_{}", ("single", "rrf", "equal"))
_VERDICTS = kinds("tune_verdict_{}", ("few", "pays", "equal", "alike", "hurts", "unsure"))
_CHARTS = kinds("tune_chart_{}", ("weights", "ternary", "settings"))
_READ = kinds("tune_chart_{}_how", _CHARTS)
MOST_ROWS = 12
"""How many settings a table lists; the data has all of them."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """A mean over queries with its interval."""

    value: float
    low: float
    """NaN where there is no spread."""
    high: float


@dataclass(frozen=True, slots=True)
class Against:
    """The held-out values of tuning against something simpler, on the same queries."""

    kind: str
    """``single``: the best single run, chosen in the same folds; ``rrf`` and ``equal`` weights need no choice."""
    name: str
    value: float
    difference: float
    """Held-out value of tuning less this one."""
    low: float
    high: float
    p: float
    """Of the paired t test."""
    corrected_p: float
    """Corrected by Holm for all that are compared."""


@dataclass(frozen=True, slots=True)
class TriedSetting:
    """One setting that was tried."""

    definition: Fusion
    value: float
    """Its mean over all queries: a training value."""
    chosen: int
    """In how many folds it was chosen."""
    is_inseparable: bool
    """Whether it cannot be told from the best setting."""
    reach: float
    """How far below the best it could be and still not be told from it."""


@dataclass(frozen=True, slots=True, repr=False)
class Tuned(ShownAsTable):
    """A fusion chosen inside folds and scored outside of them; made by :func:`rankmeter.tune`."""

    measure: str
    runs: tuple[str, ...]
    queries: int
    units: int
    """Groups of queries that were not parted; the number of queries where there are none."""
    held_out: HeldOut
    """The value on queries that the choice was not made on."""
    training: float
    """The value of the best setting on the queries that it was chosen on."""
    best: Fusion
    """The setting with the best training value."""
    advised: Fusion
    """The simplest setting that cannot be told from the best."""
    against: tuple[Against, ...]
    settings: tuple[TriedSetting, ...]
    alone: Mapping[str, float]
    """The value of each run by itself."""
    inseparable_runs: tuple[str, ...]
    """Single runs that cannot be told from the best setting."""
    rrf_is_inseparable: bool
    per_query: Floats
    """The held-out value of each query."""
    level: float
    folds: int
    seed: int
    least_queries: int
    higher_is_better: bool
    notes: tuple[Said, ...]

    @property
    def optimism(self) -> float:
        """By how much the training value flatters."""
        return (self.training - self.held_out.value) * (1 if self.higher_is_better else -1)

    @property
    def chosen(self) -> dict[str, int]:
        """How often each setting was chosen, most often first."""
        times = {str(one.definition): one.chosen for one in self.settings if one.chosen}
        return dict(sorted(times.items(), key=lambda pair: -pair[1]))

    @property
    def inseparable(self) -> list[TriedSetting]:
        """The settings that cannot be told from the best, best first."""
        return self._ranked([one for one in self.settings if one.is_inseparable])

    def _ranked(self, settings: list[TriedSetting]) -> list[TriedSetting]:
        return sorted(settings, key=lambda one: -one.value if self.higher_is_better else one.value)

    def beside(self, kind: str) -> Against | None:
        """What tuning was compared with: ``single``, ``rrf`` or ``equal``."""
        return next((one for one in self.against if one.kind == kind), None)

    @property
    def is_winner(self) -> bool:
        """Whether tuning is better, held out and by more than chance, than what needs none, on enough queries."""
        return self._verdict == "pays"

    @property
    def _verdict(self) -> str:
        if self.queries < self.least_queries:
            return "few"
        gains = {one.kind: self._gain(one) for one in self.against}
        if gains["rrf"]:
            return "hurts" if gains["rrf"] < 0 else "equal" if gains.get("equal", 1) <= 0 else "pays"
        return "alike" if self.rrf_is_inseparable else "unsure"

    def _gain(self, one: Against) -> int:
        """1 where tuning is better by more than chance, -1 where it is worse, 0 where it cannot be told."""
        if one.corrected_p >= 1 - self.level:
            return 0
        return 1 if (one.difference > 0) == self.higher_is_better else -1

    def sentences(self) -> list[Said]:
        """What it comes to, in plain sentences."""
        rrf, single = (next(one for one in self.against if one.kind == kind) for kind in ("rrf", "single"))
        facts = {"count": self.queries, "least": self.least_queries, "measure": self.measure, "settings":
                 len(self.settings), "difference": signed(rrf.difference), "low": signed(rrf.low), "high":
                 signed(rrf.high), "p": p_text(rrf.corrected_p), "advised": str(self.advised), "best": str(self.best),
                 "level": self.level}  # fmt: skip
        if (equal := self.beside("equal")) is not None:
            facts |= {"equal": equal.name, "equal_difference": signed(equal.difference),
                      "equal_p": p_text(equal.corrected_p)}  # fmt: skip
        told = [said(_VERDICTS[self._verdict], **facts)]
        if self.queries >= self.least_queries and self._gain(single) < 0:
            told.append(said("tune_single_wins", names=single.name, difference=signed(single.difference)))
        elif self.inseparable_runs:
            told.append(said("tune_runs_alike", names=list(self.inseparable_runs)))
        return told

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {
            "measure": self.measure,
            "runs": list(self.runs),
            "queries": self.queries,
            "units": self.units,
            "held_out": {"value": self.held_out.value, "low": number_or_none(self.held_out.low),
                         "high": number_or_none(self.held_out.high), "level": self.level},
            "training": self.training,
            "optimism": self.optimism,
            "best": str(self.best),
            "advised": str(self.advised),
            "is_winner": self.is_winner,
            "against": [{name: number_or_none(value) if isinstance(value := getattr(one, name), float) else value
                         for name in Against.__slots__} for one in self.against],
            "alone": dict(self.alone),
            "chosen": self.chosen,
            "inseparable": [str(one.definition) for one in self.inseparable],
            "inseparable_runs": list(self.inseparable_runs),
            "settings": [{"definition": str(one.definition), "value": one.value, "chosen": one.chosen,
                          "is_inseparable": one.is_inseparable} for one in self.settings],
            "folds": self.folds,
            "seed": self.seed,
            "least_queries": self.least_queries,
            "said": [str(one) for one in self.sentences()],
            "notes": list(map(str, self.notes)),
        }  # fmt: skip

    def to_polars(self) -> pl.DataFrame:
        """The settings, a row each, in the order of the grid."""
        return pl.DataFrame(
            {
                "definition": [str(one.definition) for one in self.settings],
                "value": [one.value for one in self.settings],
                "chosen": [one.chosen for one in self.settings],
                "is_inseparable": [one.is_inseparable for one in self.settings],
            }
        )

    def document(self, language: Language = "en") -> list[Block]:
        """What it comes to, the values, what it was compared with, what was chosen, the set, the picture."""
        title = word("tune_title", language, measure=self.measure, runs=len(self.runs), queries=self.queries)
        blocks: list[Block] = [Heading(title, 1)]
        blocks += [Paragraph(one.text(language)) for one in self.sentences()]
        blocks += [Heading(word("tune_head_values", language)), self._values(language)]
        blocks += [Heading(word("tune_head_against", language)), self._compared(language)]
        blocks += [Heading(word("tune_head_chosen", language, folds=self.folds)), self._choices(language)]
        alike = self.inseparable
        text = word("tune_set", language, count=len(alike), total=len(self.settings), level=self.level)
        blocks += [Heading(word("tune_head_set", language)), Paragraph(text), self.table(language)]
        if len(alike) > MOST_ROWS:
            blocks.append(Paragraph(word("tune_more", language, count=len(alike) - MOST_ROWS)))
        names = {kind: word(_HEADS[kind], language) for kind in ("value", "setting", "difference")}
        for name, spec in charts_of(self.settings, self.runs, self.best, names, language).items():
            blocks.append(Chart(name, word(_CHARTS[name], language), spec, word(_READ[name], language)))
        how = word("tune_how", language, folds=self.folds, seed=self.seed, settings=len(self.settings),
                   level=self.level, units=self.units)  # fmt: skip
        return [*blocks, Paragraph(how, "note"), *(Paragraph(note.text(language), "note") for note in self.notes)]

    def table(self, language: Language = "en") -> Table:
        """The settings that cannot be told from the best; the advised one is marked."""
        heads: list[tuple[str, CellKind, int]] = [
            ("setting", "text", 0), ("weights", "text", 0), ("value", "number", 0), ("difference", "difference", 1),
            ("folds", "number", 2),
        ]  # fmt: skip
        columns = tuple(
            Column(word(_HEADS[head], language), kind, importance, 0 if head == "folds" else 4)
            for head, kind, importance in heads
        )
        best = next(one.value for one in self.settings if one.definition == self.best)
        rows = []
        for one in self.inseparable[:MOST_ROWS]:
            marks: frozenset[Mark] = frozenset(["best"]) if one.definition == self.advised else frozenset()
            plain, weights = parted(one.definition)
            rows.append((Cell(plain, marks), Cell(weights), Cell(one.value), Cell(one.value - best), Cell(one.chosen)))
        return Table(columns, tuple(rows), name="inseparable")

    def _values(self, language: Language) -> Table:
        held = self.held_out
        ends = NONE if math.isnan(held.low) else f"{fixed(held.low)} – {fixed(held.high)}"
        rows = [
            (word("tune_held_out", language), held.value, ends),
            (word("tune_training", language), self.training, ""),
            (word("tune_optimism", language), self.optimism, ""),
            *((word("tune_alone", language, name=name), value, "") for name, value in self.alone.items()),
        ]
        heads = [word(_HEADS[head], language) for head in ("what", "value", "interval")]
        return text_table(heads, rows, ("text", "number", "text"), name="values")

    def _compared(self, language: Language) -> Table:
        names = ("against", "value", "difference", "interval", "p", "corrected")
        heads = [word(_HEADS[head], language) for head in names]
        rows = [
            (
                word(_AGAINST[one.kind], language, name=one.name),
                one.value,
                one.difference,
                NONE if math.isnan(one.low) else f"{signed(one.low)} – {signed(one.high)}",
                one.p,
                one.corrected_p,
            )
            for one in self.against
        ]
        return text_table(heads, rows, ("text", "number", "difference", "text", "p", "p"), name="against")

    def _choices(self, language: Language) -> Table:
        heads = [word(_HEADS[head], language) for head in ("setting", "weights", "folds")]
        chosen = sorted((one for one in self.settings if one.chosen), key=lambda one: -one.chosen)
        rows = [(*parted(one.definition), one.chosen) for one in chosen[:MOST_ROWS]]
        return text_table(heads, rows, ("text", "text", "number"), 0, name="chosen")
