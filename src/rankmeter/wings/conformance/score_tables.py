"""One table of items under two definitions: each group measured within itself and over the whole list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from rankmeter import wording
from rankmeter.errors import InputError, MeasureError, examples
from rankmeter.evaluating.asking import ask
from rankmeter.evaluating.verb import evaluate
from rankmeter.inputs.accepting import is_path
from rankmeter.inputs.compression import open_source
from rankmeter.inputs.files import read_judgments, read_run
from rankmeter.inputs.frames import judgments_from_frame, run_from_frame
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.late import pl
from rankmeter.measures import Measure
from rankmeter.measures.base import RankedMeasure
from rankmeter.showing.document import Block, Kind, Paragraph, text_table
from rankmeter.showing.showable import Showable
from rankmeter.wording import Language, Said

MOST_PLACES = 50_000_000
"""Every group ranks every item of the whole list; tables that need more places than this are refused."""

FIRST = "RR"
"""The measure whose reciprocal is the rank of the first relevant item."""


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """The value of one measure for one group by one score, under both definitions."""

    group: str | None
    """None for the mean over groups."""
    score: str
    measure: str
    within: float
    whole: float
    first_within: float | None = None
    """The rank of the first relevant item within the group."""
    first_whole: float | None = None
    places: int = 0
    """The size of the group."""


@dataclass(frozen=True, slots=True, repr=False)
class ScoreTable(Showable):
    """Each group by each score, measured within the group and over the whole list."""

    cells: tuple[ScoreCell, ...]
    """Groups first, then the means."""
    items: int
    truth: str
    best: dict[str, tuple[str, ...]]
    """The relevant items within each group."""
    tied: dict[str, int]
    """For each score, how many items have the same value as another one."""

    def value(self, group: str | None, score: str, measure: str | Measure = FIRST) -> tuple[float, float]:
        """The values within the group and over the whole list; of the mean if the group is None."""
        wanted = str(ask(measure).measures[0])
        for cell in self.cells:
            if (cell.group, cell.score, cell.measure) == (group, score, wanted):
                return cell.within, cell.whole
        raise MeasureError.of("conformance.no_cell", group=str(group), score=score, measure=wanted)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        names = ("group", "score", "measure", "within", "whole", "first_within", "first_whole")
        return {
            "items": self.items,
            "truth": self.truth,
            "relevant_within": {group: list(items) for group, items in self.best.items()},
            "values": [{name: getattr(cell, name) for name in names} for cell in self.cells],
        }

    def document(self, language: Language = "en") -> list[Block]:
        """The table, and below it why its two columns differ."""
        head, rows = self._rows(language)
        kinds: list[Kind] = ["text", "text", *(["number"] * (len(head) - 2))]  # type: ignore[list-item]
        table = text_table(head, rows, kinds)
        # On a narrow terminal the ranks after the values are dropped first.
        ranks = len(head) - 2
        columns = tuple(replace(column, importance=max(at - ranks + 1, 0)) for at, column in enumerate(table.columns))
        return [replace(table, columns=columns), *map(Paragraph, self._reasons(language))]

    def _rows(self, language: Language) -> tuple[list[str], list[list[str]]]:
        words = wording.words("conformance", language, about="table")
        measures = list(dict.fromkeys(cell.measure for cell in self.cells))
        head = [words["group"], words["score"]]
        for measure in measures:
            head += [words["within"].format(measure=measure), words["whole"].format(measure=measure)]
        head += [words["first_within"], words["first_whole"]]
        lines: dict[tuple[str | None, str], list[ScoreCell]] = {}
        for cell in self.cells:
            lines.setdefault((cell.group, cell.score), []).append(cell)
        rows = []
        for (group, score), cells in lines.items():
            row = [words["mean"] if group is None else group, score]
            for cell in cells:
                row += [f"{cell.within:.4f}", f"{cell.whole:.4f}"]
            rows.append([*row, *_ranks_shown(cells[0], self.items, words["of"])])
        return head, rows

    def _reasons(self, language: Language) -> list[str]:
        words = wording.words("conformance", language, about="table")
        shown = [f"{'/'.join(items)} · {group}" for group, items in self.best.items()]
        lines = [
            words["why_within"].format(truth=self.truth, best=examples(shown)),
            words["why_whole"].format(items=self.items),
            words["why"],
        ]
        several = [group for group, items in self.best.items() if len(items) > 1]
        if several:
            lines.append(words["several"].format(groups=examples(several), truth=self.truth))
        measure = self.cells[0].measure
        lines += [words["tied"].format(count=n, score=score, measure=measure) for score, n in self.tied.items() if n]
        return lines


def _ranks_shown(cell: ScoreCell, items: int, form: str) -> list[str]:
    if cell.first_within is None or cell.first_whole is None:
        return ["", ""]
    return [form.format(rank=cell.first_within, places=cell.places), form.format(rank=cell.first_whole, places=items)]


def score_table(
    items: object,
    *,
    id: str,
    group: str,
    score: str | Sequence[str],
    truth: str,
    measures: object = (FIRST,),
) -> ScoreTable:
    """Measure every group of a table of items by every score, within the group and over the whole list.

    Parameters
    ----------
    items
        A row for each item: a file (CSV, TSV, Parquet, Arrow, JSON lines) or a frame of any kind.
    id, group
        The columns with the ids of the items and the group of each.
    score
        The column or columns by which items are ranked, highest first.
    truth
        The column whose highest value in a group marks its relevant item.
    measures
        As for ``evaluate``.

    Examples
    --------
    >>> from rankmeter import demo
    >>> from rankmeter import score_table
    >>> table = score_table(
    ...     demo.data_path(demo.SPOTS), id="SpotID", group="theme", score="weighted_sentiment_score", truth="Check"
    ... )
    >>> table.value("Steins;Gate", "weighted_sentiment_score")
    (0.5, 1.0)
    """
    scores = list(dict.fromkeys([score] if isinstance(score, str) else score))
    if not scores:
        raise InputError.of("conformance.no_score")
    asked = ask(measures).measures
    _check_measures(asked)
    items = _read_once(items)
    with _in_words_of_a_table():
        judged: JudgmentTable = _read(items, read_judgments, judgments_from_frame, query=group, item=id, grade=truth)
    groups = judged.query.cast(pl.String)
    _check(judged, groups, id)
    frame = pl.DataFrame({"group": groups, "truth": judged.grade})
    top = frame.select(pl.col("truth") == pl.col("truth").max().over("group")).to_series()
    best: dict[str, tuple[str, ...]] = dict.fromkeys(groups.unique(maintain_order=True), ())
    for key, item in zip(groups.filter(top), judged.item.cast(pl.String).filter(top), strict=True):
        best[key] += (item,)
    sizes = dict(groups.value_counts().iter_rows())
    cells: list[ScoreCell] = []
    means: list[ScoreCell] = []
    tied = {}
    for name in scores:
        with _in_words_of_a_table():
            run: RunTable = _read(items, read_run, run_from_frame, query=group, item=id, score=name)
        tied[name] = int(run.score.is_duplicated().sum())
        within = evaluate(_as_relevant(judged, top), run, [*asked, FIRST])
        whole = evaluate(_as_relevant(judged, None), _everywhere(run), [*asked, FIRST])
        place_within, place_whole = (dict(zip(e.queries, e.per_query[FIRST], strict=True)) for e in (within, whole))
        for measure in asked:
            label = str(measure)
            inside, over = (dict(zip(e.queries, e.per_query[label], strict=True)) for e in (within, whole))
            cells += [
                ScoreCell(
                    key,
                    name,
                    label,
                    inside[key],
                    over[key],
                    _rank_from(place_within[key]),
                    _rank_from(place_whole[key]),
                    size,
                )
                for key, size in sizes.items()
            ]
            means.append(ScoreCell(None, name, label, within[label], whole[label]))
    order = {key: number for number, key in enumerate(best)}
    cells.sort(key=lambda cell: order[str(cell.group)])
    return ScoreTable((*cells, *means), len(judged.item), truth, best, tied)


def _check_measures(measures: Sequence[Measure]) -> None:
    """Refuse measures that a table of items cannot answer."""
    for measure in measures:
        if not isinstance(measure, RankedMeasure):
            raise MeasureError.of("conformance.not_ranked", measure=str(measure))
        if measure.subtopics:
            raise MeasureError.of("conformance.needs_subtopics", measure=str(measure))


_TABLE_WORDS = {"query": "group", "item": "id", "grade": "truth"}


@contextmanager
def _in_words_of_a_table() -> Iterator[None]:
    """Word errors for the caller, to whom a query is a group and a grade the truth."""
    try:
        yield
    except InputError as error:
        raise error.changed(**_renamed(error.problem.values)) from error


def _renamed(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a problem, with the names that a table has for roles."""
    renamed = dict(values)
    for name, value in values.items():
        if name in ("role", "other"):
            renamed[name] = _TABLE_WORDS.get(value, value)
        elif isinstance(value, Said) and value.kind.startswith("inputs.known_"):  # whose cell it is
            renamed[name] = {_TABLE_WORDS[role]: cell for role, cell in value.values.items()}
        elif isinstance(value, Said):
            renamed[name] = Said(value.kind, _renamed(value.values))
    return renamed


