"""What is said about comparisons: every kind in both languages, from the same values; no English in Chinese."""

from __future__ import annotations

import ast
import copy
import pickle
import pkgutil
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from string import Formatter

import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter import demo, wording
from rankmeter.cli import app
from rankmeter.wording import Kinds, said, sentence_files, word, words

ENGLISH = re.compile(r"(?:\b(?!rankmeter)[A-Za-z]{2,}\b[ ,;:]+){2,}[A-Za-z]{2,}")
"""Three words of letters in a row: names and options are shorter, sentences are not."""
FILES = sentence_files()
KINDS = {(file, kind) for file in FILES for kind in words(file, "en")}
FOLDER = Path(wording.__file__).parent
PAGES = [f"definitions/{path.stem}" for path in sorted((FOLDER / "definitions").glob("*.toml"))]
JUDGMENTS = str(demo.data_path(demo.JUDGMENTS))
RUNS = {name: str(demo.data_path(file)) for name, file in demo.RUNS.items()}
QUICK = ["--permutations", "200", "--resamples", "200"]


def _places(text: str) -> set[tuple[str, str]]:
    # Which word fits a number is a matter of English: Chinese has no plural.
    return {(name, spec or "") for _, name, spec, _ in Formatter().parse(text) if name and "|" not in (spec or "")}


LISTS = ["measure_list", "dialect_list"]
LISTS += [
    f"../wings/{path.parts[-3]}/words/{path.stem}"
    for path in sorted(FOLDER.parent.glob("wings/*/words/*.toml"))
    if path.stem not in ("errors", "help", "sentences")
]


@pytest.mark.parametrize("file", [*FILES, *PAGES, *LISTS])
def test_both_languages_have_every_kind_with_the_same_places(file) -> None:
    english, chinese = words(file, "en"), words(file, "zh")
    assert set(english) == set(chinese)
    for kind, text in english.items():
        assert _places(text) == _places(chinese[kind]), kind
        assert not ENGLISH.search(chinese[kind]), kind


ERRORS = {f"errors/{path.stem}": path.stem for path in sorted((FOLDER / "errors").glob("*.toml"))}
ERRORS |= {
    f"../wings/{path.parts[-3]}/words/errors": path.parts[-3]
    for path in sorted(FOLDER.parent.glob("wings/*/words/errors.toml"))
}
"""Files of errors, each with its room or wing."""


@pytest.mark.parametrize("file", [*FILES, *ERRORS])
def test_a_kind_is_read_by_itself_as_with_its_whole_file(file) -> None:
    room = f"{ERRORS[file]}." if file in ERRORS else ""
    for kind, texts in tomllib.loads((FOLDER / f"{file}.toml").read_text("utf-8")).items():
        assert wording.wording_of(room + kind) == texts


COUNTED = """
    queries items users systems runs rows pairs judgments definitions digits permutations tests resamples interactions
    samples candidates scores fields groups places columns checks units events impressions clicks conversions sessions
    labels spans experiments segments variants values lists files hits characters bytes days positions lines responses
    documents vectors answers
""".split()
AT_LEAST_TWO = set("""
    k most least limit fewest enough width growth most_units most_labels deepest wanted lengths_2 negatives what
""".split())  # fmt: skip
"""Limits, names, and what is said of several only."""


class Ones(dict[str, object]):
    """One of everything that a sentence counts."""

    def __missing__(self, name: str) -> int:
        return 2 if name in AT_LEAST_TWO else 1


@pytest.mark.parametrize("file", [*FILES, *PAGES, *LISTS, *ERRORS])
def test_one_of_anything_is_singular(file) -> None:
    between = "judged|unjudged|unanswerable|relevant|more|other|gold|different|such|complete past|recommended|resampled"
    wrong = re.compile(rf"(?<!all )(?<!of the first )\b1 (?:(?:{between}) )?(?:{'|'.join(COUNTED)})\b")
    for kind, texts in tomllib.loads((FOLDER / f"{file}.toml").read_text("utf-8")).items():
        for key, text in texts.items():
            told = "" if key.endswith("zh") else wording.filled(text, Ones(), "en")
            # Columns among which one has to be chosen are several.
            assert "could be the" in told or not wrong.search(told), (kind, told)


def test_a_kind_stands_in_one_file_only() -> None:
    assert max(Counter(kind for _, kind in KINDS).values()) == 1


@pytest.mark.wings
def test_every_kind_is_said_somewhere() -> None:
    source = Path(rm.__file__).parent
    code = "\n".join(path.read_text("utf-8") for path in source.rglob("*.*") if path.suffix in (".py", ".js", ".jinja"))
    # What follows a quote or a dot, up to each end of a word; in the templates a space may stand for an underscore.
    texts = set(re.findall(r"""["'.]([\w ]+)""", code))
    ends = ((text, end) for text in texts for end in (*(gap.start() for gap in re.finditer(" ", text)), len(text)))
    written = {text[:end].replace(" ", "_") for text, end in ends}
    # What is about one thing is said without the prefix; the page of a log has a text for each chart.
    start = "|".join(["online", *re.findall(r'about="(\w+)"', code)])
    labels = {kind: re.sub(f"^({start})_", "", kind).removesuffix("_text") for _, kind in KINDS}
    unsaid = [kind for kind, label in labels.items() if kind not in written and label not in written]
    assert set(unsaid) <= {kind for table in TABLES.values() for kind in table.values()}


