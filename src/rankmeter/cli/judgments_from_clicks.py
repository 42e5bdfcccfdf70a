"""``rankmeter judgments-from-clicks``: a log of impressions and clicks as judgments."""

from __future__ import annotations

from typing import Literal

import click

from rankmeter.cli.options import Answer, columns_option, kinds_of_events, level_option, numbers
from rankmeter.cli.options import pairs as named_pairs
from rankmeter.cli.parameters import Command, Reads, flag, format_asked, option, takes
from rankmeter.cli.talk import examples, tell
from rankmeter.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Grading:
    """How clicks become rates, and rates grades."""

    model: Literal["examined", "ctr", "ips", "pbm", "cascade", "sdbn", "dbn"] = option(
        "--model", default="examined",
        help="How clicks become rates: over what was looked at, plain, by position, with positions fitted, down to the "
        "first or the last click, with the chance of going on fitted.",
    )  # fmt: skip
    clickless: Literal["seen", "left out"] = option(
        "--clickless", default="seen", help="What cascade and sdbn make of lists without a click."
    )
    examination: str | None = option(
        "--examination", metavar="NUMBER,...", help="The chance that each position is looked at. Default: estimated."
    )
    max_grade: int = option("--max-grade", type=click.IntRange(1, 10), default=3, help="The highest grade.")
    thresholds: str | None = option(
        "--thresholds", metavar="NUMBER,...", help="The rates at which grades 1, 2, ... begin."
    )
    grade_by: Literal["rate", "low"] = option(
        "--grade-by", default="rate", help="What becomes the grade: the rate, or the low end of its interval."
    )
    no_shrinkage: bool = flag("--no-shrinkage", help="Do not shrink rates that rest on little evidence.")
    least_evidence: float = option("--least-evidence", type=float, default=10.0, help="Evidence that a judgment needs.")
    least_users: int = option("--least-users", type=click.IntRange(1), default=2, help="Users that a judgment needs.")


@click.command(
    "judgments-from-clicks",
    cls=Command,
    epilog=examples(
        "rankmeter judgments-from-clicks log.parquet --format csv --output clicks.csv",
        "rankmeter judgments-from-clicks log.csv --model sdbn --format csv --output clicks.csv",
        "rankmeter judgments-from-clicks log.csv --examination 1,0.62,0.48 --judgments people.qrels",
        "rankmeter judgments-from-clicks log.csv --columns request=session_id --types click=open --output clicks.html",
    ),
)
@click.argument("log", type=Reads(), metavar="LOG")
@takes(grading=Grading)
@click.option("--judgments", type=Reads(), help="Judgments of people: how far the clicks agree with them is shown too.")
@columns_option("query=q,user=visitor")
@click.option("--types", metavar="KIND=WORD,...", help="What the log calls an event: impression=shown,click=open.")
@level_option
@takes(answer=Answer)
def command(
    log: str,
    grading: Grading,
    judgments: str | None,
    columns: str | None,
    types: str | None,
    level: float,
    answer: Answer,
) -> None:
    """Turn LOG, a log of impressions and clicks with queries, items and positions, into judgments.

    As CSV the result is judgments that rankmeter reads. A pair with too little evidence is left out: it is not judged.
    """
    from rankmeter.judging.click_grades import judgments_from_clicks

    made = judgments_from_clicks(
        log, model=grading.model, examination=numbers("--examination", grading.examination),
        grades=numbers("--thresholds", grading.thresholds) or grading.max_grade, grade_by=grading.grade_by,
        shrink=not grading.no_shrinkage, least=(grading.least_evidence, grading.least_users), level=level,
        columns=named_pairs("--columns", columns), types=kinds_of_events(types), clickless=grading.clickless,
    )  # fmt: skip
    if judgments is not None:
        made = made.against(judgments, level=level)
    answer.give(made)
    is_table = format_asked(answer.format, answer.output) == "csv"
    if not answer.quiet and is_table:
        tell([note.text(answer.lang) for note in made.notes])
        if made.agreement is not None:
            tell([made.agreement.to_text(answer.lang)])
