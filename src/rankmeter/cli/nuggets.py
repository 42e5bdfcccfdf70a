"""``rankmeter nuggets``: answers scored by the nuggets that they support."""

from __future__ import annotations

from typing import Any

import click

from rankmeter.cli.options import Answer, columns_option, level_option, pairs, system_names
from rankmeter.cli.parameters import Command, Reads, takes
from rankmeter.cli.talk import examples


@click.command(
    cls=Command,
    epilog=examples(
        "rankmeter nuggets labels.csv",
        "rankmeter nuggets labels.jsonl --empty skip --columns nugget=fact,support=verdict --format json",
        "rankmeter nuggets people.csv --against machine.csv --lang zh",
        "rankmeter nuggets people.csv --assisted-by machine.csv",
    ),
)
@click.argument("labels", type=Reads(), metavar="LABELS")
@click.option(
    "--against", type=Reads(), metavar="FILE",
    help="Labels of another judge for the same answers: say how far the two agree instead of scoring.",
)  # fmt: skip
@click.option(
    "--assisted-by", type=Reads(), metavar="FILE",
    help="Machine labels for all queries, when LABELS are human labels for a random sample of them.",
)  # fmt: skip
@click.option(
    "--empty", type=click.Choice(["zero", "one", "skip"]), default="zero", show_default=True,
    help="Value of a query without a vital nugget under the vital scores.",
)  # fmt: skip
@columns_option(". Roles: query, nugget, importance, support, system, length")
@level_option
@takes(answer=Answer)
def command(
    labels: str, against: str | None, assisted_by: str | None, columns: str | None, answer: Answer, **options: Any
) -> None:
    """Score answers by their nuggets: the six scores of the TREC RAG track, from a table of LABELS.

    The table has a row per nugget of an answer: query, nugget, importance (vital, okay), support (support,
    partial_support, not_support) and, for several systems, system.
    """
    from rankmeter.judging.nugget_scores import nuggets
    from rankmeter.judging.panel_agreement import judges

    options["columns"] = pairs("--columns", columns)
    scores = nuggets(labels, assisted_by=assisted_by, **options)
    if against is None:
        answer.give(scores)
        return
    first, second = system_names([labels, against])
    both = {first: scores.assignments(), second: nuggets(against, **options).assignments()}
    answer.give(judges(both, scale=[0, 0.5, 1], level=options["level"]))
