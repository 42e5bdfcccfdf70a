"""What one call of trec_eval asks for: its options, its measures, how each of them is printed and averaged.

What each one *is* stands in the dialect ``trec_eval`` (data); here is only what the program does around it.

Numbers are read as the C library reads them: as much of the beginning as is a number, and 0 where nothing is.

>>> atol("12abc"), atol("0x10"), atol("none"), atof("1.5.2"), atof("0x10"), atof("-inf")
(12, 0, 0, 1.5, 16.0, -inf)
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from rankmeter.errors import MeasureError, Problem, nearest
from rankmeter.frozen import dataclass
from rankmeter.wording import said

Version = Literal[9, 10]
Source = str | bytes
"""A path, or the content of standard input."""
Kind = Literal["text", "count", "value", "cutoffs", "points", "numbers", "pairs"]

UNDEFINED = Problem("doors.undefined", {})
LARGEST_INT, LARGEST_LONG = 2**31 - 1, 2**63 - 1
_BLANKS = r"[ \t\n\v\f\r]*"
_HEX = r"([+-]?0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?)"
_DECIMAL = r"([+-]?(?:inf|nan|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?))"


def atol(text: str) -> int:
    """A whole number; beyond 64 bits, the outermost one."""
    match = re.match(_BLANKS + "([+-]?[0-9]+)", text)
    return max(-LARGEST_LONG - 1, min(LARGEST_LONG, int(match[1]))) if match else 0


def atof(text: str) -> float:
    """A real number."""
    if match := re.match(_BLANKS + _HEX, text, re.IGNORECASE):
        try:
            return float.fromhex(match[1])
        except OverflowError:
            return -math.inf if match[1].startswith("-") else math.inf
    match = re.match(_BLANKS + _DECIMAL, text, re.IGNORECASE)
    return float(match[1]) if match else 0.0


@dataclass(frozen=True, slots=True)
class ProgramCall:
    """One call of the program; the comments name its options."""

    judgments: str = ""
    run: Source = ""
    measures: tuple[str, ...] = ("official",)  # -m
    per_query: bool = False  # -q
    summary: bool = True  # -n turns it off
    complete: bool = False  # -c
    level: int = 1  # -l
    depth: int | None = None  # -M
    judged_only: bool = False  # -J
    collection: int = 0  # -N
    judgments_format: str = "qrels"  # -R
    run_format: str = "trec_results"  # -T
    zscores: str | None = None  # -Z
    only_query: str | None = None  # -D level.query
    version: Version = 10

    @property
    def dialect(self) -> str:
        """The dialect with the options that change definitions."""
        options = {
            "9": self.version == 9,
            "J": self.judged_only,
            f"l={max(self.level, 0)}": self.level != 1,
            f"M={self.depth}": self.depth is not None,
        }
        return f"trec_eval:{','.join(option for option, is_set in options.items() if is_set)}"


@dataclass(frozen=True, slots=True)
class Printed:
    """One measure of the program."""

    name: str
    kind: Kind = "value"
    """What its parameters are and how it is printed; ``count`` is printed as a whole number."""
    per_query: bool = True
    """Whether -q shows it."""
    mean: Literal["mean", "sum", "geometric", "none"] = "mean"
    metric: str = ""
    """The metric of the dialect that it is made of, where the names differ."""
    since: Version = 9
    judgments: Literal["grades", "preferences", "groups", "any"] = "grades"
    """What it is computed from."""


_COUNTED_PREFERENCES = tuple(f"prefs_num_prefs_{which}" for which in ("poss", "ful", "ful_ret"))
_SHARES_OF_PREFERENCES = tuple(
    f"prefs_{share}{which}"
    for which in ("", "_ret", "_imp")
    for share in ("simp", "pair", "avgjg", "avgjg_Rnonrel")
    if (share, which) != ("avgjg_Rnonrel", "_imp")
)

ORDER: tuple[Printed, ...] = (
    Printed("runid", "text", per_query=False, mean="none", judgments="any"),
    Printed("num_q", "count", per_query=False, mean="sum", judgments="any"),
    Printed("num_ret", "count", mean="sum"),
    Printed("num_rel", "count", mean="sum"),
    Printed("num_rel_ret", "count", mean="sum"),
    Printed("map"),
    Printed("gm_map", per_query=False, mean="geometric"),
    Printed("Rprec"),
    Printed("bpref"),
    Printed("recip_rank"),
    Printed("iprec_at_recall", "points"),
    Printed("P", "cutoffs"),
    Printed("relstring", "numbers", mean="none"),
    Printed("recall", "cutoffs"),
    Printed("infAP"),
    Printed("gm_bpref", per_query=False, mean="geometric"),
    Printed("Rprec_mult", "points"),
    Printed("utility", "numbers"),
    Printed("11pt_avg", "numbers", metric="iprec_at_recall"),
    Printed("binG"),
    Printed("G", "pairs"),
    Printed("dcg", "pairs", metric="ndcg", since=10),
    Printed("ideal_dcg", "pairs", metric="ndcg", since=10),
    Printed("ndcg", "pairs"),
    Printed("ndcg_rel", "pairs"),
    Printed("Rndcg", "pairs"),
    Printed("ndcg_cut", "cutoffs"),
    Printed("map_cut", "cutoffs"),
    Printed("relative_P", "cutoffs"),
    Printed("success", "cutoffs"),
    Printed("set_P"),
    Printed("set_relative_P"),
    Printed("set_recall"),
    Printed("set_map"),
    Printed("set_F", "numbers"),
    Printed("num_nonrel_judged_ret", "count", mean="sum"),
    *(Printed(name, "count", mean="sum", judgments="preferences") for name in _COUNTED_PREFERENCES),
    *(Printed(name, judgments="preferences") for name in _SHARES_OF_PREFERENCES),
    Printed("map_avgjg", metric="map", judgments="groups"),
    Printed("P_avgjg", "cutoffs", metric="P", judgments="groups"),
    Printed("Rprec_mult_avgjg", "points", metric="Rprec_mult", judgments="groups"),
    Printed("yaap", metric="map"),
    Printed("rbp", "pairs", since=10),
    Printed("rbp_resid", "pairs", since=10),
    Printed("unj", "cutoffs", since=10),
)
"""In the order in which the program prints them, whatever the order of -m."""

BY_NAME = {printed.name: printed for printed in ORDER}

_COUNTS = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret")
OFFICIAL = (*_COUNTS, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P")
_APART = ("dcg", "ideal_dcg", "yaap")
_PREFERENCES = (*_COUNTED_PREFERENCES, *_SHARES_OF_PREFERENCES)
NICKNAMES: Mapping[str, tuple[str, ...]] = {
    "official": OFFICIAL,
    "set": (*_COUNTS, "utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F"),
    "all_trec": tuple(
        printed.name for printed in ORDER if printed.judgments in ("any", "grades") and printed.name not in _APART
    ),
    "all_prefs": ("runid", "num_q", *_PREFERENCES),
    "prefs": ("runid", "num_q", *_PREFERENCES[:6]),
    "qrels_jg": ("runid", "num_q", *(printed.name for printed in ORDER if printed.judgments == "groups")),
}
JUDGED_IN: Mapping[str, str] = {
    "qrels": "grades",
    "prefs": "preferences",
    "qrels_prefs": "preferences",
    "qrels_jg": "groups",
}
"""What the formats of -R hold."""
DEFAULT_NUMBERS: Mapping[str, tuple[float, ...]] = {
    "relstring": (10,),
    "utility": (1, -1, 0, 0),
    "11pt_avg": tuple(tenth / 10 for tenth in range(11)),
    "set_F": (1,),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """A measure with its parameters, as one command asks for it."""

    printed: Printed
    text: str = ""
    """The parameters as they were written; empty for the program's own."""

    @property
    def numbers(self) -> tuple[float, ...]:
        """The parameters as numbers, in the order of the text."""
        if not self.text:
            return DEFAULT_NUMBERS.get(self.printed.name, ())
        return tuple(map(atof, self.text.split(",")))

    @property
    def pairs(self) -> list[tuple[str, float]]:
        """Parameters such as ``1=3,2=9`` or ``p=0.8``."""
        parts = [part.partition("=") for part in self.text.split(",") if self.text]
        if not all(equals and "=" not in value for _, equals, value in parts):
            raise MeasureError.of("doors.not_gains", name=self.printed.name, text=self.text)
        return [(name, atof(value)) for name, _, value in parts]

    @property
    def label(self) -> str:
        """The name as it is printed, for measures that have one value; some take no parameters and hide them."""
        takes = self.printed.kind not in ("value", "count")
        return f"{self.printed.name}_{self.text}" if self.text and takes else self.printed.name

    def check(self) -> None:
        """Refuse the parameters that the program refuses before it computes anything."""
        if self.printed.kind == "pairs":
            self.pairs  # noqa: B018 (asked for its error)
        elif self.text and self.printed.kind in ("cutoffs", "points"):
            self.numbered(())

    def numbered(self, defaults: Sequence[float]) -> list[tuple[str, float]]:
        """For measures with cutoffs: each printed name and its number, rising."""
        name = f"{self.printed.name}.{self.text}"
        if self.printed.kind == "cutoffs":
            cutoffs = sorted(map(atol, self.text.split(","))) if self.text else [int(k) for k in defaults]
            if cutoffs[0] <= 0:
                raise MeasureError.of("doors.cutoff_below_one", name=name)
            if cutoffs[-1] - cutoffs[0] > LARGEST_INT:
                raise MeasureError.of("doors.cutoffs_apart", name=name)
            pairs = [(f"{self.printed.name}_{k}", float(k)) for k in cutoffs]
        else:
            points = sorted(self.numbers or defaults)
            if not all(abs(point) < LARGEST_INT for point in points):
                raise MeasureError.of("doors.point_too_large", name=name)
            # The program has room for eight characters of such a number, and cuts off the rest.
            pairs = [(f"{self.printed.name}_{f'{point:3.2f}'[:8]}", point) for point in points]
        if len({number for _, number in pairs}) < len(pairs):
            raise MeasureError.of("doors.cutoff_twice", name=name)
        return pairs


