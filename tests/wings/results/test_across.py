"""Systems across tasks: published examples, slow formulas, coverage of rank intervals, every form of input."""

from __future__ import annotations

import itertools
import json
import math
import random
import time
from pathlib import Path
from typing import Literal
from unicodedata import east_asian_width

import numpy as np
import pytest
from click.testing import CliRunner, Result
from scipy import stats

import rankmeter as rm
from rankmeter.cli import app
from rankmeter.errors import InputError, NotFoundError
from rankmeter.wings.results import task_statistics as ts
from rankmeter.wings.results.rank_diagrams import lone_pairs, ranked, text_diagram, tikz

PUBLISHED = json.loads(Path(__file__).with_name("published_scores.json").read_text("utf-8"))
"""Garcia and Herrera's (2008) table 2, which scmamp brings, and mean accuracies of two classifiers from baycomp."""


def across(*words: str) -> Result:
    return CliRunner().invoke(app, ["across", *words])


def garcia() -> dict[str, dict[str, float]]:
    table = PUBLISHED["garcia_herrera_2008"]
    return {name: {f"d{n}": value for n, value in enumerate(values)} for name, values in table.items()}


def made(systems: int, tasks: int, seed: int = 0, step: float = 0.0) -> dict[str, dict[str, float]]:
    draw = random.Random(seed)
    task = [draw.gauss(0.5, 0.1) for _ in range(tasks)]
    return {
        f"s{at}": {f"t{n}": task[n] + step * at + draw.gauss(0, 0.05) for n in range(tasks)} for at in range(systems)
    }


def test_demsars_example_comes_out() -> None:
    """Four classifiers on 14 data sets, by the mean ranks of Demsar (2006)."""
    plain = ts.friedman(np.array([3.143, 2.000, 2.893, 1.964]), 14)
    assert [round(value, 2) for value in (plain.chi2, plain.f)] == [9.28, 3.69]
    assert [round(value, 4) for value in (plain.f_p, plain.p)] == [0.0198, 0.0257]
    assert [round(ts.nemenyi_distance(4, 14, alpha), 2) for alpha in (0.05, 0.10)] == [1.25, 1.12]
    assert round(ts.bonferroni_dunn_distance(4, 14, 0.05), 2) == 1.17


def test_scmamps_example_comes_out() -> None:
    """What friedmanTest, imanDavenportTest, nemenyiTest and friedmanPost print for data.gh.2008."""
    found = rm.across(garcia(), control="C4.5")
    plain = found.friedman_plain
    assert (round(plain.chi2, 3), round(plain.f, 3)) == (39.647, 14.309)
    assert (plain.p, plain.f_p) == pytest.approx((5.121e-08, 1.593e-09), rel=1e-3)
    known = {
        "k-NN(k=1)": (1.15, 0.004848763),
        "NaiveBayes": (0.1, 8.064959e-01),
        "Kernel": (2.233333, 4.486991e-08),
        "CN2": (1.016667, 0.012763008),
    }
    largest = 0.0
    for step, one in enumerate(sorted(found.control, key=lambda one: one.p)):
        assert (one.mean_rank_difference, one.p) == pytest.approx(known[one.system], rel=1e-5)
        largest = max(largest, one.p * (4 - step))
        assert (one.holm_p, one.bonferroni_p) == pytest.approx((min(1, largest), min(1, one.p * 4)))


def test_baycomps_example_comes_out() -> None:
    """Its README has 0.231, 0.007 and 0.762 for naive Bayes against J48 with a rope of 1; it draws at random."""
    nbc, j48 = (np.array(PUBLISHED["baycomp"][name]) for name in ("nbc", "j48"))
    assert ts.bayesian_signed_rank(j48 - nbc, 1.0) == pytest.approx((0.231, 0.007, 0.762), abs=0.015)


def test_the_critical_values_are_those_of_the_tables() -> None:
    def q(k: int, alpha: float) -> float:
        return round(ts.nemenyi_distance(k, 6, alpha) / math.sqrt(k * (k + 1) / 36), 3)

    assert [q(k, 0.05) for k in range(2, 11)] == [1.96, 2.344, 2.569, 2.728, 2.85, 2.948, 3.031, 3.102, 3.164]
    assert [q(k, 0.10) for k in range(2, 11)] == [1.645, 2.052, 2.291, 2.46, 2.589, 2.693, 2.78, 2.855, 2.92]


