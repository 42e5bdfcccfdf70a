"""Results into experiment trackers: MLflow, Weights & Biases, TensorBoard.

What is logged is the same for all of them: the numbers of :func:`metrics_of`, the values of every query, the definition
of each measure, and the report of a comparison. Each function below hands it to one tracker.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from rankmeter import __version__
from rankmeter.comparing.results import Comparison
from rankmeter.errors import InputError, load_library
from rankmeter.evaluating.result import Evaluation
from rankmeter.late import pl
from rankmeter.showing.showable import Trackable, Tracked

if TYPE_CHECKING:
    from rankmeter.measures import Measure
    from rankmeter.stats.intervals import Interval

Result = Evaluation | Comparison | Trackable
"""What is logged: what ``evaluate`` and ``compare`` give, and the numbers of logs and experiments."""
FOLDER = "rankmeter"
"""Where artifacts stand; those of a prefix stand below it."""
REPORT = "report.html"
DEFINITION = "rankmeter.definition."
LOGGED = "rankmeter.logged"
"""The tag of a run of MLflow that says which result it holds, and those of its prefixes."""
LONGEST_KEY = 250
"""Letters that MLflow allows in the name of a metric."""
LONGEST_MEASURE = 100
LONGEST_SYSTEM = 60
"""So that two systems, a measure and ``.difference.high`` are no longer than a name may be."""
_LONGEST_TAG = 5000


def log_to_mlflow(
    result: Result,
    *,
    prefix: str = "",
    run_name: str | None = None,
    report: bool = True,
    nested: bool = False,
    titles: object = None,
) -> str:
    """Log an evaluation or a comparison to MLflow, into the active run or into a new one; the id of the run.

    Metrics are the value of each measure with the ends of its interval (``nDCG_at_10``, ``nDCG_at_10.low``,
    ``nDCG_at_10.high``); those of a comparison stand below the name of the system (``dense/nDCG_at_10``), and each pair
    that was tested adds ``dense-vs-bm25/nDCG_at_10.difference``, its interval and ``.p_corrected``. What has no number
    is not logged. The definition of each measure is a tag (``rankmeter.definition.nDCG_at_10``). Artifacts, in the
    folder ``rankmeter``: ``per_query.json`` (a table that MLflow shows), ``result.json`` with every definition, and the
    report of a comparison. With a prefix they stand in a folder of that name below.

    A result that the run already holds is not logged again. Another one under the same names would overwrite it, and is
    refused: ``prefix=`` keeps the two apart.

    Parameters
    ----------
    result
        What :func:`rankmeter.evaluate`, :func:`rankmeter.compare`, or ``evaluate`` and ``experiment`` of
        :mod:`rankmeter.online` gave.
    prefix
        Stands before each metric, to keep several results of one run apart.
    run_name
        What a new run is called.
    report
        Whether the report of a comparison is logged; it needs the extra ``report``.
    nested
        Whether each system of a comparison gets a run of its own below this one, with its evaluation.
    titles
        Texts of queries and items for the report.

    Raises
    ------
    InputError
        When the run holds another result under these names, or a name is longer than MLflow allows.

    Examples
    --------
    >>> from rankmeter.compat.trackers import metric_name
    >>> metric_name("nDCG(gain=exp2)@10"), metric_name("RR")
    ('nDCG-gain-exp2-_at_10', 'RR')
    """
    check_result(result, "log_to_mlflow")
    mlflow = load_library("mlflow", called="MLflow")
    # Everything that can fail is made before anything is logged.
    records: dict[str | None, _Record] = {None: _record(result, prefix)}
    if nested and isinstance(result, Comparison):
        records |= {name: _record(ev, prefix) for name, ev in result.evaluations.items()}
    with _report_file(result, wanted=report, titles=titles) as page:
        active = mlflow.active_run()
        if active is not None and _holds_record(mlflow, active.info.run_id, records[None]):
            return str(active.info.run_id)
        run = active or mlflow.start_run(run_name=run_name)
        try:
            for name, record in records.items():
                with nullcontext() if name is None else mlflow.start_run(run_name=name, nested=True):
                    _log_record(mlflow, record, page if name is None else None)
        finally:
            if active is None:
                mlflow.end_run()
    return str(run.info.run_id)


class _Record(NamedTuple):
    """What a run of MLflow gets, ready to be logged."""

    prefix: str
    metrics: Mapping[str, float]
    tags: Mapping[str, str]
    table: Mapping[str, list[Any]]
    result: str

    @property
    def folder(self) -> str:
        return "/".join([FOLDER, *(metric_name(part) for part in self.prefix.split("/") if part.strip(". "))])

    @property
    def mark(self) -> tuple[str, str]:
        """A tag that says which result these are."""
        return self.folder.replace(FOLDER, LOGGED, 1), _fingerprint_of_numbers(self.metrics, self.tags, self.table)


def _fingerprint_of_numbers(*content: object) -> str:
    """The same for the same numbers under the same names, and for no others."""
    return hashlib.blake2b(json.dumps(content, default=str, sort_keys=True).encode(), digest_size=16).hexdigest()


def _record(result: Result, prefix: str) -> _Record:
    metrics = {prefix + name: value for name, value in metrics_of(result).items()}
    if too_long := [name for name in metrics if len(name) > LONGEST_KEY]:
        raise InputError.of("doors.long_name", name=too_long[0], count=len(too_long[0]), most=LONGEST_KEY)
    tags = {f"{DEFINITION}{name}": text[:_LONGEST_TAG] for name, text in definitions_of(result).items()}
    table = per_query_of(result).to_dict(as_series=False)
    return _Record(prefix, metrics, {**tags, "rankmeter.version": __version__}, table, result.to_json())


def _holds_record(mlflow: Any, run_id: str, record: _Record) -> bool:
    """Whether a run holds this record; another one of its names is not overwritten."""
    name, mark = record.mark
    held = mlflow.get_run(run_id).data.tags.get(name)
    if held not in (None, mark):
        raise InputError.of("doors.logged_otherwise", run=run_id)
    return held is not None


def _log_record(mlflow: Any, record: _Record, page: Path | None) -> None:
    mlflow.log_metrics(record.metrics)
    mlflow.set_tags(record.tags)
    mlflow.log_text(record.result, f"{record.folder}/result.json")
    if page is not None:
        mlflow.log_artifact(str(page), record.folder)
    mlflow.log_table(record.table, f"{record.folder}/per_query.json")  # appends to a table that is there
    mlflow.set_tag(*record.mark)


def log_to_wandb(
    result: Result,
    run: Any = None,
    *,
    prefix: str = "",
    step: int | None = None,
    report: bool = True,
    titles: object = None,
) -> None:
    """Log an evaluation or a comparison to Weights & Biases, into a run or the one that is active.

    Metrics are named as for :func:`log_to_mlflow`. The values of every query are a table, the report of a comparison is
    shown as HTML, and the definitions stand in the configuration of the run, under ``rankmeter``.

    Without ``step`` a result that was logged last under these names is not logged again, and one of other systems is
    refused: one curve would show both.

    Parameters
    ----------
    result
        What :func:`rankmeter.evaluate`, :func:`rankmeter.compare`, or ``evaluate`` and ``experiment`` of
        :mod:`rankmeter.online` gave.
    run
        What ``wandb.init`` gave; the active run by default.
    prefix
        Stands before each metric.
    step
        At which step the metrics are logged; the next one by default.
    report, titles
        As for :func:`log_to_mlflow`.
    """
    check_result(result, "log_to_wandb")
    wandb = load_library("wandb", "wandb", called="wandb (Weights & Biases)")
    run = run or wandb.run
    if run is None:
        raise InputError.of("doors.no_active_run")
    metrics: dict[str, Any] = {prefix + name: value for name, value in metrics_of(result).items()}
    values, definitions = per_query_of(result), definitions_of(result)
    systems = systems_of(result)
    mark = _fingerprint_of_numbers(metrics, definitions, values.to_dict(as_series=False))
    known = dict(run.config.get("rankmeter", {}))
    logged = dict(known.get("logged", {}))
    held = logged.get(prefix, {"mark": None, "systems": systems})
    if step is None and held["mark"] == mark:
        return
    if step is None and held["systems"] != systems:
        raise InputError.of("doors.other_systems", held=held["systems"], systems=systems)
    logged[prefix] = {"systems": systems, "mark": mark}
    known |= {"version": __version__, **definitions, "logged": logged}
    metrics[f"{prefix}rankmeter/per_query"] = wandb.Table(columns=values.columns, data=[*map(list, values.rows())])
    with _report_file(result, wanted=report, titles=titles) as page:
        if page is not None:
            metrics[f"{prefix}rankmeter/report"] = wandb.Html(page.read_text(encoding="utf-8"))
        run.config.update({"rankmeter": known}, allow_val_change=True)
        run.log(metrics, step=step)


def log_to_tensorboard(result: Result, writer: Any, *, step: int = 0, prefix: str = "") -> None:
    """Log the numbers of an evaluation or a comparison to TensorBoard, each with its definition.

    What stands at a step already is not written again; another value there is refused.

    Parameters
    ----------
    result
        What :func:`rankmeter.evaluate`, :func:`rankmeter.compare`, or ``evaluate`` and ``experiment`` of
        :mod:`rankmeter.online` gave.
    writer
        A folder, or a writer with ``add_scalar``: ``torch.utils.tensorboard.SummaryWriter``, ``tensorboardX`` or
        ``tensorboard.summary.Writer``, which alone shows the definition beside the curve.
    step
        At which step: the epoch, the number of the nightly build.
    prefix
        Stands before each name.
    """
    check_result(result, "log_to_tensorboard")
    metrics, definitions = metrics_of(result), definitions_of(result)
    is_own, held = isinstance(writer, (str, os.PathLike)), _held_by(writer)
    taken = {name: held[place] for name in metrics if (place := (prefix + name, step)) in held}
    if other := [name for name, value in taken.items() if value != np.float32(metrics[name])]:
        raise InputError.of("doors.step_taken", name=prefix + other[0], step=step)
    if is_own:
        writer = load_library("tensorboard.summary", "tensorboard", called="TensorBoard").Writer(os.fspath(writer))
    describes = type(writer).__module__.startswith("tensorboard.")
    for name, value in metrics.items():
        if name in taken:
            continue
        number = name.rpartition("/")[2]  # nDCG_at_10, nDCG_at_10.low; RBP-p-0.8- has a point of its own
        measure = next((measure for measure in definitions if f"{number}.".startswith(f"{measure}.")), None)
        about = {"description": definitions[measure]} if describes and measure else {}
        writer.add_scalar(prefix + name, value, step, **about)
        held[prefix + name, step] = np.float32(value)
    if is_own:
        writer.close()


_WRITTEN: WeakKeyDictionary[Any, dict[tuple[str, int], np.float32]] = WeakKeyDictionary()
"""What each writer of somebody else was given; it does not tell."""


def _held_by(writer: Any) -> dict[tuple[str, int], np.float32]:
    """The value under each name at each step: what a folder holds, or what a writer was given here."""
    if not isinstance(writer, (str, os.PathLike)):
        return _WRITTEN.setdefault(writer, {})
    if not Path(writer).is_dir():
        return {}
    accumulators = "tensorboard.backend.event_processing.event_accumulator"
    accumulator = load_library(accumulators, "tensorboard", called="TensorBoard").EventAccumulator
    events = accumulator(os.fspath(writer), size_guidance={"tensors": 0, "scalars": 0}).Reload()
    scalars = {(name, event.step): event.value for name in events.Tags()["scalars"] for event in events.Scalars(name)}
    tensors = {
        (name, event.step): event.tensor_proto.float_val[0]
        for name in events.Tags()["tensors"]
        for event in events.Tensors(name)
        if len(event.tensor_proto.float_val) == 1
    }
    return {place: np.float32(value) for place, value in {**scalars, **tensors}.items()}


def check_result(result: object, verb: str) -> None:
    """Refuse what has no numbers that a tracker shows."""
    if not isinstance(result, (Evaluation, Comparison, Trackable)):
        raise InputError.of("doors.not_logged", type=type(result).__name__, verb=verb)


@contextmanager
def _report_file(result: Result, *, wanted: bool, titles: object) -> Iterator[Path | None]:
    """The report of a comparison as a file that is there for a while; None where there is none."""
    if not wanted or isinstance(result, Evaluation):
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / REPORT
        if isinstance(result, Comparison):
            result.report(page, titles=titles)
        else:
            result.report(page)
        yield page


def definitions_of(result: Result) -> dict[str, str]:
    """What each measure means, every convention stated, by the name of its metric."""
    if isinstance(result, Evaluation):
        measures = list(result.means)
    else:
        measures = list(result.measures if isinstance(result, Comparison) else result.tracked().measures)
    return {metric_name(str(measure)): _described(measure) for measure in measures}


def _described(measure: Measure) -> str:
    facts = {name: value for name, value in measure.describe().items() if name != "measure" and value is not None}
    return f"{measure}: {', '.join(f'{name}={value}' for name, value in facts.items())}"


def systems_of(result: Result) -> list[str]:
    """Whose numbers these are."""
    if isinstance(result, Comparison):
        return list(result.systems)
    return [result.name] if isinstance(result, Evaluation) else [*{group: 0 for group, *_ in result.tracked().values}]


def per_query_of(result: Result) -> pl.DataFrame:
    """The values of every query; those of an evaluation with the system they belong to, as those of a comparison."""
    if isinstance(result, Comparison):
        return result.per_query
    if isinstance(result, Trackable):
        return result.to_polars()
    return result.per_query.select("query", pl.lit(result.name).alias("system"), pl.exclude("query"))


def metrics_of(result: Result) -> dict[str, float]:
    """Every number that has a name, ready to be logged."""
    metrics: dict[str, float | None] = {}
    if isinstance(result, Trackable):
        metrics = _metrics_tracked(result.tracked())
    elif isinstance(result, Evaluation):
        for measure, value in result.means.items():
            interval = result.interval(measure) if result.has_interval(measure) else None
            metrics |= _with_interval(metric_name(str(measure)), value, interval)
    else:
        called = _distinct_names(result.systems)
        for score in result.scores:
            name = f"{called[score.system]}/{metric_name(str(score.measure))}"
            metrics |= _with_interval(name, score.value, score.interval)
        for difference in result.differences:
            pair = f"{called[difference.system]}-vs-{called[difference.other]}/{metric_name(str(difference.measure))}"
            ends = _with_interval(f"{pair}.difference", difference.difference, difference.interval)
            metrics |= {**ends, f"{pair}.p_corrected": difference.p_corrected}
    return {name: value for name, value in metrics.items() if value is not None and math.isfinite(value)}


def _metrics_tracked(tracked: Tracked) -> dict[str, float | None]:
    """The numbers of a log or an experiment, named as those of a comparison are."""
    called = _distinct_names([*dict.fromkeys(group for group, *_ in tracked.values)])
    metrics: dict[str, float | None] = {}
    for group, measure, *numbers in tracked.values:
        name = "/".join([*([called[group]] if group else []), metric_name(str(measure))])
        metrics |= dict(zip((name, f"{name}.low", f"{name}.high"), numbers, strict=True))
    for group, other, measure, *numbers, p in tracked.differences:
        name = f"{called[group]}-vs-{called[other]}/{metric_name(str(measure))}.difference"
        metrics |= dict(zip((name, f"{name}.low", f"{name}.high"), numbers, strict=True))
        metrics[f"{name.removesuffix('.difference')}.p_corrected"] = p
    return metrics


def _with_interval(name: str, value: float, interval: Interval | None) -> dict[str, float | None]:
    return {
        name: value,
        f"{name}.low": interval.low if interval else None,
        f"{name}.high": interval.high if interval else None,
    }


def _distinct_names(systems: Sequence[str]) -> dict[str, str]:
    """A name for each system; those that differ only in what MLflow does not allow are numbered."""
    called: dict[str, str] = {}
    for system in systems:
        name, number = metric_name(system, LONGEST_SYSTEM), 1
        while name in called.values():
            number += 1
            name = f"{metric_name(system, LONGEST_SYSTEM)}-{number}"
        called[system] = name
    return called


def metric_name(text: str, longest: int = LONGEST_MEASURE) -> str:
    """A text as MLflow allows it in the name of a metric: other signs become dashes, ``@`` is written out.

    A long text is cut, and ends in a digest of the whole.
    """
    name = re.sub(r"[^\w\-. ]", "-", text.replace("@", "_at_"))
    if len(name) <= longest:
        return name
    return f"{name[: longest - 9]}-{hashlib.blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=4).hexdigest()}"
