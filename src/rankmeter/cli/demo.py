"""``rankmeter demo``: evaluate the bundled data and write a report."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

import rankmeter as rm
from rankmeter import demo as bundled
from rankmeter.cli.evaluate import Asking, evaluate_files
from rankmeter.cli.output import show
from rankmeter.cli.parameters import Writes, command
from rankmeter.cli.talk import echo, spoken_language, tell
from rankmeter.definitions.explain import explain_measure
from rankmeter.errors import Finished, InputError, MissingExtraError
from rankmeter.inputs.titles import read_texts
from rankmeter.report import need_report_extra
from rankmeter.report.evaluations import ShownEvaluations, measure_column, value_cell
from rankmeter.showing.document import Cell, Column, Table
from rankmeter.showing.markdown import markdown_text, table_markdown
from rankmeter.whole_files import make_folder, write_text
from rankmeter.wording import LANGUAGES, Language, line_about, said, word

if TYPE_CHECKING:
    from rankmeter.evaluating.result import Evaluation

MEASURES = ("nDCG@10", "AP", "RR@10", "P@5", "R@20", "Judged@10")
WORST = 5
"""How many of the best system's worst queries the report shows."""


@command()
@click.option("--output", type=Writes(folder=True), show_default="demo-output")
@click.option("--data", type=Writes(folder=True))
def demo(output: Path | None, data: Path | None) -> None:
    """The bundled data evaluated, compared and written as a report; or the data itself."""
    if data is not None:
        _write_data(data)
        return
    output = output or Path("demo-output")
    make_folder(output)
    report, queries, page = output / "report.md", output / "per-query.csv", output / "report.html"
    titles = tuple(f"# {word('demo_title', lang)}" for lang in LANGUAGES)
    is_ours = report.is_file() and report.read_text(encoding="utf-8", errors="replace").startswith(titles)
    for path in (report, queries, page):
        if path.exists() and not is_ours:  # no demo wrote it
            raise InputError.of("files.already_there", source=str(path))
    judgments = str(bundled.data_path(bundled.JUDGMENTS))
    runs = {name: str(bundled.data_path(file)) for name, file in bundled.RUNS.items()}
    evaluations = evaluate_files(judgments, runs, MEASURES, Asking())
    asked = [part for measure in MEASURES for part in ("-m", measure)]
    line = shlex.join([*program(), "evaluate", judgments, *runs.values(), *asked])
    lang = spoken_language()
    write_text(report, _report_text(evaluations, line, lang))
    write_text(queries, ShownEvaluations(evaluations, per_query=True).to_csv())
    on_page = _write_page(page, judgments, runs, lang)
    show([ShownEvaluations(evaluations, lang).table()])
    places = [word("demo_report", lang, place=str(report)), word("demo_values", lang, place=str(queries))]
    tell([word("demo_made_up", lang), on_page, *places, word("demo_by_hand", lang, command=Finished(line))])


def program() -> list[str]:
    """The command that starts rankmeter again from the same shell: its name, or its path if the name is not found."""
    called = Path(sys.argv[0])
    if called.stem != "rankmeter":  # python -m rankmeter
        return [sys.executable, "-m", "rankmeter"]
    return [called.stem if shutil.which(called.stem) else sys.argv[0]]


def _write_data(folder: Path) -> None:
    """Write the data of the demo, and suggest commands to try."""
    lang = spoken_language()
    for path in bundled.write_data(folder):
        echo(str(path))
    start = shlex.join(program())
    names = (bundled.JUDGMENTS, "events.csv", bundled.SPOTS, "keyword.run", "hybrid.run")
    judgments, log, spots, *runs = (shlex.quote(str(folder / name)) for name in names)
    scores = "--score weighted_sentiment_score --score normalized_sentiment_score"
    tell(
        [
            word("demo_events_too", lang, made_up=said("demo_made_up")),
            word("demo_try", lang),
            f"  {start} evaluate {judgments} {' '.join(runs)} -m nDCG@10 -m AP --interval",
            f"  {start} explain nDCG@10 {judgments} {runs[0]} --query q007",
            f"  {start} compare {judgments} {' '.join(runs)}",
            f"  {start} reconcile {judgments} {runs[0]} --claim NDCG@10=0.4516",
            f"  {start} table {spots} --id SpotID --group theme --truth Check {scores}",
            f"  {start} online {log} -m CTR -m CVR --by variant",
        ]
    )


def _write_page(page: Path, judgments: str, runs: dict[str, str], lang: Language) -> str:
    """Compare the systems and write the report as a page; return what to tell about it."""
    try:
        need_report_extra()
    except MissingExtraError as error:
        return word("demo_no_page", lang, page=page.name, why=Finished(error.text(lang)))
    titles = {"queries": bundled.data_path(bundled.QUERIES), "items": bundled.data_path(bundled.ITEMS)}
    compared = rm.compare(judgments, runs, MEASURES, baseline=next(iter(runs)), permutations=10_000)
    compared.report(page, titles=titles, title=word("demo_title", lang), lang=lang)
    return word("demo_page", lang, place=str(page))


def _report_text(evaluations: Sequence[Evaluation], line: str, lang: Language) -> str:
    """The report as Markdown: numbers with intervals, what they mean, and where the best system fails."""
    shown = ShownEvaluations(evaluations, lang, intervals=True)
    measures = shown.measures
    best = max(evaluations, key=lambda ev: ev.means[measures[0]])
    facts = ["- " + line_about(markdown_text(ev.name), ev.facts.sentences(), lang) for ev in evaluations]
    ties = [f"- {markdown_text(note.text(lang))}" for note in shown.tie_notes()]
    parts = [
        f"# {word('demo_title', lang)}",
        word("demo_made_up", lang),
        f"## {word('demo_results', lang)}",
        table_markdown(shown.table()),
        word("demo_bold", lang),
        f"```sh\n{line}\n```",
        f"## {word('demo_evaluated', lang)}",
        "\n".join(facts),
        word("demo_ties", lang) + "\n\n" + "\n".join(ties) if ties else "",
        f"## {word('demo_worst', lang, system=best.name, measure=best.label(measures[0]))}",
        _worst_queries(best, lang),
        word("demo_hopeless", lang),
        f"## {word('demo_means', lang)}",
        *(explain_measure(measure, language=lang).to_markdown(level=3).rstrip() for measure in measures),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _worst_queries(ev: Evaluation, lang: Language) -> str:
    measures, texts = list(ev.means), read_texts(bundled.data_path(bundled.QUERIES)).rows
    # If nothing is relevant no system can do better; the denominator of the first measure, nDCG, is then 0.
    hopeless = {query for query, below in zip(ev.queries, ev.values[measures[0]].denominator, strict=True) if not below}
    rows = [row for row in ev.per_query.iter_rows() if row[0] not in hopeless]
    worst = sorted(rows, key=lambda row: row[1])[:WORST]
    cells = (
        (Cell(str(query)), Cell(texts.get(str(query), ("",))[0]), *map(value_cell, values, measures))
        for query, *values in worst
    )
    columns = (Column(word("query", lang), "text"), Column(word("text", lang), "text"), *map(measure_column, measures))
    return table_markdown(Table(columns, tuple(cells)))