def wanted(asked: Iterable[str], version: Version) -> list[Wanted]:
    """The measures that some ``-m`` options ask for, in the order in which they are printed.

    As in the program, parameters count for the first option that gives any, and a nickname takes them for nothing.
    """
    parameters: dict[str, str] = {}
    names: set[str] = set()
    for text in asked:
        name, dot, given = text.partition(".")
        if dot and not given:
            raise MeasureError.of("doors.no_parameters", text=text)
        if given:
            parameters.setdefault(name, given)
        names.update(_names_meant(name, version))
    return [
        Wanted(printed, parameters.get(printed.name, ""))
        for printed in ORDER
        if printed.name in names and printed.since <= version
    ]


def _names_meant(name: str, version: Version) -> Sequence[str]:
    if name in NICKNAMES:
        return NICKNAMES[name]
    if name in BY_NAME and BY_NAME[name].since <= version:
        return (name,)
    if name in BY_NAME:
        raise MeasureError.of("doors.no_measure", name=name, version=version, hint="--trec-eval-version 10")
    known = [*(printed.name for printed in ORDER if printed.since <= version), *NICKNAMES]
    close = nearest(name, known, shown=1)
    hint = said("general.did_you_mean", choice=close[0]) if close else said("doors.measures", known=known)
    raise MeasureError.of("doors.no_measure", name=name, version=version, hint=hint)


def check_shared_gains(chosen: Sequence[Wanted]) -> None:
    """Refuse gains for one of three measures that keep theirs in one place, where several of them are asked for."""
    sharing = [measure for measure in chosen if measure.printed.name in ("dcg", "ideal_dcg", "ndcg")]
    if len(sharing) > 1 and any(asked.text for asked in sharing):
        raise MeasureError.of("doors.shared_gains", names=[asked.printed.name for asked in sharing])
