"""What numbers mean: measures explained and worked out, reported numbers and other tools' numbers reconciled."""
