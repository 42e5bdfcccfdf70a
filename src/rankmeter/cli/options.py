"""Options that commands share, turned into what the API takes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from rankmeter.cli.parameters import CommaList, Count, Reads, Writes, option
from rankmeter.errors import InputError, MeasureError, did_you_mean
from rankmeter.evaluating.additions import record_beside
from rankmeter.frozen import dataclass
from rankmeter.measures import parse_measures

if TYPE_CHECKING:
    from rankmeter.inputs.tables import Judgments, RunTable

DEFAULT_MEASURES = ("nDCG@10", "AP", "RR")
_NOT_A_NAME = frozenset(
    ".gz .zst .xz .bz2 .run .txt .trec .res .qrels .csv .tsv .json .jsonl .parquet .ipc .arrow .feather".split()
)
"""Endings that tell the format of a file, not the system that made it."""
COLUMNS: dict[str, Any] = {"cls": CommaList, "metavar": "ROLE=NAME,..."}
SEED: dict[str, Any] = {"type": Count(0), "default": 0}
LEVEL = 0.95

level_option = click.option("--level", default=LEVEL)
seed_option = click.option("--seed", **SEED)
csv_or_json = click.option("--format", type=click.Choice(["csv", "json"]), default="csv", help="format-of-table")
measure_option = click.option("-m", "--measure", "measures", multiple=True, metavar="MEASURE")


@dataclass(frozen=True, slots=True)
class JudgmentSources:
    """How judgments are read."""

    columns: str | None = option(**COLUMNS)
    judgments_format: str | None = option(metavar="FORMAT")

    def judgments(self, path: str, dialect: str | None = None) -> Judgments:
        """Read the judgments, which may be those of the tool whose dialect is spoken."""
        from rankmeter.evaluating.evaluation import columns_under
        from rankmeter.inputs.accepting import into_judgments

        columns = columns_under(named_columns(self.columns), dialect)
        return into_judgments(path, columns=columns, format=self.judgments_format)


@dataclass(frozen=True, slots=True)
class Sources(JudgmentSources):
    """How judgments and runs are read."""

    run_format: str | None = option(metavar="FORMAT")

    def check_columns(self, judgments: str | None, runs: Iterable[str], history: str | None = None) -> None:
        """Refuse names of columns that no file has; one file is enough."""
        from rankmeter.inputs.accepting import check_columns_of

        named = named_columns(self.columns) or None
        check_columns_of(named, judgments, *runs, history=history, formats=(self.judgments_format, self.run_format))

    def runs(self, paths: Sequence[str]) -> dict[str, RunTable]:
        """Read whole runs, by the names of their systems."""
        from rankmeter.inputs.accepting import into_run

        named = named_columns(self.columns)
        return {
            name: into_run(path, columns=named, format=self.run_format).run_table()
            for name, path in by_system(paths).items()
        }


@dataclass(frozen=True, slots=True)
class MaybeJudged(Sources):
    """How runs and a catalogue are read, and judgments if there are any."""

    columns: str | None = option(**COLUMNS, help="columns-of-items")
    no_judgments: bool = option(default=False)


@dataclass(frozen=True, slots=True)
class Gates:
    """What fails a pipeline, and where the verdicts go."""

    gates: tuple[str, ...] = option("--fail-if", metavar="CONDITION")
    junit: Path | None = option(type=Writes())
    github_summary: bool = option(default=False)

    def check(self) -> None:
        """Refuse a place for verdicts where there are none."""
        if self.junit is not None and not self.gates:
            raise InputError.of("cli.junit_without_gates")


@dataclass(frozen=True, slots=True)
class CountingOptions:
    """Which queries and which items of a list count."""

    queries: Literal["judged", "common", "run"] | None = option()
    duplicates: Literal["error", "first", "best", "counted"] | None = option()
    calls: str | None = option(metavar="CONVENTION")


@dataclass(frozen=True, slots=True)
class ItemsAndUsers:
    """What is known about items and users beside the judgments."""

    catalogue: str | None = option(type=Reads(), metavar="FILE")
    history: str | None = option(type=Reads(), metavar="FILE")
    by: tuple[str, ...] = option(
        type=Reads(lambda text: (text, text.rpartition(":")[0])), metavar="FILE[:COLUMN]|WORD", default=()
    )
    purpose: Literal["search", "recommendation"] | None = option("--for")
    protocol: str | None = option(type=Reads(), metavar="FILE")
    baselines: str | None = option(metavar="KIND,...")

    def read(self, columns: str | None, judgments: str | None = None) -> dict[str, Any]:
        """The catalogue and the history, read once for all systems; what else the verbs take."""
        known: dict[str, Any] = {"by": list(self.by) or None, "purpose": self.purpose, "baselines": self.baselines}
        known["protocol"] = self.protocol or (judgments if record_beside(judgments) else None)
        of_items = catalogue_columns(columns)
        if of_items and self.catalogue is None:
            raise InputError.of("cli.columns_without_catalogue")
        if self.catalogue is not None or self.history is not None:
            from rankmeter.lists.catalogue import into_catalogue, into_history

            known["catalogue"] = None if self.catalogue is None else into_catalogue(self.catalogue, of_items)
            named = named_columns(columns)
            known["history"] = None if self.history is None else into_history(self.history, columns=named)
        return known


def part_list(_: str, text: str | None) -> list[str]:
    """Read ``age, country``."""
    return [part.strip() for part in (text or "").split(",") if part.strip()]


def refuse_measures(paths: Iterable[str]) -> None:
    """Refuse a measure among the files: its ``-m`` is missing."""
    for path in paths:
        if path == "-" or os.path.exists(path):  # noqa: PTH110 (any text may be typed)
            continue
        with suppress(MeasureError):
            parse_measures(path)
            raise InputError.of("cli.measure_without_m", text=path)


def named_columns(text: str | None) -> dict[str, str]:
    """Read ``item=docid,query=uid`` for ``columns=``, without the columns of the catalogue.

    >>> named_columns("query=uid,run.item=docid_x")
    {'query': 'uid', 'run.item': 'docid_x'}
    """
    from rankmeter.inputs.columns import ROLES, STATEMENTS

    columns: dict[str, str] = {}
    for part, role, column in _typed_parts(text):
        if role.startswith("catalogue.") and column:
            continue  # read by catalogue_columns
        side, dot, bare = role.partition(".")
        known = (*ROLES, *STATEMENTS)
        if not column or (bare if dot and side in ("judgments", "run") else role) not in known:
            hint = did_you_mean(role, ROLES) or None
            raise InputError.of("cli.columns_not_possible", part=part, roles=list(known), hint=hint)
        columns[role] = column
    return columns


def _typed_parts(text: str | None) -> Iterator[tuple[str, str, str]]:
    """The parts of ``item=docid, query=uid``, each with what precedes and follows the equals sign."""
    for part in part_list("", text):
        name, _, value = part.partition("=")
        yield part, name.strip(), value.strip()


def catalogue_columns(text: str | None) -> dict[str, str]:
    """Read the columns of the catalogue from ``--columns``: ``catalogue.features=f1+f2``.

    >>> catalogue_columns("query=uid,catalogue.features=f1+f2,catalogue.values=cost")
    {'features': 'f1+f2', 'values': 'cost'}
    """
    named = {role: column for _, role, column in _typed_parts(text) if role.startswith("catalogue.")}
    if not named:
        return {}
    from rankmeter.lists.catalogue import columns_of_items

    return columns_of_items(named)[1]


def by_system(paths: Sequence[str]) -> dict[str, str]:
    """The path of each run by the name of its system."""
    return dict(zip(system_names(paths), paths, strict=True))


def system_names(paths: Sequence[str]) -> list[str]:
    """A name for each run: the file's name without its endings, with as much of the path as makes it unique.

    >>> system_names(["runs/bm25.run.gz", "runs/dense.v2.txt"])
    ['bm25', 'dense.v2']
    >>> system_names(["monday/bm25.run", "tuesday/bm25.run", "-"])
    ['monday/bm25', 'tuesday/bm25', 'stdin']
    """
    names = [_stem(path) for path in paths]
    longer: list[Callable[[str], str]] = [_with_folder, lambda path: Path(path).name, str]
    for lengthen in longer:
        counts = Counter(names)
        names = [lengthen(path) if counts[name] > 1 else name for name, path in zip(names, paths, strict=True)]
    seen: Counter[str] = Counter()
    numbered = []
    for name in names:
        seen[name] += 1
        numbered.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return numbered


def _stem(path: str) -> str:
    if path == "-":
        return "stdin"
    name = Path(path)
    while name.suffix.lower() in _NOT_A_NAME and name.stem:
        name = name.with_suffix("")
    return name.name or path


def _with_folder(path: str) -> str:
    folder = Path(path).parent.name
    return f"{folder}/{_stem(path)}" if folder else _stem(path)


def pairs(option: str, text: str | None) -> dict[str, str]:
    """Read ``user=visitor,type=action``.

    >>> pairs("--columns", "user=visitor, type=action")
    {'user': 'visitor', 'type': 'action'}
    """
    named: dict[str, str] = {}
    for part, name, value in _typed_parts(text):
        if not (name and value):
            raise InputError.of("cli.not_name_value", option=option, part=part)
        named[name] = value
    return named


def number_list(option: str, text: str | None) -> list[Any] | None:
    """Read ``1,0.62,0.48``; whole numbers stay whole.

    >>> number_list("--cutoffs", "1, 3,5"), number_list("--examination", "1,0.5"), number_list("--cutoffs", None)
    ([1, 3, 5], [1, 0.5], None)
    """
    if text is None:
        return None
    try:
        return [int(part) if part.strip().lstrip("+-").isdecimal() else float(part) for part in text.split(",")]
    except ValueError:
        raise InputError.of("cli.not_numbers", option=option, text=text[:60]) from None


def kinds_of_events(option: str, text: str | None) -> dict[str, list[str]]:
    """Read ``conversion=signup,conversion=order``: several words may stand for one kind of event."""
    words: dict[str, list[str]] = {}
    for part in (text or "").split(","):
        for kind, name in pairs(option, part).items():
            words.setdefault(kind, []).append(name)
    return words


PAIRS: dict[str, Any] = {**COLUMNS, "parse": pairs}
TYPES: dict[str, Any] = {"cls": CommaList, "metavar": "KIND=WORD,...", "parse": kinds_of_events}
NUMBERS: dict[str, Any] = {"cls": CommaList, "metavar": "NUMBER,...", "parse": number_list}
columns_option = click.option("--columns", **PAIRS)
