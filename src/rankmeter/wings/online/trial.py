"""What an experiment gives back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Literal, get_args

from rankmeter.errors import NotFoundError
from rankmeter.late import pl
from rankmeter.measures import parse
from rankmeter.showing.document import Block, Cell, Column, Mark, Paragraph, Table
from rankmeter.showing.showable import Tracked
from rankmeter.wings.online.contrasts import Adjusted
from rankmeter.wings.online.estimates import Estimate, Lift
from rankmeter.wings.online.log_results import LogResult, Values, plain_of, tracked_values
from rankmeter.wings.online.looks import Rule
from rankmeter.wings.online.measures import OnlineMeasure
from rankmeter.wings.online.questions import ExperimentPlan
from rankmeter.wings.online.shown_estimates import page_words, shown, with_ends
from rankmeter.wording import Language, Said, exact_percent, kinds, said, word

Decided = Literal["ship", "do not ship", "cannot tell"]
_DECIDED = kinds("decision_is_{}", get_args(Decided))
Verdict = Literal["better", "worse", "higher", "lower", "cannot tell", "no data"]
Guard = Literal["", "passes", "fails", "cannot tell"]
Role = Literal["", "primary", "guardrail", "diagnostic"]
Family = Literal["first", "primary", "guardrail", "others", "beside"]
"""The measures whose p-values are corrected together: the one asked first where no primary ones are named, those, the
guardrails, whatever else was asked, and what nobody asked for."""
_FAMILIES: Mapping[Family, str] = {
    "first": "family_first", "primary": "family_primary", "guardrail": "family_guardrail", "others": "family_others",
    "beside": "family_beside",
}  # fmt: skip
"""How each is said."""


_COLUMNS = {
    "variant": "variant", "segment": "segment", "role": "role", "family": "family",
    "control_value": "control_value.value", "value": "value.value", "difference": "difference.value",
    "low": "difference.low", "high": "difference.high", "relative": "relative.value", "relative_low": "relative.low",
    "relative_high": "relative.high", "p": "p", "p_corrected": "p_corrected", "least_detectable": "least",
    "verdict": "verdict", "guard": "guard", "chance_to_win": "chance", "expected_loss": "loss",
}  # fmt: skip
"""The columns of a table of effects, and where each stands in an effect."""
_SHOWN = ("segment", "measure", "variant", "role", "difference", "relative", "p", "peek", "least", "chance", "loss",
          "verdict")  # fmt: skip
"""What people see of an effect."""
_LEAST_FIRST = ("", "p", "difference", "role", "chance", "loss", "least")
"""What a narrow terminal leaves out, the last first: whether and how much, relative to the control, always stays."""
_REASONS = {
    "worse": "decision_worse",
    "failed": "decision_failed",
    "unsure": "decision_unsure",
    "better": "decision_better",
}
"""The sentence of each finding, the gravest first."""
_GUARDED = {"fails": "failed", "cannot tell": "unsure"}
_VERDICTS: dict[str, frozenset[Mark]] = {"better": frozenset({"up"}), "worse": frozenset({"down"})}


@dataclass(frozen=True, slots=True)
class SampleRatio:
    """Whether units were split as they were meant to be."""

    counts: Mapping[str, int]
    meant: Mapping[str, float]
    p: float
    is_sound: bool
    rule: Rule = "once"
    """How looks before the end are paid for: by the chi-square test not at all, else by one that is always valid."""

    @property
    def sentence(self) -> Said:
        """For people."""
        test = said("ratio_test_once" if self.rule == "once" else "ratio_test_always")
        return said("ratio_sound" if self.is_sound else "ratio_broken", split=dict(self.counts), test=test, p=self.p)


@dataclass(frozen=True, slots=True)
class Effect:
    """One measure of one variant against the control."""

    measure: OnlineMeasure
    variant: str
    control: str
    segment: str
    """Empty for all units."""
    control_value: Estimate
    value: Estimate
    plain: Lift
    adjusted: Adjusted | None
    """After what else is known of the same units, where that is."""
    least: float
    """The smallest absolute difference found with the stated power, after the correction and the adjustment."""
    p_corrected: float
    role: Role = ""
    family: Family = "first"
    margin: float = math.nan
    """Of a guardrail: the share of the control's value that may be lost."""
    p_margin: float = math.nan
    """The one-sided p-value that the margin or more is lost, times the number of variants: small where it passes."""
    p_beyond: float = math.nan
    """That the margin or less is lost, times the number of variants: small where it fails."""
    chance: float = math.nan
    """With a prior: how likely the variant is the better one."""
    loss: float = math.nan
    """With a prior: what is lost on average by choosing it, as a share of the control's value."""

    @property
    def test(self) -> Lift:
        """The difference that decides: the adjusted one where there is one."""
        return self.adjusted.difference if self.adjusted is not None else self.plain

    @property
    def difference(self) -> Estimate:
        """Variant minus control."""
        return self.test.absolute

    @property
    def relative(self) -> Estimate:
        """The effect as a share of the control's value."""
        return self.test.relative

    @property
    def always_valid(self) -> Estimate:
        """The interval for those who look before the end."""
        return self.test.always_valid

    @property
    def p(self) -> float:
        """The p-value of no difference, not yet corrected."""
        return self.test.p

    @property
    def verdict(self) -> Verdict:
        """Whether the variant is better, by the corrected p-value and the direction that the measure states."""
        if math.isnan(self.p_corrected):
            return "cannot tell" if self.test.rests_on_few else "no data"
        if self.p_corrected >= 1 - self.difference.level:
            return "cannot tell"
        if not self.measure.direction:
            return "higher" if self.difference.value > 0 else "lower"
        return "better" if self.difference.value * self.measure.direction > 0 else "worse"

    @property
    def guard(self) -> Guard:
        """Whether a guardrail holds: it passes where the interval ends above the margin, fails where it ends below."""
        if self.role != "guardrail":
            return ""
        tail = (1 - self.difference.level) / 2
        if self.p_margin < tail:
            return "passes"
        return "fails" if self.p_beyond < tail else "cannot tell"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        names = ("measure", "variant", "control", "segment", "role", "family", "control_value", "value", "difference",
                 "relative", "always_valid", "p", "p_corrected", "verdict", "margin", "p_margin",
                 "p_beyond", "guard")  # fmt: skip
        return {
            **{name: plain_of(getattr(self, name)) for name in names},
            "always_valid_p": self.test.always_valid_p,
            "unadjusted": self.plain.absolute.to_dict(),
            "variance_kept": None if self.adjusted is None else self.adjusted.variance_kept,
            "least_detectable": self.least,
            "chance_to_win": self.chance,
            "expected_loss": self.loss,
        }


