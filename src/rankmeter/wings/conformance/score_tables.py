"""One table of items under two definitions: each group measured within itself and over the whole list.

Without groups the table is one list, and has one definition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import nan
from typing import Any

from rankmeter import wording
from rankmeter.errors import InputError, MeasureError, examples
from rankmeter.evaluating.asking import ask
from rankmeter.evaluating.verb import evaluate
from rankmeter.inputs.accepting import is_path
from rankmeter.inputs.cells import LOOKED_AT, RawColumn
from rankmeter.inputs.checked_tables import OpenedTable, TablePart, whole_table
from rankmeter.inputs.columns import IDS, Named, Role, Side, no_named_column
from rankmeter.inputs.compression import open_source
from rankmeter.inputs.files import check_no_columns, check_not_empty, read_judgments, read_run
from rankmeter.inputs.formats import open_table, recognise
from rankmeter.inputs.frames import OpenedFrame
from rankmeter.inputs.reading import Reading
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

WHOLE = "all"
"""The name of the one list of a table without groups."""


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """The value of one measure for one group by one score, under both definitions."""

    group: str | None
    """None for the mean over groups, and for the one list of a table without groups."""
    score: str
    measure: str
    within: float
    whole: float
    """NaN in a table without groups, as is ``first_whole`` None: the whole list is the only one there is."""
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
    """The relevant items within each group; those of the one list have the name "all"."""
    tied: dict[str, int]
    """For each score, how many items have the same value as another one."""
    is_grouped: bool = True
    """Whether a column says which group an item is in."""

    def value(self, group: str | None, score: str, measure: str | Measure = FIRST) -> tuple[float, float]:
        """The values within the group and over the whole list; of the mean, or of the one list, if it is None."""
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
        """The table, and below it why its two columns differ, or what is relevant in the one list."""
        head, rows = self._rows(language) if self.is_grouped else self._rows_of_one(language)
        texts = 2 if self.is_grouped else 1
        kinds: list[Kind] = [*(["text"] * texts), *(["number"] * (len(head) - texts))]  # type: ignore[list-item]
        table = text_table(head, rows, kinds)
        # On a narrow terminal the ranks after the values are dropped first.
        ranks = len(head) - texts
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
            first = cells[0]
            within, whole = (first.first_within, first.places), (first.first_whole, self.items)
            if first.first_within is None or first.first_whole is None:
                within, whole = (None, 0), (None, 0)
            rows.append([*row, _rank_shown(*within, words), _rank_shown(*whole, words)])
        return head, rows

    def _rows_of_one(self, language: Language) -> tuple[list[str], list[list[str]]]:
        words = wording.words("conformance", language, about="table")
        measures = list(dict.fromkeys(cell.measure for cell in self.cells))
        lines: dict[str, list[ScoreCell]] = {}
        for cell in self.cells:
            lines.setdefault(cell.score, []).append(cell)
        rows = [
            [score, *(f"{cell.within:.4f}" for cell in cells), _rank_shown(cells[0].first_within, self.items, words)]
            for score, cells in lines.items()
        ]
        return [words["score"], *measures, words["first"]], rows

    def _reasons(self, language: Language) -> list[str]:
        return [*(self._why(language) if self.is_grouped else self._why_of_one(language)), *self._ties(language)]

    def _why_of_one(self, language: Language) -> list[str]:
        words = wording.words("conformance", language, about="table")
        items = self.best[WHOLE]
        form = words["why_one"] if len(items) == 1 else words["why_several"]
        return [form.format(items=self.items, truth=self.truth, best=examples(items)), words["why_no_group"]]

    def _why(self, language: Language) -> list[str]:
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
        return lines

    def _ties(self, language: Language) -> list[str]:
        form = wording.words("conformance", language, about="table")["tied"]
        measure = self.cells[0].measure
        return [form.format(count=n, score=score, measure=measure) for score, n in self.tied.items() if n]


def _rank_shown(rank: float | None, places: int, words: Mapping[str, str]) -> str:
    return "" if rank is None else words["of"].format(rank=rank, places=places)


def score_table(
    items: object,
    *,
    id: str,
    group: str | None = None,
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
        The columns with the ids of the items and the group of each. Without a group all rows are one list, whose best
        items are the relevant ones, and the values over the whole list are NaN.
    score
        The column or columns by which items are ranked, highest first.
    truth
        The column whose highest value in a group, or in the one list, marks its relevant item.
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
    >>> spots = score_table(demo.data_path(demo.SPOTS), id="SpotID", score="weighted_sentiment_score", truth="Check")
    >>> spots.value(None, "weighted_sentiment_score")
    (0.16666666666666666, nan)
    """
    scores = list(dict.fromkeys([score] if isinstance(score, str) else score))
    if not scores:
        raise InputError.of("conformance.no_score")
    asked = ask(measures).measures
    _check_measures(asked)
    items = _read_once(items)
    with _in_words_of_a_table():
        judged: JudgmentTable = _read(items, "judgments", group, item=id, grade=truth)
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
            run: RunTable = _read(items, "run", group, item=id, score=name)
        tied[name] = int(run.score.is_duplicated().sum())
        within = evaluate(_as_relevant(judged, top), run, [*asked, FIRST])
        if group is None:
            means += [
                ScoreCell(None, name, str(measure), within[str(measure)], nan, _rank_from(within[FIRST]))
                for measure in asked
            ]
            continue
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
    return ScoreTable((*cells, *means), len(judged.item), truth, best, tied, group is not None)


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


