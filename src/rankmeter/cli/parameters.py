"""How commands are built: groups of options that arrive as one value, and paths marked as read or written.

A group is a frozen dataclass whose fields are options. A command that :func:`takes` it gets one value for all of them::

    @dataclass(frozen=True, slots=True)
    class Delivery:
        output: Path | None = option(type=Writes())
        quiet: bool = option("-q", "--quiet", default=False)

    @command()
    @takes(delivery=Delivery)
    def pool(delivery: Delivery) -> None: ...

What an option is for is said in ``wording/help.toml`` under its name; ``help=`` is another name for its text.

Every parameter that is a path has the type :class:`Reads` or :class:`Writes`, so that no command can overwrite what it
reads: this is checked before any command starts.

Shared code names the arguments of Python calls; :func:`typed` spells them as options.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, field, fields
from functools import partial, wraps
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from rankmeter.cli.bilingual import BilingualCommand
from rankmeter.whole_files import check_apart, check_writable
from rankmeter.wording import Option, Spelling, as_argument

Function = TypeVar("Function", bound=Callable[..., Any])

MOST = 2**31 - 1
"""The largest number of anything that is counted."""


class Count(click.IntRange):
    """A whole number of at least ``least``; the upper limit is out of reach, and the help does not show it."""

    name = "number"

    def __init__(self, least: int = 1) -> None:
        super().__init__(least, MOST)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = click.INT.convert(value, param, ctx)
        if not self.min <= number <= MOST:  # type: ignore[operator]  # click allows ranges without a lower end
            self.fail(f"{number} is not in the range {self.min}<=x<={MOST}.", param, ctx)
        return number

    def _describe_range(self) -> str:
        return f"x>={self.min}"


class Reads(click.ParamType):  # type: ignore[type-arg]  # generic in newer versions of click only
    """A file, a folder or a pattern that is read; ``files`` finds the paths in what is typed, by default one."""

    name = "text"

    def __init__(self, files: Callable[[str], Iterable[str]] = lambda text: (text,)) -> None:
        self.files = files


class Writes(click.Path):
    """A file that is written, or with ``folder`` a folder for files that are."""

    def __init__(self, *, folder: bool = False) -> None:
        super().__init__(path_type=Path, file_okay=not folder)
        self.folder = folder


class WritesEach(click.ParamType):  # type: ignore[type-arg]
    """Files that are written, one per run: ``{run}`` stands for its name. The command checks them itself."""

    name = "text"


class CommaList(click.Option):
    """An option that takes parts separated by commas, which ``parse`` reads; typed again, it adds to them."""

    def __init__(
        self,
        *args: Any,
        default: str | None = None,
        parse: Callable[[str, str | None], Any] = lambda _, text: text,
        **settings: Any,
    ) -> None:
        super().__init__(*args, **{**settings, "multiple": True, "default": [default] if default else None})
        self.parse = parse

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        return self.parse(self.opts[-1], ",".join(super().process_value(ctx, value)) or None)


def option(*names: str, default: Any = None, **settings: Any) -> Any:
    """A field of a group of options, with the arguments of :func:`click.option`.

    Without names the option is called as the field is. The field's type says whether it is a flag, a number, one of
    the words of a ``Literal``, or may be typed several times.
    """
    return field(default=default, metadata={"option": (names, settings)})


_READ: Mapping[str, Any] = {"str": str, "int": int, "float": float}
"""Types of fields that click reads by itself."""


def _option(part: Field[Any]) -> Callable[[Any], Any]:
    """The option of a field."""
    names, settings = part.metadata["option"]
    kind = str(part.type).removesuffix(" | None")
    read_as: dict[str, Any] = {}
    if literal := re.fullmatch(r"Literal\[(.*?)\]", kind):
        read_as["type"] = click.Choice(ast.literal_eval(f"[{literal[1]}]"))
    elif kind == "bool":
        read_as["is_flag"] = True
    elif kind in _READ:
        read_as["type"] = _READ[kind]
    elif kind.startswith("tuple["):
        read_as["multiple"] = True
    if not read_as and not {"type", "cls", "is_flag"} & settings.keys():
        raise TypeError(f"no option can be made of the field {part.name}: {part.type}. State type=, or write a type of "
                        f"{', '.join(_READ)}, bool, Literal[...] or tuple[...]")  # fmt: skip
    if part.default not in (None, MISSING):
        read_as["default"] = part.default
    return click.option(*(names or ["--" + part.name.replace("_", "-")]), part.name, **{**read_as, **settings})


def takes(**groups: type) -> Callable[[Function], Function]:
    """Add groups of options to a command, which receives each group as one value under the name given here."""

    def decorate(function: Function) -> Function:
        @wraps(function)
        def called(*args: Any, **given: Any) -> Any:
            made = {
                name: group(**{part.name: given.pop(part.name) for part in fields(group)})
                for name, group in groups.items()
            }
            return function(*args, **given, **made)

        wrapped: Any = called
        for group in reversed(groups.values()):
            for part in reversed(fields(group)):
                wrapped = _option(part)(wrapped)
        return wrapped  # type: ignore[no-any-return]

    return decorate


class Command(BilingualCommand):
    """A command that never overwrites what it reads, and checks first that it can write."""

    def invoke(self, ctx: click.Context) -> Any:
        check_places(written(ctx), ctx)
        return super().invoke(ctx)


command = partial(click.command, cls=Command)


def check_places(places: dict[str, Path], ctx: click.Context) -> None:
    """Refuse output files that the command reads, writes twice or cannot write, before anything is computed."""
    check_apart(places, [path for parameter, text in _paths_given(ctx, Reads) for path in parameter.type.files(text)])
    folders = {parameter.opts[-1] for parameter, _ in _paths_given(ctx, Writes) if parameter.type.folder}
    for name, place in places.items():
        if name not in folders:
            check_writable(place)


def written(ctx: click.Context) -> dict[str, Path]:
    """The files that a command was asked to write, by option."""
    return {parameter.opts[-1]: place for parameter, place in _paths_given(ctx, Writes)}


def _paths_given(ctx: click.Context, kind: type) -> Iterable[tuple[Any, Any]]:
    for parameter in ctx.command.params:
        if isinstance(parameter.type, kind):
            value = ctx.params.get(str(parameter.name))
            several = value if isinstance(value, tuple) else () if value is None else (value,)
            yield from ((parameter, part) for part in several)


def was_given(name: str) -> bool:
    """Whether an option was typed in this call."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def typed_parameters() -> list[click.Parameter]:
    """The parameters that were typed in this call."""
    return [parameter for parameter in click.get_current_context().command.params if was_given(str(parameter.name))]


