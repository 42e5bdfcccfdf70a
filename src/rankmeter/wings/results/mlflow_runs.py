"""Runs of MLflow as entries of a history: whole where rankmeter logged them, else metrics that are measures."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from rankmeter.errors import InputError, MeasureError, NotFoundError, load_library
from rankmeter.late import pl
from rankmeter.measures import parse
from rankmeter.wings.results.history_entries import CodeState, HistoryEntry, RecordedMeasure

FOLDER = "rankmeter"
"""Where the artifacts of :func:`rankmeter.log_to_mlflow` stand."""
_DERIVED = re.compile(r"\.(low|high|difference|p_corrected)$|\.difference\.(low|high)$")
_PAGE = 200


def entries_of_experiment(experiment: str, uri: str | None, system: str | None) -> list[HistoryEntry]:
    """The finished runs of an experiment, oldest first."""
    mlflow = load_library("mlflow", called="MLflow")
    client = mlflow.MlflowClient(tracking_uri=uri)
    try:
        found = client.get_experiment_by_name(experiment)
    except Exception as error:  # MLflow raises errors of many libraries for an address that does not answer
        raise InputError.of(
            "results.no_mlflow", uri=uri or mlflow.get_tracking_uri(), reason=str(error)[:200]
        ) from error
    if found is None:
        known = [one.name for one in client.search_experiments(max_results=20)]
        raise NotFoundError.of("results.no_experiment", name=experiment, known=known)
    runs = list(_runs_of_experiment(client, found.experiment_id))
    entries = [entry for run in runs for entry in _entries_of(mlflow, client, run, system or experiment, uri)]
    if not entries:
        names = sorted({name for run in runs for name in run.data.metrics})
        raise InputError.of("results.no_measure_in_mlflow", name=experiment, runs=len(runs), names=names[:5])
    return [replace(entry, system=system) for entry in entries] if system is not None and _is_one(entries) else entries


def _is_one(entries: list[HistoryEntry]) -> bool:
    return len({entry.system for entry in entries}) == 1


def _runs_of_experiment(client: Any, experiment: str) -> Iterator[Any]:
    token = None
    while True:
        page = client.search_runs(
            [experiment], order_by=["attributes.start_time ASC"], max_results=_PAGE, page_token=token
        )
        yield from (run for run in page if run.info.status == "FINISHED")
        token = page.token
        if not token:
            return


def _entries_of(mlflow: Any, client: Any, run: Any, called: str, uri: str | None) -> list[HistoryEntry]:
    tags = run.data.tags
    stated: dict[str, Any] = {
        "time": datetime.fromtimestamp((run.info.end_time or run.info.start_time) / 1000, UTC),
        "code": CodeState(tags.get("mlflow.source.git.commit", ""), tags.get("mlflow.source.git.branch", "")),
        "tags": (run.info.run_name,) if run.info.run_name else (),
    }
    source = f"mlflow:{run.info.run_id}"
    folders = list(_folders(client, run.info.run_id, FOLDER))
    if folders:
        entries = []
        for folder in folders:
            result = json.loads(_text(mlflow, run.info.run_id, f"{folder}/result.json", uri))
            table = json.loads(_text(mlflow, run.info.run_id, f"{folder}/per_query.json", uri))
            frame = pl.DataFrame(table["data"], schema=table["columns"], orient="row", infer_schema_length=None)
            for rows in frame.partition_by("system", maintain_order=True):
                name = str(rows["system"][0])
                entries.append(_logged_entry(name, result, rows, f"{source}/{folder}/{name}", stated))
        return entries
    measures = tuple(
        one for name, value in sorted(run.data.metrics.items()) if (one := _recorded_metric(name, value)) is not None
    )
    return [HistoryEntry(called, measures=measures, source=source, **stated)] if measures else []


def _folders(client: Any, run: str, folder: str) -> Iterator[str]:
    """The folders that hold a result, at any depth below ours."""
    inside = client.list_artifacts(run, folder)
    names = {one.path.rpartition("/")[2] for one in inside}
    if {"result.json", "per_query.json"} <= names:
        yield folder
    for one in inside:
        if one.is_dir:
            yield from _folders(client, run, one.path)


def _text(mlflow: Any, run: str, path: str, uri: str | None) -> str:
    return (
        str(mlflow.artifacts.load_text(f"runs:/{run}/{path}")) if uri is None else _downloaded(mlflow, run, path, uri)
    )


def _downloaded(mlflow: Any, run: str, path: str, uri: str) -> str:
    from pathlib import Path
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as place:
        file = mlflow.artifacts.download_artifacts(run_id=run, artifact_path=path, dst_path=place, tracking_uri=uri)
        return Path(file).read_text("utf-8")


def _logged_entry(
    name: str, result: Mapping[str, Any], rows: pl.DataFrame, source: str, stated: Mapping[str, Any]
) -> HistoryEntry:
    """What rankmeter logged of one system."""
    if "mean" in result:
        means = result["mean"]
    else:
        means = {row["measure"]: row["value"] for row in result["leaderboard"] if row["system"] == name}
    values = {column: rows[column].cast(pl.Float64).fill_null(np.nan).to_numpy() for column in rows.columns
              if column not in ("query", "system")}  # fmt: skip
    measures = []
    for text, value in means.items():
        definition = result["definitions"].get(text, {})
        known = _parsed_measure(text)
        higher = True if known is None else known.higher_is_better
        is_mean = text in values and (known is None or known.aggregate == "mean")
        label = result["labels"].get(text, text)
        measures.append(RecordedMeasure(text, label, np.nan if value is None else value, definition, higher, is_mean))
    facts = {"returned": result["facts"]["returned"]} if "facts" in result else {}
    queries = tuple(rows["query"].cast(pl.String).to_list())
    return HistoryEntry(
        name, measures=tuple(measures), queries=queries, values=values, source=source, **facts, **stated
    )


def _parsed_measure(text: str) -> Any:
    try:
        return parse(text)
    except MeasureError:
        return None


def _recorded_metric(name: str, value: float) -> RecordedMeasure | None:
    """A metric whose name is that of a measure: ``ndcg_at_10``, ``val/recall_at_20``."""
    if _DERIVED.search(name):
        return None
    known = _parsed_measure(name.rpartition("/")[2].replace("_at_", "@"))
    if known is None:
        return None
    return RecordedMeasure(str(known), name, value, {}, known.higher_is_better, is_mean=False)
