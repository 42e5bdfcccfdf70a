"""Every way from values per query to one number gives the same number, for every aggregate and every policy."""

from __future__ import annotations

import itertools
import math

import numpy as np
import polars as pl
import pytest
from tests.oracle import oracle

import rankmeter as rm
from rankmeter.arithmetic import AGGREGATES, aggregated
from rankmeter.comparing.ranked_lists import curves
from rankmeter.evaluating.asking import Asked, ask
from rankmeter.evaluating.blocks import State, evaluate_block, summary
from rankmeter.evaluating.evaluation import About
from rankmeter.inputs.accepting import into_judgments, into_run
from rankmeter.inputs.reading import Readings

TRUTH = {
    "found": {"a": 1, "b": 2, "c": 1},
    "late": {"a": 0, "z": 1, "b": 2},
    "missed": {"x": 1, "y": 2},
    "nothing relevant": {"a": 0, "b": 0},
    "no list": {"a": 1},
    "neither": {"b": 0},
}
RUN = {
    "found": {"a": 3.0, "c": 2.5, "q": 2.0, "b": 1.0},
    "late": {"q": 3.0, "r": 2.0, "b": 1.0, "z": 0.5},
    "missed": {"a": 2.0, "b": 1.0},
    "nothing relevant": {"a": 2.0, "b": 1.0, "c": 0.0},
    "not judged": {"a": 1.0},
}
POLICIES = {
    "empty": ("zero", "one", "nan", "skip", "silent"),
    "miss": ("zero", "skip"),
    "blank": ("counted", "nan", "skip"),
    "queries": ("judged", "common", "run"),
}
FEW = {"permutations": 100, "resamples": 100}


def policies(**fewer: tuple[str, ...]) -> list[dict[str, str]]:
    """All combinations of the policies."""
    kept = POLICIES | fewer
    return [dict(zip(kept, values, strict=True)) for values in itertools.product(*kept.values())]


def measures(aggregate: str, **fewer: tuple[str, ...]) -> list[rm.Measure]:
    return [rm.P(aggregate=aggregate, **policy) @ 3 for policy in policies(**fewer)]


def same(number: float) -> object:
    """The same number but for rounding; NaN is NaN."""
    return pytest.approx(number, rel=1e-12, nan_ok=True)


by_aggregate = pytest.mark.parametrize("aggregate", sorted(AGGREGATES))


@by_aggregate
def test_evaluation_equals_the_oracle(aggregate):
    asked = measures(aggregate)
    ev = rm.evaluate(TRUTH, RUN, asked)
    for measure in asked:
        assert ev[measure] == same(oracle(measure, TRUTH, RUN)[0]), measure
        values = ev.values[measure]
        assert aggregated(values, aggregate, np.ones(len(values.value), np.int64)) == same(ev[measure]), measure


@by_aggregate
@pytest.mark.parametrize("cuts", [(1, 3), (2, 4, 5)])
def test_blocks_give_every_bit_of_the_evaluation(aggregate, cuts):
    """What a file larger than memory and the partitions of a cluster do: states travel as text and are merged."""
    asked = measures(aggregate)
    expected = rm.evaluate(TRUTH, RUN, asked)
    names = [*TRUTH, *(query for query in RUN if query not in TRUTH)]
    truth, run = into_judgments(TRUTH).judgment_table(), into_run(RUN).run_table()
    states = []
    for first, last in itertools.pairwise((0, *cuts, len(names))):
        some = names[first:last]
        block = evaluate_block(_only(truth, some), _only(run, some), asked, wide=False)
        states.append(State.from_json(block.state.to_json()))
    for order in (states, states[::-1]):
        whole = summary(State.merged(order), Asked({}, asked), About(), ("judgments", "run"), Readings(), {})
        means = whole["means"]
        for measure in asked:
            assert means[measure] == pytest.approx(expected[measure], rel=0, abs=0, nan_ok=True), measure


def _only(table, names):
    """The rows of some queries."""
    from dataclasses import fields, replace

    kept = table.query.is_in(names)
    columns = {f.name: getattr(table, f.name) for f in fields(table)}
    series = {n: c.filter(kept) for n, c in columns.items() if isinstance(c, pl.Series) and len(c) == len(kept)}
    return replace(table, **series)


@pytest.mark.parametrize("aggregate", sorted(name for name, rule in AGGREGATES.items() if rule.of_sums))
@pytest.mark.wings("catalogue")
def test_a_training_loop_gives_every_bit_of_the_evaluation(aggregate):
    torch = pytest.importorskip("torch")
    from rankmeter.torch import RankingMetric

    asked = measures(aggregate, queries=("judged",))
    draw = np.random.default_rng(1)
    scores, labels = draw.normal(size=(9, 5)), draw.integers(0, 3, (9, 5))
    labels[[2, 5]] = 0
    mask = np.ones((9, 5), bool)
    mask[[3, 5]] = False
    tensors = [torch.tensor(part) for part in (scores, labels, mask)]
    expected = rm.evaluate(rm.tensors(*tensors[:2], mask=tensors[2]), None, asked)
    metric, other = RankingMetric(asked), RankingMetric(asked)
    for to, first, last in ((metric, 0, 2), (other, 2, 6), (metric, 6, 9)):
        to.update(tensors[0][first:last], tensors[1][first:last], mask=tensors[2][first:last])
    metric.merge(other)
    for measure in asked:
        assert metric[measure] == pytest.approx(expected[measure], rel=0, abs=0, nan_ok=True), measure