def _read(items: object, side: Side, group: str | None, **columns: str) -> Any:
    """The columns of a file or of a frame, as judgments or as a run; all rows are one query if there is no group."""
    named = columns if group is None else {"query": group, **columns}
    if not (is_path(items) or isinstance(items, bytes)):
        opened = OpenedFrame(items, "items")
        return whole_table(opened if group else OneList(opened), side, named, "items", "frame")
    if group is not None:
        return (read_judgments if side == "judgments" else read_run)(items, columns=named)  # type: ignore[arg-type]
    with open_source(items) as source:
        check_not_empty(source)
        kind = recognise(source.head, source.name)
        if kind in ("qrels", "run", "labelled"):  # nothing in them is a column
            check_no_columns(source, named)
        return whole_table(OneList(open_table(kind, source, side, named=named)), side, named, source.name, kind)


class OneList(OpenedTable):
    """A table without groups, with a column added that says that all of its rows are one list."""

    def __init__(self, table: OpenedTable) -> None:
        self._table = table
        self._added = "group"
        while self._added in table.names:
            self._added += "_"
        self.names = [*table.names, self._added]

    def head(self, column: str) -> RawColumn | Sequence[object]:
        """The first rows of a column."""
        return [WHOLE] * LOOKED_AT if column == self._added else self._table.head(column)

    def find(self, side: Side, named: Named | None, source: str, format: str) -> Reading:
        """Find the columns that are needed."""
        for role, column in (named or {}).items():
            if column not in self._table.names:
                raise no_named_column(role, column, self._table.names, source)
        return super().find(side, {**(named or {}), "query": self._added}, source, format)

    def parts(self, columns: Mapping[Role, str]) -> Iterator[TablePart]:
        """The rows, as they are stored; the ids are read in place of the queries, which every table is asked for."""
        stored: dict[Role, str] = {role: column for role, column in columns.items() if role not in IDS}
        yield from map(_as_one_list, self._table.parts({"query": columns["item"], **stored}))


def _as_one_list(part: TablePart) -> TablePart:
    again, items = part.exactly, part.raw["query"]
    one = pl.repeat(WHOLE, len(items), eager=True)
    exactly = None if again is None else lambda: _as_one_list(again())
    return replace(part, raw={**part.raw, "query": one, "item": items}, exactly=exactly)


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
