"""One evaluation as a history keeps it: values per query, definitions, what it was judged by, which code made it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import numpy as np

from rankmeter.errors import InputError
from rankmeter.evaluating.additions import PROTOCOL
from rankmeter.evaluating.result import Evaluation
from rankmeter.late import pl
from rankmeter.placing.placements import Floats
from rankmeter.whole_files import check_form, said_if_damaged

FORM = 1
HASHED = 12
"""Letters of a hash and of a commit in the name of a file."""
NO_COMMIT = "nocommit"
NAME = re.compile(rf"(\d{{8}}T\d{{12}}Z)-([0-9A-Za-z]{{1,{HASHED}}})-([0-9a-f]{{{HASHED}}})\.parquet")
"""Time, commit and hash of the content."""
_COMMITS = ("GITHUB_SHA", "CI_COMMIT_SHA", "BUILDKITE_COMMIT", "CIRCLE_SHA1", "GIT_COMMIT")
_BRANCHES = (
    "GITHUB_HEAD_REF",
    "GITHUB_REF_NAME",
    "CI_COMMIT_BRANCH",
    "BUILDKITE_BRANCH",
    "CIRCLE_BRANCH",
    "GIT_BRANCH",
)
"""Where services that run pipelines say what they run."""


@dataclass(frozen=True, slots=True)
class RecordedMeasure:
    """A number under its definition."""

    text: str
    """The canonical string."""
    label: str
    value: float
    definition: Mapping[str, Any]
    higher_is_better: bool = True
    is_mean: bool = True
    """Whether the number is the mean of its values per query, so that these can be tested."""


@dataclass(frozen=True, slots=True)
class CodeState:
    """Which code made an evaluation."""

    commit: str = ""
    branch: str = ""
    authored: str = ""
    """When the commit was made, as its author's clock says."""
    changed: bool = False
    """Whether there were changes that are not committed."""

    @classmethod
    def here(cls) -> CodeState:
        """What the pipeline says, or else git in the current folder; nothing where neither knows."""
        found = _git("log", "-1", "--format=%H%n%aI").splitlines()
        commit = next((os.environ[name] for name in _COMMITS if os.environ.get(name)), found[0] if found else "")
        branch = next((os.environ[name] for name in _BRANCHES if os.environ.get(name)), "")
        if not found or found[0] != commit:
            return cls(commit, branch)
        changed = bool(_git("status", "--porcelain", "--untracked-files=no"))
        return cls(commit, branch or _git("rev-parse", "--abbrev-ref", "HEAD"), found[1], changed)


