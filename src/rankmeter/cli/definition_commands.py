"""Commands about what numbers mean: which measures fit, and what one means."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

import rankmeter as rm
from rankmeter.cli.options import COLUMNS, Sources, measure_option, named_columns, seed_option
from rankmeter.cli.output import TextAnswer, definition_talk, metric_talk, readable_width
from rankmeter.cli.parameters import Count, Reads, command, takes
from rankmeter.cli.talk import echo, spoken_language, tell
from rankmeter.errors import InputError, MeasureError
from rankmeter.measures import Measure, parse_measures, split_all
from rankmeter.wings.loading import explained

if TYPE_CHECKING:
    from rankmeter.inputs.tables import Labelled

columns_option = click.option("--columns", **COLUMNS, help="columns-as-evaluate")


@command()
@click.argument("paths", nargs=-1, type=Reads(), metavar="JUDGMENTS [RUN...]")
@click.option("--for", "purpose", type=click.Choice(["search", "recommendation"]))
@click.option("-k", "k", type=Count())
@measure_option
@takes(sources=Sources)
@seed_option
@takes(answer=TextAnswer)
def advise(
    paths: tuple[str, ...], measures: tuple[str, ...], sources: Sources, answer: TextAnswer, **options: Any
) -> None:
    """Which measures and cutoffs fit the data, and why."""
    if not paths:
        raise InputError.of("cli.no_judgments", usage="rankmeter advise JUDGMENTS [RUN...]")
    sources.check_columns(paths[0], paths[1:])
    truth, runs = sources.judgments(paths[0]), sources.runs(paths[1:])
    answer.give(rm.advise(truth, runs, measures=split_all(measures) or None, **options))


@command()
@click.argument("measure")
@click.argument("judgments", type=Reads(), required=False)
@click.argument("run", type=Reads(), required=False)
@click.option("--query", "--user", metavar="ID")
@click.option("--grades", metavar="GRADE,...")
@click.option("--labelled", type=Reads(), metavar="FILE")
@click.option("--dialect", metavar="TOOL")
@columns_option
@click.option("--titles", type=Reads(lambda text: text.partition("=")[2:]), multiple=True, metavar="KIND=FILE")
@takes(answer=TextAnswer)
def explain(
    measure: str,
    judgments: str | None,
    run: str | None,
    query: str | None,
    grades: str | None,
    labelled: str | None,
    dialect: str | None,
    columns: str | None,
    titles: tuple[str, ...],
    answer: TextAnswer,
) -> None:
    """What a measure means in words, or its value for one query, worked out row by row."""
    from rankmeter.definitions.explain import explain_measure
    from rankmeter.inputs.titles import titles_of

    if os.path.isfile(measure):  # noqa: PTH113 (Path.is_file fails where a text is too long for a name)
        if judgments is not None or (told := explained(measure)) is None:
            raise InputError.of("cli.explain_file_first", source=measure)
        answer.give(told)
        return
    try:
        meant = parse_measures(measure) if dialect is None else [_spoken(measure, dialect)]
    except MeasureError:
        told = explained(measure) if dialect is judgments is query is grades is labelled is None else None
        if told is None:
            raise
        answer.give(told)
        return
    if len(meant) > 1:
        raise MeasureError.of("cli.explain_one", text=measure, count=len(meant), first=str(meant[0]))
    if grades is not None or labelled is not None:
        if judgments is not None or (grades is not None and not labelled is query is columns is None):
            raise InputError.of("cli.explain_two_lists", measure=str(meant[0]))
        lists, name = _one_list(grades) if grades is not None else _labelled_list(labelled, query, columns)
        answer.give(rm.explain(meant[0], lists, query=name, titles=titles_of(titles)))
        tell(definition_talk(meant, answer.lang))
        return
    if judgments is None and query is None:
        explanation = explain_measure(meant[0], language=answer.lang)
        if answer.format == "text":
            echo(explanation.to_text(width=readable_width()))
        else:
            answer.give(explanation)
        return
    if judgments is None or run is None or query is None:
        kind = "cli.explain_lacks_query" if run is not None else "cli.explain_lacks_run"
        raise InputError.of(kind if judgments else "cli.explain_lacks_judgments", measure=str(meant[0]))
    named = named_columns(columns) or None
    answer.give(rm.explain(meant[0], judgments, run, query=query, columns=named, titles=titles_of(titles)))
    tell(definition_talk(meant, answer.lang))


def _one_list(grades: str) -> tuple[Labelled, Any]:
    """One list, typed as grades in ranked order, and the name of its query."""
    try:
        numbers = [float(grade) for grade in grades.split(",")]
    except ValueError as error:
        raise InputError.of("cli.not_grades", text=grades) from error
    return rm.ranked_grades([numbers]), 0


def _labelled_list(path: object, query: str | None, columns: str | None) -> tuple[Labelled, Any]:
    """Lists that carry their own judgments, and the query that is asked for, or the only one that there is."""
    from rankmeter.inputs.files import read_labelled

    lists = read_labelled(path, columns=named_columns(columns) or None)
    if query is None:
        queries = lists.judgments.judgment_table().query.unique(maintain_order=True).to_list()
        if len(queries) > 1:
            raise InputError.of("cli.explain_which_list", source=str(path), count=len(queries), first=str(queries[0]))
        query = queries[0]
    return lists, query


def _spoken(metric: str, dialect: str) -> Measure:
    from rankmeter.measures.dialects import find_dialect

    spoken = find_dialect(dialect)
    meant = spoken.measure(metric)
    tell(metric_talk(spoken, {metric: meant}, spoken_language()))
    return meant
