"""Sampled evaluation: what sampling does, how it is corrected, and that nobody takes an estimate for a value."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rankmeter as rm
from rankmeter.wings.protocol import sampling
from rankmeter.wings.protocol.sampling import expected_sampled

A, B, C = [100] * 5, [40, 40, 8437, 9266, 4482], [212, 2, 743, 5342, 1548]


def one_item_each(ranks, items=10_000):
    """Exact values of lists in which the only relevant item stands at a rank."""
    run = {q: {item: -float(item) for item in range(1, items + 1)} for q in range(len(ranks))}
    return rm.evaluate({q: [rank] for q, rank in enumerate(ranks)}, run, ["AUC", "AP", "nDCG", "R@10"]).mean


@pytest.mark.parametrize(
    ("ranks", "exact", "sampled"),
    [
        (A, (0.990, 0.010, 0.150, 0.0), (0.990, 0.637, 0.729, 1.0)),
        (B, (0.555, 0.010, 0.122, 0.0), (0.555, 0.341, 0.447, 0.40)),
        (C, (0.843, 0.101, 0.208, 0.2), (0.843, 0.326, 0.460, 0.57)),
    ],
)
def test_the_example_of_krichene_and_rendle(ranks, exact, sampled):
    # Ranks of three recommenders among 10,000 items: by AP, nDCG and R@10 C is best; with 99 negatives A is.
    assert tuple(one_item_each(ranks).values()) == pytest.approx(exact, abs=6e-4)
    found = expected_sampled(ranks, ["AUC", "AP", "nDCG", "R@10"], negatives=99, items=10_000)
    assert tuple(found.values()) == pytest.approx(sampled, abs=1e-3)


def chance(rank, above, negatives, items, draw):
    """The chance of one sampled rank, in whole numbers as far as they go."""
    if draw == "with replacement":
        p = (rank - 1) / (items - 1)
        return math.comb(negatives, above) * p**above * (1 - p) ** (negatives - above)
    ways = math.comb(rank - 1, above) * math.comb(items - rank, negatives - above)
    return ways / math.comb(items - 1, negatives)


@pytest.mark.parametrize("draw", ["with replacement", "without replacement"])
def test_chances_are_those_of_drawing(draw):
    found = sampling._chances(np.arange(1, 41), sampling._Design(7, 40, draw))
    expected = [[chance(rank, above, 7, 40, draw) for above in range(8)] for rank in range(1, 41)]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("draw", ["with replacement", "without replacement"])
def test_the_correction_minimises_bias_and_variance(draw):
    items, negatives, gamma = 40, 7, 0.1
    table = np.array(
        [[chance(r, a, negatives, items, draw) for a in range(negatives + 1)] for r in range(1, items + 1)]
    )
    exact = 1 / np.arange(1, items + 1)

    def loss(values):
        mean = table @ values
        variance = table @ values**2 - mean**2
        return ((mean - exact) ** 2 + gamma * variance).sum()

    groups = sampling._Groups.fine(items)
    design = sampling._Design(negatives, items, draw, gamma=gamma)
    chances = sampling._chances(groups.rank, design)
    _, found = sampling._corrected(exact, 1 / np.arange(1, negatives + 2), chances, groups, design)
    for place in range(negatives + 1):
        for step in (1e-3, -1e-3):
            other = found.copy()
            other[place] += step
            assert loss(other) > loss(found)


@pytest.mark.parametrize("measure", ["AUC", "MeanRank"])
def test_linear_measures_are_estimated_without_bias(measure):
    items, negatives = 60, 9
    by_rank = sampling._by_rank(rm.parse(measure), items)
    groups = sampling._Groups.fine(items)
    design = sampling._Design(negatives, items, "without replacement")
    table = sampling._chances(groups.rank, design)
    name, found = sampling._corrected(
        by_rank, sampling._by_rank(rm.parse(measure), negatives + 1), table, groups, design
    )
    assert name == "rank (unbiased)"
    np.testing.assert_allclose(table @ found, by_rank, rtol=1e-9)


def drawn(seed, queries=2000, items=500, negatives=20):
    """Exact ranks, and ranks among sampled negatives."""
    draw = np.random.default_rng(seed)
    exact = np.minimum(draw.geometric(0.02, queries), items)
    return exact, 1 + draw.hypergeometric(exact - 1, items - exact, negatives)


@pytest.mark.filterwarnings("ignore:these are estimates")
@pytest.mark.parametrize("seed", [1, 2])
def test_the_exact_value_is_where_it_is_said_to_be(seed):
    exact, ranks = drawn(seed)
    found = rm.sampled_ranks(ranks, ["AUC", "RR", "nDCG", "R@50"], negatives=20, items=500)
    values = {
        "AUC": np.mean((500 - exact) / 499),
        "RR": np.mean(1 / exact),
        "nDCG": np.mean(1 / np.log2(exact + 1)),
        "R@50": np.mean(exact <= 50),
    }
    for name, value in values.items():
        low, high = found[name].possible
        assert low <= value <= high
        assert low <= found[name].value <= high
        assert abs(found[name].value - value) < 0.5 * abs(found[name].uncorrected - value) + 0.01
    assert found["AUC"].interval.low <= values["AUC"] <= found["AUC"].interval.high


@pytest.mark.filterwarnings("ignore:these are estimates")
def test_grouping_high_ranks_changes_next_to_nothing(monkeypatch):
    _, ranks = drawn(3, queries=200, items=6000)
    grouped = rm.sampled_ranks(ranks, ["RR", "nDCG"], negatives=20, items=6000)
    monkeypatch.setattr(sampling, "SINGLE_RANKS", 6000)
    single = rm.sampled_ranks(ranks, ["RR", "nDCG"], negatives=20, items=6000)
    for name in ("RR", "nDCG"):
        assert grouped[name].value == pytest.approx(single[name].value, rel=1e-4)


@pytest.mark.filterwarnings("ignore:these are estimates")
def test_scores_are_counted_and_ties_averaged():
    positive, negatives = np.array([1.0, 0.0, -2.0]), np.array([[2.0, 1.0], [0.0, 0.0], [-3.0, -4.0]])
    found = rm.sampled(positive, negatives, ["RR"], items=10)
    # Places 2 or 3; 1, 2 or 3; 1.
    assert found["RR"].uncorrected == pytest.approx(((1 / 2 + 1 / 3) / 2 + (1 + 1 / 2 + 1 / 3) / 3 + 1) / 3)
    assert rm.sampled(positive.tolist(), negatives.tolist(), ["RR"], items=10)["RR"] == found["RR"]
    torch = pytest.importorskip("torch")
    again = rm.sampled(torch.tensor(positive), torch.tensor(negatives), ["RR"], items=10)
    assert again["RR"] == found["RR"]


def test_an_estimate_cannot_be_taken_for_a_value():
    with pytest.warns(rm.RankmeterWarning, match="not the measures' values.*1,000 scores .2 queries x 500 items"):
        found = rm.sampled_ranks([1, 3], ["RR"], negatives=20, items=500, correction="none")
    with pytest.raises(TypeError):
        float(found["RR"])
    assert list(found.mean) == ["RR [estimate from 20 sampled of 499 negatives, uncorrected]"]
    assert "the exact value is" in repr(found)
    assert "24 times the 42 scored here" in found.exact_cost
    with pytest.raises(rm.NotFoundError, match="'AP' was not estimated"):
        found["AP"]


@pytest.mark.filterwarnings("ignore:these are estimates")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ranks": [1, 22]}, "ranks among 20 negatives must be 1 to 21; these are 1 to 22"),
        ({"ranks": [1.5, 2]}, "whole numbers"),
        ({"ranks": [1]}, "one query gives no interval"),
        ({"negatives": 500}, "500 negatives cannot be drawn from the 499 other items"),
        ({"gamma": 0}, "gamma=0 is not possible"),
        ({"level": 1}, "level=1 is not possible"),
        ({"correction": "magic"}, "correction='magic' is not possible"),
        ({"draw": "often"}, "draw='often' is not possible"),
        ({"measures": ["Bpref"]}, "Bpref cannot be estimated from samples"),
        ({"measures": ["RR(aggregate=median)"]}, "cannot be estimated from samples"),
    ],
)
def test_wrong_use_is_refused(change, message):
    options = {"ranks": [1, 3], "measures": ["RR"], "negatives": 20, "items": 500} | change
    with pytest.raises((rm.InputError, rm.MeasureError), match=message):
        rm.sampled_ranks(options.pop("ranks"), options.pop("measures"), **options)


@pytest.mark.parametrize(
    ("positive", "negatives", "message"),
    [
        ([[1.0]], [[1.0]], r"positive has shape \(1, 1\)"),
        ([1.0], [[1.0], [2.0]], r"and negatives have shape \(2, 1\)"),
        ([np.nan], [[1.0]], "a score is NaN"),
    ],
)
def test_wrong_scores_are_refused(positive, negatives, message):
    with pytest.raises(rm.InputError, match=message):
        rm.sampled(positive, negatives, ["RR"], items=10)


def test_exact_ranks_beyond_the_catalogue_are_refused():
    with pytest.raises(rm.InputError, match="exact ranks in a catalogue of 10 items must be 1 to 10"):
        expected_sampled([11], ["RR"], negatives=2, items=10)


@pytest.mark.filterwarnings("ignore:these are estimates")
@pytest.mark.parametrize("measure", ["RR", "nDCG@10", "R@5"])
def test_a_biased_estimate_has_no_interval_that_knows_chance_alone(measure):
    _, ranks = drawn(1)
    estimate = rm.sampled_ranks(ranks, [measure], negatives=20, items=500)[measure]
    assert estimate.interval is None
    assert "95% sure" in repr(estimate)
    assert "interval" not in repr(estimate)


def test_no_interval_where_all_sampled_ranks_are_equal():
    with pytest.warns(rm.RankmeterWarning, match="estimates"):
        estimate = rm.sampled_ranks([1] * 40, ["AUC"], negatives=9, items=1000)["AUC"]
    assert estimate.interval is None
    assert estimate.possible[0] < estimate.value
    assert "95% sure" in repr(estimate)


@pytest.mark.parametrize("items", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("negatives", [-1, 0, 1, 2, 3])
def test_at_least_one_negative_and_no_more_than_there_are_others(negatives, items) -> None:
    if negatives < 1 or items < 2 or negatives > items - 1:
        with pytest.raises(rm.InputError) as told:
            expected_sampled([1], ["RR"], negatives=negatives, items=items)
        assert told.value.problem.kind == "protocol.too_many_negatives"
    else:
        assert expected_sampled([1], ["RR"], negatives=negatives, items=items) == {"RR": 1.0}
