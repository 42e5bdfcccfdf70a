"""Interleaving: two rankings in one list, and which of them people click.

Team draft (Radlinski and others 2008): both rankings take turns like captains choosing teams; in each round a coin
decides who picks first, each picks its best item that is not yet in the list. A click is a point for the team that
picked the item. The draft ends where one ranking has nothing left to pick, or its captain would lose by having less to
offer; what then fills the list belongs to no team. What is compared is users: one who saw many lists still has one
vote. Where one list was made for each query and shown to everybody, the coins are as many as the queries, and queries
have the votes.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from rankmeter.errors import InputError, check_choice, check_level, check_whole, examples
from rankmeter.late import optimize, pl
from rankmeter.showing.document import Table, text_table
from rankmeter.showing.showable import ToldTable
from rankmeter.stats.power import sign_test, wilson
from rankmeter.wings.online.estimates import Estimate, of_variance
from rankmeter.wings.online.event_columns import check_names
from rankmeter.wings.online.interleaving_log import read_interleaving
from rankmeter.wording import Language, Said, kinds, said, word

Team = Literal["A", "B", ""]
MOST_VERSIONS = 1000
"""Lists of one query."""
LONGEST = 10
"""Of optimised lists: there are up to 2^length of them."""


_UNIT, _UNITS = (kinds(pattern, ("user", "query")) for pattern in ("unit_{}", "units_{}"))


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
        How long the list is at most; by default as long as the longer ranking. Where one ranking has nothing left to
        pick, the rest of the list is filled from the other, for no team: more picks of one side would win by number.
    seed
        Makes the coin repeatable: log it, or the teams, with the request.

    Examples
    --------
    >>> from rankmeter.online import team_draft
    >>> shown = team_draft([1, 2, 3], [2, 3, 1], seed=1)
    >>> shown.items, shown.teams
    ((1, 2, 3), ('A', 'B', 'B'))
    """
    _check_rankings(a, b)
    wanted = max(len(a), len(b)) if length is None else check_whole("length", length)
    if wanted < 1:
        raise InputError.of("online.list_length", wanted=wanted)
    for part in seed if isinstance(seed, Iterable) and not isinstance(seed, str) else [seed]:
        if part is not None:
            check_whole("seed", part)
    random = np.random.default_rng(seed)
    wanted = min(wanted, len({*a, *b}))
    return _drafted(a, b, wanted, random.integers(2, size=wanted).tolist())


def _drafted(a: Sequence[Hashable], b: Sequence[Hashable], wanted: int, coins: Sequence[int]) -> Interleaved:
    """The list that these coins give; 0 lets A pick first in a round."""
    items: list[Hashable] = []
    teams: list[Team] = []
    left_a, left_b = list(dict.fromkeys(a)), list(dict.fromkeys(b))
    for coin in coins:
        same = bool(left_a and left_b) and left_a[0] == left_b[0]
        # The other coin must give a list of the same teams, turned round; so both need something to pick either way.
        alone = same and min(len(left_a), len(left_b)) == 1
        if not left_a or not left_b or len(items) >= wanted:
            break
        order: tuple[Team, ...] = ("A", "B") if coin == 0 else ("B", "A")
        for team in order[:1] if alone else order:
            pick = (left_a if team == "A" else left_b)[0]
            if len(items) < wanted:
                items.append(pick)
                teams.append(team)
                left_a, left_b = ([item for item in left if item != pick] for left in (left_a, left_b))
        if alone:
            break
    rest = [item for item in dict.fromkeys([*left_a, *left_b]) if item not in items][: wanted - len(items)]
    return Interleaved((*items, *rest), (*teams, *("" for _ in rest)))  # type: ignore[arg-type]


