"""No dialect without recorded values: what nobody ran is nobody's definition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.conformance import production, recorded
from tests.golden.slates.test_recorded_tools import AS_METRIC
from tests.golden.test_source_documents import DIALECT

from rankmeter.measures.dialects import dialect_names


def compared() -> Iterator[str]:
    """Each dialect whose values a test compares with what the tool gave."""
    for recording in (recorded, production):
        for adapter, how in recording.ADAPTERS.items():
            if any(rows for _, rows in recording.rows(adapter)):
                yield how.dialect.partition(":")[0]
    yield from (library.removesuffix("-rec") for library, _ in AS_METRIC)
    yield DIALECT


def unrecorded(names: Iterable[str]) -> set[str]:
    return set(names) - set(compared())


def test_every_dialect_has_recorded_values() -> None:
    assert unrecorded(dialect_names()) == set()


def test_an_invented_dialect_is_found() -> None:
    assert unrecorded([*dialect_names(), "beir2"]) == {"beir2"}
