"""What an experiment gives back."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from rankmeter.errors import NotFoundError
from rankmeter.late import pl
from rankmeter.measures import parse
from rankmeter.measures.online import OnlineMeasure
from rankmeter.online.checks import Finding
from rankmeter.online.inference import Adjusted, Difference, Estimate
from rankmeter.online.results import Bin, PositionRate
from rankmeter.online.sums import Sums
from rankmeter.online.telling import ToldFromSums, brief, facts, percent, plain_values, shown
from rankmeter.wording import Said, said

Verdict = Literal["better", "worse", "cannot tell", "no data"]


@dataclass(frozen=True, slots=True)
class SampleRatio:
    """Whether units were split as they were meant to be."""

    counts: Mapping[str, int]
    meant: Mapping[str, float]
    p: float
    is_sound: bool

    @property
    def sentence(self) -> Said:
        """For people."""
        return said("ratio_sound" if self.is_sound else "ratio_broken", split=dict(self.counts), p=self.p)


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
    plain: Difference
    adjusted: Adjusted | None
    """After what the same users did before, where that is known."""
    least: float
    """The smallest absolute difference that an experiment of this size finds with the stated power."""
    p_corrected: float

    @property
    def test(self) -> Difference:
        """The difference that decides: the adjusted one where there is one."""
        return self.adjusted.difference if self.adjusted is not None else self.plain

    @property
    def difference(self) -> Estimate:
        """Variant minus control."""
        return self.test.absolute

    @property
    def relative(self) -> Estimate:
        """The same as a share of the control's value."""
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
            return "no data"
        if self.p_corrected >= 1 - self.difference.level:
            return "cannot tell"
        return "better" if (self.difference.value > 0) == self.measure.prefers_higher else "worse"

    def with_p(self, p_corrected: float) -> Effect:
        """The same effect with a corrected p-value."""
        return replace(self, p_corrected=p_corrected)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {
            "measure": str(self.measure),
            "variant": self.variant,
            "control": self.control,
            "segment": self.segment,
            "control_value": self.control_value.to_dict(),
            "value": self.value.to_dict(),
            "difference": self.difference.to_dict(),
            "relative": self.relative.to_dict(),
            "always_valid": self.always_valid.to_dict(),
            "unadjusted": self.plain.absolute.to_dict(),
            "variance_kept": None if self.adjusted is None else self.adjusted.variance_kept,
            "p": self.p,
            "p_corrected": self.p_corrected,
            "least_detectable": self.least,
            "verdict": self.verdict,
        }


@dataclass(frozen=True, slots=True)
class Experiment(ToldFromSums):
    """Variants compared with a control."""

    source: str
    unit: str
    control: str
    measures: tuple[OnlineMeasure, ...]
    values: Mapping[str, Mapping[OnlineMeasure, Estimate]]
    ratio: SampleRatio
    effects: tuple[Effect, ...]
    segments: tuple[Effect, ...]
    segment: str
    """The column that the segments are of."""
    correction: str
    level: float
    sums: Mapping[str, Sums]
    findings: tuple[Finding, ...]
    notes: tuple[Said, ...]
    counts: Mapping[str, int]
    positions: tuple[PositionRate, ...]
    lengths: tuple[Bin, ...]

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
        for one in self.effects:
            if one.measure == meant and (variant is None or one.variant == variant):
                return one
        has = ", ".join(f"{one.measure} of {one.variant}" for one in self.effects)
        raise NotFoundError(
            f"there is no effect on '{measure}'{f' of {variant}' if variant else ''}. Hint: there is {has}."
        )

    def to_polars(self) -> pl.DataFrame:
        """A row per effect, those of segments too."""
        rows = [
            {
                "measure": str(one.measure), "variant": one.variant, "segment": one.segment,
                "control_value": one.control_value.value, "value": one.value.value, "difference": one.difference.value,
                "low": one.difference.low, "high": one.difference.high, "relative": one.relative.value,
                "relative_low": one.relative.low, "relative_high": one.relative.high, "p": one.p,
                "p_corrected": one.p_corrected, "least_detectable": one.least, "verdict": one.verdict,
            }
            for one in (*self.effects, *self.segments)
        ]  # fmt: skip
        return pl.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {
            "source": self.source,
            "unit": self.unit,
            "control": self.control,
            "sample_ratio": asdict(self.ratio),
            "correction": self.correction,
            "values": plain_values(self.values),
            "effects": [one.to_dict() for one in self.effects],
            "segments": [one.to_dict() for one in self.segments],
            "definitions": self.definitions,
            "findings": [asdict(one) for one in self.findings],
            "notes": list(self.notes),
            "counts": dict(self.counts),
        }

    def sentences(self) -> list[Said]:
        """What a person should know before reading the numbers: the sample ratio first."""
        counted = [facts(self.counts)] if self.counts else []
        return [self.ratio.sentence, *counted, *self.notes, *(one.sentence for one in self.findings)]

    def __repr__(self) -> str:
        lines = [f"{self.source}: {self.ratio.sentence}"]
        width = max(len(str(measure)) for measure in self.measures)
        lines += [
            f"  {one.measure!s:<{width}}  {one.variant} - {one.control}: {shown(one.difference, one.measure)}, "
            f"{percent(one.relative)}, p = {brief(one.p_corrected)} ({self.correction}): {one.verdict}"
            for one in self.effects
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td title='{html.escape(one.measure.definition)}'>{html.escape(str(one.measure))}</td>"
            f"<td>{html.escape(one.variant)}</td><td>{html.escape(shown(one.value, one.measure))}</td>"
            f"<td>{html.escape(shown(one.difference, one.measure))}</td><td>{percent(one.relative)}</td>"
            f"<td>{brief(one.p_corrected)}</td><td>{one.verdict}</td></tr>"
            for one in self.effects
        )
        names = ("measure", "variant", "value", "difference", "relative", "p, corrected", "verdict")
        head = "".join(f"<th>{name}</th>" for name in names)
        return f"<table><caption>{html.escape(self.ratio.sentence)}</caption><tr>{head}</tr>{rows}</table>"
