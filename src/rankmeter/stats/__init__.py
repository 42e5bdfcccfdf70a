"""Is it real: intervals, tests and corrections."""
