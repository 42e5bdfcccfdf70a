"""How well somebody foresees which queries go well: query performance prediction, as sMARE and as correlations.

sARE of a query is how far its rank by prediction is from its rank by value, over the number of queries; sMARE is the
mean (Faggioli and others 2022). Unlike a correlation it is a mean over queries, so that predictors can be
compared query by query. Queries with equal numbers share their mean rank.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankmeter.errors import InputError, check_level
from rankmeter.evaluating.result import Evaluation
from rankmeter.measures import Measure
from rankmeter.showing.document import Block, Heading, Paragraph
from rankmeter.showing.showable import NotedTable, said_table
from rankmeter.stats.rank_agreement import mean_ranks, spearman, tau
from rankmeter.wings.judging.estimators import bounded_mean
from rankmeter.wording import Said, said


@dataclass(frozen=True, slots=True)
class ForeseenQuery:
    """One query: what it was worth, what was predicted, and how far the ranks are apart."""

    query: Any
    value: float
    predicted: float
    rank: float
    predicted_rank: float
    sare: float


@dataclass(frozen=True, slots=True, repr=False)
class Foresight(NotedTable):
    """How well the values of queries were predicted; made by :func:`rankmeter.foresight`."""

    measure: str
    smare: float
    """The mean over queries of the distance of the two ranks, over the number of queries; 0 is best."""
    low: float
    high: float
    kendall: float
    spearman: float
    pearson: float
    queries: tuple[ForeseenQuery, ...]
    level: float
    notes: tuple[Said, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        numbers = {name: getattr(self, name) for name in ("smare", "low", "high", "kendall", "spearman", "pearson")}
        return {"measure": self.measure, **numbers, "level": self.level, "queries": self._rows(),
                "notes": list(self.notes)}  # fmt: skip

    def _rows(self) -> list[dict[str, Any]]:
        return [{name: getattr(query, name) for name in ForeseenQuery.__slots__} for query in self.queries]

    def _blocks(self) -> list[Block]:
        rows: tuple[tuple[Any, Any], ...] = (
            (said("foresight_smare"), (self.smare, self.low, self.high)),
            (said("foresight_kendall"), self.kendall),
            (said("foresight_spearman"), self.spearman),
            (said("foresight_pearson"), self.pearson),
        )
        return [
            Heading(said("foresight_title", measure=self.measure), 1),
            Paragraph(said("foresight_facts", queries=len(self.queries))),
            said_table((("coefficient", "text"), "value"), rows, "foresight"),
        ]


def foresight(
    evaluation: Evaluation,
    predictions: Mapping[Any, float],
    measure: str | Measure | None = None,
    *,
    level: float = 0.95,
) -> Foresight:
    """Say how well predictions of queries agree with what the queries were worth.

    Parameters
    ----------
    evaluation
        What :func:`rankmeter.evaluate` returned.
    predictions
        A number for each query, higher for one that should go well.
    measure
        One of the measures of the evaluation; may be left out if there is only one.
    level
        Of the interval of sMARE (Student's t over queries).

    Returns
    -------
    Foresight
        sMARE with its interval, Kendall's tau-b, Spearman's and Pearson's correlation, and each query's error.

    Examples
    --------
    Predicted order p, q, r; by value q is first, then p, then r. Two of three queries are one rank off.

    >>> import rankmeter as rm
    >>> judgments, run = dict.fromkeys("pqr", ["a"]), {"p": ["x", "a"], "q": ["a"], "r": ["x", "y", "a"]}
    >>> ev = rm.evaluate(judgments, run, "RR")
    >>> seen = rm.foresight(ev, {"p": 0.9, "q": 0.5, "r": 0.1})
    >>> round(seen.smare, 4), round(seen.kendall, 4)
    (0.2222, 0.3333)
    """
    check_level(level)
    if measure is None and len(evaluation.values) != 1:
        raise InputError.of("judging.foresee_which", measures=[str(one) for one in evaluation.values])
    meant = next(iter(evaluation.values)) if measure is None else evaluation.find(measure)
    seen = evaluation.values[meant]
    rows = zip(evaluation.queries.to_list(), seen.value.tolist(), seen.counted.tolist(), strict=True)
    values = {query: value for query, value, counts in rows if counts}
    told = {str(query): float(number) for query, number in predictions.items()}
    both = [query for query in values if str(query) in told]
    if len(both) < 2:
        raise InputError.of("judging.foresee_few", count=len(both))
    value, predicted = (np.array(side) for side in ([values[q] for q in both], [told[str(q)] for q in both]))
    if not (np.isfinite(value).all() and np.isfinite(predicted).all()):
        raise InputError.of("judging.foresee_not_finite")
    rank, predicted_rank = mean_ranks(-value), mean_ranks(-predicted)
    errors = np.abs(rank - predicted_rank) / len(both)
    mean, low, high = bounded_mean(errors, level)
    a, b = value - value.mean(), predicted - predicted.mean()
    below = float(np.sqrt((a @ a) * (b @ b)))
    left = len(values) - len(both)
    columns = (both, value.tolist(), predicted.tolist(), rank.tolist(), predicted_rank.tolist(), errors.tolist())
    return Foresight(
        measure=str(meant), smare=mean, low=low, high=high, kendall=float(tau(value, predicted)),
        spearman=spearman(value, predicted), pearson=float(a @ b) / below if below else float("nan"),
        queries=tuple(ForeseenQuery(*row) for row in zip(*columns, strict=True)), level=level,
        notes=(said("foresight_left_out", count=left),) if left else (),
    )  # fmt: skip
