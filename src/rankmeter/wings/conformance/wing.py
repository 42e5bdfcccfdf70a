"""What the wing adds."""

from rankmeter.wings.literal import Wing

WING = Wing(
    names={"check": ".checking", "hunt": ".hunting"},
    commands={"check": ".commands"},
    options={"dialects.departures": ".departures"},
    docs=(
        "how-to/check-a-metric.md",
        "wings/conformance.md",
        "wings/conformance/cases.md",
        "wings/conformance/tools.md",
        "wings/conformance/which-number.md",
    ),
)
