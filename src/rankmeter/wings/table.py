"""What the wings add, by kind: all that the core sees of them.

Written by docs/tools/make_wings.py from each ``wing.py``.
"""

from __future__ import annotations

WINGS: dict[str, str] = {
    "catalogue": "Catalogues ranked from vectors, on CPU and CUDA; tensors; metrics that accumulate during training",
    "spark": "Tables that one machine cannot hold, evaluated by Spark where they are",
}
"""Every wing, and what it is for."""

NAMES: dict[str, str] = {
    "rank_catalogue": "rankmeter.wings.catalogue.catalogue_ranking",
    "ranked_ids": "rankmeter.wings.catalogue.ranked_ids",
    "tensors": "rankmeter.wings.catalogue.tensors",
}

MODULES: dict[str, str] = {
    "rankmeter.torch": "rankmeter.wings.catalogue.metrics",
    "rankmeter.compat.sentence_transformers": "rankmeter.wings.catalogue.sentence_transformers",
}

COMMANDS: dict[str, str] = {}

PROGRAMS: dict[str, str] = {}

SOURCES: dict[str, str] = {
    "pyspark.sql.DataFrame": "rankmeter.wings.spark.distant",
}

OPTIONS: dict[str, str] = {}

FAMILIES: dict[str, str] = {}
"""Modules of measures, each with its measures."""

DOCS: dict[str, str] = {
    "how-to/spark.md": "spark",
}
"""Pages of one wing."""

HELPFUL = tuple("".split())
"""Wings that have help of commands."""

SPOKEN = tuple("".split())
"""Wings that have sentences of their own."""
