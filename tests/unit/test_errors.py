"""Errors as values: every kind worded in both languages from the same values, and every raise agrees with its words."""

from __future__ import annotations

import ast
import pickle
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter import errors, wording
from rankmeter.cli import app
from rankmeter.errors import InputError, Problem, RankmeterError
from rankmeter.wings import table
from rankmeter.wording import Option

SOURCE = Path(rm.__file__).parent
FILES = {file.stem: file for file in sorted((SOURCE / "wording" / "errors").glob("*.toml"))}
FILES |= {file.parts[-3]: file for file in sorted((SOURCE / "wings").glob("*/words/errors.toml"))}
"""By the room or the wing whose errors they word."""
KINDS = [f"{room}.{kind}" for room, file in FILES.items() for kind in tomllib.loads(file.read_text("utf-8"))]
ENGLISH = re.compile(r"(?:\b[A-Za-z]{2,}\b[ ,;:]+){3,}[A-Za-z]{2,}")
"""Four English words in a row: calls and names of columns are shorter."""
CODE = re.compile(r"\{[^}]*\}|rankmeter [a-z_]+( \[?[A-Z]+)*")
"""What is the same in all languages."""
CLASSES = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, RankmeterError)]


def _places(text: str) -> set[str]:
    """The values that a wording needs."""
    names = {name for _, name, _, _ in Formatter().parse(text) if name}
    # `{--columns=}` needs the value of that name; other options stand for themselves.
    named = {name[2:-1].replace("-", "_") if name.endswith("=") else "" for name in names if name.startswith("--")}
    return {name.partition(".")[0].partition("[")[0] for name in names if not name.startswith("--")} | named - {""}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_worded_in_both_languages_from_the_same_values(kind) -> None:
    texts = wording.wording_of(kind)
    shared = {part for part in ("hint", "typed") if part in texts}
    worded = {f"{part}{language}" for part in ("", "hint_", "typed_") for language in wording.LANGUAGES}
    assert set(texts) <= worded | shared
    assert not {f"{part}_{language}" for part in shared for language in wording.LANGUAGES} & set(texts)
    assert not any(ENGLISH.search(CODE.sub("", texts[part])) for part in shared), f"{kind}: a hint in one language"
    for part in ("", "hint_", "typed_"):
        english, chinese = texts.get(f"{part}en"), texts.get(f"{part}zh")
        assert (english is None) == (chinese is None), f"{kind}: {part} is in one language only"
        assert part or english, f"{kind} has no words"
        if english and chinese:
            assert _places(english) == _places(chinese), kind
            assert not ENGLISH.search(CODE.sub("", chinese)), kind


def _calls(room: str) -> Iterator[tuple[str, str, set[str] | None]]:
    """Every kind that a room's code names: where, which, and with which values (None: not written out)."""
    found = SOURCE.glob("*.py") if not room else (SOURCE / room).glob("*.py" if room == "wings" else "**/*.py")
    for path in sorted(found):
        text = path.read_text("utf-8")
        if not any(f'"{room}.' in text for room in FILES):
            continue
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            kind = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
            if name not in ("of", "said") or not isinstance(kind, str) or "." not in kind:
                continue
            values = {keyword.arg for keyword in node.keywords}
            where = f"{path.relative_to(SOURCE)}:{node.lineno}"
            yield where, kind, None if None in values else {str(value) for value in values} - {"hint"}


ROOMS = ["", *sorted(folder.name for folder in SOURCE.iterdir() if any(folder.glob("*.py")))]
ROOMS += sorted(f"wings/{path.parent.name}" for path in SOURCE.glob("wings/*/wing.py"))


@pytest.mark.parametrize("room", ROOMS)
def test_every_raise_gives_what_its_words_need(room) -> None:
    for where, kind, values in _calls(room):
        assert kind in KINDS, f"{where}: {kind} has no words in wording/errors"
        texts = wording.wording_of(kind)
        needed = set().union(*(_places(text) for text in texts.values()))
        # `source` says where it was met even if the words do not.
        assert values is None or needed <= values <= needed | {"source"}, f"{where}: {kind} needs {sorted(needed)}"


