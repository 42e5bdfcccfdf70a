"""What the wing adds."""

from rankmeter.wings.literal import Wing

WING = Wing(
    modules={"rankmeter.compat.rank_eval": ".rank_eval"},
    commands={"rank_eval": ".commands"},
    documents=dict.fromkeys(
        (
            *("hits", "responses", "response", "root", "details", "ids", "result", "data"),
            *("requests", "judgmentRatings", "query_doc_pairs", "queries"),
        ),
        ".exports",
    ),
    tables={
        "Query Text,Doc ID": ".quepid_tables",
        "query,docid,rating": ".quepid_tables",
        "query,doc_id,rating": ".quepid_tables",
    },
    formats={"book": ".quepid_tables"},
    docs=("how-to/search-engines-and-rag.md", "wings/engines.md"),
)
