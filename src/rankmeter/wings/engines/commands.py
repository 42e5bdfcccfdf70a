"""The command of the wing: what Elasticsearch's ``_rank_eval`` answers."""

from __future__ import annotations

import click

from rankmeter.cli.output import Answer, definition_talk
from rankmeter.cli.parameters import Reads, command, takes
from rankmeter.cli.talk import tell


@command("rank_eval")
@click.argument("request", type=Reads())
@click.argument("responses", type=Reads())
@takes(answer=Answer)
def rank_eval(request: str, responses: str, answer: Answer) -> None:
    """What Elasticsearch's ``_rank_eval`` answers, from saved responses."""
    from rankmeter.wings.engines.rank_eval import rank_eval as answered

    engine = answered(request, responses)
    answer.give(engine)
    if not answer.quiet:
        tell(definition_talk(list(engine.evaluation.means), answer.lang))
