"""Larger than one process: blocks of whole queries, values straight to a file, Spark, sampled estimates."""
