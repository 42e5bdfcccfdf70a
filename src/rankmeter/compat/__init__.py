"""Other tools' front doors: their command lines and interfaces, with rankmeter's arithmetic behind them.

``trec_eval``
    The command line of trec_eval 9 and 10, with its exact output (``rankmeter trec_eval``).
``pytrec_eval``
    ``RelevanceEvaluator`` and the rest of pytrec_eval's interface.
``ir_measures``
    A provider for ir_measures.
``sentence_transformers``
    Evaluators with the interface of SentenceTransformers' retrieval and reranking evaluators.
"""
