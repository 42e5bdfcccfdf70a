"""Every shape of a document that is read, and which of them a document has."""

from __future__ import annotations

from collections.abc import Mapping

from rankmeter.inputs.columns import Side
from rankmeter.wings.engines import rated_sets, responses
from rankmeter.wings.engines.documents import Shape
from rankmeter.wings.engines.retrieval_records import EXPECTED, RETRIEVED

SHAPES: tuple[Shape, ...] = (*responses.SHAPES, *rated_sets.SHAPES, RETRIEVED, EXPECTED)
"""Every shape, in the order in which they are tried. A record may hold what was retrieved and what was expected."""


def shape_of(document: object, side: Side) -> Shape | None:
    """The first shape that a parsed JSON value has; one of the side that is read, where it holds both."""
    if not isinstance(document, Mapping):
        return None
    shapes = [shape for shape in SHAPES if shape.fits(document)]
    return next((shape for shape in shapes if shape.kind.side == side), next(iter(shapes), None))