def test_the_rooms_raise_errors_that_are_worded() -> None:
    assert sum(1 for room in ("inputs", "measures", "placing") for _ in _calls(room)) > 200


def test_every_kind_is_used_where_it_stands() -> None:
    """By the wing whose words it is among; the core's by the core."""
    code: dict[str, str] = {}
    for path in SOURCE.rglob("*.py"):
        wing = next((wing for wing in table.WINGS if path.is_relative_to(SOURCE / "wings" / wing)), "core")
        code[wing] = code.get(wing, "") + path.read_text("utf-8")
    stands = {kind: kind.partition(".")[0] for kind in KINDS}
    assert [kind for kind, wing in stands.items() if f'"{kind}"' not in code.get(wing, code["core"])] == []


@pytest.mark.parametrize("error", CLASSES)
def test_an_error_of_any_class_carries_its_problem(error) -> None:
    made = error.of("general.not_whole", option=Option("depth", 0), least=1)
    for copy in (made, pickle.loads(pickle.dumps(made))):
        assert type(copy) is error
        assert copy.problem == Problem("general.not_whole", {"option": Option("depth", 0), "least": 1})
        assert str(copy) == "depth=0 is not possible: expected a whole number, 1 or more."
        assert copy.text("zh") == "depth=0 不可用：应为不小于 1 的整数。"
    assert str(error("a plain text. Hint: works")) == "a plain text. Hint: works"


def test_a_hint_is_replaced_or_added_to_by_whoever_knows_better() -> None:
    made = InputError.of("general.not_one_of", option=Option("lang", "fr"), choices=["en", "zh"], hint="lang='zh'")
    assert str(made).endswith(" Hint: lang='zh'")
    assert made.text("zh").endswith("提示：lang='zh'")
    assert str(made.changed(more="or nothing")).endswith(" Hint: lang='zh'; or nothing")
    assert str(made.changed(choices=["en"])) == "lang='fr' is not possible; it is one of en. Hint: lang='zh'"


@pytest.mark.parametrize("hostile", ["x" * 10_000_000, "a\x1b[2Jb", "a\nrankmeter: all is well", "a\x9bb\u2028"])
def test_a_value_of_unknown_origin_cannot_take_over_the_message(hostile) -> None:
    text = str(InputError.of("general.listed", values=[hostile]))
    assert len(text) < 1000
    assert text.isprintable()


def test_a_problem_inside_a_problem_is_worded_in_the_same_language() -> None:
    inner = Problem("general.did_you_mean", {"choice": "nDCG"})
    assert InputError.of("general.listed", values=[inner]).text("zh") == "是否指“nDCG”？"
    assert InputError.of("general.listed", values=["x"], hint=inner).text("zh") == "x提示：是否指“nDCG”？"


@pytest.mark.parametrize(("environ", "says"), [
    ({}, "did you mean"),
    ({"LANG": "zh_CN.UTF-8"}, "是否指"),
    ({"LANG": "zh_CN.UTF-8", "RANKMETER_LANG": "en"}, "did you mean"),
    ({"LANG": "en_GB.UTF-8", "RANKMETER_LANG": "zh"}, "是否指"),
    ({"LC_ALL": "C.UTF-8", "LANG": "zh_CN.UTF-8"}, "did you mean"),
])  # fmt: skip
def test_a_command_speaks_the_language_that_was_chosen(environ, says, monkeypatch) -> None:
    for name in ("RANKMETER_LANG", *wording.LOCALE):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert says in CliRunner().invoke(app, ["evaluate", "--measure", "nCDG", "missing", "missing"]).stderr
    assert "did you mean" in CliRunner().invoke(app, ["explain", "nCDG", "--lang", "en"]).stderr
    assert "是否指" in CliRunner().invoke(app, ["explain", "nCDG", "--lang", "zh"]).stderr
