"""How often each test of an online measure cries wolf, and how often each interval holds the truth.

Every line is a test or an interval that rankmeter offers, in a situation that it must stand: A/A experiments, in which
nothing differs, users with habits of their own, lists whose readers look at positions only, few units, heavy tails,
many looks. Beside the measured share stand what it should be and the error of the simulation; what is outside of three
such errors is marked. A test that alarms less often than it may is not marked: it is safe, and the price is power.
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict

import numpy as np
import polars as pl
from scipy.special import ndtr

import rankmeter as rm
from rankmeter.measures import parse
from rankmeter.online import off_policy, off_policy_slates, optimised_lists, score_interleaving, team_draft
from rankmeter.placing.matching import mixed_hashes
from rankmeter.stats.power import sample_ratio
from rankmeter.wings.online import contrasts
from rankmeter.wings.online import estimates as locations
from rankmeter.wings.online.contrasts import cuped, difference, estimate, resampled_difference, stratified
from rankmeter.wings.online.estimates import compare, heterogeneity
from rankmeter.wings.online.heavy_units import Heaviest, Redrawn
from rankmeter.wings.online.looks import Look, boundaries
from rankmeter.wings.online.sums import Draws, Sums

MEASURES = tuple(
    parse(text)
    for text in ("CTR", "CTR(per=user)", "CTR(per=reach)", "CVR", "Conversions", "Value", "SessionDuration",
                 "EngagedSessions")
)  # fmt: skip
CTR, PER_USER, REACH, CVR, SALES, VALUE, DURATION, ENGAGED = MEASURES
PLAIN = tuple(f"{measure} {side}" for measure in MEASURES for side in "xy")
NAMES = (*PLAIN, *(f"{name} before" for name in PLAIN))
LOOKS = 20


class UserTally:
    """How often something went wrong, out of how often it was tried."""

    def __init__(self) -> None:
        self.counts: dict[tuple[str, float, str], list[int]] = defaultdict(lambda: [0, 0])

    def add(self, name: str, wrong: object, *, wanted: float = 0.05, kind: str = "false alarms") -> None:
        """Count one try."""
        count = self.counts[name, wanted, kind]
        count[0], count[1] = count[0] + bool(wrong), count[1] + 1

    def lines(self) -> list[str]:
        """A row of a Markdown table for each."""
        rows = ["| test or interval | measured | should be | |", "|---|---|---|---|"]
        for (name, wanted, kind), (wrong, tries) in self.counts.items():
            share, error = wrong / tries, math.sqrt(wanted * (1 - wanted) / tries)
            above, below = share > wanted + 3 * error, share < wanted - 3 * error
            bad = (above or below) if kind == "power" else above
            mark = "**outside**" if bad else "safe" if below else ""
            rows.append(f"| {name}, {kind} | {share:.1%} | {wanted:.1%} +- {error:.1%} | {mark} |")
        return rows


def users(random, n):
    """What each user adds above and below the line of each measure, now and before.

    Sales have log-normal values; sessions last 0 seconds in every second case and are log-normal else, with a pace of
    each user's own. A third of the users was not there before.
    """
    rate, activity, pace = random.beta(1, 9, n), random.gamma(0.5, 20.0, n), random.normal(5.0, 0.7, n)
    there = random.random(n) < 2 / 3
    periods = []
    for was_there in (np.ones(n, bool), there):
        shown = random.poisson(activity) * was_there
        clicks = random.binomial(shown, rate)
        sales = random.binomial(clicks, 0.1)
        seen = (shown > 0).astype(float)
        own = np.divide(clicks, shown, out=np.zeros(n), where=shown > 0)
        spent = total_of(sales, lambda who: random.lognormal(3.0, 1.0, len(who)))
        sessions = (1 + random.poisson(activity / 10)) * was_there
        lasted = total_of(
            sessions, lambda who: random.integers(0, 2, len(who)) * random.lognormal(pace[who], 1.0, len(who))
        )
        engaged = random.binomial(sessions, rate**0.5)
        columns = [clicks, shown, own, seen, (clicks > 0) * seen, seen, sales, clicks, sales, np.ones(n)]
        columns += [spent, np.ones(n), lasted, sessions, engaged, sessions]
        periods.append(np.column_stack(columns))
    return np.hstack(periods)


def total_of(counts, draw):
    """For each user the sum of so many draws."""
    who = np.repeat(np.arange(len(counts)), counts)
    return np.bincount(who, draw(who), minlength=len(counts))


def experiments(tally, random, n, resamples, number, truth):
    """A/A experiments of n users a group: every test of a difference, and the intervals of values."""
    rows = users(random, 2 * n)
    parts = rows[:n], rows[n:]
    a, b = (Sums.of_rows(NAMES, part) for part in parts)
    for measure in MEASURES:
        tally.add(f"Welch's t of the delta method, {measure}", difference(a, b, measure).p < 0.05)
    (clicks, shown), (more, again) = (part[:, :2].sum(axis=0) for part in parts)
    rate = (clicks + more) / (shown + again)
    spread = math.sqrt(rate * (1 - rate) * (1 / shown + 1 / again))
    tally.add("for comparison: impressions as if independent, CTR", abs(clicks / shown - more / again) > 1.96 * spread)
    for measure in (CTR, SALES, VALUE, DURATION):
        adjusted = cuped(a, b, measure)
        tally.add(f"CUPED, {measure}", adjusted is not None and adjusted.difference.p < 0.05)
    strata = np.digitize(rows[:, len(PLAIN) + 1], [1, 5, 20])
    pairs = [tuple(Sums.of_rows(NAMES, part[strata[side * n : (side + 1) * n] == s]) for side, part in enumerate(parts))
             for s in range(4)]  # fmt: skip
    told = stratified(pairs, SALES)
    tally.add("post-stratified, Conversions", told is not None and told.difference.p < 0.05)
    effects = [difference(*pair, CTR).absolute for pair in pairs]
    tally.add("interaction of four segments, CTR", heterogeneity(effects) < 0.05)
    reach = estimate(a, REACH)
    tally.add("Wilson's interval, CTR(per=reach)", not reach.low <= truth <= reach.high, kind="misses")
    tally.add("sample ratio, chi-square", sample_ratio(random.multinomial(2 * n, [0.5, 0.5]).tolist()) < 0.05)
    wealth = [part[:, NAMES.index("Value x")] for part in parts]
    cap = np.quantile(np.concatenate(wealth), 0.99)
    capped = [
        Sums.of_rows(("Value x", "Value y"), np.column_stack([np.minimum(one, cap), np.ones(n)])) for one in wealth
    ]
    tally.add("winsorised at 99%, Value", difference(*capped, VALUE).p < 0.05)
    lasted = [part[:, NAMES.index("SessionDuration x")] for part in parts]
    sides = [locations.trimmed_mean(one, 0.05) for one in lasted]
    tally.add("trimmed mean (5%), time of a user", compare(*sides, look=Look(), method="").p < 0.05)
    if resamples:
        ids = mixed_hashes(np.arange(2 * n, dtype=np.uint64)).reshape(2, n)
        drawn = [
            Draws.of_rows(part[:, :2], ids[side], resamples, number).resampled(resamples)
            for side, part in enumerate(parts)
        ]
        pair = [Sums.of_rows(NAMES[:2], part[:, :2]) for part in parts]
        told = resampled_difference(difference(*pair, CTR), *drawn, pair[0], CTR, Look())
        tally.add(f"bootstrap of users ({resamples} resamples), p-value, CTR", told.p < 0.05)
        tally.add(f"bootstrap of users ({resamples} resamples), interval, CTR", told.absolute.excludes_zero)
    tally.add("effect of the second half against the first (novelty), CTR", novelty(rows, n) < 0.05)


def novelty(rows, n):
    """The p-value that the effect changed between two periods of the same users."""
    sides = [contrasts.change(Sums.of_rows(NAMES, part), CTR) for part in (rows[:n], rows[n:])]
    return compare(*sides, look=Look(), method="").p


def values_in_clusters(tally, random):
    """The median of session lengths, whose sessions of one user are alike."""
    pace = random.normal(3, 1, 400)
    unit = np.repeat(np.arange(400), 1 + random.poisson(4, 400))
    values = np.exp(random.normal(pace[unit], 0.5))
    sides = [locations.quantile_of_group(values[half], unit[half], 0.5) for half in (unit % 2 == 0, unit % 2 == 1)]
    tally.add("median of sessions by user, difference", compare(*sides, look=Look(), method="").p < 0.05)


def few_units(tally, random):
    """Few users: where the delta method is only nearly right, which the result says below 100 users."""
    for n in (10, 20, 50, 100):
        rows = users(random, 2 * n)
        a, b = (Sums.of_rows(NAMES, part) for part in (rows[:n], rows[n:]))
        for measure in (CTR, CVR, VALUE):
            tally.add(f"{n} users a group (said), {measure}", difference(a, b, measure).p < 0.05)


def relative(tally, random):
    """Fieller's interval of a relative difference, on each side, where the plain scale misses on one only."""
    a, b = (Sums.of_rows(("Value x", "Value y"), np.column_stack([scale * random.exponential(1, 40), np.ones(40)]))
            for scale in (1.0, 1.5))  # fmt: skip
    told = difference(a, b, VALUE)
    tally.add("relative interval (Fieller), too high", told.relative.low > 0.5, wanted=0.025, kind="misses")
    tally.add("relative interval (Fieller), too low", told.relative.high < 0.5, wanted=0.025, kind="misses")
    half = 2 * math.sqrt(told.relative.variance)
    tally.add("for comparison: relative interval on the plain scale, too low", told.relative.value + half < 0.5,
              wanted=0.025, kind="misses")  # fmt: skip


