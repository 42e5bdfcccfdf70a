"""Dialects: how other tools define their metrics, as data, in one TOML file per tool beside this one.

A dialect maps each metric of a tool to a rankmeter measure with every convention stated; it computes nothing.
``tool:option,option=value`` chooses a version of the tool or an option of its call.

>>> dialect = find_dialect("recbole")
>>> dialect.measure("MAP@10")
AP(norm=capped,ties=input)@10
>>> find_dialect("trec_eval:9,c,l=2").measure("map")
AP(rel=2,scores=float32)
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, fields, replace
from functools import cache
from typing import Any

from rankmeter.errors import MeasureError, NotFoundError, did_you_mean, nearest
from rankmeter.frozen import dataclass
from rankmeter.late import text_beside
from rankmeter.measures.base import Measure, RelevanceMeasure
from rankmeter.measures.dialects.spelling import AskedMetric, read_metric, read_value
from rankmeter.measures.grammar import find_measure
from rankmeter.measures.options import format_value
from rankmeter.wording import said

CUTS = ("cutoff", "depth")
"""The conventions that limit how many items of a list are looked at."""

Texts = Mapping[str, str]
"""A text in each language: ``{"en": ..., "zh": ...}``."""


@dataclass(frozen=True, slots=True)
class InBothLanguages:
    """A text of a dialect's file inside a message."""

    texts: Texts

    def worded(self, language: str, _: object) -> str:
        """The text in one language."""
        return self.texts[language]


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric of a tool: its names, and the measure that it is."""

    names: tuple[str, ...]
    measure: str
    """The rankmeter measure, by its name alone."""
    conventions: Mapping[str, Any]
    """The options of the measure, including those that the whole dialect shares."""
    options: Mapping[str, Any]
    """The metric's own options: for each the field that it sets, or for each of its values the fields that it changes,
    ``measure`` among them if the value makes it another measure."""
    number: str = "cutoff"
    """The field that a number in the name sets (``P_5``, ``NDCG@10``); empty if the name takes none."""
    fraction: bool = False
    """Whether the digits after the name are decimals (ranx: ``rbp.95`` is p = 0.95)."""
    numbered: Mapping[str, Any] = field(default_factory=dict)
    """What else a number in the name changes (ir_measures: RR@k comes from another program than RR)."""
    together: tuple[str, ...] = ()
    """The fields that several numbers in the name set, in their order (trec_eval: ``utility.1,-1,0,0``); a single field
    takes all of them (``11pt_avg.0.2,0.5,0.8``)."""
    given: tuple[str, ...] = ()
    """The options that must be stated for the name to mean this measure (ir_measures: NumRet(rel=1))."""
    defaults: tuple[float, ...] = ()
    """The numbers used if the name has none, as with trec_eval's cutoffs."""
    under: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What a variant of the tool changes in this metric alone, by the variant's name: fields, and under ``measure`` the
    measure itself."""
    reason: Texts | None = None
    """What is special about the definition, if anything is."""

    @property
    def name(self) -> str:
        """The name that the tool's documentation uses."""
        return self.names[0]

    @property
    def turned(self) -> tuple[tuple[str, str, str], ...]:
        """The options that make it another measure: option, value and the name of that measure."""
        return tuple(
            (option, value, changes["measure"])
            for option, meant in self.options.items()
            if not isinstance(meant, str)
            for value, changes in meant.items()
            if "measure" in changes
        )

    def build(self, number: float | None, options: Mapping[str, Any]) -> Measure:
        """The measure with the number and the options that were asked for."""
        if number is not None and not self.number:
            raise MeasureError.of("dialects.no_number", metric=self.name, number=f"{number:g}")
        stated: dict[str, Any] = {} if number is None else {self.number: number}
        for name, value in options.items():
            stated |= self._changes(name, value)
        changes = dict(self.conventions)
        if stated.get(self.number) is not None:
            changes |= self.numbered
        changes |= stated
        name = changes.pop("measure", self.measure)
        measure = find_measure(name)
        if name != self.measure:
            changes = _possible_changes(name, changes)
        if changes.get("queries") in ("judged", measure.default_queries):
            changes["queries"] = None
        return measure(**changes)

    def build_together(self, numbers: tuple[float, ...], options: Mapping[str, Any]) -> Measure:
        """The measure with all the numbers of its name."""
        if len(self.together) == 1:
            return self.build(None, options)(**{self.together[0]: numbers})
        if len(numbers) != len(self.together):
            wanted, given, names = len(self.together), len(numbers), ", ".join(self.together)
            raise MeasureError.of("dialects.other_numbers", metric=self.name, wanted=wanted, given=given, names=names)
        return self.build(None, options)(**dict(zip(self.together, numbers, strict=True)))

    def _changes(self, name: str, value: Any) -> Mapping[str, Any]:
        if name not in self.options:
            known = said("dialects.it_has", known=sorted(self.options)) if self.options else said("dialects.has_none")
            hint = did_you_mean(name, list(self.options)) or known
            raise MeasureError.of("dialects.no_option", metric=self.name, option=name, hint=hint)
        meant = self.options[name]
        if isinstance(meant, str):
            return {meant: value}
        # JSON writes true where Python writes True.
        changes: Mapping[str, Any] | None = meant.get(str(value), meant.get(str(value).lower()))
        if changes is None:
            raise MeasureError.of(
                "dialects.unknown_value", metric=self.name, option=name, value=str(value), known=list(meant)
            )
        return changes


