"""The examples of how-to pages that need another library, run where it is installed."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from rankmeter import demo

PAGES = Path(__file__).parents[2] / "docs" / "how-to"
FOUND = {
    (library, code): f"{page.name} {library}"
    for page in sorted(PAGES.glob("*.md"), reverse=True)
    for library, code in re.findall(r"```python\n# needs ([\w.]+)\n(.*?)```", page.read_text("utf-8"), flags=re.DOTALL)
}
EXAMPLES = [pytest.param(*example, id=name) for example, name in sorted(FOUND.items(), key=lambda pair: pair[1])]
"""Every block that begins with ``# needs library``; what a page and its twin both have runs once."""


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
