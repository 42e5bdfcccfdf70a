"""Columns are found by their usual names, by the names given, or not at all."""

from __future__ import annotations

import polars as pl
import pytest

import rankmeter as rm
from rankmeter.errors import InputError
from rankmeter.inputs.columns import (
    ROLES,
    USUAL_NAMES,
    find_columns,
    fold,
    is_usual,
    judgment_columns,
    run_columns,
)

PAIR = ("query", "item")


@pytest.mark.parametrize("name", ["query-id", "queryId", "query_id", "Query ID", "QUERYID", "QueryId"])
def test_spelling_variants_are_one_name(name: str) -> None:
    assert find_columns([name, "docno"], PAIR, None, "x") == {"query": name, "item": "docno"}


@pytest.mark.parametrize(("role", "name"), [(role, name) for role in ROLES for name in USUAL_NAMES[role]])
def test_every_usual_name_is_found(role, name: str) -> None:
    names = [name, *(other for other in ROLES if other != role)]
    assert find_columns(names, ROLES, None, "x")[role] == name


def test_a_name_is_usual_for_one_role_only() -> None:
    folded = [(fold(name), role) for role in ROLES for name in USUAL_NAMES[role]]
    assert len({name for name, _ in folded}) == len(set(folded))


def test_distance_is_not_a_score() -> None:
    assert not any(is_usual(role, "distance") for role in ROLES)


def test_missing_column_is_said_with_the_call_that_works() -> None:
    with pytest.raises(InputError) as error:
        run_columns(["query_id", "docid_x", "score"], None, "run.csv")
    assert str(error.value) == (
        'run.csv has no item column (found: query_id, docid_x, score). Hint: columns={"run.item": "docid_x"}'
    )


@pytest.mark.parametrize(
    ("names", "hint"),
    [
        (["foo", "bar"], 'columns={"query": "foo", "item": "bar"}'),
        (["foo", "score", "bar"], 'columns={"query": "foo", "item": "bar"}'),
        (["bar", "qeury_id"], 'columns={"query": "qeury_id", "item": "bar"}'),
        (["docs_id", "qry", "bar"], 'columns={"query": "qry", "item": "docs_id"}'),
        (["qeury", "foo", "bar"], 'say which is meant: columns={"query": "qeury", "item": "NAME"}; the item column is'),
        (["foo", "bar", "baz"], 'say which is meant: columns={"query": "NAME", "item": "NAME"}; the query column is'),
    ],
)
def test_one_call_mends_both_missing_columns(names: list[str], hint: str) -> None:
    with pytest.raises(InputError) as error:
        find_columns(names, PAIR, None, "x")
    told = f"x has no query and no item column (found: {', '.join(names)}). Hint: {hint}"
    assert str(error.value).startswith(told)


@pytest.mark.parametrize("side", ["judgments", "run"])
def test_all_missing_columns_are_named_in_one_call(side) -> None:
    table, other = pl.DataFrame({"foo": ["q"], "bar": ["a"]}), {"q": ["a"]}
    with pytest.raises(InputError) as error:
        rm.evaluate(*((table, other) if side == "judgments" else (other, table)), ["P@1"])
    assert all(f'"{side}.{role}": ' in str(error.value).partition("columns=")[2] for role in ("query", "item"))


def test_a_column_that_is_unlike_the_missing_one_is_not_offered() -> None:
    with pytest.raises(InputError) as error:
        find_columns(["# The Lantern Street Library"], PAIR, None, "README.md")
    assert "columns=" not in str(error.value)
    assert "it does not look like a table" in str(error.value)


def test_missing_column_without_a_free_one_lists_usual_names() -> None:
    with pytest.raises(InputError, match=r"Hint: the item column is usually called item, item_id"):
        find_columns(["query", "score"], PAIR, None, "x")
    with pytest.raises(InputError, match="found: no columns"):
        find_columns([], PAIR, None, "x")


def test_two_candidates_are_ambiguous() -> None:
    with pytest.raises(InputError) as error:
        find_columns(["user_id", "query_id", "item"], PAIR, None, "x")
    assert str(error.value) == (
        "x has 2 columns that could be the query: 'user_id', 'query_id'. Hint: say which: "
        'columns={"query": "user_id"}'
    )


@pytest.mark.parametrize("names", [["user_id", "query"], ["Query", "query"]])
def test_the_role_word_itself_wins(names: list[str]) -> None:
    assert find_columns([*names, "item"], PAIR, None, "x")["query"] == "query"


@pytest.mark.parametrize("names", [["query", "query_id"], ["Query", "qid"], ["qid", "query"], ["topic", "topic_id"]])
def test_beside_an_id_the_word_is_text(names: list[str]) -> None:
    expected = next(name for name in names if name.endswith("id"))
    assert find_columns([*names, "item"], PAIR, None, "x")["query"] == expected
    assert find_columns(["query", "item", "item_id"], PAIR, None, "x")["item"] == "item_id"


def test_given_columns_win_and_free_the_others() -> None:
    names = ["user_id", "query_id", "foo", "item"]
    assert find_columns(names, PAIR, {"query": "user_id", "item": "foo"}, "x") == {"query": "user_id", "item": "foo"}


def test_given_columns_of_other_roles_are_ignored() -> None:
    assert find_columns(["query", "item"], PAIR, {"grade": "nowhere"}, "x") == {"query": "query", "item": "item"}


