"""A session of Spark, as for every test that needs one."""

from tests.conformance.conftest import spark, what_spark_needs

__all__ = ["spark", "what_spark_needs"]
