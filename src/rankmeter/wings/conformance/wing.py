"""What the wing adds."""

from rankmeter.wings.literal import Wing

WING = Wing(
    names={
        "between": ".reconcile",
        "check": ".checking",
        "hunt": ".hunting",
        "reconcile": ".reconcile",
        "score_table": ".score_tables",
    },
    commands={"reconcile": ".reconcile_commands", "check": ".commands", "table": ".reconcile_commands"},
    options={"dialects.departures": ".departures"},
    docs=(
        "how-to/check-a-metric.md",
        "how-to/reconcile.md",
        "wings/conformance.md",
        "wings/conformance/cases.md",
        "wings/conformance/tools.md",
        "wings/conformance/which-number.md",
    ),
)
