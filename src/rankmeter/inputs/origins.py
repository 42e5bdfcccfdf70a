"""Where rows come from: the lines and rows that messages name, and groups of rows of which some are empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, repeat

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError, examples
from rankmeter.frozen import dataclass
from rankmeter.inputs.cells import RawColumn, is_missing
from rankmeter.inputs.columns import Role
from rankmeter.inputs.reading import Reading
from rankmeter.wording import Said, said


class GroupedQueries(list[object]):
    """The query of each row, taken from groups of rows of which some may be empty.

    Parameters
    ----------
    groups
        The query of each group.
    sizes
        How many rows each has.
    """

    def __init__(self, groups: Sequence[object], sizes: Sequence[int]) -> None:
        super().__init__(chain.from_iterable(map(repeat, groups, sizes)))
        self.groups = list(groups)
        filled = {str(query) for query, size in zip(groups, sizes, strict=True) if size}
        self.has_empty = any(str(query) not in filled for query in self.groups)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where rows come from, so that messages can name the row or line at fault."""

    source: str
    lines: Sequence[int] | None = None
    """The line of each row in its file; None where rows have only a position."""
    first_row: int = 0
    """How many rows came before these, where a table is read in parts."""
    reading: Reading | None = None
    """Which column became what."""
    rows: npt.NDArray[np.intp] | None = None
    """The row that each stood in, where lists were taken apart."""

    def blame(self, fact: Said, rows: Sequence[int], raw: Mapping[Role, RawColumn], hint: str = "") -> InputError:
        """Say the fact about the first row, where it is, and which rows are like it."""
        known = {
            role: value for role in ("query", "item") if role in raw and not is_missing(value := raw[role][rows[0]])
        }
        pair = said("inputs.pair", pair=known) if known else ""
        if self.lines is None:
            mine = rows if self.rows is None else dict.fromkeys(self.rows[list(rows)].tolist())
            places = [row + self.first_row for row in mine]
            where = said("inputs.row_pair", row=places[0], pair=known) if known else ""
            return InputError.of(
                "inputs.in_rows", source=self.source, fact=fact, count=len(rows), rows=examples(places), where=where,
                hint=hint,
            )  # fmt: skip
        numbers_ = [self.lines[row] for row in rows]
        like = said("inputs.like_this", count=len(rows), lines=examples(numbers_)) if len(rows) > 1 else ""
        return InputError.of(
            "inputs.in_line", source=self.source, line=numbers_[0], fact=fact, pair=pair, like=like, hint=hint
        )
