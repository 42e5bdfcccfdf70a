"""What an evaluation of a log gives back: numbers with intervals, each with its definition and with what was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from rankmeter.errors import NotFoundError, did_you_mean
from rankmeter.late import pl
from rankmeter.measures import Measure, parse
from rankmeter.showing.document import Block, Paragraph, Table, text_table
from rankmeter.showing.showable import Trackable, Tracked
from rankmeter.wings.online.estimates import Estimate
from rankmeter.wings.online.measures import OnlineMeasure
from rankmeter.wings.online.questions import UNITS
from rankmeter.wings.online.shown_estimates import facts, share_of_sessions, shown
from rankmeter.wings.online.sums import Sums, sums_to_table
from rankmeter.wording import Language, Said, exact_percent, kinds, line_about, said, word

Values = Mapping[str, Mapping[OnlineMeasure, Estimate]]
"""For each group (the empty name for everything) the value of each measure."""
_NUMBERS = ("value", "low", "high", "level", "units", "method")


_UNITS = kinds("online_{}", (*UNITS, "impression"))


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of oddity in a log."""

    name: Said
    count: int
    share: float
    """Of all events, sessions, clicks or units, whichever it is about."""
    rule: Said
    """What was done about it."""

    @property
    def sentence(self) -> Said:
        """For people."""
        return said("finding", name=self.name, count=self.count, share=self.share, rule=self.rule)


