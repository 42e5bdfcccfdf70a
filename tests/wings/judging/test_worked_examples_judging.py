"""Worked examples of what judging computes."""

from __future__ import annotations

import numpy as np

from rankmeter.wings.judging.estimators import best_chances, judgments_needed, tuned, weighted_mean
from rankmeter.wings.judging.evidence_scores import _rounded
from rankmeter.wings.judging.evidence_spans import words_and_marks
from rankmeter.wings.judging.judge_agreement import weights
from rankmeter.wings.judging.panel import parse_scale, plain_number
from rankmeter.wings.judging.risk_areas import risks


def test_example_of_rounded():
    assert (_rounded(1234.5), _rounded(7.4)) == (1200, 7)


def test_example_of_words_and_marks():
    assert words_and_marks("It's 42 猫狗.") == [(0, 2), (2, 3), (3, 4), (5, 7), (8, 9), (9, 10), (10, 11)]


def test_example_of_plain_number():
    assert (plain_number(2.0), plain_number(0.5)) == ("2", "0.5")


def test_example_of_parse_scale():
    assert (parse_scale("0..3").tolist(), parse_scale([1, 0.5, 0]).tolist()) == ([0.0, 1.0, 2.0, 3.0], [0.0, 0.5, 1.0])


def test_example_of_tuned():
    people, machine = np.array([0.9, 0.4, 0.6, 0.2, 0.7, 0.5]), np.array([0.8, 0.5, 0.7, 0.4, 0.9, 0.5])
    rest = [0.6, 0.3, 0.9, 0.7, 0.5, 0.8, 0.4, 1.0, 0.6, 0.7, 0.5, 0.9, 0.2, 0.6]
    made = tuned(people, machine, np.array([*machine, *rest]))
    assert (round(float(made.value), 6), round(float(made.low), 6), round(float(made.high), 6)) == (
        0.540948,
        0.346455,
        0.735441,
    )


def test_example_of_weighted_mean():
    made = weighted_mean(np.array([1.0, 0.5, 0.25]), np.array([0.5, 0.5, 0.25]), 8)
    assert (float(made.value), round(float(made.low), 4), round(float(made.high), 4)) == (0.5, -0.6584, 1.6584)


def test_example_of_best_chances():
    assert best_chances(np.array([4.0, 1.0, 1.0, 0.0]), 2).tolist() == [1.0, 0.5, 0.5, 0.0]


def test_example_of_judgments_needed():
    assert (judgments_needed(0.28, 0.8, 500, 0.05), judgments_needed(0.28, 0.0, 500, 0.05)) == (56, 123)


def test_example_of_weights():
    assert weights(np.array([0.0, 1.0, 3.0]), "linear").round(3).tolist() == [
        [1.0, 0.667, 0.0],
        [0.667, 1.0, 0.333],
        [0.0, 0.333, 1.0],
    ]


def test_example_of_risks():
    assert risks(np.array([0.9, 0.5, 0.1]), np.array([0.0, 1.0, 1.0])).round(4).tolist() == [0.0, 0.5, 0.6667]
