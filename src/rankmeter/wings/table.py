"""What the wings add, by kind: all that the core sees of them.

Written by docs/tools/make_wings.py from each ``wing.py``.
"""

from __future__ import annotations

WINGS: dict[str, str] = {
    "catalogue": "Catalogues ranked from vectors, on CPU and CUDA; tensors; metrics that accumulate during training",
    "conformance": "Metrics of others: which definition a function follows, and where it leaves it",
    "doors": "Doors of other tools: their commands and classes with rankmeter behind them, and what trackers are told",
    "engines": "What search engines and RAG tools answer and export: responses, records, rated sets, tables of Quepid",
    "fusion": "Fusion of runs: definitions by name, tuning without self-deception, several searches for one question",
    "judging": "Where judgments come from: how far judges agree, few people beside a machine, what to judge next",
    "online": "What users did: logs, sessions, experiments, interleaving, other policies, judgments from clicks",
    "protocol": "Before the number: splits of interactions, and the protocol that says how they were made",
    "results": "After the number: published tables audited without data, systems across tasks, history of a system",
    "searches": "Several searches for one question: runs with calls, and measures of a session of them",
    "spark": "Tables that one machine cannot hold, evaluated by Spark where they are",
}
"""Every wing, and what it is for."""

NAMES: dict[str, str] = {
    "rank_catalogue": "rankmeter.wings.catalogue.catalogue_ranking",
    "ranked_ids": "rankmeter.wings.catalogue.ranked_ids",
    "tensors": "rankmeter.wings.catalogue.tensors",
    "check": "rankmeter.wings.conformance.checking",
    "hunt": "rankmeter.wings.conformance.hunting",
    "log_to_mlflow": "rankmeter.wings.doors.trackers",
    "log_to_tensorboard": "rankmeter.wings.doors.trackers",
    "log_to_wandb": "rankmeter.wings.doors.trackers",
    "fuse": "rankmeter.wings.fusion.fusing",
    "fuse_to_file": "rankmeter.wings.fusion.streamed",
    "Fusion": "rankmeter.wings.fusion.definition",
    "tune": "rankmeter.wings.fusion.tuning",
    "ablate": "rankmeter.wings.fusion.ablating",
    "reconcile_fusion": "rankmeter.wings.fusion.reconciling",
    "board_overlap": "rankmeter.wings.judging.board_overlap",
    "draw": "rankmeter.wings.judging.draws",
    "evidence": "rankmeter.wings.judging.evidence_scores",
    "foresight": "rankmeter.wings.judging.predicted_queries",
    "judge_page": "rankmeter.wings.judging.judge_page",
    "judges": "rankmeter.wings.judging.panel_agreement",
    "leaderboards": "rankmeter.wings.judging.two_leaderboards",
    "nuggets": "rankmeter.wings.judging.nugget_scores",
    "rogan_gladen": "rankmeter.wings.judging.corrected_shares",
    "silence": "rankmeter.wings.judging.abstention",
    "judgments_from_clicks": "rankmeter.wings.online.click_grades",
    "online": "rankmeter.wings.online.public_names",
    "baselines": "rankmeter.wings.protocol.baselines",
    "debias": "rankmeter.wings.protocol.debiasing",
    "protocol_of": "rankmeter.wings.protocol.looking",
    "split": "rankmeter.wings.protocol.splitting",
    "History": "rankmeter.wings.results.history",
    "across": "rankmeter.wings.results.across",
    "difference_across": "rankmeter.wings.results.differences",
    "audit": "rankmeter.wings.results.auditing",
    "ann_recall": "rankmeter.wings.searches.approximate",
    "searches": "rankmeter.wings.searches.called_runs",
}

MODULES: dict[str, str] = {
    "rankmeter.torch": "rankmeter.wings.catalogue.metrics",
    "rankmeter.compat.sentence_transformers": "rankmeter.wings.catalogue.sentence_transformers",
    "rankmeter.compat.pytrec_eval": "rankmeter.wings.doors.pytrec_eval",
    "rankmeter.compat.ir_measures": "rankmeter.wings.doors.ir_measures",
    "rankmeter.compat.trackers": "rankmeter.wings.doors.trackers",
    "rankmeter.compat.rank_eval": "rankmeter.wings.engines.rank_eval",
    "rankmeter.online": "rankmeter.wings.online.public_names",
}

