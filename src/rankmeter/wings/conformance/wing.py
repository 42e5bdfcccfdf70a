"""What the wing adds."""

from rankmeter.wings.literal import Wing

WING = Wing(
    names={"check": ".checking", "hunt": ".hunting"},
    commands={"check": ".commands"},
    docs=("how-to/check-a-metric.md", "wings/conformance.md", "wings/conformance/cases.md"),
)
