"""How alike two leaderboards are that do not hold the same systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankmeter.errors import InputError, check_number
from rankmeter.frozen import dataclass
from rankmeter.placing.placements import Floats
from rankmeter.showing.document import Block, Paragraph
from rankmeter.showing.showable import Showable
from rankmeter.wording import said


@dataclass(frozen=True, slots=True, repr=False)
class BoardOverlap(Showable):
    """Two lists of systems, best first; made by :func:`rankmeter.board_overlap`."""

    rbo: float
    """Extrapolated rank-biased overlap: 1 for the same list, 0 for lists that share nothing."""
    p: float
    both: tuple[str, ...]
    """The systems of both, in the order of the first."""
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]

    def told(self) -> list[Block]:
        """The overlap, and who stands in one of them only."""
        facts = {"rbo": f"{self.rbo:.4f}", "p": self.p, "both": len(self.both)}
        alone = [("board_only_first", self.only_first), ("board_only_second", self.only_second)]
        return [
            Paragraph(said("board_overlap", **facts)),
            *(Paragraph(said(kind, count=len(names), names=list(names[:10]))) for kind, names in alone if names),
        ]


def board_overlap(first: object, second: object, *, p: float = 0.8) -> BoardOverlap:
    """Say how alike two leaderboards are, also where some systems stand in one of them only.

    Rank-biased overlap (Webber, Moffat & Zobel 2010), extrapolated from lists of uneven lengths: with X(d) the systems
    that the first d places of both share, and s and l the lengths of the shorter and the longer list, it is
    ``(1-p)/p * (sum over d=1..l of X(d)/d * p^d + sum over d=s+1..l of X(s)*(d-s)/(s*d) * p^d)``
    ``+ ((X(l)-X(s))/l + X(s)/s) * p^l``.

    Systems of equal values are taken in every order: the mean over all of them.

    Parameters
    ----------
    first, second
        Names of systems, best first; ``{name: value}``, the highest first; or what :func:`rankmeter.across` gives.
    p
        How probable it is that a reader goes on to the next place: 0.8 looks at some five places, 0.9 at ten.

    Examples
    --------
    >>> import rankmeter as rm
    >>> found = rm.board_overlap(["e5", "bm25", "splade"], {"e5": 0.61, "colbert": 0.6, "bm25": 0.55})
    >>> round(found.rbo, 4), found.both, found.only_second
    (0.7067, ('e5', 'bm25'), ('colbert',))
    """
    if not 0 < check_number("p", p) < 1:
        raise InputError.of("judging.not_persistence", p=p)
    boards = [_places(board) for board in (first, second)]
    names = [[name for group in board for name in group] for board in boards]
    shared = set(names[0]) & set(names[1])
    return BoardOverlap(
        rbo=_extrapolated(boards, p),
        p=p,
        both=tuple(name for name in names[0] if name in shared),
        only_first=tuple(name for name in names[0] if name not in shared),
        only_second=tuple(name for name in names[1] if name not in shared),
    )


def _places(board: object) -> list[list[str]]:
    """Groups of systems of one value, best first."""
    if isinstance(found := getattr(board, "systems", None), tuple) and all(hasattr(one, "mean") for one in found):
        board = [one.system for one in found]
    if isinstance(board, Mapping):
        groups: dict[float, list[str]] = {}
        for name, value in board.items():
            groups.setdefault(check_number(str(name), value), []).append(str(name))
        places = [groups[value] for value in sorted(groups, reverse=True)]
    elif isinstance(board, Sequence) and not isinstance(board, str):
        places = [[str(name)] for name in board]
    else:
        raise InputError.of("judging.not_a_board", type=type(board).__name__)
    names = [name for group in places for name in group]
    if not names:
        raise InputError.of("judging.empty_board")
    if len(set(names)) < len(names):
        raise InputError.of("judging.system_twice", name=next(name for name in names if names.count(name) > 1))
    return places


def _chances(places: Sequence[Sequence[str]], depth: int) -> dict[str, Floats]:
    """(depth,) the chance of each system to stand within the first d places, d from 1, if ties fall at random."""
    found, above = {}, 0
    depths = np.arange(1, depth + 1)
    for group in places:
        chance: Floats = np.clip((depths - above) / len(group), 0.0, 1.0)
        found.update(dict.fromkeys(group, chance))
        above += len(group)
    return found


def _extrapolated(boards: Sequence[Sequence[Sequence[str]]], p: float) -> float:
    short, long = sorted(sum(map(len, board)) for board in boards)
    chances: list[dict[str, Any]] = [_chances(board, long) for board in boards]
    shared = np.zeros(long)
    for name in chances[0].keys() & chances[1].keys():
        shared += chances[0][name] * chances[1][name]
    depth = np.arange(1, long + 1)
    weights = p**depth
    uneven = shared[short - 1] * (depth - short) / (short * depth)
    total = float((shared / depth * weights).sum() + (uneven * weights)[short:].sum())
    rest = (shared[-1] - shared[short - 1]) / long + shared[short - 1] / short
    return (1 - p) / p * total + float(rest) * p**long
