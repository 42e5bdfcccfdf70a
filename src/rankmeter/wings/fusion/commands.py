"""Commands that fuse runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, get_args

import click
from click.core import ParameterSource

from rankmeter.cli.bilingual import language_option
from rankmeter.cli.options import NUMBERS, PAIRS, Sources, by_system, level_option, named_columns, seed_option
from rankmeter.cli.output import Answer, AnswerFormat
from rankmeter.cli.parameters import Count, Reads, Writes, command, option, takes
from rankmeter.cli.talk import ProgressBar, echo, say, tell
from rankmeter.errors import InputError
from rankmeter.frozen import dataclass
from rankmeter.wings.fusion.definition import NORMS, Duplicates, Fusion, Missing, Queries, read_options
from rankmeter.wings.fusion.found_fusions import FoundFusions
from rankmeter.wings.fusion.fused import reading_of
from rankmeter.wings.fusion.fused_files import FILE_FORMATS
from rankmeter.wording import Language, word

ANSWER_FORMATS: tuple[AnswerFormat, ...] = get_args(AnswerFormat)


class EachRun(click.Choice[str]):
    """One word for all runs, or one for each of them: ``last:counted``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        for part in str(value).split(":"):
            super().convert(part, param, ctx)
        return value


@dataclass(frozen=True, slots=True)
class Conventions:
    """The options of a definition that are typed most."""

    how: str = option(metavar="METHOD", default="rrf")
    k: float | None = option()
    norm: str | None = option(type=EachRun(NORMS), metavar="NORM")
    weights: list[float] | None = option(**NUMBERS)
    missing: str | None = option(type=click.Choice(get_args(Missing)))
    depth: int | None = option(type=Count())
    top: int | None = option(type=Count())
    queries: str | None = option(type=click.Choice(get_args(Queries)))
    duplicates: str | None = option(type=EachRun(get_args(Duplicates)))
    option: dict[str, str] | None = option(**{**PAIRS, "metavar": "NAME=VALUE,..."})

    def stated(self) -> dict[str, Any]:
        """Those that were typed."""
        return _stated(self, self.how)


@command()
@click.argument("paths", nargs=-1, type=Reads(), metavar="RUN RUN...")
@click.option("--judgments", type=Reads(), metavar="FILE")
@takes(conventions=Conventions, sources=Sources)
@click.option("-o", "--out", "--output", "out", type=Writes())
@click.option("--format", type=click.Choice(dict.fromkeys([*FILE_FORMATS, *ANSWER_FORMATS])))
@click.option("--explain", metavar="QUERY")
@click.option("--reconcile", type=Reads(), metavar="FILE")
@language_option
@click.option("-q", "--quiet", is_flag=True)
def fuse(
    paths: tuple[str, ...],
    judgments: str | None,
    conventions: Conventions,
    sources: Sources,
    out: Path | None,
    format: Any,
    explain: str | None,
    reconcile: str | None,
    lang: Language,
    quiet: bool,
) -> None:
    """Fuse several runs into one."""
    is_shown = explain is not None or reconcile is not None
    if format is not None and format not in (fitting := ANSWER_FORMATS if is_shown else FILE_FORMATS):
        raise InputError.of("fusion.shown_format" if is_shown else "fusion.run_format", format=format, known=fitting)
    answer = Answer(output=out, quiet=quiet, lang=lang, format=format if is_shown else None)
    if reconcile is not None:
        if explain or judgments:
            raise InputError.of("fusion.reconcile_alone")
        answer.give(_reconciled(paths, reconcile, conventions, sources))
        return
    sources.check_columns(None, paths)
    columns = named_columns(sources.columns) or None
    named, stated = by_system(paths), conventions.stated()
    how: str | Fusion = conventions.how
    if judgments is not None:
        from rankmeter.wings.fusion.fusing import trained

        how, stated = trained(Fusion.of(how, **stated), sources.runs(paths), sources.judgments(judgments)), {}
    if explain is not None:
        from rankmeter.wings.fusion.fused_query import explain_query

        answer.give(explain_query(sources.runs(paths), Fusion.of(how, **stated), explain))
        return
    notes: Mapping[str, str]
    if out is not None:
        from rankmeter.wings.fusion.streamed import fuse_to_file

        with ProgressBar(1) as bar:
            bar.show(str(out))
            reads: dict[str, Any] = {
                "run_format": sources.run_format,
                "columns": columns,
                "progress": partial(bar.read, str(out)),
            }
            notes = fuse_to_file(named, out, how, format=format, **reads, **stated).told
    else:
        from rankmeter.inputs.accepting import into_run
        from rankmeter.wings.fusion.fusing import fuse as fused_of
        from rankmeter.wings.fusion.fusing import in_the_name_of

        runs: dict[str, Any] = {}
        for name, path in named.items():
            with in_the_name_of(name):
                runs[name] = into_run(path, columns=columns, format=sources.run_format)
        made = fused_of(runs, how, **stated)
        echo(made.written(format or "trec").rstrip("\n"))
        notes = reading_of(made.definition, made.names, len(made), made.notes).notes
    if not quiet:
        tell([note.text(lang) for note in notes.values()])  # type: ignore[attr-defined]
        if out is not None:
            say(word("written_to", lang, place=str(out)))


