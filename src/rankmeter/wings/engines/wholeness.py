"""What says that a response is not whole: an error, a part of the index that did not answer, a later page.

`SIGNS` is the one table. A row names a field, what its value must be to say so, and the engines that write it. A field
is looked for on the response and on every object around it, so that it is heard in a record with the query, too. Names
are compared as those of columns are: ``timed_out`` is ``timedOut``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from math import isnan
from typing import Any
from urllib.parse import parse_qsl

from rankmeter.errors import InputError, examples
from rankmeter.frozen import dataclass
from rankmeter.inputs.cells import is_missing, is_number, number_of
from rankmeter.inputs.columns import Side, fold

Document = Mapping[str, Any]
FAILED, PARTIAL, LATER = "engines.failed", "engines.partial", "engines.later_page"
"""What is said of a response."""


def says_yes(value: object) -> bool:
    """Whether a field says yes: anything but nothing, false and zero, also as text."""
    if isinstance(value, Mapping):
        return any(map(says_yes, value.values()))
    if isinstance(value, list):
        return bool(value)
    return (
        not is_missing(value)
        and value not in (False, 0, "")
        and str(value).casefold() not in ("false", "none", "no", "0")
    )


def holds_error(value: object) -> bool:
    """Whether a field holds an error: anything in an object, too."""
    return bool(value) if isinstance(value, Mapping) else says_yes(value)


def says_no(value: object) -> bool:
    """Whether a field says no."""
    return value is False or str(value).casefold() == "false"


def number_in(value: object) -> float | None:
    """A number, also as text; None for anything else, truth values too."""
    if type(value) is float:
        return None if isnan(value) else value
    number = number_of(value)
    return None if isinstance(number, bool) or is_missing(number) or not is_number(number) else float(number)  # type: ignore[arg-type]


def _above(limit: float) -> Callable[[object], bool]:
    return lambda value: (number := number_in(value)) is not None and number > limit


def _below(limit: float) -> Callable[[object], bool]:
    return lambda value: (number := number_in(value)) is not None and number < limit


def _is_code(value: object) -> bool:
    """Whether a code, in words or as a number, is that of an error."""
    number = number_in(value)
    return isinstance(value, str) and value.casefold() not in _FINE if number is None else number not in (0, 200)


def _is_http_error(value: object) -> bool:
    """Whether a number that may be about anything is that of an error."""
    return (number := number_in(value)) is not None and 400 <= number < 600


def _is_true(value: object) -> bool:
    """Whether a field that may also be a setting says yes."""
    return value is True or str(value).casefold() == "true"


def _is_place(value: object) -> bool:
    """Whether a number is the place of a first result behind the first one, not a time."""
    return (number := number_in(value)) is not None and 0 < number < 1_000_000 and number.is_integer()


def _is_later_range(value: object) -> bool:
    """Whether a range of HTTP, such as ``items 10-19/50``, begins behind the first."""
    found = re.search(r"(\d+)\s*-\s*\d+", value) if isinstance(value, str) else None
    return found is not None and int(found[1]) > 0


def _is_behind(value: object) -> bool:
    """Whether a place to go on from is given; Solr begins at ``*``."""
    return says_yes(value) and value != "*"


def _is_not_zero(value: object) -> bool:
    return number_in(value) not in (None, 0)


def _is_http_failure(value: object) -> bool:
    """Whether this is a code below 0, that of a part, or of an error, perhaps with its reason behind it."""
    value = value[:3] if isinstance(value, str) and value[3:4] == " " else value
    return (number := number_in(value)) is not None and (number < 0 or number == 206 or number >= 400)


def _is_cut_short(value: object) -> bool:
    """Whether a warning, or a list of them, speaks of a limit that was reached or of a part that failed."""
    return says_yes(value) and any(word in str(value).casefold() for word in _CUT_SHORT)


def _has_failed_stage(value: object) -> bool:
    """Whether one of a list of stages says that it failed."""
    stages = value if isinstance(value, list) else []
    return any(isinstance(stage, Mapping) and _is_unfinished(stage.get("status")) for stage in stages)


def _is_timeout(value: object) -> bool:
    """Whether a short message says that the time was over; longer texts are about something else."""
    if not isinstance(value, str) or len(value) >= 200:
        return False
    is_all = fold(value).rstrip(".!") in ("timeout", "timedout")
    return is_all or any(words in value.casefold() for words in ("timed out", "request timeout", "deadline exceeded"))


_CUT_SHORT = "time limit partial incomplete abort cancel exceed fail truncat unavailable degrad skip".split()
_FINE = ("", "ok", "success")
_UNFINISHED = frozenset(
    "error errored fail failed failure fatal partial incomplete timeout timedout limited running inprogress processing "
    "pending queued init cancelled canceled aborted interrupted truncated skipped degraded throttled".split()
)


def _is_unfinished(value: object) -> bool:
    """Whether a state in words, or an object with an error in its place, says so."""
    if isinstance(value, Mapping):
        return any(
            (name == "error" and says_yes(inner)) or (name == "errorcode" and _is_code(inner))
            for name, inner in ((fold(str(key)), inner) for key, inner in value.items())
        )
    return isinstance(value, str) and fold(value) in _UNFINISHED


@dataclass(frozen=True, slots=True)
class Sign:
    """A field, and what it says of a response."""

    fields: str
    """Names, with dots where they stand in another object."""
    tells: Callable[[object], bool]
    """Whether a value says that the response is not whole."""
    says: str
    engines: str
    """Who writes it; any tool may."""
    beside: str = ""
    """Names of which one must stand beside the field, which alone could be about something else."""
    without: str = ""
    """Names of which none may stand beside it."""

    def suits(self, layer: Document) -> bool:
        """Whether what stands beside a field makes it one of these."""
        names = {fold(str(key)) for key in layer}
        is_beside = not self.beside or any(name in names for name in self.beside.split())
        return is_beside and not any(name in names for name in self.without.split())


PAGED = (
    "request requestparams requestparameters params parameters queryparams queryparameters responseheader.params body "
    "searchparams pagination paging pageinfo requestbody payload url uri path requesturl requesturi requestpath"
)
"""Where the request of a response is repeated, perhaps as text: JSON, or an address with its parameters."""
_EARLIER = " ".join(
    above + name
    for above in ("", "links.", "pagination.", "paging.", "pageinfo.", "meta.", "queries.", "meta.pagination.")
    for name in ("previouspage", "prevpage", "previouspagetoken", "prevpagetoken", "previouscursor", "prevcursor",
                 "haspreviouspage", "hasprevious", "hasprev", "hasprevpage", "previous", "prev")
)  # fmt: skip
"""What names the page before this one, which the first page has not."""

SIGNS: tuple[Sign, ...] = (
    Sign("error errors err errormessage errormsg errorcode errortype haserror haserrors iserror exception exceptions "
         "failure failures failed remoteerrors fault traceback stacktrace", holds_error, FAILED,
         "all; errors: Vespa, Weaviate; exception: Coveo; remoteErrors: Meilisearch"),
    Sign("status state statustext resultstatus responsestatus querystatus searchstatus completeness "
         "searchmetadata.status", _is_unfinished, FAILED,
         "Qdrant; OpenSearch asynchronous search and Search Relevance Workbench"),
    Sign("status statuscode httpstatus httpcode httpstatuscode meta.status meta.statuscode http.status http.statuscode "
         "responsemetadata.httpstatuscode responsecode completionstatus", _is_http_failure, FAILED,
         "all, from HTTP; Amazon's clients"),
    Sign("code", _is_http_error, FAILED, "all, from HTTP"),
    Sign("responseheader.status header.status", _is_not_zero, FAILED, "Solr, Fusion"),
    Sign("code", _is_code, FAILED, "Meilisearch, Milvus, Pinecone, Typesense, Google",
         beside="message msg reason details data"),
    Sign("exitcode returncode grpcstatus grpccode", _is_code, FAILED, "all, from processes and gRPC"),
    Sign("success ok succeeded acknowledged", says_no, FAILED, "all"),
    Sign("timedout timeouthits timeoutcounts", says_yes, PARTIAL, "Elasticsearch, OpenSearch, Algolia"),
    Sign("timeout cutoff running", _is_true, PARTIAL, "all"),
    Sign("failedshards numfailedshards shardsfailed numshardsfailed", says_yes, PARTIAL, "all"),
    Sign("terminatedearly earlyterminated earlytermination ispartial isrunning partial ispartialresult "
         "incomplete isincomplete incompleteresults "
         "truncated istruncated", says_yes, PARTIAL, "Elasticsearch, OpenSearch"),
    Sign("aborted isaborted cancelled canceled iscancelled iscanceled interrupted istimeout hastimeout timeoutoccurred "
         "timeoutreached limitreached partialfailure partialfailures shardfailures unavailableshards missingshards "
         "timedoutshards errorcount numerrors failedcount incompletereason partialreason partialresponse "
         "ispartialresponse haspartialresults partialsuccess", says_yes, PARTIAL, "all"),
    Sign("percentcomplete percentagecomplete", _below(100), PARTIAL, "all"),
    Sign("complete iscomplete completed isfinal final finished isfinished done isdone", says_no, PARTIAL, "all"),
    Sign("shards.failed shards.failures", says_yes, PARTIAL, "Elasticsearch, OpenSearch"),
    Sign("clusters.failed clusters.partial clusters.skipped clusters.running", _above(0), PARTIAL,
         "Elasticsearch"),
    Sign("partialresults partialresultsdetails maxhitsterminatedearly responseheader.partialresults "
         "responseheader.partialresultsdetails responseheader.terminatedearly responseheader.maxhitsterminatedearly",
         says_yes, PARTIAL, "Solr, Fusion"),  # segmentTerminatedEarly loses none of the best
    Sign("zkconnected responseheader.zkconnected", says_no, PARTIAL, "Solr, Fusion"),
    Sign("guardrailaction", says_yes, PARTIAL, "Amazon Bedrock"),
    Sign("warning warnings responseheader.warnings header.warnings", _is_cut_short, PARTIAL, "Redis, Manticore, Solr"),
    Sign("message detail reason", _is_timeout, PARTIAL, "all, from gateways"),
    Sign("processorresults", _has_failed_stage, PARTIAL, "OpenSearch, of search pipelines"),
    Sign("failedsplits", holds_error, PARTIAL, "Quickwit"),
    Sign("status.failed status.errors", says_yes, PARTIAL, "Couchbase"),
    Sign("coverage.full", says_no, PARTIAL, "Vespa"),
    Sign("coverage.degraded", says_yes, PARTIAL, "Vespa"),
    Sign("coverage.coverage", _below(100), PARTIAL, "Vespa"),
    Sign("searchcutoff iscutoff cutoffreached", says_yes, PARTIAL, "Typesense"),
    Sign("degraded isdegraded", says_yes, PARTIAL, "Meilisearch"),
    Sign("@search.semanticpartialresponsereason @search.semanticpartialresponsetype semanticerrorreason "
         "semanticpartialresponsereason", says_yes, PARTIAL, "Azure AI Search"),
    Sign("@search.coverage", _below(100), PARTIAL, "Azure AI Search"),
    Sign("start", _is_place, LATER, "Solr, Fusion, CloudSearch", without="end stop finish"),
    Sign("queries.request.startindex", _above(1), LATER, "Google Custom Search"),
    Sign("offset from skip firstresult", _above(0), LATER, "Elasticsearch, Meilisearch, Vespa, Coveo, Algolia"),
    Sign(_EARLIER, holds_error, LATER, "all that name the page before; Google"),
    Sign("page", _above(0), LATER, "Algolia", beside="nbhits nbpages"),
    Sign("page", _above(1), LATER, "Typesense, Meilisearch", without="nbhits nbpages"),
    Sign("pagenumber pagenum pageno pageindex currentpage meta.page.current startindex startrank startposition "
         "firstposition firstrank fromrank rankoffset", _above(1), LATER, "all; Elastic App Search"),
    Sign("contentrange", _is_later_range, LATER, "all, from HTTP"),
    Sign("isfirst isfirstpage firstpage", says_no, LATER, "all; Spring Data"),
    *(Sign(f"{place}.start {place}.offset {place}.from {place}.skip {place}.firstresult", _above(0), LATER,
           "all, where they repeat the request") for place in PAGED.split()),
    *(Sign(f"{place}.page {place}.current {place}.currentpage {place}.pagenumber", _above(1), LATER,
           "Typesense, Elastic App Search") for place in PAGED.split()),
    *(Sign(f"{place}.$skip", _above(0), LATER, "Azure AI Search") for place in PAGED.split()),
    *(Sign(f"{place}.searchafter {place}.cursormark {place}.pagetoken {place}.scrollid", _is_behind, LATER,
           "Elasticsearch, Solr, Vertex AI Search") for place in PAGED.split()),
)  # fmt: skip
"""What says that a response is not whole."""
_COUNTED = (
    *((f"{parts}.successful", f"{parts}.total") for parts in ("shards", "clusters", "status")),
    ("coverage.resultsfull", "coverage.results"),  # Vespa
)
"""Counts of which the first must be as high as the second."""
MATCHED = (
    "hits.total.value hits.total numfound response.numfound totalcount fields.totalcount found nbhits "
    "totalcountfiltered estimatedtotalhits totalhits @odata.count totalsize total totalresults numresults numhits "
    "searchinformation.totalresults"
).split()
"""How many documents match, as engines call it."""
AROUND = frozenset("get response result body source searchresponse output data value hits root".split())
"""Objects in which a response stands, or which are a part of it."""
_LISTS = frozenset(
    "hits docs documents results children points matches objects items nodes sourcenodes retrieved contexts "
    "result responses candidates".split()
)
"""What the lists of results are called, which stand in an object that may say something of them."""
_ASIDE = frozenset(
    "meta metadata info stats statistics searchmetadata header headers responseheader diagnostics execution searchinfo "
    "searchinformation summary telemetry trace debug profile timing extensions".split()
)
"""Objects that say something about a response, among other things."""
_LEVELS = 4
_PARTS = (("clusters", "details"), ("shards.info",))
"""Where an object stands for each part of an index: clusters of Elasticsearch, shards of Solr."""
AS_TEXT = frozenset(PAGED.replace("responseheader.", "").split())
"""Fields in which the request may stand as text."""


SIGNS_OF: dict[str, list[Sign]] = {}
"""The signs of each field."""
for _sign in SIGNS:
    for _field in _sign.fields.split():
        SIGNS_OF.setdefault(_field, []).append(_sign)
HEARD, _COUNTS = frozenset(SIGNS_OF), frozenset(chain.from_iterable(_COUNTED))


def refuse_incomplete(document: object, where: str, side: Side = "run") -> None:
    """Refuse a response, or a record with one, that says that it is not whole."""
    layers = list(layers_of(document))
    told = [
        (SIGNS.index(sign), sign, path, value)
        for layer, above in chain(((layer, "") for layer in layers), asides_of(layers))
        for path, field, value in fields_in(layer, HEARD, path=above)
        for sign in SIGNS_OF[field]
        if (side == "run" or sign.says != LATER) and sign.tells(value) and sign.suits(layer)
        and (not above or sign.tells in (says_yes, says_no, _is_cut_short))
    ]  # fmt: skip
    if told:  # what went wrong says more than the code of it
        raise _refusal(*min(told, key=lambda each: each[0])[1:], where)
    for layer in layers:
        counts = {field: (path, number_in(value)) for path, field, value in fields_in(layer, _COUNTS)}
        for few, many in _COUNTED:
            (path, count), (_, total) = counts.get(few, ("", None)), counts.get(many, ("", None))
            if count is not None and total is not None and count < total:
                raise InputError.of("engines.partial", source=where, reason=f"{path}: {count:g} of {total:g}")


def refuse_unshown(document: object, where: str) -> None:
    """Refuse a response without results that counts what it found."""
    for layer in layers_of(document):
        for _, _, value in fields_in(layer, frozenset(MATCHED)):
            if (matched := number_in(value)) is not None and matched > 0:
                raise InputError.of("engines.no_hits_shown", source=where, matched=int(matched))


def asides_of(layers: Sequence[Document]) -> Iterator[tuple[Document, str]]:
    """Objects about a response that stand beside its results, of which flags alone are heard; and their names."""
    for layer in layers:
        for key, inner in layer.items():
            if isinstance(inner, Mapping) and fold(str(key)) in _ASIDE:
                yield inner, f"{key}."


@lru_cache
def _objects_of(fields: frozenset[str]) -> frozenset[str]:
    """The objects in which fields stand, by their names in a table."""
    return frozenset(field[:at] for field in fields for at, letter in enumerate(field) if letter == ".")


def fields_in(
    layer: Document, wanted: frozenset[str], above: str = "", path: str = ""
) -> Iterator[tuple[str, str, object]]:
    """The fields of an object that a table names: the path as it is spelled here, as it is in the table, the value."""
    for key, value in layer.items():
        field = above + fold(str(key))
        if field in wanted:
            yield f"{path}{key}", field, value
        holder = value[0] if isinstance(value, list) and len(value) == 1 else value
        if isinstance(holder, str) and field in AS_TEXT:
            holder = request_in(holder)
        if isinstance(holder, Mapping) and field in _objects_of(wanted):
            yield from fields_in(holder, wanted, f"{field}.", f"{path}{key}.")


def request_in(text: str) -> Document:
    """The request that a text spells: JSON, or an address with its parameters."""
    if text.lstrip().startswith("{"):
        try:
            parsed = json.loads(text)
        except ValueError:
            return {}
        return parsed if isinstance(parsed, dict) else {}
    return dict(parse_qsl(text.rpartition("?")[2])) if "=" in text else {}


def _refusal(sign: Sign, name: str, value: object, where: str) -> InputError:
    if sign.says == FAILED:
        reason = reason_given(value)
        reason = reason if fold(name) in ("error", "errors") else f"{name}: {reason}"
    elif isinstance(value, list) or "warning" in fold(name):
        reason = f"{name}: {reason_given(value)}"
    elif isinstance(value, Mapping):
        reason = f"{name}: {examples(str(key) for key, inner in value.items() if says_yes(inner))}"
    else:
        reason = f"{name}: {str(value).lower() if isinstance(value, bool) else str(value)[:200]}"
    return InputError.of(sign.says, source=where, reason=reason)


def reason_given(error: object) -> str:
    """What an error says of itself."""
    if isinstance(error, list) and error:
        error = error[0]
    if isinstance(error, Mapping):
        told = (error.get(key) for key in ("reason", "msg", "message", "summary", "error", "type", "code"))
        error = next((each for each in told if each), examples(map(str, error), shown=4))
    return str(error)[:200]


def layers_of(document: object, levels: int = _LEVELS) -> Iterator[Document]:
    """A document, and the objects in it on the way to its results."""
    if not isinstance(document, Mapping):
        return
    yield document
    for path in _PARTS:
        parts: object = document
        for name in path:
            held = parts.items() if isinstance(parts, Mapping) else ()
            parts = next((inner for key, inner in held if fold(str(key)) == name), None)
        yield from (part for part in parts.values() if isinstance(part, Mapping)) if isinstance(parts, Mapping) else ()
    for key, inner in document.items() if levels > 1 else ():
        if isinstance(inner, Mapping) and (fold(str(key)).lstrip("_") in AROUND or _leads(inner, levels - 1)):
            yield from layers_of(inner, levels - 1)


def _leads(inner: Document, levels: int) -> bool:
    """Whether lists of results stand in an object."""
    return any(
        (isinstance(value, list) and fold(str(key)) in _LISTS)
        or (levels > 1 and isinstance(value, Mapping) and _leads(value, levels - 1))
        for key, value in inner.items()
    )  # fmt: skip
