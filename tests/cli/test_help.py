"""The help of every command, in both languages: every sentence has its Chinese, and it fits a terminal."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from rankmeter import wording
from rankmeter.cli import app
from rankmeter.cli.application import FORMER, ROOFS
from rankmeter.wording import help_words
from rankmeter.wording.characters import width_of

ENGLISH = re.compile(r"(?:\b[A-Za-z]{2,}\b[ ,;:]+){2,}[A-Za-z]{2,}")
"""Three words of letters in a row: names and options are shorter, sentences are not."""


def _commands() -> list[list[str]]:
    context = click.Context(app)
    names = app.list_commands(context)
    groups = {name: command for name in names if isinstance(command := app.get_command(context, name), click.Group)}
    return [
        [],
        *([name] for name in names),
        *([name, inner] for name, group in groups.items() for inner in group.commands),
    ]


ALL = _commands()


def _help(*args: str, **environment: str) -> str:
    result = CliRunner(env=environment).invoke(app, list(args), terminal_width=80)
    assert result.exit_code == 0
    return result.stdout


def _without_examples(text: str) -> str:
    return text.partition("示例：" if "示例：" in text else "Examples:")[0]


FOLDER = Path(wording.__file__).parent
WHOLE: dict[str, dict[str, Any]] = {}
"""Every section of the help, of the core and of the wings."""
for path in [FOLDER / "help.toml", *sorted(FOLDER.parent.glob("wings/*/words/help.toml"))]:
    for section, texts in tomllib.loads(path.read_text("utf-8")).items():
        WHOLE.setdefault(section, {}).update(texts)
NOT_COMMANDS = ("click", "commands", "options")


def test_every_text_is_in_both_languages() -> None:
    for section, texts in WHOLE.items():
        named = {name: text for name, text in texts.items() if isinstance(text, dict)}
        assert section in NOT_COMMANDS or {"en", "zh", "examples"} == set(texts) - set(named), section
        for name, text in named.items():
            assert section == "click" or set(text) - {"group"} == {"en", "zh"}, (section, name)


def test_every_text_belongs_to_a_command_and_is_shown() -> None:
    assert set(WHOLE) - set(NOT_COMMANDS) == {"-".join(command) or "rankmeter" for command in ALL}
    assert set(WHOLE["commands"]) == {"-".join(command) for command in ALL if command}
    for command in ALL:
        names, own = _options_of(command), WHOLE["-".join(command) or "rankmeter"]
        assert {name for name, text in own.items() if isinstance(text, dict)} <= set(names), command


@pytest.mark.wings
def test_every_shared_text_is_that_of_an_option() -> None:
    shared = set()
    for command in ALL:
        own = WHOLE["-".join(command) or "rankmeter"]
        shared |= {key or name for name, key in _options_of(command).items() if name not in own}
    assert shared == set(WHOLE["options"])


def _options_of(command: list[str]) -> dict[str, str | None]:
    """The options of a command, each with the name of its text, if it has another one."""
    context = click.Context(app)
    meant: click.Command = app
    for name in command:
        assert isinstance(meant, click.Group)
        meant = meant.get_command(context, name)  # type: ignore[assignment]
    options = [option for option in meant.get_params(click.Context(meant)) if isinstance(option, click.Option)]
    return {max(option.opts, key=len).lstrip("-"): option.help for option in options} | {"help": None}


HEADINGS = {"en": ["Measure:", "Understand:", "Judge:", "Online:"], "zh": ["评测：", "理解：", "标注：", "线上："]}


@pytest.mark.wings
@pytest.mark.parametrize("language", HEADINGS)
def test_the_list_of_commands_is_in_groups_of_one_line_each(language) -> None:
    text = _help("--help", "--lang", language)
    lines = [line for line in _without_examples(text).partition("--help ")[2].splitlines()[1:] if line.strip()]
    assert [line for line in lines if not line.startswith(" ")] == HEADINGS[language]
    names = [line.split()[0] for line in lines if line.startswith(" ")]
    assert names[:2] == ["evaluate", "compare"]
    assert sorted(names) == sorted(app.list_commands(click.Context(app)))
    examples = text[len(_without_examples(text)) :].splitlines()[1:]
    assert [line.split()[1] for line in examples] == ["evaluate", "reconcile", "compare"]
    assert len(text.splitlines()) <= 55


def test_former_names_are_those_of_commands_under_a_roof() -> None:
    for former, command in FORMER.items():
        words = [former, "--out", "x", "--help"] if former in ROOFS else [former, "--help"]
        assert _help(*words) == _help(*command.split(), "--help"), former


def test_a_section_is_read_by_itself_as_with_the_whole_file() -> None:
    assert {section: help_words(section) for section in WHOLE} == WHOLE


def test_an_option_of_several_commands_is_said_once() -> None:
    texts = [
        (name, text["en"])
        for own in WHOLE.values()
        for name, text in own.items()
        if isinstance(text, dict) and "en" in text
    ]
    assert [text for text, count in Counter(texts).items() if count > 1] == []


@pytest.mark.parametrize("command", ALL, ids=" ".join)
def test_chinese_help_holds_no_english_sentence(command) -> None:
    text = _help(*command, "--help", "--lang", "zh")
    assert text.startswith("用法：")
    assert "示例：" in text
    sentences = re.sub(r"(?m)^用法.*|^  -.*?(  |$)|`[^`]*`", "", _without_examples(text))
    assert ENGLISH.findall(sentences) == []
    assert re.findall(r"Usage|Options|Commands|Examples|default:|required|Show this", text) == []


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("command", ALL, ids=" ".join)
def test_help_fits_80_columns(command, language) -> None:
    lines = _help(*command, "--help", "--lang", language).splitlines()
    assert [line for line in lines if width_of(line) > 80] == []


@pytest.mark.parametrize("command", ALL, ids=" ".join)
def test_help_names_the_same_options_in_both_languages(command) -> None:
    english, chinese = (_help(*command, "--help", "--lang", language) for language in ("en", "zh"))
    options = re.compile(r"(?m)^  (-[\w-]+)")
    assert options.findall(english.partition("Options:")[2]) == options.findall(chinese.partition("选项：")[2])


@pytest.mark.parametrize(
    ("args", "environment"),
    [
        (["evaluate", "--lang", "zh", "--help"], {}),
        (["evaluate", "--help", "--lang=zh"], {}),
        (["--lang", "zh", "evaluate", "--help"], {"RANKMETER_LANG": "en"}),
        pytest.param(["interleave", "--lang", "zh", "make", "--help"], {}, marks=pytest.mark.wings("online")),
        (["evaluate", "--help"], {"RANKMETER_LANG": "zh"}),
        (["evaluate", "--help"], {"RANKMETER_LANG": "", "LC_ALL": "zh_CN.UTF-8"}),
        pytest.param(["trec_eval", "-h"], {"RANKMETER_LANG": "zh"}, marks=pytest.mark.wings("doors")),
    ],
)
def test_help_speaks_the_language_of_the_call(args, environment) -> None:
    assert _help(*args, **environment).startswith("用法：")


def test_a_language_before_the_command_is_that_of_the_command(tmp_path) -> None:
    result = CliRunner().invoke(app, ["--lang", "zh", "evaluate", str(tmp_path / "none.qrels"), "x.run"])
    assert result.exit_code == 2
    assert re.search("[一-鿿]", result.stderr)
    assert _help("--lang", "zh", "evaluate", "--lang", "en", "--help").startswith("Usage:")
