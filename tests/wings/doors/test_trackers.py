"""Results into a real MLflow with a SQLite store; skipped where MLflow is not installed."""

from __future__ import annotations

import json
import math
import shutil
import warnings
from contextlib import chdir

import pytest

import rankmeter as rm
from rankmeter.compat.trackers import definitions_of, metric_name, metrics_of

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


def test_a_definition_states_every_convention():
    [text] = definitions_of(rm.evaluate(TRUTH, GOOD, ["nDCG(gain=exp2)@5"])).values()
    assert text.startswith("nDCG(gain=exp2)@5: ")
    for name, value in rm.parse("nDCG(gain=exp2)@5").describe().items():
        assert value is None or name == "measure" or f"{name}={value}" in text


def test_anything_else_is_refused():
    with pytest.raises(rm.InputError, match="a dict cannot be logged"):
        rm.log_to_mlflow({"RR": 0.5})


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """An empty store: to make its tables takes longer than a test."""
    mlflow = pytest.importorskip("mlflow", reason="MLflow is not installed: pip install 'rankmeter[mlflow]'")
    path = tmp_path_factory.mktemp("store") / "mlflow.db"
    mlflow.set_tracking_uri(f"sqlite:///{path}")
    with warnings.catch_warnings(action="ignore"), chdir(path.parent):
        mlflow.search_experiments()
    return path


@pytest.fixture
def mlflow(store, tmp_path, monkeypatch):
    found = pytest.importorskip("mlflow")
    monkeypatch.chdir(tmp_path)
    shutil.copy(store, tmp_path / "mlflow.db")
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


def held(mlflow, run_id, name="rankmeter/per_query.json"):
    return json.loads(mlflow.artifacts.load_text(f"runs:/{run_id}/{name}"))


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_what_a_run_holds_is_not_logged_again(mlflow):
    ev = rm.evaluate(TRUTH, GOOD, ["RR"], name="good")
    with mlflow.start_run():
        ids = {rm.log_to_mlflow(rm.evaluate(TRUTH, GOOD, ["RR"], name="good")) for _ in range(3)}
        ids.add(rm.log_to_mlflow(ev))
    [run_id] = ids
    table = held(mlflow, run_id)
    assert table["columns"] == ["query", "system", "RR"]
    assert [row[:2] for row in table["data"]] == [[query, "good"] for query in ev.per_query["query"]]


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_another_result_of_the_same_names_is_refused_and_a_prefix_keeps_it_apart(mlflow):
    good, poor = (rm.evaluate(TRUTH, run, ["RR"], name=name) for name, run in (("good", GOOD), ("poor", POOR)))
    with mlflow.start_run():
        run_id = rm.log_to_mlflow(good)
        with pytest.raises(rm.InputError, match="another result under these names"):
            rm.log_to_mlflow(poor)
        rm.log_to_mlflow(poor, prefix="poor/")
    metrics = mlflow.get_run(run_id).data.metrics
    assert (metrics["RR"], metrics["poor/RR"]) == (good["RR"], poor["RR"])
    assert {row[1] for row in held(mlflow, run_id)["data"]} == {"good"}
    assert {row[1] for row in held(mlflow, run_id, "rankmeter/poor/per_query.json")["data"]} == {"poor"}


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_long_names_of_systems_fit(mlflow):
    names = ["系" * 300, "系" * 299 + "统"]
    runs = dict(zip(names, (GOOD, POOR), strict=True))
    result = rm.compare(TRUTH, runs, ["RR"], baseline=names[0], permutations=100, resamples=100)
    metrics = mlflow.get_run(rm.log_to_mlflow(result, report=False)).data.metrics
    assert metrics == pytest.approx(metrics_of(result))
    assert len({name.partition("/")[0] for name in metrics}) == 3  # two systems and their difference
    with pytest.raises(rm.InputError, match="names of 250 characters"):
        rm.log_to_mlflow(result, report=False, prefix="p" * 240)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_definitions_are_tags_and_systems_are_nested_runs(mlflow, comparison):
    run_id = rm.log_to_mlflow(comparison, nested=True, report=False)
    tags = mlflow.get_run(run_id).data.tags
    assert tags["rankmeter.definition.P_at_1"] == definitions_of(comparison)["P_at_1"]
    children = mlflow.search_runs(filter_string=f"tags.mlflow.parentRunId = '{run_id}'", output_format="list")
    assert {child.info.run_name: child.data.metrics["P_at_1"] for child in children} == {
        system: comparison.score("P@1", system).value for system in ("poor", "good@2")
    }


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_weights_and_biases_get_numbers_table_definitions_and_report(wandb, tmp_path, comparison):
    with pytest.raises(rm.InputError, match="no Weights & Biases run is active"):
        rm.log_to_wandb(comparison)
    with wandb.init(project="rankings", dir=tmp_path) as run:
        rm.log_to_wandb(comparison)
        assert run.summary["good_at_2/P_at_1"] == 0.75
        assert run.config["rankmeter"]["P_at_1"] == definitions_of(comparison)["P_at_1"]
        assert run.summary["rankmeter/per_query"]["nrows"] == 80
        assert run.summary["rankmeter/report"]["_type"] == "html-file"


