"""What was judged on the page of ``rankmeter judge page``, as a table: pairs that were skipped have no grade."""

from __future__ import annotations

from rankmeter.inputs.columns import Side
from rankmeter.inputs.delimited import Delimited
from rankmeter.inputs.export_tables import ExportedTable, rated_rows

_COLUMNS = ["query", "item", "grade", "judge", "time", "skipped"]
"""How such a table begins."""


def table_of(table: Delimited, name: str, side: Side) -> ExportedTable | None:
    """Its judgments; None for any other table."""
    names = list(table.names)
    if side != "judgments" or names[: len(_COLUMNS)] != _COLUMNS:
        return None
    return rated_rows(table.records(), names, name, "judging page")
