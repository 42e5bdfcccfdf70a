"""The command that divides interactions."""

from __future__ import annotations

import re
from typing import Any

import click
from click.core import ParameterSource

from rankmeter.cli.bilingual import language_option
from rankmeter.cli.exit_codes import DONE, FAILED
from rankmeter.cli.options import columns_option, seed_option
from rankmeter.cli.output import Answer
from rankmeter.cli.parameters import Count, Reads, Writes, command, takes
from rankmeter.cli.talk import say, tell
from rankmeter.errors import InputError
from rankmeter.inputs.cells import frame_csv
from rankmeter.wording import Language, Option, word


@command()
@click.argument("path", required=False, type=Reads(), metavar="[FILE]")
@click.option("--how", metavar="STRATEGY")
@click.option("--validation", metavar="STRATEGY")
@click.option("--before", multiple=True, metavar="STEP")
@click.option("--after", multiple=True, metavar="STEP")
@click.option("--ties", type=click.Choice(["item", "rows"]), default="item")
@click.option("--whole", type=click.Choice(["session"]))
@seed_option
@columns_option
@click.option("--input-format", metavar="FORMAT")
@click.option("--out", type=Writes(folder=True), metavar="DIR")
@click.option("--parts-format", type=click.Choice(["csv", "jsonl", "parquet"]))
@click.option("--again", "record", type=Reads(), metavar="FILE")
@takes(answer=Answer)
def split(
    path: str | None, out: Any, parts_format: str | None, record: str | None, answer: Answer, **options: Any
) -> int:
    """Divide interactions into train and test."""
    from rankmeter.wings.protocol.split_parts import check_place

    if out is not None:
        check_place(out)
    made, differences = _made(path, record, options)
    written = [] if out is None else made.write(out, format=parts_format or _format_like(made.origins.files))
    if not differences:
        answer.give(made.protocol)
    if not answer.quiet:
        tell([sentence.text(answer.lang) for sentence in differences])
        if written:
            say(word("parts_written", answer.lang, files=len(written), folder=str(out)))
    if record is not None and not answer.quiet and not differences:
        say(word("again_same", answer.lang))
    return FAILED if differences else DONE


def _made(path: str | None, record: str | None, options: dict[str, Any]) -> Any:
    """The parts, and what differs from a record where there is one."""
    from rankmeter.wings.protocol.repeating import again
    from rankmeter.wings.protocol.splitting import split as split_rows

    if record is not None:
        context = click.get_current_context()
        stated = [name for name in options if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
        if stated:
            raise InputError.of("protocol.again_and_more", option=Option(stated[0]))
        return again(record, path)
    if path is None or options["how"] is None:
        raise InputError.of("protocol.nothing_to_split")
    steps: dict[str, Any] = {name: _steps(options.pop(name)) for name in ("before", "after")}
    validation, source_format = options.pop("validation"), options.pop("input_format")
    named = options.pop("columns") or None
    return (
        split_rows(
            path, options.pop("how"), validation=True if validation == "same" else validation, format=source_format,
            columns=named, **steps, **options,
        ),
        [],
    )  # fmt: skip


def _steps(texts: tuple[str, ...]) -> list[str]:
    from rankmeter.wings.protocol.steps import texts_of

    return [step for text in texts for step in texts_of(text)]


def _format_like(files: tuple[str, ...]) -> str:
    """The format of the parts where none is named: that of the input, if it can be."""
    ending = files[0].rpartition(".")[2].lower() if files else ""
    return {"jsonl": "jsonl", "ndjson": "jsonl", "csv": "csv", "tsv": "csv"}.get(
        ending, "parquet" if ending in ("parquet", "pq") else "csv"
    )


@command()
@click.argument("train", type=Reads())
@click.option("--kind", "kinds", multiple=True, metavar="KIND")
@click.option("--users", type=Reads(), metavar="FILE")
@click.option("--segments", type=Reads(), metavar="FILE")
@click.option("-k", "k", type=Count(1), default=100)
@click.option("--seen", type=click.Choice(["removed", "kept"]), default="removed")
@seed_option
@columns_option
@language_option
@click.option("--out", type=Writes(folder=True), metavar="DIR", required=True)
def baselines(
    train: str,
    kinds: tuple[str, ...],
    users: str | None,
    segments: str | None,
    columns: Any,
    lang: Language,
    out: Any,
    **options: Any,
) -> None:
    """Lists that any model should beat."""
    from rankmeter.whole_files import make_folder, write_text
    from rankmeter.wings.protocol.baselines import baselines as lists_of
    from rankmeter.wings.protocol.interactions import read_interactions
    from rankmeter.wings.protocol.split_parts import check_place

    place = check_place(out)
    asked = None
    if users is not None:
        table, _ = read_interactions(users, columns=columns or None)
        asked = table.user.id_of(sorted({*table.user.codes.tolist()}))
    named = None if segments is None else _segments(segments)
    kinds_asked = _steps(kinds) or ("popular", "random")
    runs = lists_of(train, asked, kinds=kinds_asked, segments=named, columns=columns or None, **options)
    make_folder(place)
    for kind, run in runs.items():
        write_text(place / f"{file_name(kind)}.csv", frame_csv(run))
    say(word("parts_written", lang, files=len(runs), folder=str(out)))


def _segments(path: str) -> dict[Any, Any]:
    """The segment of each user, from a file with a row each."""
    from rankmeter.inputs.attributes import find_roles, read_table
    from rankmeter.wings.protocol.interactions import ROLES

    table = read_table(path, "segments")
    names = {"user": ROLES["user"], "segment": ("segment", "group", "cluster")}
    roles = find_roles(table.columns, names, {}, path, needed=("user", "segment"))
    return dict(table.select(roles["user"], roles["segment"]).iter_rows())


def file_name(kind: str) -> str:
    """A kind of baseline as the name of a file.

    >>> file_name("popular(rows,window=30d)")
    'popular-rows-window-30d'
    """
    return re.sub(r"[^A-Za-z0-9_]+", "-", kind).strip("-")


@command()
@click.argument("train", type=Reads())
@click.argument("test", type=Reads())
@columns_option
@takes(answer=Answer)
def protocol(train: str, test: str, columns: Any, answer: Answer) -> None:
    """What two parts tell of how they were made."""
    from rankmeter.wings.protocol.looking import protocol_of

    answer.give(protocol_of(train, test, columns=columns or None))
