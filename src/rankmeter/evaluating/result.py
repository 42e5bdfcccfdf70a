"""What an evaluation returns: plain, frozen, convertible, and never a number without its definition."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, field
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmeter.arithmetic.parts import Values
from rankmeter.errors import InputError, MeasureError, NotFoundError, check_threads, load_library, nearest, warn
from rankmeter.evaluating.additions import PROTOCOL, Additions, saved_additions
from rankmeter.evaluating.facts import Facts
from rankmeter.evaluating.fingerprints import Fingerprint
from rankmeter.evaluating.stored import (
    checksum_of,
    saved_assistance,
    saved_slices,
    saved_values,
    saved_wholes,
    slates_columns,
    slates_header,
    values_columns,
)
from rankmeter.frozen import dataclass
from rankmeter.inputs.ids import LateIds, column_of_ids
from rankmeter.inputs.reading import Readings
from rankmeter.late import Late, pl
from rankmeter.measures import Measure, parse
from rankmeter.showing.numbers import finite, json_text
from rankmeter.showing.showable import Reported, pandas_of
from rankmeter.showing.terminal import document_text
from rankmeter.whole_files import check_form, check_readable, said_if_damaged, whole_file
from rankmeter.wording import Language, chosen_language, line_about, said, speaking, word
from rankmeter.wording.characters import one_line

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from rankmeter.arithmetic.slates.data import Whole
    from rankmeter.evaluating.assisted import AssistedValues
    from rankmeter.lists.slices import Slices
    from rankmeter.report.evaluations import ShownEvaluations
    from rankmeter.showing.document import Block
    from rankmeter.stats.intervals import Interval, IntervalMethod

FILE_VERSION = 1


class Means(dict[str, float]):
    """Values by the canonical strings of measures, found by their other names too."""

    __slots__ = ("_find",)

    def __init__(self, values: Mapping[str, float], find: Callable[[str], float]) -> None:
        super().__init__(values)
        self._find = find

    def __missing__(self, name: str) -> float:
        return self._find(name)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)  # pickled as a plain dictionary


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation(Reported):
    """The values of one system under some measures.

    Examples
    --------
    >>> import rankmeter as rm
    >>> ev = rm.evaluate({"q1": {"a"}, "q2": {"b"}}, {"q1": ["a", "b"], "q2": ["a", "b"]}, ["RR", "P@1"])
    >>> ev["RR"], ev.mean
    (0.75, {'RR': 0.75, 'P@1': 0.5})
    >>> ev.per_query
    shape: (2, 3)
    ┌───────┬─────┬─────┐
    │ query ┆ RR  ┆ P@1 │
    │ ---   ┆ --- ┆ --- │
    │ str   ┆ f64 ┆ f64 │
    ╞═══════╪═════╪═════╡
    │ q1    ┆ 1.0 ┆ 1.0 │
    │ q2    ┆ 0.5 ┆ 0.0 │
    └───────┴─────┴─────┘
    """

    name: str
    """The system."""
    ids: pl.Series | LateIds
    """(n,) the ids of the queries, judged ones first; ``queries`` gives them as a column."""
    values: Mapping[Measure, Values]
    """For each measure a value per query, and whether it counts."""
    means: Mapping[Measure, float]
    """For each measure the aggregated value."""
    tie_bounds: Mapping[Measure, tuple[float, float]]
    """The lowest and the highest value, if ties can change it: under the worst and the best order of tied items, or the
    value itself where its tie rule makes no order (``shared``)."""
    asked: Mapping[str, Measure]
    """The texts under which measures were asked for."""
    known_facts: Facts | Late[Facts]
    """What was evaluated, perhaps not counted yet; ``facts`` has it counted."""
    wholes: Mapping[Measure, Whole] = field(default_factory=dict)
    """For measures of all lists together: what each query adds, if it can be resampled."""
    slices: Mapping[str, Slices] = field(default_factory=dict)
    """The values by slice, for each way of slicing that was asked for."""
    judged_by: Late[Fingerprint] | None = None
    """The fingerprint of the judgments, to tell whether another evaluation had the same; None if unknown."""
    assisted: AssistedValues | None = None
    """Values estimated from these judgments and a machine's together, if ``assisted_by=`` gave some."""
    added: Additions = field(default_factory=dict)
    """What wings know beside the numbers: how the judgments came about, baselines."""

    @property
    def facts(self) -> Facts:
        """What was evaluated, in counts."""
        return self.known_facts.value if isinstance(self.known_facts, Late) else self.known_facts

    @property
    def protocol(self) -> Any:
        """How the judgments came about, where that is known; None otherwise."""
        return self.added.get(PROTOCOL)

    @property
    def reading(self) -> Readings:
        """How judgments and run were read: the source, the role of each column, what orders the items."""
        return self.facts.reading

    @property
    def queries(self) -> pl.Series:
        """(n,) ids of the queries, judged ones first."""
        return column_of_ids(self.ids)

    def __getitem__(self, measure: str | Measure) -> float:
        return self.means[self.find(measure)]

    def __contains__(self, measure: object) -> bool:
        if not isinstance(measure, (str, Measure)):
            return False
        try:
            self.find(measure)
        except NotFoundError:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        """The canonical strings of the measures."""
        return iter(self.mean)

    def __len__(self) -> int:
        return len(self.means)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Evaluation):
            return NotImplemented
        mine, theirs = self.to_dict(), other.to_dict()
        return (
            str(finite(mine)) == str(finite(theirs))
            and self.queries.dtype == other.queries.dtype
            and self.queries.equals(other.queries)
            and all(map(_same_values, self.values.values(), other.values.values()))
        )

    # Evaluations are compared, not looked up.
    __hash__ = None  # type: ignore[assignment]

    def collect(self) -> Evaluation:
        """Fetch the values per query if they are not in memory; here they are."""
        return self

    def find(self, measure: str | Measure) -> Measure:
        """The measure of this evaluation that a text means, as it was asked for or in canonical form."""
        if isinstance(measure, Measure) and measure in self.means:
            return measure
        text = str(measure)
        for known in self.means:
            if str(known) == text:
                return known
        if text in self.asked:
            return self.asked[text]
        try:
            meant = parse(text)
        except MeasureError:
            meant = None
        if meant is not None and str(meant) in self.asked:
            return self.asked[str(meant)]
        close = nearest(text, [*self.mean, *self.asked], shown=1)
        hint = said("general.did_you_mean", choice=close[0]) if close else said("evaluating.has", names=list(self.mean))
        raise NotFoundError.of("evaluating.no_measure", text=text, hint=hint)

    def label(self, measure: str | Measure) -> str:
        """How a measure is labelled where it is shown: as it was asked for.

        Examples
        --------
        >>> import rankmeter as rm
        >>> ev = rm.evaluate({"q": {"a"}}, {"q": ["b", "a"]}, ["MAP", "HR@5,10"])
        >>> [ev.label(measure) for measure in ev], list(ev)
        (['MAP', 'HR@5', 'HR@10'], ['AP', 'Success@5', 'Success@10'])
        """
        named = self.find(measure)
        return next((text for text, meant in self.asked.items() if meant == named), str(named))

    @property
    def labels(self) -> dict[str, str]:
        """The label of each measure, by its canonical string."""
        return {str(measure): self.label(measure) for measure in self.means}

    @property
    def mean(self) -> dict[str, float]:
        """The aggregated value of each measure by its canonical string; its other names find it too.

        Examples
        --------
        >>> import rankmeter as rm
        >>> ev = rm.evaluate({"q": {"a"}}, {"q": ["b", "a"]}, ["MAP"])
        >>> ev.mean, ev.mean["MAP"]
        ({'AP': 0.5}, 0.5)
        """
        return Means({str(measure): value for measure, value in self.means.items()}, self.__getitem__)

    @property
    def per_query(self) -> pl.DataFrame:
        """A row per query and a column per measure; null where a query does not count.

        Columns carry the canonical strings: ``MAP`` is in the column ``AP``; ``ev.to_polars("MAP")`` takes a name that
        was asked for and calls its column so.

        A measure of all lists together (coverage, Gini) has no value for a query, so no column.
        """
        alone = {measure: values for measure, values in self.values.items() if measure.aggregate != "whole"}
        shown = np.zeros(len(self.queries), np.bool_)
        for values in alone.values():
            shown |= values.counted
        rows = pl.Series(shown)
        columns = {"query": self.queries.filter(rows)}
        for measure, values in alone.items():
            column = pl.Series(values.value[shown])
            counted = values.counted[shown]
            if not counted.all():
                column = pl.select(pl.when(pl.Series(counted)).then(column)).to_series()
            columns[str(measure)] = column
        return pl.DataFrame(columns)

    @property
    def definitions(self) -> dict[str, dict[str, Any]]:
        """The complete definition of each number: every convention, the defaults too."""
        return {str(measure): measure.describe() for measure in self.means}

    def counted(self, measure: str | Measure) -> int:
        """How many queries the aggregated value is about."""
        return int(self.values[self.find(measure)].counted.sum())

    def interval(
        self,
        measure: str | Measure,
        *,
        level: float = 0.95,
        method: IntervalMethod = "t",
        resamples: int = 9999,
        seed: int = 0,
    ) -> Interval:
        """A confidence interval, computed when asked for; queries are the units.

        By default Student's t (docs/statistics.md compares the coverage of the methods); ``hall`` corrects it for
        skewness, ``bounded`` holds whatever the shape for measures with bounds, ``bca`` and ``percentile`` resample
        queries. A median's lies between order statistics; that of a measure of all lists is always resampled.

        Examples
        --------
        >>> import rankmeter as rm
        >>> truth = {i: {0} for i in range(40)}
        >>> ev = rm.evaluate(truth, {i: [0, 1] if i % 4 else [1, 0] for i in range(40)}, ["RR"])
        >>> interval = ev.interval("RR")
        >>> round(interval.low, 2), ev["RR"], round(interval.high, 2)
        (0.8, 0.875, 0.95)

        One query in twenty could be lost altogether, and then the geometric mean is far lower. Where none of ten was,
        only the bounds of the measure know of it.

        >>> few = {i: [0] for i in range(9)} | {9: [1, 0]}
        >>> ev = rm.evaluate({i: {0} for i in range(10)}, few, ["RR(aggregate=geometric)"])
        >>> for method in ("t", "hall", "bounded"):
        ...     print(method, round(ev.interval("RR(aggregate=geometric)", method=method).low, 2))
        t 0.8
        hall 0.6
        bounded 0.03
        """
        from rankmeter.stats.intervals import interval_of  # scipy is loaded only for statistics

        named = self.find(measure)
        if named.aggregate == "whole":
            from rankmeter.lists.slice_intervals import whole_interval

            return whole_interval(self, named, level=level, resamples=resamples, seed=seed)
        with speaking(self.facts.purpose):
            drawn = interval_of(
                self.values[named], named.aggregate, level=level, method=method, resamples=resamples, seed=seed,
                bounds=named.bounds, name=self.label(named),
            )  # fmt: skip
        return drawn if named.aggregate == "sum" else drawn.within(named.bounds)

    def has_interval(self, measure: str | Measure) -> bool:
        """Whether there is an interval: two queries count, and resampling queries says something about the value."""
        return self.without_interval(measure) is None

    def has_rough_interval(self, measure: str | Measure) -> bool:
        """Whether its interval holds less often than it says, because a few queries outweigh all others."""
        from rankmeter.stats.intervals import is_rough  # scipy is loaded only for statistics

        named = self.find(measure)
        return named in self.values and self.has_interval(named) and is_rough(self.values[named], named.aggregate)

    def without_interval(self, measure: str | Measure) -> str | None:
        """Why the value of a measure has no interval; None if it has one."""
        with speaking(self.facts.purpose):
            return self._without_interval(self.find(measure))

    def _without_interval(self, named: Measure) -> str | None:
        if named.aggregate != "whole" and not math.isnan(self.means[named]):
            from rankmeter.stats.intervals import why_none  # scipy is loaded only for statistics

            return why_none(self.values[named], named.aggregate)
        if named.compares_slices:
            known = any(slices.kind == "query" for slices in self.slices.values()) and not math.isnan(self.means[named])
            return None if known else said(named.no_value)
        if math.isnan(self.means[named]):
            return named.why_no_value(self.counted(named))
        if named in self.wholes and self.wholes[named].parts is not None:
            return None
        return named.why_no_interval()

    def without_value(self, measure: str | Measure) -> str | None:
        """Why the value of a measure is not a number; None if it is one."""
        named = self.find(measure)
        return named.why_no_value(self.counted(named)) if math.isnan(self.means[named]) else None

    def sentences(self) -> list[str]:
        """What to know before reading the numbers: what was evaluated, which numbers are missing and why."""
        with speaking(self.facts.purpose):
            return self._sentences()

    def _sentences(self) -> list[str]:
        missing = [said("has_no_value", measure=name, why=why) for name, why in self._no_values().items()]
        added = dict.fromkeys(sentence for one in self.added.values() for sentence in one.sentences())
        return [*added, *self.facts.sentences(), *missing]

    def _no_values(self) -> dict[str, str]:
        return {str(measure): why for measure in self.means if (why := self.without_value(measure)) is not None}

    def to_dict(self) -> dict[str, Any]:
        """Everything but the values per query, as plain Python: means, definitions, tie bounds, counts."""
        return {
            "name": self.name,
            "mean": self.mean,
            "labels": self.labels,
            "queries": {str(measure): self.counted(measure) for measure in self.means},
            "tie_bounds": {str(measure): list(bounds) for measure, bounds in self.tie_bounds.items()},
            "definitions": {name: _plain(definition) for name, definition in self.definitions.items()},
            "facts": asdict(self.facts),
            **({"no_value": missing} if (missing := self._no_values()) else {}),
            **({"slices": {name: slices.to_dict() for name, slices in self.slices.items()}} if self.slices else {}),
            **({"assisted": self.assisted.to_dict()} if self.assisted is not None else {}),
            **{name: added.to_dict() for name, added in self.added.items()},
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """What :meth:`to_dict` gives as JSON; a value that is not a number is null."""
        return json_text(self.to_dict(), indent=indent)

    def to_polars(self, *measures: str | Measure) -> pl.DataFrame:
        """The values per query as a Polars frame; of some measures, under the names given here.

        Examples
        --------
        >>> import rankmeter as rm
        >>> ev = rm.evaluate({"q": {"a"}}, {"q": ["b", "a"]}, ["MAP", "MRR@10"])
        >>> ev.to_polars().columns, ev.to_polars("MRR@10", "MAP").rows()
        (['query', 'AP', 'RR@10'], [('q', 0.5, 0.5)])
        """
        frame = self.per_query
        if not measures:
            return frame
        named = {str(measure): str(self.find(measure)) for measure in measures}
        if lacking := [name for name, column in named.items() if column not in frame.columns]:
            raise NotFoundError.of("evaluating.not_per_query", name=lacking[0])
        return frame.select("query", *(frame[column].alias(name) for name, column in named.items()))

    def to_pandas(self, *measures: str | Measure) -> pd.DataFrame:
        """The values per query as a pandas frame; of some measures, under the names given here."""
        return pandas_of(self.to_polars(*measures))

    def to_arrow(self, *measures: str | Measure) -> pa.Table:
        """The values per query as an Arrow table; of some measures, under the names given here."""
        load_library("pyarrow", '"rankmeter[arrow]"')
        return self.to_polars(*measures).to_arrow()

    def _shown(self, language: Language, digits: int = 4) -> ShownEvaluations:
        from rankmeter.report.evaluations import ShownEvaluations

        return ShownEvaluations([self], language, digits)

    def _page_html(self, lang: Language, titles: object, lists: int, title: str) -> str:
        from rankmeter.report.evaluation_page import evaluation_html

        return evaluation_html(self, lang=lang, titles=titles, lists=lists, title=title)

    def page(self, language: Language = "en") -> Sequence[Block]:
        """The values, the notes and the charts, as data."""
        from rankmeter.report.evaluation_page import pictured_evaluation

        return pictured_evaluation(self, language)

    def save(self, path: str | Path | BytesIO) -> None:
        """Write everything into one Parquet file, which any tool can read and :func:`load` understands."""
        frame = pl.DataFrame(values_columns(self.queries, self.values) | slates_columns(self.slices))
        text = header_of(self)
        metadata = {"rankmeter": text, "rankmeter.digest": checksum_of(text, frame)}
        if isinstance(path, BytesIO):
            frame.write_parquet(path, metadata=metadata)
            return
        with whole_file(path) as place:
            frame.write_parquet(place, metadata=metadata)

    @classmethod
    def load(cls, path: str | Path | BytesIO) -> Evaluation:
        """Read what :meth:`save` wrote."""
        check_threads()
        source = "the file" if isinstance(path, BytesIO) else str(check_readable(path))
        with said_if_damaged("saved.no_evaluation", source):
            known = pl.read_parquet_metadata(path)
            text = known["rankmeter"]
            header = json.loads(text)
            check_form(header["version"], FILE_VERSION, source)
            frame = pl.read_parquet(path, glob=False, hive_partitioning=False)
            if known.get("rankmeter.digest") != checksum_of(text, frame):  # also where somebody took it out
                raise InputError.of("saved.damaged", source=source)
            return cls._from_file(header, frame, source)

    @classmethod
    def _from_file(cls, header: dict[str, Any], frame: pl.DataFrame, path: str | Path) -> Evaluation:
        """Build the evaluation from what was read; anything missing or odd raises an error of Python's own."""
        measures = [_known(text, path) for text in header["measures"]]
        _check_definitions(measures, header["definitions"], path)
        facts = header["facts"]
        facts["notes"] = tuple(facts.get("notes", ()))
        facts["reading"] = Readings.from_dict(facts.get("reading", {}))
        facts["unjudged_at"] = {int(k): count for k, count in facts["unjudged_at"].items()}
        return cls(
            name=header["name"],
            ids=frame["query"],
            values={measure: saved_values(frame, measure) for measure in measures},
            means={m: float.fromhex(text) for m, text in zip(measures, header["means"], strict=True)},
            tie_bounds={parse(text): (low, high) for text, (low, high) in header["tie_bounds"].items()},
            asked={text: parse(measure) for text, measure in header["asked"].items()},
            known_facts=Facts(**facts),
            wholes=saved_wholes(header),
            slices=saved_slices(header, frame),
            judged_by=Late(made=Fingerprint(**header["judged_by"])) if "judged_by" in header else None,
            assisted=saved_assistance(header),
            added=saved_additions(header),
        )

    def __repr__(self) -> str:
        lang = chosen_language()
        lines = [line_about(self.name, self.sentences(), lang)]
        names = {m: label if (label := self.label(m)) == str(m) else f"{label} = {m}" for m in self.means}
        width = max(map(len, names.values()))
        for measure, value in self.means.items():
            line = f"  {names[measure]:<{width}}  {value:.4f}"
            if measure in self.tie_bounds:
                low, high = (f"{end:.4f}" for end in self.tie_bounds[measure])
                line += f"  {word('ties_span', lang, low=low, high=high)}"
            lines.append(line)
        shown = "\n".join(map(one_line, lines))
        shown = shown if self.assisted is None else f"{shown}\n{self.assisted.to_text(lang)}"
        below = [block for added in self.added.values() for block in added.below(lang)]
        if self.slices:
            from rankmeter.report.evaluations import ShownEvaluations

            sliced = ShownEvaluations([self], lang).table()
            below.insert(0, sliced.only(lambda column: column is not sliced.columns[0]))  # the name is above
        return f"{shown}\n{document_text(below)}" if below else shown

    def _repr_html_(self) -> str:
        from rankmeter.report.evaluations import evaluation_document
        from rankmeter.showing.html import notebook_html

        lang = chosen_language()
        with speaking(self.facts.purpose):
            return notebook_html(evaluation_document(self, lang), lang=lang)


def _same_values(values: Values, others: Values) -> bool:
    return all(
        np.array_equal(getattr(values, name), getattr(others, name), equal_nan=name != "counted")
        for name in Values.__slots__
    )


def _known(text: str, path: str | Path) -> Measure:
    try:
        return parse(text)
    except MeasureError as error:
        raise InputError.of("evaluating.unknown_in_file", source=path, text=text, error=error) from error


def _check_definitions(measures: list[Measure], saved: dict[str, Any], path: str | Path) -> None:
    """Warn if the meaning of a measure's string has changed since the file was written."""
    for measure in measures:
        now, then = _plain(measure.describe()), saved[str(measure)]
        changed = [name for name in now if now[name] != then.get(name, now[name])]
        if changed:
            options = [f"{name}={then[name]}" for name in changed]
            warn(said("saved_otherwise", source=str(path), measure=str(measure), options=options))


def header_of(ev: Evaluation) -> str:
    """What a saved evaluation says of itself, beside the values of its queries."""
    header = {
        "version": FILE_VERSION,
        "name": ev.name,
        "measures": [str(measure) for measure in ev.means],
        "definitions": {name: _plain(definition) for name, definition in ev.definitions.items()},
        "means": [value.hex() for value in ev.means.values()],
        "tie_bounds": {str(measure): list(bounds) for measure, bounds in ev.tie_bounds.items()},
        "asked": {text: str(measure) for text, measure in ev.asked.items()},
        "facts": asdict(ev.facts),
        **slates_header(ev.wholes, ev.slices),
    }
    if ev.judged_by is not None:
        header["judged_by"] = asdict(ev.judged_by.value)
    if ev.assisted is not None:
        header["assisted"] = ev.assisted.to_plain()
    if ev.added:
        header["added"] = {name: added.to_plain() for name, added in ev.added.items()}
    return json.dumps(header)


def _plain(definition: dict[str, Any]) -> dict[str, Any]:
    return {
        name: {str(grade): gain for grade, gain in value.items()} if isinstance(value, Mapping) else value
        for name, value in definition.items()
    }
