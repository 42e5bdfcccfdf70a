"""Numbers with their protocol and with baselines: what ``evaluate`` and ``compare`` ask of this wing."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import Any

from rankmeter.comparing.comparison import compare
from rankmeter.comparing.results import Comparison
from rankmeter.comparing.systems import named_systems
from rankmeter.errors import InputError
from rankmeter.evaluating.additions import PROTOCOL, Addition, record_beside, with_added
from rankmeter.evaluating.asking import ask
from rankmeter.evaluating.result import Evaluation
from rankmeter.evaluating.verb import evaluate
from rankmeter.frozen import dataclass
from rankmeter.inputs.accepting import into_judgments
from rankmeter.late import pl
from rankmeter.showing.document import Block, Cell, Column, Table
from rankmeter.wings.protocol.baselines import lists_of
from rankmeter.wings.protocol.interactions import read_interactions
from rankmeter.wings.protocol.repeating import read_protocol
from rankmeter.wings.protocol.split_parts import Split
from rankmeter.wings.protocol.statement import Protocol, SeenInLists
from rankmeter.wording import Language, Said, said, word

BASELINES = "baselines"
Known = tuple[Any, Mapping[str, str] | None]
"""The train part, or None, and its columns by role."""
LARGE = 1 << 28
"""A file of so many bytes is not read a second time to look for seen items."""
SHORTEST = 100
"""How long lists of baselines are where no measure has a cutoff."""


@dataclass(frozen=True, slots=True, repr=False)
class BaselineValues(Addition):
    """The values of baselines beside those of a model, and whether the model can be told apart from them."""

    system: str
    values: Mapping[str, Mapping[str, float]]
    """By baseline and measure."""
    differences: tuple[Mapping[str, Any], ...]
    """Model minus baseline, with its interval and corrected p-value, where it was tested."""
    k: int
    level: float = 0.95
    seen: float | None = None
    """The share of the model's places with items that their user took in train; baselines have none. None: unknown."""
    evaluations: Mapping[str, Evaluation] = field(default_factory=dict, compare=False)
    """Those of the baselines, where they were made now."""

    def sentences(self) -> list[Said]:
        """Which baselines the model cannot be told apart from, or which are better."""
        told = []
        for pair in self.differences:
            p = pair["p"]
            facts = {"system": self.system, "baseline": pair["baseline"], "measure": pair["measure"]}
            if p is None and pair["difference"]:
                continue
            p = 1.0 if p is None else p
            if p > 1 - self.level:
                told.append(said("not_separable", **facts, difference=f"{pair['difference']:+.4f}", p=f"{p:.3f}"))
            elif pair["difference"] < 0:
                told.append(said("worse_than_baseline", **facts, difference=f"{pair['difference']:+.4f}"))
        if self.seen is not None:
            told.append(SeenInLists((self.system,), self.seen, with_baselines=True).sentence())
        return told

    @property
    def others(self) -> Mapping[str, Evaluation]:
        """The evaluations of the baselines."""
        return self.evaluations

    def below(self, language: Language) -> list[Block]:
        """The values of the baselines."""
        measures = list(next(iter(self.values.values())))
        columns = (Column(word("baseline_column", language), "text"), *(Column(measure) for measure in measures))
        rows = tuple((Cell(name), *(Cell(values[m]) for m in measures)) for name, values in self.values.items())
        return [Table(columns, rows, name="baselines")]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {
            "system": self.system, "values": {name: dict(row) for name, row in self.values.items()},
            "differences": [dict(pair) for pair in self.differences], "k": self.k, "level": self.level,
            "seen": self.seen,
        }  # fmt: skip

    to_plain = to_dict


def from_plain(name: str, plain: Mapping[str, Any]) -> Addition:
    """An addition from what was saved of it."""
    if name == PROTOCOL:
        return Protocol.from_dict(plain)
    return BaselineValues(**{**plain, "differences": tuple(plain["differences"])})


