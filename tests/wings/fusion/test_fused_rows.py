"""How the scores of one query came about: the rows give the very numbers of the fused run."""

from __future__ import annotations

import math
import statistics

import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter.cli import app
from rankmeter.wings.fusion.known_methods import METHODS
from rankmeter.wings.fusion.tool_fusions import tool_fusions

RUNS = {
    "a": {"q1": {"x": 3.0, "y": 2.5, "z": 1.0, "v": 1.0}, "q2": {"x": 2.0}},
    "b": {"q1": {"y": 0.9, "w": 0.8, "x": 0.1}, "q2": {"y": 0.5, "x": 0.5}},
}
JUDGMENTS = {"q1": {"x": 1}, "q2": {"y": 1}}


def counted(how, row, weights):
    """The fused score from what the rows say, for the methods that can be told from one item."""
    pairs = [(held.worth, weight) for held, weight in zip(row.lists, weights, strict=True) if held.worth is not None]
    worth, total = [v for v, _ in pairs], math.fsum(v * w for v, w in pairs)
    many = sum(bool(held.ranks) for held in row.lists)
    positive = [(v, w) for v, w in pairs if v > 0]
    share = math.fsum(w for _, w in positive)
    made = {
        **dict.fromkeys(("rrf", "rbc", "w_bordafuse", "wsum"), lambda: total),
        **dict.fromkeys(("sum", "bordafuse", "posfuse", "mapfuse", "slidefuse", "probfuse", "segfuse", "bayesfuse"),
                        lambda: math.fsum(worth)),
        "isr": lambda: many * total, "log_isr": lambda: math.log(many) * math.fsum(worth),
        "logn_isr": lambda: math.log(many + 0.01) * math.fsum(worth), "min": lambda: min(worth),
        "max": lambda: max(worth), "med": lambda: statistics.median(worth),
        "anz": lambda: math.fsum(worth) / len(worth), "mnz": lambda: many * math.fsum(worth),
        "gmnz": lambda: many * math.fsum(worth), "wmnz": lambda: total * math.fsum(w for _, w in pairs),
        "mixed": lambda: math.sqrt(many) * total, "arithmetic": lambda: total / math.fsum(w for _, w in pairs),
        "geometric": lambda: math.exp(math.fsum(w * math.log(v) for v, w in positive) / share) if share else 0.0,
        "harmonic": lambda: share / math.fsum(w / v for v, w in positive) if share else 0.0,
    }  # fmt: skip
    return made[how]() if how in made else None


@pytest.mark.parametrize("how", sorted({*METHODS, *tool_fusions()}))
@pytest.mark.parametrize("query", ["q1", "q2"])
def test_the_rows_hold_the_fused_list_and_add_up_to_it(how, query):
    definition = rm.Fusion.of(how)
    fused = rm.fuse(RUNS, definition, judgments=JUDGMENTS if definition.method.trained else None)
    told = fused.explain(query, RUNS)
    assert [(row.item, row.score) for row in told.rows] == list(fused.to_dict()[query].items())
    for row in told.rows:
        for name, held in zip(told.names, row.lists, strict=True):
            assert held.scores == ((RUNS[name][query][row.item],) if row.item in RUNS[name][query] else ())
        score = counted(definition.how, row, told.weights)
        if definition.scale == "best":
            score /= sum(told.weights) / (definition.k + definition.first)
        elif definition.weighting == "ranks":
            score = math.fsum(held.worth or 0 for held in row.lists)
        assert ("condorcet" in how) == (score is None)
        # Roundings to 10 decimals and to 4 bytes are those of a tool.
        near = 1e-6 if definition.precision == "float32" else 1e-12
        assert score is None or math.isclose(score, row.score, rel_tol=near, abs_tol=1e-9)


def test_an_item_that_stands_twice_is_told_twice():
    doubled = {"a": [["q", "x", 3.0], ["q", "y", 2.0], ["q", "x", 1.0]], "b": [["q", "y", 1.0]]}
    tables = {}
    for name, rows in doubled.items():
        tables[name] = {at: [row[i] for row in rows] for i, at in enumerate(("query", "item", "score"))}
    told = rm.fuse(tables, "langchain:ensemble").explain("q", tables)
    (twice,) = (row for row in told.rows if row.item == "x")
    assert twice.lists[0].ranks == (1, 3)
    assert twice.lists[0].worth == pytest.approx(1 / 61 + 1 / 63)


def test_a_query_that_no_run_holds_is_refused():
    with pytest.raises(rm.InputError, match="no run holds query 'q3'"):
        rm.fuse(RUNS).explain("q3", RUNS)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_command_shows_one_query(tmp_path, lang):
    paths = []
    for name, run in RUNS.items():
        paths.append(str(tmp_path / f"{name}.run"))
        lines = [f"{q} Q0 {d} 1 {s} {name}\n" for q, items in run.items() for d, s in items.items()]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    line = ["fuse", *paths, "--how", "rrf(k=10)", "--explain", "q1", "--lang", lang]
    done = CliRunner().invoke(app, line)
    assert done.exit_code == 0, done.output
    assert "#2 2.5 → 0.0833333" in done.stdout
    assert done.stdout.rstrip("\n") == rm.fuse(RUNS, "rrf(k=10)").explain("q1", RUNS).to_text(lang).rstrip("\n")
    refused = CliRunner().invoke(app, [*line, "--out", str(tmp_path / "fused.run")])
    assert refused.exit_code == 2
    assert not (tmp_path / "fused.run").exists()