def test_a_column_claimed_for_the_other_table_steps_back() -> None:
    names = ["query", "item", "relevance", "label"]
    assert judgment_columns(names, {"score": "relevance"}, "x")["grade"] == "label"
    # but where it is the only candidate it is still the grade: all pairs relevant would be a silent surprise
    assert judgment_columns(["query", "item", "rating"], {"score": "rating"}, "x")["grade"] == "rating"


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"itm": "b"}, r"columns= names 'itm', which is not one of query, item, .* Hint: did you mean 'item'\?"),
        ({"item": "docid"}, r"x has no column 'docid', named as the item .* did you mean 'doc_id'"),
        ({"query": "a", "item": "a"}, "'a' is named both as the query and as the item"),
    ],
)
def test_wrong_given_columns(given: dict[str, str], text: str) -> None:
    with pytest.raises(InputError, match=text):
        find_columns(["a", "doc_id"], PAIR, given, "x")


def test_doubly_named_column_is_refused() -> None:
    with pytest.raises(InputError, match=r"x has 2 columns called 'item' \(item\)"):
        find_columns(["query", "item", "item"], PAIR, None, "x")


def test_a_score_is_a_grade_only_under_the_header_of_beir() -> None:
    with pytest.raises(InputError, match=r"looks like a run, not like judgments: it has 'score' and no grade column"):
        judgment_columns(["user_id", "item_id", "score"], None, "x")
    assert judgment_columns(["query-id", "corpus-id", "score"], None, "x") == {
        "query": "query-id",
        "item": "corpus-id",
        "grade": "score",
    }


def test_grade_wins_over_score_in_judgments() -> None:
    assert judgment_columns(["query", "item", "score", "label"], None, "x")["grade"] == "label"


def test_judgments_need_no_grade() -> None:
    assert judgment_columns(["user_id", "item_id", "timestamp"], None, "x") == {"query": "user_id", "item": "item_id"}


@pytest.mark.parametrize("extra", [["rank"], ["score", "rank"], ["prediction"], ["score", "similarity"]])
def test_a_run_given_as_judgments_is_recognised(extra: list[str]) -> None:
    with pytest.raises(InputError, match=r"x looks like a run, not like judgments.*Hint: judgments come first"):
        judgment_columns(["query", "item", *extra], None, "x")
    named = judgment_columns(["query", "item", *extra], {"grade": extra[0]}, "x")
    assert named["grade"] == extra[0]


def test_judgments_given_as_a_run_are_recognised() -> None:
    with pytest.raises(InputError, match=r"x looks like judgments, not like a run: it has 'label' and neither score"):
        run_columns(["query", "item", "label"], None, "x")
    assert run_columns(["query", "item", "label"], {"score": "label"}, "x")["score"] == "label"


@pytest.mark.parametrize(
    ("extra", "given", "expected"),
    [
        (["score", "rank"], None, {"score": "score"}),
        (["rank", "position", "score"], None, {"score": "score"}),
        (["pos", "position", "score"], None, {"score": "score"}),
        (["rank"], None, {"rank": "rank"}),
        (["rank", "label"], None, {"rank": "rank"}),
        (["score", "rank"], {"rank": "rank"}, {"rank": "rank"}),
        (["score", "rank"], {"rank": "rank", "score": "score"}, {"score": "score"}),
        ([], None, {}),
    ],
)
def test_score_wins_over_rank(extra: list[str], given: dict[str, str] | None, expected: dict[str, str]) -> None:
    found = run_columns(["query", "item", *extra], given, "x")
    assert found == {"query": "query", "item": "item", **expected}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            ["item"],
            r"columns= is of type list; expected .* Hint: .*roles are query, item, score, rank, distance, grade",
        ),
        ("item=docid", "columns= is of type str"),
        (
            {"itm": "a"},
            r"'itm', which is not one of query, item, .*after one of judgments\., run\.. Hint: did you mean 'item'",
        ),
        ({"run.itm": "a"}, r"'run.itm', which is not one of .*Hint: did you mean 'item'"),
        ({"runs.item": "a"}, r"'runs.item', which is not one of"),
        ({3: "a"}, "'3', which is not one of"),
        ({"item": 0}, r"columns= names 0, of type int, as the item. Hint: the name of a column is text"),
        ({"item": None}, "columns= names None, of type NoneType"),
    ],
)
@pytest.mark.parametrize("run", [{"q": ["a"]}, pl.DataFrame({"query": ["q"], "item": ["a"], "score": [1.0]})])
def test_columns_are_names_by_role(columns, message, run):
    with pytest.raises(InputError, match=message):
        rm.evaluate({"q": {"a": 1}}, run, "RR", columns=columns)


def test_columns_of_files_are_names_by_role():
    for data in (b"q 0 a 1\n", b"query,item,grade\nq,a,1\n"):
        with pytest.raises(InputError, match="columns= is of type list"):
            rm.read_judgments(data, columns=["item"])


def test_a_role_of_one_side_is_for_that_side_alone():
    judgments = pl.DataFrame({"query": ["q"], "item": ["a"], "grade": [1]})
    run = pl.DataFrame({"query": ["q", "q"], "x": ["b", "a"], "score": [2.0, 1.0]})
    assert rm.evaluate(judgments, run, "RR", columns={"run.item": "x"})["RR"] == 0.5
