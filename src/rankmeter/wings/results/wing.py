"""What the wing adds."""

from rankmeter.wings.literal import Wing

WING = Wing(
    names={"across": ".across", "audit": ".auditing"},
    commands={"audit": ".commands", "across": ".commands"},
    docs=("how-to/audit-a-table.md", "how-to/systems-across-tasks.md", "wings/results.md"),
)
