"""Recall of approximate search: how many of the exact neighbours it returned, and how that grows with its effort."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from rankmeter.errors import InputError, check_choice, check_level, check_positive, check_whole, examples
from rankmeter.evaluating.result import Evaluation
from rankmeter.evaluating.verb import evaluate
from rankmeter.frozen import dataclass
from rankmeter.inputs.accepting import into_run
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.late import pl
from rankmeter.showing.charts import drawing, layer
from rankmeter.showing.charts import field as of_column
from rankmeter.showing.document import Block, Chart, Column
from rankmeter.showing.showable import Head, NotedTable, said_table
from rankmeter.wording import Said, said

Ties = Literal["value", "id"]
FEWEST = 2
"""Runs from which on there is a curve."""


class RecallPoint(NamedTuple):
    """The recall of one run at one cutoff."""

    system: str
    candidates: float | None
    """How hard the search tried: ef, probes, candidates."""
    k: int
    recall: float
    low: float | None
    high: float | None
    complete: int
    """Queries of which every exact neighbour was returned."""
    queries: int


@dataclass(frozen=True, slots=True, repr=False)
class ApproximateRecall(NotedTable):
    """The recall of approximate searches, made by :func:`rankmeter.ann_recall`."""

    points: tuple[RecallPoint, ...]
    evaluations: Mapping[tuple[str, int], Evaluation]
    """The values of every query, by system and cutoff."""
    ties: str
    tolerance: float
    level: float
    notes: tuple[Said, ...] = ()

    def value(self, system: str, k: int | None = None) -> float:
        """The recall of a system; of its first cutoff where none is stated."""
        chosen = [one for one in self.points if one.system == system and k in (None, one.k)]
        if not chosen:
            raise InputError.of(
                "searches.no_such_point", system=system, known=examples({p.system for p in self.points})
            )
        return chosen[0].recall

    @property
    def per_query(self) -> pl.DataFrame:
        """Query, system, k and recall, a row each."""
        parts = [
            ev.per_query.rename({ev.per_query.columns[1]: "recall"}).with_columns(
                system=pl.lit(system), k=pl.lit(k, pl.Int64)
            )
            for (system, k), ev in self.evaluations.items()
        ]
        return pl.concat(parts).select("query", "system", "k", "recall")

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python, but the values of queries."""
        stated = {"ties": self.ties, "tolerance": self.tolerance, "level": self.level}
        return {**stated, "points": [point._asdict() for point in self.points]}

    def _rows(self) -> list[dict[str, Any]]:
        return [point._asdict() for point in self.points]

    def _blocks(self) -> list[Block]:
        heads: list[Head] = [
            Column(said("ann_system"), "text"), Column(said("ann_candidates"), "text"), Column("k", "text"),
            "ann_recall", Column(said("ann_complete"), "text"),
        ]  # fmt: skip
        rows = [
            (p.system, "-" if p.candidates is None else f"{p.candidates:g}", str(p.k),
             (p.recall, p.low, p.high) if p.low is not None else p.recall, f"{p.complete}/{p.queries}")
            for p in self.points
        ]  # fmt: skip
        blocks: list[Block] = [said_table(heads, rows, "recall")]
        drawn = [p._asdict() for p in self.points if p.candidates is not None]
        if len({p["candidates"] for p in drawn}) >= FEWEST:
            blocks.append(Chart("curve", said("ann_curve"), self._curve(drawn), said("ann_curve_read")))
        return blocks

    def _curve(self, rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        """Recall against candidates, a line a cutoff, with the band of its interval."""
        scale = {"type": "log" if all(row["candidates"] > 0 for row in rows) else "linear", "nice": False}
        x = of_column("candidates:Q", title=said("ann_candidates"), scale=scale)
        shared = {"x": x, "color": of_column("k:N", title="k")}
        low = of_column("low:Q", title=said("ann_recall"), scale={"zero": False})
        band = layer({"type": "area", "opacity": 0.18}, **shared, y=low, y2={"field": "high"})
        line = layer({"type": "line", "point": True}, **shared, y=of_column("recall:Q"))
        ends = [{"low": row["recall"], "high": row["recall"]} if row["low"] is None else {} for row in rows]
        return drawing([{**row, **both} for row, both in zip(rows, ends, strict=True)], 260, band, line)


def ann_recall(
    exact: object,
    runs: object,
    k: int | Sequence[int] = 10,
    *,
    candidates: Mapping[str, float] | None = None,
    ties: Ties = "value",
    tolerance: float = 0.0,
    level: float = 0.95,
    columns: Mapping[str, str] | None = None,
) -> ApproximateRecall:
    r"""The recall of approximate search (HNSW, IVF, quantised vectors) against exact search.

    .. math:: \mathrm{recall@}k = \frac{|\{\text{exact neighbours among the first } k\}|}{\min(k, n)}

    Parameters
    ----------
    exact
        What exact search returned, a run of any kind with scores (or a column of distances), at least ``k`` items long.
    runs
        What approximate searches returned: ``{name: run}``, or one run.
    k
        One cutoff, or several.
    candidates
        How hard each run tried, for the curve; otherwise the last number in its name is taken (``ef_64``).
    ties
        ``value``: an item as near as the k-th exact neighbour counts too, whether exact search listed it before or
        behind the cut, or not at all; ``id``: only the first k of the exact list, its ties by id.
    tolerance
        By how much of the k-th score an item may be worse and still count as near, for scores of another precision.
    level
        Of the intervals.
    columns
        Unusual column names, as for :func:`rankmeter.evaluate`.

    Examples
    --------
    ``b`` and ``c`` are equally near, so that either completes the first two.

    >>> import rankmeter as rm
    >>> exact = {"q1": {"a": 0.9, "b": 0.8, "c": 0.8}, "q2": {"d": 0.7, "e": 0.6, "f": 0.5}}
    >>> hnsw = {"ef_8": {"q1": {"a": 0.9, "c": 0.8}, "q2": {"d": 0.7, "f": 0.5}}}
    >>> rm.ann_recall(exact, hnsw, k=2).value("ef_8")
    0.75
    >>> rm.ann_recall(exact, {"ef_8": {"q1": ["a", "c"], "q2": ["e", "d"]}}, k=2, ties="id").value("ef_8")
    1.0
    """
    check_choice("ties", ties, ("value", "id"))
    check_level(level)
    if tolerance:
        check_positive("tolerance", tolerance, 1e-6)
    cutoffs = [k] if isinstance(k, int) else list(dict.fromkeys(k))
    for cutoff in cutoffs:
        check_whole("k", cutoff, 1)
    named: dict[Any, Any] = dict(runs) if _are_named(runs) else {"run": runs}  # type: ignore[call-overload]
    truth = into_run(exact, columns=columns).run_table()
    if ties == "value" and not truth.scored:
        raise InputError.of("searches.exact_without_scores", source=truth.source)
    tables = {str(name): into_run(run, columns=columns).run_table() for name, run in named.items()}
    notes = _notes(truth, tables, cutoffs)
    points, evaluations = [], {}
    for name, table in tables.items():
        for cutoff in cutoffs:
            judged = _neighbours(truth, table, cutoff, ties, tolerance)
            measure = f"R(norm=capped)@{cutoff}"
            ev = evaluate(judged, table, [measure], name=name, protocol=False)
            low, high = _interval(ev, measure, level)
            values = ev.per_query[measure]
            points.append(RecallPoint(
                name, _effort(name, candidates), cutoff, ev[measure], low, high,
                int((values >= 1).sum()), len(values),
            ))  # fmt: skip
            evaluations[name, cutoff] = ev
    order = sorted(range(len(points)), key=lambda at: (points[at].k, points[at].candidates or 0.0, at))
    return ApproximateRecall(tuple(points[at] for at in order), evaluations, ties, tolerance, level, tuple(notes))


def _interval(ev: Evaluation, measure: str, level: float) -> tuple[float | None, float | None]:
    """The interval of a recall over queries; none where all values are equal or there is one."""
    if ev.per_query[measure].n_unique() < FEWEST:
        return None, None
    interval = ev.interval(measure, level=level)
    return interval.low, interval.high


def _are_named(runs: object) -> bool:
    """Whether these are several runs by name: their values are runs, not the lists of queries."""
    if not isinstance(runs, Mapping) or not runs:
        return False
    first = next(iter(runs.values()))
    if isinstance(first, Mapping):
        return isinstance(next(iter(first.values()), None), (Mapping, list, tuple))
    return not isinstance(first, (list, tuple, set))


def _effort(name: str, candidates: Mapping[str, float] | None) -> float | None:
    """How hard a run tried: as stated, else the last number in its name."""
    if candidates is not None:
        if name not in candidates:
            raise InputError.of("searches.no_effort", name=name)
        return float(candidates[name])
    numbers = re.findall(r"\d+(?:\.\d+)?", name)
    return float(numbers[-1]) if numbers else None


def _neighbours(truth: RunTable, run: RunTable, k: int, ties: str, tolerance: float) -> JudgmentTable:
    """The items that count as the first k neighbours of each query, judged relevant."""
    rows = pl.DataFrame({"query": truth.query, "item": truth.item, "score": truth.score})
    ordered = rows.sort(["score", pl.col("item").cast(pl.String)], descending=True, maintain_order=True)
    first = ordered.group_by("query", maintain_order=True).head(min(k, rows.height))
    if ties == "value":
        last = first.group_by("query", maintain_order=True).agg(
            pl.col("score").min().alias("last"), pl.len().alias("held")
        )
        least = last.with_columns(least=pl.col("last") - pl.col("last").abs() * tolerance)
        near = ordered.join(least, on="query").filter(pl.col("score") >= pl.col("least")).select("query", "item")
        if run.scored:
            kinds = {"query": truth.query.dtype, "item": truth.item.dtype}
            seen = pl.DataFrame({"query": run.query, "item": run.item, "score": run.score})
            if all(seen[name].dtype == kind for name, kind in kinds.items()):
                full = least.filter(pl.col("held") == min(k, rows.height + 1))
                seen = seen.join(full, on="query").filter(pl.col("score") >= pl.col("least")).select("query", "item")
                near = pl.concat([near, seen])
        first = near.unique(maintain_order=True)
    grade = pl.Series("grade", [1.0] * first.height, dtype=pl.Float64)
    return JudgmentTable(first["query"], first["item"], grade, truth.source)


def _notes(truth: RunTable, tables: Mapping[str, RunTable], cutoffs: Sequence[int]) -> list[Said]:
    """What to know: exact lists that are too short, queries that a run lacks."""
    notes = []
    short = int((truth.query.value_counts()["count"] < min(max(cutoffs), len(truth.query) + 1)).sum())
    total = truth.query.n_unique()
    if short:
        notes.append(said("ann_short_lists", count=short, total=total, k=max(cutoffs)))
    asked = truth.query.cast(pl.String).unique()
    for name, table in tables.items():
        lacking = int((~asked.is_in(table.query.cast(pl.String).unique().implode())).sum())
        if lacking:
            notes.append(said("ann_lacks", name=name, count=lacking, total=total))
    return notes
