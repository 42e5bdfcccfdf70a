"""Interleaving: two rankings in one list, and which of them people click.

Team draft (Radlinski and others 2008): both rankings take turns like captains choosing teams; in each round a coin
decides who picks first, each picks its best item that is not yet in the list. A click is a point for the team that
picked the item. What is compared is users: one who saw many lists still has one vote.
"""

from __future__ import annotations

import html
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from rankmeter.errors import InputError, check_level, check_whole, with_hint
from rankmeter.late import pl
from rankmeter.online.proportions import wilson
from rankmeter.online.settings import check_names
from rankmeter.online.telling import Told

Team = Literal["A", "B"]
LONGEST = 10
"""Of optimised lists: there are up to 2^length of them."""


@dataclass(frozen=True, slots=True)
class Interleaved:
    """A list to show, and which ranking picked each item."""

    items: tuple[Hashable, ...]
    teams: tuple[Team, ...]


def team_draft(
    a: Sequence[Hashable], b: Sequence[Hashable], *, length: int | None = None, seed: int | Sequence[int] | None = None
) -> Interleaved:
    """Make one list of two rankings.

    Parameters
    ----------
    a, b
        Two rankings of items, best first, without repetitions.
    length
        How long the list is at most; by default as long as the longer ranking.
    seed
        Makes the coin repeatable: log it, or the teams, with the request.

    Examples
    --------
    >>> shown = team_draft([1, 2, 3], [2, 3, 1], seed=1)
    >>> shown.items, shown.teams
    ((1, 2, 3), ('A', 'B', 'B'))
    """
    _check_rankings(a, b)
    wanted = max(len(a), len(b)) if length is None else check_whole("length", length)
    if wanted < 1:
        raise InputError(f"a list of length {wanted} cannot be made; expected at least 1.")
    for one in [seed] if seed is None or isinstance(seed, (int, str)) else seed:
        if one is not None:
            check_whole("seed", one)
    random = np.random.default_rng(seed)
    rankings: dict[Team, Sequence[Hashable]] = {"A": a, "B": b}
    items: list[Hashable] = []
    teams: list[Team] = []
    chosen: set[Hashable] = set()
    while len(items) < wanted:
        sides: tuple[Team, Team] = ("A", "B") if random.integers(2) == 0 else ("B", "A")
        before = len(items)
        for team in sides:
            pick = next((item for item in rankings[team] if item not in chosen), None)
            if pick is not None and len(items) < wanted:
                items.append(pick)
                teams.append(team)
                chosen.add(pick)
        if len(items) == before:
            break
    return Interleaved(tuple(items), tuple(teams))


def interleave_runs(a: object, b: object, *, length: int | None = None, seed: int = 0) -> tuple[pl.DataFrame, int]:
    """Interleave two runs by team draft, query by query; also how many queries only one of them has.

    Parameters
    ----------
    a, b
        Files of runs. Items are ordered by score, equal scores with the higher id first.
    length, seed
        As for :func:`team_draft`; each query has coins of its own.
    """
    from rankmeter.inputs.files import read_run

    rankings = []
    for run in (a, b):
        read = read_run(run)  # type: ignore[arg-type]
        table = pl.DataFrame({"query": read.query.cast(pl.String), "item": read.item.cast(pl.String),
                              "score": read.score})  # fmt: skip
        table = table.sort("score", "item", descending=True).group_by("query").agg("item")
        rankings.append(dict(table.sort("query").iter_rows()))
    shared = [query for query in rankings[0] if query in rankings[1]]
    if not shared:
        raise InputError("the two runs have no query in common.")
    rows = []
    for number, query in enumerate(shared):
        shown = team_draft(rankings[0][query], rankings[1][query], length=length, seed=(seed, number))
        rows += [
            (query, place, item, team)
            for place, (item, team) in enumerate(zip(shown.items, shown.teams, strict=True), 1)
        ]
    left_out = len(set(rankings[0]) ^ set(rankings[1]))
    return pl.DataFrame(rows, ["query", "position", "item", "team"], orient="row"), left_out


@dataclass(frozen=True, slots=True)
class WeightedList:
    """A list, how often to show it, and what a click on each item is worth."""

    items: tuple[Hashable, ...]
    probability: float
    credits: tuple[float, ...]
    """For each item its credit to B minus its credit to A; log it with a click."""


