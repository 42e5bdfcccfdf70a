"""What a report keeps of a comparison: how much at most, in which order, and by which definition."""

from __future__ import annotations

import math
from itertools import zip_longest

import numpy as np
import pytest
from scipy import stats

import rankmeter as rm
from rankmeter.comparing import digest as shown
from rankmeter.comparing.ranked_lists import mean_similarity, overlaps
from rankmeter.inputs.titles import Titles
from rankmeter.stats.rank_agreement import spearman

FEW = {"permutations": 200, "resamples": 100}


def compared(queries: int, depth: int = 6, measures=("nDCG@3", "RR", "AP"), systems: int = 3, seed: int = 0):
    random = np.random.default_rng(seed)
    items = [f"d{number}" for number in range(depth)]
    truth = {f"q{n}": {item: int(random.integers(0, 3)) for item in items[:6]} | {"d0": 1} for n in range(queries)}
    names = "abcd"[:systems]
    runs = {name: {query: random.permutation(items).tolist() for query in truth} for name in names}
    return rm.compare(truth, runs, list(measures), **FEW)


@pytest.mark.parametrize("count", [1, 2, shown.MOST_POINTS - 1, shown.MOST_POINTS, shown.MOST_POINTS + 1, 777])
@pytest.mark.parametrize("left_out", [0, 5])
def test_points_are_thinned_evenly_and_keep_the_largest_loss_and_gain(count, left_out):
    random = np.random.default_rng(count)
    values = random.random((2, count + left_out))
    paired = np.r_[np.ones(count, bool), np.zeros(left_out, bool)]
    points = shown._thinned(values, paired, 0, 1)
    assert len(points) == min(count, 300)
    order = np.argsort((values[1] - values[0])[:count], kind="stable").tolist()
    kept = [query for query, _, _ in points]
    assert (kept[0], kept[-1]) == (order[0], order[-1])
    places = [order.index(query) for query in kept]
    assert places == sorted(places)
    steps = np.diff(places)
    assert not len(steps) or steps.max() - steps.min() <= 1
    assert all((x, y) == (round(values[0, q], 4), round(values[1, q], 4)) for q, x, y in points)
    assert shown._thinned(values, paired, 1, 1) == []


@pytest.mark.parametrize("count", [1, 59, 60, 61, 250])
@pytest.mark.parametrize("unknown", [0, 1, 3])
def test_a_distribution_is_the_share_of_queries_at_or_below_each_step(count, unknown):
    cmp = compared(2)
    measure, random = cmp.measures[0], np.random.default_rng(count)
    rows = np.round(random.random((3, count + unknown)), 2)
    rows[:, count:] = np.nan
    cmp.values[measure] = rows
    for row, steps in zip(rows[:, :count], shown.distribution_steps(cmp.values[measure]), strict=True):
        assert len(steps) <= 60
        assert count > 60 or [value for value, _ in steps] == sorted(set(row.tolist()))
        assert (steps[0][0], steps[-1]) == (row.min(), [row.max(), 1.0])
        for value, share in steps:
            assert share == pytest.approx((row <= value).mean(), abs=1e-4)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("unknown", [(), (1,), (0, 4)])
def test_the_informative_queries_come_in_turns_of_their_reasons(unknown, lower, seed):
    """Where systems differ most, where all do worst, then each system's gains and losses under each measure."""
    measures = ["MeanRank", "RR"] if lower else ["RR", "nDCG@3"]
    cmp = compared(12, measures=measures, seed=seed)
    first = cmp.measures[0]
    assert first.higher_is_better is not lower
    for query in unknown:
        cmp.values[first][1, query] = np.nan  # one bad among good ones
    cmp.values[first][:, 7] = cmp.values[first][0, 7]  # all alike
    values, sign = cmp.values[first], -1 if lower else 1
    good = [q for q in range(12) if not np.isnan(values[:, q]).any()]
    spread = {q: np.ptp(values[:, q]) if q in good else 0.0 for q in range(12)}
    worst = {q: sign * values[:, q].mean() if spread[q] > 0 else math.inf for q in range(12)}
    columns = [sorted(range(12), key=lambda q: -spread[q]), sorted(range(12), key=lambda q: worst[q])]
    for measure in cmp.measures:
        gaps = np.nan_to_num(cmp.values[measure] - cmp.values[measure][1])
        for direction in (-1, 1):
            columns += [sorted(range(12), key=lambda q: direction * row[q]) for row in gaps if row.any()]
    turns = [query for turn in zip_longest(*columns) for query in turn]
    assert shown.informative_queries(cmp, "b") == list(dict.fromkeys(turns))


