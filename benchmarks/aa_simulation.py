"""How often each test of an online measure cries wolf: A/A experiments, in which nothing differs.

Users have habits of their own (negative-binomial impressions, Beta(1,9) click rates), are split at random, and every
test offered is asked for a difference at 5%. A test that is right says yes about 5% of the time. The naive test takes
impressions as independent, which they are not when users were randomised. ``--peeks`` looks that often before the end
and counts an experiment as a false alarm when any look says yes. The intervals of estimates for a policy that was not
run are asked whether they hold its true value: a right one misses it in about 5%.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

from rankmeter.measures import parse
from rankmeter.online import off_policy, off_policy_slates
from rankmeter.online.bootstrap import Resampled
from rankmeter.online.contrasts import cuped, difference
from rankmeter.online.experiment import resampled_difference
from rankmeter.online.interleaving import sign_test
from rankmeter.online.proportions import newcombe, sample_ratio, z_test
from rankmeter.online.sums import Sums

CTR, REACH, PER_USER, CVR, SALES, VALUE, DURATION, ENGAGED = (
    parse(text)
    for text in ("CTR", "CTR(per=reach)", "CTR(per=user)", "CVR", "Conversions", "Value", "SessionDuration",
                 "EngagedSessions")
)  # fmt: skip
MEASURES = (CTR, PER_USER, REACH, CVR, SALES, VALUE, DURATION, ENGAGED)
PLAIN = tuple(f"{measure} {side}" for measure in MEASURES for side in "xy")
NAMES = (*PLAIN, *(f"{name} before" for name in PLAIN))


def users(random, n):
    """What each user adds above and below the line of each measure, now and before.

    Sales have log-normal values; sessions last 0 seconds in every second case and are log-normal else, with a pace of
    each user's own.
    """
    rate = random.beta(1, 9, n)
    activity = random.gamma(0.5, 20.0, n)
    pace = random.normal(5.0, 0.7, n)
    periods = []
    for _ in range(2):
        shown = random.poisson(activity)
        clicks = random.binomial(shown, rate)
        sales = random.binomial(clicks, 0.1)
        seen = (shown > 0).astype(float)
        own = np.divide(clicks, shown, out=np.zeros(n), where=shown > 0)
        spent = total_of(sales, lambda who: random.lognormal(3.0, 1.0, len(who)))
        sessions = 1 + random.poisson(activity / 10)
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


def off_policy_says(random, choices, slates):
    """Which intervals of estimates for a policy that was not run miss its true value, and its gain of 0.

    Choices: three actions in two kinds of context, logged by one policy, valued for another of the same value, so that
    the true gain is 0. The model of rewards is wrong by a tenth, which DR forgives and DM does not: DM and clipped IPS
    are biased by design, so they are left out.
    """
    reward = np.array([[0.3, 0.2, 0.1], [0.1, 0.2, 0.3]])
    logging = np.array([[0.4, 0.2, 0.4], [0.4, 0.2, 0.4]])
    target = np.array(
        [[0.15, 0.7, 0.15], [0.15, 0.7, 0.15]]
    )  # as much below as above the middle action: the same value
    context = random.integers(0, 2, choices)
    action = (random.random(choices)[:, None] > np.cumsum(logging[context], axis=1)).sum(axis=1)
    earned = random.binomial(1, reward[context, action]).astype(float)
    guess = reward * 1.1
    truth = float((target * reward).sum(axis=1).mean())
    found = off_policy(
        earned, logging[context, action], target[context, action], predicted=guess[context, action],
        expected=(target * guess).sum(axis=1)[context],
    )  # fmt: skip
    said = {f"off-policy interval, {name}": not one.low <= truth <= one.high
            for name, one in found.estimates.items() if name != "DM"}  # fmt: skip
    said["off-policy interval, gain"] = found.gain.excludes_zero
    said |= {f"off-policy interval, slates, {model}, {name}": wrong for model in ("item-position", "cascade")
             for name, wrong in slates_say(random, slates, model)}  # fmt: skip
    return said


def slates_say(random, slates, model):
    """Slates of three positions, two items for each: a click depends on the item there, or on those down to it."""
    logging, target = 0.6, 0.4  # the probability of the first item, at each position
    first = random.random((slates, 3)) < logging
    quality = np.where(first, 0.3, 0.15)
    expected = target * 0.3 + (1 - target) * 0.15
    if model == "cascade":
        quality, truth = np.cumprod(quality**0.5, axis=1), 0.0
        mean = target * 0.3**0.5 + (1 - target) * 0.15**0.5
        truth = mean + mean**2 + mean**3
    else:
        truth = 3 * expected
    earned = random.binomial(1, quality).astype(float)
    chances = [np.where(first, chance, 1 - chance) for chance in (logging, target)]
    found = off_policy_slates(earned, *chances, model=model)
    return [(name, not one.low <= truth <= one.high) for name, one in found.estimates.items()]


def bootstrap_says(rows, half, resamples, seed):
    """Whether the interval of the bootstrap excludes 0, and whether its p-value is below 5%."""
    parts = rows[:half, :2], rows[half:, :2]
    a, b = (Sums.of_rows(NAMES[:2], part) for part in parts)
    drawn = [Resampled.of_rows(part, resamples, (seed, side)) for side, part in enumerate(parts)]
    found = resampled_difference(difference(a, b, CTR), *drawn, a, CTR, 0.95)
    return found.absolute.excludes_zero, found.p < 0.05


def says(rows, half, resamples, seed):
    """Which tests find a difference between the halves."""
    a, b = (Sums.of_rows(NAMES, part) for part in (rows[:half], rows[half:]))
    found = {f"delta method, {measure}": difference(a, b, measure).p < 0.05 for measure in MEASURES}
    adjusted = {measure: cuped(a, b, measure) for measure in (CTR, SALES, VALUE, DURATION)}
    found |= {f"CUPED, {measure}": one is not None and one.difference.p < 0.05 for measure, one in adjusted.items()}
    reached = [value for sums in (b, a) for value in (round(sums.total(f"{REACH} x")), round(sums.total(f"{REACH} y")))]
    low, high = newcombe(*reached)
    found["Newcombe from Wilson, CTR(per=reach)"] = low > 0 or high < 0
    found["always valid, CTR, one look"] = difference(a, b, CTR).always_valid.excludes_zero
    clicks = [value for sums in (b, a) for value in (sums.total("CTR x"), sums.total("CTR y"))]
    found["naive z-test on impressions, CTR"] = z_test(*clicks)[1] < 0.05
    found["z-test of users, CTR(per=reach)"] = z_test(*reached)[1] < 0.05
    random = np.random.default_rng((seed, 7))
    found["sample ratio, chi-square"] = sample_ratio(random.multinomial(2 * half, [0.5, 0.5]).tolist()) < 0.05
    # Interleaving of two equal rankings: every click is a coin.
    votes = np.sign(2 * random.binomial(rows[:, 0].astype(int), 0.5) - rows[:, 0])
    found["sign test by user, interleaving"] = sign_test(int((votes < 0).sum()), int((votes > 0).sum())) < 0.05
    if resamples:
        interval, p = bootstrap_says(rows, half, resamples, seed)
        found[f"bootstrap of users, interval of CTR, {resamples} resamples"] = interval
        found[f"bootstrap of users, p-value of CTR, {resamples} resamples"] = p
    return found


def peeking(rows, looks):
    """Whether any of several looks finds a difference: with the plain interval, and with the always-valid one."""
    half = len(rows) // 2
    plain = valid = False
    for look in range(1, looks + 1):
        n = half * look // looks
        a, b = (Sums.of_rows(NAMES[:2], part[:n, :2]) for part in (rows[:half], rows[half:]))
        found = difference(a, b, CTR)
        plain |= found.p < 0.05
        valid |= found.always_valid.excludes_zero
    return plain, valid


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--experiments", type=int, default=1000)
    parser.add_argument("--users", type=int, default=2000, help="in each variant")
    parser.add_argument("--resamples", type=int, default=400, help="of the bootstrap; 0 leaves it out")
    parser.add_argument("--peeks", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    random = np.random.default_rng(args.seed)
    alarms: dict[str, int] = {}
    for number in range(args.experiments):
        rows = users(random, 2 * args.users)
        found = says(rows, args.users, args.resamples, number)
        if args.peeks:
            plain, valid = peeking(rows, args.peeks)
            found |= {f"delta method, CTR, any of {args.peeks} looks": plain,
                      f"always valid, CTR, any of {args.peeks} looks": valid}  # fmt: skip
        found |= off_policy_says(np.random.default_rng((number, 11)), 2 * args.users, 2 * args.users)
        for name, alarm in found.items():
            alarms[name] = alarms.get(name, 0) + bool(alarm)
    half = 1.96 * math.sqrt(0.05 * 0.95 / args.experiments)
    print(
        f"{args.experiments:,} A/A experiments of 2 x {args.users:,} users; a right test alarms in 5.0% +- {half:.1%}"
    )
    for name, count in sorted(alarms.items(), key=lambda pair: pair[1]):
        print(f"  {name:<58} {count / args.experiments:>6.1%}")


if __name__ == "__main__":
    main()
