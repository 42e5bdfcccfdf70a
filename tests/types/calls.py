"""Typical calls: mypy and pyright accept all of them but those marked; mypy refuses those with the error they name."""

# ruff: noqa: B018, F841

from __future__ import annotations

from typing import assert_type

import rankmeter as rm

JUDGMENTS = {"q": {"a": 2, "b": 1}}
RUN = {"q": {"a": 0.9, "x": 0.8}}


def right() -> None:
    ev = rm.evaluate(JUDGMENTS, RUN, [rm.nDCG @ 10, rm.nDCG(gain="exp2", ties="mean") @ 5, "RR"])
    assert_type(ev, rm.Evaluation)
    assert_type(ev["RR"], float)
    rm.nDCG(gain={1: 3, 2: 9}, ideal="list", cutoff=10)
    rm.AP(norm="capped", rel=2) @ 100
    rm.RBP(p=0.95)(gain="exp2", max_grade=3)
    rm.IPrec @ 0.5
    rm.IPrecAvg(points=[0.2, 0.5, 0.8])
    rm.AUC(ties="item") @ 5
    rm.MRR @ 10
    rm.MAP(aggregate="geometric")
    rm.HitRate @ 5
    rm.HR(queries="common") @ 5
    rm.Recall(norm="capped") @ 20
    rm.Precision(norm="list") @ 20
    rm.NDCG(discount="jk") @ 10
    rm.ILD @ 10
    rm.Coverage(of="history") @ 10
    rm.SegmentGap(of="RR")
    rm.CTR(per="request")
    measure: rm.Measure = rm.parse("nDCG@10")
    measures: list[rm.Measure] = [rm.nDCG @ 10, rm.AP, rm.StRecall @ 5]
    error: type[Exception] = rm.MeasureError
    report = rm.online.evaluate([], "CTR")


def wrong() -> None:
    rm.nDCG(gain="nonsense")  # E: arg-type
    rm.nDCG(nope=3)  # E: call-arg
    rm.NDCG(gain="nonsense", nope=3)  # E: call-arg
    rm.nDCG(gain="exp2", ties="sometimes")  # E: arg-type
    rm.nDCG("exp2")  # E: arg-type
    rm.nDCG @ "10"  # E: operator
    rm.nDCG @ 1.5  # E: operator
    rm.RR(norm="capped")  # E: call-arg
    rm.ERR(ties="mean")  # E: arg-type
    rm.RBP(p="0.8")  # E: arg-type
    rm.AP(rel="2")  # E: arg-type
    rm.MRR(aggregate="pooled")  # E: arg-type
    rm.Coverage(of="nothing")  # E: arg-type
    rm.CTR(per="day")  # E: arg-type
    rm.nDGC  # E: attr-defined
    rm.import_module  # E: attr-defined
    rm.evaluate(JUDGMENTS, RUN, ["RR"], queries="all")  # E: arg-type