@pytest.mark.parametrize("column", [[3, 2], [3, 2, 1], [3, 3, 1], [4, 3, 3, 1]])
@pytest.mark.parametrize("tasks", [2, 3])
def test_tasks_that_all_rank_alike_have_the_probability_of_that(column: list[float], tasks: int) -> None:
    orders = list(itertools.product(set(itertools.permutations(column)), repeat=tasks))
    expected = sum(len(set(order)) == 1 for order in orders) / len(orders)
    found = rm.across({f"s{at}": dict.fromkeys(range(tasks), value) for at, value in enumerate(column)}).friedman
    assert found.f == math.inf
    assert found.f_p == pytest.approx(expected)


def test_friedman_with_ties_is_that_of_scipy() -> None:
    table = garcia()
    known = stats.friedmanchisquare(*(list(of.values()) for of in table.values()))
    found = rm.across(table).friedman
    assert (found.chi2, found.p) == pytest.approx((known.statistic, known.pvalue))


def test_pairs_are_signed_ranks_corrected_by_holm() -> None:
    table = made(4, 12, step=0.02)
    found = rm.across(table)
    known = {}
    for a, b in itertools.combinations(table, 2):
        gaps = np.subtract(list(table[a].values()), list(table[b].values()))
        known[a, b] = float(stats.wilcoxon(gaps).pvalue)
        assert found.pair(a, b).p == pytest.approx(known[a, b])
        assert found.pair(a, b).wins == sum(gaps > 0)
    running = 0.0
    for place, pair in enumerate(sorted(known, key=known.__getitem__)):
        running = max(running, min(1.0, known[pair] * (len(known) - place)))
        assert found.pair(*pair).corrected_p == pytest.approx(running)


def test_pairs_do_not_depend_on_which_other_systems_are_there() -> None:
    table = made(6, 10, seed=4, step=0.02)
    few = {name: table[name] for name in ("s0", "s5")}
    assert rm.across(table).pair("s0", "s5").p == rm.across(few).pair("s0", "s5").p


def _slow_signed_rank(gaps: list[float], rope: float, draws: int) -> list[float]:
    """The Bayesian signed-rank test by its definition, all pairs of all draws."""
    random = np.random.default_rng(5)
    z = [0.0, *gaps]
    counts = [0.0, 0.0, 0.0]
    for weights in random.dirichlet([0.5] + [1.0] * len(gaps), draws):
        shares = [0.0, 0.0, 0.0]
        for (w, a), (v, b) in itertools.product(zip(weights, z, strict=True), repeat=2):
            side = 0 if a + b < -2 * rope else 2 if a + b > 2 * rope else 1
            shares[side] += w * v
        counts[shares.index(max(shares))] += 1
    return [count / draws for count in counts]


def test_beliefs_are_those_of_the_definition() -> None:
    draw = random.Random(8)
    gaps = [draw.gauss(0.01, 0.03) for _ in range(9)]
    found = ts.bayesian_signed_rank(np.array(gaps), 0.01)
    assert found == pytest.approx(_slow_signed_rank(gaps, 0.01, 4_000), abs=0.03)
    assert sum(found) == pytest.approx(1)


def test_a_difference_of_the_rope_itself_is_alike() -> None:
    """Floats make 0.71 - 0.70 a little more than 0.01, and 0.52 - 0.51 a little less."""
    first = np.array([0.71, 0.52, 0.80, 0.66, 0.59])
    for sign in (1, -1):
        gaps = sign * (first - np.array([0.70, 0.51, 0.79, 0.65, 0.58]))
        assert ts.bayesian_signed_rank(gaps, 0.01) == (0.0, 1.0, 0.0)
    assert ts.bayesian_signed_rank(np.array([0.1 + 0.2, 0.5]) - np.array([0.3, 0.5]), 0.0) == (0.0, 1.0, 0.0)


