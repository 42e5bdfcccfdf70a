"""Which column of a long table is the query, the item, the score, the rank or the grade.

People name these columns in a few usual ways (``qid``, ``user_id``, ``doc_id``, ``corpus-id``, ...). Those are found
without being told; anything else is named by the caller, ``columns={"item": "docid_x"}``. A guess is made only where
there is one candidate: two of them are an error, because picking one silently would change the number. For the same
reason a column of numbers that nobody recognises is an error where it could be the score or the grade.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal, cast, get_args

from rankmeter.errors import InputError, did_you_mean, examples, nearest
from rankmeter.inputs.cells import LISTS, Contents, is_list
from rankmeter.wording import Said, chinese, said, speak_of_users

Role = Literal["query", "item", "score", "rank", "distance", "grade", "subtopic"]

Side = Literal["judgments", "run"]

SIDES: tuple[Side, ...] = get_args(Side)

ROLES: tuple[Role, ...] = get_args(Role)

IDS: tuple[Role, ...] = ("query", "item")

RANKING: tuple[Role, ...] = ("score", "distance", "rank")
"""What can order the items of a run; the first of them that is named does."""

VALUE_OF: Mapping[str, Role] = MappingProxyType({"judgments": "grade", "run": "score"})
"""The number that each side has for an item."""

STATEMENTS: Mapping[str, str] = MappingProxyType({"order": "rows", "relevant": "rows"})
"""What can be said in place of naming a column: the rows of a run are ranked, every row of judgments is relevant."""

STATEMENT_SIDES: Mapping[str, str] = MappingProxyType({"order": "run", "relevant": "judgments"})
"""Which side each of them is about."""

BESIDE = "beside"
"""In place of a role, the column of judgments that decides nothing in the tool whose dialect is spoken."""

SUBTOPICS_OF_TREC = {"subtopic": "iteration"}
"""The only columns that can be named in TREC text: that the second field of the judgments holds subtopics."""

Named = Mapping[str, str]
"""Columns that the caller named, by role."""

Holds = Callable[[str], Contents]
"""What a column of a table holds."""

ASKED = tuple("query query_id qid q_id topic topic_id question_id".split())
"""What somebody asked, in tables where a query is nothing else."""
DOCUMENTS = tuple("doc doc_id docid docno document document_id corpus_id".split())

_NAMES: Mapping[Role, str] = {
    "query": f"{' '.join(ASKED)} user user_id uid userid session session_id request request_id customer_id visitor_id",
    "item": f"item item_id iid {' '.join(DOCUMENTS)} passage_id pid product product_id movie_id article_id news_id "
    "track_id video_id book_id listing_id asin candidate candidate_id",
    "score": "score scores prediction predictions predicted pred preds y_pred y_score y_hat est predicted_score "
    "predicted_rating pred_score pred_rating model_score relevance_score similarity_score ranking_score bm25 "
    "bm25_score logit logits probability prob proba sim similarity cosine_similarity cos_sim",
    "rank": "rank position pos",
    "distance": "",  # only where it is named: lower is better, and a guess would turn the ranking around
    "subtopic": "subtopic subtopic_id aspect intent",
    "grade": "grade rel relevance relevancy label labels rating ratings stars target gain judgment judgement y_true "
    "relevance_label relevance_grade",
}
USUAL_NAMES: Mapping[Role, tuple[str, ...]] = MappingProxyType(
    {role: (*names.split(), *chinese.COLUMNS[role]) for role, names in _NAMES.items()}
)
"""The usual names of each role, the most usual first."""

LISTS_OF: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "judgments": tuple("actual relevant truth ground_truth positives held_out y_true targets".split()),
    "run": tuple(
        "predicted predictions prediction recommended recommendations recommendation recs retrieved results ranked "
        "ranking y_pred top_k topk".split()
    ),
})  # fmt: skip
"""What a column of lists of items is usually called on each side, where it is not called after its items."""

BEIR = ("query-id", "corpus-id", "score")
"""The header under which BEIR writes its judgments: the only one in which a score is a grade."""

RATINGS = frozenset({"rating", "ratings", "stars"})
"""Grades of which not every one above 0 means that somebody liked the item."""

TIMES = (*"timestamp time ts unixtime eventtime datetime createdat date".split(), *chinese.TIMES)
"""What the column of a moment is usually called, folded, the most usual first."""

_BESIDE = (
    frozenset(
        f"{' '.join(TIMES)} updatedat year month day hour "
        "iteration iter fold split index unnamed:0 row rowid rownumber level0".split()
    )
    | chinese.BESIDE
)
"""Numbers that stand beside judgments and runs and are neither grade nor score."""

_PROSE = tuple(
    "title name text snippet url uri link description body content headline abstract passage summary author comment "
    "note reason explanation question keyword image path 标题 名称 文本 正文 摘要 链接 描述 备注".split()
)
"""What the name of a column ends with where it holds text for people, in which a number may stand too."""

_VERDICT = (
    "verdict",
    "relevan",
    "judgment",
    "judgement",
    "judged",
    "label",
    "grade",
    "assessment",
    "qrel",
    "rating",
    "判定",
    "相关",
    "标注",
    "等级",
)
"""What the name of a column says where it may tell which pairs are relevant."""


_STAGES = "rerank reranker reranked final fused crossencoder ce ltr".split()
_LATER = frozenset({"rerank", *(stage + number for stage in _STAGES for number in ("score", "scores"))})
"""What a later stage's score is called: beside another score it is the one that may have ordered the items."""


