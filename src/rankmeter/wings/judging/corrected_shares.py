"""A share of relevant items that a machine reports, corrected by how often it errs: the estimator of Rogan and Gladen.

The machine calls a share p relevant. Of what people call relevant it finds a share Se (sensitivity), of the rest it
leaves out a share Sp (specificity). If it errs as often on everything, p = Se x + (1 - Sp) (1 - x), which is solved for
the share x that people would report (Rogan & Gladen 1978); the variance is that of the delta method.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankmeter.comparing.unjudged import ranked_top
from rankmeter.errors import InputError, check_level, check_number, check_whole
from rankmeter.inputs.accepting import into_judgments, into_run
from rankmeter.late import pl
from rankmeter.showing.document import Block, Heading
from rankmeter.showing.showable import NotedTable, said_table
from rankmeter.wings.judging.assisted_values import judged_pairs
from rankmeter.wings.judging.estimators import estimated
from rankmeter.wording import Said, said


@dataclass(frozen=True, slots=True, repr=False)
class CorrectedShare(NotedTable):
    """A share of relevant items, as the machine reports it and corrected; made by :func:`rankmeter.rogan_gladen`."""

    k: int | None
    """How many places of each list are looked at; None: all pairs that the machine judged."""
    apparent: float
    """The mean over queries of the share that the machine calls relevant."""
    sensitivity: float
    """Of the pairs that people call relevant, the share that the machine does."""
    specificity: float
    """Of the other pairs that people judged, the share that the machine calls not relevant."""
    value: float
    """The corrected share, between 0 and 1."""
    low: float
    high: float
    relevant_pairs: int
    """How many pairs that people call relevant the sensitivity rests on."""
    other_pairs: int
    queries: int
    level: float
    notes: tuple[Said, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {**self._rows()[0], "level": self.level, "notes": list(self.notes)}

    def _rows(self) -> list[dict[str, Any]]:
        names = (
            "k", "apparent", "sensitivity", "specificity", "value", "low", "high", "relevant_pairs", "other_pairs",
            "queries",
        )  # fmt: skip
        return [{name: getattr(self, name) for name in names}]

    def _blocks(self) -> list[Block]:
        title = said("corrected_title") if self.k is None else said("corrected_title_k", k=self.k)
        rows = (
            (said("corrected_apparent", queries=self.queries), self.apparent),
            (said("corrected_sensitivity", pairs=self.relevant_pairs), self.sensitivity),
            (said("corrected_specificity", pairs=self.other_pairs), self.specificity),
            (said("corrected_value"), (self.value, self.low, self.high)),
        )
        return [Heading(title, 1), said_table((("coefficient", "text"), "value"), rows, "corrected")]


def rogan_gladen(
    people: object,
    machine: object,
    run: object = None,
    *,
    k: int | None = None,
    rel: float = 1,
    level: float = 0.95,
    columns: Mapping[str, str] | None = None,
) -> CorrectedShare:
    """Correct the share of relevant items that a machine reports by its sensitivity and specificity.

    Parameters
    ----------
    people
        Judgments of people for some of the pairs: they show how often the machine errs.
    machine
        Judgments of the machine, which hold all pairs that people judged.
    run
        What a system returned: then the share is that of its first ``k`` places, P@k. Without it, it is the share of
        all pairs that the machine judged.
    k
        How many places of each list count; needed with a run.
    rel
        The lowest grade that is relevant.
    level
        Of the interval.
    columns
        Columns of unusual names, as for :func:`rankmeter.evaluate`.

    Returns
    -------
    CorrectedShare
        ``apparent``, ``sensitivity``, ``specificity``, and the corrected ``value`` with its interval.

    Examples
    --------
    The machine calls 6 of 10 relevant; of the 4 that people looked at, it found both relevant ones and one too many:

    >>> import rankmeter as rm
    >>> machine = {"q": {f"d{place}": int(place < 6) for place in range(10)}}
    >>> people = {"q": {"d0": 1, "d1": 1, "d2": 0, "d9": 0}}
    >>> share = rm.rogan_gladen(people, machine)
    >>> share.apparent, share.sensitivity, share.specificity, round(share.value, 4)
    (0.6, 1.0, 0.5, 0.2)
    """
    check_level(level)
    check_number("rel", rel)
    if (run is None) != (k is None):
        raise InputError.of("judging.share_needs_k")
    human, guessed = (judged_pairs(into_judgments(side, columns=columns)) for side in (people, machine))
    both = human.join(guessed, on=["query", "item"], how="left", suffix="_machine")
    if missing := both["grade_machine"].null_count():
        row = both.filter(pl.col("grade_machine").is_null()).row(0, named=True)
        raise InputError.of(
            "judging.machine_lacks", source="machine", total=len(human), count=missing, query=row["query"],
            item=row["item"],
        )  # fmt: skip
    truth, guess = (both[name].to_numpy() >= rel for name in ("grade", "grade_machine"))
    if truth.all() or not truth.any():
        raise InputError.of("judging.share_one_kind", count=len(truth))
    sensitivity, specificity = float(guess[truth].mean()), float((~guess[~truth]).mean())
    better = sensitivity + specificity - 1
    if better <= 0:
        raise InputError.of("judging.share_by_chance", sensitivity=sensitivity, specificity=specificity)
    shares = _reported(guessed, run, k, rel, columns)
    apparent, many = float(shares.mean()), len(shares)
    value = (apparent + specificity - 1) / better
    inside = min(max(value, 0.0), 1.0)
    spread = float(shares.var(ddof=1)) / many if many > 1 else apparent * (1 - apparent) / max(len(guessed), 1)
    of_errors = inside**2 * sensitivity * (1 - sensitivity) / int(truth.sum())
    of_errors += (1 - inside) ** 2 * specificity * (1 - specificity) / int((~truth).sum())
    interval = estimated(value, np.float64((spread + of_errors) / better**2), None, level)
    low, high = (min(max(float(end), 0.0), 1.0) for end in (interval.low, interval.high))
    notes = [said("corrected_same_errors")]
    if not 0 <= value <= 1:
        notes.append(said("corrected_cut_off", value=value))
    return CorrectedShare(
        k=k, apparent=apparent, sensitivity=sensitivity, specificity=specificity, value=inside, low=low, high=high,
        relevant_pairs=int(truth.sum()), other_pairs=int((~truth).sum()), queries=many, level=level,
        notes=tuple(notes),
    )  # fmt: skip


def _reported(guessed: pl.DataFrame, run: object, k: int | None, rel: float, columns: Mapping[str, str] | None) -> Any:
    """The share of each query that the machine calls relevant: of its pairs, or of k places."""
    called = guessed.with_columns(relevant=(pl.col("grade") >= rel).cast(pl.Float64))
    if run is None or k is None:
        return called.group_by("query", maintain_order=True).agg(pl.col("relevant").mean())["relevant"].to_numpy()
    check_whole("k", k, 1)
    asked = guessed.select("query").unique(maintain_order=True)
    places = ranked_top(into_run(run, columns=columns), asked, k).join(called, on=["query", "item"], how="left")
    unknown = places.filter(pl.col("relevant").is_null())
    if len(unknown):
        first = unknown.row(0, named=True)
        raise InputError.of(
            "judging.machine_lacks_ranked", count=len(unknown), query=first["query"], item=first["item"]
        )
    found = places.group_by("query").agg(pl.col("relevant").sum() / k)
    return asked.join(found, on="query", how="left")["relevant"].fill_null(0.0).to_numpy()
