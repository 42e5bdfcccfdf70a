"""``rankmeter rank_eval``: what Elasticsearch's ``_rank_eval`` answers, from saved responses."""

from __future__ import annotations

import click

from rankmeter.cli.options import Answer
from rankmeter.cli.output import definition_talk
from rankmeter.cli.parameters import Command, Reads, takes
from rankmeter.cli.talk import examples, tell


@click.command(
    "rank_eval",
    cls=Command,
    epilog=examples(
        "rankmeter rank_eval request.json msearch.json",
        "rankmeter rank_eval request.json msearch.json --format json --output answer.json",
        "rankmeter rank_eval request.json msearch.json --lang zh",
    ),
)
@click.argument("request", type=Reads())
@click.argument("responses", type=Reads())
@takes(answer=Answer)
def command(request: str, responses: str, answer: Answer) -> None:
    """Answer the _rank_eval REQUEST from RESPONSES, and show what the usual definition gives beside it.

    REQUEST is the body of the request: searches with ratings, and a metric. RESPONSES is an _msearch response whose
    answers are in the order of the requests, or an object with the response of each request by its id. --format json
    prints the answer in the engine's own form.
    """
    from rankmeter.compat.rank_eval import rank_eval

    engine = rank_eval(request, responses)
    answer.give(engine)
    if not answer.quiet:
        tell(definition_talk(list(engine.evaluation.means), answer.lang))
