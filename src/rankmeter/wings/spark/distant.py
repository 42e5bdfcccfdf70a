"""What is asked of data in Spark: to evaluate it, the rows of a log, and several runs together."""

from rankmeter.wings.spark.cluster import evaluate_spark as evaluate_distant
from rankmeter.wings.spark.spark_rows import SparkRows as DistantRows
from rankmeter.wings.spark.spark_rows import spark_sample as sample
from rankmeter.wings.spark.spark_rows import spark_times as times
from rankmeter.wings.spark.spark_runs import SparkRuns as DistantRuns

__all__ = ["DistantRows", "DistantRuns", "evaluate_distant", "sample", "times"]
