"""A log of interleaved lists as rows of one credit each: whose list, and how much a click on it says for B.

Every column that could say whether a row was clicked is heard: a flag, or the event; where one may be meant, the caller
says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from rankmeter.errors import InputError, examples
from rankmeter.inputs.attributes import find_roles
from rankmeter.inputs.cells import contents
from rankmeter.inputs.columns import ASKED, fold, may_be_number, say_columns
from rankmeter.late import pl
from rankmeter.wings.online.event_columns import CLICK_FLAGS, EVENT_NAMES
from rankmeter.wings.online.events import kinds_of, open_table
from rankmeter.wording import chinese, said

Unit = Literal["auto", "user", "query"]
EVERY_ROW = "rows"
"""What stands for a column where every row with a team is a click."""
_NAMES: Mapping[str, tuple[str, ...]] = {
    "user": ("user", "user_id", "uid", "visitor_id", *chinese.EVENT_COLUMNS["user"]),
    "request": ("request", "request_id", "list_id", "slate_id", *chinese.EVENT_COLUMNS["request"]),
    "team": ("team", "队伍"),
    "credit": ("credit",),
    "query": (*ASKED, "查询", "查询id"),
    "version": ("version", "版本"),
    "click": ("click", *sorted(CLICK_FLAGS - {"click"}), "is_click", "is_clicked", "clicks"),
    "type": EVENT_NAMES["type"],
}
_KINDS = kinds_of(None)
_PLACED = frozenset(
    fold(name)
    for role in ("time", "user", "session", "request", "query", "item", "position", "variant", "segment", "id")
    for name in EVENT_NAMES[role]
)
"""Columns that say of which row it is, not whether it was clicked."""


def read_interleaving(
    source: object, named: Mapping[str, str], unit: Unit
) -> tuple[pl.DataFrame, str, str, tuple[str, ...]]:
    """The rows as ``user``, ``request``, the voter and ``credit``; who votes; whether teams or credits decide.

    Last the columns of which nothing was read.
    """
    name = said("online.interleaving_log")
    table = open_table(source, name)
    statement = {role: column for role, column in named.items() if (role, column) == ("click", EVERY_ROW)}
    given = {role: column for role, column in named.items() if role not in statement}
    roles = find_roles(table.columns, _NAMES, given, name, needed=())
    vote = _vote(roles, given)
    voter = ("query" if "query" in roles and "version" not in roles else "user") if unit == "auto" else unit
    needed = tuple(dict.fromkeys(("user", "request", voter, vote)))
    find_roles(table.columns, _NAMES, given, name, needed=needed)
    if not table.height:
        raise InputError.of("online.interleaving_empty")
    for role in (role for role in needed if role != vote):
        if empty := table[roles[role]].null_count():
            raise InputError.of("online.interleaving_no_value", names=roles[role], role=role, empty=empty)
    credit = _credits(table[roles["credit"]]) if vote == "credit" else _credit_of_team(table[roles["team"]])
    if not statement:
        _refuse_unread(table, roles)
        clicked = _clicked(table, roles, given, credit)
        credit = credit if clicked is None else pl.select(pl.when(clicked).then(credit).otherwise(0.0)).to_series()
    columns = [table[roles[role]].alias(role) for role in needed if role != vote]
    unused = tuple(column for column in table.columns if column not in roles.values() and fold(column) not in _PLACED)
    return pl.DataFrame([*columns, credit.alias("credit")]), voter, vote, unused


def _vote(roles: Mapping[str, str], given: Mapping[str, str]) -> Literal["team", "credit"]:
    """What decides; where a log has both, the caller says which."""
    there = [role for role in ("team", "credit") if role in roles]
    stated = [role for role in there if role in given]
    if len(there) == 2 and len(stated) != 1:
        say = [say_columns(role, roles[role]) for role in there]
        raise InputError.of("online.team_and_credit", team=roles["team"], credit=roles["credit"], say=say)
    return "credit" if (stated or there) == ["credit"] else "team"


def _refuse_unread(table: pl.DataFrame, roles: Mapping[str, str]) -> None:
    """Refuse a column that nobody recognises and that may say whether a row was clicked."""
    if "click" in roles or "type" in roles:
        return
    free = [name for name in table.columns if name not in roles.values() and fold(name) not in _PLACED]
    unknown = [name for name in free if may_be_number(name, contents(table[name])) or "click" in fold(name)]
    if unknown:
        raise InputError.of(
            "online.maybe_click", names=[f"'{name}'" for name in unknown], flag=say_columns("click", unknown[0]),
            every=say_columns("click", EVERY_ROW),
        )  # fmt: skip


def _clicked(
    table: pl.DataFrame, roles: Mapping[str, str], given: Mapping[str, str], credit: pl.Series
) -> pl.Series | None:
    """Whether each row was clicked; None where every row with a team is a click."""
    heard = [role for role in ("click", "type") if role in roles]
    heard = [role for role in heard if role in given] or heard
    if not heard:
        return None
    column = table[roles[heard[-1]]]
    if heard == ["click"]:
        return _flags(column, credit)
    kinds = pl.Series([_KINDS.get(str(word).casefold(), "other") for word in column.to_list()], dtype=pl.String)
    if heard == ["click", "type"]:
        if (kinds != "impression").any():
            names = [f"'{roles[role]}'" for role in heard]
            flag, every = say_columns("click", roles["click"]), say_columns("click", EVERY_ROW)
            raise InputError.of("online.maybe_click", names=names, flag=flag, every=every)
        return _flags(table[roles["click"]], credit)
    if odd := column.filter(~kinds.is_in(["click", "impression"])).unique(maintain_order=True).to_list():
        raise InputError.of("online.not_click_or_impression", column=column.name, words=examples(map(repr, odd)),
                            every=say_columns("click", EVERY_ROW))  # fmt: skip
    return kinds == "click"


def _flags(column: pl.Series, credit: pl.Series) -> pl.Series:
    """A column of 0 and 1, or of true and false, also as text; empty only where there is nothing to count."""
    read = column.cast(pl.String, strict=False).str.strip_chars().str.to_lowercase()
    number = read.cast(pl.Float64, strict=False)
    flag = pl.select(
        pl.when((read == "true") | (number == 1)).then(pl.lit(value=True))
        .when((read == "false") | (number == 0)).then(pl.lit(value=False))
        .when((credit == 0) & (read.is_null() | (read == "") | number.is_nan())).then(pl.lit(value=False))
    ).to_series()  # fmt: skip
    if flag.null_count():
        wrong = flag.is_null().arg_true()
        raise InputError.of(
            "online.flag_not_0_or_1", column=column.name, count=len(wrong), value=str(column[int(wrong[0])]),
            every=say_columns("click", EVERY_ROW),
        )  # fmt: skip
    return flag


def _credits(column: pl.Series) -> pl.Series:
    numbers = column.cast(pl.Float64, strict=False)
    if wrong := numbers.null_count() - column.null_count():
        raise InputError.of("online.credit_no_number", credit=column.name, wrong=wrong)
    return numbers.fill_nan(None).fill_null(0.0)


def _credit_of_team(column: pl.Series) -> pl.Series:
    """A click counts 1 for B and -1 for A; what filled a list is neither."""
    team = column.cast(pl.String).str.strip_chars().replace("", None)
    if wrong := sorted(set(team.drop_nulls().to_list()) - {"A", "B"}):
        raise InputError.of("online.team_a_or_b", wrong=wrong)
    return ((team == "B").cast(pl.Float64) - (team == "A").cast(pl.Float64)).fill_null(0.0)
