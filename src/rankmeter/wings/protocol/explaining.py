"""Strategies and protocols in words: what each does to a number, and which rows each tool tests under such a word."""

from __future__ import annotations

from dataclasses import asdict
from inspect import signature
from pathlib import Path
from typing import Any

from rankmeter.errors import InputError
from rankmeter.evaluating.additions import PROTOCOL
from rankmeter.evaluating.result import Evaluation
from rankmeter.frozen import dataclass
from rankmeter.late import pl
from rankmeter.showing.document import Block, Heading, Paragraph, Table, text_table
from rankmeter.showing.showable import ShownAsTable
from rankmeter.wings.protocol.repeating import read_protocol
from rankmeter.wings.protocol.split_parts import Fold
from rankmeter.wings.protocol.splitting import split
from rankmeter.wings.protocol.statement import Protocol
from rankmeter.wings.protocol.strategies import Strategy
from rankmeter.wings.protocol.tool_rules import RULES
from rankmeter.wings.protocol.tool_words import ToolWord, parse_how
from rankmeter.wording import Language, Said, kinds, said, word

DAYS = {"a": (1, 4, 7, 9, 12), "b": (2, 5, 10), "c": (6, 13), "d": (14,)}
"""An example: on which days of June each of four users took something; ``a`` took items 1 to 5, ``b`` 1 to 3."""
TYPED = {
    "last_n(1)": "rectools:last_n replay:last_n lenskit:last_n recbole:LS cornac:leave_last_out datarec:leave_n_last "
    "warprec:temporal_leave_k_out",
    "random_n(1)": "lenskit:sample_n datarec:leave_n_out warprec:random_leave_k_out",
    "last_share(0.2)": "replay:ratio lenskit:last_frac recbole:RS recommenders:chrono cornac:stratified "
    "datarec:leave_ratio_last warprec:temporal_holdout",
    "random_share(0.2)": "lenskit:sample_frac recommenders:stratified datarec:leave_ratio_out datarec:user_stratified",
    "random(0.2)": "rectools:random replay:random recommenders:random cornac:ratio datarec:random_holdout "
    "warprec:random_holdout",
    "time(2024-06-08)": "lenskit:global_time(2024-06-08) cornac:from_timestamps(2024-06-08)",
    "time_share(0.2)": "replay:time lenskit:temporal_fraction recbole:TS cornac:timestamp datarec:temporal_holdout",
    "time_best": "datarec:temporal_threshold warprec:timestamp_slicing",
    "windows(5d,2)": "rectools:time_range scikit-learn:time_series_split",
    "folds(2)": "replay:k_folds lenskit:crossfold_records cornac:cross_validation warprec:k_fold scikit-learn:k_fold",
    "user_folds(2)": "",
    "users(0.2)": "replay:new_users replay:cold_users",
    "items(0.2)": "",
}
"""Our strategies, each with the words of other tools for something of the kind."""
MEANS = kinds("means_{}", (text.partition("(")[0] for text in TYPED))
STEPS = kinds("means_step_{}", "rating duplicates k_core min_user min_item cold_users cold_items seen".split())
_HEADS = kinds("explained_{}", "word train validation test folds".split())


@dataclass(frozen=True, slots=True)
class Shown:
    """What a word makes of the example."""

    name: str
    train: str | None
    """The rows of the first fold, ``a1`` the first of user a; None where the word refuses the example."""
    validation: str | None
    test: str | None
    folds: int