def looking(tally, random, n):
    """Twenty looks at an A/A experiment that grows."""
    rows = users(random, 2 * n)[:, :2]
    shares = tuple((np.arange(1, LOOKS + 1) / LOOKS).tolist())
    bounds = {rule: boundaries(shares, 0.05, rule) for rule in ("obrien-fleming", "pocock")}
    hit = dict.fromkeys(["once", "always-valid", *bounds], False)
    for look in range(1, LOOKS + 1):
        size = n * look // LOOKS
        told = difference(*(Sums.of_rows(NAMES[:2], part[:size]) for part in (rows[:n], rows[n:])), CTR)
        z = abs(told.absolute.value) / math.sqrt(told.absolute.variance) if told.absolute.variance > 0 else 0.0
        hit["once"] |= told.p < 0.05
        hit["always-valid"] |= told.always_valid_p < 0.05
        for rule, bound in bounds.items():
            hit[rule] |= z > bound[look - 1]
    for rule, alarmed in hit.items():
        name = "for comparison: the plain test" if rule == "once" else rule
        tally.add(f"{name}, any of {LOOKS} looks, CTR", alarmed)


def verdicts(tally, random, n):
    """Twenty looks at everything else that is concluded, where nothing may be: margins, splits, segments, novelty.

    The guardrail loses exactly its margin of two in a hundred, while the primary measure is truly better, so that
    every look at which the guardrail passes ships a loss.
    """
    names = ("Conversions x", "Conversions y", "Value x", "Value y")
    rows = {variant: np.ones((n, 4)) for variant in "AB"}
    for variant, (gain, loss) in {"A": (0.0, 0.0), "B": (0.5, 0.2)}.items():
        rows[variant][:, [0, 2]] = random.normal([5 + gain, 10 - loss], 1, (n, 2))
    joined = random.integers(0, 2, 2 * n)
    segment = random.integers(0, 3, n)
    habits = {variant: random.normal(5, 1, (LOOKS, n)) + random.normal(0, 1, n) for variant in "AB"}
    hit = defaultdict(bool)
    for look in range(1, LOOKS + 1):
        size, shares = n * look // LOOKS, [place / LOOKS for place in range(1, look + 1)]
        sums = {variant: rough(names, part[:size]) for variant, part in rows.items()}
        split = np.bincount(joined[: 2 * size], minlength=2).tolist()
        parts = [[rough(names, part[:size][segment[:size] == s]) for part in rows.values()] for s in range(3)]
        half = max(1, look // 2)
        moved = [
            rough(("Value x", "Value y", "Value x before", "Value y before"),
                  np.column_stack([late.mean(axis=0), np.ones(n), early.mean(axis=0), np.ones(n)]))
            for early, late in ((habit[:half], habit[half : max(look, half + 1)]) for habit in habits.values())
        ]  # fmt: skip
        for rule in ("once", "always-valid", "obrien-fleming", "pocock"):
            plan = {"sequential": rule} if rule == "once" else {"sequential": rule, "looks": shares}
            trial = rm.online.experiment(sums, primary="Conversions", guardrails={"Value": 0.02}, **plan)
            at = trial.plan.look()
            hit[rule, "a true loss of the margin is shipped"] |= trial.decisions[0].verdict == "ship"
            hit[rule, "interaction of three segments"] |= heterogeneity(
                [difference(*pair, VALUE, look=at).absolute for pair in parts], at) < 0.05  # fmt: skip
            change = contrasts.change
            hit[rule, "novelty"] |= (
                compare(*(change(side, VALUE) for side in moved), look=at.moving(), method="").p < 0.05
            )
            if rule in ("once", "always-valid"):
                test = sample_ratio if rule == "once" else at.sample_ratio
                hit[rule, "sample ratio at 0.01"] |= test(split, [1, 1]) < 0.01
    for (rule, what), alarmed in hit.items():
        name = "for comparison: as if for one look" if rule == "once" else rule
        wanted = 0.025 if "shipped" in what else 0.01 if "ratio" in what else 0.05
        tally.add(f"{what}, any of {LOOKS} looks, {name}", alarmed, wanted=wanted)


def traffic(random, kind, n):
    """How many impressions each user has."""
    if kind == "one of 500 with 500 times the traffic":
        return np.where(random.random(n) < 1 / 500, 2500, 5)
    if kind == "log-normal(2)":
        return np.ceil(random.lognormal(1, 2, n)).astype(int)
    return np.minimum(np.ceil(2 * (1 - random.random(n)) ** (-1 / float(kind[7:-1]))), 1e7).astype(int)


def heavy(tally, random):
    """Users of very different traffic, whose rates are alike: the delta method, and what is said instead of it."""
    for kind in ("Pareto(1.1)", "Pareto(1.5)", "log-normal(2)", "one of 500 with 500 times the traffic"):
        for n in (100, 200, 2000):
            groups, heaviest, lost = [], [], []
            for side in range(8):
                shown = traffic(random, kind, n if side < 2 else n // 2)
                rows = np.column_stack([random.binomial(shown, random.beta(1, 4, len(shown))), shown]).astype(float)
                groups.append(rough(NAMES[:2], rows))
                heaviest.append(Heaviest.of_rows(rows, [CTR]))
                lost.append(rough(NAMES[:2], rows * [0.9, 1.0]))
            pair, tops = groups[:2], [one.of_measure[CTR] for one in heaviest[:2]]
            lift = difference(*pair, CTR)
            (before, spread), (after, more) = (contrasts.ratio(one, CTR) for one in pair)
            name = f"CTR, {kind}, {n} users a group"
            tally.add(
                f"for comparison: the delta method, {name}", abs(after - before) > 1.96 * math.sqrt(spread + more)
            )
            if lift.rests_on_few:
                told = Redrawn.of(pair, tops, CTR, seed=0, draws=999)
                low, high = told.interval(0.95)
                tally.add(f"randomisation where few carry it, {name}", told.p() < 0.05)
                tally.add(f"randomisation where few carry it, {name}", not low <= 0 <= high, kind="misses")
                less = Redrawn.of([pair[0], lost[1]], [tops[0], tops[1] * [0.9, 1.0]], CTR, seed=0, draws=999)
                tally.add(f"guardrail at its margin where few carry it, {name}",
                          less.within_margin_p(0.1, 1) < 0.025, wanted=0.025)  # fmt: skip
                p = told.p()
            else:
                p = lift.p
            tally.add(f"what is said, {name}", p < 0.05)
            effects = [difference(*groups[place : place + 2], CTR) for place in (2, 4, 6)]
            tally.add(f"interaction of three segments, {name}", heterogeneity([one.absolute for one in effects]) < 0.05)


def heavy_weights(tally, random):
    """Policies whose weights are heavy: what the normal distribution would say, and what is said."""
    for kind in ("weights up to 3.5", "log-normal(1)", "one context of 20 nearly never logged"):
        for n in (1000, 4000):
            if kind == "log-normal(1)":
                z = random.normal(0, 1, n)
                weight, rate, truth = np.exp(z - 0.5), ndtr(0.5 * z - 1), float(ndtr((0.5 - 1) / math.sqrt(1.25)))
            elif kind == "weights up to 3.5":
                weight, rate, truth = np.where(random.random(n) < 0.2, 3.5, 0.375), np.full(n, 0.2), 0.2
            else:
                rare = random.random(n) < 0.05
                logged = np.where(rare, 0.01, 0.5)
                taken = random.random(n) < logged
                weight, truth = np.where(taken, 1 / logged, 0.0), 0.05 * 0.6 + 0.95 * 0.2
                rate = np.where(taken, np.where(rare, 0.6, 0.2), 0.25)
            earned = random.binomial(1, rate).astype(float)
            least = np.full(n, 1 / max(weight.max(), 1.0))
            told = off_policy(earned, least, weight * least)
            value, name = told["IPS"], f"{kind}, {n} rows"
            spread = 1.96 * float((weight * earned).std(ddof=1)) / math.sqrt(n)
            tally.add(f"for comparison: normal interval of IPS, {name}", abs(value - truth) > spread, kind="misses")
            for method in ("IPS", "SNIPS"):
                one = told.estimates[method]
                tally.add(f"interval of {method}, {name}", not one.low <= truth <= one.high, kind="misses")


def rough(names, rows):
    """The sums of a table in plain floating point, which is quick and enough here."""
    gaps = rows - rows.mean(axis=0)
    return Sums(names, len(rows), rows.mean(axis=0), gaps.T @ gaps)


def planned(tally, random, n):
    """Three primary measures and a guardrail that loses exactly its margin; and the power that is promised."""
    names = ("Conversions x", "Conversions y", "Value x", "Value y", "EngagedSessions x", "EngagedSessions y",
             "CTR(per=user) x", "CTR(per=user) y")  # fmt: skip
    sums, habit = {}, {}
    for variant in "AB":
        rows = np.ones((n, 8))
        rows[:, ::2] = random.normal(5, 1, (n, 4))
        rows[:, 6] += 5 - (0.2 if variant == "B" else 0.0)  # 10 and 9.8: two in a hundred
        sums[variant], habit[variant] = Sums.of_rows(names, rows), rows
    primary = ["Conversions", "Value", "EngagedSessions"]
    trial = rm.online.experiment(sums, primary=primary, guardrails={"CTR(per=user)": 0.02})
    better = [one.verdict in ("better", "worse") for one in trial.effects if one.role == "primary"]
    tally.add("three primary measures together (holm)", any(better))
    guard = trial.effect("CTR(per=user)")
    tally.add("guardrail at its margin, passes", guard.guard == "passes", wanted=0.025)
    tally.add("decision to ship what is no better", trial.decisions[0].verdict == "ship")
    before = {v: habit[v][:, 0] + random.normal(0, 0.7, n) for v in "AB"}
    known = {v: Sums.of_rows((*names[:6], "Conversions x before", "Conversions y before"),
                             np.column_stack([habit[v][:, :6], before[v], np.ones(n)])) for v in "AB"}  # fmt: skip
    least = rm.online.experiment(known, primary).effect("Conversions").least
    lifted = known["B"]
    means = lifted.means.copy()
    means[0] += least
    known["B"] = Sums(lifted.names, lifted.n, means, lifted.products)
    found = rm.online.experiment(known, primary).effect("Conversions").verdict == "better"
    tally.add("least detectable after holm and CUPED, found", found, wanted=0.8, kind="power")


def chances(tally, random):
    """Effects drawn from the prior: those said to win with a chance of 70% to 90% do in about 80%."""
    for effect in random.normal(0, 0.05, 20).tolist():
        a, b = (Sums.of_rows(("Value x", "Value y"), np.column_stack([random.normal(m, 1, 400), np.ones(400)]))
                for m in (1.0, 1.0 + effect))  # fmt: skip
        chance, _ = difference(a, b, VALUE).chance_to_win(0.05, 1)
        if 0.7 < chance < 0.9:
            tally.add("chance to win of 70% to 90%, better", effect > 0, wanted=0.79, kind="power")


def interleaving(tally, random, n):
    """Readers who click positions and look at no content."""
    lists = optimised_lists([1, 2], [2, 3])
    for readers in (200, 1000):
        drawn = random.choice(len(lists), readers, p=[one.probability for one in lists])
        credit = np.array([one.credits[0] for one in lists])[drawn]
        log = pl.DataFrame({"user": np.arange(readers), "request": np.arange(readers), "credit": credit})
        tally.add(f"optimised lists, all click position 1, {readers} users", score_interleaving(log).p < 0.05)
    teams = []
    for user in range(n):
        shown = team_draft(range(10), range(20, 23), seed=int(random.integers(2**31)))
        teams.append((user, user, shown.teams[int(random.integers(10))] or None))
    log = pl.DataFrame(teams, ["user", "request", "team"], orient="row")
    tally.add("team draft, ten items against three, clicks anywhere", score_interleaving(log).p < 0.05)
    traffic = 1 / np.arange(1, 31)
    asked = random.choice(30, 1000, p=traffic / traffic.sum())
    of_query, of_request = random.integers(2, size=30)[asked], random.integers(2, size=1000)
    for name, coins in (("one coin a query, scored by query", of_query),
                        ("a version drawn for each request, scored by user", of_request)):  # fmt: skip
        log = pl.DataFrame({"user": np.arange(1000), "request": np.arange(1000), "query": asked,
                            "team": np.where(coins == 0, "A", "B")})  # fmt: skip
        log = log if "query," in name else log.with_columns(version=1)
        tally.add(f"team draft, 30 queries with Zipf traffic, {name}", score_interleaving(log).p < 0.05)


def search(tally, random):
    """The curve of a search log by query and item, rank by rank."""
    queries, requests, depth = 100, 5000, 10
    looked = 1 / np.arange(1, depth + 1) ** 0.8
    good = np.sort(random.beta(1, 2, (queries, depth)), axis=1)[:, ::-1]
    items = np.argsort(random.random((queries, 60)), axis=1)[:, :depth]
    asked = random.integers(0, queries, requests)
    order = np.tile(np.arange(depth), (requests, 1))
    for place in range(depth - 1):
        swap = random.random(requests) < 0.4
        order[swap, place], order[swap, place + 1] = order[swap, place + 1], order[swap, place].copy()
    clicked = random.random((requests, depth)) < looked * np.take_along_axis(good[asked], order, axis=1)
    rows = np.repeat(np.arange(requests), depth)
    shown = pl.DataFrame({"time": 0, "user": rows, "request": rows, "query": np.repeat(asked, depth),
                          "item": np.take_along_axis(items[asked], order, axis=1).ravel(),
                          "position": np.tile(np.arange(1, depth + 1), requests),
                          "clicked": clicked.ravel()})  # fmt: skip
    log = pl.concat([shown.with_columns(type=pl.lit("impression")),
                     shown.filter("clicked").with_columns(type=pl.lit("click"), time=1)])  # fmt: skip
    for kind, told in (("query and item", rm.online.position_bias(log)),
                       ("item alone, for comparison", rm.online.position_bias(log.drop("query")))):  # fmt: skip
        for place in (1, 4, 9):
            one = told.positions[place]
            name = f"examination by {kind}, rank {place + 1}"
            tally.add(name, not one.low <= looked[place] <= one.high, kind="misses")


def assigned(tally, random):
    """Requests asked for where users were assigned; and hours with moods of their own, switched at random."""
    rows = []
    for user in range(200):
        taste, variant = random.beta(1, 3), "AB"[user % 2]
        shown = pl.DataFrame({"time": np.arange(10) * 60, "user": user, "request": [f"{user}-{k}" for k in range(10)],
                              "item": 0, "variant": variant})  # fmt: skip
        rows.append(shown.with_columns(type=pl.lit("impression")))
        rows.append(shown.filter(pl.Series(random.random(10) < taste)).with_columns(type=pl.lit("click")))
    trial = rm.online.experiment(pl.concat(rows), ["CTR"], unit="request")
    tally.add("unit asked for is the request, users were assigned", trial.effect("CTR").p < 0.05)
    hours, people = 80, 30
    variant = random.integers(2, size=hours)
    mood = random.normal(0, 0.1, hours)
    hour, person = np.repeat(np.arange(hours), people), np.tile(np.arange(people), hours)
    shown = pl.DataFrame({"time": hour * 3600 + person, "user": person,
                          "request": np.arange(hours * people), "item": 0,
                          "variant": np.where(variant[hour] == 0, "A", "B")})  # fmt: skip
    hit = random.random(hours * people) < 0.4 + mood[hour]
    log = pl.concat([shown.with_columns(type=pl.lit("impression")),
                     shown.filter(pl.Series(hit)).with_columns(type=pl.lit("click"))])  # fmt: skip
    if 1 < variant.sum() < hours - 1:
        trial = rm.online.experiment(log, ["CTR"], unit="hour", control="A")
        tally.add("switchback by hour, hours with moods", trial.effect("CTR").p < 0.05)


def policies(tally, random, n):
    """Intervals for a policy that was not run; three actions in two kinds of context, a model wrong by a tenth."""
    reward = np.array([[0.3, 0.2, 0.1], [0.1, 0.2, 0.3]])
    logging, target = np.array([0.4, 0.2, 0.4]), np.array([0.15, 0.7, 0.15])  # both are worth the same
    context = random.integers(0, 2, n)
    action = (random.random(n)[:, None] > np.cumsum(logging)).sum(axis=1)
    earned = random.binomial(1, reward[context, action]).astype(float)
    guess = reward * 1.1
    truth = float((target * reward).sum(axis=1).mean())
    told = off_policy(earned, logging[action], target[action], predicted=guess[context, action],
                      expected=(target * guess).sum(axis=1)[context], clip=2.0)  # fmt: skip
    for name, one in told.estimates.items():
        if not math.isnan(one.low):
            tally.add(f"off-policy interval, {name}", not one.low <= truth <= one.high, kind="misses")
    tally.add("off-policy, gain of a policy worth the same", told.gain.excludes_zero)
    first = random.random((n, 3)) < 0.6
    earned = random.binomial(1, np.where(first, 0.3, 0.15)).astype(float)
    chances_ = [np.where(first, chance, 1 - chance) for chance in (0.6, 0.4)]
    for name, one in off_policy_slates(earned, *chances_).estimates.items():
        tally.add(f"off-policy interval, slates, {name}", not one.low <= 0.63 <= one.high, kind="misses")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--experiments", type=int, default=1000)
    parser.add_argument("--users", type=int, default=2000, help="in each group")
    parser.add_argument("--resamples", type=int, default=199, help="of the bootstrap; 0 leaves it out")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    tally = UserTally()
    many = Sums.of_rows(NAMES, users(np.random.default_rng(args.seed), 1_000_000))
    truth = many.mean(f"{REACH} x") / many.mean(f"{REACH} y")
    for number in range(args.experiments):
        random = np.random.default_rng((args.seed, number))
        experiments(tally, random, args.users, args.resamples, number, truth)
        values_in_clusters(tally, random)
        few_units(tally, random)
        relative(tally, random)
        looking(tally, random, args.users)
        verdicts(tally, random, args.users)
        heavy(tally, random)
        heavy_weights(tally, random)
        planned(tally, random, 300)
        chances(tally, random)
        interleaving(tally, random, 300)
        policies(tally, random, args.users)
        if number % 5 == 0:  # whole logs are read, which takes longer
            search(tally, random)
            assigned(tally, random)
    print(f"{args.experiments:,} experiments of 2 x {args.users:,} users, every test and interval at 95%\n")
    print("\n".join(tally.lines()))


if __name__ == "__main__":
    main()
