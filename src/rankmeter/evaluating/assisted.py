"""What a machine's judgments add: the core keeps and shows it, the wing that answers ``assisted_by=`` makes it."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any, Self

from rankmeter.measures import Measure
from rankmeter.showing.showable import NotedTable
from rankmeter.wings.loading import answering
from rankmeter.wording import Said


class AssistedValues(NotedTable):
    """Values and differences from people's judgments and a machine's together: what the core asks of them."""

    __slots__ = ()

    @property
    def is_partial(self) -> bool:
        """Whether people's judgments alone measure no system, because some had no chance of being made."""
        raise NotImplementedError

    def value(self, measure: str | Measure, system: str | None = None) -> Any:
        """The value of one system, with its interval; the only one where none is named."""
        raise NotImplementedError

    def difference(self, measure: str | Measure, system: str, other: str) -> Any:
        """How much better a system is than another."""
        raise NotImplementedError

    def differences(self, measure: str | Measure) -> list[Any]:
        """Every difference that was asked for under one measure, with corrected p-values."""
        raise NotImplementedError

    def needed(self, half_width: object, measure: str | Measure | None = None) -> int | None:
        """How many queries people have to judge for an interval of +- ``half_width``; None where none are enough."""
        raise NotImplementedError

    def with_width(self, half_width: float | None) -> Self:
        """The same, which also says how much is to be judged for an interval of +- ``half_width``."""
        raise NotImplementedError

    def beside(self, others: Sequence[Any]) -> Self:
        """Several systems, each of which was measured alone, in one."""
        raise NotImplementedError

    def verdicts(self, digits: int) -> list[Said]:
        """For each measure which system is best, and which others it is ahead of."""
        raise NotImplementedError

    def to_plain(self) -> dict[str, Any]:
        """Everything, to be kept as JSON; :func:`rankmeter.evaluating.stored.saved_assistance` reads it."""
        raise NotImplementedError


def assisting() -> ModuleType:
    """What makes and reads such values."""
    return answering("evaluate.assisted_by")
