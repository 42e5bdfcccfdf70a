"""Markdown tables keep every cell in every reader: CommonMark, GitHub, Pandoc to other formats and back, nbconvert."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

import rankmeter as rm
from rankmeter.report.comparisons import ShownComparison
from rankmeter.report.evaluations import ShownEvaluations
from rankmeter.report.pipelines import to_summary
from rankmeter.showing import markdown
from rankmeter.showing.document import Cell, Column, Heading, Paragraph, Table, items
from rankmeter.showing.markdown import document_markdown

TRUTH = {n: {0} for n in range(40)}
RUNS = {
    "poor": {n: [1, 0] for n in TRUTH},
    "{.a}--b": {n: [0, 1] if n % 3 else [1, 0] for n in TRUTH},
    "c^2^ ~x~ @me": {n: [0, 1] if n % 9 else [1, 0] for n in TRUTH},
    "*d*|e_f_ $g$": {n: [0, 1] for n in TRUTH},
}
FEW = {"permutations": 200, "resamples": 100}


def compared(**more: object) -> rm.Comparison:
    return rm.compare(TRUTH, RUNS, ["RR", "P@1"], **FEW, **more)  # type: ignore[arg-type]


def hostile() -> str:
    names = [
        "a...b",
        "1. x",
        "(1) y",
        "# z",
        "i. w",
        "<sup>1</sup>",
        "a\\b",
        "&amp;",
        "![x](y)",
        "[@c]",
        "`t`",
        "-",
        "%",
        "'q'",
    ]
    marked = frozenset({"best"})
    columns = (Column("name {#h}", "text"), Column("n^2^"), Column("d", "difference"))
    rows = [
        (Cell(name, marked), Cell(0.6193, marked, (0.5, 0.7), "1-3,5"), Cell(-0.5, frozenset({"down"}), (-0.6, -0.4)))
        for name in names
    ]
    texts = [Paragraph(f"{name} is text") for name in names]
    return document_markdown([Heading("of {#all} 2^3^"), Table(columns, tuple(rows)), *texts, *items(names)])


LOG = [
    {"user": f"u{n}", "request": f"r{n}", "item": "a", "event": event, "position": 1, "time": 1_700_000_000 + n}
    for n in range(40) for event in ("impression", "click")[: 1 + n % 2]
]  # fmt: skip
WRITTEN: dict[str, Callable[[], str]] = {
    "evaluate": lambda: ShownEvaluations(
        [rm.evaluate(TRUTH, run, ["RR"], name=name) for name, run in RUNS.items()], intervals=True
    ).to_text("markdown"),
    "compare": lambda: compared().to_markdown(),
    "compare, zh": lambda: compared().to_markdown(lang="zh"),
    "compare with a baseline": lambda: compared(baseline="poor").to_markdown(),
    "compare by slice": lambda: compared(baseline="poor", by={n: "xy"[n % 2] for n in TRUTH}).to_markdown(),
    "board": lambda: document_markdown(ShownComparison(compared()).board_blocks()),
    "step summary": lambda: to_summary(compared(), []),
    "online": lambda: rm.online.evaluate(LOG, ["CTR"]).to_markdown(),
    "judging": lambda: rm.judges({"a": TRUTH_GRADES, "b": TRUTH_GRADES}).to_markdown(),
    "explain": lambda: rm.explain("nDCG@10").to_markdown(),
    "hostile names": hostile,
}  # fmt: skip
TRUTH_GRADES = {n: {0: 1, 1: n % 2} for n in TRUTH}


class _Page(HTMLParser):
    """The cells of every table of a page, and all of its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.text, self._in_cell = "", False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        del attrs
        if tag == "table":
            self.tables.append([])
        elif tag == "tr" and self.tables:
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self._in_cell = True

    def handle_endtag(self, tag: str) -> None:
        self._in_cell = self._in_cell and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._in_cell:
            self.tables[-1][-1][-1] += data


def plain(text: str) -> str:
    """A text without what typography changes: quotation marks, dots, blanks."""
    text = re.sub('["`\u2018\u2019\u201c\u201d]', "'", text).replace("\u2026", "...")
    return " ".join(text.replace("\xa0", " ").split())


BY_WINGS = ("online", "judging")