@lru_cache(1 << 12)
def fold(name: str) -> str:
    """Spell a column name in the one way in which usual names are compared.

    >>> {fold(name) for name in ("query-id", "queryId", "Query ID", "query_id")}
    {'queryid'}
    >>> fold("user_id:token")  # as RecBole writes the type
    'userid'
    """
    plain = name.casefold().removesuffix(":token").removesuffix(":float")
    return "".join(character for character in plain if character not in "-_ ")


_FOLDED: Mapping[Role, frozenset[str]] = {
    role: frozenset(fold(name) for name in names) for role, names in USUAL_NAMES.items()
}


def is_usual(role: Role, name: str) -> bool:
    """Whether a column of this name is usually this role."""
    return fold(name) in _FOLDED[role]


def is_user_name(name: str) -> bool:
    """Whether a column of this name holds users, so that its lists are recommendations.

    >>> is_user_name("userId"), is_user_name("qid")
    (True, False)
    """
    return fold(name) in _USERS


_USERS = (
    frozenset(fold(name) for name in "user user_id uid customer customer_id visitor_id member_id".split())
    | chinese.USERS
)


def _any_may(_: str) -> Contents:
    """Where nothing is known of the values, any column may hold numbers."""
    return "numbers"


def find_columns(
    names: Sequence[str],
    wanted: Sequence[Role],
    named: Named | None,
    source: str,
    holds: Holds = _any_may,
    side: Side | None = None,
) -> dict[Role, str]:
    """Find the column of each wanted role; ``query`` and ``item`` must be found, the others may be absent.

    Of the columns that the caller named those for roles that are not wanted are passed over, so that one mapping can
    serve judgments and run. A column of lists may be the items under any name; ``side`` says whose lists they are, and
    whose columns the hint names: those of the other side may be called otherwise.

    Examples
    --------
    >>> find_columns(["user_id", "movieId", "rating"], ["query", "item", "grade"], None, "ratings.csv")
    {'query': 'user_id', 'item': 'movieId', 'grade': 'rating'}
    """
    named = check_columns(named) or {}
    columns = _given_columns(names, wanted, named, source)
    claimed = {column for role, column in named.items() if role not in wanted}
    for role in wanted:
        if role not in columns:
            free = [name for name in names if name not in columns.values()]
            column = _usual_column(role, free, claimed, source)
            if column is None and role == "item":
                column = _list_column(
                    [name for name in free if holds(name) in LISTS], LISTS_OF[side or "judgments"], source
                )
            if column is not None:
                columns[role] = column
    missing = [role for role in wanted if role in ("query", "item") and role not in columns]
    if missing:
        alone = said("inputs.not_a_table") if len(names) == 1 else ""
        usual = {role: USUAL_NAMES[role] for role in missing}
        raise missing_columns(usual, names, columns.values(), source, hint=alone, side=side)
    for role, column in columns.items():
        if (count := list(names).count(column)) > 1:
            raise InputError.of("inputs.equal_columns", source=source, count=count, column=column, role=role)
    if is_user_name(columns.get("query", "")):
        speak_of_users()
    return {role: columns[role] for role in wanted if role in columns}


