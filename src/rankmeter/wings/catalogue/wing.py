"""What the wing adds."""

from rankmeter.wings.literal import Wing

WING = Wing(
    names={"rank_catalogue": ".catalogue_ranking", "ranked_ids": ".ranked_ids", "tensors": ".tensors"},
    modules={
        "rankmeter.torch": ".metrics",
        "rankmeter.compat.sentence_transformers": ".sentence_transformers",
    },
)
