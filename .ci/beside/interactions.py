"""Made-up interactions for the scripts beside it: 60 users in four groups, who like the items of their group."""

from __future__ import annotations

import random

USERS, ITEMS, GROUPS = 60, 40, 4


def drawn() -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Pairs of user and item to train with, and three held out for every user, none of them in both."""
    draw = random.Random(7)
    train, held = [], []
    for user in range(USERS):
        liked = [item for item in range(ITEMS) if item % GROUPS == user % GROUPS or draw.random() < 0.2]
        draw.shuffle(liked)
        train += [(user, item) for item in liked[3:]]
        held += [(user, item) for item in liked[:3]]
    train += [(user, user % ITEMS) for user in range(USERS) if (user, user % ITEMS) not in held + train]
    return train, held