def _list_column(lists: Sequence[str], usual: Sequence[str], source: str) -> str | None:
    """Which of the columns of lists holds the items: called after items, or as their lists usually are, or alone."""
    folded = {fold(name) for name in usual}
    by_name = [name for name in lists if is_usual("item", name.rstrip("sS"))]
    for candidates in (by_name, [name for name in lists if fold(name) in folded], lists):
        if len(candidates) == 1:
            return candidates[0]
    if lists:
        raise _several_columns("item", lists, source)
    return None


def judgment_columns(
    names: Sequence[str], given: Named | None, source: str, holds: Holds = _any_may
) -> dict[Role, str]:
    """Find query, item and, when there is one, grade and subtopic.

    With ids alone every listed pair is relevant (recommender interactions). A table that has a rank or a score and no
    grade is a run that came in the wrong place, and is refused; so is one with a column that nobody recognises and
    that may be the grade: numbers, also some among other things, a few words again and again, or words under a name
    such as ``verdict``.
    """
    given = check_columns(given) or {}
    if "relevant" in given and "grade" not in given:
        return find_columns(names, ("query", "item", "subtopic"), given, source, holds, "judgments")
    columns = find_columns(names, ("query", "item", "grade", "subtopic"), given, source, holds, "judgments")
    if "grade" in columns:
        return columns
    free = _columns_beside(columns, names, holds)
    if (*columns.values(), *free) == BEIR:
        return {**columns, "grade": BEIR[2]}
    ranking = [name for role in RANKING for name in free if is_usual(role, name) or name == given.get(role)]
    if ranking:
        say = say_columns("grade", ranking[0])
        raise InputError.of(
            "inputs.looks_like_run", source=source, names=_quoted_names(ranking), likely=ranking[0], say=say
        )
    unknown = [
        name
        for name in free
        if name != given.get(BESIDE)
        and (
            may_be_number(name, what := holds(name))
            or (what == "few words" and _may_be_read(name))
            or (what == "words" and _says_verdict(name))
        )
    ]
    if unknown:
        say, every = say_columns("grade", unknown[0]), _say("relevant")
        error = InputError.of("inputs.maybe_grade", source=source, names=_quoted_names(unknown), say=say, every=every)
        judges = all(name in unknown or holds(name) == "other" for name in names[2:])  # somebody may not have judged
        is_book = list(names[:2]) == ["query", "docid"] and judges
        raise error.changed(more=said("inputs.maybe_book")) if is_book else error
    return columns


def run_columns(names: Sequence[str], given: Named | None, source: str, holds: Holds = _any_may) -> dict[Role, str]:
    """Find query, item and, when there is one, score or else rank.

    The score wins over the rank unless the caller named the rank and not the score. With ids alone the rows are in
    ranked order as given. A table that has a grade instead is judgments that came in the wrong place; one with a column
    of numbers, or of some among other things, that nobody recognises is refused.
    """
    given = check_columns(given) or {}
    named = next((role for role in RANKING if role in given), None)
    if named is not None or "order" in given:
        return find_columns(names, ("query", "item", *((named,) if named else ())), given, source, holds, "run")
    for ranking in cast("tuple[Role, ...]", ("score", "rank")):
        columns = find_columns(names, ("query", "item", ranking), given, source, holds, "run")
        if ranking in columns:
            return columns
    free = _columns_beside(columns, names, holds)
    grades = [name for name in free if is_usual("grade", name) or name == given.get("grade")]
    if grades:
        say = say_columns("score", grades[0])
        raise InputError.of(
            "inputs.looks_like_judgments", source=source, names=_quoted_names(grades), likely=grades[0], say=say
        )
    unknown = [name for name in free if may_be_number(name, holds(name))]
    if unknown:
        higher, lower = say_columns("score", unknown[0]), say_columns("distance", unknown[0])
        raise InputError.of(
            "inputs.maybe_score",
            source=source,
            names=_quoted_names(unknown),
            higher=higher,
            lower=lower,
            order=_say("order"),
        )
    return columns


def _columns_beside(columns: Mapping[Role, str], names: Sequence[str], holds: Holds) -> list[str]:
    """The columns that no role was found for; beside lists such as ``actual`` without those of the other side."""
    free = [name for name in names if name not in columns.values()]
    usual = {fold(name) for side in LISTS_OF.values() for name in side}
    if fold(columns["item"]) not in usual:
        return free
    return [name for name in free if fold(name) not in usual or holds(name) not in LISTS]


