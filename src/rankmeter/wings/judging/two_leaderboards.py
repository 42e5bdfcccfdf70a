"""The same systems under two judges: whether they come out in the same order, and whether any is favoured."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rankmeter.errors import InputError, MeasureError, NotFoundError, RankmeterError, check_level, check_whole
from rankmeter.evaluating.asking import Asked, ask
from rankmeter.evaluating.evaluation import evaluate_measure, evaluate_placing
from rankmeter.evaluating.pairing import into_pair
from rankmeter.inputs.accepting import into_judgments, into_run
from rankmeter.inputs.tables import Judgments, JudgmentTable, RunTable
from rankmeter.late import pl
from rankmeter.lists.slice_intervals import middle_of
from rankmeter.measures import Measure
from rankmeter.placing.placements import Bools, Floats
from rankmeter.showing.document import Block, Cell, Heading, Paragraph, Table
from rankmeter.showing.showable import NotedTable, said_table
from rankmeter.stats.corrections import Correction
from rankmeter.stats.rank_agreement import tau
from rankmeter.wings.judging.assisted_values import counted_values, judged_pairs
from rankmeter.wings.judging.board_agreement import (
    decisions,
    favour,
    first_again,
    largest_drop,
    overlap,
    places_of_systems,
    regret,
    tau_ap,
    tau_ap_b,
    tau_h,
)
from rankmeter.wings.judging.panel import named_error, unlike_scales
from rankmeter.wording import Said, kinds, said

FEWEST_SYSTEMS = 10
"""Below which tau is an accident: pairs say more."""
TOP = 5
HALVES = 200


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One system under both judges."""

    system: str
    people: float
    machine: float
    people_place: int
    machine_place: int
    bias: float
    """The machine's value less that of people."""
    favour: float
    """Its bias less the mean bias of the others: above 0 the machine favours it."""
    favour_low: float
    favour_high: float
    """NaN, as is the low end, where there are too few queries."""
    p: float | None
    p_corrected: float | None


@dataclass(frozen=True, slots=True)
class TwoBoards:
    """The systems under one measure, best first by people, and how far the two orders agree."""

    measure: str
    rows: tuple[BoardRow, ...]
    tau: float
    tau_low: float
    tau_high: float
    """Between these lies the tau that another sample of as many queries would show; NaN below ten systems."""
    tau_ap: float
    tau_h: float
    rbo: float
    """Extrapolated, p = 0.8."""
    rbo_top: float
    """Of the first places, over what they could reach."""
    largest_drop: int
    is_winner_kept: bool
    people_again: float
    """In which share of resamples of the queries people's first system is first again; equal ones share the place."""
    machine_again: float
    """In which share the machine's is."""
    regret: float
    decisions: Mapping[str, int]
    """Pairs by what both judges decide: ``both_same``, ``both_opposite``, ``only_people``, ``only_machine``,
    ``neither`` significant."""
    people_halves: float
    """tau of people with people on random halves of the queries: what is possible."""
    machine_halves: float
    """tau of people on one half with the machine on the other."""
    ceiling: float
    """What people say of the pools in the machine's own order: a better system cannot be seen to be better."""