def optimised_lists(
    a: Sequence[Hashable], b: Sequence[Hashable], *, length: int | None = None
) -> tuple[WeightedList, ...]:
    """All lists of two rankings, and how often to show each (Radlinski and Craswell 2013).

    Each item of a list is the best one left of A or of B; an item's credit is 1 / rank in each ranking. The
    probabilities make a user who clicks at random down to any depth favour neither side, and among such probabilities
    they keep the two sides' expected credit closest together.

    Parameters
    ----------
    a, b
        Two rankings of items, best first, without repetitions.
    length
        How long lists are at most; by default as long as the shorter ranking. There are up to 2^length of them.

    Examples
    --------
    >>> [(one.items, round(one.probability, 6)) for one in optimised_lists([1, 2], [2, 3])]
    [((1, 2), 0.428571), ((2, 1), 0.371429), ((2, 3), 0.2)]
    """
    _check_rankings(a, b)
    wanted = min(len(a), len(b)) if length is None else min(check_whole("length", length), len({*a, *b}))
    if not 1 <= wanted <= LONGEST:
        raise InputError(f"optimised lists of length {wanted} cannot be made; expected 1 to {LONGEST}.")
    lists = list(dict.fromkeys(_prefixes(a, b, wanted)))
    worth = {item: tuple(_credit(item, ranking) for ranking in (a, b)) for one in lists for item in one}
    gaps = np.array([[worth[item][1] - worth[item][0] for item in one] for one in lists])
    looked = 1.0 / np.arange(1, gaps.shape[1] + 1)
    from scipy.optimize import linprog

    fair = np.vstack([np.ones(len(lists)), np.cumsum(gaps, axis=1).T])
    found = linprog((gaps @ looked) ** 2, A_eq=fair, b_eq=[1.0, *[0.0] * gaps.shape[1]], bounds=(0, 1))
    if not found.success:
        raise InputError("no probabilities make these two rankings fair to each other. Hint: team_draft(a, b)")
    return tuple(
        WeightedList(one, float(chance), tuple(worths))
        for one, chance, worths in zip(lists, found.x, gaps.tolist(), strict=True)
    )


def _prefixes(a: Sequence[Hashable], b: Sequence[Hashable], length: int) -> list[tuple[Hashable, ...]]:
    lists: list[tuple[Hashable, ...]] = [()]
    for _ in range(length):
        lists = [
            (*one, pick)
            for one in lists
            for pick in dict.fromkeys(next(item for item in ranking if item not in one) for ranking in (a, b)
                                      if any(item not in one for item in ranking))
        ]  # fmt: skip
    return lists


def _credit(item: Hashable, ranking: Sequence[Hashable]) -> float:
    return 1 / (list(ranking).index(item) + 1 if item in ranking else len(ranking) + 1)


def _check_rankings(a: Sequence[Hashable], b: Sequence[Hashable]) -> None:
    for name, ranking in (("a", a), ("b", b)):
        try:
            distinct = len(set(ranking))
        except TypeError as error:
            raise InputError(
                f"ranking {name} is no list of ids: {error}. Hint: team_draft(['d1', 'd2'], ['d2'])"
            ) from error
        if distinct < len(ranking):
            raise InputError(f"ranking {name} holds an item more than once.")


@dataclass(frozen=True, slots=True)
class InterleavingResult(Told):
    """Which ranking users prefer."""

    users_a: int
    """Users whose clicks favour A."""
    users_b: int
    ties: int
    """Users whose clicks favour neither; those who clicked nothing among them."""
    lists_a: int
    """Lists that A won, told for comparison only: lists of one user are not independent."""
    lists_b: int
    tied_lists: int
    share_b: float
    """Of the users with a preference, how many prefer B."""
    low: float
    high: float
    p: float
    """Of the sign test over users."""
    level: float

    @property
    def verdict(self) -> str:
        """Which ranking wins, if the sign test can tell."""
        if math.isnan(self.p):
            return "no data: no user's clicks favour either ranking"
        if self.p >= 1 - self.level:
            return "cannot tell"
        return "B" if self.share_b > 0.5 else "A"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return asdict(self) | {"verdict": self.verdict}

    def __repr__(self) -> str:
        told = f"{self.users_a:,} users prefer A, {self.users_b:,} prefer B, {self.ties:,} neither; "
        if math.isnan(self.p):
            return told + self.verdict
        return (
            f"{told}{self.share_b:.1%} [{self.low:.1%}, {self.high:.1%}] of the decided prefer B "
            f"(sign test by user, p = {self.p:.3g}): {self.verdict}"
        )

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self))}</p>"


