"""The examples of the how-to page that need another library, run where it is installed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "search-engines-and-rag.md"
EXAMPLES = re.findall(r"```python\n# needs ([\w.]+)\n(.*?)```", PAGE.read_text("utf-8"), flags=re.DOTALL)


def test_the_page_has_the_examples():
    assert [library for library, _ in EXAMPLES] == ["langchain_core", "llama_index.core", "haystack"]


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("library", [library for library, _ in EXAMPLES])
def test_an_example_with_another_library_runs(library):
    pytest.importorskip(library, reason=f"{library} is not installed")
    exec(dict(EXAMPLES)[library], {})
