"""The help of every command, in both languages: every sentence has its Chinese, and it fits a terminal."""

from __future__ import annotations

import re

import click
import pytest
from click.testing import CliRunner

from rankmeter.cli import app, usage
from rankmeter.cli.application import COMMANDS
from rankmeter.showing.characters import width_of
from rankmeter.wording import help_words

ENGLISH = re.compile(r"(?:\b[A-Za-z]{2,}\b[ ,;:]+){2,}[A-Za-z]{2,}")
"""Three words of letters in a row: names and options are shorter, sentences are not."""


def _commands() -> list[list[str]]:
    context = click.Context(app)
    groups = {name: command for name in COMMANDS if isinstance(command := app.get_command(context, name), click.Group)}
    return [
        [],
        *([name] for name in COMMANDS),
        *([name, inner] for name, group in groups.items() for inner in group.commands),
    ]


ALL = _commands()


class Asked(dict[str, str]):
    """The Chinese of the help, which remembers what it was asked for."""

    def __init__(self) -> None:
        super().__init__(help_words())
        self.keys_asked: set[str] = set()

    def get(self, key, default=None):  # type: ignore[override]
        self.keys_asked.add(key)
        return super().get(key, default)


def _help(*args: str, **environment: str) -> str:
    result = CliRunner(env=environment).invoke(app, list(args), terminal_width=80)
    assert result.exit_code == 0
    return result.stdout


def _without_examples(text: str) -> str:
    return text.partition("示例：" if "示例：" in text else "Examples:")[0]


def test_every_sentence_has_its_chinese_and_every_chinese_its_sentence(monkeypatch) -> None:
    asked = Asked()
    monkeypatch.setattr(usage, "help_words", lambda: asked)
    for command in ALL:
        _help(*command, "--help", "--lang", "zh")
    names = {key for key in asked.keys_asked if not re.search("[A-Za-z]{2} ", key)}
    assert asked.keys_asked - names - set(asked) == set()
    assert set(asked) - asked.keys_asked == set()


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
        (["interleave", "--lang", "zh", "make", "--help"], {}),
        (["evaluate", "--help"], {"RANKMETER_LANG": "zh"}),
        (["evaluate", "--help"], {"RANKMETER_LANG": "", "LC_ALL": "zh_CN.UTF-8"}),
        (["trec_eval", "-h"], {"RANKMETER_LANG": "zh"}),
    ],
)
def test_help_speaks_the_language_of_the_call(args, environment) -> None:
    assert _help(*args, **environment).startswith("用法：")


def test_a_language_before_the_command_is_that_of_the_command(tmp_path) -> None:
    result = CliRunner().invoke(app, ["--lang", "zh", "evaluate", str(tmp_path / "none.qrels"), "x.run"])
    assert result.exit_code == 2
    assert re.search("[一-鿿]", result.stderr)
    assert _help("--lang", "zh", "evaluate", "--lang", "en", "--help").startswith("Usage:")
