"""What is typed on the command line, turned into what the API takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import click

from rankmeter.cli.parameters import Reads, Writes, WritesEach, flag, format_asked, option
from rankmeter.cli.talk import LANG, echo, say, tell
from rankmeter.errors import InputError, did_you_mean
from rankmeter.frozen import dataclass
from rankmeter.whole_files import write_text
from rankmeter.wording import Language, word

if TYPE_CHECKING:
    from rankmeter.inputs import AnyJudgments
    from rankmeter.inputs.tables import RunTable
    from rankmeter.showing.document import Table
    from rankmeter.showing.showable import Showable, ShownAsTable, ToldTable
    from rankmeter.wording import Said

_NOT_A_NAME = frozenset(
    ".gz .zst .xz .bz2 .run .txt .trec .res .qrels .csv .tsv .json .jsonl .parquet .ipc .arrow .feather".split()
)
"""Endings that say how a file is written, not which system made it."""

_SIDES = ("judgments", "run")
OutputFormat = Literal["table", "json", "csv", "markdown", "latex"]
FORMATS: tuple[OutputFormat, ...] = get_args(OutputFormat)


@dataclass(frozen=True, slots=True)
class Sources:
    """How judgments and runs are read."""

    columns: str | None = option(
        "--columns", metavar="ROLE=NAME,...",
        help="Name columns that are not recognised: item=docid_x,query=uid. Roles: query, item, score, rank, "
        "grade; run.item= and judgments.item= name those of one file only, catalogue.features=f1+f2 (or f*), "
        "catalogue.values= ... those of --catalogue.",
    )  # fmt: skip
    judgments_format: str | None = option(
        "--judgments-format", metavar="FORMAT",
        help="Format of the judgments: trec, labelled, csv, tsv, json, jsonl, parquet, ipc ... Default: recognised "
        "from the content.",
    )  # fmt: skip
    run_format: str | None = option(
        "--run-format", metavar="FORMAT", help="Format of the runs. Default: recognised from the content."
    )

    def check_columns(self, judgments: str | None, runs: Iterable[str], history: str | None = None) -> None:
        """Refuse names of columns that no file has; those of one file alone may be named for it."""
        from rankmeter.inputs import check_columns_of

        named = named_columns(self.columns) or None
        check_columns_of(named, judgments, *runs, history=history, formats=(self.judgments_format, self.run_format))

    def judgments(self, path: str) -> AnyJudgments:
        """Read the judgments."""
        from rankmeter.inputs import into_judgments

        named, _ = parse_columns(self.columns)
        return into_judgments(path, columns=named, format=self.judgments_format)

    def runs(self, paths: Sequence[str]) -> dict[str, RunTable]:
        """Read runs whole, by the names of their systems."""
        from rankmeter.inputs.files import columns_in, read_run

        _, named = parse_columns(self.columns)
        return {
            name: read_run(path, columns=columns_in([path], self.run_format, named), format=self.run_format)
            for name, path in zip(system_names(paths), paths, strict=True)
        }


@dataclass(frozen=True, slots=True)
class MaybeJudged(Sources):
    """How runs are read, and judgments where there are any."""

    no_judgments: bool = flag(
        "--no-judgments", help="All files are runs: for measures of lists that need no judgments, such as Coverage@10."
    )


@dataclass(frozen=True, slots=True)
class CountingOptions:
    """Which queries and which items of a list count."""

    queries: Literal["judged", "common", "run"] | None = option(
        "--queries",
        help="Whose values are averaged. judged (default): all judged queries, one absent from the run counts as an "
        "empty list. common: those judged and run. run: all of the run.",
    )  # fmt: skip
    duplicates: Literal["error", "first", "best", "counted"] | None = option(
        "--duplicates", help="What to do with an item that a list holds twice. Default: error."
    )


@dataclass(frozen=True, slots=True)
class ItemsAndUsers:
    """What is known of items and users beside the judgments."""

    catalogue: str | None = option(
        "--catalogue", type=Reads(), metavar="FILE",
        help="The items that could be recommended, for measures of lists: a table with an item column and, where "
        "measures ask for them, popularity, categories, features, price, margin, group.",
    )  # fmt: skip
    history: str | None = option(
        "--history", type=Reads(), metavar="FILE", help="What users consumed before: interactions (user, item)."
    )
    by: tuple[str, ...] = option(
        "--by", type=Reads(lambda text: (text, text.rpartition(":")[0])), multiple=True, metavar="FILE[:COLUMN]|WORD",
        help="Also show each slice: a table with a row per query, or activity, cold-users, popularity, cold-items, "
        "group, or a column of the catalogue.",
    )  # fmt: skip
    purpose: Literal["search", "recommendation"] | None = option(
        "--for",
        help="What the lists are for. recommendation: users and held-out items, nothing is said of unjudged ones. "
        "Default: what the columns (user) or a history say.",
    )  # fmt: skip


def assisted_option() -> Any:
    """The field of a group that names the judgments of a machine."""
    return option(
        "--assisted-by", type=Reads(), metavar="FILE",
        help="Judgments of a machine for all queries, where JUDGMENTS are those of people for some that were drawn at "
        "random: adds values from both together, with intervals that hold, beside people alone and machine alone.",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Assisting:
    """What a machine judged, where people judged a part of it."""

    assisted_by: str | None = assisted_option()
    needed: float | None = option(
        "--needed", type=float, metavar="HALF_WIDTH",
        help="With --assisted-by: say how many queries people have to judge for an interval of +- this.",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Delivery:
    """Where the numbers go, and whether anything else is said."""

    output: Path | None = option("--output", type=Writes(), help="Write the numbers to this file.")
    quiet: bool = flag("-q", "--quiet", help="Print the numbers only, without comments.")

    def deliver(self, text: str) -> None:
        """Write the numbers to the file, or print them."""
        if self.output is None:
            echo(text)
        else:
            write_text(self.output, text)

    def say_where(self, lang: Language) -> None:
        """Say to which file the numbers went."""
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
        "--digits", type=click.IntRange(0, 17),
        help="Digits after the decimal point. Default: 4; all in csv and json; 5 for the three lines of --labelled.",
    )  # fmt: skip
    save: str | None = option(
        "--save", type=WritesEach(), metavar="FILE",
        help="Save everything as Parquet for later (Evaluation.load); of several runs into files: "
        "--save '{run}.parquet'.",
    )  # fmt: skip
    format: OutputFormat | None = option(
        "--format", type=click.Choice(FORMATS),
        help="Format of the numbers. Default: table, or what the ending of --output says.",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer(Delivery):
    """How a result that shows itself, and is a table too, is given: in which language and format, and where."""

    lang: Language = field(default="en", metadata={"option": (("--lang",), LANG)})
    format: str | None = option(
        "--format", type=click.Choice(["table", "json", "csv", "markdown", "html"]),
        help="Format of the numbers. Default: table, or what the ending of --output says.",
    )  # fmt: skip

    def give(self, result: ShownAsTable) -> None:
        """Write or print the whole document of a result."""
        from rankmeter.cli.output import deliver_shown

        deliver_shown(result, self.format, self, self.lang)
        self.say_where(self.lang)

    def give_tables(self, result: ShownAsTable, tables: Sequence[Table], sentences: Sequence[Said]) -> None:
        """Write or print the tables of a result, and tell what belongs to them on standard error."""
        from rankmeter.cli.output import deliver_shown, deliver_tables

        if not self.quiet:
            tell([sentence.text(self.lang) for sentence in sentences])
        if format_asked(self.format, self.output) == "table":
            deliver_tables(tables, self, self.lang)
        else:
            deliver_shown(result, self.format, self, self.lang)
        self.say_where(self.lang)

    def tell(self, result: ToldTable) -> None:
        """Write or print the table of a result, and tell what belongs to it."""
        self.give_tables(result, [result.table(self.lang)], result.sentences())


@dataclass(frozen=True, slots=True)
class TextAnswer:
    """How a result that is read is given: in which language, as text, Markdown, a page or data."""

    lang: Language = field(default="en", metadata={"option": (("--lang",), LANG)})
    format: Literal["text", "markdown", "html", "json"] = option("--format", default="text", help="Format of the text.")

    def text_of(self, result: Showable) -> str:
        """The result; as text it fits the terminal."""
        from rankmeter.cli.output import shown_text

        return shown_text(result, self.format, self.lang)

    def give(self, result: Showable) -> None:
        """Print a result."""
        echo(self.text_of(result))


def format_option(*formats: str, default: str | None = None) -> Callable[[Any], Any]:
    """The option that says how numbers are written."""
    text = f"Format of the numbers. Default: {default or 'table, or what the ending of --output says'}."
    return click.option("--format", "format_", type=click.Choice(formats), default=default, help=text)


def columns_option(example: str) -> Callable[[Any], Any]:
    """The option that names columns of a log or a table of labels."""
    return click.option("--columns", metavar="ROLE=NAME,...", help=f"Name columns that are not recognised: {example}.")


def seed_option(function: Any) -> Any:
    """The option that makes random numbers the same again."""
    return click.option(
        "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed for all random draws."
    )(function)


def level_option(function: Any) -> Any:
    """The option that says how sure an interval is."""
    return click.option("--level", type=float, default=0.95, show_default=True, help="Level of the intervals.")(
        function
    )


def parse_columns(text: str | None) -> tuple[dict[str, str], dict[str, str]]:
    """Read ``item=docid,query=uid`` for the judgments and for the run; ``run.item=docid`` is for the run alone.

    Examples
    --------
    >>> parse_columns("query=uid,run.item=docid_x")
    ({'query': 'uid'}, {'query': 'uid', 'item': 'docid_x'})
    """
    from rankmeter.inputs.columns import columns_of

    columns = named_columns(text)
    return columns_of(columns, "judgments") or {}, columns_of(columns, "run") or {}


def named_columns(text: str | None) -> dict[str, str]:
    """Read ``item=docid,query=uid``, as ``columns=`` takes it.

    Examples
    --------
    >>> named_columns("query=uid,run.item=docid_x")
    {'query': 'uid', 'run.item': 'docid_x'}
    """
    from rankmeter.inputs.columns import ROLES, STATEMENTS

    columns: dict[str, str] = {}
    for part in (text or "").split(","):
        if not part.strip():
            continue
        role, equals, column = (piece.strip() for piece in part.partition("="))
        if role.startswith("catalogue.") and equals and column:
            continue  # read by catalogue_columns
        side, dot, bare = role.partition(".")
        known = (*ROLES, *STATEMENTS)
        if not equals or not column or (bare if dot and side in _SIDES else role) not in known:
            hint = did_you_mean(role, ROLES) or None
            raise InputError.of("cli.columns_not_possible", part=part.strip(), roles=list(known), hint=hint)
        columns[role] = column
    return columns


def catalogue_columns(text: str | None) -> dict[str, str]:
    """Read what ``--columns`` says of the catalogue: ``catalogue.features=f1+f2``.

    Examples
    --------
    >>> catalogue_columns("query=uid,catalogue.features=f1+f2,catalogue.values=cost")
    {'features': 'f1+f2', 'values': 'cost'}
    """
    parts = [part.strip() for part in (text or "").split(",")]
    named = {role.strip(): column.strip() for role, _, column in (part.partition("=") for part in parts)}
    mine = {role: column for role, column in named.items() if role.startswith("catalogue.")}
    if not mine:
        return {}
    from rankmeter.lists.catalogue import columns_of_items

    return columns_of_items(mine)[1]


def system_names(paths: Sequence[str]) -> list[str]:
    """A name for each run: the file's name without its endings, with as much more as makes it unlike the others.

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
    for part in (text or "").split(","):
        if not part.strip():
            continue
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (name and equals and value):
            raise InputError.of("cli.not_name_value", option=option, part=part.strip())
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
    """Several words may stand for one kind: ``conversion=signup,conversion=order``."""
    words: dict[str, list[str]] = {}
    for part in (text or "").split(","):
        for kind, name in pairs("--types", part).items():
            words.setdefault(kind, []).append(name)
    return words
