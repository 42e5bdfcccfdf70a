"""Answers scored by their nuggets: the six scores of the TREC RAG track, from labels that somebody else gave.

A nugget is a fact that a good answer holds; it is vital or okay, and an answer supports it, partly, or not. Pradeep et
al. 2024, 2025 define the scores; the strict ones give nothing for partial support. Vital strict heads the track's
tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from rankmeter.errors import InputError, NotFoundError, check_choice, check_level
from rankmeter.inputs.attributes import find_roles, name_of_table, table_of
from rankmeter.inputs.columns import ASKED
from rankmeter.inputs.reading import QUERY_CHANCE
from rankmeter.late import pl
from rankmeter.showing.document import Block, Folded, Heading, Paragraph
from rankmeter.showing.showable import NotedTable, said_table
from rankmeter.wings.judging.assistance import Assistance
from rankmeter.wings.judging.assisted_values import queries_seen
from rankmeter.wings.judging.estimators import bounded_mean
from rankmeter.wings.judging.observed import Design, Seen, drawn_queries
from rankmeter.wording import Said, kinds, said, word

Empty = Literal["zero", "one", "skip"]
SCORES = ("vital_strict", "vital", "weighted_strict", "weighted", "all_strict", "all")
SUPPORT: Mapping[str, float] = {
    "support": 1.0, "supported": 1.0, "full_support": 1.0, "1": 1.0, "1.0": 1.0,
    "partial_support": 0.5, "partial": 0.5, "partially_supported": 0.5, "0.5": 0.5,
    "not_support": 0.0, "not_supported": 0.0, "no_support": 0.0, "none": 0.0, "0": 0.0, "0.0": 0.0,
}  # fmt: skip
IMPORTANCE: Mapping[str, str] = {"vital": "vital", "okay": "okay", "ok": "okay"}
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "query": ASKED,
    "nugget": ("nugget", "nugget_id", "nugget_text", "text"),
    "importance": ("importance", "nugget_importance", "vitality"),
    "support": ("support", "assignment", "label", "nugget_support"),
    "system": ("system", "run", "run_id", "system_id", "answer_id"),
    "length": ("length", "answer_length", "words", "tokens", "characters"),
}
"""How the columns are usually called."""
OKAY_WEIGHT = 0.5


_SCORES, _MEANS = kinds("nugget_{}", SCORES), kinds("nugget_{}_means", SCORES)


@dataclass(frozen=True, slots=True)
class NuggetScore:
    """One score of one system: the mean over its queries."""

    system: str
    score: str
    value: float
    low: float
    high: float
    """NaN, as is the low end, where there is no interval."""
    queries: int


@dataclass(frozen=True, slots=True, repr=False)
class NuggetScores(NotedTable):
    """The six scores of answers; made by :func:`rankmeter.nuggets`."""

    systems: tuple[str, ...]
    scores: Mapping[tuple[str, str], NuggetScore]
    per_query: pl.DataFrame
    """``system``, ``query``, ``nuggets``, ``vital_nuggets``, then the six scores; null where a query does not count."""
    labels: pl.DataFrame
    """``system``, ``query``, ``nugget``, ``importance``, ``support`` (0, 0.5, 1), as they were understood."""
    empty: Empty
    level: float
    lengths: Mapping[str, float]
    """The mean length of each system's answers, where there is a column for it."""
    notes: tuple[Said, ...]
    assisted: Assistance | None = None
    """Scores from these labels and a machine's together, where ``assisted_by=`` gave some."""

    def __getitem__(self, score: str) -> float:
        return self.score(score).value

    def score(self, score: str, system: str | None = None) -> NuggetScore:
        """One score with its interval: ``vital_strict``, ``vital``, ``weighted``, ``all`` ...; of the only system."""
        name = self.systems[0] if system is None and len(self.systems) == 1 else system
        if (name, score) not in self.scores:
            raise NotFoundError.of(
                "judging.no_score", score=str(score), system=str(name), scores=list(SCORES), systems=list(self.systems)
            )
        return self.scores[str(name), score]

    def assignments(self) -> pl.DataFrame:
        """The labels as judgments, for :func:`rankmeter.judges` with ``scale=[0, 0.5, 1]``."""
        item = pl.concat_str("system", "nugget", separator=": ")
        return self.labels.select("query", item.alias("item"), pl.col("support").alias("grade"))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {
            "empty": self.empty, "level": self.level,
            "scores": self.to_polars().to_dicts(), "per_query": self.per_query.to_dicts(),
            "lengths": dict(self.lengths),
            "definitions": {name: word(_MEANS[name], "en") for name in SCORES}, "notes": list(self.notes),
            **({} if self.assisted is None else {"assisted": self.assisted.to_dict()}),
        }  # fmt: skip

    def _rows(self) -> list[dict[str, Any]]:
        """A row per system and score."""
        return [asdict(score) for score in self.scores.values()]

    def told(self) -> list[Block]:
        """The scores; then, below their notes, what a machine's labels add."""
        return [*NotedTable.told(self), *(self.assisted.told() if self.assisted else ())]

    def _blocks(self) -> list[Block]:
        """The scores, and what each of them means."""
        queries = self.per_query["query"].n_unique()
        facts = said("nugget_facts", nuggets=len(self.labels), queries=queries, empty=self.empty)
        interval = said("level_interval", level=self.level)
        heads = (("system", "text"), ("score", "text"), "value", (interval, "interval", 1), ("query_count", "count", 2))
        rows = (
            (mean.system, said(_SCORES[mean.score]), mean.value, (None, mean.low, mean.high), mean.queries)
            for mean in self.scores.values()
        )
        meanings = (said("and_its_meaning", name=said(_SCORES[name]), text=said(_MEANS[name])) for name in SCORES)
        lengths = [Paragraph(said("answer_lengths", lengths=dict(self.lengths)), "note")] if self.lengths else []
        return [
            Heading(said("nugget_title"), 1), Paragraph(facts), said_table(heads, rows, "nuggets"),
            Folded(said("meaning"), tuple(Paragraph(meaning, "item") for meaning in meanings)), *lengths,
        ]  # fmt: skip


