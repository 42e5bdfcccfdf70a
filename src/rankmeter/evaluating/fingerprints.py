"""Fingerprints of judgments: two evaluations can be compared if theirs are the same."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.frozen import dataclass
from rankmeter.inputs.tables import Judgments, JudgmentTable
from rankmeter.late import Late, pl
from rankmeter.placing.matching import mixed_hashes

MATRIX = "matrix"
"""Marks digests of matrices, which name no query and no item."""
ROWS_AT_ONCE = 256
"""How many rows of a matrix are hashed at a time, so that they stay in the cache."""
HASHES_AT_ONCE = 1 << 15
"""How many rows of a table are hashed at a time."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The fingerprint of judgments, whatever they were read from and in whatever order."""

    rows: int
    """How many items are judged, over all queries."""
    relevant: int
    """How many of them have a grade above 0."""
    digest: str
    """A hash of every query, item and grade."""
    made_by: str
    """What made the digest; another version gives another digest of the same judgments."""

    def differs(self, other: Fingerprint) -> bool:
        """Whether the judgments are certainly different."""
        if MATRIX in (self.made_by, other.made_by) and self.made_by != other.made_by:
            return self.relevant != other.relevant  # in a matrix every cell is judged
        if (self.rows, self.relevant) != (other.rows, other.relevant):
            return True
        return self.made_by == other.made_by and self.digest != other.digest


def judged_by(truth: Judgments | None) -> Late[Fingerprint] | None:
    """The fingerprint of judgments as they are now, made when it is first asked for; None if there are none.

    A matrix or a long table is hashed at once, which costs little and keeps no reference; a shorter table is copied. A
    text, which cannot change, is kept. A mapping is copied, and hashed when the evaluation is saved, pickled or
    compared: hashing Python objects would slow down every evaluation for the few that need it.
    """
    if truth is None:
        return None
    if truth.matrix is not None:
        return Late(made=_of_matrix(truth.matrix))
    if (graded := truth.mapping) is not None:
        kept = graded.kept()
        return Late(lambda: _fingerprint_of_table(kept()))
    make = partial(_fingerprint_of_table, truth)
    return Late(make) if truth.text is not None else _of_table(truth.judgment_table())


COPIED_ROWS = 1 << 20
"""Up to how many judgments of a table are copied, to be hashed when somebody asks: a tenth of the time of hashing."""


def _of_table(table: JudgmentTable) -> Late[Fingerprint]:
    if len(table.query) > COPIED_ROWS:
        return Late(made=fingerprint_of(table))
    query, item, grade = map(_unshared, (table.query, table.item, table.grade))
    kept = JudgmentTable(query, item, grade)
    return Late(lambda: fingerprint_of(kept))


def _unshared(column: pl.Series) -> pl.Series:
    """A column that nobody else can change: numbers may be in the memory of an array, text is not."""
    return column if column.dtype == pl.String else pl.Series(column.name, column.to_numpy().copy())


def _fingerprint_of_table(truth: Judgments) -> Fingerprint:
    return fingerprint_of(truth.judgment_table())


def _of_matrix(grades: npt.NDArray[Any]) -> Fingerprint:
    """The fingerprint of a matrix of grades, in one pass."""
    weights = mixed_hashes(np.arange(1, grades.shape[1] + 1, dtype=np.uint64)) | np.uint64(1)
    digest, relevant = 0, 0
    for first in range(0, len(grades), ROWS_AT_ONCE):
        rows = np.ascontiguousarray(grades[first : first + ROWS_AT_ONCE], np.float64)
        sums = np.einsum("ij,j->i", rows.view(np.uint64), weights)
        number = np.arange(first, first + len(rows), dtype=np.uint64)
        digest += int(mixed_hashes(sums ^ mixed_hashes(number + np.uint64(1))).sum(dtype=np.uint64))
        relevant += int(np.count_nonzero(rows > 0))
    return Fingerprint(grades.size, relevant, f"{digest % 2**64:016x}", MATRIX)


def fingerprint_of(table: JudgmentTable) -> Fingerprint:
    """The fingerprint of judgments in a table: the sum of a hash of each row, so that their order does not matter.

    Examples
    --------
    >>> import polars as pl
    >>> from rankmeter.inputs.tables import JudgmentTable
    >>> rows = pl.Series(["1", "1", "2"]), pl.Series(["a", "b", "a"]), pl.Series([1.0, 0.0, 2.0])
    >>> one = fingerprint_of(JudgmentTable(*rows))
    >>> one == fingerprint_of(JudgmentTable(rows[0].cast(pl.Int64).reverse(), rows[1].reverse(), rows[2].reverse()))
    True
    >>> one.differs(fingerprint_of(JudgmentTable(rows[0], rows[1], pl.Series([2.0, 0.0, 1.0]))))
    True
    >>> one.rows, one.relevant
    (3, 2)
    """
    query_hashes, item_hashes = _hasher(table.query), _hasher(table.item)
    grade_hashes = (table.grade + 0.0).hash(seed=0).to_numpy()  # -0.0 + 0.0 is 0.0
    digest = 0
    for first in range(0, len(table.query), HASHES_AT_ONCE):
        rows = slice(first, first + HASHES_AT_ONCE)
        row = mixed_hashes(mixed_hashes(query_hashes(rows)) ^ item_hashes(rows))
        digest += int(mixed_hashes(row ^ grade_hashes[rows]).sum(dtype=np.uint64))
    relevant = int(np.count_nonzero(table.grade.to_numpy() > 0))
    return Fingerprint(len(table.query), relevant, f"{digest % 2**64:016x}", f"polars {pl.__version__}")


def _hasher(ids: pl.Series) -> Callable[[slice], npt.NDArray[np.uint64]]:
    """A function that hashes a slice of ids as text, so that 1 and "1" have the same hash.

    Numbers that lie close together are converted once each, not in every row, which takes a third of the time.
    """
    if ids.dtype.is_integer() and len(ids) and not ids.null_count():
        numbers = ids.to_numpy()
        low, high = int(numbers.min()), int(numbers.max())
        if high - low < len(ids):
            near = pl.Series(np.arange(low, high + 1, dtype=numbers.dtype))
            written = near.cast(pl.String).hash(seed=0).to_numpy()
            return lambda rows: written[numbers[rows] - numbers.dtype.type(low)]
    return lambda rows: ids[rows].cast(pl.String).hash(seed=0).to_numpy()
