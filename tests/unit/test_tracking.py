"""Results into a real MLflow with a SQLite store; skipped where MLflow is not installed."""

from __future__ import annotations

import json
import math

import pytest

import rankmeter as rm
from rankmeter.compat.mlflow import metric_name, metrics_of

TRUTH = {i: {0} for i in range(40)}
GOOD = {i: [0, 1, 2] if i % 4 else [1, 0, 2] for i in range(40)}
POOR = {i: [1, 0, 2] if i % 3 else [0, 1, 2] for i in range(40)}


@pytest.fixture
def comparison():
    return rm.compare(
        TRUTH, {"poor": POOR, "good@2": GOOD}, ["RR", "P@1"], baseline="poor", permutations=200, resamples=200
    )


def test_metrics_carry_value_interval_difference_and_p(comparison):
    found = metrics_of(comparison)
    score, one = comparison.score("P@1", "good@2"), comparison.difference("P@1", "good@2")
    assert found["good_at_2/P_at_1"] == score.value == 0.75
    assert (found["good_at_2/P_at_1.low"], found["good_at_2/P_at_1.high"]) == (score.interval.low, score.interval.high)
    assert found["good_at_2-vs-poor/P_at_1.difference"] == one.difference
    assert found["good_at_2-vs-poor/P_at_1.p_corrected"] == one.p_corrected


def test_what_has_no_number_is_left_out():
    ev = rm.evaluate({"q": {"a": 0}}, {"q": ["a"]}, ["RR(empty=nan)", "P@1"])
    assert math.isnan(ev["RR(empty=nan)"])
    assert {name.split(".")[0] for name in metrics_of(ev)} == {"P_at_1"}


def test_names_hold_only_what_mlflow_allows():
    assert metric_name("nDCG(gain=exp2)@10 <b>") == "nDCG-gain-exp2-_at_10 -b-"


def test_systems_that_mlflow_could_not_tell_apart_are_numbered():
    truth, run = {"q1": {"a"}, "q2": {"a"}}, {"q1": ["a"], "q2": ["x", "a"]}
    runs = {"a@b": run, "a_at_b": run, "a:b": {"q1": ["a"], "q2": ["a"]}, "a;b": run}
    found = metrics_of(rm.compare(truth, runs, ["RR"], permutations=100, resamples=100))
    values = {name: value for name, value in found.items() if name.endswith("/RR")}
    assert values == {"a_at_b/RR": 0.75, "a_at_b-2/RR": 0.75, "a-b/RR": 1.0, "a-b-2/RR": 0.75}


def test_anything_else_is_refused():
    with pytest.raises(rm.InputError, match="a dict cannot be logged"):
        rm.log_to_mlflow({"RR": 0.5})


@pytest.fixture
def mlflow(tmp_path, monkeypatch):
    found = pytest.importorskip("mlflow", reason="MLflow is not installed: pip install 'rankmeter[mlflow]'")
    monkeypatch.chdir(tmp_path)
    found.set_tracking_uri(f"sqlite:///{tmp_path / 'mlflow.db'}")
    return found


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_comparison_is_logged_with_table_result_and_report(mlflow, comparison):
    run_id = rm.log_to_mlflow(comparison, run_name="nightly", titles={"queries": {0: "first"}})
    assert mlflow.active_run() is None
    run = mlflow.get_run(run_id)
    assert run.info.run_name == "nightly"
    assert run.data.metrics == pytest.approx(metrics_of(comparison))
    client = mlflow.MlflowClient()
    assert {one.path for one in client.list_artifacts(run_id, "rankmeter")} == {
        "rankmeter/per_query.json",
        "rankmeter/result.json",
        "rankmeter/report.html",
    }
    table = json.loads(mlflow.artifacts.load_text(f"runs:/{run_id}/rankmeter/per_query.json"))
    assert table["columns"] == ["query", "system", "RR", "P@1"]
    assert len(table["data"]) == 80
    assert "<h1>" in mlflow.artifacts.load_text(f"runs:/{run_id}/rankmeter/report.html")


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_an_evaluation_is_logged_into_the_active_run(mlflow):
    ev = rm.evaluate(TRUTH, GOOD, ["RR"], name="good")
    with mlflow.start_run() as active:
        assert rm.log_to_mlflow(ev, prefix="test/") == active.info.run_id
        assert mlflow.active_run().info.run_id == active.info.run_id
    metrics = mlflow.get_run(active.info.run_id).data.metrics
    assert metrics["test/RR"] == 0.875
    assert metrics["test/RR.low"] < 0.875 < metrics["test/RR.high"]
