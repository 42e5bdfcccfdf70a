"""What people judge next, drawn so that the numbers stay valid: every chance is known and recorded.

:func:`rankmeter.pool` lists what is most worth judging, a deterministic pick for judging everything up to a depth. An
estimate needs a draw: picked by disagreement, or stopped when significant, no interval holds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np

from rankmeter.comparing.unjudged import ranked_top
from rankmeter.errors import InputError, check_choice, check_whole
from rankmeter.evaluating.asking import Asked, ask
from rankmeter.evaluating.evaluation import evaluate_placing
from rankmeter.evaluating.pairing import into_pair
from rankmeter.inputs.accepting import into_judgments, into_run
from rankmeter.inputs.arrays import ranked_grades
from rankmeter.inputs.reading import DIFFERING_DEPTH, ITEM_CHANCE, ITEM_DEPTH, QUERY_CHANCE
from rankmeter.inputs.tables import Run
from rankmeter.late import pl
from rankmeter.measures import Measure
from rankmeter.placing.placements import Floats
from rankmeter.wings.judging.assisted_values import judged_pairs, lacking, list_codes, why_not_linear
from rankmeter.wings.judging.estimators import FEWEST, best_chances
from rankmeter.wording import Option, said

Among = Literal["all", "differing"]
FLOOR = 0.05
"""What the expected error of the machine is never below, so that no item that counts has no chance."""
VALUES_SHARE = 0.2
"""How much of an item's chance follows its weight in any run, not what it decides between runs."""


def draw(
    machine: object,
    runs: Mapping[str, object] | None = None,
    *,
    queries: int | None = None,
    items: int | None = None,
    among: Among = "all",
    measure: str | Measure = "DCG@10",
    judged: object = None,
    unsure: Mapping[Any, float] | None = None,
    seed: int = 0,
    columns: Mapping[str, str] | None = None,
) -> pl.DataFrame:
    """Draw what people judge, and record with which chance: whole queries, or single items.

    Filled in, the result is judgments for ``evaluate(people, run, measures, assisted_by=machine)``.

    Parameters
    ----------
    machine
        The machine's judgments, as for :func:`rankmeter.evaluate`: the queries, and the pool of each.
    runs
        ``{name: run}``; for single items, whose weights come from their ranks, and for ``among="differing"``. Of two
        runs, the items that decide between them are drawn more often.
    queries
        How many whole queries people will have judged. Any measure can be estimated from them.
    items
        How many single items they judge, expected; for measures that are sums over items (P, CG, DCG, RBP).
    among
        Of whole queries, ``differing`` draws only among those on which the lists of two or more ``runs`` differ, down
        to the cutoff of ``measure``: on the others the difference is 0, whatever is relevant. The same judgments then
        tell more about the difference of these runs, and nothing about the value of one.
    measure
        The measure that is to be estimated, for single items and for ``among="differing"``.
    judged
        What people judged before, drawn in the same way. Of whole queries it is kept, with its grades, and the rest is
        drawn; of items it tells how often the machine is wrong, by its grade.
    unsure
        ``{query: how unsure the machine is}``, above 0, such as the disagreement of its repeated answers: half of a
        query's chance follows it. Without it all queries have one chance.
    seed
        The same seed draws the same.
    columns
        Columns of unusual names, as for :func:`rankmeter.evaluate`.

    Returns
    -------
    polars.DataFrame
        ``query``, ``item``, ``grade`` (empty: to be filled in) and ``query_chance``, or ``item_chance`` and
        ``item_depth`` (down to which rank items had a chance), or ``differing_depth`` (down to which rank lists were
        compared); queries in random order, the items of a query together and in random order, so that nobody sees who
        returned them.

    Examples
    --------
    >>> from rankmeter import draw
    >>> machine = {f"q{number}": {"a": 1, "b": 0} for number in range(100)}
    >>> drawn = draw(machine, queries=20, seed=1)
    >>> drawn["query"].n_unique(), drawn["query_chance"].unique().to_list()
    (20, [0.2])
    """
    check_whole("seed", seed)
    if (queries is None) == (items is None):
        raise InputError.of("judging.queries_or_items")
    check_choice("among", among, get_args(Among))
    if among == "differing" and (items is not None or unsure is not None):
        raise InputError.of("judging.differing_alone", option=Option("among", among))
    pool = judged_pairs(into_judgments(machine, columns=columns))
    before = None if judged is None else judged_pairs(into_judgments(judged, columns=columns))
    rng = np.random.default_rng(seed)
    if queries is not None:
        check_whole("queries", queries, FEWEST)
        if among == "differing":
            alike, depth = _alike(pool, [into_run(run, columns=columns) for run in (runs or {}).values()], ask(measure))
            elsewhere = ~pl.col("query").is_in(alike.implode())
            # What was drawn among all queries is drawn among these, too.
            before = None if before is None else before.filter(elsewhere)
            drawn = _whole_queries(pool.filter(elsewhere), queries, before, None, rng)
            return drawn.with_columns(pl.lit(depth).alias(DIFFERING_DEPTH))
        if runs:
            raise InputError.of("judging.queries_without_runs", queries=queries)
        return _whole_queries(pool, queries, before, unsure, rng)
    budget = check_whole("items", items, FEWEST)
    if not runs:
        raise InputError.of("judging.items_need_runs")
    asked = ask(measure)
    if len(asked.measures) > 1:
        raise InputError.of("judging.one_measure", measures=list(map(str, asked.measures)))
    return _single_items(pool, runs, asked, budget, before, columns, rng)


