"""The examples of how-to pages that need another library, run where it is installed."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from rankmeter import demo

PAGES = Path(__file__).parents[2] / "docs" / "how-to"
EXAMPLES = [
    pytest.param(library, code, id=f"{page.name} {library}")
    for page in sorted(PAGES.glob("*.md"))
    for library, code in re.findall(r"```python\n# needs ([\w.]+)\n(.*?)```", page.read_text("utf-8"), flags=re.DOTALL)
]
"""Every block that begins with ``# needs library``."""


@pytest.mark.wings("doors", "engines")
def test_the_pages_have_the_examples():
    libraries = {example.values[0] for example in EXAMPLES}
    assert libraries >= {"langchain_core", "llama_index.core", "haystack", "mlflow", "wandb", "tensorboard"}


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("library", "code"), EXAMPLES)
def test_an_example_with_another_library_runs(library, code, tmp_path, monkeypatch):
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    shutil.copy(demo.data_path(demo.JUDGMENTS), tmp_path / "judgments.qrels")
    for name in ("keyword", "hybrid"):
        shutil.copy(demo.data_path(demo.RUNS[name]), tmp_path / f"{name}.run")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    if library == "mlflow":
        module.set_tracking_uri(f"sqlite:///{tmp_path / 'mlflow.db'}")
    exec(code, {})
