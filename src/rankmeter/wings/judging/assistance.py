"""Few people, many machine judgments: values and differences with intervals that hold, whatever the machine is worth.

People's judgments say what is true where they are; the machine's, which are everywhere, only make the interval shorter:
how much they are trusted is measured on what both judged. A machine that is biased, or useless, or chosen to deceive
costs width, not validity. What is assumed is that people judged queries (or items) drawn at random.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, get_args

import numpy as np

from rankmeter.errors import (
    InputError,
    MeasureError,
    NotFoundError,
    check_choice,
    check_level,
    check_positive,
    did_you_mean,
    examples,
)
from rankmeter.evaluating.assisted import AssistedValues
from rankmeter.late import special
from rankmeter.measures import Measure, parse
from rankmeter.showing.document import Block, Column, Heading, Kind, Paragraph, Table
from rankmeter.showing.numbers import p_text
from rankmeter.showing.showable import NotedTable, said_table
from rankmeter.stats.corrections import Correction, corrected
from rankmeter.wings.judging.estimators import TARGETS, Estimated, Target
from rankmeter.wings.judging.observed import Design, DesignKind, Seen, SingleItems, WholeQueries
from rankmeter.wording import Said, kinds, said

MOST_GAPS = 3
"""How many differences under one measure are put into words."""


_DRAWN = kinds("drawn_{}", get_args(DesignKind))
_TARGETS = kinds("target_{}", TARGETS)


@dataclass(frozen=True, slots=True)
class Assisted:
    """One number: what people and machine say together, what people alone say, what the machine says."""

    measure: str
    system: str
    other: str | None
    """What it is the difference to; None for a value."""
    value: float
    """As its interval within what the measure can be: corrections could carry an estimate of a value beyond it."""
    low: float
    high: float
    """NaN, as is ``low``, where there is no interval."""
    error: float
    weight: float
    """How much the machine counts: 0 not at all; above 1 where it compresses the scale."""
    method: str
    """``tuned`` (the regression estimator), ``differing`` (the same among the queries on which two lists differ),
    ``unequal`` and ``items`` (by recorded chances), or ``people``."""
    people: float
    people_low: float
    people_high: float
    machine: float
    """Without an interval: none would hold."""
    correlation: float
    """Of the values by people with those by the machine; of a difference, of the differences."""
    judged: int
    """Queries that people judged."""
    total: int
    worth: int | None
    """How many queries people alone would have to judge for an interval as short."""
    p: float | None = None
    """Of a difference, two-sided."""
    p_corrected: float | None = None
    """Corrected for all pairs of the measure."""
    reason: str = ""
    """Why there is no interval."""

    @property
    def has_interval(self) -> bool:
        """Whether there is an interval."""
        return not math.isnan(self.low)


@dataclass(frozen=True, slots=True, repr=False)
class Assistance(AssistedValues):
    """Values and differences from few human and many machine judgments; ``assisted_by=`` makes it."""

    systems: tuple[str, ...]
    measures: tuple[Measure | str, ...]
    """Those that have an estimate; what is no measure of a ranking, such as a score of nuggets, by its name."""
    observed: Mapping[tuple[str, str], Seen]
    """By measure and system."""
    bounds: Mapping[str, tuple[float, float]]
    names: Mapping[str, Measure | str]
    """Which measure each text stands for that was asked for."""
    refused: Mapping[str, Said]
    """Measures without a valid estimate, and why."""
    design: Design
    pairs: tuple[tuple[str, str], ...]
    """The differences that were asked for: a system, and what it is held against."""
    level: float = 0.95
    target: Target = "population"
    correction: Correction = "holm"
    half_width: float | None = None
    """The half width of an interval that somebody wants."""
    notes: tuple[Said, ...] = ()

    def value(
        self,
        measure: str | Measure,
        system: str | None = None,
        *,
        level: float | None = None,
        target: Target | None = None,
    ) -> Assisted:
        """The value of one system; the only one where none is named."""
        if self.design.kind == "differing":
            raise InputError.of("judging.differing_needs_pairs")
        return self._assisted(self._named(measure), self._system(system), None, level, target)

    def difference(
        self,
        measure: str | Measure,
        system: str,
        other: str,
        *,
        level: float | None = None,
        target: Target | None = None,
    ) -> Assisted:
        """How much better a system is than another, with its p-value; corrected ones are in ``differences``."""
        return self._assisted(self._named(measure), self._system(system), self._system(other), level, target)

    def differences(self, measure: str | Measure) -> list[Assisted]:
        """Every difference that was asked for under one measure, p-values corrected for all of them."""
        gaps = [self.difference(measure, first, second) for first, second in self.pairs]
        tested = [at for at, gap in enumerate(gaps) if gap.p is not None]
        fixed = corrected(np.array([gaps[at].p for at in tested], np.float64), self.correction)
        for at, p in zip(tested, fixed, strict=True):
            gaps[at] = replace(gaps[at], p_corrected=float(p))
        return gaps

    def needed(
        self,
        half_width: object,
        measure: str | Measure | None = None,
        system: str | None = None,
        other: str | None = None,
        *,
        target: Target | None = None,
    ) -> int | None:
        """How many queries people have to judge for an interval of +- ``half_width``; None where none are enough."""
        half = check_positive("needed", half_width, 0.02)
        name, first = self._named(measure or self.measures[0]), self._system(system)
        second = None if other is None else self._system(other)
        return self._seen(name, first, second).needed(half, self.level, self._target(target))

    def _seen(self, measure: str, system: str, other: str | None) -> Seen:
        seen = self.observed[measure, system]
        return seen if other is None else seen.minus(self.observed[measure, other])  # type: ignore[arg-type]  # alike

    def _assisted(
        self, measure: str, system: str, other: str | None, level: float | None, target: Target | None
    ) -> Assisted:
        seen = self._seen(measure, system, other)
        sure = self.level if level is None else check_level(level)
        aim = self._target(target)
        estimate, alone = _with_ends(seen.assisted(sure, aim)), _with_ends(seen.alone(sure, aim))
        ends = self.bounds[measure] if other is None else (-math.inf, math.inf)
        shown = (
            float(np.clip(part, *ends)) for each in (estimate, alone) for part in (each.value, each.low, each.high)
        )
        value, low, high, people, people_low, people_high = shown
        half = (estimate.high - estimate.low) / 2
        flat = math.isnan(estimate.low)
        return Assisted(
            measure=measure, system=system, other=other, value=value, low=low, high=high, error=float(estimate.error),
            weight=float(estimate.weight), method=seen.method, people=people, people_low=people_low,
            people_high=people_high, machine=float(seen.machine.mean()), correlation=seen.correlation,
            judged=seen.judged, total=seen.total, worth=None if flat else seen.worth(half, sure),
            p=None if other is None or flat else
            float(2 * special.stdtr(estimate.freedom, -abs(estimate.value) / estimate.error)),
            reason=said("assisted_no_spread") if flat else "",
        )  # fmt: skip

    def _named(self, measure: str | Measure) -> str:
        text = str(self.names.get(str(measure), measure))
        known = {str(each): each for each in self.measures}
        if text in known:
            return text
        if text in self.refused:
            raise InputError.of("judging.not_assisted", measure=text, why=self.refused[text])
        hint = did_you_mean(text, list(known)) or ", ".join(known)
        raise NotFoundError.of("judging.no_such_measure", measure=text, hint=hint)

    def _system(self, system: str | None) -> str:
        if system is None and len(self.systems) == 1:
            return self.systems[0]
        if system not in self.systems:
            raise NotFoundError.of("judging.no_such_system", system=system, systems=list(self.systems))
        return system

    def _target(self, target: Target | None) -> Target:
        check_choice("target", target, (None, *TARGETS))
        return target or self.target

    def _values(self) -> list[Assisted]:
        """None where only differences can be estimated."""
        if self.design.kind == "differing":
            return []
        return [self.value(measure, system) for measure in self.measures for system in self.systems]

    def _differences(self) -> list[Assisted]:
        return [gap for measure in self.measures for gap in self.differences(measure)]

    def rows(self) -> list[Assisted]:
        """Every value, then every difference."""
        return [*self._values(), *self._differences()]

    def _rows(self) -> list[dict[str, Any]]:
        return [asdict(number) for number in self.rows()]

    def _needed(self) -> Iterator[tuple[str, str, str | None, int | None]]:
        """How many queries are needed for the width that is wanted: of each measure, system and what it is against."""
        asked = self.pairs or [(system, None) for system in self.systems]
        for measure in self.measures if self.half_width is not None else ():
            for system, other in asked:
                yield str(measure), system, other, self.needed(self.half_width, measure, system, other)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        counts: dict[str, dict[str, int | None]] = {}
        for measure, system, other, count in self._needed():
            counts.setdefault(measure, {})[_pair_name(system, other)] = count
        return {
            "judged_by_people": {"design": self.design.kind},
            "level": self.level, "target": self.target, "correction": self.correction,
            "values": self._rows(),
            "refused": dict(self.refused), "notes": list(self.notes),
            **({"needed": {"half_width": self.half_width, "queries": counts}} if counts else {}),
        }  # fmt: skip

    def to_plain(self) -> dict[str, Any]:
        """Everything, to be kept as JSON; :meth:`from_plain` reads it."""
        observed = []
        for (name, system), seen in self.observed.items():
            parts = {part.name: getattr(seen, part.name) for part in fields(seen)}
            plain = {name: part.tolist() if isinstance(part, np.ndarray) else part for name, part in parts.items()}
            observed.append({"measure": name, "system": system, "kind": type(seen).__name__, **plain})
        return {
            **{name: getattr(self, name) for name in _KEPT_AS_IS}, "observed": observed, "systems": list(self.systems),
            "measures": list(map(str, self.measures)), "pairs": list(map(list, self.pairs)),
            "bounds": {name: [float(end).hex() for end in ends] for name, ends in self.bounds.items()},
            "names": {text: str(measure) for text, measure in self.names.items()},
            "refused": {name: why.to_plain() for name, why in self.refused.items()},
            "design": self.design.kind, "notes": [note.to_plain() for note in self.notes],
        }  # fmt: skip

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Assistance:
        """Read what :meth:`to_plain` made."""
        kinds = {kind.__name__: kind for kind in (WholeQueries, SingleItems)}
        observed = {}
        for seen in plain["observed"]:
            parts: dict[str, Any] = {
                name: np.array(part) if isinstance(part, list) else part for name, part in seen.items()
            }
            name, system, kind = (parts.pop(key) for key in ("measure", "system", "kind"))
            observed[name, system] = kinds[kind](**parts)
        return cls(
            **{name: plain[name] for name in _KEPT_AS_IS}, observed=observed,
            systems=tuple(plain["systems"]), measures=tuple(map(_measure, plain["measures"])),
            pairs=tuple((system, other) for system, other in plain["pairs"]),
            bounds={name: (float.fromhex(low), float.fromhex(high)) for name, (low, high) in plain["bounds"].items()},
            names={text: _measure(measure) for text, measure in plain["names"].items()},
            refused={name: Said.from_plain(why) for name, why in plain["refused"].items()},
            design=Design(plain["design"]), notes=tuple(map(Said.from_plain, plain["notes"])),
        )  # fmt: skip

    @property
    def is_partial(self) -> bool:
        """Whether people's judgments alone measure no system, because not everything could be drawn."""
        return self.design.is_partial

    def with_width(self, half_width: float | None) -> Assistance:
        """The same, which also says how much is to be judged for an interval of +- ``half_width``."""
        if half_width is not None:
            check_positive("needed", half_width, 0.02)
        return replace(self, half_width=half_width)

    def beside(self, others: Sequence[Assistance]) -> Assistance:
        """Several systems, each of which was measured alone, in one."""
        parts = (self, *others)
        notes = {note.kind: note for part in parts for note in part.notes}
        return replace(
            self,
            systems=tuple(name for part in parts for name in part.systems),
            observed={key: seen for part in parts for key, seen in part.observed.items()},
            refused={name: why for part in parts for name, why in part.refused.items()},
            measures=tuple(shared for shared in self.measures if all(shared in part.measures for part in parts)),
            notes=tuple(notes.values()),
        )

    def verdicts(self, digits: int) -> list[Said]:
        """For each measure the best system by people and machine together, and which others it is ahead of."""
        sentences = []
        for measure in self.measures:
            sign = 1 if isinstance(measure, str) or measure.higher_is_better else -1
            if self.design.kind == "differing":
                sentences += [self._verdict_of_gap(gap, sign, digits) for gap in self.differences(measure)[:MOST_GAPS]]
                continue
            values = [self.value(measure, system) for system in self.systems]
            best = max(values, key=lambda value: sign * value.value)
            behind: dict[bool, list[str]] = {True: [], False: []}
            for tested in self.differences(measure):
                if best.system not in (tested.system, tested.other):
                    continue
                is_ahead = self._is_sure(tested) and (sign * tested.value > 0) == (tested.system == best.system)
                behind[is_ahead].append(str(tested.other if tested.system == best.system else tested.system))
            facts = {"measure": str(measure), "system": best.system, "value": f"{best.value:.{digits}f}"}
            if rivals := behind[False]:
                sentences.append(said("verdict_assisted_open", **facts, others=rivals))
            else:
                sentences.append(said("verdict_assisted_clear", **facts, others=behind[True]))
        return sentences

    def _verdict_of_gap(self, gap: Assisted, sign: int, digits: int) -> Said:
        """Who is ahead of whom, where only queries were judged on which their lists differ."""
        ahead, behind = (gap.system, gap.other) if sign * gap.value >= 0 else (gap.other, gap.system)
        return said(
            "verdict_assisted_gap" if self._is_sure(gap) else "verdict_assisted_no_gap", measure=gap.measure,
            system=ahead, other=behind, value=f"{abs(gap.value):.{digits}f}", p=p_text(gap.p_corrected),
        )  # fmt: skip

    def _is_sure(self, gap: Assisted) -> bool:
        return gap.p_corrected is not None and gap.p_corrected < 1 - self.level

    def told(self) -> list[Block]:
        """People only, assisted and machine only, side by side; the notes, then the measures without an estimate."""
        refused = [said("measure_refused", measure=name, why=why) for name, why in self.refused.items()]
        return [*NotedTable.told(self), *(Paragraph(note, "note") for note in refused)]

    def _blocks(self) -> list[Block]:
        """Values and differences, and how much is to be judged for the width that is wanted."""
        seen, drawn, target = next(iter(self.observed.values())), said(_DRAWN[self.design.kind]), self.target
        facts = said("assisted_facts", judged=seen.judged, total=seen.total, drawn=drawn, target=said(_TARGETS[target]))
        blocks: list[Block] = [Heading(said("assisted_title"), 2), Paragraph(facts)]
        values, gaps = self._values(), self._differences()
        if values:
            blocks.append(self._table(values))
        if gaps:
            blocks += [Heading(said("assisted_differences"), 3), self._table(gaps)]
        notes = (*_without_interval([*values, *gaps]), *self._needed_notes())
        return [*blocks, *(Paragraph(note, "note") for note in notes)]

    def _needed_notes(self) -> Iterator[Said]:
        for measure, system, other, count in self._needed():
            seen = self.observed[measure, system]
            facts: dict[str, Any] = {"measure": measure, "name": _pair_name(system, other), "half": self.half_width}
            if seen.method == "items":
                yield said("needed_unknown", **facts)
            elif count is None:
                yield said("needed_more_queries", total=seen.total, **facts)
            else:
                yield said("needed_queries", count=count, more=max(count - seen.judged, 0), **facts)

    def _table(self, rows: Sequence[Assisted]) -> Table:
        is_difference = bool(rows) and rows[0].other is not None
        kind: Kind = "difference" if is_difference else "number"
        heads = (
            ("pair" if is_difference else "system", "text"), Column(said("measure"), "text", is_code=True),
            ("people_alone", kind), (said("level_interval", level=self.level), "interval", 2),
            ("people_and_machine", kind), ("machine_alone", kind, int(is_difference)),
            ("machine_weight", "number", 3, 2), ("value_correlation", "number", 2, 2), ("worth_queries", "count", 2),
            ("p", "p", 2), (said("p_by", correction=self.correction), "p"),
        )  # fmt: skip
        lines = (
            (_pair_name(row.system, row.other), row.measure, row.people, (None, row.people_low, row.people_high),
             (row.value, row.low, row.high), row.machine, row.weight, row.correlation, row.worth, row.p,
             row.p_corrected)
            for row in rows
        )  # fmt: skip
        table = said_table(heads, lines, "assisted")
        return table if is_difference else table.only(lambda column: column.kind != "p")


def _without_interval(rows: Sequence[Assisted]) -> Iterator[Said]:
    """Which rows have no interval, and why."""
    named: dict[str, list[str]] = {}
    for row in rows:
        if row.reason:
            named.setdefault(row.reason, []).append(f"{row.measure} ({_pair_name(row.system, row.other)})")
    for reason, names in named.items():
        yield said("assisted_no_interval", names=examples(names), reason=reason)


_KEPT_AS_IS = ("level", "target", "correction", "half_width")


def _measure(text: str) -> Measure | str:
    """A measure; what is none of a ranking, such as a score of nuggets, by its name."""
    try:
        return parse(text)
    except MeasureError:
        return text


def _pair_name(system: str, other: str | None) -> str:
    return system if other is None else f"{system} - {other}"


def _with_ends(estimate: Estimated) -> Estimated:
    """Plain numbers; without ends where nothing varies: then nothing says how others would."""
    plain = Estimated(*(float(getattr(estimate, part.name)) for part in fields(estimate)))
    return plain if plain.error > 1e-12 else replace(plain, low=math.nan, high=math.nan)
