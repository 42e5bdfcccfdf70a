"""Made-up runs and judgments, the same at every call; NumPy only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def distinct(rng: np.random.Generator, rows: int, columns: int, largest: int) -> Array:
    """Numbers from 0 and below ``largest``, no two alike in a row, in random order."""
    steps = rng.integers(1, max(2, largest // columns), (rows, columns))
    return rng.permuted(np.cumsum(steps, axis=1) - 1, axis=1)


def save(folder: Path, **columns: Array) -> None:
    """Leave arrays in the folder."""
    for name, column in columns.items():
        np.save(folder / f"{name}.npy", column)


def load(folder: Path, *names: str) -> list[Array]:
    """Read arrays from the folder."""
    return [np.load(folder / f"{name}.npy") for name in names]


def make_search(folder: Path, queries: int, items: int = 1000) -> None:
    """Like MS MARCO's dev queries: long falling lists, few ties, one or two relevant items, mostly found early."""
    rng = np.random.default_rng(20)
    item = distinct(rng, queries, items, 8_000_000) + 1_000_000
    # Four decimals: also different as float32, which pytrec_eval and trec_eval compare.
    score = np.round(np.sort(rng.gamma(3, 4, (queries, items)), axis=1)[:, ::-1], 4)
    relevant = np.minimum(rng.geometric(0.01, (queries, 2)) - 1, items - 1)
    judged = np.take_along_axis(item, relevant, axis=1)
    lost = rng.random(queries) < 0.15
    judged[lost, 0] = 999_999  # judged but not returned
    two = (rng.random(queries) < 0.07) & (judged[:, 0] != judged[:, 1])
    save(folder, item=item, score=score, judged=judged, two=two)


def search_dicts(folder: Path) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgments and run as dicts of text ids, no string shared between them."""
    item, score, judged, two = load(folder, "item", "score", "judged", "two")
    judgments = {
        str(1000 + query): {f"{one:07d}": 1 for one in row[: 1 + both]}
        for query, (row, both) in enumerate(zip(judged.tolist(), two.tolist(), strict=True))
    }
    run = {
        str(1000 + query): dict(zip((f"{one:07d}" for one in item[query].tolist()), score[query].tolist(), strict=True))
        for query in range(len(item))
    }
    return judgments, run


def search_files(folder: Path, *, shuffled: bool, tabs: bool) -> None:
    """The same as a TREC run and qrels."""
    item, score, judged, two = load(folder, "item", "score", "judged", "two")
    between = "\t" if tabs else " "
    with (folder / "qrels.txt").open("w") as file:
        for query, (row, both) in enumerate(zip(judged.tolist(), two.tolist(), strict=True)):
            file.writelines(between.join((str(1000 + query), "0", f"{one:07d}", "1")) + "\n" for one in row[: 1 + both])
    lines: list[str] = []
    with (folder / "run.txt").open("w") as file:
        for query in range(len(item)):
            pairs = enumerate(zip(item[query].tolist(), score[query].tolist(), strict=True), 1)
            new = [
                between.join((str(1000 + query), "Q0", f"{i:07d}", str(rank), f"{s:.4f}", "sys\n"))
                for rank, (i, s) in pairs
            ]
            if shuffled:
                lines += new
            else:
                file.writelines(new)
        if shuffled:
            order = np.random.default_rng(21).permutation(len(lines))
            file.writelines(lines[place] for place in order.tolist())


def make_users(folder: Path, users: int, *, shuffled: bool, per_user: int = 10) -> None:
    """Recommendations: ten for each user, ten relevant, a small catalogue, so that most have a hit."""
    rng = np.random.default_rng(22)
    item = distinct(rng, users, per_user, 200).ravel()
    relevant = distinct(rng, users, per_user, 200).ravel()
    user = np.repeat(np.arange(users), per_user)
    rank = np.tile(np.arange(1, per_user + 1), users)
    judged_user = user.copy()
    if shuffled:
        order, other = rng.permutation(len(user)), rng.permutation(len(user))
        user, item, rank, judged_user, relevant = user[order], item[order], rank[order], user[other], relevant[other]
    save(folder, user=user, item=item, rank=rank, judged_user=judged_user, relevant=relevant)
