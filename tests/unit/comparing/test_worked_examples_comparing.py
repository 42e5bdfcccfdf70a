"""Worked examples of what rankmeter.comparing computes."""

from __future__ import annotations

from rankmeter import RR, nDCG
from rankmeter.comparing.digest import order_by_likeness, pareto
from rankmeter.comparing.gate import parse_gate
from rankmeter.comparing.ranked_lists import families_of_cutoffs, overlaps
from rankmeter.comparing.requirements import check_requirements


def test_example_of_families():
    assert {name: len(several) for name, several in families_of_cutoffs((nDCG @ 10, nDCG @ 5, RR)).items()} == {
        "nDCG": 8,
        "RR": 8,
    }


def test_example_of_order_by_likeness():
    assert order_by_likeness([[1, 0.1, 0.9], [0.1, 1, 0.2], [0.9, 0.2, 1]]) == [1, 2, 0]


def test_example_of_pareto():
    assert pareto([(1, 3), (2, 2), (1, 2), (3, 1), None]) == [0, 1, 3]


def test_example_of_parse_gate():
    gate = parse_gate("nDCG@10 < baseline - 0.01")
    assert (gate.measure, gate.operator, gate.reference, gate.offset) == ("nDCG@10", "<", "baseline", -0.01)
    assert parse_gate("AP of dense <= bm25 - 2% significantly").relative


def test_example_of_requirement():
    [kept] = check_requirements({"q": {"a"}}, {"q": ["b", "a"]}, ["RR >= 0.5"])
    assert (kept.is_met, kept.value) == (True, 0.5)


def test_example_of_overlaps():
    # Of ab and ba A_1 = 0, A_2 = 1: 0.81 + (0.1 / 0.9) * 0.81.
    assert overlaps(["ab", "ba", "cd"])[0].round(4).tolist() == [1.0, 0.9, 0.0]