@by_aggregate
def test_a_comparison_its_tests_and_its_intervals_are_about_the_number_of_the_evaluation(aggregate):
    asked = measures(aggregate)
    worse = {query: dict.fromkeys(reversed(items), 1.0) for query, items in RUN.items()}
    ev, other = rm.evaluate(TRUTH, RUN, asked), rm.evaluate(TRUTH, worse, asked)
    cmp = rm.compare(TRUTH, {"run": RUN, "again": rm.seeds(RUN, RUN), "worse": worse}, asked, **FEW)
    for measure in asked:
        alike = bool((ev.values[measure].counted == other.values[measure].counted).all())
        score, difference = cmp.score(measure, "run"), cmp.difference(measure, "run", "worse")
        if alike:  # else the comparison is about the queries that count for both
            assert score.value == same(ev[measure]), measure
            assert difference.difference == same(ev[measure] - other[measure]), measure
        assert cmp.score(measure, "again").value == same(score.value), measure
        sample = cmp.samples.get(measure)
        assert (sample is None) == bool(difference.reason and difference.p is None), measure
        if sample is not None:
            assert sample.values()[0] == same(score.value), measure
            assert sample.linear()[0].mean() == same(math.log(score.value) if sample.rule.logs else score.value)
        if score.interval is not None:
            assert score.interval.low - 1e-12 <= score.value <= score.interval.high + 1e-12, measure


def test_a_curve_over_cutoffs_passes_through_the_numbers_of_the_evaluation():
    asked = measures("mean")
    cmp = rm.compare(TRUTH, {"run": RUN, "again": rm.seeds(RUN, RUN)}, asked, **FEW)
    inputs = cmp.inputs
    assert inputs is not None
    for measure in asked:  # one by one, as a report draws the curves of a few
        ((_, curve),) = curves((measure,), inputs, z=2.0).items()
        at = curve["k"].index(3)
        assert curve["value"][:, at].tolist() == same([cmp.score(measure, name).value for name in cmp.systems]), measure


@by_aggregate
def test_values_that_go_to_a_file_add_up_to_the_number_of_the_evaluation(aggregate, tmp_path):
    asked = measures(aggregate)
    rows = [(query, item, score) for query, items in RUN.items() for item, score in items.items()]
    pl.DataFrame(rows, schema=["query", "item", "score"], orient="row").write_parquet(tmp_path / "run.parquet")
    expected = rm.evaluate(TRUTH, RUN, asked)
    found = rm.evaluate(TRUTH, tmp_path / "run.parquet", asked, per_query_to=tmp_path / "values.parquet")
    assert type(found) is not rm.Evaluation, "the values stayed in memory"
    for measure in asked:
        assert found[measure] == pytest.approx(expected[measure], rel=0, abs=0, nan_ok=True), measure
        assert aggregated(found.values[measure], aggregate) == same(expected[measure]), measure


@by_aggregate
def test_an_interval_is_about_the_number_or_says_why_there_is_none(aggregate):
    asked = measures(aggregate)
    ev = rm.evaluate(TRUTH, RUN, asked)
    for measure in asked:
        why = ev.without_interval(measure)
        enough = ev.counted(measure) >= (2 if AGGREGATES[aggregate].of_sums else 6)
        has_one = AGGREGATES[aggregate].of_sums or aggregate == "median"  # of p90 and variance nobody offers one
        assert (why is None) == (has_one and enough and not math.isnan(ev[measure])), measure
        if why is None:
            interval = ev.interval(measure, resamples=100)
            assert interval.low - 1e-12 <= ev[measure] <= interval.high + 1e-12, measure
        else:
            with pytest.raises(rm.RankmeterError, match="no interval"):
                ev.interval(measure)


@by_aggregate
@pytest.mark.parametrize("parts", [1, 2, 3])
def test_the_number_of_a_slice_is_that_of_its_queries(aggregate, parts):
    asked = measures(aggregate)
    names = [*TRUTH, *(query for query in RUN if query not in TRUTH)]
    cut = {query: f"s{place % parts}" for place, query in enumerate(names)}
    ev = rm.evaluate(TRUTH, RUN, asked, by=cut)
    slices = ev.slices["segment"]
    for label in slices.labels:
        truth = {query: grades for query, grades in TRUTH.items() if cut[query] == label}
        run = {query: items for query, items in RUN.items() if cut[query] == label}
        for measure in asked:
            assert slices[measure][label] == same(oracle(measure, truth, run)[0]), (measure, label)
    for measure in asked:
        assert (measure in slices.samples) == AGGREGATES[aggregate].of_sums
        if measure in slices.samples:
            sample = slices.samples[measure]
            found = sample.rule.value(sample.top.sum(axis=1), sample.bottom.sum(axis=1))[: len(slices.labels)]
            found = np.where(sample.members()[: len(slices.labels)] > 0, found, sample.rule.nothing)
            assert found.tolist() == same(list(slices.values[measure])), measure
    assert ask(asked).measures == asked
