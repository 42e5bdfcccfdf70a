"""One plain dictionary: aggregates and the most informative queries, all that a report shows, never the raw runs."""

from __future__ import annotations

import math
import platform
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmeter.comparing.curves import curves
from rankmeter.comparing.ranked_lists import judgments_of, ranked_lists, similarity, taken_before
from rankmeter.measures import Measure, RankedMeasure

if TYPE_CHECKING:
    from rankmeter.comparing.results import Comparison
    from rankmeter.placing.placements import Bools, Floats
    from rankmeter.report.titles import Titles

MOST_POINTS = 300
"""How many queries a chart of differences shows at most."""
MOST_VALUES = 60_000
"""Up to how many values (queries x systems x measures) those of every query are kept."""
MOST_DETAILED = 200
"""How many queries have all their values in a report that cannot keep those of every query."""
LIST_DEPTH = 10
MOST_TAKEN = 30
"""How many items of a user's history one query shows, the last ones."""
MOST_MISSED = 100
"""How many relevant items outside of the first of every list one query shows."""
SIMILAR_DEPTH = 50
SIMILAR_QUERIES = 300
SHARES = 60
"""How many steps a distribution has at most."""


def digest(cmp: Comparison, titles: Titles, *, lists: int) -> dict[str, Any]:
    """Everything that the charts and the drill-down of a report need, as plain Python.

    Parameters
    ----------
    titles
        Texts of queries and items.
    lists
        For how many queries the ranked lists are kept.
    """
    reference = reference_of(cmp)
    informative = informative_queries(cmp, reference)
    ids = [str(query) for query in cmp.queries.to_list()]
    pairs = _pairs(cmp, reference)
    detailed = _detailed(cmp, informative)
    shown = sorted({row[0] for one in pairs for several in one for row in several} | set(detailed))
    number = {place: at for at, place in enumerate(shown)}
    sides = _sides(cmp, ids, informative[:lists])
    return {
        "systems": list(cmp.systems),
        "reference": cmp.systems.index(reference),
        "measures": [{"name": cmp.label(m), "higher": m.higher_is_better} for m in cmp.measures],
        "queries": [[ids[place], titles.query(ids[place])] for place in shown],
        "count": len(ids),
        "pairs": [[[[number[q], x, y] for q, x, y in several] for several in one] for one in pairs],
        "paired": [int(_shown_queries(cmp, m).sum()) for m in cmp.measures],
        "values": {number[place]: _values_of(cmp, place) for place in detailed},
        "lists": _lists(
            sides, [ids[place] for place in informative[:lists]], {ids[p]: number[p] for p in shown}, titles, reference
        ),
        "curves": _rounded(_curves(cmp, sides)),
        "distributions": [_distribution(cmp, m) for m in cmp.measures],
        "correlation": _correlation(cmp),
        "similarity": (likeness := _similarity(sides)),
        "alike_order": order_by_likeness(likeness),
        "similar_queries": len(sides["sampled"]) if sides else 0,
        "trade_off": _trade_off(cmp),
        "boards": [_board_rows(cmp, m) for m in cmp.measures],
    }


def reference_of(cmp: Comparison) -> str:
    """What differences are shown against: the baseline, the first of two, or the best under the first measure."""
    return cmp.baseline or cmp.shown_against or cmp.ranked(cmp.measures[0])[0].system


def informative_queries(cmp: Comparison, reference: str) -> list[int]:
    """The queries in the order in which they are worth a look.

    By turns: where systems differ most and where all do worst under the first measure, then the largest gain and loss
    of each system under each measure. A query that has the same value everywhere comes last.
    """
    first = cmp.measures[0]
    values = cmp.values[first]
    known = ~np.isnan(values).any(axis=0)
    spread, mean = np.zeros(values.shape[1]), np.full(values.shape[1], np.inf)
    spread[known] = np.ptp(values[:, known], axis=0)
    mean[known] = values[:, known].mean(axis=0) * (1 if first.higher_is_better else -1)
    columns = [np.argsort(-spread, kind="stable"), np.argsort(np.where(spread > 0, mean, np.inf), kind="stable")]
    at = cmp.systems.index(reference)
    for measure in cmp.measures:
        for place in range(len(cmp.systems)):
            delta = np.nan_to_num(cmp.values[measure][place] - cmp.values[measure][at])
            if place != at and delta.any():
                columns += [
                    np.argsort(-delta, kind="stable")[:MOST_DETAILED],
                    np.argsort(delta, kind="stable")[:MOST_DETAILED],
                ]
    turns = (int(place) for turn in zip_longest(*columns) for place in turn if place is not None)
    return list(dict.fromkeys(turns))


