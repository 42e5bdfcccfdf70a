"""The oracle of diversity: one ranking against judgments of subtopics, in plain Python."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Topics = Mapping[str, float]


def diversity(m: Any, judged: Mapping[str, Topics], ranking: Sequence[str]) -> float | None:
    """The value of a measure of diversity for one ranking; None where nothing is relevant."""
    k = len(ranking) if m.cutoff is None else m.cutoff
    relevant = {item: {t for t, grade in topics.items() if grade >= m.rel} for item, topics in judged.items()}
    topics = sorted(set().union(*relevant.values())) if relevant else []
    if not topics:
        return None
    listed = [relevant.get(item, set()) for item in ranking[:k]]
    if m.name == "StRecall":
        return len(set().union(*listed)) / len(topics) if listed else 0.0
    if m.name == "P_IA":
        return sum(map(len, listed)) / (k * len(topics)) if k else 0.0
    if m.name == "AP_IA":
        return math.fsum(topic_ap(t, listed, relevant) for t in topics) / len(topics)
    discount = {"NRBP": lambda i: m.beta ** (i - 1), "DCG": lambda i: 1 / math.log2(i + 1), "ERR": lambda i: 1 / i}[
        "NRBP" if "NRBP" in m.name else "DCG" if "DCG" in m.name else "ERR"
    ]
    value = novel_gain(m, listed, discount)
    if m.name == "NRBP":
        return value * (1 - (1 - m.alpha) * m.beta) / len(topics)
    if m.name in ("alpha_DCG", "ERR_IA"):
        perfect = math.fsum(len(topics) * (1 - m.alpha) ** (i - 1) * discount(i) for i in range(1, k + 1))
        return value / perfect if perfect else 0.0
    best = greedy(m, relevant)
    if m.name != "nNRBP" or m.cutoff is not None:
        best = best[:k]
    ideal = novel_gain(m, best, discount)
    return value / ideal if ideal else 0.0


def topic_ap(topic: str, listed: Sequence[set[str]], relevant: Mapping[str, set[str]]) -> float:
    ranks = [i for i, met in enumerate(listed, start=1) if topic in met]
    return math.fsum((n + 1) / i for n, i in enumerate(ranks)) / sum(topic in met for met in relevant.values())


def novel_gain(m: Any, listed: Sequence[set[str]], discount: Callable[[int], float]) -> float:
    seen: dict[str, int] = {}
    value = 0.0
    for i, met in enumerate(listed, start=1):
        value += discount(i) * math.fsum((1 - m.alpha) ** seen.get(topic, 0) for topic in met)
        for topic in met:
            seen[topic] = seen.get(topic, 0) + 1
    return value


def greedy(m: Any, relevant: Mapping[str, set[str]]) -> list[set[str]]:
    left = {item: met for item, met in relevant.items() if met}
    seen: dict[str, int] = {}
    order = []
    while left:
        # Reading: of items that add the same, the one with the higher id comes first.
        gains = {item: math.fsum((1 - m.alpha) ** seen.get(t, 0) for t in met) for item, met in left.items()}
        best = max(left, key=lambda item: (gains[item], item.encode()))
        order.append(left.pop(best))
        for topic in order[-1]:
            seen[topic] = seen.get(topic, 0) + 1
    return order
