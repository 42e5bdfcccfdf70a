"""The ``rankmeter`` command: finds subcommands without importing the others, and turns errors into sentences."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from rankmeter import __version__
from rankmeter.cli.bilingual import BilingualGroup
from rankmeter.cli.parameters import typed, typed_here
from rankmeter.cli.running import WRONG, run
from rankmeter.cli.talk import examples, language_asked, language_of, say
from rankmeter.errors import Finished, InputError, RankmeterError, did_you_mean
from rankmeter.wording import spelled_as

COMMANDS = {
    "evaluate": "Measure one or more runs against judgments.",
    "compare": "Compare runs: which differences are real, and gates for pipelines.",
    "judges": "Say how far two or more judges agree.",
    "leaderboards": "Rank runs under two judges: does the winner change, is a run favoured?",
    "silence": "Say how a run deals with queries that have no right answer.",
    "evidence": "Measure how much of the gold evidence retrieved chunks hold; compare chunkings.",
    "nuggets": "Score answers by the nuggets (facts) that they support.",
    "draw": "Draw a random sample for people to judge, and record the chances.",
    "pool": "List the unjudged items that are most worth judging.",
    "judgments-from-clicks": "Turn a log of impressions and clicks into judgments.",
    "judge": "Make a web page on which people judge the items of a pool.",
    "advise": "Say which measures and cutoffs fit the data, and why.",
    "explain": "Say what a measure means, with every convention.",
    "reconcile": "Find which definitions give a reported number, and why two tools differ.",
    "table": "Score one table under several definitions, side by side.",
    "dialects": "List how other tools define their metrics.",
    "rank_eval": "Answer Elasticsearch's _rank_eval from saved responses.",
    "trec_eval": "Do what trec_eval does, with its options and its output.",
    "measures": "List all measures, their other names and their options.",
    "online": "Measure what users did: CTR, CVR, sessions, experiments.",
    "counterfactual": "Estimate what another policy would have earned.",
    "interleave": "Mix two rankings into one list, then score the clicks.",
    "agreement": "Find the offline measure that predicted past experiments best.",
    "demo": "Evaluate the bundled, made-up data and write a report.",
}
"""Each command with its line of help; its module in rankmeter.cli is imported when it is used."""


class _PipeClosedError(Exception):
    """Whoever read our output has stopped reading; click has an end of its own for that."""


class Application(BilingualGroup):
    """The group of all commands: their modules are imported one at a time, and their errors are sentences."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 (click's signature)
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"rankmeter.cli.{cmd_name.replace('-', '_')}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 (the same)
        # click would import every command for its line of help.
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            raise click.UsageError(_no_command(args).text(language_asked(args)), ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
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
            run(lambda: self._exit_code(args, prog_name, extra), language_asked(args))

    def _exit_code(self, args: Sequence[str] | None, prog_name: str | None, extra: dict[str, Any]) -> Any:
        lang = language_asked(args)
        try:
            return super().main(args, prog_name or "rankmeter", **{"obj": lang, **extra, "standalone_mode": False})
        except click.UsageError as error:
            from rankmeter.cli.usage import usage_text  # loaded if needed

            say(usage_text(error, lang if error.ctx is None else language_of(error.ctx)))
        except click.ClickException as error:
            say(error.format_message())
        except click.Abort:
            raise KeyboardInterrupt from None
        except _PipeClosedError as error:
            raise BrokenPipeError from error
        return WRONG


def _no_command(args: Sequence[str]) -> InputError:
    """The error for arguments that do not start with a command: files are probably meant to be evaluated."""
    if os.path.isfile(args[0]):  # noqa: PTH113 (Path.is_file fails where a text is too long for a name)
        command = shlex.join(["rankmeter", "evaluate", *args])
        return InputError.of("cli.file_without_command", source=args[0], command=Finished(command))
    hint = did_you_mean(args[0], list(COMMANDS)) or None
    return InputError.of("cli.unknown_command", name=args[0], commands=list(COMMANDS), hint=hint)


@click.group(
    cls=Application,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog=examples(
        "rankmeter demo",
        "rankmeter evaluate judgments.qrels keyword.run hybrid.run -m nDCG@10 -m AP",
        "rankmeter explain nDCG@10",
    ),
)
@click.version_option(__version__, prog_name="rankmeter", message="%(prog)s %(version)s")
@click.pass_context
def app(ctx: click.Context) -> None:
    """Measure rankings and recommendations, and say what each number means.

    Numbers go to standard output, everything else to standard error.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(WRONG)
