"""Whether score matrices are cheaper than with scikit-learn.

10,000 x 1,000 grades and scores, nDCG@10 with ties averaged; --ties: scores of one decimal.
"""

from __future__ import annotations

from pathlib import Path

import harness
import numpy as np
from data import load, save

MEASURE = "nDCG(ties=mean)@10"


def make(folder: Path, options: harness.Options) -> None:
    rng = np.random.default_rng(50)
    shape = (10_000, 1_000)
    score = rng.random(shape)
    save(folder, grade=rng.integers(0, 5, shape), score=np.round(score, 1) if options["ties"] else score)


def rankmeter(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    import rankmeter as rm

    grade, score = load(folder, "grade", "score")

    def work(rows: slice = slice(None)):
        return rm.evaluate(rm.arrays(grade[rows]), rm.arrays(score[rows]), [MEASURE])

    work(slice(5))
    return work, lambda ev: {MEASURE: ev[MEASURE]}


def sklearn(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    from sklearn.metrics import ndcg_score

    grade, score = load(folder, "grade", "score")
    ndcg_score(grade[:5], score[:5], k=10)
    return lambda: ndcg_score(grade, score, k=10), lambda found: {MEASURE: float(found)}


def main() -> None:
    parser = harness.parser(__doc__)
    parser.add_argument("--ties", action="store_true", help="scores of one decimal, about 100 items in each tie")
    args = parser.parse_args()
    pair = harness.Pair(
        harness.Entrant("rankmeter"), harness.Entrant("sklearn", "sklearn"), target=10 if args.ties else 15
    )
    label = f"dense: 10,000 x 1,000{', tied scores' if args.ties else ''}, {MEASURE}"
    harness.run(__file__, args, [harness.Case(label, {"ties": args.ties}, [pair])])


if __name__ == "__main__":
    main()
