"""Fields of responses are named by `--columns` in every command that reads runs."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from rankmeter.cli import app

COMMANDS = {
    "evaluate": ["evaluate", "j.csv", "a.jsonl", "-m", "RR"],
    "compare": ["compare", "j.csv", "a.jsonl", "b.jsonl", "-m", "RR"],
    "explain": ["explain", "RR", "j.csv", "a.jsonl", "--query", "q1"],
    "reconcile": ["reconcile", "j.csv", "a.jsonl", "--claim", "RR=0.75"],
    "pool": ["pool", "j.csv", "a.jsonl", "b.jsonl"],
    "advise": ["advise", "j.csv", "a.jsonl"],
}
NAMED = "run.item=_source.sku"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "j.csv").write_text("query,item,grade\nq1,b,1\nq2,a,1\n")
    for name, items in (("a", "ab"), ("b", "ba")):
        hits = [{"_id": f"{n}", "_score": 2.0 - n, "_source": {"sku": item}} for n, item in enumerate(items)]
        rows = [{"query_id": query, "response": {"hits": {"hits": hits}}} for query in ("q1", "q2")]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.usefixtures("folder")
def test_every_command_follows_the_field_that_is_named(name):
    done = CliRunner().invoke(app, [*COMMANDS[name], "--columns", NAMED])
    assert done.exit_code == 0, done.output
    wrong = CliRunner().invoke(app, [*COMMANDS[name], "--columns", "run.item=_source.skuu", "--lang", "zh"])
    assert wrong.exit_code == 2
    assert "_source.sku" in wrong.output
    if name == "evaluate":
        assert "0.7500" in done.output
        assert "item=_source.sku" in done.output