def _detailed(cmp: Comparison, informative: list[int]) -> list[int]:
    every = len(cmp.queries) * len(cmp.systems) * len(cmp.measures) <= MOST_VALUES
    return informative if every else informative[:MOST_DETAILED]


def _values_of(cmp: Comparison, place: int) -> list[list[float | None]]:
    """(measures, systems)."""
    return [shorts(cmp.values[measure][:, place]) for measure in cmp.measures]


def _pairs(cmp: Comparison, reference: str) -> list[list[list[tuple[int, float | None, float | None]]]]:
    """For each measure and system: query, value of the reference, value of the system; the largest loss first."""
    at = cmp.systems.index(reference)
    return [
        [_thinned(cmp.values[measure], _shown_queries(cmp, measure), at, place) for place in range(len(cmp.systems))]
        for measure in cmp.measures
    ]


def _shown_queries(cmp: Comparison, measure: Measure) -> Bools:
    """The queries that have a value under every system; a measure of all lists together has none."""
    shown: Bools = cmp.paired[measure] & ~np.isnan(cmp.values[measure]).any(axis=0)
    return shown


def _thinned(values: Floats, paired: Any, reference: int, system: int) -> list[tuple[int, float | None, float | None]]:
    if reference == system:
        return []
    places = np.flatnonzero(paired)
    order = places[np.argsort((values[system] - values[reference])[places], kind="stable")]
    if len(order) > MOST_POINTS:
        order = order[np.unique(np.linspace(0, len(order) - 1, MOST_POINTS).round().astype(np.int64))]
    return [(int(q), short(float(values[reference, q])), short(float(values[system, q]))) for q in order]


def _distribution(cmp: Comparison, measure: Measure) -> list[list[list[float | None]]]:
    """For each system steps of value and share of the queries with at most that value."""
    found: list[list[list[float | None]]] = []
    for row in cmp.values[measure]:
        known = np.sort(row[~np.isnan(row)])
        if not len(known):
            found.append([])
            continue
        steps = np.unique(np.linspace(0, len(known) - 1, SHARES).round().astype(np.int64))
        last = np.searchsorted(known, known[steps], side="right") / len(known)
        pairs = dict(zip(known[steps].tolist(), last.tolist(), strict=True))
        found.append([list(pair) for pair in zip(shorts(list(pairs)), shorts(list(pairs.values())), strict=True)])
    return found


def _correlation(cmp: Comparison) -> list[list[float | None]]:
    """Spearman's correlation of every two measures over the queries of a system, averaged over systems."""
    from scipy.stats import rankdata  # loaded only for statistics

    size = len(cmp.measures)
    known = [~np.isnan(cmp.values[measure]) for measure in cmp.measures]
    ranked: dict[tuple[int, int, bytes], Any] = {}

    def ranks(measure: int, system: int, kept: Any) -> Any:
        """The ranks of the values of some queries; ranked once for all measures that have the same queries."""
        key = measure, system, kept.tobytes()
        if key not in ranked:
            values = rankdata(cmp.values[cmp.measures[measure]][system][kept])
            centred = values - values.mean()
            length = float(np.sqrt(centred @ centred))
            ranked[key] = centred / length if length else None
        return ranked[key]

    table: list[list[float | None]] = [[1.0 if known[row].any() else None] * size for row in range(size)]
    for row in range(size):
        for column in range(row):
            over: list[float] = []
            for system in range(len(cmp.systems)):
                kept = known[row][system] & known[column][system]
                if kept.sum() > 2:
                    x, y = ranks(row, system, kept), ranks(column, system, kept)
                    over += [] if x is None or y is None else [float(x @ y)]
            table[row][column] = table[column][row] = short(float(np.mean(over))) if over else None
    return table


