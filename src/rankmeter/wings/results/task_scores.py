"""Scores of systems on tasks: from mappings, data frames, files and folders, one or several numbers a cell.

A table is long (``model,task,score``, and where there are any ``seed`` and ``query``) or wide (a row a system and a
column a task).
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np

from rankmeter.errors import InputError, did_you_mean, reason_of
from rankmeter.frozen import dataclass
from rankmeter.late import json, pl, polars_faults
from rankmeter.placing.placements import Floats
from rankmeter.whole_files import check_readable
from rankmeter.wings.results.score_folders import query_values, read_folder
from rankmeter.wording import Said, said

NAMES = {
    "system": "system systems model models method methods run algorithm name model_name 系统 模型 方法",
    "task": "task tasks dataset datasets data benchmark task_name corpus language 任务 数据集",
    "score": "score value main_score result mean 得分 值",
    "seed": "seed fold repeat trial run_id 种子 折",
    "query": "query query_id qid user user_id 查询 用户",
}
_ROLE = {name: role for role, names in NAMES.items() for name in names.split()}
GAP = 20
LEAST = 0.05
"""Per cents among shares are larger than this many times the shares, and shares below the least look like 0.05."""


@dataclass(frozen=True, slots=True)
class TaskScores:
    """Scores, and what lies behind them where that is known."""

    systems: tuple[str, ...]
    tasks: tuple[str, ...]
    scores: Floats
    """``(systems, tasks)``, NaN for a hole."""
    repeats: Mapping[tuple[int, int], Floats]
    """The scores of seeds or folds behind a cell, by system and task."""
    queries: Mapping[int, Floats]
    """The ``(systems, queries)`` values behind a task, of the queries that all systems have; means over seeds."""
    runs: Mapping[tuple[int, int], Floats] = field(default_factory=dict)
    """The ``(seeds, queries)`` values behind a cell, where both are known."""
    notes: tuple[Said, ...] = ()


def into_scores(
    data: object, *, measure: str | None = None, outer: str = "system", only: Sequence[str] = ()
) -> TaskScores:
    """Scores from anything that holds some; of all systems, or of those named, in that order.

    Raises
    ------
    InputError
        When a cell is no number, a system stands twice or is missing, or there is nothing to compare.
    """
    notes: list[Said] = []
    if isinstance(data, (str, Path)):
        path = Path(data)
        if path.is_dir():
            cells, notes = read_folder(path, measure=measure, outer=outer)
        else:
            cells = _of_frame(_frame(check_readable(path)))
    elif isinstance(data, Mapping):
        cells = _of_mapping(data, measure)
    elif hasattr(data, "columns"):
        cells = _of_frame(_text_frame(data))
    else:
        raise InputError.of("results.no_scores", type=type(data).__name__)
    known = list(dict.fromkeys(system for system, _ in cells))
    for name in only:
        if name not in known:
            raise InputError.of("results.unknown_system", name=name, hint=did_you_mean(name, known))
    if only:
        cells = {(name, task): value for name in only for (system, task), value in cells.items() if system == name}
    return _table(cells, notes)


Cells = dict[tuple[str, str], Any]
"""A number, several numbers, a number for each query, or several of these, by system and task."""


def _of_mapping(data: Mapping[Any, Any], measure: str | None) -> Cells:
    cells: Cells = {}
    for system, tasks in data.items():
        if not isinstance(tasks, Mapping):
            raise InputError.of("results.not_nested", system=str(system), type=type(tasks).__name__)
        for task, value in tasks.items():
            if isinstance(value, (list, tuple)):
                value = [_values_of(one, measure) for one in value]
            cells[str(system), str(task)] = _values_of(value, measure)
    return cells


def _values_of(value: Any, measure: str | None) -> Any:
    return query_values(value, measure) if hasattr(value, "per_query") and hasattr(value, "find") else value


def _frame(path: Path) -> Any:
    try:
        return _parsed_file(path)
    except InputError:
        raise
    except polars_faults(RecursionError, csv.Error) as error:
        raise InputError.of("results.damaged", path=str(path), error=reason_of(error)) from error


def _parsed_file(path: Path) -> Any:
    if path.suffix == ".parquet":
        return pl.read_parquet(path)
    text = path.read_text("utf-8-sig")
    if path.suffix in (".json", ".jsonl"):
        data = [json.loads(line) for line in text.splitlines() if line.strip()] if path.suffix == ".jsonl" else None
        data = json.loads(text) if data is None else data
        if isinstance(data, Mapping):
            return data
        if not isinstance(data, list):
            raise InputError.of("results.no_scores_in", path=str(path), type=type(data).__name__)
        return _text_frame(pl.DataFrame(data, infer_schema_length=None))
    first = text.partition("\n")[0]
    separator = "\t" if "\t" in first else ";" if ";" in first else ","
    heads = [name.strip() for name in next(filter(None, csv.reader(io.StringIO(text), delimiter=separator)), [])]
    if twice := [name for at, name in enumerate(heads) if name and name in heads[:at]]:
        raise InputError.of("results.column_twice", name=twice[0])
    return pl.read_csv(text.encode(), separator=separator, infer_schema=False, truncate_ragged_lines=False)


def _text_frame(data: Any) -> Any:
    names = [str(name) for name in data.columns]
    if twice := [name for at, name in enumerate(names) if name in names[:at]]:
        raise InputError.of("results.column_twice", name=twice[0])
    return (
        data if isinstance(data, pl.DataFrame) else pl.DataFrame({str(name): list(data[name]) for name in data.columns})
    )


def _of_frame(frame: Any) -> Cells:
    if isinstance(frame, Mapping):
        return _of_mapping(frame, None)
    roles: dict[str, str] = {}
    for name in frame.columns:
        role = _ROLE.get(name.strip().casefold())
        if role and role not in roles:
            roles[role] = name
    if {"system", "task", "score"} <= set(roles):
        return _from_long(frame, roles)
    return _from_wide(frame, roles)


class _Signs:
    """Which cells of each task are written as per cents."""

    def __init__(self) -> None:
        self.places: dict[str, dict[bool, tuple[str, str]]] = {}

    def look(self, task: str, value: Any, place: str) -> None:
        """Refuse a per cent beside a number without its sign, in one task."""
        text = "" if value is None else str(value).strip()
        if not any(letter.isdigit() for letter in text):
            return
        met = self.places.setdefault(task, {})
        met.setdefault(text.rstrip("* ").endswith("%"), (text, place))
        if len(met) > 1:
            (other, _), (text, place) = met.values()
            raise InputError.of("results.mixed_scales", place=place, text=text, other=other)


def _from_long(frame: Any, roles: Mapping[str, str]) -> Cells:
    cells: Cells = {}
    signs = _Signs()
    columns = {role: frame[name].to_list() for role, name in roles.items()}
    behind = [role for role in ("seed", "query") if role in columns]
    for number in range(len(frame)):
        if all(_is_empty(column[number]) for column in columns.values()):
            continue
        system, task, *units = (
            _name(columns[role][number], number + 2, roles[role]) for role in ("system", "task", *behind)
        )
        key = (system, task)
        place = f"{number + 2}, {roles['score']}"
        value = _number(columns["score"][number], place)
        signs.look(key[1], columns["score"][number], place)
        held: dict[Any, Any] = cells
        *outer, last = (key, *units)
        for name in outer:
            held = held.setdefault(name, {})
        if last in held:
            place = ", ".join((task, *units))
            raise InputError.of("results.cell_twice", system=system, task=place, row=number + 2)
        held[last] = value
    if behind[:1] == ["seed"]:
        order = list(dict.fromkeys(seed for values in cells.values() for seed in values))
        return {key: [values[seed] for seed in order if seed in values] for key, values in cells.items()}
    return cells


def _is_empty(value: object) -> bool:
    return value is None or not str(value).strip()


def _name(value: object, row: int, column: str) -> str:
    """What a system, a task, a query or a seed is called; a row must not go without."""
    if _is_empty(value):
        raise InputError.of("results.no_name", row=row, column=column)
    return str(value).strip()


def _from_wide(frame: Any, roles: Mapping[str, str]) -> Cells:
    if not frame.columns:
        return {}
    first = roles.get("system") or roles.get("task") or frame.columns[0]
    by_task = first == roles.get("task")
    cells: Cells = {}
    signs, met = _Signs(), dict[str, int]()
    for number, row in enumerate(frame.iter_rows(named=True), 2):
        if all(map(_is_empty, row.values())):
            continue
        name = _name(row[first], number, first)
        if name in met:
            raise InputError.of("results.row_twice", name=name, rows=[met[name], number])
        met[name] = number
        for other in frame.columns:
            if other != first:
                key = (other, name) if by_task else (name, other)
                cells[key] = _number(row[other], f"{number}, {other}")
                signs.look(key[1], row[other], f"{number}, {other}")
    return cells


def _number(value: Any, place: str) -> float:
    """A number; NaN for a hole."""
    if value is None or type(value).__name__ == "NAType":  # pandas
        return math.nan
    if isinstance(value, str):
        bare = value.strip().rstrip("%").strip("* ")
        if bare.casefold() in ("", "-", "--", "–", "—", "n/a", "na", "nan", "null", "none"):
            return math.nan
        try:
            value = float(bare)
        except ValueError:
            raise InputError.of("results.not_a_number", text=value, place=place) from None
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise InputError.of("results.not_a_number", text=str(value), place=place)
    try:
        number = float(value)
    except OverflowError:  # a whole number of hundreds of digits
        number = math.inf
    if math.isinf(number):
        raise InputError.of("results.not_a_number", text=f"{value!s:.40}", place=place)
    return number


def _table(cells: Cells, notes: Iterable[Said]) -> TaskScores:
    systems = tuple(dict.fromkeys(system for system, _ in cells))
    tasks = tuple(dict.fromkeys(task for _, task in cells))
    if len(systems) < 2 or len(tasks) < 2:
        raise InputError.of("results.too_few", systems=len(systems), tasks=len(tasks))
    scores = np.full((len(systems), len(tasks)), np.nan)
    repeats: dict[tuple[int, int], Floats] = {}
    by_query: dict[int, dict[int, list[dict[str, float]]]] = {}
    for (system, task), value in cells.items():
        at = systems.index(system), tasks.index(task)
        place = f"{system}, {task}"
        several = (isinstance(value, Sequence) or np.ndim(value)) and not isinstance(value, str)
        if isinstance(value, Mapping) or (several and len(value) and all(isinstance(one, Mapping) for one in value)):
            of_seeds = [
                {str(query): _number(number, f"{place}, {query}") for query, number in one.items()}
                for one in ([value] if isinstance(value, Mapping) else value)
            ]
            by_query.setdefault(at[1], {})[at[0]] = of_seeds
            means = [_mean_score(list(one.values())) for one in of_seeds]
            scores[at] = _mean_score(means)
            if not isinstance(value, Mapping):
                repeats[at] = np.array(means)
        elif several:
            repeats[at] = np.array([_number(one, place) for one in value])
            scores[at] = _mean_score(repeats[at].tolist())
        else:
            scores[at] = _number(value.item() if isinstance(value, np.ndarray) else value, place)
    _check_scales(scores, systems, tasks)
    runs, told = _common(by_query, systems, tasks)
    queries = {
        number: np.array([runs[system, number].mean(axis=0) for system in range(len(systems))])
        for number in dict.fromkeys(number for _, number in runs)
    }
    for number, values in queries.items():
        scores[:, number] = values.mean(axis=1)
    repeats |= {at: values.mean(axis=1) for at, values in runs.items() if at in repeats}
    runs = {at: values for at, values in runs.items() if at in repeats}
    return TaskScores(systems, tasks, scores, repeats, queries, runs, (*notes, *told))


def _mean_score(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def _check_scales(scores: Floats, systems: Sequence[str], tasks: Sequence[str]) -> None:
    """Refuse values that are far above the shares of their task: per cents among shares."""
    for task, column in enumerate(scores.T):
        known = column[~np.isnan(column)]
        shares, others = known[known <= 1], known[known > 1]
        if not len(shares) or not len(others) or shares.min() < 0 or others.max() > 100:
            continue
        few = len(others) == 1 and len(shares) > 1
        if others.min() > GAP * max(float(np.median(shares) if few else shares.max()), LEAST):
            at = int(np.flatnonzero(column == others.max())[0])
            place, other = f"{systems[at]}, {tasks[task]}", f"{float(np.median(shares)):g}"
            raise InputError.of("results.mixed_scales", place=place, text=f"{others.max():g}", other=other)


def _common(
    by_query: Mapping[int, Mapping[int, Sequence[Mapping[str, float]]]], systems: Sequence[str], tasks: Sequence[str]
) -> tuple[dict[tuple[int, int], Floats], list[Said]]:
    """The ``(seeds, queries)`` values of each cell, of the queries that all seeds of all systems have."""
    found, notes = {}, []
    for task, of_systems in by_query.items():
        if len(of_systems) < len(systems):
            continue
        seeds = [values for of_seeds in of_systems.values() for values in of_seeds]
        shared = [query for query in seeds[0] if all(query in values for values in seeds)]
        most = max(map(len, seeds))
        if not shared:
            raise InputError.of("results.no_common_query", task=tasks[task])
        if len(shared) < most:
            notes.append(said("across_common_queries", task=tasks[task], shared=len(shared), most=most))
        for system, of_seeds in of_systems.items():
            found[system, task] = np.array([[values[query] for query in shared] for values in of_seeds])
    return found, notes
