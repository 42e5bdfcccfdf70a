"""Whether a log is counted about as cheaply as with a query that somebody writes for it.

The log of ``online.py``, of which nothing is repeated or wrong: CTR and CVR by user, and what the delta method needs
for their intervals, whole process, reading included; with a column of requests, and with time, user, item and type
alone. The queries by hand count rows, because they know that this log has no repeated ones; they look for no repeated
events, clicks without an impression, bots and stray clocks, as rankmeter does. tea-tasting compares the two variants,
from a row per user that Polars makes; rankmeter's experiment does the same. ``--grow`` also runs a hundredth and a
tenth of the log, ``--cores`` says what a second core is worth.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import harness
import online

MEASURES = ("CTR", "CVR")
FLOOR = ["user", "time", "type", "item"]
"""The columns that any way has to read."""


def make(folder: Path, options: harness.Options) -> None:
    """Invent the log; clicks of a bare one are told apart by their time."""
    import polars as pl

    online.make(folder, options)
    for file in (folder / "log").iterdir() if options["bare"] else ():
        pl.read_parquet(file).drop("request", "position").write_parquet(file)


def rankmeter(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001 (the harness's signature)
    import rankmeter as rm

    def values(found: Any) -> harness.Values:
        return {f"{name} {end}": getattr(found.estimate(name), end) for name in MEASURES for end in ("value", "low")}

    return lambda: rm.online.evaluate(folder / "log", MEASURES), values


def rankmeter_one_core(folder: Path, options: harness.Options) -> harness.Work:
    os.environ["POLARS_MAX_THREADS"] = "1"
    return rankmeter(folder, options)


def rankmeter_experiment(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001 (the same)
    import rankmeter as rm

    def values(found: Any) -> harness.Values:
        groups = {"a": found.control, "b": "b"}
        return {f"{name} {label}": found.sums[group].mean(f"{name} x") / found.sums[group].mean(f"{name} y")
                for name in MEASURES for label, group in groups.items()}  # fmt: skip

    return lambda: rm.online.experiment(folder / "log", MEASURES, control="a"), values


def delta(n: int, x: float, y: float, xx: float, yy: float, xy: float) -> list[float]:
    """The quotient of two means with its interval, from means, variances and the covariance of n users."""
    ratio = x / y
    return online.interval(ratio, (xx - 2 * ratio * xy + ratio**2 * yy) / n / y**2, n)


SQL = """
WITH clicks AS (SELECT "user", item, time FROM log WHERE type = 'click'),
paid AS (  -- a purchase is credited to the last click of the user on the item in the day before; clicks count once
    SELECT "user", count(*) AS n FROM (
        SELECT DISTINCT c."user", c.item, c.time
        FROM (SELECT "user", item, time FROM log WHERE type = 'purchase') s
        ASOF JOIN clicks c ON s."user" = c."user" AND s.item = c.item AND s.time >= c.time
        WHERE s.time - c.time <= INTERVAL 24 HOUR
    ) GROUP BY "user"
),
users AS (
    SELECT "user", count(*) FILTER (type = 'impression') AS shown, count(*) FILTER (type = 'click') AS clicks
    FROM log GROUP BY "user"
)
SELECT count(*),
    avg(clicks), avg(shown), var_samp(clicks), var_samp(shown), covar_samp(clicks, shown),
    avg(paid), avg(clicks), var_samp(paid), var_samp(clicks), covar_samp(paid, clicks)