MODULES = [module.name for module in pkgutil.walk_packages(rm.__path__, "rankmeter.") if "cuda" not in module.name]


def tables() -> dict[str, Kinds]:
    """Every table of kinds, by where it stands; modules of libraries that are not here have none."""
    found = {}
    for name in MODULES:
        with suppress(ImportError):
            found |= {f"{name}.{at}": table for at, table in vars(import_module(name)).items() if type(table) is Kinds}
    return found


TABLES = tables()


def test_every_kind_of_every_table_has_its_words() -> None:
    known = {kind for _, kind in KINDS}
    assert {place: [*lacking] for place, table in TABLES.items() if (lacking := {*table.values()} - known)} == {}


SAYING = {"said", "word", "said_table"}


def composed(tree: ast.AST) -> Iterator[int]:
    """Lines in which a kind of sentence or of error is put together from strings."""
    kinds = [call.args[0] for call in ast.walk(tree) if _says(call)]
    kinds += [node.slice for node in ast.walk(tree) if _is_of_words(node)]
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            names = {
                call.args[0].id for call in ast.walk(function) if _says(call) and isinstance(call.args[0], ast.Name)
            }
            kinds += [
                node.value
                for node in ast.walk(function)
                if isinstance(node, ast.Assign) and any(map(names.__contains__, map(ast.unparse, node.targets)))
            ]
    for kind in kinds:
        if any(isinstance(node, (ast.JoinedStr, ast.BinOp)) and "'" in ast.unparse(node) for node in ast.walk(kind)):
            yield kind.lineno


def _says(call: ast.AST) -> bool:
    if not isinstance(call, ast.Call) or not call.args:
        return False
    if getattr(call.func, "attr", getattr(call.func, "id", "")) not in (*SAYING, "of"):
        return False
    owner, _, name = ast.unparse(call.func).rpartition(".")
    return (name in SAYING and owner in ("", "self", "wording", "shown")) or (name == "of" and owner.endswith("Error"))


def _is_of_words(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "words"


@pytest.mark.slow
@pytest.mark.wings
def test_no_kind_is_put_together_when_it_is_said() -> None:
    source = Path(rm.__file__).parent
    trees = {path: ast.parse(path.read_text("utf-8")) for path in source.rglob("*.py")}
    found = {str(path.relative_to(source)): sorted(set(composed(tree))) for path, tree in trees.items()}
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "code",
    ["said(f'test_{x}')", "self.word('test_' + x)", "def f(x):\n    kind = f'{x}_b'\n    raise InputError.of(kind)"],
)
def test_a_kind_that_is_put_together_is_found(code) -> None:
    assert list(composed(ast.parse(code)))


@pytest.mark.parametrize("page", PAGES)
def test_every_word_of_a_page_stands_on_it(page) -> None:
    code = "\n".join(path.read_text("utf-8") for path in FOLDER.parent.joinpath("definitions").glob("*.py"))
    kinds = [kind.removesuffix("_of_several") for kind in words(page, "en")]
    assert [kind for kind in kinds if not re.search(rf"""["']{kind}""", code)] == []


def test_a_sentence_holds_sentences_lists_and_numbers_by_name() -> None:
    note = said("general.and_more", first=["nDCG", said("unit_query")], count=1200)
    assert note == "nDCG, query and 1,200 more"
    assert note.text("zh") == "nDCG、查询，以及另外 1,200 项"
    assert said("poorly_judged", k=5, shares={"a": 0.5, "b": 0.125}).endswith("judged: a 50%, b 12%")


def test_a_sentence_survives_copies() -> None:
    note = said("few_units", count=3, units=said("units_query"))
    for again in (copy.deepcopy(note), pickle.loads(pickle.dumps(note))):
        assert again == note
        assert again.text("zh").startswith("只有 3 个查询：只有较大的差异才能与偶然区分开；")


def test_a_name_with_braces_is_a_name() -> None:
    assert word("no_worse", "en", system="{x}", other="a{b}", p="0.1", margin=0.1) == (
        "{x} loses less than 0.1 against a{b} (p 0.1)"
    )


@pytest.fixture(scope="module")
def difficult():
    """A comparison that has something to say of nearly every kind."""
    truth = {f"q{i}": {"a": 1, "b": 0} for i in range(8)} | {"q8": {"a": 0}}
    one = {f"q{i}": {"a": 1.0, "x": 1.0, "b": 0.5} for i in range(7)}
    two = {f"q{i}": {"x": 3.0, "y": 2.0, "a": 1.0} for i in range(9)}
    measures = ["nDCG@2", "RR", "NumRet", "RR(aggregate=median)", "Bpref", "P(unjudged=removed)@2", "SetP(empty=nan)"]
    quick = {"permutations": 200, "resamples": 200}
    systems = {"one": one, "two": two, "both": rm.seeds(one, one)}
    return rm.compare(truth, systems, measures, baseline="one", margin=0.3, **quick)


