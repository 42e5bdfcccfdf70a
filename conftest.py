"""What needs a library that is not installed is left out: modules that import it, examples in docstrings and docs."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent
MISSING = [name for name in ("latex2mathml", "torch", "torchmetrics") if find_spec(name) is None]
NAMES = "|".join(MISSING)
NEEDS = re.compile(rf"^(?:(?:from|import(?: \w+,)*) (?:{NAMES})\b|from .* import as_(?:{NAMES})\b)", re.MULTILINE)
"""A module, or a line of an example, that imports what is not there; what a function imports is not seen."""
SEARCHED = [*ROOT.glob("src/**/*.py"), *ROOT.glob("docs/**/*.py")] if MISSING else []

STANDING_FOR = "sys.modules[__name__] = load("
"""A module that puts another in its place: pytest would put it back, and it has no examples of its own."""

collect_ignore = [
    *(str(path) for path in SEARCHED if NEEDS.search(path.read_text(encoding="utf-8"))),
    *(str(path) for path in ROOT.glob("src/rankmeter/**/*.py") if STANDING_FOR in path.read_text(encoding="utf-8")),
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip examples that import what is not there."""
    for item in items:
        examples = item.dtest.examples if MISSING and isinstance(item, pytest.DoctestItem) else []
        if any(NEEDS.search(example.source) for example in examples):
            item.add_marker(pytest.mark.skip(reason=f"not installed, one of: {', '.join(MISSING)}"))
