"""``rankmeter online``: what users did, from a log of events."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from rankmeter.cli.options import LEVEL, SEED, Answer, kinds_of_events, measure_option, pairs
from rankmeter.cli.parameters import CommaList, Command, Count, Reads, Writes, flag, format_asked, option, takes
from rankmeter.cli.talk import examples, say, tell
from rankmeter.errors import InputError, NotFoundError
from rankmeter.frozen import dataclass
from rankmeter.measures import into_measures, split_all
from rankmeter.report.evaluations import definition_lines
from rankmeter.whole_files import write_text
from rankmeter.wording import Said, said, word

if TYPE_CHECKING:
    from rankmeter.online import Experiment, OnlineEvaluation

GATE_FAILED = 1


@dataclass(frozen=True, slots=True)
class LogOptions:
    """How the log is read and cleaned."""

    columns: str | None = option(
        "--columns",
        cls=CommaList,
        metavar="ROLE=NAME,...",
        help="Name columns that are not recognised: user=visitor,type=action.",
    )
    types: str | None = option(
        "--types",
        cls=CommaList,
        metavar="KIND=WORD,...",
        help="Words of the log for events: conversion=signup,click=open.",
    )
    events_format: str | None = option(
        "--events-format", metavar="FORMAT",
        help="Format of the log: csv, tsv, json, jsonl, parquet, ipc. Default: recognised from the content.",
    )  # fmt: skip
    bots: Literal["keep", "drop"] = option(
        "--bots", default="keep", help="How to treat users who do more in an hour than a person can."
    )
    crossed: Literal["drop", "first"] = option(
        "--crossed", default="drop",
        help="How to treat units seen in two variants: drop them, or count them in the first.",
    )  # fmt: skip

    def reading(self) -> dict[str, Any]:
        """How the API is told to read it."""
        columns = pairs("--columns", self.columns)
        return {"columns": columns, "types": kinds_of_events(self.types), "format": self.events_format}

    def cleaning(self) -> dict[str, Any]:
        """How the API is told to clean it."""
        return {"bots": self.bots, "crossed": self.crossed}


@dataclass(frozen=True, slots=True)
class Estimating:
    """What the numbers are about, and how sure they are."""

    unit: Literal["user", "session", "request", "hour", "day"] = option(
        "--unit", default="user",
        help="What was randomised, or is independent: the unit of the intervals. `hour`, `day`: switchbacks.",
    )  # fmt: skip
    level: float = option("--level", **LEVEL)
    resamples: int = option(
        "--resamples", type=Count(0), default=0,
        help="Compute intervals from this many resamples of units instead of by the delta method.",
    )  # fmt: skip
    seed: int = option("--seed", **SEED)


@dataclass(frozen=True, slots=True)
class Comparing:
    """The experiment, where there is one."""

    experiment: bool = flag("--experiment", help="Compare variants: sample ratio first, then differences.")
    control: str | None = option(
        "--control", metavar="VARIANT", help="The variant to compare with; implies --experiment."
    )
    ratios: str | None = option(
        "--ratios",
        cls=CommaList,
        metavar="NAME=RATIO,...",
        help="How units were meant to be split: A=9,B=1. Default: equally.",
    )
    start: str | None = option(
        "--start", metavar="TIME",
        help="When the experiment began; earlier events reduce the variance (CUPED). Implies --experiment.",
    )  # fmt: skip
    segments: str | None = option(
        "--segments", metavar="COLUMN", help="Also show the differences within each value of this column."
    )
    correction: Literal["holm", "hochberg", "bonferroni", "bh", "by", "none"] = option(
        "--correction", default="holm", help="Correction for the number of differences looked at."
    )
    power: float = option("--power", type=float, default=0.8, help="Power for the smallest detectable difference.")
    sums: bool = flag("--sums", help="EVENTS is a table of sums, a row per variant and measure, not a log.")

    @property
    def is_asked(self) -> bool:
        """Whether variants are compared."""
        return self.experiment or self.sums or any((self.control, self.start, self.segments, self.ratios))


@dataclass(frozen=True, slots=True)
class Deciding:
    """How the experiment is decided, as its plan said before it began."""

    primary: tuple[str, ...] = option(
        "--primary", multiple=True, metavar="MEASURE", help="A measure that decides: adds one verdict per variant."
    )
    guardrails: tuple[str, ...] = option(
        "--guardrail", multiple=True, metavar="MEASURE=MARGIN",
        help="A measure that must not lose more than this share of the control's value: 'Conversions=0.01'.",
    )  # fmt: skip
    sequential: Literal["once", "always-valid", "obrien-fleming", "pocock"] = option(
        "--sequential", default="once", help="Correction for early looks at the results; the last two need --looks."
    )
    looks: str | None = option(
        "--looks",
        cls=CommaList,
        metavar="SHARE,...",
        help="The share of the planned units at each look so far: 0.25,0.5.",
    )
    prior: float | None = option(
        "--prior", type=float,
        help="Also show the chance of winning, given the expected standard deviation of the relative effect, or inf.",
    )  # fmt: skip
    covariates: str | None = option(
        "--covariates",
        cls=CommaList,
        metavar="COLUMN,...",
        help="Numeric columns known beforehand, to reduce the variance.",
    )
    strata: str | None = option(
        "--strata", metavar="COLUMN", help="Post-stratify by this column: weight units by the share of their stratum."
    )
    days: bool = flag("--days", help="Also show the differences day by day.")

    @property
    def is_asked(self) -> bool:
        """Whether any of it is."""
        return any((self.primary, self.guardrails, self.sequential != "once", self.prior, self.covariates, self.strata,
                    self.days))  # fmt: skip

    def plan(self) -> dict[str, Any]:
        """How the API is told."""
        guards = [text.rpartition("=") for text in self.guardrails]
        return {
            "primary": split_all(self.primary),
            "guardrails": {name: _number("--guardrail", margin) for name, _, margin in guards},
            "sequential": self.sequential,
            "looks": [_number("--looks", share) for share in (self.looks or "").split(",") if share.strip()],
            "prior": self.prior,
            "covariates": [name.strip() for name in (self.covariates or "").split(",") if name.strip()],
            "strata": self.strata,
            "days": self.days,
        }


@click.command(
    "online",
    cls=Command,
    epilog=examples(
        "rankmeter online events.csv -m CTR -m CVR -m SessionDuration",
        "rankmeter online visits.csv -m 'CTR(per=request)@5' --by variant --columns user=visitor,type=action",
        "rankmeter online events.csv --experiment --control A --report online.html",
        "rankmeter online events.csv --experiment --start 2026-03-01 --segments country",
        "rankmeter online events.csv --control A --primary CTR --guardrail Conversions=0.01 --sequential always-valid",
        "rankmeter online 'log/*.parquet' -m CTR --types conversion=signup --format json > online.json",
        "rankmeter online sums.csv --sums --control A",
        "rankmeter online events.csv --position-bias",
        "rankmeter online events.csv --control A --lang zh",
    ),
)
@click.argument("events", type=Reads(), metavar="EVENTS")
@measure_option(
    "A measure, or several: CTR 'CVR(per=user) SessionDuration(gap=15)'. Default: CTR, CVR, SessionDuration."
)
@click.option(
    "--by", metavar="COLUMN", help="Show a row for each value of this column; `variant` and `segment` are recognised."
)
@takes(comparing=Comparing, deciding=Deciding)
@click.option(
    "--position-bias",
    is_flag=True,
    help="Instead, estimate the chance that each position is looked at, whatever is shown there.",
)
@takes(estimating=Estimating, log=LogOptions)
@click.option("--report", type=Writes(), help="Write a report to this HTML file, usable offline.")
@takes(answer=Answer)
def command(
    events: str,
    measures: tuple[str, ...],
    by: str | None,
    comparing: Comparing,
    deciding: Deciding,
    position_bias: bool,
    estimating: Estimating,
    log: LogOptions,
    report: Path | None,
    answer: Answer,
) -> None:
    """Measure what users did: click-through rate, conversion rate, session duration, from a log of EVENTS.

    A log has a row per event: time, user, type (impression, click, conversion or anything else), and where it has them
    request, item, position, session, value, variant. It is a file (Parquet, CSV, TSV, JSON, JSON lines, Arrow IPC), a
    folder or pattern of Parquet files, or `-` for standard input. OpenSearch UBI and GA4 exports are recognised.
    Oddities in the log are counted and reported on standard error, with the rules that dealt with them.

    With --experiment the exit status is 1 if the sample ratio is broken: no difference can then be trusted.
    """
    format_asked(answer.format, answer.output)
    if report is not None:
        from rankmeter.report import need_report_extra

        need_report_extra()
    if position_bias:
        if comparing.is_asked or deciding.is_asked or measures or report is not None or by:
            raise InputError.of("cli.position_bias_alone")
        from rankmeter.online import position_bias as bias_of

        drawn: dict[str, Any] = {"resamples": estimating.resamples or 200, "seed": estimating.seed}
        bias = bias_of(events, level=estimating.level, **drawn, **log.reading())
        answer.tell(bias)
        return
    asked = split_all(measures) or None
    if comparing.is_asked or deciding.is_asked:
        settings = asdict(estimating) | deciding.plan()
        result: OnlineEvaluation | Experiment = _experiment(events, asked, by, comparing, settings, log)
    else:
        result = _evaluate(events, asked, by, estimating, log)
    tables = result.tables(answer.lang)
    if not tables[0].rows:
        raise NotFoundError.of("cli.nothing_to_show")
    if report is not None:
        from rankmeter.report.log_page import online_report

        write_text(report, online_report(result, lang=answer.lang))
    answer.give_tables(result, tables, [*result.sentences(), *_why_beside(result, asked)])
    if not answer.quiet:
        tell(definition_lines(result.measures, answer.lang))
        if report is not None:
            say(word("report_is_in", answer.lang, path=str(report)))
    if not getattr(result, "is_sound", True):
        click.get_current_context().exit(GATE_FAILED)


def _why_beside(result: OnlineEvaluation | Experiment, asked: list[str] | None) -> list[Said]:
    """Why a number is shown that was not asked for."""
    wanted = into_measures(asked) if asked else ()
    names = {type(measure).name for measure in result.measures}
    if "CVR" not in names or not any(
        type(measure).name == "Conversions" and measure not in wanted for measure in result.measures
    ):
        return []
    return [said("conversions_beside")]


def _evaluate(
    events: str, measures: list[str] | None, by: str | None, estimating: Estimating, log: LogOptions
) -> OnlineEvaluation:
    from rankmeter import online

    usual = ("CTR", "CVR", "SessionDuration")
    return online.evaluate(events, measures or usual, by=by, **asdict(estimating), **log.cleaning(), **log.reading())


def _experiment(
    events: str,
    measures: list[str] | None,
    by: str | None,
    comparing: Comparing,
    settings: dict[str, Any],
    log: LogOptions,
) -> Experiment:
    from rankmeter import online

    if by not in (None, "variant"):
        raise InputError.of("cli.experiment_is_by_variant", by=by)
    ratios = pairs("--ratios", comparing.ratios)
    shared: dict[str, Any] = {
        "control": comparing.control,
        "ratios": {name: _number("--ratios", value) for name, value in ratios.items()} or None,
        "power": comparing.power,
        "correction": comparing.correction,
        "start": comparing.start,
        "segments": comparing.segments,
        **settings,
    }
    if comparing.sums:
        del shared["seed"]
        return online.experiment(online.sums_from_table(_sums_table(events)), measures, **shared)
    return online.experiment(events, measures, **shared, **log.cleaning(), **log.reading())


def _sums_table(path: str) -> Any:  # a Polars table, which is not imported for the help
    import polars as pl

    from rankmeter.online.events import open_table

    table = open_table(path, path)
    words = {"variant", "measure"}
    return table.with_columns(
        pl.col(name).cast(pl.Float64, strict=False) for name in table.columns if name not in words
    )


def _number(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise InputError.of("cli.not_a_number", option=option, text=text) from error
