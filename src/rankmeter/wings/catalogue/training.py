"""An accumulating metric for training loops: ``update`` with a batch, ``compute`` when asked, ``merge`` processes.

It keeps sums, never predictions: a few hundred whole numbers for each measure, however many batches come. As many
processes add in place, a sum has a fixed width: an exact whole number (`rankmeter.arithmetic.exact_sums`) in 67 limbs
of 32 bits, and three counts of what is not finite. Two such sums are merged by adding their rows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rankmeter.arithmetic import AGGREGATES
from rankmeter.arithmetic.exact_sums import GRID, whole_number
from rankmeter.arithmetic.parts import Values
from rankmeter.errors import MeasureError, NotFoundError, did_you_mean, warn
from rankmeter.evaluating.facts import additive_counts
from rankmeter.evaluating.measuring import groups_of, measure_groups
from rankmeter.measures import Measure, RankedMeasure, into_measures, parse
from rankmeter.measures.slate_base import SlateMeasure
from rankmeter.placing.pairs import Placeable
from rankmeter.placing.placements import Floats, Ints
from rankmeter.wings.catalogue.list_sums import ListSums, refuse_flat
from rankmeter.wings.catalogue.ranked_ids import ranked_ids
from rankmeter.wings.catalogue.tensors import Tensor, tensors
from rankmeter.wings.catalogue.vectors import load_torch
from rankmeter.wording import said

LIMBS = 67
"""Enough for 2^31 of the largest float64."""
WIDTH = LIMBS + 3
"""How many whole numbers a sum takes."""
_BITS = 32
COUNTED, GRADED, RELEVANT, EMPTY = range(2 * WIDTH, 2 * WIDTH + 4)
STATE_WIDTH = 2 * WIDTH + 4
"""The sums above and below the line, and counts: queries that count, batches with a grade above 0, relevant items,
queries without any."""


class RankingMetric:
    """Ranking measures of a model while it is trained or validated.

    Each batch holds whole queries. Scores are ranked on their own device and only the places of the judged items leave
    it, once a batch; the values are those of ``evaluate``. The state is whole numbers that hold the exact sums, so the
    mean is the same to the last digit whatever the batches, their order, and the number of processes.

    A user without a relevant item is a row of the batch, so it counts 0, as for ``evaluate`` of the same tensors. A
    table of held-out items has no row of that user, and ``evaluate`` leaves it out: ``RR(empty=skip)`` does so here.
    :meth:`compute` warns once of such users.

    Parameters
    ----------
    measures
        One or several, as text or values; medians need every value and are refused. Measures of lists (coverage,
        diversity, novelty) look at the first items by their ids: the columns of a matrix, or the ids of
        :meth:`update_ids`.
    catalogue
        What measures of lists need to know of the items, as :func:`rankmeter.evaluate` takes it, with whole numbers as
        ids: ``range(items)``, or a :class:`rankmeter.Catalogue` with popularity, categories or features.

    Examples
    --------
    >>> import torch
    >>> from rankmeter.torch import RankingMetric
    >>> metric = RankingMetric(["RR", "nDCG@1,2"])
    >>> metric.update(torch.tensor([[-1.5, -0.5, -2.5]]), torch.tensor([[1, 0, 0]]))
    >>> metric.update(torch.tensor([[0.9, 0.1, 0.4]]), torch.tensor([[1, 0, 1]]))
    >>> metric.compute()
    {'RR': 0.75, 'nDCG@1': 0.5, 'nDCG@2': 0.8154...}
    >>> metric = RankingMetric(["RR", "Coverage@1"], catalogue=range(3))
    >>> metric.update(torch.tensor([[0.1, 0.9, 0.4], [0.2, 0.7, 0.6]]), torch.tensor([[0, 1, 0], [0, 1, 0]]))
    >>> {name: round(value, 4) for name, value in metric.compute().items()}
    {'RR': 1.0, 'Coverage@1': 0.3333}
    """

    def __init__(self, measures: object = ("nDCG@10", "AP", "RR"), *, catalogue: object = None) -> None:
        self.measures: tuple[Measure, ...] = check_measures(measures, lists=True)
        self._ranked = tuple(measure for measure in self.measures if isinstance(measure, RankedMeasure))
        listed = [measure for measure in self.measures if isinstance(measure, SlateMeasure)]
        self._lists = ListSums(listed, catalogue) if listed else None
        self._state = empty_state(self.measures)
        self._has_warned = False

    def update(
        self, scores: Tensor, labels: Tensor, *, mask: Tensor | None = None, indexes: Tensor | None = None
    ) -> None:
        """Take in a batch of scores and labels; see :func:`rankmeter.tensors`."""
        if self._lists is not None:
            refuse_flat(self._lists.measures, indexes)
        self._add(tensors(scores, labels, mask=mask, indexes=indexes))

    def update_ids(self, item_ids: Tensor, relevant: Any, *, grades: Any = None, padding: int = -1) -> None:
        """Take in a batch of ranked item ids and relevant ids; see :func:`rankmeter.ranked_ids`."""
        self._add(ranked_ids(item_ids, relevant, grades=grades, padding=padding))

    def _add(self, batch: Placeable) -> None:
        state = empty_state(self.measures)
        values = {} if self._lists is None else self._lists.add(batch)
        for place, measure in enumerate(self.measures):
            if measure in values:
                state[place] = _sums_of_measure(measure, values[measure], [0, 0, 0])
        ranked = [place for place, measure in enumerate(self.measures) if isinstance(measure, RankedMeasure)]
        if ranked:
            state[ranked] = batch_state(self._ranked, batch)
        self._state = added(self._state, state)

    def compute(self) -> dict[str, float]:
        """The value of each measure over all queries so far, by its canonical string; NaN where no query counts."""
        self._has_warned = self._has_warned or warned_of_empty(self.measures, self._state)
        return {str(measure): self[measure] for measure in self.measures}

    def __getitem__(self, measure: str | Measure) -> float:
        meant, row = self._found(measure)
        if meant.aggregate == "whole" and self._lists is not None:
            return self._lists.value(meant)
        return aggregate(meant, row)

    def counted(self, measure: str | Measure) -> int:
        """How many queries the value is about."""
        meant, row = self._found(measure)
        is_whole = meant.aggregate == "whole" and self._lists is not None
        return self._lists.counted(meant) if is_whole and self._lists is not None else int(row[COUNTED])

    def _found(self, measure: str | Measure) -> tuple[Measure, Ints]:
        meant = parse(measure) if isinstance(measure, str) else measure
        if meant not in self.measures:
            hint = did_you_mean(str(measure), [str(measure) for measure in self.measures])
            raise NotFoundError.of("catalogue.not_accumulated", measure=measure, hint=hint)
        return meant, self._state[self.measures.index(meant)]

    def reset(self) -> None:
        """Forget every batch."""
        self._state = empty_state(self.measures)
        if self._lists is not None:
            self._lists.reset()

    def merge(self, *others: RankingMetric) -> None:
        """Add what other metrics of the same measures have taken in."""
        for other in others:
            _check_same(self.measures, other.measures)
            self._state = added(self._state, other._state)  # noqa: SLF001  (of the same class)
            if self._lists is not None and other._lists is not None:  # noqa: SLF001
                self._lists.join(other._lists.state())  # noqa: SLF001

    def all_reduce(self, group: Any = None) -> None:
        """Add the sums of all processes of ``torch.distributed`` in place, so that each holds the whole."""
        torch = load_torch()
        device = "cuda" if torch.distributed.get_backend(group) == "nccl" else "cpu"
        state = torch.from_numpy(self._state).to(device)
        torch.distributed.all_reduce(state, group=group)
        self._state = added(state.cpu().numpy())
        if self._lists is not None:
            every: list[Any] = [None] * torch.distributed.get_world_size(group)
            torch.distributed.all_gather_object(every, self._lists.state(), group=group)
            self._lists.reset()
            for one in every:
                self._lists.join(one)

    def state_dict(self) -> dict[str, Any]:
        """What :meth:`load_state_dict` takes: the measures as text and the sums as a tensor of whole numbers."""
        return {
            "measures": [str(measure) for measure in self.measures],
            "sums": load_torch().from_numpy(self._state.copy()),
            **({} if self._lists is None else {"lists": self._lists.state()}),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a saved state."""
        _check_same(self.measures, tuple(parse(text) for text in state["measures"]))
        self._state = np.array(state["sums"].cpu().numpy(), np.int64)
        if self._lists is not None:
            self._lists.reset()
            self._lists.join(state["lists"])

    def __repr__(self) -> str:
        return f"RankingMetric({', '.join(map(str, self.measures))})"


