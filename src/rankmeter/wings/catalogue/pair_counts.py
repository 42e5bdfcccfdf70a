"""Counts of items above and beside judged items, from pairs whose scores are known; and the pairs not to be ranked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankmeter.frozen import dataclass
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.placing.segments import expand

Told = Callable[[float], object]
"""Is told how much of the work is done, from 0 to 1."""
ROWS_AT_ONCE = 1 << 12
"""Judged items whose excluded pairs are listed together."""


@dataclass(frozen=True, slots=True)
class CountedPairs:
    """Where each judged item stands among all items; every array ``(r,)``."""

    threshold: Floats
    """The score of the judged item."""
    above: Ints
    tied: Ints
    higher_id: Ints
    earlier: Ints
    recomputed: int = 0
    """How many scores fast arithmetic left in doubt and the definition decided."""
    uncertain: int = 0
    """How many ranks stay in doubt."""

    @classmethod
    def joined(cls, parts: list[CountedPairs]) -> CountedPairs:
        """The counts of one judged item after another."""
        names = ("threshold", "above", "tied", "higher_id", "earlier")
        arrays: Any = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
        recomputed, uncertain = sum(part.recomputed for part in parts), sum(part.uncertain for part in parts)
        return cls(**arrays, recomputed=recomputed, uncertain=uncertain)


@dataclass(frozen=True, slots=True)
class AskedPairs:
    """The judged items to be placed."""

    owner: Ints
    """(r,) the query of each, by its row, in rising order."""
    item: Ints
    """(r,) the item, by its row."""
    text_order: Callable[[], Ints]
    """Numbers that sort as the ids of the items do as text; asked for only where items tie."""
    excluded: Excluded
    told: Told


class PairTally:
    """Counts for thresholds in main memory; pairs are added, and excluded ones taken off again."""

    def __init__(self, asked: AskedPairs, threshold: Floats) -> None:
        self.asked = asked
        self.threshold = threshold
        self.above, self.tied, self.higher, self.earlier = (np.zeros(len(threshold), np.int64) for _ in range(4))
        self.recomputed = 0

    def add(self, row: Ints, item: Ints, score: Floats, times: int = 1) -> None:
        """Count items with their scores: each is above its threshold, beside or below it."""
        total, asked = len(self.threshold), self.asked
        self.above += times * np.bincount(row[score > self.threshold[row]], minlength=total)
        equal = score == self.threshold[row]
        row, item = row[equal], item[equal]
        self.tied += times * np.bincount(row, minlength=total)
        other = item != asked.item[row]
        if other.any():
            row, item = row[other], item[other]
            own, keys = asked.item[row], asked.text_order()
            self.earlier += times * np.bincount(row[item < own], minlength=total)
            self.higher += times * np.bincount(row[keys[item] > keys[own]], minlength=total)

    def counted(self, score: Callable[[Ints, Ints], Floats]) -> CountedPairs:
        """The counts, the excluded items taken off."""
        owner = self.asked.owner
        for first in range(0, len(owner) if len(self.asked.excluded.keys) else 0, ROWS_AT_ONCE):
            row, item = self.asked.excluded.beside(owner[first : first + ROWS_AT_ONCE])
            self.add(row + first, item, score(owner[row + first], item), -1)
        return CountedPairs(self.threshold, self.above, self.tied, self.higher, self.earlier, self.recomputed)


@dataclass(frozen=True, slots=True)
class Excluded:
    """The pairs that are not ranked: one rising number for each, query x items + item, an array or a tensor."""

    keys: Any
    items: int

    @classmethod
    def of(cls, query: Any, item: Any, asked: Any, items: int) -> Excluded:
        """Keep the pairs of queries that are asked for; the same pair twice counts once."""
        known = (query >= 0) & (query < len(asked)) & (item >= 0) & (item < items)
        query, item = query[known], item[known]
        mine = asked[query]
        keys = query[mine] * items + item[mine]
        return cls(keys.unique() if hasattr(keys, "unique") else each_once(keys), items)

    def _before(self, wanted: Ints) -> Any:
        """How many keys come before each wanted one."""
        if isinstance(self.keys, np.ndarray):
            return np.searchsorted(self.keys, wanted)
        import torch

        return torch.searchsorted(self.keys, torch.from_numpy(wanted).to(self.keys.device))

    def holds(self, query: Ints, item: Ints) -> Bools:
        """Whether each pair is excluded."""
        if not len(self.keys):
            return np.zeros(len(query), np.bool_)
        wanted = query * self.items + item
        nearest = host(self.keys[self._before(wanted).clip(max=len(self.keys) - 1)])
        same: Bools = nearest == wanted
        return same

    def sizes(self, query: Ints) -> Ints:
        """How many items each query excludes."""
        counts: Ints = host(self._before((query + 1) * self.items) - self._before(query * self.items))
        return counts

    def beside(self, query: Ints) -> tuple[Any, Any]:
        """The excluded pairs of some queries: place among the queries, item; arrays or tensors as the keys are."""
        start = self._before(query * self.items)
        sizes = self._before((query + 1) * self.items) - start
        if isinstance(self.keys, np.ndarray):
            return np.repeat(np.arange(len(query)), sizes), self.keys[expand(start, sizes)] % self.items
        import torch

        row = torch.arange(len(query), device=sizes.device).repeat_interleave(sizes)
        place = torch.arange(len(row), device=sizes.device) + (start - sizes.cumsum(0) + sizes)[row]
        return row, self.keys[place] % self.items


def each_once(keys: Ints) -> Ints:
    """Keys in rising order, each once; by sorting, which for millions of them is many times faster than hashing."""
    rising = np.sort(keys)
    once: Ints = rising[np.diff(rising, prepend=-1) != 0]
    return once


def host(values: Any) -> Any:
    """An array, or the numbers of a tensor as one; without a copy where they are in main memory."""
    if not hasattr(values, "detach"):
        return np.asarray(values)
    # NumPy has no bfloat16; float32 holds the same numbers.
    return (values.float() if str(values.dtype) == "torch.bfloat16" else values).detach().cpu().numpy()
