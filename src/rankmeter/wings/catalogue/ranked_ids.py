"""Placing from tensors of ranked item ids and of relevant ids: matched on their device, row by row at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from rankmeter.errors import InputError, RepeatedItemError, examples
from rankmeter.frozen import dataclass
from rankmeter.late import pl
from rankmeter.placing.indexes import PlacedRun, judged_placements, with_unreturned
from rankmeter.placing.pairs import Placeable
from rankmeter.placing.placements import Plan
from rankmeter.placing.segments import offsets_of
from rankmeter.wings.catalogue.pair_counts import host
from rankmeter.wings.catalogue.tensors import Tensor, into_tensor, query_ids
from rankmeter.wings.catalogue.vectors import load_torch


@dataclass(frozen=True, slots=True)
class RankedIds(Placeable):
    """Ranked item ids and relevant ids on one device; give it to ``evaluate`` in place of judgments and run."""

    items: Tensor
    """(b, k) best first; the padding where ``listed`` is False."""
    listed: Tensor
    repeated: Tensor
    """(b, k) whether the item stood further up already."""
    judged: Tensor
    """(b, r)"""
    grades: Tensor
    """(b, r) float64; -inf where there is no judgment."""
    queries: pl.Series
    highest_grade: float
    source: str = "ranked ids"

    def _place(self, plan: Plan) -> PlacedRun:
        if plan.duplicates == "error":
            self._refuse_repeated()
        # 'first' and 'best' are the same where the order is the score.
        listed = self.listed if plan.duplicates in ("counted", "once") else self.listed & ~self.repeated
        rank = listed.cumsum(dim=1)
        grade = self._grade_of_items()
        hit = listed & (grade >= plan.lowest_grade) & grade.isfinite()
        if plan.duplicates == "once":
            hit &= ~self.repeated
        query, column = hit.nonzero(as_tuple=True)
        counts = np.zeros(len(query), np.int64)
        columns: dict[str, Any] = {
            "query": host(query),
            "grade": host(grade[query, column]),
            "above": host(rank[query, column] - 1),
            "tied": counts + 1,
            "higher_id": counts,
            "earlier": counts,
            "score": np.full(len(query), np.nan),
        }
        returned = host(listed.sum(dim=1))
        if plan.unreturned:
            columns = with_unreturned(columns, returned, **self._unreturned())
        kept = self.grades.isfinite() & (self.grades >= plan.lowest_grade)
        offsets = offsets_of(host(kept.sum(dim=1)))
        placements = judged_placements(returned, host(self.grades[kept]), offsets, columns)
        return PlacedRun(self.queries, placements, scored=False, highest_grade=self.highest_grade, source=self.source)

    def _grade_of_items(self) -> Tensor:
        """(b, k) the grade of each listed item, -inf where it is not judged."""
        torch = load_torch()
        # Cells without a judgment hold the padding, and no listed item is equal to it.
        known, order = self.judged.sort(dim=1)
        slot = torch.searchsorted(known, self.items).clamp(max=known.shape[1] - 1)
        same = (known.gather(1, slot) == self.items) & self.listed
        return torch.where(same, self.grades.gather(1, order.gather(1, slot)), -torch.inf)

    def _unreturned(self) -> dict[str, Any]:
        torch = load_torch()
        listed = self.items.sort(dim=1)[0]
        slot = torch.searchsorted(listed, self.judged).clamp(max=listed.shape[1] - 1)
        query, column = ((listed.gather(1, slot) != self.judged) & self.grades.isfinite()).nonzero(as_tuple=True)
        return {
            "query": host(query),
            "grade": host(self.grades[query, column]),
            "items": pl.Series(host(self.judged[query, column])),
        }

    def _refuse_repeated(self) -> None:
        query, column = self.repeated.nonzero(as_tuple=True)
        if len(query):
            pairs = zip(self.items[query, column].tolist(), self.queries.gather(query.tolist()).to_list(), strict=True)
            twice = [{"item": str(item), "query": str(query)} for item, query in pairs]
            raise RepeatedItemError.of(
                "inputs.returned_twice", source=self.source, pairs=examples(twice, kind="general.item_in_query")
            )


def ranked_ids(
    item_ids: Tensor,
    relevant: Tensor | Sequence[Any],
    *,
    grades: Tensor | Sequence[Any] | None = None,
    padding: int = -1,
    queries: Any = None,
) -> RankedIds:
    """Ranked item ids and the ids of the relevant items, as torch tensors on any device.

    Parameters
    ----------
    item_ids
        ``(queries, k)`` of whole numbers, best first, shorter lists filled with the padding.
    relevant
        The judged items of each query: a list of tensors, or ``(queries, r)`` filled with the padding.
    grades
        The grades of ``relevant``, in the same shape; 1 where left out.
    padding
        The number that is no item.
    queries
        The ids of the rows; row numbers where left out.

    Examples
    --------
    >>> import torch, rankmeter as rm
    >>> lists = torch.tensor([[7, 3, 9], [4, 8, -1]])
    >>> rm.evaluate(rm.ranked_ids(lists, [torch.tensor([3, 9]), torch.tensor([5])]), measures=["RR", "R@3"]).mean
    {'RR': 0.25, 'R@3': 0.5}
    """
    torch = load_torch()
    items = _whole(item_ids, "item_ids")
    if items.ndim != 2 or not items.numel():
        raise InputError.of("catalogue.ids_of_shape", shape=str(tuple(items.shape)))
    judged = _whole(padded(relevant, padding, items.device), "relevant")
    check_rows(items, judged, "relevant")
    if judged.shape[1] == 0:
        judged = torch.full((len(judged), 1), padding, device=items.device)
    real = judged != padding
    repeated = _later(judged) & real
    if grades is None:
        graded = torch.ones_like(judged, dtype=torch.float64)
        real, judged = real & ~repeated, torch.where(repeated, padding, judged)
    else:
        graded = padded(grades, 0, items.device).double()
        if graded.shape != judged.shape:
            raise InputError.of(
                "catalogue.grades_of_shape", shape=str(tuple(graded.shape)), relevant=str(tuple(judged.shape))
            )
        if bool(repeated.any()):
            wrong = judged[repeated].tolist()
            raise InputError.of("catalogue.relevant_twice", listed=examples(wrong))
        if bool((~graded.isfinite() & real).any()):
            raise InputError.of("catalogue.grades_nan")
    graded = torch.where(real, graded, -torch.inf)
    listed = items != padding
    highest = max(float(graded.max()), 0.0)
    later = _later(items) & listed
    return RankedIds(items, listed, later, judged, graded, query_ids(queries, len(items)), highest)


def padded(values: Any, padding: int, device: Any) -> Tensor:
    """A matrix on the device; a list of tensors is filled up."""
    torch = load_torch()
    if isinstance(values, torch.Tensor):
        return values.detach().to(device)
    try:
        rows = [torch.as_tensor(row).reshape(-1) for row in values]
        # The type that holds all of them: that of the first row would cut fractions and digits off the others.
        kind = reduce(torch.promote_types, {row.dtype for row in rows if len(row)} or {torch.int64})
        filled = torch.nn.utils.rnn.pad_sequence([row.to(kind) for row in rows], True, padding)  # noqa: FBT003
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError.of("catalogue.tensor_each", error=error) from error
    return filled.to(device)


def check_rows(items: Tensor, judged: Tensor, what: str) -> None:
    """Refuse a different number of queries."""
    if judged.ndim != 2 or len(judged) != len(items):
        raise InputError.of("catalogue.other_rows", what=what, shape=str(tuple(judged.shape)), count=len(items))


def _whole(values: Any, what: str) -> Tensor:
    tensor = into_tensor(values, what)
    if tensor.is_floating_point() or tensor.dtype == load_torch().bool:
        raise InputError.of("catalogue.ids_of_type", what=what, dtype=tensor.dtype)
    return tensor.long()


def _later(values: Tensor) -> Tensor:
    """(b, k) whether the same number stands further to the left."""
    torch = load_torch()
    ordered, order = values.sort(dim=1, stable=True)
    same = torch.zeros_like(ordered, dtype=torch.bool)
    same[:, 1:] = ordered[:, 1:] == ordered[:, :-1]
    return torch.zeros_like(same).scatter(1, order, same)
