"""Who does what: everything that tools do under one name of a fusion, side by side."""

from __future__ import annotations

from dataclasses import asdict
from itertools import combinations
from typing import Any

from rankmeter.errors import InputError
from rankmeter.frozen import dataclass
from rankmeter.late import pl
from rankmeter.showing.document import Block, Heading, Paragraph, Table, text_table
from rankmeter.showing.showable import ShownAsTable
from rankmeter.wings.fusion.definition import NORMS, Fusion
from rankmeter.wings.fusion.fusing import fuse
from rankmeter.wings.fusion.known_methods import METHODS
from rankmeter.wings.fusion.tool_fusions import tool_fusions
from rankmeter.wording import Language, kinds, word

EXAMPLE = {"one": {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, "other": {"q": {"b": 0.9, "a": 0.6, "d": 0.5}}}
"""Two lists; ``a`` is first in one and second in the other."""
_HEADS = kinds("fusion_col_{}", "name definition gives equal recorded convention value".split())


@dataclass(frozen=True, slots=True)
class Done:
    """What somebody does under one name."""

    name: str
    """``tool:method``, or the method here."""
    definition: str
    gives: float | None
    """The score of an item that is first in one of two lists and second in the other; None for methods that learn."""
    equal: str | None
    """What equal scores become; None where ranks are looked at."""
    recorded: str
    """The release whose output this equals; empty where source or documentation was read."""


@dataclass(frozen=True, slots=True, repr=False)
class WhoDoesWhat(ShownAsTable):
    """What tools do under one name of a fusion; made by :func:`rankmeter.explain`."""

    name: str
    rows: tuple[Done, ...]
    definition: Fusion | None = None
    """What the name means, where it means one definition."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        told = None if self.definition is None else self.definition.describe()
        return {"name": self.name, "definition": told, "rows": list(map(asdict, self.rows))}

    def to_polars(self) -> pl.DataFrame:
        """The names, a row each."""
        return pl.DataFrame(list(map(asdict, self.rows)), infer_schema_length=None)

    def document(self, language: Language = "en") -> list[Block]:
        """Every convention of the definition that is meant, and who does what."""
        blocks: list[Block] = [Heading(self.name, 1)]
        if self.definition is not None:
            heads = [word(_HEADS[head], language) for head in ("convention", "value")]
            stated = [(name, str(value)) for name, value in self.definition.describe().items() if value is not None]
            blocks += [text_table(heads, stated, ("text", "text"), name="conventions"),
                       Heading(word("fusion_who", language))]  # fmt: skip
        return [*blocks, self.table(language), Paragraph(word("fusion_who_note", language))]

    def table(self, language: Language = "en") -> Table:
        """Who does what."""
        heads = [word(_HEADS[head], language) for head in ("name", "definition", "gives", "equal", "recorded")]
        rows = [(one.name, one.definition, one.gives, one.equal or "", one.recorded) for one in self.rows]
        return text_table(heads, rows, ("text", "text", "number", "text", "text"), name="who")


def explanation(text: str) -> WhoDoesWhat:
    """What tools do under a name: a method, a normalisation, a tool, ``tool:method``, or a tool's own method."""
    text = text.strip()
    known = {name: Fusion.of(name) for name in (*METHODS, *as_typed())}
    name = text.partition("(")[0].strip()
    tools = {one.partition(":")[0] for one in tool_fusions()}
    if name in tools and name == text:
        return WhoDoesWhat(text, _rows({one: known[one] for one in known if one.startswith(f"{text}:")}))
    if ":" in name or name in METHODS:
        meant = Fusion.of(text)
        rows = {one: other for one, other in known.items() if _is_akin(other, meant, by_norm=name not in METHODS)}
        return WhoDoesWhat(text, _rows(rows), meant)
    if name in NORMS:
        ours = f"wsum(norm={name})"
        rows = {one: other for one, other in known.items() if other.tool and name in _norms(other)}
        return WhoDoesWhat(text, _rows({ours: Fusion.of(ours)} | rows))
    same = [one for one in known if one.partition(":")[2].partition("(")[0] == name]
    if not same or name != text:
        raise InputError.of("fusion.explain_by_tool", text=text, known=same or sorted(tools))
    rows = {one: other for one, other in known.items()
            if any(_is_akin(other, known[each], by_norm=True) for each in same)}  # fmt: skip
    return WhoDoesWhat(
        text, _rows({one: known[one] for one in same} | rows), known[same[0]] if len(same) == 1 else None
    )


def as_typed() -> list[str]:
    """The fusions of other tools, with each word that changes one, and each two that are about different things."""
    typed: list[str] = []
    for name, tool in tool_fusions().items():
        pairs = [f"{one},{other}" for one, other in combinations(tool.words, 2)
                 if not tool.words[one].keys() & tool.words[other].keys()]  # fmt: skip
        every = [name, *(f"{name}({said})" for said in (*tool.words, *pairs))]
        typed += reversed({Fusion.of(one): one for one in reversed(every)}.values())
    return typed


def _is_akin(one: Fusion, other: Fusion, *, by_norm: bool) -> bool:
    """Whether two definitions are kinds of one thing: the same method, or sums of scores on the same scale."""
    if by_norm and other.method.looks_at == "scores" and (own := _norms(other) - {"none"}):
        return bool(own & _norms(one)) and bool(one.tool)
    return one.how == other.how


def _norms(definition: Fusion) -> set[str]:
    return set(definition.scaling.split(":")) if definition.method.looks_at == "scores" else set()


def _rows(meant: dict[str, Fusion]) -> tuple[Done, ...]:
    version = {name: tool.version for name, tool in tool_fusions().items()}
    return tuple(
        Done(name, str(one), None if one.method.trained else fuse(EXAMPLE, one).to_dict()["q"].get("a"),
             one.flat_of(0) if one.method.looks_at == "scores" else None, version.get(name.partition("(")[0], ""))
        for name, one in meant.items()
    )  # fmt: skip
