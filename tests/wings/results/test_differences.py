"""The difference of two systems over tasks: variances by hand, coverage, the same answer by every way in, refusals."""

from __future__ import annotations

import csv
import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

import rankmeter as rm
from rankmeter.cli import app
from rankmeter.errors import InputError
from rankmeter.wings.results.components import drawn_means_of_tasks, heterogeneity, over_queries, over_tasks
from rankmeter.wings.results.differences import DifferenceAcross

Nested = dict[str, dict[str, list[dict[str, float]]]]


def drawn(seed: int, tasks: int, seeds: int, queries: int, shift: float = 0.02) -> Nested:
    """Two systems with effects of tasks, seeds and queries; from task to task the queries are as many, or one more."""
    random = np.random.default_rng(seed)
    of_seed = random.normal(0, 0.01, seeds)
    table: Nested = {"old": {}, "new": {}}
    for task in range(tasks):
        size = queries + task % 2 if queries > 1 else 1
        base = random.uniform(0.2, 0.7, size)
        gain = shift + random.normal(0, 0.02) + of_seed[:, None] + random.normal(0, 0.05, (seeds, size))
        noise = random.normal(0, 0.02, (seeds, size))
        for name, values in (("old", base + noise), ("new", base + noise + gain)):
            table[name][f"t{task}"] = [{f"q{q}": float(v) for q, v in enumerate(row)} for row in values]
    return table


def found_in(table: Any, **options: Any) -> DifferenceAcross:
    return rm.difference_across(table, "new", "old", resamples=200, **options)


def test_one_score_a_task_is_the_paired_t_test() -> None:
    random = np.random.default_rng(0)
    for tasks in (6, 9, 30):
        a, b = random.uniform(size=(2, tasks))
        found = found_in({"new": dict(enumerate(a)), "old": dict(enumerate(b))})
        known = stats.ttest_rel(a, b)
        interval = known.confidence_interval(0.95)
        assert (found.difference, found.low, found.high) == pytest.approx(((a - b).mean(), interval.low, interval.high))
        assert found.p == pytest.approx(known.pvalue)
        assert found.shares == {"tasks": 1.0}
        assert found.heterogeneity is None
        assert all(math.isnan(one.p) for one in found.tasks)


def test_one_task_alone_is_the_paired_t_test_of_its_queries() -> None:
    table = drawn(1, 3, 1, 40)
    found = found_in(table, unit="queries")
    for one in found.tasks:
        gaps = [table["new"][one.task][0][q] - table["old"][one.task][0][q] for q in table["new"][one.task][0]]
        known = stats.ttest_1samp(gaps, 0)
        assert (one.difference, one.p, one.low) == pytest.approx(
            (np.mean(gaps), known.pvalue, known.confidence_interval(0.95).low)
        )
    by_holm = sorted(one.p for one in found.tasks)
    largest = 0.0
    for step, p in enumerate(by_holm):
        largest = max(largest, p * (3 - step))
        assert min(largest, 1.0) in [pytest.approx(one.corrected_p) for one in found.tasks]


@pytest.mark.parametrize(("tasks", "seeds", "queries"), [(2, 2, 3), (5, 3, 1), (4, 1, 7), (6, 4, 5), (3, 2, 2)])
def test_variances_are_the_sums_of_squares_written_out(tasks: int, seeds: int, queries: int) -> None:
    random = np.random.default_rng(tasks)
    data = [random.normal(size=(seeds, queries + at % 2 if queries > 1 else 1)) for at in range(tasks)]
    m = [[sum(row) / len(row) for row in task.tolist()] for task in data]
    by_task = [sum(row) / seeds for row in m]
    by_seed = [sum(m[c][s] for c in range(tasks)) / tasks for s in range(seeds)]
    mean = sum(by_task) / tasks
    square_c = seeds * sum((x - mean) ** 2 for x in by_task) / (tasks - 1)
    variance = square_c / (tasks * seeds)
    if seeds > 1:
        square_s = tasks * sum((x - mean) ** 2 for x in by_seed) / (seeds - 1)
        square_cs = sum((m[c][s] - by_task[c] - by_seed[s] + mean) ** 2 for c in range(tasks) for s in range(seeds)) / (
            (tasks - 1) * (seeds - 1)
        )
        variance += max(square_s - square_cs, 0) / (tasks * seeds)
    assert over_tasks(data).variance == pytest.approx(variance)

    whole = 0.0
    both = 0.0
    for task in data:
        size = task.shape[1]
        if size == 1:
            continue
        columns = [sum(task[s][q] for s in range(seeds)) / seeds for q in range(size)]
        centre = sum(columns) / size
        whole += sum((x - centre) ** 2 for x in columns) / (size - 1) / size / tasks**2
        if seeds > 1:
            rows = [sum(task[s]) / size for s in range(seeds)]
            left = sum((task[s][q] - rows[s] - columns[q] + centre) ** 2 for s in range(seeds) for q in range(size))
            both += left / ((seeds - 1) * (size - 1)) / (size * seeds * tasks**2)
    if seeds > 1:
        whole += max(sum((x - mean) ** 2 for x in by_seed) / (seeds - 1) / seeds - both, 0)
    assert over_queries(data).variance == pytest.approx(whole)


