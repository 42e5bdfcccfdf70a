"""Options that commands share, turned into what the API takes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import click

from rankmeter.cli.bilingual import LANG
from rankmeter.cli.parameters import CommaList, Count, Reads, Writes, WritesEach, flag, format_asked, option
from rankmeter.cli.talk import echo, say, tell
from rankmeter.errors import InputError, did_you_mean
from rankmeter.frozen import dataclass
from rankmeter.whole_files import write_text
from rankmeter.wording import Language, word

if TYPE_CHECKING:
    from rankmeter.inputs.tables import Judgments, RunTable
    from rankmeter.late import pl
    from rankmeter.showing.document import Table
    from rankmeter.showing.showable import Showable, ShownAsTable, ToldTable
    from rankmeter.wording import Said

_NOT_A_NAME = frozenset(
    ".gz .zst .xz .bz2 .run .txt .trec .res .qrels .csv .tsv .json .jsonl .parquet .ipc .arrow .feather".split()
)
"""Endings that tell the format of a file, not the system that made it."""

_SIDES = ("judgments", "run")
OutputFormat = Literal["table", "json", "csv", "markdown", "latex"]
FORMATS: tuple[OutputFormat, ...] = get_args(OutputFormat)


_UNRECOGNISED = "Name columns that are not recognised"
_OF_BOTH = "query, item, score, rank, grade; run.item= and judgments.item= name those of one file only"


def _columns_field(roles: str) -> Any:
    """The field of a group that names columns of judgments and runs."""
    text = f"{_UNRECOGNISED}: item=docid_x,query=uid. Roles: {roles}."
    return option("--columns", cls=CommaList, metavar="ROLE=NAME,...", help=text)


@dataclass(frozen=True, slots=True)
class JudgmentSources:
    """How judgments are read."""

    columns: str | None = _columns_field("query, item, grade")
    judgments_format: str | None = option(
        "--judgments-format", metavar="FORMAT",
        help="Format of the judgments: trec, labelled, csv, tsv, json, jsonl, parquet, ipc ... Default: recognised "
        "from the content.",
    )  # fmt: skip

    def judgments(self, path: str) -> Judgments:
        """Read the judgments."""
        from rankmeter.inputs.accepting import into_judgments

        return into_judgments(path, columns=named_columns(self.columns), format=self.judgments_format)


@dataclass(frozen=True, slots=True)
class Sources(JudgmentSources):
    """How judgments and runs are read."""

    columns: str | None = _columns_field(_OF_BOTH)
    run_format: str | None = option(
        "--run-format", metavar="FORMAT", help="Format of the runs. Default: recognised from the content."
    )

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
            for name, path in zip(system_names(paths), paths, strict=True)
        }


@dataclass(frozen=True, slots=True)
class MaybeJudged(Sources):
    """How runs and a catalogue are read, and judgments if there are any."""

    columns: str | None = _columns_field(
        f"{_OF_BOTH}, catalogue.features=f1+f2 (or f*), catalogue.values= ... those of --catalogue"
    )
    no_judgments: bool = flag(
        "--no-judgments", help="All files are runs: for measures of lists that need no judgments, such as Coverage@10."
    )


@dataclass(frozen=True, slots=True)
class CountingOptions:
    """Which queries and which items of a list count."""

    queries: Literal["judged", "common", "run"] | None = option(
        "--queries",
        help="Which queries are averaged. judged (default): all judged queries; one absent from the run counts as an "
        "empty list. common: those that are judged and in the run. run: all queries of the run.",
    )  # fmt: skip
    duplicates: Literal["error", "first", "best", "counted"] | None = option(
        "--duplicates", help="How to treat an item that a list contains twice. Default: error."
    )


@dataclass(frozen=True, slots=True)
class ItemsAndUsers:
    """What is known about items and users beside the judgments."""

    catalogue: str | None = option(
        "--catalogue", type=Reads(), metavar="FILE",
        help="Table of the items that could be recommended, for measures of lists; it has an item column and, where "
        "measures ask for them, popularity, categories, features, price, margin, group.",
    )  # fmt: skip
    history: str | None = option(
        "--history", type=Reads(), metavar="FILE", help="Table of what users consumed before (user, item)."
    )
    by: tuple[str, ...] = option(
        "--by", type=Reads(lambda text: (text, text.rpartition(":")[0])), multiple=True, metavar="FILE[:COLUMN]|WORD",
        help="Also show slices: by a table with a row per query, by activity, cold-users, popularity, cold-items or "
        "group, or by a column of the catalogue.",
    )  # fmt: skip
    purpose: Literal["search", "recommendation"] | None = option(
        "--for",
        help="What the lists are for. recommendation speaks of users and held-out items, not of unjudged items. "
        "Default: inferred from the columns (user) or a history.",
    )  # fmt: skip


def assisted_option() -> Any:
    """The field of a group for machine judgments."""
    return option(
        "--assisted-by", type=Reads(), metavar="FILE",
        help="Machine judgments for all queries, when JUDGMENTS are human judgments for a random sample of them: adds "
        "values estimated from both, with valid intervals, beside those of people alone and of the machine alone.",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Assisting:
    """Machine judgments for all queries, when people judged a sample."""

    assisted_by: str | None = assisted_option()
    needed: float | None = option(
        "--needed", type=float, metavar="HALF_WIDTH",
        help="With --assisted-by: say how many queries people must judge for an interval of +- HALF_WIDTH.",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Delivery:
    """Where the numbers go, and whether anything else is printed."""

    output: Path | None = option("--output", type=Writes(), help="Write the numbers to this file.")
    quiet: bool = flag("-q", "--quiet", help="Print the numbers only, without comments.")

    def deliver(self, text: str) -> None:
        """Write the numbers to the file, or print them."""
        if self.output is None:
            echo(text)
        else:
            write_text(self.output, text)

    def deliver_frame(self, frame: pl.DataFrame, format: str) -> None:
        """Write or print a table as CSV or JSON."""
        if format == "json":
            self.deliver(json.dumps(frame.to_dicts(), indent=2, ensure_ascii=False) + "\n")
            return
        from rankmeter.inputs.cells import frame_csv

        self.deliver(frame_csv(frame))

    def say_where(self, lang: Language) -> None:
        """Print which file the numbers went to."""
        if self.output is not None and not self.quiet:
            say(word("written_to", lang, place=str(self.output)))


@dataclass(frozen=True, slots=True)
class Showing(Delivery):
    """How the numbers of evaluations are shown and saved."""

    per_query: bool = flag("--per-query", help="Show the value of every query.")
    interval: bool = flag(
        "--interval",
        help="Add 95% confidence intervals over queries; with --by also how far each slice is from the rest.",
    )  # fmt: skip
    digits: int | None = option(
        "--digits", type=click.IntRange(0, 17), metavar="NUMBER",
        help="Digits after the decimal point. Default: 4; all in csv and json; 5 for the three lines of --labelled.",
    )  # fmt: skip
    save: str | None = option(
        "--save", type=WritesEach(), metavar="FILE",
        help="Save everything as Parquet for later (Evaluation.load); several runs need a file each: "
        "--save '{run}.parquet'.",
    )  # fmt: skip
    format: OutputFormat | None = option(
        "--format", type=click.Choice(FORMATS),
        help="Format of the numbers. Default: table, or by the ending of --output.",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer(Delivery):
    """How a result is printed that has both a document and a table: in which language and format, and where."""

    lang: Language = field(default="en", metadata={"option": (("--lang",), LANG)})
    format: str | None = option(
        "--format", type=click.Choice(["table", "json", "csv", "markdown", "html"]),
        help="Format of the numbers. Default: table, or by the ending of --output.",
    )  # fmt: skip

    def give(self, result: ShownAsTable) -> None:
        """Write or print the whole document of a result."""
        from rankmeter.cli.output import deliver_shown

        deliver_shown(result, self.format, self, self.lang)
        self.say_where(self.lang)

    def give_tables(self, result: ShownAsTable, tables: Sequence[Table], sentences: Sequence[Said]) -> None:
        """Write or print the tables of a result, and its sentences on standard error."""
        from rankmeter.cli.output import deliver_shown, deliver_tables

        if not self.quiet:
            tell([sentence.text(self.lang) for sentence in sentences])
        if format_asked(self.format, self.output) == "table":
            deliver_tables(tables, self, self.lang)
        else:
            deliver_shown(result, self.format, self, self.lang)
        self.say_where(self.lang)

    def tell(self, result: ToldTable) -> None:
        """Write or print the table of a result, and its sentences on standard error."""
        self.give_tables(result, [result.table(self.lang)], result.sentences())


@dataclass(frozen=True, slots=True)
class TextAnswer:
    """How a result for reading is printed: in which language, as text, Markdown, a page or data."""

    lang: Language = field(default="en", metadata={"option": (("--lang",), LANG)})
    format: Literal["text", "markdown", "html", "json"] = option("--format", default="text", help="Format of the text.")

    def text_of(self, result: Showable) -> str:
        """The result in the chosen format; text fits the terminal."""
        from rankmeter.cli.output import shown_text

        return shown_text(result, self.format, self.lang)

    def give(self, result: Showable) -> None:
        """Print a result."""
        echo(self.text_of(result))


SEED: dict[str, Any] = {"type": Count(0), "default": 0, "show_default": True, "help": "Seed for all random draws."}
LEVEL: dict[str, Any] = {"type": float, "default": 0.95, "show_default": True, "help": "Level of the intervals."}
seed_option = click.option("--seed", **SEED)
level_option = click.option("--level", **LEVEL)
csv_or_json = click.option(
    "--format", "format_", type=click.Choice(["csv", "json"]), default="csv", show_default=True,
    help="Format of the table.",
)  # fmt: skip
table_or_json = click.option(
    "--format", "format_", type=click.Choice(["table", "json"]), default="table", show_default=True,
    help="Format of the list.",
)  # fmt: skip


def measure_option(help: str, **settings: Any) -> Callable[[Any], Any]:
    """The option that names measures."""
    return click.option("-m", "--measure", "measures", multiple=True, metavar="MEASURE", help=help, **settings)


def columns_option(which: str) -> Callable[[Any], Any]:
    """The option that names columns of a log or a table; ``which`` ends its help: ``: user=visitor``."""
    return click.option("--columns", cls=CommaList, metavar="ROLE=NAME,...", help=f"{_UNRECOGNISED}{which}.")


def named_columns(text: str | None) -> dict[str, str]:
    """Read ``item=docid,query=uid`` for ``columns=``, without the columns of the catalogue.

    Examples
    --------
    >>> named_columns("query=uid,run.item=docid_x")
    {'query': 'uid', 'run.item': 'docid_x'}
    """
    from rankmeter.inputs.columns import ROLES, STATEMENTS

    columns: dict[str, str] = {}
    for part, role, column in _parts(text):
        if role.startswith("catalogue.") and column:
            continue  # read by catalogue_columns
        side, dot, bare = role.partition(".")
        known = (*ROLES, *STATEMENTS)
        if not column or (bare if dot and side in _SIDES else role) not in known:
            hint = did_you_mean(role, ROLES) or None
            raise InputError.of("cli.columns_not_possible", part=part, roles=list(known), hint=hint)
        columns[role] = column
    return columns


def _parts(text: str | None) -> Iterator[tuple[str, str, str]]:
    """The parts of ``item=docid, query=uid``, each with what precedes and follows the equals sign."""
    for part in filter(None, map(str.strip, (text or "").split(","))):
        name, _, value = part.partition("=")
        yield part, name.strip(), value.strip()


def catalogue_columns(text: str | None) -> dict[str, str]:
    """Read the columns of the catalogue from ``--columns``: ``catalogue.features=f1+f2``.

    Examples
    --------
    >>> catalogue_columns("query=uid,catalogue.features=f1+f2,catalogue.values=cost")
    {'features': 'f1+f2', 'values': 'cost'}
    """
    named = {role: column for _, role, column in _parts(text) if role.startswith("catalogue.")}
    if not named:
        return {}
    from rankmeter.lists.catalogue import columns_of_items

    return columns_of_items(named)[1]


def system_names(paths: Sequence[str]) -> list[str]:
    """A name for each run: the file's name without its endings, with as much of the path as makes it unique.

    Examples
    --------
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

    Examples
    --------
    >>> pairs("--columns", "user=visitor, type=action")
    {'user': 'visitor', 'type': 'action'}
    """
    named: dict[str, str] = {}
    for part, name, value in _parts(text):
        if not (name and value):
            raise InputError.of("cli.not_name_value", option=option, part=part)
        named[name] = value
    return named


def numbers(option: str, text: str | None) -> list[Any] | None:
    """Read ``1,0.62,0.48``; whole numbers stay whole.

    >>> numbers("--cutoffs", "1, 3,5"), numbers("--examination", "1,0.5"), numbers("--cutoffs", None)
    ([1, 3, 5], [1, 0.5], None)
    """
    if text is None:
        return None
    try:
        return [int(part) if part.strip().lstrip("+-").isdecimal() else float(part) for part in text.split(",")]
    except ValueError:
        raise InputError.of("judging.not_numbers", option=option, text=text[:60]) from None


def kinds_of_events(text: str | None) -> dict[str, list[str]]:
    """Read ``conversion=signup,conversion=order``: several words may stand for one kind of event."""
    words: dict[str, list[str]] = {}
    for part in (text or "").split(","):
        for kind, name in pairs("--types", part).items():
            words.setdefault(kind, []).append(name)
    return words