def test_folds_that_share_data_have_a_wider_variance() -> None:
    gaps = np.array([0.02, 0.01, 0.03, -0.01, 0.02, 0.04, 0.0, 0.01, 0.02, 0.03])
    worse, alike, better = ts.correlated_t(gaps, 0.1, 0.005)
    scale = math.sqrt(gaps.var(ddof=1) * (1 / 10 + 0.1 / 0.9))
    known = stats.t(9, gaps.mean(), scale)
    assert (worse, alike, better) == pytest.approx(
        (known.cdf(-0.005), known.cdf(0.005) - known.cdf(-0.005), known.sf(0.005))
    )


def test_borda_counts_those_left_behind_on_each_task() -> None:
    table = made(5, 7, seed=3)
    table["s1"]["t0"] = table["s4"]["t0"]  # a tie is half a point
    found = rm.across(table)
    for one in found.systems:
        own = table[one.system]
        others = [other for name, other in table.items() if name != one.system]
        points = sum((own[t] > of[t]) + (own[t] == of[t]) / 2 for of in others for t in own)
        assert (one.borda, one.mteb_borda) == pytest.approx((points, points))


def test_mtebs_borda_counts_all_models_and_nothing_for_a_missing_task() -> None:
    table = {
        "a": {"x": 0.9, "y": 0.2, "z": 0.5},
        "b": {"x": 0.8, "y": 0.4, "z": 0.5},
        "c": {"x": 0.7},
        "d": {"y": 0.3, "x": 0.1},
    }
    found = rm.across(table, holes="worst")
    # Four models: on x 3 2 1 0; on y (a, b, d) 1 3 2; on z (a, b) tie at rank 1.5.
    assert {name: found[name].mteb_borda for name in table} == {"a": 6.5, "b": 7.5, "c": 1.0, "d": 2.0}


@pytest.mark.parametrize(("systems", "tasks", "step"), [(2, 2, 0), (5, 14, 0.03), (30, 200, 10), (60, 10, 0)])
def test_bradley_and_terrys_strengths_solve_their_equations(systems: int, tasks: int, step: float) -> None:
    """Also where each system wins every task against those before it, which lies far from where the search begins."""
    table = made(systems, tasks, seed=2, step=step)
    wins, ties = ts.pair_wins(np.array([list(row.values()) for row in table.values()]))
    found = ts.bradley_terry(wins, ties)
    assert found.sum() == pytest.approx(0, abs=1e-9)
    strength = np.exp(found)
    for i in range(systems):
        others = [j for j in range(systems) if j != i]
        won = sum(wins[i, j] + ties[i, j] / 2 + 0.5 for j in others)
        expected = sum((tasks + 1) * strength[i] / (strength[i] + strength[j]) for j in others)
        assert won == pytest.approx(expected, rel=1e-9)


def test_the_middle_mean_and_improvement_are_those_of_their_definitions() -> None:
    seeds = {"a": {"x": [0.1, 0.4, 0.6], "y": [0.5, 0.7]}, "b": {"x": [0.2, 0.3, 0.5], "y": [0.6, 0.6]}}
    found = rm.across(seeds)
    on_x = sum((p > q) + (p == q) / 2 for p in seeds["a"]["x"] for q in seeds["b"]["x"]) / 9
    on_y = sum((p > q) + (p == q) / 2 for p in seeds["a"]["y"] for q in seeds["b"]["y"]) / 4
    assert found["a"].improvement == pytest.approx((on_x + on_y) / 2)
    assert found["a"].middle_mean == pytest.approx(stats.trim_mean([0.1, 0.4, 0.6, 0.5, 0.7], 0.25))


def _coverage(step: float, times: int) -> tuple[float, float]:
    """How often the ranks of the true means lie in the intervals at once, and each alone."""
    at_once = alone = 0
    for number in range(times):
        found = rm.across(made(6, 20, seed=1000 + number, step=step), resamples=400)
        true = {f"s{at}": 6 - at if step else None for at in range(6)}
        inside = [(one.sure_low <= rank <= one.sure_high) if (rank := true[one.system]) else
                  one.sure_low == 1 and one.sure_high == 6 for one in found.systems]  # fmt: skip
        at_once += all(inside)
        alone += sum(one.rank_low <= (true[one.system] or 1) <= one.rank_high for one in found.systems)
    return at_once / times, alone / times / 6


def test_rank_intervals_cover_the_true_ranks() -> None:
    """At 95%, 60 tables of 6 systems: at most 9 of 60 may miss if the coverage is 0.95 (p 0.001)."""
    at_once, alone = _coverage(0.015, 60)
    assert at_once >= 0.85
    assert alone >= 0.9


