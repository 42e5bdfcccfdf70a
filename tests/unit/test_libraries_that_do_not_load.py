"""A library that is installed beside versions it does not fit is not said to be missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rankmeter as rm

CALLS = {
    "to_arrow": "rm.evaluate({'q': {'a': 1}}, {'q': ['a']}, 'RR').to_arrow()",
    "relation": "import duckdb; rm.evaluate(duckdb.sql('select 1 query, 2 item, 1 grade'), {1: [2]}, 'RR')",
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_message_has_the_reason_and_what_to_do(name, lang, tmp_path):
    if name == "relation":
        pytest.importorskip("duckdb")
    (tmp_path / "pyarrow.py").write_text("raise ImportError('pyarrow requires NumPy 2.0, found 1.26.4')\n", "utf-8")
    code = f"import rankmeter as rm\ntry:\n    {CALLS[name]}\nexcept rm.MissingExtraError as error:\n    print(error)"
    source = str(Path(rm.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), source]), "RANKMETER_LANG": lang}
    environment["PYTHONIOENCODING"] = "utf-8"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
    said = done.stdout.decode()
    assert "pyarrow requires NumPy 2.0, found 1.26.4" in said
    assert {"en": "is installed, but cannot be loaded", "zh": "无法加载"}[lang] in said
    assert "'pyarrow<26'" in said