def _visible(page: str) -> str:
    """What a reader sees, without names, code, and the words of the programs inside."""
    body = re.sub(r"<(script|style|code|title)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return re.sub(r"<[^>]*>", "\n", body)


def test_a_chinese_report_holds_no_english_sentence(difficult, tmp_path) -> None:
    pytest.importorskip("vl_convert", reason="reports need the extra 'report'")
    page = difficult.report(tmp_path / "report.html", lang="zh").read_text("utf-8")
    assert all(ENGLISH.search(note) for note in difficult.notes)
    for note in difficult.notes:
        assert note.text("zh").split("；")[0].replace("'", "&#39;") in page
        assert note not in page
    assert "的损失小于" in page
    assert ENGLISH.findall(_visible(page)) == []
    labels = page.partition('"words":')[2].partition("}")[0]
    assert ENGLISH.findall(labels) == []


@pytest.mark.parametrize("format", ["table", "markdown", "latex"])
def test_compare_in_chinese_prints_no_english_sentence(format, monkeypatch, tmp_path) -> None:
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    options = ["--baseline", "keyword", "--margin", "0.02", "--needed", "0.01", "--format", format, "--lang", "zh"]
    gates = ["--fail-if", "RR < baseline significantly", "--fail-if", "RR < 0.1", "--github-summary"]
    result = CliRunner().invoke(
        app, ["compare", JUDGMENTS, *RUNS.values(), "-m", "nDCG@10,RR", *options, *gates, *QUICK]
    )
    assert result.exit_code == 0
    said_there = result.output + summary.read_text("utf-8")
    assert "显著" in said_there
    assert "所有检查均已通过" in said_there
    for line in said_there.splitlines():
        assert not ENGLISH.search(re.sub(r"RR < [\w. ]+", "", line)), line


def test_advice_in_chinese_holds_no_english_sentence() -> None:
    result = CliRunner().invoke(app, ["advise", JUDGMENTS, *RUNS.values(), "--lang", "zh"])
    assert result.exit_code == 0
    assert "推荐：" in result.stdout
    assert [line for line in result.output.splitlines() if ENGLISH.search(line)] == []


def test_both_languages_say_the_same_numbers(difficult) -> None:
    for note in [*difficult.notes, *difficult.settings.sentences()]:
        numbers = [sorted(re.findall(r"\d[\d,.]*\d|\d", text)) for text in (note, note.text("zh"))]
        assert numbers[0] == numbers[1]


def test_names_from_right_to_left_do_not_turn_round_the_numbers_beside_them() -> None:
    names = {"\u202eturned": 0.49, "שלום": 0.51, "plain": 0.5}
    found = said("poorly_judged", k=10, shares=names)
    assert "\u2068\u202eturned\u2069 49%" in found
    assert "\u2068שלום\u2069 51%" in found
    assert " plain 50%" in found


TERMS = tomllib.loads((FOLDER / "terms.toml").read_text("utf-8"))
NEVER = {name: re.compile(entry["never"]) for name, entry in TERMS.items() if "never" in entry}
BARE_ID = re.compile(r"(?<=[一-鿿，。：；、]) ?\bid\b(?![=:'”`.}_])")
"""`id` as a word of a Chinese sentence; the name of a field is quoted or code."""
ROOT = FOLDER.parents[2]
CHINESE_PAGES = [*ROOT.glob("*.zh.md"), *sorted((ROOT / "docs").rglob("*.zh.md"))]
CHINESE_TEXTS = [path for path in sorted(FOLDER.parent.rglob("*.toml")) if path.name != "terms.toml"]


def _chinese_lines(path: Path) -> list[tuple[int, str]]:
    """The lines of a file that hold Chinese, without code."""
    text = path.read_text("utf-8")
    if path.suffix == ".md":
        text = re.sub(
            r"^```(?!text).*?^```", lambda block: "\n" * block[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL
        )
    lines = enumerate(text.splitlines(), 1)
    return [(number, re.sub(r"`[^`]*`", "", line)) for number, line in lines if re.search("[一-鿿]", line)]


@pytest.mark.parametrize("path", [*CHINESE_PAGES, *CHINESE_TEXTS], ids=lambda path: str(path.relative_to(ROOT)))
def test_chinese_uses_the_terms_of_the_list(path) -> None:
    wrong = []
    for number, line in _chinese_lines(path):
        wrong += [(number, name, line) for name, never in NEVER.items() if never.search(line)]
        wrong += [(number, "id", line)] * bool(BARE_ID.search(line))
    assert wrong == []


@pytest.mark.wings
def test_every_term_of_the_list_is_used() -> None:
    text = "\n".join(path.read_text("utf-8") for path in [*CHINESE_PAGES, *CHINESE_TEXTS])
    assert [entry["term"] for entry in TERMS.values() if "term" in entry and entry["term"] not in text] == []
