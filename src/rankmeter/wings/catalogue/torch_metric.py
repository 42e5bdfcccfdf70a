"""The accumulating metric as a torchmetrics ``Metric``; :func:`rankmeter.torch.as_torchmetrics` makes one."""

from __future__ import annotations

from typing import Any

import torch
from torchmetrics import Metric

from rankmeter.measures import Measure
from rankmeter.wings.catalogue.tensors import tensors
from rankmeter.wings.catalogue.training import (
    added,
    aggregate,
    batch_state,
    check_measures,
    empty_state,
    warned_of_empty,
)


class RankingTorchMetric(Metric):  # type: ignore[misc, unused-ignore]  # Any where it is not installed
    """Ranking measures of whole queries, kept as exact sums and synced by adding them."""

    is_differentiable = False
    full_state_update = False
    sums: torch.Tensor

    def __init__(self, measures: object = ("nDCG@10", "AP", "RR"), **options: Any) -> None:
        super().__init__(**options)
        self.measures: tuple[Measure, ...] = check_measures(measures)
        self.has_warned = False
        self.add_state("sums", default=torch.from_numpy(empty_state(self.measures)), dist_reduce_fx="sum")

    def set_dtype(self, dst_type: str | torch.dtype) -> RankingTorchMetric:  # noqa: ARG002
        """Keep the sums as they are: they are whole numbers, which no other type would hold."""
        return self

    def update(
        self, preds: torch.Tensor, target: torch.Tensor, indexes: torch.Tensor | None = None,
        mask: torch.Tensor | None = None,
    ) -> None:  # fmt: skip
        """Take in a batch: matrices of queries x items, or flat tensors with the query of each item."""
        batch = batch_state(self.measures, tensors(preds, target, indexes=indexes, mask=mask))
        self.sums = torch.from_numpy(added(self.sums.cpu().numpy(), batch)).to(self.sums.device)

    def compute(self) -> dict[str, torch.Tensor]:
        """The value of each measure over all queries so far."""
        sums = self.sums.cpu().numpy()
        self.has_warned = self.has_warned or warned_of_empty(self.measures, sums)
        values = {str(measure): aggregate(measure, row) for measure, row in zip(self.measures, sums, strict=True)}
        return {name: torch.tensor(value, dtype=torch.float64) for name, value in values.items()}