class Metrics:
    """The metrics of a tool, each made when it is first asked for: making all of trec_eval's takes 5 ms."""

    def __init__(self, names: Sequence[tuple[str, ...]], make: Callable[[int], Metric]) -> None:
        self.names = names
        """The names of each."""
        self._make = cache(make)

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Metric]:
        return map(self._make, range(len(self.names)))

    def named(self, name: str) -> list[Metric]:
        """The metrics that have this name; options may tell them apart."""
        return [self._make(at) for at, names in enumerate(self.names) if name in names]

    def changed(self, change: Callable[[Metric], Metric]) -> Metrics:
        """The same metrics under other conventions."""
        return Metrics(self.names, lambda at: change(self._make(at)))


@dataclass(frozen=True, slots=True)
class Variant:
    """A version of a tool, or an option of its command, that changes conventions of every metric."""

    name: str
    text: Texts
    changes: Mapping[str, Any]
    sets: str = ""
    """The field that the option's value sets (``l=2``); empty for options without a value."""
    binary_only: bool = False
    """Whether it leaves graded measures alone (trec_eval's -l)."""


@dataclass(frozen=True, slots=True)
class Accident:
    """Behaviour that no definition describes: an unstable sort, a value that depends on the order of rows, a crash."""

    metrics: tuple[str, ...]
    when: str
    """A word for the data on which it happens; the conformance tests skip just that data."""
    text: Texts


