"""``rankmeter online``: what users did, from a log of events."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import click

from rankmeter.cli.options import pairs
from rankmeter.cli.talk import echo, examples, language_option, say, tell
from rankmeter.cli.writing import format_of
from rankmeter.errors import InputError, NotFoundError, did_you_mean, with_hint
from rankmeter.inputs.spreadsheets import frame_csv
from rankmeter.measures import into_measures, split_measures
from rankmeter.measures.prose import Language
from rankmeter.report.tables import Cell, Table, definition_lines, to_markdown, to_text
from rankmeter.whole_files import check_writable, write_text
from rankmeter.wording import Said, exact_percent, said, word

if TYPE_CHECKING:
    from rankmeter.online import Experiment, OnlineEvaluation
    from rankmeter.online.trial import Effect

OutputFormat = Literal["table", "json", "csv", "markdown"]
FORMATS: tuple[OutputFormat, ...] = get_args(OutputFormat)
GATE_FAILED = 1


@click.command(
    "online",
    epilog=examples(
        "rankmeter online events.csv -m CTR -m CVR -m SessionDuration",
        "rankmeter online visits.csv -m 'CTR(per=request)@5' --by variant --columns user=visitor,type=action",
        "rankmeter online events.csv --experiment --control A --report online.html",
        "rankmeter online events.csv --experiment --start 2026-03-01 --segments country",
        "rankmeter online 'log/*.parquet' -m CTR --types conversion=signup --format json > online.json",
        "rankmeter online sums.csv --sums --control A",
        "rankmeter online events.csv --position-bias",
        "rankmeter online events.csv --control A --lang zh",
    ),
)
@click.argument("events", metavar="EVENTS")
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="MEASURE",
    help="A measure, or several: CTR 'CVR(per=user) SessionDuration(gap=15)'. Default: CTR, CVR, SessionDuration.",
)  # fmt: skip
@click.option("--by", metavar="COLUMN", help="A row for each value of this column; `variant` and `segment` are found.")
@click.option(
    "--unit", type=click.Choice(["user", "session", "request"]), default="user", show_default=True,
    help="What was randomised, or what is independent; intervals are about it.",
)  # fmt: skip
@click.option("--experiment", is_flag=True, help="Compare variants: sample ratio first, then differences.")
@click.option("--control", metavar="VARIANT", help="The variant to compare with; implies --experiment.")
@click.option("--ratios", metavar="NAME=RATIO,...", help="How units were meant to be split: A=9,B=1. Default: equally.")
@click.option(
    "--start", metavar="TIME",
    help="When the experiment began; earlier events reduce the variance (CUPED). Implies --experiment.",
)  # fmt: skip
@click.option("--segments", metavar="COLUMN", help="Also the differences within each value of this column.")
@click.option(
    "--correction", type=click.Choice(["holm", "hochberg", "bonferroni", "bh", "by", "none"]), default="holm",
    show_default=True,
    help="For the number of differences looked at.",
)  # fmt: skip
@click.option(
    "--position-bias", is_flag=True, help="Instead: how much each position is looked at, apart from what stands there."
)
@click.option("--sums", is_flag=True, help="EVENTS is a table of sums, a row per variant and measure, not a log.")
@click.option(
    "--resamples", type=click.IntRange(0), default=0,
    help="Intervals by so many resamples of units instead of the delta method.",
)  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Of the resampling.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Of the intervals.")
@click.option(
    "--bots", type=click.Choice(["keep", "drop"]), default="keep", show_default=True,
    help="Users who do more in an hour than a person does.",
)  # fmt: skip
@click.option(
    "--crossed", type=click.Choice(["drop", "first"]), default="drop", show_default=True,
    help="Units seen in two variants: left out, or counted in the first.",
)  # fmt: skip
@click.option("--power", type=float, default=0.8, show_default=True, help="Of the least detectable difference.")
@click.option("--columns", metavar="ROLE=NAME,...", help="Where columns have unusual names: user=visitor,type=action.")
@click.option("--types", metavar="KIND=WORD,...", help="What the log calls an event: conversion=signup,click=open.")
@click.option(
    "--events-format", metavar="FORMAT", help="csv, tsv, json, jsonl, parquet, ipc. Default: told by content."
)
@click.option("--report", type=click.Path(path_type=Path), help="Write a report to this HTML file, complete in itself.")
@language_option
@click.option(
    "--format", "format_", type=click.Choice(FORMATS),
    help="Default: table, or what the ending of --output says (.json, .csv, .md).",
)  # fmt: skip
@click.option("--output", type=click.Path(path_type=Path), help="Write the numbers to this file, whole or not at all.")
@click.option("-q", "--quiet", is_flag=True, help="Only the numbers, no talk.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    events: str,
    measures: tuple[str, ...],
    experiment: bool,
    control: str | None,
    sums: bool,
    position_bias: bool,
    report: Path | None,
    format_: OutputFormat | None,
    output: Path | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Measure what users did: click-through rate, conversion rate, session duration, from a log of EVENTS.

    A log has a row per event: time, user, type (impression, click, conversion or anything else), and where it has them
    request, item, position, session, value, variant. It is a file (Parquet, CSV, TSV, JSON, JSON lines, Arrow IPC), a
    folder or pattern of Parquet files, or `-` for standard input. OpenSearch UBI and GA4 exports are recognised. What
    is odd in the log is counted and said on standard error, with the rule that dealt with it.

    With --experiment the exit status is 1 where the sample ratio is broken: no difference can then be trusted.
    """
    for path in (report, output):
        if path is not None:
            check_writable(path)
    chosen = format_ or format_of(output, FORMATS)
    if report is not None:
        from rankmeter.report.extra import need_report_extra

        need_report_extra()
    compares = experiment or sums or any((control, options["start"], options["segments"], options["ratios"]))
    if position_bias:
        if compares or measures or report is not None or options["by"]:
            raise InputError("--position-bias stands alone: without measures, groups, an experiment or a report.")
        _position_bias(events, chosen, output, quiet, options)
        return
    asked = [one for text in measures for one in split_measures(text)] or None
    result = _experiment(events, asked, control, sums, options) if compares else _evaluate(events, asked, options)
    lang: Language = options["lang"]
    text = _text(result, chosen, lang)
    if report is not None:
        from rankmeter.report.online import online_report

        write_text(report, online_report(result, lang=lang))
    if output is not None:
        write_text(output, text)
    else:
        echo(text)
    if not quiet:
        told = [one.text(lang) for one in [*result.sentences(), *_why_beside(result, asked)]]
        tell([*told, *definition_lines(result.measures, lang)])
        if report is not None:
            say(word("report_is_in", lang, path=str(report)))
    if not getattr(result, "is_sound", True):
        ctx.exit(GATE_FAILED)


