"""What is compared, as the command line names it: judgments, systems, units, what is known of items and users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankmeter.cli.options import catalogue_columns, columns_for, parse_columns, system_names
from rankmeter.errors import InputError, with_hint

if TYPE_CHECKING:
    from rankmeter.inputs import AnyJudgments, AnyRun


def saved_evaluations(paths: Sequence[str]) -> list[Any]:
    """Evaluations that were made before, by the names of their files."""
    from rankmeter.results import Evaluation

    return [(name, Evaluation.load(path)) for name, path in zip(system_names(paths), paths, strict=True)]


def named_sources(
    paths: Sequence[str],
    seeds: Sequence[str],
    folds: Sequence[str],
    columns: str | None,
    judgments_format: str | None,
    run_format: str | None,
) -> tuple[AnyJudgments, list[tuple[str, object]]]:
    """The judgments, and every system by its name."""
    from rankmeter.comparing.systems import folds as as_folds
    from rankmeter.comparing.systems import seeds as as_seeds
    from rankmeter.inputs import into_judgments

    usage = "rankmeter compare JUDGMENTS RUN RUN..."
    if not paths:
        raise InputError(with_hint("neither judgments nor runs were given.", usage))
    for_judgments, for_runs = parse_columns(columns)
    truth = into_judgments(
        paths[0], columns=columns_for(paths[0], judgments_format, for_judgments), format=judgments_format
    )
    systems: list[tuple[str, object]] = [
        (name, _run(path, for_runs, run_format)) for name, path in zip(system_names(paths[1:]), paths[1:], strict=True)
    ]
    for given, together, option in ((seeds, as_seeds, "--seeds"), (folds, as_folds, "--folds")):
        for text in given:
            name, equals, files = text.partition("=")
            if not equals or not name or not files:
                raise InputError(with_hint(f"{option} {text} is not possible.", f"{option} dense=d1.run,d2.run"))
            systems.append((name, together(*(_run(path, for_runs, run_format) for path in files.split(",")))))
    if not systems:
        raise InputError(
            with_hint(f"no run was given, only {paths[0]}.", f"truth first, then what is compared: {usage}")
        )
    return truth, systems


def _run(path: str, columns: Mapping[str, str], format: str | None) -> AnyRun:
    from rankmeter.inputs import into_run
    from rankmeter.inputs.files import read_run

    found = columns_for(path, format, columns)
    # Placing may read a file twice; a pipe or standard input cannot be.
    return (into_run if Path(path).is_file() else read_run)(path, columns=found, format=format)


def items_and_users(catalogue: str | None, history: str | None, columns: str | None) -> dict[str, Any]:
    """What is known of items and users, read once for all systems."""
    of_items = catalogue_columns(columns)
    if of_items and catalogue is None:
        raise InputError(with_hint("--columns names columns of a catalogue, but there is none.", "--catalogue FILE"))
    if catalogue is None and history is None:
        return {}
    from rankmeter.lists.catalogue import into_catalogue, into_history

    named, _ = parse_columns(columns)
    return {
        "catalogue": None if catalogue is None else into_catalogue(catalogue, of_items),
        "history": None if history is None else into_history(history, columns=named),
    }


def units_of(path: str | None) -> tuple[dict[str, str] | None, str]:
    """Which unit each query belongs to, and what a unit is called: the header of its column."""
    if path is None:
        return None, "group"
    import polars as pl

    if not Path(path).is_file():
        raise InputError(f"--units {path}: no such file.")
    try:
        frame = pl.read_csv(path, separator="\t" if ".tsv" in path else ",", infer_schema=False)
    except pl.exceptions.PolarsError as error:
        raise InputError(f"--units {path} cannot be read: {error}") from error
    others = [name for name in frame.columns if name != "query"]
    if len(frame.columns) < 2 or "query" not in frame.columns:
        fact = f"--units {path} has the columns {', '.join(frame.columns)}; expected query and one more."
        raise InputError(with_hint(fact, "a header such as query,user"))
    return dict(zip(frame["query"].to_list(), frame[others[0]].to_list(), strict=True)), others[0]
