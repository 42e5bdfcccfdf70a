"""What the wing adds."""

from rankmeter.wings.literal import Wing

WING = Wing(
    names={"audit": ".auditing"},
    commands={"audit": ".commands"},
    docs=("how-to/audit-a-table.md", "wings/results.md"),
)