def _whole_queries(
    pool: pl.DataFrame,
    wanted: int,
    before: pl.DataFrame | None,
    unsure: Mapping[Any, float] | None,
    rng: np.random.Generator,
) -> pl.DataFrame:
    names = pool["query"].unique(maintain_order=True).to_list()
    done = [] if before is None else before["query"].unique(maintain_order=True).to_list()
    strangers = sorted(set(done) - set(names))
    if strangers:
        raise InputError.of("judging.judged_elsewhere", query=strangers[0], count=len(strangers))
    if not len(done) <= wanted <= len(names):
        raise InputError.of("judging.too_many_queries", wanted=wanted, judged=len(done), total=len(names))
    if unsure is None:
        before_now = set(done)
        rest = [name for name in names if name not in before_now]
        picked = [*done, *(rest[at] for at in rng.choice(len(rest), wanted - len(done), replace=False))]
        chance = dict.fromkeys(picked, wanted / len(names))
    else:
        if done:
            raise InputError.of("judging.unsure_once")
        known = {str(query): value for query, value in unsure.items()}
        wrong = [name for name in names if not isinstance(known.get(name), Real) or not 0 < known[name] < math.inf]
        if wrong:
            raise InputError.of("judging.not_unsure", query=wrong[0], count=len(wrong), value=str(known.get(wrong[0])))
        size = np.array([float(known[name]) for name in names])
        all_chances = best_chances(0.5 * size / size.mean() + 0.5, float(wanted))
        taken = np.flatnonzero(rng.random(len(names)) < all_chances)
        chance = {names[at]: float(all_chances[at]) for at in taken}
        picked = list(chance)
    order = {query: place for place, query in enumerate(rng.permutation(np.array(picked, object)).tolist())}
    drawn = pool.filter(pl.col("query").is_in(picked)).select("query", "item")
    graded = drawn.with_columns(grade=pl.lit(None, pl.Float64)) if before is None else _known(drawn, before)
    return graded.with_columns(
        pl.col("query").replace_strict(chance, return_dtype=pl.Float64).alias(QUERY_CHANCE),
        pl.col("query").replace_strict(order, return_dtype=pl.Int64).alias("order"),
        pl.Series("place", rng.random(len(graded))),
    ).sort("order", "place").drop("order", "place")  # fmt: skip


def _alike(pool: pl.DataFrame, runs: Sequence[Run], asked: Asked) -> tuple[pl.Series, int]:
    """The queries on which the lists of some runs are the same, as deep as the deepest measure looks, and how deep."""
    if len(runs) < 2:
        raise InputError.of("judging.differing_runs", count=len(runs))
    depth, met = 1, dict[str, int]()
    for measure in asked.measures:
        cutoff = measure.describe().get("cutoff")
        if not isinstance(cutoff, int):
            raise InputError.of("judging.not_assisted", measure=str(measure), why=said("lists_need_depth"))
        depth = max(depth, cutoff)
    names = pool["query"].unique(maintain_order=True)
    codes = np.stack([list_codes(run, names, depth, met) for run in runs])
    return names.filter(pl.Series((codes == codes[0]).all(axis=0))), depth


