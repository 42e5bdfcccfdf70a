"""Whatever command is given a damaged file says so in a sentence and ends with 2: it is no fault of rankmeter's."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankmeter.cli import app
from rankmeter.cli.application import COMMANDS
from rankmeter.cli.exit_codes import WRONG

pytestmark = pytest.mark.wings()  # all of them: each has commands

JUDGED, RUN = "good/j.qrels", "good/a.run"
CALLS = {
    "evaluate": ["@ RUN", "JUDGED @", "--labelled @", "JUDGED RUN --by @", "JUDGED RUN --history @ -m Novelty@2",
                 "JUDGED RUN --catalogue @ -m Coverage@2"],
    "compare": ["@ RUN RUN2", "JUDGED RUN @", "JUDGED RUN RUN2 --by @"],
    "judge pool": ["@ RUN", "JUDGED @"],
    "advise": ["@ RUN", "JUDGED @"],
    "explain": ["RR @ RUN --query q1", "RR JUDGED @ --query q1"],
    "reconcile": ["@ RUN --claim RR=1", "JUDGED @ --claim RR=1"],
    "table": ["@ --id id --group group --score score --truth truth"],
    "trec_eval": ["@ RUN"],
    "rank_eval": ["@ JSON", "REQUEST @"],
    "fuse": ["@ RUN", "RUN @"],
    "judge agreement": ["@ JUDGED"],
    "judge leaderboards": ["@ JUDGED RUN RUN2", "JUDGED @ RUN RUN2", "JUDGED JUDGED @ RUN2"],
    "silence": ["@ RUN", "JUDGED @"],
    "evidence": ["@ CHUNKS", "GOLD @"],
    "nuggets": ["@"],
    "judge draw": ["@ --queries 1 --output d.csv", "JUDGED @ --items 1 -m DCG@2 --output d.csv"],
    "judge page": ["@ --out page.html"],
    "online": ["@", "@ --experiment"],
    "judgments-from-clicks": ["@"],
    "counterfactual": ["@"],
    "interleave": ["score @"],
    "agreement": ["@ --offline nDCG --online CTR"],
    "split": ["@ --how last_n(1) --out parts"],
    "baselines": ["@ --out lists"],
    "protocol": ["@ JUDGED", "JUDGED @"],
    "audit": ["@"],
    "across": ["@"],
    "history": ["kept --append @"],
    "tune": ["@ RUN RUN2", "JUDGED @ RUN"],
    "ann-recall": ["@ RUN", "RUN @"],
    "ablate": ["@ RUN RUN2", "JUDGED @ RUN"],
}  # fmt: skip
"""Calls of every command that reads files, one of which, @, is damaged."""
NO_FILES = {"dialects", "measures", "demo", "check"}
DAMAGED = {
    "cut.parquet": b"PAR1\x15\x04garbage",
    "cut.arrow": b"ARROW1\0\0\xff\xff\xff\xff\x10\0\0\0",
    "cut.run.gz": gzip.compress(b"q1 Q0 a 1 2.0 t\n" * 400)[:40],
    "no.csv.zst": b"\x28\xb5\x2f\xfdgarbage",
    "open.json": b'{"a": [1, ',
    "scalar.json": b"true",
    "scalars.json": b"[1, 2, null]",
    "mixed.json": b'[{"a": 1}, 2, {"a": {"b": []}}]',
    "open.jsonl": b'{"query": "q"}\n{"que',
    "nul.csv": b"query,item,score\nq,\0\0,1\n",
    "latin.csv": b"query,item,score\nq,caf\xe9,1\n",
    "ragged.csv": b"query,item,score\nq,a,1\nq,b\nq,c,1,1\n",
    "open.csv": b'query,item,score\nq,"a,1\n',
    "empty.csv": b"",
    "empty.json": b"",
    "empty.parquet": b"",
    "head.csv": b"query,item,score\n",
    "bytes.run": bytes(range(256)) * 4,
}
OTHER_WORDS = (
    "the log ",
    "log of choices",
    "the interleaving log",
    "the table ",
    "--by ",
    "were read",
    "(row ",
    " cell",
    "no column is named",
)
"""How messages call a file whose name they do not say."""
COLLECTED = [(f"{command} {words}", name) for command, calls in CALLS.items() for words in calls for name in DAMAGED]


def test_every_command_is_called() -> None:
    assert {*CALLS} | NO_FILES == {*COMMANDS}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good").mkdir()
    Path(JUDGED).write_text("q1 0 a 1\nq1 0 b 0\nq2 0 b 1\n")
    Path(RUN).write_text("q1 Q0 a 1 2.0 t\nq1 Q0 b 2 1.0 t\nq2 Q0 b 1 1.0 t\n")
    Path("good/b.run").write_text("q1 Q0 b 1 2.0 t\nq2 Q0 b 1 1.0 t\n")
    Path("good/x.json").write_text("{}")
    rated = '[{"_index": "i", "_id": "a", "rating": 1}]'
    Path("good/request.json").write_text(
        f'{{"requests": [{{"id": "q", "request": {{}}, "ratings": {rated}}}], "metric": {{"precision": {{"k": 5}}}}}}'
    )
    Path("good/spans.csv").write_text("query,document,start,end\nq1,a,0,10\n")
    Path("good/chunks.csv").write_text("query,document,start,end,rank\nq1,a,0,10,1\n")


@pytest.mark.parametrize(("call", "name"), COLLECTED)
def test_a_damaged_file_is_the_callers(call: str, name: str) -> None:
    Path(name).write_bytes(DAMAGED[name])
    shown = {"@": name, "JUDGED": JUDGED, "RUN": RUN, "RUN2": "good/b.run", "JSON": "good/x.json",
             "REQUEST": "good/request.json", "GOLD": "good/spans.csv", "CHUNKS": "good/chunks.csv"}  # fmt: skip
    result = CliRunner().invoke(app, [shown.get(word, word) for word in call.split()])
    assert "Traceback" not in result.stderr
    assert result.exit_code == WRONG, result.stderr
    assert any(told in result.stderr for told in (Path(name).stem, *OTHER_WORDS))