@dataclass(frozen=True, slots=True, repr=False)
class StrategyExplained(ShownAsTable):
    """What a strategy does to a number, and what tools do under words of the kind; made by :func:`rankmeter.explain`.

    Examples
    --------
    >>> import rankmeter as rm
    >>> {row.name: row.test for row in rm.explain("last_n(1)").rows}["recbole:LS"]
    'a5 b3 c2'
    """

    name: str
    means: Said | None
    """What it does to a number; None where several are meant."""
    stated: tuple[tuple[str, str], ...]
    """Its parameters."""
    rows: tuple[Shown, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        means = None if self.means is None else self.means.text("en")
        return {"name": self.name, "means": means, "parameters": dict(self.stated), "rows": [*map(asdict, self.rows)]}

    def to_polars(self) -> pl.DataFrame:
        """What each word makes of the example, a row each."""
        return pl.DataFrame(list(map(asdict, self.rows)), infer_schema_length=None)

    def document(self, language: Language = "en") -> list[Block]:
        """What it does to a number, its parameters, and who tests which rows."""
        blocks: list[Block] = [Heading(self.name, 1)]
        if self.means is not None:
            blocks.append(Paragraph(self.means.text(language)))
        if self.stated:
            heads = [word("explained_parameter", language), word("explained_value", language)]
            blocks.append(text_table(heads, self.stated, ("text", "text"), name="parameters"))
        note = Paragraph(word("explained_note", language), "note")
        return [*blocks, Heading(word("explained_who", language)), self.table(language), note]

    def table(self, language: Language = "en") -> Table:
        """Which rows of the example each word tests."""
        heads = [word(head, language) for head in _HEADS.values()]
        rows = [(one.name, *(part or ("–" if part is None else "") for part in (one.train, one.validation, one.test)),
                 one.folds) for one in self.rows]  # fmt: skip
        return text_table(heads, rows, ("text", "text", "text", "text", "count"), name="who")


@dataclass(frozen=True, slots=True, repr=False)
class ProtocolExplained(ShownAsTable):
    """What every step of a protocol does to a number; made by :func:`rankmeter.explain`."""

    protocol: Protocol
    steps: tuple[tuple[str, Said], ...]
    """Each step as it is asked for, with what it does to a number."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        steps = [{"step": step, "means": means.text("en")} for step, means in self.steps]
        return {"protocol": self.protocol.to_dict(), "steps": steps}

    def to_polars(self) -> pl.DataFrame:
        """The steps, a row each."""
        return pl.DataFrame([{"step": step, "means": means.text("en")} for step, means in self.steps])

    def document(self, language: Language = "en") -> list[Block]:
        """The protocol in a line, what each step does, how large the parts are, and what leaks."""
        heads = [word("explained_step", language), word("explained_means", language)]
        rows = [(step, means.text(language)) for step, means in self.steps]
        line, *rest = self.protocol.document(language)
        return [line, text_table(heads, rows, ("text", "text"), name="steps"), *rest]


def explanation(told: str | Protocol) -> StrategyExplained | ProtocolExplained:
    """What a strategy does (ours, another tool's word, or all words of a tool), or every step of a protocol."""
    if isinstance(told, Protocol):
        return explained_protocol(told)
    text = told.strip()
    tool, colon, _ = text.partition(":")
    if tool.lower() in RULES and not colon:
        words = [one for listed in TYPED.values() for one in listed.split() if one.startswith(f"{tool.lower()}:")]
        return StrategyExplained(text, None, (), tuple(map(shown, words)))
    text = next((typed for typed in TYPED if typed.partition("(")[0] == text), text)
    strategy = parse_how(text)
    kind = next(ours for ours, listed in TYPED.items() if _kind(text) in map(_kind, (ours, *listed.split())))
    akin = dict.fromkeys((str(strategy), kind, *TYPED[kind].split()))
    return StrategyExplained(text, said(MEANS[_kind(kind)]), stated_of(strategy), tuple(map(shown, akin)))


def _kind(text: str) -> str:
    tool, colon, rest = text.partition(":")
    return f"{tool.strip().lower()}:{rest.partition('(')[0].strip()}" if colon else text.partition("(")[0].strip()


def stated_of(strategy: Strategy) -> tuple[tuple[str, str], ...]:
    """The parameters of a strategy with their values, those of other tools as they call them."""
    values = strategy.values()
    if isinstance(strategy, ToolWord):
        known = signature(RULES[strategy.tool][strategy.name]).parameters.values()
        values = {one.name: one.default for one in known if one.name not in ("table", "draw")} | dict(strategy.given)
    return tuple((name, str(value)) for name, value in values.items())


def shown(text: str) -> Shown:
    """What a word makes of the example."""
    named = [(user, place, day) for user, days in DAYS.items() for place, day in enumerate(days, 1)]
    rows = {
        "user": [user for user, _, _ in named],
        "item": [f"i{place}" for _, place, _ in named],
        "time": [f"2024-06-{day:02d}" for _, _, day in named],
        "session": [f"{user}{place}" for user, place, _ in named],
    }
    try:
        made = split(rows, text)
    except InputError:
        return Shown(text, None, None, None, 0)

    def part(fold: Fold, name: Any) -> str:
        return " ".join(f"{user}{place}" for user, place, _ in (named[row] for row in fold.rows(name)))

    train, validation, test = (part(made.folds[0], name) for name in ("train", "validation", "test"))
    return Shown(text, train, validation, test, len(made))


def explained_protocol(protocol: Protocol) -> ProtocolExplained:
    """What every step of a protocol does to a number."""
    steps = [(one.step, said(STEPS[one.step.partition("(")[0]])) for one in protocol.before]
    inferred = protocol.how.removeprefix("inferred(")
    if inferred != protocol.how:
        inferred = inferred[:-1]
    for how in filter(None, (inferred, protocol.validation)):
        kind = next((ours for ours, listed in TYPED.items() if _kind(how) in map(_kind, (ours, *listed.split()))), "")
        if kind:
            steps.append((how, said(MEANS[_kind(kind)])))
    steps += [(step, said(STEPS[step])) for step in protocol.after]
    return ProtocolExplained(protocol, tuple(steps))


def explanation_of_file(path: str) -> ProtocolExplained | None:
    """The protocol in a file of its own, or in a saved evaluation; None where the file is neither."""
    with Path(path).open("rb") as file:
        head = file.read(4096).lstrip()
    if head.startswith(b"{"):
        return explained_protocol(read_protocol(path)[0]) if b'"rankmeter_protocol"' in head else None
    if not head.startswith(b"PAR1"):
        return None
    try:
        ev = Evaluation.load(path)
    except InputError:
        return None
    stated = ev.added.get(PROTOCOL)
    if not isinstance(stated, Protocol):
        raise InputError.of("protocol.none_saved", source=path)
    return explained_protocol(stated)
