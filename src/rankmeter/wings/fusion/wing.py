"""What the wing adds."""

from rankmeter.wings.literal import Wing

WING = Wing(
    names={"fuse": ".fusing", "fuse_to_file": ".streamed", "Fusion": ".definition"},
    commands={"fuse": ".commands"},
    sources={"rankmeter.wings.DistantFused": ".fused_elsewhere"},
    docs=("how-to/fuse-runs.md",),
)
