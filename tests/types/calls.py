"""Typical calls: mypy and pyright accept all of them but those marked; mypy refuses those with the error they name."""

# ruff: noqa: B018, F841

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, assert_type

import polars as pl

import rankmeter as rm
from rankmeter import online
from rankmeter.compat.pytrec_eval import RelevanceEvaluator
from rankmeter.definitions.explain import Explanation
from rankmeter.definitions.worked import Worked
from rankmeter.pytest_plugin import Rankings
from rankmeter.showing.showable import Showable
from rankmeter.stats.intervals import Interval
from rankmeter.testing import Requirement, assert_ranking
from rankmeter.wings.protocol.statement import Protocol
from rankmeter.wings.results.across_result import Across

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
    assert_type(rm.value("nDCG@5", grades=[3, 2, 0]), float)
    assert_type(rm.parse_measures("nDCG@10, AP"), list[rm.Measure])


def results() -> None:
    ev = rm.evaluate(JUDGMENTS, RUN, ["RR"])
    assert_type(ev.mean, dict[str, float])
    assert_type(ev.per_query, pl.DataFrame)
    assert_type(ev.to_polars(), pl.DataFrame)
    assert_type(ev.interval("RR"), Interval)
    assert_type(ev.to_json(), str)
    assert_type(rm.Evaluation.load("values.parquet"), rm.Evaluation)
    assert_type(rm.load("rates.json"), rm.Evaluation | rm.Comparison | Showable)
    cmp = rm.compare(JUDGMENTS, {"one": RUN, "two": RUN})
    assert_type(cmp.difference("nDCG@10", "two").p_corrected, float | None)
    assert_type(cmp.leaderboard, pl.DataFrame)
    assert_type(cmp.best_group("nDCG@10"), list[str])
    assert_type(cmp.to_markdown(), str)
    assert_type(rm.explain("RR"), Explanation | Any)
    assert_type(rm.explain(rm.RR), Explanation)
    assert_type(rm.explain("MRR", dialect="ranx"), Explanation)
    assert_type(rm.explain("RR", JUDGMENTS, RUN, query="q"), Worked)
    assert_type(rm.Catalogue(["a"], features=[[1.0]]), rm.Catalogue)
    assert_type(online.evaluate([], "CTR")["CTR"], float)
    assert_type((rm.nDCG @ 10).describe(), dict[str, Any])
    judged = {"q": {"a": 1}}
    assert_type(RelevanceEvaluator(judged, {"map"}).evaluate(RUN), dict[str, dict[str, float]])


def attributes() -> None:
    ev = rm.evaluate(JUDGMENTS, RUN, ["RR"], by={"q": "short"})
    assert_type(ev.facts.judged, int)
    assert_type(ev.definitions["RR"], dict[str, Any])
    assert_type(ev.tie_bounds[rm.RR()], tuple[float, float])
    assert_type(ev.slices["segment"]["RR"], dict[str, float])
    assert_type(ev.interval("RR").low, float)
    assert_type(ev.counted("RR"), int)
    cmp = rm.compare(JUDGMENTS, {"one": RUN, "two": RUN}, margin=0.02)
    one = cmp.difference("nDCG@10", "two")
    assert_type(one.difference, float)
    assert_type(one.significant, bool)
    assert_type(one.effect.wins if one.effect else 0, int)
    assert_type(cmp.score("RR", "one").value, float)
    assert_type(cmp.settings.seed, int)
    found = rm.reconcile(JUDGMENTS, RUN, {"NDCG@10": "0.45"})
    assert_type(found.tools[0].tool, str)
    assert_type(found.claims[0].tried, int)
    assert_type(rm.advise(JUDGMENTS).recommended[0].measure, str)
    assert_type(rm.judges({"ann": JUDGMENTS, "model": JUDGMENTS})["bias"], float)
    assert_type(rm.evidence({"q": []}, {"q": []}).value("span_recall", 5), float)
    trial = online.experiment([], ["CTR"], control="A")
    assert_type(trial.effect("CTR").difference.value, float)
    assert_type(trial.decisions[0].sentence.text("zh"), str)
    assert_type(rm.Catalogue(["a"]).columns, pl.DataFrame)
    one.victor  # E: attr-defined
    ev.facts.judgements  # E: attr-defined
    trial.effect(1)  # E: arg-type
    found.tools[0].name  # E: attr-defined


