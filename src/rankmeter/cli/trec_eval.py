"""``rankmeter trec_eval``: the command line of trec_eval, for scripts that were written for it."""

from __future__ import annotations

import click

from rankmeter.cli.bilingual import BilingualCommand
from rankmeter.cli.talk import examples, language_of
from rankmeter.cli.trec_program import answer


@click.command(
    "trec_eval",
    cls=BilingualCommand,
    context_settings={
        "ignore_unknown_options": True,
        "allow_interspersed_args": False,
        "help_option_names": ["--help"],
    },
    epilog=examples(
        "rankmeter trec_eval -c judgments.qrels keyword.run",
        "rankmeter trec_eval -q -c -m map -m ndcg_cut.5,10 -m P.10 judgments.qrels keyword.run",
        "rankmeter trec_eval -c -l 2 -m all_trec --trec-eval-version 9 judgments.qrels keyword.run",
        "rankmeter trec_eval -h -m map -m bpref",
        "alias trec_eval='rankmeter trec_eval'",
    ),
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="QRELS RUN")
@click.pass_context
def command(ctx: click.Context, arguments: tuple[str, ...]) -> None:
    """Do what trec_eval does, with its options, and print what it prints.

    \b
    -q          the values of every query too   -n         no summary
    -m MEASURE  map, P.5,10, ndcg.1=3,2=9 or official, set, all_trec; repeatable
    -c          count judged queries that the run lacks as 0
    -l N        the lowest relevant grade       -J         drop unjudged documents
    -M N        only the first N of each query  -N N       size of the collection
    -Z FILE     z-scores                        -D L.QUERY only one query
    -R qrels    -T trec_results                 -h [-m M]  help, also on measures
    -v          the version that is imitated    -o         accepted, does nothing
    --trec-eval-version 9|10   default 10, or $RANKMETER_TREC_EVAL_VERSION

    Exit codes are those of trec_eval: 1 wrong use, 2 a file, 4 cannot compute, 7 no query in common, 255 the file
    of -Z. Preference judgments and judgment groups (-R prefs, qrels_prefs, qrels_jg) are refused.
    """  # noqa: D301 (click wants the character itself)
    answered = answer(arguments, language_of(ctx))
    if isinstance(answered, int):
        ctx.exit(answered)
    show_help(ctx, answered)


def show_help(ctx: click.Context, measures: tuple[str, ...]) -> None:
    """The help of the command, and what each measure that was named is."""
    from rankmeter.compat.trec_measures import wanted
    from rankmeter.measures.dialects import find_dialect

    click.echo(ctx.get_help())
    metrics = find_dialect("trec_eval").metrics
    for asked in wanted(measures, 10):
        name = asked.printed.name
        if not (known := metrics.named(asked.printed.metric or name)):
            click.echo(f"\n{name}: text, no number.")
            continue
        metric = known[0]
        particular = f" {metric.reason['en']}" if metric.reason else ""
        click.echo(f"\n{name}: rankmeter's {metric.measure} (`rankmeter explain {metric.measure}`).{particular}")
