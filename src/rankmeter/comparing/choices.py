"""How differences are tested: the options of a comparison that are about chance, with their defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict, Unpack

from rankmeter.errors import InputError, InputTypeError, check_choice, check_level, check_whole, did_you_mean
from rankmeter.stats.corrections import CORRECTIONS, Correction
from rankmeter.stats.intervals import FEWEST_RESAMPLES, METHODS, IntervalMethod
from rankmeter.stats.paired import TESTS, Test
from rankmeter.wording import Option


class ChanceOptions(TypedDict, total=False):
    """What :func:`rankmeter.compare` takes beside data and measures; see there."""

    test: Test
    correction: Correction
    level: float
    interval: IntervalMethod | None
    margin: float | Mapping[Any, float] | None
    unit: str | Mapping[Any, Any]
    unit_name: str
    permutations: int
    resamples: int
    seed: int
    power: float


DEFAULTS: ChanceOptions = {
    "test": "t",
    "correction": "holm",
    "level": 0.95,
    "interval": None,
    "margin": None,
    "unit": "query",
    "unit_name": "group",
    "permutations": 100_000,
    "resamples": 9_999,
    "seed": 0,
    "power": 0.8,
}


def chance_options(**options: Unpack[ChanceOptions]) -> ChanceOptions:
    """The options with their defaults; refuse what is not possible."""
    for name in options:
        if name not in DEFAULTS:
            hint = did_you_mean(name, list(DEFAULTS)) or None
            raise InputTypeError.of("comparing.unexpected_keyword", name=name, hint=hint)
    chosen: ChanceOptions = {**DEFAULTS, **options}
    choices = {"test": TESTS, "correction": CORRECTIONS, "interval": (None, *METHODS)}
    for option, possible in choices.items():
        check_choice(option, chosen[option], possible)  # type: ignore[literal-required]
    level, power = check_level(chosen["level"]), check_level(chosen["power"], "power")
    check_whole("permutations", chosen["permutations"], FEWEST_RESAMPLES)
    check_whole("resamples", chosen["resamples"], FEWEST_RESAMPLES)
    check_whole("seed", chosen["seed"])
    if not 1 - level < power:
        raise InputError.of("comparing.level_and_power", option=Option("level", level), power=power)
    return chosen
