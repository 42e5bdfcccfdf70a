"""The answer of a comparison in sentences: who is first, whom it is not shown to beat, how far it is ahead."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankmeter.comparing.records import units_said
from rankmeter.report.evaluations import measure_column, value_cell
from rankmeter.report.marks import NOTHING, difference_cell
from rankmeter.showing.document import Cell, Column
from rankmeter.showing.numbers import p_text
from rankmeter.wording import Said, said

if TYPE_CHECKING:
    from rankmeter.comparing.records import Difference, Score
    from rankmeter.comparing.results import Comparison

_CLEAR, _OPEN, _GAIN, _NO_GAIN = (
    {True: alone, False: several}
    for alone, several in (
        ("verdict_clear", "verdict_clear_several"), ("verdict_open", "verdict_open_several"),
        ("verdict_gain", "verdict_gain_several"), ("verdict_no_gain", "verdict_no_gain_several"),
    )
)  # fmt: skip
"""Verdicts about one measure alone, and about several."""


@dataclass(frozen=True, slots=True)
class ShownVerdict:
    """The answer of a comparison."""

    cmp: Comparison
    digits: int

    def sentences(self) -> list[Said]:
        """The answer: which system is best, which it is not shown to beat, how far it is ahead of the baseline.

        Where a test of ranks or signs points away from the mean, that comes first. Measures that agree share a
        sentence; their numbers are in the table. Where a machine judged too, the verdict of people and machine
        together comes first, alone where people judged only a part that was drawn.
        """
        groups: dict[tuple[str, ...], list[Score]] = {}
        for measure in self.cmp.measures:
            best, *others = self.cmp.ranked(measure)
            if best.in_best is not None and not math.isnan(best.value):
                rivals = (score.system for score in others if score.in_best)
                is_equal = all(score.value == best.value and not score.beats for score in (best, *others))
                groups.setdefault(() if is_equal else (best.system, *rivals), []).append(best)
        sentences = [*self._apart(), *(self._verdict(group, scores) for group, scores in groups.items())]
        assisted = self.cmp.assisted
        if assisted is None:
            return sentences
        alone = [said("verdict_people_alone", sentence=sentence) for sentence in sentences]
        return [*assisted.verdicts(self.digits), *([] if assisted.is_partial else alone)]

    def _apart(self) -> list[Said]:
        """For each measure, where the test finds a system better whose value is worse: one pair in full, how many."""
        sentences = []
        for measure in self.cmp.measures:
            apart = [pair for pair in self.cmp.differences_of(measure) if pair.is_apart]
            if not apart:
                continue
            pair = min(
                (pair if pair.is_better else pair.turned() for pair in apart), key=lambda pair: pair.p_corrected or 0
            )
            gap = Cell(pair.difference).whole(Column("", "difference", digits=self.digits))
            counts = {} if pair.effect is None else {"wins": pair.effect.wins, "losses": pair.effect.losses}
            sentence = said(
                "verdict_apart_counts" if counts else "verdict_apart", measure=self.cmp.label(measure),
                system=pair.system, other=pair.other, difference=gap, p=p_text(pair.p_corrected),
                units=units_said(self.cmp.settings.unit), **counts,
            )  # fmt: skip
            more = [said("verdict_apart_more", count=len(apart) - 1)] if len(apart) > 1 else []
            sentences += [said("two_sentences", first=sentence, second=one) for one in more] or [sentence]
        return sentences

    def _verdict(self, group: Sequence[str], scores: Sequence[Score]) -> Said:
        """The sentence about measures with the same first system and marks; all are equal without one."""
        cmp, rivals = self.cmp, group[1:]
        best, alone = scores[0], len(scores) == 1
        label, value = cmp.label(best.measure), self._value_text(best)
        facts = {"measure": label, "measures": [cmp.label(score.measure) for score in scores], "value": value}
        if not group:
            return said("verdict_equal" if alone else "verdict_equal_several", **facts)
        others = said("some_and_more", names=rivals[:3], more=len(rivals) - 3) if len(rivals) > 4 else list(rivals)
        kind = (_OPEN if rivals else _CLEAR)[alone]
        sentence = said(kind, system=best.system, others=others, **facts)
        held_against = cmp.baselines if cmp.settings.has_baselines else filter(None, [cmp.shown_against])
        for against in () if best.system in cmp.baselines else held_against:
            if against != best.system:
                gain = self._gain(cmp.difference(best.measure, best.system, against), alone=alone)
                sentence = said("two_sentences", first=sentence, second=gain)
        return sentence

    def _gain(self, tested: Difference, *, alone: bool) -> Said:
        """How far the first is ahead of a baseline."""
        shown = replace(difference_cell(tested), marks=NOTHING).whole(Column("", "difference", digits=self.digits))
        facts = {"measure": self.cmp.label(tested.measure), "baseline": tested.other, "difference": shown}
        return said((_GAIN if tested.significant else _NO_GAIN)[alone], p=p_text(tested.p_corrected), **facts)

    def _value_text(self, score: Score) -> str:
        column = measure_column(score.measure, self.digits, 0, self.cmp.label(score.measure))
        return value_cell(score.value, score.measure, self.digits).text(column)
