"""Which definition gives a fused list: the lists that tools returned lead back to what those tools do."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from tests.wings.fusion.test_dialects_of_fusion import (
    METHODS,
    NOT_DEFINED,
    NOT_FUSIONS,
    TOOLS,
    TRAINED,
    accident,
    definitions,
    recorded,
    runs_of,
)

import rankmeter as rm
from rankmeter.cli import app

pytestmark = pytest.mark.slow
CASES = ("three_runs", "random_1", "random_2", "facts")
LEFT_OUT = {(one["tool"], one["method"]) for one in recorded()["results"] if one["method"] in (*NOT_FUSIONS, *TRAINED)}
CALLS = sorted({(one["tool"], one["method"]) for one in recorded()["results"]} - LEFT_OUT - set(NOT_DEFINED))
A = {"q1": {"d1": 10.0, "d2": 8.0, "d3": 7.0, "d4": 1.0}, "q2": {"d1": 3.0, "d5": 2.0}}
B = {"q1": {"d3": 0.9, "d5": 0.8, "d1": 0.2}, "q2": {"d6": 0.7, "d1": 0.1}}
RUNS = {"a": A, "b": B}
THREE = RUNS | {"c": A}
"""Of three runs no weights are tried, which takes a tenth of the time."""


def recorded_lists(tool, method):
    """The first lists of that call that are no accident, with the definitions that stand for them."""
    ours = TOOLS.get(tool, tool)
    for result in sorted(recorded()["results"], key=lambda one: one["case"] != "three_runs"):
        if (result["tool"], result["method"]) != (tool, method) or result["case"] not in CASES or "error" in result:
            continue
        name = METHODS.get((ours, method), method)
        if result.get("hash_dependent") or accident(ours, name, result["case"], None, result["params"]):
            continue
        meant = [
            one for norm, one in definitions(result) if not accident(ours, name, result["case"], norm, result["params"])
        ]
        if meant:
            yield result, meant


@pytest.mark.parametrize(("tool", "method"), CALLS)
def test_what_a_tool_returned_leads_back_to_its_definition(tool, method):
    seen = 0
    for result, meant in list(recorded_lists(tool, method))[:1]:
        rows = {
            query: [(item, score) for item, score in items if score is not None]
            for query, items in result["fused"].items()
        }
        has_scores = all(score is not None for items in result["fused"].values() for _, score in items)
        fused = {
            q: {d: float(s) for d, s in items} if has_scores else [d for d, _ in result["fused"][q]]
            for q, items in rows.items()
        }
        known = {name: getattr(meant[0], name) for name in ("k", "weights", "gamma", "sigma", "phi", "least")
                 if name in meant[0].options_of() and getattr(meant[0], name) is not None}  # fmt: skip
        if ":" in (meant[0].norm or ""):
            known["norm"] = meant[0].norm
        found = rm.reconcile_fusion(runs_of(result["case"]), fused, **known)
        names = {(one.name.partition(":")[0], one.definition) for one in found.matches}
        assert names & {(one.tool.partition(":")[0], str(one)) for one in meant}, (result["case"], found)
        seen += 1
    assert bool(seen) == ("condorcet" not in method)  # whose ties stand in the order of a set, in every case


@pytest.mark.parametrize(
    ("how", "name"),
    [
        ("qdrant:rrf", "qdrant:rrf"),
        ("opensearch:hybrid(l2,geometric_mean)", "opensearch:hybrid(l2,geometric_mean)"),
        ("wsum(norm=max,weights=0.3:0.7)", "wsum(norm=max,weights=0.3:0.7)"),
        ("rrf(k=10)", "rrf(k=10)"),
    ],
)
@pytest.mark.parametrize("cut", [None, 2])
def test_a_list_is_found_without_a_hint_and_cut(how, name, cut):
    runs = RUNS if "weights" in how else THREE
    found = rm.reconcile_fusion(runs, rm.fuse(runs, how, top=cut).to_dict())
    assert name in [one.name for one in found.matches]
    for one in found.matches:
        again = rm.fuse(runs, one.definition).to_dict()
        for query, items in rm.fuse(runs, how, top=cut).to_dict().items():
            assert all(again[query][item] == pytest.approx(score, rel=1e-9) for item, score in items.items())


def test_rounded_scores_and_lists_without_scores_are_found():
    made = rm.fuse(THREE, "rrf").to_dict()
    rough = {query: {item: round(score, 5) for item, score in items.items()} for query, items in made.items()}
    found = rm.reconcile_fusion(THREE, rough)
    assert found.digits == 5
    assert "rrf" in [one.name for one in found.matches]
    listed = {query: list(items) for query, items in made.items()}
    assert "rrf" in [one.name for one in rm.reconcile_fusion(THREE, listed).matches]


def test_where_nothing_matches_the_nearest_are_named():
    found = rm.reconcile_fusion(RUNS, {"q1": {"d3": 0.0325, "d1": 0.03, "d9": 77.0}}, ["rrf", "wsum", "qdrant:rrf"])
    assert found.matches == ()
    assert found.nearest[0].name == "rrf"
    assert found.tried == 3


def test_nothing_to_find_and_unknown_options_are_refused():
    with pytest.raises(rm.InputError, match="no item"):
        rm.reconcile_fusion(RUNS, {"q1": []})
    with pytest.raises(rm.InputError, match="kk"):
        rm.reconcile_fusion(RUNS, A, kk=1)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_command_finds_what_the_call_finds(tmp_path, lang):
    paths = {}
    rm.fuse(THREE, "qdrant:rrf").save(tmp_path / "fused.run")
    for name, run in THREE.items():
        paths[name] = str(tmp_path / f"{name}.run")
        lines = [f"{q} Q0 {d} 1 {s} {name}\n" for q, items in run.items() for d, s in items.items()]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    line = ["fuse", *paths.values(), "--reconcile", str(tmp_path / "fused.run"), "--lang", lang]
    done = CliRunner().invoke(app, line)
    assert done.exit_code == 0, done.output
    assert "qdrant:rrf" in done.stdout
    assert {"en": "definitions give", "zh": "种给出"}[lang] in done.stdout
    only = CliRunner().invoke(app, [*line, "--how", "rrf", "--k", "3"])
    assert {"en": "None of 1", "zh": "1 种定义都没有"}[lang] in only.stdout
    assert CliRunner().invoke(app, [*line, "--out", str(tmp_path / "x.run")]).exit_code == 2
