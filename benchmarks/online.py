"""Whether a log is counted more cheaply than with plain pandas and no more expensively than with DuckDB's SQL.

A made-up log in time order, a Parquet file a day (--events, by default 5 million): impressions, clicks, purchases and
heartbeats of users with different habits. CTR, CVR and SessionDuration with intervals by user, reading included, whole
process. rankmeter also checks the log and draws its curves; the others only do what the three numbers need, and leave
out the maximum length of sessions, which no session here reaches. ``--events 50000000 --alone`` measures rankmeter
against the bound of 4 GB of memory.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import harness
from data import distinct

DAYS, SHOWN = 14, 10
EVENTS_PER_REQUEST = 11.5
MEASURES = ("CTR", "CVR", "SessionDuration")


def make(folder: Path, options: harness.Options) -> None:
    """Invent the log, a day at a time."""
    import numpy as np
    import polars as pl

    random = np.random.default_rng(0)
    users = max(100, options["events"] // 30)
    requests = int(options["events"] / EVENTS_PER_REQUEST / DAYS)
    habit = np.cumsum(random.gamma(0.7, 1.0, users))
    taste = random.beta(1, 9, users)
    (folder / "log").mkdir()
    for day in range(DAYS):
        user = np.searchsorted(habit, random.random(requests) * habit[-1]).clip(0, users - 1)
        start = np.sort(random.integers(0, 86_400_000_000, requests)) + (1_700_000_000 + day * 86_400) * 10**6
        request = np.arange(requests) + day * requests
        item = distinct(random, requests, SHOWN, 100_000)
        row, place = np.nonzero(
            random.random((requests, SHOWN)) < taste[user][:, None] / np.arange(1, SHOWN + 1) ** 0.5
        )
        clicked = start[row] + random.exponential(20e6, len(row)).astype(np.int64)
        sold = random.random(len(row)) < 0.05
        later = clicked[sold] + random.exponential(600e6, int(sold.sum())).astype(np.int64)
        beat = start + random.exponential(300e6, requests).astype(np.int64)
        kinds = [
            ("impression", requests * SHOWN),
            ("click", len(row)),
            ("purchase", len(later)),
            ("heartbeat", requests),
        ]
        bought = row[sold]
        table = pl.DataFrame(
            {
                "time": np.concatenate([np.repeat(start, SHOWN), clicked, later, beat]),
                "user": np.concatenate([np.repeat(user, SHOWN), user[row], user[bought], user]),
                "request": np.concatenate([np.repeat(request, SHOWN), request[row], request[bought], request]),
                "item": np.concatenate([item.ravel(), item[row, place], item[bought, place[sold]],
                                        np.full(requests, -1)]),
                "position": np.concatenate([np.tile(np.arange(1, SHOWN + 1), requests), place + 1,
                                            np.zeros(len(later) + requests, np.int64)]),
                "type": pl.concat([pl.repeat(kind, n, eager=True) for kind, n in kinds]),
            }
        )  # fmt: skip
        table = table.sort("time").with_columns(
            pl.from_epoch("time", "us"),
            pl.when(pl.col("item") >= 0).then(pl.col("item")).cast(pl.Int32),
            pl.when(pl.col("position") > 0).then(pl.col("position")).cast(pl.Int16),
        )
        if options.get("variants"):
            is_even = pl.col("user") % 2 == 0
            table = table.with_columns(variant=pl.when(is_even).then(pl.lit("a")).otherwise(pl.lit("b")))
        table.write_parquet(folder / "log" / f"day-{day:02d}.parquet")


def rankmeter(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001 (the harness's signature)
    import rankmeter as rm

    def values(found: Any) -> harness.Values:
        return {
            f"{name} {end}": getattr(found.estimate(name), end) for name in MEASURES for end in ("value", "low", "high")
        }

    return lambda: rm.online.evaluate(folder / "log", MEASURES), values


def interval(value: float, variance: float, n: int) -> list[float]:
    from scipy.special import stdtrit

    half = float(stdtrit(n - 1, 0.975)) * math.sqrt(variance)
    return [value, value - half, value + half]


def delta(x: Any, y: Any) -> list[float]:
    """The quotient of two columns with its interval, from a row per user."""
    n, ratio = len(x), x.sum() / y.sum()
    return interval(ratio, ((x - ratio * y).var(ddof=1)) / n / y.mean() ** 2, n)


def named(found: dict[str, list[float]]) -> harness.Values:
    return {
        f"{name} {end}": float(v)
        for name, ends in found.items()
        for end, v in zip(("value", "low", "high"), ends, strict=True)
    }


def pandas_plain(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001 (the same)
    import pandas as pd

    def work() -> dict[str, list[float]]:
        log = pd.read_parquet(folder / "log")
        log = log.sort_values(["user", "time"], kind="stable", ignore_index=True)
        pause = log["time"].diff().dt.total_seconds()
        begins = (log["user"] != log["user"].shift()) | (pause >= 1800)
        lasted = pause.where(~begins, 0.0).groupby(log["user"]).sum()
        sessions = begins.groupby(log["user"]).sum()
        key = ["user", "request", "item"]
        shown = log.loc[log["type"] == "impression", key].drop_duplicates()
        clicks = log.loc[log["type"] == "click", ["time", *key]].drop_duplicates(key)
        clicks = clicks.merge(shown, on=key, how="inner").sort_values("time", kind="stable").reset_index(drop=True)
        clicks["click"] = clicks.index
        sales = log.loc[log["type"] == "purchase", ["time", *key]].drop_duplicates().sort_values("time", kind="stable")
        credited = pd.merge_asof(sales, clicks[["time", "user", "item", "click"]], on="time", by=["user", "item"],
                                 tolerance=pd.Timedelta(hours=24))  # fmt: skip
        clicks["paid"] = clicks["click"].isin(credited["click"].dropna()).astype(float)
        users = pd.DataFrame({"sessions": sessions, "lasted": lasted})
        users["shown"] = shown.groupby("user").size()
        users["clicks"] = clicks.groupby("user").size()
        users["paid"] = clicks.groupby("user")["paid"].sum()
        users = users.fillna(0.0)
        return {"CTR": delta(users["clicks"], users["shown"]), "CVR": delta(users["paid"], users["clicks"]),
                "SessionDuration": delta(users["lasted"], users["sessions"])}  # fmt: skip

    return work, named


SQL = """
WITH shown AS (SELECT DISTINCT "user", request, item FROM log WHERE type = 'impression'),
clicks AS (
    SELECT "user", request, item, min(time) AS time FROM log WHERE type = 'click' GROUP BY "user", request, item
),
counted AS (SELECT * FROM clicks SEMI JOIN shown USING ("user", request, item)),
sales AS (SELECT DISTINCT "user", request, item, time FROM log WHERE type = 'purchase'),
credited AS (
    SELECT DISTINCT c."user", c.request, c.item
    FROM sales s ASOF JOIN counted c ON s."user" = c."user" AND s.item = c.item AND s.time >= c.time
    WHERE s.time - c.time <= INTERVAL 24 HOUR
),
pauses AS (
    SELECT "user", epoch_us(time) - lag(epoch_us(time)) OVER (PARTITION BY "user" ORDER BY time) AS pause FROM log
),
visits AS (
    SELECT "user", count(*) FILTER (pause IS NULL OR pause >= 1800000000) AS sessions,
        coalesce(sum(pause) FILTER (pause < 1800000000), 0) / 1e6 AS lasted
    FROM pauses GROUP BY "user"
),
users AS (
    SELECT v.sessions, v.lasted, coalesce(i.n, 0) AS shown, coalesce(c.n, 0) AS clicks, coalesce(p.n, 0) AS paid
    FROM visits v
    LEFT JOIN (SELECT "user", count(*) AS n FROM shown GROUP BY "user") i USING ("user")
    LEFT JOIN (SELECT "user", count(*) AS n FROM counted GROUP BY "user") c USING ("user")
    LEFT JOIN (SELECT "user", count(*) AS n FROM credited GROUP BY "user") p USING ("user")
)
SELECT count(*),
    avg(clicks), avg(shown), var_samp(clicks), var_samp(shown), covar_samp(clicks, shown),
    avg(paid), avg(clicks), var_samp(paid), var_samp(clicks), covar_samp(paid, clicks),
    avg(lasted), avg(sessions), var_samp(lasted), var_samp(sessions), covar_samp(lasted, sessions)
