"""Every strategy and step equals plain Python on random rows, and does not depend on how rows are given."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.wings.protocol import split_oracle as oracle
from tests.wings.protocol.split_oracle import Row

import rankmeter as rm
from rankmeter.errors import InputError


@st.composite
def tables(draw: st.DrawFn) -> list[Row]:
    user = draw(st.sampled_from([st.integers(0, 6), st.sampled_from(["u1", "u2", "u10", "x"])]))
    item = draw(st.sampled_from([st.integers(-3, 9), st.sampled_from(list("abcdefg"))]))
    time = draw(st.sampled_from([st.integers(0, 5), st.integers(0, 2**40), st.integers(-(2**61), 2**61)]))
    row = st.tuples(user, item, time, st.sampled_from([1.0, 3.0, 5.0]))
    return draw(st.lists(row, min_size=2, max_size=40))


def frame(rows: list[Row]) -> pl.DataFrame:
    return pl.DataFrame(rows, ["user", "item", "time", "rating"], orient="row")


def parts_of(rows: list[Row], how: str, **options: Any) -> tuple[set[int], set[int]]:
    try:
        made = rm.split(frame(rows), how, **options)
    except InputError as error:
        assume("empty" not in str(error) and "left" not in str(error) and "held out" not in str(error))
        raise
    return set(made.rows("train").tolist()), set(made.rows("test").tolist())


@given(
    tables(), st.integers(1, 4), st.sampled_from(["keep", "train", "test", "drop"]), st.sampled_from(["item", "rows"])
)
def test_last_n_equals_the_oracle(rows: list[Row], n: int, few: str, ties: str) -> None:
    assert parts_of(rows, f"last_n({n},few={few})", ties=ties) == oracle.last_n(rows, n, few, ties)


@given(tables(), st.sampled_from(["0.2", "0.5", "0.1", "0.99"]), st.sampled_from(["item", "rows"]))
def test_last_share_equals_the_oracle(rows: list[Row], share: str, ties: str) -> None:
    assert parts_of(rows, f"last_share({share})", ties=ties) == oracle.last_share(rows, share, ties)


@given(tables(), st.data())
def test_a_point_in_time_divides_at_it(rows: list[Row], data: st.DataObject) -> None:
    point = data.draw(st.sampled_from([row[2] for row in rows]))
    assert parts_of(rows, f"time({point})") == oracle.from_time(rows, point)


@given(tables(), st.sampled_from(["0.2", "0.5", "0.9"]))
def test_time_share_equals_the_oracle(rows: list[Row], share: str) -> None:
    assert parts_of(rows, f"time_share({share})") == oracle.time_share(rows, share)


@given(tables())
def test_the_best_time_divides_most_users(rows: list[Row]) -> None:
    assert parts_of(rows, "time_best") == oracle.time_best(rows)


@given(tables(), st.integers(1, 3), st.integers(1, 3))
def test_windows_equal_the_oracle(rows: list[Row], length: int, count: int) -> None:
    wanted = oracle.windows(rows, length, count)
    assume(all(train and test for train, test in wanted))
    made = rm.split(frame(rows), f"windows({length},{count})")
    assert [(set(fold.rows("train").tolist()), set(fold.rows("test").tolist())) for fold in made] == wanted


@given(tables(), st.sampled_from(["0.2", "0.5"]), st.integers(0, 3))
def test_random_rows_are_exactly_as_many_as_asked(rows: list[Row], share: str, seed: int) -> None:
    train, test = parts_of(rows, f"random({share})", seed=seed)
    assert train | test == set(range(len(rows)))
    assert not train & test
    assert len(test) == math.ceil(Fraction(share) * len(rows))


@given(tables(), st.integers(1, 3), st.integers(0, 3))
def test_random_n_takes_n_of_every_user(rows: list[Row], n: int, seed: int) -> None:
    train, test = parts_of(rows, f"random_n({n})", seed=seed)
    for own in oracle.by_user(rows, range(len(rows))).values():
        assert len(test & set(own)) == min(n, len(own) - 1)
        assert len(train & set(own)) == len(own) - len(test & set(own))


@given(tables(), st.integers(2, 4))
def test_folds_are_disjoint_and_of_equal_size(rows: list[Row], k: int) -> None:
    assume(len(rows) >= k)
    tests = [fold.rows("test").tolist() for fold in rm.split(frame(rows), f"folds({k})")]
    assert sorted(row for fold in tests for row in fold) == list(range(len(rows)))
    assert max(map(len, tests)) - min(map(len, tests)) <= 1


@given(tables(), st.sampled_from(["user_folds(2)", "users(0.4)", "items(0.4)", "users(1)"]))
def test_users_and_items_are_held_out_whole(rows: list[Row], how: str) -> None:
    at = 1 if how.startswith("items") else 0
    assume(len({row[at] for row in rows}) >= 2)
    for fold in rm.split(frame(rows), how):
        parts = [{rows[number][at] for number in fold.rows(name)} for name in ("train", "test")]
        assert not parts[0] & parts[1]
        assert len(fold.rows("train")) + len(fold.rows("test")) == len(rows)


@given(tables(), st.integers(1, 3), st.integers(1, 3), st.sampled_from([None, 1, 2]))
def test_the_core_equals_the_oracle(rows: list[Row], user: int, item: int, rounds: int | None) -> None:
    wanted = oracle.k_core(rows, user, item, rounds)
    step = f"k_core(user={user},item={item}{'' if rounds is None else f',rounds={rounds}'})"
    train, test = parts_of(rows, "random(0.5)", before=step)
    assert train | test == wanted


@given(tables(), st.sampled_from(["first", "last"]), st.sampled_from(["item", "rows"]))
def test_one_row_of_a_pair_stays(rows: list[Row], which: str, ties: str) -> None:
    train, test = parts_of(rows, "random(0.5)", before=f"duplicates({which})", ties=ties)
    assert train | test == oracle.duplicates(rows, which, ties)


@given(tables(), st.permutations(["cold_users", "cold_items", "seen"]), st.integers(1, 3))
def test_steps_after_equal_the_oracle_in_any_order(rows: list[Row], steps: list[str], length: int) -> None:
    share = f"0.{length}"
    train, test = oracle.time_share(rows, share)
    for step in steps:
        test = oracle.without(rows, train, test, step)
    assert parts_of(rows, f"time_share({share})", after=steps) == (train, test)


@given(tables(), st.sampled_from(["last_n(1)", "random(0.3)", "time_share(0.3)"]))
def test_leaks_equal_the_oracle(rows: list[Row], how: str) -> None:
    train, test = parts_of(rows, how)
    (fold,) = rm.split(frame(rows), how).protocol.folds
    assert fold.leaks.to_dict() == oracle.leaks(rows, train, test)


@given(
    tables(),
    st.randoms(use_true_random=False),
    st.sampled_from(["last_n(1)", "random(0.3)", "random_n(1)", "folds(2)"]),
)
def test_reordered_rows_give_the_same_rows(rows: list[Row], random: Any, how: str) -> None:
    shuffled = rows[:]
    random.shuffle(shuffled)

    def tests(given: list[Row]) -> list[list[Row]]:
        return [sorted(given[number] for number in fold.rows("test")) for fold in rm.split(frame(given), how)]

    try:
        wanted = tests(rows)
    except InputError:
        assume(False)
    assert tests(shuffled) == wanted


@given(tables(), st.sampled_from(["last_n(1)", "last_share(0.5)"]), st.sampled_from(["item", "rows"]))
def test_rows_that_ties_decide_are_counted(rows: list[Row], how: str, ties: str) -> None:
    train, test = parts_of(rows, how, ties=ties)
    other = {(rows[n][0], rows[n][2]) for n in train} & {(rows[n][0], rows[n][2]) for n in test}
    assert rm.split(frame(rows), how, ties=ties).protocol.tied == sum((row[0], row[2]) in other for row in rows)


@given(tables())
def test_validation_is_divided_out_of_train(rows: list[Row]) -> None:
    train, test = oracle.last_n(rows, 1, "keep", "item")
    assume(test)
    left = sorted(train)
    inner, valid = oracle.last_n([rows[n] for n in left], 1, "keep", "item")
    if not valid:
        with pytest.raises(InputError, match="the validation part"):
            rm.split(frame(rows), "last_n(1)", validation=True)
        return
    made = rm.split(frame(rows), "last_n(1)", validation=True)
    assert set(made.rows("train").tolist()) == {left[n] for n in inner}
    assert set(made.rows("validation").tolist()) == {left[n] for n in valid}
    assert set(made.rows("test").tolist()) == test


def test_whole_sessions_are_dated_by_their_last_row() -> None:
    rows = pl.DataFrame({
        "user": [1, 1, 1, 1, 2, 2], "session": ["a", "b", "a", "b", "a", "a"], "item": list("abcdab"),
        "time": [1, 2, 9, 3, 1, 2],
    })  # fmt: skip
    made = rm.split(rows, "last_n(1)", whole="session")
    assert made.rows("test").tolist() == [0, 2]  # session a of user 1 ends last, though it begins first
    assert made.rows("train").tolist() == [1, 3, 4, 5]
    assert "session" in made.protocol.line()


def test_a_random_share_is_uniform_over_seeds() -> None:
    """Each of 50 rows is in a test part of a fifth in some 400 of 2,000 draws; 5 standard errors are 90."""
    rows = pl.DataFrame({"user": [n // 10 for n in range(50)], "item": [n % 10 for n in range(50)], "time": [0] * 50})
    counts = [0] * 50
    for seed in range(2000):
        for number in rm.split(rows, "random(0.2)", seed=seed).rows("test"):
            counts[number] += 1
    assert sum(counts) == 2000 * 10
    assert all(abs(count - 400) < 90 for count in counts)


@pytest.mark.parametrize("how", ["last_n(1)", "random(0.3)", "time_share(0.2)"])
def test_a_protocol_is_read_as_it_was_written(how: str) -> None:
    from rankmeter.wings.protocol.statement import Protocol

    rows = pl.DataFrame({"user": [1, 1, 2, 2, 2], "item": list("abcab"), "time": [1, 1, 2, 3, 3]})
    protocol = rm.split(rows, how, before="k_core(1)", after="cold_users").protocol
    assert Protocol.from_dict(protocol.to_dict()) == protocol
