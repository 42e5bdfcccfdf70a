"""Commands about judgments: how far judges agree, what to judge next, judging by spans and nuggets."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

import rankmeter as rm
from rankmeter.cli.bilingual import language_option
from rankmeter.cli.options import (
    NUMBERS,
    JudgmentSources,
    Sources,
    by_system,
    columns_option,
    csv_or_json,
    level_option,
    measure_option,
    named_columns,
    seed_option,
    system_names,
)
from rankmeter.cli.output import Answer, Delivery
from rankmeter.cli.parameters import CommaList, Count, Reads, Writes, command, takes
from rankmeter.cli.talk import say, tell
from rankmeter.errors import InputError
from rankmeter.measures import split_all
from rankmeter.wording import Language, word


@command()
@click.argument("paths", nargs=-1, type=Reads(), metavar="JUDGMENTS JUDGMENTS...")
@click.option("--scale", metavar="LOW..HIGH|GRADE,...")
@click.option("--judge", metavar="COLUMN")
@click.option("--singles", type=click.Choice(["skip", "count"]), default="skip")
@takes(sources=JudgmentSources)
@level_option
@takes(answer=Answer)
def judge_agreement(
    paths: tuple[str, ...], judge: str | None, sources: JudgmentSources, answer: Answer, **options: Any
) -> None:
    """How far two or more judges agree."""
    from rankmeter.inputs.columns import columns_of
    from rankmeter.wings.judging.panel import of_book

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
def judge_leaderboards(
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
def judge_draw(
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
def judge_page(
    pool: str, grades: str, labels: str | None, guidelines: str | None, output: Path, lang: Language, **options: Any
) -> None:
    """A page on which people judge."""
    from rankmeter.inputs.compression import open_source
    from rankmeter.wings.judging.panel import parse_scale

    text = ""
    if guidelines is not None:
        with open_source(guidelines) as source:
            text = source.read_all().decode("utf-8-sig", "replace")
    offered: Any = [int(grade) if float(grade).is_integer() else float(grade) for grade in parse_scale(grades)]
    page = rm.judge_page(pool, grades=offered, labels=_labels_typed(labels), guidelines=text, lang=lang, **options)
    page.save(output)
    tell([word("judge_written", lang, path=str(output), pairs=page.pairs, queries=page.queries)])


def _labels_typed(text: str | None) -> dict[int, str]:
    labels = {}
    for part in filter(None, (text or "").split(",")):
        grade, equals, label = part.partition("=")
        if not equals or not re.fullmatch(r"\s*\d{1,9}\s*", grade):
            raise InputError.of("judging.label_without_grade", text=part)
        labels[int(grade)] = label.strip()
    return labels
