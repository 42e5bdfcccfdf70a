"""Tables of judging: which column is which, and the pairs that were judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rankmeter.errors import InputError, examples
from rankmeter.inputs.attributes import find_column
from rankmeter.late import pl

if TYPE_CHECKING:
    from rankmeter.inputs import AnyJudgments


def graded_pairs(judgments: AnyJudgments) -> pl.DataFrame:
    """``query``, ``item`` and ``grade`` of the pairs that were judged, ids as text; below 0 nobody judged."""
    table = judgments.judgment_table()
    frame = pl.DataFrame({"query": table.query.cast(pl.String), "item": table.item.cast(pl.String)})
    return frame.with_columns(table.grade.alias("grade")).filter(pl.col("grade") >= 0)


def check_machine_covers(ranked: pl.DataFrame, guessed: pl.DataFrame) -> None:
    """Refuse machine judgments that lack a pair which a run ranks."""
    lacking = ranked.join(guessed, on=["query", "item"], how="anti")
    if len(lacking):
        query, item = lacking.select("query", "item").row(0)
        raise InputError.of("judging.machine_lacks_ranked", count=len(lacking), query=query, item=item)


def check_roles(columns: Mapping[str, str], roles: Sequence[str]) -> None:
    """Refuse names for roles that there are not."""
    unknown = sorted(set(columns) - set(roles))
    if unknown:
        raise InputError.of("judging.no_such_role", role=unknown[0], roles=list(roles))


def roles_of(
    table: pl.DataFrame,
    usual: Mapping[str, Sequence[str]],
    columns: Mapping[str, str],
    source: str,
    *,
    needed: Sequence[str],
) -> dict[str, str]:
    """The column of each role that the table has; one that is needed and missing is an error."""
    chosen = {role: find_column(table, names, role, source, given=columns.get(role)) for role, names in usual.items()}
    for role in needed:
        if chosen[role] is None:
            shown = examples(table.columns, shown=12)
            raise InputError.of("judging.no_role_column", source=source, role=role, columns=shown)
    return {role: name for role, name in chosen.items() if name is not None}
