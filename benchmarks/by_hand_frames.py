"""Frames and files of recommendations against the few lines of Polars or DuckDB that somebody would write instead.

Every query by hand stands here in full. They know what their author knows of the data: which column is what, that no
pair stands twice, that ranks are ranks, that nothing is missing. rankmeter is told none of it and finds it out. Polars
has all cores, so has DuckDB; both give means of the same measures, which must agree with ours. The floor of each kind
is what nobody can leave out: the data read where they come as files, and one join of run and judgments.

    python benchmarks/by_hand_frames.py                        # 300,000 users with 10 to 20 rows each
    python benchmarks/by_hand_frames.py --only grouped --users 3000000   # ten times as many
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import harness

KINDS = {
    "rank": "shuffled, rank column, 1 held out, whole-number ids",
    "rank50": "the same, 110,000 users x 50",
    "text": "shuffled, rank column, 1 held out, text ids",
    "grouped": "grouped by user, rank column, 1 held out",
    "score": "shuffled, score column only, 1 held out",
    "held20": "grouped by user, rank column, 20 held out",
    "parquet": "the first as Parquet files, read from disk",
    "csv": "the first as CSV files, read from disk",
}
PEERS = dict.fromkeys(KINDS, ("polars_by_hand",)) | dict.fromkeys(
    ("grouped", "held20"), ("polars_by_hand", "duckdb_by_hand")
)
WANTED = {
    ("rank", "polars_by_hand"): 0.5, ("rank50", "polars_by_hand"): 0.5, ("text", "polars_by_hand"): 0.4,
    ("grouped", "polars_by_hand"): 0.8, ("grouped", "duckdb_by_hand"): 0.8, ("score", "polars_by_hand"): 1.0,
    ("held20", "polars_by_hand"): 1.0, ("held20", "duckdb_by_hand"): 0.8, ("parquet", "polars_by_hand"): 0.4,
    ("csv", "polars_by_hand"): 0.5,
}  # fmt: skip
MEASURES = ["nDCG@10", "RR@10", "R@10"]
FILES = ("parquet", "csv")


def make(folder: Path, options: harness.Options) -> None:
    """Invent the run and the judgments; the judged item is on the list of about two users in three."""
    import numpy as np
    import polars as pl

    kind, users = options["kind"], options["users"]
    random = np.random.default_rng(5)
    sizes = np.full(users, 50) if kind == "rank50" else random.integers(10, 21, users)
    user = np.repeat(random.permutation(2 * users)[:users], sizes)
    steps = random.integers(1, 50_000 // 50, len(user))
    start = np.cumsum(sizes) - sizes
    totals = np.cumsum(steps)
    item = (totals - np.repeat(totals[start] - steps[start], sizes)).astype(np.int64)  # rising in a list, so different
    place = np.arange(len(user)) - np.repeat(start, sizes)
    # Items are ranked in another order than that of their ids.
    order = np.lexsort((random.random(len(user)), np.repeat(np.arange(users), sizes)))
    item, rank = item[order], place + 1
    held = 20 if kind == "held20" else 1
    chosen = np.minimum(random.geometric(0.12, (users, held)) - 1, sizes[:, None] - 1)
    relevant = item[start[:, None] + chosen]
    lost = random.random((users, held)) < 0.35
    relevant[lost] = random.integers(60_000, 90_000, int(lost.sum()))
    truth = pl.DataFrame({"user": np.repeat(user[start], held), "item": relevant.ravel()}).unique(maintain_order=True)
    run = pl.DataFrame({"user": user, "item": item, "rank": rank})
    if kind not in ("grouped", "held20"):
        run = run.sample(fraction=1.0, shuffle=True, seed=1)
        truth = truth.sample(fraction=1.0, shuffle=True, seed=2)
    if kind == "score":
        # Distinct within a list, as a model's scores nearly always are.
        run = run.select("user", "item", score=-pl.col("rank") - 0.5 * (pl.col("item") % 7) / 7)
    if kind == "text":
        texts = [pl.format("user-{}", pl.col("user")).alias("user"), pl.format("item-{}", pl.col("item")).alias("item")]
        run, truth = run.with_columns(texts), truth.with_columns(texts)
    if kind == "csv":
        run.write_csv(folder / "run.csv")
        truth.write_csv(folder / "truth.csv")
    else:
        run.write_parquet(folder / "run.parquet")
        truth.write_parquet(folder / "truth.parquet")


def frames(folder: Path, options: harness.Options) -> tuple[Any, Any]:
    """What every entrant is given: frames in memory, or the paths of files."""
    import polars as pl

    if options["kind"] in FILES:
        return folder / f"truth.{options['kind']}", folder / f"run.{options['kind']}"
    return pl.read_parquet(folder / "truth.parquet"), pl.read_parquet(folder / "run.parquet")


def rankmeter(folder: Path, options: harness.Options) -> tuple[Any, Any]:
    import polars as pl

    import rankmeter as rm

    truth, run = frames(folder, options)
    few = pl.DataFrame({"user": [1], "item": [1]})
    rm.evaluate(few, few.with_columns(rank=1), MEASURES)  # loads what is loaded lazily
    return lambda: rm.evaluate(truth, run, MEASURES).mean, dict


def in_frames(folder: Path, options: harness.Options) -> tuple[Any, Any]:
    """What ours takes where the files were read into frames before: the measure of memory for files."""
    import polars as pl

    import rankmeter as rm

    truth, run = frames(folder, options)
    read = pl.read_parquet if options["kind"] == "parquet" else pl.read_csv
    return lambda: rm.evaluate(read(truth), read(run), MEASURES).mean, dict


def lazy(frame: Any) -> Any:
    """A frame or a file as Polars would be asked to look at it."""
    import polars as pl

    if isinstance(frame, Path):
        return pl.scan_csv(frame) if frame.suffix == ".csv" else pl.scan_parquet(frame)
    return frame.lazy()


def polars_by_hand(folder: Path, options: harness.Options) -> tuple[Any, Any]:
    import numpy as np
    import polars as pl

    truth, run = frames(folder, options)
    gain = 1 / (pl.col("rank") + 1).log(2)

    def one_held_out() -> dict[str, float]:
        """Join; what is not found is 0, so that sums are divided by the number of users."""
        judged = lazy(truth)
        hits = lazy(run).filter(pl.col("rank") <= 10).join(judged, on=["user", "item"])
        sums = hits.select(gain.sum().alias("nDCG@10"), (1 / pl.col("rank")).sum().alias("RR@10"),
                           pl.len().alias("R@10"))  # fmt: skip
        found, users = pl.collect_all([sums, judged.select(pl.len())])
        return {name: found[name].item() / users.item() for name in MEASURES}

    def score_only() -> dict[str, float]:
        """Count the scores above the held-out item's: no list is sorted."""
        held = run.lazy().join(truth.lazy(), on=["user", "item"]).select("user", held="score")
        above = run.lazy().join(held, on="user").group_by("user").agg(rank=1 + (pl.col("score") > pl.col("held")).sum())
        sums = above.filter(pl.col("rank") <= 10).select(
            gain.sum().alias("nDCG@10"), (1 / pl.col("rank")).sum().alias("RR@10"), pl.len().alias("R@10")
        )
        return {name: value / len(truth) for name, value in sums.collect().row(0, named=True).items()}

    def many_held_out() -> dict[str, float]:
        """Sums by user, divided by what the user's relevant items could have reached."""
        ideal = np.append(0.0, np.cumsum(1 / np.log2(np.arange(2, 12))))
        relevant = truth.lazy().group_by("user").len("relevant")
        hits = run.lazy().filter(pl.col("rank") <= 10).join(truth.lazy(), on=["user", "item"])
        users = hits.group_by("user").agg(gain.sum().alias("dcg"), pl.col("rank").min().alias("first"), pl.len())
        best = pl.lit(pl.Series(ideal)).gather(pl.col("relevant").clip(upper_bound=10))
        each = relevant.join(users, on="user", how="left").select(
            (pl.col("dcg") / best).sum().alias("nDCG@10"), (1 / pl.col("first")).sum().alias("RR@10"),
            (pl.col("len") / pl.col("relevant")).sum().alias("R@10"), pl.len().alias("users"),
        )  # fmt: skip
        found = each.collect().row(0, named=True)
        return {name: found[name] / found["users"] for name in MEASURES}

    return {"score": score_only, "held20": many_held_out}.get(options["kind"], one_held_out), dict


