"""What the wing adds."""

from rankmeter.wings.literal import Wing

WING = Wing(
    names={
        "baselines": ".baselines",
        "debias": ".debiasing",
        "protocol_of": ".looking",
        "split": ".splitting",
    },
    commands=dict.fromkeys(("split", "baselines", "protocol"), ".commands"),
    options=dict.fromkeys(("evaluate.protocol", "evaluate.baselines"), ".with_protocol"),
    docs=(
        "how-to/split-interactions.md",
        "how-to/splits-of-other-tools.md",
        "how-to/three-models-and-baselines.md",
    ),
)
