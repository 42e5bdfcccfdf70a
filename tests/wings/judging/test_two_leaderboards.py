"""Leaderboards under two judges: who stays first, what pairs are decided, who is favoured, what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rankmeter as rm
from rankmeter.wings.judging.board_agreement import decisions, favour

Y = np.array([[0.6, 0.4, 0.8, 0.5, 0.7, 0.3], [0.5, 0.5, 0.7, 0.6, 0.6, 0.2], [0.4, 0.3, 0.6, 0.5, 0.5, 0.4]])
F = np.array([[0.7, 0.5, 0.8, 0.7, 0.8, 0.4], [0.6, 0.5, 0.8, 0.7, 0.7, 0.4], [0.8, 0.7, 0.9, 0.7, 0.8, 0.7]])


def world(systems=3, queries=30, items=12, seed=0):
    rng = np.random.default_rng(seed)
    people, machine, runs = {}, {}, {f"s{number}": {} for number in range(systems)}
    for query in range(queries):
        worth = rng.normal(size=items)
        grades = np.digitize(worth, [0.2, 0.9, 1.6])
        people[query] = dict(enumerate(map(int, grades)))
        machine[query] = dict(enumerate(map(int, np.clip(grades + (rng.random(items) < 0.3), 0, 3))))
        for number, run in enumerate(runs.values()):
            run[query] = dict(enumerate((worth + rng.normal(0, 0.3 + 0.2 * number, items)).tolist()))
    return people, machine, runs


def test_a_favoured_system_is_found():
    assert (F - Y).mean(1) == pytest.approx([0.1, 0.1, 0.316667], abs=5e-7)
    value, low, high, p, p_holm = favour(F - Y)[2]
    assert (value, low, high) == pytest.approx((0.216667, 0.103315, 0.330019), abs=5e-7)
    assert p == pytest.approx(0.004422, abs=5e-7)
    assert p_holm == pytest.approx(3 * p)


def test_decisions_are_counted_by_what_both_say():
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 0.01, (4, 30))
    people = np.array([[0.0], [1.0], [2.0], [2.0]]) + noise
    machine = np.array([[1.0], [0.0], [2.0], [3.0]]) + noise
    made = decisions(people, machine)
    assert made == {"both_same": 4, "both_opposite": 1, "only_people": 0, "only_machine": 1, "neither": 0}
    assert sum(decisions(people, people).values()) == 6


def test_the_boards_are_the_means_of_both_judges():
    people, machine, runs = world()
    found = rm.leaderboards(people, machine, runs, ["nDCG@5", "P@5"])
    for measure in ("nDCG@5", "P@5"):
        board = found[measure]
        assert [row.people_place for row in board.rows] == [1, 2, 3]
        for row in board.rows:
            assert row.people == pytest.approx(rm.evaluate(people, runs[row.system], [measure])[measure])
            assert row.machine == pytest.approx(rm.evaluate(machine, runs[row.system], [measure])[measure])
            assert row.bias == pytest.approx(row.machine - row.people)
        assert sum(board.decisions.values()) == 3
        assert np.isnan(board.tau_low)  # three systems
    assert "few_board_systems" in {note.kind for note in found.notes}


def test_the_same_judge_twice_agrees_with_itself():
    people, _, runs = world()
    board = rm.leaderboards(people, people, runs, "nDCG@5")["nDCG@5"]
    assert (board.tau, board.tau_ap, board.tau_h, board.rbo) == pytest.approx((1, 1, 1, 1))
    assert (board.largest_drop, board.regret, board.is_winner_kept) == (0, 0, True)
    assert board.ceiling == pytest.approx(1)
    assert board.people_halves == pytest.approx(board.machine_halves)


def test_ten_systems_have_an_interval_of_tau():
    people, machine, runs = world(systems=10, queries=40)
    board = rm.leaderboards(people, machine, runs, "nDCG@5", resamples=200)["nDCG@5"]
    assert board.tau_low <= board.tau_high <= 1
    again = rm.leaderboards(people, machine, runs, "nDCG@5", resamples=200)["nDCG@5"]
    assert again == board


def test_the_ceiling_is_what_people_say_of_the_machines_order():
    people, machine, runs = world(queries=12)
    board = rm.leaderboards(people, machine, runs, "P@5")["P@5"]
    oracle = rm.evaluate(people, machine, ["P(ties=mean)@5"]).mean["P(ties=mean)@5"]
    assert board.ceiling == pytest.approx(oracle)


def test_only_queries_of_both_count():
    people, machine, runs = world()
    few = {query: people[query] for query in range(12)}
    found = rm.leaderboards(few, machine, runs, "nDCG@5")
    assert (found.queries, found.people_queries, found.machine_queries) == (12, 12, 30)
    assert found["nDCG@5"].rows[0].people == pytest.approx(
        rm.evaluate(few, runs[found["nDCG@5"].rows[0].system], ["nDCG@5"])["nDCG@5"]
    )


def test_lower_is_better_ranks_the_other_way_round():
    people, machine, runs = world()
    board = rm.leaderboards(people, machine, runs, "MeanRank")["MeanRank"]
    assert board.rows[0].people == min(row.people for row in board.rows)


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (lambda p, m, r: (p, m, {"s0": r["s0"]}), "two_systems"),
        (lambda p, m, r: (p, m, [r["s0"]]), "two_systems"),
        (lambda p, m, r: (p, {f"x{q}": items for q, items in m.items()}, r), "no_common_query"),
        (lambda p, m, r: ({0: p[0]}, m, r), "too_few_board_queries"),
        (lambda p, m, r: (p, m, r, "AP(aggregate=geometric)"), "not_assisted"),
    ],
)
def test_what_cannot_be_ranked_is_refused(arguments, kind):
    with pytest.raises(rm.InputError) as caught:
        rm.leaderboards(*arguments(*world(queries=5)))
    assert caught.value.problem.kind == f"judging.{kind}"
    assert "提示" in caught.value.text("zh")


def test_it_shows_itself_everywhere():
    people, machine, runs = world()
    found = rm.leaderboards(people, machine, runs, "nDCG@5")
    for language in ("en", "zh"):
        for text in (found.to_text(language), found.to_markdown(language), found.to_html(language)):
            assert "nDCG@5" in text
    assert json.loads(found.to_json())["boards"]["nDCG@5"]["rows"][0]["people_place"] == 1
    assert len(found.to_polars()) == 3
    with pytest.raises(rm.NotFoundError):
        found["AP"]


def test_two_systems_that_are_the_same_have_no_order():
    people, machine, runs = world()
    board = rm.leaderboards(people, machine, {"one": runs["s0"], "same": runs["s0"]}, "nDCG@5")["nDCG@5"]
    assert np.isnan(board.tau)
    assert board.is_winner_kept
    assert board.decisions["neither"] == 1


def test_where_no_pair_is_decided_nothing_is_said_to_be_lost_or_kept():
    rng = np.random.default_rng(4)
    for seed in range(6):
        people, machine, runs = world(systems=2, queries=12, seed=seed)
        runs["s1"] = {q: {i: s + rng.normal(0, 0.05) for i, s in run.items()} for q, run in runs["s0"].items()}
        found = rm.leaderboards(people, machine, runs, "nDCG@5")
        counts = found["nDCG@5"].decisions
        is_decided = counts["both_same"] + counts["both_opposite"] + counts["only_people"] > 0
        text = repr(found)
        assert ("which one is best is not decided" in text) != is_decided
        assert ("stays the best" in text or "shipping that one loses" in text) == is_decided
