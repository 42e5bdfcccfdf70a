"""What a report shows as one plain dictionary: aggregates and the most informative queries, never the raw runs."""

from __future__ import annotations

import math
import platform
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib import metadata
from itertools import chain, combinations, zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmeter.comparing.pictures import pictures, row_sums
from rankmeter.comparing.ranked_lists import curves, family_of, judgments_of, mean_similarity, ranked_lists
from rankmeter.measures import Measure, RankedMeasure
from rankmeter.stats.distributions import distribution_steps
from rankmeter.stats.power import two_sided_quantile
from rankmeter.stats.rank_agreement import mean_spearman, unit_ranks

if TYPE_CHECKING:
    from rankmeter.comparing.results import Comparison
    from rankmeter.definitions.worked import Worked
    from rankmeter.inputs.titles import Titles
    from rankmeter.placing.placements import Bools, Floats

MOST_POINTS = 300
"""How many queries a chart of differences shows at most."""
MOST_VALUES = 60_000
"""With more values (queries x systems x measures), a report does not keep those of every query."""
MOST_DETAILED = 200
"""How many queries keep all their values then."""
LIST_DEPTH = 10
MOST_TAKEN = 30
"""How many items of a user's history are shown, the latest ones."""
MOST_MISSED = 100
"""How many relevant items that are at the top of no list are shown for a query."""
SIMILAR_DEPTH = 50
SIMILAR_QUERIES = 300


def digest(cmp: Comparison, titles: Titles, *, lists: int) -> dict[str, Any]:
    """Everything that the charts and the drill-down of a report need; ``lists`` queries have their ranked lists."""
    reference = reference_of(cmp)
    informative = informative_queries(cmp, reference)
    ids = [str(query) for query in cmp.queries.to_list()]
    keeps_all = len(ids) * len(cmp.systems) * len(cmp.measures) <= MOST_VALUES
    detailed = informative if keeps_all else informative[:MOST_DETAILED]
    # With the values of every query, the page computes the differences itself.
    pairs = [] if len(detailed) == len(ids) <= MOST_POINTS else paired_values(cmp, reference)
    shown = sorted({row[0] for part in pairs for several in part for row in several} | set(detailed))
    number = {place: at for at, place in enumerate(shown)}
    listed = [ids[place] for place in informative[:lists]]
    sides = _sides(cmp, ids, informative[:lists])
    sums = row_sums(cmp.measures, cmp.inputs, listed) if cmp.inputs and sides and not cmp.is_unjudged else {}
    values = nested(np.stack([cmp.values[measure][:, detailed] for measure in cmp.measures]).transpose(2, 0, 1))
    return {
        "systems": list(cmp.systems),
        "reference": cmp.systems.index(reference),
        "measures": [{"name": cmp.label(m), "higher": m.higher_is_better} for m in cmp.measures],
        "queries": [[ids[place], titles.query(ids[place])] for place in shown],
        "count": len(ids),
        "pairs": [[[[number[q], x, y] for q, x, y in several] for several in part] for part in pairs] or None,
        "paired": [int(_shown_queries(cmp, m).sum()) for m in cmp.measures],
        "values": dict(zip((number[place] for place in detailed), values, strict=True)),
        "lists": _lists(sides, listed, {ids[p]: number[p] for p in shown}, titles, reference, sums),
        "pictures": _pictures(cmp),
        "curves": (drawn := curves_as_far_as_lists(cmp, sides)),
        "curve_of": [name if (name := family_of(measure)) in drawn else None for measure in cmp.measures],
        "distributions": [distribution_steps(cmp.values[m]) for m in cmp.measures],
        "correlation": correlation(cmp),
        "similarity": (likeness := nested(mean_similarity(sides["lists"], sides["sampled"])) if sides else []),
        "alike_order": order_by_likeness(likeness),
        "similar_queries": len(sides["sampled"]) if sides else 0,
        "trade_off": pareto_fronts(cmp),
    }


def reference_of(cmp: Comparison) -> str:
    """What differences are shown against: the baseline, the first of two, or the best under the first measure."""
    return cmp.baseline or cmp.shown_against or cmp.ranked(cmp.measures[0])[0].system


