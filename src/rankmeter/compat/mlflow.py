"""Results into MLflow: measures with their intervals, the values of every query, definitions, and the report."""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankmeter.comparing.results import Comparison
from rankmeter.errors import InputError, MissingExtraError, RankmeterError, with_hint
from rankmeter.evaluating.result import Evaluation

if TYPE_CHECKING:
    from rankmeter.stats.intervals import Interval

QUERY_TABLE = "rankmeter/per_query.json"
RESULT = "rankmeter/result.json"
REPORT = "rankmeter/report.html"


def log_to_mlflow(
    result: Evaluation | Comparison,
    *,
    prefix: str = "",
    run_name: str | None = None,
    report: bool = True,
    titles: object = None,
) -> str:
    """Log an evaluation or a comparison to MLflow, into the active run or into a new one; the id of the run.

    Metrics are the value of each measure with the ends of its interval (``nDCG_at_10``, ``nDCG_at_10.low``,
    ``nDCG_at_10.high``); those of a comparison stand below the name of the system (``dense/nDCG_at_10``), and each pair
    that was tested adds ``dense-vs-bm25/nDCG_at_10.difference``, its interval and ``.p_corrected``. What has no number
    is not logged. Artifacts, in the folder ``rankmeter``: ``per_query.json`` (a table that MLflow shows),
    ``result.json`` with every definition, and the report of a comparison.

    Parameters
    ----------
    prefix
        Stands before each metric, to keep several results of one run apart.
    run_name
        What a new run is called.
    report
        Whether the report of a comparison is logged; it needs the extra ``report``.
    titles
        Texts of queries and items for the report.

    Examples
    --------
    >>> metric_name("nDCG(gain=exp2)@10"), metric_name("RR")
    ('nDCG-gain-exp2-_at_10', 'RR')
    """
    if not isinstance(result, (Evaluation, Comparison)):
        fact = f"a {type(result).__name__} cannot be logged."
        raise InputError(with_hint(fact, "log_to_mlflow(evaluate(...)) or log_to_mlflow(compare(...))"))
    mlflow = _mlflow()
    # Everything that can fail is made before anything is logged.
    metrics = {prefix + name: value for name, value in metrics_of(result).items()}
    table = {name: column.to_list() for name, column in _columns(result).items()}
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / Path(REPORT).name
        if report and isinstance(result, Comparison):
            result.report(page, titles=titles)
        active = mlflow.active_run()
        run = active or mlflow.start_run(run_name=run_name)
        try:
            mlflow.log_metrics(metrics)
            mlflow.log_table(table, QUERY_TABLE)
            mlflow.log_text(result.to_json(), RESULT)
            if page.exists():
                mlflow.log_artifact(str(page), str(Path(REPORT).parent))
        finally:
            if active is None:
                mlflow.end_run()
    return str(run.info.run_id)


def _mlflow() -> Any:
    try:
        import mlflow  # optional
    except ImportError as error:
        hint = "pip install 'rankmeter[mlflow]'"
        raise MissingExtraError(with_hint("MLflow is not installed.", hint)) from error
    return mlflow


def _columns(result: Evaluation | Comparison) -> Mapping[str, Any]:
    frame = result.per_query
    return {name: frame[name] for name in frame.columns}


def metrics_of(result: Evaluation | Comparison) -> dict[str, float]:
    """Every number that has a name, ready to be logged."""
    found: dict[str, float | None] = {}
    if isinstance(result, Evaluation):
        for measure, value in result.means.items():
            interval = None if math.isnan(value) else _interval_of(result, str(measure))
            found |= _with_interval(metric_name(str(measure)), value, interval)
    else:
        called = _unlike(result.systems)
        for score in result.scores:
            name = f"{called[score.system]}/{metric_name(str(score.measure))}"
            found |= _with_interval(name, score.value, score.interval)
        for one in result.differences:
            pair = f"{called[one.system]}-vs-{called[one.other]}/{metric_name(str(one.measure))}"
            ends = _with_interval(f"{pair}.difference", one.difference, one.interval)
            found |= {**ends, f"{pair}.p_corrected": one.p_corrected}
    return {name: value for name, value in found.items() if value is not None and math.isfinite(value)}


def _interval_of(ev: Evaluation, measure: str) -> Interval | None:
    try:
        return ev.interval(measure)
    except RankmeterError:
        return None  # a value without an interval is logged without one


def _with_interval(name: str, value: float, interval: Interval | None) -> dict[str, float | None]:
    return {
        name: value,
        f"{name}.low": interval.low if interval else None,
        f"{name}.high": interval.high if interval else None,
    }


def _unlike(systems: Sequence[str]) -> dict[str, str]:
    """A name for each system; those that differ only in what MLflow does not allow are numbered."""
    called: dict[str, str] = {}
    for system in systems:
        name, number = metric_name(system), 1
        while name in called.values():
            number += 1
            name = f"{metric_name(system)}-{number}"
        called[system] = name
    return called


def metric_name(text: str) -> str:
    """A text as MLflow allows it in the name of a metric: other signs become dashes, ``@`` is written out."""
    return re.sub(r"[^\w\-. ]", "-", text.replace("@", "_at_"))
