"""Rank-biased overlap of leaderboards: the formula on sets, ties in every order, lists that share some systems."""

from __future__ import annotations

import itertools
import random
from statistics import fmean

import pytest

import rankmeter as rm
from rankmeter.errors import InputError
from rankmeter.wings.judging.board_agreement import overlap


def on_sets(first: list[str], second: list[str], p: float) -> float:
    """Equation 32 of Webber, Moffat and Zobel, place by place."""
    short, long = sorted((first, second), key=len)
    s, l = len(short), len(long)  # noqa: E741 (as in the paper)
    common = [0, *(len({*short[:d]} & {*long[:d]}) for d in range(1, l + 1))]
    total = sum(common[d] / d * p**d for d in range(1, l + 1))
    total += sum(common[s] * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    return (1 - p) / p * total + ((common[l] - common[s]) / l + common[s] / s) * p**l


@pytest.mark.parametrize("seed", range(40))
def test_lists_of_other_systems_and_lengths(seed: int) -> None:
    draw = random.Random(seed)
    names = [f"s{at}" for at in range(12)]
    first, second = (draw.sample(names, draw.randint(1, 12)) for _ in range(2))
    p = draw.choice([0.3, 0.8, 0.95])
    found = rm.board_overlap(first, second, p=p)
    assert found.rbo == pytest.approx(on_sets(first, second, p))
    assert found.rbo == pytest.approx(rm.board_overlap(second, first, p=p).rbo)
    assert -1e-12 <= found.rbo <= 1 + 1e-12
    assert {*found.both, *found.only_first} == set(first)
    assert {*found.both, *found.only_second} == set(second)


@pytest.mark.parametrize("seed", range(15))
def test_ties_are_taken_in_every_order(seed: int) -> None:
    draw = random.Random(seed)
    boards = [{f"s{at}": draw.randint(0, 2) for at in draw.sample(range(6), draw.randint(2, 5))} for _ in range(2)]

    def orders(board: dict[str, int]) -> list[list[str]]:
        groups = [[name for name in board if board[name] == value] for value in sorted({*board.values()}, reverse=True)]
        mixed = itertools.product(*map(itertools.permutations, groups))
        return [list(itertools.chain.from_iterable(one)) for one in mixed]

    wanted = fmean(on_sets(a, b, 0.8) for a in orders(boards[0]) for b in orders(boards[1]))
    assert rm.board_overlap(*boards).rbo == pytest.approx(wanted)


def test_the_same_systems_have_the_overlap_of_two_judges() -> None:
    draw = random.Random(5)
    values = [[draw.random() for _ in range(9)] for _ in range(2)]
    import numpy as np

    boards = [{f"s{at}": value for at, value in enumerate(row)} for row in values]
    assert rm.board_overlap(*boards).rbo == pytest.approx(overlap(*map(np.array, values)))
    assert rm.board_overlap(boards[0], boards[0]).rbo == pytest.approx(1)
    assert rm.board_overlap(["a", "b"], ["c"]).rbo == 0


def test_it_reads_systems_across_tasks_and_says_who_is_where() -> None:
    table = {name: {task: (at + len(task)) / 10 for task in ("a", "bb")} for at, name in enumerate(("x", "y", "z"))}
    found = rm.board_overlap(rm.across(table), ["z", "w"])
    assert (found.both, found.only_first, found.only_second) == (("z",), ("y", "x"), ("w",))
    for language in ("en", "zh"):
        assert "w" in found.to_text(language)


@pytest.mark.parametrize(
    ("first", "second", "p", "kind"),
    [
        (["a"], ["b"], 1.0, "not_persistence"),
        (["a"], ["b"], 0.0, "not_persistence"),
        ([], ["b"], 0.8, "empty_board"),
        ({}, ["b"], 0.8, "empty_board"),
        (["a", "a"], ["b"], 0.8, "system_twice"),
        ("abc", ["b"], 0.8, "not_a_board"),
        (["a"], 3, 0.8, "not_a_board"),
    ],
)
def test_bad_boards_are_refused(first: object, second: object, p: float, kind: str) -> None:
    with pytest.raises(InputError) as caught:
        rm.board_overlap(first, second, p=p)
    assert caught.value.problem.kind == f"judging.{kind}"


@pytest.mark.parametrize("value", [float("nan"), "high", None])
def test_a_value_that_is_no_number_is_named(value: object) -> None:
    with pytest.raises(InputError, match="bm25"):
        rm.board_overlap({"bm25": value}, ["b"])
