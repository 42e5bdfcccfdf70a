"""Worked examples of what rankmeter.judging computes."""

from __future__ import annotations

from rankmeter.judging.evidence_scores import _rounded
from rankmeter.judging.evidence_spans import words_and_marks
from rankmeter.judging.panel import parse_scale, plain_number


def test_example_of_rounded():
    assert (_rounded(1234.5), _rounded(7.4)) == (1200, 7)


def test_example_of_words_and_marks():
    assert words_and_marks("It's 42 猫狗.") == [(0, 2), (2, 3), (3, 4), (5, 7), (8, 9), (9, 10), (10, 11)]


def test_example_of_plain_number():
    assert (plain_number(2.0), plain_number(0.5)) == ("2", "0.5")


def test_example_of_parse_scale():
    assert (parse_scale("0..3").tolist(), parse_scale([1, 0.5, 0]).tolist()) == ([0.0, 1.0, 2.0, 3.0], [0.0, 0.5, 1.0])
