"""``rankmeter rank_eval``: what Elasticsearch's ``_rank_eval`` answers, from saved responses."""

from __future__ import annotations

import click

from rankmeter.cli.options import Delivery, shown_format_option
from rankmeter.cli.output import definition_talk, deliver_shown
from rankmeter.cli.parameters import Command, Reads, takes
from rankmeter.cli.talk import examples, language_option, tell
from rankmeter.wording import Language


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
@language_option
@shown_format_option
@takes(delivery=Delivery)
def command(request: str, responses: str, lang: Language, format_: str | None, delivery: Delivery) -> None:
    """Answer the _rank_eval REQUEST from RESPONSES, and show what the usual definition gives beside it.

    REQUEST is the body of the request: searches with ratings, and a metric. RESPONSES is an _msearch response whose
    answers stand in the order of the requests, or an object with the response of each request by its id. --format json
    prints the answer in the engine's own form.
    """
    from rankmeter.compat.rank_eval import rank_eval

    answer = rank_eval(request, responses)
    deliver_shown(answer, format_, delivery, lang)
    if not delivery.quiet:
        tell(definition_talk(list(answer.evaluation.means), lang))
