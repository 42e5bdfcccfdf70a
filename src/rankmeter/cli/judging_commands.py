"""Commands about judgments: how far judges agree, what to judge next, judging by spans, nuggets and clicks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

import click

import rankmeter as rm
from rankmeter.cli.bilingual import language_option
from rankmeter.cli.options import (
    NUMBERS,
    TYPES,
    JudgmentSources,
    Sources,
    by_system,
    columns_option,
    level_option,
    measure_option,
    named_columns,
    seed_option,
    system_names,
)
from rankmeter.cli.output import Answer, Delivery
from rankmeter.cli.parameters import CommaList, Count, Reads, Writes, command, option, takes
from rankmeter.cli.talk import say, silence_notes, spoken_language, tell
from rankmeter.errors import InputError
from rankmeter.frozen import dataclass
from rankmeter.late import pl
from rankmeter.measures import split_all
from rankmeter.wording import Language, word

csv_or_json = click.option("--format", type=click.Choice(["csv", "json"]), default="csv", help="format-of-table")


@command()
@click.argument("paths", nargs=-1, type=Reads(), metavar="JUDGMENTS JUDGMENTS...")
@click.option("--scale", metavar="LOW..HIGH|GRADE,...")
@click.option("--judge", metavar="COLUMN")
@click.option("--singles", type=click.Choice(["skip", "count"]), default="skip")
@takes(sources=JudgmentSources)
@level_option
@takes(answer=Answer)
def judges(paths: tuple[str, ...], judge: str | None, sources: JudgmentSources, answer: Answer, **options: Any) -> None:
    """How far two or more judges agree."""
    from rankmeter.inputs.columns import columns_of
    from rankmeter.judging.panel import of_book

    if not paths:
        raise InputError.of("judging.one_judge", judges=["-"])
    if len(paths) == 1:
        named = columns_of(named_columns(sources.columns), "judgments")
        table = of_book(paths[0]) if sources.judgments_format == "book" else paths[0]
        answer.give(rm.judges(table, judge=judge, columns=named or None, **options))
    else:
        by_name = {name: sources.judgments(path) for name, path in by_system(paths).items()}
        answer.give(rm.judges(by_name, **options))


@command()
@click.argument("paths", nargs=-1, type=Reads(), metavar="PEOPLE MACHINE RUN RUN...")
@measure_option
@takes(sources=Sources)
@level_option
@seed_option
@takes(answer=Answer)
def leaderboards(
    paths: tuple[str, ...], measures: tuple[str, ...], sources: Sources, answer: Answer, **options: Any
) -> None:
    """The same systems under two judges."""
    if len(paths) < 4:
        raise InputError.of("judging.two_systems", count=max(len(paths) - 2, 0))
    asked = split_all(measures) or ["nDCG@10"]
    people, machine = map(sources.judgments, paths[:2])
    answer.give(rm.leaderboards(people, machine, sources.runs(paths[2:]), asked, **options))


@command()
@click.argument("judgments", type=Reads())
@click.argument("run", type=Reads())
@click.option("-m", "--measure", default="Success@1", metavar="MEASURE")
@click.option("--cut", "cuts", type=float, multiple=True, metavar="SCORE")
@takes(sources=Sources)
@level_option
@takes(answer=Answer)
def silence(judgments: str, run: str, measure: str, sources: Sources, answer: Answer, **options: Any) -> None:
    """Queries without a right answer, and what a cut of the scores would do."""
    (returned,) = sources.runs([run]).values()
    options["cuts"] = options["cuts"] or None
    answer.give(rm.silence(sources.judgments(judgments), returned, measure, **options))


@command()
@click.argument("gold", type=Reads())
@click.argument("chunks", type=Reads(), metavar="CHUNKS...", nargs=-1, required=True)
@measure_option
@click.option("--texts", type=Reads(), metavar="FILE")
@click.option("--rule", type=click.Choice(["joint", "share", "any", "iou", "contained"]), default="joint")
@click.option("--share", default=0.5)
@click.option("--cutoffs", **NUMBERS, default="1,3,5,10")
@click.option("--budgets", **NUMBERS)
@click.option("--unit", type=click.Choice(["characters", "tokens"]), default="characters")
@click.option("--dialect", type=click.Choice(["rankmeter", "chroma", "legalbench_rag"]), default="rankmeter")
@columns_option
@level_option
@takes(answer=Answer)
def evidence(gold: str, chunks: tuple[str, ...], measures: tuple[str, ...], answer: Answer, **options: Any) -> None:
    """How much of the gold spans the first chunks hold."""
    options["cutoffs"] = options["cutoffs"] or ()
    answer.give(rm.evidence(gold, by_system(chunks), split_all(measures), **options))


@command()
@click.argument("labels", type=Reads())
@click.option("--against", type=Reads(), metavar="FILE")
@click.option("--assisted-by", type=Reads(), metavar="FILE")
@click.option("--empty", type=click.Choice(["zero", "one", "skip"]), default="zero")
@columns_option
@level_option
@takes(answer=Answer)
def nuggets(labels: str, against: str | None, assisted_by: str | None, answer: Answer, **options: Any) -> None:
    """Answers scored by the nuggets that they support."""
    scores = rm.nuggets(labels, assisted_by=assisted_by, **options)
    if against is None:
        answer.give(scores)
        return
    first, second = system_names([labels, against])
    both = {first: scores.assignments(), second: rm.nuggets(against, **options).assignments()}
    answer.give(rm.judges(both, scale=[0, 0.5, 1], level=options["level"]))


@command()
@click.argument("paths", nargs=-1, type=Reads(), metavar="MACHINE [RUN...]")
@click.option("--queries", type=Count())
@click.option("--items", type=Count())
@click.option("--among", type=click.Choice(["all", "differing"]), default="all")
@click.option("-m", "--measure", default="DCG@10", metavar="MEASURE")
@click.option("--judged", type=Reads(), metavar="FILE")
@takes(sources=Sources)
@seed_option
@language_option
@csv_or_json
@takes(delivery=Delivery)
def draw(
    paths: tuple[str, ...],
    judged: str | None,
    sources: Sources,
    lang: Language,
    format: str,
    delivery: Delivery,
    **options: Any,
) -> None:
    """What people judge, drawn with known chances that are recorded."""
    if not paths:
        raise InputError.of("judging.nothing_to_draw")
    before = None if judged is None else sources.judgments(judged)
    drawn = rm.draw(sources.judgments(paths[0]), sources.runs(paths[1:]), judged=before, **options)
    delivery.deliver_frame(drawn, format)
    delivery.say_where(lang)
    if not delivery.quiet:
        to_judge = drawn["query"].filter(drawn["grade"].is_null())
        say(word("drawn", lang, pairs=len(to_judge), queries=to_judge.n_unique(), seed=options["seed"]))


@command()
@click.argument("paths", nargs=-1, type=Reads(), metavar="JUDGMENTS RUN...")
@click.option("--depth", type=Count(), default=10)
@click.option("--budget", type=Count())
@click.option("--by", type=click.Choice(["difference", "weight"]))
@takes(sources=Sources)
@csv_or_json
@takes(delivery=Delivery)
def pool(
    paths: tuple[str, ...], budget: int | None, sources: Sources, format: str, delivery: Delivery, **options: Any
) -> None:
    """The unjudged items that are most worth judging; as CSV a table to be filled in."""
    if len(paths) < 2:
        raise InputError.of("cli.pool_needs_runs")
    if delivery.quiet:
        silence_notes()
    sources.check_columns(paths[0], paths[1:])
    unjudged = rm.pool(sources.judgments(paths[0]), sources.runs(paths[1:]), **options)
    listed = unjudged if budget is None else unjudged.head(budget)
    to_fill = ("query", "item", pl.lit("").alias("grade"), "priority", "best_rank", "systems")
    delivery.deliver_frame(listed.select(*to_fill) if format == "csv" else listed, format)
    if not delivery.quiet:
        lang = spoken_language()
        where = [word("written_to", lang, place=str(delivery.output))] if delivery.output else []
        kind = "some_to_judge" if len(listed) < len(unjudged) else "all_to_judge"
        counts = {"listed": len(listed), "count": len(unjudged), "depth": options["depth"], "runs": len(paths) - 1}
        say(": ".join([*where, word(kind, lang, **counts)]))


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


@command()
@click.argument("pool", type=Reads())
@click.option("--items", type=Reads(), metavar="FILE")
@click.option("--queries", type=Reads(), metavar="FILE")
@click.option("--grades", default="0..3", metavar="LOW..HIGH|GRADE,...")
@click.option("--labels", cls=CommaList, metavar="GRADE=TEXT,...")
@click.option("--guidelines", type=Reads(), metavar="FILE")
@click.option("--judge", default="", show_default=False, metavar="NAME")
@click.option("--seed", type=int, default=0)
@click.option("--out", "output", type=Writes(), required=True)
@language_option
def judge(
    pool: str, grades: str, labels: str | None, guidelines: str | None, output: Path, lang: Language, **options: Any
) -> None:
    """A page on which people judge."""
    from rankmeter.inputs.compression import open_source
    from rankmeter.judging.panel import parse_scale

    text = ""
    if guidelines is not None:
        with open_source(guidelines) as source:
            text = source.read_all().decode("utf-8-sig", "replace")
    offered: Any = [int(grade) if float(grade).is_integer() else float(grade) for grade in parse_scale(grades)]
    page = rm.judge_page(pool, grades=offered, labels=_labels(labels), guidelines=text, lang=lang, **options)
    page.save(output)
    tell([word("judge_written", lang, path=str(output), pairs=page.pairs, queries=page.queries)])


def _labels(text: str | None) -> dict[int, str]:
    labels = {}
    for part in filter(None, (text or "").split(",")):
        grade, equals, label = part.partition("=")
        if not equals or not re.fullmatch(r"\s*\d{1,9}\s*", grade):
            raise InputError.of("judging.label_without_grade", text=part)
        labels[int(grade)] = label.strip()
    return labels
