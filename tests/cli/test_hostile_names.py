"""Names that attack: whatever an id, a system or a slice is called, no medium acts on it.

Every command is given the same hostile names and asked for every format that it has. A terminal is shown none of their
controls, LaTeX reads no command, Markdown makes no link, a browser builds no element, a spreadsheet runs no formula;
JSON and CSV hold the names as they are.
"""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result
from markdown_it import MarkdownIt

import rankmeter as rm
from rankmeter.cli import app
from rankmeter.definitions.explain import explain_measure
from rankmeter.inputs.cells import csv_text, guarded, unguarded
from rankmeter.wording.characters import one_line

NAMES = (
    "plain",
    "\x1b[2J\x1b]0;owned\x07escape",
    "\x9b31mred",
    "bell\x07\x7f\x08\x08",
    "\u202egnp.exe",
    "two\nlines\n\\input{secret}",
    "\\input{secret}%",
    "[click](javascript:alert)",
    "![pixel](http://tracker.example/x.png)",
    "https://tracker.example/www.tracker.example",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "</script><b>bold</b>{{ 7 * 7 }}",
    "__proto__",
    "# heading",
    "=HYPERLINK(A1)",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "'=already",
    " =SPACED(A1)",
    "a,b\"c'd",
    "\u2028separator",
)
ACTIVE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028]")
TAGS = frozenset(
    """html head meta title style body header main section div span p h1 h2 h3 h4 table caption thead tbody tr th td b
    small ul ol li details summary code nav label select option button input figure figcaption noscript link i svg g
    path text line rect circle defs clippath sup footer strong em pre br a""".split()
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judgments, two runs of hostile names, slices, titles, a table of items, a log, past experiments."""
    place = tmp_path_factory.mktemp("hostile")
    items = list(NAMES)
    judged = [(query, item, 1 + at % 2) for query in NAMES for at, item in enumerate(items[:5])]
    (place / "judgments.csv").write_text(csv_text([("query", "item", "grade"), *judged]))
    for shift, name in enumerate(("<b>one</b>", "\x1b[2J=two")):
        rows = [
            (query, item, len(items) - (at * (7 + shift) + turn) % len(items))
            for turn, query in enumerate(NAMES)
            for at, item in enumerate(items)
        ]
        (place / f"{name.replace('/', '')}.csv").write_text(csv_text([("query", "item", "score"), *rows]))
    (place / "kinds.csv").write_text(
        csv_text([("query", "kind"), *((query, NAMES[at // 7]) for at, query in enumerate(NAMES))])
    )
    (place / "titles.csv").write_text(csv_text([("id", "title"), *((name, f"{name} {name}") for name in NAMES)]))
    (place / "items.csv").write_text(
        csv_text([("id", "shelf", "model", "sales"), *((n, NAMES[at % 3], at, -at) for at, n in enumerate(NAMES))])
    )
    events = [
        (f"2026-01-01T00:{at:02}:0{second}", name, kind, f"{name}{at}", item, 1, NAMES[1 + at % 2])
        for at, name in enumerate(NAMES)
        for second, (kind, item) in enumerate([("impression", "a"), ("impression", "b"), ("click", "a")])
    ]
    head = ("time", "user", "type", "request", "item", "position", "variant")
    (place / "events.csv").write_text(csv_text([head, *events]))
    (place / "past.csv").write_text(
        csv_text([("online", "[n](javascript:x)"), *((0.1 * at, 0.2 * at % 0.5) for at in range(9))])
    )
    clicks = [(name, name, "A" if at % 3 else "B") for at, name in enumerate(NAMES)]
    (place / "clicks.csv").write_text(csv_text([("user", "request", "team"), *clicks]))
    (place / "choices.csv").write_text(
        csv_text([("reward", "logged", "target", "user"), *((at % 2, 0.5, 0.4, name) for at, name in enumerate(NAMES))])
    )
    return place


RUNS = ["<b>one<b>.csv", "\x1b[2J=two.csv"]
COMPARE = ["compare", "judgments.csv", *RUNS, "-m", "RR", "--permutations", "200", "--resamples", "200"]
TABLE = ["table", "items.csv", "--id", "id", "--group", "shelf", "--score", "model", "--truth", "sales"]
COMMANDS: dict[str, tuple[list[str], tuple[str, ...]]] = {
    "evaluate": (["evaluate", "judgments.csv", *RUNS], ("table", "json", "csv", "markdown", "latex")),
    "evaluate --per-query": (
        ["evaluate", "judgments.csv", *RUNS, "--per-query"],
        ("table", "json", "csv", "markdown", "latex"),
    ),
    "evaluate --by": (
        ["evaluate", "judgments.csv", RUNS[0], "--by", "kinds.csv:kind", "--interval"],
        ("table", "json", "csv", "markdown", "latex"),
    ),
    "compare": (COMPARE, ("table", "json", "csv", "markdown", "latex")),
    "compare --by": ([*COMPARE, "--by", "kinds.csv:kind"], ("table", "json", "csv", "markdown", "latex")),
    "pool": (["pool", "judgments.csv", *RUNS], ("csv", "json")),
    "advise": (["advise", "judgments.csv", *RUNS], ("text", "json")),
    "explain": (
        ["explain", "nDCG@10", "judgments.csv", RUNS[0], "--query", NAMES[1]],
        ("text", "markdown", "html", "json"),
    ),
    "reconcile": (
        ["reconcile", "judgments.csv", RUNS[1], "--claim", "RR=0.5", "--changes", "1"],
        ("text", "markdown", "html", "json"),
    ),
    "table": (TABLE, ("text", "markdown", "html", "json")),
    "online": (["online", "events.csv", "--by", "variant"], ("table", "json", "csv", "markdown")),
    "online --experiment": (["online", "events.csv", "--control", NAMES[1]], ("table", "json", "csv", "markdown")),
    "interleave make": (["interleave", "make", *RUNS], ("csv",)),
    "interleave score": (["interleave", "score", "clicks.csv"], ("table", "json")),
    "counterfactual": (["counterfactual", "choices.csv"], ("table", "json", "csv")),
    "agreement": (["agreement", "past.csv", "--offline", "[n](javascript:x)"], ("table", "json", "csv")),
}
CASES = [(name, form) for name, (_, forms) in COMMANDS.items() for form in forms]


def run(folder: Path, name: str, form: str, monkeypatch: pytest.MonkeyPatch) -> Result:
    monkeypatch.chdir(folder)
    arguments = COMMANDS[name][0]
    asked = [] if name == "interleave make" else ["--format", form]
    result = CliRunner().invoke(app, [*arguments, *asked])
    assert result.exit_code in (0, 1), result.stderr
    assert not ACTIVE.search(result.stderr)
    return result


@pytest.mark.parametrize(("name", "form"), CASES)
def test_no_medium_acts_on_a_name(folder: Path, name: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = run(folder, name, form, monkeypatch).stdout
    {"json": _is_json, "csv": _runs_nothing, "markdown": _links_nothing, "latex": _obeys_nothing}.get(
        form, _builds_nothing if form == "html" else _controls_nothing
    )(text)


def _is_json(text: str) -> None:
    json.loads(text)


def _controls_nothing(text: str) -> None:
    assert not ACTIVE.search(text)


def _runs_nothing(text: str) -> None:
    rows = list(csv.reader(io.StringIO(text)))
    assert len({len(row) for row in rows}) == 1
    for cell in (cell for row in rows for cell in row):
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r")) or re.fullmatch(r"[+-][\d.e+-]+", cell)
    held = {unguarded(cell) for row in rows for cell in row}
    known = {*NAMES, *(Path(path).stem for path in RUNS)}
    for cell in (cell for row in rows for cell in row if cell in map(guarded, known)):
        assert unguarded(cell) in held & known


def _obeys_nothing(text: str) -> None:
    assert not ACTIVE.search(text)
    live = [line for line in text.splitlines() if not line.startswith("%")]
    assert not re.search(r"\\input", "\n".join(live))


def _links_nothing(text: str) -> None:
    assert not ACTIVE.search(text)
    html = MarkdownIt("commonmark").enable("table").render(text)
    _Elements("table thead tbody tr th td ul ol li p h2 h3 strong em code sup").feed(html)
    assert not re.search(r"(?<!\\)://|www(?<!\\)\.", text)


class _Elements(HTMLParser):
    """Refuses elements that a name has made, and links."""

    def __init__(self, known: str) -> None:
        super().__init__()
        self.known = frozenset(known.split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in self.known, tag
        inside = all((value or "").startswith("#") for name, value in attrs if name == "href")
        assert inside, attrs
        assert not any(name.startswith("on") or name == "src" for name, _ in attrs), attrs


def _builds_nothing(text: str) -> None:
    assert "Content-Security-Policy" in text
    assert "default-src 'none'" in text
    _Elements(" ".join(TAGS)).feed(text)


def test_pages_hold_their_policy_and_no_foreign_element(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    titles = ["--titles", "queries=titles.csv", "--titles", "items=titles.csv"]
    for arguments in ([*COMPARE, "--by", "kinds.csv:kind", *titles], ["online", "events.csv", "--control", NAMES[1]]):
        result = CliRunner().invoke(app, [*arguments, "--report", "page.html"])
        assert result.exit_code in (0, 1), result.stderr
        page = Path("page.html").read_text(encoding="utf-8")
        # What rankmeter's own scripts hold is text to the browser; a name must not end them.
        still = re.sub(r"<script[^>]*>.*?</script>", "", page, flags=re.DOTALL)
        still = still.replace('<link rel="icon" href="data:,">', "")
        _builds_nothing(still)
        assert still.count("</script") == 0


def test_notebook_fragments_hold_no_foreign_element() -> None:
    truth = {query: dict.fromkeys(NAMES[:4], 1) for query in NAMES}
    runs = {name: {query: list(NAMES[at:]) for query in NAMES} for at, name in enumerate(NAMES[:4])}
    kinds = {query: NAMES[at // 7] for at, query in enumerate(NAMES)}
    cmp = rm.compare(truth, runs, ["RR"], permutations=100, resamples=100, by={"<i>kind</i>": kinds})
    ev = rm.evaluate(truth, runs[NAMES[1]], "RR", name=NAMES[10], by=kinds)
    worked = rm.explain("nDCG@5", truth, runs[NAMES[0]], query=NAMES[10])
    for shown in (cmp, ev, next(iter(ev.slices.values())), worked, explain_measure("RR")):
        _Elements(" ".join(TAGS)).feed(shown._repr_html_())
    for shown in (cmp, ev, worked):
        assert not ACTIVE.search(f"{shown}{shown!r}")


@pytest.mark.parametrize("name", ["evaluate", "evaluate --per-query", "compare", "pool", "explain", "interleave make"])
def test_a_terminal_is_never_controlled(folder: Path, name: str) -> None:
    _, shown = on_terminal([*COMMANDS[name][0]], folder)
    for control in ("\x1b[2J", "\x1b]0", "\x9b", "\x07", "\u202e"):
        assert control not in shown


def test_a_terminal_without_bold_letters_gets_the_tables_with_marks(folder: Path) -> None:
    _, shown = on_terminal([*COMMANDS["compare"][0]], folder)
    assert "bold" not in shown
    assert "* first, or not significantly worse than the first" in shown


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "judgments.csv", NAMES[1]],
        ["evaluate", "judgments.csv", RUNS[0], "-m", NAMES[1]],
        ["explain", "RR", "judgments.csv", RUNS[0], "--query", NAMES[1] + "x"],
        ["compare", "judgments.csv", *RUNS, "--baseline", NAMES[2]],
        [NAMES[1]],
    ],
)
def test_an_error_controls_no_terminal(folder: Path, arguments: list[str]) -> None:
    code, shown = on_terminal(arguments, folder)
    assert code == 2
    for control in ("\x1b[2J", "\x1b]0", "\x9b", "\x07"):
        assert control not in shown


def test_errors_and_warnings_of_the_library_hold_no_controls() -> None:
    with pytest.raises(rm.RankmeterError) as caught:
        rm.evaluate({NAMES[1]: {"a": 1}}, {NAMES[1]: ["a", "a"]}, "RR")
    assert not ACTIVE.search(str(caught.value))
    assert not ACTIVE.search(str(rm.RankmeterWarning(NAMES[1])))


def on_terminal(arguments: list[str], folder: Path) -> tuple[int, str]:
    """The exit code and all that a terminal gets."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "120"}
    with subprocess.Popen(
        [sys.executable, "-m", "rankmeter", *arguments], stdout=theirs, stderr=theirs, cwd=folder, env=environment
    ) as process:
        os.close(theirs)
        shown = bytearray()
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            shown += part
    os.close(ours)
    return process.returncode, shown.decode(errors="replace")


def test_names_in_csv_are_read_back_as_they_were(tmp_path: Path) -> None:
    judged = tmp_path / "judged.csv"
    judged.write_text(csv_text([("query", "item", "grade"), *((name, name, 1) for name in NAMES)]))
    returned = {name: [name] for name in NAMES}
    assert rm.evaluate(judged, returned, "RR")["RR"] == 1.0
    frame = pl.DataFrame({"query": NAMES, "item": NAMES, "score": [-1.5] * len(NAMES)})
    again = tmp_path / "run.csv"
    again.write_text(rm.inputs.cells.frame_csv(frame))
    assert "-1.5" in again.read_text()
    assert rm.evaluate({name: {name} for name in NAMES}, again, "RR")["RR"] == 1.0


@pytest.mark.parametrize(
    "text", [*NAMES, "''=x", "'", "", "-1e5", "+0.5", "-", "=", "\t=", "'tis", "-.5", "  +1+1", "' -x", " -0.5"]
)
def test_a_cell_is_unguarded_to_what_it_was(text: str) -> None:
    assert unguarded(guarded(text)) == text
    assert not guarded(text).lstrip().startswith(("=", "@", "\t")), text
    assert one_line(text).isprintable() or "\u2068" in text


@pytest.mark.parametrize("blanks", [" ", "   ", "\t ", "\n", "\xa0", "\u3000", "\u2003\u200b", "\ufeff", "\x85"])
@pytest.mark.parametrize("sign", "=+-@")
def test_blanks_hide_no_formula(blanks: str, sign: str) -> None:
    text = f"{blanks}{sign}A1"
    written = rm.inputs.cells.frame_csv(pl.DataFrame({"id": [text, f"'{text}"]}))
    assert unguarded(guarded(text)) == text
    assert guarded(text)[0] == "'"
    rows = [row["id"] for row in csv.DictReader(io.StringIO(written, newline=""))]
    assert rows == [f"'{text}", f"''{text}"]
    assert rm.inputs.cells.unguarded_column(pl.Series(rows)).to_list() == [text, f"'{text}"]
