"""How data comes in: mappings, lists, arrays, frames and files become sources that can be placed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from rankmeter.inputs.arrays import arrays, ranked_grades
from rankmeter.inputs.sources import (
    AnyJudgments,
    AnyRun,
    Dense,
    GradedMapping,
    Labelled,
    RankedLists,
    RunFile,
    ScoredMapping,
    Source,
)
from rankmeter.inputs.tables import JudgmentTable, RunTable


def into_judgments(data: Any, *, columns: Mapping[str, str] | None = None, format: str | None = None) -> AnyJudgments:
    """Accept judgments of any kind."""
    if isinstance(data, (JudgmentTable, GradedMapping, Dense)):
        return data
    if is_path(data):
        from rankmeter.inputs.files import read_judgments  # only when a file is read

        return read_judgments(data, format=format, columns=columns)
    if not isinstance(data, (dict, list, tuple)):
        from rankmeter.inputs.frames import is_frame, judgments_from_frame  # only for frames

        if is_frame(data):
            return judgments_from_frame(data, columns=columns)
        refuse_bare_array(data)
    from rankmeter.inputs.mappings import judgments_from_mapping

    return judgments_from_mapping(data)


def into_run(data: Any, *, columns: Mapping[str, str] | None = None, format: str | None = None) -> AnyRun:
    """Accept a run of any kind."""
    if isinstance(data, (RunTable, RunFile, ScoredMapping, RankedLists, Dense)):
        return data
    if is_path(data):
        from rankmeter.inputs.files import iter_run

        return RunFile(lambda: iter_run(data, format=format, columns=columns), str(data))
    if not isinstance(data, (dict, list, tuple)):
        from rankmeter.inputs.frames import is_frame, run_from_frame

        if is_frame(data):
            return run_from_frame(data, columns=columns)
        refuse_bare_array(data)
    from rankmeter.inputs.mappings import run_from_mapping

    return run_from_mapping(data)


def is_path(data: object) -> bool:
    """Whether this names a file (or is ``-``, standard input)."""
    return isinstance(data, (str, os.PathLike))


def refuse_bare_array(data: object) -> None:
    """An array may hold items, grades or scores; only the caller knows."""
    if hasattr(data, "__array__") or hasattr(data, "toarray"):
        from rankmeter.errors import InputError, with_hint

        fact = f"a bare {type(data).__name__} may hold items, grades or scores."
        raise InputError(with_hint(fact, "say which: rankmeter.arrays(values), or ranked_grades(lists)"))


__all__ = [
    "AnyJudgments",
    "AnyRun",
    "Dense",
    "JudgmentTable",
    "Labelled",
    "RunFile",
    "RunTable",
    "Source",
    "arrays",
    "into_judgments",
    "into_run",
    "ranked_grades",
]
