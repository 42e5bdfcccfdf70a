"""Whether ``rankmeter trec_eval`` is cheaper than trec_eval on the same files, from start to exit.

A million lines in three shapes, five measures, and all of trec_eval's for every query. The program of the peer is given
by --trec-eval; without it nothing is measured.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import harness

MEASURES = ("map", "ndcg_cut.10", "recip_rank", "recall.100", "P.10")
SHAPES = ((1_000, 1_000, 100), (10_000, 100, 10), (1_000, 1_000, 2))
"""Queries, how deep their lists are, how many items are judged."""
FEW = [word for measure in MEASURES for word in ("-m", measure)]
ASKED = {"5 measures": FEW, "-q -m all_trec": ["-q", "-m", "all_trec"]}


def write(folder: Path, queries: int, depth: int, judged: int) -> list[str]:
    """A run that finds half of the judged items, and its qrels."""
    import numpy as np

    rng = np.random.default_rng(0)
    paths = [folder / "judgments", folder / "run"]
    with paths[0].open("w") as truth, paths[1].open("w") as returned:
        for query in range(queries):
            items = rng.choice(1_000_000, judged + depth, replace=False).tolist()
            truth.writelines(f"q{query} 0 d{item} 1\n" for item in items[:judged])
            pairs = zip(items[judged // 2 :][:depth], rng.random(depth).tolist(), strict=True)
            returned.writelines(f"q{query} Q0 d{item} 0 {score:.6f} tag\n" for item, score in pairs)
    return list(map(str, paths))


def main() -> None:
    parser = harness.parser(__doc__)
    parser.add_argument("--trec-eval", help="path of the trec_eval program")
    args = parser.parse_args()
    if args.trec_eval is None:
        print("skipped: no trec_eval. Hint: --trec-eval PATH")
        return
    ours, peer = harness.Entrant("rankmeter", whole_process=True), harness.Entrant("trec_eval", "trec_eval")
    for shape in SHAPES:
        with tempfile.TemporaryDirectory(prefix="rankmeter-bench-") as folder:
            files = write(Path(folder), *shape)
            for name, options in ASKED.items():
                best = {ours: harness.Measured(), peer: harness.Measured()}
                commands = {ours: [sys.executable, "-m", "rankmeter", "trec_eval"], peer: [args.trec_eval]}
                for _ in range(args.repeat):
                    for entrant, command in commands.items():
                        spent = harness.spend([*command, *options, *files], harness.environment(entrant))
                        harness.keep_best(best[entrant], harness.Measured(**spent))
                queries, depth, judged = shape
                label = f"trec_eval's command: {queries:,} x {depth:,} lines, {judged} judged, {name}"
                harness.report(harness.Case(label, {}, [harness.Pair(ours, peer, 4.0)]), best, args)


if __name__ == "__main__":
    main()
