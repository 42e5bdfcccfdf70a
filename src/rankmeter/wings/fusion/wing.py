"""What the wing adds."""

from rankmeter.wings.literal import Wing

WING = Wing(
    names={"fuse": ".fusing", "Fusion": ".definition"},
    commands={"fuse": ".commands"},
    docs=("how-to/fuse-runs.md",),
)
