from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

import rankmeter as rm
from rankmeter.measures.base import REGISTRY


@rm.measure
def FirstTwo(grades, *, weight=2.0):
    return sum(grades[:2]) * weight


@rm.measure
def ShareOfIdeal(grades, ideal):
    return sum(grades) / sum(ideal) if len(ideal) else 0.0


@rm.measure
def CountPlaced(placements):
    return np.bincount(placements.query, minlength=len(placements))


JUDGMENTS = {"q1": {"a": 3, "b": 1, "c": 2}, "q2": {"d": 1}}
RUN = {"q1": {"x": 9.0, "a": 8.0, "b": 7.0}, "q2": {"y": 1.0}}


def test_a_function_of_grades_sees_unjudged_items_as_zero():
    assert rm.evaluate(JUDGMENTS, RUN, [FirstTwo]).per_query["FirstTwo"].to_list() == [6.0, 0.0]


def test_options_are_part_of_the_string():
    measure = rm.parse("FirstTwo(weight=0.5)@1")
    assert measure == FirstTwo(weight=0.5) @ 1
    assert str(measure) == "FirstTwo(weight=0.5)@1"


def test_a_function_may_ask_for_the_ideal():
    assert rm.evaluate(JUDGMENTS, RUN, "ShareOfIdeal").per_query["ShareOfIdeal"].to_list() == [
        pytest.approx(4 / 6),
        0.0,
    ]


def test_a_function_of_placements_works_on_all_queries_at_once():
    assert rm.evaluate(JUDGMENTS, RUN, "CountPlaced").per_query["CountPlaced"].to_list() == [2.0, 0.0]


def test_policies_apply_to_own_measures_too():
    assert rm.evaluate(JUDGMENTS, RUN, "FirstTwo(miss=skip)")["FirstTwo(miss=skip)"] == 6.0


def test_a_name_of_rankmeter_cannot_be_taken():
    with pytest.raises(rm.MeasureError, match="'AP' is already a measure of rankmeter"):

        @rm.measure
        def AP(grades):
            return 0.0


def test_a_function_of_something_else_is_refused():
    with pytest.raises(rm.MeasureError, match="takes grades, or grades and ideal, or placements"):

        @rm.measure
        def Strange(rows):
            return 0.0


def test_an_option_needs_a_default():
    with pytest.raises(rm.MeasureError, match="an option has a number or a word as default"):

        @rm.measure
        def Bare(grades, *, weight):
            return weight


def test_a_result_of_the_wrong_shape_is_refused():
    @rm.measure
    def Short(placements):
        return [1.0]

    with pytest.raises(rm.MeasureError, match="expected one value for each query"):
        rm.evaluate(JUDGMENTS, RUN, Short)


@rm.measure
def Vandal(grades, ideal):
    ideal[:] = 0
    return 0.0


@rm.measure
def VandalOfAll(placements):
    placements.grade[:] = 0
    return np.zeros(len(placements))


@pytest.mark.parametrize("vandal", [Vandal, VandalOfAll])
def test_a_function_cannot_write_into_what_other_measures_see(vandal):
    with pytest.raises(rm.MeasureError, match=r"Vandal.* failed.*read-only"):
        rm.evaluate(JUDGMENTS, RUN, [vandal, "nDCG"])


@pytest.mark.parametrize("name", ["MRR", "ndcg", "NDCG", "ap", "P_5", "map_cut_10", "query"])
def test_a_name_that_means_something_already_is_refused(name):
    def function(grades):
        return 0.0

    function.__name__ = name
    with pytest.raises(rm.MeasureError, match=f"'{name}' is .*Hint: give the function another name"):
        rm.measure(function)


