"""What each run adds, against plain second computations."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest
from click.testing import CliRunner
from tests.wings.fusion.test_tuning import made_up

import rankmeter as rm
from rankmeter.cli import app
from rankmeter.errors import InputError


def first_items(run, query, cutoff):
    return [item for item, _ in sorted(sorted(run[query].items(), reverse=True), key=lambda one: -one[1])][:cutoff]


def rank_biased(one, other, cutoff):
    agreement = [len(set(one[:d]) & set(other[:d])) / d for d in range(1, cutoff + 1)]
    return sum(0.1 * 0.9**at * share for at, share in enumerate(agreement)) / (1 - 0.9**cutoff)


@pytest.mark.parametrize(("runs", "how"), [(2, "rrf"), (3, "wsum(norm=max,weights=0.2:0.3:0.5)"), (4, "mnz")])
def test_every_number_equals_a_plain_second_computation(runs, how):
    judgments, given = made_up(15, runs, np.random.default_rng(runs))
    found = rm.ablate(judgments, given, "nDCG@4", how, cutoff=3)
    value = rm.evaluate(judgments, rm.fuse(given, how), "nDCG@4")["nDCG@4"]
    assert found.fused == pytest.approx(value)
    relevant = {(query, item) for query, items in judgments.items() for item, grade in items.items() if grade >= 1}
    held = {name: {(q, d) for q, items in run.items() for d in items} & relevant for name, run in given.items()}
    for at, one in enumerate(found.runs):
        left = {name: run for name, run in given.items() if name != one.run}
        weights = [w for place, w in enumerate((0.2, 0.3, 0.5)) if place != at]
        fused = (
            next(iter(left.values()))
            if runs == 2
            else rm.fuse(left, how, **({"weights": weights} if runs == 3 else {}))
        )
        assert one.without == pytest.approx(rm.evaluate(judgments, fused, "nDCG@4")["nDCG@4"])
        assert one.adds == pytest.approx(value - one.without)
        assert not one.low > one.adds
        assert not one.high < one.adds
        assert one.unique == len(held[one.run] - set().union(*(held[name] for name in left)))
        assert one.alone == pytest.approx(rm.evaluate(judgments, given[one.run], "nDCG@4")["nDCG@4"])
    assert found.relevant == len(set().union(*held.values()))
    for pair, (first, second) in zip(found.overlaps, combinations(given, 2), strict=True):
        lists = [(first_items(given[first], q, 3), first_items(given[second], q, 3)) for q in given[first]]
        lists = [both for both in lists if any(both)]
        jaccard = np.mean([len(set(a) & set(b)) / len(set(a) | set(b)) for a, b in lists])
        assert (pair.jaccard, pair.rbo) == pytest.approx((jaccard, np.mean([rank_biased(a, b, 3) for a, b in lists])))
    per_query = [rm.evaluate(judgments, run, "nDCG@4").per_query["nDCG@4"].to_numpy() for run in given.values()]
    assert found.best_run == pytest.approx(np.max(per_query, axis=0).mean())
    ideal = {q: {d: judgments[q].get(d, -1) for run in given.values() for d in run[q]} for q in judgments}
    assert found.bound == pytest.approx(rm.evaluate(judgments, ideal, "nDCG@4")["nDCG@4"])
    assert found.bound >= max(found.fused, found.best_run)


def test_equal_runs_add_nothing_and_overlap_wholly():
    run = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 1.0}}
    found = rm.ablate({"q1": {"b": 1}, "q2": {"c": 1}}, {"x": run, "y": run}, "RR")
    assert [(one.adds, one.unique, one.p) for one in found.runs] == [(0, 0, 1), (0, 0, 1)]
    assert found.overlaps[0].jaccard == 1
    assert "adds" in str(found)
    assert "贡献" in found.to_text("zh")


def test_what_cannot_be_taken_apart_is_refused():
    with pytest.raises(InputError, match="scored on"):
        rm.ablate({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}, "y": {"q": {"a": 1.0}}}, "RR", "posfuse")
    with pytest.raises(InputError, match="cutoff"):
        rm.ablate({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}, "y": {"q": {"a": 1.0}}}, cutoff=0)


def test_the_command_gives_what_the_call_gives(tmp_path):
    judgments, runs = made_up(12, 2, np.random.default_rng(9))
    for name, run in runs.items():
        rows = [f"{q} Q0 {d} 1 {s} {name}\n" for q, items in run.items() for d, s in items.items()]
        (tmp_path / f"{name}.run").write_text("".join(rows))
    rows = [f"{q} 0 {d} {g}\n" for q, items in judgments.items() for d, g in items.items()]
    (tmp_path / "judged.qrels").write_text("".join(rows))
    paths = {name: str(tmp_path / f"{name}.run") for name in runs}
    line = ["ablate", str(tmp_path / "judged.qrels"), *paths.values(), "-m", "AP", "--queries", "all"]
    done = CliRunner().invoke(app, [*line, "--format", "json"])
    assert done.exit_code == 0, done.output
    same = rm.ablate(str(tmp_path / "judged.qrels"), paths, "AP", queries="all")
    assert json.loads(done.stdout) == {"schema": "rankmeter/ablate/1", **json.loads(same.to_json())}