def test_equal_systems_are_not_ordered() -> None:
    at_once, _ = _coverage(0.0, 60)
    assert at_once >= 0.85


def test_drawn_means_have_the_variance_of_tasks_and_of_queries_within_them() -> None:
    draw = np.random.default_rng(6)
    values = [draw.normal(task / 10, 0.2, (1, queries)) for task, queries in enumerate((5, 40, 12, 8, 20))]
    values = [np.concatenate([rows, rows + 0.1]) for rows in values]
    between = np.var([rows[0].mean() for rows in values])
    within = np.mean([rows[0].var() / rows.shape[1] for rows in values])
    means = np.stack([rows.mean(axis=1) for rows in values], axis=1)
    for drawn, expected in ((ts.drawn_means(means, 10_000, 1), between / 5),
                            (ts.drawn_twice(values, 10_000, 1), (between + within) / 5)):  # fmt: skip
        assert drawn.var(axis=0) == pytest.approx(expected, rel=0.06)  # its standard error is 0.014
        assert drawn.mean(axis=0) == pytest.approx(means.mean(axis=1), abs=5 * math.sqrt(expected / 10_000))
        assert drawn[:, 1] - drawn[:, 0] == pytest.approx(0.1)  # both systems have the same tasks and queries


def test_queries_within_tasks_widen_the_intervals() -> None:
    draw = random.Random(3)
    tables = {
        name: {f"t{t}": {f"q{q}": min(max(draw.gauss(0.5 + shift, 0.3), 0), 1) for q in range(12)} for t in range(4)}
        for name, shift in [("a", 0.0), ("b", 0.02), ("c", 0.04), ("d", 0.06)]
    }
    means = {name: {task: math.fsum(v.values()) / 12 for task, v in of.items()} for name, of in tables.items()}

    def widths(found: rm.wings.results.across_result.Across) -> int:  # type: ignore[name-defined]
        return sum(one.rank_high - one.rank_low for one in found.systems)

    both = rm.across(tables)
    assert [one.mean for one in both.systems] == pytest.approx(
        sorted((sum(m.values()) / 4 for m in means.values()), reverse=True)
    )
    assert widths(both) > widths(rm.across(means))
    assert any("queries" in note for note in both.notes)


def test_holes_are_stated_and_never_zero() -> None:
    table = made(3, 6)
    del table["s1"]["t2"]
    common = rm.across(table)
    assert len(common.tasks) == 5
    assert "t2" in common.notes[0]
    assert sorted(one.system for one in rm.across(table, holes="drop").systems) == ["s0", "s2"]
    worst = rm.across(table, holes="worst")
    lowest = min(table["s0"]["t2"], table["s2"]["t2"])
    assert worst["s1"].mean == pytest.approx((sum(table["s1"].values()) + lowest) / 6)
    assert "worst" in worst.notes[0]


def test_a_hole_behind_a_score_is_filled_with_the_worst_as_a_whole() -> None:
    seeds = {"a": {"x": [0.1, None], "y": [0.5, 0.7], "z": [0.3, 0.4]},
             "b": {"x": [0.2, 0.3], "y": [0.6, 0.6], "z": [0.2, 0.3]}}  # fmt: skip
    found = rm.across(seeds, holes="worst")
    assert found["a"].improvement + found["b"].improvement == pytest.approx(1)
    assert found["a"].middle_mean == pytest.approx((0.3 + 0.4 + 0.5) / 3)  # of 0.25, 0.3, 0.4, 0.5 and 0.7
    draw = random.Random(1)
    queries = {name: {task: {q: draw.random() for q in range(5)} for task in "xyz"} for name in "abc"}
    queries["a"]["x"][1] = math.nan
    means = {name: {task: math.fsum(v.values()) / 5 for task, v in of.items()} for name, of in queries.items()}
    known = [(one.system, one.rank_low, one.rank_high) for one in rm.across(means, holes="worst").systems]
    assert [(one.system, one.rank_low, one.rank_high) for one in rm.across(queries, holes="worst").systems] == known


