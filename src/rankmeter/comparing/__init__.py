"""Which system to ship: systems lined up, tested and gated; which measures fit, what to judge next."""