COMMANDS: dict[str, str] = {
    "check": "rankmeter.wings.conformance.commands",
    "trec_eval": "rankmeter.wings.doors.commands",
    "rank_eval": "rankmeter.wings.engines.commands",
    "fuse": "rankmeter.wings.fusion.commands",
    "tune": "rankmeter.wings.fusion.commands",
    "ablate": "rankmeter.wings.fusion.commands",
    "judge draw": "rankmeter.wings.judging.commands",
    "judge page": "rankmeter.wings.judging.commands",
    "judge agreement": "rankmeter.wings.judging.commands",
    "judge leaderboards": "rankmeter.wings.judging.commands",
    "silence": "rankmeter.wings.judging.commands",
    "evidence": "rankmeter.wings.judging.commands",
    "nuggets": "rankmeter.wings.judging.commands",
    "online": "rankmeter.wings.online.commands",
    "judgments-from-clicks": "rankmeter.wings.online.commands",
    "counterfactual": "rankmeter.wings.online.commands",
    "interleave": "rankmeter.wings.online.commands",
    "agreement": "rankmeter.wings.online.commands",
    "split": "rankmeter.wings.protocol.commands",
    "baselines": "rankmeter.wings.protocol.commands",
    "protocol": "rankmeter.wings.protocol.commands",
    "audit": "rankmeter.wings.results.commands",
    "across": "rankmeter.wings.results.commands",
    "history": "rankmeter.wings.results.commands",
    "ann-recall": "rankmeter.wings.searches.commands",
}

FORMER: dict[str, str] = {
    "draw": "judge draw",
    "judge": "judge page",
    "judges": "judge agreement",
    "leaderboards": "judge leaderboards",
}

PROGRAMS: dict[str, str] = {
    "trec_eval": "rankmeter.wings.doors.trec_program",
}

SOURCES: dict[str, str] = {
    "rankmeter.wings.DistantFused": "rankmeter.wings.fusion.fused_elsewhere",
    "rankmeter.wings.Searches": "rankmeter.wings.searches.session_evaluation",
    "pyspark.sql.DataFrame": "rankmeter.wings.spark.distant",
}

DOCUMENTS: dict[str, str] = {
    "hits": "rankmeter.wings.engines.exports",
    "responses": "rankmeter.wings.engines.exports",
    "response": "rankmeter.wings.engines.exports",
    "root": "rankmeter.wings.engines.exports",
    "details": "rankmeter.wings.engines.exports",
    "ids": "rankmeter.wings.engines.exports",
    "result": "rankmeter.wings.engines.exports",
    "data": "rankmeter.wings.engines.exports",
    "requests": "rankmeter.wings.engines.exports",
    "judgmentRatings": "rankmeter.wings.engines.exports",
    "query_doc_pairs": "rankmeter.wings.engines.exports",
    "queries": "rankmeter.wings.engines.exports",
}

TABLES: dict[str, str] = {
    "Query Text,Doc ID": "rankmeter.wings.engines.quepid_tables",
    "query,docid,rating": "rankmeter.wings.engines.quepid_tables",
    "query,doc_id,rating": "rankmeter.wings.engines.quepid_tables",
    "query,item,grade,judge,time,skipped": "rankmeter.wings.judging.judged_tables",
}

FORMATS: dict[str, str] = {
    "book": "rankmeter.wings.engines.quepid_tables",
}

OPTIONS: dict[str, str] = {
    "fuse.explain": "rankmeter.wings.fusion.fused_query",
    "evaluate.assisted_by": "rankmeter.wings.judging.answers",
    "evaluate.protocol": "rankmeter.wings.protocol.with_protocol",
    "evaluate.baselines": "rankmeter.wings.protocol.with_protocol",
    "evaluate.calls": "rankmeter.wings.searches.session_evaluation",
}

