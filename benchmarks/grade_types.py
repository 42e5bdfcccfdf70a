"""Whether the type of grades in arrays and tensors makes a difference: float32 and whole numbers against float64.

20,000 queries x 100 items, four measures, grades 0 to 3. The same numbers in each type; ours against ours.
"""

from __future__ import annotations

from pathlib import Path

import harness

MEASURES = ["nDCG@10", "AP", "RR", "P@10"]
TYPES = ("float32", "int64", "int32", "uint8")


def make(folder: Path, options: harness.Options) -> None:  # noqa: ARG001
    import numpy as np
    from data import save

    rng = np.random.default_rng(36)
    save(folder, scores=rng.random((20_000, 100)), grades=rng.choice(4, (20_000, 100), p=[0.85, 0.08, 0.04, 0.03]))


def _work(folder: Path, kind: str) -> harness.Work:
    from data import load

    import rankmeter as rm

    scores, grades = load(folder, "scores", "grades")
    grades = grades.astype(kind)
    rm.evaluate(rm.arrays(grades[:50]), rm.arrays(scores[:50]), MEASURES)  # loads what is loaded lazily
    work = lambda: rm.evaluate(rm.arrays(grades), rm.arrays(scores), MEASURES)  # noqa: E731
    return work, lambda ev: {name: ev[name] for name in MEASURES}


def float64(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    return _work(folder, "float64")


def other(folder: Path, options: harness.Options) -> harness.Work:
    return _work(folder, options["kind"])


def main() -> None:
    args = harness.parser(__doc__).parse_args()
    ours, reference = harness.Entrant("other"), harness.Entrant("float64")
    cases = [
        harness.Case(f"arrays: 20,000 x 100, {kind} grades", {"kind": kind}, [harness.Pair(ours, reference, 0.95)])
        for kind in TYPES
    ]
    harness.run(__file__, args, cases)


if __name__ == "__main__":
    main()