def informative_queries(cmp: Comparison, reference: str) -> list[int]:
    """The queries, the most informative first.

    In turns: where systems differ most and where all do worst under the first measure, then the largest gain and loss
    of each system under each measure. Queries with the same value everywhere come last.
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
        gains = np.nan_to_num(cmp.values[measure] - cmp.values[measure][at])
        for order in (np.argsort(-gains, axis=1, kind="stable"), np.argsort(gains, axis=1, kind="stable")):
            columns += list(order[gains.any(axis=1), :MOST_DETAILED])
    turns = chain.from_iterable(zip_longest(*(column.tolist() for column in columns)))
    return [place for place in dict.fromkeys(turns) if place is not None]


def paired_values(cmp: Comparison, reference: str) -> list[list[list[tuple[int, float | None, float | None]]]]:
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


def correlation(cmp: Comparison) -> list[list[float | None]]:
    """Spearman's correlation of every two measures over the queries of a system, averaged over systems."""
    size = len(cmp.measures)
    every = [cmp.values[measure] for measure in cmp.measures]
    table: list[list[float | None]] = [[None if np.isnan(values).all() else 1.0] * size for values in every]

    @cache
    def ranks(measure: int, mask: bytes) -> Floats:
        return unit_ranks(every[measure], np.frombuffer(mask, np.bool_).reshape(every[measure].shape))

    for row, column in combinations(range(size), 2):
        kept = ~np.isnan(every[row] + every[column])
        rho = mean_spearman(ranks(row, kept.tobytes()), ranks(column, kept.tobytes()), kept)
        table[row][column] = table[column][row] = short(rho)
    return table


def _sides(cmp: Comparison, ids: Sequence[str], informative: Sequence[int]) -> dict[str, Any] | None:
    """The lists of all systems for the informative queries, and for a sample to compare them by; runs are read once."""
    if cmp.inputs is None:
        return None
    places = np.flatnonzero(cmp.paired[cmp.measures[0]])
    if len(places) > SIMILAR_QUERIES:
        places = places[np.linspace(0, len(places) - 1, SIMILAR_QUERIES).round().astype(np.int64)]
    sampled = [ids[place] for place in places.tolist()]
    wanted = {*sampled, *(ids[place] for place in informative)}
    ties = next((m.ties for m in cmp.measures if isinstance(m, RankedMeasure)), "item")
    # The first run of a system with several stands for all.
    lists: dict[str, dict[str, list[str]]] = {}
    longest = 0
    for name, runs in cmp.inputs.runs.items():
        # One item more than is kept says that a list goes on.
        deeper = ranked_lists(runs[0], wanted, depth=SIMILAR_DEPTH + 1, ties=ties)
        if deeper is None:
            return None
        longest = max([longest, *map(len, deeper.values())])
        lists[name] = {query: items[:SIMILAR_DEPTH] for query, items in deeper.items()}
    history, users = cmp.inputs.history, {ids[place] for place in informative}
    taken = {} if history is None else history.latest(users, MOST_TAKEN)
    grades = judgments_of(cmp.inputs.judgments, wanted)
    return {"lists": lists, "sampled": sampled, "grades": grades, "taken": taken, "longest": longest}


def curves_as_far_as_lists(cmp: Comparison, sides: Mapping[str, Any] | None) -> dict[str, dict[str, Any]]:
    """The value at each cutoff as far as the longest list goes; beyond its end nothing can change."""
    if cmp.inputs is None:
        return {}
    longest = SIMILAR_DEPTH + 1 if sides is None else max(sides["longest"], 1)
    deepest = None if longest > SIMILAR_DEPTH else longest
    points = curves(cmp.measures, cmp.inputs, z=two_sided_quantile(cmp.settings.level), deepest=deepest)
    # As the first of its measures was typed, without the cutoff.
    typed = {family_of(measure): re.sub(r"@\d+$", "", cmp.label(measure)) for measure in reversed(cmp.measures)}
    return {
        name: {"name": typed[name], **{kind: nested(values) for kind, values in bands.items()}}
        for name, bands in points.items()
    }


def _lists(
    sides: Mapping[str, Any] | None,
    queries: Sequence[str],
    number: Mapping[str, int],
    titles: Titles,
    reference: str,
    sums: Mapping[str, Sequence[Sequence[Worked | None]]],
) -> dict[str, Any]:
    """The first items of each system for each query, as numbers of items; the grades of those that are judged.

    ``before`` has the rank of each in the kept part of the reference's list: an item that stood 12th is not new.
    """
    if sides is None:
        return {"items": [], "queries": {}, "top": 0, "columns": [], "depth": SIMILAR_DEPTH}
    items: dict[str, int] = {}
    kept: dict[int, Any] = {}
    highest = 0.0
    for query in queries:
        lists = [side.get(query, []) for side in sides["lists"].values()]
        grades = sides["grades"].get(query, {})
        highest = max([highest, *grades.values()])
        shown = dict.fromkeys(item for side in lists for item in side[:LIST_DEPTH])
        number_of = {item: items.setdefault(item, len(items)) for item in shown}
        missed = _missed(lists, grades, shown)
        ranks = {item: rank for rank, item in enumerate(sides["lists"][reference].get(query, []), 1)}
        kept[number[query]] = {
            "systems": [[number_of[item] for item in side[:LIST_DEPTH]] for side in lists],
            "grades": {at: grades[item] for item, at in number_of.items() if item in grades},
            "relevant": sum(grade > 0 for grade in grades.values()),
            "missed": [[items.setdefault(item, len(items)), *rest] for item, *rest in missed],
            "before": {at: ranks[item] for item, at in number_of.items() if item in ranks},
            "sums": [[_sum(worked, items) for worked in several] for several in sums.get(query, ())],
            "taken": [items.setdefault(item, len(items)) for item in sides["taken"].get(query, [])],
        }
    described = [[item, titles.item(item), *titles.about(item)] for item in items]
    depth = min(SIMILAR_DEPTH, sides["longest"])
    return {"items": described, "queries": kept, "top": highest, "columns": list(titles.items.columns), "depth": depth}


