"""Logs and experiments into trackers: the numbers, their definitions, the table and the page."""

from __future__ import annotations

import json
import math

import pytest

import rankmeter as rm
from rankmeter.compat.trackers import definitions_of, metrics_of

pytestmark = [pytest.mark.wings("doors", "online")]
LOG = [
    {"time": n, "user": f"u{n}", "item": "a", "type": kind, "variant": "AB"[n % 2]}
    for n in range(60)
    for kind in (["impression", "click"] if n % 3 else ["impression"])
]


def logs():
    """Results of a log: of all users, by group, and of an experiment."""
    return {
        "all": rm.online.evaluate(LOG, ["CTR", "Conversions"]),
        "by": rm.online.evaluate(LOG, ["CTR"], by="variant"),
        "experiment": rm.online.experiment(LOG, ["CTR", "Conversions"], control="A"),
    }


def test_numbers_are_those_of_the_result():
    results = logs()
    found = {kind: metrics_of(result) for kind, result in results.items()}
    estimate = results["all"].estimate("CTR")
    assert [found["all"][name] for name in ("CTR", "CTR.low", "CTR.high")] == [
        estimate.value,
        estimate.low,
        estimate.high,
    ]
    for kind, values in (("by", results["by"].estimates), ("experiment", results["experiment"].values)):
        for group, of in values.items():
            for measure, estimate in of.items():
                assert found[kind][f"{group}/{measure}"] == estimate.value
    effect = results["experiment"].effect("CTR")
    numbers = [effect.difference.value, effect.difference.low, effect.difference.high, effect.p_corrected]
    names = ("difference", "difference.low", "difference.high", "p_corrected")
    assert [found["experiment"][f"B-vs-A/CTR.{name}"] for name in names] == numbers
    assert all(map(math.isfinite, [value for metrics in found.values() for value in metrics.values()]))
    assert set(definitions_of(results["experiment"])) == {"CTR", "Conversions"}


@pytest.mark.parametrize("kind", ["all", "by", "experiment"])
def test_tensorboard_holds_them(tmp_path, kind):
    pytest.importorskip("tensorboard", reason="TensorBoard is not installed: pip install tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    result = logs()[kind]
    rm.log_to_tensorboard(result, tmp_path)
    rm.log_to_tensorboard(result, tmp_path)
    assert set(EventAccumulator(str(tmp_path)).Reload().Tags()["tensors"]) == set(metrics_of(result))


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("kind", ["all", "experiment"])
def test_weights_and_biases_hold_them(tmp_path, monkeypatch, kind):
    wandb = pytest.importorskip("wandb", reason="wandb is not installed: pip install wandb")
    for name, value in {"WANDB_MODE": "offline", "WANDB_SILENT": "true", "WANDB_DIR": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    result = logs()[kind]
    with wandb.init(project="rates", dir=tmp_path) as run:
        rm.log_to_wandb(result)
        rm.log_to_wandb(result)
        assert run.step == 1
        name, value = next(iter(metrics_of(result).items()))
        assert run.summary[name] == value
        assert run.summary["rankmeter/report"]["_type"] == "html-file"


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_mlflow_holds_them(tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow", reason="MLflow is not installed: pip install mlflow")
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'store.db'}")
    result = logs()["experiment"]
    run_id = rm.log_to_mlflow(result)
    assert mlflow.get_run(run_id).data.metrics == pytest.approx(metrics_of(result))
    kept = json.loads(mlflow.artifacts.load_text(f"runs:/{run_id}/rankmeter/result.json"))
    assert kept == json.loads(result.to_json())
    assert "<h1" in mlflow.artifacts.load_text(f"runs:/{run_id}/rankmeter/report.html").replace("<h2", "<h1")
