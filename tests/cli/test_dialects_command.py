"""``rankmeter dialects`` and ``rankmeter evaluate --dialect``."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rankmeter.measures.dialects import dialect_names, find_dialect


def rankmeter(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "rankmeter", *words], capture_output=True, text=True, check=False)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    judgments, run = tmp_path / "judgments.qrels", tmp_path / "model.run"
    judgments.write_text("q1 0 a 2\nq1 0 b 1\nq2 0 c 1\n")
    run.write_text("q1 Q0 a 1 0.9 m\nq1 Q0 x 2 0.8 m\nq1 Q0 b 3 0.7 m\n")
    return str(judgments), str(run)


def test_every_dialect_is_listed() -> None:
    done = rankmeter("dialects")
    assert done.returncode == 0
    listed = done.stdout.partition("\n\n")[0].splitlines()
    assert [line.split()[0] for line in listed if not line.startswith(" ")] == dialect_names()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_dialect_shows_its_metrics_with_their_definitions(lang: str) -> None:
    from click.testing import CliRunner

    from rankmeter.cli.listings import dialects as command

    for name in dialect_names():
        shown = CliRunner().invoke(command, [name, "--lang", lang])
        assert shown.exit_code == 0, (name, shown.exception)
        told = CliRunner().invoke(command, [name, "--format", "json", "--lang", lang])
        listed = json.loads(told.output)
        assert [one["names"][0] for one in listed["metrics"]] == [one.name for one in find_dialect(name).metrics]
        unbroken = "".join(shown.output.split())  # a long definition is broken at its commas
        assert all(one["measure"] in unbroken for one in listed["metrics"])


def test_an_unknown_dialect_names_the_nearest() -> None:
    done = rankmeter("dialects", "recbol")
    assert done.returncode == 2
    assert "did you mean 'recbole'" in done.stderr


def test_evaluate_speaks_a_dialect(files: tuple[str, str]) -> None:
    done = rankmeter("evaluate", *files, "--dialect", "recbole", "-m", "MAP@10", "--format", "json", "--digits", "4")
    assert done.returncode == 0, done.stderr
    assert "MAP@10 is AP(norm=capped,ties=input)@10" in done.stderr
    assert "0.4167" in done.stdout


def test_explain_says_what_a_metric_of_a_tool_is() -> None:
    done = rankmeter("explain", "NDCG@10", "--dialect", "recbole")
    assert done.stderr.splitlines()[0] == "recbole: NDCG@10 is nDCG(gain=binary,ties=input)@10"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_note_on_a_metric_is_told_where_the_metric_is_named(lang: str, files: tuple[str, str]) -> None:
    from click.testing import CliRunner

    from rankmeter.cli.application import app

    noted = 0
    for name in dialect_names():
        spoken = find_dialect(name)
        for metric in spoken.metrics:
            if metric.given:
                continue
            text = spoken.spell(metric, 5)
            meant = spoken.find(text)[0]
            if len(spoken.measures(text)) > 1:
                continue
            told = CliRunner().invoke(app, ["explain", text, "--dialect", name, "--lang", lang])
            assert told.exit_code == 0, (name, text, told.stderr)
            if meant.reason:
                noted += 1
                assert "".join(meant.reason[lang].split()) in "".join(told.stderr.split()), (name, text)
            else:
                assert len(told.stderr.splitlines()) == 1, (name, text)
    assert noted > 100
    shown = CliRunner().invoke(app, ["evaluate", *files, "--dialect", "seeds", "-m", "MRR-001", "--lang", lang])
    reason = find_dialect("seeds").find("MRR-001")[0].reason
    assert reason is not None
    assert "".join(reason[lang].split()) in "".join(shown.stderr.split())


def test_a_metric_that_the_tool_does_not_have_is_refused_before_anything_is_read() -> None:
    done = rankmeter("evaluate", "no.qrels", "no.run", "--dialect", "recbole", "-m", "NDGC@10")
    assert done.returncode == 2
    assert "did you mean 'NDCG'" in done.stderr


def test_a_dialect_without_a_metric_is_refused(files: tuple[str, str]) -> None:
    done = rankmeter("evaluate", *files, "--dialect", "recbole")
    assert done.returncode == 2
    assert "-m MAP@10" in done.stderr