def _sum(worked: Worked | None, items: dict[str, int]) -> dict[str, Any] | None:
    """A value row by row, for as many places as a list shows; the rest of the rows as one number."""
    if worked is None:
        return None
    rows = [
        [row.rank, items.setdefault(row.item, len(items)), row.grade, _plain(row.gain), _plain(row.discount),
         _plain(row.precision), _plain(row.contribution)]
        for row in worked.rows[:LIST_DEPTH]
    ]  # fmt: skip
    rest = math.fsum(row.contribution for row in worked.rows[LIST_DEPTH:]) + worked.hidden_adds
    ends = {"above": worked.numerator, "below": worked.denominator, "value": worked.value, "rest": rest}
    return {"rows": rows, **{name: _plain(end) for name, end in ends.items()}, "policy": worked.policy}


def _plain(value: float | None) -> float | None:
    """A number with the six digits that a sum by hand needs; None for NaN."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.6g}")


def _pictures(cmp: Comparison) -> dict[str, Any]:
    """Precision over recall, first hits and scores by grade; nothing where there are no judgments or lists."""
    if cmp.inputs is None or cmp.is_unjudged:
        return {}
    told = pictures(cmp.measures, cmp.inputs)
    return {name: nested(part) if name in ("recall", "firsts") else part for name, part in told.items()}


def _missed(
    lists: Sequence[Sequence[str]], grades: Mapping[str, float], shown: Collection[str]
) -> list[tuple[str, float, list[int | None]]]:
    """The relevant items that are at the top of no list: grade, and rank in the kept part of each list."""
    relevant = sorted((item for item, grade in grades.items() if grade > 0 and item not in shown),
                      key=lambda item: -grades[item])[:MOST_MISSED]  # fmt: skip
    wanted = frozenset(relevant)
    ranks = [{item: rank for rank, item in enumerate(items, 1) if item in wanted} for items in lists]
    return [(item, grades[item], [places.get(item) for places in ranks]) for item in relevant]


def order_by_likeness(likeness: Sequence[Sequence[float | None]]) -> list[int]:
    """The systems in an order in which those with similar lists stand together."""
    if len(likeness) < 3:
        return list(range(len(likeness)))
    from scipy.cluster.hierarchy import leaves_list, linkage  # loaded only for statistics
    from scipy.spatial.distance import squareform

    far = 1 - np.array([[0.0 if value is None else value for value in row] for row in likeness])
    np.fill_diagonal(far, 0)
    tree = linkage(squareform(far, checks=False), "average", optimal_ordering=True)
    return [int(place) for place in leaves_list(tree)]


def pareto_fronts(cmp: Comparison) -> dict[str, Any]:
    """The value of each system under each measure, and for every two measures the systems on the Pareto front."""
    values = [[short(cmp.score(measure, system).value) for system in cmp.systems] for measure in cmp.measures]
    signs = [1 if measure.higher_is_better else -1 for measure in cmp.measures]
    fronts = {
        f"{x},{y}": pareto([(signs[x] * a, signs[y] * b) if a is not None and b is not None else None
                            for a, b in zip(values[x], values[y], strict=True)])
        for x in range(len(values)) for y in range(len(values)) if x != y
    }  # fmt: skip
    return {"values": values, "fronts": fronts}


def pareto(points: Sequence[tuple[float, float] | None]) -> list[int]:
    """The points that no other dominates; more is better."""
    known = [(place, point) for place, point in enumerate(points) if point is not None]
    return [place for place, (x, y) in known if not any(a >= x and b >= y and (a, b) != (x, y) for _, (a, b) in known)]


def board_rows(cmp: Comparison, measure: Measure) -> list[dict[str, Any]]:
    """The systems under one measure with their intervals, best first."""
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


def short(value: float | None) -> float | None:
    """A value with the digits that are shown; None for NaN."""
    return None if value is None or math.isnan(value) else round(value, 4)


def nested(values: Any) -> Any:
    """An array as lists, with the digits that are shown; None for NaN."""
    rounded: Any = np.round(np.asarray(values), 4)
    unknown = np.isnan(rounded)
    if unknown.any():
        rounded = rounded.astype(object)
        rounded[unknown] = None
    return rounded.tolist()
