"""The commands about results: published tables audited, systems across tasks, histories."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click

from rankmeter.cli.exit_codes import DONE, FAILED
from rankmeter.cli.options import level_option, seed_option
from rankmeter.cli.output import Answer
from rankmeter.cli.parameters import Count, Reads, Writes, command, takes
from rankmeter.cli.talk import say
from rankmeter.errors import InputError, check_level
from rankmeter.whole_files import write_text
from rankmeter.wings.results.across import across as compare_across
from rankmeter.wings.results.auditing import audit as audit_table
from rankmeter.wings.results.differences import Unit, difference_across
from rankmeter.wording import word


@command()
@click.argument("table", type=Reads(), required=False)
@click.option("--claim", "claims", multiple=True, metavar="MEASURE=VALUE")
@click.option("--queries", multiple=True, metavar="NUMBER|DATASET=NUMBER")
@click.option("--relevant", type=click.Choice(["one", "many"]))
@click.option("--candidates", type=Count(2))
@click.option("--items", type=Count())
@click.option("--runs", type=Count(), default=1)
@click.option("--folds", type=Count(), default=1)
@click.option("--rounding", type=click.Choice(["nearest", "down", "up"]))
@click.option("--scale", type=click.Choice(["share", "percent"]))
@click.option("--strict", is_flag=True)
@takes(answer=Answer)
def audit(
    table: str | None, claims: tuple[str, ...], queries: tuple[str, ...], strict: bool, answer: Answer, **options: Any
) -> int:
    """Audit printed numbers without their data."""
    source, sizes = _source(table, claims), _queries(queries)
    with _without_prints():
        checked = audit_table(source, queries=sizes, **options)
    answer.give(checked)
    return FAILED if strict and not checked.is_possible else DONE


@contextmanager
def _without_prints() -> Iterator[None]:
    """Keep off standard output what HiGHS prints there by itself when it repairs a solution: output is data."""
    try:
        saved, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    except OSError:  # there is no standard output
        yield
        return
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        with suppress(OSError, AttributeError):
            ctypes.CDLL("ucrtbase" if os.name == "nt" else None).fflush(None)  # what C has not written yet
        os.dup2(saved, 1)
        os.close(saved)
        os.close(nowhere)


def _source(table: str | None, claims: tuple[str, ...]) -> object:
    if (table is None) == (not claims):
        raise InputError.of("results.nothing_to_audit")
    if table is not None:
        return table
    given: dict[str, str] = {}
    for text in claims:
        name, equals, value = text.rpartition("=")
        if not equals or not name.strip():
            raise InputError.of("results.not_a_claim", text=text)
        if name.strip() in given:
            raise InputError.of("results.claimed_twice", name=name.strip())
        given[name.strip()] = value
    return given


def _queries(texts: tuple[str, ...]) -> int | dict[str, int] | None:
    """``943``, or ``Beauty=22363`` for each data set."""
    sizes: dict[str, int] = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        bare = number.strip().replace(",", "")
        if not bare.isdecimal() or not int(bare):
            raise InputError.of("results.not_a_size", text=text)
        if name.strip() in sizes:
            raise InputError.of("results.size_twice", text=text)
        sizes[name.strip()] = int(bare)
    if "" in sizes and len(sizes) > 1:
        raise InputError.of("results.sizes_mixed")
    return sizes.get("", sizes or None)


@command()
@click.argument("scores", type=Reads())
@click.option("-m", "--measure", metavar="MEASURE")
@click.option("--control", metavar="SYSTEM")
@click.option("--rope", type=float)
@click.option("--holes", type=click.Choice(["common", "drop", "worst"]), default="common")
@click.option("--goal", type=click.Choice(["higher", "lower"]), default="higher")
@click.option("--outer", type=click.Choice(["system", "task"]), default="system")
@click.option("--resamples", type=Count(100), default=1000)
@click.option("--svg", type=Writes())
@click.option("--latex", type=Writes())
@click.option("--difference", nargs=2, metavar="NEW OLD")
@click.option("--unit", type=click.Choice(["tasks", "queries"]), default="tasks")
@level_option
@seed_option
@takes(answer=Answer)
def across(
    scores: str, svg: Path | None, latex: Path | None, difference: tuple[str, str] | None, unit: Unit, answer: Answer,
    **options: Any,
) -> None:  # fmt: skip
    """Compare systems across tasks."""
    _ = answer.meant  # an ending that means no format is refused before anything is written
    if difference is not None:
        control, rope, holes = (options.pop(name) for name in ("control", "rope", "holes"))
        others = {"--svg": svg, "--latex": latex, "--control": control, "--rope": rope}
        for option, value in {**others, "--holes": None if holes == "common" else holes}.items():
            if value is not None:
                raise InputError.of("results.alone_option", option=option)
        answer.give(difference_across(scores, *difference, unit=unit, **options))
        return
    found = compare_across(scores, **options)
    if svg is not None:
        write_text(svg, found.to_svg(answer.lang))
    if latex is not None:
        write_text(latex, found.to_latex(answer.lang))
    answer.give(found)


@command()
@click.argument("place", type=Reads(), metavar="DIR")
@click.option("--append", "added", multiple=True, type=Reads(), metavar="SAVED")
@click.option("--system", metavar="NAME")
@click.option("--commit", metavar="COMMIT")
@click.option("--branch", metavar="NAME")
@click.option("--time", metavar="TIME")
@click.option("--tag", "tags", multiple=True, metavar="WORD")
@click.option("--accept", metavar="WHICH")
@click.option("--mlflow", "experiment", metavar="EXPERIMENT")
@click.option("--mlflow-uri", "uri", metavar="URI")
@click.option("-m", "--measure", "measures", multiple=True, metavar="MEASURE")
@level_option
@click.option("--strict", is_flag=True)
@takes(answer=Answer)
def history(
    place: str, added: tuple[str, ...], accept: str | None, experiment: str | None, uri: str | None,
    measures: tuple[str, ...], level: float, strict: bool, answer: Answer, **stated: Any,
) -> int:  # fmt: skip
    """Show a history of evaluations, and add to it."""
    from rankmeter.wings.results.history import History, entries_of

    kept = History(place)
    # Before anything is added, all that is typed is checked.
    check_level(level)
    _ = answer.meant
    loaded = [kept.loaded(path) for path in added]
    made = [entry for result in loaded for entry in entries_of(result, **stated)]
    if experiment is not None:
        made += kept.new_in_mlflow(experiment, uri=uri, system=stated["system"])
    kept.check_asked(measures, accept, made)
    entries = [kept.add(entry) for entry in made]
    if not answer.quiet and (added or experiment is not None):
        say(word("history_added", answer.lang, count=len(entries), place=place))
    if accept is not None:
        chosen = kept.accept(accept)
        if not answer.quiet:
            say(
                word(
                    "history_accepted", answer.lang, names=[f"{one.system} {one.commit or one.name}" for one in chosen]
                )
            )
    found = kept.timeline(measures, system=None if added else stated["system"], level=level)
    if added and stated["system"] is None and not answer.quiet:
        here = {entry.name for entry in entries}
        known = {line.system for line in found.series if any(point.entry not in here for point in line.points)}
        if known and (new := sorted({entry.system for entry in entries} - known)):
            say(word("history_new_systems", answer.lang, names=new, known=sorted(known)))
    answer.give(found)
    return FAILED if strict and not found.passes else DONE
