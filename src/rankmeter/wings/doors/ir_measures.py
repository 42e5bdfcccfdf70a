"""A provider for ir_measures, registered through its own extension mechanism when this module is imported.

>>> import ir_measures  # doctest: +SKIP
>>> from rankmeter.compat.ir_measures import provider, use_first  # doctest: +SKIP
>>> provider.calc_aggregate([ir_measures.nDCG @ 10, ir_measures.AP], qrels, run)  # doctest: +SKIP
>>> use_first()  # from now on ir_measures.calc_aggregate(...) asks rankmeter first  # doctest: +SKIP

Every measure has the definition that ir_measures' own programs give it (the dialect ``ir_measures``), without Perl, a
compiler or a limit on ids and cutoffs.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

from rankmeter.errors import MeasureError, MissingExtraError, RankmeterError, RankmeterWarning
from rankmeter.evaluating.verb import evaluate
from rankmeter.inputs.accepting import into_judgments, into_run
from rankmeter.inputs.frames import is_frame
from rankmeter.inputs.tables import JudgmentTable
from rankmeter.late import pl
from rankmeter.measures import Measure
from rankmeter.measures.dialects import find_dialect

try:
    import ir_measures
    from ir_measures import providers
except ImportError as error:  # pragma: no cover (depends on what is installed)
    raise MissingExtraError.of("general.not_installed", library="ir_measures", install="ir-measures") from error


def translate(measure: Any) -> Measure:
    """The rankmeter measure that has ir_measures' definition of one of its measures."""
    return find_dialect("ir_measures").measure(str(measure))


class RankmeterEvaluator(providers.Evaluator):  # type: ignore[misc]
    """Evaluates runs against judgments that were read once."""

    def __init__(self, measures: Iterable[Any], qrels: Any) -> None:
        chosen = list(measures)
        self._meant = {measure: translate(measure) for measure in chosen}
        diverse = [measure for measure, meant in self._meant.items() if meant.subtopics]
        others = [measure for measure in chosen if measure not in diverse]
        if not isinstance(qrels, Mapping) and not is_frame(qrels):
            qrels = list(qrels)  # a generator can be gone through only once
        self._groups = [(group, _from_qrels(qrels, subtopics=group is diverse)) for group in (others, diverse) if group]
        super().__init__(chosen, _queries_in(self._groups[0][1]) if self._groups else set())

    def iter_calc(self, run: Any) -> Iterator[Any]:
        """Values per query; a judged query without one has the measure's default."""
        for measure, values in self._values(run).items():
            for query, value in values.items():
                yield ir_measures.Metric(query_id=query, measure=measure, value=value)

    def calc_aggregate(self, run: Any) -> dict[Any, float]:
        """One number for each measure."""
        values, totals = self._values(run), {}
        for measure in self.measures:
            aggregator = measure.aggregator()
            for value in values[measure].values():
                aggregator.add(value)
            totals[measure] = aggregator.result()
        return totals

    def _values(self, run: Any) -> dict[Any, dict[str, float]]:
        """For each measure the values of the judged queries."""
        returned = _run(run)
        by_measure: dict[Any, dict[str, float]] = {}
        for group, judgments in self._groups:
            if _queries_in(judgments) & _queries_in(returned):
                by_measure |= self._answered(group, judgments, returned)
            for measure in group:
                values = by_measure.setdefault(measure, {})
                if self._meant[measure].queries != "common":  # Accuracy leaves out what the run lacks
                    values |= {query: measure.DEFAULT for query in self.qrel_qids if query not in values}
        return by_measure

    def _answered(self, group: list[Any], judgments: Any, run: Any) -> dict[Any, dict[str, float]]:
        """For each measure the values of the queries that are judged and in the run."""
        meant = [self._meant[measure] for measure in group]
        with warnings.catch_warnings():
            # What rankmeter would tell a person, ir_measures does not ask for.
            warnings.simplefilter("ignore", RankmeterWarning)
            result = evaluate(judgments, run, meant, queries="common", dialect="ir_measures")
        queries = [str(query) for query in result.queries.to_list()]
        by_measure = {}
        for measure, own in zip(group, meant, strict=True):
            values = result.values[own if own.queries else own(queries="common")]
            rows = zip(queries, values.value.tolist(), values.counted.tolist(), strict=True)
            by_measure[measure] = {query: value for query, value, counted in rows if counted}
        return by_measure


class RankmeterProvider(providers.Provider):  # type: ignore[misc]
    """All of ir_measures' measures, computed by rankmeter."""

    NAME = "rankmeter"

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> RankmeterEvaluator:
        return RankmeterEvaluator(measures, qrels)

    def supports(self, measure: Any) -> bool:
        """Whether rankmeter has it, with these parameters."""
        try:
            measure.validate_params()
            translate(measure)
        except (RankmeterError, AssertionError):
            return False
        return True

    def qrel_inputs(self, measures: Iterable[Any]) -> list[str]:
        """The columns of the judgments that are needed."""
        diverse = any(translate(measure).subtopics for measure in measures)
        return ["query_id", "doc_id", "relevance", *(["iteration"] if diverse else [])]


def _from_qrels(qrels: Any, *, subtopics: bool) -> Any:
    """Judgments in a form that rankmeter takes as it is."""
    if is_frame(qrels):
        table = into_judgments(qrels)
        if not subtopics:
            return table
        topics = pl.Series([str(topic) for topic in qrels["iteration"].to_list()], dtype=pl.String)
        return replace(cast(JudgmentTable, table), subtopic=topics)
    if isinstance(qrels, Mapping):
        if subtopics:
            raise MeasureError.of("doors.no_iteration")
        return qrels
    graded: dict[str, dict[str, Any]] = {}
    for row in qrels:
        if subtopics:
            graded.setdefault(row.query_id, {}).setdefault(row.doc_id, {})[row.iteration] = row.relevance
        else:
            graded.setdefault(row.query_id, {})[row.doc_id] = row.relevance
    return graded


def _run(run: Any) -> Any:
    if is_frame(run):
        return into_run(run)
    if isinstance(run, Mapping):
        return run
    scored: dict[str, dict[str, float]] = {}
    for row in run:
        scored.setdefault(row.query_id, {})[row.doc_id] = row.score
    return scored


def _queries_in(side: Any) -> set[str]:
    """The queries of judgments or of a run."""
    return set(side) if isinstance(side, Mapping) else {str(query) for query in side.query.unique().to_list()}


provider = RankmeterProvider()
providers.register(provider)


def use_first() -> None:
    """Let ir_measures' own functions ask rankmeter before any other provider."""
    pipeline = ir_measures.DefaultPipeline
    pipeline.providers = [provider, *(other for other in pipeline.providers if other is not provider)]


__all__ = ["RankmeterEvaluator", "RankmeterProvider", "provider", "translate", "use_first"]
