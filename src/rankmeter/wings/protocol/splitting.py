"""The verb: interactions in, parts and their protocol out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankmeter.errors import InputError, check_choice, check_whole
from rankmeter.late import Late
from rankmeter.placing.placements import Ints
from rankmeter.wings.protocol.chance import Hashes, of_rows
from rankmeter.wings.protocol.interactions import CodedIds, Interactions, distinct_rows, read_interactions
from rankmeter.wings.protocol.leaks import leaks_of
from rankmeter.wings.protocol.split_parts import PARTS, Fold, Split
from rankmeter.wings.protocol.statement import FoldFacts, PartCounts, Protocol, StepCount
from rankmeter.wings.protocol.steps import Before, parse_after, parse_before, without
from rankmeter.wings.protocol.strategies import Divided, Draw, Strategy, TimePoint
from rankmeter.wings.protocol.tool_words import ToolWord, parse_how
from rankmeter.wings.protocol.user_order import NONE, TRAIN, VALIDATION, Labels, TieRule


def split(
    interactions: object,
    how: str | Strategy,
    *,
    validation: str | bool | None = None,
    before: object = (),
    after: object = (),
    ties: TieRule = "item",
    whole: str | None = None,
    seed: int = 0,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
) -> Split:
    """Divide interactions into train and test, in a way that is stated, counted and repeatable.

    Parameters
    ----------
    interactions
        A row per interaction, with a user, an item, and for most strategies a time: a frame of any library, a mapping
        of columns, or files (CSV, JSON lines, Parquet, MovieLens's own).
    how
        ``last_n(1)``, ``random_n(1)``, ``last_share(0.2)``, ``random_share(0.2)`` of every user; ``random(0.2)`` of all
        rows; ``time(2024-06-01)``, ``time_share(0.2)``, ``time_best`` for one point in time; ``windows(30d,3)``;
        ``folds(5)``, ``user_folds(5)``; ``users(0.1)``, ``items(0.1)`` held out.
    validation
        How train is divided once more, for validation; ``True``: in the same way.
    before
        Steps before, in this order: ``rating(4)``, ``duplicates(last)``, ``k_core(5)``, ``k_core(5,rounds=2)``,
        ``min_user(5)``, ``min_item(5)``.
    after
        What is taken out of validation and test, in this order: ``cold_users``, ``cold_items``, ``seen``.
    ties
        Which of several rows of a user and a time is the later one: that with the higher item id (``item``), which
        gives the same rows for reordered input, or the one given later (``rows``).
    whole
        ``session``: rows of one user and session stay together, and are counted and dated as one, by their last row.
    seed
        For all random draws. A draw depends on what the rows say, not on where they stand.
    columns
        Columns of unusual names: ``{"user": "uid", "time": "when"}``.
    format
        How a file is written, where its content does not tell.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rows = {"user": [1, 1, 1, 2, 2], "item": list("abcab"), "time": [1, 2, 3, 1, 2]}
    >>> rm.split(rows, "last_n(1)").test.rows()
    [(1, 'c', 3), (2, 'b', 2)]
    >>> [fold.test["item"].to_list() for fold in rm.split(rows, "windows(1, 2)")]
    [['b', 'b'], ['c']]
    """
    strategy, steps, dropped = parse_how(how), parse_before(before), parse_after(after)
    nested = _nested(strategy, validation)
    check_choice("ties", ties, ("item", "rows"))
    ties = "rows" if isinstance(strategy, ToolWord) else ties
    check_choice("whole", whole, (None, "session"))
    check_whole("seed", seed)
    table, origins = read_interactions(interactions, columns=columns, format=format)
    rows, counted = _kept(table, steps, ties)
    kept = table if rows is None else table.take(rows)
    if not len(kept):
        raise InputError.of("protocol.nothing_left", source=origins.source, steps=[text for text, _ in steps])
    draw = Draw(seed, ties)
    divided, unit = _divided(kept, strategy, draw, whole)
    folds, removed = [], []
    for labels in divided.folds:
        if nested is not None:
            labels = _with_validation(kept, labels, nested, draw, whole)
        gone = []
        for word in dropped:
            labels, count = without(labels, kept, word)
            gone.append(StepCount(word, count))
        _refuse_empty(labels, how, nested, gone)
        folds.append(labels)
        removed.append(tuple(gone))

    def protocol() -> Protocol:
        keys = of_rows(table, 0).view(np.uint64)
        own = keys if rows is None else keys[rows]
        facts = tuple(
            FoldFacts(part_counts(kept, labels, own), gone, leaks_of(kept, labels))
            for labels, gone in zip(folds, removed, strict=True)
        )
        return Protocol(
            how=str(strategy), validation=None if nested is None else str(nested), before=counted, ties=ties,
            whole=whole, seed=seed, rows=len(table), users=distinct(kept.user), items=distinct(kept.item), folds=facts,
            tied=divided.tied, facts={**divided.facts, **unit}, after=dropped,
            inputs={"interactions": digest_of(keys)},
        )  # fmt: skip

    return Split(
        tuple(Fold(_labels_of_all(labels, rows, len(table)), origins) for labels in folds), Late(protocol), origins
    )


def _nested(strategy: Strategy, validation: object) -> Strategy | None:
    """How train is divided once more."""
    if validation is None or validation is False:
        return None
    if validation is True and isinstance(strategy, TimePoint):
        raise InputError.of("protocol.validation_point")
    nested = strategy if validation is True else parse_how(validation)
    if nested.has_folds or isinstance(nested, ToolWord):
        raise InputError.of("protocol.validation_folds", how=str(nested))
    return nested


def _kept(
    table: Interactions, steps: tuple[tuple[str, Before], ...], ties: TieRule
) -> tuple[Ints | None, tuple[StepCount, ...]]:
    """The rows that all steps keep (None: all), and what each removed."""
    rows: Ints | None = None
    counted = []
    for text, step in steps:
        kept = step.keep(table if rows is None else table.take(rows), ties)
        removed = len(kept) - int(np.count_nonzero(kept))
        counted.append(StepCount(text, removed))
        if removed:
            rows = np.flatnonzero(kept) if rows is None else rows[kept]
    return rows, tuple(counted)


def _divided(table: Interactions, strategy: Strategy, draw: Draw, whole: str | None) -> tuple[Divided, dict[str, Any]]:
    """The labels of the rows, or those of their sessions for all of their rows."""
    if whole is None:
        return strategy.divide(table, draw), {}
    sessions, member = _sessions(table)
    divided = strategy.divide(sessions, draw)
    return Divided(tuple(labels[member] for labels in divided.folds), divided.tied, divided.facts), {
        "sessions": len(sessions)
    }


def _sessions(table: Interactions) -> tuple[Interactions, Ints]:
    """A row for each session, dated by its last row, and the session of each row."""
    if table.session is None:
        raise InputError.of("protocol.session_needed")
    pair = distinct_rows(table.user.codes, table.session.codes, table.session.count)
    distinct, first, member = np.unique(pair, return_index=True, return_inverse=True)
    time = None
    if table.time is not None:
        time = np.full(len(distinct), np.iinfo(np.int64).min)
        np.maximum.at(time, member, table.time)
    one = table.take(first)
    session, clock = table.session.take(first), table.clock
    dated = None if time is None or clock is None else (time, clock)
    return Interactions(
        len(first), Late(made=one.user), Late(made=session), Late(made=dated), Late(made=None), Late(made=None)
    ), member


def _with_validation(table: Interactions, labels: Labels, nested: Strategy, draw: Draw, whole: str | None) -> Labels:
    """The labels with train divided once more."""
    train = np.flatnonzero(labels == TRAIN)
    inner, _ = _divided(table.take(train), nested, draw, whole)
    changed = labels.copy()
    changed[train] = np.array([NONE, TRAIN, VALIDATION, VALIDATION], np.uint8)[inner.folds[0]]
    return changed


def _labels_of_all(labels: Labels, rows: Ints | None, total: int) -> Labels:
    """The labels of all rows of the input; those that a step removed are in no part."""
    if rows is None:
        return labels
    spread = np.zeros(total, np.uint8)
    spread[rows] = labels
    return spread


def _refuse_empty(labels: Labels, how: object, nested: Strategy | None, removed: list[StepCount]) -> None:
    """Refuse parts of which one is asked for and holds nothing."""
    for name, label in PARTS.items():
        if label == VALIDATION and nested is None:
            continue
        if not _occurs(labels, label):
            steps = [step for step in removed if step.removed]
            kind = "protocol.empty_part_after" if steps and label != TRAIN else "protocol.empty_part"
            made_by = nested if label == VALIDATION else how
            raise InputError.of(kind, part=name, how=str(made_by), steps=[step.step for step in steps])


def _occurs(labels: Labels, label: int) -> bool:
    """Whether any row has a label: the first rows tell, as a rule."""
    return bool((labels[:1000] == label).any() or (labels == label).any())


def part_counts(table: Interactions, labels: Labels, keys: Hashes) -> dict[str, PartCounts]:
    """The size of every part that holds anything."""
    parts = {}
    for name, label in PARTS.items():
        rows = np.flatnonzero(labels == label)
        if len(rows):
            parts[name] = PartCounts(
                len(rows), distinct(table.user.take(rows)), distinct(table.item.take(rows)), digest_of(keys[rows])
            )
    return parts


def distinct(ids: CodedIds) -> int:
    """How many ids occur."""
    there = np.zeros(ids.count, bool)
    there[ids.codes] = True
    return int(np.count_nonzero(there))


def digest_of(keys: Hashes) -> str:
    """A fingerprint of rows, whatever their order: the sum of their hashes."""
    return f"{int(keys.sum(dtype=np.uint64)):016x}"