@dataclass(frozen=True, slots=True)
class Dialect:
    """The metrics of one tool, under the options that were chosen."""

    name: str
    title: str
    version: str
    text: Texts
    metrics: Metrics
    variants: tuple[Variant, ...]
    accidents: tuple[Accident, ...]
    digits: int | None
    """How many decimals the tool prints, if it rounds."""
    tolerance: float
    """How close our numbers must be to its own: less close if it computes in single precision or rounds."""
    separator: str = "@"
    """What stands between a metric's name and its cutoff."""
    newest: str = ""
    """The newest release that was examined, if it is not the recorded one."""
    moved: Texts = field(default_factory=dict)
    """What that release changes, and how it was examined; without a release, why none was."""
    beside: str = ""
    """The column of the tool's own judgments that its metrics pass over."""
    chosen: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}:{','.join(self.chosen)}" if self.chosen else self.name

    def spell(self, metric: Metric, cutoff: float | None, options: Mapping[str, Any] | None = None) -> str:
        """A metric at a cutoff as the tool writes it (``ndcg_cut_10``, ``NDCG@10``, ``dcg(k=10,normalize=true)``)."""
        name = metric.name
        if cutoff is not None:
            try:
                metric.build(cutoff, options or {})
            except MeasureError:
                cutoff = None  # the metric takes none
            else:
                name = f"{metric.name}{self.separator}{cutoff:g}"
        if not options:
            return name
        if options.keys() == {"l"}:
            return f"{name}-l{options['l']:g}"
        cut = (
            None if cutoff is None else next((o for o, meant in metric.options.items() if meant == metric.number), None)
        )
        stated = dict(options) if cut is None else {cut: cutoff, **options}
        written = ",".join(f"{option}={format_value(value)}" for option, value in stated.items())
        return f"{name if cut is None else metric.name}({written})"

    def measures(self, text: str) -> dict[str, Measure]:
        """The measures that a metric name stands for, each under its own name (``P_5`` and ``P_10`` for P.5,10)."""
        metric, asked = self.find(text)
        if metric.together and asked.numbers:
            return {text: metric.build_together(asked.numbers, asked.options)}
        # A cutoff that the metric states is a default as well (xgboost: ndcg is ndcg@32).
        numbers: tuple[float | None, ...] = asked.numbers or metric.defaults or (None,)
        if asked.numbers and not metric.number:
            given = f"{asked.numbers[0]:g}"
            cut = (other.name for other in self.metrics if other.measure == metric.measure and other.number == "cutoff")
            hint = next((f"{name}{self.separator}{given}" for name in cut), None)
            raise MeasureError.of("dialects.no_number_in", metric=metric.name, number=given, tool=str(self), hint=hint)
        meant: dict[str, Measure] = {}
        for number in numbers:
            exact = float(f"0.{asked.digits}") if metric.fraction and asked.digits else number
            label = text if len(numbers) == 1 else asked.label(number)
            meant[label] = metric.build(exact, asked.options)
        return meant

    def measure(self, text: str) -> Measure:
        """The one measure that a metric name stands for."""
        meant = self.measures(text)
        if len(meant) > 1:
            raise MeasureError.of(
                "dialects.several", text=text, count=len(meant), tool=str(self), hint=next(iter(meant))
            )
        return next(iter(meant.values()))

    def find(self, text: str) -> tuple[Metric, AskedMetric]:
        """The metric that a text names, and the numbers and options in the text."""
        names = list(dict.fromkeys(name for names in self.metrics.names for name in names))
        asked = read_metric(text, names)
        if asked is None:
            self._refuse_accident(text)
            close = nearest(re.split(r"[@(:]|[_.]\d", text)[0], names, shown=1)
            known = [names[0] for names in self.metrics.names]
            hint = said("dialects.near_of_metrics" if close else "dialects.metrics", near=close[:1], known=known)
            raise MeasureError.of("dialects.no_metric", tool=str(self), text=text, hint=hint)
        named = self.metrics.named(asked.name)
        meant = [metric for metric in named if asked.options.keys() >= {*metric.given}]
        if not meant:
            why = InBothLanguages(named[0].reason or {"en": "", "zh": ""})
            needed = list(named[0].given)
            raise MeasureError.of("dialects.needs_option", metric=asked.name, tool=str(self), options=needed, why=why)
        return max(meant, key=lambda metric: len(metric.given)), asked

    def _refuse_accident(self, text: str) -> None:
        """Explain why a metric that the tool has is not a measure here, if the reason is listed."""
        for accident in self.accidents:
            asked = read_metric(text, accident.metrics) if accident.when == "always" else None
            if asked is not None:
                why = InBothLanguages(accident.text)
                raise MeasureError.of("dialects.not_reproduced", metric=asked.name, tool=str(self), why=why)


ALIASES = {"opensearch": "elasticsearch", "trectools": "evaluate"}
"""Tools whose metrics are those of another, which they share code with or build on."""


def dialect_names() -> list[str]:
    """Every dialect, in alphabetical order."""
    files = os.listdir(os.path.dirname(__file__))  # noqa: PTH120, PTH208 (loads less)
    return sorted(file.removesuffix(".toml") for file in files if file.endswith(".toml"))


def find_dialect(text: str) -> Dialect:
    """The dialect of a text such as ``recbole`` or ``trec_eval:9,c,l=2``."""
    name, _, chosen = text.strip().partition(":")
    names = [*dialect_names(), *ALIASES]
    if name not in names:
        folded = {known.casefold().replace("-", "_"): known for known in names}
        name = folded.get(name.casefold().replace("-", "_"), name)
    if name not in names:
        close = nearest(name, names, shown=1)
        hint = said("dialects.near_of_tools" if close else "dialects.tools", near=close, known=names)
        raise NotFoundError.of("dialects.unknown", name=name, hint=hint)
    dialect = _read(ALIASES.get(name, name))
    for option in filter(None, (part.strip() for part in chosen.split(","))):
        dialect = _with_variant(dialect, option)
    return dialect


