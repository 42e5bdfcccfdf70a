"""What a wing says of itself: read by the tool that writes the table of wings, and by nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Wing(NamedTuple):
    """What a wing adds to the core; a module is named from the wing's folder on: ``.commands``."""

    names: Mapping[str, str] = {}
    """Public names of :mod:`rankmeter`, each with the module that holds it, or is it (see ``modules``)."""
    modules: Mapping[str, str] = {}
    """Modules that are imported under a public name (``rankmeter.torch``), each with its own."""
    commands: Mapping[str, str] = {}
    """Commands, each with its module; one of two words, ``judge page``, stands under a roof."""
    former: Mapping[str, str] = {}
    """Names that commands had before, each with the command that it means now."""
    programs: Mapping[str, str] = {}
    """Commands that are answered without click, each with the module whose ``answer`` does it."""
    measures: tuple[str, ...] = ()
    """Modules of measures."""
    sources: Mapping[str, str] = {}
    """Kinds of input, ``package.module.Type``, each with the module that takes such data."""
    documents: Mapping[str, str] = {}
    """Keys of JSON objects that are no table, each with the module that reads such documents (`export_of`)."""
    tables: Mapping[str, str] = {}
    """Columns of tables with a reader of their own, ``Query Text,Doc ID``, each with its module (`table_of`)."""
    formats: Mapping[str, str] = {}
    """Names that ``format=`` takes, each with the module that opens such a file (`open_table`)."""
    options: Mapping[str, str] = {}
    """Options of a verb, ``verb.option``, each with the module that answers them."""
    explained: Mapping[str, str] = {}
    """Names and kinds of values that `explain` takes beside measures, each with the module of its ``explanation``."""
    docs: tuple[str, ...] = ()
    """Pages of ``docs/`` that are about this wing alone, each with its Chinese twin."""
