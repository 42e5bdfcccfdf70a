"""Shared code names the arguments of Python calls; on the command line its messages name the options instead."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

import click

from rankmeter.wording import Option, Spelling, as_argument


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
        if isinstance(option.value, (list, tuple)):
            return f"{name} {','.join(map(str, option.value))}"
        return name if option.value is None else f"{name} {option.value}"

    return spelling


def typed_here(option: Option) -> str:
    """An argument as it is typed for the command that is running."""
    context = click.get_current_context(silent=True)
    return as_argument(option) if context is None else typed(context.command)(option)


def _options(command: click.Command) -> dict[str, str]:
    """The arguments that are options of this command, or of those in its group, by their names in Python."""
    options: dict[str, str] = {}
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        options |= _options(inner)
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.is_flag:
            longest = max(parameter.opts, key=len)
            options[longest.lstrip("-").replace("-", "_")] = longest
            options[str(parameter.name)] = longest
    return options