EXPLAINED: dict[str, str] = {
    "rrf": "rankmeter.wings.fusion.who_does_what",
    "isr": "rankmeter.wings.fusion.who_does_what",
    "log_isr": "rankmeter.wings.fusion.who_does_what",
    "logn_isr": "rankmeter.wings.fusion.who_does_what",
    "rbc": "rankmeter.wings.fusion.who_does_what",
    "bordafuse": "rankmeter.wings.fusion.who_does_what",
    "w_bordafuse": "rankmeter.wings.fusion.who_does_what",
    "condorcet": "rankmeter.wings.fusion.who_does_what",
    "w_condorcet": "rankmeter.wings.fusion.who_does_what",
    "min": "rankmeter.wings.fusion.who_does_what",
    "max": "rankmeter.wings.fusion.who_does_what",
    "med": "rankmeter.wings.fusion.who_does_what",
    "sum": "rankmeter.wings.fusion.who_does_what",
    "anz": "rankmeter.wings.fusion.who_does_what",
    "mnz": "rankmeter.wings.fusion.who_does_what",
    "gmnz": "rankmeter.wings.fusion.who_does_what",
    "wsum": "rankmeter.wings.fusion.who_does_what",
    "wmnz": "rankmeter.wings.fusion.who_does_what",
    "mixed": "rankmeter.wings.fusion.who_does_what",
    "arithmetic": "rankmeter.wings.fusion.who_does_what",
    "geometric": "rankmeter.wings.fusion.who_does_what",
    "harmonic": "rankmeter.wings.fusion.who_does_what",
    "mapfuse": "rankmeter.wings.fusion.who_does_what",
    "posfuse": "rankmeter.wings.fusion.who_does_what",
    "slidefuse": "rankmeter.wings.fusion.who_does_what",
    "probfuse": "rankmeter.wings.fusion.who_does_what",
    "segfuse": "rankmeter.wings.fusion.who_does_what",
    "bayesfuse": "rankmeter.wings.fusion.who_does_what",
    "min-max": "rankmeter.wings.fusion.who_does_what",
    "min-max-inverted": "rankmeter.wings.fusion.who_does_what",
    "z-score": "rankmeter.wings.fusion.who_does_what",
    "rank": "rankmeter.wings.fusion.who_does_what",
    "borda": "rankmeter.wings.fusion.who_does_what",
    "l2": "rankmeter.wings.fusion.who_does_what",
    "deviation": "rankmeter.wings.fusion.who_does_what",
    "arctan": "rankmeter.wings.fusion.who_does_what",
    "arctan-positive": "rankmeter.wings.fusion.who_does_what",
    "arctan-distance": "rankmeter.wings.fusion.who_does_what",
    "cosine": "rankmeter.wings.fusion.who_does_what",
    "ranx": "rankmeter.wings.fusion.who_does_what",
    "qdrant": "rankmeter.wings.fusion.who_does_what",
    "langchain": "rankmeter.wings.fusion.who_does_what",
    "llama_index": "rankmeter.wings.fusion.who_does_what",
    "haystack": "rankmeter.wings.fusion.who_does_what",
    "trectools": "rankmeter.wings.fusion.who_does_what",
    "pyserini": "rankmeter.wings.fusion.who_does_what",
    "txtai": "rankmeter.wings.fusion.who_does_what",
    "graphiti": "rankmeter.wings.fusion.who_does_what",
    "langchain_postgres": "rankmeter.wings.fusion.who_does_what",
    "lancedb": "rankmeter.wings.fusion.who_does_what",
    "milvus": "rankmeter.wings.fusion.who_does_what",
    "pyterrier": "rankmeter.wings.fusion.who_does_what",
    "autorag": "rankmeter.wings.fusion.who_does_what",
    "raglite": "rankmeter.wings.fusion.who_does_what",
    "elasticsearch": "rankmeter.wings.fusion.who_does_what",
    "opensearch": "rankmeter.wings.fusion.who_does_what",
    "weaviate": "rankmeter.wings.fusion.who_does_what",
    "vespa": "rankmeter.wings.fusion.who_does_what",
    "azure": "rankmeter.wings.fusion.who_does_what",
    "dbsf": "rankmeter.wings.fusion.who_does_what",
    "ensemble": "rankmeter.wings.fusion.who_does_what",
    "reciprocal_rerank": "rankmeter.wings.fusion.who_does_what",
    "relative_score": "rankmeter.wings.fusion.who_does_what",
    "dist_based_score": "rankmeter.wings.fusion.who_does_what",
    "simple": "rankmeter.wings.fusion.who_does_what",
    "concatenate": "rankmeter.wings.fusion.who_does_what",
    "merge": "rankmeter.wings.fusion.who_does_what",
    "reciprocal_rank_fusion": "rankmeter.wings.fusion.who_does_what",
    "distribution_based_rank_fusion": "rankmeter.wings.fusion.who_does_what",
    "rank_biased_precision_fusion": "rankmeter.wings.fusion.who_does_what",
    "interpolation": "rankmeter.wings.fusion.who_does_what",
    "average": "rankmeter.wings.fusion.who_does_what",
    "normalize": "rankmeter.wings.fusion.who_does_what",
    "convex": "rankmeter.wings.fusion.who_does_what",
    "weighted_sum_ranking": "rankmeter.wings.fusion.who_does_what",
    "weighted": "rankmeter.wings.fusion.who_does_what",
    "RRFusion": "rankmeter.wings.fusion.who_does_what",
    "rrf_pure": "rankmeter.wings.fusion.who_does_what",
    "fuse_per_query": "rankmeter.wings.fusion.who_does_what",
    "linear": "rankmeter.wings.fusion.who_does_what",
    "hybrid": "rankmeter.wings.fusion.who_does_what",
    "ranked": "rankmeter.wings.fusion.who_does_what",
    "relative": "rankmeter.wings.fusion.who_does_what",
    "normalize_linear": "rankmeter.wings.fusion.who_does_what",
}

