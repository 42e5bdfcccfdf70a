"""What the wing adds."""

from rankmeter.wings.literal import Wing

EXPLAINED = """
    rrf isr log_isr logn_isr rbc bordafuse w_bordafuse condorcet w_condorcet min max med sum anz mnz gmnz wsum
    wmnz mixed arithmetic geometric harmonic mapfuse posfuse slidefuse probfuse segfuse bayesfuse min-max
    min-max-inverted z-score rank borda l2 deviation arctan arctan-positive arctan-distance cosine ranx qdrant
    langchain llama_index haystack trectools pyserini txtai graphiti langchain_postgres lancedb milvus pyterrier
    autorag raglite elasticsearch opensearch weaviate vespa azure dbsf ensemble reciprocal_rerank relative_score
    dist_based_score simple concatenate merge reciprocal_rank_fusion distribution_based_rank_fusion
    rank_biased_precision_fusion interpolation average normalize convex weighted_sum_ranking weighted RRFusion
    rrf_pure fuse_per_query linear hybrid ranked relative normalize_linear
"""


WING = Wing(
    names={
        "fuse": ".fusing",
        "fuse_to_file": ".streamed",
        "Fusion": ".definition",
        "tune": ".tuning",
        "ablate": ".ablating",
        "reconcile_fusion": ".reconciling",
    },
    commands={"fuse": ".commands", "tune": ".commands", "ablate": ".commands"},
    sources={"rankmeter.wings.DistantFused": ".fused_elsewhere"},
    options={"fuse.explain": ".fused_query"},
    explained=dict.fromkeys(EXPLAINED.split(), ".who_does_what"),
    docs=("how-to/fuse-runs.md", "how-to/tune-a-fusion.md", "wings/fusion.md"),
)
