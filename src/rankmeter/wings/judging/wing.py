"""What the wing adds."""

from rankmeter.wings.literal import Wing

WING = Wing(
    names={
        "board_overlap": ".board_overlap",
        "draw": ".draws",
        "evidence": ".evidence_scores",
        "foresight": ".predicted_queries",
        "judge_page": ".judge_page",
        "judges": ".panel_agreement",
        "leaderboards": ".two_leaderboards",
        "nuggets": ".nugget_scores",
        "rogan_gladen": ".corrected_shares",
        "silence": ".abstention",
    },
    commands=dict.fromkeys(
        ("judge draw", "judge page", "judge agreement", "judge leaderboards", "silence", "evidence", "nuggets"),
        ".commands",
    ),
    former={
        "draw": "judge draw",
        "judge": "judge page",
        "judges": "judge agreement",
        "leaderboards": "judge leaderboards",
    },
    tables={"query,item,grade,judge,time,skipped": ".judged_tables"},
    options={"evaluate.assisted_by": ".answers"},
    docs=("how-to/few-human-judgments.md", "how-to/evidence-spans.md", "how-to/queries-without-a-hit.md"),
)
