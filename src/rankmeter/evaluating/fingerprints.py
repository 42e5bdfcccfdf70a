"""What an evaluation was judged by, as a fingerprint: two evaluations can be compared if it is the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmeter.inputs.sources import Dense, GradedMapping
from rankmeter.inputs.tables import JudgmentTable
from rankmeter.late import pl
from rankmeter.placing.hashing import mixed

if TYPE_CHECKING:
    from rankmeter.inputs import AnyJudgments


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Of judgments, whatever they were read from and in whatever order."""

    rows: int
    """How many items are judged, over all queries."""
    relevant: int
    """How many of them have a grade above 0."""
    digest: str
    """Of every query, item and grade."""
    made_by: str
    """What made the digest: one of another version says something else of the same judgments."""

    def differs(self, other: Fingerprint) -> bool:
        """Whether the judgments are surely different ones."""
        if (self.rows, self.relevant) != (other.rows, other.relevant):
            return True
        return self.made_by == other.made_by and self.digest != other.digest


class JudgedBy:
    """The fingerprint of some judgments, made when it is first asked for.

    Judgments in a table are looked at at once, which costs little, so that the table need not be kept. Those in a
    mapping are looked at when the evaluation is saved, sent elsewhere or compared: to walk through Python objects
    would slow down every evaluation for the sake of few. Only their grades are noted at once: where others are found
    later, the mapping was changed in between, and what it held before is not known.
    """

    __slots__ = ("_found", "_grades", "_truth", "was_changed")

    def __init__(self, truth: AnyJudgments | None, found: Fingerprint | None = None) -> None:
        self._truth, self._found, self.was_changed = truth, found, False
        self._grades = _grades_of(truth) if isinstance(truth, GradedMapping) else 0
        if isinstance(truth, JudgmentTable):
            self.fingerprint()

    def fingerprint(self) -> Fingerprint | None:
        """The fingerprint; None where nothing is known of the judgments."""
        if isinstance(self._truth, GradedMapping) and _grades_of(self._truth) != self._grades:
            self._truth, self.was_changed = None, True
        if self._truth is not None:
            from rankmeter.placing import judgments_table

            self._found, self._truth = fingerprint_of(judgments_table(self._truth)), None
        return self._found

    def __reduce__(self) -> tuple[Any, ...]:
        return JudgedBy, (None, self.fingerprint())


def judged_by(truth: AnyJudgments | None) -> JudgedBy | None:
    """What judgments are known by; None where there are none, or where they are a matrix that names no item."""
    return None if truth is None or isinstance(truth, Dense) else JudgedBy(truth)


def _grades_of(truth: GradedMapping) -> int:
    """A number for all grades in their order, which takes a hundredth of the time of an evaluation."""
    return hash(tuple(hash(tuple(one.values())) for one in truth.data.values()))


def fingerprint_of(table: JudgmentTable) -> Fingerprint:
    """The fingerprint of judgments in a table: the sum of a number for each row, so that their order is no matter.

    Examples
    --------
    >>> import polars as pl
    >>> from rankmeter.inputs import JudgmentTable
    >>> rows = pl.Series(["1", "1", "2"]), pl.Series(["a", "b", "a"]), pl.Series([1.0, 0.0, 2.0])
    >>> one = fingerprint_of(JudgmentTable(*rows))
    >>> one == fingerprint_of(JudgmentTable(rows[0].cast(pl.Int64).reverse(), rows[1].reverse(), rows[2].reverse()))
    True
    >>> one.differs(fingerprint_of(JudgmentTable(rows[0], rows[1], pl.Series([2.0, 0.0, 1.0]))))
    True
    >>> one.rows, one.relevant
    (3, 2)
    """
    row = np.zeros(len(table.query), np.uint64)
    # An id is the same as a number and as text; -0.0 + 0.0 is 0.0.
    for column in (table.query.cast(pl.String), table.item.cast(pl.String), table.grade + 0.0):
        row = mixed(row ^ column.hash(seed=0).to_numpy())
    relevant = int((table.grade > 0).sum())
    return Fingerprint(len(row), relevant, f"{int(row.sum(dtype=np.uint64)):016x}", f"polars {pl.__version__}")