def test_lower_may_be_better() -> None:
    table = made(3, 8, step=0.2)
    assert rm.across(table, goal="lower").systems[0].system == "s0"
    assert rm.across(table).systems[0].system == "s2"
    assert rm.across(table, goal="lower")["s0"].mean == pytest.approx(rm.across(table)["s0"].mean)


def test_bars_join_only_what_is_inseparable() -> None:
    alike = np.array([[1, 1, 0, 1], [1, 1, 1, 1], [0, 1, 1, 1], [1, 1, 1, 1]], bool)
    for group in ts.cliques(alike, [0, 1, 2, 3]):
        assert all(alike[a, b] for a in group for b in group)
    assert ts.cliques(alike, [0, 1, 2, 3]) == [(0, 1), (1, 2, 3)]
    assert lone_pairs(alike, [0, 1, 2, 3]) == 1
    mean_rank = np.array([1.0, 2.0, 3.0, 4.0])
    assert ranked(mean_rank) == [0, 1, 2, 3]
    assert [set(line.strip()) for line in text_diagram(list("abcd"), mean_rank, alike).splitlines()].count({"="}) == 2
    assert tikz(["a_1", "b", "c", "d"], mean_rank, alike).count("line width=2pt") == 2
    assert r"a\_1" in tikz(["a_1", "b", "c", "d"], mean_rank, alike)


@pytest.mark.parametrize(
    "form", ["wide.csv", "turned.csv", "long.csv", "long.json", "nested.json", "long.parquet", "seeds.csv"]
)
def test_every_form_gives_the_same(form: str, tmp_path: Path) -> None:
    import polars as pl

    table = made(3, 4, step=0.03)
    rows = [{"model": s, "dataset": t, "score": v} for s, of in table.items() for t, v in of.items()]
    path = tmp_path / form
    kind = form.partition(".")[0]
    if kind == "wide":
        pl.DataFrame([{"model": s, **of} for s, of in table.items()]).write_csv(path)
    elif kind == "turned":
        pl.DataFrame([{"task": t, **{s: table[s][t] for s in table}} for t in table["s0"]]).write_csv(path)
    elif kind == "seeds":
        both = [{**row, "seed": n, "score": row["score"] + (n - 0.5) * 0.01} for row in rows for n in (0, 1)]
        pl.DataFrame(both).write_csv(path)
    elif form == "long.json":
        path.write_text(json.dumps(rows))
    elif form == "nested.json":
        path.write_text(json.dumps(table))
    elif form == "long.parquet":
        pl.DataFrame(rows).write_parquet(path)
    else:
        pl.DataFrame(rows).write_csv(path)
    known = rm.across(table)
    found = rm.across(str(path))
    assert [one.system for one in found.systems] == [one.system for one in known.systems]
    assert [one.mean for one in found.systems] == pytest.approx([one.mean for one in known.systems])


def test_folders_of_other_tools_are_read(tmp_path: Path) -> None:
    table = made(2, 3, step=0.1)
    for system, of in table.items():
        for task, value in of.items():
            mteb = tmp_path / "mteb" / f"org__{system}" / "abc123" / f"{task}.json"
            beir = tmp_path / "beir" / system / f"{task}.json"
            bole = tmp_path / "recbole" / task / f"{system}.json"
            for path in (mteb, beir, bole):
                path.parent.mkdir(parents=True, exist_ok=True)
            entries = [{"main_score": value - 0.1, "hf_subset": "a"}, {"main_score": value + 0.1, "hf_subset": "b"}]
            mteb.write_text(json.dumps({"task_name": task, "mteb_version": "2", "scores": {"test": entries}}))
            beir.write_text(json.dumps({"ndcg": {"NDCG@10": value, "NDCG@100": 0.9}, "map": {"MAP@10": 0.1}}))
            bole.write_text(json.dumps({"best_valid_score": 0.9, "test_result": {"ndcg@10": value, "hit@10": 0.5}}))
    (tmp_path / "mteb" / "org__s0" / "abc123" / "model_meta.json").write_text("{}")
    (tmp_path / "mteb" / "notes.txt").write_text("x")
    known = rm.across(table)["s0"].mean
    found = rm.across(str(tmp_path / "mteb"))
    assert found["org/s0"].mean == pytest.approx(known)
    assert any("notes.txt" in note for note in found.notes)
    assert rm.across(str(tmp_path / "beir"), measure="nDCG@10")["s0"].mean == pytest.approx(known)
    assert rm.across(str(tmp_path / "recbole"), measure="NDCG@10", outer="task")["s0"].mean == pytest.approx(known)
    ranx = tmp_path / "ranx"
    ranx.mkdir()
    for task in table["s0"]:
        models = {name: {"scores": {"ndcg@10": of[task], "mrr": 0.2}} for name, of in table.items()}
        (ranx / f"{task}.json").write_text(
            json.dumps({"metrics": ["ndcg@10", "mrr"], "model_names": list(table), **models})
        )
    assert rm.across(str(ranx), measure="ndcg@10")["s0"].mean == pytest.approx(known)


