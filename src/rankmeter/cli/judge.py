"""``rankmeter judge``: a page on which people judge."""

from __future__ import annotations

from pathlib import Path

import click

from rankmeter.cli.bilingual import language_option
from rankmeter.cli.parameters import CommaList, Command, Reads, Writes
from rankmeter.cli.talk import examples, tell
from rankmeter.errors import InputError
from rankmeter.whole_files import write_text
from rankmeter.wording import Language, word


@click.command(
    cls=Command,
    epilog=examples(
        "rankmeter pool judgments.qrels keyword.run hybrid.run --budget 200 --output pool.csv",
        "rankmeter judge pool.csv --items items.csv --queries queries.tsv --out judge.html",
        "rankmeter judge pool.csv --grades 0..2 --labels '0=no,1=partly,2=yes' --guidelines guide.txt --out judge.html",
    ),
)
@click.argument("pool", type=Reads())
@click.option(
    "--items", type=Reads(), metavar="FILE", help="Table of the items: an id, and what a judge is shown of them."
)
@click.option("--queries", type=Reads(), metavar="FILE", help="Texts of the queries: a file of ids and texts.")
@click.option(
    "--grades", default="0..3", show_default=True, metavar="LOW..HIGH|GRADE,...", help="Grades that can be given."
)
@click.option("--labels", cls=CommaList, metavar="GRADE=TEXT,...", help="What each grade means.")
@click.option("--guidelines", type=Reads(), metavar="FILE", help="Text file that is shown above the items.")
@click.option("--judge", "name", default="", metavar="NAME", help="Name of the judge; it can be changed on the page.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed for the order of the items of a query.")
@click.option("--out", "output", type=Writes(), required=True, help="Write the page to this file.")
@language_option
def command(
    pool: str,
    items: str | None,
    queries: str | None,
    grades: str,
    labels: str | None,
    guidelines: str | None,
    name: str,
    seed: int,
    output: Path,
    lang: Language,
) -> None:
    """Make a page on which a person judges the pairs of POOL, a table with a query and an item column.

    The page is one file and needs no network. It shows neither systems nor ranks; the items of a query are in
    random order. What was judged is kept in the browser and exported as a table that rankmeter reads as judgments.
    """
    from rankmeter.inputs.compression import open_source
    from rankmeter.judging.panel import parse_scale
    from rankmeter.report.judge_page import judge_page

    text = ""
    if guidelines is not None:
        with open_source(guidelines) as source:
            text = source.read_all().decode("utf-8-sig", "replace")
    values = [int(grade) if float(grade).is_integer() else float(grade) for grade in parse_scale(grades)]
    page = judge_page(
        pool, items=items, queries=queries, grades=values, labels=_labels(labels), guidelines=text,  # type: ignore[arg-type]
        judge=name, seed=seed, lang=lang,
    )  # fmt: skip
    write_text(output, page.text)
    tell([word("judge_written", lang, path=str(output), pairs=page.pairs, queries=page.queries)])


def _labels(text: str | None) -> dict[int, str]:
    labels = {}
    for part in filter(None, (text or "").split(",")):
        grade, equals, label = part.partition("=")
        if not equals or not grade.strip().isdecimal():
            raise InputError.of("judging.label_without_grade", text=part)
        labels[int(grade)] = label.strip()
    return labels
