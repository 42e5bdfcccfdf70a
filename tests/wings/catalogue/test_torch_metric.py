"""The accumulating metric gives the values of one evaluation of everything, to the last digit."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmeter as rm
from rankmeter.wings.catalogue.training import carried, limbs_of, sum_of_state

torch = pytest.importorskip("torch")

from rankmeter.torch import RankingMetric, as_torchmetrics  # noqa: E402  (torch may be absent)

# A fifth of the rows of `batch` have no relevant item; a test of its own asks that it is said.
pytestmark = pytest.mark.filterwarnings("ignore:.* no relevant item and count")

MEASURES = [
    "nDCG@1,5,10", "AP", "RR(ties=mean)", "P(aggregate=pooled)@3", "R(empty=skip)@5", "AP(aggregate=geometric)",
    "NumRel", "Success(empty=one)@2", "RR(miss=skip)@1", "DCG(gain=exp2)", "R(rel=2)@4", "RR(scores=float32)",
]  # fmt: skip


def batch(seed, queries=30, items=12):
    draw = np.random.default_rng(seed)
    scores = draw.normal(size=(queries, items)).round(1) - 3
    grades = draw.integers(-1, 3, (queries, items))
    grades[draw.random(queries) < 0.2] = 0
    return torch.tensor(scores), torch.tensor(grades)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=30), st.integers(0, 30))
def test_an_exact_sum_is_that_of_fsum_however_it_is_cut(values, cut):
    try:
        expected = math.fsum(values)
    except OverflowError:
        return
    first, second = np.array(values[:cut], float), np.array(values[cut:], float)
    assert sum_of_state(carried(limbs_of(second) + limbs_of(first))) == expected


def test_sums_of_very_many_numbers_are_carried():
    values = np.full(20, 0.1) * np.where(np.arange(20) % 7, 1, -1)
    often = 1 << 20
    state = limbs_of(values) * often  # as after a million additions of the same batch
    assert np.abs(carried(state)).max() <= 1 << 48 < np.abs(state).max()
    assert sum_of_state(carried(state)) == sum_of_state(state) == math.fsum(values) * often
    assert sum_of_state(carried(carried(state) - limbs_of(values[5:]) * often)) == math.fsum(values[:5]) * often


def test_sums_of_what_is_not_finite():
    assert math.isnan(sum_of_state(limbs_of(np.array([1.0, np.nan]))))
    assert math.isnan(sum_of_state(limbs_of(np.array([np.inf, -np.inf]))))
    assert sum_of_state(limbs_of(np.array([-np.inf, 3.0]))) == -np.inf
    assert sum_of_state(limbs_of(np.array([np.inf]))) == np.inf


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 99), st.lists(st.integers(1, 60), max_size=4))
def test_batches_of_any_size_give_the_values_of_one_evaluation(seed, cuts):
    scores, grades = batch(seed, queries=60)
    expected = rm.evaluate(rm.tensors(scores, grades), measures=MEASURES).mean
    metric = RankingMetric(MEASURES)
    edges = [0, *sorted(set(cuts)), 60] if 60 not in cuts else [0, *sorted(set(cuts))]
    for first, last in reversed(list(pairwise(edges))):
        metric.update(scores[first:last], grades[first:last])
    assert metric.compute() == expected


def test_merging_is_adding_in_any_order():
    parts = []
    for seed in range(3):
        parts.append(RankingMetric(MEASURES))
        parts[-1].update(*batch(seed))
    left, right = RankingMetric(MEASURES), RankingMetric(MEASURES)
    left.merge(*parts)
    right.merge(parts[2])
    right.merge(parts[0], parts[1])
    scores, grades = (torch.cat(both) for both in zip(*(batch(seed) for seed in range(3)), strict=True))
    expected = rm.evaluate(rm.tensors(scores, grades), measures=MEASURES)
    assert left.compute() == right.compute() == expected.mean
    assert left.counted("R(empty=skip)@5") == expected.counted("R(empty=skip)@5")
    assert left["AP"] == expected["AP"]


def test_masked_flat_and_ranked_batches_are_taken():
    scores, grades = batch(5)
    inside = torch.rand(scores.shape, generator=torch.Generator().manual_seed(1)) < 0.7
    # Ties in the order given: an item's id is its column in one case, its place among the query's items in the other.
    masked, flat, ids = RankingMetric("AP(ties=input)"), RankingMetric("AP(ties=input)"), RankingMetric("AP")
    masked.update(scores, grades, mask=inside)
    query = torch.arange(30)[:, None].expand_as(scores)
    flat.update(scores[inside], grades[inside], indexes=query[inside])
    expected = rm.evaluate(rm.tensors(scores, grades, mask=inside), measures="AP(ties=input)").mean
    assert masked.compute() == flat.compute() == expected
    ids.update_ids(torch.tensor([[4, 2], [9, 1]]), [torch.tensor([2]), torch.tensor([9])])
    assert ids["AP"] == 0.75


def test_the_state_does_not_grow():
    metric = RankingMetric(["RR", "AP"])
    sizes = set()
    for seed in range(3):
        metric.update(*batch(seed))
        sizes.add(len(pickle.dumps(metric)))
    assert max(sizes) < 4000
    assert max(sizes) - min(sizes) < 64


def test_a_metric_is_saved_loaded_and_reset():
    metric = RankingMetric(MEASURES)
    metric.update(*batch(1))
    other = RankingMetric(MEASURES)
    other.load_state_dict(metric.state_dict())
    other.update(*batch(2))
    again = pickle.loads(pickle.dumps(metric))
    again.update(*batch(2))
    assert other.compute() == again.compute() != metric.compute()
    metric.reset()
    assert math.isnan(metric["RR(ties=mean)"])


def test_whether_a_grade_is_relevant_is_asked_of_all_batches():
    metric = RankingMetric("R(rel=2)@1")
    metric.update(torch.tensor([[1.0, 2.0]]), torch.tensor([[1, 0]]))
    with pytest.raises(rm.MeasureError, match="no grade so far reaches it"):
        metric.compute()
    metric.update(torch.tensor([[1.0, 2.0]]), torch.tensor([[0, 2]]))
    assert metric["R(rel=2)@1"] == 0.5


def test_what_sums_cannot_answer_is_refused():
    with pytest.raises(rm.MeasureError, match="a median needs every value"):
        RankingMetric("RR(aggregate=median)")
    with pytest.raises(rm.MeasureError, match="different measures cannot be merged: RR and AP"):
        RankingMetric("RR").merge(RankingMetric("AP"))
    with pytest.raises(rm.NotFoundError, match="this metric has no 'AP'"):
        RankingMetric("RR")["AP"]


def test_torchmetrics_sees_a_metric_of_its_own():
    torchmetrics = pytest.importorskip("torchmetrics")
    metric = as_torchmetrics(MEASURES)
    assert isinstance(metric, torchmetrics.Metric)
    for seed in range(3):
        scores, grades = batch(seed)
        step = metric(scores, grades)
        expected = rm.evaluate(rm.tensors(scores, grades), measures=MEASURES).mean
        assert {name: float(value) for name, value in step.items()} == expected
    scores, grades = (torch.cat(both) for both in zip(*(batch(seed) for seed in range(3)), strict=True))
    expected = rm.evaluate(rm.tensors(scores, grades), measures=MEASURES).mean
    for one in (metric, metric.clone(), pickle.loads(pickle.dumps(metric))):
        assert {name: float(value) for name, value in one.compute().items()} == expected
    metric.reset()
    metric.update(scores.ravel(), grades.ravel(), indexes=torch.arange(90).repeat_interleave(12))
    assert {name: float(value) for name, value in metric.compute().items()} == expected


WORKER = """
import sys
import torch
from rankmeter.torch import RankingMetric, as_torchmetrics