def check_measures(measures: object, *, lists: bool = False) -> tuple[Measure, ...]:
    """The measures, if sums (and with ``lists``, counts of items) are enough to aggregate them."""
    chosen = tuple(into_measures(measures))
    if not chosen:
        raise MeasureError.of("measures.none")
    for measure in chosen:
        is_listed = lists and isinstance(measure, SlateMeasure)
        if not isinstance(measure, RankedMeasure) and not is_listed:
            raise MeasureError.of("catalogue.lists_not_accumulated", measure=measure)
        if is_listed and measure.aggregate == "whole":
            continue  # whether blocks can answer is looked at with what is known of the items
        if not AGGREGATES[measure.aggregate].of_sums:
            raise MeasureError.of("catalogue.median_not_accumulated", measure=measure)
    return chosen


def empty_state(measures: tuple[Measure, ...]) -> Ints:
    """(measures, STATE_WIDTH) nothing taken in."""
    return np.zeros((len(measures), STATE_WIDTH), np.int64)


def batch_state(measures: tuple[Measure, ...], batch: Placeable) -> Ints:
    """(measures, STATE_WIDTH) the sums of one batch."""
    state = empty_state(measures)
    number = {measure: place for place, measure in enumerate(measures)}
    # One batch may hold low grades only: whether any grade is relevant is asked when the value is.
    for measured in measure_groups(batch, groups_of(measures), strict=None):
        placed = measured.placed
        for measure, values in measured.values.items():
            lowest = getattr(measure, "threshold", None)
            relevant = 0 if lowest is None else int((placed.placements.best >= lowest).sum())
            counts = [placed.highest_grade > 0, relevant, additive_counts(placed.placements)["without_relevant"]]
            state[number[measure]] = _sums_of_measure(measure, values, counts)
    return state


