"""The history of a system: evaluations are added to a folder, and every new one is held against the accepted reference.

>>> import rankmeter as rm, tempfile
>>> truth = {i: {0} for i in range(40)}
>>> place = tempfile.TemporaryDirectory()
>>> history = rm.History(place.name)
>>> for day, broken in ((1, 0), (2, 0), (3, 12)):
...     run = {i: [1, 0] if i < broken else [0, 1] for i in truth}
...     _ = history.append(rm.evaluate(truth, run, ["RR"]), time=f"2026-03-0{day}", commit=f"c{day}")
>>> timeline = history.timeline()
>>> [(point.commit, point.value, point.verdict) for point in timeline["RR"].points]
[('c1', 1.0, 'reference'), ('c2', 1.0, 'same'), ('c3', 0.85, 'worse')]
>>> timeline.regressions[0].last.down
12
>>> place.cleanup()
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from rankmeter.comparing.results import Comparison
from rankmeter.errors import InputError, NotFoundError, check_level
from rankmeter.evaluating.result import Evaluation
from rankmeter.wings.results.history_entries import CodeState, HistoryEntry, by_time, entry_parts, into_time, stamp
from rankmeter.wings.results.history_lines import series_of
from rankmeter.wings.results.history_store import acceptance, open_store, read_entries
from rankmeter.wings.results.timeline import Timeline
from rankmeter.wording import said


class History:
    """Evaluations over time, in a folder (one file each) or in one file of SQLite or DuckDB.

    Nothing that was added is ever changed, and any number of processes may add at once.

    Parameters
    ----------
    place
        A folder, or a file that ends in ``.sqlite``, ``.db`` or ``.duckdb``; made when the first evaluation is added.
    """

    def __init__(self, place: str | os.PathLike[str]) -> None:
        self._store = open_store(place)

    def __repr__(self) -> str:
        return f"History({str(self._store.place)!r})"

    @staticmethod
    def loaded(path: str | Path) -> Evaluation | Comparison:
        """An evaluation or a comparison that was saved."""
        try:
            return Evaluation.load(path)
        except InputError as error:
            if error.problem.kind != "saved.no_evaluation":
                raise
            try:
                return Comparison.load(path)
            except InputError:
                raise error from None

    def append(
        self,
        result: Evaluation | Comparison | str | Path,
        *,
        system: str | None = None,
        commit: str | None = None,
        branch: str | None = None,
        time: datetime | str | None = None,
        tags: Iterable[str] = (),
        accept: bool = False,
    ) -> list[HistoryEntry]:
        """Add an evaluation, or those of a comparison; the entries.

        Parameters
        ----------
        result
            What :func:`rankmeter.evaluate` or :func:`rankmeter.compare` gave, or a file that its ``save`` wrote.
        system
            What the system is called in the history, so that its line goes on when the name of a file changes.
        commit, branch
            Which code made it; by default what the pipeline's environment or git says.
        time
            When; now by default.
        tags
            Any words.
        accept
            Whether later evaluations are held against this one.
        """
        made = entries_of(result, system=system, commit=commit, branch=branch, time=time, tags=tags, accept=accept)
        return [self.add(entry) for entry in made]

    def add(self, entry: HistoryEntry) -> HistoryEntry:
        """Add an entry as it is; with the name of its file."""
        content = entry.to_bytes()
        named = replace(entry, name=entry.file_name(content))
        self._store.add(named.name, content, named)
        return named

    @property
    def entries(self) -> list[HistoryEntry]:
        """All entries, oldest first."""
        return by_time(read_entries(self._store)[0])

    def accept(self, which: str = "last", *, time: datetime | str | None = None) -> list[HistoryEntry]:
        """Make entries the reference for what comes after: the last of each system, or those of a commit, hash or name.

        Nothing is rewritten: that it was accepted is another file.
        """
        chosen = _meant(self.entries, which)
        when = stamp(into_time(time))
        for entry in chosen:
            self._store.add(*acceptance(entry, when))
        return chosen

    def timeline(
        self, measures: str | Sequence[str] = (), *, system: str | None = None, level: float = 0.95
    ) -> Timeline:
        """What happened: each measure of each system over time, tested against the last accepted reference.

        Parameters
        ----------
        measures
            Only these; all by default.
        system
            Only this one.
        level
            One minus the chance of any false alarm about one measure of one system, over all looks together.
        """
        check_level(level)
        entries, accepted, others = read_entries(self._store)
        if not entries:
            raise InputError.of("results.empty_history", source=str(self._store.place))
        kept = [entry for entry in entries if system in (None, entry.system)]
        if not kept:
            known = list(dict.fromkeys(entry.system for entry in entries))
            raise NotFoundError.of("results.unknown_history_system", system=system, known=known)
        wanted = [measures] if isinstance(measures, str) else list(measures)
        _check_measures(kept, wanted)
        series = series_of(kept, accepted, level, wanted)
        notes = [said("history_how", error=f"{100 * (1 - level):.4g}%")]
        if others:
            notes.append(said("history_other_files", count=len(others), names=others[:3]))
        hashes = {hashed for _, hashed in accepted}
        marks = {entry.name for entry in kept if entry.accepted or entry_parts(entry.name)[2] in hashes}
        return Timeline(tuple(series), len(kept), frozenset(marks), level, tuple(notes))

    def import_mlflow(
        self, experiment: str, *, uri: str | None = None, system: str | None = None
    ) -> list[HistoryEntry]:
        """Add the runs of an experiment of MLflow that are not here yet; the entries.

        Runs that :func:`rankmeter.log_to_mlflow` filled have values per query and definitions. Of others the metrics
        whose names are those of measures are taken (``ndcg_at_10``); they are shown, but cannot be tested.
        """
        return [self.add(entry) for entry in self.new_in_mlflow(experiment, uri=uri, system=system)]

    def new_in_mlflow(
        self, experiment: str, *, uri: str | None = None, system: str | None = None
    ) -> list[HistoryEntry]:
        """What `import_mlflow` would add."""
        from rankmeter.wings.results.mlflow_runs import entries_of_experiment

        known = {entry.source for entry in self.entries}
        return [entry for entry in entries_of_experiment(experiment, uri, system) if entry.source not in known]

    def check_asked(self, measures: Sequence[str], accept: str | None, added: Sequence[HistoryEntry]) -> None:
        """Refuse measures that the history would not have with what is added, and what could not be accepted."""
        entries = by_time([*self.entries, *map(_named, added)])
        if entries:
            _check_measures(entries, measures)
        if accept is not None:
            _meant(entries, accept)


def entries_of(
    result: Evaluation | Comparison | str | Path,
    *,
    system: str | None = None,
    commit: str | None = None,
    branch: str | None = None,
    time: datetime | str | None = None,
    tags: Iterable[str] = (),
    accept: bool = False,
) -> list[HistoryEntry]:
    """What `History.append` adds."""
    evaluations = evaluations_of(result, system)
    code = CodeState.here() if commit is None else CodeState(commit)
    code = code if branch is None else replace(code, branch=branch)
    when = into_time(time)
    facts = {"system": system, "code": code, "tags": tuple(tags), "accepted": accept}
    return [HistoryEntry.of(ev, when, **facts) for ev in evaluations]


def _named(entry: HistoryEntry) -> HistoryEntry:
    """An entry that knows what its file is called."""
    return replace(entry, name=entry.file_name(entry.to_bytes()))


def _meant(entries: Sequence[HistoryEntry], which: str) -> list[HistoryEntry]:
    """The last entry of each system, or those of a commit, a hash or a name."""
    if which == "last":
        chosen = list({entry.system: entry for entry in entries}.values())
    else:
        chosen = [
            entry for entry in entries
            if which and (entry.code.commit.startswith(which) or entry.name.startswith(which)
                          or entry.name.removesuffix(".parquet").endswith(f"-{which}"))
        ]  # fmt: skip
    if not chosen:
        raise NotFoundError.of("results.nothing_to_accept", which=which)
    return chosen


def _check_measures(entries: Sequence[HistoryEntry], wanted: Sequence[str]) -> None:
    """Refuse measures that no entry has."""
    if missing := [name for name in wanted if not series_of(entries, (), 0.95, [name])]:
        known = list(dict.fromkeys(one.label for entry in entries for one in entry.measures))
        raise NotFoundError.of("results.unknown_history_measure", names=missing, known=known)


def evaluations_of(result: object, system: str | None = None) -> list[Evaluation]:
    """The evaluations of what is added; one name does not do for several."""
    if isinstance(result, (str, Path)):
        result = History.loaded(result)
    if isinstance(result, Comparison):
        evaluations = list(result.evaluations.values())
    elif isinstance(result, Evaluation):
        evaluations = [result]
    else:
        raise InputError.of("results.not_an_evaluation", type=type(result).__name__)
    if system is not None and len(evaluations) > 1:
        raise InputError.of("results.one_name_for_many", systems=[ev.name for ev in evaluations])
    return evaluations
