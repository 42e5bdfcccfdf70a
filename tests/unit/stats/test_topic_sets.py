"""How many topics: published values, and that a collection of that size does what it is for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import rankmeter as rm
from rankmeter.errors import InputError
from rankmeter.stats import topic_sets


def test_the_analysis_of_variance_has_the_power_that_books_print():
    # Vidakovic 2011, example 11.8: four groups, f^2 = 1/16, 58 of each for a power of 0.9, and 0.9122 with 60.
    gap = math.sqrt(2 * 4 / 16)
    assert rm.topics_needed(1.0, difference=gap, systems=4, power=0.9) == 58
    assert topic_sets._found(gap, 60, 4, 0.05) == pytest.approx(0.9122, abs=5e-5)
    # The package pwr, as ported to Julia: two groups of 100, f = 0.2.
    assert topic_sets._found(0.4, 100, 2, 0.05) == pytest.approx(
        0.8036475048589252, rel=1e-5
    )  # SciPy 1.11 has six digits


@pytest.mark.parametrize("systems", [2, 3, 12])
def test_the_fewest_topics_find_the_difference(systems):
    spread, gap, trials = 0.25, 0.12, 3000
    random, topics = np.random.default_rng(systems), rm.topics_needed(spread, difference=gap, systems=systems)
    means = np.zeros(systems)
    means[:2] = gap / 2, -gap / 2
    values = random.normal(means[:, None], spread, (trials, systems, topics))
    if systems == 2:
        p = stats.ttest_1samp(values[:, 0] - values[:, 1], 0, axis=1).pvalue
    else:
        p = stats.f_oneway(*np.moveaxis(values, 1, 0), axis=1).pvalue
    assert (p < 0.05).mean() == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize("width", [0.05, 0.2, 0.6])
def test_an_interval_is_as_narrow_as_stated_on_average(width):
    random, topics = np.random.default_rng(0), rm.topics_needed(0.25, width=width)
    wide = {}
    for count in (topics, topics - 1):
        gaps = random.normal(0, 0.25 * math.sqrt(2), (4000, count))
        wide[count] = 2 * stats.t.ppf(0.975, count - 1) * (gaps.std(axis=1, ddof=1) / math.sqrt(count)).mean()
    assert wide[topics] < width * 1.01
    assert wide[topics - 1] > width * 0.99


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "state either"),
        ({"difference": 0.1, "width": 0.1}, "state either"),
        ({"difference": 0.0}, "above 0"),
        ({"difference": 0.1, "systems": 1}, "2 or more"),
        ({"difference": 0.1, "systems": 4, "power": 0.01}, "between alpha and 1"),
        ({"difference": 0.1, "level": 95}, "between 0 and 1"),
        ({"difference": 1e-9, "systems": 3}, "more than"),
        ({"width": 1e-9}, "more than"),
    ],
)
def test_what_cannot_be_planned_is_refused(options, words):
    with pytest.raises(InputError, match=words):
        rm.topics_needed(0.25, **options)


def test_more_systems_and_more_power_need_more_topics():
    counts = [rm.topics_needed(0.25, difference=0.1, systems=systems) for systems in (3, 5, 20, 100)]
    assert counts == sorted(counts)
    powers = [rm.topics_needed(0.25, difference=0.1, systems=5, power=power) for power in (0.5, 0.8, 0.95)]
    assert powers == sorted(powers)
    assert rm.topics_needed(0.25, width=3.0) >= 2
