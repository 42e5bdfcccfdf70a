"""The settings that are tried: every point of a simplex of weights, with constants, normalisations and methods."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from rankmeter.errors import InputError, check_whole
from rankmeter.wings.fusion.definition import Fusion, known_options, read_options
from rankmeter.wings.fusion.known_methods import options_of

MOST = 20_000
"""More settings than these are refused."""
USUAL = {"how": ("rrf", "wsum"), "k": (10, 30, 60, 100), "norm": ("min-max", "z-score")}
QUICK = {"how": ("rrf", "wsum"), "k": (60,), "norm": ("min-max",)}
MOST_WEIGHTS = 300
"""The usual steps are the finest that make no more points than these."""


def compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Every way to write a whole number as an ordered sum of ``parts`` whole numbers, 0 among them.

    >>> list(compositions(2, 2))
    [(0, 2), (1, 1), (2, 0)]
    >>> len(list(compositions(10, 3)))
    66
    """
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in compositions(total - first, parts - 1):
            yield (first, *rest)


def usual_steps(runs: int, *, fast: bool = False) -> int:
    """Into how many steps a weight of 1 is cut where nothing is stated: 10 for up to four runs."""
    steps = (4, 3, 2, 1) if fast else (10, 5, 4, 3, 2, 1)
    return next((step for step in steps if math.comb(step + runs - 1, runs - 1) <= MOST_WEIGHTS), 1)


def settings_of(grid: object, runs: int, common: Mapping[str, Any], *, fast: bool = False) -> list[Fusion]:
    """The settings of a grid, each once.

    A grid is a list of definitions, or ``{option: values}``, of which each method takes the options that it has.
    """
    known_options(common, "tune")
    if isinstance(grid, (str, Fusion)):
        grid = [grid]
    if grid is None:
        grid = QUICK if fast else USUAL
    if isinstance(grid, Mapping):
        made = list(_of_options(grid, runs, common, fast=fast))
    elif isinstance(grid, Sequence):
        made = [Fusion.of(one, **_fitting_options(one, common)) for one in grid]
    else:
        raise InputError.of("fusion.no_grid", type=type(grid).__name__)
    made = list(dict.fromkeys(made))
    if not made:
        raise InputError.of("fusion.empty_grid")
    if len(made) > MOST:
        raise InputError.of("fusion.large_grid", count=len(made), most=MOST)
    for one in made:
        if one.method.trained:
            raise InputError.of("fusion.tuned_training", how=one.how)
        one.check_runs(runs)
    return made


def _of_options(grid: Mapping[Any, Any], runs: int, common: Mapping[str, Any], *, fast: bool) -> Iterator[Fusion]:
    values = {str(name): _listed(given) for name, given in grid.items() if name not in ("how", "weights")}
    for name, given in values.items():
        if not given:
            raise InputError.of("fusion.no_value_in_grid", option=name)
    weights = _weights_tried(grid.get("weights", usual_steps(runs, fast=fast)), runs)
    used: set[str] = set()
    for how in _listed(grid.get("how", USUAL["how"])):
        plain = Fusion.of(how, **_fitting_options(how, common))
        fitting = {name: given for name, given in values.items() if name in plain.options_of()}
        used |= set(fitting)
        for chosen in product(*fitting.values()):
            one = Fusion.of(plain, **dict(zip(fitting, chosen, strict=True)))
            if "weights" in one.options_of():
                for point in weights:
                    yield replace(one, weights=point)
            else:
                yield one
    if useless := sorted(set(values) - used):
        known = sorted({name for how in _listed(grid.get("how", USUAL["how"])) for name in Fusion.of(how).options_of()})
        raise InputError.of("fusion.useless_in_grid", options=useless, known=known)


def _fitting_options(how: Any, common: Mapping[str, Any]) -> dict[str, Any]:
    known = options_of(Fusion.of(how).how)
    return {name: value for name, value in common.items() if name in known}


def _listed(given: Any) -> list[Any]:
    return [given] if isinstance(given, (str, int, float, Fusion)) or given is None else list(given)


def _weights_tried(given: Any, runs: int) -> list[tuple[float, ...] | None]:
    """The points of a simplex, by the number of steps, or points that are given."""
    if given is None:
        return [None]
    if isinstance(given, int) and not isinstance(given, bool):
        steps = check_whole("weights", given, 1)
        points = math.comb(steps + runs - 1, runs - 1)
        if points > MOST:
            raise InputError.of("fusion.large_grid", count=points, most=MOST)
        return [tuple(part / steps for part in parts) for parts in compositions(steps, runs)]
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise InputError.of("fusion.no_weights", given=str(given)[:60])
    return [None if point is None else tuple(point) for point in given]


def complexity(definition: Fusion, runs: int) -> tuple[float, ...]:
    """How much a setting asks for, to prefer the simplest: runs, weights, options, distance from equal weights."""
    weights = definition.weights or (1.0,) * runs
    total = sum(map(abs, weights)) or 1.0
    shares = [weight / total for weight in weights]
    used = sum(share > 0 for share in shares)
    away = max(shares) - min(shares)
    plain = replace(definition, weights=None) if definition.weights else definition
    text = str(plain)
    stated = text.count("=") + (definition.how != "rrf")
    return used, float(away > 1e-12), stated, round(away, 9)


def read_grid(texts: Sequence[str]) -> object:
    """A grid as it is typed: ``k=10,60``, ``weights=10``, ``weights=0.5:0.5,0.7:0.3``, ``how=rrf,wsum``, definitions.

    >>> read_grid(["k=10,60", "weights=10"])
    {'k': (10, 60), 'weights': 10}
    >>> read_grid(["rrf(k=10)", "wsum"])
    ['rrf(k=10)', 'wsum']
    """
    made: dict[str, Any] = {}
    definitions: list[str] = []
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or "(" in name:
            definitions.append(text)
            continue
        made[name.strip()] = _typed(name.strip(), [part.strip() for part in _OUTSIDE.split(values)])
    if not made:
        return definitions or None
    return {**made, "how": (*made.get("how", ()), *definitions)} if definitions else made


_OUTSIDE = re.compile(r",(?![^(]*\))")
"""A comma that stands in no parentheses."""


def _typed(name: str, values: Sequence[str]) -> Any:
    if name == "how":
        return tuple(values)
    if name == "weights" and len(values) == 1 and ":" not in values[0]:
        return check_whole("weights", int(values[0]) if values[0].isdecimal() else values[0], 1)
    return tuple(read_options(f"{name}={value}", f"--grid {name}")[name] for value in values)
