"""Is the difference real: systems lined up, tested, gated, and advised upon."""