def _sums_of_measure(measure: Measure, values: Values, counts: list[int]) -> Ints:
    rule = AGGREGATES[measure.aggregate]
    top, bottom = rule.parts(values)
    below = bottom if rule.pools else bottom[:0]
    return np.concatenate([limbs_of(top), limbs_of(below), np.array([len(top), *counts], np.int64)])


def added(*states: Ints) -> Ints:
    """The sum of states."""
    both: Ints = np.add.reduce(states)
    for row in both:
        row[:WIDTH], row[WIDTH:COUNTED] = carried(row[:WIDTH]), carried(row[WIDTH:COUNTED])
    return both


def aggregate(measure: Measure, row: Ints) -> float:
    """One number out of a measure's sums, as ``evaluate`` gives it for all queries at once."""
    counted, graded, relevant, _ = row[COUNTED:].tolist()
    rel = getattr(measure, "rel", None)
    if rel is not None and graded and not relevant:
        raise MeasureError.of("catalogue.no_grade_so_far", measure=measure, rel=rel, name=type(measure).name)
    rule = AGGREGATES[measure.aggregate]
    below = sum_of_state(row[WIDTH:COUNTED]) if rule.pools else counted
    return float(rule.value(sum_of_state(row[:WIDTH]), below)) if counted else rule.nothing


def warned_of_empty(measures: tuple[Measure, ...], state: Ints) -> bool:
    """Whether there are queries without a relevant item that count 0, which is then said."""
    for measure, row in zip(measures, state, strict=True):
        empty, queries = int(row[EMPTY]), int(row[COUNTED])
        if empty and getattr(measure, "empty", "") == "zero":
            skipping = str(measure(empty="skip"))
            warn(said("empty_rows_count", count=empty, total=queries, measure=str(measure), skipping=skipping))
            return True
    return False


def _check_same(mine: tuple[Measure, ...], others: tuple[Measure, ...]) -> None:
    if mine != others:
        raise MeasureError.of(
            "catalogue.other_measures", mine=", ".join(map(str, mine)), others=", ".join(map(str, others))
        )


def limbs_of(values: Floats) -> Ints:
    """(WIDTH,) the sum of some numbers, fewer than 2^31.

    Examples
    --------
    >>> state = limbs_of(np.array([1e100, 1.0])) + limbs_of(np.array([-1e100]))
    >>> sum_of_state(state)
    1.0
    """
    sum_of_finite = whole_number(values[np.isfinite(values)])
    limbs = np.frombuffer(abs(sum_of_finite).to_bytes(LIMBS * _BITS // 8, "little"), "<u4").astype(np.int64)
    others = np.array([np.isnan(values).sum(), (values == np.inf).sum(), (values == -np.inf).sum()], np.int64)
    return np.concatenate([limbs if sum_of_finite >= 0 else -limbs, others])


def carried(state: Ints) -> Ints:
    """A sum with limbs of at most 48 bits, so that thousands of such sums can be added."""
    if np.abs(state).max() < 1 << 48:
        return state
    carry = 0
    result = state.copy()
    for place in range(LIMBS - 1):
        carry, rest = divmod(int(state[place]) + carry, 1 << _BITS)
        result[place] = rest
    result[LIMBS - 1] = int(state[LIMBS - 1]) + carry
    return result


def sum_of_state(state: Ints) -> float:
    """The sum, rounded once: what ``math.fsum`` gives for the same values."""
    nan, rises, falls = state[LIMBS:].tolist()
    if nan or (rises and falls):
        return math.nan
    if rises or falls:
        return math.inf if rises else -math.inf
    number: int = sum(limb << (_BITS * place) for place, limb in enumerate(state[:LIMBS].tolist()))
    return number / (1 << GRID)
