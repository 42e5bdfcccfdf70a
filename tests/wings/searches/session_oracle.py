"""The measures of several searches written out in plain Python, from the papers: slow, and nothing shared."""

from __future__ import annotations

from math import log


def rank_discount(rank, b):
    return 1 / log(rank + b - 1, b)


def call_discount(call, bq, discount):
    return 1 / (1 + log(call, bq)) if discount == "jarvelin" else 1 / log(call + bq - 1, bq)


def gain_of(grade, gain):
    return max(0, 2**grade - 1 if gain == "exp2" else grade)


def sdcg(calls, grades, *, k=None, b=2, bq=4, gain="linear", discount="jarvelin", repeats="counted"):
    total, before = 0.0, []
    for number in range(len(calls)):
        listed = calls[number] if k is None else calls[number][:k]
        for place in range(len(listed)):
            item = listed[place]
            if repeats == "counted" or item not in before:
                worth = gain_of(grades.get(item, 0), gain)
                total += worth * rank_discount(place + 1, b) * call_discount(number + 1, bq, discount)
            before = [*before, item]
    return total


def nsdcg(calls, grades, *, ideal="each", k=None, **options):
    ranked = sorted(grades, key=lambda item: -grades[item])
    if ideal == "each":
        best = sdcg([ranked] * max(1, len(calls)), grades, k=k, **{**options, "repeats": "counted"})
    else:
        depth = len(ranked) if k is None else min(k, len(ranked))
        b, bq = options.get("b", 2), options.get("bq", 4)
        every = sorted(
            (rank_discount(r, b) * call_discount(q, bq, options.get("discount", "jarvelin"))
             for q in range(1, max(1, len(calls)) + 1) for r in range(1, depth + 1)), reverse=True,
        )  # fmt: skip
        gains = sorted((gain_of(grade, options.get("gain", "linear")) for grade in grades.values()), reverse=True)
        best = sum(worth * weight for worth, weight in zip(gains, every, strict=False))
    return sdcg(calls, grades, k=k, **options) / best if best else 0.0


def srbp(calls, grades, *, p=0.86, b=0.64, k=None, repeats="counted"):
    """By walking: the chance to see each place, from the place before."""
    total, arriving, before = 0.0, 1.0, []
    for listed in calls:
        seeing = arriving
        for item in listed if k is None else listed[:k]:
            if grades.get(item, 0) >= 1 and (repeats == "counted" or item not in before):
                total += seeing
            before = [*before, item]
            seeing *= p * b
        arriving = arriving * p * (1 - b) / (1 - p * b)  # from any place of an endless list
    return (1 - p) * total


def exposures(calls, grades, *, p, k=None):
    """Of each item: what it is exposed on average, and what it would be if relevant items took turns at the top."""
    listed = [call if k is None else call[:k] for call in calls]
    relevant = [item for item, grade in grades.items() if grade >= 1]
    tops = [sum(p**rank for rank in range(len(relevant)) if k is None or rank < k) / len(relevant) for _ in relevant]
    ideal = dict(zip(relevant, tops, strict=True))
    items = {item for call in listed for item in call} | {*relevant}
    got = {
        item: sum(p**at for call in listed for at, other in enumerate(call) if other == item) / len(calls)
        for item in items
    }
    return [(got[item], ideal.get(item, 0.0)) for item in items] if relevant else []


def items_within(calls, sizes, most_calls=None, most_tokens=None):
    got, used = [], 0
    for listed, of_items in list(zip(calls, sizes, strict=True))[:most_calls]:
        for item, size in zip(listed, of_items, strict=True):
            used += size
            if most_tokens is not None and used > most_tokens:
                return got
            got.append(item)
    return got


def repeats_of(calls):
    later = [(number, item) for number, listed in enumerate(calls) for item in listed if number]
    again = [item for number, item in later if any(item in earlier for earlier in calls[:number])]
    return len(again) / len(later) if later else 0.0


def union_of(calls):
    together = []
    for listed in calls:
        together += [item for item in listed if item not in together]
    return together
