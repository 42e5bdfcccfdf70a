"""Placing from tensors: scores stay on their device, only the places of the judged items leave it.

Tensors in main memory are read as NumPy arrays, without a copy. On any other device a rank is counted there: by
comparing the rows of a matrix where few items are judged, by sorting otherwise. Nothing waits for the device once per
query.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from rankmeter.errors import InputError, examples
from rankmeter.frozen import dataclass
from rankmeter.inputs.ids import ids
from rankmeter.late import pl
from rankmeter.placing.indexes import PlacedRun, judged_placements
from rankmeter.placing.matrices import place_arrays, placed_columns
from rankmeter.placing.pairs import Placeable
from rankmeter.placing.placements import Ints, Placements, Plan
from rankmeter.placing.segments import Places, offsets_of, text_keys
from rankmeter.wings.catalogue.pair_counts import host
from rankmeter.wings.catalogue.vectors import load_torch

# torch need not be installed, so its tensors are Any here.
Tensor = Any
CELLS_AT_ONCE = 1 << 26
"""How many comparisons of a score with a threshold are held at once."""
FEW_JUDGED = 32
"""Up to how many judged items a query, on average, comparing is cheaper than sorting."""


@dataclass(frozen=True, slots=True)
class ScoredTensors(Placeable):
    """Scores and grades of lists of items, on one device; give it to ``evaluate`` in place of judgments and run."""

    scores: Tensor
    """(b, n), or (N,) where the lists stand one behind another."""
    grades: Tensor
    """Of the shape of the scores."""
    sizes: Tensor | None
    """(b,) the length of each list where the scores are flat; None for a matrix."""
    item: Tensor | None
    """(N,) the id of each item where the scores are flat; in a matrix it is the column."""
    queries: pl.Series
    highest_grade: float
    source: str = "tensors"

    def _place(self, plan: Plan) -> PlacedRun:
        placements = self._on_host(plan) if self.scores.device.type == "cpu" else self._on_device(plan)
        return PlacedRun(self.queries, placements, scored=True, highest_grade=self.highest_grade, source=self.source)

    def _on_host(self, plan: Plan) -> Placements:
        scores, grades = host(self.scores), host(self.grades)
        if self.sizes is None:
            return place_arrays(grades, scores, plan)
        sizes, item = host(self.sizes), host(self.item)
        return _placed_by_grades(sizes, placed_columns(scores, grades, sizes, item.__getitem__, plan))

    def _on_device(self, plan: Plan) -> Placements:
        scores = self.scores
        if plan.scores == "float32" and scores.element_size() > 4:
            scores = scores.float()
        judged = at_least(self.grades, plan.lowest_grade)
        if self.sizes is None and int(judged.sum()) <= FEW_JUDGED * len(scores):
            query, column = judged.nonzero(as_tuple=True)
            counted = count_rows(scores, query, column, plan)
            grade, score = self.grades[query, column], self.scores[query, column]
        else:
            flat = _Flat.of(scores, self.sizes, self.item)
            row = judged.reshape(-1).nonzero().squeeze(1)
            query, counted = flat.query[row], flat.count(row, plan)
            grade, score = self.grades.reshape(-1)[row], self.scores.reshape(-1)[row]
        # All that leaves the device: five whole numbers, a grade and a score for each judged item.
        query_, *places = host(load_torch().stack([query, *counted]))
        sizes = np.full(len(scores), scores.shape[1]) if self.sizes is None else host(self.sizes)
        columns = {"query": query_, "grade": host(grade.double()), "score": host(score.double())}
        return _placed_by_grades(sizes, columns | dict(zip(Places._fields, places, strict=True)))


def tensors(
    scores: Tensor, labels: Tensor, *, mask: Tensor | None = None, indexes: Tensor | None = None, queries: Any = None
) -> ScoredTensors:
    """Scores and labels of the same items, as torch tensors on any device.

    Parameters
    ----------
    scores, labels
        ``(queries, items)``: row i and column j are the same query and item in both; or flat, with ``indexes``.
    mask
        ``(queries, items)`` of bool: False where a cell is padding, neither ranked nor judged.
    indexes
        The query of each item, where scores and labels are flat, in any order; its numbers become the query ids.
    queries
        The ids of the rows of a matrix; row numbers where left out.

    Notes
    -----
    Items have no ids, so a tie is ordered (``ties="item"``) by the number of the column, or of the place among the
    items of the same query where scores are flat; as ids are, these numbers are compared as text (9 before 10).

    Examples
    --------
    >>> import torch, rankmeter as rm
    >>> scores, labels = torch.tensor([[-0.2, -0.9, -0.5]]), torch.tensor([[0, 1, 1]])
    >>> rm.evaluate(rm.tensors(scores, labels), measures=["RR", "P@2"]).mean
    {'RR': 0.5, 'P@2': 0.5}
    """
    torch = load_torch()
    scores, labels = into_tensor(scores, "scores"), into_tensor(labels, "labels")
    _check_alike(scores, labels, "labels")
    if scores.dtype == torch.bool:
        raise InputError.of("inputs.truth_scores", source="tensors")
    if not scores.is_floating_point():
        long = scores.element_size() == 8
        scores = scores.double()
        if long and bool((scores.abs() >= 1 << 53).any()):  # two different ones may have become one float
            raise InputError.of("catalogue.scores_too_large")
    if labels.dtype == torch.bool:
        labels = labels.to(torch.int8)
    sizes = item = None
    if indexes is not None:
        if mask is not None:
            raise InputError.of("catalogue.mask_and_indexes")
        scores, labels, sizes, item, queries = _grouped(scores, labels, into_tensor(indexes, "indexes"))
    elif scores.ndim != 2:
        raise InputError.of("catalogue.tensors_of_shape", shape=str(tuple(scores.shape)))
    elif mask is not None:
        inside = into_tensor(mask, "mask").bool()
        _check_alike(scores, inside, "mask")
        sizes, item = inside.sum(dim=1), inside.nonzero()[:, 1]
        scores, labels = scores[inside], labels[inside]
    if not scores.numel():
        raise InputError.of("catalogue.empty_tensors", shape=str(tuple(scores.shape)))
    highest = _highest(scores, labels)
    rows = len(scores) if sizes is None else len(sizes)
    return ScoredTensors(scores, labels, sizes, item, query_ids(queries, rows), highest)


def _highest(scores: Tensor, labels: Tensor) -> float:
    """The highest label; refuses NaN, which a maximum carries through, and infinite labels."""
    if scores.device.type == "cpu":
        top, low, high = float(host(scores).max()), float(host(labels).min()), float(host(labels).max())
    else:
        ends = (scores.max(), labels.min(), labels.max())
        top, low, high = load_torch().stack([end.double() for end in ends]).tolist()
    for name, values, end in (("scores", scores, top), ("labels", labels, high)):
        if math.isnan(end):
            raise InputError.of("catalogue.tensor_nan", what=name, count=int(values.isnan().sum()))
    if math.isinf(low) or math.isinf(high):
        raise InputError.of("catalogue.labels_infinite", count=int(labels.isinf().sum()))
    return float(high)


def at_least(grades: Tensor, lowest: float) -> Tensor:
    """Which grades are ``lowest`` or more; torch makes it a float32 at most, where the smallest number above 0 is 0."""
    torch = load_torch()
    if not grades.is_floating_point():
        held = torch.iinfo(grades.dtype)
        return grades >= (math.ceil(lowest) if held.min <= lowest <= held.max else lowest)
    rounded = float(torch.tensor(lowest, dtype=grades.dtype))
    return grades > rounded if rounded < lowest else grades >= rounded


def into_tensor(values: Any, what: str) -> Tensor:
    """A tensor without its gradient."""
    torch = load_torch()
    try:
        tensor = torch.as_tensor(values).detach()
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError.of("catalogue.no_tensor", what=what, error=error) from error
    if tensor.is_complex():
        raise InputError.of("catalogue.complex_tensor", what=what)
    return tensor


def query_ids(given: Any, rows: int) -> pl.Series:
    """The ids of the queries: given ones, or the row numbers."""
    if given is None:
        return pl.Series(np.arange(rows))
    listed = given.tolist() if hasattr(given, "tolist") else list(given)
    if len(listed) != rows:
        raise InputError.of("catalogue.queries_of_rows", count=len(listed), rows=rows)
    column = ids(listed)
    if column.n_unique() != rows:
        twice = examples(column.filter(column.is_duplicated()).to_list())
        raise InputError.of("catalogue.row_twice", what="queries", listed=twice)
    return column


def _check_alike(scores: Tensor, other: Tensor, what: str) -> None:
    if scores.shape != other.shape:
        raise InputError.of(
            "catalogue.tensors_differ", shape=str(tuple(scores.shape)), what=what, other=str(tuple(other.shape))
        )
    if scores.device != other.device:
        raise InputError.of("catalogue.other_devices", device=scores.device, what=what, other=other.device)


def _grouped(scores: Tensor, labels: Tensor, indexes: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, pl.Series]:
    """Flat scores with the items of each query together, in the order given."""
    torch = load_torch()
    _check_alike(scores, indexes, "indexes")
    if indexes.is_floating_point():
        raise InputError.of("catalogue.indexes_of_type", dtype=indexes.dtype)
    scores, labels, indexes = scores.reshape(-1), labels.reshape(-1), indexes.reshape(-1)
    indexes, order = indexes.sort(stable=True)
    known, sizes = torch.unique_consecutive(indexes, return_counts=True)
    item = torch.arange(len(order), device=order.device) - (sizes.cumsum(0) - sizes).repeat_interleave(sizes)
    return scores[order], labels[order], sizes, item, pl.Series(host(known))


def _placed_by_grades(sizes: Ints, columns: dict[str, Any]) -> Placements:
    """Placements of lists in which every item is judged."""
    offsets = offsets_of(np.bincount(columns["query"], minlength=len(sizes)))
    return judged_placements(sizes, columns["grade"], offsets, columns)


def count_rows(scores: Tensor, query: Tensor, column: Tensor, plan: Plan) -> tuple[Tensor, ...]:
    """Above, tied, higher id and earlier of some cells of a matrix, by comparing each with its whole row.

    Where memory runs out, fewer at once.
    """
    step = max(1, CELLS_AT_ONCE // scores.shape[1])
    while True:
        try:
            return _count_pieces(scores, query, column, plan, step)
        except load_torch().OutOfMemoryError:
            if step == 1:
                raise
            step = max(1, step // 4)


def _count_pieces(scores: Tensor, query: Tensor, column: Tensor, plan: Plan, step: int) -> tuple[Tensor, ...]:
    torch = load_torch()
    items = scores.shape[1]
    number = torch.arange(items, device=scores.device)
    text = _text_order(items, scores.device)
    pieces = []
    for first in range(0, max(len(query), 1), step):
        q, c = query[first : first + step], column[first : first + step]
        rows, wanted = scores[q], scores[q, c][:, None]
        equal = rows == wanted
        none = torch.zeros_like(q)
        higher = (equal & (text > text[c][:, None])).sum(dim=1) if plan.ids else none
        earlier = (equal & (number < c[:, None])).sum(dim=1) if plan.order else none
        pieces.append(torch.stack([(rows > wanted).sum(dim=1), equal.sum(dim=1), higher, earlier]))
    return tuple(torch.cat(pieces, dim=1))


def _text_order(items: int, device: Any) -> Tensor:
    """(items,) for each number from 0 on one that sorts as its text does."""
    return load_torch().from_numpy(text_keys(items)).to(device)


@dataclass(frozen=True, slots=True)
class _Flat:
    """Lists one behind another, on a device."""

    scores: Tensor
    query: Tensor
    item: Tensor
    start: Tensor
    """(b,) where each list starts."""
    longest: int

    @classmethod
    def of(cls, scores: Tensor, sizes: Tensor | None, item: Tensor | None) -> _Flat:
        torch = load_torch()
        device = scores.device
        if sizes is None:
            rows, columns = scores.shape
            sizes = torch.full((rows,), columns, device=device)
            item = torch.arange(columns, device=device).repeat(rows)
        number = torch.arange(len(sizes), device=device)
        query = number.repeat_interleave(sizes)
        return cls(scores.reshape(-1), query, item, sizes.cumsum(0) - sizes, int(item.max()) + 1)  # type: ignore[union-attr]

    def count(self, row: Tensor, plan: Plan) -> tuple[Tensor, ...]:
        """Above, tied, higher id and earlier of some rows, by sorting."""
        torch = load_torch()
        above, tied, earlier = self._runs(row, "given")
        higher = self._runs(row, "text")[2] if plan.ids else torch.zeros_like(above)
        return above, tied, higher, earlier if plan.order else torch.zeros_like(above)

    def _runs(self, row: Tensor, within: Literal["given", "text"]) -> tuple[Tensor, Tensor, Tensor]:
        """Where the tie of each row starts in its list, how long it is, and the row's place in it."""
        torch = load_torch()
        place_ = torch.arange(len(self.scores), device=self.scores.device)
        order = place_
        if within == "text":
            order = _text_order(self.longest, self.item.device)[self.item].sort(descending=True, stable=True)[1]
        order = order[self.scores[order].sort(descending=True, stable=True)[1]]
        order = order[self.query[order].sort(stable=True)[1]]
        score, query = self.scores[order], self.query[order]
        new = torch.ones_like(score, dtype=torch.bool)
        new[1:] = (score[1:] != score[:-1]) | (query[1:] != query[:-1])
        first = torch.where(new, place_, 0).cummax(0)[0]
        run = new.cumsum(0) - 1
        size = torch.bincount(run)
        at = torch.empty_like(order)
        at[order] = place_
        here = at[row]
        return first[here] - self.start[self.query[row]], size[run[here]], here - first[here]
