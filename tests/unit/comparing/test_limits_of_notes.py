"""What is said about a comparison: p-values at their floor, lists that are the same, ties that decide, few units."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import polars as pl
import pytest

import rankmeter as rm
from rankmeter.comparing.notes import FEW_UNITS
from rankmeter.comparing.records import INTERVALS
from rankmeter.stats.intervals import METHODS
from rankmeter.wording import Said

FEW = {"permutations": 200, "resamples": 100}


def truth_of(count: int) -> dict[str, dict[str, float]]:
    return {f"q{number}": {"a": 1, "x": 0, "y": 0, "z": 0} for number in range(count)}


def at(ranks) -> dict[str, list[str]]:
    """A run in which the relevant item stands at these ranks."""
    return {f"q{number}": ["a", *"xyz"] if rank == 1 else [*"xyz"[: rank - 1], "a", *"xyz"[rank - 1 :]]
            for number, rank in enumerate(ranks)}  # fmt: skip


def compared(good, other, **options):
    return rm.compare(truth_of(len(good)), {"good": at(good), "other": at(other)}, ["RR"], **(FEW | options))


def kinds(notes) -> set[str]:
    return {note.kind for note in notes if isinstance(note, Said)}


FLOORS = {"p_floor_of_permutations", "p_floor_of_units"}


@pytest.mark.parametrize("alike", [False, True])
@pytest.mark.parametrize("agree", [True, False])
@pytest.mark.parametrize(
    ("test", "units", "permutations", "floor", "kind"),
    [
        ("randomisation", 10, 200, 1 / 201, "p_floor_of_permutations"),
        ("randomisation", 30, 200, 1 / 201, "p_floor_of_permutations"),
        ("randomisation", 10, 2000, 2 / 2**10, "p_floor_of_units"),
        ("randomisation", 20, 9998, 1 / 9999, "p_floor_of_permutations"),
        ("randomisation", 20, 9999, 1 / 10000, "p_floor_of_permutations"),
        ("randomisation", 20, 10000, 1 / 10001, ""),  # too small to be shown
        ("t", 10, 200, 2 / 2**10, "p_floor_of_units"),
        ("t", 14, 200, 2 / 2**14, "p_floor_of_units"),
        ("t", 15, 200, 2 / 2**15, ""),
        ("sign", 10, 200, 2 / 2**10, "p_floor_of_units"),
    ],
)
def test_a_p_value_that_cannot_be_smaller_is_said_with_its_floor(test, units, permutations, floor, kind, agree, alike):
    other = [2] * units if alike else [2 + number % 3 for number in range(units)]
    good = [1] * units
    if not agree:
        good[0], other[0], good[1], other[1] = other[0], 1, other[1], 1
    cmp = compared(good, other, test=test, permutations=permutations)
    signs_tested = alike and agree and test == "t"  # another note tells of it
    found = {note.kind: note for note in cmp.notes if isinstance(note, Said) and note.kind in FLOORS}
    at_floor = math.isclose(cmp.differences[0].p, floor)
    assert at_floor or not agree
    assert set(found) == ({kind} if kind and at_floor and not signs_tested else set())
    for note in found.values():
        assert f"{floor:.2g}" in str(note.values["pairs"])


@pytest.mark.parametrize("signs", [(1,), (1, 1), (1, 1, 1), (1, 1, -1), (1, -1), (1, 1, 1, -1)])
@pytest.mark.parametrize("test", ["t", "randomisation", "sign", "wilcoxon"])
def test_why_a_difference_of_few_units_has_no_interval_names_the_floor_only_where_p_is_at_it(test, signs):
    good, other = [1] * 12, [1] * 12
    for place, sign in enumerate(signs):
        (other if sign > 0 else good)[place] = 2 + place % 3
    pair = compared(good, other, test=test, interval="t").differences[0]
    assert pair.interval is None
    stands_for_t = test == "t" and pair.p <= 2 / 2 ** len(signs) * (1 + 1e-9)
    assert pair.reason.kind == ("few_differ_p_floor" if stands_for_t else "few_differ")
    assert pair.reason.values["count"] == len(signs)


@pytest.mark.parametrize("units", [1, 2, FEW_UNITS - 1, FEW_UNITS, FEW_UNITS + 1])
def test_one_unit_and_few_units_are_said_below_their_limits(units):
    found = kinds(compared([1] * units, [1 + number % 3 for number in range(units)]).notes)
    assert ("one_unit" in found, "few_units" in found) == (units == 1, 1 < units < FEW_UNITS)


def scored(ranking: list[str]) -> dict[str, float]:
    return {item: float(len(ranking) - place) for place, item in enumerate(ranking)}


def frame(run):
    rows = [(query, item, score) for query, items in run.items() for item, score in items.items()]
    return pl.DataFrame(rows, schema=["query", "item", "score"], orient="row")


@pytest.mark.parametrize(("one", "other"), list(product(["mapping", "lists", "frame", "file"], repeat=2)))
@pytest.mark.parametrize("same", [True, False])
def test_systems_with_the_same_lists_are_named_however_runs_are_given(one, other, same, tmp_path):
    """The lists differ behind the relevant item, so that all values are the same either way."""
    truth = truth_of(4)
    lists = [["a", "x", "y"], ["a", "x", "y"] if same else ["a", "y", "x"]]
    runs = {}
    for name, form, ranking in zip(("one", "other"), (one, other), lists, strict=True):
        run = {query: scored(ranking) for query in truth}
        path = tmp_path / f"{name}.run"
        if form == "file":
            path.write_text("".join(f"{query} Q0 {item} {place} {score} t\n" for query, items in run.items()
                                    for place, (item, score) in enumerate(items.items(), 1)), "utf-8")  # fmt: skip
            runs[name] = str(path)
        else:
            runs[name] = {"mapping": run, "lists": dict.fromkeys(truth, ranking), "frame": frame(run)}[form]
    found = kinds(rm.compare(truth, runs, ["RR"], **FEW).notes)
    assert ("same_lists" in found) == (same and one == other)  # of other forms it is not sure


@pytest.mark.parametrize("same", [True, False])
def test_matrices_are_the_same_lists_where_all_scores_are(same):
    truth = np.array([[1, 0, 0, 0]] * 4)
    scores = np.array([[4.0, 3.0, 2.0, 1.0]] * 4)
    other = scores if same else scores[:, [0, 2, 1, 3]]
    runs = {"one": rm.arrays(scores), "other": rm.arrays(other.copy())}
    found = kinds(rm.compare(rm.arrays(truth), runs, ["RR"], **FEW).notes)
    assert ("same_lists" in found) == same


@pytest.mark.parametrize("counts", [(1, 1), (1, 2), (2, 2)])
@pytest.mark.parametrize("saved", [False, True])
def test_systems_with_the_same_values_are_not_the_same_lists_unless_all_their_runs_are_known_and_alike(saved, counts):
    truth = truth_of(4)
    run, swapped = ({query: scored(ranking) for query in truth} for ranking in (["a", "x", "y"], ["a", "y", "x"]))
    pools = {"one": [run, run], "other": [run, swapped if counts[1] == 2 else run]}
    systems = {}
    for (name, runs), count in zip(pools.items(), counts, strict=True):
        kept = [rm.evaluate(truth, each, ["RR"]) if saved else each for each in runs[:count]]
        systems[name] = rm.seeds(kept) if count > 1 else kept[0]
    found = kinds(rm.compare(truth, systems, ["RR"], **FEW).notes)
    assert ("same_lists" in found) == (not saved and counts == (1, 1))


@pytest.mark.parametrize(("count", "unit"), [(1, "query"), (2, "query"), (2, "run")])
def test_runs_are_said_to_be_averaged_where_they_are_not_the_units(count, unit):
    runs = [[1, 2, 3, 1], [2, 1, 1, 3], [1, 1, 2, 2], [3, 2, 1, 1]]
    systems = {name: rm.seeds([at(ranks) for ranks in runs[first : first + count]])
               for first, name in ((0, "one"), (2, "two"))}  # fmt: skip
    found = kinds(rm.compare(truth_of(4), systems, ["RR"], unit=unit, **FEW).notes)
    assert ("runs_averaged" in found) == (count > 1 and unit == "query")


@pytest.mark.parametrize("measure", ["RR", "NumRel", "NumRet"])
@pytest.mark.parametrize(
    ("best", "rival", "could"),
    [
        # Scores of items a (relevant), x, y: ties of the rival at the top could lift it above what the best has.
        ((3, 2, 1), (2, 2, 1), False),  # level with the best at most
        ((2, 3, 1), (1, 1, 1), True),
        ((2, 3, 1), (1, 3, 2), False),
        ((2, 2, 1), (2, 3, 1), False),  # of equal systems none has won
        ((2, 2, 1), (1, 3, 2), False),
    ],
)
def test_ties_that_could_change_the_winner_are_said_where_more_is_better(best, rival, could, measure):
    truth = {f"q{number}": {"a": 1, "x": 0, "y": 0} for number in range(4)}
    systems = {name: {query: dict(zip("axy", scores, strict=True)) for query in truth}
               for name, scores in (("best", best), ("rival", rival))}  # fmt: skip
    cmp = rm.compare(truth, systems, [measure], **FEW)
    notes = kinds(cmp.notes)
    if measure != "RR":
        assert "ties_could_change_winner" not in notes
        return
    values = {name: cmp.score(measure, name).value for name in systems}
    leader, follower = sorted(values, key=lambda name: -values[name])
    ends = {name: cmp.score(measure, name).tie_bounds or (value, value) for name, value in values.items()}
    expected = values[follower] < values[leader] and max(ends[follower]) > min(ends[leader])
    assert ("ties_could_change_winner" in notes) == expected
    assert expected == could


def test_what_it_takes_to_repeat_the_numbers_is_said_of_every_way_of_making_them():
    settings = compared([1] * 6, [1, 2, 3] * 2).settings
    ways = product(
        ["t", "randomisation", "sign", "wilcoxon"], ["holm", "none", "bh"], METHODS,
        [True, False], [True, False], [True, False], [1, 3], [1, 2], ["baseline", "all"],
    )  # fmt: skip
    for test, correction, interval, paired, tested, bounded, pairs, baselines, family in ways:
        made = replace(settings, test=test, correction=correction, interval=interval, paired=paired, pairs=pairs,
                       baselines=baselines, family=family)  # fmt: skip
        told = {sentence.kind: sentence.values for sentence in made.sentences(tested=tested, bounded=bounded)}
        how = "tested" if paired else "tested_separately"
        expected = {"made_by"} | ({how, f"order_by_{family}"} if tested else set())
        assert set(told) == expected | ({"intervals_by"} if bounded else set())
        alone = "significant_alone" if correction == "none" else "significant_corrected"
        assert made.condition.kind == alone
        if tested:
            values = told[how]
            assert values["test"].kind == f"test_{'' if paired else 'separate_'}{test}"
            assert values["drawn"].kind == ("permutations" if test == "randomisation" else "nothing")
            assert values["tests"].kind == ("one_test" if pairs == 1 else "several_tests")
            several = family == "baseline" and baselines > 1
            assert values["against"].kind == ("against_baselines" if several else f"against_{family}")
        if bounded:
            drawn = paired and interval not in ("t", "hall")
            assert told["intervals_by"]["method"].kind == INTERVALS[interval if paired else "t"]
            assert told["intervals_by"]["drawn"].kind == ("resamples" if drawn else "nothing")
