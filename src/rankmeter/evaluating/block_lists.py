"""Measures of lists from blocks of queries: values for each list, and for all lists counts and sums that merge exactly.

What all lists together are asked (coverage, Gini, exposure of groups) is a function of how often items stand in them,
or of sums over queries. Counts are whole numbers and sums are exact: blocks give the digits of everything in memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmeter.arithmetic import AGGREGATES, Values
from rankmeter.arithmetic.exact_sums import expansion
from rankmeter.arithmetic.slates import Counts, value_from_counts, values_from_sums
from rankmeter.errors import InputError, MeasureError
from rankmeter.evaluating.listing import Listing
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.late import pl
from rankmeter.lists.slating import Background, Given, Vocabulary, check_needs, order_of, shared_types
from rankmeter.measures import Measure
from rankmeter.measures.slate_base import SlateMeasure
from rankmeter.placing.indexes import PlacedRun

if TYPE_CHECKING:
    from rankmeter.evaluating.evaluation import About

ExactSums = Sequence[Sequence[float]]
"""For each sum over queries a few numbers whose exact sum it is."""


def listed_in(measures: Iterable[Measure]) -> list[SlateMeasure]:
    """The measures of lists among them."""
    return [measure for measure in measures if isinstance(measure, SlateMeasure)]


def check_blocks(measures: Sequence[Measure], about: About, judgments: Any) -> None:
    """Refuse what blocks of queries cannot answer, and measures that ask for what was not given."""
    for measure in measures:
        if not isinstance(measure, SlateMeasure) and measure.aggregate not in AGGREGATES:
            raise MeasureError.of("evaluating.whole_of_blocks", measure=measure)
    if about.by is not None:
        raise InputError.of("evaluating.slices_of_blocks")
    for measure in listed_in(measures):
        if measure.compares_slices:
            raise MeasureError.of("evaluating.gap_of_blocks", measure=measure)
        if measure.aggregate == "whole" and not (measure.counts_by or measure.of_sums):
            raise MeasureError.of("evaluating.whole_of_blocks", measure=measure)
        if measure.cutoff is None and measure.asks_for_longest:
            raise MeasureError.of("evaluating.longest_of_blocks", measure=measure)
    check_needs(measures, Given(judgments, None, about.catalogue, about.history), has_segments=False)  # type: ignore[arg-type]


def background_of(about: About, measures: Sequence[Measure], query: pl.Series, item: pl.Series) -> Background:
    """Catalogue and history made ready for blocks whose ids have these types; what is compared as text is said once."""
    _, item_type = shared_types(query, [item], about.catalogue, about.history)
    return Background.of(about.catalogue, about.history, item_type, measures)


@dataclass(frozen=True, slots=True)
class BlockLists:
    """What the lists of a block gave."""

    values: Mapping[Measure, Values]
    counts: pl.DataFrame
    """How often items stand in lists: a row for each group of measures (``of``), item and key (`Counts`)."""
    sums: Mapping[Measure, tuple[ExactSums, Sequence[float]]]
    """For measures of all lists that are a function of sums: those of this block, and the constants."""
    noticed: Mapping[str, int]


def count_groups(listed: Sequence[SlateMeasure]) -> dict[SlateMeasure, int]:
    """The measures of all lists that come from counts, and the number of what each counts; equal ones share one."""
    groups: dict[Any, int] = {}
    numbers = {}
    for measure in listed:
        if measure.counts_by:
            key = (measure.counts_by, measure.cutoff, order_of(measure), measure.query_policy)
            numbers[measure] = groups.setdefault(key, len(groups))
    return numbers


def measure_block(
    truth: JudgmentTable | None, run: RunTable, placed: PlacedRun, listed: Sequence[SlateMeasure], known: Background
) -> BlockLists:
    """Measure the lists of whole queries."""
    groups = count_groups(listed)
    lists = Listing.of(Given(truth, run, None, None, known), placed, listed, counted=groups)
    counts = [pl.DataFrame(schema={"of": pl.Int64, "item": known.ids.dtype, "key": pl.Int64, "times": pl.Int64})]
    for number, measure in {number: measure for measure, number in groups.items()}.items():
        counted = Counts.of(
            lists.slates[measure].pick(lists.values[measure].counted).cut(measure.cutoff), measure.counts_by
        )
        item = lists.material.vocabulary.ids.gather(pl.Series(counted.item))
        columns = {"of": np.full(len(item), number), "item": item, "key": counted.key, "times": counted.times}
        counts.append(pl.DataFrame(columns))
    sums = {
        measure: ([expansion(column) for column in whole.parts.T], whole.constants.tolist())
        for measure, whole in lists.wholes.items()
        if whole.parts is not None and whole.constants is not None
    }
    return BlockLists(lists.values, pl.concat(counts), sums, lists.noticed)


def merged_counts(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """What some blocks have counted together."""
    return pl.concat(frames).group_by("of", "item", "key").agg(pl.col("times").sum())


def merged_sums(parts: Iterable[ExactSums]) -> list[list[float]]:
    """What some blocks have added up together: still exact."""
    return [[number for part in column for number in part] for column in zip(*parts, strict=True)]


def values_of_counts(counts: pl.DataFrame, listed: Sequence[SlateMeasure], known: Background) -> dict[Measure, float]:
    """The value of every measure of all lists that comes from counts."""
    values: dict[Measure, float] = {}
    for measure, number in count_groups(listed).items():
        rows = counts.filter(pl.col("of") == number).sort("key")
        words = Vocabulary(known.ids)
        code = words.add(rows["item"])
        counted = Counts(code, rows["key"].to_numpy(), rows["times"].to_numpy())
        values[measure] = value_from_counts(counted, known.items(len(words)), measure)
    return values


def value_of_sums(sums: ExactSums, constants: Sequence[float], measure: Measure) -> float:
    """The value of a measure of all lists that is a function of sums, each rounded once."""
    rounded = np.array([math.fsum(column) for column in sums])
    return float(values_from_sums(rounded, np.array(constants, np.float64), measure))
