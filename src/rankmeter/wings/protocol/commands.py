"""The command that divides interactions."""

from __future__ import annotations

from typing import Any

import click

from rankmeter.cli.options import columns_option, seed_option
from rankmeter.cli.output import Answer
from rankmeter.cli.parameters import Reads, Writes, command, takes
from rankmeter.cli.talk import say, tell
from rankmeter.errors import InputError
from rankmeter.wording import word


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
) -> None:
    """Divide interactions into train and test."""
    from rankmeter.wings.protocol.split_parts import check_place

    if out is not None:
        check_place(out)
    made, differences = _made(path, record, options)
    if not differences:
        answer.give(made.protocol)
    if differences and not answer.quiet:
        tell([sentence.text(answer.lang) for sentence in differences])
    if out is not None:
        written = made.write(out, format=parts_format or _format_like(made.origins.files))
        if not answer.quiet:
            say(word("parts_written", answer.lang, files=len(written), folder=str(out)))
    if record is not None and not answer.quiet and not differences:
        say(word("again_same", answer.lang))
    if differences:
        raise SystemExit(1)


def _made(path: str | None, record: str | None, options: dict[str, Any]) -> Any:
    """The parts, and what differs from a record where there is one."""
    from rankmeter.wings.protocol.repeating import again
    from rankmeter.wings.protocol.splitting import split as split_rows

    if record is not None:
        if options["how"] is not None:
            raise InputError.of("protocol.again_and_how")
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
