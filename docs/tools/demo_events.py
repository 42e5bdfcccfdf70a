"""Invent an event log for the demo: what readers did while half of them had one search engine, half another.

Readers of variant A get the lists of ``keyword``, those of variant B the lists of ``hybrid``. A reader looks down the
first five places, clicks on what the judgments call relevant more often than on the rest, and borrows some of it. All
had variant A's engine until :data:`START`, so that there is a time before the experiment.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from random import Random

START = "2026-03-01"
"""When variant B began; the log goes from two weeks before to two weeks after."""
ENGINES = {"A": "keyword", "B": "hybrid"}
READERS = 240
SHOWN = 5
"""How many books a page of results has."""
DAYS = 14
COUNTRIES = ("AT", "CH", "DE")
HEADER = ("time", "user", "variant", "country", "type", "request", "item", "position")

Row = tuple[str, ...]


def make_events(
    rng: Random, lists: Mapping[str, Mapping[str, Sequence[str]]], grades: Mapping[str, Mapping[str, int]]
) -> list[Row]:
    """The rows of the log under its header, in the order of time.

    Parameters
    ----------
    lists
        For each engine the items that it returned for a query, best first.
    grades
        For each query the grades of judged items.
    """
    queries = sorted(grades)
    rows: list[tuple[int, Row]] = []
    for number in range(1, READERS + 1):
        reader = f"reader{number:03}"
        variant, country = "AB"[rng.random() < 0.5], COUNTRIES[int(rng.random() * 3)]
        eager = 0.5 + rng.random()
        for visit in range(1 + int(rng.random() * 4)):
            query = queries[int(rng.random() * len(queries))]
            seconds = int((rng.random() - 0.5) * 2 * DAYS * 86_400)
            engine = ENGINES[variant] if seconds >= 0 else ENGINES["A"]
            for position, item in enumerate(lists[engine].get(query, ())[:SHOWN], start=1):
                # Fewer look at lower places; who looks clicks on what seems to fit, and borrows some of that.
                chance = eager * (0.06 + 0.15 * grades[query].get(item, 0)) / math.sqrt(position)
                moments = [("impression", seconds)]
                if rng.random() < chance:
                    moments.append(("click", seconds + 5 + int(rng.random() * 60)))
                    if rng.random() < 0.25:
                        moments.append(("conversion", moments[-1][1] + 60 + int(rng.random() * 600)))
                request = f"{reader}-{visit + 1}"
                rows += [
                    (when, (moment(when), reader, variant, country, kind, request, item, str(position)))
                    for kind, when in moments
                ]
    return [row for _, row in sorted(rows)]


def moment(seconds: int) -> str:
    """So many seconds after :data:`START`, as text."""
    return (datetime.fromisoformat(START) + timedelta(seconds=seconds)).isoformat()