FROM (SELECT u.clicks, u.shown, coalesce(p.n, 0) AS paid FROM users u LEFT JOIN paid p USING ("user"))
"""


def duckdb_by_hand(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001 (the same)
    import duckdb

    def work() -> dict[str, list[float]]:
        connection = duckdb.connect()
        connection.execute("SET threads = 2")
        connection.execute(f"CREATE VIEW log AS SELECT * FROM read_parquet('{folder / 'log'}/*.parquet')")
        n, *rest = connection.execute(SQL).fetchone()
        return {name: delta(n, *rest[5 * place : 5 * place + 5]) for place, name in enumerate(MEASURES)}

    return work, online.named


def _users(folder: Path, *more: str) -> Any:
    """A row per user by Polars: impressions, clicks, clicks that were paid for."""
    import polars as pl

    log = pl.scan_parquet(folder / "log" / "*.parquet")
    kind = pl.col("type")
    clicks = log.filter(kind == "click").select("user", "item", "time").sort("time")
    sales = log.filter(kind == "purchase").select("user", "item", "time").sort("time")
    paid = (
        sales.join_asof(clicks.with_columns(clicked=pl.col("time")), on="time", by=["user", "item"], tolerance="24h")
        .drop_nulls("clicked")
        .unique(["user", "item", "clicked"])
        .group_by("user")
        .agg(paid=pl.len())
    )
    return (
        log.group_by("user", *more)
        .agg(shown=(kind == "impression").sum(), clicks=(kind == "click").sum())
        .join(paid, on="user", how="left")
        .with_columns(pl.col("paid").fill_null(0))
    )


def polars_by_hand(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001 (the same)
    import polars as pl

    def work() -> dict[str, list[float]]:
        found = {}
        table = _users(folder).select("shown", "clicks", "paid").cast(pl.Float64).collect(engine="streaming")
        for name, x, y in (("CTR", "clicks", "shown"), ("CVR", "paid", "clicks")):
            said = table.select(x=pl.mean(x), y=pl.mean(y), xx=pl.var(x), yy=pl.var(y), xy=pl.cov(x, y)).row(0)
            found[name] = delta(len(table), *said)
        return found

    return work, online.named


def tea_tasting(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001 (the same)
    import tea_tasting as tt

    def work() -> Any:
        table = _users(folder, "variant").collect(engine="streaming").to_arrow()
        experiment = tt.Experiment(CTR=tt.RatioOfMeans("clicks", "shown"), CVR=tt.RatioOfMeans("paid", "clicks"))
        return experiment.analyze(table, control="a")

    def values(found: Any) -> harness.Values:
        return {f"{name} {label}": getattr(found[name], end) for name in MEASURES
                for label, end in (("a", "control"), ("b", "treatment"))}  # fmt: skip

    return work, values


def floor(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001 (the same)
    """Nothing but reading what everybody needs, and one count by user."""
    import polars as pl

    log = pl.scan_parquet(folder / "log" / "*.parquet").select(FLOOR)
    counts = [pl.len(), *(pl.col(name).max() for name in FLOOR[1:])]
    return lambda: log.group_by("user").agg(counts).collect(engine="streaming"), lambda found: {"users": len(found)}


def main() -> None:
    parser = harness.parser(__doc__)
    parser.add_argument("--events", type=int, default=10_000_000)
    parser.add_argument("--grow", action="store_true", help="also a hundredth and a tenth of the log, by rankmeter")
    parser.add_argument("--cores", action="store_true", help="also with one core of two")
    args = parser.parse_args()
    ours, experiment = (harness.Entrant(name, whole_process=True) for name in ("rankmeter", "rankmeter_experiment"))
    peers = [(ours, harness.Entrant("duckdb_by_hand", "duckdb", whole_process=True), 0.5),
             (ours, harness.Entrant("polars_by_hand", "polars", whole_process=True), 0.8),
             (experiment, harness.Entrant("tea_tasting", "tea_tasting", whole_process=True), 1.0)]  # fmt: skip
    alone = [harness.Entrant("floor", "polars", whole_process=True)]
    if args.cores:
        alone.append(harness.Entrant("rankmeter_one_core", whole_process=True))
    sizes = [args.events // 100, args.events // 10] if args.grow else []
    pairs = [harness.Pair(one, peer, target) for one, peer, target in peers]
    cases = []
    for bare in (False, True):
        label = f"log by hand{', bare' if bare else ''}: "
        options = {"variants": True, "bare": bare}
        grown = (harness.Case(f"{label}{events:,} events", {**options, "events": events}, alone=[ours])
                 for events in sizes)  # fmt: skip
        whole = harness.Case(f"{label}{args.events:,} events, CTR and CVR by user",
                             {**options, "events": args.events}, pairs, alone)  # fmt: skip
        cases += [*grown, whole]
    harness.run(__file__, args, cases)


if __name__ == "__main__":
    main()