@dataclass(frozen=True, slots=True)
class PositionRate:
    """The click-through rate at one position."""

    position: int
    impressions: int
    clicks: int
    rate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Bin:
    """How many sessions lasted at most so long, and longer than those of the bin before."""

    up_to: float
    """Seconds; infinity for the last bin."""
    sessions: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LogResult(Trackable):
    """What every result of a log carries beside its numbers: definitions, sums, what was odd, what there was."""

    source: str
    unit: str
    measures: tuple[OnlineMeasure, ...]
    sums: Mapping[str, Sums]
    findings: tuple[Finding, ...] = ()
    notes: tuple[Said, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    """Events, users, impressions, clicks, conversions, sessions, and users who reached each step of the funnel."""
    positions: tuple[PositionRate, ...] = ()
    lengths: tuple[Bin, ...] = ()

    @property
    def definitions(self) -> dict[str, dict[str, Any]]:
        """Every choice behind each number, the defaults too."""
        return {str(measure): measure.describe() for measure in self.measures}

    def sums_table(self) -> pl.DataFrame:
        """The sums behind the numbers, a row per group and measure, which can be handed on instead of events."""
        return sums_to_table(self.sums, self.measures)

    def described(self) -> dict[str, Any]:
        """What belongs to the numbers, as plain Python."""
        named = ("findings", "notes", "counts", "positions", "lengths")
        return {"definitions": self.definitions, **{name: plain_of(getattr(self, name)) for name in named}}

    def sentences(self) -> list[Said]:
        """What a person should know before reading the numbers."""
        counted = [facts(self.counts)] if self.counts else []
        return [*counted, *self.notes, *(finding.sentence for finding in self.findings)]

    def document(self, language: Language = "en") -> list[Block]:
        """What a person should know first, then the numbers."""
        return [Paragraph(line_about(self.source, self.sentences()[:1], language)), *self.tables(language)]

    def tables(self, language: Language = "en") -> list[Table]:
        """The numbers."""
        raise NotImplementedError

    def value_table(self, values: Values, by: str, head: str, language: Language) -> Table:
        """A row per group and measure; ``by`` is what divides units, ``head`` what the column of values is called."""
        units = word("online_units", language, unit=word(_UNITS[self.unit], language))
        rows = [
            [*([group] if by else []), str(measure), shown(estimate, measure, lang=language), estimate.units]
            for group, of in values.items()
            for measure, estimate in of.items()
        ]
        heads = [*([by] if by else []), word("online_measure", language), head, units]
        return text_table(heads, rows, [*(["text"] if by else []), "text", "number", "count"])  # type: ignore[list-item]

    def find(self, measure: str | OnlineMeasure) -> OnlineMeasure:
        """The measure of this result that is meant."""
        meant = parse(measure) if isinstance(measure, str) else measure
        for known in self.measures:
            if known == meant:
                return known
        raise NotFoundError.of("online.result_without", measure=measure, measures=list(map(str, self.measures)))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OnlineEvaluation(LogResult):
    """The values of online measures, for all units or by group.

    Examples
    --------
    >>> import rankmeter as rm
    >>> log = [{"time": 0, "user": u, "item": "a", "type": t, "arm": u} for u in "AB" for t in ("impression", "click")]
    >>> rates = rm.online.evaluate(log, ["CTR"], by="arm")
    >>> rates["CTR", "A"]
    1.0
    """

    by: str
    """What divides the units into groups; empty where nothing does."""
    estimates: Values

    def __getitem__(self, key: str | OnlineMeasure | tuple[str | OnlineMeasure, str]) -> float:
        return self.estimate(*key).value if isinstance(key, tuple) else self.estimate(key).value

    def estimate(self, measure: str | OnlineMeasure, group: str | None = None) -> Estimate:
        """The value of a measure with its interval."""
        if group is None:
            if self.by:
                raise NotFoundError.of("online.say_which_group", by=self.by, names=list(self.estimates))
            group = ""
        if group not in self.estimates:
            hint = did_you_mean(group, list(self.estimates))
            raise NotFoundError.of("online.no_group", by=self.by, group=group, groups=list(self.estimates), hint=hint)
        return self.estimates[group][self.find(measure)]

    @property
    def zero_share(self) -> float:
        """The share of sessions that last 0 seconds."""
        return share_of_sessions(self.counts, "sessions of no length")

    @property
    def engaged_share(self) -> float:
        """The share of sessions that are engaged, as ``EngagedSessions`` has it by default."""
        return share_of_sessions(self.counts, "engaged sessions")

    def to_polars(self) -> pl.DataFrame:
        """A row per group and measure."""
        rows = [
            {"group": group, "measure": str(measure), **{name: getattr(estimate, name) for name in _NUMBERS}}
            for group, values in self.estimates.items()
            for measure, estimate in values.items()
        ]  # fmt: skip
        table = pl.DataFrame(rows, schema=["group", "measure", *_NUMBERS])
        return table.rename({"group": self.by}) if self.by else table.drop("group")

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {"source": self.source, "unit": self.unit, "by": self.by, "values": plain_of(self.estimates),
                **self.described()}  # fmt: skip

    def tracked(self) -> Tracked:
        """The value of every measure in every group."""
        return Tracked(self.measures, tracked_values(self.estimates))

    def page(self, language: Language = "en") -> list[Block]:
        """The numbers, charts, what is odd in the log, and what the measures mean."""
        from rankmeter.wings.online.pages import online_document

        return online_document(self, self.estimates, language)

    def tables(self, language: Language = "en") -> list[Table]:
        """A row per group and measure."""
        levels = [estimate.level for of in self.estimates.values() for estimate in of.values()]  # none without a group
        head = word("online_value", language)
        if levels:
            head = word("online_value_with", language, level=exact_percent(levels[0]))
        return [self.value_table(self.estimates, self.by, head, language)]


def tracked_values(values: Values) -> list[tuple[str, Measure, float, float, float]]:
    """A row for each group and measure."""
    return [(group, measure, at.value, at.low, at.high) for group, of in values.items() for measure, at in of.items()]


def plain_of(value: Any) -> Any:
    """Records, estimates and measures as plain Python, however deep they stand."""
    if isinstance(value, Estimate):
        return value.to_dict()
    if isinstance(value, OnlineMeasure):
        return str(value)
    if is_dataclass(value):
        return {part.name: plain_of(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(key): plain_of(part) for key, part in value.items()}
    return [plain_of(part) for part in value] if isinstance(value, (list, tuple)) else value
