"""What tests in Spark share; importing it needs no PySpark, so that who imports it is skipped and does not fail."""

from __future__ import annotations

import polars as pl
import pytest

MARKS = [
    pytest.mark.slow,
    # PySpark 4.3 says of pandas 3 that it is not fully supported; sockets to the JVM are closed by the collector.
    pytest.mark.filterwarnings("ignore:.*pandas.*:UserWarning", "ignore:.*pandas.*:FutureWarning"),
    pytest.mark.filterwarnings("ignore:distutils Version classes:DeprecationWarning"),  # PySpark 3.5
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]


def table(spark, frame: pl.DataFrame):
    kinds = {pl.String: "string", pl.Int64: "bigint", pl.Float64: "double"}
    schema = ", ".join(f"`{name}` {kinds[dtype.base_type()]}" for name, dtype in frame.schema.items())
    return spark.createDataFrame(frame.rows(), schema)