def may_be_number(name: str, what: Contents) -> bool:
    """Whether a column that nobody recognises may be the score or the grade."""
    return (what in ("numbers", "lists of numbers") and fold(name) not in _BESIDE) or (
        what == "some numbers" and _may_be_read(name)
    )


def _may_be_read(name: str) -> bool:
    """Whether a column with text in it may be more than an id, a time or text for people, as far as its name says."""
    is_id = any(is_usual(role, name) for role in ("query", "item", "subtopic"))
    is_prose = fold(name).rstrip("s").endswith(_PROSE) and not _says_verdict(name)
    return not is_id and not is_prose and fold(name) not in _BESIDE


def _says_verdict(name: str) -> bool:
    return any(part in fold(name) for part in _VERDICT)


def _say(statement: str) -> Said:
    return say_columns(statement, STATEMENTS[statement])


def say_columns(role: str, column: str) -> Said:
    """How a caller names a column; the command line says it in its own option."""
    return said("inputs.say_columns", columns={role: column})


def say_names(*roles: str) -> Said:
    """How a caller names the columns of some roles, all in one call."""
    return said("inputs.say_columns", columns=dict.fromkeys(roles, "NAME"))


def _given_columns(names: Sequence[str], wanted: Sequence[Role], named: Named, source: str) -> dict[Role, str]:
    """Check the columns that the caller named and keep those that are wanted."""
    columns: dict[Role, str] = {}
    for word, column in named.items():
        if word not in wanted:
            continue
        if column not in names:
            raise no_named_column(word, column, names, source)
        for other, same in columns.items():
            if same == column:
                raise InputError.of("inputs.named_twice", source=source, column=column, other=other, role=word)
        columns[cast(Role, word)] = column
    return columns


def check_columns(columns: Named | None, *, sides: Sequence[str] = ()) -> Mapping[str, str] | None:
    """Refuse what does not name columns by role; ``sides`` may stand before a role, as in ``run.item``."""
    if columns is None:
        return None
    if not isinstance(columns, Mapping):
        say = say_columns("item", "docid_x")
        raise InputError.of("inputs.not_columns", type=type(columns).__name__, say=say, roles=list(ROLES))
    columns = _by_role(columns)
    for word, column in columns.items():
        side, dot, bare = str(word).partition(".")
        role = bare if dot and side in sides else word
        if role == BESIDE or (role in STATEMENTS and column == STATEMENTS[role]):
            continue
        if role in STATEMENTS:
            raise InputError.of("inputs.wrong_statement", role=str(role), column=repr(column), hint=_say(role))
        if role not in ROLES:
            also = said("inputs.also_sides", sides=[f"{side}." for side in sides]) if sides else ""
            hint = did_you_mean(str(role), ROLES)
            raise InputError.of("inputs.not_a_role", word=str(word), roles=list(ROLES), also=also, hint=hint)
        if not isinstance(column, str):
            kind, say = type(column).__name__, say_columns(word, str(column))
            raise InputError.of("inputs.not_a_column", column=repr(column), type=kind, role=str(word), say=say)
    return columns


def _by_role(columns: Named) -> Named:
    """The columns by the words of this library: a user is what lists are made for, as a query is."""
    if not names_users(columns):
        return columns
    speak_of_users()
    return {f"{word[:-4]}query" if _is_user(word) else word: column for word, column in columns.items()}


def names_users(columns: Named | None) -> bool:
    """Whether the caller named a column of users.

    >>> names_users({"user": "viewer"}), names_users({"run.user": "viewer"}), names_users({"query": "viewer"})
    (True, True, False)
    """
    return columns is not None and any(map(_is_user, columns))


def _is_user(word: object) -> bool:
    return isinstance(word, str) and word.rpartition(".")[2] == "user"


