"""A stream of tables cut anew, so that each holds whole queries.

Parts arrive as they are stored (row groups, blocks of text); the last query of a part may go on in the next one, even
in the next file, so it is held back until another query begins. A query that comes back later is noticed when
it is placed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rankmeter.inputs.shards import check_alike, joined_runs
from rankmeter.inputs.tables import RunTable
from rankmeter.late import pl


def whole_queries(tables: Iterable[RunTable]) -> Iterator[RunTable]:
    """Cut a stream of tables anew, so that adjacent rows of one query are in one table."""
    held: list[RunTable] = []  # rows of one query, the last one seen
    for table in tables:
        if held:
            check_alike(held[0], table)
        if table.queries is not None:  # it was read as a whole, and knows of queries without a row
            if held:
                yield joined_runs(held)
            held = []
            yield table
            continue
        start = _last_stretch(table.query)
        goes_on = bool(held) and table.query[0] == held[0].query[0]
        if start == 0 and goes_on:
            held.append(table)
            continue
        if start == 0:
            if held:
                yield joined_runs(held)
        else:
            yield joined_runs([*held, _rows(table, 0, start)])
        held = [_rows(table, start, len(table.query))]
    if held:
        yield joined_runs(held)


def _last_stretch(query: pl.Series) -> int:
    """Where the rows of the last query begin."""
    last = query[-1]
    size = 1024
    while True:  # looks back twice as far each time: most queries are short
        others = (query.tail(size) != last).arg_true()
        if len(others):
            return max(0, len(query) - size) + int(others[-1]) + 1
        if size >= len(query):
            return 0
        size *= 2


def _rows(table: RunTable, start: int, end: int) -> RunTable:
    query, item, score = (column.slice(start, end - start) for column in (table.query, table.item, table.score))
    return RunTable(query, item, score, table.source, table.scored)