def test_parts_sum_to_the_whole() -> None:
    for seed, unit in itertools.product(range(6), ("tasks", "queries")):
        found = found_in(drawn(seed, 6, 1 + seed % 3, 1 if seed == 4 else 8), unit=unit)
        assert math.fsum(found.shares.values()) == pytest.approx(1)
        assert all(share >= 0 for share in found.shares.values())


@pytest.mark.parametrize("tasks_too", [True, False])
@pytest.mark.parametrize(("tasks", "seeds", "queries"), [(8, 1, 20), (8, 5, 1), (10, 5, 15)])
def test_intervals_hold(tasks: int, seeds: int, queries: int, tasks_too: bool) -> None:
    """Of 600 tables of each kind; the share that holds the truth lies within four standard errors of 95%."""
    if queries == 1 and not tasks_too and seeds == 1:
        pytest.skip("nothing is drawn")
    random = np.random.default_rng(7)
    held, trials = 0, 600
    for _ in range(trials):
        effect = random.normal(0, 0.03, tasks)
        of_seed = random.normal(0, 0.01, seeds) if seeds > 1 else np.zeros(1)
        data = [
            effect[c] + of_seed[:, None] + random.normal(0, 0.1, (1, queries)) * (queries > 1)
            + random.normal(0, 0.02, (seeds, queries)) * (seeds > 1)
            for c in range(tasks)
        ]  # fmt: skip
        spread = over_tasks(data) if tasks_too else over_queries(data)
        truth = 0.0 if tasks_too else effect.mean()
        reach = stats.t.ppf(0.975, spread.freedom) * math.sqrt(spread.variance)
        held += abs(np.mean([task.mean() for task in data]) - truth) <= reach
    assert abs(held / trials - 0.95) < 0.036


def test_heterogeneity_is_welchs_test_and_takes_its_level() -> None:
    random = np.random.default_rng(3)
    groups = [random.normal(0.1 * at, 1 + at, 12 + 5 * at) for at in range(4)]
    found = heterogeneity(np.array([g.mean() for g in groups]), [over_queries([g[None]]) for g in groups])
    assert found is not None
    weights = [len(g) / g.var(ddof=1) for g in groups]
    total = sum(weights)
    centre = sum(w * g.mean() for w, g in zip(weights, groups, strict=True)) / total
    lost = sum((1 - w / total) ** 2 / (len(g) - 1) for w, g in zip(weights, groups, strict=True))
    f = sum(w * (g.mean() - centre) ** 2 for w, g in zip(weights, groups, strict=True)) / 3 / (1 + 2 * 2 / 15 * lost)
    assert found.p == pytest.approx(stats.f.sf(f, 3, 15 / (3 * lost)))
    alarms = 0
    for _ in range(600):
        groups = [random.normal(0, 1 + at, 12 + 5 * at) for at in range(4)]
        one = heterogeneity(np.array([g.mean() for g in groups]), [over_queries([g[None]]) for g in groups])
        alarms += one is not None and one.p < 0.05
    assert abs(alarms / 600 - 0.05) < 0.036


def test_the_bootstrap_has_the_spread_of_what_it_draws() -> None:
    data = [np.random.default_rng(at).normal(at / 10, 1, (1, 30)) for at in range(6)]
    fixed = drawn_means_of_tasks(data, 4_000, 0, tasks_too=False)
    assert fixed.std() == pytest.approx(math.sqrt(sum(task.var() / 30 for task in data)) / 6, rel=0.05)
    assert drawn_means_of_tasks(data, 4_000, 0, tasks_too=True).std() > fixed.std()
    assert fixed.mean() == pytest.approx(np.mean([task.mean() for task in data]), abs=0.01)