@dataclass(frozen=True, slots=True, repr=False)
class LeaderboardAgreement(NotedTable):
    """Leaderboards under two judges; made by :func:`rankmeter.leaderboards`."""

    boards: Mapping[str, TwoBoards]
    names: Mapping[str, Measure]
    queries: int
    """Queries that both judged."""
    people_queries: int
    machine_queries: int
    level: float
    correction: str
    seed: int
    notes: tuple[Said, ...]

    def __getitem__(self, measure: str | Measure) -> TwoBoards:
        name = str(self.names.get(str(measure), measure))
        if name not in self.boards:
            raise NotFoundError.of("judging.no_such_measure", measure=name, hint=", ".join(self.boards))
        return self.boards[name]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {
            "queries": self.queries, "people_queries": self.people_queries, "machine_queries": self.machine_queries,
            "level": self.level, "correction": self.correction, "seed": self.seed,
            "boards": {name: asdict(board) for name, board in self.boards.items()}, "notes": list(self.notes),
        }  # fmt: skip

    def _rows(self) -> list[dict[str, Any]]:
        """A row per measure and system."""
        return [{"measure": name, **asdict(row)} for name, board in self.boards.items() for row in board.rows]

    def _blocks(self) -> list[Block]:
        """For each measure the systems, what both judges decide, and how far the orders agree."""
        facts = said("boards_facts", queries=self.queries, people=self.people_queries, machine=self.machine_queries)
        blocks: list[Block] = [Heading(said("boards_title"), 1), Paragraph(facts)]
        for board in self.boards.values():
            blocks += [Heading(board.measure), self._systems(board), *_sentences(board), _orders(board)]
        return [*blocks, Heading(said("judges_reading"))]

    def _systems(self, board: TwoBoards) -> Table:
        heads = (
            ("system", "text"), "people", ("rank", "count"), "machine", ("rank", "count"),
            ("coefficient_bias", "difference", 2), ("favour", "difference"),
            (said("p_by", correction=self.correction), "p", 1),
        )  # fmt: skip
        rows = (
            (row.system, row.people, row.people_place, row.machine, row.machine_place, row.bias,
             (row.favour, row.favour_low, row.favour_high), row.p_corrected)
            for row in board.rows
        )  # fmt: skip
        return said_table(heads, rows, "systems")


def _sentences(board: TwoBoards) -> list[Block]:
    """Whether the winner stays, which pairs are decided alike, and what no system can be seen to exceed."""
    best = max(board.rows, key=lambda row: row.machine)
    winner = (
        said("winner_kept", system=best.system)
        if board.is_winner_kept
        else said("winner_changed", system=board.rows[0].system, other=best.system, regret=board.regret)
    )
    decided = board.decisions["both_same"] + board.decisions["both_opposite"] + board.decisions["only_people"]
    if not decided:  # then neither order of the first is more than chance
        winner = said("winner_undecided", system=board.rows[0].system, other=best.system)
    again = said("winners_again", first=board.rows[0].system, other=best.system, people=board.people_again,
                 machine=board.machine_again)  # fmt: skip
    sentences = [winner, again, said("pair_decisions", pairs=sum(board.decisions.values()), **board.decisions)]
    if not math.isnan(board.ceiling):
        sentences.append(said("ceiling", value=board.ceiling, best=board.rows[0].people))
    return list(map(Paragraph, sentences))


_NUMBERS = ("tau", "tau_ap", "tau_h", "rbo", "rbo_top", "drop", "people_halves", "machine_halves")
_BOARD, _BOARD_MEANS = kinds("board_{}", _NUMBERS), kinds("board_{}_means", _NUMBERS)


def _orders(board: TwoBoards) -> Table:
    """How far the two orders agree."""
    numbers = {
        "tau": (board.tau, board.tau_low, board.tau_high), "tau_ap": board.tau_ap, "tau_h": board.tau_h,
        "rbo": board.rbo, "rbo_top": board.rbo_top, "drop": Cell(board.largest_drop, digits=0),
        "people_halves": board.people_halves, "machine_halves": board.machine_halves,
    }  # fmt: skip
    rows = ((said(_BOARD[name]), number, said(_BOARD_MEANS[name])) for name, number in numbers.items())
    return said_table((("coefficient", "text"), "value", ("meaning", "text", 1)), rows, "orders")