def test_what_a_function_raises_is_said_with_measure_and_query():
    @rm.measure
    def Breaks(grades, *, at=1.0):
        return 1 / (len(grades) - at)

    with pytest.raises(rm.MeasureError, match=r"Breaks failed for query q2: ZeroDivisionError: ") as caught:
        rm.evaluate(JUDGMENTS, RUN, Breaks)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize("result", [None, "0.5", [0.5], np.array([1.0]), {}])
def test_a_result_that_is_no_number_is_refused(result):
    @rm.measure
    def NoNumber(grades):
        return result

    with pytest.raises(rm.MeasureError, match=r"NoNumber failed for query q1: TypeError: .*not (a number|'dict')"):
        rm.evaluate(JUDGMENTS, RUN, NoNumber)


def test_what_a_function_of_all_queries_raises_is_said_with_the_measure():
    @rm.measure
    def BreaksForAll(placements):
        return ["a", "b"]

    with pytest.raises(rm.MeasureError, match="BreaksForAll failed: ValueError: could not convert"):
        rm.evaluate(JUDGMENTS, RUN, BreaksForAll)


def test_an_evaluation_under_a_measure_of_ones_own_can_be_sent_elsewhere():
    @rm.measure
    def Sent(grades, *, base=0.5):
        return sum(grade * base**place for place, grade in enumerate(grades))

    ev = rm.evaluate(JUDGMENTS, RUN, [Sent(base=0.25) @ 2, "RR"])
    again = pickle.loads(pickle.dumps(ev))
    assert again == ev
    assert copy.deepcopy(ev).means == ev.means
    assert again["Sent(base=0.25)@2"] == ev["Sent(base=0.25)@2"]


def test_a_measure_that_is_not_defined_where_it_arrives_says_so(monkeypatch):
    for library in ("cloudpickle", "joblib.externals.cloudpickle", "pyspark.cloudpickle"):  # they carry functions along
        monkeypatch.delitem(sys.modules, library, raising=False)

    @rm.measure
    def Forgotten(grades):
        return 0.0

    sent = pickle.dumps(Forgotten @ 3)
    known = REGISTRY.pop("Forgotten")
    try:
        with pytest.raises(rm.MeasureError, match=r"'Forgotten' is a user-defined measure .*Hint: define it with"):
            pickle.loads(sent)
    finally:
        REGISTRY["Forgotten"] = known
    assert pickle.loads(sent) == Forgotten @ 3


OWN = """
import joblib, rankmeter as rm

def measured(measure):
    return float(next(iter(rm.evaluate({"q": ["a"]}, {"q": ["b", "a"]}, [measure]).mean.values())))

if __name__ == "__main__":
    with joblib.Parallel(n_jobs=2) as parallel:
        for factor in (1, 10):  # defined anew, as in a notebook, while the processes live on
            @rm.measure
            def Own(grades, *, base=0.5):
                return factor * sum(grade * base**place for place, grade in enumerate(grades))
            asked = [Own, Own(base=0.25), rm.parse("Own@1")]
            print(parallel(joblib.delayed(measured)(measure) for measure in asked))
"""


def test_own_measures_work_in_the_processes_of_joblib(tmp_path):
    pytest.importorskip("joblib")
    (tmp_path / "own.py").write_text(OWN)
    done = subprocess.run(
        [sys.executable, "own.py"], cwd=tmp_path, check=False, capture_output=True, text=True, timeout=99
    )
    assert done.stdout == "[0.5, 0.25, 0.0]\n[5.0, 2.5, 0.0]\n", done.stderr


def test_an_own_measure_is_found_in_its_module(tmp_path):
    (tmp_path / "mine.py").write_text("import rankmeter as rm\n\n@rm.measure\ndef Mine(grades):\n    return 7.0\n")
    save = "import mine, pickle; open('m', 'wb').write(pickle.dumps(mine.Mine))"
    load = "import pickle, rankmeter as rm; print(rm.value(pickle.load(open('m', 'rb')), grades=[1]))"
    for code in (save, load):
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, check=False, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
    assert done.stdout == "7.0\n"
