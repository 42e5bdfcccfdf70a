"""Commands about what users did: a log measured, experiments, other policies, interleaved lists, past experiments."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

import rankmeter as rm
from rankmeter.cli.bilingual import BilingualGroup, language_option
from rankmeter.cli.exit_codes import DONE, FAILED
from rankmeter.cli.options import (
    LEVEL,
    NUMBERS,
    PAIRS,
    SEED,
    TYPES,
    columns_option,
    csv_or_json,
    level_option,
    measure_option,
    pairs,
    part_list,
    seed_option,
)
from rankmeter.cli.output import Answer, Delivery
from rankmeter.cli.parameters import CommaList, Command, Count, Reads, Writes, command, option, takes
from rankmeter.cli.talk import say, tell
from rankmeter.errors import InputError, NotFoundError
from rankmeter.frozen import dataclass
from rankmeter.late import pl
from rankmeter.measures import into_measures, split_all
from rankmeter.wording import Language, Said, said, word

if TYPE_CHECKING:
    from rankmeter.wings.online.public_names import Experiment, OnlineEvaluation


def _number(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise InputError.of("online.not_a_number", option=option, text=text) from error


def _ratios(option: str, text: str | None) -> dict[str, float] | None:
    """Read ``A=9,B=1``."""
    return {name: _number(option, value) for name, value in pairs(option, text).items()} or None


def _shares(option: str, text: str | None) -> list[float]:
    """Read ``0.25,0.5``."""
    return [_number(option, share) for share in part_list(option, text)]


@dataclass(frozen=True, slots=True)
class LogOptions:
    """How the log is read and cleaned."""

    columns: dict[str, str] = option(**PAIRS)
    types: dict[str, list[str]] = option(**TYPES)
    events_format: str | None = option(metavar="FORMAT")
    bots: Literal["keep", "drop"] = option(default="keep")
    crossed: Literal["drop", "first"] = option(default="drop")

    def reading(self) -> dict[str, Any]:
        """How the API is told to read it."""
        return {"columns": self.columns, "types": self.types, "format": self.events_format}

    def settings(self) -> dict[str, Any]:
        """How the API is told to read and to clean it."""
        return {"bots": self.bots, "crossed": self.crossed, **self.reading()}


@dataclass(frozen=True, slots=True)
class Estimating:
    """What the numbers are about, and how sure they are."""

    unit: Literal["user", "session", "request", "hour", "day"] = option(default="user")
    level: float = option(default=LEVEL)
    resamples: int = option(type=Count(0), default=0, show_default=False)
    seed: int = option(**SEED)


@dataclass(frozen=True, slots=True)
class Comparing:
    """The experiment, where there is one."""

    experiment: bool = option(default=False)
    control: str | None = option(metavar="VARIANT")
    ratios: dict[str, float] | None = option(cls=CommaList, metavar="NAME=RATIO,...", parse=_ratios)
    start: str | None = option(metavar="TIME")
    segments: str | None = option(metavar="COLUMN")
    correction: Literal["holm", "hochberg", "bonferroni", "bh", "by", "none"] = option(default="holm")
    power: float = option(default=0.8)
    sums: bool = option(default=False)

    @property
    def is_asked(self) -> bool:
        """Whether variants are compared."""
        return self.experiment or self.sums or any((self.control, self.start, self.segments, self.ratios))

    def settings(self) -> dict[str, Any]:
        """How the API is told."""
        return {name: value for name, value in asdict(self).items() if name not in ("experiment", "sums")}


@dataclass(frozen=True, slots=True)
class Deciding:
    """How the experiment is decided, as its plan said before it began."""

    primary: tuple[str, ...] = option(metavar="MEASURE")
    guardrails: tuple[str, ...] = option("--guardrail", metavar="MEASURE=MARGIN")
    sequential: Literal["once", "always-valid", "obrien-fleming", "pocock"] = option(default="once")
    looks: list[float] = option(cls=CommaList, metavar="SHARE,...", parse=_shares)
    prior: float | None = option()
    covariates: list[str] = option(cls=CommaList, metavar="COLUMN,...", parse=part_list)
    strata: str | None = option(metavar="COLUMN")
    days: bool = option(default=False)

    @property
    def is_asked(self) -> bool:
        """Whether any of it is."""
        return any((self.primary, self.guardrails, self.sequential != "once", self.prior, self.covariates, self.strata,
                    self.days))  # fmt: skip

    def settings(self) -> dict[str, Any]:
        """How the API is told."""
        guards = [text.rpartition("=") for text in self.guardrails]
        return asdict(self) | {
            "primary": split_all(self.primary),
            "guardrails": {name: _number("--guardrail", margin) for name, _, margin in guards},
        }


@command()
@click.argument("events", type=Reads())
@measure_option
@click.option("--by", metavar="COLUMN")
@takes(comparing=Comparing, deciding=Deciding)
@click.option("--position-bias", is_flag=True)
@takes(estimating=Estimating, log=LogOptions)
@click.option("--report", type=Writes())
@takes(answer=Answer)
def online(
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
) -> int:
    """What users did, from a log of events; the exit code is 1 if the sample ratio of an experiment is broken."""
    answer.meant  # noqa: B018 (an ending that asks for no format is refused before anything is read)
    if report is not None:
        from rankmeter.report import need_report_extra

        need_report_extra()
    table = _counts_table(events)
    is_experiment = comparing.is_asked or deciding.is_asked or table is not None
    if position_bias:
        if is_experiment or measures or report is not None or by:
            raise InputError.of("online.position_bias_alone")
        drawn: dict[str, Any] = {"resamples": estimating.resamples or 200, "seed": estimating.seed}
        answer.tell(rm.online.position_bias(events, level=estimating.level, **drawn, **log.reading()))
        return DONE
    asked = split_all(measures) or None
    settings = asdict(estimating)
    result: OnlineEvaluation | Experiment
    if not is_experiment:
        result = rm.online.evaluate(
            events, asked or ("CTR", "CVR", "SessionDuration"), by=by, **settings, **log.settings()
        )
    else:
        if by not in (None, "variant"):
            raise InputError.of("online.experiment_is_by_variant", by=by)
        settings |= comparing.settings() | deciding.settings()
        if comparing.sums or table is not None:
            del settings["seed"]
            sums = rm.online.sums_from_table(_sums_table(events) if table is None else table)
            result = rm.online.experiment(sums, asked, **settings)
        else:
            result = rm.online.experiment(events, asked, **settings, **log.settings())
    tables = result.tables(answer.lang)
    if not tables[0].rows:
        raise NotFoundError.of("online.nothing_to_show")
    if report is not None:
        result.report(report, lang=answer.lang)
    answer.give_tables(result, tables, [*result.sentences(), *_why_beside(result, asked)])
    if not answer.quiet:
        from rankmeter.report.evaluations import definition_lines

        tell(definition_lines(result.measures, answer.lang))
        if report is not None:
            say(word("report_is_in", answer.lang, path=str(report)))
    return DONE if getattr(result, "is_sound", True) else FAILED


def _why_beside(result: OnlineEvaluation | Experiment, asked: list[str] | None) -> list[Said]:
    """Why a number is shown that was not asked for."""
    wanted = into_measures(asked) if asked else ()
    names = {type(measure).name for measure in result.measures}
    beside = {type(measure).name for measure in result.measures if measure not in wanted}
    return [said("conversions_beside")] if "CVR" in names and "Conversions" in beside else []


_LARGEST_COUNTS = 1_000_000
"""The size of a larger file is that of a log."""


def _counts_table(path: str) -> pl.DataFrame | None:
    """The table, if the file is a small one of clicks and impressions by variant."""
    from rankmeter.wings.online.events import open_table
    from rankmeter.wings.online.sums import is_counts

    file = Path(path)
    if file.suffix.lower() not in (".csv", ".tsv") or not file.is_file() or file.stat().st_size > _LARGEST_COUNTS:
        return None
    table = open_table(path, path)
    return table if is_counts(table.columns) else None


def _sums_table(path: str) -> pl.DataFrame:
    from rankmeter.wings.online.events import open_table

    table = open_table(path, path)
    sums = [name for name in table.columns if name not in ("variant", "measure")]
    return table.with_columns(pl.col(name).cast(pl.Float64, strict=False) for name in sums)


@command()
@click.argument("log", type=Reads())
@click.option("--model", type=click.Choice(["single", "item-position", "cascade", "standard"]), default="single")
@click.option("--clip", type=float)
@click.option("--switch", type=float)
@click.option("--shrink", type=float)
@level_option
@columns_option
@takes(answer=Answer)
def counterfactual(log: str, answer: Answer, **options: Any) -> None:
    """What another policy would have earned, from the log of the one that ran."""
    answer.tell(rm.online.off_policy_log(log, **options))


@click.group(cls=BilingualGroup)
def interleave() -> None:
    """Lists of two rankings, and what people clicked in them."""


@interleave.command(cls=Command)
@click.argument("a", type=Reads())
@click.argument("b", type=Reads())
@click.option("--length", type=Count())
@click.option("--versions", type=click.IntRange(1, 1000), metavar="NUMBER", default=2)
@seed_option
@language_option
@csv_or_json
@takes(delivery=Delivery)
def make(a: str, b: str, lang: Language, format: str, delivery: Delivery, **options: Any) -> None:
    """Interleaved lists of two runs."""
    from rankmeter.wings.online.interleaving import interleave_runs

    lists, left_out = interleave_runs(a, b, **options)
    if not delivery.quiet and left_out:
        say(word("queries_of_one_run", lang, count=left_out))
    delivery.deliver_frame(lists, format)


@interleave.command(cls=Command)
@click.argument("clicks", type=Reads())
@level_option
@columns_option
@click.option("--unit", type=click.Choice(["auto", "user", "query"]), default="auto")
@takes(answer=Answer)
def score(clicks: str, answer: Answer, **options: Any) -> None:
    """Which ranking people prefer, from their clicks."""
    answer.tell(rm.online.score_interleaving(clicks, **options))


@command()
@click.argument("past", type=Reads())
@click.option("--offline", "measures", multiple=True, required=True, metavar="COLUMN")
@click.option("--online", default="online", metavar="COLUMN")
@level_option
@seed_option
@takes(answer=Answer)
def agreement(past: str, measures: tuple[str, ...], answer: Answer, **options: Any) -> None:
    """Which offline measure foretold what happened online."""
    answer.tell(rm.online.predictors(past, list(measures), **options))


@dataclass(frozen=True, slots=True)
class Grading:
    """How rates become grades."""

    max_grade: int = option(type=click.IntRange(1, 10), metavar="GRADE", default=3)
    thresholds: list[float] | None = option(**NUMBERS)
    grade_by: Literal["rate", "low"] = option(default="rate")
    no_shrinkage: bool = option(default=False)
    least_evidence: float = option(default=10.0)
    least_users: int = option(type=Count(), default=2)

    def settings(self) -> dict[str, Any]:
        """How the API is told."""
        return {
            "grades": self.thresholds or self.max_grade, "grade_by": self.grade_by,
            "shrink": not self.no_shrinkage, "least": (self.least_evidence, self.least_users),
        }  # fmt: skip


@command()
@click.argument("log", type=Reads())
@click.option(
    "--model", type=click.Choice(["examined", "ctr", "ips", "pbm", "cascade", "sdbn", "dbn"]), default="examined"
)
@click.option("--clickless", type=click.Choice(["seen", "left out"]), default="seen")
@click.option("--examination", **NUMBERS)
@takes(grading=Grading)
@click.option("--judgments", type=Reads(), metavar="FILE")
@columns_option
@click.option("--types", **TYPES)
@level_option
@takes(answer=Answer)
def judgments_from_clicks(log: str, grading: Grading, judgments: str | None, answer: Answer, **options: Any) -> None:
    """A log of impressions and clicks as judgments."""
    grades = rm.judgments_from_clicks(log, **options, **grading.settings())
    if judgments is not None:
        grades = grades.against(judgments, level=options["level"])
    answer.give(grades)
    if not answer.quiet and answer.meant == "csv":
        tell([note.text(answer.lang) for note in grades.notes])
        if grades.agreement is not None:
            tell([grades.agreement.to_text(answer.lang)])
