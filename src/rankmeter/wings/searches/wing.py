"""What the wing adds."""

from rankmeter.wings.literal import Wing

WING = Wing(
    names={"ann_recall": ".approximate", "searches": ".called_runs"},
    commands={"ann-recall": ".commands"},
    measures=(".measures",),
    sources={"rankmeter.wings.Searches": ".session_evaluation"},
    options={"evaluate.calls": ".session_evaluation"},
    docs=("how-to/approximate-search.md", "how-to/several-searches.md", "wings/searches.md"),
)