def _usual_column(role: Role, free: Sequence[str], claimed: Collection[str], source: str) -> str | None:
    """Find the one column that is usually this role, or none; two are an error unless one is called like it.

    Beside ``query_id`` a column ``query`` is the text of the query, and beside ``item_id`` one ``item`` its name.
    Columns that the caller claimed for a role of the other table step back when there is another candidate.
    """
    candidates = [name for name in dict.fromkeys(free) if is_usual(role, name)]
    candidates = [name for name in candidates if name not in claimed] or candidates
    identified = {fold(name).removesuffix("id") for name in candidates if fold(name).endswith("id")}
    if role == "query" and "q" in identified:
        identified.add("query")  # PyTerrier has qid, and the text as query
    candidates = [name for name in candidates if fold(name) not in identified]
    later = [name for name in free if fold(name) in _LATER] if role == "score" else []
    if candidates and later:
        raise _several_columns(role, list(dict.fromkeys([*candidates, *later])), source)
    same = [name for name in candidates if name == role]
    return same[0] if len(same) == 1 else usual_column(role, USUAL_NAMES[role], candidates, source)


def usual_column(role: str, usual: Sequence[str], free: Sequence[str], source: str) -> str | None:
    """The only free column with a usual name of the role, or the one called as the first of them."""
    candidates = likely_columns(usual, free)
    if len(candidates) > 1:
        raise _several_columns(role, candidates, source)
    return next(iter(candidates), None)


def likely_columns(usual: Sequence[str], names: Sequence[str]) -> list[str]:
    """The columns with a usual name; the one called as the first of these, where there is one."""
    folded = [fold(name) for name in usual]
    candidates = [name for name in names if fold(name) in folded]
    exact = [name for name in candidates if fold(name) == folded[0]]
    return exact if len(exact) == 1 else candidates


def no_named_column(role: str, column: str, columns: Sequence[str], source: str) -> InputError:
    """The error for a column that the caller named and the table does not have."""
    return InputError.of("inputs.no_such_column", source=source, column=column, role=role,
                         names=listed_names(columns), hint=did_you_mean(column, columns))  # fmt: skip


def _several_columns(role: str, candidates: Sequence[str], source: str) -> InputError:
    say = say_columns(role, candidates[0])
    return InputError.of(
        "inputs.several_columns",
        source=source,
        count=len(candidates),
        role=role,
        names=_quoted_names(candidates),
        say=say,
    )


def missing_columns(
    usual: Mapping[Any, Sequence[str]],
    names: Sequence[str],
    taken: Collection[str],
    source: str,
    *,
    hint: str = "",
    side: Side | None = None,
) -> InputError:
    """The error for roles that a table has no column for: all of them, what there is instead, and the call that works.

    ``usual`` has their usual names, ``taken`` are columns that are something else.
    """
    *others, last = usual
    called = {fold(name) for usually in usual.values() for name in usually}
    free = [name for name in names if name not in taken and (fold(name) in called or is_unknown(name))]
    hint = hint or _say_missing(usual, free, f"{side}." if side else "")
    values = {"source": source, "names": listed_names(names), "hint": hint}
    if not others:
        return InputError.of("inputs.no_role", role=last, **values)
    first, *rest = others
    listed = [first, *(said("inputs.no_other", role=role) for role in rest)]
    return InputError.of("inputs.no_roles", others=listed, last=last, **values)


def is_unknown(name: str) -> bool:
    """Whether a column may be anything: what usually is a query, a grade or a score is a poor guess for a time."""
    return not any(is_usual(role, name) for role in ROLES)


def _say_missing(usual: Mapping[Any, Sequence[str]], free: Sequence[str], side: str) -> Said:
    """One call for all missing columns, with those that are probably meant; else how they are usually called."""
    meant: dict[str, str] = {}
    for role, names in usual.items():
        left = [name for name in free if name not in meant.values()]
        close = next((close[0] for name in names if (close := nearest(name, left, shown=1))), None)
        if close is not None:
            meant[role] = close
    unknown = [role for role in usual if role not in meant]
    left = [name for name in free if name not in meant.values()]
    if len(unknown) == len(left) <= len(IDS):
        meant |= dict(zip(unknown, left, strict=True))
        unknown = []
    say = said("inputs.say_columns", columns={f"{side}{role}": meant.get(role, "NAME") for role in usual})
    if not unknown:
        return say
    shown = 5 if len(unknown) == 1 else 3
    called = [said("inputs.usual_names", role=role, names=examples(usual[role], shown=shown)) for role in unknown]
    listed = said("general.listed", values=called)
    return said("inputs.say_which", say=say, usual=listed) if left or meant else listed


