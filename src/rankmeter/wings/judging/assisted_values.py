"""Values under people's judgments and under a machine's, put together query by query or item by item."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmeter.comparing.unjudged import graded_pairs, ranked_top, scored_pairs
from rankmeter.errors import InputError
from rankmeter.evaluating.asking import Asked
from rankmeter.evaluating.evaluation import evaluate_measure
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.late import pl
from rankmeter.measures import Measure
from rankmeter.placing.placements import Floats, Ints
from rankmeter.stats.corrections import Correction
from rankmeter.wings.judging.assistance import Assistance
from rankmeter.wings.judging.estimators import FEWEST
from rankmeter.wings.judging.observed import Design, Seen, SingleItems, WholeQueries
from rankmeter.wings.judging.panel import unlike_scales
from rankmeter.wording import Said, said

if TYPE_CHECKING:
    from rankmeter.evaluating.result import Evaluation
    from rankmeter.inputs.tables import Judgments, Run

LINEAR: Mapping[str, Mapping[str, object]] = {"P": {"norm": "k"}, "CG": {}, "DCG": {}, "RBP": {"norm": "none"}}
"""Measures that are sums over items with weights from ranks alone, and the options under which they are."""
WHOLE = 2**40
"""Deeper than any list."""
LINEAR_WHERE: Mapping[str, tuple[object, ...]] = {
    "empty": ("zero",), "miss": ("zero",), "candidates": ("all",), "unjudged": ("nonrelevant",), "sign": ("ignored",),
    "ties": ("item", "item-ascending", "input", "reversed", "mean"), "negative": ("unjudged",),
}  # fmt: skip


def assist(
    people: Mapping[str, Evaluation],
    machine: Mapping[str, Evaluation],
    design: Design,
    *,
    judgments: tuple[Judgments, Judgments],
    runs: Mapping[str, Run],
    asked: Asked,
    pairs: Sequence[tuple[str, str]] = (),
    level: float = 0.95,
    correction: Correction = "holm",
    half_width: float | None = None,
) -> Assistance:
    """Put the evaluations of some systems under people's and under the machine's judgments together.

    ``judgments`` are people's and the machine's; ``runs`` are looked at where single items were drawn.
    """
    human, guessed = map(judged_pairs, judgments)
    if gaps := lacking(human, guessed):
        raise InputError.of("judging.machine_lacks", source=judgments[1].source, total=len(human), **gaps)
    judged = set(judgments[0].judgment_table().query.cast(pl.String))
    observed: dict[tuple[str, str], Seen] = {}
    refused: dict[str, Said] = {}
    lists_met: dict[str, int] = {}
    if design.is_partial and (several := [name for name in people if name not in runs]):
        raise InputError.of("judging.items_of_one_run", system=several[0])
    if design.kind == "differing":
        _check_differing(runs, guessed, design, pairs)
    for measure in asked.measures:
        seen: Mapping[str, Seen] | Said | None = _why_not(measure, design)
        if seen is None and design.kind == "items":
            graded = human, guessed
            seen = {name: _items_seen(measure, ev, runs[name], graded, design) for name, ev in machine.items()}
        elif seen is None:
            sides = {
                name: (counted_values(ev, measure), counted_values(machine[name], measure), judged)
                for name, ev in people.items()
            }
            seen = queries_seen(sides, design)
        if isinstance(seen, Said):
            refused[str(measure)] = seen
            continue
        for name, of_system in seen.items():
            if pairs and name in runs and isinstance(of_system, WholeQueries):
                lists = _list_codes(measure, machine[name], runs[name], lists_met)
                of_system = replace(of_system, lists=lists)
            observed[str(measure), name] = of_system
    if not observed:
        name, why = next(iter(refused.items()))
        raise InputError.of("judging.not_assisted", measure=name, why=why)
    notes = _notes(observed, judgments, 0 if design.kind == "items" else _machine_only(human, guessed), design)
    usable = tuple(measure for measure in asked.measures if str(measure) not in refused)
    return Assistance(
        systems=tuple(people), measures=usable, observed=observed,
        bounds={str(measure): measure.bounds for measure in usable}, names=asked.names, refused=refused, design=design,
        pairs=tuple(pairs), level=level, correction=correction, half_width=half_width, notes=tuple(notes),
    )  # fmt: skip


def _notes(
    observed: Mapping[tuple[str, str], Seen],
    judgments: tuple[Judgments, Judgments],
    left: int,
    design: Design,
) -> list[Said]:
    """What the numbers rest on, and why an interval may hold less than it says; people left out ``left`` pairs."""
    judged, total = (side.judgment_table().query.n_unique() for side in judgments)
    notes = [*design.notes(judged, total), *unlike_scales(*judgments)]
    if left:
        notes.append(said("partly_judged", count=left))
    if design.kind == "items":
        notes += [said("items_judged"), said("drawn_for_these_runs")]
    cautions = {note.kind: note for seen in observed.values() for note in seen.cautions()}
    notes += cautions.values()
    tuned = [seen for seen in observed.values() if seen.method == "tuned"]
    # Below this correlation the machine costs more than it gives.
    if any(seen.correlation < 1 / math.sqrt(max(seen.judged - 2, 1)) for seen in tuned):
        notes.append(said("machine_of_no_use"))
    return [*notes, said("assisted_columns"), said("machine_without_interval")]


def judged_pairs(judgments: Judgments) -> pl.DataFrame:
    """``query``, ``item`` and ``grade`` of the pairs that were judged, ids as text; a grade below 0 is no judgment."""
    return graded_pairs(judgments).filter(pl.col("grade") >= 0)


def lacking(pairs: pl.DataFrame, guessed: pl.DataFrame) -> dict[str, Any]:
    """How many pairs the machine did not judge, and the first of them; empty where it judged all."""
    left = pairs.select("query", "item").join(guessed, on=["query", "item"], how="anti")
    return {"count": len(left), "query": left["query"][0], "item": left["item"][0]} if len(left) else {}


def counted_values(ev: Evaluation, measure: Measure) -> dict[str, float]:
    """The value of each query that counts, by its id as text."""
    seen = ev.values[measure]
    rows = zip(ev.queries.cast(pl.String).to_list(), seen.value.tolist(), seen.counted.tolist(), strict=True)
    return {query: value for query, value, counts in rows if counts}


def _why_not(measure: Measure, design: Design) -> Said | None:
    """Why a measure has no valid estimate; None where it has one."""
    if measure.aggregate != "mean":
        return said("no_mean", aggregate=measure.aggregate)
    if not design.is_partial:
        return None
    definition = measure.describe()
    cutoff = definition.get("cutoff")
    if design.kind == "differing":
        if definition.get("ties") not in (None, "item"):
            return said("ties_decide_lists", ties=str(definition["ties"]))
        is_deep = design.depth is not None and (not isinstance(cutoff, int) or cutoff > design.depth)
        return said("compared_less_deep", depth=design.depth) if is_deep else None
    if design.depth is not None and isinstance(cutoff, int) and cutoff > design.depth:
        return said("drawn_less_deep", depth=design.depth, cutoff=cutoff)
    return why_not_linear(measure)


def why_not_linear(measure: Measure) -> Said | None:
    """Why a measure is not a sum over items with weights from their ranks alone; None where it is one."""
    definition = measure.describe()
    name = str(definition["measure"])
    if name not in LINEAR:
        return said("not_linear")
    if definition.get("cutoff") is None:
        return said("no_cutoff")
    options: dict[str, tuple[object, ...]] = {**LINEAR_WHERE, **{key: (value,) for key, value in LINEAR[name].items()}}
    for option, allowed in options.items():
        if option in definition and definition[option] not in allowed:
            return said("not_linear_under", option=option, value=str(definition[option]))
    return None


def _machine_only(human: pl.DataFrame, guessed: pl.DataFrame) -> int:
    """How many pairs the machine judged in the queries of people, and people did not."""
    return len(guessed.join(human, on="query", how="semi").join(human, on=["query", "item"], how="anti"))


def queries_seen(
    sides: Mapping[str, tuple[Mapping[str, float], Mapping[str, float], Collection[str]]], design: Design
) -> dict[str, WholeQueries] | Said:
    """Each system's values by the machine, and by people where they judged; or why there is no valid estimate.

    ``sides`` are, for each system, the values of the queries that count by people and by the machine, and the queries
    that people judged: one that counts under one of the judgments only would make the estimate one of other queries.
    """
    seen = {}
    for truth, other, judged in sides.values():
        for query in (*truth, *other):
            if query in judged and (query in truth) != (query in other):
                return said("query_not_counted", query=query, people=query in truth)
    for name, (truth, other, judged) in sides.items():
        both = [query for query in other if query in truth and query in judged]
        if len(both) < FEWEST:
            raise InputError.of("judging.too_few_judged", count=len(both), fewest=FEWEST)
        chances = None
        if design.kind == "unequal" and design.chances is not None:
            known = dict(design.chances.iter_rows())
            chances = np.array([known.get(query, math.nan) for query in both])
        seen[name] = WholeQueries(
            machine=np.array([*other.values()]), people=np.array([truth[query] for query in both]),
            is_judged=np.isin([*other], both), chances=chances, only_differing=design.kind == "differing",
        )  # fmt: skip
    return seen


def _list_codes(measure: Measure, machine: Evaluation, run: Run, met: dict[str, int]) -> Ints | None:
    """(counted,) a number for the list of each query that counts, as deep as the measure looks; None where ties decide.

    ``met`` holds the lists seen so far: those of two systems that are the same have the same number.
    """
    definition = measure.describe()
    if definition.get("ties") not in (None, "item"):
        return None
    depth = definition.get("cutoff")
    codes = list_codes(run, machine.queries.cast(pl.String), depth if isinstance(depth, int) else WHOLE, met)
    return codes[machine.values[measure].counted]


def list_codes(run: Run, queries: pl.Series, depth: int, met: dict[str, int]) -> Ints:
    """(queries,) a number for the first ``depth`` items of each query, the same for the same list."""
    top = ranked_top(run, pl.DataFrame({"query": queries}), depth)
    listed = dict(top.group_by("query").agg(pl.col("item").sort_by("rank").str.join("\n")).iter_rows())
    return np.array([met.setdefault(listed.get(query, ""), len(met)) for query in queries.to_list()], np.int64)


def _check_differing(
    runs: Mapping[str, Run], guessed: pl.DataFrame, design: Design, pairs: Sequence[tuple[str, str]]
) -> None:
    """Refuse queries drawn where lists differ for the value of a system, or for lists that differ elsewhere."""
    if not pairs:
        raise InputError.of("judging.differing_needs_pairs")
    met: dict[str, int] = {}
    queries = guessed["query"].unique(maintain_order=True)
    codes = {name: list_codes(run, queries, design.depth or WHOLE, met) for name, run in runs.items()}
    for system, other in pairs:
        count = int((codes[system] != codes[other]).sum())
        if count > design.eligible:
            raise InputError.of(
                "judging.drawn_for_others", system=system, other=other, count=count, drawn=design.eligible,
                depth=design.depth,
            )  # fmt: skip


def _items_seen(
    measure: Measure, machine: Evaluation, run: Run, graded: tuple[pl.DataFrame, pl.DataFrame], design: Design
) -> SingleItems:
    """Each drawn item alone in its list gives what its grade adds, by people and by the machine."""
    other = machine.values[measure]
    place_of = {query: place for place, query in enumerate(machine.queries.cast(pl.String).to_list())}
    human, guessed = graded
    top = ranked_top(run, guessed.select("query").unique(), int(measure.describe()["cutoff"]))
    if gaps := lacking(top, guessed):
        raise InputError.of("judging.machine_lacks_ranked", **gaps)
    chances = design.chances if design.chances is not None else human.with_columns(chance=pl.lit(1.0))
    drawn = chances.join(human, on=["query", "item"], maintain_order="left")
    drawn = drawn.join(guessed, on=["query", "item"], suffix="_machine", maintain_order="left")
    if len(drawn) < FEWEST:
        raise InputError.of("judging.too_few_judged", count=len(drawn), fewest=FEWEST)
    gains = _added(measure, drawn, "grade", run)
    corrections = gains - _added(measure, drawn, "grade_machine", run)
    share = drawn["chance"].to_numpy()
    place: Ints = np.array([place_of[query] for query in drawn["query"].to_list()], np.int64)
    size = len(other.value)
    moved, alone = (np.bincount(place, part / share, size).astype(np.float64) for part in (corrections, gains))
    counted = other.counted
    return SingleItems(
        machine=other.value[counted], corrected=(other.value + moved)[counted], from_people=alone[counted],
        corrections=corrections, gains=gains, chances=share, queries_seen=len(np.unique(place)),
    )  # fmt: skip


def _added(measure: Measure, drawn: pl.DataFrame, grade: str, run: Run) -> Floats:
    """What each drawn item adds to its query: the value of its list where nothing else is relevant."""
    alone = drawn.select(pl.int_range(pl.len(), dtype=pl.Int64).alias("number"), "query", "item", grade)
    copied = alone.select("number", "query").join(scored_pairs(run), on="query", maintain_order="left_right")
    single = JudgmentTable(alone["number"], alone["item"], alone[grade].alias("grade"))
    copies = RunTable(copied["number"], copied["item"], copied["score"], scored=run.run_table().scored)
    ev = evaluate_measure(single, copies, measure)
    values = np.zeros(len(alone))
    values[ev.queries.to_numpy()] = ev.values[measure].value
    return values