@dataclass(frozen=True, slots=True)
class Decision:
    """What the plan says about one variant, its primary measures and its guardrails together."""

    variant: str
    verdict: Decided
    reasons: tuple[Said, ...]

    @classmethod
    def of(cls, variant: str, effects: Sequence[Effect], *, is_sound: bool) -> Decision:
        """Ship where a primary measure is better, none is worse, and every guardrail passes."""
        found: dict[str, list[str]] = {kind: [] for kind in _REASONS}
        for effect in effects:
            kind = effect.verdict if effect.role == "primary" else _GUARDED.get(effect.guard)
            if kind in found:
                found[kind].append(str(effect.measure))
        reasons = [said(_REASONS[kind], measures=measures) for kind, measures in found.items() if measures]
        if not is_sound:
            return cls(variant, "cannot tell", (said("decision_unsound"),))
        if found["worse"] or found["failed"]:
            return cls(variant, "do not ship", tuple(reasons))
        if found["better"] and not found["unsure"]:
            return cls(variant, "ship", tuple(reasons))
        return cls(variant, "cannot tell", (*reasons, *(() if found["better"] else (said("decision_none_better"),))))

    @property
    def sentence(self) -> Said:
        """For people."""
        verdict = said(_DECIDED[self.verdict])
        return said("decision", variant=self.variant, verdict=verdict, reasons=list(self.reasons))


@dataclass(frozen=True, slots=True)
class Interaction:
    """Whether the effect on a measure differs between segments."""

    measure: OnlineMeasure
    variant: str
    segments: int
    p: float
    p_corrected: float
    level: float

    @property
    def differs(self) -> bool:
        """Whether the segments can be told apart."""
        return self.p_corrected < 1 - self.level

    @property
    def sentence(self) -> Said:
        """For people, where they can."""
        about = {"measure": str(self.measure), "variant": self.variant}
        return said("interaction_differs", **about, count=self.segments, p=self.p_corrected)


@dataclass(frozen=True, slots=True)
class Day:
    """What an experiment showed on a day, and up to its end."""

    day: str
    measure: OnlineMeasure
    variant: str
    units: int
    """Units seen up to the end of the day, in both groups."""
    daily: Estimate
    """The difference of what happened on that day."""
    cumulative: Estimate
    """The difference up to its end, with the interval that holds on all days at once."""