def test_saved_evaluations_bring_their_queries(tmp_path: Path) -> None:
    for task in ("one", "two"):
        truth = {f"q{i}": {"a": 1} for i in range(10)}
        for system, every in (("x", 2), ("y", 3)):
            run = {q: ["a", "b"] if i % every else ["b", "a"] for i, q in enumerate(truth)}
            place = tmp_path / system / f"{task}.parquet"
            place.parent.mkdir(exist_ok=True)
            rm.evaluate(truth, run, ["RR"]).save(place)
    found = rm.across(str(tmp_path))
    assert any("queries" in note for note in found.notes)
    assert found["x"].mean == pytest.approx(0.75)


def test_the_command_writes_pictures(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    table = made(4, 6, step=0.03)
    path.write_text(
        "model,"
        + ",".join(table["s0"])
        + "\n"
        + "".join(f"{s}," + ",".join(map(str, of.values())) + "\n" for s, of in table.items())
    )
    svg, latex, page = (tmp_path / name for name in ("ranks.svg", "ranks.tex", "page.html"))
    assert across(str(path), "--svg", str(svg), "--latex", str(latex), "--rope", "0.01").exit_code == 0
    assert svg.read_text().startswith("<svg")
    assert "tikzpicture" in latex.read_text()
    assert across(str(path), "--output", str(page), "--lang", "zh", "--control", "s0").exit_code == 0
    assert page.read_text().count("<svg") >= 2


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_terminal_of_80_columns_holds_everything(lang: Literal["en", "zh"]) -> None:
    table = {f"a rather long name of a system {name}": of for name, of in made(9, 6, step=0.02).items()}
    first = next(iter(table))
    text = rm.across(table, control=first, rope=0.01).to_text(lang, width=80)
    assert max(sum(2 if east_asian_width(c) in "WF" else 1 for c in line) for line in text.splitlines()) <= 80


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("model,a,b\nx,0.1,fast\ny,0.2,0.3\n", "not_a_number"),
        ("model,a,b\nx,0.1,0.2\nx,0.2,0.3\n", "row_twice"),
        ("model,a\nx,0.1\ny,0.2\n", "too_few"),
        ("model,a,b\nx,0.1,0.3\n", "too_few"),
        ("model,a,b\nx,0.3,0.4\ny,0.31,0.39\nz,29.5,0.41\n", "mixed_scales"),
        ("model,a,b\nx,0.3,0.4\ny,31,0.39\nz,29.5,0.41\nw,0.35,0.4\n", "mixed_scales"),
        ("model,a,b\nx,30%,0.4\ny,31%,0.39\nz,0.32,0.41\n", "mixed_scales"),
        ("model,task,score\nx,a,0.3\ny,a,31 %\nx,b,1\ny,b,1\n", "mixed_scales"),
        ("model,task,score\nx,a,0.3\nx,a,0.4\n", "cell_twice"),
        ("model,task,seed,score\nx,a,0,0.3\nx,a,0,0.4\n", "cell_twice"),
        ("model,task,query,score\nx,a,q,0.3\nx,a,q,0.4\n", "cell_twice"),
        ("model,task,seed,query,score\nx,a,0,q,0.3\nx,a,0,q,0.4\n", "cell_twice"),
        ("model,a,b\nx,0.1,\ny,,0.3\n", "nothing_common"),
        ("model,a,b\nx,0.1,inf\ny,0.2,0.3\n", "not_a_number"),
        ("model,task,seed,score\nx,a,1,0.3\nx,a,1,0.4\n", "cell_twice"),
        ("model,task,query,score\nx,a,1,0.3\nx,a,1,0.4\n", "cell_twice"),
        ("model,a,a\nx,0.1,0.2\ny,0.2,0.3\n", "column_twice"),
        ("task;x; x\na;0.1;0.2\nb;0.2;0.3\n", "column_twice"),
        ("model,a,b\n,0.1,0.2\ny,0.2,0.3\n", "no_name"),
        ("model,task,score\nx,a,0.3\nx,,0.4\n", "no_name"),
        ("model,task,query,score\nx,a,,0.3\nx,a,1,0.4\n", "no_name"),
    ],
)
def test_bad_tables_are_refused_with_the_place(tmp_path: Path, text: str, kind: str) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        rm.across(str(path))
    assert caught.value.problem.kind == f"results.{kind}"
    assert across(str(path)).exit_code == 2


