"""What users did: logs, sessions, experiments, interleaving, other policies, judgments from clicks."""