def interleave_runs(
    a: object, b: object, *, length: int | None = None, seed: int = 0, versions: int = 2
) -> tuple[pl.DataFrame, int]:
    """Interleave two files of runs by team draft, query by query; also how many queries only one of them has.

    Items are ordered by score, equal scores with the higher id first; each query has coins of its own. It has an even
    number of lists (``versions``), each with its mirror image, in which all coins fell the other way: whoever serves a
    request draws one of them, which makes its coin. 1 makes one list for everybody, whose clicks must then be scored
    with queries as the unit.
    """
    from rankmeter.inputs.files import read_run

    if (check_whole("versions", versions, 1) > 1 and versions % 2) or versions > MOST_VERSIONS:
        raise InputError.of("online.versions", versions=versions, most=MOST_VERSIONS)
    check_whole("seed", seed)
    if length is not None:
        check_whole("length", length, 1)
    rankings = []
    for run in (a, b):
        read = read_run(run)  # type: ignore[arg-type]
        table = pl.DataFrame({"query": read.query.cast(pl.String), "item": read.item.cast(pl.String),
                              "score": read.score})  # fmt: skip
        table = table.sort("score", "item", descending=True).group_by("query").agg("item")
        rankings.append(dict(table.sort("query").iter_rows()))
    shared = [query for query in rankings[0] if query in rankings[1]]
    if not shared:
        raise InputError.of("online.runs_share_no_query")
    rows = []
    for number, query in enumerate(shared):
        first, second = (ranking[query] for ranking in rankings)
        wanted = min(max(len(first), len(second)) if length is None else length, len({*first, *second}))
        random = np.random.default_rng((seed, number))
        coins: list[int] = []
        for version in range(1, versions + 1):
            coins = random.integers(2, size=wanted).tolist() if version % 2 else [1 - coin for coin in coins]
            shown = _drafted(first, second, wanted, coins)
            places = enumerate(zip(shown.items, shown.teams, strict=True), 1)
            rows += [(query, version, place, item, team) for place, (item, team) in places]
    left_out = len(set(rankings[0]) ^ set(rankings[1]))
    return pl.DataFrame(rows, ["query", "version", "position", "item", "team"], orient="row"), left_out


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
    >>> from rankmeter.online import optimised_lists
    >>> [(one.items, round(one.probability, 6)) for one in optimised_lists([1, 2], [2, 3])]
    [((1, 2), 0.428571), ((2, 1), 0.371429), ((2, 3), 0.2)]
    """
    _check_rankings(a, b)
    wanted = min(len(a), len(b)) if length is None else min(check_whole("length", length), len({*a, *b}))
    if not 1 <= wanted <= LONGEST:
        raise InputError.of("online.optimised_length", wanted=wanted, longest=LONGEST)
    lists = list(dict.fromkeys(_prefixes(a, b, wanted)))
    worth = {item: tuple(_credit(item, ranking) for ranking in (a, b)) for listed in lists for item in listed}
    gaps = np.array([[worth[item][1] - worth[item][0] for item in listed] for listed in lists])
    looked = 1.0 / np.arange(1, gaps.shape[1] + 1)
    fair = np.vstack([np.ones(len(lists)), np.cumsum(gaps, axis=1).T])
    fit = optimize.linprog((gaps @ looked) ** 2, A_eq=fair, b_eq=[1.0, *[0.0] * gaps.shape[1]], bounds=(0, 1))
    if not fit.success:
        raise InputError.of("online.no_fair_probabilities")
    return tuple(
        WeightedList(listed, float(chance), tuple(worths))
        for listed, chance, worths in zip(lists, fit.x, gaps.tolist(), strict=True)
    )


def _prefixes(a: Sequence[Hashable], b: Sequence[Hashable], length: int) -> list[tuple[Hashable, ...]]:
    lists: list[tuple[Hashable, ...]] = [()]
    for _ in range(length):
        lists = [
            (*listed, pick)
            for listed in lists
            for pick in dict.fromkeys(next(item for item in ranking if item not in listed) for ranking in (a, b)
                                      if any(item not in listed for item in ranking))
        ]  # fmt: skip
    return lists


def _credit(item: Hashable, ranking: Sequence[Hashable]) -> float:
    return 1 / (list(ranking).index(item) + 1 if item in ranking else len(ranking) + 1)


def _check_rankings(a: Sequence[Hashable], b: Sequence[Hashable]) -> None:
    for name, ranking in (("a", a), ("b", b)):
        try:
            distinct = len(set(ranking))
        except TypeError as error:
            raise InputError.of("online.ranking_no_list", name=name, error=error) from error
        if distinct < len(ranking):
            raise InputError.of("online.ranking_repeats", name=name)


@dataclass(frozen=True, slots=True, repr=False)
class InterleavingResult(ToldTable):
    """Which ranking users prefer."""

    users_a: int
    """Users (or queries) whose clicks favour A."""
    users_b: int
    ties: int
    """Those whose clicks favour neither; those who clicked nothing among them."""
    lists_a: int
    """Lists that A won, told for comparison only: lists of one user are not independent."""
    lists_b: int
    tied_lists: int
    share_b: float
    """Of those with a preference, how many prefer B."""
    low: float
    high: float
    p: float
    """Of the sign test, or of the mean credit."""
    level: float
    unit: str = "user"
    """Who has one vote: the user, or the query where one list was made for each query."""
    credit: Estimate | None = None
    """For optimised lists: the mean credit of B minus that of A, which decides."""
    unused: tuple[str, ...] = ()
    """Columns of the log of which nothing was read, without those that say which row it is."""

    @property
    def verdict(self) -> str:
        """Which ranking wins, if the test can tell."""
        unit = said(_UNIT[self.unit])
        if math.isnan(self.p) and self.credit is not None and self.credit.value:
            return said("same_credit", unit=unit)
        if math.isnan(self.p):
            return said("no_preference", unit=unit)
        if self.p >= 1 - self.level:
            return said("interleaving_cannot_tell")
        return "B" if (self.credit.value > 0 if self.credit else self.share_b > 0.5) else "A"

    @property
    def assumption(self) -> Said:
        """What the test rests on."""
        return said("one_list_a_query" if self.unit == "query" else "a_coin_a_request")

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return asdict(self) | {"verdict": self.verdict, "assumption": self.assumption}

    def to_polars(self) -> pl.DataFrame:
        """A row for each ranking, and one for neither."""
        return pl.DataFrame(self._counts(), schema=["preferred", "users", "lists"], orient="row")

    def _counts(self, neither: str = "neither") -> list[tuple[str, int, int]]:
        return [("A", self.users_a, self.lists_a), ("B", self.users_b, self.lists_b),
                (neither, self.ties, self.tied_lists)]  # fmt: skip

    def sentences(self) -> list[Said]:
        """Who prefers which ranking, and what the test rests on."""
        known = {"verdict": self.verdict, "p": self.p, "unit": said(_UNIT[self.unit])}
        if math.isnan(self.p):
            tested = said("preference_untested", **known)
        elif self.credit is not None:
            credit = {"value": self.credit.value, "low": self.credit.low, "high": self.credit.high}
            tested = said("preference_by_credit", **known, **credit)
        else:
            tested = said("preference_by_sign", **known, share=self.share_b, low=self.low, high=self.high)
        counts = {"a": self.users_a, "b": self.users_b, "neither": self.ties}
        unread = [said("columns_unread", names=examples(self.unused, shown=12))] if self.unused else []
        return [said("preferences", **counts, units=said(_UNITS[self.unit]), found=tested), self.assumption, *unread]

    def table(self, language: Language = "en") -> Table:
        """How many prefer which."""
        heads = (word("preferred", language), word(_UNITS[self.unit], language), word("interleaved_lists", language))
        return text_table(heads, self._counts(word("neither", language)), ("text", "count", "count"))


def score_interleaving(
    clicks: object,
    *,
    columns: Mapping[str, str] | None = None,
    unit: Literal["auto", "user", "query"] = "auto",
    level: float = 0.95,
) -> InterleavingResult:
    """Score a log of interleaved lists, a row per click or per item shown.

    Parameters
    ----------
    clicks
        A frame, records or a file with columns ``user``, ``request`` and ``team`` (A or B), or ``credit`` (above 0 for
        B, below 0 for A: that of optimised lists). A list without a click has a row without a team, so that it is known
        to have been shown. Where there is a row per item shown, ``click`` (0 or 1) or the event (``impression`` or
        ``click``) says which were clicked.
    columns
        Where the columns have other names: ``{"click": "clk"}``; ``{"click": "rows"}`` says that every row with a team
        is a click, whatever numbers stand beside it.
    unit
        Who has one vote. ``user`` where each request had coins of its own; ``query`` where one list was made for each
        query. ``auto`` takes the query where the log has a ``query`` column and no ``version`` that was drawn for the
        request.
    level
        Of the interval and of the verdict.

    Notes
    -----
    Teams are compared by a sign test: whoever looks at positions only favours either team equally often. Credits are
    compared by their mean: optimised lists make that 0 for such a user, not the number of users on either side.

    Examples
    --------
    >>> from rankmeter.online import score_interleaving
    >>> rows = [{"user": u, "request": u, "team": "B"} for u in range(9)] + [{"user": 9, "request": 9, "team": "A"}]
    >>> told = score_interleaving(rows)
    >>> told.users_b, told.share_b, round(told.p, 4), told.verdict
    (9, 0.9, 0.0215, 'B')
    """
    check_level(level)
    check_choice("unit", unit, ("auto", "user", "query"))
    named = check_names("columns", columns, 'columns={"team": "NAME"}')
    table, voter, vote, unused = read_interleaving(clicks, named, unit)
    # In the order of the log, so that sums have the same digits each time.
    lists = table.group_by({"user", "request", voter}, maintain_order=True).agg(pl.col("credit").sum().round(9))
    lists = lists.with_columns(won=pl.col("credit").sign().cast(pl.Int64))
    voters = lists.group_by(voter, maintain_order=True).agg(pl.col("won").sum().sign(), pl.col("credit").mean())
    a, b, ties = (int((voters["won"] == won).sum()) for won in (-1, 1, 0))
    lists_a, lists_b, tied = (int((lists["won"] == won).sum()) for won in (-1, 1, 0))
    share = b / (a + b) if a + b else math.nan
    low, high = wilson(b, a + b, level=level) if a + b else (math.nan, math.nan)
    result = InterleavingResult(
        a, b, ties, lists_a, lists_b, tied, share, low, high, sign_test(a, b), level, voter, unused=unused
    )
    if vote == "team":
        return result
    means, n = voters["credit"].to_numpy(), len(voters)
    variance = float(means.var(ddof=1)) / n if n > 1 else math.nan
    mean = of_variance(float(means.mean()), variance, n, level, said("method_credit"))
    return replace(result, credit=mean, p=mean.p if variance > 0 else math.nan)
