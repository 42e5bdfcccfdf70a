"""What the wing adds."""

from rankmeter.wings.literal import Wing

WING = Wing(sources={"pyspark.sql.DataFrame": ".distant"}, docs=("how-to/spark.md",))
