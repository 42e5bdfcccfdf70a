"""Recall of approximate search: equal to a plain count, ties by value, a curve, and what is refused."""

from __future__ import annotations

import json

import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmeter as rm
from rankmeter.cli import app
from rankmeter.errors import RankmeterError

LISTS = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 4).map(float), min_size=1, max_size=8)
QUERIES = st.lists(st.tuples(LISTS, LISTS), min_size=1, max_size=4)


def plain_recall(exact, given, k, ties):
    """Line by line: the first k of each list, higher ids first among equal scores."""
    order = sorted(exact, key=lambda item: (exact[item], item), reverse=True)[:k]
    listed = sorted(given, key=lambda item: (given[item], item), reverse=True)[:k]
    last = exact[order[-1]]
    found = 0
    for item in listed:
        if item in order or (
            ties == "value" and (exact.get(item, -1) >= last or (len(order) == k and given[item] >= last))
        ):
            found += 1
    return min(found, len(order)) / len(order)


@settings(deadline=None, max_examples=60)
@given(queries=QUERIES, k=st.integers(1, 5), ties=st.sampled_from(["value", "id"]))
def test_the_recall_of_every_query_equals_a_plain_count(queries, k, ties):
    exact = {f"q{at}": lists[0] for at, lists in enumerate(queries)}
    given_run = {f"q{at}": lists[1] for at, lists in enumerate(queries)}
    found = rm.ann_recall(exact, {"run": given_run}, k, ties=ties)
    values = dict(found.per_query.select("query", "recall").rows())
    assert values == {
        query: pytest.approx(plain_recall(exact[query], given_run[query], k, ties), abs=1e-12) for query in exact
    }
    assert found.value("run") == pytest.approx(sum(values.values()) / len(values))


def test_a_list_is_complete_with_itself_and_empty_with_nothing_near():
    exact = {f"q{q}": {f"d{i}": -float(i % 3 + i) for i in range(20)} for q in range(6)}
    assert rm.ann_recall(exact, exact, [1, 10, 20]).to_polars()["recall"].to_list() == [1.0] * 3
    far = {query: {"elsewhere": -99.0} for query in exact}
    assert rm.ann_recall(exact, far, 10).value("run") == 0.0


def test_the_curve_is_in_the_order_of_effort_with_intervals_within_bounds():
    exact = {f"q{q}": {f"d{i}": 50.0 - i for i in range(20)} for q in range(30)}

    def kept(share):
        return {q: {d: s for at, (d, s) in enumerate(items.items()) if (at * 7 + int(q[1:])) % 10 < share}
                for q, items in exact.items()}  # fmt: skip

    found = rm.ann_recall(exact, {"ef_256": kept(9), "ef_16": kept(4), "ef_64": kept(7)}, k=10)
    assert [point.candidates for point in found.points] == [16, 64, 256]
    recalls = [point.recall for point in found.points]
    assert recalls == sorted(recalls)
    assert all(point.low is None or 0 <= point.low <= point.recall <= point.high <= 1 for point in found.points)
    stated = rm.ann_recall(exact, {"one": kept(4), "two": kept(9)}, 10, candidates={"one": 50, "two": 9})
    assert [point.system for point in stated.points] == ["two", "one"]
    assert "vega" in found.to_html().casefold() or "svg" in found.to_html()
    assert json.loads(found.to_json())["points"][0]["k"] == 10
    assert "召回率" in found.to_text("zh")


def test_distances_and_a_tolerance_are_read_as_such():
    rows = {"query": ["q"] * 3, "item": ["a", "b", "c"], "distance": [0.1, 0.2, 0.20000001]}
    exact = pl.DataFrame(rows)
    given_run = pl.DataFrame({**rows, "item": ["a", "c", "b"], "distance": [0.1, 0.20000002, 0.3]})
    columns = {"distance": "distance"}
    assert rm.ann_recall(exact, given_run, 2, columns=columns).value("run") == 0.5
    assert rm.ann_recall(exact, given_run, 2, columns=columns, tolerance=1e-6).value("run") == 1.0


def test_missing_queries_and_short_lists_are_said():
    exact = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 2.0}}
    found = rm.ann_recall(exact, {"ef_1": {"q1": {"a": 2.0, "b": 1.0}}}, 2)
    assert found.value("ef_1") == 0.5
    told = " ".join(map(str, found.notes))
    assert "1 of 2 exact lists" in told
    assert "ef_1 returned nothing for 1 of 2" in told


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rm.ann_recall({"q": ["a"]}, {"q": ["a"]}), "has no scores.*ties='id'"),
        (lambda: rm.ann_recall({"q": {"a": 1.0}}, {"q": ["a"]}, k=0), "k=0"),
        (lambda: rm.ann_recall({"q": {"a": 1.0}}, {"x": {"q": ["a"]}}, candidates={"y": 1}), "does not say how hard x"),
        (lambda: rm.ann_recall({"q": {"a": 1.0}}, {"r": ["a"]}), "no query in common|in common"),
        (lambda: rm.ann_recall({"q": {"a": 1.0}}, {"q": ["a"]}).value("other"), "no recall of 'other'"),
        (lambda: rm.ann_recall({"q": {"a": 1.0}}, {"q": ["a"]}, ties="distance"), "ties"),
    ],
)
def test_what_cannot_be_measured_is_refused(call, message):
    with pytest.raises(RankmeterError, match=f"(?s){message}"):
        call()


def test_the_command_gives_the_same_numbers(tmp_path):
    exact = {"q1": {"a": 0.9, "b": 0.8, "c": 0.8}, "q2": {"d": 0.7, "e": 0.6, "f": 0.5}}
    runs = {"exact": exact, "ef_8": {"q1": {"a": 0.9, "c": 0.8}, "q2": {"d": 0.7, "f": 0.5}}}
    paths = []
    for name, run in runs.items():
        rows = [f"{q} Q0 {d} 1 {s} {name}\n" for q, items in run.items() for d, s in items.items()]
        paths.append(str(tmp_path / f"{name}.run"))
        (tmp_path / f"{name}.run").write_text("".join(rows))
    done = CliRunner().invoke(app, ["ann-recall", *paths, "-k", "2", "--format", "json"])
    assert done.exit_code == 0, done.output
    assert [point["recall"] for point in json.loads(done.stdout)["points"]] == [0.75]
    page = CliRunner().invoke(app, ["ann-recall", *paths, "-k", "1", "-k", "2", "--output", str(tmp_path / "c.html")])
    assert page.exit_code == 0
    assert "</html>" in (tmp_path / "c.html").read_text()
    for arguments in (paths[:1], [*paths, "--candidates", "ef_8=many"]):
        assert CliRunner().invoke(app, ["ann-recall", *arguments]).exit_code == 2


@pytest.mark.parametrize("k", [1, 2, 3])
def test_queries_with_a_whole_list_are_counted(k):
    exact = {f"q{at}": {"a": 3.0, "b": 2.0, "c": 1.0} for at in range(4)}
    listed = {f"q{at}": dict(list({"a": 3.0, "b": 2.0, "c": 1.0}.items())[:at]) | {"z": 0.0} for at in range(4)}
    [point] = rm.ann_recall(exact, {"run": listed}, k).points
    assert (point.complete, point.queries) == (sum(at >= k for at in range(4)), 4)
