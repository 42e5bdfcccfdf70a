"""What the wing adds."""

from rankmeter.wings.literal import Wing

EXPLAINED = """
    last_n random_n last_share random_share random time time_share time_best windows folds user_folds users items
    rectools replay lenskit cornac recbole recommenders datarec warprec scikit-learn rankmeter.wings.Protocol
"""


WING = Wing(
    names={
        "baselines": ".baselines",
        "debias": ".debiasing",
        "protocol_of": ".looking",
        "sampled": ".sampling",
        "sampled_ranks": ".sampling",
        "split": ".splitting",
    },
    commands=dict.fromkeys(("split", "baselines", "protocol"), ".commands"),
    options={
        **dict.fromkeys(("evaluate.protocol", "evaluate.baselines"), ".with_protocol"),
        "explain.file": ".explaining",
    },
    explained=dict.fromkeys(EXPLAINED.split(), ".explaining"),
    docs=(
        "how-to/sampled-evaluation.md",
        "how-to/split-interactions.md",
        "how-to/splits-of-other-tools.md",
        "how-to/three-models-and-baselines.md",
    ),
)
