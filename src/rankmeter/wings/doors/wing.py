"""What the wing adds."""

from rankmeter.wings.literal import Wing

WING = Wing(
    names=dict.fromkeys(("log_to_mlflow", "log_to_tensorboard", "log_to_wandb"), ".trackers"),
    modules={
        "rankmeter.compat.pytrec_eval": ".pytrec_eval",
        "rankmeter.compat.ir_measures": ".ir_measures",
        "rankmeter.compat.trackers": ".trackers",
    },
    commands={"trec_eval": ".commands"},
    programs={"trec_eval": ".trec_program"},
    docs=("how-to/from-other-tools.md", "how-to/trackers.md"),
)
