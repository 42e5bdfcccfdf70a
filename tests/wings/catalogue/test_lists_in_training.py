"""Measures of lists while training: batch by batch they are what ``evaluate`` says of everything at once."""

from __future__ import annotations

import numpy as np
import pytest

import rankmeter as rm

torch = pytest.importorskip("torch")
from rankmeter.torch import RankingMetric, as_torchmetrics  # noqa: E402

LISTS = [
    "Coverage@4",
    "Gini@4",
    "Entropy@5",
    "Novelty@4",
    "ARP@2",
    "CategoryDiversity@4",
    "EPC@3",
    "ILD@3",
    "Personalisation@3",
]
ASKED = ["RR", *LISTS[:4], "nDCG@3", *LISTS[4:]]


def world(seed: int):
    """Scores with ties, labels, and what is known of the items."""
    rng = np.random.default_rng(seed)
    users, items = int(rng.integers(6, 20)), int(rng.integers(6, 30))
    scores = torch.tensor(rng.integers(-4, 5, (users, items)) / 4, dtype=torch.float32)
    labels = torch.tensor(rng.integers(0, 3, (users, items)) * (rng.random((users, items)) < 0.3))
    labels[:, 0] = 1
    catalogue = rm.Catalogue(
        range(items), popularity=dict(enumerate(rng.integers(1, 9, items).tolist())), users=20,
        categories={item: ["abc"[item % 3]] for item in range(items)},
        features={item: rng.normal(size=3).tolist() for item in range(items)},
    )  # fmt: skip
    return scores, labels, catalogue


def whole(scores, labels, catalogue, kept=None):
    """The same as mappings, evaluated at once."""
    truth, run = {}, {}
    for user, (row, graded) in enumerate(zip(scores.tolist(), labels.tolist(), strict=True)):
        inside = [item for item in range(len(row)) if kept is None or bool(kept[user, item])]
        truth[user] = {item: graded[item] for item in inside}
        run[user] = {item: row[item] for item in inside}
    return rm.evaluate(truth, run, ASKED, catalogue=catalogue).mean


def batches(count: int, seed: int):
    """Whole users in batches of any size."""
    ends = np.sort(np.random.default_rng(seed).integers(0, count + 1, 3)).tolist()
    return [slice(first, last) for first, last in zip([0, *ends], [*ends, count], strict=True) if first < last]


@pytest.mark.parametrize("seed", range(8))
def test_batches_of_scores_say_what_all_say_at_once(seed):
    scores, labels, catalogue = world(seed)
    expected = whole(scores, labels, catalogue)
    metric = RankingMetric(ASKED, catalogue=catalogue)
    for part in batches(len(scores), seed):
        metric.update(scores[part], labels[part])
    assert metric.compute() == pytest.approx(expected, rel=1e-12)
    assert list(metric.compute()) == list(expected)
    assert metric["Coverage@4"] == expected["Coverage@4"]
    assert metric.counted("Coverage@4") == metric.counted("RR") == len(scores)
    metric.reset()
    metric.update(scores, labels)
    assert metric.compute() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_masked_is_not_listed(seed):
    scores, labels, catalogue = world(seed)
    kept = torch.tensor(np.random.default_rng(seed).random(tuple(scores.shape)) < 0.8)
    kept[:, 0] = True
    metric = RankingMetric(ASKED, catalogue=catalogue)
    for part in batches(len(scores), seed):
        metric.update(scores[part], labels[part], mask=kept[part])
    assert metric.compute() == pytest.approx(whole(scores, labels, catalogue, kept), rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_ranked_ids_are_lists(seed):
    scores, labels, catalogue = world(seed)
    best = scores.argsort(dim=1, descending=True, stable=True)[:, :5].contiguous()
    relevant = [row.nonzero().flatten() for row in labels]
    metric = RankingMetric(ASKED, catalogue=catalogue)
    for part in batches(len(scores), seed):
        metric.update_ids(best[part], relevant[part])
    truth = {user: row.tolist() for user, row in enumerate(relevant)}
    expected = rm.evaluate(truth, dict(enumerate(best.tolist())), ASKED, catalogue=catalogue).mean
    assert metric.compute() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_metrics_are_merged_and_go_on_from_a_saved_state(seed):
    scores, labels, catalogue = world(seed)
    metrics = []
    for part in batches(len(scores), seed):
        metrics.append(RankingMetric(ASKED, catalogue=catalogue))
        metrics[-1].update(scores[part], labels[part])
    first, *others = metrics
    first.merge(*others, RankingMetric(ASKED, catalogue=catalogue))
    again = RankingMetric(ASKED, catalogue=catalogue)
    again.load_state_dict(first.state_dict())
    expected = pytest.approx(whole(scores, labels, catalogue), rel=1e-12)
    assert first.compute() == expected
    assert again.compute() == expected


def test_what_cannot_be_told_is_refused():
    with pytest.raises(rm.MeasureError, match="catalogue"):
        RankingMetric(["Coverage@4"])
    with pytest.raises(rm.MeasureError, match="median"):
        RankingMetric(["Novelty(aggregate=median)@3"], catalogue=range(9))
    with pytest.raises(rm.MeasureError, match="RankingMetric"):
        as_torchmetrics(["Coverage@4"])
    metric = RankingMetric(["Coverage@2"], catalogue=range(3))
    assert np.isnan(metric["Coverage@2"])
    with pytest.raises(rm.MeasureError, match="items of flat tensors have no ids"):
        metric.update(torch.tensor([0.1, 0.2]), torch.tensor([1, 0]), indexes=torch.tensor([0, 0]))
    with pytest.raises(rm.InputError, match="returns an item twice"):
        metric.update_ids(torch.tensor([[1, 1]]), torch.tensor([[1]]))