def test_of_a_user(rankmeter: Rankings) -> None:
    assert_type(assert_ranking(JUDGMENTS, RUN, "RR >= 0.5", "RR >= baseline", baseline=RUN), list[Requirement])
    assert_type(rankmeter.assert_ranking(JUDGMENTS, RUN, "RR >= 0.5"), list[Requirement])


def inputs(tensor: Any, vectors: Any) -> None:
    rm.read_judgments("judgments.csv", columns={"grade": "rating"})
    rm.read_run(Path("hybrid.run"), format="trec")
    rm.read_labelled("labelled.csv")
    rm.evaluate(JUDGMENTS, rm.files("a.parquet", Path("b.parquet")), "RR")
    rm.evaluate(rm.arrays([[1, 0]]), rm.arrays([[0.1, 0.9]]), rm.RR)
    rm.evaluate(rm.tensors(tensor, tensor, mask=tensor), measures="RR")
    rm.evaluate(rm.ranked_ids(tensor, [[1, 2]], padding=0), measures="RR")
    rm.evaluate(rm.ranked_grades([[1, 0]]), measures="RR")
    rm.evaluate(rm.rank_catalogue({0: [1]}, vectors, vectors, similarity="cosine", top=100), measures="RR")
    rm.roll_up(RUN, documents=lambda passage: str(passage).partition("#")[0], by="sum")
    rm.sampled([1.0], [[0.5]], "RR", items=1000, correction="none")
    rm.sampled_ranks([1, 3], "RR", negatives=100, items=1000)
    assert_type(rm.score_table([], id="id", score="one", truth="check").to_json(), str)
    assert_type(rm.score_table([], id="id", group="theme", score=["one", "two"], truth="check").to_json(), str)


def comparing() -> None:
    cmp = rm.compare(JUDGMENTS, {"one": RUN, "two": rm.seeds(RUN, RUN)}, [rm.nDCG @ 10], baseline="one", margin=0.02)
    assert_type(cmp, rm.Comparison)
    assert_type(cmp.report("report.html", lang="zh"), Path)
    assert_type(cmp.figures("figures", formats=["svg"]), list[Path])
    cmp.difference("nDCG@10", "two").significant
    rm.compare(JUDGMENTS, {"one": rm.folds(RUN, RUN), "two": rm.folds(RUN, RUN)}, test="randomisation", correction="bh")
    rm.advise(JUDGMENTS, {"one": RUN}, purpose="search")
    assert_type(rm.topics_needed(0.22, difference=0.1, systems=20), int)
    assert_type(rm.pool(JUDGMENTS, {"one": RUN}, depth=5, budget=100), pl.DataFrame)
    rm.log_to_mlflow(cmp, prefix="offline", report=False)
    rm.log_to_tensorboard(cmp, None, step=3)
    rm.log_to_wandb(cmp)


def definitions() -> None:
    rm.explain("nDCG@10", JUDGMENTS, RUN, query="q")
    rm.reconcile(JUDGMENTS, RUN, {"NDCG@10": "0.4516"}, changes=2)
    rm.reconcile(JUDGMENTS, RUN, [("NDCG@10", 0.4516), ("MAP", 0.3)])
    assert_type(rm.between(JUDGMENTS, RUN, "trec_eval", "recbole", "NDCG@10").to_text(), str)

    @rm.measure
    def found(grades: Any, **_: Any) -> float:
        return float(len(grades) > 0)

    assert_type(found, rm.Measure)