def _why_beside(result: OnlineEvaluation | Experiment, asked: list[str] | None) -> list[Said]:
    """Why a number is shown that was not asked for."""
    wanted = into_measures(asked) if asked else ()
    names = {type(one).name for one in result.measures}
    if "CVR" not in names or not any(type(one).name == "Conversions" and one not in wanted for one in result.measures):
        return []
    return [said("conversions_beside")]


def _position_bias(
    events: str, chosen: OutputFormat, output: Path | None, quiet: bool, options: dict[str, Any]
) -> None:
    from rankmeter import online

    found = online.position_bias(
        events, level=options["level"], resamples=options["resamples"] or 200, seed=options["seed"],
        columns=pairs("--columns", options["columns"]), types=_types(options["types"]),
        format=options["events_format"],
    )  # fmt: skip
    lang: Language = options["lang"]
    if chosen == "json":
        text = found.to_json() + "\n"
    elif chosen == "csv":
        text = frame_csv(found.to_polars())
    else:
        level = exact_percent(found.level)
        head = (word("online_position", lang), word("bias_impressions", lang), "CTR",
                word("bias_examination", lang, level=level), word("bias_shared", lang))  # fmt: skip
        rows = [
            [str(one.position), f"{one.impressions:,}", f"{one.rate:.4f}",
             one.looked_at, f"{one.shared_items:,}"]
            for one in found.positions
        ]  # fmt: skip
        table = _table(head, rows, 1)
        text = (to_markdown(table) if chosen == "markdown" else to_text(table)) + "\n"
    if not quiet:
        over = ", ".join(f"{name} {value:.3f}" for name, value in found.clicks_over_expected.items())
        more = [word("bias_over_expected", lang, over=over)] if over else []
        tell([word("bias_is_relative", lang), *more])
    if output is not None:
        write_text(output, text)
    else:
        echo(text)


def _evaluate(events: str, measures: list[str] | None, options: dict[str, Any]) -> OnlineEvaluation:
    from rankmeter import online

    return online.evaluate(
        events,
        measures or ("CTR", "CVR", "SessionDuration"),
        by=options["by"],
        unit=options["unit"],
        level=options["level"],
        resamples=options["resamples"],
        seed=options["seed"],
        bots=options["bots"],
        crossed=options["crossed"],
        columns=pairs("--columns", options["columns"]),
        types=_types(options["types"]),
        format=options["events_format"],
    )


