"""What the wing adds."""

from rankmeter.wings.literal import Wing

WING = Wing(
    names={"searches": ".called_runs"},
    measures=(".measures",),
    sources={"rankmeter.wings.Searches": ".session_evaluation"},
    options={"evaluate.calls": ".session_evaluation"},
    docs=("how-to/several-searches.md", "wings/searches.md"),
)
