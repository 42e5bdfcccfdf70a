"""The house stays as the map says: nothing imports in a circle, whether at the top of a module or inside a function."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("shape", ROOT / "docs" / "tools" / "shape.py")
assert SPEC is not None
assert SPEC.loader is not None
shape = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(shape)

MOST_PARAMETERS = 12
THEIR_SIGNATURES = (
    "rankmeter.compat.",  # doors take what the originals take
    "rankmeter.placing.cuda_tiles.",  # kernels take pointers and sizes
)
VERBS = {
    "rankmeter.comparing.comparison.compare", "rankmeter.evaluating.verb.evaluate",
    "rankmeter.lists.catalogue.__init__", "rankmeter.placing.catalogue.rank_catalogue",
}  # fmt: skip
"""What users call: everything that changes a number is an option of its own, by name."""


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert shape.cycles(shape.imports(shape.sources())) == []


def test_functions_take_few_parameters() -> None:
    many = [(count, name) for count, name in shape.most_parameters(shape.sources()) if count > MOST_PARAMETERS]
    assert [(count, name) for count, name in many if not name.startswith(THEIR_SIGNATURES) and name not in VERBS] == []