@pytest.fixture(
    params=[pytest.param(name, marks=[pytest.mark.wings(name)] if name in BY_WINGS else []) for name in WRITTEN]
)
def written(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[str, list[Table]]:
    """A text of Markdown, and the tables that it holds."""
    tables: list[Table] = []
    real = markdown.table_markdown

    def noted(table: Table) -> str:
        tables.append(table.only(lambda column: column.kind not in ("bar", "mark")))
        return real(table)

    monkeypatch.setattr(markdown, "table_markdown", noted)
    return WRITTEN[request.param](), tables


def check_page(page: str, tables: list[Table]) -> None:
    """Every cell stands in the page as it is: value, interval and what is beaten, apart from each other."""
    shown = [[[plain(cell) for cell in row] for row in table] for table in _Page(page).tables]
    wanted = [
        [
            [plain(column.head) for column in table.columns],
            *([_cell(cell, column) for cell, column in zip(row, table.columns, strict=True)] for row in table.rows),
        ]
        for table in tables
    ]
    assert shown == wanted


def _cell(cell: Cell, column: Column) -> str:
    raised = f"↑{cell.raised}" if cell.raised else cell.arrow
    return plain(" ".join(part for part in (cell.text(column), cell.span_text(column), raised) if part))


def check_latex(text: str, tables: list[Table]) -> None:
    """The same of the rows of LaTeX, cell by cell: Pandoc does not read all tables that it writes."""
    bodies = re.findall(
        r"\\end(?:last|)(?:head|foot)\n((?:(?!\\end|\\bottomrule).*\n)*)\\(?:bottomrule|end\{longtable\})", text
    )
    rows = [[row for row in re.split(r"\\\\(?: *\n|$)", body) if row.strip()] for body in bodies]
    cells = [f"CELL {cell.strip()}" for body in rows for row in body for cell in re.split(r"(?<!\\)&", row)]
    read = re.sub(r"\\textbar(\{\}| |(?=\W))", "|", "\n\n".join(cells))  # which Pandoc's reader of LaTeX drops
    page = pandoc(read, "-f", "latex", "-t", "html", "--wrap", "none")
    shown = [plain(part) for part in _Page(page).text.split("CELL")[1:]]
    wanted = [
        _cell(cell, column)
        for table in tables for row in table.rows for cell, column in zip(row, table.columns, strict=True)
    ]  # fmt: skip
    assert shown == wanted


def pandoc(text: str, *options: str) -> str:
    return subprocess.run(["pandoc", *options], input=text, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("dialect", ["commonmark_x", "gfm", "markdown"])
@pytest.mark.program("pandoc")
def test_every_dialect_of_markdown_shows_every_cell(dialect: str, written: tuple[str, list[Table]]) -> None:
    text, tables = written
    check_page(pandoc(text, "-f", dialect, "-t", "html"), tables)


@pytest.mark.program("pandoc")
def test_pandoc_writes_every_cell_in_other_formats(written: tuple[str, list[Table]], tmp_path: Path) -> None:
    text, tables = written
    known = set(pandoc("", "--list-output-formats").split()) & set(pandoc("", "--list-input-formats").split())
    assert known >= {"docx", "latex"}
    for name in sorted(known & {"docx", "latex", "typst"}):  # Pandoc reads Typst since 3.1
        made = tmp_path / f"made.{name}"
        pandoc(text, "-f", "markdown", "-t", name, "-o", str(made))
        if name == "latex":
            check_latex(made.read_text(encoding="utf-8"), tables)
        else:
            check_page(pandoc("", "-f", name, "-t", "html", str(made)), tables)


@pytest.mark.parametrize("dialect", ["commonmark_x", "gfm", "markdown"])
@pytest.mark.program("pandoc")
def test_hostile_names_stay_text_outside_of_tables_too(dialect: str) -> None:
    page = pandoc(hostile(), "-f", dialect, "-t", "html")
    text = plain(_Page(page).text)
    assert "of {#all} 2^3^" in text
    for line in hostile().splitlines():
        if line.endswith(" is text"):
            assert plain(re.sub(r"\\(.)", r"\1", line)) in text
    assert not re.search("<(ol|sup|sub|a|img|code|h[2-6])[ >]", page.replace("<h2", "", 1))


@pytest.mark.parametrize(
    "exporter", ["HTMLExporter", pytest.param("LatexExporter", marks=pytest.mark.program("pandoc"))]
)
def test_notebooks_that_are_converted_show_every_cell(exporter: str, written: tuple[str, list[Table]]) -> None:
    nbconvert = pytest.importorskip("nbconvert", reason="nbconvert is not installed")
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    text, tables = written
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text)])
    if exporter == "HTMLExporter":
        check_page(nbconvert.HTMLExporter().from_notebook_node(notebook)[0], tables)
        return
    check_latex(nbconvert.LatexExporter().from_notebook_node(notebook)[0], tables)
