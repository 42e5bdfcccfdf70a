"""What a list and its ideal have gained up to each rank, for measures that read both there."""

from __future__ import annotations

import numpy as np

from rankmeter.arithmetic.gain import gains_of
from rankmeter.arithmetic.relevance import depth
from rankmeter.arithmetic.views import Options, View
from rankmeter.arithmetic.weights import log2, weights_at
from rankmeter.frozen import dataclass
from rankmeter.placing.placements import Floats, Ints
from rankmeter.placing.segments import offsets_of, running_sums, sort_descending


@dataclass(frozen=True, slots=True)
class Ideal:
    """The gains above 0 of all candidates, highest first within each query: the list that is best at every rank."""

    gain: Floats
    offsets: Ints
    place: Ints
    """(b,) the rank of each in its ideal list."""
    query: Ints
    so_far: Floats
    """(b,) the gain up to and including each."""
    dcg: Floats
    """(b,) the discounted gain up to and including each."""

    @classmethod
    def of(cls, view: View, m: Options) -> Ideal:
        """The ideal lists of all queries, made once for the measures that agree on the gains."""
        ideal: Ideal = view.once(("ideal list", m.gain, m.rel), lambda: cls._made(view, m), of_best=True)
        return ideal

    @classmethod
    def _made(cls, view: View, m: Options) -> Ideal:
        gain = gains_of(view.best, m)
        if not isinstance(m.gain, str):
            gain = sort_descending(gain, view.best_offsets)
        query = view.owner[gain > 0]
        offsets = offsets_of(np.bincount(query, minlength=len(view)).astype(np.int64))
        place = np.arange(1, len(query) + 1) - offsets[query]
        gain = gain[gain > 0]
        dcg = running_sums(gain * weights_at(log2, place), offsets)
        return cls(gain, offsets, place, query, running_sums(gain, offsets), dcg)

    @property
    def sizes(self) -> Ints:
        """(q,) how many candidates have a gain."""
        return np.diff(self.offsets)

    def up_to(self, running: Floats, query: Ints, place: Ints) -> Floats:
        """A running sum over the first ``place`` items of the ideal lists of some queries; 0 if there is none."""
        return sums_of_first(running, self.offsets[query], np.minimum(place, self.sizes[query]))


@dataclass(frozen=True, slots=True)
class Gained:
    """The returned items with a gain within the cutoff, by query and rank."""

    gain: Floats
    query: Ints
    offsets: Ints
    rank: Ints
    so_far: Floats
    """(r,) the gain up to and including each."""
    dcg: Floats
    """(r,) the discounted gain up to and including each."""

    @classmethod
    def of(cls, view: View, m: Options) -> Gained:
        """The gains of all lists, taken once for the measures that agree on them."""
        gained: Gained = view.once(("gained", m.gain, m.rel, m.cutoff), lambda: cls._made(view, m))
        return gained

    @classmethod
    def _made(cls, view: View, m: Options) -> Gained:
        gain = gains_of(view.grade, m)
        rows = (gain > 0) & (view.rank <= depth(view, m.cutoff)[view.query])
        gain, query, rank = gain[rows], view.query[rows], view.rank[rows]
        offsets = offsets_of(np.bincount(query, minlength=len(view)).astype(np.int64))
        dcg = running_sums(gain * weights_at(log2, rank), offsets)
        return cls(gain, query, offsets, rank, running_sums(gain, offsets), dcg)

    @property
    def number(self) -> Ints:
        """(r,) which of the items of its list that gain each is, from 1."""
        return np.arange(1, len(self.query) + 1) - self.offsets[self.query]

    def dcg_at(self, query: Ints, rank: Ints) -> Floats:
        """The discounted gain of some queries up to some ranks."""
        wide = int(max(rank.max(initial=0), self.rank.max(initial=0))) + 2
        last = np.searchsorted(self.query * wide + self.rank, query * wide + rank, side="right")
        return sums_of_first(self.dcg, self.offsets[query], last - self.offsets[query])


def sums_of_first(running: Floats, start: Ints, count: Ints) -> Floats:
    """The running sum after ``count`` values of each segment."""
    sums = np.zeros(len(start))
    some = count > 0
    sums[some] = running[(start + count)[some] - 1]
    return sums
