"""For training loops with PyTorch: a metric that accumulates, on its own or as a torchmetrics ``Metric``."""

from __future__ import annotations

from typing import Any

from rankmeter.errors import MissingExtraError
from rankmeter.wings.catalogue.training import RankingMetric


def as_torchmetrics(measures: object = ("nDCG@10", "AP", "RR"), **options: Any) -> Any:
    """Ranking measures as a torchmetrics ``Metric``: ``update(preds, target, indexes)``, ``forward`` and syncing.

    Parameters
    ----------
    measures
        One or several, as text or values.
    options
        Passed to ``torchmetrics.Metric``, such as ``dist_sync_on_step``.

    Examples
    --------
    >>> import torch
    >>> from rankmeter.torch import as_torchmetrics
    >>> metric = as_torchmetrics(["RR", "P@2"])
    >>> metric(torch.tensor([-0.3, -0.2, -0.1]), torch.tensor([1, 0, 1]), indexes=torch.tensor([0, 0, 1]))
    {'RR': tensor(0.7500, dtype=torch.float64), 'P@2': tensor(0.5000, dtype=torch.float64)}
    """
    try:
        from rankmeter.wings.catalogue.torch_metric import RankingTorchMetric  # only where that library is installed
    except ImportError as error:
        raise MissingExtraError.of("general.not_installed", library="torchmetrics", install="torchmetrics") from error
    return RankingTorchMetric(measures, **options)


__all__ = ["RankingMetric", "as_torchmetrics"]