def _with_variant(dialect: Dialect, option: str) -> Dialect:
    name, _, value = option.partition("=")
    variant = next((variant for variant in dialect.variants if variant.name == name), None)
    if variant is None or bool(variant.sets) != bool(value):
        shown = [
            f"{variant.name}={variant.sets.upper()}" if variant.sets else variant.name for variant in dialect.variants
        ]
        hint = said("dialects.options" if shown else "dialects.no_options", tool=dialect.name, known=shown)
        raise NotFoundError.of("dialects.unknown_option", option=option, tool=dialect.name, hint=hint)
    changes = {variant.sets: read_value(value)} if variant.sets else variant.changes
    if variant.sets and not isinstance(changes[variant.sets], int | float):
        raise NotFoundError.of("dialects.takes_a_number", option=option, tool=dialect.name, hint=f"{dialect}:{name}=2")

    def change(metric: Metric) -> Metric:
        if variant.binary_only and not isinstance(find_measure(metric.measure), RelevanceMeasure):
            return metric
        # What a metric states itself holds, unless the option is about just that.
        return _changed(metric, {**_possible_changes(metric.measure, changes), **metric.under.get(name, {})})

    return replace(dialect, metrics=dialect.metrics.changed(change), chosen=(*dialect.chosen, option))


def _changed(metric: Metric, changes: Mapping[str, Any]) -> Metric:
    """The metric with other conventions, also where its name has a number, or as another measure."""
    numbered = {name: changes.get(name, value) for name, value in metric.numbered.items()}
    measure = changes.get("measure", metric.measure)
    conventions = {**metric.conventions, **{name: value for name, value in changes.items() if name != "measure"}}
    return replace(metric, measure=measure, conventions=_possible_changes(measure, conventions), numbered=numbered)


def _possible_changes(measure: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The changes of fields that a measure has."""
    known = {option.name for option in fields(find_measure(measure))}
    return {name: value for name, value in changes.items() if name in known}


@cache
def _read(name: str) -> Dialect:
    first, *tables = text_beside(__file__, f"{name}.toml").split("\n[")
    # A metric is read when it is asked for; its names stand in the first line of its table.
    metrics = [table.removeprefix("[metric]]\n") for table in tables if table.startswith("[metric]]\n")]
    names = [tuple(re.findall(r'"([^"]+)"', metric[: metric.index("\n")])) for metric in metrics]
    data = tomllib.loads("\n[".join([first, *(table for table in tables if not table.startswith("[metric]]\n"))]))
    shared = data.get("conventions", {})
    return Dialect(
        name=name,
        title=data["title"],
        version=data["version"],
        text={"en": data["en"], "zh": data["zh"]},
        metrics=Metrics(names, lambda at: _metric_of_entry(tomllib.loads(metrics[at]), shared)),
        variants=tuple(
            Variant(
                entry["name"], _entry_texts(entry) or {}, entry.get("changes", {}), entry.get("field", ""),
                entry.get("binary_only", False),
            )
            for entry in data.get("variant", [])
        ),
        accidents=tuple(
            Accident(tuple(entry["metrics"]), entry["when"], _entry_texts(entry) or {})
            for entry in data.get("accident", [])
        ),
        digits=data.get("digits"),
        tolerance=data.get("tolerance", 1e-9),
        separator=data.get("separator", "@"),
        newest=data.get("newest", {}).get("version", ""),
        moved=_entry_texts(data.get("newest", {})) or {},
        beside=data.get("beside", ""),
    )  # fmt: skip


def _metric_of_entry(entry: Mapping[str, Any], shared: Mapping[str, Any]) -> Metric:
    own = dict(entry.get("set", {}))
    if isinstance(own.get("gain"), dict):  # keys of a TOML table are text
        own["gain"] = {read_value(grade): gain for grade, gain in own["gain"].items()}
    stated = {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}
    known: dict[str, Any] = {field.name: stated[field.name] for field in fields(Metric) if field.name in stated}
    conventions = {**_possible_changes(entry["measure"], shared), **own}
    return Metric(**{"options": {}, **known}, conventions=conventions, reason=_entry_texts(entry))


def _entry_texts(entry: Mapping[str, Any]) -> Texts | None:
    return {"en": entry["en"], "zh": entry["zh"]} if "en" in entry else None