@dataclass(frozen=True, slots=True)
class NoveltyEffect:
    """Whether the effect of the first half of the days is that of the second."""

    measure: OnlineMeasure
    variant: str
    change: Estimate
    """The effect in the second half minus that in the first, over the same units."""
    p: float
    p_corrected: float

    @property
    def differs(self) -> bool:
        """Whether the effect changed."""
        return self.p_corrected < 1 - self.change.level

    @property
    def sentence(self) -> Said:
        """For people, where it did."""
        about = {"measure": str(self.measure), "variant": self.variant}
        return said("novelty_changes", **about, change=self.change.value, p=self.p_corrected)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Experiment(LogResult):
    """Variants compared with a control."""

    control: str
    values: Values
    ratio: SampleRatio
    effects: tuple[Effect, ...]
    segments: tuple[Effect, ...] = ()
    segment: str = ""
    """The column that the segments are of."""
    plan: ExperimentPlan = field(default_factory=ExperimentPlan)
    decisions: tuple[Decision, ...] = ()
    """A verdict for each variant, where the plan names primary measures or guardrails."""
    interactions: tuple[Interaction, ...] = ()
    days: tuple[Day, ...] = ()
    novelty: tuple[NoveltyEffect, ...] = ()

    @property
    def correction(self) -> str:
        """For the number of differences looked at."""
        return self.plan.correction

    @property
    def level(self) -> float:
        """Of the intervals and of the verdicts."""
        return self.plan.level

    @property
    def is_sound(self) -> bool:
        """Whether the sample-ratio check passed; where not, no difference can be trusted."""
        return self.ratio.is_sound

    @property
    def variants(self) -> list[str]:
        """The variants other than the control."""
        return [name for name in self.values if name != self.control]

    def effect(self, measure: str | OnlineMeasure, variant: str | None = None) -> Effect:
        """The effect of a variant on a measure."""
        meant = parse(measure) if isinstance(measure, str) else measure
        for effect in self.effects:
            if effect.measure == meant and (variant is None or effect.variant == variant):
                return effect
        known = [f"{effect.measure} ({effect.variant})" for effect in self.effects]
        name = f"{measure} ({variant})" if variant else str(measure)
        raise NotFoundError.of("online.no_effect_on", name=name, known=known)

    def to_polars(self) -> pl.DataFrame:
        """A row per effect, those of segments too."""
        rows = [
            {"measure": str(effect.measure), **{name: attrgetter(path)(effect) for name, path in _COLUMNS.items()}}
            for effect in (*self.effects, *self.segments)
        ]
        return pl.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        named = ("source", "unit", "control", "plan", "correction", "values", "decisions", "interactions", "days",
                 "novelty")  # fmt: skip
        return {
            **{name: plain_of(getattr(self, name)) for name in named},
            "sample_ratio": plain_of(self.ratio),
            "effects": [effect.to_dict() for effect in self.effects],
            "segments": [effect.to_dict() for effect in self.segments],
            **self.described(),
        }

    def sentences(self) -> list[Said]:
        """What a person should know: the decision and the sample ratio first, then how the numbers came about."""
        looked = "looked_once" if self.plan.sequential == "once" else "looked_often"
        first = [self.ratio.sentence, *self.conclusions(), said(looked, rule=self.plan.sequential)]
        return [*first, *self._corrections(), *LogResult.sentences(self)]

    def _corrections(self) -> list[Said]:
        """Which p-values are corrected together, and that intervals are not."""
        if len(self.effects) < 2:
            return []
        members = {family: [effect for effect in self.effects if effect.family == family] for family in _FAMILIES}
        families = [
            said(_FAMILIES[family], measures=list(dict.fromkeys(str(effect.measure) for effect in effects)),
                 count=len(effects))
            for family, effects in members.items() if effects
        ]  # fmt: skip
        kind = "families_uncorrected" if self.correction == "none" else "families"
        return [
            said(kind, correction=self.correction, families=families),
            said("intervals_alone", level=self.plan.level),
        ]

    def document(self, language: Language = "en") -> list[Block]:
        """The sample ratio, the numbers, and what was decided."""
        decided = [Paragraph(decision.sentence.text(language)) for decision in self.decisions]
        return [*LogResult.document(self, language), *decided]

    def tracked(self) -> Tracked:
        """The values of every variant, and its differences from the control."""
        differences = [
            (effect.variant, effect.control, effect.measure, effect.difference.value, effect.difference.low,
             effect.difference.high, effect.p_corrected)
            for effect in self.effects
        ]  # fmt: skip
        return Tracked(self.measures, tracked_values(self.values), differences)

    def page(self, language: Language = "en") -> list[Block]:
        """The sample ratio, differences, values, charts, what is odd in the log, and what the measures mean."""
        from rankmeter.wings.online.pages import online_document

        return online_document(self, self.values, language, self)

    def tables(self, language: Language = "en") -> list[Table]:
        """The values, and the differences of all units, by segment and by day."""
        by, head = word("online_variant", language), word("online_value", language)
        tables = [self.value_table(self.values, by, head, language)]
        tables += [self.effects_table(language)] if self.effects else []
        tables += [self.effects_table(language, self.segment)] if self.segments else []
        return [*tables, self._days_table(language)] if self.days else tables

    def effects_table(self, language: Language, segment: str = "", *, is_page: bool = False) -> Table:
        """Every difference from the control, or those of the segments; a page has room for what holds on any day."""
        words, effects = page_words(language), self.segments if segment else self.effects
        has_chance = not all(math.isnan(effect.chance) for effect in effects)
        asked = {"segment": bool(segment), "role": any(effect.role for effect in effects), "peek": is_page,
                 "chance": has_chance, "loss": has_chance}  # fmt: skip
        values = {"correction": self.correction, "power": exact_percent(self.plan.power)}
        names = [name for name in _SHOWN if asked.get(name, True)]
        columns = (
            Column(
                segment if name == "segment" else words[name].format(**values),
                "text" if name in _SHOWN[:3] else "number",
                _LEAST_FIRST.index(name) if name in _LEAST_FIRST else 0,
            )
            for name in names
        )
        cells = (_effect_cells(effect, words, language, is_page=is_page) for effect in effects)
        return Table(tuple(columns), tuple(tuple(row[name] for name in names) for row in cells))

    def _days_table(self, language: Language) -> Table:
        """The differences day by day, and what they add up to."""
        day, measure, variant, that_day, so_far = (
            word(name, language)
            for name in ("online_day", "online_measure", "online_variant", "online_that_day", "online_so_far")
        )
        rows = (
            (day.day, str(day.measure), day.variant, shown(day.daily, day.measure, lang=language),
             shown(day.cumulative, day.measure, lang=language))
            for day in self.days
        )  # fmt: skip
        columns = (*(Column(head, "text") for head in (day, measure, variant)), Column(that_day, importance=1),
                   Column(so_far))  # fmt: skip
        return Table(columns, tuple(tuple(map(Cell, row)) for row in rows))

    def conclusions(self) -> list[Said]:
        """What was decided, and what was tested beside the effects."""
        sentences = [decision.sentence for decision in self.decisions]
        sentences += [interaction.sentence for interaction in self.interactions if interaction.differs]
        sentences += [change.sentence for change in self.novelty if change.differs]
        tested: dict[str, Sequence[Any]] = {"interactions_cannot_tell": self.interactions, "novelty_none": self.novelty}
        for kind, tests in tested.items():
            unsure = [f"{test.measure} ({test.variant})" for test in tests if not test.differs]
            sentences += [said(kind, effects=unsure)] if unsure else []
        return sentences


