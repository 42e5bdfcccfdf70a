"""What the wing adds."""

from rankmeter.wings.literal import Wing

WING = Wing(
    names={"judgments_from_clicks": ".click_grades", "online": ".public_names"},
    modules={"rankmeter.online": ".public_names"},
    commands=dict.fromkeys(
        ("online", "judgments-from-clicks", "counterfactual", "interleave", "agreement"), ".commands"
    ),
    measures=(".measures",),
    docs=("for/analyst.md", "online.md", "how-to/online.md"),
)
