"""Find which definition gives a fused list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple, Unpack

import numpy as np

from rankmeter.errors import InputError, examples
from rankmeter.inputs.accepting import into_run
from rankmeter.inputs.tables import RunTable
from rankmeter.late import pl
from rankmeter.wings.fusion.definition import NORMS, Fusion, Options, known_options
from rankmeter.wings.fusion.found_fusions import FoundFusion, FoundFusions
from rankmeter.wings.fusion.fusing import (
    fused_tables,
    gather_tables,
    in_the_name_of,
    named_runs,
    pools_of_runs,
    ranked,
    read_tables,
)
from rankmeter.wings.fusion.grid_values import read_alike, sharing
from rankmeter.wings.fusion.grids import compositions
from rankmeter.wings.fusion.known_methods import METHODS
from rankmeter.wings.fusion.methods import combined, contributions
from rankmeter.wings.fusion.pooling import alike_ids, of_queries
from rankmeter.wings.fusion.who_does_what import as_typed

FIRST = 3
"""Queries on which every definition is tried; those that are left are tried on all."""
CONSTANTS = (0, 1, 2, 10, 20, 30, 60, 100)
Lists = dict[object, dict[object, float]]


def reconcile_fusion(
    runs: object,
    fused: object,
    how: str | Fusion | Sequence[str | Fusion] | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    **options: Unpack[Options],
) -> FoundFusions:
    """Find which definition gives a fused list.

    Tried are what every known tool does under its names and every method here that learns nothing, with each
    normalisation, usual constants (0, 1, 2, 10, 20, 30, 60, 100) and, for two runs, weights in tenths.

    Parameters
    ----------
    runs
        The runs that were fused, as for :func:`rankmeter.fuse`, in the order in which they were given.
    fused
        The fused run, of any kind that :func:`rankmeter.evaluate` takes; it may be cut at any depth.
    how
        Definitions to try instead.
    columns
        Columns of unusual names.
    **options
        What is known of the fusion: conventions that :func:`rankmeter.fuse` takes, each for every definition that has
        it.

    Examples
    --------
    >>> import rankmeter as rm
    >>> runs = {"bm25": {"q": {"a": 12.1, "b": 9.5}}, "dense": {"q": {"b": 0.9, "c": 0.8}}}
    >>> found = rm.reconcile_fusion(runs, {"q": {"b": 0.8333333333333333, "a": 0.5, "c": 0.3333333333333333}})
    >>> [one.name for one in found.matches]
    ['qdrant:rrf', ...]
    """
    named = named_runs(runs)
    how = [how] if isinstance(how, (str, Fusion)) else how
    given = read_tables(named, columns)
    with in_the_name_of("fused"):
        target = into_run(fused, columns=columns).run_table()
    *tables, target = alike_ids([*given.values(), target])[0]
    by_name = dict(zip(named, tables, strict=True))
    known_options(options, "reconcile")
    tried = list(_candidates(len(named), options)) if how is None else [_stated(one, options) for one in how]
    for _, one in tried:
        one.check_runs(len(named))
    wanted = _by_query(target)
    if not wanted:
        raise InputError.of("fusion.nothing_to_reconcile")
    if not tried:
        raise InputError.of("fusion.nothing_to_try")
    held = pl.concat([table.query.unique() for table in tables]).unique()
    if foreign := [query for query in wanted if query not in set(held.to_list())]:
        raise InputError.of("fusion.fused_of_others", count=len(foreign), total=len(wanted),
                            queries=examples(foreign, shown=3))  # fmt: skip
    longest = sorted(wanted, key=lambda query: -len(wanted[query]))[:FIRST]
    first = _compared(by_name, wanted, longest, tried, target, None)
    digits = None
    if (
        not (whole := _matching(by_name, wanted, tried, first, target, None))
        and (digits := _decimals(target)) is not None
    ):
        rounded = _compared(by_name, wanted, longest, tried, target, digits)
        whole = _matching(by_name, wanted, tried, rounded, target, digits)
        digits = digits if whole else None
    whole.sort(key=lambda one: (not one.is_in_order, one.name.count("="), one.name))
    near = sorted((one for one in first if one is not None), key=lambda one: (-one.share, one.gap, one.name))[:5]
    return FoundFusions(tuple(whole), () if whole else tuple(near), len(tried), len(wanted), digits)


def _stated(how: str | Fusion, options: Mapping[str, Any]) -> tuple[str, Fusion]:
    plain = Fusion.of(how)
    fitting = {name: value for name, value in options.items() if name in plain.options_of()}
    return (plain.tool if isinstance(how, Fusion) else how) or str(plain), Fusion.of(how, **fitting)


def _candidates(runs: int, options: Mapping[str, Any]) -> Iterator[tuple[str, Fusion]]:
    """What is tried, each definition under the shortest of its names."""
    steps = [(one / 10, other / 10) for one, other in compositions(10, 2)][1:-1] if runs == 2 else []
    for how in (*as_typed(), *METHODS):
        plain = Fusion.of(how)
        has = set(plain.options_of()) - set(options)
        usual: dict[str, Sequence[Any]] = {}
        if "norm" in has and (plain.tool.startswith("ranx:") or not plain.tool):
            usual["norm"] = [None, *(norm for norm in NORMS if norm != plain.scaling)]
        if "weights" in has and steps:
            usual["weights"] = [None, *steps]
        if "k" in has:
            usual["k"] = [None, *(k for k in CONSTANTS if k != plain.k and k + plain.first > 0)]
        kept = {name: value for name, value in options.items() if name in plain.options_of()}
        if not plain.tool and "queries" not in kept:
            kept["queries"] = "all"
        made = product(*usual.values())
        for values in made:
            stated = {name: value for name, value in zip(usual, values, strict=True) if value is not None}
            shown = ",".join(f"{name}={_typed(value)}" for name, value in stated.items())
            label = how if not shown else f"{how[:-1]},{shown})" if how.endswith(")") else f"{how}({shown})"
            with suppress(InputError):  # what is stated need not be possible for every method
                definition = Fusion.of(how, **{**kept, **stated})
                definition.check_runs(runs)
                yield label, definition


def _typed(value: object) -> str:
    return ":".join(f"{one:g}" for one in value) if isinstance(value, tuple) else str(value)


def _by_query(run: RunTable) -> Lists:
    """The lists in the order of their rows."""
    lists: Lists = {}
    for query, item, score in zip(run.query.to_list(), run.item.to_list(), run.score.to_list(), strict=True):
        lists.setdefault(query, {})[item] = score
    return lists


def _decimals(target: RunTable) -> int | None:
    """To how many decimals scores look rounded; None where they do not."""
    scores = target.score.to_numpy()
    return next((digits for digits in range(2, 9) if (np.round(scores, digits) == scores).all()), None)


class _Wanted(NamedTuple):
    """Lists that are looked for."""

    lists: Lists
    is_scored: bool
    digits: int | None


def _compared(
    tables: Mapping[str, RunTable], wanted: Lists, queries: Sequence[object], tried: Sequence[tuple[str, Fusion]],
    target: RunTable, digits: int | None,
) -> list[FoundFusion | None]:  # fmt: skip
    """How near each definition comes on some queries; None where it cannot be applied to these runs."""
    looked = _Wanted({query: wanted[query] for query in queries}, target.scored, digits)
    held = pl.Series("query", list(queries), dtype=target.query.dtype)
    few = {name: replace(of_queries(table, queries), queries=held) for name, table in tables.items()}
    found: list[FoundFusion | None] = [None] * len(tried)
    for definitions, at in read_alike([one for _, one in tried]):
        try:
            gathered = gather_tables(few, definitions[0])
            pools = pools_of_runs(gathered, definitions[0])
        except InputError:
            for place, one in zip(at, definitions, strict=True):
                found[place] = _alone(few, tried[place][0], one, looked)
            continue
        for alike, inner in sharing(definitions):
            lists: list[Lists] = [{} for _ in alike]
            for pool in pools:
                said = contributions(pool, alike[0])
                for place, one in enumerate(alike):
                    order, scores = ranked(pool, combined(pool, said, one), one)
                    names = pool.queries.gather(pool.query[order]).to_list()
                    for query, item, score in zip(
                        names, pool.items.gather(order).to_list(), scores.tolist(), strict=True
                    ):
                        lists[place].setdefault(query, {})[item] = score
            for place, made in enumerate(lists):
                of_all = at[inner[place]]
                found[of_all] = _nearness(tried[of_all][0], alike[place], made, looked)
    return found


def _alone(tables: Mapping[str, RunTable], name: str, definition: Fusion, looked: _Wanted) -> FoundFusion | None:
    try:
        return _nearness(name, definition, _by_query(fused_tables(tables, definition)), looked)
    except InputError:
        return None


def _nearness(name: str, definition: Fusion, made: Lists, looked: _Wanted) -> FoundFusion:
    """How many items have the same score (or place), the mean difference, whether the order is the same."""
    same = total = 0
    gaps, in_order = [], True
    for query, expected in looked.lists.items():
        ours = made.get(query, {})
        total += len(expected)
        first = list(ours)[: len(expected)]
        in_order &= first == list(expected)
        if not looked.is_scored:
            same += sum(one == other for one, other in zip(first, expected, strict=False))
            continue
        for item, score in expected.items():
            if item in ours:
                same += _is_equal(ours[item], score, looked.digits)
                gaps.append(abs(ours[item] - score))
        lowest = min(expected.values())
        beyond = [score for item, score in ours.items() if item not in expected]
        total += sum(score > lowest and not _is_equal(score, lowest, looked.digits) for score in beyond)
    gap = float(np.mean(gaps)) if gaps else 0.0
    return FoundFusion(name, str(definition), same / total if total else 1.0, gap, in_order)


def _is_equal(one: float, other: float, digits: int | None) -> bool:
    near = 1e-9 * max(1.0, abs(one), abs(other)) if digits is None else 0.5000001 * 10.0**-digits
    return abs(one - other) <= near


def _matching(
    tables: Mapping[str, RunTable], wanted: Lists, tried: Sequence[tuple[str, Fusion]],
    first: Sequence[FoundFusion | None], target: RunTable, digits: int | None,
) -> list[FoundFusion]:  # fmt: skip
    """The definitions that give every list."""
    left = [tried[at] for at, one in enumerate(first) if one is not None and one.share == 1]
    if len(wanted) > FIRST and left:
        again = _compared(tables, wanted, list(wanted), left, target, digits)
    else:
        again = [one for one in first if one is not None and one.share == 1]
    return [one for one in again if one is not None and one.share == 1]