ONE_HELD_OUT = """
    select sum(1 / log2(rank + 1)) / users, sum(1 / rank) / users, count(*) / users
    from run join truth using ("user", item), (select count(*) as users from truth)
    where rank <= 10 group by users
"""
MANY_HELD_OUT = """
    with relevant as (select "user", count(*) as relevant from truth group by "user"),
    hits as (
        select "user", sum(1 / log2(rank + 1)) as dcg, 1 / min(rank) as rr, count(*) as found
        from run join truth using ("user", item) where rank <= 10 group by "user"
    )
    select sum(dcg / ideal) / users, sum(rr) / users, sum(found / relevant) / users
    from relevant left join hits using ("user") join ideals on ideals.places = least(relevant, 10),
    (select count(*) as users from relevant) group by users
"""


def duckdb_by_hand(folder: Path, options: harness.Options) -> tuple[Any, Any]:
    import duckdb
    import numpy as np
    import polars as pl

    truth, run = frames(folder, options)
    ideals = pl.DataFrame({"places": range(1, 11), "ideal": np.cumsum(1 / np.log2(np.arange(2, 12)))})
    base = duckdb.connect()
    for name, table in (("truth", truth), ("run", run), ("ideals", ideals)):
        base.register(name, table.to_arrow())
    query = MANY_HELD_OUT if options["kind"] == "held20" else ONE_HELD_OUT
    base.sql(query.replace("from run", "from (select * from run limit 9)"))
    return lambda: base.execute(query).fetchone(), lambda row: dict(zip(MEASURES, row, strict=True))


