"""The measures of lists once more: slow, plain Python, line by line as in their formulas."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any


@dataclass
class World:
    """Lists, and everything that is known beside them."""

    lists: dict[Any, list[Any]]
    judged: dict[Any, dict[Any, float]]
    history: dict[Any, list[Any]]
    items: list[Any]
    features: dict[Any, list[float]] = field(default_factory=dict)
    categories: dict[Any, list[str]] = field(default_factory=dict)
    values: dict[Any, float] = field(default_factory=dict)
    margins: dict[Any, float] = field(default_factory=dict)
    groups: dict[Any, str] = field(default_factory=dict)

    @property
    def interactions(self) -> Counter:
        return Counter(item for items in self.history.values() for item in items)

    @property
    def takers(self) -> Counter:
        return Counter(item for items in self.history.values() for item in set(items))

    @property
    def users(self) -> int:
        return sum(1 for items in self.history.values() if items)


def log(x: float, base: Any) -> float:
    return math.log(x) if base == "e" else math.log(x) / math.log(base)


def weight(kind: str, rank: int, p: float = 0.85) -> float:
    return {"log2": 1 / math.log2(rank + 1), "reciprocal": 1 / rank, "geometric": p ** (rank - 1)}.get(kind, 1.0)


def users_of(m: Any, w: World) -> list[Any]:
    policy = m.queries or m.default_queries
    if policy == "run":
        return list(w.lists)
    return [u for u in w.judged if policy == "judged" or u in w.lists]


def cut(m: Any, w: World, u: Any) -> list[Any]:
    return w.lists.get(u, [])[: m.cutoff]


def oracle(m: Any, w: World) -> tuple[float, dict[Any, float]]:
    """The aggregated value, and the value of each user that counts."""
    name = type(m).name
    if name in WHOLE:
        return WHOLE[name](m, w, users_of(m, w)), {}
    parts = {u: part for u in users_of(m, w) if (part := EACH[name](m, w, u)) is not None}
    each = {u: above / below if below else 0.0 for u, (above, below) in parts.items()}
    if m.aggregate == "pooled":
        below = math.fsum(part[1] for part in parts.values())
        if not below:
            return (0.0 if parts else math.nan), each
        return math.fsum(part[0] for part in parts.values()) / below, each
    if m.aggregate == "sum":
        return math.fsum(each.values()), each
    if not each:
        return math.nan, each
    if m.aggregate == "median":
        ordered = sorted(each.values())
        half = len(ordered) // 2
        return (ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2), each
    return math.fsum(each.values()) / len(each), each


def universe(of: str, w: World) -> set[Any]:
    return set(w.items) if of == "catalogue" else set(w.interactions)


def coverage(m, w, users):
    found = {item for u in users for item in cut(m, w, u)}
    could = universe(m.of, w)
    count = len(found) if m.outside == "counted" else len(found & could)
    if m.unit == "count":
        return count
    below = len(could) + m.padding
    return count * (100 if m.unit == "percent" else 1) / below if below else math.nan


def gini_of(counts: list[float], m: Any) -> float:
    n, total = len(counts), sum(counts)
    if not n or not total:
        return math.nan
    # The mean absolute difference over all ordered pairs, by its definition.
    spread = sum(abs(a - b) for a in counts for b in counts)
    value = spread / (2 * n * total)
    value = value if m.divisor == "n" else value * n / max(n - 1, 1)
    return 1 - value if m.scale == "equality" else value


def gini(m, w, users, kind="equal", p=0.85):
    seen: Counter = Counter()
    for u in users:
        for rank, item in enumerate(cut(m, w, u), 1):
            seen[item] += weight(kind, rank, p)
    over = set(seen) if m.over == "recommended" else universe(m.over, w)
    return gini_of([seen.get(item, 0.0) for item in over] + [0.0] * getattr(m, "padding", 0), m)


def entropy(m, w, users):
    seen: Counter = Counter()
    for u in users:
        items = cut(m, w, u)
        for item in items:
            seen[item] += 1 / len(items) if m.weighting == "lists" else 1
    total = sum(seen.values())
    if not total:
        return math.nan
    value = -sum(c / total * log(c / total, m.base) for c in seen.values())
    if m.norm == "items":
        return value / log(len(w.items), m.base) if len(w.items) > 1 else 0.0
    return value / len(seen) if m.norm == "distinct" else value


def personalisation(m, w, users):
    lists = [set(cut(m, w, u)) for u in users if cut(m, w, u)]
    if len(lists) < 2:
        return math.nan
    pairs = list(combinations(lists, 2))
    return 1 - sum(len(a & b) / math.sqrt(len(a) * len(b)) for a, b in pairs) / len(pairs)


def vector(w: World, item: Any, source: str) -> dict[Any, float] | None:
    """The description of an item as a sparse vector; None where there is none."""
    if source == "features":
        return dict(enumerate(w.features[item])) if item in w.features else None
    if source == "categories":
        return dict.fromkeys(w.categories[item], 1.0) if item in w.categories else None
    return {u: 1.0 for u, items in w.history.items() if item in items}


def cosine(a: dict, b: dict) -> float:
    lengths = math.sqrt(sum(x * x for x in a.values())) * math.sqrt(sum(x * x for x in b.values()))
    return sum(a.get(key, 0.0) * x for key, x in b.items()) / lengths if lengths else 0.0


def distance(metric: str, a: dict, b: dict) -> float:
    if metric == "cosine":
        return 1 - cosine(a, b)
    if metric == "jaccard":
        left, right = ({key for key, x in one.items() if x} for one in (a, b))
        return 1 - len(left & right) / len(left | right) if left | right else 0.0
    differences = [a[key] - b[key] for key in a]
    if metric == "euclidean":
        return math.sqrt(sum(d * d for d in differences))
    if metric == "manhattan":
        return sum(map(abs, differences))
    count = sum(d != 0 for d in differences)
    return count if metric == "hamming-count" else count / len(differences)


def ild(m, w, u):
    vectors = [v for item in cut(m, w, u) if (v := vector(w, item, m.source)) is not None]
    if len(vectors) < 2:
        if not vectors or m.single == "skip":
            return None
        return (1.0 if m.single == "one" else 0.0), 1
    pairs = list(combinations(vectors, 2))
    if m.scale == "similarity":
        return sum(1 - distance(m.metric, a, b) for a, b in pairs), len(pairs)
    return sum(distance(m.metric, a, b) for a, b in pairs), len(pairs) if m.norm == "pairs" else len(vectors)


def all_categories(w: World) -> set[str]:
    return {label for labels in w.categories.values() for label in labels}


def category_diversity(m, w, u):
    items = cut(m, w, u)
    if not items:
        return None
    distinct = len({label for item in items for label in w.categories.get(item, [])})
    return distinct, {"k": m.cutoff or len(items), "list": len(items), "catalogue": len(all_categories(w)), "count": 1}[
        m.norm
    ]


def category_shares(w: World, weighted: list[tuple[Any, float]]) -> dict[str, float]:
    held: Counter = Counter()
    for item, part in weighted:
        for label in w.categories.get(item, []):
            held[label] += part / len(w.categories[item])
    total = sum(held.values())
    return {label: one / total for label, one in held.items()} if total else {}


def category_entropy(m, w, u):
    shares = category_shares(w, [(item, 1.0) for item in cut(m, w, u)])
    if not shares:
        return None
    value = -sum(p * log(p, m.base) for p in shares.values())
    return (value / log(max(len(all_categories(w)), 2), m.base) if m.norm == "categories" else value), 1


def information(m, w, item, count):
    taken = w.takers if count == "users" else w.interactions
    total = w.users if count == "users" else sum(taken.values())
    if not taken[item]:
        rarest = -log(min(times for times in taken.values() if times) / total, m.base)
        return {"one": -log(1 / total, m.base), "zero": 0.0, "skip": None, "rarest": rarest}[m.cold]
    return -log(taken[item] / total, m.base)


def novelty(m, w, u):
    count = getattr(m, "count", "users")
    bits = [bit for item in cut(m, w, u) if (bit := information(m, w, item, count)) is not None]
    if not bits:
        return None
    total = w.users if count == "users" else sum(w.interactions.values())
    value = sum(bits)
    if m.norm == "log":
        value = value / log(total, m.base) if total > 1 else 0.0
    longest = max((len(items) for items in w.lists.values()), default=0)
    return value, (m.cutoff or longest) if m.divisor == "k" else len(bits)


def relevant(m, w, u, item):
    if getattr(m, "relevance", "judged") == "all":
        return True
    return item in w.judged.get(u, {}) and w.judged[u][item] >= m.rel


def counts_empty(m, w, u) -> bool:
    return m.empty == "zero" or any(grade >= m.rel for grade in w.judged.get(u, {}).values())


def expected(m, w, u, worth):
    items = cut(m, w, u)
    if m.relevance == "all":
        if not items:
            return None
    elif not counts_empty(m, w, u):
        return None
    above = below = 0.0
    for rank, item in enumerate(items, 1):
        value = worth(item)
        if value is None:
            continue
        below += weight(m.discount, rank)
        above += weight(m.discount, rank) * value * relevant(m, w, u, item)
    return above, below


def epc(m, w, u):
    return expected(m, w, u, lambda item: 1 - w.takers[item] / w.users)


def efd(m, w, u):
    return expected(m, w, u, lambda item: information(m, w, item, "interactions"))


def arp(m, w, u):
    taken = w.takers if m.count == "users" else w.interactions
    below = {"none": 1, "share": w.users if m.count == "users" else sum(taken.values()), "max": max(taken.values())}
    values = [taken[item] / below[m.norm] for item in cut(m, w, u) if taken[item] or m.cold == "zero"]
    return (sum(values), len(values)) if values else None


def tail(m, w) -> Any:
    """A test for items in the tail."""
    taken = w.interactions
    pool = list(w.items) if m.among == "catalogue" else order_of_coding(w)
    rising = sorted(pool if m.border == "first" else reversed(pool), key=lambda item: taken[item])
    if m.tail == "items":
        head = set(rising[max(int(m.share * len(rising)), 1) :])
    else:
        head, held, total = set(), 0, sum(taken[item] for item in pool)
        for item in reversed(rising):
            head.add(item)
            held += taken[item]
            if held >= (1 - m.share) * total - 1e-9:
                break
    return lambda item: item not in head and (m.among == "catalogue" or taken[item] > 0)


def order_of_coding(w: World) -> list[Any]:
    """Items that were taken, in the order of the catalogue, then as they come in the history."""
    taken = list(dict.fromkeys(item for items in w.history.values() for item in items))
    return [item for item in w.items if item in taken] + [item for item in taken if item not in w.items]


def aplt(m, w, u):
    items, inside = cut(m, w, u), tail(m, w)
    return (sum(map(inside, items)), len(items)) if items else None


def aclt(m, w, u):
    part = aplt(m, w, u)
    return part and (part[0], 1)


def lift(m, w, u):
    items, before = cut(m, w, u), set(w.history.get(u, []))
    if not items or not before:
        return None
    taken = w.takers if m.count == "users" else w.interactions
    now, then = (sum(taken[item] for item in some) / len(some) for some in (items, before))
    return now - then, then


def spread(rates: list[float]) -> float:
    mean = sum(rates) / len(rates) if rates else 0.0
    return math.sqrt(sum((rate - mean) ** 2 for rate in rates) / len(rates)) / mean if mean else 0.0


def groups_of(m, w):
    if m.groups == "catalogue":
        return w.groups.get, sorted(set(w.groups.values()))
    inside = tail(m, w)

    def group(item):
        if m.among == "history" and not w.interactions[item]:
            return None
        return "tail" if inside(item) else "head"

    return group, ["head", "tail"]


def pop_reo(m, w, users):
    group, names = groups_of(m, w)
    rates = []
    for name in names:
        wanted = [
            (u, i) for u in users for i, grade in w.judged.get(u, {}).items() if grade >= m.rel and group(i) == name
        ]
        if wanted:
            rates.append(sum(i in cut(m, w, u) for u, i in wanted) / len(wanted))
    return spread(rates)


def pop_rsp(m, w, users):
    group, names = groups_of(m, w)
    rates = []
    for name in names:
        by_history = m.groups == "popularity" and m.among == "history"
        inside = [item for item in (order_of_coding(w) if by_history else w.items) if group(item) == name]
        could = sum(len([i for i in inside if i not in w.history.get(u, [])]) for u in users)
        if could > 0:
            rates.append(sum(item in inside for u in users for item in cut(m, w, u)) / could)
    return spread(rates)


def likeness(m, w, u, item):
    """The mean cosine to the history; None where it is not known."""
    mine = vector(w, item, m.source)
    before = [v for h in dict.fromkeys(w.history.get(u, [])) if (v := vector(w, h, m.source)) is not None]
    return sum(cosine(mine, v) for v in before) / len(before) if mine is not None and before else None


def surprises(m, w, u):
    """The surprise of each place; None where it is not known."""
    taken, n = w.interactions, len(w.items)
    if m.surprise == "history":
        return [None if (x := likeness(m, w, u, item)) is None else 1 - x for item in cut(m, w, u)]
    if m.surprise == "popular":
        coded = order_of_coding(w)
        longest = max((len(items) for items in w.lists.values()), default=0)
        most = sorted(coded, key=lambda item: -taken[item])[: m.cutoff or longest]
        return [float(item not in most) for item in cut(m, w, u)]
    steps = sorted(set(taken.values()), reverse=True)
    found = []
    for rank, item in enumerate(cut(m, w, u), 1):
        usual = (n + 1 - (steps.index(taken[item]) + 1)) / n if taken[item] else 0.0
        found.append(max((n + 1 - rank) / n - usual, 0.0))
    return found


def serendipity(m, w, u):
    pairs = [(x, item) for x, item in zip(surprises(m, w, u), cut(m, w, u), strict=True) if x is not None]
    if (m.relevance == "all" or m.surprise == "history") and not pairs:
        return None
    if m.relevance == "judged" and not counts_empty(m, w, u):
        return None
    return sum(x * relevant(m, w, u, item) for x, item in pairs), len(pairs)


def unexpectedness(m, w, u):
    known = [x for x in surprises(m, w, u) if x is not None]
    return (sum(known), len(known)) if known else None


def calibration(m, w, u):
    q = category_shares(w, [(item, weight(m.weight, rank)) for rank, item in enumerate(cut(m, w, u), 1)])
    p = category_shares(w, [(item, 1.0) for item in dict.fromkeys(w.history.get(u, []))])
    if not p or not q:
        return None

    def kl(left, right):
        return sum(x * log(x / right[label], m.base) for label, x in left.items() if x)

    labels = {*p, *q}
    if m.divergence == "js":
        middle = {label: (p.get(label, 0) + q.get(label, 0)) / 2 for label in labels}
        return (kl(p, middle) + kl(q, middle)) / 2, 1
    return kl(p, {label: (1 - m.alpha) * q.get(label, 0) + m.alpha * p.get(label, 0) for label in labels}), 1


def exposures(m, w, users) -> dict[str, float]:
    held = dict.fromkeys(sorted(set(w.groups.values())), 0.0)
    for u in users:
        for rank, item in enumerate(cut(m, w, u), 1):
            if item in w.groups:
                held[w.groups[item]] += weight(m.weight, rank, m.p)
    return held


def normed(held: dict[str, float]) -> dict[str, float]:
    total = sum(held.values())
    return {name: one / total if total else math.nan for name, one in held.items()}


def group_exposure(m, w, users):
    share = normed(exposures(m, w, users))[str(m.group)]
    return share / (Counter(w.groups.values())[str(m.group)] / len(w.items)) if m.unit == "ratio" else share


def target_shares(m, w, users, names):
    if m.target == "uniform":
        return dict.fromkeys(names, 1 / len(names))
    if m.target == "catalogue":
        return {name: count / len(w.items) for name, count in Counter(w.groups.values()).items()}
    held = dict.fromkeys(names, 0.0)
    if m.target == "history":
        for item, count in w.interactions.items():
            if item in w.groups:
                held[w.groups[item]] += count
        return {name: one / max(sum(held.values()), 1) for name, one in held.items()}
    for u in users:
        for item, grade in w.judged.get(u, {}).items():
            if item in w.groups and grade >= m.rel:
                held[w.groups[item]] += 1
    return normed(held)


def disparity(m, w, users):
    share = normed(exposures(m, w, users))
    target = target_shares(m, w, users, list(share))
    if any(map(math.isnan, [*share.values(), *target.values()])):
        return math.nan
    differences = [abs(share[name] - target[name]) for name in share]
    if m.distance in ("tv", "max"):
        return sum(differences) / 2 if m.distance == "tv" else max(differences)
    if m.distance == "js":
        middle = {name: (share[name] + target[name]) / 2 for name in share}
        return sum(
            side[name] * math.log2(side[name] / middle[name]) / 2
            for side in (share, target)
            for name in share
            if side[name]
        )
    if m.distance == "ratio":
        return min((share[name] / target[name] for name in share if target[name]), default=math.inf)
    if any(s > 0 and target[name] <= 0 for name, s in share.items()):
        return math.inf
    return sum(s * math.log2(s / target[name]) for name, s in share.items() if s)


def awrf(m, w, u):
    away = disparity(m, w, [u])
    return None if math.isnan(away) else (1 - away, 1)


def joint_exposure(m, w, users):
    """The matrices of exposure, system and target, written out."""
    if not users:
        return math.nan
    away = {}
    for u in users:
        shown = cut(m, w, u)
        relevant = [i for i in w.items if w.judged.get(u, {}).get(i, -math.inf) >= m.rel]
        first = len(relevant) if m.cutoff is None else min(m.cutoff, len(relevant))
        share = sum(weight(m.weight, rank, m.p) for rank in range(1, first + 1)) / max(len(relevant), 1)
        for item in w.items:
            got = weight(m.weight, shown.index(item) + 1, m.p) if item in shown else 0.0
            away[u, item] = got - (share if item in relevant else 0.0)
    blocks = [[item] for item in w.items]
    if m.items == "group":
        blocks = [[i for i in w.items if w.groups.get(i) == name] for name in sorted(set(w.groups.values()))]
    sides = [[u] for u in users] if m.users == "each" else [users]
    means = [sum(away[u, i] for u in side for i in some) / len(side) / len(some) for side in sides for some in blocks]
    return sum(one**2 for one in means) / len(means)


def worth(m, w, u, of):
    if not counts_empty(m, w, u):
        return None
    return sum(
        weight(m.discount, rank) * of.get(item, 0.0)
        for rank, item in enumerate(cut(m, w, u), 1)
        if relevant(m, w, u, item)
    ), 1


def value_hit_rate(m, w, u):
    if not counts_empty(m, w, u):
        return None
    wanted = {item for item, grade in w.judged.get(u, {}).items() if grade >= m.rel}
    found = [item for item in cut(m, w, u) if item in wanted]
    return tuple(sum(w.values.get(item, 0.0) for item in some) for some in (found, wanted))


def value_ndcg(m, w, u):
    if not counts_empty(m, w, u):
        return None

    def gain(item):
        grade = w.judged.get(u, {}).get(item, -math.inf)
        if grade < m.rel:
            return 0.0
        above = max(grade, 0)
        return {"linear": above, "exp2": 2**above - 1, "binary": 1}[m.gain] * w.values.get(item, 0.0)

    def dcg(gains):
        return sum(one * weight(m.discount, rank) for rank, one in enumerate(gains, 1))

    ideal = sorted((gain(item) for item in w.judged.get(u, {})), reverse=True)[: m.cutoff]
    return dcg(gain(item) for item in cut(m, w, u)), dcg(ideal)


def share_of(m, w, u, test):
    items = cut(m, w, u)
    return (sum(map(test, items)), len(items)) if items else None


def user_coverage(m, w, u):
    longest = max((len(cut(m, w, one)) for one in w.lists), default=0)
    return float(len(cut(m, w, u)) >= max(1 if m.lists == "any" else (m.cutoff or longest), 1)), 1


def short_lists(m, w, u):
    longest = max((len(cut(m, w, one)) for one in w.lists), default=0)
    return float(len(cut(m, w, u)) < (m.cutoff or max(longest, 1))), 1


def duplicate_items(m, w, u):
    items = cut(m, w, u)
    different = len(set(items))
    return (len(items) - different if m.scale == "repeated" else different, len(items)) if items else None


def decisions(m, w, u):
    shown = {item for item in cut(m, w, u) if item in w.items}
    wanted = {item for item in w.items if w.judged.get(u, {}).get(item, -math.inf) >= m.rel}
    longest = max(1, *(len(cut(m, w, one)) for one in w.lists))
    count = len(shown) if m.shown == "list" else (m.cutoff or longest)
    tp, relevant = len(shown & wanted), len(wanted)
    return tp, count - tp, relevant - tp, len(w.items) - count - (relevant - tp)


def catalogue_accuracy(m, w, u):
    if not counts_empty(m, w, u):
        return None
    tp, _, _, tn = decisions(m, w, u)
    return tp + tn, len(w.items)


def matthews(m, w, u):
    if not counts_empty(m, w, u):
        return None
    tp, fp, fn, tn = decisions(m, w, u)
    # Reading: where k is more than the catalogue holds, a factor may be below 0, and there is no correlation.
    return tp * tn - fp * fn, math.sqrt(max((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn), 0))


WHOLE = {
    "Coverage": coverage,
    "Gini": gini,
    "ExposureGini": lambda m, w, users: gini(m, w, users, m.weight, m.p),
    "Entropy": entropy,
    "Personalisation": personalisation,
    "PopREO": pop_reo,
    "PopRSP": pop_rsp,
    "GroupExposure": group_exposure,
    "Disparity": disparity,
    "JointExposure": joint_exposure,
}
EACH = {
    "UserCoverage": user_coverage,
    "ILD": ild,
    "CategoryDiversity": category_diversity,
    "CategoryEntropy": category_entropy,
    "Novelty": novelty,
    "MIUF": novelty,
    "EPC": epc,
    "EFD": efd,
    "ARP": arp,
    "APLT": aplt,
    "ACLT": aclt,
    "TailShare": aplt,
    "PopularityLift": lift,
    "Serendipity": serendipity,
    "Unexpectedness": unexpectedness,
    "Calibration": calibration,
    "AWRF": awrf,
    "Revenue": lambda m, w, u: worth(m, w, u, w.values),
    "Margin": lambda m, w, u: worth(m, w, u, w.margins),
    "ValueNDCG": value_ndcg,
    "ValueHitRate": value_hit_rate,
    "CatalogueAccuracy": catalogue_accuracy,
    "MCC": matthews,
    "ShortLists": short_lists,
    "DuplicateItems": duplicate_items,
    "SeenItems": lambda m, w, u: share_of(m, w, u, lambda item: (item in w.history.get(u, [])) == (m.scale == "seen")),
    "OutsideCatalogue": lambda m, w, u: share_of(m, w, u, lambda item: item not in w.items),
}