def _known(drawn: pl.DataFrame, before: pl.DataFrame) -> pl.DataFrame:
    """Pairs with the grades that people gave before; of a query that they judged, what they judged is the pool."""
    old = before.join(drawn.select("query").unique(), on="query", how="semi")
    new = drawn.join(before.select("query").unique(), on="query", how="anti")
    return pl.concat([old, new.with_columns(grade=pl.lit(None, pl.Float64))])


def _single_items(
    pool: pl.DataFrame,
    runs: Mapping[str, object],
    asked: Asked,
    budget: int,
    before: pl.DataFrame | None,
    columns: Mapping[str, str] | None,
    rng: np.random.Generator,
) -> pl.DataFrame:
    measure = asked.measures[0]
    if (why := why_not_linear(measure)) is not None:
        raise InputError.of("judging.not_assisted", measure=str(measure), why=why)
    weights = _top_weights(asked, float(pool["grade"].max() or 1.0))  # type: ignore[arg-type]
    asked_queries = pool.select("query").unique(maintain_order=True)
    parts = []
    for name, run in runs.items():
        top = ranked_top(into_run(run, columns=columns), asked_queries, len(weights))
        here = pl.Series("weight", weights[top["rank"].to_numpy() - 1])
        parts.append(top.select("query", "item").with_columns(here, system=pl.lit(name)))
    # Of several runs mostly what decides between them: the largest weight less the smallest, nothing where not
    # returned. What all of them return at one rank decides nothing but counts for their values: it keeps a chance.
    absent = pl.when(pl.len() < len(runs)).then(0.0).otherwise(pl.col("weight").min())
    largest = pl.col("weight").max()
    size = (1 - VALUES_SHARE) * (largest - absent) + VALUES_SHARE * largest if len(runs) > 1 else largest
    counted = pl.concat(parts).group_by("query", "item", maintain_order=True).agg(size.alias("size"))
    if gaps := lacking(counted.filter(pl.col("size") > 0), pool):
        raise InputError.of("judging.machine_lacks_ranked", **gaps)
    listed = pool.join(counted, on=["query", "item"], maintain_order="left").filter(pl.col("size") > 0)
    errors = _errors(listed, before)
    chance = best_chances(listed["size"].to_numpy() * errors, float(budget))
    drawn = listed.with_columns(pl.Series(ITEM_CHANCE, chance)).filter(pl.Series(rng.random(len(listed)) < chance))
    shuffled = drawn[rng.permutation(len(drawn))]
    return shuffled.sort("query", maintain_order=True).select(
        "query", "item", pl.lit(None, pl.Float64).alias("grade"), ITEM_CHANCE, pl.lit(len(weights)).alias(ITEM_DEPTH)
    )


def _top_weights(asked: Asked, top: float) -> Floats:
    """(depth,) what an item of the highest grade adds at each rank."""
    depth = int(asked.measures[0].describe()["cutoff"])
    lists = (np.eye(depth) * top).tolist()
    ev = evaluate_placing(into_pair(ranked_grades(lists), None), asked, "weights")
    return np.asarray(ev.values[asked.measures[0]].value, np.float64)


def _errors(listed: pl.DataFrame, before: pl.DataFrame | None) -> Floats:
    """How far off the machine is expected to be, by its grade, from a pilot; without one, alike for all grades."""
    if before is None:
        return np.ones(len(listed))
    both = listed.join(before, on=["query", "item"], suffix="_people", maintain_order="left")
    if not len(both):
        raise InputError.of("judging.no_pilot")
    gap = (both["grade_people"] - both["grade"]).abs()
    overall = float(gap.mean() or 0.0)  # type: ignore[arg-type]
    seen = both.with_columns(gap=gap).group_by("grade").agg(((pl.col("gap") ** 2).mean().sqrt()).alias("error"))
    by_grade = dict(zip(seen["grade"].to_list(), seen["error"].to_list(), strict=True))
    return np.array([by_grade.get(grade, overall) for grade in listed["grade"].to_list()]) + FLOOR