@pytest.mark.parametrize("text", ["null", "3", "[]", "[1, 2]", "[" * 100_000, '"x"', "{}"])
def test_json_without_a_table_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "scores.json"
    path.write_text(text)
    with pytest.raises(InputError):
        rm.across(str(path))


@pytest.mark.parametrize("head", ["model,a,b\n", "model,task,score\n"])
def test_empty_lines_are_no_systems(tmp_path: Path, head: str) -> None:
    rows = ["x,0.1,0.2", "y,0.2,0.3"] if "score" not in head else ["x,a,0.1", "x,b,0.2", "y,a,0.2", "y,b,0.3"]
    path = tmp_path / "scores.csv"
    path.write_text(head + "\n\n".join(rows) + "\n\n,,\n\n")
    assert [(one.system, round(one.mean, 9)) for one in rm.across(str(path)).systems] == [("y", 0.25), ("x", 0.15)]


@pytest.mark.parametrize(
    "text",
    [
        "model,a,b\nx,0.3,30\ny,0.31,39\nz,0.29,41\n",
        "model,a,b\nx,30%,30\ny,31%,39\nz,29 %,41\n",
        "model,a,b\nx,0.9,1\ny,4.5,2\nz,12,3\n",
        "model,a,b\nx,0.3,1031\ny,0.3,0.9\nz,0.4,988\n",
    ],
)
def test_tasks_may_have_scales_of_their_own(tmp_path: Path, text: str) -> None:
    (tmp_path / "scores.csv").write_text(text)
    assert rm.across(str(tmp_path / "scores.csv"))["x"].mean > 0


def test_damaged_and_odd_folders_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    for name, text, kind in [
        ("a.json", "{", "damaged"),
        ("a.json", "{}", "which_measure"),
        ("a.parquet", "x", "damaged"),
    ]:
        (tmp_path / "x" / name).write_text(text)
        with pytest.raises(InputError) as caught:
            rm.across(str(tmp_path))
        assert caught.value.problem.kind == f"results.{kind}"
        (tmp_path / "x" / name).unlink()
    with pytest.raises(InputError):
        rm.across(str(tmp_path))
    with pytest.raises(InputError):
        rm.across(made(3, 3), control="nobody")


def test_a_system_that_is_not_there_is_named_with_the_nearest() -> None:
    found = rm.across({name: {"x": 0.5, "y": 0.4} for name in ("bm25", "dense")})
    for lookup in (lambda: found["bm24"], lambda: found.pair("dense", "bm24"), lambda: found.pair("bm24", "dense")):
        with pytest.raises(NotFoundError, match=r"no system 'bm24'.*bm25"):
            lookup()


