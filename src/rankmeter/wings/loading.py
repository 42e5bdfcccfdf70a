"""What a wing holds, loaded when it is asked for; where the wing is left out, the error names it."""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType
from typing import Any

from rankmeter.errors import MissingExtraError
from rankmeter.wings import is_module, is_there, kind_of, present, table, wing_of


def load(module: str, asked: str) -> ModuleType:
    """A module of a wing, for what was asked of it.

    Raises
    ------
    MissingExtraError
        When the wing is not there.
    """
    if not is_there(wing := wing_of(module)):
        raise MissingExtraError.of("general.wing_missing", asked=asked, wing=wing)
    return import_module(module)


def public(name: str) -> Any:
    """What a wing adds to the public names of rankmeter; None where no wing adds it."""
    if (home := table.NAMES.get(name)) is None:
        return None
    module = load(home, f"rankmeter.{name}")
    return module if is_module(name) else getattr(module, name)


def source_of(*data: object) -> ModuleType | None:
    """The module that takes data of these kinds, told by the modules of their types; None where no wing does.

    Raises
    ------
    MissingExtraError
        When the wing that does is not there.
    """
    for one in data:
        if (module := table.SOURCES.get(kind_of(one))) is not None:
            return load(module, kind_of(one))
    return None


def answering(option: str) -> ModuleType:
    """The module that answers an option of a verb, ``verb.option``."""
    return load(table.OPTIONS[option], option.partition(".")[2])


def explained(told: object) -> Any:
    """What a wing tells of something that is no measure; None where no wing does.

    That is a value by its kind, a text by what stands before ``:`` or ``(``, or a file that the wing knows.
    """
    if not isinstance(told, str):
        name = kind_of(told)
    elif os.path.isfile(told):  # noqa: PTH113 (Path.is_file fails where a text is too long for a name)
        known = present(table.OPTIONS).get("explain.file")
        return None if known is None else import_module(known).explanation_of_file(told)
    else:
        name = told.partition("(")[0].partition(":")[0].strip()
    if (home := table.EXPLAINED.get(name)) is None:
        return None
    return load(home, f"explain {name}").explanation(told)