def _sides(cmp: Comparison, ids: Sequence[str], informative: Sequence[int]) -> dict[str, Any] | None:
    """The lists of all systems for the informative queries, and for a sample for their likeness; each run read once."""
    if cmp.inputs is None:
        return None
    places = np.flatnonzero(cmp.paired[cmp.measures[0]])
    if len(places) > SIMILAR_QUERIES:
        places = places[np.linspace(0, len(places) - 1, SIMILAR_QUERIES).round().astype(np.int64)]
    sampled = [ids[place] for place in places.tolist()]
    wanted = {*sampled, *(ids[place] for place in informative)}
    ties = next((m.ties for m in cmp.measures if isinstance(m, RankedMeasure)), "item")
    # Of a system with several runs the first stands for all.
    lists = {
        name: ranked_lists(runs[0], wanted, depth=SIMILAR_DEPTH, ties=ties) for name, runs in cmp.inputs.runs.items()
    }
    if any(one is None for one in lists.values()):
        return None
    taken = taken_before(cmp.inputs.history, {ids[place] for place in informative}, MOST_TAKEN)
    grades = judgments_of(cmp.inputs.judgments, wanted)
    return {"lists": lists, "sampled": sampled, "grades": grades, "taken": taken}


def _curves(cmp: Comparison, sides: Mapping[str, Any] | None) -> dict[str, list[dict[str, Any]]]:
    """The value at each cutoff, as far as the lists go: behind the end of the longest nothing can change."""
    if cmp.inputs is None:
        return {}
    longest = SIMILAR_DEPTH
    if sides is not None:
        longest = max((len(items) for lists in sides["lists"].values() for items in lists.values()), default=1)
    # A list that fills the depth may be longer than it.
    deepest = None if longest >= SIMILAR_DEPTH else longest
    return curves(cmp.measures, cmp.inputs, z=_z(cmp.settings.level), deepest=deepest)


def _lists(
    sides: Mapping[str, Any] | None,
    queries: Sequence[str],
    number: Mapping[str, int],
    titles: Titles,
    reference: str,
) -> dict[str, Any]:
    """The first items of each system for each query, as numbers of items; the grades of those that are judged.

    ``before`` has the rank of each in the list of the reference, as far as that is kept: who stood 12th is not new.
    """
    if sides is None:
        return {"items": [], "queries": {}, "top": 0, "columns": [], "depth": SIMILAR_DEPTH}
    items: dict[str, int] = {}
    found: dict[int, Any] = {}
    highest = 0.0
    for query in queries:
        columns = [
            [items.setdefault(item, len(items)) for item in one.get(query, [])[:LIST_DEPTH]]
            for one in sides["lists"].values()
        ]
        grades = sides["grades"].get(query, {})
        highest = max([highest, *grades.values()])
        shown = {at for column in columns for at in column}
        relevant = sum(grade > 0 for grade in grades.values())
        judged = {at: grades[item] for item, at in items.items() if at in shown and item in grades}
        missed = _missed(sides, query, grades, {item for item, at in items.items() if at in shown})
        rows = [[items.setdefault(item, len(items)), grade, ranks] for item, grade, ranks in missed]
        ranks = {item: rank for rank, item in enumerate(sides["lists"][reference].get(query, []), 1)}
        before = {at: ranks[item] for item, at in items.items() if at in shown and item in ranks}
        taken = [items.setdefault(item, len(items)) for item in sides["taken"].get(query, [])]
        found[number[query]] = {
            "systems": columns, "grades": judged, "relevant": relevant, "missed": rows, "before": before,
            "taken": taken,
        }  # fmt: skip
    told = [[item, titles.item(item), *titles.about(item)] for item in items]
    return {"items": told, "queries": found, "top": highest, "columns": list(titles.columns), "depth": SIMILAR_DEPTH}


