"""``rankmeter nuggets``: answers scored by the nuggets that they support."""

from __future__ import annotations

from typing import Literal

import click

from rankmeter.cli.options import Answer, level_option, pairs, system_names
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
    help="Labels of another judge for the same answers: say how far the two agree, instead of scores.",
)  # fmt: skip
@click.option(
    "--assisted-by", type=Reads(), metavar="FILE",
    help="Labels of a machine for all queries, where LABELS are those of people for some that were drawn at random.",
)  # fmt: skip
@click.option(
    "--empty", type=click.Choice(["zero", "one", "skip"]), default="zero", show_default=True,
    help="What a query without a vital nugget counts under the vital scores.",
)  # fmt: skip
@click.option(
    "--columns", metavar="ROLE=NAME,...",
    help="Name columns that are not recognised. Roles: query, nugget, importance, support, system, length.",
)  # fmt: skip
@level_option
@takes(answer=Answer)
def command(
    labels: str,
    against: str | None,
    assisted_by: str | None,
    empty: Literal["zero", "one", "skip"],
    columns: str | None,
    level: float,
    answer: Answer,
) -> None:
    """Score answers by their nuggets: the six scores of the TREC RAG track, from a table of LABELS.

    It has a row per nugget of an answer: query, nugget, importance (vital, okay), support (support, partial_support,
    not_support) and, for several systems, system.
    """
    from rankmeter.judging.nugget_scores import nuggets
    from rankmeter.judging.panel_agreement import judges

    named = pairs("--columns", columns)
    scores = nuggets(labels, assisted_by=assisted_by, empty=empty, level=level, columns=named)
    if against is None:
        answer.give(scores)
        return
    other = nuggets(against, empty=empty, level=level, columns=named)
    first, second = system_names([labels, against])
    both = {first: scores.assignments(), second: other.assignments()}
    answer.give(judges(both, scale=[0, 0.5, 1], level=level))
