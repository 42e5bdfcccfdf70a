"""What the wing adds."""

from rankmeter.wings.literal import Wing

WING = Wing(
    names={"split": ".splitting"},
    commands={"split": ".commands"},
    docs=("how-to/split-interactions.md", "how-to/splits-of-other-tools.md"),
)