def evaluate_with(
    again: Callable[..., Evaluation], judgments: object, run: object, *, history: object, protocol: object,
    baselines: object, name: str,
) -> Evaluation:  # fmt: skip
    """The evaluation, with the protocol of its judgments and baselines beside it."""
    bare, stated = _stated(judgments, protocol)
    ev = again(bare, run, history=history, protocol=False, name=name)
    known = _train((judgments, protocol), history)
    seen = None if stated is None and baselines is None else _share_seen(again, run, known, _longest(ev.means))
    if stated is not None:
        lists = SeenInLists((ev.name,), seen, with_baselines=baselines is not None)
        with_added(ev, {PROTOCOL: replace(stated, lists=lists)})
    if baselines is not None:
        train = _needed(known)
        made = _runs(train, bare, baselines, list(ev.means))
        others = {text: again(bare, lists, history=history, protocol=False, name=text) for text, lists in made.items()}
        beside = _measured(ev, others, list(ev.means))
        with_added(ev, {BASELINES: replace(beside, seen=seen)})
    return ev


def compare_with(
    again: Callable[..., Comparison], judgments: object, systems: Any, *, history: object, protocol: object,
    baselines: object, measures: object,
) -> Comparison:  # fmt: skip
    """The comparison, with the protocol of its judgments, and with baselines as further systems."""
    bare, stated = _stated(judgments, protocol)
    systems = list(systems) if isinstance(systems, Iterator) else systems
    if baselines is not None:
        asked = ask(measures or ("nDCG@10", "AP", "RR")).measures
        pairs = list(systems.items()) if isinstance(systems, Mapping) else list(systems)
        named = [(one.name, one) if isinstance(one, Evaluation) else one for one in pairs]
        train = _needed(_train((judgments, protocol), history))
        systems = dict([*named, *_runs(train, bare, baselines, asked).items()])
    cmp = again(bare, systems, history=history, protocol=False)
    if baselines is not None:
        cmp = replace(cmp, notes=(*cmp.notes, said("seen_not_in_baselines")))
    if stated is None:
        return cmp
    seen = _seen_by_system(again, systems, _train((judgments, protocol), history), cmp)
    for name in cmp.systems:
        lists = SeenInLists((name,), seen[name])
        for ev in (*([cmp.evaluations[name]] if name in cmp.evaluations else []), *cmp.runs.get(name, ())):
            with_added(ev, {PROTOCOL: replace(stated, lists=lists)})
    alike: dict[float | None, list[str]] = {}
    for name, share in seen.items():
        alike.setdefault(share, []).append(name)
    found = [SeenInLists(tuple(names), share).sentence() for share, names in alike.items()]
    return replace(cmp, notes=(*stated.sentences(), *found, *cmp.notes))


def _stated(judgments: object, protocol: object) -> tuple[object, Protocol | None]:
    """The bare judgments, and the protocol under which they were made."""
    if isinstance(judgments, Split):
        return judged_rows(judgments), judgments.protocol if protocol is None else _protocol(protocol)
    return judgments, _protocol(judgments if protocol is None and record_beside(judgments) else protocol)


def _protocol(stated: object) -> Protocol | None:
    """A protocol as it was given: itself, a split, the path of its file, or that of a part beside it."""
    if stated is None or isinstance(stated, Protocol):
        return stated
    if isinstance(stated, Split):
        return stated.protocol
    if not isinstance(stated, (str, os.PathLike)):
        raise InputError.of("protocol.not_stated", type=type(stated).__name__)
    beside = record_beside(stated)
    name = Path(stated).name
    if beside is None or name == Path(beside).name:
        return read_protocol(stated)[0]
    known, record = read_protocol(beside)
    return known if name in record["files"] else None


def judged_rows(parts: Split) -> pl.DataFrame:
    """Test as judgments: each pair once, its last row."""
    roles = {role: column for role, column in parts.origins.columns.items() if role in ("user", "item", "rating")}
    rows = parts.test.select(pl.col(column).alias(role) for role, column in roles.items())
    return rows.unique(["user", "item"], keep="last", maintain_order=True)


def _train(sources: tuple[object, ...], history: object) -> Known:
    """What baselines learn from, and its columns; ``sources`` may say where train is. None where nobody does."""
    train, named = history, None
    for source in sources if train is None else ():
        if isinstance(source, Split):
            train, named = source.train, source.origins.columns
        elif train is None and isinstance(source, (str, os.PathLike)):
            train = _train_beside(Path(source))
    return train, named


def _needed(known: Known) -> Known:
    """What baselines cannot do without."""
    if known[0] is None:
        raise InputError.of("protocol.no_train")
    return known


