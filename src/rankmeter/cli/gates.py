"""What gates say in a terminal, and the exit code that they make."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from rankmeter.cli.exit_codes import DONE, FAILED
from rankmeter.cli.parameters import check_places, written
from rankmeter.cli.talk import say, tell
from rankmeter.comparing.gate import Verdict, noise_of
from rankmeter.errors import InputError
from rankmeter.wording import Language, word


def say_verdicts(verdicts: Sequence[Verdict], lang: Language, *, quiet: bool) -> int:
    """Say how every gate did, or only which failed; the exit code."""
    if not quiet:
        tell([word("note", lang, text=note) for note in noise_of(verdicts)])
    for verdict in verdicts:
        if verdict.failed or not quiet:
            kind = "gate_failed" if verdict.failed else "gate_passed"
            say(word(kind, lang, gate=verdict.gate.text, why=verdict.why))
    return FAILED if any(verdict.failed for verdict in verdicts) else DONE


def summary_path() -> Path | None:
    """Where the summary of a step is appended; None, and a note, outside of GitHub's workflows."""
    place = os.environ.get("GITHUB_STEP_SUMMARY")
    if not place:
        # The command may be tried locally before it runs in a workflow; gates and JUnit are useful there too.
        say("note: " + str(InputError.of("cli.no_github_summary")))
        return None
    # It is appended to, so it must not be a file that is read or written otherwise.
    ctx = click.get_current_context()
    check_places({**written(ctx), "--github-summary": Path(place)}, ctx)
    return Path(place)
