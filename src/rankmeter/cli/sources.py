"""What is compared, as named on the command line: judgments, systems and units."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankmeter.cli.options import Sources, by_system, named_columns, refuse_measures
from rankmeter.errors import InputError
from rankmeter.late import pl

if TYPE_CHECKING:
    from rankmeter.comparing.systems import Repeats
    from rankmeter.inputs.tables import Judgments


def saved_evaluations(paths: Sequence[str], seeds: Sequence[str] = ()) -> list[Any]:
    """Saved evaluations by the names of their files, or several of one system by its name."""
    from rankmeter.evaluating.result import Evaluation

    if len(paths) + len(seeds) < 2:
        for path in paths:
            Evaluation.load(path)  # complains if it is not an evaluation
        raise InputError.of("cli.one_saved" if paths else "cli.none_saved", source="".join(paths))
    alone = [(name, Evaluation.load(path)) for name, path in by_system(paths).items()]
    return [*alone, *((name, _seeds(files, Evaluation.load)) for name, files in _several("--seeds", seeds))]


def _several(option: str, texts: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Read ``dense=d1.run,d2.run``: the name of a system and its files."""
    for text in texts:
        name, equals, files = text.partition("=")
        if not equals or not name or not files:
            raise InputError.of("cli.several_runs", option=option, text=text)
        yield name, files.split(",")


def named_seed(text: str) -> tuple[str, str]:
    """The seed and the file of ``1:d1.run``; no seed if a file or a drive has that name."""
    seed, colon, file = text.partition(":")
    if not colon or not seed or not file or file.startswith("\\") or Path(text).exists():
        return "", text
    return seed, file


def _seeds(files: Sequence[str], read: Callable[[str], object]) -> Repeats:
    """The runs of one system, by seed if the seeds are named."""
    from rankmeter.comparing.systems import seeds

    pairs = [named_seed(text) for text in files]
    names = [seed for seed, _ in pairs if seed]
    if not names:
        return seeds(*(read(file) for _, file in pairs))
    if len(names) < len(pairs):
        raise InputError.of("cli.seeds_half_named", file=next(file for seed, file in pairs if not seed))
    if twice := [seed for seed in names if names.count(seed) > 1]:
        raise InputError.of("cli.seed_twice", seed=twice[0], files=[file for seed, file in pairs if seed == twice[0]])
    return seeds(named={seed: read(file) for seed, file in pairs})


def named_sources(
    paths: Sequence[str | None],
    seeds: Sequence[str],
    folds: Sequence[str],
    sources: Sources,
    history: str | None = None,
) -> tuple[Judgments | None, list[tuple[str, object]]]:
    """The judgments (None if the first path is), and every system by its name."""
    from rankmeter.comparing.systems import folds as as_folds

    usage = "rankmeter compare JUDGMENTS RUN RUN..."
    if not paths:
        raise InputError.of("cli.nothing_to_compare", usage=usage)
    refuse_measures(path for path in paths if path is not None)
    judged, runs = paths[0], [path for path in paths[1:] if path is not None]
    for path in runs:
        if Path(path).is_dir():  # the shell must name its files
            raise InputError.of("cli.run_is_folder", source=path, files=str(Path(path) / "*"))
    if judged is not None and Path(judged).is_dir() and not Path(judged, "qrels").is_dir():
        raise InputError.of("cli.judgments_are_folder", source=judged)
    seeded, folded = list(_several("--seeds", seeds)), list(_several("--folds", folds))
    parts = [file for _, files in (*seeded, *folded) for file in files]
    sources.check_columns(judged, [*runs, *parts], history)
    truth = None if judged is None else sources.judgments(judged)
    read = partial(_run, columns=named_columns(sources.columns), format=sources.run_format)
    systems: list[tuple[str, object]] = [(name, read(path)) for name, path in by_system(runs).items()]
    systems += [(name, _seeds(files, read)) for name, files in seeded]
    systems += [(name, as_folds(*map(read, files))) for name, files in folded]
    if not systems:
        raise InputError.of("cli.nothing_to_compare" if judged is None else "cli.no_run", source=judged, usage=usage)
    return truth, systems


def _run(path: str, columns: Mapping[str, str], format: str | None) -> object:
    """A run, or an evaluation if one is saved under this path."""
    from rankmeter.comparing.systems import saved_or_run
    from rankmeter.inputs.accepting import into_run

    saved = saved_or_run(path)
    return into_run(path, columns=columns, format=format) if saved is path else saved


def units_of(path: str | None) -> tuple[dict[str, str] | None, str]:
    """The unit of each query, and what a unit is called: the header of its column."""
    if path is None:
        return None, "group"
    from rankmeter.inputs.cells import unguarded_frame

    if not Path(path).is_file():
        raise InputError.of("cli.units_missing", source=path)
    try:
        frame = pl.read_csv(path, separator="\t" if ".tsv" in path else ",", infer_schema=False)
        frame = frame if ".tsv" in path else unguarded_frame(frame)
    except pl.exceptions.PolarsError as error:
        raise InputError.of("cli.units_unreadable", source=path, why=str(error)) from error
    if len(frame.columns) != 2 or "query" not in frame.columns:
        raise InputError.of("cli.units_columns", source=path, columns=frame.columns)
    (name,) = (column for column in frame.columns if column != "query")
    unit_of: dict[str, str] = {}
    for query, unit in frame.select("query", name).iter_rows():
        if query is None or unit is None or not unit.strip():
            kind = "cli.units_without_query" if query is None else "cli.units_without_unit"
            raise InputError.of(kind, source=path, name=name, query=query)
        if (first := unit_of.setdefault(query, unit)) != unit:
            raise InputError.of("cli.units_twice", source=path, query=query, first=first, second=unit, name=name)
    return unit_of, name