def nuggets(
    labels: object,
    *,
    assisted_by: object = None,
    empty: Empty = "zero",
    level: float = 0.95,
    columns: Mapping[str, str] | None = None,
) -> NuggetScores:
    """Score answers by the nuggets that they support.

    Parameters
    ----------
    labels
        A table (a frame or a file) with a row per nugget of an answer: ``query``, ``nugget``, ``importance`` (vital or
        okay), ``support`` (support, partial_support, not_support; or 1, 0.5, 0); and, where there are several answers,
        ``system``; where it is known, ``length`` of the answer.
    assisted_by
        Labels of a machine for the answers of all queries, where ``labels`` are those of people for some that were
        drawn at random: the result's ``assisted`` holds scores with intervals from both.
    empty
        What a query without a vital nugget counts under the vital scores: ``zero``, ``one``, or ``skip`` it.
    level
        Of the intervals, Student's t over queries.
    columns
        Where columns have other names: ``{"nugget": "fact"}``.

    Returns
    -------
    NuggetScores
        ``all``: mean support over nuggets; ``vital``: over the vital ones; ``weighted``: an okay nugget counts half;
        each also ``_strict``, where partial support counts nothing. Means over queries.

    Examples
    --------
    >>> import polars as pl, rankmeter as rm
    >>> importance = ["vital", "vital", "vital", "okay", "okay"]
    >>> support = ["support", "partial_support", "not_support", "support", "partial_support"]
    >>> table = {"query": ["q"] * 5, "nugget": list("abcde"), "importance": importance, "support": support}
    >>> scores = rm.nuggets(pl.DataFrame(table))
    >>> scores["all"], scores["all_strict"], scores["vital"], round(scores["vital_strict"], 4), scores["weighted"]
    (0.6, 0.4, 0.5, 0.3333, 0.5625)
    """
    check_level(level)
    check_choice("empty", empty, get_args(Empty))
    known = _labels(labels, columns or {})
    per_query = _per_query(known, empty)
    scores = {}
    systems = tuple(known["system"].unique(maintain_order=True).to_list())
    for system in systems:
        for name in SCORES:
            values = per_query.filter(pl.col("system") == system)[name].drop_nulls().to_numpy()
            scores[system, name] = NuggetScore(system, name, *bounded_mean(values, level), len(values))
    without = per_query.filter(pl.col("vital_nuggets") == 0)["query"].n_unique()
    notes = [said("nuggets_are_recall")]
    if without:
        notes.insert(0, said("no_vital", count=without, empty=empty))
    lengths = {}
    if "length" in known.columns:
        by_answer = known.group_by("system", "query", maintain_order=True).agg(pl.col("length").first())
        means = by_answer.group_by("system", maintain_order=True).agg(pl.col("length").mean())
        lengths = dict(zip(means["system"].to_list(), means["length"].to_list(), strict=True))
    assisted = None
    if assisted_by is not None:
        design = Design("assumed")
        if QUERY_CHANCE in known.columns:
            places = known.select("query", pl.col("nugget").alias("item"), pl.col(QUERY_CHANCE).alias("chance"))
            design = drawn_queries(places, name_of_table(labels))
        machine = _per_query(_labels(assisted_by, columns or {}), empty)
        assisted = _assisted(per_query, machine, design, systems, level)
    return NuggetScores(systems, scores, per_query, known, empty, level, lengths, tuple(notes), assisted)