FROM users
"""


def duckdb_sql(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001 (the same)
    import duckdb

    def work() -> dict[str, list[float]]:
        connection = duckdb.connect()
        connection.execute("SET threads = 2; SET memory_limit = '4GB'")
        connection.execute(f"SET temp_directory = '{folder / 'spill'}'")
        connection.execute(f"CREATE VIEW log AS SELECT * FROM read_parquet('{folder / 'log'}/*.parquet')")
        n, *rest = connection.execute(SQL).fetchone()
        found = {}
        for place, name in enumerate(MEASURES):
            x, y, xx, yy, xy = rest[5 * place : 5 * place + 5]
            ratio = x / y
            found[name] = interval(ratio, (xx - 2 * ratio * xy + ratio**2 * yy) / n / y**2, n)
        return found

    return work, named


def main() -> None:
    parser = harness.parser(__doc__)
    parser.add_argument("--events", type=int, default=5_000_000)
    parser.add_argument("--alone", action="store_true", help="only rankmeter, for logs too large for the others")
    parser.add_argument("--without-pandas", action="store_true")
    args = parser.parse_args()
    ours = harness.Entrant("rankmeter", whole_process=True)
    peers = [(harness.Entrant("pandas_plain", "pandas", whole_process=True), 5.0),
             (harness.Entrant("duckdb_sql", "duckdb", whole_process=True), 1.0)]  # fmt: skip
    pairs = [] if args.alone else [harness.Pair(ours, peer, target) for peer, target in peers]
    pairs = [pair for pair in pairs if not (args.without_pandas and pair.peer.name == "pandas_plain")]
    label = f"online: {args.events:,} events, CTR, CVR and SessionDuration with intervals"
    case = harness.Case(label, {"events": args.events}, pairs, alone=[ours], memory_mb=4000)
    harness.run(__file__, args, [case])


if __name__ == "__main__":
    main()
