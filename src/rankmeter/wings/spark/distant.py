"""What is asked of data in Spark: to evaluate it, and the rows of a log."""

from rankmeter.wings.spark.cluster import evaluate_spark as evaluate_distant
from rankmeter.wings.spark.spark_rows import SparkRows as DistantRows
from rankmeter.wings.spark.spark_rows import spark_sample as sample
from rankmeter.wings.spark.spark_rows import spark_times as times

__all__ = ["DistantRows", "evaluate_distant", "sample", "times"]