def _brief(number: float) -> str:
    """A number in three digits; a dash where there is none."""
    return "-" if math.isnan(number) else f"{number:.3g}"


def _effect_cells(effect: Effect, words: Mapping[str, str], language: Language, *, is_page: bool) -> dict[str, Cell]:
    base, relative, no_data = effect.control_value.value, effect.relative, words["no_data"]
    share = f" ({abs(effect.least / base):.1%})" if is_page and base and not math.isnan(base) else ""
    texts = {
        "segment": effect.segment, "measure": str(effect.measure), "variant": effect.variant,
        "role": words[effect.role] if effect.role else "",
        "difference": shown(effect.difference, effect.measure, lang=language),
        "relative": no_data if math.isnan(relative.value) else with_ends(relative, "+.1%"),
        "p": _brief(effect.p_corrected), "peek": shown(effect.always_valid, effect.measure, lang=language),
        "least": no_data if math.isnan(effect.least) else f"{_brief(effect.least)}{share}",
        "chance": _brief(effect.chance), "loss": _brief(effect.loss),
    }  # fmt: skip
    verdict = words[(effect.guard or effect.verdict).replace(" ", "_")]
    cells = {name: Cell(text) for name, text in texts.items()}
    return cells | {"verdict": Cell(verdict, _VERDICTS.get(effect.verdict, frozenset()))}
