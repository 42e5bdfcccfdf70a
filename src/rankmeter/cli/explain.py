"""``rankmeter explain``: what a measure means."""

from __future__ import annotations

import os

import click

from rankmeter.cli.options import TextAnswer, columns_option, named_columns
from rankmeter.cli.output import definition_talk, readable_width
from rankmeter.cli.parameters import Command, Reads, takes
from rankmeter.cli.talk import echo, examples, spoken_language, tell
from rankmeter.definitions.explain import explain_measure
from rankmeter.errors import InputError, MeasureError
from rankmeter.measures import Measure, parse_measures
from rankmeter.report.titles import titles_of
from rankmeter.wording import word


@click.command(
    "explain",
    cls=Command,
    epilog=examples(
        "rankmeter explain nDCG@10",
        "rankmeter explain 'AP(norm=capped)@100' --format markdown > ap.md",
        "rankmeter explain MRR --lang zh",
        "rankmeter explain nDCG@5 judgments.qrels keyword.run --query q007",
        "rankmeter explain nDCG@5 judgments.qrels keyword.run --query q007 --titles items=items.csv",
        "rankmeter explain NDCG@5 judgments.qrels keyword.run --query q007 --dialect recbole",
    ),
)
@click.argument("measure")
@click.argument("judgments", type=Reads(), required=False)
@click.argument("run", type=Reads(), required=False)
@click.option("--query", metavar="ID", help="Work out the value of this query row by row.")
@click.option(
    "--dialect", metavar="TOOL", help="MEASURE is a metric of this tool; `rankmeter dialects` lists the tools."
)
@columns_option(", as for `rankmeter evaluate`")
@click.option(
    "--titles", type=Reads(lambda text: text.partition("=")[2:]), multiple=True, metavar="KIND=FILE",
    help="CSV of ids and texts: queries=queries.csv, items=items.csv.",
)  # fmt: skip
@takes(answer=TextAnswer)
def command(
    measure: str,
    judgments: str | None,
    run: str | None,
    query: str | None,
    dialect: str | None,
    columns: str | None,
    titles: tuple[str, ...],
    answer: TextAnswer,
) -> None:
    """Say what MEASURE means, or work out its value for one query of JUDGMENTS and RUN.

    MEASURE may have any name that people use (MRR, ndcg_cut_10) and any options. Alone it is explained in words: its
    formula, every convention with its value, when to use it and how it misleads. With JUDGMENTS, RUN and --query the
    sum is shown row by row: rank, item, grade, gain, discount, what each row adds, the ideal list, the quotient.
    """
    if os.path.isfile(measure):  # noqa: PTH113 (Path.is_file fails where a text is too long for a name)
        raise InputError.of("cli.explain_file_first", source=measure)
    meant = parse_measures(measure) if dialect is None else [_spoken(measure, dialect)]
    if len(meant) > 1:
        raise MeasureError.of("cli.explain_one", text=measure, count=len(meant), first=str(meant[0]))
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
    from rankmeter.definitions.worked import explain

    named = named_columns(columns) or None
    answer.give(explain(meant[0], judgments, run, query=query, columns=named, titles=titles_of(titles)))
    tell(definition_talk(meant, answer.lang))


def _spoken(metric: str, dialect: str) -> Measure:
    from rankmeter.measures.dialects import find_dialect

    spoken = find_dialect(dialect)
    meant = spoken.measure(metric)
    tell([word("tool_metric", spoken_language(), tool=str(spoken), text=metric, measure=str(meant))])
    return meant
