"""Folders of results: JSON as MTEB, BEIR, ranx and RecBole write it, and evaluations that rankmeter saved.

A folder holds a folder for each system with a file for each task, ``bm25/nq.json``, or with ``outer="task"`` the other
way round. MTEB's have one more level, the revision of the model.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rankmeter.errors import InputError, RankmeterError
from rankmeter.late import json
from rankmeter.wording import Said, said

IGNORED = frozenset(["model_meta.json"])
_SPLITS = ("test", "dev", "validation", "train")


def read_folder(folder: Path, *, measure: str | None, outer: str) -> tuple[dict[tuple[str, str], Any], list[Said]]:
    """The cells of a folder, and how many files were left out.

    Raises
    ------
    InputError
        When a file is damaged or does not have the measure, or no file holds results.
    """
    cells: dict[tuple[str, str], Any] = {}
    others: list[str] = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")):
        if path.name in IGNORED:
            continue
        if path.suffix not in (".json", ".parquet"):
            others.append(str(path.relative_to(folder)))
            continue
        for key, value in _cells_of(path, folder, measure, outer):
            if key in cells:
                raise InputError.of("results.file_twice", system=key[0], task=key[1], path=str(path))
            cells[key] = value
    if not cells:
        raise InputError.of("results.empty_folder", folder=str(folder))
    return cells, [said("across_other_files", count=len(others), first=others[:3])] if others else []


def _cells_of(path: Path, folder: Path, measure: str | None, outer: str) -> Iterator[tuple[tuple[str, str], Any]]:
    if path.suffix == ".parquet":
        yield _saved(path, folder, measure, outer)
        return
    try:
        data = json.loads(path.read_text("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError.of("results.damaged", path=str(path), error=str(error)) from None
    if isinstance(data, Mapping) and "task_name" in data and isinstance(data.get("scores"), Mapping):
        yield (_mteb_model(path, folder), str(data["task_name"])), _mteb_score(data["scores"], measure, path)
    elif isinstance(data, Mapping) and "model_names" in data and "metrics" in data:
        models = data["model_names"]
        for model in models if isinstance(models, list) else [models]:
            found = data.get(str(model))
            if not isinstance(found, Mapping) or "scores" not in found:
                raise InputError.of("results.damaged", path=str(path), error=f"no scores of {model}")
            yield (str(model), path.stem), _named(found["scores"], measure, path)
    else:
        yield _names(path, folder, outer), _named(data, measure, path)


def _names(path: Path, folder: Path, outer: str) -> tuple[str, str]:
    """System and task, from the last two parts of a path."""
    parts = path.relative_to(folder).with_suffix("").parts
    if len(parts) < 2:
        raise InputError.of("results.flat_folder", path=str(path))
    first, second = parts[-2:]
    return (first, second) if outer == "system" else (second, first)


def _saved(path: Path, folder: Path, measure: str | None, outer: str) -> tuple[tuple[str, str], Any]:
    from rankmeter.evaluating.result import Evaluation

    try:
        evaluation = Evaluation.load(path)
    except RankmeterError as error:
        raise InputError.of("results.damaged", path=str(path), error=str(error)) from None
    return _names(path, folder, outer), query_values(evaluation, measure)


def query_values(evaluation: Any, measure: str | None) -> dict[str, float]:
    """The value of every query under one measure of an evaluation."""
    names = [str(name) for name in evaluation.means]
    if measure is None and len(names) > 1:
        raise InputError.of("results.which_measure", names=names)
    found = str(evaluation.find(measure or names[0]))
    frame = evaluation.per_query
    rows = zip(frame["query"].to_list(), frame[found].to_list(), strict=True)
    return {str(query): value for query, value in rows if value is not None and not math.isnan(value)}


def _mteb_model(path: Path, folder: Path) -> str:
    """The model of ``results/MODEL/REVISION/Task.json``."""
    parts = path.relative_to(folder).parts
    if len(parts) < 2:
        raise InputError.of("results.flat_folder", path=str(path))
    name = parts[-3] if len(parts) > 2 else parts[-2]
    return name.replace("__", "/")


def _mteb_score(scores: Mapping[str, Any], measure: str | None, path: Path) -> float:
    """The mean over the subsets of the test split of the main score, or of another measure."""
    split = next((name for name in _SPLITS if name in scores), None)
    if split is None:
        raise InputError.of("results.damaged", path=str(path), error="no split")
    entries = scores[split]
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, Mapping) for entry in entries):
        raise InputError.of("results.damaged", path=str(path), error=f"no subsets of {split}")
    values = [entry.get("main_score") if measure is None else _named(entry, measure, path) for entry in entries]
    for value in values:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise InputError.of("results.not_a_number", text=str(value), place=f"{path}, main_score")
    return math.fsum(values) / len(values)


def _named(data: Any, measure: str | None, path: Path) -> float:
    """The number of a measure anywhere in a JSON document; of a test result rather than another."""
    if isinstance(data, Mapping) and isinstance(data.get("test_result"), Mapping):
        data = data["test_result"]
    leaves = dict(_leaves(data))
    if measure is None:
        if len(leaves) == 1:
            return next(iter(leaves.values()))
        raise InputError.of("results.which_measure", names=sorted({name.rpartition("/")[2] for name in leaves}))
    found = [value for name, value in leaves.items() if plain(name.rpartition("/")[2]) == plain(measure)]
    if len(found) != 1:
        names = sorted({name.rpartition("/")[2] for name in leaves})
        raise InputError.of("results.measure_missing", path=str(path), measure=measure, names=names[:12])
    return found[0]


def plain(name: str) -> str:
    """A measure's name without the ways to spell its cutoff.

    >>> plain("ndcg_at_10"), plain("NDCG@10"), plain("ndcg_cut_10")
    ('ndcg@10', 'ndcg@10', 'ndcg@10')
    """
    return re.sub(r"(_at_|_cut_|_|@)(?=\d+$)", "@", name.strip().casefold())


def _leaves(data: Any, path: str = "") -> Iterator[tuple[str, float]]:
    if isinstance(data, bool):
        return
    if isinstance(data, (int, float)):
        try:
            yield path, float(data)
        except OverflowError:  # a whole number of hundreds of digits
            yield path, math.inf
    elif isinstance(data, Mapping):
        for name, part in data.items():
            yield from _leaves(part, f"{path}/{name}")
    elif isinstance(data, list):
        for number, part in enumerate(data):
            yield from _leaves(part, f"{path}#{number}")
