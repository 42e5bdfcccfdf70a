"""Methods that learn from judgments: what a second computation by hand gives, and what is refused."""

from __future__ import annotations

import math

import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter.cli import app
from rankmeter.errors import InputError

A = {"q1": {"d1": 10, "d2": 8, "d3": 7, "d4": 1}, "q2": {"d1": 3, "d5": 2}}
B = {"q1": {"d3": 0.9, "d5": 0.8, "d1": 0.2}, "q2": {"d6": 0.7}}
JUDGED = {"q1": {"d1": 1, "d3": 2, "d9": 0}, "q2": {"d6": 1}, "q7": {"d1": 1}}
TRAINED = ("mapfuse", "posfuse", "slidefuse", "probfuse", "segfuse", "bayesfuse")


def by_hand(how: str, rank: int, run: int, length: int) -> float:
    """What a rank is worth, computed by hand for these lists."""
    if how == "mapfuse":
        return [(1 + 2 / 3) / 2 / 2, (1 / 2 * (1 + 2 / 3) + 1) / 2][run] / rank
    at = [[0.5, 0, 1, 0], [1, 0, 1]][run]
    if how == "posfuse":
        return at[rank - 1]
    if how == "slidefuse":
        around = range(max(1, rank - 1), min(length, rank + 1) + 1)
        return sum(at[place - 1] for place in around) / len(around)
    if how == "probfuse":
        size = math.ceil(length / 2)
        return [[0.25, 0.25], [0.75, 0.5]][run][(rank - 1) // size] / ((rank - 1) // size + 1)
    chance = [0.2, 0.3][run]
    return math.log(chance / (1 - chance)) if how == "bayesfuse" else chance


@pytest.mark.parametrize("how", TRAINED)
def test_a_trained_method_gives_what_is_computed_by_hand(how):
    options = {"segments": 2} if how == "probfuse" else {"norm": "none"} if how == "segfuse" else {}
    made = rm.fuse({"a": A, "b": B}, how, judgments=JUDGED, **options)
    for query in ("q1", "q2"):
        expected = {item: 0.0 for run in (A, B) for item in run[query]}
        for number, run in enumerate((A, B)):
            for item in expected:
                ranked = list(run[query])
                if item in ranked:
                    worth = by_hand(how, ranked.index(item) + 1, number, len(ranked))
                    expected[item] += worth * (run[query][item] + 1) if how == "segfuse" else worth
                elif how == "bayesfuse":
                    expected[item] += math.log(0.001 / 0.999)
        assert made.to_dict()[query] == pytest.approx(expected, abs=1e-12)
    assert rm.evaluate(JUDGED, made, "RR").mean


def test_what_was_learned_is_applied_to_other_lists():
    learned = rm.fuse({"a": A, "b": B}, "posfuse", judgments=JUDGED).definition
    made = rm.fuse({"a": {"new": {"x": 2.0, "y": 1.0}}, "b": {"new": {"y": 1.0}}}, learned).to_dict()
    assert made == {"new": {"y": 1.0, "x": 0.5}}
    with pytest.raises(InputError, match="learned from 2 runs"):
        rm.fuse([A, A, A], learned, queries="all")


@pytest.mark.parametrize(
    ("how", "options", "message"),
    [
        ("posfuse", {}, "learns from judgments, and none"),
        ("rrf", {"judgments": JUDGED}, "learns nothing"),
        ("mapfuse", {"judgments": {"q1": {"d1": 0}}}, "nothing to learn"),
        ("posfuse", {"learned": 1}, "learned"),
    ],
)
def test_what_cannot_be_learned_is_refused(how, options, message):
    with pytest.raises(InputError, match=message):
        rm.fuse({"a": A, "b": B}, how, **options)
    with pytest.raises(InputError, match="scored on"):
        rm.tune(JUDGED, {"a": A, "b": B}, grid=["posfuse"], folds=2)


def test_the_command_learns_too(tmp_path):
    for name, run in (("a", A), ("b", B)):
        rows = [f"{q} Q0 {d} 1 {s} {name}\n" for q, items in run.items() for d, s in items.items()]
        (tmp_path / f"{name}.run").write_text("".join(rows))
    (tmp_path / "train.qrels").write_text("q1 0 d1 1\nq1 0 d3 2\nq2 0 d6 1\n")
    line = ["fuse", str(tmp_path / "a.run"), str(tmp_path / "b.run"), "--how", "mapfuse"]
    done = CliRunner().invoke(app, [*line, "--judgments", str(tmp_path / "train.qrels")])
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[0].split()[:3] == ["q1", "Q0", "d3"]
    refused = CliRunner().invoke(app, line)
    assert refused.exit_code == 2
    assert "--judgments train.qrels" in refused.stderr
