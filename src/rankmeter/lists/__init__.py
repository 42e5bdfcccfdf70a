"""Lists as a whole: the catalogue behind them, what they cover and repeat, slices of queries, the protocol."""