rank, where = int(sys.argv[1]), sys.argv[2]
torch.distributed.init_process_group("gloo", init_method=f"file://{where}", rank=rank, world_size=2)
scores = torch.tensor([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [-1.0, -3.0, -2.0]])
labels = torch.tensor([[1, 0, 1], [0, 1, 0], [0, 0, 1]])
mine = slice(0, 1) if rank == 0 else slice(1, 3)
metric, other = RankingMetric(["AP", "RR"]), as_torchmetrics(["AP", "RR"])
metric.update(scores[mine], labels[mine])
other.update(scores[mine], labels[mine])
metric.all_reduce()
print(metric.compute() == {name: float(value) for name, value in other.compute().items()}, metric.compute())
torch.distributed.destroy_process_group()
"""


@pytest.mark.slow
@pytest.mark.skipif(not torch.distributed.is_available(), reason="torch without torch.distributed")
def test_processes_add_their_sums(tmp_path):
    pytest.importorskip("torchmetrics")
    source = str(Path(rm.__file__).parents[1])
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {source!r})\n{WORKER}"]
    running = [
        subprocess.Popen([*command, str(rank), str(tmp_path / "store")], stdout=subprocess.PIPE, text=True)
        for rank in range(2)
    ]
    said = [one.communicate(timeout=120)[0] for one in running]
    scores = torch.tensor([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [-1.0, -3.0, -2.0]])
    labels = torch.tensor([[1, 0, 1], [0, 1, 0], [0, 0, 1]])
    expected = rm.evaluate(rm.tensors(scores, labels), measures=["AP", "RR"]).mean
    assert said == [f"True {expected}\n"] * 2


def test_measures_of_lists_are_refused_when_the_metric_is_made():
    pytest.importorskip("torchmetrics")
    with pytest.raises(rm.MeasureError, match="looks at lists of items"):
        as_torchmetrics("Coverage@3")


def test_whole_numbers_that_a_float_cannot_hold_are_refused():
    with pytest.raises(rm.InputError, match="whole numbers of 2"):
        rm.tensors(torch.tensor([[2**53, 2**53 + 1]]), torch.tensor([[1, 0]]))


def test_sums_stay_whole_whatever_type_a_torchmetrics_metric_is_set_to():
    pytest.importorskip("torchmetrics")
    metric = as_torchmetrics("RR").set_dtype(torch.float16)
    metric.update(torch.tensor([[-2.0, -1.0]]), torch.tensor([[1, 0]]))
    assert metric.compute()["RR"] == 0.5


def with_and_without(way):
    """A metric that took in one user with a held-out item, found second, and one without."""
    metric = RankingMetric(["RR", "RR(empty=skip)"])
    if way == "tensors":
        metric.update(torch.tensor([[0.1, 0.9], [0.3, 0.4]]), torch.tensor([[1, 0], [0, 0]]))
    elif way == "ids":
        metric.update_ids(torch.tensor([[1, 0], [1, 0]]), [[0], []])
    else:
        pytest.importorskip("torchmetrics")
        metric = as_torchmetrics(["RR", "RR(empty=skip)"])
        metric.update(torch.tensor([[0.1, 0.9], [0.3, 0.4]]), torch.tensor([[1, 0], [0, 0]]))
    return metric


@pytest.mark.parametrize("way", ["tensors", "ids", "torchmetrics"])
def test_users_without_a_held_out_item_count_0_and_that_is_said_once(way, recwarn):
    metric = with_and_without(way)
    with pytest.warns(rm.RankmeterWarning, match=r"^1 of 2 queries has no .* counts 0 in RR; RR\(empty=skip\) leaves"):
        assert {name: float(value) for name, value in metric.compute().items()} == {"RR": 0.25, "RR(empty=skip)": 0.5}
    recwarn.clear()
    metric.update(torch.tensor([[0.3, 0.4]]), torch.tensor([[0, 0]])) if way != "ids" else None
    metric.compute()
    assert not [seen for seen in recwarn if "no relevant item" in str(seen.message)]


def test_the_measure_that_is_named_gives_what_evaluate_gives_of_a_table():
    held_out = {"u": ["b"]}
    table = rm.evaluate(held_out, {"u": ["a", "b"], "v": ["a", "b"]}, ["RR"])
    with pytest.warns(rm.RankmeterWarning, match="no relevant item"):
        assert with_and_without("ids").compute()["RR(empty=skip)"] == table["RR"] == 0.5


def test_nothing_is_said_where_everybody_has_a_held_out_item_or_where_empty_rows_do_not_count(recwarn):
    metric = RankingMetric(["RR(empty=skip)"])
    metric.update(torch.tensor([[0.1, 0.9], [0.3, 0.4]]), torch.tensor([[1, 0], [0, 0]]))
    metric.compute()
    full = RankingMetric(["RR"])
    full.update(torch.tensor([[0.1, 0.9]]), torch.tensor([[1, 0]]))
    full.compute()
    assert not [seen for seen in recwarn if "no relevant item" in str(seen.message)]
