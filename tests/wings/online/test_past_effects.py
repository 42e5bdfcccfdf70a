"""What past experiments make of an effect: nearer to the truth, and with an interval that holds."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rankmeter as rm
from rankmeter.errors import InputError


def experiments(random, count, spread):
    errors = random.uniform(0.005, 0.02, count)
    truths = random.normal(0.002, spread, count)
    return truths, list(zip(random.normal(truths, errors).tolist(), errors.tolist(), strict=True))


@pytest.mark.parametrize("count", [8, 40])
@pytest.mark.parametrize("spread", [0.0, 0.006, 0.03])
def test_intervals_hold_and_errors_are_smaller(count, spread):
    random, trials = np.random.default_rng(7), 250
    held, squares = 0, np.zeros(2)
    for _ in range(trials):
        truths, (own, *past) = experiments(random, count + 1, spread)
        found = rm.online.shrunk(*own, past)
        held += found.low <= truths[0] <= found.high
        squares += (found.value - truths[0]) ** 2, (found.plain - truths[0]) ** 2
    assert held / trials > 0.95 - 3 * math.sqrt(0.05 * 0.95 / trials)
    assert squares[0] < squares[1] * (0.5 if spread < 0.01 else 1.0)


def test_the_plain_estimate_stands_beside_and_the_shrunk_one_lies_between():
    _, past = experiments(np.random.default_rng(1), 30, 0.01)
    for effect in (-0.05, 0.0, 0.002, 0.04):
        found = rm.online.shrunk(effect, 0.01, past)
        assert (found.plain, found.past) == (effect, 30)
        assert found.plain_high - effect == pytest.approx(1.959964 * 0.01)
        assert min(effect, found.usual) - 1e-3 <= found.value <= max(effect, found.usual) + 1e-3
        assert 0 <= found.kept <= 1
        assert found.low < found.value < found.high
        assert (found.chance_above_zero > 0.975) == (found.low > 0)
    sure = rm.online.shrunk(0.04, 1e-5, past)
    assert sure.value == pytest.approx(0.04, abs=1e-5)
    nothing = rm.online.shrunk(0.04, 10.0, past)
    assert nothing.value == pytest.approx(nothing.usual, abs=1e-3)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: rm.online.shrunk(0.1, 0.1, [(0.0, 0.1)] * 7), "7 past experiments"),
        (lambda: rm.online.shrunk(0.1, 0.0, [(0.0, 0.1)] * 8), "above 0"),
        (lambda: rm.online.shrunk(0.1, 0.1, [(0.0, -1)] * 8), "above 0"),
        (lambda: rm.online.shrunk(math.nan, 0.1, [(0.0, 0.1)] * 8), "number"),
        (lambda: rm.online.shrunk(0.1, 0.1, [(0.0, 0.1)] * 8, level=2), "between 0 and 1"),
    ],
)
def test_what_says_nothing_is_refused(call, words):
    with pytest.raises(InputError, match=words):
        call()
