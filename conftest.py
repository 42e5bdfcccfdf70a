"""Examples in docstrings and docs that need an extra are left out where it is not installed."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parent
MISSING = [name for name in ("latex2mathml", "torch", "torchmetrics") if find_spec(name) is None]
NEEDS = re.compile(rf"^(?: *>>> )?(?:import|from) (?:{'|'.join(MISSING)})\b", re.MULTILINE)
"""A module, or an example, that imports what is not there; what a function imports is not seen."""
SEARCHED = [*ROOT.glob("src/**/*.py"), *ROOT.glob("docs/**/*.py"), *ROOT.glob("docs/**/*.md")] if MISSING else []

collect_ignore = [str(path) for path in SEARCHED if NEEDS.search(path.read_text(encoding="utf-8"))]
