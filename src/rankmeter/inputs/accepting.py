"""Judgments and runs of any kind, accepted: mappings, lists, arrays, frames and files become sources."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, cast

from rankmeter.errors import InputError, check_threads, reason_of
from rankmeter.inputs.arrays import refuse_infinity
from rankmeter.inputs.columns import VALUE_OF, Named, Side, are_columns, check_columns_read, columns_of, name_pairs
from rankmeter.inputs.compression import is_read_once
from rankmeter.inputs.reading import Listener
from rankmeter.inputs.shards import Files, files_of_path, judged_collection
from rankmeter.inputs.tables import Judgments, JudgmentTable, PlainJudgments, Run, SeveralRuns, joined_judgments
from rankmeter.wings import is_foreign, table


def into_judgments(data: Any, *, columns: Named | None = None, format: str | None = None) -> Judgments:
    """Accept judgments of any kind; of the names of columns those count that concern judgments."""
    columns = None if columns is None else columns_of(columns, "judgments")
    if isinstance(data, Judgments):
        if data.matrix is not None:
            refuse_infinity(data.matrix, "a grade of the array")
        return data
    if not is_path(data):
        return cast(Judgments, _from_objects(data, "judgments", columns))
    _check_name(data)
    from rankmeter.inputs.files import columns_in, plain_judgments, read_judgments  # only when a file is read

    collection = None if isinstance(data, Files) or not data else judged_collection(os.fspath(data))
    paths = collection or _files_of(data)
    columns = columns_in(paths.paths, format, columns)
    if (plain := plain_judgments(paths.paths, format=format, columns=columns)) is not None:
        return _with_notes_of_files(plain, paths)
    with paths.reading():
        tables = [read_judgments(path, format=format, columns=columns) for path in paths.paths]
    return _with_notes_of_files(
        tables[0] if len(tables) == 1 else joined_judgments(tables, paths.source, paths.paths), paths
    )


def _with_notes_of_files(judgments: PlainJudgments | JudgmentTable, files: Files) -> Judgments:
    """Judgments that say of the files what they should."""
    if not files.notes:
        return judgments
    reading = judgments.how_read()
    return replace(judgments, reading=replace(reading, notes={**files.notes, **reading.notes}))


def into_run(
    data: Any, *, columns: Named | None = None, format: str | None = None, progress: Listener | None = None
) -> Run:
    """Accept a run of any kind; ``progress`` is told how far the reading of files has come.

    Of the names of columns those count that concern runs.
    """
    columns = None if columns is None else columns_of(columns, "run")
    if isinstance(data, Run):
        if data.has_truth_values:  # labels in the wrong place, as every other kind of run says
            raise InputError.of("inputs.truth_scores", source=data.source)
        return data
    if not is_path(data):
        return cast(Run, _from_objects(data, "run", columns))
    _check_name(data)
    from rankmeter.inputs.files import columns_in
    from rankmeter.inputs.streaming import open_run

    if is_read_once(data):
        return open_run(Files((str(data),)), format=format, columns=columns, progress=progress)
    paths = _files_of(data)
    return open_run(paths, format=format, columns=columns_in(paths.paths, format, columns), progress=progress)


def _from_objects(data: Any, side: Side, columns: Named | None) -> Judgments | Run:
    """Judgments or a run that are in memory: a frame, what a client or a tool returned, mappings and lists."""
    from rankmeter.inputs.mappings import judgments_from_mapping, run_from_mapping

    if not isinstance(data, (dict, list, tuple)):
        check_threads()
        from rankmeter.inputs.frames import is_frame, table_from_frame  # only for frames

        if is_frame(data):
            return table_from_frame(data, side, columns)
        if (table := _table_from(data, side, columns)) is not None:
            return table
        if isinstance(data, SeveralRuns):
            raise InputError.of("inputs.several_runs", kind=data.kind)
        refuse_bare_array(data)
    if not _holds_ids(data):
        from rankmeter.inputs.json_tables import table_of_objects

        if (table := _table_from(data, side, columns) or table_of_objects(data, side, columns)) is not None:
            return table
    try:
        return judgments_from_mapping(data) if side == "judgments" else run_from_mapping(data)
    except InputError as error:
        first = next(iter(data), None) if isinstance(data, (list, tuple)) else None
        if isinstance(first, tuple) and len(first) == 3:  # rows without names, which may also be lists of items
            schema = f'["query", "item", "{VALUE_OF[side]}"]'
            raise error.changed(hint=f'polars.DataFrame(data, schema={schema}, orient="row")') from None
        raise


def _table_from(data: Any, side: Side, columns: Named | None) -> Judgments | Run | None:
    from rankmeter.inputs.frames import as_frame, table_from_frame  # only for what may stand for a frame

    if (frame := as_frame(data, side)) is None:
        return None
    return table_from_frame(frame, side, columns, f"{side} ({type(data).__name__})")


def check_columns_of(
    columns: Named | None,
    judgments: object,
    *runs: object,
    history: object = None,
    formats: tuple[str | None, str | None] = (None, None),
) -> None:
    """Refuse names of columns that nothing is read by: dictionaries, arrays and TREC text have none.

    ``formats`` are those of judgments and runs, where they are stated.
    """
    if columns is None:
        return

    def given(name: str, format: str | None, *sources: object) -> dict[str, bool | None]:
        return {_name_of_data(name, data): _names_columns(data, format) for data in sources if data is not None}

    truth = {**given("judgments", formats[0], judgments), **given("history", None, history)}
    check_columns_read(columns, {"judgments": truth, "run": given("run", formats[1], *runs)})


def _name_of_data(name: str, data: object) -> str:
    return str(data) if isinstance(data, (str, os.PathLike)) else f"{name} ({type(data).__name__})"


def _names_columns(data: object, format: str | None) -> bool | None:
    if is_path(data):
        from rankmeter.inputs.files import has_columns

        return data == "-" or any(has_columns(path, format) for path in _files_of(data).paths) or None  # type: ignore[arg-type]
    if isinstance(data, (Judgments, Run)):
        return False
    if isinstance(data, (dict, list, tuple)):
        return not _holds_ids(data)
    from rankmeter.inputs.frames import is_frame

    return is_foreign(data) or is_frame(data)


def _holds_ids(data: object) -> bool:
    """Whether queries hold ids or numbers, told from the first that holds anything; else responses, or documents."""
    if not isinstance(data, (Mapping, list, tuple)):
        names = ("body", "model_dump", "to_dict", "__dataclass_fields__")
        return not any(hasattr(data, name) for name in names)
    if isinstance(data, Mapping) and any(key in data for key in table.DOCUMENTS):
        return False
    listed = data.values() if isinstance(data, Mapping) else data
    first = next((items for items in listed if type(items) is not list or items), ())
    if isinstance(first, dict):
        if not isinstance(data, Mapping) and name_pairs(islice(first, 20)):
            return False
        return table.DOCUMENTS.keys().isdisjoint(first) and {dict, list, str}.isdisjoint(map(type, first.values()))
    if isinstance(data, Mapping) and are_columns(data):
        return False
    if isinstance(first, (list, tuple, set, frozenset)):
        return not hasattr(first, "_fields") and (not first or isinstance(next(iter(first)), (str, int)))
    return hasattr(first, "__array__")


def _check_name(data: str | os.PathLike[str] | Files) -> None:
    """Refuse what cannot be the name of a file, such as the content of one; reading one takes threads."""
    check_threads()
    if isinstance(data, Files):
        return
    try:
        Path(data).exists()
    except OSError as error:
        raise InputError.of(
            "inputs.cannot_be_opened", start=f"{os.fspath(data)[:60]!r}", reason=reason_of(error)
        ) from None


def is_path(data: object) -> bool:
    """Whether this names a file or several, a folder or a pattern (or is ``-``, standard input)."""
    return isinstance(data, (str, os.PathLike, Files))


def _files_of(data: str | os.PathLike[str] | Files) -> Files:
    if isinstance(data, Files):
        return data
    path = os.fspath(data)
    # What is no path at all is for the reader to refuse.
    return files_of_path(path) if path else Files((path,))


def refuse_bare_array(data: object) -> None:
    """An array may hold items, grades or scores; only the caller knows."""
    if hasattr(data, "__array__") or hasattr(data, "toarray"):
        hint = "say which: rankmeter.arrays(values), or ranked_grades(lists)"
        if getattr(getattr(data, "dtype", None), "kind", "") in "iuOUT" and getattr(data, "ndim", 1) == 2:
            hint = "ids of items: ranked_ids(ids, relevant) or dict(enumerate(ids.tolist())); numbers: arrays(values)"
        if hasattr(data, "detach"):
            hint = "say which: rankmeter.tensors(scores, labels), or ranked_ids(item_ids, relevant), without a run"
        raise InputError.of("inputs.bare_array", type=type(data).__name__, hint=hint)