def score_interleaving(
    clicks: object, *, columns: Mapping[str, str] | None = None, level: float = 0.95
) -> InterleavingResult:
    """Score a log of interleaved lists, a row per click.

    Parameters
    ----------
    clicks
        A frame, records or a file with columns ``user``, ``request`` and ``team`` (A or B), or ``credit`` (above 0 for
        B, below 0 for A: that of optimised lists). A list without a click has a row without a team, so that it is known
        to have been shown.
    columns
        Where the columns have other names.
    level
        Of the interval and of the verdict.

    Examples
    --------
    >>> rows = [{"user": u, "request": u, "team": "B"} for u in range(9)] + [{"user": 9, "request": 9, "team": "A"}]
    >>> found = score_interleaving(rows)
    >>> found.users_b, found.share_b, round(found.p, 4), found.verdict
    (9, 0.9, 0.0215, 'B')
    """
    from rankmeter.online.events import open_table

    table = open_table(clicks, "the interleaving log")
    check_level(level)
    columns = check_names("columns", columns, 'columns={"team": "NAME"}')
    vote = "credit" if "team" not in (columns or {}) and "team" not in table.columns else "team"
    vote = vote if (columns or {}).get(vote, vote) in table.columns else "team"
    names = {role: (columns or {}).get(role, role) for role in ("user", "request", vote)}
    missing = [name for name in names.values() if name not in table.columns]
    if missing:
        fact = f"the interleaving log has no {', '.join(missing)} column (found: {', '.join(table.columns)})."
        raise InputError(with_hint(fact, 'columns={"team": "NAME"}'))
    table = table.select(pl.col(name).alias(role) for role, name in names.items())
    if not table.height:
        raise InputError("the interleaving log is empty. Hint: a list without a click has a row without a team")
    if vote == "credit":
        made = table["credit"].cast(pl.Float64, strict=False)
        if wrong := made.null_count() - table["credit"].null_count():
            raise InputError(f"column '{names['credit']}' (credit) is no number in {wrong:,} rows.")
    for role in ("user", "request"):
        if empty := table[role].null_count():
            raise InputError(f"column '{names[role]}' ({role}) has no value in {empty:,} rows of the interleaving log.")
    credit = pl.col(vote).cast(pl.Float64, strict=False).fill_nan(None) if vote == "credit" else _credit_of_team(table)
    lists = table.group_by("user", "request").agg(credit.sum().round(9).sign().cast(pl.Int64).alias("won"))
    users = lists.group_by("user").agg(pl.col("won").sum().sign())["won"]
    a, b, ties = (int((users == won).sum()) for won in (-1, 1, 0))
    lists_a, lists_b, tied = (int((lists["won"] == won).sum()) for won in (-1, 1, 0))
    share = b / (a + b) if a + b else math.nan
    low, high = wilson(b, a + b, level=level) if a + b else (math.nan, math.nan)
    return InterleavingResult(a, b, ties, lists_a, lists_b, tied, share, low, high, sign_test(a, b), level)


def _credit_of_team(table: pl.DataFrame) -> pl.Expr:
    """A click counts 1 for B and -1 for A."""
    team = pl.col("team").cast(pl.String).str.strip_chars()
    named = table.select(team.replace("", None)).to_series().drop_nulls().unique()
    wrong = sorted(set(named.to_list()) - {"A", "B"})
    if wrong:
        raise InputError(f"a team is A or B, not {', '.join(map(str, wrong))}.")
    return (team == "B").cast(pl.Float64) - (team == "A").cast(pl.Float64)


def sign_test(a: int, b: int) -> float:
    """The two-sided p-value that neither side is more likely.

    Examples
    --------
    >>> round(sign_test(1, 9), 6)
    0.021484
    """
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(a, b), a + b, 0.5))) if a + b else math.nan