def _share_seen(again: Callable[..., Evaluation], run: object, known: Known, k: int) -> float | None:
    """The share of the places of a run with items that their user took in train; None where that cannot be seen."""
    train, named = known
    if train is None or (isinstance(train, Path) and train.stat().st_size > LARGE) or not _is_read_again(run):
        return None
    if named is not None:
        train = train.select(pl.col(named[role]).alias(role) for role in ("user", "item"))
    measure = f"SeenItems@{k}" if k else "SeenItems"
    once = {"queries": "run", "by": None, "assisted_by": None, "per_query_to": None, "dialect": None, "progress": None}
    with warnings.catch_warnings():  # what there is to say of the run is said with its numbers
        warnings.simplefilter("ignore")
        try:
            share = next(iter(again(None, run, measures=measure, history=train, protocol=False, **once).means.values()))
        except InputError:
            return None  # the numbers themselves do not need train
    return None if math.isnan(share) else share


def _runs(known: Known, bare: object, kinds: Any, measures: Any) -> dict[str, pl.DataFrame]:
    """The lists of the baselines for all judged users."""
    table, _ = read_interactions(known[0], columns=known[1])
    cutoffs = [measure.cutoff for measure in measures if measure.cutoff]
    k = max(cutoffs) if len(cutoffs) == len(measures) else max([SHORTEST, *cutoffs])
    judged = into_judgments(bare).judgment_table()
    users = judged.query.unique(maintain_order=True)
    lists = lists_of(table, users, k, kinds=kinds, without_seen=True, segments=None, seed=0)
    if judged.item.dtype != pl.String:
        return lists
    return {kind: rows.with_columns(pl.col("item").cast(pl.String)) for kind, rows in lists.items()}  # as in a file


def _train_beside(part: Path) -> Path | None:
    """The train part that was written with a test part."""
    train = part.with_name(part.name.replace("test", "train"))
    return train if record_beside(part) and train != part and train.is_file() else None


def _measured(ev: Evaluation, others: Mapping[str, Evaluation], measures: Any) -> BaselineValues:
    """The baselines beside the model, tested against it."""
    tested = compare(None, [ev, *others.values()], measures, baseline=ev.name, protocol="any")
    differences = []
    for record in tested.differences:
        is_model_first = record.system == ev.name
        other = record.other if is_model_first else record.system
        difference = (record.difference if is_model_first else -record.difference) + 0.0  # no -0.0
        told = {"baseline": other, "measure": ev.label(record.measure), "difference": difference}
        differences.append({**told, "p": record.p_corrected})
    values = {name: {ev.label(m): other.means[other.find(m)] for m in ev.means} for name, other in others.items()}
    return BaselineValues(ev.name, values, tuple(differences), _longest(measures), evaluations=others)


def _longest(measures: Any) -> int:
    """How deep the measures look; 0 where none has a cutoff."""
    return max([0, *(int(measure.cutoff) for measure in measures if measure.cutoff)])


def _is_read_again(run: object) -> bool:
    """Whether a run can be read once more: it is no stream, and not so large that this would take as long again."""
    if run is None or isinstance(run, (Iterator, Evaluation)) or hasattr(run, "read") or str(run) == "-":
        return False
    if not isinstance(run, (str, os.PathLike)):
        return True
    return Path(run).is_file() and Path(run).stat().st_size <= LARGE


def _seen_by_system(
    again: Callable[..., Comparison], systems: Any, known: Known, cmp: Comparison
) -> dict[str, float | None]:
    """The share of places with seen items of every system; evaluations know it themselves."""
    asked = getattr(again, "keywords", {})
    options: dict[str, Any] = {name: asked.get(name) for name in ("columns", "purpose", "duplicates")}
    k = _longest(cmp.measures)
    shares: dict[str, float | None] = {}
    for name, system in named_systems(systems).items():
        of_runs = []
        for run in system.runs:
            stated = run.added.get(PROTOCOL) if isinstance(run, Evaluation) else None
            if isinstance(stated, Protocol) and stated.lists is not None:
                of_runs.append(stated.lists.share)
            else:
                of_runs.append(_share_seen(partial(evaluate, **options), run, known, k))
        numbers = [share for share in of_runs if share is not None]
        shares[name] = sum(numbers) / len(numbers) if numbers and len(numbers) == len(of_runs) else None
    return shares
