"""``rankmeter trec_eval``: the command line of trec_eval, for scripts that were written for it."""

from __future__ import annotations

import gc
import getopt
import re
import sys
import warnings
from typing import Any

import click

from rankmeter.cli.talk import BilingualCommand, examples, language_of, say
from rankmeter.compat import c_library
from rankmeter.errors import MeasureError, Problem, RankmeterWarning, with_hint
from rankmeter.late import without_matrix_threads
from rankmeter.showing.characters import without_controls
from rankmeter.wording import said

LETTERS = "hvqm:cl:nD:JN:M:R:T:oZ:"
LONG = {
    "help": "-h",
    "version": "-v",
    "query_eval_wanted": "-q",
    "measure=": "-m",
    "complete_rel_info_wanted": "-c",
    "level_for_rel=": "-l",
    "nosummary": "-n",
    "Debug_level=": "-D",
    "Judged_docs_only": "-J",
    "Number_docs_in_coll=": "-N",
    "Max_retrieved_per_topic=": "-M",
    "Rel_info_format=": "-R",
    "Results_format=": "-T",
    "Output_old_results_format=": "-o",
    "Zscore=": "-Z",
    "trec-eval-version=": "--trec-eval-version",
}
"""trec_eval's long options, and one of ours."""
VERSIONS = {"9": "9.0.8", "10": "10.0"}
VERSION_VARIABLE = "RANKMETER_TREC_EVAL_VERSION"
WRONG_USE = 1


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
    without_matrix_threads()
    gc.disable()  # there is no cycle worth a search, and searching takes a tenth of a short call
    from rankmeter.compat.trec_eval import ProgramCall, TrecEvalError, output
    from rankmeter.compat.trec_measures import wanted

    try:
        pairs, paths = getopt.gnu_getopt(list(arguments), LETTERS, list(LONG))
        given = [(LONG.get(name.removeprefix("--")) or LONG.get(f"{name.removeprefix('--')}=") or name, value)
                 for name, value in pairs]  # fmt: skip
        options = _options(given)
        if "show_version" in options:
            wanted(options.get("measures", ()), options["version"])
            click.echo(f"trec_eval version {VERSIONS[str(options['version'])]}, by rankmeter", err=True)
            return
        if "help" in options:
            _show_help(ctx, options.get("measures", ()))
            return
        text = output(ProgramCall(*_two(paths), **options))
    except TrecEvalError as error:
        _print(error.printed)
        say(error.text(language_of(ctx)))
        ctx.exit(error.code)
    except getopt.GetoptError as error:
        kind = "cli.no_such_option" if "recognized" in error.msg else "cli.option_without_value"
        fact = Problem(kind, {"name": f"-{error.opt}"}).fact(language_of(ctx))
        say(with_hint(fact, "rankmeter trec_eval --help", language_of(ctx)))
        ctx.exit(WRONG_USE)
    except MeasureError as error:
        say(error.text(language_of(ctx)))
        ctx.exit(WRONG_USE)
    _print(text)


def _print(text: str) -> None:
    """Data, with ids of any bytes as they were."""
    shown = without_controls(text) if sys.stdout.isatty() else text
    click.echo(shown.encode("utf-8", "surrogateescape"), nl=False)


def _two(paths: list[str]) -> tuple[str, str]:
    """Judgments and a run."""
    match paths:
        case [judgments, run]:
            return judgments, run
    hint = "rankmeter trec_eval [OPTIONS] QRELS RUN"
    raise MeasureError.of("cli.two_files_needed", given=len(paths), hint=hint)


def _options(given: list[tuple[str, str]]) -> dict[str, Any]:
    """The options as the fields of a command."""
    import os

    version = os.environ.get(VERSION_VARIABLE, "10")
    options: dict[str, Any] = {}
    flags = {"-q": ("per_query", True), "-c": ("complete", True), "-n": ("summary", False), "-J": ("judged_only", True),
             "-h": ("help", True), "-v": ("show_version", True)}  # fmt: skip
    texts = {"-R": "judgments_format", "-T": "run_format", "-Z": "zscores"}
    numbers = {"-l": "level", "-M": "depth", "-N": "collection"}
    for name, value in given:
        if name in flags:
            options[flags[name][0]] = flags[name][1]
            if name == "-v":  # the program looks no further
                break
        elif name in texts:
            options[texts[name]] = value
        elif name in numbers:
            options[numbers[name]] = _whole(name, value)
        elif name == "-m":
            options["measures"] = (*options.get("measures", ()), value)
        elif name == "-D" and "." in value:
            options["only_query"] = value.partition(".")[2]
        elif name == "--trec-eval-version":
            version = value
    major = version.partition(".")[0]
    if major not in VERSIONS:
        raise MeasureError.of("cli.version_not_imitated", version=version, versions=list(VERSIONS))
    options["version"] = int(major)
    return options


def _whole(name: str, text: str) -> int:
    number = c_library.whole(text)
    if not re.fullmatch(r"\s*[+-]?\d+", text):
        warnings.warn(said("read_as_c_does", name=name, text=text, number=number), RankmeterWarning, stacklevel=2)
    return number


def _show_help(ctx: click.Context, measures: tuple[str, ...]) -> None:
    """The help of the command, and what each measure that was named is."""
    from rankmeter.compat.trec_measures import metric_of, wanted
    from rankmeter.measures.dialects import find_dialect

    click.echo(ctx.get_help())
    dialect = find_dialect("trec_eval")
    known = {name for metric in dialect.metrics for name in metric.names}
    for asked in wanted(measures, 10):
        name = asked.printed.name
        if (asked.printed.metric or name) not in known:
            click.echo(f"\n{name}: text, no number.")
            continue
        metric = metric_of(dialect, asked.printed)
        particular = f" {metric.reason['en']}" if metric.reason else ""
        click.echo(f"\n{name}: rankmeter's {metric.measure} (`rankmeter explain {metric.measure}`).{particular}")
