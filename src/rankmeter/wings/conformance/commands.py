"""The command that checks a metric."""

from __future__ import annotations

import click

from rankmeter.cli.output import Answer
from rankmeter.cli.parameters import command, takes
from rankmeter.errors import InputError
from rankmeter.wings.conformance.checking import check as check_metric
from rankmeter.wings.conformance.subjects import ProgramSubject, Subject, find_function, into_subject


@command()
@click.option("--function", metavar="MODULE:NAME")
@click.option("--command", "program", metavar="COMMAND")
@click.option("--as", "claimed", metavar="MEASURE")
@click.option("--arguments", metavar="WORD,WORD,...")
@click.option("--tolerance", type=float, default=1e-6)
@click.option("--badge", is_flag=True)
@takes(answer=Answer)
def check(
    function: str | None,
    program: str | None,
    claimed: str | None,
    arguments: str | None,
    tolerance: float,
    badge: bool,
    answer: Answer,
) -> None:
    """Which definition a metric follows."""
    verdict = check_metric(_subject(function, program, arguments), claimed, tolerance=tolerance)
    if badge:
        answer.deliver(verdict.badge)
    else:
        answer.give(verdict)
    if not verdict.conforms:
        raise SystemExit(1)


def _subject(function: str | None, program: str | None, arguments: str | None) -> Subject:
    if (function is None) == (program is None):
        raise InputError.of("conformance.nothing_to_check")
    if program is not None:
        return ProgramSubject(program, arguments)
    return into_subject(find_function(str(function)), arguments)
