"""The judging page: one file that works offline, keeps what was judged, and exports it as judgments."""

from __future__ import annotations

import hashlib
import json
import os
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from rankmeter.errors import InputError, examples
from rankmeter.inputs.attributes import is_id_name, name_of_table, table_of
from rankmeter.inputs.columns import find_columns, is_usual
from rankmeter.inputs.reading import CHANCES
from rankmeter.inputs.titles import into_titles
from rankmeter.late import pl, text_beside
from rankmeter.showing.html import page_around
from rankmeter.whole_files import write_text
from rankmeter.wording import Language, words

_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
GRADE = "grade"
WORDS = "../wings/judging/words/judge_page"


@dataclass(frozen=True, slots=True)
class JudgePage:
    """A page to judge on."""

    text: str
    """The page, as one HTML file."""
    pairs: int
    """How many pairs have no grade yet."""
    queries: int
    """How many queries have such a pair."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page, whole or not at all."""
        write_text(Path(path), self.text)


def judge_page(
    pool: object,
    *,
    items: object = None,
    queries: object = None,
    grades: Sequence[int] = (0, 1, 2, 3),
    labels: Mapping[int, str] | None = None,
    guidelines: str = "",
    judge: str = "",
    seed: int = 0,
    lang: Language = "en",
) -> JudgePage:
    """A page on which a person judges pairs of query and item, as one HTML file.

    Grades are given by the keys 0 to 9 or by buttons; what was judged is kept in the browser and exported as a table
    (query, item, grade, judge, time, skipped, comment) that rankmeter reads as judgments. Which system returned an
    item, and where, is not on the page; the items of a query stand in a random order.

    Parameters
    ----------
    pool
        The pairs to judge: a frame or a file with a query and an item column, as :func:`rankmeter.pool` and
        :func:`rankmeter.draw` make it. Pairs whose ``grade`` is filled in are judged already: they are exported, and
        not asked again. The chances of a draw are exported, too; any other column is left out.
    items
        What an item looks like: a frame or a file with an id and any other columns, of which the first is its heading.
    queries
        The texts of the queries, ``{id: text}`` or a file with ids and texts.
    grades, labels
        The grades that can be given, at most ten from 0 to 9, and what each of them means.
    guidelines
        What a judge should keep to; shown on the page, a blank line makes a paragraph.
    judge
        The name of the judge; it can be changed on the page.
    seed
        Of the random order of the items. Two judges with the same seed see the same order.
    lang
        The language of the page, ``en`` or ``zh``.

    Examples
    --------
    >>> import polars as pl
    >>> from rankmeter import judge_page
    >>> page = judge_page(pl.DataFrame({"query": ["q1"], "item": ["<b>17"]}), queries={"q1": "red dress"})
    >>> page.pairs, "red dress" in page.text, "<b>17" in page.text
    (1, True, False)
    """
    offered = list(grades)
    if not set(offered) <= set(range(10)) or not 2 <= len(set(offered)) == len(offered):  # each must have a key
        raise InputError.of("judging.grades_without_keys", grades=offered)
    pairs, columns = _pairs(pool, seed)
    graded = _graded_places(columns.pop(GRADE, []), offered, name_of_table(pool, "the pool"))
    shown = {item for _, item in pairs}
    said = words(WORDS, lang, about="page")
    titles = into_titles(None if queries is None else {"queries": queries})
    asked = {query for query, _ in pairs}
    texts = {query: text for query, (text, *_) in titles.queries.rows.items() if query in asked}
    fields = _fields(items, shown)
    for table, texts_of, ids in ((queries, texts, asked), (items, fields, shown)):
        if table is not None and not texts_of:
            source = name_of_table(table)
            raise InputError.of("judging.nothing_to_show", source=source, id=min(ids))
    named = labels or {}
    known = [[grade, named.get(grade, "")] for grade in offered]
    if unknown := sorted(set(named) - set(offered)):
        raise InputError.of("judging.label_of_no_grade", grade=unknown[0], grades=offered)
    digest = hashlib.sha256(json.dumps([pairs, known, *([graded] if graded else [])]).encode()).hexdigest()[:16]
    data = {
        "digest": digest, "judge": judge, "pairs": pairs, "kept": columns, "queries": texts,
        "items": fields, "grades": known, "graded": graded, "words": said,
    }  # fmt: skip
    # Within a script only "</" and "<!--" would end or hide it.
    embedded = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c").replace("\u2028", "\\u2028")
    keys = " ".join(f"<kbd>{grade}</kbd>" for grade, _ in known)
    text = _page(embedded, said, guidelines, keys, lang)
    judged = {place for place, _ in graded}
    to_judge = [query for place, (query, _) in enumerate(pairs) if place not in judged]
    return JudgePage(text, len(to_judge), len(set(to_judge)))