def leaderboards(
    people: object,
    machine: object,
    systems: object,
    measures: object = ("nDCG@10",),
    *,
    level: float = 0.95,
    correction: Correction = "holm",
    resamples: int = 1000,
    seed: int = 0,
    columns: Mapping[str, str] | None = None,
) -> LeaderboardAgreement:
    """Rank systems under two judges, and say how far the orders agree and whom the machine favours.

    Parameters
    ----------
    people, machine
        Judgments, as for :func:`rankmeter.evaluate`; people's are taken as true. Queries that both judged are used.
    systems
        ``{name: run}``, two or more.
    measures
        One or several that are means over queries.
    level
        Of intervals; a pair is decided where its corrected p-value is below 1 - level.
    correction
        For the tests of one measure, under each judge.
    resamples, seed
        Of the interval of tau and of the halves of the queries.
    columns
        Columns of unusual names, as for :func:`rankmeter.evaluate`.

    Returns
    -------
    LeaderboardAgreement
        For each measure both leaderboards, tau, tau_AP, tau_h, RBO, whether the winner stays, how often it stays on
        other draws of the queries, what is lost if it does
        not, which pairs both judges decide alike, the bias of each system, and the judge's ceiling.

    Examples
    --------
    >>> import rankmeter as rm
    >>> people = {q: {"a": 2, "b": 1, "c": 0} for q in range(12)}
    >>> machine = {q: {"a": 1, "b": 2, "c": 0} for q in range(12)}
    >>> runs = {"ab": {q: ["a", "b", "c"] for q in range(12)}, "ba": {q: ["b", "a", "c"] for q in range(12)}}
    >>> board = rm.leaderboards(people, machine, runs, "nDCG@3")["nDCG@3"]
    >>> board.is_winner_kept, round(board.regret, 4), float(board.tau)
    (False, 0.1403, -1.0)
    """
    check_level(level)
    check_whole("resamples", resamples, 100)
    check_whole("seed", seed)
    if not isinstance(systems, Mapping) or len(systems) < 2:
        raise InputError.of("judging.two_systems", count=len(systems) if isinstance(systems, Mapping) else 0)
    asked = ask(measures)
    for measure in asked.measures:
        if measure.aggregate != "mean":
            raise InputError.of(
                "judging.not_assisted", measure=str(measure), why=said("no_mean", aggregate=measure.aggregate)
            )
    truths = tuple(into_judgments(side, columns=columns) for side in (people, machine))
    values, queries = _values_of_judges(truths, systems, asked, columns)
    rng = np.random.default_rng(seed)
    boards = {}
    for measure in asked.measures:
        y, f = values[measure]
        signed = 1 if measure.higher_is_better else -1
        boards[str(measure)] = _boards(
            measure, list(systems), y, f, _ceiling(truths, measure, queries), signed,
            level=level, correction=correction, resamples=resamples, rng=rng, seed=seed,
        )  # fmt: skip
    counted = [side.judgment_table().query.n_unique() for side in truths]
    return LeaderboardAgreement(
        boards=boards, names=asked.names, queries=len(queries), people_queries=counted[0], machine_queries=counted[1],
        level=level, correction=correction, seed=seed,
        notes=(*unlike_scales(*truths), *_notes(len(systems), len(queries))),
    )  # fmt: skip


def _notes(systems: int, queries: int) -> list[Said]:
    few = said("few_board_systems", count=systems, fewest=FEWEST_SYSTEMS)
    notes = [few if systems < FEWEST_SYSTEMS else said("tau_interval")]
    notes += [said("few_board_queries", count=queries)] if queries < 10 else []
    return [*notes, said("halves_are_the_yardstick"), said("circular")]


def _values_of_judges(
    truths: tuple[Judgments, ...], systems: Mapping[str, object], asked: Asked, columns: Mapping[str, str] | None
) -> tuple[dict[Measure, tuple[Floats, Floats]], list[str]]:
    """(systems, queries) under each judge, on the queries that both judged."""
    judged = [set(side.judgment_table().query.cast(pl.String)) for side in truths]
    both = judged[0] & judged[1]
    if not both:
        first = sorted(judged[0])[:1] or ["-"]
        raise InputError.of("judging.no_common_query", people=len(judged[0]), machine=len(judged[1]), query=first[0])
    queries = [q for q in dict.fromkeys(truths[0].judgment_table().query.cast(pl.String).to_list()) if q in both]
    rows: dict[Measure, tuple[list[Floats], list[Floats]]] = {measure: ([], []) for measure in asked.measures}
    for name, system in systems.items():
        try:
            run = into_run(system, columns=columns)
            for side, truth in enumerate(truths):
                ev = evaluate_placing(into_pair(truth, run), asked, name)
                for measure in asked.measures:
                    seen = counted_values(ev, measure)
                    rows[measure][side].append(np.array([seen.get(query, math.nan) for query in queries]))
        except RankmeterError as error:
            raise named_error(error, InputError.of("judging.of_system", system=name)) from error
    values = {}
    for measure, sides in rows.items():
        y, f = (np.stack(side) for side in sides)
        counts: Bools = np.asarray(np.isfinite(y + f).all(axis=0))
        if counts.sum() < 2:
            raise InputError.of("judging.too_few_board_queries", measure=str(measure), count=int(counts.sum()))
        values[measure] = (y[:, counts], f[:, counts])
    return values, queries