def _assisted(
    people: pl.DataFrame, machine: pl.DataFrame, design: Design, systems: tuple[str, ...], level: float
) -> Assistance:
    """The scores per query of people and machine, put together."""
    keys = ["system", "query"]
    lacking = people.join(machine, on=keys, how="anti")
    if len(lacking):
        system, query = lacking.select(keys).row(0)
        raise InputError.of("judging.machine_lacks_answer", system=system, query=query, count=len(lacking))
    observed: dict[tuple[str, str], Seen] = {}
    refused: dict[str, Said] = {}

    def known(labels: pl.DataFrame, system: str, score: str) -> dict[str, float]:
        own = labels.filter(pl.col("system") == system).select("query", score)
        return dict(own.drop_nulls().iter_rows())

    judged = {system: set(own["query"]) for (system,), own in people.group_by("system")}
    for name in SCORES:
        sides = {at: (known(people, at, name), known(machine, at, name), judged[at]) for at in systems}
        seen = queries_seen(sides, design)
        if isinstance(seen, Said):
            refused[name] = seen
        else:
            observed |= {(name, system): of_system for system, of_system in seen.items()}
    usable = tuple(name for name in SCORES if name not in refused)
    cautions = {note.kind: note for seen in observed.values() for note in seen.cautions()}
    drawn = design.notes(people["query"].n_unique(), machine["query"].n_unique())
    notes = [*drawn, *cautions.values(), said("assisted_columns"), said("machine_without_interval")]
    return Assistance(
        systems=systems, measures=usable, observed=observed,
        bounds=dict.fromkeys(usable, (0.0, 1.0)), names={}, refused=refused, design=design,
        pairs=tuple((system, systems[0]) for system in systems[1:]), level=level, notes=tuple(notes),
    )  # fmt: skip


def _labels(data: object, columns: Mapping[str, str]) -> pl.DataFrame:
    """The table with the columns' own names and labels that are understood; refuses others with the place."""
    if data is None:
        raise InputError.of("judging.no_labels")
    table = table_of(data, "labels of nuggets")
    source = name_of_table(data)
    chosen = find_roles(table.columns, COLUMNS, columns, source, needed=("query", "nugget", "importance", "support"))
    parts = {role: table[name].alias(role) for role, name in chosen.items()}
    if not len(table):
        raise InputError.of("judging.no_nuggets", source=source)
    labels = pl.DataFrame(
        {role: part.cast(pl.String).str.strip_chars() if role != "length" else part for role, part in parts.items()}
    )
    if QUERY_CHANCE in table.columns:
        labels = labels.with_columns(table[QUERY_CHANCE])
    if "system" not in labels.columns:
        labels = labels.with_columns(system=pl.lit("answer"))
    for role, meanings in (("importance", IMPORTANCE), ("support", SUPPORT)):
        folded = labels[role].str.to_lowercase().str.replace_all("[ -]", "_")
        wrong = ~folded.is_in(list(meanings)).fill_null(value=False)
        if wrong.any():
            row = int(wrong.arg_true()[0])
            raise InputError.of(
                "judging.nugget_label", source=source, role=role, value=str(labels[role][row]), count=int(wrong.sum()),
                query=labels["query"][row], nugget=labels["nugget"][row],
                labels=["vital", "okay"] if role == "importance" else ["support", "partial_support", "not_support"],
            )  # fmt: skip
        labels = labels.with_columns(folded.replace_strict(meanings).alias(role))
    if "length" in labels.columns:
        labels = labels.with_columns(pl.col("length").cast(pl.Float64, strict=False))
    return _checked(labels, source)


def _checked(labels: pl.DataFrame, source: str) -> pl.DataFrame:
    """Refuse a nugget that an answer has twice, and one that is vital here and okay there."""
    twice = labels.select("system", "query", "nugget").is_duplicated()
    if twice.any():
        system, query, nugget = labels.filter(twice).select("system", "query", "nugget").row(0)
        raise InputError.of("judging.nugget_twice", source=source, system=system, query=query, nugget=nugget)
    unlike = labels.group_by("query", "nugget", maintain_order=True).agg(pl.col("importance").n_unique())
    unlike = unlike.filter(pl.col("importance") > 1)
    if len(unlike):
        query, nugget, _ = unlike.row(0)
        raise InputError.of("judging.nugget_importance", source=source, query=query, nugget=nugget, count=len(unlike))
    further = [name for name in ("length", QUERY_CHANCE) if name in labels.columns]
    return labels.select("system", "query", "nugget", "importance", "support", *further)


def _per_query(labels: pl.DataFrame, empty: Empty) -> pl.DataFrame:
    """A row per answer."""
    vital = pl.col("importance") == "vital"
    strict = (pl.col("support") == 1).cast(pl.Float64)
    share = pl.when(vital).then(1.0).otherwise(OKAY_WEIGHT)
    nothing = {"zero": 0.0, "one": 1.0, "skip": None}[empty]

    def of_vital(support: pl.Expr) -> pl.Expr:
        return pl.when(vital.any()).then(support.filter(vital).mean()).otherwise(pl.lit(nothing, pl.Float64))

    return labels.group_by("system", "query", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("nuggets"),
        vital.sum().cast(pl.Int64).alias("vital_nuggets"),
        of_vital(strict).alias("vital_strict"),
        of_vital(pl.col("support")).alias("vital"),
        ((strict * share).sum() / share.sum()).alias("weighted_strict"),
        ((pl.col("support") * share).sum() / share.sum()).alias("weighted"),
        strict.mean().alias("all_strict"),
        pl.col("support").mean().alias("all"),
    )
