"""The command that checks a metric."""

from __future__ import annotations

from typing import Any

import click

from rankmeter.cli.exit_codes import DONE, FAILED
from rankmeter.cli.output import Answer
from rankmeter.cli.parameters import command, takes
from rankmeter.errors import InputError
from rankmeter.wings.conformance.checking import check as check_metric
from rankmeter.wings.conformance.hunting import hunt
from rankmeter.wings.conformance.subjects import ProgramSubject, Subject, find_function, into_subject

MOST_INPUTS = 1_000_000
"""More would take hours; another --seed tries others."""


@command()
@click.option("--function", metavar="MODULE:NAME")
@click.option("--command", "program", metavar="COMMAND")
@click.option("--as", "claimed", metavar="MEASURE")
@click.option("--arguments", metavar="WORD,WORD,...")
@click.option("--tolerance", type=float, default=1e-6)
@click.option("--badge", is_flag=True)
@click.option("--hunt", "inputs", type=click.IntRange(min=1, max=MOST_INPUTS), metavar="N")
@click.option("--against", metavar="MODULE:NAME")
@click.option("--seed", type=click.IntRange(min=0), default=0)
@takes(answer=Answer)
def check(
    function: str | None,
    program: str | None,
    claimed: str | None,
    arguments: str | None,
    tolerance: float,
    badge: bool,
    inputs: int | None,
    against: str | None,
    seed: int,
    answer: Answer,
) -> int:
    """Which definition a metric follows."""
    subject = _subject(function, program, arguments)
    if inputs is not None:
        return _hunt(subject, claimed, against, answer, inputs=inputs, seed=seed, tolerance=tolerance)
    if against is not None:
        raise InputError.of("conformance.against_without_hunt")
    verdict = check_metric(subject, claimed, tolerance=tolerance)
    if badge:
        answer.deliver(verdict.badge)
    else:
        answer.give(verdict)
    return DONE if verdict.conforms else FAILED


def _hunt(subject: Subject, claimed: str | None, against: str | None, answer: Answer, **options: Any) -> int:
    if claimed is not None and against is not None:
        raise InputError.of("conformance.two_rivals")
    found = hunt(subject, claimed if against is None else find_function(against), **options)
    answer.give(found)
    return FAILED if found.differs else DONE


def _subject(function: str | None, program: str | None, arguments: str | None) -> Subject:
    if (function is None) == (program is None):
        raise InputError.of("conformance.nothing_to_check")
    if program is not None:
        return ProgramSubject(program, arguments)
    return into_subject(find_function(str(function)), arguments)