def test_every_way_in_gives_the_same(tmp_path: Path) -> None:
    table = drawn(5, 6, 3, 6)
    rows = [
        (system, task, seed, query, value)
        for system, tasks in table.items()
        for task, of_seeds in tasks.items()
        for seed, values in enumerate(of_seeds)
        for query, value in values.items()
    ]
    np.random.default_rng(0).shuffle(rows)
    heads = ("model", "dataset", "seed", "qid", "score")
    path = tmp_path / "scores.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([heads, *rows])
    lines = tmp_path / "scores.jsonl"
    lines.write_text("\n".join(json.dumps(dict(zip(heads, row, strict=True))) for row in rows), "utf-8")
    for unit in ("tasks", "queries"):
        wanted = found_in(table, unit=unit)
        for source in (path, str(lines)):
            found = found_in(source, unit=unit)
            assert {one.task: round(one.p, 9) for one in found.tasks} == {
                one.task: round(one.p, 9) for one in wanted.tasks
            }
            # Seeds come in the order of their first row: another seed may stand first, and changes nothing.
            assert (found.difference, found.low, found.high, found.p) == pytest.approx(
                (wanted.difference, wanted.low, wanted.high, wanted.p), rel=1e-6
            )
        typed = ["across", str(path), "--difference", "new", "old", "--unit", unit, "--resamples", "200"]
        result = CliRunner().invoke(app, [*typed, "--format", "json"])
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout)["low"] == pytest.approx(wanted.low, rel=1e-6)


def test_the_other_way_round_changes_the_sign_and_nothing_else() -> None:
    table = drawn(9, 7, 3, 6, shift=0.05)
    one, other = found_in(table), rm.difference_across(table, "old", "new", resamples=200)
    assert (one.low, one.p, one.p_everywhere) == pytest.approx((-other.high, other.p, other.p_everywhere))
    assert (one.verdict, other.verdict) == ("better", "worse")
    assert found_in(table, goal="lower").verdict == "worse"


def test_a_system_without_seeds_and_other_systems_do_not_matter() -> None:
    table = drawn(11, 6, 3, 5)
    fixed = {task: values[0] for task, values in table["old"].items()}
    repeated = {task: [values] * 3 for task, values in fixed.items()}
    one = found_in({"new": table["new"], "old": fixed})
    assert one.to_json() == found_in({"new": table["new"], "old": repeated}).to_json()
    other = {"t0": {"another": 0.5}}
    assert one.to_json() == found_in({"new": table["new"], "third": other, "old": fixed}).to_json()


def test_what_cannot_be_told_is_said() -> None:
    few = found_in({"new": {"a": 0.5, "b": 0.6, "c": 0.9}, "old": {"a": 0.4, "b": 0.3, "c": 0.7}})
    assert math.isnan(few.low)
    assert few.why_none is not None
    assert "0.250" in str(few)
    same = found_in({"new": dict.fromkeys("abcdefgh", 0.5), "old": dict.fromkeys("abcdefgh", 0.5)})
    assert (same.difference, same.p, same.verdict) == (0, 1, "undecided")
    assert "one run of each system" in str(few)
    assert json.loads(few.to_json())["low"] is None
    for shown in (few, same, found_in(drawn(2, 6, 2, 4)), found_in(drawn(2, 6, 2, 4), unit="queries")):
        for language in ("en", "zh"):
            assert shown.to_text(language, width=80)
            assert shown.to_markdown(language)
            assert shown.to_html(language)


@pytest.mark.parametrize("seeds", [2, 3, 4])
def test_few_seeds_are_named(seeds: int) -> None:
    assert f"{seeds} seeds are few" in str(found_in(drawn(2, 6, seeds, 4)))


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        ({"new": {"a": 0.1, "b": 0.2}, "old": {"a": 0.2, "c": 0.3}}, "nothing_common"),
        ({"new": {"a": [0.1, 0.2], "b": [0.2, 0.3]}, "old": {"a": [0.2, 0.3, 0.4], "b": [0.2, 0.3]}}, "unequal_seeds"),
        ({"new": {"a": [0.1, 0.2], "b": [0.2]}, "old": {"a": [0.2, 0.3], "b": [0.2]}}, "uneven_seeds"),
        ({"new": {"a": 0.1, "b": 0.2}, "other": {"a": 0.2, "b": 0.3}}, "unknown_system"),
    ],
)
def test_bad_tables_are_refused(table: Any, kind: str) -> None:
    with pytest.raises(InputError) as caught:
        found_in(table)
    assert caught.value.problem.kind == f"results.{kind}"


def test_bad_questions_are_refused(tmp_path: Path) -> None:
    plain = {"new": {"a": 0.1, "b": 0.2}, "old": {"a": 0.2, "b": 0.3}}
    with pytest.raises(InputError, match="queries or seeds"):
        found_in(plain, unit="queries")
    with pytest.raises(InputError, match="with itself"):
        rm.difference_across(plain, "new", "new")
    with pytest.raises(InputError, match="unit"):
        found_in(plain, unit="users")
    path = tmp_path / "scores.json"
    path.write_text(json.dumps(plain), "utf-8")
    for extra in (["--rope", "0.1"], ["--control", "old"], ["--holes", "drop"], ["--svg", str(tmp_path / "x.svg")]):
        result = CliRunner().invoke(app, ["across", str(path), "--difference", "new", "old", *extra])
        assert result.exit_code == 2
        assert extra[0] in result.output
    assert not (tmp_path / "x.svg").exists()