@pytest.fixture
def wandb(tmp_path, monkeypatch):
    found = pytest.importorskip("wandb", reason="wandb is not installed: pip install wandb")
    for name, value in {"WANDB_MODE": "offline", "WANDB_SILENT": "true", "WANDB_DIR": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    return found


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_weights_and_biases_get_nothing_twice_and_no_two_systems_under_one_name(wandb, tmp_path):
    good, poor = (rm.evaluate(TRUTH, run, ["RR"], name=name) for name, run in (("good", GOOD), ("poor", POOR)))
    with wandb.init(project="rankings", dir=tmp_path) as run:
        rm.log_to_wandb(good)
        rm.log_to_wandb(good)
        assert run.step == 1
        with pytest.raises(rm.InputError, match="shows good under these names, and this result is about poor"):
            rm.log_to_wandb(poor)
        assert (run.step, run.summary["RR"]) == (1, good["RR"])
        rm.log_to_wandb(rm.evaluate(TRUTH, POOR, ["P@1"], name="poor"), prefix="poor/")
        rm.log_to_wandb(rm.evaluate(TRUTH, POOR, ["RR"], name="good"))  # the next epoch of one system
        assert (run.step, run.summary["RR"]) == (3, poor["RR"])
        rm.log_to_wandb(poor, step=7)
        rm.log_to_wandb(poor, step=8)
        assert run.step == 8
        assert {"RR", "P_at_1"} <= set(run.config["rankmeter"])


@pytest.mark.parametrize("own", [True, False])
def test_tensorboard_gets_no_value_twice_and_no_second_value_at_a_step(tmp_path, own):
    pytest.importorskip("tensorboard", reason="TensorBoard is not installed: pip install tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.summary import Writer

    writer = tmp_path if own else Writer(str(tmp_path))
    good, poor = (rm.evaluate(TRUTH, run, ["RR"]) for run in (GOOD, POOR))
    rm.log_to_tensorboard(good, writer)
    rm.log_to_tensorboard(good, writer)
    with pytest.raises(rm.InputError, match="another value of RR at step 0 already"):
        rm.log_to_tensorboard(poor, writer)
    rm.log_to_tensorboard(poor, writer, step=1)
    rm.log_to_tensorboard(poor, writer, prefix="poor/")
    if not own:
        writer.close()
    events = EventAccumulator(str(tmp_path)).Reload()
    assert [event.step for event in events.Tensors("RR")] == [0, 1]
    assert [event.step for event in events.Tensors("poor/RR")] == [0]


def test_tensorboard_gets_numbers_and_their_definitions(tmp_path, comparison):
    pytest.importorskip("tensorboard", reason="TensorBoard is not installed: pip install tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    for step in (1, 2):
        rm.log_to_tensorboard(comparison, tmp_path, step=step)
    events = EventAccumulator(str(tmp_path)).Reload()
    steps = [event.step for event in events.Tensors("good_at_2/P_at_1")]
    assert sorted(steps) == [1, 2]
    described = events.SummaryMetadata("good_at_2/P_at_1").summary_description
    assert described == definitions_of(comparison)["P_at_1"]


def test_any_writer_with_add_scalar_will_do(comparison):
    class Writer:
        def __init__(self) -> None:
            self.written: dict[str, float] = {}

        def add_scalar(self, name: str, value: float, step: int) -> None:
            self.written[name] = value

    writer = Writer()
    rm.log_to_tensorboard(comparison, writer, prefix="test/")
    assert writer.written == {f"test/{name}": value for name, value in metrics_of(comparison).items()}


def test_a_definition_stands_beside_every_number_of_its_measure():
    class Writer:
        """Says, as TensorBoard's own writer does, where it comes from."""

        __module__ = "tensorboard.summary"

        def __init__(self) -> None:
            self.described: dict[str, str] = {}

        def add_scalar(self, name: str, _value: float, _step: int, description: str) -> None:
            self.described[name] = description

    writer = Writer()
    truth = {f"q{number}": {"a": 1, "b": number % 2} for number in range(6)}
    ev = rm.evaluate(truth, {query: ["a", "b"] for query in truth}, ["RBP(p=0.8)", "RR"])
    rm.log_to_tensorboard(ev, writer)
    assert {name.partition("-")[0].partition(".")[0]: text.partition("(")[0].partition(":")[0]
            for name, text in writer.described.items()} == {"RBP": "RBP", "RR": "RR"}  # fmt: skip
