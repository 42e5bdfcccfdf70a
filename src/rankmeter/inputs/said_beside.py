"""Columns that nothing is read from and that say something about the rows: that one does not count, or whose it is.

What they say is not followed, because nobody can know what was meant; it is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankmeter.errors import examples
from rankmeter.inputs.cells import RawColumn, is_missing, is_number, number_of
from rankmeter.inputs.columns import fold
from rankmeter.inputs.reading import Reading
from rankmeter.late import pl
from rankmeter.wording import Said, chinese, said

MORE = frozenset(
    "hasmore hasmoreresults hasmorehits moreresults moreavailable hasnext hasnextpage nextpage nextcursor nexttoken "
    "nextpagetoken nextpageid nextoffset nextpageoffset nexturl nextlink nextpageurl nextcursormark continuationtoken "
    "scrollid @odata.nextlink @search.nextpageparameters".split()
)
"""What names the rest of a result: a page after this one."""
_AGAINST = frozenset(
    "error errors failed isfailed failure timedout timeout istimeout ispartial partial partialresults incomplete "
    "isincomplete truncated istruncated degraded isdegraded terminatedearly aborted interrupted limitreached invalid "
    "isinvalid notfound missing deleted isdeleted removed isremoved ignored ignore isignored excluded exclude "
    "isexcluded skipped skip isskipped rejected isrejected discarded cancelled canceled spam isspam obsolete outdated "
    "withdrawn disabled unsure hidden ishidden blocked isblocked suppressed issuppressed filtered filteredout dropped "
    "isdropped duplicate isduplicate duplicateof tombstone istombstone expired isexpired archived isarchived inactive "
    "forbidden accessdenied unauthorized belowthreshold placeholder isplaceholder padding ispadding isad isbot istest "
    "skipreason rejectedreason rejectionreason shuffled unsorted unranked notranked capped clipped".split()
).union(chinese.AGAINST, MORE)
"""What a column is called that says, where it is set, that a row does not count."""

_FOR = chinese.FOR | frozenset(
    "valid isvalid ok isok success successful issuccess succeeded accepted approved complete iscomplete completed "
    "isfinal finished found exists visible isvisible shown displayed selected isselected kept keep retrieved returned "
    "incontext passedfilter published".split()
)
"""What a column is called that says so where it is not set."""

STEMS = (
    "timeout timedout truncat partial incomplete unfinish degrad abort cutoff throttl ratelimit quota exceed "
    "limitreached fail "
    "error exception unavailab outage stale fallback fellback interrupt cancel skipp dropp omit suppress reject disabl "
    "moreavail moreresults hasmore unhealthy dryrun mock simulat sampled outofdate expired warn alert"
).split()
"""Within names of flags that say so where they are true, whoever thought of the name."""
_WELL = "complete success succeed healthy finished available isfull fullyindexed uptodate shardsok".split()
"""Within names of flags that say so where they are false."""
_ALL_STEMS = (*STEMS, *_WELL)

_STATES = frozenset({"status", "state", "状态"})
_FINE = frozenset(
    "ok 0 200 success succeeded successful done complete completed finished accepted approved final active valid "
    "published 正常 成功 完成 已完成 通过 有效".split()
)

TELLING = tuple("outcome health phase reason message detail details note notes remark remarks 备注 说明".split())
"""What names end with under which a few words may say so, whatever they are."""
_TOLD = (*STEMS, "rebuild", "rebuilt", "building", "invalid", "denied", "notexist", "onlyfirst", "错误", "失败", "超时")
"""Within such words."""
_SHORT = 60
"""Such words are no longer."""

_DIVIDES = chinese.DIVIDES | frozenset(
    "system systemid systemname model modelid modelname run runid runname runtag method algorithm ranker retriever "
    "reranker variant experiment experimentid config split subset partition fold judge judgeid judgename annotator "
    "annotatorid assessor assessorid rater raterid labeler labeller".split()
)
"""What a column is called that says whose row it is."""

_PARTS = frozenset({"coverage", "completeness", "shardcoverage", "indexcoverage"})
"""What is below 1, or below 100 in percent, where a part did not answer."""

DIRECTIONS = frozenset(
    "order sort sortorder sortdirection orderdirection direction ordering scoreorder metric metrictype distancemetric "
    "distancetype distancefunction distancestrategy similaritymetric similarityfunction vectormetric space spacetype "
    "scoretype higherisbetter lowerisbetter".split()
)
"""What says which end of the scores is the better one."""
_LOWER = frozenset(
    "asc ascending lower lowerisbetter l2 l2norm l2squared squaredl2 sql2 euclid euclidean euclideandistance "
    "squaredeuclidean distance cosinedistance manhattan l1 l1norm taxicab hamming jaccarddistance chebyshev".split()
)
_HIGHER = frozenset("desc descending higher higherisbetter".split())

_NOT_SET = frozenset({"", "0", "0.0", "false", "no", "none", "null", "nan", "n", "f", "否", "无", "-"})


def said_beside(reading: Reading) -> dict[str, str]:
    """The columns that nothing was read from and that may say something about the rows: ``{name: name}``."""
    heard = _AGAINST | _FOR | _STATES | _DIVIDES | _PARTS | DIRECTIONS
    folded = {name: fold(name) for name in reading.unused}
    return {
        name: name
        for name, plain in folded.items()
        if plain in heard or plain.endswith(TELLING) or any(stem in plain for stem in _ALL_STEMS)
    }


def notes_beside(reading: Reading, columns: Mapping[str, RawColumn]) -> dict[str, Said]:
    """What these columns say, by the kind of note."""
    notes = {}
    for name, column in columns.items():
        given = _different(column)
        if fold(name) in _DIVIDES:
            if len(given) > 1:
                shown = examples(given, shown=3)
                notes[f"divided by {name}"] = said("rows_divided", source=reading.source, column=name, values=shown)
        elif fold(name) in DIRECTIONS:
            if reading.order == "score" and (lower := [text for text in given if lower_is_better(name, text)]):
                notes["direction"] = said("lower_stated", source=reading.source, column=name, value=lower[0])
        elif against := [text for text in given if _speaks_against(fold(name), text)]:
            notes[f"{name} of a row"] = said(
                "rows_spoken_against", source=reading.source, column=name, value=against[0]
            )
    return notes


def lower_is_better(name: str, value: object) -> bool | None:
    """Whether a field says that the lowest score is the best; None where it says nothing of that.

    Examples
    --------
    >>> lower_is_better("metric_type", "L2"), lower_is_better("sort", "score desc"), lower_is_better("metric", "nDCG")
    (True, False, None)
    """
    if fold(name) in ("higherisbetter", "lowerisbetter"):
        is_set = str(value).casefold() not in _NOT_SET
        return None if is_missing(value) else is_set == (fold(name) == "lowerisbetter")
    said_word = fold(str(value).casefold().removeprefix("_").removeprefix("score").lstrip(" :,"))
    return True if said_word in _LOWER else False if said_word in _HIGHER else None


def speaks_against(name: str, value: object) -> bool:
    """Whether a flag of this name says with its value that what it stands in does not count.

    Examples
    --------
    >>> speaks_against("deleted", 1), speaks_against("rerankFailed", True), speaks_against("error_rate", 0.25)
    (True, True, False)
    """
    text, folded = str(value).strip(), fold(name)
    return not is_missing(value) and bool(text) and folded not in _STATES | _PARTS and _speaks_against(folded, text)


def speaks_against_state(value: object) -> bool:
    """Whether a state, in words, is none of those that are known to be fine.

    Examples
    --------
    >>> speaks_against_state("OK"), speaks_against_state("DONE_WITH_WARNINGS")
    (False, True)
    """
    return _speaks_against("status", str(value).strip())


def tells_against(text: str) -> bool:
    """Whether a few words, for people, speak of a failure or a limit.

    Examples
    --------
    >>> tells_against("only first shard searched"), tells_against("Request timed out"), tells_against("sold out")
    (True, True, False)
    """
    return len(text) <= _SHORT and any(stem in fold(text) for stem in _TOLD)


def is_flag_known(name: str) -> bool:
    """Whether a flag of this folded name is understood, whichever way it is set.

    Examples
    --------
    >>> is_flag_known("timedout"), is_flag_known("rerankfailed"), is_flag_known("frobnicated")
    (True, True, False)
    """
    return name in _AGAINST | _FOR | _PARTS | DIRECTIONS or any(stem in name for stem in _ALL_STEMS)


def _different(column: RawColumn | Sequence[object]) -> list[str]:
    """The different values of a column, as text; what is missing says nothing."""
    is_plain = isinstance(column, pl.Series) and not column.dtype.is_nested() and column.dtype != pl.Object
    values = column.unique(maintain_order=True).to_list() if is_plain else list(column)  # type: ignore[union-attr]
    return list(dict.fromkeys(str(value).strip() for value in values if not is_missing(value) and str(value).strip()))


def _speaks_against(name: str, text: str) -> bool:
    """Whether a value under this name says that a row does not count."""
    folded = text.casefold()
    if name in _PARTS:
        return is_part(text)
    if name in _STATES:
        return folded.removesuffix(".0") not in _FINE
    if name in _FOR or name in _AGAINST:
        return (folded in _NOT_SET) == (name in _FOR)
    if name.endswith(TELLING) and tells_against(text):
        return True
    stems = {"true": STEMS, "false": _WELL}.get(folded, [])
    return any(stem in name for stem in stems) and (
        folded == "true" or not ("incomplete" in name or "unfinish" in name)
    )


def is_part(value: object) -> bool:
    """Whether a share, or a percentage, is of less than the whole."""
    number = number_of(value) if isinstance(value, str) else value
    return is_number(number) and not isinstance(number, bool) and (0 <= number < 1 or 1 < number < 100)  # type: ignore[operator]
