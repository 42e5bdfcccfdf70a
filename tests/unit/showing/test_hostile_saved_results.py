"""Saved results written by hand with ill intent: only records are made, and each file is refused in a sentence."""

from __future__ import annotations

import json
from hashlib import blake2b

import pytest

import rankmeter as rm


@pytest.mark.parametrize("result", [
    {"~": "os:system", "command": "touch hacked"},
    {"~": "rankmeter.showing.saved_results:os"},
    {"~": "rankmeter.showing.saved_results:import_module", "name": "antigravity"},
    {"~": "rankmeter.showing.saved_results:__builtins__"},
    {"~": "rankmeter.frozen:dataclass", "cls": 1},
    {"~": "rankmeter.wings.conformance.subjects:ProgramSubject", "command": "touch hacked"},
    {"~": "rankmeter.nothing:Result"},
    {"~": "rankmeter.wings.nothing.here:Result"},
    {"~": ["tuple"], "value": []},
    {"~": "tuple", "value": [1, 2]},
    5,
], ids=lambda result: str(result)[:60])  # fmt: skip
def test_a_file_names_no_other_class(result, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = json.dumps(result, ensure_ascii=False)
    digest = blake2b(text.encode(), digest_size=16).hexdigest()
    header = json.dumps({"kind": "X", "version": 1, "rankmeter": "0.1.0", "digest": digest})
    (tmp_path / "result.json").write_text(f'{header[:-1]}, "result": {text}}}\n')
    with pytest.raises(rm.RankmeterError):
        rm.load(tmp_path / "result.json")
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]
