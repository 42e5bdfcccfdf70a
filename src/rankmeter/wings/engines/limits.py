"""What a response says that limits it, and does not make it useless: more follows, a stage failed, lower is better.

Each of it is noted, beside results that count. What makes a response useless stands in `wholeness`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from rankmeter.errors import examples
from rankmeter.inputs.columns import fold
from rankmeter.inputs.ids import is_id_type
from rankmeter.inputs.said_beside import (
    DIRECTIONS,
    MORE,
    STEMS,
    TELLING,
    is_flag_known,
    is_part,
    lower_is_better,
    speaks_against,
    speaks_against_state,
    tells_against,
)
from rankmeter.wings.engines.fields import ITEM_IDS
from rankmeter.wings.engines.wholeness import (
    HEARD,
    MATCHED,
    PAGED,
    Document,
    asides_of,
    fields_in,
    holds_error,
    layers_of,
    number_in,
    reason_given,
    says_no,
    says_yes,
)
from rankmeter.wording import Said, said

_HIGHEST = frozenset({"maxscore", "hits.maxscore", "response.maxscore"})
"""The highest score of all results: Elasticsearch, OpenSearch, Solr, Couchbase."""
_MATCHED = frozenset(MATCHED)
_LISTED = frozenset(
    "count resultcount resultscount hitcount hitscount nresults nhits returned numreturned returnedcount "
    "retrievedcount numretrieved documentcount size limit hitsperpage perpage pagesize rows topk".split()
)
"""How many results a response has, or may have, as it says itself."""
_PLACES = ("links", "pagination", "paging", "pageinfo", "meta", "meta.pagination", "queries", "page", "cursor")
_NEXT = (*MORE, "next", "more")
_FOLLOWS = frozenset({*_NEXT, "cursor", "scroll", *(f"{place}.{name}" for place in _PLACES for name in _NEXT)})
_APPROXIMATE = frozenset({"exhaustivetypo", "exhaustive.typo", "exhaustive.rulesmatch", "exhaustive"})
"""Algolia: typos or rules that were not tried to the end; how it counts hits and facets says nothing of the hits."""
_SHARES = frozenset({"coverage", "completeness", "shardcoverage", "indexcoverage", "responsecoverage"})
_SETTINGS = frozenset("allow enable enabled include support supports use with return ignore no skip track can".split())
"""The first words of settings, which say what should be done, not what was."""
_ANSWERS = frozenset({*(f"{place}.{name}" for place in PAGED.split() for name in DIRECTIONS), *DIRECTIONS})
KNOWN = frozenset(
    "acknowledged cache cached cachehit fromcache iscached explain verbose stored personalized highlighted streaming "
    "stream numfoundexact numhitsexact exhaustivenbhits exhaustivefacetscount exhaustivefacetvalues "
    "segmentterminatedearly exhaustivetypo correct iscorrect answerable isanswerable labeled labelled parallel "
    "async".split()
)
"""Flags that say nothing of what a list holds, whichever way they are set."""
_NO_ORDER = frozenset("random unordered unsorted unranked unspecified arbitrary shuffled none".split())
"""What an order is called that is none."""
_ORDERS = frozenset("order sort sortby sortorder orderby ordering orderedby".split())
_TELLING = (*TELLING, *"status state type mode tier quality source servedfrom comment".split())
"""What names end with under which a word may speak against a response."""
_OF_ALL = re.compile(r"\s*(\d+)\s*(?:/|of)\s*(\d+)\s*", re.IGNORECASE)
"""How many of how many."""
_DONE = ("progress", "percent", "percentage", "fraction", "coverage", "searched", "completion")
"""What names end, or begin, with that say which share of the work is done."""
_LOST = tuple("failed failing unavailable missing skipped dropped truncated errors nerrors ndropped nfailed "
              "nskipped nmissing pending remaining unreachable incomplete".split())  # fmt: skip
"""How names begin under which it is listed, or counted, what is not there."""
_RETURNED = frozenset(
    "returned numreturned returnedcount countreturned kreturned nreturned resultcount resultscount nresults count "
    "hitcount nhits retrievedcount numretrieved documentcount".split()
)
"""How many results were returned, whatever was found."""
COUNTED = _MATCHED | _LISTED | _RETURNED | _HIGHEST
"""Numbers that are compared with the results."""
_GROUPED = frozenset("grouped groups groupedhits groupedresults expanded collapsed clusters".split())
_FURTHER = frozenset(
    "ads sponsored sponsoredresults promoted promotedresults pinned pinnedresults featured boosted bestbets "
    "recommendations alternatives fallback fallbackresults related relatedresults organic extra extraresults more "
    "moreresults additional additionalresults semanticresults lexicalresults vectorresults keywordresults "
    "secondaryresults otherresults rest remaining".split()
)
"""What lists of documents beside the results are called."""
_LISTS = ("items", "rows", "records", "entries")
"""How names of lists end that no tool is known to write its results under."""


def limits_noted(document: object, where: str, items: Sequence[object]) -> dict[str, Said]:
    """What a response says that limits its results, by the kind of note."""
    notes: dict[str, Said] = {}
    unknown: list[str] = []
    layers = list(layers_of(document))
    if (warning := _warning(layers)) is not None:
        notes["warning"] = said("engine_warned", source=where, warning=warning)
    for layer, above in _with_asides(layers):
        for path, field, value in fields_in(layer, _FOLLOWS | _APPROXIMATE | _SHARES, path=above):
            if field in _FOLLOWS and says_yes(value) and str(value) != "*":
                notes.setdefault("more", said("results_follow", source=where, field=path, listed=len(items)))
            elif (field in _APPROXIMATE and says_no(value)) or (field in _SHARES and is_part(value)):
                notes.setdefault("limit", said("engine_limited", source=where, field=path, value=str(value)[:80]))
        for key, value in layer.items():
            if _is_against(str(key), value) or _is_unsound(fold(str(key)), value):
                shown = reason_given(value) if isinstance(value, (Mapping, list)) else str(value)[:80]
                notes.setdefault("limit", said("engine_limited", source=where, field=f"{above}{key}", value=shown))
        flags = [(str(key), value) for key, value in layer.items() if _is_unknown(str(key), value)]
        unknown += [f"{above}{key}: {str(value).lower()}" for key, value in flags]
    if unknown:
        notes["flags"] = said("flags_unread", source=where, names=examples(unknown, shown=4))
    ids = list(map(str, items))
    if (reordered := next(_reordered(document, ids, sorted(ids), 4), None)) is not None:
        notes["reordered"] = said("list_in_another_order", source=where, field=reordered)
    if (further := next(_further(document, ids, 3), None)) is not None:
        notes["further"] = said("lists_beside", source=where, field=further)
    return notes


def direction_of(document: object) -> tuple[str, object, bool] | None:
    """What a response says of which scores are better: the field, its value, and whether the lowest are."""
    for layer, above in _with_asides(list(layers_of(document))):
        for path, field, value in fields_in(layer, _ANSWERS, path=above):
            stated = value[0] if isinstance(value, list) and len(value) == 1 else value
            while isinstance(stated, Mapping) and len(stated) == 1:  # {"_score": {"order": "asc"}}
                ((key, inner),) = stated.items()
                stated = inner if fold(str(key)).lstrip("_") in ("score", "order") else None
            is_lower = None if stated is None else lower_is_better(field.rpartition(".")[2], stated)
            if is_lower is not None:
                return path, stated, is_lower
    return None


def count_note(document: object, where: str, listed: int) -> Said | None:
    """That a response lists more results than it says that it found, or returned."""
    for layer in layers_of(document):
        for path, _, value in fields_in(layer, _MATCHED | _LISTED | _RETURNED):
            matched = number_in(value)
            is_more = fold(path) in _RETURNED and matched is not None and matched > listed
            if matched is not None and (0 <= matched < listed or is_more):
                return said("engine_counts", source=where, field=path, matched=int(matched), listed=listed)
    return None


def highest_noted(document: object, where: str, results: Sequence[object]) -> dict[str, Said]:
    """That no result has the highest score that a response names, as where it is a later page or was filtered."""
    for layer in layers_of(document):
        for path, _, value in fields_in(layer, _HIGHEST):
            highest, known = number_in(value), list[float]()
            if highest is None:
                continue
            for score in _scores_in(results):
                known.append(score)
                if score >= highest - 1e-5 * abs(highest):  # most often the first
                    return {}
            if known:
                shown = f"{highest:g}", f"{max(known):g}"
                return {"highest": said("engine_highest", source=where, field=path, highest=shown[0], listed=shown[1])}
    return {}


def _scores_in(results: Sequence[object]) -> Iterator[float]:
    """The scores of results under the names that stand beside a highest one."""
    for result in results:
        if isinstance(result, Mapping):
            names = (name for name in ("_score", "score", "@search.score", "relevance") if name in result)
            score = number_in(result[name]) if (name := next(names, None)) is not None else None
            if score is not None:
                yield score


def _with_asides(layers: Sequence[Document]) -> Iterator[tuple[Document, str]]:
    return chain(((layer, "") for layer in layers), asides_of(layers))


def _warning(layers: Sequence[Document]) -> str | None:
    """What an engine warns of in a response that is whole."""
    for layer, above in _with_asides(layers):
        for _, _, value in fields_in(layer, frozenset({"warning", "warnings"}), path=above):
            if says_yes(value):
                return reason_given(value)
    return None


def _is_against(key: str, value: object) -> bool:
    """Whether a flag, or a text under such a name, speaks against a response."""
    name = fold(key)
    first = re.match("[A-Z]+(?![a-z])|[A-Za-z][a-z]*", key)
    if first is not None and first[0].casefold() in _SETTINGS:
        return False
    if isinstance(value, (int, float)) and not isinstance(value, bool) and ("count" in name or name.startswith("num")):
        return value > 0 and any(stem in name for stem in STEMS)
    if isinstance(value, (bool, str)) and speaks_against(name, value):
        return True
    is_told = isinstance(value, (str, Mapping, list)) and holds_error(value)
    return is_told and any(stem in name for stem in ("error", "exception", "failure", "alerts"))


def _is_unsound(name: str, value: object) -> bool:
    """Whether a state, a count, a list or an order, in words that need not be known, speaks against a response."""
    if name.startswith(_LOST) and not isinstance(value, (bool, str)):
        return holds_error(value) if isinstance(value, (list, Mapping)) else (number_in(value) or 0) > 0
    if name == "links" and isinstance(value, list):
        rels = [each.get("rel") for each in value if isinstance(each, Mapping)]
        return any(rel in ("next", "prev", "previous") for rel in rels)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return (name == "status" and value not in (0, 200)) or (_says_share(name) and is_part(value))
    if not isinstance(value, str) or not value.strip():
        return False
    if (parts := _OF_ALL.fullmatch(value)) is not None and int(parts[1]) < int(parts[2]):
        return True
    if _says_share(name) and value.strip().endswith("%"):
        return is_part(value.strip().rstrip("% "))
    word = fold(value)
    if name in _ORDERS:
        return word in _NO_ORDER
    if name in ("status", "state"):
        return speaks_against_state(value)
    return name.endswith(_TELLING) and tells_against(value)


def _says_share(name: str) -> bool:
    return name.endswith(_DONE) or name.startswith(_DONE)


def _is_unknown(key: str, value: object) -> bool:
    """Whether a flag is one of which nothing is known: whoever set it may have meant the results."""
    name = fold(key)
    first = re.match("[A-Z]+(?![a-z])|[A-Za-z][a-z]*", key)
    is_setting = first is not None and first[0].casefold() in _SETTINGS
    is_flag = isinstance(value, bool) or (isinstance(value, str) and value.casefold() in ("true", "false"))
    return is_flag and not is_setting and name not in KNOWN | HEARD and not is_flag_known(name)


def _further(document: object, items: Sequence[str], levels: int) -> Iterator[str]:
    """The paths of lists of other documents that stand beside the results, in groups or under a usual name."""
    for key, value in document.items() if isinstance(document, Mapping) else ():
        name = fold(str(key))
        if name in _GROUPED and isinstance(value, (Mapping, list)) and _holds_objects(value):
            yield str(key)
        elif isinstance(value, list) and (name in _FURTHER or name.endswith(_LISTS)):
            ids = [_id_of(each) for each in value]
            if ids and None not in ids and ids != items:
                yield str(key)
        elif levels > 1 and isinstance(value, Mapping):
            yield from (f"{key}.{path}" for path in _further(value, items, levels - 1))


def _reordered(document: object, items: Sequence[str], alike: Sequence[str], levels: int) -> Iterator[str]:
    """The paths of lists, whatever their names, that hold the ids of the results in another order."""
    for key, value in document.items() if isinstance(document, Mapping) else ():
        if isinstance(value, list) and len(value) == len(items) > 1:
            ids = [_id_of(each) if isinstance(each, Mapping) else str(each) for each in value]
            if ids != items and None not in ids and sorted(map(str, ids)) == alike:
                yield str(key)
        elif levels > 1 and isinstance(value, Mapping):
            yield from (f"{key}.{path}" for path in _reordered(value, items, alike, levels - 1))


def _holds_objects(value: Mapping[object, object] | list[object]) -> bool:
    return any(isinstance(each, Mapping) for each in (value.values() if isinstance(value, Mapping) else value))


def _id_of(document: object) -> str | None:
    """The id of a document; None where it has none."""
    ids = (document[key] for key in ITEM_IDS if key in document) if isinstance(document, Mapping) else ()
    return next((str(each) for each in ids if is_id_type(type(each))), None)
