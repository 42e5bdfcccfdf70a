"""Judgments and a run of any kind, made into something that can be placed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from rankmeter.errors import InputError, MeasureError, Problem, RepeatedItemError, warn
from rankmeter.frozen import dataclass
from rankmeter.inputs.accepting import into_judgments, into_run
from rankmeter.inputs.mappings import look_swapped
from rankmeter.inputs.reading import Listener
from rankmeter.inputs.tables import Labelled
from rankmeter.placing.indexes import PlacedRun
from rankmeter.placing.pairs import Pair, Placeable
from rankmeter.placing.placements import Plan
from rankmeter.wording import said


@dataclass(frozen=True)
class Ready(Placeable):
    """Data that was placed before, which serves most plans."""

    before: PlacedRun

    @property
    def source(self) -> str:  # type: ignore[override]
        """How messages name it."""
        return self.before.source

    def _place(self, plan: Plan) -> PlacedRun:
        if plan.scores != "float64" or plan.unreturned:
            wanted = "scores=float32" if plan.scores != "float64" else "candidates=appended"
            raise MeasureError.of("evaluating.ranked_already", source=self.source, wanted=wanted)
        return self.before


@contextmanager
def folder_is_one_run(run: object) -> Iterator[None]:
    """Explain that a folder is read as one run if its files turn out to be several."""
    try:
        yield
    except RepeatedItemError as error:
        if not (isinstance(run, (str, os.PathLike)) and Path(run).is_dir()):
            raise
        raise error.changed(hint=Problem("inputs.run_in_each_file", {"pattern": str(Path(run, "*"))})) from error


def into_pair(
    judgments: object, run: object, columns: Mapping[str, str] | None = None, progress: Listener | None = None
) -> Placeable:
    """Accept judgments and a run of any kind, or one object that holds both; ``progress`` is told of the reading."""
    if hasattr(run, "check_judgments"):  # a catalogue that was ranked for these judgments
        run.check_judgments(judgments)
        judgments, run = run, None
    elif isinstance(run, Placeable):
        raise InputError.of("evaluating.carries_judgments", type=type(run).__name__)
    if carrier := _carrier(judgments):
        if run is not None:
            raise InputError.of("evaluating.carries_run", type=type(judgments).__name__)
        return carrier
    if run is None:
        labelled = _carrier(_frame_of_both_sides(judgments, columns))
        if labelled is None:
            raise InputError.of("evaluating.no_run")
        return labelled
    if judgments is None:
        return Pair(None, into_run(run, columns=columns))
    truth = into_judgments(judgments, columns=columns)
    returned = into_run(run, columns=columns, progress=progress)
    graded, listed = truth.mapping, returned.mapping
    if graded is not None and listed is not None and look_swapped(graded, listed):
        warn(said("look_swapped"))
    return Pair.of(truth, returned)


def _frame_of_both_sides(judgments: object, columns: Mapping[str, str] | None) -> object:
    """A frame that holds both sides; None for anything else."""
    if judgments is None or isinstance(judgments, (dict, list, tuple, str, os.PathLike)):
        return None
    from rankmeter.inputs.files import labelled_frame
    from rankmeter.inputs.frames import is_frame

    return labelled_frame(judgments, columns) if is_frame(judgments) else None


def _carrier(judgments: object) -> Placeable | None:
    """What holds both judgments and run, ready to be placed; None if these are judgments alone."""
    if isinstance(judgments, Placeable):
        return judgments
    if isinstance(judgments, Labelled):
        return Pair.of(judgments.judgments, judgments.run, carried=True)
    # Asked last: what places itself on demand must not be placed in full first.
    placed = getattr(judgments, "placed", None)
    return Ready(placed) if isinstance(placed, PlacedRun) else None
