"""What Spark lacks is named with the extra that brings it; no session is needed to see that."""

from __future__ import annotations

import pytest

import rankmeter as rm
from rankmeter.wings.spark.cluster import saying_what_failed


class SparkFault(Exception):
    """An error as PySpark raises it."""

    __module__ = "pyspark.errors.exceptions.base"


@pytest.mark.parametrize(
    ("said", "lacking"),
    [
        ("[PACKAGE_NOT_INSTALLED] Pandas >= 2.2.0 must be installed; however, it was not found.", "Pandas"),
        ("[PACKAGE_NOT_INSTALLED] PyArrow >= 18.0.0 must be installed; however, it was not found.", "PyArrow"),
        ("Traceback ...\nModuleNotFoundError: No module named 'polars'", "polars"),
    ],
)
def test_the_message_names_the_library_and_the_extra(said, lacking):
    with pytest.raises(rm.MissingExtraError, match=rf"{lacking}.*Hint: .*rankmeter\[spark\]"), saying_what_failed():
        raise SparkFault(said)