def judging() -> None:
    assert_type(rm.draw(JUDGMENTS, {"one": RUN}, queries=50, among="differing", seed=1), pl.DataFrame)
    rm.draw(JUDGMENTS, items=200, measure=rm.nDCG @ 10)
    rm.evidence({"q": []}, {"q": []}, ["R@5"], rule="joint", unit="characters", budgets=[500, 1000]).to_dict()
    rm.judges({"ann": JUDGMENTS, "model": JUDGMENTS}, judge="model", singles="skip").to_dict()
    rm.nuggets([], empty="skip", level=0.9).to_dict()
    rm.leaderboards(JUDGMENTS, JUDGMENTS, {"one": RUN}, correction="none")
    rm.silence(JUDGMENTS, RUN, "Success@1", cuts=[0.5, 0.8])
    rm.rogan_gladen(JUDGMENTS, JUDGMENTS, RUN, k=10, rel=2).to_dict()
    rm.foresight(rm.evaluate(JUDGMENTS, RUN, "RR"), {"q": 0.5}, level=0.9).to_dict()
    grades = rm.judgments_from_clicks([], model="cascade", grades=[0.2, 0.5], grade_by="low", shrink=False)
    rm.evaluate(grades, RUN, "nDCG@10")
    rm.evaluate(JUDGMENTS, RUN, "nDCG@10", assisted_by=JUDGMENTS)
    rm.judge_page(rm.pool(JUDGMENTS, {"one": RUN}), grades=(0, 1), labels={1: "fits"}, lang="zh")


def after_the_number(ranker: Callable[[list[float], list[float]], float]) -> None:
    assert_type(rm.across([{"model": "a", "task": "t", "score": 0.3}], control="a", rope=0.01, holes="worst"), Across)
    assert_type(rm.difference_across("scores.csv", "new", "old", unit="queries").verdict,
                Literal["better", "worse", "undecided"])  # fmt: skip
    assert_type(rm.board_overlap(["a"], {"a": 0.3}, p=0.9).rbo, float)
    assert_type(rm.audit({"HR@10": "0.3574"}, queries=943, relevant="one").is_possible, bool)
    rm.audit("table.csv", queries={"Beauty": 22363}, rounding="down")
    rm.check(ranker, rm.nDCG @ 10, arguments="scores,labels").conforms
    rm.hunt(ranker, rm.nDCG @ 10, inputs=10, seed=1, arguments="scores,labels").differs
    assert_type(rm.fuse({"one": RUN, "two": RUN}, "rrf", k=10, norm="min-max").definition.how, str)
    parts = rm.split([("u", "a", 1), ("u", "b", 2)], "last(1)", validation=True, ties="item", seed=3)
    assert_type(parts.protocol, Protocol)
    assert_type(rm.protocol_of("train.csv", "test.csv"), Protocol)
    assert_type(rm.debias(JUDGMENTS, iqr=0.5, seed=1, rel=2), pl.DataFrame)
    assert_type(rm.baselines("train.csv", kinds="popular", k=10), dict[str, pl.DataFrame])
    history = rm.History("history")
    history.append(rm.evaluate(JUDGMENTS, RUN, ["RR"]), commit="4f2a91c", accept=True)
    assert_type(history.timeline("RR", level=0.99).passes, bool)
    history.append(RUN)  # E: arg-type
    rm.across([], holes="zero")  # E: arg-type
    rm.difference_across([], "new", "old", unit="users")  # E: arg-type
    rm.audit({}, relevant="two")  # E: arg-type
    rm.check(ranker, tolerance="small")  # E: arg-type
    rm.fuse({"one": RUN}, missing="mean")  # E: arg-type
    assert_type(rm.reconcile_fusion({"one": RUN, "two": RUN}, RUN, ["rrf"], k=10).tried, int)
    assert_type(rm.fuse_to_file({"one": RUN, "two": RUN}, "fused.run", "rrf", k=10, format="trec").rows, int)
    rm.fuse_to_file({"one": RUN, "two": RUN}, "fused.run", format="xml")  # E: arg-type
    assert_type(rm.searches({"q": [["a"], ["b"]]}, "best").calls, str)
    rm.searches({"q": [["a"]]}, calls=2)  # E: arg-type
    assert_type(rm.tune(JUDGMENTS, {"one": RUN, "two": RUN}, "nDCG@10", folds=3).measure, str)
    assert_type(rm.ablate(JUDGMENTS, {"one": RUN, "two": RUN}, "nDCG@10", "rrf").fused, float)
    rm.tune(JUDGMENTS, {"one": RUN}, folds="five")  # E: arg-type
    assert_type(rm.ann_recall(RUN, {"ef_8": RUN}, k=[1, 10]).value("ef_8"), float)
    rm.ann_recall(RUN, RUN, ties="distance")  # E: arg-type
    rm.split([], "last(1)", ties="luck")  # E: arg-type
    rm.baselines("train.csv", kind="popular")  # E: call-arg
    rm.protocol_of("train.csv")  # E: call-arg


