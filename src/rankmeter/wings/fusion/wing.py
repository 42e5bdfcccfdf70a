"""What the wing adds."""

from rankmeter.wings.literal import Wing

WING = Wing(
    names={
        "fuse": ".fusing",
        "fuse_to_file": ".streamed",
        "Fusion": ".definition",
        "tune": ".tuning",
        "ablate": ".ablating",
    },
    commands={"fuse": ".commands", "tune": ".commands", "ablate": ".commands"},
    sources={"rankmeter.wings.DistantFused": ".fused_elsewhere"},
    docs=("how-to/fuse-runs.md", "how-to/tune-a-fusion.md", "wings/fusion.md"),
)