def _missed(
    sides: Mapping[str, Any], query: str, grades: Mapping[str, float], shown: set[str]
) -> list[tuple[str, float, list[int | None]]]:
    """The relevant items that no system has among its first: grade, and the rank in each list as far as it is kept."""
    lists = [one.get(query, []) for one in sides["lists"].values()]
    relevant = sorted((item for item, grade in grades.items() if grade > 0 and item not in shown),
                      key=lambda item: -grades[item])  # fmt: skip
    return [
        (item, grades[item], [items.index(item) + 1 if item in items else None for items in lists])
        for item in relevant[:MOST_MISSED]
    ]


def order_by_likeness(likeness: Sequence[Sequence[float | None]]) -> list[int]:
    """The systems so that those with similar lists stand together.

    >>> order_by_likeness([[1, 0.1, 0.9], [0.1, 1, 0.2], [0.9, 0.2, 1]])
    [1, 2, 0]
    """
    if len(likeness) < 3:
        return list(range(len(likeness)))
    from scipy.cluster.hierarchy import leaves_list, linkage  # loaded only for statistics
    from scipy.spatial.distance import squareform

    far = 1 - np.array([[0.0 if value is None else value for value in row] for row in likeness])
    np.fill_diagonal(far, 0)
    tree = linkage(squareform(far, checks=False), "average", optimal_ordering=True)
    return [int(place) for place in leaves_list(tree)]


def _similarity(sides: Mapping[str, Any] | None) -> list[list[float | None]]:
    if sides is None:
        return []
    return [[short(value) for value in row] for row in similarity(sides["lists"], sides["sampled"])]


def _trade_off(cmp: Comparison) -> dict[str, Any]:
    """The value of each system under each measure, and for each two measures the systems on the Pareto front."""
    values = [[short(cmp.score(measure, system).value) for system in cmp.systems] for measure in cmp.measures]
    signs = [1 if measure.higher_is_better else -1 for measure in cmp.measures]
    fronts = {
        f"{x},{y}": pareto([(signs[x] * a, signs[y] * b) if a is not None and b is not None else None
                            for a, b in zip(values[x], values[y], strict=True)])
        for x in range(len(values)) for y in range(len(values)) if x != y
    }  # fmt: skip
    return {"values": values, "fronts": fronts}


def pareto(points: Sequence[tuple[float, float] | None]) -> list[int]:
    """The points that no other is at least as good as under both and better under one; more is better.

    >>> pareto([(1, 3), (2, 2), (1, 2), (3, 1), None])
    [0, 1, 3]
    """
    known = [(place, point) for place, point in enumerate(points) if point is not None]
    return [place for place, (x, y) in known if not any(a >= x and b >= y and (a, b) != (x, y) for _, (a, b) in known)]


def _board_rows(cmp: Comparison, measure: Measure) -> list[dict[str, Any]]:
    return [
        {
            "s": cmp.systems.index(score.system),
            "system": score.system,
            "value": short(score.value),
            "low": short(score.interval.low) if score.interval else None,
            "high": short(score.interval.high) if score.interval else None,
            "best": bool(score.in_best),
        }
        for score in cmp.ranked(measure)
    ]


def provenance(cmp: Comparison) -> dict[str, Any]:
    """Where the numbers come from: the inputs with the hashes of files, versions, everything drawn at random."""
    versions = {"rankmeter": cmp.settings.version, "Python": platform.python_version()}
    versions |= {name: metadata.version(name) for name in ("numpy", "polars", "scipy")}
    return {"inputs": cmp.sources, "versions": versions, "seed": cmp.settings.seed}


def _z(level: float) -> float:
    from scipy.stats import norm  # loaded only for statistics

    return float(norm.ppf(0.5 + level / 2))


def short(value: float | None) -> float | None:
    """A value with as many digits as anyone sees; None for NaN."""
    return None if value is None or math.isnan(value) else round(value, 4)


def shorts(values: Any) -> list[float | None]:
    """Many values with as many digits as anyone sees."""
    return [None if value != value else value for value in np.round(np.asarray(values, float), 4).tolist()]  # noqa: PLR0124 (NaN)


def _rounded(points: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    def one(point: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        for name, value in point.items():
            yield name, short(value) if isinstance(value, float) else value

    return {name: [dict(one(point)) for point in several] for name, several in points.items()}