FAMILIES: dict[str, str] = {
    "rankmeter.wings.online.measures": "CTR CVR Conversions Value SessionDuration EngagedSessions",
    "rankmeter.wings.searches.measures": (
        "sDCG nsDCG sRBP SearchRecall ChainComplete CallsNeeded CallRepeats EE_L EE_D EE_R"
    ),
}
"""Modules of measures, each with its measures."""

DOCS: dict[str, str] = {
    "how-to/check-a-metric.md": "conformance",
    "wings/conformance.md": "conformance",
    "wings/conformance/cases.md": "conformance",
    "how-to/from-other-tools.md": "doors",
    "how-to/trackers.md": "doors",
    "how-to/search-engines-and-rag.md": "engines",
    "wings/engines.md": "engines",
    "how-to/fuse-runs.md": "fusion",
    "how-to/tune-a-fusion.md": "fusion",
    "wings/fusion.md": "fusion",
    "how-to/few-human-judgments.md": "judging",
    "how-to/evidence-spans.md": "judging",
    "how-to/queries-without-a-hit.md": "judging",
    "for/analyst.md": "online",
    "online.md": "online",
    "how-to/online.md": "online",
    "how-to/split-interactions.md": "protocol",
    "how-to/splits-of-other-tools.md": "protocol",
    "how-to/three-models-and-baselines.md": "protocol",
    "how-to/audit-a-table.md": "results",
    "how-to/history.md": "results",
    "how-to/systems-across-tasks.md": "results",
    "wings/results.md": "results",
    "how-to/approximate-search.md": "searches",
    "how-to/several-searches.md": "searches",
    "wings/searches.md": "searches",
    "how-to/spark.md": "spark",
}
"""Pages of one wing."""

HELPFUL = tuple("conformance doors engines fusion judging online protocol results searches".split())
"""Wings that have help of commands."""

SPOKEN = tuple("conformance doors engines fusion judging online protocol results searches".split())
"""Wings that have sentences of their own."""