@pytest.mark.parametrize("scale", [1.0, 1e5])
@pytest.mark.parametrize("seeds", [1, 2])
def test_systems_that_differ_by_rounding_alone_stand_alike(scale: float, seeds: int) -> None:
    draw = random.Random(7)
    first = {f"t{n}": [scale * draw.random() for _ in range(seeds)] for n in range(6)}
    table = {"a": first, "b": {t: [math.nextafter(v, 0) for v in of] for t, of in first.items()},
             "c": {t: [math.nextafter(v, 2 * scale) for v in of] for t, of in first.items()},
             "d": {t: [v / 2 for v in of] for t, of in first.items()}}  # fmt: skip
    found = rm.across(table)
    names = ("mean_rank", "wins", "ties", "rank", "rank_low", "rank_high", "borda", "strength", "improvement")
    known = [getattr(found["a"], name) for name in names]
    for other in "bc":
        assert [getattr(found[other], name) for name in names] == pytest.approx(known)
    assert (found["a"].ties, found["a"].rank_low, found["a"].rank_high, found["d"].rank_low) == (12, 1, 1, 4)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"task_name": "a", "scores": {"test": []}}', "damaged"),
        ('{"task_name": "a", "scores": {"test": null}}', "damaged"),
        ('{"task_name": "a", "scores": {"test": {"main_score": 1}}}', "damaged"),
        ('{"task_name": "a", "scores": {"test": [1, 2]}}', "damaged"),
        ('{"task_name": "a", "scores": {"test": [{"ndcg_at_10": 0.1}]}}', "not_a_number"),
        ('{"task_name": "a", "scores": {"test": [{"main_score": null}]}}', "not_a_number"),
        ('{"task_name": "a", "scores": {"test": [{"main_score": "high"}]}}', "not_a_number"),
        ('{"task_name": "a", "scores": {"test": [{"main_score": true}]}}', "not_a_number"),
        ('{"model_names": ["x"], "metrics": ["mrr"]}', "damaged"),
        ('{"model_names": 3, "metrics": ["mrr"]}', "damaged"),
        ("[" * 100_000, "damaged"),
    ],
)
def test_damaged_results_of_other_tools_are_refused(tmp_path: Path, text: str, kind: str) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "a.json").write_text(text)
    with pytest.raises(InputError) as caught:
        rm.across(str(tmp_path))
    assert caught.value.problem.kind == f"results.{kind}"
    assert "a.json" in str(caught.value)


def test_cells_of_python_that_are_no_plain_numbers() -> None:
    for cell in (10**400, -(10**400)):
        with pytest.raises(InputError, match="is not a number"):
            rm.across({"a": {"x": cell, "y": 1}, "b": {"x": 1, "y": 2}})
    found = rm.across({"a": {"x": np.array(3.0), "y": np.float32(1)}, "b": {"x": np.array([1, 2]), "y": 2}})
    assert found["a"].mean == 2


def test_frames_of_pandas_with_holes_and_columns_given_twice() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    rows = [["a", 0.2, pandas.NA, 0.1], ["b", 0.5, 0.6, 0.2]]
    assert len(rm.across(pandas.DataFrame(rows, columns=["model", "x", "y", "z"])).tasks) == 2
    twice = pandas.DataFrame(rows, columns=["model", "HR@5", "HR@10", "HR@5"])
    for call in (rm.across, rm.audit):
        with pytest.raises(InputError, match="'HR@5' stands twice"):
            call(twice)


def test_nothing_is_written_when_an_ending_means_no_format(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("model,a,b\nx,0.1,0.2\ny,0.2,0.3\n")
    svg = tmp_path / "ranks.svg"
    refused = across(str(tmp_path / "scores.csv"), "--svg", str(svg), "--output", str(tmp_path / "page.xyz"))
    assert (refused.exit_code, svg.exists()) == (2, False)


def test_the_diagram_for_latex_of_a_large_table_is_quick() -> None:
    size = 332
    start = time.perf_counter()
    text = tikz([f"s{at}" for at in range(size)], np.arange(size) + 1.0, np.ones((size, size), np.bool_))
    assert text.count("node[") == text.count("above") + size
    assert time.perf_counter() - start < 20


def test_all_equal_systems_have_one_rank() -> None:
    found = rm.across({name: {"x": 0.5, "y": 0.5} for name in "abc"})
    assert {one.mean_rank for one in found.systems} == {2.0}
    assert len(found.best) == 3
    assert all(pair.p == 1 for pair in found.pairs)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("size", "rope", "side"), [(0.5, 0.25, 1), (0.25, 0.25, 0), (0.125, 0.25, 0), (0.0, 0.0, 0), (0.25, 0.0, 1)]
)
def test_folds_that_all_differ_alike_are_certain_and_the_rope_itself_is_alike(size, rope, side, sign):
    expected = {0: (0.0, 1.0, 0.0), 1: (0.0, 0.0, 1.0), -1: (1.0, 0.0, 0.0)}[side * sign]
    assert ts.correlated_t(np.full(8, sign * size), 0.1, rope) == expected
