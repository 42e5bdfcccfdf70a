from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from rankmeter.stats.corrections import step_down
from rankmeter.stats.resampling import Sample


def stepped_by_hand(values: np.ndarray, pairs: list[tuple[int, int]]) -> list[float]:
    """Westfall and Young's step-down p-values over every pattern of signs, straight from the definition."""
    differences = [values[a] - values[b] for a, b in pairs]
    flat = [not np.any(np.abs(gap) > 1e-12) for gap in differences]

    def statistics(signs: np.ndarray) -> list[float]:
        return [
            0.0 if none else abs(float((signs * gap).sum())) / float(np.sqrt((gap**2).sum()))
            for gap, none in zip(differences, flat, strict=True)
        ]

    units = values.shape[1]
    observed = statistics(np.ones(units))
    patterns = [statistics(np.array(signs)) for signs in product([-1.0, 1.0], repeat=units)]
    chance, least = {}, 0.0
    falling = sorted(range(len(pairs)), key=lambda pair: -observed[pair])
    for place, pair in enumerate(falling):
        others = falling[place:]
        extreme = sum(max(made[other] for other in others) >= observed[pair] - 1e-12 for made in patterns)
        least = max(least, extreme / len(patterns))
        chance[pair] = 1.0 if observed[pair] == 0 else least
    return [chance[pair] for pair in range(len(pairs))]


@pytest.mark.parametrize("systems", [2, 3, 5])
@pytest.mark.parametrize("kind", ["smooth", "tied", "with equal systems"])
@pytest.mark.parametrize("baseline", [None, 1])
def test_every_pattern_of_signs_gives_what_the_definition_gives(systems, kind, baseline) -> None:
    random = np.random.default_rng(systems)
    values = random.random((systems, 8)) + np.linspace(0, 0.6, systems)[:, None]
    if kind == "tied":
        values = np.round(values, 1)
    elif kind == "with equal systems":
        values[-1] = values[0]
    pairs = list(combinations(range(systems), 2))
    if baseline is not None:
        pairs = [(system, baseline) for system in range(systems) if system != baseline]
    got = step_down(Sample.of_values(values), pairs, permutations=2**8, seed=0)
    assert got == pytest.approx(stepped_by_hand(values, pairs), abs=1e-15)


def test_drawn_patterns_come_close_to_all_of_them() -> None:
    values = np.random.default_rng(1).random((4, 12)) + np.linspace(0, 0.3, 4)[:, None]
    pairs = list(combinations(range(4), 2))
    exact = step_down(Sample.of_values(values), pairs, permutations=2**12, seed=0)
    drawn = step_down(Sample.of_values(values), pairs, permutations=4000, seed=0)
    assert drawn == pytest.approx(exact, abs=5 * np.sqrt(0.25 / 4000))