def _reconciled(paths: tuple[str, ...], fused: str, conventions: Conventions, sources: Sources) -> FoundFusions:
    """The definitions that give a fused run; --how, where it is typed, is the only one that is tried."""
    from rankmeter.wings.fusion.reconciling import reconcile_fusion

    typed = click.get_current_context().get_parameter_source("how")
    how = None if typed is ParameterSource.DEFAULT else [conventions.how]
    (target,) = sources.runs([fused]).values()
    return reconcile_fusion(sources.runs(paths), target, how, **conventions.stated())


@dataclass(frozen=True, slots=True)
class Shared:
    """Conventions of all settings that are tried."""

    depth: int | None = option(type=Count())
    missing: str | None = option(type=click.Choice(get_args(Missing)))
    queries: str | None = option(type=click.Choice(get_args(Queries)))
    duplicates: str | None = option(type=EachRun(get_args(Duplicates)))
    option: dict[str, str] | None = option(**{**PAIRS, "metavar": "NAME=VALUE,..."})

    def stated(self) -> dict[str, Any]:
        """Those that were typed."""
        return _stated(self, "--option")


def _stated(group: Conventions | Shared, whole: str) -> dict[str, Any]:
    """The options of a group that were typed, those of ``--option`` among them."""
    named = {part.name: getattr(group, part.name) for part in fields(group) if part.name not in ("how", "option")}
    more = read_options(",".join(f"{name}={value}" for name, value in (group.option or {}).items()), whole)
    return {**{name: value for name, value in named.items() if value is not None}, **more}


@command()
@click.argument("judgments", type=Reads())
@click.argument("paths", nargs=-1, type=Reads(), metavar="RUN RUN...")
@click.option("-m", "--measure", default="nDCG@10", metavar="MEASURE")
@click.option("--grid", multiple=True, metavar="OPTION=VALUE,...|DEFINITION")
@click.option("--folds", type=Count(2), default=5)
@click.option("--groups", type=Reads(), metavar="FILE")
@click.option("--least-queries", type=Count(0), default=50)
@click.option("--fast", is_flag=True)
@level_option
@seed_option
@takes(conventions=Shared, sources=Sources, answer=Answer)
def tune(
    judgments: str, paths: tuple[str, ...], grid: tuple[str, ...], conventions: Shared, sources: Sources,
    answer: Answer, **options: Any,
) -> None:  # fmt: skip
    """Choose how runs are fused, and score the choice outside."""
    from rankmeter.wings.fusion.grids import read_grid
    from rankmeter.wings.fusion.tuning import tune as tuned_of

    found = tuned_of(sources.judgments(judgments), sources.runs(paths), grid=read_grid(grid), **options,
                     **conventions.stated())  # fmt: skip
    answer.give(found)


@command()
@click.argument("judgments", type=Reads())
@click.argument("paths", nargs=-1, type=Reads(), metavar="RUN RUN...")
@click.option("-m", "--measure", default="nDCG@10", metavar="MEASURE")
@click.option("--how", default="rrf", metavar="METHOD")
@click.option("--cutoff", type=Count(), default=10)
@level_option
@takes(conventions=Shared, sources=Sources, answer=Answer)
def ablate(
    judgments: str, paths: tuple[str, ...], conventions: Shared, sources: Sources, answer: Answer, **options: Any
) -> None:
    """Say what each run adds to a fusion."""
    from rankmeter.wings.fusion.ablating import ablate as ablation_of

    found = ablation_of(sources.judgments(judgments), sources.runs(paths), **options, **conventions.stated())
    answer.give(found)
