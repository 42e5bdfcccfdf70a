"""The ``rankmeter`` command: finds subcommands without importing the others, and turns errors into sentences."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from rankmeter import __version__
from rankmeter.cli.bilingual import BilingualGroup, usage_text
from rankmeter.cli.exit_codes import WRONG, code_of
from rankmeter.cli.parameters import typed, typed_here
from rankmeter.cli.talk import language_asked, language_of, run, say, tell
from rankmeter.errors import Finished, InputError, RankmeterError, did_you_mean
from rankmeter.wings import present, table
from rankmeter.wings.loading import load
from rankmeter.wording import speaking, spelled_as

_OF_CORE = {
    "evaluate": "evaluate",
    "compare": "compare",
    **dict.fromkeys(("explain", "advise"), "definition_commands"),
    **dict.fromkeys(("measures", "dialects"), "listings"),
    "demo": "demo",
    "judge pool": "pool",
}
"""Each command of the core, in the order of the help, with its module in rankmeter.cli."""
COMMANDS = {name: f"rankmeter.cli.{module}" for name, module in _OF_CORE.items()} | present(table.COMMANDS)
"""Each command with its module, which is imported when it is used; one of two words stands under a roof."""
ROOFS = {name.partition(" ")[0] for name in COMMANDS if " " in name}
"""Commands that hold others."""
FORMER = {"pool": "judge pool"} | {name: command for name, command in table.FORMER.items() if command in COMMANDS}
"""Names that commands had before they stood under a roof, which still work."""


class _PipeClosedError(Exception):
    """Whoever read our output has stopped reading; click has an end of its own for that."""


class Application(BilingualGroup):
    """The group of all commands: their modules are imported one at a time, and their errors are sentences."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        return list(dict.fromkeys(name.partition(" ")[0] for name in COMMANDS))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in ROOFS:
            inner = [name for name in COMMANDS if name.startswith(f"{cmd_name} ")]
            held = {name.partition(" ")[2]: self.get_command(ctx, name) for name in inner}
            return BilingualGroup(cmd_name, commands={name: one for name, one in held.items() if one is not None})
        if cmd_name not in COMMANDS:
            return None
        module = import_module(COMMANDS[cmd_name])
        command: click.Command = getattr(module, re.sub("[- ]", "_", cmd_name))
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        args = _by_new_name(args)
        name = args[0]
        if name not in {*COMMANDS, *ROOFS} and not name.startswith("-"):
            raise click.UsageError(_no_command(args).text(language_asked(args)), ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with speaking():
                result = super().invoke(ctx)
            sys.stdout.flush()
        except RankmeterError as error:
            command = self.get_command(ctx, ctx.invoked_subcommand or "") or self
            raise click.ClickException(error.text(language_of(ctx), typed(command))) from error
        except BrokenPipeError as error:
            raise _PipeClosedError from error
        return result

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> None:
        with spelled_as(typed_here):
            run(lambda: self.ended(args, prog_name, **extra), language_asked(args))

    def ended(self, args: Sequence[str] | None, prog_name: str | None = None, **extra: Any) -> Any:
        """Answer a command line and give its exit code."""
        lang = language_asked(args)
        try:
            return super().main(args, prog_name or "rankmeter", **{"obj": lang, **extra, "standalone_mode": False})
        except click.exceptions.NoArgsIsHelpError as error:
            tell(error.format_message().splitlines())
        except click.UsageError as error:
            say(usage_text(error, lang if error.ctx is None else language_of(error.ctx)))
        except click.ClickException as error:
            say(error.format_message())
            return code_of(error.__cause__) if isinstance(error.__cause__, RankmeterError) else WRONG
        except click.Abort:
            raise KeyboardInterrupt from None
        except _PipeClosedError as error:
            raise BrokenPipeError from error
        return WRONG


def _by_new_name(args: list[str]) -> list[str]:
    """A command line in which no command is called by a former name.

    >>> _by_new_name(["pool", "judgments.csv"]), _by_new_name(["judge", "--help"])
    (['judge', 'pool', 'judgments.csv'], ['judge', '--help'])
    """
    if args[0] not in FORMER:
        return args
    # `judge`, which is a roof now, was the command that needs --out.
    is_roof = args[0] in ROOFS and (
        " ".join(args[:2]) in COMMANDS or not any(word.startswith("--out") for word in args)
    )
    return args if is_roof else [*FORMER[args[0]].split(), *args[1:]]


def _no_command(args: Sequence[str]) -> InputError:
    """The error for arguments that do not start with a command: files are probably meant to be evaluated."""
    if os.path.isfile(args[0]):  # noqa: PTH113 (Path.is_file fails where a text is too long for a name)
        command = shlex.join(["rankmeter", "evaluate", *args])
        return InputError.of("cli.file_without_command", source=args[0], command=Finished(command))
    name = table.FORMER.get(args[0], args[0])
    if name in table.COMMANDS:  # of a wing that is not there
        load(table.COMMANDS[name], f"rankmeter {name}")
    names = list(dict.fromkeys([*(name.partition(" ")[0] for name in COMMANDS), *FORMER]))
    hint = did_you_mean(args[0], names) or None
    return InputError.of("cli.unknown_command", name=args[0], commands=names, hint=hint)


@click.group(
    "rankmeter",
    cls=Application,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110, "show_default": True},
)
@click.version_option(__version__, prog_name="rankmeter", message="%(prog)s %(version)s")
@click.pass_context
def app(ctx: click.Context) -> None:
    """All commands; without one, their list."""
    if ctx.invoked_subcommand is None:
        tell(ctx.get_help().splitlines())
        ctx.exit(WRONG)