def experiments() -> None:
    assert_type(online.evaluate([], ["CTR", rm.CVR(window=48)], by="variant", unit="user"), online.OnlineEvaluation)
    found = online.experiment("events.csv", ["CTR"], control="A", ratios={"A": 0.5, "B": 0.5}, start="2026-01-01")
    assert_type(found, online.Experiment)
    assert_type(online.read_events([], types={"click": ["tap", "press"]}), online.Events)
    online.agreement({"A": rm.evaluate(JUDGMENTS, RUN)}, found, offline_measures=["nDCG@10"])
    online.predictors([], ["nDCG@10"], online="CTR")
    online.position_bias([], positions=5).to_dict()
    assert_type(online.off_policy([1, 0], [0.5, 0.5], [0.2, 0.8], clip=10.0), online.OffPolicy)
    online.off_policy_slates([[1, 0]], [[0.5, 0.5]], [[0.2, 0.8]], model="item-position")
    online.off_policy_log("log.csv", model="single")
    assert_type(online.effective_sample_size([1.0, 2.0]), float)
    sums = online.sums_from_table([])
    assert_type(sums, dict[str, online.Sums])
    assert_type(online.units_needed(sums["A"], rm.CTR, relative=0.05), int)
    assert_type(online.minimum_detectable(sums["A"], rm.CVR(window=48), units=1000, other_units=1000), float)
    online.units_for_effect(0.2, power=0.9) + online.units_for_rates(0.1, 0.12)
    assert_type(online.sample_ratio([100, 103], [1, 1]), float)
    assert_type(online.shrunk(0.03, 0.01, [(0.0, 0.01)] * 8), online.Shrunk)
    assert_type(online.wilson(3, 10), tuple[float, float])
    online.team_draft(["a", "b"], ["b", "c"], seed=1)
    online.optimised_lists(["a", "b"], ["b", "a"], length=2)
    online.score_interleaving([], unit="query")
    assert_type(online.sign_test(3, 5), float)


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
    rm.compare(JUDGMENTS, {"one": RUN}, test="hope")  # E: arg-type
    rm.compare(JUDGMENTS, {"one": RUN}, pair="all")  # E: call-arg
    rm.advise(JUDGMENTS, purpose="fun")  # E: arg-type
    rm.pool(JUDGMENTS, {"one": RUN}, depth="10")  # E: arg-type
    rm.reconcile(JUDGMENTS, RUN)  # E: call-arg
    rm.reconcile(JUDGMENTS, RUN, 0.45)  # E: arg-type
    rm.between(JUDGMENTS, RUN, "trec_eval", "recbole")  # E: call-arg
    rm.draw(JUDGMENTS, among="some")  # E: arg-type
    rm.draw(JUDGMENTS, measure=10)  # E: arg-type
    rm.evidence({}, {}, rule="whatever")  # E: arg-type
    rm.judges({}, singles="maybe")  # E: arg-type
    rm.nuggets([], empty="none")  # E: arg-type
    rm.judgments_from_clicks([], model="magic")  # E: arg-type
    rm.judgments_from_clicks([], grade_by="mean")  # E: arg-type
    rm.judge_page([], lang="fr")  # E: arg-type
    rm.compare(JUDGMENTS, {"one": RUN}).report()  # E: call-arg
    online.evaluate([], "CTR", unit="team")  # E: arg-type
    online.experiment([], control=1)  # E: arg-type
    online.off_policy([1])  # E: call-arg
    online.off_policy_slates([], [], [], model="best")  # E: arg-type
    online.sign_test(1.5, 2)  # E: arg-type
    online.units_needed(online.sums_from_table([])["A"], rm.AP, relative=0.05)  # E: arg-type
    rm.evaluate(JUDGMENTS, RUN, ["RR"]).average  # E: attr-defined
    rm.evaluate(JUDGMENTS, RUN, ["RR"]).interval()  # E: call-arg
    rm.compare(JUDGMENTS, {"one": RUN}).best_group(3)  # E: arg-type
    rm.explain(rm.RR).numerator  # E: attr-defined
    rm.Catalogue(["a"], colour=["red"])  # E: call-arg
    assert_ranking(JUDGMENTS, RUN, 0.5)  # E: arg-type