def _experiment(
    events: str, measures: list[str] | None, control: str | None, sums: bool, options: dict[str, Any]
) -> Experiment:
    from rankmeter import online

    if options["by"] not in (None, "variant"):
        raise InputError(
            f"an experiment is by variant, not by {options['by']}. Hint: --columns variant={options['by']}"
        )
    ratios = pairs("--ratios", options["ratios"])
    shared: dict[str, Any] = {
        "control": control,
        "ratios": {name: _number("--ratios", value) for name, value in ratios.items()} or None,
        "unit": options["unit"],
        "level": options["level"],
        "power": options["power"],
        "correction": options["correction"],
        "start": options["start"],
        "segments": options["segments"],
        "resamples": options["resamples"],
    }
    if sums:
        return online.experiment(online.sums_from_table(_sums_table(events)), measures, **shared)
    return online.experiment(
        events,
        measures,
        seed=options["seed"],
        bots=options["bots"],
        crossed=options["crossed"],
        columns=pairs("--columns", options["columns"]),
        types=_types(options["types"]),
        format=options["events_format"],
        **shared,
    )


def _sums_table(path: str) -> Any:  # a Polars table, which is not imported for the help
    import polars as pl

    from rankmeter.online.events import open_table

    table = open_table(path, path)
    words = {"variant", "measure"}
    return table.with_columns(
        pl.col(name).cast(pl.Float64, strict=False) for name in table.columns if name not in words
    )


def _types(text: str | None) -> dict[str, list[str]]:
    """Several words may stand for one kind: ``conversion=signup,conversion=order``."""
    from rankmeter.online.events import KINDS

    found: dict[str, list[str]] = {}
    for part in (text or "").split(","):
        for kind, name in pairs("--types", part).items():
            if kind not in KINDS:
                fact = f"--types: '{kind}' is no kind of event; there are {', '.join(KINDS)}."
                raise InputError(with_hint(fact, did_you_mean(kind, KINDS)))
            found.setdefault(kind, []).append(name)
    return found


def _number(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise InputError(f"{option}: '{text}' is not a number.") from error


def _text(result: OnlineEvaluation | Experiment, format: OutputFormat, lang: Language) -> str:
    """The numbers in one of the formats."""
    if format == "json":
        return result.to_json() + "\n"
    if format == "csv":
        return frame_csv(result.to_polars())
    tables = list(_tables(result, lang))
    if format == "markdown":
        return "\n\n".join(map(to_markdown, tables)) + "\n"
    return "\n\n".join(map(to_text, tables)) + "\n"


def _tables(result: OnlineEvaluation | Experiment, lang: Language) -> Sequence[Table]:
    from rankmeter.online import OnlineEvaluation
    from rankmeter.online.telling import shown

    units = word("online_units", lang, unit=word(f"online_{result.unit}", lang))
    if isinstance(result, OnlineEvaluation):
        names = [word("online_measure", lang), word("online_value_with", lang, level=_level(result)), units]
        head = (*([result.by] if result.by else []), *names)
        rows = [
            [*([group] if result.by else []), str(measure), shown(one, measure, lang=lang), f"{one.units:,}"]
            for group, values in result.estimates.items()
            for measure, one in values.items()
        ]
        return [_table(head, rows, len(head) - 2)]
    values = [
        [variant, str(measure), shown(one, measure, lang=lang), f"{one.units:,}"]
        for variant, of_measure in result.values.items()
        for measure, one in of_measure.items()
    ]
    head = (*(word(f"online_{name}", lang) for name in ("variant", "measure", "value")), units)
    made = [_table(head, values, 2)]
    for segment, effects in (("", result.effects), (result.segment, result.segments)):
        if effects:
            made.append(_effects(segment, effects, result.correction, lang))
    return made


def _effects(segment: str, effects: Sequence[Effect], correction: str, lang: Language) -> Table:
    from rankmeter.online.telling import brief, percent, shown

    names = ("measure", "variant", "difference", "relative", "p", "least", "verdict")
    head = (*([segment] if segment else []), *(word(f"online_{name}", lang, correction=correction) for name in names))
    rows = [
        [
            *([one.segment] if segment else []),
            str(one.measure),
            one.variant,
            shown(one.difference, one.measure, lang=lang),
            percent(one.relative, lang=lang),
            brief(one.p_corrected),
            word("online_no_data", lang) if one.least != one.least else brief(one.least),
            word(f"online_{one.verdict.replace(' ', '_')}", lang),
        ]
        for one in effects
    ]
    return _table(head, rows, 3 if segment else 2)


def _level(result: OnlineEvaluation) -> str:
    level = next(one.level for values in result.estimates.values() for one in values.values())
    return exact_percent(level)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], labels: int) -> Table:
    if not rows:
        raise NotFoundError("there is nothing to show: no group has a unit.")
    return Table(tuple(head), tuple(tuple(Cell(text) for text in row) for row in rows), labels)
