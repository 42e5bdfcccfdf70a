"""What a wing adds to numbers: the core keeps it, shows it and saves it with them, the wing makes and reads it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankmeter.errors import InputError
from rankmeter.showing.document import Block, Paragraph
from rankmeter.showing.showable import Showable
from rankmeter.wings import present, table
from rankmeter.wings.loading import answering
from rankmeter.wording import Language, Said

if TYPE_CHECKING:
    from rankmeter.evaluating.result import Evaluation

PROTOCOL = "protocol"
"""The addition that says how judgments came about."""
RECORD = "protocol.json"
"""The file beside judgments that says it."""


class Addition(Showable):
    """Something that is known beside the numbers of an evaluation."""

    __slots__ = ()

    def sentences(self) -> list[Said]:
        """What to know before reading the numbers."""
        raise NotImplementedError

    def document(self, language: Language = "en") -> Sequence[Block]:
        """What to know before the numbers, and what is shown under them."""
        return [*(Paragraph(sentence.text(language), "note") for sentence in self.sentences()), *self.below(language)]

    def below(self, language: Language) -> Sequence[Block]:  # noqa: ARG002 (most show nothing)
        """What is shown under the numbers."""
        return ()

    @property
    def others(self) -> Mapping[str, Evaluation]:
        """Evaluations that are shown beside it."""
        return {}

    @property
    def identity(self) -> object:
        """What two numbers must share to be comparable."""
        return None

    def to_plain(self) -> dict[str, Any]:
        """Everything, to be kept as JSON; ``from_plain`` of the wing's module reads it."""
        raise NotImplementedError


Additions = Mapping[str, Addition]


def saved_additions(header: Mapping[str, Any]) -> Additions:
    """The additions that a file has, read by the wings that made them; one that is not there leaves its own out."""
    there = present(table.OPTIONS)
    saved = {name: plain for name, plain in header.get("added", {}).items() if f"evaluate.{name}" in there}
    return {name: answering(f"evaluate.{name}").from_plain(name, plain) for name, plain in saved.items()}


def with_added(ev: Evaluation, added: Additions) -> Evaluation:
    """An evaluation that nobody knows yet, with more that is known beside its numbers."""
    object.__setattr__(ev, "added", {**ev.added, **added})
    return ev


def record_beside(judgments: object) -> str | None:
    """The path of the protocol beside a file of judgments; None where there is none, or nobody to read it."""
    if not isinstance(judgments, (str, os.PathLike)):
        return None
    beside = os.path.join(os.path.dirname(os.fspath(judgments)), RECORD)  # noqa: PTH118, PTH120 (any text may be given)
    return beside if os.path.isfile(beside) and f"evaluate.{PROTOCOL}" in present(table.OPTIONS) else None  # noqa: PTH113


def has_additions(judgments: object, protocol: object, baselines: object) -> bool:
    """Whether a wing has something to add to the numbers of these judgments."""
    if protocol is False:
        return False
    if protocol is not None or baselines is not None or hasattr(judgments, "judged_under"):
        return True
    return record_beside(judgments) is not None


def one_protocol(evaluations: Mapping[str, Evaluation], stated: object) -> list[Said]:
    """Refuse numbers of different protocols, unless told (``protocol="any"``); what is known of the only one."""
    known = {name: ev.added[PROTOCOL] for name, ev in evaluations.items() if PROTOCOL in ev.added}
    if not known:
        return []
    (first, reference), *others = known.items()
    for name, protocol in others:
        if protocol.identity != reference.identity and stated != "any":
            raise InputError.of(
                "comparing.other_protocols", one=first, protocol=reference.sentences()[0], other=name,
                other_protocol=protocol.sentences()[0],
            )  # fmt: skip
    told = dict.fromkeys(sentence for protocol in known.values() for sentence in protocol.sentences())
    return [*told] if len(known) == len(evaluations) else []
