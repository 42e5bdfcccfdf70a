"""Published tables, read as text: which cells are claims, which were computed from others.

Three forms are known: a row a system and a column a measure (``model,HR@10,NDCG@10``), a row a measure and a column
a system (``dataset,metric,BPR,SASRec,Improv.``), and a row a value (``model,dataset,metric,value``). Files are CSV,
TSV or a Markdown table.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from rankmeter.errors import InputError
from rankmeter.frozen import dataclass
from rankmeter.whole_files import check_readable
from rankmeter.wings.results.printed import PrintedClaim, PrintedNumber, named_measure, printed
from rankmeter.wording import Said, said

Derived = Literal["improvement", "average", "rank"]
PATTERNS: Mapping[Derived, re.Pattern[str]] = {
    "improvement": re.compile(r"(%\s*)?(rel\w*\.?\s*)?(improv|imp\.|impr|gain|lift|Δ|delta|提升|改进)", re.IGNORECASE),
    "rank": re.compile(r"((avg|average|mean|平均)\.?\s*)?(rank|排名|名次)", re.IGNORECASE),
    "average": re.compile(r"(avg|average|mean|macro|overall|平均|均值)", re.IGNORECASE),
}
DATASETS = frozenset("dataset datasets data task benchmark corpus domain split 数据集 任务".split())
METRICS = frozenset("metric metrics measure measures 指标".split())
VALUES = frozenset("value score result 值 得分".split())
SIZES = frozenset("queries users n #users #queries num_queries num_users 查询数 用户数".split())
GAP = 20
"""From how many times the median on, a value above 1 among shares is a per cent that was forgotten to be marked."""


@dataclass(frozen=True, slots=True)
class DerivedCell:
    """A cell that was computed from others: those of its row, or of its column."""

    kind: Derived
    printed: PrintedNumber
    place: str
    name: str
    claims: tuple[PrintedClaim, ...]
    """What it was computed from, in their order."""
    columns: tuple[tuple[PrintedClaim, ...], ...] = ()
    """For a rank, the claims of all systems, a column each."""
    system: str = ""


@dataclass(frozen=True, slots=True)
class PrintedTable:
    """A published table."""

    claims: tuple[PrintedClaim, ...]
    derived: tuple[DerivedCell, ...] = ()
    queries: tuple[tuple[str, int], ...] = ()
    """How many queries each dataset has, where the table says so."""
    notes: tuple[Said, ...] = ()


def read_printed(source: object, *, scale: str | None = None) -> PrintedTable:
    """A table from a file, from rows of text, or from a data frame.

    Raises
    ------
    InputError
        When it has no measures, a cell is no number, or per cents and shares stand side by side.
    """
    rows, notes = _rows_of(source)
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    if len(rows) < 2:
        raise InputError.of("results.empty_table", rows=len(rows))
    heads, body = [head.strip() for head in rows[0]], rows[1:]
    width = len(heads)
    for number, row in enumerate(body, 2):
        if len(row) != width:
            raise InputError.of("results.ragged", row=number, cells=len(row), wanted=width)
    names = [_bare(head) for head in heads]
    metric = next((at for at, name in enumerate(names) if name in METRICS), None)
    if metric is not None and any(name in VALUES for name in names):
        table = _long(heads, body, metric)
    elif metric is not None and not any(split_head(head) for head in heads):
        table = _turned(heads, body, metric)
    else:
        table = _wide(heads, body)
    return _scaled(table, scale, notes)


def _bare(head: str) -> str:
    return head.strip(" *_:").casefold()


def _rows_of(source: object) -> tuple[list[list[str]], list[Said]]:
    if isinstance(source, (str, Path)):
        try:
            text = check_readable(source).read_text("utf-8-sig")
        except ValueError as error:
            raise InputError.of("results.damaged", path=str(source), error=str(error)) from None
        if str(source).endswith(".md") or text.lstrip().startswith("|"):
            return _markdown(text)
        dialect = "\t" if "\t" in text.partition("\n")[0] else ";" if ";" in text.partition("\n")[0] else ","
        return list(csv.reader(io.StringIO(text), delimiter=dialect)), []
    columns = getattr(source, "columns", None)
    if columns is not None:
        names = [str(name) for name in columns]
        if twice := [name for at, name in enumerate(names) if name in names[:at]]:
            raise InputError.of("results.column_twice", name=twice[0])
        cells = [list(source[name]) for name in columns]  # type: ignore[index]
        rows = [[_cell(cell) for cell in row] for row in zip(*cells, strict=True)]
        lost = any(isinstance(cell, float) for column in cells for cell in column)
        return [names, *rows], [said("audit_lost_zeros")] if lost else []
    if isinstance(source, Iterable):
        return [[_cell(cell) for cell in row] for row in source], []
    raise InputError.of("results.no_table", type=type(source).__name__)


def _cell(value: Any) -> str:
    return "" if value is None or (isinstance(value, float) and math.isnan(value)) else str(value)


def _markdown(text: str) -> tuple[list[list[str]], list[Said]]:
    """The first table of a document that has a measure, and how many others there are."""
    tables: list[list[list[str]]] = []
    before = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("|"):
            if not before.startswith("|"):
                tables.append([])
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
            if not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
                tables[-1].append(cells)
        before = line
    tables = [table for table in tables if table]
    if not tables:
        return [], []
    measured = [table for table in tables if any(split_head(head) or _bare(head) in METRICS for head in table[0])]
    left = len(measured or tables) - 1
    return (measured or tables)[0], [said("audit_other_tables", count=left)] if left else []


def split_head(head: str) -> tuple[str, str] | None:
    """Dataset and measure of the head of a column; None where it names no measure.

    >>> split_head("Beauty NDCG@10"), split_head("HR@5 (Toys)"), split_head("Params")
    (('Beauty', 'NDCG@10'), ('Toys', 'HR@5'), None)
    """
    if named_measure(head) is not None:
        return "", head.strip()
    if match := re.fullmatch(r"(.+?)\s*[(\[](.+?)[)\]]", head.strip()):
        for measure, dataset in (match.groups(), match.groups()[::-1]):
            if named_measure(measure) is not None:
                return dataset, measure
    parts = re.split(r"[\s/|:_]+", head.strip())
    if len(parts) > 1:
        for measure, dataset in ((parts[-1], parts[:-1]), (parts[0], parts[1:])):
            if "@" in measure and named_measure(measure) is not None:
                return " ".join(dataset), measure
    return None


def derived_kind(name: str) -> Derived | None:
    """Whether a name is that of what is computed from other cells."""
    bare = name.strip(" *_()")
    return next((kind for kind, pattern in PATTERNS.items() if pattern.match(bare)), None)


def _is_prose(column: Sequence[str]) -> bool:
    """Whether no cell of a column is a number."""
    return all(_try(cell) is None for cell in column)


def _try(cell: str) -> PrintedNumber | None:
    try:
        return printed(cell)
    except InputError:
        return None


def _place(number: int, head: str) -> str:
    return f"{number}, {head}"


def _wide(heads: Sequence[str], body: Sequence[Sequence[str]]) -> PrintedTable:
    measured = {at: split for at, head in enumerate(heads) if (split := split_head(head))}
    if not measured:
        raise InputError.of("results.no_measures", heads=list(heads))
    names = [_bare(head) for head in heads]
    dataset_at = next((at for at, name in enumerate(names) if name in DATASETS), None)
    size_at = next((at for at, name in enumerate(names) if name in SIZES), None)
    rest = [at for at in range(len(heads)) if at not in measured and at not in (dataset_at, size_at)]
    computed = {at: kind for at in rest if (kind := derived_kind(heads[at])) and not _is_prose(_column(body, at))}
    labels = [at for at in rest if at not in computed and _is_prose(_column(body, at))]
    claims: dict[tuple[int, int], PrintedClaim] = {}
    sizes: dict[str, int] = {}
    for number, row in enumerate(body):
        system = " ".join(row[at].strip(" *") for at in labels)
        if derived_kind(system):
            continue
        within = row[dataset_at].strip() if dataset_at is not None else ""
        if size_at is not None and (size := _try(row[size_at])):
            sizes[within] = int(size.value)
        for at, (dataset, measure) in measured.items():
            place = _place(number + 2, heads[at])
            if (value := printed(row[at], place=place)) is not None:
                found = named_measure(measure)
                whole = " ".join(part for part in (within, dataset) if part)
                claims[number, at] = PrintedClaim(measure, found, value, system, whole, place)  # type: ignore[arg-type]
    _check_once(claims.values())
    derived = [
        *_of_columns(heads, body, computed, measured, claims),
        *_of_rows(heads, body, labels, measured, claims),
    ]
    return PrintedTable(tuple(claims.values()), tuple(derived), tuple(sizes.items()))


def _column(body: Sequence[Sequence[str]], at: int) -> list[str]:
    return [row[at] for row in body]


def _of_columns(
    heads: Sequence[str],
    body: Sequence[Sequence[str]],
    computed: Mapping[int, Derived],
    measured: Mapping[int, tuple[str, str]],
    claims: Mapping[tuple[int, int], PrintedClaim],
) -> list[DerivedCell]:
    """The cells of columns that were computed from their row: averages and ranks."""
    cells = []
    for at, kind in computed.items():
        wanted = split_head(re.sub(PATTERNS[kind], "", heads[at]).strip())
        used = [place for place in measured if wanted is None or measured[place][1] == wanted[1]]
        for number, row in enumerate(body):
            value = printed(row[at], place=_place(number + 2, heads[at]))
            own = tuple(claims[number, place] for place in used if (number, place) in claims)
            if value is None or len(own) < (2 if kind == "average" else 1) or kind == "improvement":
                continue
            columns = tuple(
                tuple(
                    beside
                    for other in range(len(body))
                    if (beside := claims.get((other, place))) and beside.dataset == claims[number, place].dataset
                )
                for place in used
                if (number, place) in claims
            )
            place = _place(number + 2, heads[at])
            cells.append(DerivedCell(kind, value, place, heads[at], own, columns, own[0].system))
    return cells


def _of_rows(
    heads: Sequence[str],
    body: Sequence[Sequence[str]],
    labels: Sequence[int],
    measured: Mapping[int, tuple[str, str]],
    claims: Mapping[tuple[int, int], PrintedClaim],
) -> list[DerivedCell]:
    """The cells of rows that were computed from their column: averages and improvements."""
    cells = []
    for number, row in enumerate(body):
        name = " ".join(row[at].strip(" *") for at in labels)
        kind = derived_kind(name)
        if kind not in ("average", "improvement"):
            continue
        for at in measured:
            place = _place(number + 2, heads[at])
            value = printed(row[at], place=place)
            above = tuple(claims[other, at] for other in range(number) if (other, at) in claims)
            if value is not None and len(above) > 1:
                cells.append(DerivedCell(kind, value, place, name, above))
    return cells


def _turned(heads: Sequence[str], body: Sequence[Sequence[str]], metric: int) -> PrintedTable:
    names = [_bare(head) for head in heads]
    dataset_at = next((at for at, name in enumerate(names) if name in DATASETS), None)
    rest = [at for at in range(len(heads)) if at not in (metric, dataset_at)]
    computed = {at: kind for at in rest if (kind := derived_kind(heads[at]))}
    systems = [at for at in rest if at not in computed and not _is_prose(_column(body, at))]
    claims: list[PrintedClaim] = []
    derived: list[DerivedCell] = []
    dataset = ""
    for number, row in enumerate(body, 2):
        dataset = (row[dataset_at].strip() if dataset_at is not None else "") or dataset
        measure = named_measure(row[metric])
        if measure is None:
            raise InputError.of("results.unknown_measure", name=row[metric], place=_place(number, heads[metric]))
        own = []
        for at in systems:
            place = _place(number, heads[at])
            if (value := printed(row[at], place=place)) is not None:
                own.append(PrintedClaim(row[metric].strip(), measure, value, heads[at].strip(" *"), dataset, place))
        claims += own
        for at, kind in computed.items():
            place = _place(number, heads[at])
            value = printed(row[at], place=place)
            if value is not None and kind == "improvement" and len(own) > 1:
                before = tuple(claim for claim in own if heads.index(_head_of(claim, heads)) < at) or tuple(own)
                derived.append(DerivedCell(kind, value, place, heads[at], before))
    _check_once(claims)
    return PrintedTable(tuple(claims), tuple(derived))


def _head_of(claim: PrintedClaim, heads: Sequence[str]) -> str:
    return next(head for head in heads if head.strip(" *") == claim.system)


def _long(heads: Sequence[str], body: Sequence[Sequence[str]], metric: int) -> PrintedTable:
    names = [_bare(head) for head in heads]
    value_at = next(at for at, name in enumerate(names) if name in VALUES)
    dataset_at = next((at for at, name in enumerate(names) if name in DATASETS), None)
    size_at = next((at for at, name in enumerate(names) if name in SIZES), None)
    labels = [at for at in range(len(heads)) if at not in (metric, value_at, dataset_at, size_at)]
    claims, sizes = [], {}
    for number, row in enumerate(body, 2):
        place = _place(number, heads[value_at])
        measure = named_measure(row[metric])
        if measure is None:
            raise InputError.of("results.unknown_measure", name=row[metric], place=_place(number, heads[metric]))
        dataset = row[dataset_at].strip() if dataset_at is not None else ""
        if size_at is not None and (size := _try(row[size_at])):
            sizes[dataset] = int(size.value)
        if (value := printed(row[value_at], place=place)) is not None:
            system = " ".join(row[at].strip(" *") for at in labels)
            claims.append(PrintedClaim(row[metric].strip(), measure, value, system, dataset, place))
    _check_once(claims)
    return PrintedTable(tuple(claims), (), tuple(sizes.items()))


def _check_once(claims: Iterable[PrintedClaim]) -> None:
    """Refuse a system that stands twice, with the places of both."""
    first: dict[tuple[str, str, str], PrintedClaim] = {}
    for claim in claims:
        key = (claim.system, claim.dataset, str(claim.measure))
        if key in first:
            places = [first[key].place, claim.place]
            raise InputError.of("results.twice", system=claim.system, measure=claim.name, places=places)
        first[key] = claim


def _scaled(table: PrintedTable, scale: str | None, notes: list[Said]) -> PrintedTable:
    """The table with per cents as shares: where they are marked, and where most values are above 1."""
    plain = [claim for claim in table.claims if not claim.printed.is_percent]
    above = [claim for claim in plain if claim.value > 1]
    if scale == "share" or not plain or (scale is None and 2 * len(above) <= len(plain)):
        if scale is None:
            _check_no_per_cent(plain, above)
        return PrintedTable(table.claims, table.derived, table.queries, tuple(notes))
    counted = Counter(claim.printed.is_percent for claim in table.claims)
    if counted[True]:
        marked = next(claim for claim in table.claims if claim.printed.is_percent)
        raise InputError.of("results.percent_beside_share", place=above[0].place if above else plain[0].place,
                            text=(above or plain)[0].printed.bare, other=marked.printed.bare)  # fmt: skip
    if scale is None:
        notes = [*notes, said("audit_read_as_percent")]

    def turned(claim: PrintedClaim) -> PrintedClaim:
        return PrintedClaim(
            claim.name, claim.measure, claim.printed.as_percent(), claim.system, claim.dataset, claim.place
        )

    derived = tuple(
        DerivedCell(
            cell.kind,
            cell.printed.as_percent() if cell.kind == "average" else cell.printed,
            cell.place,
            cell.name,
            tuple(map(turned, cell.claims)),
            tuple(tuple(map(turned, column)) for column in cell.columns),
            cell.system,
        )
        for cell in table.derived
    )
    return PrintedTable(tuple(map(turned, table.claims)), derived, table.queries, tuple(notes))


def _check_no_per_cent(plain: Sequence[PrintedClaim], above: Sequence[PrintedClaim]) -> None:
    """Refuse a value that is far above the shares of its measure: a per cent without its sign."""
    for claim in above:
        beside = sorted(other.value for other in plain if str(other.measure) == str(claim.measure) and other.value <= 1)
        if beside and claim.value > GAP * max(beside[len(beside) // 2], 0.05):
            raise InputError.of(
                "results.percent_beside_share", place=claim.place, text=claim.printed.text, other=f"{beside[-1]:g}"
            )