def _boards(
    measure: Measure,
    names: list[str],
    y: Floats,
    f: Floats,
    ceiling: float,
    signed: int,
    *,
    level: float,
    correction: Correction,
    resamples: int,
    rng: np.random.Generator,
    seed: int,
) -> TwoBoards:
    people, machine = signed * y.mean(1), signed * f.mean(1)
    ties = len(np.unique(people)) < len(names)
    favours = favour(f - y, level=level, correction=correction)
    ranks = places_of_systems(people), places_of_systems(machine)
    rows = [
        BoardRow(name, float(y[at].mean()), float(f[at].mean()), int(ranks[0][at]), int(ranks[1][at]),
                 float((f[at] - y[at]).mean()), *favours[at])
        for at, name in enumerate(names)
    ]  # fmt: skip
    low = high = math.nan
    if len(names) >= FEWEST_SYSTEMS:
        drawn = rng.integers(0, y.shape[1], (resamples, y.shape[1]))
        again = tau(y[:, drawn].mean(-1).T, f[:, drawn].mean(-1).T)
        low, high = middle_of(again, level)
    within, across = _halves(y, f, rng)
    return TwoBoards(
        measure=str(measure), rows=tuple(sorted(rows, key=lambda row: row.people_place)),
        tau=float(tau(people, machine)), tau_low=low, tau_high=high,
        tau_ap=tau_ap_b(people, machine) if ties else tau_ap(people, machine), tau_h=tau_h(people, machine),
        rbo=overlap(people, machine), rbo_top=overlap(people, machine, depth=TOP),
        largest_drop=largest_drop(people, machine), is_winner_kept=regret(people, machine) == 0,
        people_again=first_again(signed * y, resamples, seed), machine_again=first_again(signed * f, resamples, seed),
        regret=regret(people, machine), decisions=decisions(y, f, level=level, correction=correction),
        people_halves=within, machine_halves=across, ceiling=ceiling,
    )  # fmt: skip


def _halves(y: Floats, f: Floats, rng: np.random.Generator) -> tuple[float, float]:
    """The mean tau of people with people, and with the machine, on random halves of the queries."""
    size = y.shape[1]
    if size < 4:
        return math.nan, math.nan
    taus = np.empty((2, HALVES))
    for at in range(HALVES):
        order = rng.permutation(size)
        half, rest = y[:, order[: size // 2]].mean(1), order[size // 2 :]
        taus[:, at] = [tau(half, side[:, rest].mean(1)) for side in (y, f)]
    within, across = (float(part[np.isfinite(part)].mean()) if np.isfinite(part).any() else math.nan for part in taus)
    return within, across


def _ceiling(truths: tuple[Judgments, ...], measure: Measure, queries: list[str]) -> float:
    """The value by people of each pool in the machine's order, ties in every order where the measure can say that."""
    people, machine = map(judged_pairs, truths)
    pool = people.join(machine, on=["query", "item"], suffix="_machine").filter(pl.col("query").is_in(queries))
    if not len(pool):
        return math.nan
    truth = JudgmentTable(people["query"], people["item"], people["grade"])
    run = RunTable(pool["query"], pool["item"], pool["grade_machine"])
    try:
        meant = measure(ties="mean")
        ev = evaluate_measure(truth, run, meant)
    except MeasureError:
        meant, ev = measure, evaluate_measure(truth, run, measure)
    values = counted_values(ev, meant)
    counted = [values[query] for query in queries if query in values]
    return float(np.mean(counted)) if counted else math.nan