def check_doubled(names: Sequence[str], source: str) -> None:
    """Refuse two columns of one name, of which Polars calls the second ``name_duplicated_0``."""
    doubled = [base for name in names if (base := re.sub(r"_duplicated_\d+$", "", name)) != name and base in names]
    if doubled:
        raise InputError.of("inputs.doubled_column", source=source, column=doubled[0])


def listed_names(names: Sequence[str]) -> str:
    """The columns that a table has, for messages."""
    return examples(names, shown=12) if names else said("inputs.no_columns")


def _quoted_names(names: Sequence[str]) -> str:
    return examples((f"'{name}'" for name in names), shown=12)


_SIDE_OF: Mapping[str, str] = MappingProxyType(
    {**dict.fromkeys(RANKING, "run"), **dict.fromkeys(("grade", "subtopic"), "judgments"), **STATEMENT_SIDES}
)
"""Roles that only one side has."""


def check_columns_read(columns: Named | None, sides: Mapping[str, Mapping[str, bool | None]]) -> None:
    """Refuse names of columns where nothing that was given for them has columns.

    ``sides`` says of everything that is read as judgments or as the run what it is called, and whether it has columns;
    None is TREC text, of whose rows something can be stated.
    """
    for word, column in (check_columns(columns, sides=SIDES) or {}).items():
        if word == BESIDE:
            continue
        side, _, role = word.rpartition(".")
        asked = [side or _SIDE_OF[role]] if side or role in _SIDE_OF else list(sides)
        given = {name: has_columns for side in asked for name, has_columns in sides[side].items()}
        is_stated = role in STATEMENTS or SUBTOPICS_OF_TREC.get(role) == column
        if not any(has_columns or (has_columns is None and is_stated) for has_columns in given.values()):
            raise InputError.of("inputs.columns_of_no_table", role=word, column=column, given=examples(given))


def columns_of(columns: Named | None, side: Side) -> dict[str, str] | None:
    """The column names that concern one side: ``run.item`` is for the run alone, ``item`` for both.

    Examples
    --------
    >>> columns_of({"query": "uid", "run.item": "docid_x"}, "judgments")
    {'query': 'uid'}
    """
    columns = check_columns(columns, sides=SIDES)
    if columns is None:
        return None
    named = {role: column for role, column in columns.items() if "." not in role}
    named.update(
        (role.removeprefix(f"{side}."), column) for role, column in columns.items() if role.startswith(f"{side}.")
    )
    return {role: column for role, column in named.items() if STATEMENT_SIDES.get(role, side) == side}


def of_one_side(columns: Named | None, side: Side) -> Named | None:
    """The names that a reader of one side takes, which may be stated for it: ``run.item`` is ``item`` of a run.

    >>> of_one_side({"run.item": "docid_x"}, "run"), of_one_side({"run.item": "docid_x"}, "judgments")
    ({'item': 'docid_x'}, {'run.item': 'docid_x'})
    """
    if not isinstance(columns, Mapping):
        return columns
    return {str(word).removeprefix(f"{side}."): name for word, name in columns.items()}


MOST_COLUMNS = 50
"""How many names of columns a table in a dictionary has at most."""


_QUERIES = frozenset(
    spelled
    for name in USUAL_NAMES["query"]
    for spelled in (
        *(name, name.replace("_", "-"), name.replace("_", ""), name.title().replace("_", ""), name.upper()),
        f"{name}:token",
    )
)


def name_pairs(names: Iterable[object]) -> bool:
    """Whether a query and an item are among these names of columns."""
    texts = [str(name) for name in names]
    return all(any(is_usual(role, name) for name in texts) for role in IDS)


def may_be_columns(data: Mapping[Any, Any]) -> bool:
    """Whether one of a few keys is a usual name of a column of queries; `are_columns` looks closer."""
    return len(data) <= MOST_COLUMNS and not _QUERIES.isdisjoint(data)


def are_columns(data: Mapping[Any, Any]) -> bool:
    """Whether this is a table as columns by name: queries, items, and as many values of each."""
    if not may_be_columns(data) or not all(isinstance(name, str) for name in data):
        return False
    if not name_pairs(data):
        return False
    columns = list(data.values())
    return all(is_list(column) and not isinstance(column, (str, set, frozenset)) for column in columns) and (
        len(set(map(len, columns))) == 1
    )