def _git(*words: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 (fixed words)
            ["git", *words],  # noqa: S607 (whichever git the user has)
            capture_output=True, text=True, timeout=10, check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


@dataclass(frozen=True, slots=True, eq=False)
class HistoryEntry:
    """One evaluation of one system at one time."""

    system: str
    time: datetime
    measures: tuple[RecordedMeasure, ...]
    queries: tuple[str, ...] = ()
    values: Mapping[str, Floats] = field(default_factory=dict)
    """By the canonical string, ``(n,)``; NaN for queries that do not count."""
    code: CodeState = CodeState()
    tags: tuple[str, ...] = ()
    accepted: bool = False
    """Whether it was accepted as the reference when it was added."""
    judged_by: Mapping[str, Any] | None = None
    """The fingerprint of the judgments."""
    protocol: str = ""
    """What two numbers must share to be comparable, hashed."""
    returned: int = 0
    """Items that the run returned."""
    judged_share: Mapping[str, float] = field(default_factory=dict)
    """The share of items with a judgment within each cutoff."""
    source: str = ""
    """Where it was imported from."""
    name: str = ""
    """The file that holds it."""

    @classmethod
    def of(cls, ev: Evaluation, time: datetime, **facts: Any) -> HistoryEntry:
        """The entry of an evaluation."""
        frame = ev.per_query
        definitions = json.loads(json.dumps(ev.definitions, default=str))
        measures = tuple(
            RecordedMeasure(
                str(measure), ev.label(measure), float(value), definitions[str(measure)], measure.higher_is_better,
                measure.aggregate == "mean",
            )
            for measure, value in ev.means.items()
        )  # fmt: skip
        values = {name: frame[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in frame.columns[1:]}
        known = ev.facts
        identity = ev.added[PROTOCOL].identity if PROTOCOL in ev.added else None
        places = {k: max(min(known.returned, known.in_run * k), 1) for k in known.unjudged_at}
        return cls(
            system=facts.pop("system", None) or ev.name,
            time=time,
            measures=measures,
            queries=tuple(frame["query"].cast(pl.String).to_list()),
            values=values,
            judged_by=None if ev.judged_by is None else asdict(ev.judged_by.value),
            protocol="" if identity is None else _digest(json.dumps(identity, default=str, sort_keys=True).encode()),
            returned=known.returned,
            judged_share={str(k): max(0.0, 1 - n / places[k]) for k, n in known.unjudged_at.items()},
            **facts,
        )

    @property
    def found_share(self) -> float:
        """The share of queries with a value above 0 under some measure where more is better; NaN if there is none."""
        rising = [self.values[m.text] for m in self.measures if m.higher_is_better and m.text in self.values]
        return float((np.nan_to_num(np.stack(rising)) > 0).any(axis=0).mean()) if rising and self.queries else np.nan

    @property
    def commit(self) -> str:
        """The commit, shortened."""
        return self.code.commit[:HASHED] + ("+" if self.code.changed else "")

    def to_bytes(self) -> bytes:
        """The content of its file: Parquet, a row a query."""
        header = {
            "form": FORM, "system": self.system, "time": self.time.isoformat(), "code": asdict(self.code),
            "measures": [{**asdict(one), "value": one.value.hex()} for one in self.measures], "tags": list(self.tags),
            "accepted": self.accepted, "judged_by": self.judged_by, "protocol": self.protocol,
            "returned": self.returned, "judged_share": dict(self.judged_share), "source": self.source,
        }  # fmt: skip
        frame = pl.DataFrame({"query": pl.Series(self.queries, dtype=pl.String), **self.values})
        content = BytesIO()
        frame.write_parquet(content, metadata={"rankmeter.history": json.dumps(header, ensure_ascii=False)})
        return content.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes, name: str, source: str) -> HistoryEntry:
        """Read what :meth:`to_bytes` made."""
        with said_if_damaged("results.damaged_entry", source):
            if _digest(content) != entry_parts(name)[2]:
                raise InputError.of("results.damaged_entry", source=source)
            header = json.loads(pl.read_parquet_metadata(BytesIO(content))["rankmeter.history"])
            check_form(header.pop("form"), FORM, source)
            frame = pl.read_parquet(BytesIO(content))
            measures = [{**one, "value": float.fromhex(one["value"])} for one in header.pop("measures")]
            return cls(
                time=datetime.fromisoformat(header.pop("time")),
                code=CodeState(**header.pop("code")),
                measures=tuple(RecordedMeasure(**one) for one in measures),
                queries=tuple(frame["query"].to_list()),
                values={column: frame[column].to_numpy() for column in frame.columns[1:]},
                tags=tuple(header.pop("tags")),
                name=name,
                **header,
            )

    def file_name(self, content: bytes) -> str:
        """Time, commit and hash: two writers never mean the same file unless they write the same."""
        commit = re.sub(r"[^0-9A-Za-z]", "", self.code.commit)[:HASHED] or NO_COMMIT
        return f"{stamp(self.time)}-{commit}-{_digest(content)}.parquet"


def stamp(time: datetime) -> str:
    """A time as it stands in the name of a file: UTC, so that names sort by it.

    >>> stamp(datetime(2026, 11, 19, 8, 30, tzinfo=UTC))
    '20261119T083000000000Z'
    """
    there = time.astimezone(UTC)
    return f"{there.year:04}{there:%m%dT%H%M%S%f}Z"  # some systems write the year 1 as 1, others as 0001


def entry_parts(name: str) -> tuple[str, str, str]:
    """Time, commit and hash of a name; nothing where it is no entry's."""
    found = NAME.fullmatch(name)
    return (found[1], found[2], found[3]) if found else ("", "", "")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:HASHED]


def into_time(given: object) -> datetime:
    """A time as it was given, now where none was; without a zone it is UTC."""
    if given is None:
        return datetime.now(UTC)
    if isinstance(given, str):
        try:
            given = datetime.fromisoformat(given.strip())
        except ValueError as error:
            raise InputError.of("results.not_a_time", text=given) from error
    if not isinstance(given, datetime):
        raise InputError.of("results.not_a_time", text=str(given))
    given = given if given.tzinfo else given.replace(tzinfo=UTC)
    try:
        given.astimezone(UTC)
    except OverflowError as error:
        raise InputError.of("results.not_a_time", text=str(given)) from error
    return given


def by_time(entries: Iterable[HistoryEntry]) -> list[HistoryEntry]:
    """By time, and by name where two have the same."""
    return sorted(entries, key=lambda entry: (entry.time, entry.name))