@pytest.mark.parametrize("unknown", [0, 2, 9])
@pytest.mark.parametrize("seed", range(3))
def test_the_correlation_of_measures_is_spearmans_over_the_queries_that_have_both(seed, unknown):
    cmp = compared(10, seed=seed)
    one, other, _ = cmp.measures
    cmp.values[one][0, :unknown] = np.nan
    cmp.values[other][0, 10 - unknown // 2 :] = np.nan
    rhos = []
    for a, b in zip(cmp.values[one], cmp.values[other], strict=True):
        kept = ~np.isnan(a + b)
        if kept.sum() > 2 and np.ptp(a[kept]) and np.ptp(b[kept]):
            rhos.append(stats.spearmanr(a[kept], b[kept]).statistic)
            assert spearman(a[kept], b[kept]) == pytest.approx(rhos[-1])
    table = shown.correlation(cmp)
    assert table[0][1] == table[1][0] == pytest.approx(np.mean(rhos), abs=1e-4)
    assert [table[n][n] for n in range(3)] == [1.0] * 3
    cmp.values[one][:] = np.nan
    assert shown.correlation(cmp)[0] == [None] * 3
    assert math.isnan(spearman([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]))


@pytest.mark.parametrize("depth", [6, 9, 10, 11, 49, 50, 51, 60])
def test_lists_curves_and_ranks_go_as_deep_as_is_stated(depth):
    cmp = compared(3, depth, systems=2)
    data = shown.digest(cmp, Titles(), lists=2)
    kept = data["lists"]
    assert kept["depth"] == min(depth, 50)
    assert len(kept["queries"]) == 2
    for number, one in kept["queries"].items():
        query = data["queries"][number][0]
        ids = {place: row[0] for place, row in enumerate(kept["items"])}
        for items, run in zip(one["systems"], cmp.inputs.runs.values(), strict=True):
            whole = run[0].run_table()
            own = [item for q, item in zip(whole.query, whole.item, strict=True) if str(q) == query]
            assert [ids[place] for place in items] == own[:10]
        reference = list(cmp.inputs.runs.values())[data["reference"]][0].run_table()
        own = [str(item) for q, item in zip(reference.query, reference.item, strict=True) if str(q) == query]
        top = {place for items in one["systems"] for place in items}
        ranks = {place: own.index(ids[place]) + 1 for place in top if own.index(ids[place]) < 50}
        assert one["before"] == ranks
        grades = cmp.inputs.judgments.mapping.data[query]
        assert one["relevant"] == sum(grade > 0 for grade in grades.values())
        missed = {item for item, grade in grades.items() if grade > 0} - {ids[place] for place in top}
        assert {ids[row[0]] for row in one["missed"]} == missed
    cutoffs = [k for k in (1, 2, 3, 5, 10, 20, 50, 100) if depth > 50 or k <= depth]
    assert data["curves"]["nDCG"]["k"] == cutoffs


@pytest.mark.parametrize("count", [299, 300, 301, 420])
def test_lists_are_compared_over_an_even_sample_that_has_the_first_and_the_last_query(count):
    cmp = compared(count, 6, measures=["RR"], systems=2)
    ids = [str(query) for query in cmp.queries.to_list()]
    sampled = shown._sides(cmp, ids, [])["sampled"]
    assert len(sampled) == min(count, 300)
    assert (sampled[0], sampled[-1]) == (ids[0], ids[-1])
    places = [ids.index(query) for query in sampled]
    assert set(np.diff(places)) <= {1, 2}


@pytest.mark.parametrize("relevant", [99, 100, 101])
def test_the_missed_items_are_the_best_graded_and_no_more_than_fit(relevant):
    grades = {f"d{number}": 1.0 + number % 3 for number in range(relevant)} | {"x": 0.0, "top": 3.0}
    missed = shown._missed([["top", "d5", "x"], ["d7", "d5"]], grades, {"top"})
    assert len(missed) == min(relevant, 100)
    best = sorted((grade for item, grade in grades.items() if item[0] == "d"), reverse=True)
    assert [grade for _, grade, _ in missed] == best[:100]
    places = {item: ranks for item, _, ranks in missed}
    assert places.get("d5", [2, 2]) == [2, 2]
    assert places.get("d7", [None, 1]) == [None, 1]


@pytest.mark.parametrize("value", [None, math.nan, 0.0, 0.12346, -2.0])
def test_what_is_not_known_is_none(value):
    expected = None if value is None or math.isnan(value) else round(value, 4)
    assert shown.short(value) == expected
    if value is not None:
        assert shown.nested([[value, 1.0], [2.0, value]]) == [[expected, 1.0], [2.0, expected]]


@pytest.mark.parametrize("cut", [0, 1, 2, 3])
def test_likeness_is_the_mean_overlap_and_1_where_there_is_no_query(cut):
    lists = {"one": {"q": ["a", "b", "c"], "r": ["x"]}, "two": {"q": ["b", "a", "c"][:cut], "r": ["x"]}, "no": {}}
    table = mean_similarity(lists, ["q", "r"])
    each = [overlaps([side.get(query, []) for side in lists.values()]) for query in ("q", "r")]
    assert table == pytest.approx((each[0] + each[1]) / 2 * (1 - np.eye(3)) + np.eye(3))
    assert mean_similarity(lists, []) == pytest.approx(np.ones((3, 3)))


def test_the_front_of_two_measures_takes_each_in_its_own_direction():
    cmp = compared(8, measures=["MeanRank", "RR", "AP"], systems=4)
    values = [[cmp.score(measure, name).value for name in cmp.systems] for measure in cmp.measures]
    fronts = shown.pareto_fronts(cmp)
    assert fronts["values"] == [[round(value, 4) for value in row] for row in values]
    signs = [-1, 1, 1]
    for pair, front in fronts["fronts"].items():
        x, y = map(int, pair.split(","))
        points = [(signs[x] * round(a, 4), signs[y] * round(b, 4)) for a, b in zip(values[x], values[y], strict=True)]
        for place, (a, b) in enumerate(points):
            beaten = any(c >= a and d >= b and (c, d) != (a, b) for c, d in points)
            assert (place in front) == (not beaten)
