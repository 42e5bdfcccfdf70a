"""The command that stands for another tool's."""

from __future__ import annotations

import click

from rankmeter.cli.bilingual import BilingualCommand
from rankmeter.cli.talk import language_of
from rankmeter.wings.doors.trec_program import answer


@click.command(
    "trec_eval",
    cls=BilingualCommand,
    context_settings={
        "ignore_unknown_options": True,
        "allow_interspersed_args": False,
        "help_option_names": ["--help"],
    },
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="QRELS RUN")
@click.pass_context
def trec_eval(ctx: click.Context, arguments: tuple[str, ...]) -> None:
    """The command line of trec_eval, for scripts that were written for it."""
    answered = answer(arguments, language_of(ctx))
    if isinstance(answered, int):
        ctx.exit(answered)
    _show_help(ctx, answered)


_OF_GROUPS = {
    "preferences": "of preferences between documents (-R prefs, -R qrels_prefs)",
    "groups": "averaged over groups of grades (-R qrels_jg)",
}


def _show_help(ctx: click.Context, measures: tuple[str, ...]) -> None:
    """The help of the command, and what each measure that was named is."""
    from rankmeter.measures.dialects import find_dialect
    from rankmeter.wings.doors.trec_measures import wanted

    click.echo(ctx.get_help())
    metrics = find_dialect("trec_eval").metrics
    for asked in wanted(measures, 10):
        name = asked.printed.name
        if asked.printed.judgments in _OF_GROUPS:
            click.echo(f"\n{name}: {_OF_GROUPS[asked.printed.judgments]}.")
            continue
        if not (known := metrics.named(asked.printed.metric or name)):
            click.echo(f"\n{name}: text, no number.")
            continue
        metric = known[0]
        particular = f" {metric.reason['en']}" if metric.reason else ""
        click.echo(f"\n{name}: rankmeter's {metric.measure} (`rankmeter explain {metric.measure}`).{particular}")
