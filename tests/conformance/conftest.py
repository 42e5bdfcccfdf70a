"""One real Spark session for all tests that need it: two executor threads, small batches, several partitions."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rankmeter as rm

SRC = str(Path(rm.__file__).parents[1])
# Queries of a second do not repay the work of Java's second compiler and of several threads of its collector.
os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")


@pytest.fixture(scope="session")
def what_spark_needs():
    """Skip the test unless PySpark, PyArrow and a Java that runs are there; macOS has a ``java`` that installs none."""
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=Path(home) / "bin" if home else None)
    if java is None or subprocess.run([java, "-version"], capture_output=True, check=False).returncode:
        pytest.skip("Spark needs Java, which is not on the path")


@pytest.fixture(scope="module")
def spark(tmp_path_factory, what_spark_needs):
    """The session that is there, or a new one behind a test that stopped it; it ends with the process."""
    from pyspark.sql import SparkSession

    if worker := os.environ.get("PYTEST_XDIST_WORKER"):  # tests/conftest.py sees to it that Java starts once
        started = tmp_path_factory.getbasetemp().parent / "spark-started-by"
        assert not started.exists() or started.read_text("utf-8") == worker, "Spark runs in another process too"
        started.write_text(worker, "utf-8")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join([SRC, os.environ.get("PYTHONPATH", "")])
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "5")
        .config("spark.sql.adaptive.coalescePartitions.enabled", "false")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "7")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    return session
