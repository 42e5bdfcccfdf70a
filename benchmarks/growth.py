"""Whether the cost grows with the data and no faster: ten times the rows, about ten times the CPU.

Frames of 100 thousand to 10 million rows and TREC text of 0.5 and 5 million lines. Memory is what the work adds to the
interpreter and the input, relative to the size of the input; for text, which is streamed, it is all that is added.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import harness
from data import load, make_search, make_users, search_files

MEASURES = ["AP", "RR", "nDCG@10", "R@100"]
AT_TEN = ["P@10", "R@10", "Success@10", "RR@10", "AP@10", "nDCG@10"]


def make(folder: Path, options: harness.Options) -> None:
    if options["kind"] == "trec":
        make_search(folder, options["rows"] // 1000)
        search_files(folder, shuffled=False, tabs=False)
    else:
        make_users(folder, options["rows"] // 10, shuffled=options["kind"] == "shuffled")


def frames(folder: Path, options: harness.Options) -> tuple:  # noqa: ARG001
    import polars as pl

    import rankmeter as rm

    user, item, rank, judged_user, relevant = load(folder, "user", "item", "rank", "judged_user", "relevant")
    judgments = pl.DataFrame({"user_id": judged_user, "item_id": relevant})
    run = pl.DataFrame({"user_id": user, "item_id": item, "rank": rank})
    rm.evaluate(run.head(1)[["user_id", "item_id"]], run.head(1), AT_TEN)
    size = (judgments.estimated_size() + run.estimated_size()) / 1e6
    return lambda: rm.evaluate(judgments, run, AT_TEN), lambda ev: ev.mean, size


def trec(folder: Path, options: harness.Options) -> tuple:  # noqa: ARG001
    import rankmeter as rm

    rm.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, MEASURES)
    size = (folder / "run.txt").stat().st_size / 1e6
    return lambda: rm.evaluate(folder / "qrels.txt", folder / "run.txt", MEASURES), lambda ev: ev.mean, size


def grow(args: argparse.Namespace, kind: str, sizes: list[int]) -> None:
    one = harness.Entrant("trec" if kind == "trec" else "frames")
    print(f"\n{'TREC text' if kind == 'trec' else f'Polars frames, {kind} rows'}")
    print(f"  {'rows':>12} {'CPU s':>8} {'times':>6} {'us/row':>7} {'peak MB':>8} {'input MB':>9} {'added/input':>12}")
    last = 0.0
    for rows in sizes:
        best = harness.Measured()
        options = {"kind": kind, "rows": rows}
        with tempfile.TemporaryDirectory(prefix="rankmeter-bench-") as folder:
            harness.call(__file__, harness.Entrant("make"), folder, options, args)
            for _ in range(args.repeat):
                harness.keep_best(best, harness.call(__file__, one, folder, options, args))
        times = best.cpu / last if last else 0.0
        added = (best.peak_mb - best.before_mb) / best.input_mb
        print(
            f"  {rows:>12,} {best.cpu:>8.3f} {f'x{times:.1f}' if last else '':>6} {best.cpu / rows * 1e6:>7.3f} "
            f"{best.peak_mb:>8,.0f} {best.input_mb:>9,.1f} {added:>12.2f}"
        )
        if last:
            case = harness.Case(f"growth: {kind}, {rows // 10:,} to {rows:,} rows", options)
            # Ten times the rows may cost a little more than ten times: caches are not infinite.
            verdict = "met" if times <= 13 else "MISSED"
            harness.write(args, case, one.name, "growth (times)", times, 13, verdict)
        last = best.cpu


def main() -> None:
    parser = harness.parser(__doc__)
    parser.add_argument("--largest", type=int, default=10_000_000, help="rows of the largest frame")
    args = parser.parse_args()
    for kind in ("grouped", "shuffled"):
        grow(args, kind, [rows for rows in (100_000, 1_000_000, 10_000_000) if rows <= args.largest])
    grow(args, "trec", [500_000, 5_000_000])


if __name__ == "__main__":
    main()
