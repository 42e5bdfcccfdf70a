"""The result of a comparison: plain, frozen, convertible; every p-value with its test, its family and its seed."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmeter.comparing.records import (
    Difference,
    Inputs,
    Quality,
    Score,
    Settings,
    Source,
    tested_columns,
)
from rankmeter.errors import InputError, NotFoundError, check_language, did_you_mean
from rankmeter.inputs.ids import LateIds, column_of_ids
from rankmeter.late import pl
from rankmeter.measures import Measure
from rankmeter.measures.prose import Language
from rankmeter.showing.numbers import json_text
from rankmeter.showing.showable import Reported
from rankmeter.stats.paired import p_value
from rankmeter.stats.resampling import AnySample, Groups
from rankmeter.stats.student import Alternative
from rankmeter.wording import Said, chosen_language, said

if TYPE_CHECKING:
    from rankmeter.comparing.lining_up import SlicedSystems
    from rankmeter.evaluating.assisted import AssistedValues
    from rankmeter.evaluating.facts import Purpose
    from rankmeter.evaluating.result import Evaluation
    from rankmeter.inputs.reading import Readings
    from rankmeter.placing.placements import Bools, Floats, Ints
    from rankmeter.report.comparisons import ShownComparison
    from rankmeter.showing.document import Block

RANKS = ("rank", "rank_low", "rank_high")


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Reported):
    """Several systems under some measures, on the same queries.

    Examples
    --------
    >>> import rankmeter as rm
    >>> truth = {i: {0} for i in range(40)}
    >>> good = {i: [0, 1, 2] if i % 4 else [1, 0, 2] for i in range(40)}
    >>> poor = {i: [1, 0, 2] if i % 3 else [0, 1, 2] for i in range(40)}
    >>> cmp = rm.compare(truth, {"poor": poor, "good": good}, ["RR"], baseline="poor", permutations=1000)
    >>> found = cmp.difference("RR", "good")
    >>> round(found.difference, 4), found.significant, found.effect.wins, found.effect.losses
    (0.2, True, 20, 4)
    >>> [(score.system, score.value, score.in_best) for score in cmp.ranked("RR")]
    [('good', 0.875, True), ('poor', 0.675, False)]
    """

    systems: tuple[str, ...]
    """In the order given."""
    baseline: str | None
    measures: tuple[Measure, ...]
    evaluations: Mapping[str, Evaluation]
    """The evaluation of each system; of one with several runs, their mean query by query."""
    runs: Mapping[str, tuple[Evaluation, ...]]
    """The evaluation of each run of each system."""
    ids: pl.Series | LateIds
    """(n,) the queries of all systems; ``queries`` gives them as a column."""
    values: Mapping[Measure, Floats]
    """(systems, n) for each measure the value of each system for each query; NaN where it does not count."""
    paired: Mapping[Measure, Bools]
    """(n,) for each measure which queries count for all systems: those that differences are about."""
    samples: Mapping[Measure, AnySample]
    """What is resampled, for each measure that is tested."""
    units_of: Ints | None
    """(n,) the number of the unit that each query belongs to; None where runs are the units."""
    scores: tuple[Score, ...]
    differences: tuple[Difference, ...]
    quality: Mapping[str, Quality]
    notes: tuple[Said, ...]
    """What a person should know before reading who won."""
    settings: Settings
    slice_differences: tuple[Difference, ...] = ()
    """Every pair that was tested within a slice of the queries; corrected over the slices and pairs of a measure."""
    inputs: Inputs | None = None
    """What was compared; None where saved evaluations were, or where the comparison was loaded."""
    seeds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The names of the seeds of each system's runs, where they were given."""
    saved_sources: tuple[Source, ...] = ()
    """Where the inputs of a loaded comparison came from."""
    assisted: AssistedValues | None = None
    """Values and differences from these judgments and a machine's together, where ``assisted_by=`` gave some."""
    is_unjudged: bool = False
    """Whether runs were compared without judgments."""
    baselines: tuple[str, ...] = ()
    """All baselines, where there are several; ``baseline`` is the first."""
    _scores: dict[tuple[str, str], Score] = field(init=False, repr=False, compare=False)
    _differences: dict[str, dict[tuple[str, str], Difference]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Indexed by name, as tables of many systems look up every pair.
        object.__setattr__(self, "_scores", {(str(record.measure), record.system): record for record in self.scores})
        pairs: dict[str, dict[tuple[str, str], Difference]] = {str(measure): {} for measure in self.measures}
        for record in self.differences:
            pairs[str(record.measure)][record.system, record.other] = record
        object.__setattr__(self, "_differences", pairs)

    @property
    def queries(self) -> pl.Series:
        """(n,) the queries of all systems."""
        return column_of_ids(self.ids)

    @property
    def is_tested(self) -> bool:
        """Whether anything was tested: a value for all lists together is not."""
        return any(record.p is not None for record in (*self.differences, *self.slice_differences))

    def how_made(self) -> list[Said]:
        """How p-values and intervals were made, where there are any."""
        bounded = any(record.interval for record in self.scores) or any(record.interval for record in self.differences)
        sentences = self.settings.sentences(tested=self.is_tested, bounded=bounded)
        if any(record.interval and record.interval.is_of_share for record in self.scores):
            sentences.append(said("shares_exact"))
        return [record.about_users() for record in sentences] if self.purpose == "recommendation" else sentences

    def find(self, measure: str | Measure) -> Measure:
        """The measure of this comparison that is meant, by the text that was asked or the canonical one."""
        return self.evaluations[self.systems[0]].find(measure)

    def label(self, measure: str | Measure) -> str:
        """What a measure is called where it is shown: as it was asked for."""
        return self.evaluations[self.systems[0]].label(measure)

    @property
    def purpose(self) -> Purpose:
        """What the lists are for: held-out items of users are not judgments of a pool."""
        return self.evaluations[self.systems[0]].facts.purpose

    def find_system(self, name: str) -> str:
        """The name of a system of this comparison; an error that names the nearest for any other."""
        if name in self.systems:
            return name
        hint = did_you_mean(name, self.systems) or said("comparing.there_are", known=list(self.systems))
        raise NotFoundError.of("comparing.no_system", name=name, hint=hint)

    def score(self, measure: str | Measure, system: str) -> Score:
        """The value of one system under one measure, with everything known about it."""
        return self._scores[str(self.find(measure)), self.find_system(system)]

    def ranked(self, measure: str | Measure) -> list[Score]:
        """The systems under one measure, best first; those without a value last."""
        meant = self.find(measure)
        sign = -1 if meant.higher_is_better else 1
        scores = [self._scores[str(meant), system] for system in self.systems]
        return sorted(scores, key=lambda score: (math.isnan(score.value), sign * score.value))

    def best_group(self, measure: str | Measure) -> list[str]:
        """The first system and those that are not significantly worse than it, best first."""
        return [score.system for score in self.ranked(measure) if score.in_best]

    def best_set(self, measure: str | Measure) -> list[str]:
        """The systems that may be the best by multiple comparisons with the best, which ``best_set="mcb"`` asks for."""
        if self.settings.best_set is None:
            raise InputError.of("comparing.no_best_set")
        return [score.system for score in self.ranked(measure) if score.in_best_set]

    def difference(self, measure: str | Measure, system: str, other: str | None = None) -> Difference:
        """One system against another, by default the baseline; of two systems, the other one."""
        meant, name = self.find(measure), self.find_system(system)
        against = self.baseline if other is None else self.find_system(other)
        if other is None and self.settings.has_baselines:
            against = None
        if other is None and len(self.systems) == 2:
            against = next(known for known in self.systems if known != name)
        if against is None:
            raise InputError.of("comparing.against_which", measure=str(meant), name=name)
        pairs = self._differences[str(meant)]
        if pair := pairs.get((name, against)):
            return pair
        if pair := pairs.get((against, name)):
            return pair.turned()
        raise NotFoundError.of("comparing.not_tested", name=name, other=against)

    @property
    def shown_against(self) -> str | None:
        """The system that the others are shown against: the baseline, or the first of two; None where all pairs are."""
        if self.settings.family == "baseline":
            return None if self.settings.has_baselines else self.baseline
        return (self.baseline or self.systems[0]) if len(self.systems) == 2 else None

    def differences_of(self, measure: str | Measure) -> list[Difference]:
        """Every pair that was tested under one measure."""
        return list(self._differences[str(self.find(measure))].values())

    def queries_needed(self, measure: str | Measure, *, difference: float, power: float | None = None) -> pl.DataFrame:
        """How many queries (or other units) it takes to detect a *stated* difference, for each pair that was tested.

        The spread of the differences comes from the data, the difference never does: state the smallest one that
        matters. Where all differences are equal there is no spread to plan with, and ``needed`` is null.

        Examples
        --------
        >>> import rankmeter as rm
        >>> truth = {i: {0} for i in range(40)}
        >>> good = {i: [0, 1, 2] if i % 4 else [1, 0, 2] for i in range(40)}
        >>> poor = {i: [1, 0, 2] if i % 3 else [0, 1, 2] for i in range(40)}
        >>> cmp = rm.compare(truth, {"poor": poor, "good": good}, ["RR"], baseline="poor", permutations=1000)
        >>> cmp.queries_needed("RR", difference=0.05)["needed"].to_list()
        [357]
        """
        from rankmeter.stats.power import units_needed

        meant = self.find(measure)
        tested = [pair for pair in self.differences_of(meant) if pair.p is not None and pair.units > 1]
        alpha = self.settings.alpha_of_one
        found = self.settings.power if power is None else power
        needed: list[dict[str, Any]] = []
        for pair in tested:
            names = {"system": pair.system, "other": pair.other}
            contrasts = self.samples[meant].spreads([(self.systems.index(pair.system), self.systems.index(pair.other))])
            spread = float(contrasts.spread(pair.units)[0])
            count = units_needed(spread, difference, alpha=alpha, power=found)
            needed.append({**names, "spread": spread, "have": pair.units, "needed": count})
        if not needed:
            raise InputError.of("comparing.no_spread", measure=str(meant))
        return pl.DataFrame(needed, schema_overrides={"needed": pl.Int64})

    def p_shifted(
        self,
        measure: str | Measure,
        system: str,
        other: str | None,
        shift: float,
        alternative: Alternative,
        *,
        factor: float = 1.0,
    ) -> float:
        """The one-sided p-value of "the value of ``system`` is ``factor`` times that of ``other`` plus ``shift``".

        Without another system, of "the value is ``shift``". For gates.
        """
        meant = self.find(measure)
        place = self.systems.index(self.find_system(system))
        against = None if other is None else self.systems.index(self.find_system(other))
        sample = self.samples[meant]
        if isinstance(sample, Groups):
            if against is None:
                contrasts = sample.alone()
            else:
                contrasts = sample.multiplied(against, factor).contrasts([(place, against)])
            return float(contrasts.moved(-shift).p(alternative)[place if against is None else 0])
        moved = sample.shifted(place, against, shift, factor)
        return p_value(
            moved,
            self.settings.test,
            alternative=alternative,
            permutations=self.settings.permutations,
            seed=self.settings.seed,
        )

    @property
    def definitions(self) -> dict[str, dict[str, Any]]:
        """The complete definition of each number: every convention, the defaults too."""
        return self.evaluations[self.systems[0]].definitions

    @property
    def per_query(self) -> pl.DataFrame:
        """A row per query and system, a column per measure; null where a query does not count."""
        alone = {measure: values for measure, values in self.values.items() if measure.aggregate != "whole"}
        shown = np.logical_or.reduce([~np.isnan(values).all(axis=0) for values in self.values.values()])
        queries = self.queries.filter(pl.Series(shown))
        names = [name for name in self.systems for _ in range(len(queries))]
        columns: dict[str, Any] = {"query": pl.concat([queries] * len(self.systems)), "system": names}
        for measure, values in alone.items():
            columns[str(measure)] = pl.Series(values[:, shown].ravel()).fill_nan(None)
        return pl.DataFrame(columns)

    @property
    def leaderboard(self) -> pl.DataFrame:
        """A row per measure and system, best first within each measure."""
        kinds = dict.fromkeys(("value", "low", "high"), pl.Float64) | dict.fromkeys(RANKS, pl.Int64)
        rows = []
        for score in (score for measure in self.measures for score in self.ranked(measure)):
            low, high = (None, None) if score.interval is None else score.interval.ends
            value = None if math.isnan(score.value) else score.value
            known = {name: getattr(score, name) for name in (*RANKS, "in_best", "reason")}
            names = {"measure": str(score.measure), "system": score.system}
            rows.append({**names, "value": value, "low": low, "high": high, **known})
        return pl.DataFrame(rows, schema_overrides={**kinds, "in_best": pl.Boolean})

    @property
    def slices(self) -> dict[str, SlicedSystems]:
        """The values of all systems by slice, for each way of slicing that was asked for (``by=``)."""
        from rankmeter.comparing.lining_up import side_by_side

        return side_by_side([self.evaluations[system] for system in self.systems], self.measures)

    @property
    def by_slice(self) -> pl.DataFrame:
        """A row per way of slicing, measure, slice and system; null where nothing counts."""
        kinds = {"by": pl.String, "slice": pl.String, "measure": pl.String, "system": pl.String}
        rows = [row for cut in self.slices.values() for row in cut.rows(self.systems)]
        return pl.DataFrame(rows, schema={**kinds, "value": pl.Float64, "queries": pl.Int64})

    @property
    def slice_tests(self) -> pl.DataFrame:
        """A row per slice, measure and pair that was tested within it; ``p_corrected`` is over all slices and pairs.

        Examples
        --------
        >>> import rankmeter as rm
        >>> truth, half = {i: {0} for i in range(40)}, {i: "new" if i < 20 else "old" for i in range(40)}
        >>> good = {i: [0, 1] for i in range(40)}
        >>> poor = {i: [1, 0] if i < 20 else [0, 1] for i in range(40)}
        >>> cmp = rm.compare(truth, {"poor": poor, "good": good}, ["RR"], baseline="poor", by=half, permutations=1000)
        >>> cmp.slice_tests.select("slice", "difference", "significant").rows()
        [('new', 0.5, True), ('old', 0.0, False)]
        """
        kinds = {"by": pl.String, "slice": pl.String}
        left_out = {"no_worse", "equivalent", "detectable", "reason"}
        rows = [
            {"by": record.by, "slice": record.slice, **record.row(), "tests": record.tests}
            for record in self.slice_differences
        ]
        return pl.DataFrame(rows, schema_overrides={**kinds, **tested_columns()}).drop(left_out, strict=False)

    @property
    def tests(self) -> pl.DataFrame:
        """A row per measure and pair that was tested."""
        return pl.DataFrame([pair.row() for pair in self.differences], schema_overrides=tested_columns())

    @property
    def sources(self) -> tuple[Source, ...]:
        """Where the inputs came from: whose each is, its file, and the SHA-256 of that file."""
        return self.saved_sources if self.inputs is None else self.inputs.fingerprints()

    @property
    def reading(self) -> dict[str, Readings]:
        """How the judgments and the run of each system were read."""
        return {system: ev.reading for system, ev in self.evaluations.items()}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything but the runs themselves into one file, which :meth:`load` reads.

        It is a ZIP: the evaluation of every run as Parquet, the rest as JSON.

        Examples
        --------
        >>> import rankmeter as rm, tempfile, pathlib
        >>> truth, runs = {1: {"a"}, 2: {"b"}}, {"one": {1: ["a"], 2: ["a", "b"]}, "two": {1: ["b", "a"], 2: ["b"]}}
        >>> cmp = rm.compare(truth, runs, ["RR"], permutations=100, resamples=100)
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "nightly.zip"
        >>> cmp.save(path)
        >>> rm.Comparison.load(path).to_dict() == cmp.to_dict()
        True
        """
        from rankmeter.comparing.saving import save_comparison

        save_comparison(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Comparison:
        """Read what :meth:`save` wrote; ranked lists and curves over cutoffs need the runs and are not in it."""
        from rankmeter.comparing.saving import load_comparison

        return load_comparison(Comparison, path)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the values per query, as plain Python."""
        return {
            "systems": list(self.systems),
            "baseline": self.baseline,
            **({"baselines": list(self.baselines)} if self.settings.has_baselines else {}),
            "labels": {str(measure): self.label(measure) for measure in self.measures},
            "sources": [list(source) for source in self.sources],
            "reading": {system: asdict(reading) for system, reading in self.reading.items()},
            "settings": {**asdict(self.settings), "said": self.how_made()},
            "notes": list(self.notes),
            "quality": {system: _plain(asdict(quality)) for system, quality in self.quality.items()},
            "leaderboard": [score.to_dict() for measure in self.measures for score in self.ranked(measure)],
            "best_group": {str(measure): self.best_group(measure) for measure in self.measures},
            **({"best_set": {str(m): self.best_set(m) for m in self.measures}} if self.settings.best_set else {}),
            "differences": [pair.to_dict() for pair in self.differences],
            **({"slices": self.by_slice.to_dicts()} if self.slices else {}),
            **({"slice_tests": self.slice_tests.to_dicts()} if self.slice_differences else {}),
            **({"assisted": self.assisted.to_dict()} if self.assisted is not None else {}),
            "definitions": {name: _plain(definition) for name, definition in self.definitions.items()},
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """What :meth:`to_dict` gives, as JSON; NaN becomes null, with its reason beside it."""
        return json_text(self.to_dict(), indent=indent)

    def _shown(self, language: Language, digits: int = 4) -> ShownComparison:
        from rankmeter.report.comparisons import ShownComparison

        return ShownComparison(self, language, digits)

    def _page_html(self, lang: Language, titles: object, lists: int, title: str) -> str:
        from rankmeter.report.page import report_html

        return report_html(self, lang=lang, titles=titles, lists=lists, title=title)

    def page(self, language: Language = "en") -> Sequence[Block]:
        """The verdict, the table of all systems and measures, and the charts, as data."""
        from rankmeter.report.figures import pictured

        return pictured(self, language)

    def figures(
        self,
        folder: str | os.PathLike[str],
        *,
        lang: Language = "en",
        formats: Sequence[str] = ("svg", "png"),
        progress: Callable[[str, float], None] | None = None,
    ) -> list[Path]:
        """Write the charts of the report as files for a paper; made where the folder is missing.

        ``progress`` is called with the name of the next figure and the share that is done.
        """
        from rankmeter.report.figures import write_figures

        return write_figures(self, folder, lang=check_language(lang), formats=formats, progress=progress)

    def __repr__(self) -> str:
        from rankmeter.showing.terminal import terminal_width

        return self._shown(chosen_language()).to_text(width=terminal_width())

    def _repr_html_(self) -> str:
        from rankmeter.showing.html import notebook_html

        return notebook_html(self._shown(chosen_language()).document(), lang=chosen_language())


def _plain(value: Any) -> Any:
    """Mappings with text as keys, as JSON has them."""
    return {str(key): _plain(part) for key, part in value.items()} if isinstance(value, Mapping) else value
