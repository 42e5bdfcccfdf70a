"""Doors of other tools: their commands and classes with rankmeter behind them, and what trackers are told.

``trec_program``
    The command line of trec_eval 9 and 10, with its exact output (``rankmeter trec_eval``).
``pytrec_eval``
    ``RelevanceEvaluator`` and the rest of pytrec_eval's interface.
``ir_measures``
    A provider for ir_measures.
``trackers``
    What MLflow, Weights & Biases and TensorBoard get.

Each is self-contained, and an accident of a tool, such as the order in which glibc's sort leaves a NaN, stays in its
door. Scripts import them as ``rankmeter.compat``.
"""
