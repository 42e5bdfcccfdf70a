"""The limit in bytes of Spark's batches is lifted for our own jobs, and put back; no session is needed to see that."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from rankmeter.wings.spark.cluster import unweighed_batches

BYTES, ROWS = "spark.sql.execution.arrow.maxBytesPerBatch", "spark.sql.execution.arrow.maxRecordsPerBatch"
UNLIMITED = str(2**31 - 1)


class Settings(dict):
    """The settings of a session: one that is not known is an error."""

    def get(self, name):
        return self[name]

    def set(self, name, value):
        self[name] = value


def session(**settings):
    return SimpleNamespace(conf=Settings({BYTES: "64m", ROWS: "10000"} | settings))


def test_the_limit_is_lifted_and_put_back_whatever_happens():
    spark = session()

    def work():
        with unweighed_batches(spark):
            assert spark.conf[BYTES] == UNLIMITED
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    assert spark.conf == {BYTES: "64m", ROWS: "10000"}


def test_who_did_not_lift_the_limit_does_not_put_it_back():
    spark = session(**{BYTES: UNLIMITED})
    with unweighed_batches(spark):
        spark.conf[BYTES] = "64m"  # another thread is done
    assert spark.conf[BYTES] == "64m"


@pytest.mark.parametrize("rows", ["0", "-1", "100001"])
def test_the_limit_stays_where_no_other_keeps_batches_small(rows):
    spark = session(**{ROWS: rows})
    with unweighed_batches(spark):
        assert spark.conf[BYTES] == "64m"


def test_a_spark_without_the_limit_or_with_fixed_settings_is_left_alone():
    old = SimpleNamespace(conf=Settings({ROWS: "10000"}))
    with unweighed_batches(old):
        assert old.conf == {ROWS: "10000"}

    class Fixed(Settings):
        def set(self, name, value):
            raise RuntimeError(name, value)

    fixed = SimpleNamespace(conf=Fixed({BYTES: "64m", ROWS: "10000"}))
    with unweighed_batches(fixed):
        assert fixed.conf[BYTES] == "64m"