def floor(folder: Path, options: harness.Options) -> tuple[Any, Any]:
    """Reading, and one join of which only the number of rows is asked."""
    import polars as pl

    truth, run = frames(folder, options)

    def work() -> Any:
        return lazy(run).join(lazy(truth), on=["user", "item"]).select(pl.len()).collect().item()

    return work, lambda _: {}


@dataclass(frozen=True)
class Row:
    """A kind of data at one size, measured."""

    kind: str
    users: int
    best: dict[str, harness.Measured]

    def lines(self) -> list[str]:
        """What is printed of it, a line a peer: ratios are the other's divided by ours."""
        ours, floor_, again = self.best["rankmeter"], self.best["floor"], self.best.get("in_frames")
        memory = f"{ours.peak_mb - ours.before_mb:,.0f}"
        if again is not None:
            memory += f" ({(ours.peak_mb - ours.before_mb) / (again.peak_mb - again.before_mb):.2f} of frames)"
        lines = []
        for peer in PEERS[self.kind]:
            if peer not in self.best:
                continue
            theirs = self.best[peer]
            if worst := [name for name in MEASURES if abs(ours.values[name] - theirs.values[name]) > 1e-9]:
                raise SystemExit(f"{self.kind}: {worst} differ: {ours.values} and {theirs.values}")
            ratio, wanted = theirs.cpu / ours.cpu, WANTED[self.kind, peer]
            cells = (
                f"{self.users:,} users, {KINDS[self.kind]}", peer.removesuffix("_by_hand"), f"{theirs.cpu:.3f}",
                f"{ours.cpu:.3f}", f"{ratio:.2f}", f"{wanted:g}", "met" if ratio >= wanted else "missed",
                f"{theirs.wall / ours.wall:.2f}", f"{ours.cpu / ours.wall:.2f}", f"{ours.cpu / floor_.cpu:.1f}", memory,
            )  # fmt: skip
            lines.append(f"| {' | '.join(cells)} |")
        return lines


HEAD = """\
| data | by hand | theirs, CPU s | ours, CPU s | ratio | wanted | | ratio of wall time | our cores | times the floor \
| added MB |
|---|---|---:|---:|---:|---:|---|---:|---:|---:|---|"""


def measured(kind: str, users: int, args: Any) -> Row:
    """Everybody on the same data, in turns."""
    options = {"kind": kind, "users": users}
    entrants = ["rankmeter", *PEERS[kind], "floor", *(["in_frames"] if kind in FILES else [])]
    best = {name: harness.Measured() for name in entrants}
    with tempfile.TemporaryDirectory(prefix="rankmeter-bench-") as folder:
        harness.call(__file__, harness.Entrant("make", "polars"), folder, options, args)
        for _ in range(args.repeat):
            for name, kept in best.items():
                ours = name in ("rankmeter", "in_frames")
                entrant = harness.Entrant(name, "rankmeter" if ours else name.removesuffix("_by_hand"))
                harness.keep_best(kept, harness.call(__file__, entrant, folder, options, args))
    return Row(kind, users, best)


def main() -> None:
    parser = harness.parser(__doc__)
    parser.add_argument("--users", type=int, default=300_000)
    parser.add_argument("--only", nargs="*", choices=list(KINDS), default=list(KINDS))
    args = parser.parse_args()
    print(HEAD)
    for kind in args.only:
        users = args.users * 11 // 30 if kind == "rank50" else args.users
        for line in measured(kind, users, args).lines():
            print(line, flush=True)


if __name__ == "__main__":
    main()
