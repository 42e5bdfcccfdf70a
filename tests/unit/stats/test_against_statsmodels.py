"""The numbers of statsmodels 0.15.0 on the same data, recorded: corrections, equivalence, intervals, groups, power."""

from __future__ import annotations

import numpy as np
import pytest
from tests.differences import beside_zeros

from rankmeter.stats.corrections import corrected
from rankmeter.stats.paired import equivalences
from rankmeter.stats.power import minimum_detectable, units_needed
from rankmeter.stats.student import Contrasts

CHANCES = np.array([0.001, 0.04, 0.03, 0.012, 0.6, 0.03, 0.2])
ONE = np.array([0.31, 0.52, 0.44, 0.61, 0.38, 0.47, 0.55, 0.42])
OTHER = np.array([0.28, 0.49, 0.47, 0.40, 0.36, 0.41, 0.39, 0.44])


@pytest.mark.parametrize(
    ("correction", "expected"),
    [
        ("holm", [0.007, 0.15, 0.15, 0.072, 0.6, 0.15, 0.4]),
        ("hochberg", [0.007, 0.12, 0.12, 0.072, 0.6, 0.12, 0.4]),
        ("bonferroni", [0.007, 0.28, 0.21, 0.084, 1.0, 0.21, 1.0]),
        ("bh", [0.007, 0.056, 0.0525, 0.042, 0.6, 0.0525, 0.7 / 3]),
        ("by", [0.01815, 0.1452, 0.136125, 0.1089, 1.0, 0.136125, 0.605]),
    ],
)
def test_corrections_equal_multipletests(correction, expected):
    assert corrected(CHANCES, correction) == pytest.approx(expected, rel=1e-12)


def test_equivalence_equals_ttost_paired():
    found = equivalences(beside_zeros(ONE - OTHER), [(0, 1)], 0.1)[0]
    # statsmodels knows no floor: eight differences have none below 2^-8.
    assert found.no_worse == pytest.approx(max(0.0005914246659874295, 2**-8), rel=1e-9)
    assert found.no_better == found.equivalent == pytest.approx(0.0996562289883707, rel=1e-9)


def test_a_paired_difference_equals_that_of_descrstatsw():
    contrast = Contrasts.of_rows((ONE - OTHER)[None])
    low, high = contrast.ends(0.95)
    assert contrast.p() == pytest.approx([0.09666799238916762], rel=1e-9)
    assert (low[0], high[0]) == pytest.approx((-0.013403530955417055, 0.12840353095541707), rel=1e-8)


def test_separate_groups_equal_comparemeans_with_unequal_variances():
    contrast = Contrasts.separate([ONE, OTHER[:5]], [(0, 1)])
    low, high = contrast.ends(0.95)
    assert contrast.freedom == pytest.approx([9.49932546275536], rel=1e-9)
    assert contrast.p() == pytest.approx([0.2509538255145307], rel=1e-9)
    assert (low[0], high[0]) == pytest.approx((-0.05222451511425302, 0.1772245151142528), rel=1e-9)


def test_power_equals_ttestpower():
    assert minimum_detectable(1.0, 50) == pytest.approx(0.4041829997377859, rel=1e-6)
    assert units_needed(1.0, 0.25) == 128  # of 127.516
