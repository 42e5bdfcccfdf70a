"""The provider for ir_measures, against ir_measures' own programs."""

from __future__ import annotations

import random
from typing import Any

import polars as pl
import pytest

ir_measures = pytest.importorskip("ir_measures")
pytest.importorskip("pytrec_eval")

from ir_measures import AP, RBP, RR, Bpref, IPrec, Judged, NumRelRet, NumRet, P, Qrel, R, ScoredDoc, SetF, nDCG  # noqa: E402

from rankmeter.compat.ir_measures import provider, translate, use_first  # noqa: E402

MEASURES = [
    nDCG @ 10, AP, AP(rel=2) @ 5, RR, RR @ 3, P @ 5, R @ 9,
    Bpref, IPrec @ 0.3, SetF(beta=2.0), NumRet, NumRelRet, Judged @ 5,
]  # fmt: skip


def data(seed: int) -> tuple[list[Any], list[Any]]:
    rng = random.Random(seed)
    pool = [f"d{number}" for number in range(12)]
    qrels = [Qrel(f"q{n}", item, rng.choice([0, 1, 2]), "0") for n in range(3) for item in rng.sample(pool, 8)]
    run = [ScoredDoc(f"q{n}", item, rng.random()) for n in range(seed % 3, 5) for item in rng.sample(pool, 7)]
    return qrels, run


# These are asked for alone: beside them ir_measures may use their gains for nDCG@10 too, or count judged documents only
# for NumRet, depending on a set's order.
APART = [[nDCG(gains={1: 3}) @ 5], [P(rel=2, judged_only=True) @ 5]]


@pytest.mark.parametrize("measures", [MEASURES, *APART])
@pytest.mark.parametrize("seed", range(8))
def test_equals_the_programs_of_ir_measures(seed: int, measures: list[Any]) -> None:
    qrels, run = data(seed)
    expected = ir_measures.calc_aggregate(measures, qrels, run)
    found = provider.calc_aggregate(measures, iter(qrels), iter(run))
    assert list(found) == measures
    assert {str(m): v for m, v in found.items()} == pytest.approx({str(m): v for m, v in expected.items()})
    each = {(one.query_id, str(one.measure)): one.value for one in provider.iter_calc(measures, qrels, run)}
    wanted = {(one.query_id, str(one.measure)): one.value for one in ir_measures.iter_calc(measures, qrels, run)}
    assert each == pytest.approx(wanted)


DIVERSITY = {
    "ERR_IA@2": 0.533333, "nERR_IA@2": 0.8, "alpha_DCG@3": 0.52341, "alpha_nDCG@3": 0.785114, "NRBP": 0.515625,
    "nNRBP": 0.785714, "AP_IA": 0.666667, "P_IA@2": 0.5, "StRecall@2": 1.0,
}  # fmt: skip
"""What ir_measures 0.4.3 with pyndeval 0.0.8 gave for the files of the next test."""


def test_measures_of_diversity_break_ties_as_pyndeval_does() -> None:
    judged = [("a", 1, "x"), ("b", 1, "y"), ("c", 1, "x"), ("c", 1, "z"), ("d", 0, "y")]
    qrels = [Qrel("1", item, grade, subtopic) for item, grade, subtopic in judged]
    run = [ScoredDoc("1", item, score) for item, score in [("d", 2.0), ("c", 2.0), ("b", 2.0), ("a", 1.0)]]
    measures = [ir_measures.parse_measure(name) for name in DIVERSITY]
    found = {str(measure): value for measure, value in provider.calc_aggregate(measures, qrels, run).items()}
    assert found == pytest.approx(DIVERSITY, abs=1e-6)


def test_accuracy_leaves_out_queries_in_which_nothing_was_found() -> None:
    qrels = [Qrel(query, "a", 1) for query in ("1", "2", "3")]
    run = [ScoredDoc("1", "x", 2.0), ScoredDoc("1", "a", 1.0), ScoredDoc("1", "y", 0.5), ScoredDoc("2", "x", 1.0)]
    measure = ir_measures.Accuracy
    assert provider.calc_aggregate([measure], qrels, run) == ir_measures.calc_aggregate([measure], qrels, run)
    assert [*provider.iter_calc([measure], qrels, run)] == [*ir_measures.iter_calc([measure], qrels, run)]


def test_measures_with_and_without_gains_do_not_mix() -> None:
    qrels, run = data(0)
    both = [nDCG(gains={1: 3}) @ 5, nDCG @ 10]
    alone = {measure: provider.calc_aggregate([measure], qrels, run)[measure] for measure in both}
    assert provider.calc_aggregate(both, qrels, run) == alone


def test_frames_give_what_rows_give() -> None:
    qrels, run = data(1)
    expected = provider.calc_aggregate([nDCG @ 10, AP], qrels, run)
    rows = [pl.DataFrame([one._asdict() for one in rows]) for rows in (qrels, run)]
    assert provider.calc_aggregate([nDCG @ 10, AP], *rows) == expected
    assert provider.calc_aggregate([nDCG @ 10, AP], *(one.to_pandas() for one in rows)) == expected


def test_subtopics_come_from_the_iteration() -> None:
    qrels = [Qrel("a", f"d{number}", 1, str(number % 3)) for number in range(6)]
    run = [ScoredDoc("a", f"d{number}", -number) for number in range(2, 5)]
    recall = ir_measures.StRecall @ 2
    assert provider.calc_aggregate([recall, AP], iter(qrels), run)[recall] == pytest.approx(2 / 3)
    frame = pl.DataFrame([one._asdict() for one in qrels])
    assert provider.calc_aggregate([recall], frame, run)[recall] == pytest.approx(2 / 3)


def test_a_run_without_judged_queries_has_the_defaults() -> None:
    assert provider.calc_aggregate([AP], {"x": {"d": 1}}, {"y": {"d": 1.0}}) == {AP: 0.0}


def test_it_is_registered_and_can_come_first() -> None:
    assert ir_measures.providers.registry["rankmeter"] is provider
    before = list(ir_measures.DefaultPipeline.providers)
    try:
        use_first()
        assert ir_measures.DefaultPipeline.providers[0] is provider
        # ERR is Perl in ir_measures, and refuses query ids that are not numbers.
        found = ir_measures.calc_aggregate([ir_measures.ERR @ 5], {"q": {"a": 1}}, {"q": {"a": 1.0}})
        assert found == {ir_measures.ERR @ 5: pytest.approx(1 / 16)}
    finally:
        ir_measures.DefaultPipeline.providers = before


def test_it_supports_what_it_can_translate() -> None:
    assert provider.supports(RBP(p=0.5, rel=1))
    assert str(translate(nDCG(gains={1: 3}) @ 5)) == "nDCG(gain={1:3},scores=float32)@5"
    custom = ir_measures.define(lambda qrels, run: 1.0, name="Mine")
    assert not provider.supports(custom)
