"""``rankmeter judgments-from-clicks``: a log of impressions and clicks as judgments."""

from __future__ import annotations

from typing import Any, Literal

import click

from rankmeter.cli.options import Answer, columns_option, kinds_of_events, level_option, numbers, pairs
from rankmeter.cli.parameters import CommaList, Command, Count, Reads, flag, format_asked, option, takes
from rankmeter.cli.talk import examples, tell
from rankmeter.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Grading:
    """How rates become grades."""

    max_grade: int = option(
        "--max-grade", type=click.IntRange(1, 10), metavar="GRADE", default=3, help="The highest grade."
    )
    thresholds: str | None = option(
        "--thresholds", cls=CommaList, metavar="NUMBER,...", help="The rates at which grades 1, 2, ... begin."
    )
    grade_by: Literal["rate", "low"] = option(
        "--grade-by", default="rate", help="What becomes the grade: the rate, or the low end of its interval."
    )
    no_shrinkage: bool = flag("--no-shrinkage", help="Do not shrink rates that rest on little evidence.")
    least_evidence: float = option(
        "--least-evidence", type=float, default=10.0, help="Least evidence that a judgment needs."
    )
    least_users: int = option("--least-users", type=Count(), default=2, help="Fewest users that a judgment needs.")

    def settings(self) -> dict[str, Any]:
        """How the API is told."""
        return {
            "grades": numbers("--thresholds", self.thresholds) or self.max_grade, "grade_by": self.grade_by,
            "shrink": not self.no_shrinkage, "least": (self.least_evidence, self.least_users),
        }  # fmt: skip


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
@click.option(
    "--model", type=click.Choice(["examined", "ctr", "ips", "pbm", "cascade", "sdbn", "dbn"]), default="examined",
    show_default=True,
    help="How clicks become rates. examined: clicks per look. ctr: clicks per impression. ips: clicks weighted by "
    "position. pbm: positions are fitted too. cascade, sdbn: clicks per look down to the first or the last click. "
    "dbn: the chance of going on is fitted too.",
)  # fmt: skip
@click.option(
    "--clickless", type=click.Choice(["seen", "left out"]), default="seen", show_default=True,
    help="How cascade and sdbn treat lists without a click.",
)  # fmt: skip
@click.option(
    "--examination",
    cls=CommaList,
    metavar="NUMBER,...",
    help="The chance that each position is looked at. Default: estimated.",
)
@takes(grading=Grading)
@click.option("--judgments", type=Reads(), metavar="FILE", help="Human judgments to compare the grades with.")
@columns_option(": query=q,user=visitor")
@click.option(
    "--types", cls=CommaList, metavar="KIND=WORD,...", help="Words of the log for events: impression=shown,click=open."
)
@level_option
@takes(answer=Answer)
def command(
    log: str,
    model: Literal["examined", "ctr", "ips", "pbm", "cascade", "sdbn", "dbn"],
    clickless: Literal["seen", "left out"],
    examination: str | None,
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

    grades = judgments_from_clicks(
        log, model=model, clickless=clickless, examination=numbers("--examination", examination), level=level,
        columns=pairs("--columns", columns), types=kinds_of_events(types), **grading.settings(),
    )  # fmt: skip
    if judgments is not None:
        grades = grades.against(judgments, level=level)
    answer.give(grades)
    if not answer.quiet and format_asked(answer.format, answer.output) == "csv":
        tell([note.text(answer.lang) for note in grades.notes])
        if grades.agreement is not None:
            tell([grades.agreement.to_text(answer.lang)])
