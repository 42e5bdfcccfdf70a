"""rankmeter measures rankings and recommendations, and says what each number means.

>>> import rankmeter as rm
>>> ev = rm.evaluate({"q1": {"a": 2, "b": 1}}, {"q1": {"a": 0.9, "x": 0.8, "b": 0.7}}, ["nDCG@10", "RR"])
>>> ev["nDCG@10"]
0.9502...
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import Any as _Any

from rankmeter import wings as _wings

__version__ = "0.1.0"

# Importing rankmeter loads no heavy library: what needs NumPy or Polars is loaded when it is first used. All other
# public names are measures, each of which loads its family. The types are in __init__.pyi, written by
# docs/tools/make_names.py.
_HOMES = {
    "rankmeter.arithmetic.custom": "measure",
    "rankmeter.comparing.advice": "advise",
    "rankmeter.comparing.comparison": "compare folds seeds",
    "rankmeter.comparing.unjudged": "pool",
    "rankmeter.comparing.results": "Comparison",
    "rankmeter.comparing.saved_files": "load",
    "rankmeter.definitions.worked": "explain",
    "rankmeter.errors": "InputError MeasureError MissingExtraError NotFoundError RankmeterError RankmeterWarning",
    "rankmeter.evaluating.result": "Evaluation",
    "rankmeter.evaluating.verb": "evaluate value",
    "rankmeter.inputs.arrays": "arrays ranked_grades",
    "rankmeter.inputs.files": "read_judgments read_labelled read_run",
    "rankmeter.inputs.passages": "roll_up",
    "rankmeter.inputs.shards": "files",
    "rankmeter.inputs.tables": "Labelled",
    "rankmeter.lists.catalogue": "Catalogue",
    "rankmeter.lists.slices": "Slices",
    "rankmeter.measures": "Measure parse parse_measures",
    "rankmeter.stats.topic_sets": "topics_needed",
}
_LAZY = {name: home for home, names in _HOMES.items() for name in names.split()}
# Deprecated names: the replacement of each, and the version that drops it. Until then they warn.
_ENDING: dict[str, tuple[str, str]] = {}


def __getattr__(name: str) -> _Any:
    if name == "__all__":
        measures = _import_module("rankmeter.measures.names").public_names()
        added = _wings.present(_wings.table.NAMES)
        return sorted({*_LAZY, *added, *measures}, key=lambda public: (public.casefold(), public))
    if name.startswith("_"):
        raise AttributeError(f"module 'rankmeter' has no attribute '{name}'")
    if name in _ENDING:
        new, ends = _ENDING[name]
        _import_module("rankmeter.errors").warn_of_end(f"rankmeter.{name}", f"rankmeter.{new}", ends)
        return __getattr__(new)
    if name in _wings.table.NAMES:
        value = _import_module("rankmeter.wings.loading").public(name)
    else:
        value = getattr(_import_module(_LAZY.get(name, "rankmeter.measures")), name, None)
    if value is None or (name not in _LAZY and name not in _wings.table.NAMES and name not in __getattr__("__all__")):
        raise AttributeError(f"module 'rankmeter' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return ["__version__", *__getattr__("__all__")]
