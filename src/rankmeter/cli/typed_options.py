"""Shared code names the arguments of Python calls; on the command line its messages name the options instead."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

import click

from rankmeter.wording import Option, Spelling, as_argument

_QUOTED = r"""(?:'[^']*'|"[^"]*")"""
_VALUE = rf"\{{[^{{}}]*\}}|{_QUOTED}(?:(?:, | or ){_QUOTED})*|-?[\w.]+(?![\w.(])|"
# What is glued to a name in front of it is an option of a measure, AP(rel=2), or an argument of a call.
_ARGUMENT = re.compile(rf"(?:^|(?<=\s)|(?<=\s\()|(?<=[（：]))(?P<name>[a-z_]+)=(?P<value>{_VALUE})")
_OPTION = re.compile(r"--[a-z-]+ $")
"""What stands after an option is its value, as in ``--titles queries=queries.csv``."""
_RUNS = re.compile(r"\b(?P<name>seeds|folds)\((?P<runs>run1, run2)[^()]*\)")
"""Several runs of one system, which Python is given by a call."""
_ONLY_IN_PYTHON = re.compile(r"; in Python also [^()]*(?:\([^()]*\))?(?=\))")


def as_typed(text: str, command: click.Command) -> str:
    """Say a message in the options of a command: ``catalogue=`` becomes ``--catalogue``.

    What the command has no option for is left as it is; what can be given in Python alone is left out.

    Examples
    --------
    >>> command = click.Command("c", params=[click.Option(["--columns"]), click.Option(["--for", "purpose"])])
    >>> as_typed('Hint: columns={"item": "docid", "query": "q"}', command)
    'Hint: --columns item=docid,query=q'
    >>> as_typed("for=-1 is not possible", command)
    '--for -1 is not possible'
    >>> as_typed("k = 20 (purpose='recommendation') suits AP(rel=2)", command)
    'k = 20 (--for recommendation) suits AP(rel=2)'
    >>> as_typed("columns=-1 is not possible", command)
    '--columns -1 is not possible'
    >>> as_typed("Hint: --titles columns=columns.csv", command)
    'Hint: --titles columns=columns.csv'
    >>> as_typed("pass columns= (a file; in Python also a frame or f(x=...))", command)
    'pass --columns (a file)'
    """
    options = _options(command)

    def option(match: re.Match[str]) -> str:
        typed = options.get(match["name"])
        if typed is None or _OPTION.search(match.string, 0, match.start()):
            return match.group()
        value = _typed_value(match["value"])
        return f"{typed} {value}" if value else typed

    def runs(match: re.Match[str]) -> str:
        typed = options.get(match["name"])
        return f"{typed} NAME={match['runs'].replace(' ', '')}" if typed else match.group()

    return _ARGUMENT.sub(option, _RUNS.sub(runs, _ONLY_IN_PYTHON.sub("", text)))


def typed(command: click.Command) -> Spelling:
    """How an argument is typed as an option of a command; what the command has no option for is left as it is.

    >>> spelling = typed(click.Command("c", params=[click.Option(["--columns"]), click.Option(["--for", "purpose"])]))
    >>> spelling(Option("columns", {"item": "docid", "query": "q"})), spelling(Option("purpose")), spelling(Option("k"))
    ('--columns item=docid,query=q', '--for', 'k=')
    >>> spelling(Option("columns", {"grade": "Anna B"}))
    "--columns 'grade=Anna B'"
    """
    options = _options(command)

    def spelling(option: Option) -> str:
        name = options.get(option.name.replace("-", "_"))
        if name is None:
            return as_argument(option)
        if isinstance(option.value, Mapping):
            pairs = ",".join(f"{key}={value}" for key, value in option.value.items())
            return f"{name} {shlex.quote(pairs)}"
        return name if option.value is None else f"{name} {option.value}"

    return spelling


def typed_here(option: Option) -> str:
    """An argument as it is typed for the command that is running."""
    context = click.get_current_context(silent=True)
    return as_argument(option) if context is None else typed(context.command)(option)


def as_typed_here(text: str) -> str:
    """Say a message in the options of the command that is running."""
    context = click.get_current_context(silent=True)
    return text if context is None else as_typed(text, context.command)


def _options(command: click.Command) -> dict[str, str]:
    """The arguments that are options of this command, or of those in its group, by their names in Python."""
    found: dict[str, str] = {}
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        found |= _options(inner)
    for one in command.params:
        if isinstance(one, click.Option) and not one.is_flag:
            longest = max(one.opts, key=len)
            found[longest.lstrip("-").replace("-", "_")] = longest
            found[str(one.name)] = longest
    return found


def _typed_value(value: str) -> str:
    if not value.startswith("{"):
        return re.sub(r"""['"]""", "", value)
    return re.sub(r"""['"\s{}]""", "", value).replace(":", "=") if _is_plain(value) else "NAME=..."


def _is_plain(value: str) -> bool:
    """Whether a mapping is of plain words, which can be typed without quotes."""
    return re.fullmatch(r"""\{(?:['"][\w.]+['"]: ['"][\w. +]+['"](?:, )?)*\}""", value) is not None
