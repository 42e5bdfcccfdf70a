"""Who is above whom where values have ends, cells of which one is odd, and folders that say no model."""

from __future__ import annotations

import json

import pytest

import rankmeter as rm
from rankmeter.errors import InputError
from rankmeter.wings.results.derived_cells import _before

ENDS = [(0.1, 0.1), (0.1, 0.2), (0.2, 0.3), (0.3, 0.3), (0.0, 0.5)]


@pytest.mark.parametrize("one", ENDS)
def test_another_is_above_below_or_may_be_either(one) -> None:
    for many in ([], ENDS[:1], ENDS, ENDS * 2):
        above = sum(low > one[1] for low, _ in many)
        below = sum(high < one[0] for _, high in many)
        assert _before(*one, many) == (above, len(many) - above - below)


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("bad", [0.5, "x", None, [0.5]])
def test_one_run_without_queries_among_runs_with_queries_is_refused(bad, place) -> None:
    runs = [{"q1": 0.5, "q2": 0.25}] * 3
    good = {"a": {"t1": runs, "t2": runs}, "b": {"t1": runs, "t2": runs}}
    assert rm.across(good)["a"].mean == pytest.approx(0.375)
    odd = {**good, "b": {"t1": [*runs[:place], bad, *runs[place + 1 :]], "t2": runs}}
    with pytest.raises(InputError) as told:
        rm.across(odd)
    assert "b, t1" in str(told.value)


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_a_file_of_mteb_lies_in_the_folder_of_its_model(depth, tmp_path) -> None:
    for system, value in (("org__one", 0.5), ("org__other", 0.25)):
        for task in ("t1", "t2"):
            folder = tmp_path.joinpath(*(["above", system, "revision"] if depth == 3 else [system, "revision"])[:depth])
            folder.mkdir(parents=True, exist_ok=True)
            scores = {"test": [{"main_score": value, "hf_subset": "default"}]}
            (folder / f"{task}.json").write_text(json.dumps({"task_name": task, "scores": scores}))
    if depth == 0:
        with pytest.raises(InputError) as told:
            rm.across(str(tmp_path))
        assert told.value.problem.kind == "results.flat_folder"
    else:
        found = rm.across(str(tmp_path))
        assert [found[name].mean for name in ("org/one", "org/other")] == [0.5, 0.25]
