"""Tuning: the values of a grid, the choice inside folds, what is said of it; and that it does not flatter."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter.cli import app
from rankmeter.errors import InputError
from rankmeter.wings.fusion.folds import chosen_outside, first_best, fold_of_units, inseparable
from rankmeter.wings.fusion.grids import compositions, read_grid, settings_of
from rankmeter.wings.fusion.known_methods import METHODS

PLAIN = sorted(name for name, method in METHODS.items() if not method.trained)
MEASURES = ["nDCG@3", "AP", "RR(ties=item-ascending)@2", "P(rel=2)@3", "R@5", "nDCG(ties=mean)@4", "RR(ties=input)",
            "Bpref", "RBP(p=0.8)", "nDCG(queries=common)"]  # fmt: skip


def made_up(queries, runs, rng, *, docs=12, signal=1.0):
    """Judgments and runs with rounded scores, so that there are ties; some queries return nothing."""
    judgments, given_runs = {}, {f"r{run}": {} for run in range(runs)}
    for q in range(queries):
        grade = {f"d{d}": int(rng.integers(0, 3)) for d in range(docs) if rng.random() < 0.4}
        judgments[f"q{q}"] = grade or {"d0": 1}
        for run in given_runs.values():
            held = rng.permutation(docs)[: rng.integers(0, docs)]
            run[f"q{q}"] = {f"d{d}": round(signal * grade.get(f"d{d}", 0) + rng.normal(), 1) for d in held.tolist()}
    return judgments, given_runs


@pytest.mark.parametrize(("measure", "seed"), [(measure, seed) for seed, measure in enumerate(MEASURES)])
def test_the_values_of_a_grid_are_those_of_each_fused_run(measure, seed):
    rng = np.random.default_rng(seed)
    runs = 2 + seed % 2
    judgments, given_runs = made_up(6, runs, rng)
    judgments["nobody"] = {"d1": 2}
    at = 3 * seed % len(PLAIN)  # every method under some measure
    how = [*PLAIN[at : at + 4], "wsum", "qdrant:rrf", "txtai:rrf" if runs == 2 else "rrf(top=3)", "rrf(depth=2)"]
    points = [(1.0, 0.5, 0.0)[:runs], (0.3, 0.4, 0.3)[:runs]]
    grid = {"how": how, "norm": ["z-score"], "k": [1], "weights": points}
    tuned = rm.tune(judgments, given_runs, measure, grid=grid, folds=2, fast=True, queries="all")
    for one in tuned.settings:
        evaluated = rm.evaluate(judgments, rm.fuse(given_runs, one.definition), measure)
        assert one.value == pytest.approx(evaluated[measure], abs=1e-12), one.definition


def test_the_measures_above_meet_every_method():
    assert {PLAIN[at] for seed in range(len(MEASURES)) for at in range(3 * seed % len(PLAIN), len(PLAIN))[:4]} == set(
        PLAIN
    )


def test_integer_compositions_lose_no_point():
    assert [len(list(compositions(10, runs))) for runs in (2, 3, 4, 5)] == [11, 66, 286, 1001]
    assert all(sum(parts) == 20 for parts in compositions(20, 3))
    assert len(settings_of({"how": "wsum", "weights": 20}, 3, {})) == 231


@pytest.mark.parametrize("grouped", [False, True])
def test_the_held_out_value_equals_a_plain_second_computation(grouped):
    rng = np.random.default_rng(3)
    judgments, runs = made_up(40, 2, rng)
    group_of = {query: f"g{number % 13}" for number, query in enumerate(judgments)}
    groups = group_of if grouped else None
    tuned = rm.tune(judgments, runs, "nDCG@5", grid={"weights": 4, "how": ["rrf", "wsum"]}, groups=groups, folds=4)
    value = {
        str(one.definition): rm.evaluate(judgments, rm.fuse(runs, one.definition), "nDCG@5").per_query["nDCG@5"]
        for one in tuned.settings
    }
    names, rows = list(value), np.array([column.to_list() for column in value.values()])
    units = list(dict.fromkeys(group_of.values()))
    unit = np.array([units.index(group) for group in group_of.values()]) if grouped else np.arange(40)
    fold = fold_of_units(unit, 4, 0)
    assert all(len(set(fold[unit == one].tolist())) == 1 for one in set(unit.tolist()))
    held = np.full(40, np.nan)
    for one in range(4):
        means = rows[:, fold != one].mean(axis=1)
        best = {names[at] for at in np.flatnonzero(means >= means.max() - 1e-12)}
        assert any(name in tuned.chosen for name in best)
        held[fold == one] = rows[means.argmax(), fold == one]
    assert tuned.held_out.value == pytest.approx(held.mean(), abs=1e-12)
    assert tuned.training == pytest.approx(rows.mean(axis=1).max(), abs=1e-12)
    assert tuned.optimism == pytest.approx(rows.mean(axis=1).max() - held.mean())
    assert sum(tuned.chosen.values()) == 4


def test_of_equal_settings_the_simplest_is_chosen():
    run = {f"q{n}": {"a": 2.0, "b": 1.0} for n in range(10)}
    tuned = rm.tune({query: {"a": 1} for query in run}, {"x": run, "y": run}, "RR", folds=2)
    assert tuned.held_out.value == tuned.training == 1
    assert len(tuned.inseparable) == len(tuned.settings)
    assert str(tuned.advised) == "rrf"
    assert math.isnan(tuned.held_out.low)
    tuned.to_json()


def simulated(rng, *, queries=60, many=20):
    """All settings, single runs and references are equal: each query has its level, each of them its luck on it."""
    value = rng.normal(0.5, 0.2, (1, queries)) + rng.normal(0, 0.15, (many + 2, queries))
    outside = chosen_outside(value[:many], value[many : many + 1], value[many + 1 :], np.arange(queries), folds=5,
                             seed=int(rng.integers(1 << 30)), order=range(many), resamples=60)  # fmt: skip
    low, high = outside.alone.ends(0.95, tested=False)
    return outside, value[:many].mean(axis=1).max(), low[0] <= 0.5 <= high[0], value[:many]


def test_where_all_settings_are_equal_training_flatters_and_the_held_out_value_does_not():
    rng = np.random.default_rng(7)
    drawn = [simulated(rng) for _ in range(500)]
    held_out, training = np.array([one[0].held_out.mean() for one in drawn]), np.array([one[1] for one in drawn])
    noise = held_out.std() / math.sqrt(len(drawn))
    assert abs(held_out.mean() - 0.5) < 3 * noise
    assert training.mean() - 0.5 > 10 * noise
    assert np.mean([one[2] for one in drawn]) > 0.94
    naive = [abs(one[0].held_out.mean() - 0.5) <= 2 * one[0].held_out.std(ddof=1) / math.sqrt(60) for one in drawn]
    assert np.mean(naive) < 0.93  # folds are not independent: the spread of the values alone is too little
    assert np.mean([one[0].against.p()[1] < 0.05 for one in drawn]) < 0.06


def test_the_set_holds_a_setting_that_is_as_good_as_the_best_and_drops_one_that_is_not():
    rng = np.random.default_rng(11)
    kept = dropped = 0
    for seed in range(150):
        *_, value = simulated(rng)
        value[1] -= 0.2
        alike, reach = inseparable(value, 0.95, 300, seed)
        kept += bool(alike[0])
        dropped += not alike[1]
        means = value.mean(axis=1)
        assert (alike == (means.max() - means <= reach)).all()
    assert kept >= 136  # 142.5 expected at worst
    assert dropped == 150


def judged_runs(queries, good, rng, *, docs=10):
    """Two runs of which the second is as good as chance unless ``good`` says otherwise."""
    judgments = {f"q{n}": {f"d{int(rng.integers(docs))}": 1} for n in range(queries)}

    def run(signal):
        return {q: {f"d{d}": rng.normal() + signal * (f"d{d}" in held) for d in range(docs)}
                for q, held in judgments.items()}  # fmt: skip

    return judgments, {"one": run(good[0]), "two": run(good[1])}


def test_no_winner_is_called_on_few_queries():
    judgments, runs = judged_runs(30, (4.0, 0.0), np.random.default_rng(1))
    tuned = rm.tune(judgments, runs, "RR")
    assert not tuned.is_winner
    assert "No winner is called: 30 queries are fewer than 50" in str(tuned)
    assert str(tuned.advised) == "rrf"
    assert rm.tune(judgments, runs, "RR", least_queries=30).is_winner


def test_where_one_run_is_noise_tuning_pays_and_where_both_are_alike_rrf_is_as_good():
    judgments, runs = judged_runs(150, (3.0, 0.0), np.random.default_rng(2))
    tuned = rm.tune(judgments, runs, "RR")
    assert tuned.is_winner
    assert tuned.beside("rrf").low > 0
    assert "one" in tuned.inseparable_runs
    judgments, runs = judged_runs(60, (2.0, 2.0), np.random.default_rng(3))
    tuned = rm.tune(judgments, runs, "RR", grid={"how": "rrf", "k": [10, 60], "weights": [(0.4, 0.6), (0.5, 0.5)]})
    assert "With 60 queries, no setting can be told from plain RRF (4 were tried)" in str(tuned)
    assert "没有任何设置能与普通 RRF 区分开" in tuned.to_text("zh")


def test_a_measure_of_which_less_is_better():
    judgments, runs = judged_runs(60, (3.0, 0.5), np.random.default_rng(4))
    tuned = rm.tune(judgments, runs, "MeanRank", folds=3)
    assert tuned.training == min(one.value for one in tuned.settings)
    assert tuned.optimism >= -1e-12 or tuned.held_out.value < tuned.training
    assert tuned.held_out.low <= tuned.held_out.value <= tuned.held_out.high


def test_fast_keeps_the_held_out_part():
    judgments, runs = judged_runs(60, (2.0, 1.0), np.random.default_rng(5))
    slow, fast = rm.tune(judgments, runs), rm.tune(judgments, runs, fast=True)
    assert len(fast.settings) < len(slow.settings)
    assert len(fast.per_query) == 60
    assert sum(fast.chosen.values()) == fast.folds == 5
    assert fast.against[0].kind == "single"


def test_ids_of_different_types_are_compared_as_text():
    judgments, runs = judged_runs(20, (2.0, 1.0), np.random.default_rng(6))
    numbered = {int(query[1:]): {int(item[1:]): grade for item, grade in items.items()}
                for query, items in judgments.items()}  # fmt: skip
    as_text = {name: {query[1:]: {item[1:]: score for item, score in items.items()} for query, items in run.items()}
               for name, run in runs.items()}  # fmt: skip
    one = rm.tune(numbered, as_text, "RR", folds=2)
    assert one.training == rm.tune(judgments, runs, "RR", folds=2).training
    assert "compared as text" in str(one)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": ["nDCG@10", "AP"]}, "several"),
        ({"measure": "nDCG(aggregate=median)@10"}, "no mean over queries"),
        ({"folds": 1}, "folds=1"),
        ({"folds": 30}, "30 folds"),
        ({"grid": {"k": [1], "how": "wsum"}}, "would change nothing"),
        ({"grid": {"weights": "0.5"}}, "weights=0.5"),
        ({"grid": {"weights": 0}}, "weights=0"),
        ({"grid": []}, "no setting"),
        ({"grid": 3}, "not int"),
        ({"grid": {"how": "wsum", "weights": 100_000}}, "more than 20,000"),
        ({"grid": ["rrf(weights=1:2:3)"]}, "3 values for 2 runs"),
        ({"groups": {"q1": "a"}}, "no group"),
        ({"least_queries": -1}, "least_queries"),
        ({"grid": ["rrf"], "nothing": 1}, "nothing"),
    ],
)
def test_what_cannot_be_tuned_is_refused(options, message):
    judgments, runs = judged_runs(20, (1.0, 1.0), np.random.default_rng(8))
    with pytest.raises(InputError, match=message):
        rm.tune(judgments, runs, **options)


def test_one_run_and_other_queries_are_refused():
    judgments, runs = judged_runs(20, (1.0, 1.0), np.random.default_rng(9))
    with pytest.raises(InputError, match="one"):
        rm.tune(judgments, {"one": runs["one"]})
    less = {"one": runs["one"], "two": dict(list(runs["two"].items())[:10])}
    with pytest.raises(InputError, match="two lacks 10 of the 20 queries"):
        rm.tune(judgments, less)
    assert rm.tune(judgments, less, queries="all").queries == 20
    common = rm.tune(judgments, less, queries="common")
    kept = {query: judgments[query] for query in less["two"]}
    assert common.queries == 10
    assert "only the 10 of 20 queries" in str(common)
    assert common.training == rm.tune(kept, {"one": {q: runs["one"][q] for q in kept}, "two": less["two"]}).training


@pytest.fixture
def folder(tmp_path):
    judgments, runs = judged_runs(24, (2.0, 1.0), np.random.default_rng(10))
    (tmp_path / "judged.qrels").write_text(
        "".join(f"{q} 0 {d} {g}\n" for q, items in judgments.items() for d, g in items.items())
    )
    for name, run in runs.items():
        lines = [f"{q} Q0 {d} 1 {s} {name}\n" for q, items in run.items() for d, s in items.items()]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    (tmp_path / "groups.csv").write_text("query,topic\n" + "".join(f"q{n},t{n % 7}\n" for n in range(24)))
    return tmp_path


def call(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


def test_the_command_gives_what_the_call_gives(folder):
    paths = folder / "judged.qrels", folder / "one.run", folder / "two.run"
    done = call("tune", *paths, "-m", "AP", "--grid", "how=rrf,wsum", "--grid", "weights=5", "--grid",
                "rrf(k=10)", "--folds", "3", "--groups", folder / "groups.csv", "--format", "json")  # fmt: skip
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    runs = {name: str(folder / f"{name}.run") for name in ("one", "two")}
    grid = {"how": ["rrf", "wsum", "rrf(k=10)"], "weights": 5}
    same = rm.tune(str(paths[0]), runs, "AP", grid=grid, folds=3, groups=str(folder / "groups.csv"))
    assert told.pop("schema") == "rankmeter/tune/1"
    assert told == json.loads(same.to_json())
    assert told["units"] == 7
    page = folder / "tuned.html"
    assert call("tune", *paths, "--lang", "zh", "--output", page).exit_code == 0
    assert "<svg" in page.read_text("utf-8")
    assert "乐观偏差" in page.read_text("utf-8")


def test_a_grid_as_it_is_typed():
    assert read_grid([]) is None
    assert read_grid(["weights=0.5:0.5,0.7:0.3", "how=wsum(norm=max,floor=0),rrf"]) == {
        "weights": ((0.5, 0.5), (0.7, 0.3)), "how": ("wsum(norm=max,floor=0)", "rrf"),
    }  # fmt: skip
    assert read_grid(["norm=min-max,l2", "rrf(k=3)"]) == {"norm": ("min-max", "l2"), "how": ("rrf(k=3)",)}


def test_the_first_of_the_best_is_told_up_to_rounding():
    assert first_best(np.array([0.1 + 0.2, 0.3, 0.1])) == 0
    assert first_best(np.array([0.3, 0.1 + 0.2, 0.1])) == 0
