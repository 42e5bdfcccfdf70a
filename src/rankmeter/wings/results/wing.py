"""What the wing adds."""

from rankmeter.wings.literal import Wing

WING = Wing(
    names={
        "History": ".history",
        "across": ".across",
        "difference_across": ".differences",
        "audit": ".auditing",
    },
    commands=dict.fromkeys(("audit", "across", "history"), ".commands"),
    docs=(
        "how-to/audit-a-table.md",
        "how-to/history.md",
        "how-to/systems-across-tasks.md",
        "wings/results.md",
    ),
)
