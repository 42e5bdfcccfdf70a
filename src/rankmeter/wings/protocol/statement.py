"""How parts were made, as a value that travels with every number: the protocol."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field
from typing import Any

from rankmeter.errors import Finished
from rankmeter.evaluating.additions import Addition
from rankmeter.frozen import dataclass
from rankmeter.late import pl
from rankmeter.showing.document import Block, Paragraph
from rankmeter.showing.showable import ShownAsTable, said_table
from rankmeter.wings.protocol.leaks import Leaks
from rankmeter.wording import Language, Said, kinds, said

FORMAT = 1
_TIES, _PARTS = kinds("ties_by_{}", ("item", "rows")), kinds("part_{}", ("train", "validation", "test"))


@dataclass(frozen=True, slots=True)
class PartCounts:
    """What one part holds."""

    rows: int
    users: int
    items: int
    digest: str = ""
    """A fingerprint of its rows, whatever their order."""


@dataclass(frozen=True, slots=True)
class StepCount:
    """A step with the rows that it removed."""

    step: str
    removed: int


@dataclass(frozen=True, slots=True, repr=False)
class FoldFacts:
    """What one fold holds."""

    parts: Mapping[str, PartCounts]
    after: tuple[StepCount, ...]
    leaks: Leaks


@dataclass(frozen=True, slots=True)
class SeenInLists:
    """Whether lists leave out what their users took in train."""

    systems: tuple[str, ...]
    share: float | None
    """The share of their places with such items; None where it was not looked at."""
    with_baselines: bool = False
    """Whether baselines stand beside them, which leave them out."""

    def sentence(self) -> Said:
        """What was found, or that it was not looked at."""
        systems = list(self.systems)
        if self.share is None:
            return said("seen_not_checked", system=systems)
        beside = self.with_baselines
        if self.share == 0:
            return said("seen_nowhere" if beside else "seen_left_out", system=systems)
        return said("seen_in_lists" if beside else "seen_kept", system=systems, share=f"{100 * self.share:.3g} %")


@dataclass(frozen=True, slots=True, repr=False)
class Protocol(Addition, ShownAsTable):
    """How interactions were divided: the strategy, the steps around it, and what came out of them.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rows = {"user": [1, 1, 1, 2, 2], "item": list("abcab"), "time": [1, 2, 3, 1, 2]}
    >>> rm.split(rows, "last_n(1)").protocol.line()
    'the last row of every user; 2 users, 3 items; test 2 of 5 rows'
    """

    how: str
    """The strategy as it can be asked for again."""
    validation: str | None
    before: tuple[StepCount, ...]
    ties: str
    whole: str | None
    seed: int
    rows: int
    """Rows of the input."""
    users: int
    items: int
    """Users and items of the rows that were divided."""
    folds: tuple[FoldFacts, ...]
    tied: int = 0
    """Rows that the rule for ties decides."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What was found in the data: the point in time."""
    after: tuple[str, ...] = ()
    inputs: Mapping[str, Any] = field(default_factory=dict)
    """Fingerprint of what was read, by the input's name."""
    lists: SeenInLists | None = field(default=None, compare=False)
    """Of the lists that were measured under it; None of a split alone."""

    @property
    def identity(self) -> dict[str, Any]:
        """What two numbers must share to be of one protocol."""
        return {
            "how": self.how, "validation": self.validation, "before": [one.step for one in self.before],
            "after": list(self.after), "ties": self.ties if self.tied else None, "whole": self.whole,
            "seed": self.seed if self.is_random else None, "inputs": dict(self.inputs),
        }  # fmt: skip

    @property
    def is_random(self) -> bool:
        """Whether the seed matters."""
        spelled = f"{self.how} {self.validation}"
        return not self.how.startswith("inferred") and any(
            drawn in spelled for drawn in ("random", "folds", "users(", "items(")
        )

    def sentences(self) -> list[Said]:
        """What stands with every number: all of it in one sentence, and what the measured lists hold."""
        told = [said("under_protocol", steps=together(self.steps()))]
        return told if self.lists is None else [*told, self.lists.sentence()]

    def to_plain(self) -> dict[str, Any]:
        """Everything, to be kept with numbers."""
        return self.to_dict()

    def steps(self) -> list[Said]:
        """What was done, in order, and what came out."""
        from rankmeter.wings.protocol.tool_words import parse_how

        told = [said("protocol_before", step=one.step, removed=one.removed) for one in self.before]
        told.append(parse_how(self.how).told(self.facts))
        if self.whole:
            told.append(said("protocol_whole", column=self.whole))
        if self.validation:
            told.append(said("protocol_validation", how=self.validation))
        told += [said("protocol_after", step=word_) for word_ in self.after]
        told.append(said("protocol_sizes", users=self.users, items=self.items))
        if len(self.folds) == 1:
            parts = self.folds[0].parts
            held = {name: parts[name].rows if name in parts else 0 for name in ("validation", "test")}
            kind = "protocol_parts" if held["validation"] else "protocol_test"
            told.append(said(kind, rows=self.rows, **held))
        else:
            told.append(said("protocol_folds", count=len(self.folds)))
        if self.tied:
            told.append(said("protocol_tied", count=self.tied, rule=said(_TIES[self.ties])))
        if self.is_random:
            told.append(said("protocol_seed", seed=self.seed))
        return told

    def line(self, language: Language = "en") -> str:
        """All of it in one line."""
        return together(self.steps()).text(language)

    def leak_sentences(self) -> list[Said]:
        """What leaks, over all folds together."""
        counts = [fold.leaks.to_dict() for fold in self.folds]
        together = {name: _sum_of_known([count[name] for count in counts]) for name in counts[0]}
        return Leaks.from_dict(together).sentences()

    def document(self, language: Language = "en") -> list[Block]:
        table, *notes = ShownAsTable.document(self, language)
        return [Paragraph(said("protocol_line", line=Finished(self.line(language))).text(language)), table, *notes]

    def told(self) -> list[Block]:
        rows = [
            [
                said("protocol_fold", fold=number) if len(self.folds) > 1 else "",
                said(_PARTS[name]),
                part.rows,
                part.users,
                part.items,
            ]
            for number, fold in enumerate(self.folds, 1)
            for name, part in fold.parts.items()
        ]
        heads = [
            ("part_fold", "text"),
            ("part_name", "text"),
            *((head, "count") for head in ("part_rows", "part_users", "part_items")),
        ]
        table = said_table(heads, rows, "parts")
        if len(self.folds) == 1:
            table = table.only(lambda column: column is not table.columns[0])
        seen = [] if self.lists is None else [self.lists.sentence()]
        notes = [Paragraph(sentence, "note") for sentence in (*seen, *self.leak_sentences())]
        return [table, *notes]

    def to_polars(self) -> pl.DataFrame:
        """The size of every part."""
        rows = [
            {"fold": number, "part": name, "rows": part.rows, "users": part.users, "items": part.items}
            for number, fold in enumerate(self.folds, 1)
            for name, part in fold.parts.items()
        ]
        return pl.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python, which :meth:`from_dict` reads."""
        return {
            "rankmeter_protocol": FORMAT,
            "text": self.line(),
            "how": self.how,
            "validation": self.validation,
            "before": [{"step": one.step, "removed": one.removed} for one in self.before],
            "after": list(self.after),
            "ties": self.ties,
            "whole": self.whole,
            "seed": self.seed,
            "rows": self.rows,
            "users": self.users,
            "items": self.items,
            "tied": self.tied,
            "facts": dict(self.facts),
            "inputs": dict(self.inputs),
            "folds": [
                {
                    "parts": {
                        name: {"rows": part.rows, "users": part.users, "items": part.items, "digest": part.digest}
                        for name, part in fold.parts.items()
                    },
                    "after": [{"step": one.step, "removed": one.removed} for one in fold.after],
                    "leaks": fold.leaks.to_dict(),
                }
                for fold in self.folds
            ],
            **({} if self.lists is None else {"lists": asdict(self.lists)}),
        }

    @staticmethod
    def from_dict(plain: Mapping[str, Any]) -> Protocol:
        """The protocol that :meth:`to_dict` wrote."""

        def steps(listed: Sequence[Mapping[str, Any]]) -> tuple[StepCount, ...]:
            return tuple(StepCount(one["step"], one["removed"]) for one in listed)

        folds = tuple(
            FoldFacts(
                {name: PartCounts(**part) for name, part in fold["parts"].items()},
                steps(fold["after"]),
                Leaks.from_dict(fold["leaks"]),
            )
            for fold in plain["folds"]
        )
        lists = plain.get("lists")
        same = ("how", "validation", "ties", "whole", "seed", "rows", "users", "items", "tied", "facts", "inputs")
        return Protocol(
            **{name: plain[name] for name in same},
            before=steps(plain["before"]),
            after=tuple(plain["after"]),
            folds=folds,
            lists=None if lists is None else SeenInLists(**{**lists, "systems": tuple(lists["systems"])}),
        )

    def to_json(self, *, indent: int | None = 2) -> str:
        """Everything as JSON, in the order of :meth:`to_dict`."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)


def together(sentences: Sequence[Said]) -> Said:
    """Several sentences as one."""
    *before, last = sentences
    for sentence in reversed(before):
        last = said("protocol_and", first=sentence, rest=last)
    return last


def _sum_of_known(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