def typed(command: click.Command) -> Spelling:
    """How to spell an argument as an option of a command; one that the command lacks is spelled as in Python.

    >>> spelling = typed(click.Command("c", params=[click.Option(["--columns"]), click.Option(["--for", "purpose"])]))
    >>> spelling(Option("columns", {"item": "docid", "query": "q"})), spelling(Option("purpose")), spelling(Option("k"))
    ('--columns item=docid,query=q', '--for', 'k=')
    >>> spelling(Option("columns", {"grade": "Anna B"}))
    "--columns 'grade=Anna B'"
    """
    options = _typed_names(command)

    def spelling(option: Option) -> str:
        name = options.get(option.name.replace("-", "_"))
        if name is None:
            return as_argument(option)
        if isinstance(option.value, Mapping):
            several = {key: one if isinstance(one, (list, tuple)) else [one] for key, one in option.value.items()}
            pairs = ",".join(f"{key}={value}" for key, values in several.items() for value in values)
            return f"{name} {shlex.quote(pairs)}"
        if isinstance(option.value, (list, tuple)):
            return f"{name} {','.join(map(str, option.value))}"
        return name if option.value is None else f"{name} {option.value}"

    return spelling


def typed_here(option: Option) -> str:
    """An argument spelled as an option of the running command."""
    context = click.get_current_context(silent=True)
    return as_argument(option) if context is None else typed(context.command)(option)


def _typed_names(command: click.Command) -> dict[str, str]:
    """The options of this command, or of those in its group, by the names of their arguments in Python."""
    options: dict[str, str] = {}
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        options |= _typed_names(inner)
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.is_flag:
            longest = max(parameter.opts, key=len)
            options[longest.lstrip("-").replace("-", "_")] = longest
            options[str(parameter.name)] = longest
    return options
