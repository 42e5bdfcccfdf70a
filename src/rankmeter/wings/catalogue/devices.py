"""Where vectors are ranked: on this machine's processor, or on a CUDA device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rankmeter.errors import InputError, MissingExtraError
from rankmeter.wings.catalogue.vectors import NumpyVectors, arrays_of, load_torch

if TYPE_CHECKING:
    from rankmeter.wings.catalogue.callback import ScoredTiles
    from rankmeter.wings.catalogue.cuda_vectors import CudaVectors

VectorPair: TypeAlias = "NumpyVectors | CudaVectors | ScoredTiles"
"""What can rank items for queries: vectors of both, or a callback."""


def into_vectors(
    left: Any, right: Any, *, bias: Any, similarity: Literal["dot", "cosine"], device: str | None
) -> VectorPair:
    """Accept NumPy arrays or torch tensors, check them, and bring them where they are ranked."""
    if device is None:
        device = next((str(given.device) for given in (left, right) if hasattr(given, "detach")), "cpu")
    if not device.startswith("cuda"):
        if device != "cpu":  # tensors of devices other than CUDA's are ranked in main memory
            try:
                load_torch().device(device)
            except RuntimeError as error:
                raise InputError.of("catalogue.unknown_device", device=f"{device!r}") from error
        return NumpyVectors(*arrays_of(left, right, bias, similarity))
    torch = load_torch()
    if not torch.cuda.is_available():
        raise InputError.of("catalogue.no_cuda", device=device)
    try:
        from rankmeter.wings.catalogue.cuda_vectors import cuda_vectors
    except ImportError as error:
        raise MissingExtraError.of("catalogue.no_triton") from error
    return cuda_vectors(left, right, bias=bias, similarity=similarity, device=device)
