"""A session of Spark, as for every test that needs one."""

from tests.conformance.conftest import spark

__all__ = ["spark"]
