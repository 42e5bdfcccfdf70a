"""trec_eval's tables of means and standard deviations, and values measured against them."""

from __future__ import annotations

from dataclasses import dataclass

from rankmeter.compat import c_numbers, trec_parsing

MISSING_ZSCORE = -1000000.0
FIELDS = ("query", "measure", "mean", "deviation")


@dataclass(frozen=True, slots=True)
class Zscores:
    """The mean and the standard deviation of measures for each query, from a file ``query measure mean deviation``."""

    rows: list[tuple[str, float, float]]
    """Measure, mean and deviation, sorted by query and measure."""
    of_query: dict[str, tuple[int, int]]
    """The first row of each query, and the one behind its last."""

    @classmethod
    def read(cls, path: str) -> Zscores:
        """Read the file; every line must have its four fields."""
        table = sorted(trec_parsing.read_table(path, FIELDS), key=lambda fields: fields[:2])
        rows = [(name, c_numbers.real(mean), c_numbers.real(deviation)) for _, name, mean, deviation in table]
        of_query: dict[str, tuple[int, int]] = {}
        for number, (query, *_) in enumerate(table):
            first, _ = of_query.get(query, (number, number))
            of_query[query] = (first, number + 1)
        return cls(rows, {trec_parsing.shown(query): ends for query, ends in of_query.items()})

    def convert(self, query: str, measure: str, value: float) -> float:
        """A value in standard deviations from its mean; the program's mark where that is not known."""
        row = self._find(*self.of_query[query], measure) if query in self.of_query else None
        if row is None:
            return MISSING_ZSCORE
        _, mean, deviation = row
        if deviation:
            return (value - mean) / deviation
        return 0.0 if value == mean else MISSING_ZSCORE

    def _find(self, first: int, end: int, measure: str) -> tuple[str, float, float] | None:
        """The row of a measure, by halving as in the program, which looks at one row too many: of the next query."""
        low, high = first, end
        while low <= high:
            # Halved as distances from the first row, which is what the program counts from.
            middle = first + (low + high - 2 * first) // 2
            if middle == len(self.rows):
                return None
            name = self.rows[middle][0]
            if measure == name:
                return self.rows[middle]
            low, high = (low, middle - 1) if measure < name else (middle + 1, high)
        return None