def _pairs(pool: object, seed: int) -> tuple[list[list[str]], dict[str, list[str]]]:
    """The pairs query by query, the items of each in a random order; their grades and chances, where there are any."""
    frame = _pool_table(pool)
    columns = find_columns(frame.columns, ("query", "item"), None, name_of_table(pool, "the pool"))
    drawn = [name for name in (GRADE, *CHANCES) if name in frame.columns]
    frame = frame.select(
        pl.col(columns["query"]).cast(pl.String).alias("query"), pl.col(columns["item"]).cast(pl.String).alias("item"),
        *(pl.col(name).cast(pl.String).fill_null("") for name in drawn),
    )  # fmt: skip
    missing = frame.select(pl.any_horizontal(pl.col("query", "item").is_null()).sum()).item()
    if missing:
        raise InputError.of("judging.pair_without_id", source=name_of_table(pool, "the pool"), count=missing)
    by_query: dict[str, dict[str, tuple[str, ...]]] = {}
    for query, item, *chances in frame.iter_rows():
        by_query.setdefault(query, {})[item] = tuple(chances)
    if not by_query:
        raise InputError.of("inputs.empty", source=name_of_table(pool, "the pool"))
    pairs = []
    for query, listed in by_query.items():
        order = sorted(listed)
        random.Random(f"{seed} {query}").shuffle(order)  # noqa: S311 (an order, not a secret)
        pairs += [[query, item] for item in order]
    return pairs, {name: [by_query[query][item][at] for query, item in pairs] for at, name in enumerate(drawn)}


def _graded_places(column: Sequence[str], offered: Sequence[int], source: str) -> list[list[int]]:
    """The places of the pairs that are graded already, with their grades; refuses grades that are not offered."""
    graded = []
    for place, text in enumerate(column):
        if not text:
            continue
        grade = next((grade for grade in offered if text in (str(grade), f"{grade}.0")), None)
        if grade is None:
            raise InputError.of("judging.grade_not_offered", source=source, grade=text, grades=list(offered))
        graded.append([place, grade])
    return graded


def _pool_table(pool: object) -> pl.DataFrame:
    """The pool as a table, which must have a query and an item column."""
    try:
        frame = table_of(pool, "pool")
    except InputError as error:
        if error.__cause__ is None:  # an error with a cause is about parsing the file
            raise
        raise InputError.of("judging.not_a_pool", source=name_of_table(pool, "the pool"), columns=[]) from error
    if not all(any(is_usual(role, name) for name in frame.columns) for role in ("query", "item")):
        raise InputError.of(
            "judging.not_a_pool", source=name_of_table(pool, "the pool"), columns=examples(frame.columns, shown=8)
        )
    return frame


def _fields(items: object, shown: set[str]) -> dict[str, list[list[str]]]:
    """What is shown for each item: the columns of the table except its id, without empty values."""
    if items is None:
        return {}
    frame = table_of(items, "items")
    ids = next((name for name in frame.columns if is_usual("item", name)), None)
    ids = ids or next((name for name in frame.columns if is_id_name(name) or name == "_id"), None)
    if ids is None:
        raise InputError.of("judging.items_without_id", columns=examples(frame.columns, shown=8))
    fields: dict[str, list[list[str]]] = {}
    for row in frame.filter(pl.col(ids).cast(pl.String).is_in(sorted(shown))).iter_rows(named=True):
        values = [[name, str(value)] for name, value in row.items() if name != ids and value not in (None, "")]
        fields[str(row[ids])] = values
    return fields


def _page(embedded: str, said: Mapping[str, Any], guidelines: str, keys: str, lang: Language) -> str:
    paragraphs = "".join(f"<p>{escape(part.strip())}</p>" for part in guidelines.split("\n\n") if part.strip())
    guide = f"<details open><summary>{escape(said['guidelines'])}</summary>{paragraphs}</details>" if paragraphs else ""
    word = {name: escape(str(text)) for name, text in said.items()}
    body = f"""<main>
<div class="bar-top">
<progress id="progress" value="0" max="1" aria-label="{word["progress"]}"></progress>
<div class="tools">
<button id="back" title="p">{word["back"]}</button><button id="next" title="n">{word["next"]}</button>
<button id="undo" title="u">{word["undo"]}</button><button id="view"></button>
<button id="export">{word["export"]}</button>
<label class="file">{word["import"]}<input id="import" type="file" accept=".csv,text/csv"></label>
<label>{word["judge"]} <input id="judge" size="10"></label>
<span id="count"></span> <span id="kept" class="soft"></span>
</div></div>
<p id="said" role="status"></p>
<p id="done" class="notes" hidden>{word["done"]}</p>
{guide}
<h2 id="query"></h2><p id="query-id" class="soft"></p>
<div id="cards"></div>
<p class="soft keys">{keys} {word["key_grade"]} · <kbd>s</kbd> {word["skip"]} ·
<kbd>u</kbd> {word["undo"]} · <kbd>n</kbd> <kbd>p</kbd> {word["key_move"]} · <kbd>c</kbd> {word["comment"]}</p>
</main>
<script type="application/json" id="data">{embedded}</script>
<script>{text_beside(__file__, "assets/judge.js")}</script>
"""
    return page_around(
        body, said["title"], lang, policy=_POLICY, style=text_beside(__file__, "assets/judge.css"), kind="judging"
    )
