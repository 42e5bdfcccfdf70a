"""Whether a run larger than memory can be evaluated: 1, 10 and 100 million rows, Parquet and TREC text, under 2 GB.

Rows are made part by part in a temporary folder (TMPDIR), which is removed afterwards: 100 million rows take 1.2 GB as
Parquet and 3.5 GB as text. 1,000 rows a query by default; ``--depth 10`` makes a hundred times more queries, whose
values go straight to a file. ``--scattered`` puts the rows of all queries in random order, for the partitioned pass.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import harness
import numpy as np

MEASURES = ["AP", "RR", "nDCG@10", "R@100"]
MOST_MB = 2000
PART = 2_000_000


def make(folder: Path, options: harness.Options) -> None:
    import polars as pl

    rows, depth = options["rows"], options["depth"]
    draw = np.random.default_rng(7)
    judged = []
    for first in range(0, rows, PART):
        count = min(PART, rows - first)
        query = np.arange(first, first + count) // depth
        if options["scattered"]:
            query = draw.integers(0, rows // depth, count)
        # Items follow each other in a cycle through the catalogue, so that none stands twice in a list.
        catalogue = 1_000_000_007 if options["scattered"] else 8_800_021
        item = (np.arange(first, first + count) * 7919 + 13) % catalogue
        score = 30.0 - (np.arange(first, first + count) % depth) * 0.02 + draw.random(count) * 0.01
        frame = pl.DataFrame({"query": query, "item": item, "score": score.round(6)})
        # A few relevant items a query, one of them near the top.
        hit = (np.arange(first, first + count) % depth == query % min(depth, 20)) | (draw.random(count) < 0.002)
        judged.append(frame.filter(pl.Series(hit)).select("query", "item", grade=pl.col("item") % 3 + 1))
        if options["kind"] == "parquet":
            (folder / "run").mkdir(exist_ok=True)
            frame.write_parquet(folder / "run" / f"part-{first // PART:04}.parquet")
        else:
            text = frame.select(
                pl.format("{} Q0 D{} {} {} made", "query", "item", pl.int_range(pl.len()) % depth, "score")
            )
            with (folder / "run.txt").open("ab") as file:
                text.write_csv(file, include_header=False, quote_style="never")
    truth = pl.concat(judged).unique(["query", "item"], maintain_order=True)
    if options["kind"] == "parquet":
        truth.write_parquet(folder / "judgments.parquet")
    else:
        lines = truth.select(pl.format("{} 0 D{} {}", "query", "item", "grade"))
        lines.write_csv(folder / "judgments.txt", include_header=False, quote_style="never")


def evaluated(folder: Path, options: harness.Options) -> tuple:
    import rankmeter as rm

    rm.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, MEASURES)
    files = ("judgments.parquet", "run") if options["kind"] == "parquet" else ("judgments.txt", "run.txt")
    target = folder / "values.parquet" if options["to_file"] else None
    judgments, run = (folder / name for name in files)
    size = sum(path.stat().st_size for path in ([run] if run.is_file() else run.iterdir())) / 1e6
    return lambda: rm.evaluate(judgments, run, MEASURES, per_query_to=target), lambda ev: ev.mean, size


def main() -> None:
    parser = harness.parser(__doc__)
    parser.set_defaults(repeat=1)
    parser.add_argument("--rows", default="1e6,1e7,1e8", help="sizes, separated by commas (default 1e6,1e7,1e8)")
    parser.add_argument("--depth", type=int, default=1000, help="rows a query (default 1000)")
    parser.add_argument("--scattered", action="store_true", help="rows in random order of queries")
    parser.add_argument("--to-file", action="store_true", help="values per query straight to Parquet")
    parser.add_argument("--kind", choices=["parquet", "trec"], action="append", help="default: both")
    args = parser.parse_args()
    for kind in args.kind or ["parquet", "trec"]:
        grow(args, kind)


def grow(args: argparse.Namespace, kind: str) -> None:
    one = harness.Entrant("evaluated")
    print(f"\n{kind}, {args.depth:,} rows a query{', scattered' if args.scattered else ''}"
          f"{', values per query to a file' if args.to_file else ''}")  # fmt: skip
    print(f"  {'rows':>12} {'input MB':>9} {'CPU s':>8} {'wall s':>8} {'us/row':>7} {'peak MB':>8}")
    for rows in (int(float(text)) for text in args.rows.split(",")):
        options = {
            "kind": kind, "rows": rows, "depth": args.depth, "scattered": args.scattered, "to_file": args.to_file,
        }  # fmt: skip
        best = harness.Measured()
        with tempfile.TemporaryDirectory(prefix="rankmeter-bench-") as folder:
            harness.call(__file__, harness.Entrant("make"), folder, options, args)
            for _ in range(args.repeat):
                harness.keep_best(best, harness.call(__file__, one, folder, options, args))
        verdict = "met" if best.peak_mb <= MOST_MB else "MISSED"
        print(
            f"  {rows:>12,} {best.input_mb:>9,.0f} {best.cpu:>8.2f} {best.wall:>8.2f} {best.cpu / rows * 1e6:>7.3f} "
            f"{best.peak_mb:>8,.0f}  at most {MOST_MB:,}: {verdict}",
            flush=True,
        )
        case = harness.Case(f"larger than memory: {kind}, {rows:,} rows", options)
        harness.write(args, case, one.name, "memory (MB)", best.peak_mb, MOST_MB, verdict)


if __name__ == "__main__":
    main()
