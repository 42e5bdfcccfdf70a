"""The table of wings: what each adds to the core, found without loading any.

A **wing** is a capability in one folder, ``wings/NAME``: its code, commands, pages, words and measures; its tests are
in ``tests/wings/NAME``. What it adds stands in its ``wing.py`` as a literal, :class:`rankmeter.wings.literal.Wing`.
``docs/tools/make_wings.py`` writes all literals into one table, ``wings/table.py``, and that table is everything that
the core sees of any wing: the core imports none and names none. Where a wing is left out, asking for what it holds says
which wing that is.

>>> wing_of("rankmeter.wings.NAME.module")
'NAME'
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache

from rankmeter.wings import table

FOLDER = os.path.dirname(__file__)  # noqa: PTH120 (pathlib takes a tenth of the start of a short call)


@cache
def is_there(wing: str) -> bool:
    """Whether a wing is installed."""
    return os.path.isdir(os.path.join(FOLDER, wing))  # noqa: PTH112, PTH118 (see above)


def present(added: Mapping[str, str]) -> dict[str, str]:
    """Of what wings add, by name with its module, what is there."""
    return {name: module for name, module in added.items() if is_there(wing_of(module))}


def families() -> dict[str, str]:
    """The module of each measure of a wing that is there."""
    return {
        name: module for module, names in table.FAMILIES.items() if is_there(wing_of(module)) for name in names.split()
    }


def module_of_measure(name: str) -> str | None:
    """The module of a wing that holds this measure, whether it is there or not; None where none does."""
    return next((module for module, names in table.FAMILIES.items() if name in names.split()), None)


def is_foreign(data: object) -> bool:
    """Whether a wing takes data of this kind; nothing is imported to find out, and the wing need not be there."""
    return kind_of(data) in table.SOURCES


def kind_of(data: object) -> str:
    """The package of a type, two names of it, and the name of the type: ``pyspark.sql.DataFrame``."""
    kind = type(data)
    return ".".join((*kind.__module__.split(".")[:2], kind.__name__))


def is_module(name: str) -> bool:
    """Whether a public name of rankmeter is a module that can be imported under that name too."""
    return f"rankmeter.{name}" in table.MODULES


def wing_of(module: str) -> str:
    """The wing that a module belongs to."""
    return module.removeprefix("rankmeter.wings.").partition(".")[0]
