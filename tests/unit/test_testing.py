"""Requirements on rankings: the assertion, the pytest plugin and the action, each run for real."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import numpy as np
import pytest

import rankmeter as rm
from rankmeter import demo
from rankmeter.comparing.gate import check_evaluations, check_gates, noise_of, parse_gate
from rankmeter.comparing.requirements import check_requirements
from rankmeter.testing import assert_ranking

ROOT = Path(__file__).parents[2]
pytest_plugins = ["pytester"]

TRUTH = {f"q{i}": {"a": 1} for i in range(40)}
GOOD = {query: ["a", "b", "c"] for query in TRUTH}
POOR = {query: ["b", "c", "a"] if place % 2 else ["a"] for place, query in enumerate(TRUTH)}
ONE_WORSE = {**GOOD, "q7": ["b", "a"]}


@pytest.mark.parametrize("text", ["RR >= 0.9", "RR > 0.99", "RR >= 1", "MeanRank <= 1", "MeanRank < 1.5"])
def test_what_holds_passes_with_either_direction(text):
    [kept] = assert_ranking(TRUTH, GOOD, text)
    assert kept.is_met
    assert kept.value == 1


@pytest.mark.parametrize("text", ["RR > 1", "RR >= 1.0001", "MeanRank < 1"])
def test_what_does_not_hold_fails(text):
    with pytest.raises(AssertionError, match=r"the value is 1\.0000"):
        assert_ranking(TRUTH, GOOD, text)


def test_a_loss_that_may_be_chance_does_not_fail_unless_asked():
    assert_ranking(TRUTH, ONE_WORSE, "RR >= baseline", baseline=GOOD, certain=True)
    for word in ("significantly", "surely"):
        assert_ranking(TRUTH, ONE_WORSE, f"not RR < baseline {word}", baseline=GOOD)
    with pytest.raises(AssertionError, match=r"q7 +1.0000 -> 0.5000 +-0.5000"):
        assert_ranking(TRUTH, ONE_WORSE, "RR >= baseline", baseline=GOOD)
    with pytest.raises(AssertionError, match=r"q7 +1.0000 -> 0.5000 +-0.5000"):
        assert_ranking(TRUTH, ONE_WORSE, "not RR < baseline", baseline=GOOD)


@pytest.mark.parametrize("certain", ["", " significantly"])
@pytest.mark.parametrize("limit", ["baseline", "baseline - 0.02", "baseline - 5%"])
def test_a_requirement_and_the_gate_of_the_same_words_agree(limit, certain):
    """One expression has one meaning: what a gate fails, the requirement that forbids it fails too, on any data."""
    rng = np.random.default_rng(3)
    seen = set()
    for spread in (0.1, 0.5, 0.9) * 6:
        ranks = (rng.random((2, 40)) < spread) * rng.integers(0, 5, (2, 40))
        old, new = ({q: [f"x{n}" for n in range(r)] + ["a"] for q, r in zip(TRUTH, row, strict=True)} for row in ranks)
        cmp = rm.compare(TRUTH, {"baseline": old, "run": new}, ["RR"], baseline="baseline")
        [verdict] = check_gates(cmp, [parse_gate(f"RR < {limit}{certain}")])
        seen.add(verdict.failed)
        texts = [f"not RR < {limit}{certain}", *([] if certain else [f"RR >= {limit}"])]
        checked = check_requirements(TRUTH, new, texts, baseline=old)
        assert [one.is_met for one in checked] == [not verdict.failed] * len(texts)
    assert seen == {True, False} or certain


def test_a_gate_that_noise_would_fail_says_how_often_and_which_margin_would_not():
    rng = np.random.default_rng(11)
    pool = [{q: [f"x{n}" for n in range(r)] + ["a"] for q, r in zip(TRUTH, row, strict=True)}
            for row in rng.integers(0, 5, (120, 40))]  # fmt: skip
    failed, rarely, said = 0, 0, []
    for old, new in zip(pool[::2], pool[1::2], strict=True):
        cmp = rm.compare(TRUTH, {"old": old, "new": new}, ["RR"], baseline="old")
        [verdict] = check_gates(cmp, [parse_gate("RR < baseline - 0.01")])
        assert verdict.steady < -0.01
        [again] = check_gates(
            cmp, [parse_gate(f"RR < baseline {verdict.steady:.6f}".replace("baseline -", "baseline - "))]
        )
        assert again.flaps == pytest.approx(0.01, abs=1e-4)
        failed, rarely = failed + verdict.failed, rarely + again.failed
        said.append(verdict.flaps)
    assert 0.35 < np.mean(said) < 0.5
    assert abs(failed / 60 - np.mean(said)) < 0.2  # three standard errors
    assert rarely <= 4
    [note] = noise_of([verdict])
    assert "chance alone would fail 4" in note
    assert "baseline - 0." in note
    assert "仅因偶然" in note.text("zh")
    assert not noise_of(check_gates(cmp, [parse_gate("RR < baseline significantly"), parse_gate("RR < 0.1")]))
    [told] = check_requirements(TRUTH, pool[1], ["RR >= baseline - 0.01"], baseline=pool[0])
    assert "chance alone" in told.told()


def test_a_run_that_shares_no_ids_fails_with_that_reason_wherever_it_is_checked(tmp_path):
    strange = {query: ["A1", "B1"] for query in TRUTH}
    with pytest.raises(AssertionError, match="none of the judged items is in the run"):
        assert_ranking(TRUTH, strange, "RR >= 0.5")
    with pytest.raises(AssertionError, match="none of the judged items is in the run"):
        assert_ranking(TRUTH, strange, "RR >= baseline - 2", baseline=GOOD)
    cmp = rm.compare(TRUTH, {"good": GOOD, "strange": strange}, ["RR"], baseline="strange")
    for gate in ("RR < baseline - 1", "RR of strange < 0", "RR of good < baseline"):
        [verdict] = check_gates(cmp, [parse_gate(gate)])
        assert verdict.failed
        assert "none of the judged items is in the run" in verdict.why
    [verdict] = check_evaluations([rm.evaluate(TRUTH, strange, ["RR"])], [parse_gate("RR > 2")])
    assert verdict.failed
    assert "none of the judged items" in verdict.why


def test_a_real_loss_fails_and_names_the_queries_that_fell():
    with pytest.raises(AssertionError) as caught:
        assert_ranking(TRUTH, POOR, "RR >= baseline", baseline=GOOD, shown=3)
    told = str(caught.value)
    assert told.count("->") == 3
    assert "95% interval" in told


def test_what_is_told_states_the_level_that_was_asked_for_in_either_language():
    [checked] = assert_ranking(TRUTH, GOOD, "RR >= baseline", baseline=POOR, level=0.8)
    assert "80% interval" in checked.told("en")
    assert "80% 区间" in checked.told("zh")
    assert "interval" not in checked.told("zh")


@pytest.mark.slow
def test_noise_alone_fails_as_often_as_promised():
    rng = np.random.default_rng(7)
    failed = 0
    for _ in range(60):
        ranks = rng.integers(0, 5, (2, 40))
        runs = [{q: [f"x{n}" for n in range(r)] + ["a"] for q, r in zip(TRUTH, row, strict=True)} for row in ranks]
        try:
            assert_ranking(TRUTH, runs[0], "not RR < baseline significantly", baseline=runs[1])
        except AssertionError:
            failed += 1
    assert failed <= 9  # 5 % of 60 are 3; more than 9 have a chance below 0.1 %


def test_a_saved_evaluation_is_a_baseline(tmp_path):
    rm.evaluate(TRUTH, GOOD, ["RR"]).save(tmp_path / "main.parquet")
    with pytest.raises(AssertionError, match=r"against the baseline's 1\.0000"):
        assert_ranking(TRUTH, POOR, "RR >= baseline - 0.1", baseline=tmp_path / "main.parquet")


@pytest.mark.parametrize(
    ("requirements", "words"),
    [
        ((), "no requirement"),
        (("RR >= baseline",), "needs a baseline"),
        (("RR",), "a requirement looks like"),
        (("XX > 1",), "XX"),
        (("RR < 0.5",), "must hold"),
        (("MeanRank > 2",), "must hold"),
        (("RR >= 0.5 significantly",), "must hold"),
        (("not RR >= 0.5",), "must hold"),
        (("not RR < 0.5 significantly",), "more than chance"),
        (("RR => 0.5",), "a requirement looks like"),
    ],
)
def test_what_cannot_be_checked_is_an_error_not_a_failure(requirements, words):
    with pytest.raises(rm.RankmeterError, match=words):
        assert_ranking(TRUTH, GOOD, *requirements)


@pytest.mark.parametrize("baseline", [None, GOOD])
@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ("basline", "did you mean 'baseline'"),
        ("Baseline - 0.01", "did you mean 'baseline'"),
        ("0,4", "a requirement looks like"),
        ("main", "a requirement looks like"),
    ],
)
def test_a_limit_that_is_neither_a_number_nor_the_baseline(limit, words, baseline):
    with pytest.raises(rm.InputError, match=words):
        assert_ranking(TRUTH, GOOD, f"RR >= {limit}", baseline=baseline)


IS_INSTALLED = any(point.name == "rankmeter" for point in entry_points(group="pytest11"))
PLUGIN = () if IS_INSTALLED else ("-p", "rankmeter.pytest_plugin")
"""How pytest is told of the plugin; where rankmeter is installed it knows."""


@pytest.mark.slow
def test_the_plugin_gives_a_fixture_and_says_what_was_checked(pytester):
    pytester.makepyfile(
        """
        TRUTH = {f"q{i}": {"a"} for i in range(30)}

        def test_good(rankmeter):
            rankmeter.assert_ranking(TRUTH, {q: ["a"] for q in TRUTH}, "RR >= 0.9")

        def test_poor(rankmeter):
            good, poor = ({q: list(order) for q in TRUTH} for order in ("ab", "ba"))
            poor["q0"] = ["a", "b"]
            rankmeter.assert_ranking(TRUTH, poor, "RR >= baseline", baseline=good)
        """
    )
    done = pytester.runpytest_subprocess(*PLUGIN, "-p", "no:cacheprovider")
    done.assert_outcomes(passed=1, failed=1)
    done.stdout.fnmatch_lines(["*AssertionError: RR >= baseline: 0.5167 against the baseline's 1.0000*"])
    done.stdout.fnmatch_lines(["*= rankings =*", "*test_good: RR >= 0.9: the value is 1.0000*"])


@pytest.mark.slow
def test_what_is_wrong_with_a_call_points_to_the_test(pytester):
    pytester.makepyfile("""
        def test_it(rankmeter):
            rankmeter.assert_ranking("nothing.qrels", "nothing.run", "RR >= 0.5")
    """)
    told = pytester.runpytest_subprocess(*PLUGIN).stdout.str()
    assert "file not found: nothing.qrels" in told
    assert "compression.py" not in told


def test_the_plugin_loads_nothing_heavy():
    code = "import sys, rankmeter.pytest_plugin; print([m for m in ('numpy', 'polars', 'scipy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# The action: its steps as they stand in action.yml, in a real shell.


def steps() -> dict[str, str]:
    """The scripts of the action by the names of their steps; a block of YAML text is what is indented below it."""
    scripts: dict[str, str] = {}
    name, inside, indent = "", False, 0
    for line in (ROOT / "action.yml").read_text().splitlines():
        if line.strip().startswith("- name: "):
            name, inside = line.strip().removeprefix("- name: "), False
        elif line.strip() == "run: |":
            inside, indent = True, len(line) - len(line.lstrip()) + 2
        elif inside and line.strip() and len(line) - len(line.lstrip()) < indent:
            inside = False
        elif inside:
            scripts[name] = scripts.get(name, "") + line[indent:] + "\n"
    return scripts


def act(folder: Path, **inputs: str) -> tuple[int, dict[str, str], str, str]:
    summary, output = folder / "summary.md", folder / "output.txt"
    summary.touch()
    output.touch()
    runner = folder / "bin" / "rankmeter"
    runner.parent.mkdir(exist_ok=True)
    runner.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m rankmeter "$@"\n')
    runner.chmod(0o755)
    (runner.parent / "python").unlink(missing_ok=True)
    (runner.parent / "python").symlink_to(sys.executable)
    given = {"JUDGMENTS": str(demo.data_path(demo.JUDGMENTS)), "RUNS": "", "BASELINE": "", "MEASURES": "nDCG@10 RR",
             "FAIL_IF": "", "OPTIONS": "", "REPORT": "", "VERSION": "", **inputs}  # fmt: skip
    env = {**os.environ, **given, "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(output),
           "RUNNER_TEMP": str(folder), "PATH": f"{runner.parent}:{os.environ['PATH']}"}  # fmt: skip
    for script in steps().values():
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=folder,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
    outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
    return done.returncode, outputs, summary.read_text(), done.stdout + done.stderr


RUNS = {name: str(demo.data_path(file)) for name, file in demo.RUNS.items()}


@pytest.mark.posix
@pytest.mark.program("bash")
@pytest.mark.slow
def test_the_action_passes_and_writes_summary_report_and_outputs(tmp_path):
    inputs = {"RUNS": RUNS["hybrid"], "BASELINE": RUNS["keyword"], "REPORT": "report.html",
              "FAIL_IF": "nDCG@10 < baseline significantly\nRR < 0.1"}  # fmt: skip
    code, outputs, summary, talk = act(tmp_path, **inputs)
    assert code == 0, talk
    assert outputs["failed"] == "false"
    assert "hybrid" in json.loads(Path(outputs["json"]).read_text())["systems"]
    assert (tmp_path / outputs["report"]).stat().st_size > 10_000
    assert "✅" in summary


@pytest.mark.posix
@pytest.mark.program("bash")
@pytest.mark.slow
def test_the_action_fails_where_a_gate_fails(tmp_path):
    saved = tmp_path / "main.parquet"
    rm.evaluate(demo.data_path(demo.JUDGMENTS), RUNS["hybrid"], ["nDCG@10", "RR"]).save(saved)
    code, outputs, summary, talk = act(
        tmp_path, RUNS=RUNS["keyword"], BASELINE=str(saved), FAIL_IF="nDCG@10 < baseline - 0.01"
    )
    assert code == 1, talk
    assert outputs["failed"] == "true"
    assert "❌" in summary


@pytest.mark.posix
@pytest.mark.program("bash")
@pytest.mark.slow
def test_the_action_measures_one_run_and_expands_patterns(tmp_path):
    run = tmp_path / "a b.run"
    run.write_bytes(Path(RUNS["keyword"]).read_bytes())
    code, outputs, summary, talk = act(tmp_path, RUNS=str(tmp_path / "*.run").replace(" ", "?"))
    assert code == 0, talk
    assert "nDCG@10" in summary
    assert "report" not in outputs


@pytest.mark.posix
@pytest.mark.program("bash")
@pytest.mark.parametrize("options", ["", "$(touch owned)", "'$(touch owned)'", "`touch owned`", "; touch owned", "'"])
def test_a_hostile_input_of_the_action_runs_nothing(tmp_path, options):
    hostile = {"RUNS": "$(touch${IFS}owned)", "BASELINE": '"; touch owned; "', "FAIL_IF": "`touch owned`"}
    code, outputs, *_ = act(tmp_path, **hostile, OPTIONS=options, REPORT="report.html")
    assert code == 2
    assert outputs == {}  # nothing was measured: neither passed nor failed
    assert not (tmp_path / "owned").exists()


@pytest.mark.posix
@pytest.mark.program("bash")
def test_options_of_the_action_are_read_as_they_are_typed(tmp_path):
    (tmp_path / "judged.csv").write_text("search text,doc,grade\nq1,a,1\nq2,b,1\n")
    (tmp_path / "run.csv").write_text("query,doc,score\nq1,a,2.0\nq2,x,1.0\n")
    code, outputs, _, talk = act(
        tmp_path,
        JUDGMENTS="judged.csv",
        RUNS="run.csv",
        MEASURES="RR",
        OPTIONS="--columns 'judgments.query=search text'\n--digits 2",
    )
    assert code == 0, talk
    assert json.loads(Path(outputs["json"]).read_text())


@pytest.mark.posix
@pytest.mark.program("bash")
@pytest.mark.slow
@pytest.mark.parametrize(("gate", "wanted"), [("nDCG@10 < 0.6", 0), ("nDCG@10 < 0.7", 1), ("nDCG@10 < baseline", 2)])
def test_the_action_holds_one_run_to_a_number(tmp_path, gate, wanted):
    code, outputs, summary, talk = act(tmp_path, RUNS=RUNS["hybrid"], FAIL_IF=gate)
    assert code == wanted, talk
    assert outputs.get("failed") == {0: "false", 1: "true", 2: None}[wanted]
    assert ("1 of 1 check failed" in summary, "All checks passed" in summary) == (wanted == 1, wanted == 0)


@pytest.mark.posix
@pytest.mark.program("bash")
@pytest.mark.slow
@pytest.mark.parametrize(("new", "old", "wanted"), [("hybrid", "bm25", 0), ("bm25", "hybrid", 1)])
def test_the_action_takes_responses_and_exports(tmp_path, new, old, wanted):
    """From two bulk responses and the ratings of Quepid, with the bulk request beside them, to a verdict."""
    texts = [f"query {number}" for number in range(8)]
    requests = [line for text in texts for line in ({"index": "shop"}, {"query": {"match": {"title": text}}})]
    (tmp_path / "requests.ndjson").write_text("\n".join(map(json.dumps, requests)) + "\n")
    for name, order in {"bm25": "bac", "hybrid": "abc"}.items():
        hits = [{"_id": item, "_score": 3.0 - place} for place, item in enumerate(order)]
        responses = [{"timed_out": False, "hits": {"hits": hits}} for _ in texts]
        (tmp_path / f"{name}.json").write_text(json.dumps({"took": 1, "responses": responses}))
    rows = "".join(f"{text},a,3\n{text},b,\n" for text in texts)
    (tmp_path / "ratings.csv").write_text("query,docid,rating\n" + rows)
    inputs = {"RUNS": f"{new}.json", "BASELINE": f"{old}.json", "MEASURES": "nDCG@10", "REPORT": "report.html"}
    code, outputs, summary, talk = act(tmp_path, JUDGMENTS="ratings.csv", FAIL_IF="nDCG@10 < baseline", **inputs)
    assert code == wanted, talk
    assert outputs["failed"] == ("true" if wanted else "false")
    assert (tmp_path / outputs["report"]).stat().st_size > 10_000
    assert new in summary