def _read_once(items: object) -> object:
    """Read standard input now: it can be read only once, and every column is read separately."""
    if not is_path(items) or str(items) != "-":
        return items
    with open_source("-") as source:
        return source.read_all()


def _read(items: object, of_file: Any, of_frame: Any, **columns: str) -> Any:
    """The columns of a file or of a frame, as judgments or as a run."""
    if is_path(items) or isinstance(items, bytes):
        return of_file(items, columns=columns)
    return of_frame(items, columns=columns, source="items")


def _check(judged: JudgmentTable, groups: pl.Series, id: str) -> None:
    twice = judged.item.filter(judged.item.is_duplicated()).unique(maintain_order=True)
    if len(twice):
        raise InputError.of("conformance.row_twice", source=judged.source, id=id, items=examples(twice.to_list()))
    count, size = groups.n_unique(), len(groups)
    if count * size > MOST_PLACES:
        raise InputError.of(
            "conformance.too_many_places", source=judged.source, groups=count, items=size, places=count * size
        )


def _as_relevant(judged: JudgmentTable, chosen: pl.Series | None) -> JudgmentTable:
    """The chosen items, or all, as the relevant ones of their group."""
    query, item = (column if chosen is None else column.filter(chosen) for column in (judged.query, judged.item))
    return JudgmentTable(query, item, pl.repeat(1.0, len(item), eager=True).alias("grade"), judged.source)


def _everywhere(run: RunTable) -> RunTable:
    """A run that returns every item for every group."""
    groups = pl.DataFrame({"query": run.query.unique(maintain_order=True)})
    frame = groups.join(pl.DataFrame({"item": run.item, "score": run.score}), how="cross")
    return RunTable(frame["query"], frame["item"], frame["score"], run.source, scored=run.scored)


def _rank_from(reciprocal: float) -> float | None:
    return round(1 / reciprocal) if reciprocal else None
