"""Tables of judging, whose columns have roles of their own: which column is which, by usual names or as named."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from rankmeter.errors import InputError, examples
from rankmeter.inputs.attributes import find_column
from rankmeter.late import pl


def called(data: object) -> str:
    """What a table is called in sentences: its path, where it has one."""
    return str(data) if isinstance(data, (str, os.PathLike)) else "the table"


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
