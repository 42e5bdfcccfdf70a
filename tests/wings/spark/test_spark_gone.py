"""A Spark session that was stopped under its tables is said; in a module, and so a session, of its own."""

from __future__ import annotations

import pytest
from tests.conformance.spark_tables import MARKS, table
from tests.conformance.test_ways_of_placing import data, rows

import rankmeter as rm

pytestmark = MARKS


def test_a_session_that_is_gone_is_said(spark):
    judgments, run = data(1)
    tables = table(spark, rows(judgments, "grade")), table(spark, rows(run, "score"))
    before = rm.evaluate(*tables, "RR")
    with pytest.raises(rm.InputError, match="run \\(Spark DataFrame\\) is empty"):
        rm.evaluate(tables[0], tables[1].where("false"), "RR")
    spark.stop()
    with pytest.raises(rm.InputError, match="the Spark session of these tables is gone"):
        rm.evaluate(*tables, "RR")
    with pytest.raises(rm.InputError, match="the Spark session of these tables is gone"):
        before.to_polars()
