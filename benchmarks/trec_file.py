"""Whether a TREC run file is cheaper, from start to exit, than with ir_measures, and stays in little memory.

6,980 queries x 1,000 lines (7 million) and qrels; AP RR nDCG@10 R@100; the whole process counts, imports included.
"""

from __future__ import annotations

from pathlib import Path

import harness
from data import make_search, search_files

MEASURES = ["AP", "RR", "nDCG@10", "R@100"]


def make(folder: Path, options: harness.Options) -> None:
    make_search(folder, options["queries"])
    if options.get("both"):
        (folder / "grouped").mkdir()
        make_search(folder / "grouped", options["queries"])
        search_files(folder / "grouped", shuffled=False, tabs=False)
    search_files(folder, shuffled=options["shuffled"], tabs=options["tabs"])


def rankmeter(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    def work():
        import rankmeter as rm

        return rm.evaluate(folder / "qrels.txt", folder / "run.txt", MEASURES)

    return work, lambda ev: ev.mean


def grouped(folder: Path, options: harness.Options) -> harness.Work:
    """The same lines, query after query: what random order is measured by."""
    return rankmeter(folder / "grouped", options)


def ir_measures(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    def work():
        import ir_measures as peer

        asked = [peer.parse_measure(name) for name in MEASURES]
        qrels = peer.read_trec_qrels(str(folder / "qrels.txt"))
        run = peer.read_trec_run(str(folder / "run.txt"))
        return peer.calc_aggregate(asked, qrels, run)

    return work, lambda found: {str(measure): value for measure, value in found.items()}


def main() -> None:
    parser = harness.parser(__doc__)
    parser.add_argument("--queries", type=int, default=6980)
    parser.add_argument("--shuffled", action="store_true", help="lines in random order, against the same grouped")
    parser.add_argument("--tabs", action="store_true", help="tabs between fields (ours alone)")
    args = parser.parse_args()
    ours = harness.Entrant("rankmeter", whole_process=True)
    peer = harness.Entrant("ir_measures", "ir_measures", whole_process=True)
    options = {"queries": args.queries, "shuffled": args.shuffled, "tabs": args.tabs}
    how = f"{', shuffled' if args.shuffled else ''}{', tabs' if args.tabs else ''}"
    label = f"TREC file: {args.queries:,} queries x 1,000 lines{how}, 4 measures, whole process"
    if args.shuffled:
        grouped = harness.Entrant("grouped", whole_process=True)
        case = harness.Case(label, {**options, "both": True}, [harness.Pair(ours, grouped, target=0.5)], memory_mb=300)
    elif args.tabs:
        case = harness.Case(label, options, alone=[ours], memory_mb=500)
    else:
        case = harness.Case(label, options, [harness.Pair(ours, peer, target=7)], memory_mb=500)
    harness.run(__file__, args, [case])


if __name__ == "__main__":
    main()
