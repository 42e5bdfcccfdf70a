"""Few people, many machine judgments: values and differences with intervals that hold, whatever the machine is worth.

People's judgments say what is true where they are; the machine's, which are everywhere, only make the interval shorter:
how much they are trusted is measured on what both judged. A machine that is biased, or useless, or chosen to deceive
costs width, not validity. What is assumed is that people judged queries (or items) drawn at random.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmeter.comparing.pooling import ranked_top
from rankmeter.errors import InputError, NotFoundError, check_choice, check_level, did_you_mean
from rankmeter.evaluating.asking import Asked
from rankmeter.evaluating.evaluation import evaluate_placing
from rankmeter.evaluating.pairing import into_pair
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.judging.chances import Design
from rankmeter.judging.observed import Observed, SingleItems, WholeQueries
from rankmeter.late import pl
from rankmeter.measures import Measure
from rankmeter.placing.placements import Floats, Ints
from rankmeter.showing.document import Block, Cell, Column, Heading, Kind, Paragraph, Table
from rankmeter.showing.showable import ShownAsTable
from rankmeter.stats.assisted import FEWEST, TARGETS, Estimated, Target
from rankmeter.stats.corrections import Correction, corrected
from rankmeter.wording import Language, Option, Said, said, word

if TYPE_CHECKING:
    from rankmeter.evaluating.result import Evaluation
    from rankmeter.inputs import AnyJudgments, AnyRun

LINEAR: Mapping[str, Mapping[str, object]] = {"P": {"norm": "k"}, "CG": {}, "DCG": {}, "RBP": {"norm": "none"}}
"""Measures that are sums over items with weights from ranks alone, and the options under which they are."""
LINEAR_WHERE: Mapping[str, tuple[object, ...]] = {
    "empty": ("zero",), "miss": ("zero",), "candidates": ("all",), "unjudged": ("nonrelevant",), "sign": ("ignored",),
    "ties": ("item", "item-ascending", "input", "reversed", "mean"), "negative": ("unjudged",),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Assisted:
    """One number: what people and machine say together, what people alone say, what the machine says."""

    measure: str
    system: str
    other: str | None
    """What it is the difference to; None for a value."""
    value: float
    low: float
    high: float
    """NaN, as is ``low``, where there is no interval."""
    error: float
    weight: float
    """How much the machine counts: 0 not at all; above 1 where it compresses the scale."""
    method: str
    """``tuned`` (the regression estimator), ``unequal`` and ``items`` (by recorded chances), or ``people``."""
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

    @property
    def has_interval(self) -> bool:
        """Whether there is an interval."""
        return not math.isnan(self.low)


@dataclass(frozen=True, slots=True, repr=False)
class Assistance(ShownAsTable):
    """Values and differences from few human and many machine judgments; ``assisted_by=`` makes it."""

    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    """Those that have an estimate."""
    observed: Mapping[tuple[str, str], Observed]
    """By measure and system."""
    bounds: Mapping[str, tuple[float, float]]
    names: Mapping[str, Measure]
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
    notes: tuple[Said, ...] = field(default=())

    def value(
        self,
        measure: str | Measure,
        system: str | None = None,
        *,
        level: float | None = None,
        target: Target | None = None,
    ) -> Assisted:
        """The value of one system; the only one where none is named."""
        name, of = self._named(measure), self._system(system)
        return self._assisted(name, of, None, self.observed[name, of], level, target)

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
        name, one, two = self._named(measure), self._system(system), self._system(other)
        gap = self.observed[name, one].minus(self.observed[name, two])
        return self._assisted(name, one, two, gap, level, target)

    def differences(self, measure: str | Measure) -> list[Assisted]:
        """Every difference that was asked for under one measure, p-values corrected for all of them."""
        made = [self.difference(measure, one, two) for one, two in self.pairs]
        tested = [at for at, one in enumerate(made) if one.p is not None]
        fixed = corrected(np.array([made[at].p for at in tested], np.float64), self.correction)
        for at, p in zip(tested, fixed, strict=True):
            made[at] = replace(made[at], p_corrected=float(p))
        return made

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
        if not isinstance(half_width, Real) or not 0 < float(half_width) < math.inf:
            raise InputError.of("judging.not_a_width", option=Option("needed", half_width))
        name, one = self._named(measure or self.measures[0]), self._system(system)
        seen = self.observed[name, one]
        seen = seen if other is None else seen.minus(self.observed[name, self._system(other)])
        return seen.needed(float(half_width), self.level, self._target(target))

    def _assisted(
        self, measure: str, system: str, other: str | None, seen: Observed, level: float | None, target: Target | None
    ) -> Assisted:
        sure = self.level if level is None else check_level(level)
        aim = self._target(target)
        made, alone = _with_ends(seen.assisted(sure, aim)), _with_ends(seen.alone(sure, aim))
        bounds = self.bounds[measure] if other is None else (-math.inf, math.inf)
        low, high = max(made.low, bounds[0]), min(made.high, bounds[1])
        half = (made.high - made.low) / 2
        flat = math.isnan(made.low)
        return Assisted(
            measure=measure, system=system, other=other, value=float(made.value),
            low=math.nan if flat else low, high=math.nan if flat else high, error=float(made.error),
            weight=float(made.weight), method=seen.method, people=float(alone.value),
            people_low=_end(max(alone.low, bounds[0]), alone), people_high=_end(min(alone.high, bounds[1]), alone),
            machine=float(seen.machine.mean()), correlation=seen.correlation, judged=seen.judged, total=seen.total,
            worth=None if flat else seen.worth(half, sure), p=None if other is None or flat else _p_value(made),
        )  # fmt: skip

    def _named(self, measure: str | Measure) -> str:
        text = str(self.names.get(str(measure), measure))
        known = {str(one): one for one in self.measures}
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

    def rows(self) -> list[Assisted]:
        """Every value, then every difference."""
        values = [self.value(measure, system) for measure in self.measures for system in self.systems]
        return [*values, *(one for measure in self.measures for one in self.differences(measure))]

    def to_polars(self) -> pl.DataFrame:
        """A row per value and per difference."""
        made = pl.DataFrame([_plain(one) for one in self.rows()], infer_schema_length=None)
        return made.with_columns(pl.col(pl.Float64).fill_nan(None))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        wanted = {}
        if self.half_width is not None:
            counts = {
                str(measure): {
                    _pair_name(*names): self.needed(self.half_width, measure, *names) for names in self._asked()
                }
                for measure in self.measures
            }
            wanted = {"needed": {"half_width": self.half_width, "queries": counts}}
        return {
            "judged_by_people": {"design": self.design.kind},
            "level": self.level, "target": self.target, "correction": self.correction,
            "values": [_plain(one) for one in self.rows()],
            "refused": dict(self.refused), "notes": list(self.notes), **wanted,
        }  # fmt: skip

    def _asked(self) -> list[tuple[str, str | None]]:
        return list(self.pairs) or [(system, None) for system in self.systems]

    def document(self, language: Language = "en") -> list[Block]:
        """People only, assisted and machine only, side by side."""
        blocks: list[Block] = [Heading(word("assisted_title", language), 2)]
        any_seen = next(iter(self.observed.values()))
        drawn = said(f"drawn_{self.design.kind}")
        about = said("target_" + self.target)
        facts = said("assisted_facts", judged=any_seen.judged, total=any_seen.total, drawn=drawn, target=about)
        blocks.append(Paragraph(facts.text(language)))
        blocks.append(self._table([self.value(m, s) for m in self.measures for s in self.systems], language))
        if self.pairs:
            differences = [one for measure in self.measures for one in self.differences(measure)]
            blocks += [Heading(word("assisted_differences", language), 3), self._table(differences, language)]
        notes: list[Said] = [*self._needed_notes(), *self.notes]
        notes += [said("measure_refused", measure=name, why=why) for name, why in self.refused.items()]
        return [*blocks, *(Paragraph(note.text(language), "note") for note in notes)]

    def _needed_notes(self) -> list[Said]:
        if self.half_width is None:
            return []
        made = []
        for measure in self.measures:
            for one, other in self._asked():
                name = _pair_name(one, other)
                count = self.needed(self.half_width, measure, one, other)
                facts: dict[str, Any] = {"measure": str(measure), "name": name, "half": self.half_width}
                seen = self.observed[str(measure), one]
                if seen.method == "items":
                    made.append(said("needed_unknown", **facts))
                elif count is None:
                    made.append(said("needed_more_queries", total=seen.total, **facts))
                else:
                    more = max(count - seen.judged, 0)
                    made.append(said("needed_queries", count=count, more=more, **facts))
        return made

    def _table(self, rows: Sequence[Assisted], language: Language) -> Table:
        is_difference = bool(rows) and rows[0].other is not None
        kind: Kind = "difference" if is_difference else "number"
        columns = [
            Column(word("pair" if is_difference else "system", language), "text"),
            Column(word("measure", language), "text", is_code=True),
            Column(word("people_alone", language), kind),
            Column(word("people_and_machine", language), kind),
            Column(word("machine_alone", language), kind, 1),
            Column(word("machine_weight", language), "number", 3, 2),
            Column(word("value_correlation", language), "number", 2, 2),
            Column(word("worth_queries", language), "count", 2),
        ]
        if is_difference:
            columns += [
                Column(word("p", language), "p", 2),
                Column(word("p_by", language, correction=self.correction), "p", 1),
            ]
        made = []
        for one in rows:
            cells = [
                Cell(_pair_name(one.system, one.other)), Cell(one.measure),
                Cell(one.people, span=_span(one.people_low, one.people_high)),
                Cell(one.value, span=_span(one.low, one.high)), Cell(one.machine), Cell(one.weight),
                Cell(None if math.isnan(one.correlation) else one.correlation), Cell(one.worth),
            ]  # fmt: skip
            made.append((*cells, Cell(one.p), Cell(one.p_corrected)) if is_difference else tuple(cells))
        return Table(tuple(columns), tuple(made), name="assisted")


def _span(low: float, high: float) -> tuple[float, float] | None:
    return None if math.isnan(low) else (low, high)


def _end(end: float, made: Estimated) -> float:
    return math.nan if math.isnan(made.low) else end


def _pair_name(one: str, other: str | None) -> str:
    return one if other is None else f"{one} - {other}"


def _with_ends(made: Estimated) -> Estimated:
    """Plain numbers; without ends where nothing varies: then nothing says how others would."""
    low, high = (float(made.low), float(made.high)) if float(made.error) > 1e-12 else (math.nan, math.nan)
    return Estimated(float(made.value), low, high, float(made.error), float(made.weight), float(made.freedom))


def _p_value(made: Estimated) -> float:
    from scipy.special import stdtr  # loaded only for statistics

    return float(2 * stdtr(made.freedom, -abs(made.value) / made.error))


def _plain(one: Assisted) -> dict[str, Any]:
    return asdict(one)


def assist(
    people: Mapping[str, Evaluation],
    machine: Mapping[str, Evaluation],
    design: Design,
    *,
    judgments: tuple[AnyJudgments, AnyJudgments],
    runs: Mapping[str, AnyRun],
    asked: Asked,
    pairs: Sequence[tuple[str, str]] = (),
    level: float = 0.95,
    correction: Correction = "holm",
    half_width: float | None = None,
) -> Assistance:
    """Put the evaluations of some systems under people's and under the machine's judgments together.

    ``judgments`` are people's and the machine's; ``runs`` are looked at where single items were drawn.
    """
    _check_machine_covers(*judgments)
    judged = set(judgments[0].judgment_table().query.cast(pl.String))
    notes: dict[str, Said] = {}
    observed: dict[tuple[str, str], Observed] = {}
    refused: dict[str, Said] = {}
    for measure in asked.measures:
        why = _why_not(measure, design)
        if why is None:
            try:
                for name in people:
                    observed[str(measure), name] = (
                        _items_seen(measure, machine[name], runs[name], judgments, design)
                        if design.kind == "items"
                        else _queries_seen(measure, people[name], machine[name], judged, design)
                    )
                continue
            except _NotCountedError as error:
                why = error.why
        refused[str(measure)] = why
        observed = {key: seen for key, seen in observed.items() if key[0] != str(measure)}
    if not observed:
        name, why = next(iter(refused.items()))
        raise InputError.of("judging.not_assisted", measure=name, why=why)
    if design.kind == "assumed":
        notes["assumed"] = said("assumed_random")
    if design.kind != "items" and (left := _left_out(*judgments)):
        notes["partly"] = said("partly_judged", count=left)
    if design.kind == "items":
        notes["items"] = said("items_judged")
        notes["runs"] = said("drawn_for_these_runs")
    for seen in observed.values():
        for note in seen.cautions():
            notes.setdefault(note.kind, note)
    if any(seen.correlation < _useful(seen.judged) for seen in observed.values() if seen.method == "tuned"):
        notes["useless"] = said("machine_of_no_use")
    notes["columns"] = said("assisted_columns")
    notes["machine_interval"] = said("machine_without_interval")
    kept = tuple(measure for measure in asked.measures if str(measure) not in refused)
    return Assistance(
        systems=tuple(people), measures=kept, observed=observed,
        bounds={str(measure): measure.bounds for measure in kept}, names=asked.names, refused=refused, design=design,
        pairs=tuple(pairs), level=level, correction=correction, half_width=half_width, notes=tuple(notes.values()),
    )  # fmt: skip


def joined(parts: Sequence[Assistance], *, half_width: float | None = None) -> Assistance:
    """Several systems, each of which was put together alone, in one."""
    first = parts[0]
    notes = {note.kind: note for part in parts for note in part.notes}
    made = replace(
        first,
        systems=tuple(name for part in parts for name in part.systems),
        observed={key: seen for part in parts for key, seen in part.observed.items()},
        refused={name: why for part in parts for name, why in part.refused.items()},
        measures=tuple(one for one in first.measures if all(one in part.measures for part in parts)),
        notes=tuple(notes.values()),
        half_width=half_width,
    )
    if half_width is not None:
        made.needed(half_width, system=made.systems[0])
    return made


def _useful(judged: int) -> float:
    """The correlation below which the machine costs more than it gives."""
    return 1 / math.sqrt(max(judged - 2, 1))


class _NotCountedError(Exception):
    """A query does not count under one of the judgments."""

    def __init__(self, why: Said) -> None:
        super().__init__(why)
        self.why = why


def _why_not(measure: Measure, design: Design) -> Said | None:
    """Why a measure has no valid estimate; None where it has one."""
    if measure.aggregate != "mean":
        return said("no_mean", aggregate=measure.aggregate)
    if design.kind != "items":
        return None
    cutoff = measure.describe().get("cutoff")
    if design.depth is not None and isinstance(cutoff, int) and cutoff > design.depth:
        return said("drawn_less_deep", depth=design.depth, cutoff=cutoff)
    return why_not_linear(measure)


def why_not_linear(measure: Measure) -> Said | None:
    """Why a measure is not a sum over items with weights from their ranks alone; None where it is one."""
    definition = measure.describe()
    name = str(definition["measure"])
    if name not in LINEAR:
        return said("not_linear")
    if definition.get("cutoff") is None:
        return said("no_cutoff")
    options: dict[str, tuple[object, ...]] = {**LINEAR_WHERE, **{key: (value,) for key, value in LINEAR[name].items()}}
    for option, allowed in options.items():
        if option in definition and definition[option] not in allowed:
            return said("not_linear_under", option=option, value=str(definition[option]))
    return None


def _check_machine_covers(people: AnyJudgments, machine: AnyJudgments) -> None:
    """Refuse machine judgments that lack a pair which people judged."""
    human, other = (_pairs(judgments.judgment_table()) for judgments in (people, machine))
    lacking = human.join(other, on=["query", "item"], how="anti")
    if len(lacking):
        query, item = lacking.row(0)
        raise InputError.of(
            "judging.machine_lacks", source=machine.source, count=len(lacking), total=len(human), query=query, item=item
        )


def _left_out(people: AnyJudgments, machine: AnyJudgments) -> int:
    """How many pairs the machine judged in the queries of people, and people did not."""
    human, other = (_pairs(judgments.judgment_table()) for judgments in (people, machine))
    return len(other.join(human, on="query", how="semi").join(human, on=["query", "item"], how="anti"))


def _pairs(table: JudgmentTable) -> pl.DataFrame:
    frame = pl.DataFrame({"query": table.query.cast(pl.String), "item": table.item.cast(pl.String)})
    return frame.filter(table.grade >= 0)


def _queries_seen(
    measure: Measure, people: Evaluation, machine: Evaluation, judged: Collection[str], design: Design
) -> WholeQueries:
    """The values of one system; every query that people judged must count under both."""
    truth, other = people.values[measure], machine.values[measure]
    ids = {query: at for at, query in enumerate(machine.queries.cast(pl.String).to_list())}
    places, values, chances = [], [], []
    known = _chances_of(design)
    for at, query in enumerate(people.queries.cast(pl.String).to_list()):
        place = ids.get(query)
        if query not in judged:
            continue
        here = bool(truth.counted[at])
        there = place is not None and bool(other.counted[place])
        if here != there:
            raise _NotCountedError(said("query_not_counted", query=query, people=here))
        if here and place is not None:
            places.append(place)
            values.append(float(truth.value[at]))
            chances.append(known.get(query, math.nan))
    if len(values) < FEWEST:
        raise InputError.of("judging.too_few_judged", count=len(values), fewest=FEWEST)
    is_judged = np.zeros(len(other.value), np.bool_)
    is_judged[places] = True
    order = np.argsort(places)
    counted = other.counted
    unequal = design.kind == "unequal"
    return WholeQueries(
        machine=other.value[counted],
        people=np.array(values)[order],
        is_judged=is_judged[counted],
        chances=np.array(chances)[order] if unequal else None,
    )


def _chances_of(design: Design) -> dict[str, float]:
    if design.chances is None or design.kind == "items":
        return {}
    return dict(zip(design.chances["query"].to_list(), design.chances["chance"].to_list(), strict=True))


def _items_seen(
    measure: Measure,
    machine: Evaluation,
    run: AnyRun,
    judgments: tuple[AnyJudgments, AnyJudgments],
    design: Design,
) -> SingleItems:
    """Each drawn item alone in its list gives what its grade adds, by people and by the machine."""
    other = machine.values[measure]
    ids = {query: at for at, query in enumerate(machine.queries.cast(pl.String).to_list())}
    human, guessed = (_grades(one.judgment_table()) for one in judgments)
    top = ranked_top(run, guessed.select("query").unique(), int(measure.describe()["cutoff"]))
    lacking = top.join(guessed, on=["query", "item"], how="anti")
    if len(lacking):
        row = lacking.row(0, named=True)
        raise InputError.of("judging.machine_lacks_ranked", count=len(lacking), query=row["query"], item=row["item"])
    chances = design.chances if design.chances is not None else human.with_columns(chance=pl.lit(1.0))
    drawn = chances.join(human, on=["query", "item"], maintain_order="left")
    drawn = drawn.join(guessed, on=["query", "item"], suffix="_machine", maintain_order="left")
    if len(drawn) < FEWEST:
        raise InputError.of("judging.too_few_judged", count=len(drawn), fewest=FEWEST)
    gains = _added(measure, drawn, "grade", run)
    corrections = gains - _added(measure, drawn, "grade_machine", run)
    share = drawn["chance"].to_numpy()
    place: Ints = np.array([ids[query] for query in drawn["query"].to_list()], np.int64)
    size = len(other.value)
    moved, alone = (np.bincount(place, part / share, size).astype(np.float64) for part in (corrections, gains))
    counted = other.counted
    return SingleItems(
        machine=other.value[counted], corrected=(other.value + moved)[counted], from_people=alone[counted],
        corrections=corrections, gains=gains, chances=share, queries_seen=len(np.unique(place)),
    )  # fmt: skip


def _grades(table: JudgmentTable) -> pl.DataFrame:
    return _pairs(table).with_columns(grade=table.grade.filter(table.grade >= 0))


def _added(measure: Measure, drawn: pl.DataFrame, grade: str, run: AnyRun) -> Floats:
    """What each drawn item adds to its query: the value of its list where nothing else is relevant."""
    table = run.run_table()
    lists = pl.DataFrame(
        {"query": table.query.cast(pl.String), "item": table.item.cast(pl.String), "score": table.score}
    )
    alone = drawn.select(pl.int_range(pl.len(), dtype=pl.Int64).alias("number"), "query", "item", grade)
    copied = alone.select("number", "query").join(lists, on="query", maintain_order="left_right")
    single = JudgmentTable(alone["number"], alone["item"], alone[grade].alias("grade"))
    one = evaluate_placing(
        into_pair(single, RunTable(copied["number"], copied["item"], copied["score"], scored=table.scored)),
        Asked({str(measure): measure}, [measure]),
        "items",
    )
    values = np.zeros(len(alone))
    values[one.queries.to_numpy()] = one.values[measure].value
    return values
