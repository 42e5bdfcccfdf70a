"""A session of Spark for the tests of every wing, as for those of conformance."""

from tests.conformance.conftest import spark, what_spark_needs

__all__ = ["spark", "what_spark_needs"]
